"""What a concept learner has learned, as attributes."""

from __future__ import annotations

from typing import Any, cast

from priorcase._typing import AnyArray, IdArray
from priorcase.concepts import replay
from priorcase.concepts.concept_frame import concept_frame
from priorcase.concepts.fingerprint import fingerprint
from priorcase.concepts.history import LearningHistory
from priorcase.concepts.memory import ConceptMemory
from priorcase.concepts.roll import ClassRoll
from priorcase.exceptions import TooFewRowsError
from priorcase.learning.estimator import RowsEstimator
from priorcase.learning.state import reads


class LearnedConcepts(RowsEstimator):
    """The attributes of concept learners."""

    _memory: ConceptMemory

    @property
    @reads
    def classes_(self) -> AnyArray:
        """All classes met or announced, ascending; the columns of an indicator in their own order."""
        roll = self._stored().roll
        assert roll is not None  # there has been a row
        return roll.classes

    @property
    @reads
    def concept_(self) -> Any:
        """The stored instances with their records, a line for each; for each class and instance with per-class ones.

        Columns: ``id``, ``concept`` where each class has a description, ``class``, the attributes by name,
        ``successes`` and ``trials`` (whole numbers, but with a ``decay``), ``accuracy_low`` and ``accuracy_high``
        (Wilson bounds of what they speak for), ``frequency_low`` and ``frequency_high`` (the same of the frequency of
        the class), ``class_count``, ``verdict``, ``arrived`` (as the how-manieth) and ``reason``. Lower bounds of
        accuracy and upper ones of frequency are those at which instances are accepted, the others those at which they
        are dropped: an instance is acceptable where ``accuracy_low > frequency_high`` and poor where
        ``accuracy_high < frequency_low``. An attribute called like another column becomes ``NAME (value)``. A frame of
        the library that the learner was fitted with; after a fit on arrays of the one installed.
        """
        memory = self._fresh()
        return concept_frame(memory, self._roll(), self._backend)

    @property
    @reads
    def storage_(self) -> float:
        """Share of the instances seen that are kept as the paper counts them: where records decide, acceptable ones."""
        memory = self._answering()
        return self._kept().size / memory.n_seen

    @property
    @reads
    def stored_(self) -> int:
        """How many instances are stored."""
        return int(self._stored().ids.size)

    @property
    @reads
    def dropped_(self) -> int:
        """How many instances were dropped by their records, or left the window; of each class on its own."""
        return sum(description.core.n_dropped for _, description in self._answering().learned().named())

    @property
    @reads
    def n_seen_(self) -> int:
        """How many instances were learned and not forgotten."""
        return self._stored().n_seen

    @property
    @reads
    def n_samples_fit_(self) -> int:
        """Number of stored rows."""
        return int(self._stored().ids.size)

    @property
    @reads
    def history_(self) -> LearningHistory:
        """What each instance did to the description; only with ``history=True`` or ``"replay"``."""
        if not self._stored().design.history:
            raise AttributeError("history_ is there with history=True or 'replay' only.")
        memory = self._fresh()
        of = dict(memory.learned().named())
        codes = [None] if None in of else [code for code in self._roll().codes.tolist() if code in of]
        traces = [trace.arrays() for code in codes if (trace := of[code].trace) is not None]
        concepts = tuple(self._roll().labels[code] for code in codes if code is not None)
        selective = memory.design.rules.selective
        return LearningHistory.of(traces, concepts, selective=selective, backend=self._backend)

    @reads
    def digest(self) -> str:
        """A fingerprint of the stored rows, and of records, counts and ranges where the rows alone do not tell them.

        Equal learners have equal digests: those that learned the same rows in the same order, by whatever calls.
        """
        return fingerprint(self._stored())

    # -- inside

    def _roll(self) -> ClassRoll:
        roll = self._stored().roll
        assert roll is not None  # there has been a row
        return roll

    def _fresh(self) -> ConceptMemory:
        """The memory, with records and traces of the rows that are left."""
        memory = self._answering()
        replay.refresh(memory, threads=self._threads())
        return memory

    def _kept(self) -> IdArray:
        """Ids of the instances that are kept as the paper counts them."""
        memory = self._stored()
        return memory.union([description.kept() for _, description in memory.learned().named()])

    def _stored(self) -> ConceptMemory:
        return cast(ConceptMemory, super()._stored())

    def _answering(self) -> ConceptMemory:
        memory = self._stored()
        if not memory.n_seen:
            raise TooFewRowsError.nothing_stored()
        return memory
