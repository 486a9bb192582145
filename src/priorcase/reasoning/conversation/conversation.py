"""Conversations: a query that grows answer by answer, until the cases agree on a solution."""

from __future__ import annotations

from collections.abc import Mapping
from threading import RLock
from typing import Any

import numpy as np

from priorcase._numbers import is_number
from priorcase.exceptions import CaseBaseError, ConversationError, ParameterError, UnknownAttributeError
from priorcase.reasoning import kinds
from priorcase.reasoning.conversation.asking import Asking, gained
from priorcase.reasoning.conversation.candidates import Candidates
from priorcase.reasoning.conversation.hypotheses import Hypotheses
from priorcase.reasoning.conversation.question import Question, yes_or_no
from priorcase.reasoning.conversation.state import State
from priorcase.reasoning.conversation.step import Step, in_force
from priorcase.reasoning.conversation.transcript import Transcript, TranscriptLine
from priorcase.reasoning.measures import LocalSimilarity
from priorcase.reasoning.retain.checks import check_share
from priorcase.reasoning.retain.decision import shown_solution
from priorcase.reasoning.retain.likeness import Likeness
from priorcase.reasoning.retain.outcomes import able, worked
from priorcase.reasoning.retain.solutions import Solutions
from priorcase.reasoning.retrieval.cache import MeasureCache
from priorcase.reasoning.reuse.proposal import Proposal, Source
from priorcase.reasoning.table import CaseTable
from priorcase.typing import IdArray

_SOURCES = 50


