"""Retrieval: the cases most similar to a query, with the contribution of each attribute to their similarity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np

from priorcase._locks import cached_property
from priorcase._numbers import equal_decimals
from priorcase._parameters import is_number
from priorcase._typing import Backend, BoolArray, FloatArray, IntArray
from priorcase.cases import kinds
from priorcase.cases.case import Case, text_of
from priorcase.cases.checks import check_known
from priorcase.cases.kinds import Stored
from priorcase.cases.scoring import Likeness, MeasureCache, Unknown, best_cases, check_count
from priorcase.cases.table import CaseTable, Snapshot
from priorcase.exceptions import CaseBaseError, ParameterError, listed, prefix_errors, quoted
from priorcase.learning.estimator import thread_count
from priorcase.learning.plotting import FAINT, INK, MUTED, caption, captions, cut, drawing, legend_beside, style
from priorcase.learning.results import Grid, GridResult, asked_queries, framed, free_label, short, text_width

LookUp: TypeAlias = Callable[[Sequence[int], Snapshot], Sequence[Case]]
"""Function that loads cases, given their ids and a snapshot of these cases."""

_NOUNS = ("match", "matches")
_NAME, _VALUE, _SOLUTION, _EXPLAINED = 24, 14, 28, 28  # columns of a terminal
_WIDTH, _LINES = 128, 20
_BARS, _PARTS = 30, 8


# -- results


class Contribution(NamedTuple):
    """The contribution of one attribute to the similarity of a case.

    ``similarity`` is the local similarity, or None if the case's value is missing and missing values are ignored.
    ``contribution`` is ``weight * similarity / sum of weights``; the contributions of all attributes add up to the
    similarity of the case.
    """

    similarity: float | None
    weight: float
    contribution: float


@dataclass(frozen=True, repr=False, eq=False)
class Match(GridResult):
    """A retrieved case, its similarity from 0 to 1, and the `Contribution` of each attribute of the query.

    >>> Match(7, 0.75, {"age": Contribution(0.5, 1, 0.25)}, Case({"age": 4, "make": "A"}, solution="repair"))
    case 7: similarity 0.750
                value   similarity  contribution
      age       4            0.500         0.250
      make      A
      solution  repair
    """

    id: int
    similarity: float
    contributions: Mapping[str, Contribution]
    case: Case

    def _grid(self) -> Grid:
        case = self.case._grid()
        lines = [[name, short(value, _WIDTH // 2), "", ""] for name, value in (case.header, *case.lines)]
        for line, name in zip(lines, self.case, strict=False):
            if name in self.contributions:
                similarity, _, contribution = self.contributions[name]
                line[2:] = ["-" if similarity is None else f"{similarity:.3f}", f"{contribution:.3f}"]
        header = ["", "value", "similarity", "contribution"]
        return Grid(f"case {self.id}: similarity {self.similarity:.3f}", header, lines, right={2, 3})


@dataclass(frozen=True, repr=False, eq=False)
class Explanation(GridResult):
    """The similarity of a case to a query, decomposed by attribute; prints as a table.

    Parameters
    ----------
    id, similarity
        Id of the case, and its similarity.
    query, case
        The values of the query and of the case, by attribute.
    contributions
        The `Contribution` of each attribute to the similarity.

    Examples
    --------
    >>> parts = {"age": Contribution(0.5, 1, 0.25), "make": Contribution(1, 1, 0.5)}
    >>> Explanation(7, 0.75, {"age": 3, "make": "A"}, {"age": 4, "make": "A"}, parts)
    case 7: similarity 0.750
      attribute  query  case  similarity  weight  contribution
      make       A      A          1.000       1         0.500
      age        3      4          0.500       1         0.250
    """

    id: int
    similarity: float
    query: Mapping[str, Any]
    case: Mapping[str, Any]
    contributions: Mapping[str, Contribution]

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes in the query, sorted by contribution, then by weight, largest first."""
        parts = self.contributions
        return tuple(sorted(parts, key=lambda name: (-parts[name].contribution, -parts[name].weight)))

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a frame with one row per attribute.

        The columns are ``attribute``, ``query``, ``case``, ``similarity``, ``weight`` and ``contribution``. ``backend``
        is ``"pandas"`` (the default), ``"polars"`` or ``"pyarrow"``.
        """
        columns: dict[str, Any] = {
            "attribute": list(self.names),
            "query": _column(self.query[name] for name in self.names),
            "case": _column(self.case[name] for name in self.names),
        }
        for part, label in enumerate(("similarity", "weight", "contribution")):
            columns[label] = [self.contributions[name][part] for name in self.names]
        return framed(columns, backend)

    def _grid(self) -> Grid:
        lines = []
        weights = equal_decimals([self.contributions[name][1] for name in self.names])
        for name, weight in zip(self.names, weights, strict=True):
            similarity, _, contribution = self.contributions[name]
            values = [short(text_of(given[name]), _EXPLAINED) for given in (self.query, self.case)]
            local = "-" if similarity is None else f"{similarity:.3f}"
            lines.append([short(name, _NAME), *values, local, weight, f"{contribution:.3f}"])
        header = ["attribute", "query", "case", "similarity", "weight", "contribution"]
        return Grid(f"case {self.id}: similarity {self.similarity:.3f}", header, lines, right={3, 4, 5})


@dataclass(frozen=True, repr=False, eq=False)
class Retrieval(GridResult, Sequence[Match]):
    """Result of `CaseBase.retrieve`: similar cases, best first; prints as a table of attributes with nonzero weight.

    Parameters
    ----------
    query
        The known values of the query, by attribute.
    ids
        Ids of the cases.
    similarities
        Similarity of each case to the query, from 0 to 1.
    local
        Local similarities, of shape (cases, attributes of the query); NaN if the case's value is missing.
    weights
        Weights of the query's attributes.
    load
        Function that loads the cases on first use.
    ignore
        Whether attributes that are missing in a case were ignored.
    among
        Number of cases that were searched.
    diversity
        The diversity parameter of the retrieval; if it is above 0, cases are in the order in which they were selected.
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
        """Return one match, or a slice of the result."""
        at = asked_queries(i, len(self), nouns=_NOUNS)
        if isinstance(i, slice):
            ids, cases = tuple(self.ids[j] for j in at), [self.cases[j] for j in at]
            parts = self.similarities[at], self.local[at], self.weights.copy()
            return Retrieval(self.query, ids, *parts, partial(tuple, cases), self.ignore, self.among, self.diversity)
        return self._matches[at[0]]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "load": partial(tuple, self.cases)}  # pickle the loaded cases, not the case base

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The retrieved cases, with their values, solutions and outcomes at the time of retrieval."""
        return tuple(self.load())

    @property
    def solutions(self) -> tuple[Any, ...]:
        """The solution of each case; None for a case without a solution."""
        return tuple(case.solution for case in self.cases)

    @property
    def outcomes(self) -> tuple[Any, ...]:
        """The outcome of each case; None for a case without an outcome."""
        return tuple(case.outcome for case in self.cases)

    @cached_property
    def contributions(self) -> FloatArray:
        """Contributions ``weight * local similarity / sum of weights``, of shape (cases, attributes of the query).

        Each row adds up to the similarity of the case.
        """
        missing = np.isnan(self.local)
        weights = np.where(missing & self.ignore, 0.0, self.weights)
        largest = weights.max(axis=1, keepdims=True, initial=0.0)
        weights = weights / np.where(largest > 0, largest, 1.0)  # sums of very large weights are infinite
        divisor = weights.sum(axis=1, keepdims=True)
        return weights * np.where(missing, 0.0, self.local) / np.where(divisor > 0, divisor, 1.0)

    @cached_property
    def _matches(self) -> tuple[Match, ...]:
        found = []
        for i, (local, parts) in enumerate(zip(self.local.tolist(), self.contributions.tolist(), strict=True)):
            contributions = {
                name: Contribution((None if self.ignore else 0.0) if s != s else s, w, part)
                for name, s, w, part in zip(self.query, local, self.weights.tolist(), parts, strict=True)
            }
            found.append(Match(self.ids[i], float(self.similarities[i]), contributions, self.cases[i]))
        return tuple(found)

    def explain(self, i: int = 0) -> Explanation:
        """Return the `Explanation` of the similarity of the case at position ``i`` (0 is the first, -1 the last)."""
        match = self._matches[asked_queries(i, len(self), nouns=_NOUNS)[0]]
        values = {name: match.case.get(name) for name in self.query}
        return Explanation(match.id, match.similarity, self.query, values, match.contributions)

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a frame with one row per case.

        The columns are ``id``, ``similarity``, ``solution``, ``outcome``, the value of each attribute, and the local
        similarity and contribution of each attribute of the query. ``backend`` is ``"pandas"`` (the default),
        ``"polars"`` or ``"pyarrow"``.
        """
        columns: dict[str, Any] = {
            "id": list(self.ids),
            "similarity": self.similarities.copy(),
            "solution": _column(self.solutions),
            "outcome": _column(self.outcomes),
        }
        for name in self.cases[0] if self.cases else self.query:
            columns[free_label(name, columns)] = _column(case.get(name) for case in self.cases)
        for part, values in (("similarity", self.local), ("contribution", self.contributions)):
            for a, name in enumerate(self.query):
                columns[free_label(f"{part} of {name}", columns)] = values[:, a].copy()
        return framed(columns, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot one bar per case, stacked by the contributions of the attributes; return the axes.

        ``ax`` are Matplotlib axes; None creates a new figure.
        """
        with drawing(ax, size=(7.2, 1.3 + 0.32 * max(len(self), 4))) as ax:
            used, names = np.flatnonzero(self.weights), list(self.query)
            compared = {names[a]: self.query[names[a]] for a in used.tolist()}
            solutions = ["" if each is None else f": {text_of(each)}" for each in self.solutions]
            labels = [f"case {id}{solution}" for id, solution in zip(self.ids, solutions, strict=True)]
            _draw_contributions(ax, labels, list(compared), self.contributions[:, used])
            asked = ", ".join(f"{name}={text_of(value)}" for name, value in compared.items())
            ax.set_title(caption(short(f"similar to {asked}", 52), 60))
            return ax

    def _grid(self) -> Grid:
        matches = self._matches[:_LINES]
        columns = [["id", "query", *(str(match.id) for match in matches)]]
        columns.append(["similarity", "", *(f"{match.similarity:.3f}" for match in matches)])
        for name in ("solution", "outcome"):
            if any(getattr(case, name) is not None for case in self.cases):
                columns.append([name, "", *(short(text_of(getattr(m.case, name)), _SOLUTION) for m in matches)])
        values = self._values(room=_WIDTH - sum(text_width(column) + 2 for column in columns))
        header, *lines = map(list, zip(*columns, *values, strict=True))
        notes = ["= as in the query"] if any("=" in line for line in lines) else []
        used = int(np.count_nonzero(self.weights))
        notes += [f"attributes not shown: {used - len(values)}"] * (used > len(values))
        notes += [f"attributes with weight 0, not shown: {len(self.query) - used}"] * (used < len(self.query))
        notes += [f"cases not shown: {len(self) - _LINES}"] * (len(self) > _LINES)
        cases = f"{self.among:,} case{'s' * (self.among != 1)}"
        several = f"{len(self)} " if len(self) > 1 else ""
        title = f"the {several}most similar of {cases}" if self.ids else "no case to retrieve"
        if self.ids and self.diversity:
            title = f"{len(self)} of {cases}, similar to the query and different from each other"
        return Grid(title, header, lines, "; ".join(notes), right={0, 1})

    def _values(self, room: int) -> list[list[str]]:
        """Return the columns of the attributes with the largest weights: as many columns as fit, but at least one."""
        names, shown = list(self.query), dict[int, list[str]]()
        for a in np.argsort(-self.weights, kind="stable")[: np.count_nonzero(self.weights)].tolist():
            asked = self.query[names[a]]
            column = [cut(short(names[a], 200), _VALUE), short(text_of(asked), _VALUE)]
            for match in self._matches[:_LINES]:
                value = match.case.get(names[a])
                same = type(asked) is type(value) and asked == value
                column.append("=" if same else short(text_of(value), _VALUE))
            room -= text_width(column) + 2
            if shown and room < 0:
                break
            shown[a] = column
        return [shown[a] for a in sorted(shown)]


def _column(values: Iterable[Any]) -> list[Any]:
    """Return the values of a frame column; integers become floats if the column also contains floats."""
    found = list(values)
    known = [value for value in found if value is not None]
    # A frame column has a single dtype.
    if all(map(is_number, known)) and any(isinstance(value, float) for value in known):
        return [None if value is None else float(value) for value in found]
    return found


def _draw_contributions(ax: Any, labels: Sequence[str], names: list[str], parts: FloatArray) -> None:
    """Draw the contributions as stacked bars; if there are many attributes, the smallest contributions are merged."""
    labels, parts = labels[:_BARS], parts[:_BARS]
    looks: list[dict[str, Any]] = []
    for a in range(min(len(names), _PARTS)):
        look = style(a)
        face, edge = (look.tint, look.color) if look.hatch else (look.color, "white")
        looks.append({"facecolor": face, "edgecolor": edge, "hatch": look.hatch})
    if len(names) > _PARTS:
        kept = np.sort(np.argsort(-parts.sum(axis=0), kind="stable")[: _PARTS - 1])
        rest = np.delete(parts, kept, axis=1)
        names = [*(names[a] for a in kept.tolist()), f"{rest.shape[1]} others"]
        parts = np.column_stack([parts[:, kept], rest.sum(axis=1)])
        looks[-1] = {"facecolor": FAINT, "edgecolor": MUTED}
    places, start = np.arange(len(labels)), np.zeros(len(labels))
    for name, look_of, part in zip(names, looks, parts.T, strict=True):
        ax.barh(places, part, 0.66, left=start, linewidth=0.5, label=name, **look_of)
        start = start + part
    for place, end in zip(places, start, strict=True):
        ax.text(end + 0.01, place, f"{end:.2f}", va="center", ha="left", fontsize=8, color=MUTED)
    ax.set_yticks(places, captions(labels, 34), color=INK)
    ax.set_xlim(0.0, 1.08)
    ax.set_xticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    ax.set_ylim(max(len(labels), 3) - 0.5, -0.5)
    ax.set_xlabel("similarity, and the contribution of each attribute")
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    legend_beside(ax, "attribute")


# -- retrieving


def retrieve(
    table: CaseTable,
    query: Mapping[str, Stored],
    k: int = 5,
    *,
    weights: Mapping[str, float] | None = None,
    measures: Mapping[str, object] | None = None,
    where: BoolArray | None = None,
    diversity: float = 0.0,
    unknown: Unknown = "different",
    n_jobs: int | None = None,
    cache: MeasureCache | None = None,
    look_up: LookUp | None = None,
) -> Retrieval:
    """Return the ``k`` cases of a table that are most similar to a query; see `CaseBase.retrieve`.

    ``where`` is a mask of the cases to search. ``look_up`` loads the retrieved cases when they are first used; by
    default, cases are built from the table.
    """
    k = check_count("k", k)
    if not is_number(diversity) or not 0 <= diversity <= 1:
        raise ParameterError(
            f"diversity must be a number from 0 to 1, got {quoted(diversity)}. diversity=0 retrieves the most similar "
            "cases; larger values retrieve similar cases that differ more from each other."
        )
    threads = thread_count(n_jobs)
    cache = MeasureCache() if cache is None else cache
    likeness = cache.likeness(table, weights, measures, unknown)
    _check_query(query, likeness)
    names = [name for name in likeness.attributes if query.get(name) is not None]
    columns = [likeness.columns[name].coded() for name in names]
    tables = [likeness.by_value(name, query[name]) for name in names]
    of_query = np.array([likeness.weights[name] for name in names])
    wanted = min(max(5 * k, 50) if diversity else k, len(table))
    mask = None if likeness.n_active == len(table) else likeness.active
    if where is not None:
        mask = likeness.active & where
    positions, similarities, local = best_cases(
        columns, tables, of_query, mask=mask, k=wanted, unknown=unknown, n_threads=threads
    )
    if diversity:
        chosen = _diverse(likeness, positions, similarities, k, float(diversity))
        positions, similarities, local = positions[chosen], similarities[chosen], local[chosen]
    ids = tuple(table.ids[positions].tolist())
    return Retrieval(
        query={name: kinds.shown(table.attributes[name], query[name]) for name in names},
        ids=ids,
        similarities=similarities,
        local=local,
        weights=of_query,
        load=partial(look_up or _from_table, ids, table.snapshot(positions)),
        ignore=unknown == "ignore",
        among=likeness.n_active if where is None or mask is None else int(np.count_nonzero(mask)),
        diversity=float(diversity),
    )


def _diverse(likeness: Likeness, positions: IntArray, similarities: FloatArray, k: int, diversity: float) -> list[int]:
    """Return the indices in ``positions`` of k cases that are similar to the query and different from each other.

    This is the bounded greedy selection of Smyth & McClave (2001), with ``(1 - d) similarity + d r`` in place of the
    product; d is ``diversity`` and r is the mean dissimilarity to the cases already chosen.
    """
    chosen = [0] if len(positions) else []
    free, apart = np.ones(len(positions), dtype=np.bool_), np.zeros(len(positions))
    while chosen and len(chosen) < min(k, len(positions)):
        free[chosen[-1]] = False
        apart += 1.0 - likeness.of(int(positions[chosen[-1]]), at=positions)
        quality = (1.0 - diversity) * similarities + diversity * (apart / len(chosen))
        # Ties go to the more similar case, then to the older case.
        chosen.append(int(np.argmax(np.where(free, quality, -np.inf))))
    return chosen


def _check_query(query: Mapping[str, Stored], likeness: Likeness) -> None:
    if not query.keys() <= likeness.attributes.keys():
        check_known(query, likeness.attributes)
    known = [name for name, value in query.items() if value is not None]
    if not known:
        raise CaseBaseError(
            "got a query without values; expected a value for at least one attribute. The attributes are "
            f"{listed(list(likeness.attributes), limit=12) or 'not declared yet'}."
        )
    if not any(likeness.weights[name] for name in known):
        raise CaseBaseError(
            f"got a query with weight 0 for all of its attributes: {listed(known)}. Set a weight above 0, or add "
            "other attributes to the query."
        )


def _from_table(ids: Sequence[int], snapshot: Snapshot) -> list[Case]:
    return [Case(*shown, id=id) for id, shown in zip(ids, snapshot.shown(), strict=True)]
