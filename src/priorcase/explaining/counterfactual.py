"""Counterfactuals: the smallest changes of a row, taken from past cases, that change the model's prediction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._cancelling import check_cancelled
from priorcase._numbers import equal_decimals
from priorcase._parameters import check_value, is_list
from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, IdArray, IntArray, Name, Value
from priorcase.exceptions import ParameterError, advice, listed, prefix_errors, quoted
from priorcase.explaining.model import ExplainedModel
from priorcase.learning.plotting import caption, captions, color, drawing, tint
from priorcase.learning.results import Grid, PrintedPerQuery, Row, framed, short, value_text

Goal = Callable[[AnyArray, AnyArray], BoolArray]
"""Function that returns a mask of wanted predictions, given the predictions after and before the changes."""

EXHAUSTIVE = 10
"""Maximum number of changes for which every subset is tried."""

_CANDIDATES = 10  # past cases to find for each query, or 2 n if this is more; their changes are then reduced
_FIRST, _GROWTH = 64, 4  # number of past cases to try first, and the factor by which it grows
_ALTERNATIVES, _WIDTH = 10, 24


@dataclass(frozen=True, repr=False, eq=False)
class Counterfactuals(PrintedPerQuery):
    """Changes to rows that change the prediction; they print as a table, and can be indexed by query.

    Arrays have one entry for each alternative (a changed row), sorted by query and then by size of the change. The
    entries of query ``i`` run from ``indptr[i]`` to ``indptr[i + 1]``. Returned by `priorcase.counterfactuals`.

    Parameters
    ----------
    names, queries, predictions
        Names of the columns, values of the queries (None if missing), and predictions for the queries.
    indptr, rows, changed, new_predictions
        Start of each query's alternatives; the values of the alternatives; a mask of the changed columns, shape
        (alternatives, columns); and the predictions for the alternatives.
    distances, ids
        Distance of each alternative from its query, and the id of the past case that the new values come from.
    notes
        Reason why a query has no alternative; an empty string if the query has an alternative.
    backend, numbers
        See `Precedents`.

    Examples
    --------
    >>> import priorcase as pc
    >>> model = pc.KNNClassifier(1).fit([[31, "red"], [62, "blue"], [60, "red"]], ["no", "yes", "yes"])
    >>> found = pc.counterfactuals(model, [[33, "red"]])
    >>> found.new_predictions, found.changed, found.ids
    (array(['yes'], dtype='<U3'), array([[ True, False]]), array([2]))
    """

    names: tuple[Name, ...]
    queries: list[Row]
    predictions: AnyArray
    indptr: IntArray
    rows: list[Row]
    changed: BoolArray
    new_predictions: AnyArray
    distances: FloatArray
    ids: IdArray
    notes: tuple[str, ...]
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()

    _by_query: ClassVar[tuple[str, ...]] = ("queries", "predictions", "notes")

    def _taken(self, at: list[int]) -> Self:
        entries = np.concatenate([np.arange(0), *(np.arange(self.indptr[i], self.indptr[i + 1]) for i in at)])
        arrays: dict[str, Any] = {
            name: getattr(self, name)[entries] for name in ("changed", "new_predictions", "distances", "ids")
        }
        indptr = np.concatenate(([0], np.cumsum(np.diff(self.indptr)[at], dtype=np.int64)))
        rows = [self.rows[entry] for entry in entries.tolist()]
        return replace(super()._taken(at), **arrays, indptr=indptr, rows=rows)

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row per changed column.

        The columns are ``query``, ``alternative`` (from 1), ``column``, ``before``, ``after``, ``prediction`` of the
        query, and ``new_prediction``, ``distance`` and ``id`` of the alternative. ``backend`` is the library of the
        frame; by default the one that the model was fitted with.
        """
        entries, columns = np.nonzero(self.changed)
        of = np.repeat(np.arange(len(self)), np.diff(self.indptr))[entries]
        found = {
            "query": np.array(self.numbers, np.int64)[of],
            "alternative": entries - self.indptr[of] + 1,
            "column": [str(self.names[a]) for a in columns.tolist()],
            "before": [self.queries[q][a] for q, a in zip(of.tolist(), columns.tolist(), strict=True)],
            "after": [self.rows[e][a] for e, a in zip(entries.tolist(), columns.tolist(), strict=True)],
            "prediction": self.predictions[of],
            "new_prediction": self.new_predictions[entries],
            "distance": self.distances[entries],
            "id": self.ids[entries],
        }
        return framed(found, backend or self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot how often each column is changed; return the axes."""
        counts = self.changed.sum(axis=0)
        order = np.argsort(-counts, kind="stable")
        order = order[counts[order] > 0][:30]
        with drawing(ax, size=(6.0, 1.0 + 0.24 * max(order.size, 6))) as ax:
            places = np.arange(order.size)
            ax.barh(places, counts[order], 0.7, facecolor=tint(0, 0.6), edgecolor=color(0), linewidth=0.7)
            ax.set_yticks(places, captions([self.names[a] for a in order.tolist()]))
            ax.invert_yaxis()
            ax.set_xlabel(f"changes in {len(self.rows)} counterfactual{'s' * (len(self.rows) != 1)}")
            ax.tick_params(axis="y", length=0)
            ax.grid(False, axis="y")
            if len(self) == 1:
                ax.set_title(f"what would change {caption(self.predictions.tolist()[0])}")
            return ax

    def _grid(self, i: int) -> Grid:
        lines: list[list[str]] = []
        start, stop = self.indptr[i : i + 2].tolist()
        shown = range(start, min(stop, start + _ALTERNATIVES))
        for entry, distance in zip(shown, equal_decimals(self.distances[shown]), strict=True):
            new = value_text(self.new_predictions[entry : entry + 1].tolist()[0], _WIDTH)
            ends = [new, distance, f"#{self.ids[entry]}"]
            for a in np.flatnonzero(self.changed[entry]).tolist():
                before, after = (value_text(row[a], _WIDTH) for row in (self.queries[i], self.rows[entry]))
                lines.append([short(str(self.names[a]), _WIDTH), before, "->", after, *ends])
                ends = ["", "", ""]
        title = f"query {self.numbers[i]}: {value_text(self.predictions[i : i + 1].tolist()[0], _WIDTH)}"
        if not lines:
            return Grid(title, [], [], self.notes[i])
        note = f"and {stop - start - _ALTERNATIVES} more" if stop - start > _ALTERNATIVES else ""
        return Grid(
            f"{title}. Changes that lead to another prediction:",
            ["column", "before", "", "after", "prediction", "distance", "from case"],
            lines,
            note,
            right={5},
        )


@prefix_errors
def counterfactuals(
    model: Any,
    X: Any,
    n: int = 1,
    *,
    fixed: Iterable[Name] = (),
    target: Value | None = None,
    above: float | None = None,
    below: float | None = None,
    data: Any = None,
) -> Counterfactuals:
    """Find the smallest changes to each row, taken from past cases, that change the model's prediction.

    Only the nearest past cases whose values change the prediction are searched (nearest unlike cases, Keane & Smyth
    2020). If a single value of such a case changes the prediction, only this value is changed. Otherwise, the row first
    gets all values of the case, and unnecessary changes are then undone, largest differences first. If at most ten
    changes remain, the smallest set of these changes that changes the prediction is kept. If more changes remain, a
    smaller set may exist, but no single change can be undone. Sets of changes are compared by the number of columns,
    then by the number of values that are missing in the row, then by distance.

    All new values of an alternative come from one past case; columns that are missing in this case are not changed.
    Values that are missing in the row can be filled in, which is printed as a change from ``?``. The distance is the
    default distance of `KNNClassifier`. Each row requires dozens of predictions per column.

    Parameters
    ----------
    model
        A fitted classifier or regressor; see `explain`.
    X
        The rows; or one row as a mapping from names to values.
    n
        Number of alternatives for each row; if possible, each alternative changes a different set of columns.
    fixed
        Columns that must not change. Columns that identify a row never change.
    target
        The wanted class; by default any class other than the predicted one.
    above, below
        Bounds for the wanted prediction of a regressor; at least one bound is required.
    data
        The past cases; see `explain`.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = pc.load_repairs()
    >>> model = pc.KNNClassifier(5).fit(X, y)
    >>> pc.counterfactuals(model, X[:1])
    query 0: tune-up. Changes that lead to another prediction:
      column  before      after     prediction  distance  from case
      bike    city    ->  mountain  wheel          1.414  #37
      noise   quiet   ->  creak
    """
    asked = ExplainedModel(model, data)
    cells = asked.cells(X)
    return find(asked, cells, asked.predictions(cells), n, fixed=fixed, target=target, above=above, below=below)


def find(
    asked: ExplainedModel,
    cells: FloatArray,
    predictions: AnyArray,
    n: int,
    *,
    fixed: Iterable[Name] = (),
    target: Value | None = None,
    above: float | None = None,
    below: float | None = None,
) -> Counterfactuals:
    check_value("n", n, [Interval(Integral, 1, None, closed="left")])
    if not is_list(fixed):
        raise ParameterError(f"fixed must be a list of columns, got {quoted(fixed)}. Pass a single column as ['age']")
    free = np.ones(len(asked.schema), bool)
    free[[*asked.identifiers, *(asked.position(name, parameter="fixed") for name in fixed)]] = False
    goal = _goal(asked, target, above, below)
    pending, missing = np.flatnonzero(~goal(predictions, predictions)), np.isnan(cells)
    changes = _Changes(asked, cells, predictions, np.broadcast_to(free, cells.shape), goal)
    of, past, columns = changes.found(pending, max(_CANDIDATES, 2 * int(n)))
    if (unknown := pending[missing[pending].any(axis=1)]).size:  # also search for changes of known values only
        known = _Changes(asked, cells, predictions, free & ~missing, goal).found(unknown, max(_CANDIDATES, 2 * int(n)))
        of, past, columns = (np.concatenate(both) for both in zip((of, past, columns), known, strict=True))
    alone = np.zeros(cells.shape, bool)  # columns that change the prediction by themselves
    np.logical_or.at(alone, of, columns & (columns.sum(axis=1) == 1)[:, None])
    if n > 1 and (again := pending[alone[pending].any(axis=1)]).size:  # these changes may hide alternatives
        others = _Changes(asked, cells, predictions, free & ~alone, goal).found(again, max(_CANDIDATES, 2 * int(n)))
        of, past, columns = (np.concatenate(both) for both in zip((of, past, columns), others, strict=True))
    rows = np.where(columns, asked.past[past], cells[of])
    costs = np.where(columns, changes.costs(of, past), 0.0).sum(axis=1)
    filled = (columns & missing[of]).sum(axis=1)
    kept, sizes = list[int](), np.zeros(len(cells), np.int64)
    for query in pending.tolist():
        best = _best(np.flatnonzero(of == query), rows, columns, filled, costs, int(n))
        kept += best
        sizes[query] = len(best)
    wanted, notes = set(pending.tolist()), list[str]()
    for query, size in enumerate(sizes.tolist()):
        none = "no past case changes the prediction" + " with these columns fixed" * (not free.all())
        notes.append("" if size else none if query in wanted else "the prediction is already as wanted")
    taken = rows[kept]
    return Counterfactuals(
        names=asked.names,
        queries=asked.rows(cells),
        predictions=predictions,
        indptr=np.concatenate(([0], np.cumsum(sizes))),
        rows=asked.rows(taken),
        changed=columns[kept],
        new_predictions=asked.predictions(taken) if kept else predictions[:0],
        distances=changes.distances(costs[kept]),
        ids=asked.ids[past[kept]],
        notes=tuple(notes),
        backend=asked.backend,
    )


def _goal(asked: ExplainedModel, target: Value | None, above: float | None, below: float | None) -> Goal:
    if asked.classes is None:
        if target is not None:
            raise ParameterError("target is a class, but the model predicts numbers. Use above= or below=")
        for name, limit in (("above", above), ("below", below)):
            check_value(name, limit, [None, Interval(Real, None, None, closed="neither")])
        if above is None and below is None:
            raise ParameterError("above= or below= is required for a model that predicts numbers")
        low, high = -np.inf if above is None else float(above), np.inf if below is None else float(below)
        if low >= high:
            raise ParameterError(f"above must be less than below, got above={low:g} and below={high:g}")
        return lambda after, before: (after > low) & (after < high)
    if above is not None or below is not None:
        raise ParameterError("above and below are for numbers, but the model predicts classes. Use target=")
    if target is None:
        if asked.classes.size < 2:
            raise ParameterError(f"{asked.classes.tolist()[0]!r} is the only class, so the prediction cannot change")
        return lambda after, before: after != before
    labels = asked.classes.tolist()
    if target not in labels:
        remedy = advice(target, labels, otherwise="Pass one of them.")
        raise ParameterError(f"target must be one of the classes {listed(labels)}, got {quoted(target)}. {remedy}")
    return lambda after, before: after == target


class _Changes:
    """Search for values of past cases that change the prediction if they replace values of a query."""

    def __init__(
        self, asked: ExplainedModel, cells: FloatArray, predictions: AnyArray, free: BoolArray, goal: Goal
    ) -> None:
        self.asked, self.cells, self.predictions, self.free, self.goal = asked, cells, predictions, free, goal
        instances, self._fitted, self._stored = asked.cases.compared
        self._queries = self._fitted.prepare(instances.encode(asked.schema.read(asked.source(cells))))

    def costs(self, of: IntArray, past: IntArray) -> FloatArray:
        """Return the contribution of each column to the distance between query ``of[i]`` and case ``past[i]``."""
        found = np.empty((len(of), self.cells.shape[1]))
        for query in np.unique(of).tolist():
            at = np.flatnonzero(of == query)
            found[at] = self._costs(query, self._stored[past[at]])
        return found

    def _costs(self, query: int, stored: FloatArray) -> FloatArray:
        parts = self._fitted.contributions(self._queries[query], stored)
        return parts if np.isfinite(parts.sum()) else np.nan_to_num(parts)

    def distances(self, costs: FloatArray) -> FloatArray:
        return self._fitted.finish(costs)

    def differs(self, of: IntArray, past: IntArray) -> BoolArray:
        """Return, for each pair, a mask of columns that may change and have another known value in the past case."""
        new = self.asked.past[past]
        return np.asarray(self.free[of] & ~np.isnan(new) & (new != self.cells[of]))

    def turned(self, of: IntArray, rows: FloatArray) -> BoolArray:
        """Return a mask of the modified rows with a wanted prediction; ``of`` contains the query of each row."""
        if not len(rows):
            return np.zeros(0, bool)
        return np.asarray(self.goal(self.asked.predictions(rows), self.predictions[of]))

    def found(self, pending: IntArray, most: int) -> tuple[IntArray, IntArray, BoolArray]:
        """Return pairs of a query and a past case that changes its prediction, with masks of the changed columns."""
        of, past = self.candidates(pending, most)
        return of, past, self.reduced(of, past)

    def candidates(self, pending: IntArray, most: int) -> tuple[IntArray, IntArray]:
        """Return pairs of a query and a past case that changes its prediction, from the nearest past cases."""
        every = self.asked.past
        known = ~np.isnan(every)
        orders = {}
        for query in pending.tolist():
            check_cancelled()
            differs = self.free[query] & known & (every != self.cells[query])
            order = np.argsort((self._costs(query, self._stored) * differs).sum(axis=1), kind="stable")
            orders[query] = order[differs.any(axis=1)[order]]
        found: dict[int, list[IntArray]] = {query: [] for query in orders}
        start, stop = 0, _FIRST
        while orders:
            of = np.concatenate([np.full(order[start:stop].size, query) for query, order in orders.items()])
            past = np.concatenate([order[start:stop] for order in orders.values()])
            rows = np.where(self.differs(of, past), self.asked.past[past], self.cells[of])
            turned = self.turned(of, rows)
            for query in list(orders):
                found[query].append(past[(of == query) & turned])
                if sum(map(len, found[query])) >= most or orders[query].size <= stop:
                    del orders[query]
            start, stop = stop, _GROWTH * stop
        lists = {query: np.concatenate(parts)[:most] for query, parts in found.items()}
        none = np.empty(0, np.int64)
        queries = [np.full(cases.size, query) for query, cases in lists.items()]
        return np.concatenate([none, *queries]), np.concatenate([none, *lists.values()])

    def reduced(self, of: IntArray, past: IntArray) -> BoolArray:
        """Return, for each pair of query and past case, the changes that remain after unneeded changes are undone."""
        changed, new, old = self.differs(of, past), self.asked.past[past], self.cells[of]
        costs = np.where(changed, self.costs(of, past), -1.0)
        alone = self._alone(of, changed, new, costs)
        changed[alone >= 0] = np.arange(changed.shape[1]) == alone[alone >= 0, None]
        orders = np.lexsort((-costs, ~np.isnan(old)), axis=1)  # filled-in values are undone first
        active = np.flatnonzero(alone < 0)
        while active.size:  # repeat, since some changes can be undone only after other changes
            before = changed[active].sum(axis=1)
            for step in range(changed.shape[1]):
                column = orders[active, step]
                pairs = active[changed[active, column]]
                if not pairs.size:
                    continue
                column = orders[pairs, step]
                trial = changed[pairs]
                trial[np.arange(pairs.size), column] = False
                back = self.turned(of[pairs], np.where(trial, new[pairs], old[pairs]))
                changed[pairs[back], column[back]] = False
            active = active[changed[active].sum(axis=1) < before]
        costs = np.where(changed, self.costs(of, past), 0.0)
        for pair in range(len(of)):
            columns = np.flatnonzero(changed[pair])
            if 2 < columns.size <= EXHAUSTIVE:  # of two changes, each has already been tried alone
                changed[pair] = self._fewest(of[pair], new[pair], columns, costs[pair])
        return changed

    def _alone(self, of: IntArray, changed: BoolArray, new: FloatArray, costs: FloatArray) -> IntArray:
        """Return, for each pair of query and past case, a column that alone changes the prediction; -1 if none does."""
        pairs, columns = np.nonzero(changed)
        rows = self.cells[of[pairs]]
        filled = np.isnan(rows[np.arange(pairs.size), columns])
        rows[np.arange(pairs.size), columns] = new[pairs, columns]
        order = np.lexsort((costs[pairs, columns], filled, pairs))
        order = order[self.turned(of[pairs], rows)[order]]
        found, first = np.unique(pairs[order], return_index=True)
        alone = np.full(len(of), -1)
        alone[found] = columns[order[first]]
        return alone

    def _fewest(self, query: int, new: FloatArray, columns: IntArray, costs: FloatArray) -> BoolArray:
        """Return a mask of the fewest ``columns`` that change the prediction; on ties, fill in fewer missing values."""
        subsets = (np.arange(1, 2**columns.size)[:, None] >> np.arange(columns.size)) & 1 == 1
        kept = np.zeros((len(subsets), new.size), bool)
        kept[:, columns] = subsets
        rows = np.where(kept, new, self.cells[query])
        turned = kept[self.turned(np.full(len(rows), query), rows)]
        filled = (turned & np.isnan(self.cells[query])).sum(axis=1)
        found: BoolArray = turned[np.lexsort(((turned * costs).sum(axis=1), filled, turned.sum(axis=1)))[0]]
        return found


def _best(
    pairs: IntArray, rows: FloatArray, columns: BoolArray, filled: IntArray, costs: FloatArray, n: int
) -> list[int]:
    """Return the ``n`` smallest changes of one query; if possible, each of them changes a different set of columns."""
    order = pairs[np.lexsort((costs[pairs], filled[pairs], columns[pairs].sum(axis=1)))].tolist()
    sets, values, first, rest = set[bytes](), set[bytes](), list[int](), list[int]()
    for pair in order:
        if (row := rows[pair].tobytes()) in values:
            continue
        values.add(row)
        new = (key := columns[pair].tobytes()) not in sets
        sets.add(key)
        (first if new else rest).append(pair)
    chosen = set([*first, *rest][:n])
    return [pair for pair in order if pair in chosen]
