"""Precedents: the stored rows behind each prediction, as a result that prints itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray, Name
from priorcase.learning.decoding import Row, attribute_names, decoded
from priorcase.learning.frames import Backend, by_attribute, framed
from priorcase.learning.grids import Grid, grids_html, grids_text, text_width
from priorcase.learning.per_query import PerQuery
from priorcase.learning.texts import rest_text, short, value_text
from priorcase.neighbors.base import NeighborsMemory
from priorcase.neighbors.polling import polls_of
from priorcase.neighbors.votes import NeighborList, Poll, summed
from priorcase.schema import Table

if TYPE_CHECKING:
    from priorcase.neighbors.classifier import KNNClassifier
    from priorcase.neighbors.precedents_terminal import TerminalView
    from priorcase.neighbors.regressor import KNNRegressor

LISTED_OF_ALL = 10
"""How many precedents are listed when all rows vote."""

# How many queries, voters, characters of a line and of a value, and classes are printed.
_QUERIES, _VOTERS, _WIDTH, _VALUE_WIDTH, _CLASSES = 5, 10, 120, 24, 4
# How many rows are searched for the nearest unlike one, and how the number grows.
_FIRST, _GROWTH = 32, 8


@dataclass(frozen=True)
class Case:
    """One past case beside a query.

    Parameters
    ----------
    id
        Its id.
    row
        Its values, None where missing.
    target
        Its class or number; a tuple when there are several targets.
    distance
        Its distance from the query.
    shares
        What each attribute adds to the distance; they sum to it.
    """

    id: int
    row: Row
    target: Any
    distance: float
    shares: FloatArray = field(repr=False)


@dataclass(frozen=True, repr=False, eq=False)
class Precedents(PerQuery):
    """The stored rows that vote on some queries, nearest first.

    All arrays are flat, one entry for each (query, voter); those of query ``i`` are entries ``indptr[i]`` to
    ``indptr[i + 1]``, and ``precedents[i]`` or ``precedents[i:j]`` is the same for some queries alone, which keep their
    numbers. It prints as a table, in terminals and notebooks.

    Parameters
    ----------
    names
        Names of the attributes, ``x0``, ``x1``, ... for a table without names.
    queries
        Values of the queries, None where missing.
    predictions
        What the estimator predicts for each query.
    indptr
        Where the entries of each query begin and end.
    ids, rows, targets, distances
        The voting rows.
    votes
        Each voter's share of the vote; a query's votes sum to 1 when all its voters are listed.
    shares
        What each attribute adds to each distance, shape (entries, attributes); the rows sum to ``distances``.
    unlike
        For each query the nearest unlike case: the nearest row of another class than the predicted one. None where
        all rows are of that class; empty for regression.
    probabilities
        Probability of each class for each query, shape (queries, classes); None for regression and for several targets.
    classes
        The classes of ``probabilities``.
    backend
        The library whose frame the estimator was fitted on, or None.
    numbers
        The number of each query among all that were asked; 0, 1, ... when left out.
    """

    names: tuple[Name, ...]
    queries: list[Row]
    predictions: AnyArray
    indptr: IntArray
    ids: IdArray
    rows: list[Row]
    targets: AnyArray
    distances: FloatArray
    votes: FloatArray
    shares: FloatArray
    unlike: tuple[Case | None, ...] = ()
    probabilities: FloatArray | None = None
    classes: AnyArray | None = None
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.queries)

    def _taken(self, at: list[int]) -> Precedents:
        places = np.array(at, dtype=np.int64)
        entries = [np.arange(self.indptr[i], self.indptr[i + 1]) for i in at]
        taken = np.concatenate(entries) if entries else places
        return replace(
            self,
            queries=[self.queries[i] for i in at],
            predictions=self.predictions[places],
            indptr=np.concatenate(([0], np.cumsum(np.diff(self.indptr)[places]))),
            ids=self.ids[taken],
            rows=[self.rows[entry] for entry in taken.tolist()],
            targets=self.targets[taken],
            distances=self.distances[taken],
            votes=self.votes[taken],
            shares=self.shares[taken],
            unlike=tuple(self.unlike[i] for i in at) if self.unlike else (),
            probabilities=None if self.probabilities is None else self.probabilities[places],
            numbers=tuple(self.numbers[i] for i in at),
        )

    def query_of_entry(self) -> IntArray:
        """The number of the query that each entry belongs to."""
        return np.repeat(np.array(self.numbers, dtype=np.int64), np.diff(self.indptr))

    def frame(self) -> Any:
        """One line for each (query, voter), in a frame of the library that the estimator was fitted with.

        Columns: ``query``, ``rank``, ``id``, ``distance``, ``vote``, ``target`` (``target_0``, ``target_1``, ... when
        there are several), the attributes' values by name, and ``share of NAME`` for what each adds to the distance.
        An attribute called like one of the first columns becomes ``NAME (value)``; where two columns would still have
        one name, the later becomes ``NAME (2)``. After a fit on arrays: in a frame of a library that is installed.
        """
        return framed(self._columns(), self.backend)

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "query": self.query_of_entry(),
            "rank": np.arange(self.ids.size) - np.repeat(self.indptr[:-1], np.diff(self.indptr)) + 1,
            "id": self.ids,
            "distance": self.distances,
            "vote": self.votes,
        }
        if self.targets.ndim == 1:
            columns["target"] = self.targets
        else:
            columns.update((f"target_{t}", column) for t, column in enumerate(self.targets.T))
        return by_attribute(columns, self.names, self.rows, {"share": self.shares})

    def __str__(self) -> str:
        grids = [_grid(one, _WIDTH) for one in self[:_QUERIES]]
        return grids_text(grids, rest_text(_QUERIES, len(self)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        grids = [_grid(one, None) for one in self[:_QUERIES]]
        return grids_html(grids, rest_text(_QUERIES, len(self)))

    def __rich__(self) -> TerminalView:
        from priorcase.neighbors.precedents_terminal import TerminalView

        return TerminalView(self)


# -- from polls to precedents


@dataclass(frozen=True, slots=True)
class Answer:
    """What is predicted for the queries of a poll, and their voters, nearest first, with their shares of the vote."""

    predictions: AnyArray
    voters: NeighborList
    votes: FloatArray
    probabilities: FloatArray | None = None  # of the classes of a single target
    codes: IntArray | None = None  # positions of the predicted classes, shape (queries, targets)

    @classmethod
    def of(
        cls,
        poll: Poll,
        predictions: AnyArray,
        probabilities: FloatArray | None = None,
        codes: IntArray | None = None,
        *,
        most: int | None = None,
    ) -> Self:
        """The answer of a poll, at most ``most`` voters listed for each query."""
        voters, votes = poll.voters, poll.votes()
        queries = voters.queries()
        votes = votes / summed(queries, votes, len(voters))[queries]
        orders = [
            start + np.argsort(voters.distances[start:stop], kind="stable")[:most]
            for start, stop in zip(voters.indptr[:-1].tolist(), voters.indptr[1:].tolist(), strict=True)
        ]
        taken = np.concatenate(orders)
        indptr = np.concatenate(([0], np.cumsum([order.size for order in orders])))
        nearest = NeighborList(indptr, voters.rows[taken], voters.distances[taken])
        return cls(predictions, nearest, votes[taken], probabilities, codes)


def precedents_of(estimator: KNNClassifier | KNNRegressor, X: Any, n_neighbors: int | None) -> Precedents:
    """The precedents of a k-NN estimator's predictions."""
    memory, table = estimator._answering(), estimator._table(X)
    cells = memory.instances.encode(table)
    most = LISTED_OF_ALL if n_neighbors is None and estimator._k == "all" else None
    answers = [estimator._answer(poll, most) for poll in polls_of(estimator, cells, n_neighbors)]
    unlike: tuple[Case | None, ...] = ()
    if answers[0].codes is not None:
        stored = np.stack([classes.codes for classes in estimator._outputs()], axis=1)
        predicted = np.concatenate([answer.codes for answer in answers if answer.codes is not None])
        unlike = unlike_cases(memory, cells, stored, predicted, estimator._targets_at, threads=estimator._threads())
    classes = getattr(estimator, "classes_", None)
    return assemble(memory, table, answers, estimator._targets_at, classes, unlike, estimator._backend)