class Conversation:
    """Asks for what tells most about the solution, one question after the other.

    A case counts ``product_a max(floor, s_a)^(w_a / mean w)`` over what was said, with s_a the similarity of its value
    to the one told, in parts of the largest there is, or 1 and 0 where a yes or no was told; a case that does not know
    an attribute counts like the mean of those that do. It remains while it counts more than ``floor`` times as much as
    the best case. So a wrong answer rules nothing out for good: cases come back when others are contradicted too.

    Parameters
    ----------
    table
        The case base as it is now: later changes do not reach the conversation. Retired cases, those without a
        solution and those whose solution failed (an outcome of False, or a number below 1/2) do not take part.
    query
        What is known at the beginning.
    weights, measures
        By attribute, as in `retrieve`; what weighs nothing is never asked.
    floor
        What is left of a case after a full contradiction.
    confidence
        Which part of the weight one solution must hold for the conversation to be settled.
    least_gain
        How many bits a question must tell, on average, to be asked.
    tolerance
        How far a right number may be off: needed where solutions are numbers, which are then put in groups that are at
        most twice as wide.
    cache
        Where prepared measures are kept.
    caller
        For messages.

    References
    ----------
    D. W. Aha, L. A. Breslow & H. Muñoz-Avila, "Conversational case-based reasoning", *Applied Intelligence* 14, 2001.
    J. R. Quinlan, *Machine Learning* 1, 1986 (information gain); *C4.5*, 1993 (cuts, gaps).

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
    (False, noise? (no: 1 case, yes: 1 case))
    >>> talk.tell("noise", "yes")
    >>> talk.settled, talk.answer().solution
    (True, 'remove the paper')
    """

    def __init__(
        self,
        table: CaseTable,
        query: Mapping[str, Any] | None = None,
        *,
        weights: Mapping[str, float] | None = None,
        measures: Mapping[str, LocalSimilarity] | None = None,
        floor: float = 0.05,
        confidence: float = 0.8,
        least_gain: float = 0.01,
        tolerance: float | None = None,
        cache: MeasureCache | None = None,
        caller: str = "Conversation",
    ) -> None:
        _check_floor(floor, caller)
        self.confidence = check_share("confidence", confidence, caller=caller, hint="0.8 is usual.")
        least = _check_gain(least_gain, caller)
        likeness = Likeness(table, weights=weights, measures=measures, cache=cache, caller=caller)
        speaking = able(table)
        if not speaking.any():
            raise ConversationError.nothing_solved(caller)
        self._attributes = likeness.attributes
        self._solutions = Solutions.of(table, tolerance, caller=caller)
        degrees = np.where(speaking, worked(table), 0.0)
        self._lock = RLock()
        first = State((), Candidates(likeness, degrees, float(floor)), Hypotheses.of(self._solutions), least)
        self._states = [first.after(*self._given(query, caller))]

    @property
    def known(self) -> dict[str, Any]:
        """The values that are known, as users see them; answers of yes and no are in the `transcript`."""
        said = [step for step in in_force(self._now.steps) if step.whole]
        return {step.attribute: kinds.shown(self._attributes[step.attribute], step.value) for step in said}

    @property
    def candidates(self) -> IdArray:
        """The ids of the cases that remain, those that count most first."""
        weights = self._now.weights
        order = np.argsort(-weights, kind="stable")[: int(np.count_nonzero(weights))]
        found: IdArray = self._now.candidates.likeness.ids[order]
        return found

    @property
    def settled(self) -> bool:
        """Whether one solution is sure enough, or no question is left that tells anything."""
        return bool(self.reason)

    @property
    def reason(self) -> str:
        """Why the conversation is settled, in words; empty where it is not."""
        now = self._now
        best = now.ranked[0].probability
        if best >= self.confidence - 1e-12:
            return f"one solution holds {best:.0%} of the weight"
        return "" if now.question is not None else "no question is left that would tell more"

    @property
    def transcript(self) -> Transcript:
        """What was said, and what was left of the candidates each time."""
        with self._lock:
            states = list(self._states)
        lines = [TranscriptLine.of(step, states[0].weights, states[0].ranked[0]) for step in states[0].steps]
        for state in states[1:]:
            lines.append(TranscriptLine.of(state.steps[-1], state.weights, state.ranked[0]))
        return Transcript(tuple(lines), self.reason)

    def next_question(self) -> Question | None:
        """The question that tells most about the solution; None where none is left that tells anything.

        Free text is asked for first of all, where the cases have some and nothing is known yet. A settled conversation
        may go on: questions do not depend on ``confidence``. Ties go to the first attribute.
        """
        return self._now.question

    def questions(self) -> tuple[Question, ...]:
        """The best question about each attribute that may still be asked for, by their gains, the largest first."""
        now = self._now
        found = Asking(now.candidates, now.hypotheses, now.weights, now.steps).all()
        return tuple(sorted(found, key=lambda question: -round(gained(question), 12)))

    def tell(self, attribute: str, value: Any) -> None:
        """Add an answer: the value of an attribute, asked for or not, or yes or no to the open question about it.

        A value replaces what was said of its attribute before.

        Parameters
        ----------
        attribute
            Which.
        value
            The value; where the open question can be answered by yes or no also True and False, "yes" and "no". None
            skips the attribute.
        """
        caller = "Conversation.tell"
        self._check_name(attribute, caller)
        with self._lock:
            if value is None:
                return self.skip(attribute)
            question = self._now.question
            mine = question if question is not None and question.attribute == attribute else None
            return self._step(self._answer(attribute, value, mine, caller))

    def skip(self, attribute: str) -> None:
        """Never ask for an attribute again; it may still be told."""
        self._check_name(attribute, "Conversation.skip")
        with self._lock:
            question = self._now.question
            asked = question.text if question is not None and question.attribute == attribute else ""
            self._step(Step(attribute, "skipped", asked=asked))

    def back(self) -> None:
        """Take the last answer or skip back."""
        with self._lock:
            if len(self._states) == 1:
                raise ConversationError.nothing_to_undo()
            self._states = self._states[:-1]

    def answer(self) -> Proposal:
        """The solution that holds most of the weight, with the probabilities of all and the cases that speak for it."""
        now = self._now
        best = now.ranked[0]
        likeness, heard = now.candidates.likeness, {id: place for place, id in enumerate(now.candidates.likeness.ids)}
        sources = []
        for id in best.cases[:_SOURCES]:
            place = heard[id]
            weight = float(now.weights[place])
            own = self._solutions.value(place)
            sources.append(Source(int(likeness.ids[place]), weight / best.support, weight, own))
        count = len(in_force(now.steps))
        how = f"The weight of {np.count_nonzero(now.weights)} remaining cases after {count} answers"
        notes = (self.reason,) if self.settled else ("not settled yet",)
        return Proposal(
            best.solution, "vote", how, best.probability, best.cases[0], tuple(sources), now.ranked, notes=notes
        )

    def __repr__(self) -> str:
        left, best = self.candidates.size, self._now.ranked[0]
        state = self.reason or f"next: {self._now.question}"
        said = shown_solution(best.solution)
        return f"Conversation: {left} candidate{'s' * (left != 1)}, {said} {best.probability:.0%}; {state}"

    @property
    def _now(self) -> State:
        return self._states[-1]

    def _step(self, step: Step) -> None:
        self._states = [*self._states, self._now.after(step)]

    def _answer(self, attribute: str, value: Any, question: Question | None, caller: str) -> Step:
        kind = self._attributes[attribute]
        if question is not None and question.yes_or_no and (yes := yes_or_no(value)) is not None:
            if question.kind == "cut":
                cut = kinds.check(kind, question.about, attribute=attribute, caller=caller)
                return Step(attribute, "cut", cut, yes, question.text)
            return Step(attribute, "mention", question.about, yes, question.text)
        if isinstance(value, bool) and kinds.kind_name(kind) in ("numeric", "date", "text", "set"):
            open_now = self._now.question
            raise ConversationError.no_such_question(attribute, value, None if open_now is None else open_now.text)
        stored = kinds.check(kind, value, attribute=attribute, caller=caller)
        return Step(attribute, "told", stored, asked=question.text if question is not None else "")

    def _given(self, query: Mapping[str, Any] | None, caller: str) -> tuple[Step, ...]:
        if query is None:
            return ()
        if not isinstance(query, Mapping):
            raise CaseBaseError.not_a_case(caller, query)
        found = []
        for name, value in query.items():
            self._check_name(name, caller)
            stored = kinds.check(self._attributes[name], value, attribute=name, caller=caller)
            if stored is not None:
                found.append(Step(name, "given", stored))
        return tuple(found)

    def _check_name(self, attribute: object, caller: str) -> None:
        if attribute not in self._attributes:
            raise UnknownAttributeError.absent(caller, [attribute], self._attributes)


def _check_floor(floor: object, caller: str) -> None:
    if not is_number(floor) or not 0 < floor < 1:
        hint = "0.05 leaves a twentieth of a case after a full contradiction."
        raise ParameterError.wrong(caller, "floor", floor, expected="a number above 0 and below 1", hint=hint)


def _check_gain(least: object, caller: str) -> float:
    if not is_number(least) or not 0 <= least < float("inf"):
        hint = "0.01 bits; 0 asks whatever tells anything at all."
        raise ParameterError.wrong(caller, "least_gain", least, expected="a finite number >= 0", hint=hint)
    return float(least)
