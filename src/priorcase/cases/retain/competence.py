"""Competence: what the cases of a base solve together, and which of them could go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, Backend, IdArray, IntArray
from priorcase.cases.retain.checks import check_count
from priorcase.cases.retain.competence_plot import draw_competence
from priorcase.cases.retain.coverage import CATEGORIES, categories, covered, solvers, with_itself
from priorcase.cases.retain.likeness import Likeness
from priorcase.cases.retain.outcomes import able, worked
from priorcase.cases.retain.solutions import Solutions
from priorcase.cases.reuse.success import Success
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, prefix_errors
from priorcase.learning.plotting import drawing
from priorcase.learning.resampling import bar
from priorcase.learning.results import Grid, GridResult, framed, short

_HEADER = ("id", "solution", "solves", "solved by", "category")
_SHOWN = 20
_MANY = 5_000
_BLOCK = 100


@dataclass(frozen=True, repr=False, eq=False)
class Competence(GridResult):
    """What each case solves and who solves it; prints as a table, the cases that solve most first.

    Parameters
    ----------
    ids, solutions
        The live cases with a solution that worked.
    coverage, reachability
        For each the ids of the cases that it solves, and of those that solve it, itself included.
    category
        ``"pivotal"``, ``"support"``, ``"auxiliary"`` or ``"spanning"``.
    k
        How many solve a case at most.
    left_out
        How many live cases have no solution, or one that failed.

    Notes
    -----
    Pivotal: nobody else solves it, so without it competence is lost. Support: another case that solves it covers just
    the same, so all but one of such a group may go. Auxiliary: another one covers all that it does and more, so it may
    go first. Spanning: it links what others cover.

    References
    ----------
    B. Smyth & M. T. Keane, "Remembering to forget", *IJCAI* 1995. H. Brighton & C. Mellish, *Data Mining and Knowledge
    Discovery* 6, 2002.
    """

    ids: IdArray
    solutions: tuple[Any, ...]
    coverage: tuple[IdArray, ...]
    reachability: tuple[IdArray, ...]
    category: AnyArray
    k: int
    left_out: int = 0

    def __len__(self) -> int:
        return self.ids.size

    @property
    def solves(self) -> IntArray:
        """How many cases each solves, itself included."""
        return np.array([len(whom) for whom in self.coverage], dtype=np.int64)

    @property
    def solved_by(self) -> IntArray:
        """How many cases solve each, itself included."""
        return np.array([len(who) for who in self.reachability], dtype=np.int64)

    @property
    def counts(self) -> dict[str, int]:
        """How many cases each category has."""
        return {name: int((self.category == name).sum()) for name in CATEGORIES}

    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each case: ``id``, ``solution``, ``solves``, ``solved_by``, ``category``.

        Parameters
        ----------
        backend
            The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: the first of them
            that is installed; a dictionary of arrays where none is.
        """
        columns = {
            "id": self.ids,
            "solution": list(self.solutions),
            "solves": self.solves,
            "solved_by": self.solved_by,
            "category": self.category,
        }
        return framed(columns, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """How many cases solve how many, by category.

        Parameters
        ----------
        ax
            Axes of matplotlib; None for a figure of its own.
        """
        with drawing(ax) as ax:
            draw_competence(ax, self.solves, self.category)
            return ax

    def _grid(self) -> Grid:
        solves, solved_by = self.solves, self.solved_by
        order = np.argsort(-solves, kind="stable")[:_SHOWN]
        lines = [
            [
                str(self.ids[i]),
                short(str(self.solutions[i]), 32),
                str(solves[i]),
                str(solved_by[i]),
                str(self.category[i]),
            ]
            for i in order
        ]
        each = ", ".join(f"{count} {name}" for name, count in self.counts.items() if count)
        notes = [f"... and {len(self) - len(lines)} more"] if len(self) > len(lines) else []
        if self.left_out:
            notes.append(f"{self.left_out} without a solution that worked left out")
        return Grid(
            f"competence of {len(self)} case{'s' * (len(self) != 1)}: {each}",
            _HEADER,
            lines,
            "; ".join(notes),
            right={0, 2, 3},
        )


def competence(
    table: CaseTable,
    *,
    likeness: Likeness | None = None,
    k: int = 5,
    tolerance: float | None = None,
    success: Success = "outcome",
) -> Competence:
    """What each case of a base solves, and who solves it.

    A case is solved by itself, and by those of its k most similar cases with the same solution that are more similar
    than the most similar case with another one. Its *reachability* is who solves it, its *coverage* whom it solves.

    Parameters
    ----------
    table
        The case base; retired cases are left out, and those without a solution or with one that failed: an outcome of
        False, or a number up to 1/2.
    likeness
        How cases are compared; by the default measures of their kinds, all of one weight, where none is given.
    k
        How many others solve a case at most. This bounds the memory: all sets together hold at most ``(k + 1) n``
        cases. Time grows with the square of the number of cases.
    tolerance
        How far apart the numbers of two cases may lie that solve each other: needed where solutions are numbers.
    success
        How outcomes are read, as in `reuse`.

    Notes
    -----
    Smyth and Keane have no k, and Brighton and Mellish have none either; with k at least the number of cases the sets
    are those of ICF and the case itself.
    """
    check_count("k", k, hint="As many cases as a retrieval would show: 5.")
    solutions = Solutions.of(table, tolerance)
    live = able(table, worked(table, success))
    if not live.any():
        raise CaseBaseError(
            "found no case with a solution. Give cases their solution by add(case, solution=...) or revise."
        )
    positions = np.flatnonzero(live)
    who = _reachable(likeness or Likeness(table), solutions, positions, k)
    whom = covered(who)
    ids = table.ids[positions]
    return Competence(
        ids,
        tuple(solutions.value(int(i)) for i in positions),
        tuple(ids[each] for each in whom),
        tuple(ids[each] for each in who),
        categories(who, whom),
        k,
        int((~live & ~table.retired).sum()),
    )


def _reachable(likeness: Likeness, solutions: Solutions, positions: IntArray, k: int) -> list[IntArray]:
    """For each case the places among ``positions`` of those that solve it; one row of similarities at a time."""
    found: list[IntArray] = []
    text = "competence"
    agreeing = {int(code): solutions.right(solutions.texts[code])[positions] for code in _few_codes(solutions)}
    with bar(len(positions) // _BLOCK, shown=len(positions) >= _MANY, text=text) as advance:
        for place, position in enumerate(positions.tolist()):
            code = int(solutions.codes[position])
            friends = agreeing.get(code)
            if friends is None:
                friends = solutions.right(solutions.texts[code])[positions]
            similarities = likeness.of(position)[positions]
            found.append(with_itself(place, solvers(similarities, place, friends, ~friends, k)))
            if place % _BLOCK == _BLOCK - 1:
                advance(text)
    return found


def _few_codes(solutions: Solutions) -> range:
    """Solutions whose masks are worth remembering: there is room for those of a few hundred."""
    return range(min(len(solutions.texts), 256))