def assemble(
    memory: NeighborsMemory,
    table: Table,
    answers: Sequence[Answer],
    targets_at: Callable[[IntArray], AnyArray],
    classes: AnyArray | None,
    unlike: tuple[Case | None, ...],
    backend: Backend | None,
) -> Precedents:
    """Precedents from the answers to the blocks of a table of queries."""
    rows = np.concatenate([answer.voters.rows for answer in answers])
    indptr = np.concatenate(([0], np.cumsum(np.concatenate([answer.voters.lengths for answer in answers]))))
    cells = memory.instances.encode(table)
    probabilities = [answer.probabilities for answer in answers if answer.probabilities is not None]
    return Precedents(
        names=attribute_names(memory.instances.schema),
        queries=decoded(table),
        predictions=np.concatenate([answer.predictions for answer in answers]),
        indptr=indptr,
        ids=memory.ids[rows],
        rows=memory.instances.decode(rows),
        targets=targets_at(rows),
        distances=np.concatenate([answer.voters.distances for answer in answers]),
        votes=np.concatenate([answer.votes for answer in answers]),
        shares=np.concatenate(
            [memory.contributions(cells[q], rows[indptr[q] : indptr[q + 1]]) for q in range(len(cells))]
        ),
        unlike=unlike,
        probabilities=np.concatenate(probabilities) if probabilities else None,
        classes=classes if probabilities else None,
        backend=backend,
    )


