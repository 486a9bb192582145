"""What reuse proposes: a solution, where it comes from, and what is to be said about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from priorcase._parameters import check_choice
from priorcase._typing import Backend
from priorcase.cases.kinds import written
from priorcase.cases.reuse.candidates import Candidate
from priorcase.cases.reuse.differences import Difference
from priorcase.cases.reuse.printing import explanation, proposal_grids
from priorcase.cases.reuse.sources import SourceCase
from priorcase.cases.reuse.spread import Spread
from priorcase.cases.reuse.steps import Step
from priorcase.cases.reuse.texts import value_text
from priorcase.exceptions import CaseBaseError, prefix_errors
from priorcase.learning.plotting import drawing
from priorcase.learning.results import framed, grid_markdown, grids_html, grids_text

Lines = Literal["sources", "candidates", "steps", "differences"]


@dataclass(frozen=True)
class Source:
    """A case that a proposal was made from.

    Parameters
    ----------
    id
        The case's number.
    weight
        Its share in the proposal; all add up to 1, those of each part where parts were composed. What speaks against
        a solution has no share in it.
    similarity
        How similar the case is to the query; where parts were composed, in what matters for the part.
    solution, outcome
        The case's own.
    part
        The part of the solution that comes from it; None for all of it.
    """

    id: int
    weight: float
    similarity: float
    solution: Any
    outcome: Any = None
    part: str | None = None

    @classmethod
    def of(cls, case: SourceCase, weight: float, part: str | None = None) -> Source:
        """A case with its share."""
        return cls(case.id, weight, case.similarity, case.solution, case.outcome, part)


def ranked(cases: Sequence[SourceCase], shares: Sequence[float]) -> tuple[Source, ...]:
    """Cases with their shares as sources, the heaviest first."""
    order = sorted(range(len(cases)), key=lambda i: -shares[i])
    return tuple(Source.of(cases[i], shares[i]) for i in order)


@dataclass(frozen=True, repr=False)
class Proposal:
    """A solution for a query, proposed from past cases; prints as a table.

    Parameters
    ----------
    solution
        The solution; None where nothing speaks for any (see `abstains`).
    method
        How it was made: ``"copy"``, ``"null"``, ``"vote"``, ``"mean"``, ``"local"`` or ``"compose"``.
    how
        The same in a sentence.
    confidence
        For ``copy`` and ``null`` the similarity of the case, for ``vote`` the probability of the solution, for
        ``compose`` the least similarity of a case in what matters for its part; None for numbers, which have a
        `spread`, and where nothing is proposed. It is that of the solution before rules and critics changed it.
    base
        The case that `differences` compares the query with: the most similar one of those that the solution comes from.
    sources
        The cases with their shares, the heaviest first.
    candidates
        The distinct solutions with their probabilities, the most probable first; empty where there was no vote.
    unseen
        The probability that none of the candidates is right; more than 0 only where the vote had a prior.
    spread
        How far a number may be off; None where it is none, or comes from one case alone.
    differences
        In what the query differs from the base case.
    steps
        What rules and critics changed.
    problems
        What critics found and nothing repaired, and conflicts between parts.
    notes
        What else there is to know, such as cases that were left out.
    """

    solution: Any
    method: str
    how: str
    confidence: float | None = None
    base: int | None = None
    sources: tuple[Source, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    unseen: float = 0.0
    spread: Spread | None = None
    differences: tuple[Difference, ...] = ()
    steps: tuple[Step, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def abstains(self) -> bool:
        """Whether nothing is proposed."""
        return self.solution is None

    @property
    def probabilities(self) -> dict[Any, float]:
        """Each candidate's probability; lists and mappings are named by their JSON text. Empty where none voted."""
        return {
            written(c.solution) if isinstance(c.solution, (dict, list)) else c.solution: c.probability
            for c in self.candidates
        }

    @property
    def interval(self) -> tuple[float, float] | None:
        """An interval for a new case's number; None where there is no `spread`."""
        return None if self.spread is None else self.spread.interval

    def explain(self) -> str:
        """Where the solution comes from and what was done to it, in sentences."""
        return explanation(self)

    @prefix_errors
    def frame(self, of: Lines = "sources", backend: Backend | None = None) -> Any:
        """A frame with one line for each source, candidate, step or difference.

        Parameters
        ----------
        of
            Of what.
        backend
            The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: the first of them
            that is installed; a dictionary of arrays where none is.
        """
        check_choice("of", of, get_args(Lines), hint="'sources' has a line for each case.")
        fields = {
            "sources": ("id", "part", "weight", "similarity", "solution", "outcome"),
            "candidates": ("solution", "probability", "support", "against", "cases"),
            "steps": ("by", "name", "why", "before", "after"),
            "differences": ("attribute", "case", "query", "similarity"),
        }[of]
        lines = getattr(self, of)
        return framed({name: [_cell(getattr(line, name)) for line in lines] for name in fields}, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Bars of the candidates' probabilities, or the cases' numbers with the proposed one and its interval.

        Parameters
        ----------
        ax
            Axes of matplotlib; None for a figure of its own.
        """
        from priorcase.cases.reuse.pictures import draw_candidates, draw_numbers

        if not self.candidates and self.method not in ("mean", "local"):
            raise CaseBaseError(
                f"has nothing to draw: a proposal by {self.method!r} has neither probabilities nor a spread. Print it, "
                "or draw the retrieval that it comes from."
            )
        size = (6.0, 1.3 + 0.35 * min(12, len(self.candidates))) if self.candidates else None
        with drawing(ax, size=size) as ax:
            (draw_candidates if self.candidates else draw_numbers)(ax, self)
            return ax

    def markdown(self) -> str:
        """The tables in Markdown."""
        return "\n\n".join(map(grid_markdown, proposal_grids(self)))

    def __str__(self) -> str:
        return grids_text(proposal_grids(self))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return grids_html(proposal_grids(self))


def _cell(value: Any) -> Any:
    """A value that a frame can hold: lists and mappings as JSON text, several numbers with commas."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, (dict, list)):
        return written(value)
    return value_text(value, 1000) if isinstance(value, (set, frozenset)) else value
