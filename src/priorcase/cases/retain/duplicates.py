"""Near-duplicates: cases that say nearly the same, and whether their solutions agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import Backend, BoolArray, FloatArray, IdArray
from priorcase.cases.kinds import Stored
from priorcase.cases.retain.checks import check_count, check_share
from priorcase.cases.retain.decision import Duplicate
from priorcase.cases.retain.groups import groups_of
from priorcase.cases.retain.likeness import Likeness
from priorcase.cases.retain.solutions import Solutions
from priorcase.cases.table import CaseTable
from priorcase.learning.resampling import bar
from priorcase.learning.results import Grid, GridResult, framed, short

_HEADER = ("case", "and", "similarity", "solution", "and", "agree")
_SHOWN = 20
_MANY = 5_000
_BLOCK = 100
_HINT = "0.95 is usual; 1 finds cases that nothing tells apart."


@dataclass(frozen=True, repr=False, eq=False)
class Duplicates(GridResult):
    """Pairs of cases that are nearly the same; prints as a table, the most similar first.

    Parameters
    ----------
    pairs
        The ids of both, the earlier one first: shape (pairs, 2).
    similarities
        How similar the later one finds the earlier one.
    solutions
        Those of both.
    agree
        Whether the two solutions agree; cases without one agree with nobody but each other.
    threshold
        From which similarity on a pair is listed.
    more
        How many pairs there are beyond those listed.
    """

    pairs: IdArray
    similarities: FloatArray
    solutions: tuple[tuple[Any, Any], ...]
    agree: BoolArray
    threshold: float
    more: int = 0

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def groups(self) -> list[list[int]]:
        """Ids of cases that hang together by the pairs, directly or through others."""
        return groups_of((int(a), int(b)) for a, b in self.pairs)

    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each pair: ``id``, ``other``, ``similarity``, ``solution``, ``other_solution``, ``agree``.

        Parameters
        ----------
        backend
            The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: the first of them
            that is installed; a dictionary of arrays where none is.
        """
        columns = {
            "id": self.pairs[:, 0],
            "other": self.pairs[:, 1],
            "similarity": self.similarities,
            "solution": [first for first, _ in self.solutions],
            "other_solution": [second for _, second in self.solutions],
            "agree": self.agree,
        }
        return framed(columns, backend)

    def _grid(self) -> Grid:
        lines = []
        for (a, b), similarity, both, agree in zip(
            self.pairs[:_SHOWN], self.similarities, self.solutions, self.agree, strict=False
        ):
            texts = ["-" if one is None else short(str(one), 28) for one in both]
            lines.append([str(a), str(b), f"{similarity:.3f}", *texts, "yes" if agree else "no"])
        title = f"near-duplicates, similarity at least {self.threshold:g}: "
        if not lines:
            return Grid(f"{title}none", ("no two cases are so similar",), ())
        groups = len(self.groups)
        count = f"{len(self) + self.more} pair{'s' * (len(self) + self.more != 1)}"
        title += f"{count} in {groups} group{'s' * (groups != 1)}"
        rest = len(self) + self.more - len(lines)
        note = f"... and {rest} more pair{'s' * (rest != 1)}" if rest else ""
        return Grid(title, _HEADER, lines, note, right={0, 1, 2})


def near_duplicates(
    table: CaseTable,
    *,
    likeness: Likeness | None = None,
    threshold: float = 0.95,
    tolerance: float | None = None,
    most: int = 100_000,
) -> Duplicates:
    """All pairs of cases that are at least so similar, and whether their solutions agree.

    The later case asks and the earlier one is compared, as when the later one comes in. An attribute that only one of
    the two knows counts with similarity 0: a case that says more than another is no duplicate of it.

    Parameters
    ----------
    table
        The case base; retired cases are left out.
    likeness
        How cases are compared; by the default measures of their kinds, all of one weight, where none is given.
    threshold
        From which similarity on a pair is listed.
    tolerance
        How far apart two numbers may lie that agree; None: solutions agree where they are equal.
    most
        How many pairs to list: those of the earliest cases that ask. Memory is bounded by that, and otherwise grows
        with the cases; time grows with their square.
    """
    check_share("threshold", threshold, hint=_HINT)
    check_count("most", most, hint="Leave it out for 100,000.")
    solutions = Solutions.exactly(table) if tolerance is None else Solutions.of(table, tolerance)
    live = np.flatnonzero(~table.retired)
    found: list[tuple[int, int, float]] = []
    more = 0
    likeness = likeness or Likeness(table)
    with bar(len(live) // _BLOCK, shown=len(live) >= _MANY, text="near_duplicates") as advance:
        for place, position in enumerate(live.tolist()):
            similarities = likeness.of(position, both=True, before=True)[live[:place]]
            near = np.flatnonzero(similarities >= threshold)
            room = max(0, most - len(found))
            found += [(int(live[j]), position, float(similarities[j])) for j in near[:room].tolist()]
            more += max(0, near.size - room)
            if place % _BLOCK == _BLOCK - 1:
                advance("near_duplicates")
    found.sort(key=lambda pair: (-pair[2], pair[0], pair[1]))
    return _listed(table, solutions, found, threshold, more)


def duplicates_of(
    table: CaseTable, case: Mapping[str, Stored], agrees: BoolArray, *, likeness: Likeness, threshold: float
) -> tuple[Duplicate, ...]:
    """The live cases that are nearly the same as a new one, the most similar first.

    Parameters
    ----------
    table, likeness, threshold
        As for `near_duplicates`.
    case
        The new case as it would be stored.
    agrees
        For each case whether its solution is that of the new one.
    """
    similarities = likeness.to(case, both=True)
    near = np.flatnonzero((similarities >= threshold) & ~table.retired)
    near = near[np.argsort(-similarities[near], kind="stable")]
    return tuple(Duplicate(int(table.ids[i]), float(similarities[i]), bool(agrees[i])) for i in near)


def _listed(
    table: CaseTable, solutions: Solutions, found: list[tuple[int, int, float]], threshold: float, more: int
) -> Duplicates:
    agree, both = np.zeros(len(found), dtype=bool), []
    for row, (a, b, _) in enumerate(found):
        text = table.solution(b)
        agree[row] = solutions.codes[a] < 0 if text is None else bool(solutions.right(text)[a])
        both.append((solutions.value(a), solutions.value(b)))
    pairs = table.ids[np.array([pair[:2] for pair in found], dtype=np.int64).reshape(-1, 2)]
    similarities = np.array([pair[2] for pair in found], dtype=float)
    return Duplicates(pairs, similarities, tuple(both), agree, float(threshold), more)
