"""Conversations: a query that grows answer by answer, until the cases agree on a solution."""

from __future__ import annotations

from collections.abc import Mapping
from threading import RLock
from typing import Any

import numpy as np

from priorcase._parameters import is_number
from priorcase._typing import IdArray
from priorcase.cases import kinds
from priorcase.cases.conversation.asking import Asking, gained
from priorcase.cases.conversation.candidates import Candidates
from priorcase.cases.conversation.hypotheses import Hypotheses
from priorcase.cases.conversation.question import Question, yes_or_no
from priorcase.cases.conversation.state import State
from priorcase.cases.conversation.step import Step, in_force
from priorcase.cases.conversation.transcript import Transcript, TranscriptLine
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.measures import LocalSimilarity
from priorcase.cases.retain.policies import shown_solution
from priorcase.cases.retain.solutions import Solutions
from priorcase.cases.reuse import Proposal, Source, Success, able, worked
from priorcase.cases.scoring import Likeness, MeasureCache, check_share
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, ParameterError, prefix_all_errors, prefix_errors, quoted

_SOURCES = 50


@prefix_all_errors
class Conversation:
    """Asks for what tells most about the solution, one question after the other.

    The right solution is that of a case which the new one is like, or of none of them. A case counts ``product_a
    e_a^(w_a / max w)`` over what was said, with ``e_a = 1 + r_a m_a (s_a / mean s_a - 1)``: how much more the answer
    speaks for this case than for any case whatever. ``s_a`` is the similarity of its value to the one told, or 1 and 0
    where a yes or no was told, ``m_a`` the largest there is, and ``r_a`` the reliability of the attribute, learned from
    how far cases with the same solution agree in it. A case that does not know an attribute gets 1. A solution is as
    probable as the share of its cases, with as much as one case for "none of these". No answer rules a case out for
    good.

    Parameters
    ----------
    table
        The case base as it is now: later changes do not reach the conversation. Retired cases, those without a
        solution and those whose solution failed (an outcome of False, or a number up to 1/2) do not take part.
    query
        What is known at the beginning.
    weights, measures
        By attribute, as in `retrieve`; what weighs nothing is never asked.
    floor
        A case remains, and is asked about, while it counts more than this part of what the best one counts.
    confidence
        How probable one solution must be for the conversation to be settled.
    least_gain
        How many bits a question must tell, on average, to be asked.
    tolerance
        How far a right number may be off: needed where solutions are numbers, which are then put in groups that are at
        most twice as wide.
    success
        How outcomes are read, as in `reuse`.
    cache
        Where prepared measures are kept.

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
        _check_floor(floor)
        self.confidence = check_share("confidence", confidence, hint="0.8 is usual.")
        least = _check_gain(least_gain)
        degrees = worked(table, success)
        speaking = able(table, degrees)
        if not speaking.any():
            raise CaseBaseError(
                "found no case with a solution that worked; there is nothing to ask for. Give cases their solution by "
                "add(case, solution=...) or revise."
            )
        if not speaking.all():  # as if the others were not there
            table, degrees = table.only(speaking), degrees[speaking]
        likeness = Likeness(table, weights=weights, measures=measures, cache=cache)
        self._attributes = likeness.attributes
        self._solutions = Solutions.of(table, tolerance)
        self._lock = RLock()
        first = State((), Candidates(likeness, Hypotheses.of(self._solutions), degrees, float(floor)), least)
        self._states = [first.after(*self._given(query))]

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
            return f"one solution is {best:.0%} probable"
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
        self._check_name(attribute)
        with self._lock:
            if value is None:
                return self.skip(attribute)
            question = self._now.question
            mine = question if question is not None and question.attribute == attribute else None
            return self._step(self._answer(attribute, value, mine))

    @prefix_errors
    def skip(self, attribute: str) -> None:
        """Never ask for an attribute again; it may still be told."""
        self._check_name(attribute)
        with self._lock:
            question = self._now.question
            asked = question.text if question is not None and question.attribute == attribute else ""
            self._step(Step(attribute, "skipped", asked=asked))

    def back(self) -> None:
        """Take the last answer or skip back."""
        with self._lock:
            if len(self._states) == 1:
                raise CaseBaseError(
                    "found nothing to take back: nothing was told or skipped yet. What the conversation began with "
                    "stays; begin another one to change it."
                )
            self._states = self._states[:-1]

    def answer(self) -> Proposal:
        """The most probable solution, with the probabilities of all and the cases that speak for it."""
        now = self._now
        best = now.ranked[0]
        ids, weights = now.candidates.likeness.ids, now.all_weights
        sources = []
        for place in np.searchsorted(ids, best.cases[:_SOURCES]).tolist():
            weight = float(weights[place])
            sources.append(Source(int(ids[place]), weight / best.support, weight, self._solutions.value(place)))
        count = len(in_force(now.steps))
        left = int(np.count_nonzero(now.weights))
        how = (
            f"What {left} remaining case{'s' * (left != 1)} and all others say after {count} answer{'s' * (count != 1)}"
        )
        notes = (self.reason,) if self.settled else ("not settled yet",)
        unseen = max(0.0, 1.0 - sum(each.probability for each in now.ranked))
        return Proposal(
            best.solution, "vote", how, best.probability, best.cases[0], tuple(sources), now.ranked, unseen, notes=notes
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

    def _answer(self, attribute: str, value: Any, question: Question | None) -> Step:
        kind = self._attributes[attribute]
        if question is not None and question.yes_or_no and (yes := yes_or_no(value)) is not None:
            if question.kind == "cut":
                cut = kinds.check(kind, question.about, attribute=attribute)
                return Step(attribute, "cut", cut, yes, question.text)
            return Step(attribute, "mention", question.about, yes, question.text)
        if isinstance(value, bool) and kinds.kind_name(kind) in ("numeric", "date", "text", "set"):
            asked = self._now.question
            open_now = "no question is open" if asked is None else f"the open question is {quoted(asked.text)}"
            raise CaseBaseError(
                f"Conversation.tell got {quoted(value)} for {attribute!r}, the answer to a question; {open_now}. Tell "
                f"the value of {attribute!r} itself, or answer next_question()."
            )
        stored = kinds.check(kind, value, attribute=attribute)
        return Step(attribute, "told", stored, asked=question.text if question is not None else "")

    def _given(self, query: Mapping[str, Any] | None) -> tuple[Step, ...]:
        if query is None:
            return ()
        if not isinstance(query, Mapping):
            raise CaseBaseError(
                f"got {quoted(query)} as a case; expected a mapping from attributes to values. For example {{'device': "
                "'printer', 'age': 3}."
            )
        found = []
        for name, value in query.items():
            self._check_name(name)
            stored = kinds.check(self._attributes[name], value, attribute=name)
            if stored is not None:
                found.append(Step(name, "given", stored))
        return tuple(found)

    def _check_name(self, attribute: object) -> None:
        if attribute not in self._attributes:
            raise unknown_attributes([attribute], self._attributes)


def _check_floor(floor: object) -> None:
    if not is_number(floor) or not 0 < floor < 1:
        raise ParameterError(
            f"floor must be a number above 0 and below 1, got {quoted(floor)}. 0.1 leaves out cases that count less "
            "than a tenth of the best one."
        )


def _check_gain(least: object) -> float:
    if not is_number(least) or not 0 <= least < float("inf"):
        raise ParameterError(
            f"least_gain must be a finite number >= 0, got {quoted(least)}. 0.01 bits; 0 asks whatever tells anything "
            "at all."
        )
    return float(least)
