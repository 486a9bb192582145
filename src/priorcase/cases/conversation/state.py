"""Where a conversation stands after what was said."""

from __future__ import annotations

from dataclasses import dataclass

from priorcase._locks import cached_property
from priorcase._typing import FloatArray
from priorcase.cases.conversation.asking import Asking
from priorcase.cases.conversation.candidates import NONE, Candidates
from priorcase.cases.conversation.hypotheses import Hypotheses
from priorcase.cases.conversation.question import Question
from priorcase.cases.conversation.step import Step
from priorcase.cases.reuse import Candidate


@dataclass(frozen=True)
class State:
    """A conversation after some steps; it never changes, and what follows from it is found once.

    Parameters
    ----------
    steps
        What was said.
    candidates
        The cases.
    least_gain
        How many bits a question must tell.
    """

    steps: tuple[Step, ...]
    candidates: Candidates
    least_gain: float

    @property
    def hypotheses(self) -> Hypotheses:
        """What the cases speak for."""
        return self.candidates.hypotheses

    @cached_property
    def all_weights(self) -> FloatArray:
        """How much each case counts."""
        return self.candidates.weights(self.steps)

    @cached_property
    def weights(self) -> FloatArray:
        """The same; 0 for those that do not remain."""
        return self.candidates.remaining(self.all_weights)

    @cached_property
    def question(self) -> Question | None:
        """What to ask next."""
        return Asking(self.candidates, self.hypotheses, self.weights, self.steps).best(self.least_gain)

    @cached_property
    def ranked(self) -> tuple[Candidate, ...]:
        """The solutions, the most probable first."""
        floor, ids = self.candidates.floor, self.candidates.likeness.ids
        return self.hypotheses.ranked(self.all_weights, NONE, floor, ids)

    def after(self, *steps: Step) -> State:
        """The conversation after more steps."""
        return State((*self.steps, *steps), self.candidates, self.least_gain)