def unlike_cases(
    memory: NeighborsMemory,
    cells: FloatArray,
    codes: IntArray,
    predicted: IntArray,
    targets_at: Callable[[IntArray], AnyArray],
    *,
    threads: int,
) -> tuple[Case | None, ...]:
    """For each query the nearest row of other classes than the predicted ones; None where there is none.

    ``codes`` are the classes of the stored rows, shape (rows, targets), and ``predicted`` those of the queries.
    """
    cases: list[Case | None] = []
    for query, row, distance in zip(cells, *_nearest_unlike(memory, cells, codes, predicted, threads), strict=True):
        at = np.array([row])
        if row < 0:
            cases.append(None)
            continue
        target = targets_at(at).tolist()[0]
        case = Case(
            id=int(memory.ids[row]),
            row=memory.instances.decode(at)[0],
            target=tuple(target) if isinstance(target, list) else target,
            distance=float(distance),
            shares=memory.contributions(query, at)[0],
        )
        cases.append(case)
    return tuple(cases)


def _nearest_unlike(
    memory: NeighborsMemory, cells: FloatArray, codes: IntArray, predicted: IntArray, threads: int
) -> tuple[IntArray, FloatArray]:
    """Position and distance of the nearest row whose classes are not the predicted ones; -1 where there is none.

    The search widens eightfold, only for the queries that have found none yet.
    """
    positions = np.full(len(cells), -1, dtype=np.int64)
    distances = np.full(len(cells), np.nan)
    pending, k = np.arange(len(cells)), min(_FIRST, len(memory))
    while pending.size:
        found = memory.search(cells[pending], k, threads=threads)
        rows = memory.positions(found.ids)
        of = np.repeat(pending, np.diff(found.indptr))
        entries = np.flatnonzero((codes[rows] != predicted[of]).any(axis=1))
        queries, first = np.unique(of[entries], return_index=True)
        positions[queries], distances[queries] = rows[entries[first]], found.distances[entries[first]]
        if k == len(memory):
            break
        pending, k = pending[positions[pending] < 0], min(_GROWTH * k, len(memory))
    found_one = np.flatnonzero(positions >= 0)
    memory.check_finite(cells, found_one, positions[found_one], distances[found_one])
    return positions, distances


