"""What IB1 to IB5 share: rows that are learned one by one, and forgotten, by rules that the parameters say."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import AnyArray, IdArray
from priorcase._validation import record_features
from priorcase.concepts import parameters, replay
from priorcase.concepts.answers import ConceptAnswers
from priorcase.concepts.description import Rules
from priorcase.concepts.design import Design
from priorcase.concepts.log import ColumnKinds
from priorcase.concepts.memory import ConceptMemory
from priorcase.concepts.novel import brings_columns
from priorcase.concepts.records import normal_quantile
from priorcase.concepts.targets import Targets, read_targets
from priorcase.exceptions import NewColumnError, SchemaMismatchError, TargetError
from priorcase.instances import Instances
from priorcase.learning.frames import backend_of
from priorcase.learning.parameters import check_flag, check_seed
from priorcase.learning.state import changes
from priorcase.neighbors.base import check_tabled, tabled_columns, with_tabled_values
from priorcase.schema import Schema, Table
from priorcase.similarity import Distance, ib


class ConceptLearner(ConceptAnswers):
    """Base of the learners that choose what to remember.

    Aha's three parts are files: similarity in ``comparison.py``, classification in ``deciding.py``, and the update of
    the description in ``description.py``, which hands it to the compiled core.
    """

    ties: Any
    shuffle: Any
    random_state: Any
    history: Any
    window: Any
    _keep: ClassVar[str]

    # -- learning

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the rows in one pass, in place of any learned before.

        Parameters
        ----------
        X
            A pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.
        y
            One class for each row: text, whole numbers or booleans. With a description for each class also a column
            of 0 and 1 for each class (multi-label), or a single one for a single class.
        """
        return self._fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn more rows, one by one in their order. A call that fails leaves everything as it was.

        Parameters
        ----------
        X, y
            As in `fit`.
        classes
            All classes there can be; they are in ``classes_`` from now on, and others are refused. May be left out:
            classes are then taken up as they come.
        """
        return self._partial_fit(X, y, None, classes)

    @changes
    def forget(self, ids: ArrayLike) -> Self:
        """Forget rows, exactly as if they had never been seen.

        `IB1` stores every row and so can forget any (but with a ``window``). What the others keep depends on rows
        that are gone; with ``history="replay"`` they learn the rows that are left again, in the same order and with
        the same random numbers.

        Parameters
        ----------
        ids
            Ids of rows: their positions in the stream, from 0. An unknown or repeated id is an error, and nothing is
            forgotten.
        """
        replay.forget(self._stored(), ids, threads=self._threads())
        record_features(self, self._memory.instances.schema)
        return self

    def _learn(self, X: Any, y: Any, sample_weight: Any, classes: Any, method: str) -> None:
        first = "_memory" not in self.__dict__
        if first:
            self._check_parameters()
        table, columns = self._arriving(X, first)
        targets = self._targets(y, classes, first)
        if len(targets) != len(table):
            raise TargetError.length("y", len(targets), len(table))
        if not self._design.growing:
            check_tabled(table, tabled_columns(table.schema, self._design.distance))
        if first:
            self._backend = backend_of(X)
            self._memory = self._new_memory(table.schema, targets.schema)
            record_features(self, table.schema)
        order = self._order(len(table)) if method == "fit" else None
        self._take_in(table, targets, order, columns)

    def _take_in(self, table: Table, targets: Targets, order: IdArray | None, columns: ColumnKinds | None) -> None:
        """Learn rows that were read and checked."""
        threads = self._threads()
        self._memory.learn(table, targets, order, threads=threads, columns=columns)

    def _arriving(self, X: Any, first: bool) -> tuple[Table, ColumnKinds | None]:
        """Rows to learn, and the columns they came with, where attributes come and go."""
        if first:
            return self._training_table(X), None
        try:
            return self._table(X), None
        except SchemaMismatchError as refusal:
            if brings_columns(self._memory.instances.schema, X):
                raise NewColumnError.refused(refusal) from None
            raise

    def _targets(self, y: Any, classes: Any, first: bool) -> Targets:
        roll, first_id = (None, 0) if first else (self._memory.roll, self._memory.instances.next_id)
        several = self._design.per_class
        return read_targets(y, roll, classes, several=several, first_id=first_id)

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        targets = self._targets(y, classes, first)
        return targets.schema, targets.coded

    def _order(self, n: int) -> IdArray | None:
        """The order in which to learn; None for that of the rows."""
        if not self.shuffle:
            return None
        return np.random.RandomState(self._design.rules.seed).permutation(n).astype(np.int64)

    def _first_table(self, table: Table) -> Table:
        return with_tabled_values(table, self._design.distance, self.schema or ())

    def _new_memory(self, schema: Schema, targets: Schema | None) -> ConceptMemory:
        classes_matter = any(part.needs_classes for part in self._design.distance.differences(schema))
        if targets is not None and len(targets) > 1 and classes_matter:
            raise TargetError.one_target_only(repr(self._design.distance))
        return ConceptMemory(Instances(schema, targets), owner=type(self).__name__, design=self._design)

    # -- parameters

    @abstractmethod
    def _resolved(self) -> tuple[Distance, bool]:
        """The distance, and whether each class gets a description of its own."""

    def _levels(self) -> tuple[Any, Any]:
        """The confidence levels of acceptance and of dropping; where records decide nothing they inform."""
        return 0.9, 0.875

    def _special(self) -> dict[str, Any]:
        """Rules of this learner alone."""
        return {}

    def _check_parameters(self) -> None:
        super()._check_parameters()
        ties = parameters.check_ties(self.ties)
        check_flag("shuffle", self.shuffle, hint="True learns the rows of fit in a random order.")
        history = parameters.check_history(self.history)
        window = parameters.check_window(self.window)
        accept, drop = self._levels()
        distance, per_class = self._resolved()
        rules = Rules(
            self._keep,
            ties,
            normal_quantile(accept, parameter="accept"),
            normal_quantile(drop, parameter="drop"),
            window=window or 0,
            seed=check_seed(self.random_state),
            **self._special(),
        )
        self._design = Design(rules, distance, self._grows(distance), per_class, history, self._declared())

    def _grows(self, distance: Distance) -> bool:
        """Whether the ranges of a distance grow with the rows: those of Aha's do."""
        return distance == ib()

    def _declared(self) -> Schema | None:
        """Attributes that are there from the start, where others may come up."""
        return None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = False
        return tags
