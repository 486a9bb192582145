"""What was said in a conversation, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import Backend, FloatArray
from priorcase.cases.conversation.step import Step
from priorcase.cases.reuse import Candidate
from priorcase.learning.results import Grid, GridResult, framed, short, value_text

_HEADER = ("", "question", "answer", "candidates", "best solution", "probability")


@dataclass(frozen=True)
class TranscriptLine:
    """One thing that was said, and what was left afterwards.

    Parameters
    ----------
    question, answer
        In words; the question is the attribute's name where something was told unasked.
    candidates
        How many cases remain.
    solution, probability
        The best solution, and how probable it is.
    """

    question: str
    answer: str
    candidates: int
    solution: Any
    probability: float

    @classmethod
    def of(cls, step: Step, weights: FloatArray, best: Candidate) -> TranscriptLine:
        """A step, with the state after it."""
        if step.kind == "skipped":
            answer = "(skipped)"
        else:
            value = ", ".join(map(str, step.value)) if isinstance(step.value, tuple) else str(step.value)
            answer = value if step.whole else "yes" if step.yes else "no"
        question = step.asked or step.attribute
        return cls(question, answer, int(np.count_nonzero(weights)), best.solution, best.probability)


@dataclass(frozen=True, repr=False)
class Transcript(GridResult):
    """What was said, one line for each answer; prints as a table.

    Parameters
    ----------
    lines
        What was said.
    reason
        Why the conversation is settled; empty where it is not.
    """

    lines: tuple[TranscriptLine, ...]
    reason: str

    def __len__(self) -> int:
        return len(self.lines)

    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each answer.

        Parameters
        ----------
        backend
            The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: the first of them
            that is installed; a dictionary of arrays where none is.
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
        state = self.reason or "not settled yet"
        return Grid(f"conversation, {state}", _HEADER, lines, right={0, 3, 5})