# -- as text and HTML


def target_at(values: Any, i: int) -> Any:
    """The prediction or target of one row; a tuple when there are several targets."""
    return values[i] if values.ndim == 1 else tuple(values[i].tolist())


def answer_text(one: Precedents, width: int) -> tuple[str, str]:
    """The prediction of a single query, and the probabilities of the most probable classes (empty without any)."""
    answer = value_text(target_at(one.predictions, 0), width)
    if one.probabilities is None or one.classes is None:
        return answer, ""
    probabilities = one.probabilities[0]
    likely = [c for c in np.argsort(-probabilities, kind="stable")[:_CLASSES].tolist() if probabilities[c] > 0]
    more = ", ..." if np.count_nonzero(probabilities) > len(likely) else ""
    listed = ", ".join(f"{value_text(one.classes[c], width)} {probabilities[c]:.2f}" for c in likely)
    return answer, f"  ({listed}{more})"


def _grid(one: Precedents, width: int | None) -> Grid:
    """The table of a single query; with a width, only the attributes that fit, those that add most to the distances."""
    attributes = [_attribute_column(one, a) for a in range(len(one.names))]
    fixed = _fixed_columns(one)
    shown = list(range(len(attributes)))
    if width is not None:
        room = width - sum(text_width(column) + 2 for column in fixed)
        shown = _fitting(attributes, one.shares.sum(axis=0), room)
    rows = [list(line) for line in zip(*fixed, *(attributes[a] for a in shown), strict=True)]
    notes = []
    if one.ids.size > _VOTERS:
        notes.append(f"{one.ids.size - _VOTERS} more voters")
    if len(shown) < len(attributes):
        notes.append(f"{len(attributes) - len(shown)} more attributes")
    note = f"and {' and '.join(notes)}" if notes else ""
    title = f"query {one.numbers[0]}: {''.join(answer_text(one, _VALUE_WIDTH))}"
    return Grid(title, rows[0], rows[1:], note, right=range(1, len(fixed) - 1))


def _fixed_columns(one: Precedents) -> list[list[str]]:
    """Rank, id, vote, distance and target of the query, its voters and its nearest unlike case."""
    n = min(one.ids.size, _VOTERS)
    columns = [
        ["", "query", *(str(rank + 1) for rank in range(n))],
        ["id", "", *(str(i) for i in one.ids[:n])],
        ["vote", "", *(f"{vote:.0%}" for vote in one.votes[:n])],
        ["distance", "", *(f"{distance:.4g}" for distance in one.distances[:n])],
        ["target", "", *(_value(target_at(one.targets, i)) for i in range(n))],
    ]
    for unlike in one.unlike:
        if unlike is not None:
            texts = ("unlike", str(unlike.id), "", f"{unlike.distance:.4g}", _value(unlike.target))
            for column, text in zip(columns, texts, strict=True):
                column.append(text)
    return columns


def _attribute_column(one: Precedents, a: int) -> list[str]:
    """One attribute's values, each with what it adds to the distance."""
    n = min(one.ids.size, _VOTERS)
    cells = [short(str(one.names[a]), _VALUE_WIDTH), _value(one.queries[0][a])]
    cells += [f"{_value(one.rows[i][a])} ({one.shares[i, a]:.2g})" for i in range(n)]
    cells += [f"{_value(u.row[a])} ({u.shares[a]:.2g})" for u in one.unlike if u is not None]
    return cells


def _fitting(columns: Sequence[Sequence[str]], shares: Any, room: int) -> list[int]:
    """Positions, in table order, of the columns that fit into ``room`` characters: the largest shares, at least one."""
    taken: list[int] = []
    for a in np.argsort(-np.nan_to_num(shares, posinf=np.inf), kind="stable").tolist():
        room -= text_width(columns[a]) + 2
        if room < 0 and taken:
            break
        taken.append(a)
    return sorted(taken)


def _value(value: Any) -> str:
    return value_text(value, _VALUE_WIDTH)
