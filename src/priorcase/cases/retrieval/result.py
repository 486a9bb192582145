"""Retrieved cases: a sequence that prints, explains and draws itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, overload

import numpy as np

from priorcase._locks import cached_property
from priorcase._typing import Backend, FloatArray
from priorcase.cases.case import Case, text_of
from priorcase.cases.retrieval.bars import draw_shares
from priorcase.cases.retrieval.columns import column
from priorcase.cases.retrieval.explanation import Explanation
from priorcase.exceptions import prefix_errors
from priorcase.learning.plotting import caption, cut, drawing
from priorcase.learning.results import Grid, GridResult, asked_queries, framed, free_label, short

_NOUNS = ("match", "matches")
_VALUE, _SOLUTION, _LONG, _WIDTH, _LINES = 14, 28, 200, 128, 20


class Share(NamedTuple):
    """What an attribute has to do with a case's similarity.

    Parameters
    ----------
    similarity
        The local similarity; None where the case's value is missing and does not count.
    weight
        The attribute's weight.
    contribution
        ``w s / sum of weights``: those of all attributes add up to the similarity.
    """

    similarity: float | None
    weight: float
    contribution: float


@dataclass(frozen=True, eq=False)
class Match:
    """A retrieved case, how similar it is, and why.

    Parameters
    ----------
    id
        The case's id.
    similarity
        From 0 to 1.
    shares
        For each attribute that the query knows.
    case
        The case.
    """

    id: int
    similarity: float
    shares: Mapping[str, Share]
    case: Case


@dataclass(frozen=True, repr=False, eq=False)
class Retrieval(GridResult, Sequence[Match]):
    """Cases similar to a query, best first; prints as a table, in which attributes of weight 0 have no column.

    Parameters
    ----------
    query
        What was known of the query, by attribute.
    ids
        The cases.
    similarities
        How similar each is, from 0 to 1.
    local
        Local similarities, shape (cases, attributes of the query); NaN where the case's value is missing.
    weights
        Those of the query's attributes.
    ignore
        Whether missing values were left out of comparisons.
    among
        How many cases there were to choose from.
    load
        Makes the cases when they are first looked at.
    diversity
        How much they had to differ; above 0 they stand in the order in which they were chosen.
    """

    query: Mapping[str, Any]
    ids: tuple[int, ...]
    similarities: FloatArray
    local: FloatArray
    weights: FloatArray
    load: Callable[[], Sequence[Case]]
    ignore: bool
    among: int
    diversity: float = 0.0

    def __post_init__(self) -> None:
        for array in (self.similarities, self.local, self.weights):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, i: int) -> Match: ...
    @overload
    def __getitem__(self, i: slice) -> Retrieval: ...
    def __getitem__(self, i: int | slice) -> Match | Retrieval:
        """One match, or the part of the result that a slice means."""
        at = asked_queries(i, len(self), nouns=_NOUNS)
        if isinstance(i, slice):
            ids, cases = tuple(self.ids[j] for j in at), [self.cases[j] for j in at]
            parts = self.similarities[at], self.local[at], self.weights.copy()
            return Retrieval(self.query, ids, *parts, partial(tuple, cases), self.ignore, self.among, self.diversity)
        return self._matches[at[0]]

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state["load"] = partial(tuple, self.cases)  # what was found travels, the case base stays
        return state

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The cases: values, solutions and outcomes as they were when they were retrieved."""
        return tuple(self.load())

    @property
    def solutions(self) -> tuple[Any, ...]:
        """The solution of each case, None where it has none."""
        return tuple(case.solution for case in self.cases)

    @property
    def outcomes(self) -> tuple[Any, ...]:
        """The outcome of each case, None where it has none."""
        return tuple(case.outcome for case in self.cases)

    @cached_property
    def contributions(self) -> FloatArray:
        """``w s / sum of weights``, shape (cases, attributes of the query); each row adds up to its similarity."""
        gaps = np.isnan(self.local)
        weights = np.where(gaps & self.ignore, 0.0, self.weights)
        largest = weights.max(axis=1, keepdims=True, initial=0.0)
        weights = weights / np.where(largest > 0, largest, 1.0)  # sums of very large weights are infinite
        divisor = weights.sum(axis=1, keepdims=True)
        return weights * np.where(gaps, 0.0, self.local) / np.where(divisor > 0, divisor, 1.0)

    @cached_property
    def _matches(self) -> tuple[Match, ...]:
        found = []
        for i, (local, parts) in enumerate(zip(self.local.tolist(), self.contributions.tolist(), strict=True)):
            shares = {
                name: Share((None if self.ignore else 0.0) if s != s else s, w, part)
                for name, s, w, part in zip(self.query, local, self.weights.tolist(), parts, strict=True)
            }
            found.append(Match(self.ids[i], float(self.similarities[i]), shares, self.cases[i]))
        return tuple(found)

    def explain(self, i: int = 0) -> Explanation:
        """Why the i-th case is as similar as it is: a line for each attribute, the largest share first.

        Parameters
        ----------
        i
            Which, from 0; -1 for the last.
        """
        match = self._matches[asked_queries(i, len(self), nouns=_NOUNS)[0]]
        values = {name: match.case.get(name) for name in self.query}
        shares = {name: (share.similarity, share.weight, share.contribution) for name, share in match.shares.items()}
        return Explanation(match.id, match.similarity, self.query, values, shares)

    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each case: ``id``, ``similarity``, ``solution``, ``outcome``, its values, and all shares.

        Parameters
        ----------
        backend
            The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: the first of them
            that is installed; a dictionary of arrays where none is.
        """
        columns: dict[str, Any] = {
            "id": list(self.ids),
            "similarity": self.similarities.copy(),
            "solution": column(self.solutions),
            "outcome": column(self.outcomes),
        }
        for name in self.cases[0] if self.cases else self.query:
            columns[free_label(name, columns)] = column(case.get(name) for case in self.cases)
        for part, values in (("similarity", self.local), ("share", self.contributions)):
            for a, name in enumerate(self.query):
                columns[free_label(f"{part} of {name}", columns)] = values[:, a].copy()
        return framed(columns, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """A bar for each case, as long as its similarity, made of the shares of the attributes. Returns the axes.

        Parameters
        ----------
        ax
            Axes of matplotlib; None for a figure of its own.
        """
        height = 1.3 + 0.32 * max(len(self), 4)
        with drawing(ax, size=(7.2, height)) as ax:
            labels = [f"case {match.id}{_solved(match.case)}" for match in self]
            counted, names = np.flatnonzero(self.weights), list(self.query)
            compared = {names[a]: self.query[names[a]] for a in counted.tolist()}
            draw_shares(ax, labels, list(compared), self.contributions[:, counted])
            ax.set_title(caption(short(f"similar to {_query_text(compared)}", 52), 60))
            return ax

    def _grid(self) -> Grid:
        matches = self._matches[:_LINES]
        columns = [["id", "query", *(str(match.id) for match in matches)]]
        columns.append(["similarity", "", *(f"{match.similarity:.3f}" for match in matches)])
        for name in ("solution", "outcome"):
            if any(getattr(case, name) is not None for case in self.cases):
                told = (short(text_of(getattr(match.case, name)), _SOLUTION) for match in matches)
                columns.append([name, "", *told])
        values = self._values(room=_WIDTH - sum(map(_width, columns)))
        header, *lines = map(list, zip(*columns, *values, strict=True))
        notes = ["= as in the query"] if any("=" in line for line in lines) else []
        counted = int(np.count_nonzero(self.weights))
        notes += [f"attributes not shown: {counted - len(values)}"] * (counted > len(values))
        notes += [f"of weight 0 and not shown: {len(self.query) - counted}"] * (counted < len(self.query))
        notes += [f"cases not shown: {len(self) - _LINES}"] * (len(self) > _LINES)
        return Grid(self._title(), header, lines, "; ".join(notes), right={0, 1})

    def _values(self, room: int) -> list[list[str]]:
        """Columns of the heaviest attributes, as many as there is room for, at least one; none of weight 0."""
        names = list(self.query)
        shown: dict[int, list[str]] = {}
        for a in np.argsort(-self.weights, kind="stable")[: np.count_nonzero(self.weights)].tolist():
            name = names[a]
            cells = (_cell(self.query[name], match.case.get(name)) for match in self._matches[:_LINES])
            column = [cut(short(name, _LONG), _VALUE), short(text_of(self.query[name]), _VALUE), *cells]
            room -= _width(column)
            if shown and room < 0:
                break
            shown[a] = column
        return [shown[a] for a in sorted(shown)]

    def _title(self) -> str:
        if not self.ids:
            return "no case may be retrieved"
        how = "similar to the query and different from each other, of" if self.diversity else "most similar of"
        cases = f"{self.among} case{'s' * (self.among != 1)}"
        return f"{len(self)} {how} {cases}" if self.diversity else f"the {len(self)} {how} {cases}"


def _width(column: list[str]) -> int:
    return max(map(len, column)) + 2


def _cell(asked: Any, found: Any) -> str:
    return "=" if type(asked) is type(found) and asked == found else short(text_of(found), _VALUE)


def _solved(case: Case) -> str:
    return "" if case.solution is None else f": {text_of(case.solution)}"


def _query_text(query: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={text_of(value)}" for name, value in query.items())
