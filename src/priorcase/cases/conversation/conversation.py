"""Conversational case-based reasoning: a query is completed by questions until one solution is probable enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from priorcase._locks import cached_property
from priorcase._parameters import is_number
from priorcase._typing import Backend, FloatArray, IdArray
from priorcase.cases import kinds
from priorcase.cases.checks import check_known, check_query, warn_similar
from priorcase.cases.conversation.candidates import Candidates, Step, in_force
from priorcase.cases.conversation.questions import Question, Questions
from priorcase.cases.measures import LocalSimilarity
from priorcase.cases.retain import Solutions, shown_solution
from priorcase.cases.reuse import Candidate, Proposal, Source, Success, able, worked
from priorcase.cases.scoring import Likeness, MeasureCache, check_share
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, ParameterError, prefix_all_errors, quoted, visible
from priorcase.learning.results import Grid, GridResult, TextResult, framed, short, value_text

if TYPE_CHECKING:
    from priorcase.cases.case_base import CaseBase

_SOURCES = 50
_PARTS = 20  # the default tolerance of numeric solutions is their range divided by this
_YES = {"yes": True, "no": False}


@prefix_all_errors
class Conversation(TextResult):
    """A conversation that repeatedly asks the most informative question about the solution.

    The weight of a case is the degree to which its solution worked, times the product of ``e_a^(w_a / max w)`` over the
    answers. The evidence ``e_a = 1 + r_a m_a (s_a / mean s_a - 1)`` says how strongly an answer about attribute a
    speaks for this case, compared with an average case. ``s_a`` is the similarity of the case's value to the answer (1
    or 0 for yes-or-no answers), and ``m_a`` is the largest ``s_a`` of all cases. The reliability ``r_a`` of the
    attribute is learned by comparing the values of cases that have the same solution. If the case's value is missing,
    the evidence is 1. The probability of a solution is the weight of its cases divided by the total weight. The total
    weight includes a weight for "none of these solutions", which is the weight of a case in which all values are
    missing. No answer excludes a case permanently.

    Parameters
    ----------
    table
        The cases; later changes to the case base do not affect the conversation. Retired cases, cases without a
        solution and cases whose solution failed (an outcome of False, or a number up to 1/2) are not used.
    query
        The values known at the start.
    weights, measures
        Mappings from attributes, as in `retrieve`; no questions are asked about attributes with weight 0.
    floor
        A case remains a candidate while its weight is more than this fraction of the largest weight.
    confidence
        The conversation is settled when one solution has at least this probability.
    least_gain
        Minimum information gain of a question, in bits.
    tolerance
        Largest difference at which two numeric solutions agree; required if solutions are numbers. The solutions are
        grouped into ranges that are at most ``2 * tolerance`` wide.
    success
        How to interpret outcomes, as in `retain`.
    cache
        Cache of prepared measures.

    References
    ----------
    D. W. Aha, L. A. Breslow & H. Muñoz-Avila, "Conversational case-based reasoning", *Applied Intelligence* 14, 2001.
    J. R. Quinlan, *Machine Learning* 1, 1986 (information gain and gain ratio); *C4.5*, 1993 (cuts, missing values).

    Examples
    --------
    >>> from priorcase.schema import Nominal
    >>> rows = [(1, {"light": "red", "noise": "no"}, '"open the tray"', None),
    ...         (2, {"light": "red", "noise": "yes"}, '"remove the paper"', None),
    ...         (3, {"light": "off", "noise": "no"}, '"plug it in"', None)]
    >>> talk = Conversation(CaseTable.of({"light": Nominal(), "noise": Nominal()}, rows))
    >>> talk.next_question()
    light? (red: 2 cases, off: 1 case)
    >>> talk.tell("light", "red")
    >>> talk.settled, talk.next_question()
    (False, noise? (no: 2 cases, yes: 1 case))
    >>> talk.tell("noise", "yes")
    >>> talk.settled, talk.answer().solution, round(talk.answer().confidence, 2)
    (True, 'remove the paper', 0.57)
    """

    def __init__(
        self,
        table: CaseTable,
        query: Mapping[str, Any] | None = None,
        *,
        weights: Mapping[str, float] | None = None,
        measures: Mapping[str, LocalSimilarity] | None = None,
        floor: float = 0.1,
        confidence: float = 0.8,
        least_gain: float = 0.01,
        tolerance: float | None = None,
        success: Success = "outcome",
        cache: MeasureCache | None = None,
    ) -> None:
        if not is_number(floor) or not 0 < floor < 1:
            raise ParameterError(
                f"floor must be a number above 0 and below 1, got {quoted(floor)}. With floor=0.1, cases "
                "whose weight is below a tenth of the largest weight are no longer candidates."
            )
        if not is_number(least_gain) or not 0 <= least_gain < float("inf"):
            raise ParameterError(
                f"least_gain must be a finite number >= 0, got {quoted(least_gain)}. A minimum of 0.01 bits is "
                "usual; 0 allows every informative question."
            )
        self.confidence = check_share("confidence", confidence, hint="A confidence of 0.8 is usual.")
        degrees = worked(table, success)
        speaking = able(table, degrees)
        if not speaking.any():
            raise CaseBaseError(
                "found no case with a solution that worked. Add solutions with add(case, solution=...) or "
                "revise(id, solution=...)."
            )
        if not speaking.all():  # the other cases have no influence, not even on mean similarities
            table, degrees = table.only(speaking), degrees[speaking]
        likeness = Likeness(table, weights=weights, measures=measures, cache=cache)
        self._attributes = likeness.attributes
        self._solutions = Solutions.of(table, tolerance)
        self._lock = RLock()
        candidates = Candidates(likeness, self._solutions, degrees, float(floor))
        given = check_query({} if query is None else query, table)
        steps = tuple(Step(name, "given", stored) for name, stored in given.items())
        self._states = [_State(steps, candidates, float(least_gain))]

    @property
    def known(self) -> dict[str, Any]:
        """Mapping from attributes to known values; yes-or-no answers are in the `transcript`."""
        said = [step for step in in_force(self._now.steps) if step.whole]
        return {step.attribute: kinds.shown(self._attributes[step.attribute], step.value) for step in said}

    @property
    def candidates(self) -> IdArray:
        """The ids of the remaining candidates, sorted by weight, largest first."""
        weights = self._now.weights
        order = np.argsort(-weights, kind="stable")[: int(np.count_nonzero(weights))]
        found: IdArray = self._now.candidates.likeness.ids[order]
        return found

    @property
    def settled(self) -> bool:
        """Whether one solution is probable enough or no informative question is left."""
        return bool(self.reason)

    @property
    def reason(self) -> str:
        """The reason why the conversation is settled; empty if the conversation is not settled."""
        now = self._now
        best = now.ranked[0].probability
        if best >= self.confidence - 1e-12:
            return f"one solution is {best:.0%} probable"
        return "" if now.question is not None else "no informative question is left"

    @property
    def transcript(self) -> Transcript:
        """The answers so far, with the number of remaining candidates after each answer."""
        with self._lock:
            states = list(self._states)
        lines = [_line(step, states[0]) for step in states[0].steps]
        lines += [_line(state.steps[-1], state) for state in states[1:]]
        return Transcript(tuple(lines), self.reason)

    def next_question(self) -> Question | None:
        """Return the most informative question; None if no question is informative.

        If the cases have a free-text attribute and nothing is known yet, the first question is about that attribute. A
        settled conversation can continue: questions do not depend on ``confidence``. Of equally informative questions,
        the question about the first attribute is asked.
        """
        return self._now.question

    def questions(self) -> tuple[Question, ...]:
        """Return, for each attribute that can still be asked about, the best question; sorted by gain ratio.

        Questions with less than the median gain are listed last.
        """
        now = self._now
        return tuple(Questions(now.candidates, now.weights, now.steps).ranked())

    def tell(self, attribute: str, value: Any) -> None:
        """Add an answer: the value of any attribute, or yes or no if there is an open question about the attribute.

        A value replaces earlier answers about the same attribute. An open yes-or-no question is answered by True,
        False, "yes" or "no". A missing value (None, NaN) skips the attribute.
        """
        check_known([attribute], self._attributes)
        with self._lock:
            now = self._now
            step = self._answer(attribute, value, now.question)
            if step.whole:
                warn_similar(now.candidates.likeness.columns[attribute], step.value)
            steps = (*now.steps, step)
            self._states = [*self._states, _State(steps, now.candidates, now.least_gain)]

    def skip(self, attribute: str) -> None:
        """Stop asking about an attribute; `tell` still accepts its value."""
        self.tell(attribute, None)

    def back(self) -> None:
        """Undo the last answer or skip."""
        with self._lock:
            if len(self._states) == 1:
                raise CaseBaseError(
                    "there is no answer to undo. The initial query cannot be changed; start a new conversation instead."
                )
            self._states = self._states[:-1]

    def answer(self) -> Proposal:
        """Return the most probable solution, the cases that support it, and the probabilities of all solutions."""
        now = self._now
        best = now.ranked[0]
        ids, weights = now.candidates.likeness.ids, now.all_weights
        sources = []
        for place in np.searchsorted(ids, best.cases[:_SOURCES]).tolist():
            weight = float(weights[place])
            sources.append(Source(int(ids[place]), weight / best.support, weight, self._solutions.value(place)))
        count, left = len(in_force(now.steps)), int(np.count_nonzero(now.weights))
        how = f"Vote of all cases, weighted by {count} answer{'s' * (count != 1)}; "
        how += f"{left} case{'s' * (left != 1)} remain{'s' * (left == 1)}"
        notes = (self.reason or "not settled yet",)
        unseen = max(0.0, 1.0 - sum(each.probability for each in now.ranked))
        return Proposal(
            best.solution, "vote", how, best.probability, best.cases[0], tuple(sources), now.ranked, unseen, notes=notes
        )

    def __repr__(self) -> str:
        left, best = self.candidates.size, self._now.ranked[0]
        state = self.reason or f"next: {self._now.question}"
        said = shown_solution(best.solution)
        return visible(f"Conversation: {left} candidate{'s' * (left != 1)}, {said} {best.probability:.0%}; {state}")

    @property
    def _now(self) -> _State:
        return self._states[-1]

    def _answer(self, attribute: str, value: Any, asked: Question | None) -> Step:
        kind, question = self._attributes[attribute], None
        if asked is not None and asked.attribute == attribute:
            question = asked
        if question is not None and question.yes_or_no and (yes := _yes_or_no(value)) is not None:
            if question.kind == "cut":
                cut = kinds.check(kind, question.about, attribute=attribute)
                return Step(attribute, "cut", cut, yes, question.text)
            return Step(attribute, "mention", question.about, yes, question.text)
        if isinstance(value, bool) and kinds.kind_name(kind) in ("numeric", "circular", "date", "text", "set"):
            open_now = "no question is open" if asked is None else f"the open question is {quoted(asked.text)}"
            raise CaseBaseError(
                f"got {quoted(value)} for {attribute!r}, but {open_now}. Pass the value of {attribute!r} itself, or "
                "answer next_question()."
            )
        stored = kinds.check(kind, value, attribute=attribute)
        text = "" if question is None else question.text
        return Step(attribute, "told" if stored is not None else "skipped", stored, asked=text)


@dataclass(frozen=True)
class _State:
    """An immutable state of a conversation after some steps; derived values are cached."""

    steps: tuple[Step, ...]
    candidates: Candidates
    least_gain: float

    @cached_property
    def all_weights(self) -> FloatArray:
        return self.candidates.weights(self.steps)

    @cached_property
    def weights(self) -> FloatArray:
        return self.candidates.remaining(self.all_weights)

    @cached_property
    def question(self) -> Question | None:
        return Questions(self.candidates, self.weights, self.steps).best(self.least_gain)

    @cached_property
    def ranked(self) -> tuple[Candidate, ...]:
        return self.candidates.ranked(self.all_weights)


def tolerant_conversation(
    base: CaseBase, query: Mapping[str, Any], *, tolerance: float | None = None, **settings: Any
) -> Conversation:
    """Start a conversation; by default, the tolerance of numeric solutions is 1/20 of their range."""
    try:
        return base.converse(query, tolerance=tolerance, **settings)
    except ParameterError:
        cases = base.find(where=settings.get("where"))
        numbers = [case.solution for case in cases if case.solution is not None]
        if tolerance is not None or not numbers or not all(map(is_number, numbers)):
            raise
        return base.converse(query, tolerance=(max(numbers) - min(numbers)) / _PARTS, **settings)


def _yes_or_no(answer: object) -> bool | None:
    """Convert a yes-or-no answer to a boolean; return None for any other answer."""
    if isinstance(answer, str):
        return _YES.get(answer.strip().casefold())
    return bool(answer) if isinstance(answer, bool | np.bool_) else None


# -- transcripts


@dataclass(frozen=True)
class TranscriptLine:
    """One answer, the number of cases that remain after this answer, and the most probable solution."""

    question: str
    """Text of the question, or the name of the attribute if no question was asked."""
    answer: str
    candidates: int
    solution: Any
    probability: float


@dataclass(frozen=True, repr=False)
class Transcript(GridResult):
    """The answers of a conversation, and the reason why it is settled (empty if not settled); prints as a table."""

    lines: tuple[TranscriptLine, ...]
    reason: str

    def __len__(self) -> int:
        return len(self.lines)

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a frame with one row per answer.

        ``backend`` is ``"pandas"`` (the default), ``"polars"`` or ``"pyarrow"``.
        """
        fields = ("question", "answer", "candidates", "solution", "probability")
        return framed({name: [getattr(line, name) for line in self.lines] for name in fields}, backend)

    def _grid(self) -> Grid:
        lines = [
            [
                str(number),
                short(line.question, 48),
                short(line.answer, 40),
                str(line.candidates),
                value_text(line.solution, 40),
                f"{line.probability:.0%}",
            ]
            for number, line in enumerate(self.lines, 1)
        ]
        header = ("", "question", "answer", "candidates", "best solution", "probability")
        return Grid(f"conversation, {self.reason or 'not settled yet'}", header, lines, right={0, 3, 5})


def _line(step: Step, state: _State) -> TranscriptLine:
    """Return the transcript line that describes a step; ``state`` is the state after this step."""
    if step.kind == "skipped":
        answer = "(skipped)"
    elif step.whole:
        answer = ", ".join(map(str, step.value)) if isinstance(step.value, tuple) else str(step.value)
    else:
        answer = "yes" if step.yes else "no"
    best, left = state.ranked[0], int(np.count_nonzero(state.weights))
    return TranscriptLine(step.asked or step.attribute, answer, left, best.solution, best.probability)
