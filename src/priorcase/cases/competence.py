"""Competence: which cases solve which other cases, which cases are redundant, and near-duplicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, IdArray, IntArray
from priorcase.cases.retain import Solutions, most_similar
from priorcase.cases.reuse import Success, able, worked
from priorcase.cases.scoring import Likeness, check_count, check_share
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, prefix_errors
from priorcase.learning.plotting import drawing, legend_beside, style
from priorcase.learning.resampling import bar
from priorcase.learning.results import Grid, GridResult, framed, short

CATEGORIES = ("pivotal", "support", "auxiliary", "spanning")

_SHOWN = 20
_BARS = 30
_MANY, _BLOCK = 5_000, 100


# -- competence


@dataclass(frozen=True, repr=False, eq=False)
class Competence(GridResult):
    """The coverage and reachability of each case; prints as a table, sorted by coverage.

    ``ids`` and ``solutions`` describe the cases that are not retired and have a solution that worked; ``left_out`` is
    the number of cases that are not retired but have no solution that worked. For each case, ``coverage`` contains the
    ids of the cases that this case solves, and ``reachability`` contains the ids of the cases that solve this case: the
    case itself and at most ``k`` other cases. ``category`` is

    - ``"pivotal"`` if no other case solves this case: deleting a pivotal case reduces competence;
    - ``"support"`` if another case that solves this case has the same coverage: one of the two can be deleted;
    - ``"auxiliary"`` if another case that solves this case covers the same cases and more: delete auxiliary cases
      first;
    - ``"spanning"`` otherwise: a spanning case links regions that other cases cover.

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
        """For each case, the number of cases that it solves, including itself."""
        return np.array([len(ids) for ids in self.coverage], dtype=np.int64)

    @property
    def solved_by(self) -> IntArray:
        """For each case, the number of cases that solve it, including itself."""
        return np.array([len(ids) for ids in self.reachability], dtype=np.int64)

    @property
    def counts(self) -> dict[str, int]:
        """Mapping from each category to the number of cases in it."""
        return {name: int((self.category == name).sum()) for name in CATEGORIES}

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a frame with one row per case.

        The columns are ``id``, ``solution``, ``solves``, ``solved_by`` and ``category``. ``backend`` is ``"pandas"``
        (the default), ``"polars"`` or ``"pyarrow"``.
        """
        columns = {"id": self.ids, "solution": list(self.solutions), "solves": self.solves}
        return framed({**columns, "solved_by": self.solved_by, "category": self.category}, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot a histogram of the number of cases that a case solves, stacked by category; return the axes."""
        from matplotlib.ticker import MaxNLocator

        with drawing(ax) as ax:
            solves = self.solves
            width = -(-int(solves.max()) // _BARS)
            places = (solves - 1) // width
            below = np.zeros(int(places.max()) + 1)
            middles = 1 + width * np.arange(below.size) + (width - 1) / 2
            for i, name in enumerate(CATEGORIES):
                mine, look = self.category == name, style(i)
                if not mine.any():
                    continue
                heights = np.bincount(places[mine], minlength=below.size)
                looks = {"color": look.tint, "edgecolor": look.color, "hatch": look.hatch}
                lines = np.where(heights > 0, 0.8, 0.0)
                label = f"{name} ({mine.sum()})"
                ax.bar(middles, heights, 0.8 * width, below, linewidth=lines, label=label, **looks)
                below += heights
            ax.set(xlabel="cases that a case solves, itself included", ylabel="cases")
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
            ax.yaxis.set_major_locator(MaxNLocator(integer=True))
            ax.grid(False, axis="x")
            ax.set_title(f"Competence of {len(self):,} case{'s' * (len(self) != 1)}")
            legend_beside(ax, "category (cases)")
            return ax

    def _grid(self) -> Grid:
        solves, solved_by = self.solves, self.solved_by
        lines = [
            [str(self.ids[i]), short(str(self.solutions[i]), 32), str(solves[i]), str(solved_by[i]), self.category[i]]
            for i in np.argsort(-solves, kind="stable")[:_SHOWN]
        ]
        each = ", ".join(f"{count} {name}" for name, count in self.counts.items() if count)
        notes = [f"... and {len(self) - len(lines)} more"] if len(self) > len(lines) else []
        if self.left_out:
            notes.append(f"left out: {self.left_out} case{'s' * (self.left_out != 1)} without a successful solution")
        title = f"competence of {len(self):,} case{'s' * (len(self) != 1)}: {each}"
        header = ("id", "solution", "solves", "solved by", "category")
        return Grid(title, header, lines, "; ".join(notes), right={0, 2, 3})


def competence(
    table: CaseTable,
    *,
    likeness: Likeness | None = None,
    k: int = 5,
    tolerance: float | None = None,
    success: Success = "outcome",
) -> Competence:
    """Return which cases each case of a table solves, and which cases solve it; see `CaseBase.competence`.

    A case is solved by itself, and by each of its k most similar cases that has the same solution and is more similar
    than the most similar case with a different solution. The running time is quadratic in the number of cases. If k is
    at least the number of cases, the cases that solve a case are the reachability set of iterative case filtering
    (ICF), plus the case itself.
    """
    check_count("k", k, hint="The default is 5.")
    solutions = Solutions.of(table, tolerance)
    live = able(table, worked(table, success))
    if not live.any():
        raise CaseBaseError(
            "found no case with a solution that worked. Add solutions with add(case, solution=...) or "
            "revise(id, solution=...)."
        )
    positions = np.flatnonzero(live)
    likeness = likeness or Likeness(table)
    friends: dict[int, BoolArray] = {}  # cached masks by solution code; at most 256 are kept
    reachable: list[IntArray] = []
    for place, position in _each(positions, "competence"):
        code = int(solutions.codes[position])
        agrees = friends.get(code)
        if agrees is None:
            agrees = solutions.right(solutions.texts[code])[positions]
            if len(friends) < 256:
                friends[code] = agrees
        similarities = likeness.of(position, at=positions)
        border = float(similarities[~agrees].max(initial=-np.inf))
        solving = agrees & (similarities > border)
        solving[place] = False
        reachable.append(np.sort(np.append(most_similar(similarities, solving, k), place)))
    covered = _covered(reachable)
    ids = table.ids[positions]
    return Competence(
        ids,
        tuple(solutions.value(int(i)) for i in positions),
        tuple(ids[each] for each in covered),
        tuple(ids[each] for each in reachable),
        _categories(reachable, covered),
        k,
        int((~live & ~table.retired).sum()),
    )


def _each(positions: IntArray, text: str) -> Iterator[tuple[int, int]]:
    """Yield the pairs ``(i, positions[i])``; show a progress bar if there are many positions."""
    with bar(len(positions) // _BLOCK, shown=len(positions) >= _MANY, text=text) as advance:
        for place, position in enumerate(positions.tolist()):
            yield place, position
            if place % _BLOCK == _BLOCK - 1:
                advance(text)


def _covered(reachable: list[IntArray]) -> list[IntArray]:
    """Return, for each case, the cases that it solves; ``reachable[i]`` contains the cases that solve case i."""
    solved = np.repeat(np.arange(len(reachable)), [solving.size for solving in reachable])
    solving = np.concatenate(reachable)
    ends = np.cumsum(np.bincount(solving, minlength=len(reachable)))
    return np.split(solved[np.argsort(solving, kind="stable")], ends[:-1])


def _categories(reachable: list[IntArray], coverage: list[IntArray]) -> AnyArray:
    """Return the category of each case: the first of ``CATEGORIES`` that applies (Smyth & Keane 1995)."""
    sets = [frozenset(covered.tolist()) for covered in coverage]
    found = np.full(len(sets), "spanning", dtype=object)
    for i, solving in enumerate(reachable):
        others = [sets[j] for j in solving.tolist() if j != i]
        if not others:
            found[i] = "pivotal"
        elif sets[i] in others:
            found[i] = "support"
        elif any(sets[i] < other for other in others):
            found[i] = "auxiliary"
    return found


# -- near-duplicates


@dataclass(frozen=True, repr=False, eq=False)
class Duplicates(GridResult):
    """Pairs of nearly identical cases; prints as a table with the most similar pairs first.

    ``pairs`` contains two ids per row, the earlier case first. ``similarities`` contains the similarity of each pair,
    with the later case as the query. For each pair, ``solutions`` contains the solutions of both cases, and ``agree``
    says whether these two solutions agree. Cases without a solution agree only with each other. ``threshold`` is the
    minimum similarity, and ``more`` is the number of further pairs that are not listed.
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
        """Lists of ids, one for each group of cases that are connected by pairs, directly or through other cases."""
        if not len(self):
            return []
        ids, ends = np.unique(self.pairs, return_inverse=True)
        ends = ends.reshape(-1, 2).T
        links = coo_array((np.ones(len(self)), (ends[0], ends[1])), shape=(len(ids), len(ids)))
        _, group = connected_components(links, directed=False)
        found = np.split(ids[np.argsort(group, kind="stable")], np.cumsum(np.bincount(group))[:-1])
        return [each.tolist() for each in found]

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a frame with one row per pair: both ids, the similarity, both solutions, and whether they agree.

        For ``backend`` see `Competence.frame`.
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
        for i, (a, b) in enumerate(self.pairs[:_SHOWN]):
            texts = ["-" if solution is None else short(str(solution), 28) for solution in self.solutions[i]]
            agree = "yes" if self.agree[i] else "no"
            lines.append([str(a), str(b), f"{self.similarities[i]:.3f}", *texts, agree])
        title = f"near-duplicates, similarity at least {self.threshold:g}: "
        if not lines:
            return Grid(f"{title}none", ("no pair of cases is this similar",), ())
        pairs, groups = len(self) + self.more, len(self.groups)
        title += f"{pairs} pair{'s' * (pairs != 1)} in {groups} group{'s' * (groups != 1)}"
        rest = pairs - len(lines)
        note = f"... and {rest} more pair{'s' * (rest != 1)}" if rest else ""
        return Grid(title, ("case", "and", "similarity", "solution", "and", "agree"), lines, note, right={0, 1, 2})


def near_duplicates(
    table: CaseTable,
    *,
    likeness: Likeness | None = None,
    threshold: float = 0.95,
    tolerance: float | None = None,
    most: int = 100_000,
) -> Duplicates:
    """Return the pairs of cases with similarity >= ``threshold``; see `CaseBase.near_duplicates`."""
    check_share("threshold", threshold, hint="A threshold of 0.95 is usual; 1 finds identical cases.")
    check_count("most", most, hint="The default is 100,000.")
    solutions = Solutions.exactly(table) if tolerance is None else Solutions.of(table, tolerance)
    live = np.flatnonzero(~table.retired)
    likeness = likeness or Likeness(table)
    found: list[tuple[float, int, int]] = []
    more = 0
    for place, position in _each(live, "near_duplicates"):
        # The later case of each pair is the query, as in `CaseBase.retain`.
        similarities = likeness.of(position, both=True, at=slice(position))[live[:place]]
        near = np.flatnonzero(similarities >= threshold)
        room = max(0, most - len(found))
        found += [(-float(similarities[j]), int(live[j]), position) for j in near[:room].tolist()]
        more += max(0, near.size - room)
    found.sort()
    pairs = np.array([pair[1:] for pair in found], dtype=np.int64).reshape(-1, 2)
    first, second = solutions.codes[pairs].T
    agree: BoolArray = first == second
    if solutions.numbers is not None and len(found):
        low, high = solutions.around(solutions.numbers[second])
        near = (solutions.numbers[first] >= low) & (solutions.numbers[first] <= high)
        agree = np.where((first >= 0) & (second >= 0), near, agree)
    both = tuple((solutions.value(a), solutions.value(b)) for a, b in pairs.tolist())
    similarities = np.array([-pair[0] for pair in found], dtype=float)
    return Duplicates(table.ids[pairs], similarities, both, agree, float(threshold), more)
