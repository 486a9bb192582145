"""Precedents: the stored rows behind each prediction, with tables and plots."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from rich.cells import cell_len, set_cell_size

from priorcase._numbers import equal_decimals, number, share_text
from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, IdArray, IntArray, Name
from priorcase.exceptions import prefix_errors
from priorcase.learning.results import (
    Grid,
    PrintedPerQuery,
    Row,
    TextResult,
    attribute_names,
    by_attribute,
    decoded,
    framed,
    grids_html,
    rest_text,
    short,
    text_width,
    value_text,
)
from priorcase.neighbors.base import NeighborsMemory
from priorcase.neighbors.polling import polls_of
from priorcase.neighbors.votes import Poll, summed
from priorcase.relevance import MutualInformation
from priorcase.relevance.base import LearnedWeights, fixed_sample
from priorcase.schema import Table

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.text import Text

    from priorcase.neighbors.knn import KNNClassifier, KNNRegressor

LISTED_OF_ALL = 10
"""Number of precedents listed if all rows vote."""

# Printed numbers of queries; in tables, numbers of voters, characters of a line and of a value, and classes.
_QUERIES, _VOTERS, _WIDTH, _VALUE_WIDTH, _CLASSES = 5, 10, 120, 24, 4
# Numbers of cases, attributes and characters of a value shown on a terminal.
_CASES, _ATTRIBUTES, _TEXT_WIDTH = 5, 20, 18
# Number of rows searched for the nearest row of another class, and its growth.
_FIRST, _GROWTH = 32, 8
_LEARNED_FROM = 1000  # maximum number of rows for learning attribute relevance


@dataclass(frozen=True)
class Precedent(TextResult):
    """A stored row shown with a prediction: a voter, or the nearest row of another class.

    The fields are ``id``, ``row`` (the values, None if missing), ``target`` (a tuple for several targets), ``distance``
    from the query, and ``contributions`` of each column to the distance.

    Examples
    --------
    >>> Precedent(7, (31, "red"), "no", 0.25, np.array([0.25, 0.0]))
    Precedent(id=7, row=(31, 'red'), target='no', distance=0.25)
    """

    id: int
    row: Row
    target: Any
    distance: float
    contributions: FloatArray = field(repr=False)


@dataclass(frozen=True, repr=False, eq=False)
class Precedents(PrintedPerQuery):
    """Stored rows that vote on each query, nearest first; they print as a table.

    The arrays of voters are flat, with one entry for each pair of a query and a voter. The entries of query ``i`` are
    at ``indptr[i]:indptr[i + 1]``. ``precedents[i]`` and ``precedents[i:j]`` select queries, which keep their numbers.

    Parameters
    ----------
    names
        Names of the columns; ``x0``, ``x1``, ... for a table without names.
    queries, predictions, indptr
        Values of the queries (None if missing), the predictions, and the start of each query's entries.
    ids, rows, targets, distances, votes
        The voting rows. ``votes`` contains vote shares, which sum to 1 if all voters of a query are listed. For models
        without votes, it contains NaN.
    contributions
        Contribution of each column to each distance, shape (entries, columns); each row sums to the entry's distance.
        NaN if the distance compares whole rows.
    unlike
        For each query, the nearest row with a class other than the predicted class, or None if there is no such row.
        Empty for regression, unless the explorer or the service has filled in the nearest row whose target is outside
        the prediction interval.
    probabilities, classes
        Class probabilities of each query, shape (queries, classes), and the classes; None for regression and for
        several targets.
    backend
        The data frame library of the training data; None if the training data were not a data frame.
    numbers
        Number of each query in the original batch; 0, 1, ... by default.
    importance
        Importance of each column for each prediction, shape (queries, columns). Printed tables show the most important
        columns first. The importance is the attribute weight or, if all weights are equal, the mutual information of
        column and target; in an explanation, it is the size of the contribution. None keeps the order of the table.
    member, member_weight
        Name and weight of the stack member that these neighbors come from; None for models other than stacks.
    n_voters
        Number of rows that vote on each query, including voters that are not listed; None if all voters are listed.

    Examples
    --------
    >>> import priorcase as pc
    >>> model = pc.KNNClassifier(2).fit([[31, "red"], [62, "blue"], [60, None]], ["no", "yes", "yes"])
    >>> found = model.precedents([[59, "blue"]])
    >>> found.ids, found.votes, found.unlike[0].id
    (array([1, 2]), array([0.5, 0.5]), 0)
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
    contributions: FloatArray
    unlike: tuple[Precedent | None, ...] = ()
    probabilities: FloatArray | None = None
    classes: AnyArray | None = None
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()
    importance: FloatArray | None = None
    member: str | None = None
    member_weight: float | None = None
    n_voters: IntArray | None = None

    _by_entry: ClassVar[tuple[str, ...]] = ("ids", "targets", "distances", "votes", "contributions")
    _by_query: ClassVar[tuple[str, ...]] = ("queries", "predictions")

    def _taken(self, at: list[int]) -> Self:
        return replace(
            super()._taken(at),
            **self._listed([np.arange(self.indptr[i], self.indptr[i + 1]) for i in at]),
            unlike=tuple(self.unlike[i] for i in at) if self.unlike else (),
            probabilities=None if self.probabilities is None else self.probabilities[at],
            importance=None if self.importance is None else self.importance[at],
            n_voters=None if self.n_voters is None else self.n_voters[at],
        )

    def _listed(self, entries: Sequence[IntArray]) -> dict[str, Any]:
        """Return the fields with one entry per voter, restricted to the given entries, and the new ``indptr``."""
        every = np.concatenate([np.arange(0), *entries])
        found: dict[str, Any] = {name: getattr(self, name)[every] for name in self._by_entry}
        found["rows"] = [self.rows[entry] for entry in every.tolist()]
        found["indptr"] = np.concatenate(([0], np.cumsum([of.size for of in entries], dtype=np.int64)))
        return found

    def _nearest(self, n: int) -> Self:
        """Return the ``n`` nearest voters of each query; their votes remain shares of the votes of all voters."""
        spans = zip(self.indptr[:-1].tolist(), self.indptr[1:].tolist(), strict=True)
        n_voters = np.diff(self.indptr) if self.n_voters is None else self.n_voters
        listed = self._listed([np.arange(start, min(start + n, stop)) for start, stop in spans])
        return replace(self, **listed, n_voters=n_voters)

    def _unlisted(self) -> int:
        """Return the number of voters that are not listed, for precedents of a single query."""
        return 0 if self.n_voters is None else int(self.n_voters[0]) - self.ids.size

    def query_of_entry(self) -> IntArray:
        """Return, for each entry, the number of the query to which the entry belongs."""
        return np.repeat(np.array(self.numbers, dtype=np.int64), np.diff(self.indptr))

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row per query and voter.

        Columns: ``query``, ``rank``, ``id``, ``distance``, ``vote``, ``target`` (``target_0``, ``target_1``, ... for
        several targets), a column of values for each column of the table, and ``contribution of NAME`` for the
        contribution of each column to the distance. If a name is already used, such as ``id``, the column of values is
        called ``id (value)``; duplicates become ``NAME (2)``. ``backend`` is the library of the data frame, by default
        the library of the training data.
        """
        return framed(self._columns(), backend or self.backend)

    def plot(self, ax: Any = None, query: int = 0) -> Any:
        """Plot the precedents of one query as bars with `PrecedentsDisplay`; return the axes."""
        from priorcase.plots import PrecedentsDisplay  # imported here: higher layer

        return PrecedentsDisplay.of(self, query=query).plot(ax)

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
        return by_attribute(columns, self.names, self.rows, {"contribution": self.contributions})

    def _grid(self, i: int) -> Grid:
        return _grid(self[i], _WIDTH)

    def _repr_html_(self) -> str:
        return grids_html([_grid(one, None) for one in self[:_QUERIES]], rest_text(_QUERIES, len(self)))

    def __rich__(self) -> TerminalView:
        return TerminalView(self)


# -- from polls to precedents


def precedents_of(estimator: KNNClassifier | KNNRegressor, X: Any, n_neighbors: int | None) -> Precedents:
    """Return the precedents of a k-NN estimator's predictions."""
    memory, table = estimator._answering(), estimator._table(X)
    most = LISTED_OF_ALL if n_neighbors is None and estimator._k == "all" else None
    polls = list(polls_of(estimator, memory.instances.encode(table), n_neighbors))
    predictions, classes = estimator._answers(polls)
    return assemble(estimator, table, polls, predictions, most=most, **classes)


def assemble(
    estimator: Any,
    table: Table,
    polls: Iterable[Poll],
    predictions: AnyArray,
    *,
    most: int | None = None,
    codes: tuple[IntArray, IntArray] | None = None,
    probabilities: FloatArray | None = None,
    classes: AnyArray | None = None,
) -> Precedents:
    """Return the precedents of queries; ``codes`` contains the classes of the stored rows and the predicted classes."""
    memory: NeighborsMemory = estimator._stored()
    cells, instances = memory.encode(table), memory.instances
    unlike: tuple[Precedent | None, ...] = ()
    if codes is not None:
        stored, predicted = codes
        unlike = _unlike_cases(
            estimator, cells, lambda rows, of: (stored[rows] != predicted[of]).any(axis=1), estimator._targets_at
        )
    lists: list[tuple[IntArray, FloatArray, FloatArray]] = []  # rows, distances and shares of the vote, nearest first
    n_voters: list[int] = []
    for poll in polls:
        voters, votes, queries = poll.voters, poll.votes(), poll.voters.queries()
        votes = votes / summed(queries, votes, len(voters))[queries]
        for start, stop in voters.spans():
            order = start + np.argsort(voters.distances[start:stop], kind="stable")[:most]
            lists.append((voters.rows[order], voters.distances[order], votes[order]))
            n_voters.append(stop - start)
    rows, distances, votes = (np.concatenate(parts) for parts in zip(*lists, strict=True))
    return Precedents(
        names=attribute_names(instances.schema),
        queries=decoded(table),
        predictions=predictions,
        indptr=np.concatenate(([0], np.cumsum([of.size for of, _, _ in lists]))),
        ids=memory.ids[rows],
        rows=instances.decode(rows),
        targets=estimator._targets_at(rows),
        distances=distances,
        votes=votes,
        contributions=np.concatenate([memory.contributions(cells[q], of) for q, (of, _, _) in enumerate(lists)]),
        unlike=unlike,
        probabilities=probabilities,
        classes=classes,
        backend=estimator._backend,
        importance=importance_of(memory, len(table)),
        n_voters=np.array(n_voters, dtype=np.int64),
    )


def importance_of(memory: NeighborsMemory, queries: int) -> FloatArray:
    """Return the weight of each attribute, or its mutual information with the target if all weights are equal."""

    def learned() -> FloatArray:
        weights = memory.attribute_weights
        if weights is None or not np.ptp(weights):
            data, ids = memory.training_data(), memory.ids[fixed_sample(len(memory), _LEARNED_FROM)]
            weights = LearnedWeights(MutualInformation()).learn(replace(data, instances=data.instances.subset(ids)))
        return weights

    weights = memory.cached("importance", learned)
    return np.broadcast_to(weights, (queries, weights.size))


def outside_intervals(estimator: Any, X: Any, ends: FloatArray) -> tuple[Precedent | None, ...]:
    """Return, for each query i, the nearest row with a target below ``ends[i, 0]`` or above ``ends[i, 1]``."""
    memory: NeighborsMemory = estimator._answering()
    numbers = np.asarray(memory.instances.target(0), np.float64)

    def is_outside(rows: IntArray, queries: IntArray) -> BoolArray:
        return np.asarray((numbers[rows] < ends[queries, 0]) | (numbers[rows] > ends[queries, 1]))

    return _unlike_cases(estimator, memory.encode(estimator._table(X)), is_outside, lambda rows: numbers[rows])


def _unlike_cases(
    estimator: Any,
    cells: FloatArray,
    differs: Callable[[IntArray, IntArray], BoolArray],
    targets_at: Callable[[IntArray], AnyArray],
) -> tuple[Precedent | None, ...]:
    """Return, for each query, the nearest row for which ``differs`` returns true, or None if there is no such row."""
    memory: NeighborsMemory = estimator._stored()
    cases: list[Precedent | None] = [None] * len(cells)
    pending, k = np.arange(len(cells)), min(_FIRST, len(memory))
    while pending.size:
        found = memory.search(cells[pending], k, threads=estimator._threads())
        of = pending[found.queries()]
        entries = np.flatnonzero(differs(found.rows, of))
        queries, first = np.unique(of[entries], return_index=True)
        rows, distances = found.rows[entries[first]], found.distances[entries[first]]
        memory.check_finite(cells, queries, rows, distances)
        targets = [tuple(t) if isinstance(t, list) else t for t in targets_at(rows).tolist()]
        parts = [memory.contributions(cells[q], rows[i : i + 1])[0] for i, q in enumerate(queries)]
        fields = memory.ids[rows].tolist(), memory.instances.decode(rows), targets, distances.tolist(), parts
        for query, case in zip(queries.tolist(), zip(*fields, strict=True), strict=True):
            cases[query] = Precedent(*case)
        if k == len(memory):
            break
        pending, k = np.setdiff1d(pending, queries), min(_GROWTH * k, len(memory))
    return tuple(cases)


# -- as text and HTML


def _target_at(values: Any, i: int) -> Any:
    """Return the prediction or target of one row; a tuple for several targets."""
    return values[i] if values.ndim == 1 else tuple(values[i].tolist())


def _answer_text(one: Precedents, width: int) -> tuple[str, str]:
    """Return the prediction of a single query and the probabilities of the most probable classes, as text."""
    answer = value_text(_target_at(one.predictions, 0), width)
    if one.probabilities is None or one.classes is None:
        return answer, ""
    probabilities = one.probabilities[0]
    likely = [c for c in np.argsort(-probabilities, kind="stable")[:_CLASSES].tolist() if probabilities[c] > 0]
    more = ", ..." if np.count_nonzero(probabilities) > len(likely) else ""
    listed = ", ".join(f"{value_text(one.classes[c], width)} {share_text(probabilities[c])}" for c in likely)
    return answer, f"  ({listed}{more})"


def _voters(one: Precedents, most: int) -> list[Precedent]:
    """Return the nearest voters of a single query."""
    targets = [_target_at(one.targets, i) for i in range(min(one.ids.size, most))]
    fields = zip(one.ids.tolist(), one.rows, targets, one.distances.tolist(), one.contributions, strict=False)
    return [Precedent(*case) for case in fields]


def _grid(one: Precedents, width: int | None) -> Grid:
    """Return the table of a single query; ``width`` limits how many attributes are shown, most important first."""
    voters, unlike = _voters(one, _VOTERS), [case for case in one.unlike if case is not None]
    cases, n, value = [*voters, *unlike], len(voters), partial(value_text, width=_VALUE_WIDTH)
    votes = [["vote", "", *map(_vote_text, one.votes[:n].tolist()), *("" for _ in unlike)]]
    fixed = [
        ["", "query", *map(str, range(1, n + 1)), *("unlike" for _ in unlike)],
        ["id", "", *(str(case.id) for case in cases)],
        *(votes if _votes(one) else []),
        ["distance", "", *equal_decimals([case.distance for case in cases])],
        ["target", "", *(value(case.target) for case in cases)],
    ]
    attributes = [
        [short(str(name), _VALUE_WIDTH), value(one.queries[0][a])]
        + [value(case.row[a]) + _part_text(case.contributions[a], " ({})") for case in cases]
        for a, name in enumerate(one.names)
    ]
    order, missing = _by_importance(one)
    parts = [_part_text(float(case.contributions[missing].sum()), "({})") for case in cases]
    together = [[f"{len(missing)} missing", "?", *parts]] if missing else []
    shown = order
    if width is not None:
        room = width - sum(text_width(column) + 2 for column in (*fixed, *together))
        shown = _fitting(attributes, order, room)
    rows = [list(line) for line in zip(*fixed, *(attributes[a] for a in shown), *together, strict=True)]
    voters_left = one.ids.size + one._unlisted() - n
    hidden = {"voter" if _votes(one) else "case": voters_left, "attribute": len(order) - len(shown)}
    notes = " and ".join(f"{count:,} more {what}{'s' * (count > 1)}" for what, count in hidden.items() if count)
    notes = f"and {notes}" if notes else ""
    title = f"query {one.numbers[0]}: {''.join(_answer_text(one, _VALUE_WIDTH))}\n{member_text(one)}".rstrip("\n")
    return Grid(title, rows[0], rows[1:], notes, right=range(1, len(fixed) - 1))


def member_text(found: Precedents) -> str:
    """Return a line that names the stack member to which the precedents belong; empty for other models."""
    if found.member is None:
        return ""
    weight = "" if found.member_weight is None else f", which has {found.member_weight:.1%} of the weight of the stack"
    return f"Similar past cases (used by the stack member {found.member}{weight})"


def _vote_text(vote: float) -> str:
    """Format a vote as a percentage; votes of local fits can be negative, and a rounded -0 is shown as 0%."""
    return f"{round(vote, 2) + 0.0:.0%}"


def _part_text(contribution: float, text: str = "{}") -> str:
    """Format the contribution of an attribute to a distance; empty if the distance compares whole rows."""
    return "" if math.isnan(contribution) else text.format(number(contribution, 2))


def _votes(one: Precedents) -> bool:
    """Return whether the listed rows have votes."""
    return not np.isnan(one.votes).any()


def _by_importance(one: Precedents) -> tuple[list[int], list[int]]:
    """Return the attributes to show one by one, most important first, and the missing attributes to show as a group."""
    absent = np.array([value is None for value in one.queries[0]], bool)
    importance = np.zeros(absent.size) if one.importance is None else one.importance[0]
    order = np.lexsort((absent, -importance))
    together = absent & (absent.sum() > 1)
    return order[~together[order]].tolist(), np.flatnonzero(together).tolist()


def _fitting(columns: Sequence[Sequence[str]], order: Sequence[int], room: int) -> list[int]:
    """Return the first columns in ``order`` that fit into ``room`` characters, but at least one column."""
    taken: list[int] = []
    for a in order:
        room -= text_width(columns[a]) + 2
        if room < 0 and taken:
            break
        taken.append(a)
    return taken


# -- on a terminal: a column for each case, a line for each attribute, contributions that add up to the distance


@dataclass(frozen=True)
class TerminalView:
    """Display of precedents on a terminal with ``rich``, in tables that fit the width of the terminal."""

    precedents: Precedents
    target: str = "target"
    headings: Sequence[Text] | None = None  # one for each query shown; None: the numbers of the first few queries

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        from rich.text import Text

        if not len(self.precedents):
            yield Text("no queries")
        headings = self.headings
        if headings is None:
            headings = [Text(f"query {number}  ", style="dim") for number in self.precedents.numbers[:_QUERIES]]
        for i, heading in enumerate(headings):
            if i:
                yield Text()
            one = self.precedents[i]
            answer, likely = _answer_text(one, _TEXT_WIDTH)
            line = Text.assemble(f"{self.target}: ", (answer, "bold green"), likely)
            last = heading.plain.rpartition("\n")[2]
            crowded = bool(last) and cell_len(last) + cell_len(line.plain) > options.max_width
            yield Text.assemble(heading, "\n" if crowded else "", line)
            if member := member_text(one):
                yield Text(f"\n{member}")
            yield from _tables(one, self.target, options.max_width)
        if rest := rest_text(len(headings), len(self.precedents)):
            yield Text(rest, style="dim")


def _tables(one: Precedents, target: str, width: int) -> Iterator[RenderableType]:
    """Yield the cases of a single query in as many tables as the width requires, and a note about further voters."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    order, missing = _by_importance(one)
    attributes, others = order[:_ATTRIBUTES], order[_ATTRIBUTES:]
    labels = [short(text, _TEXT_WIDTH) for text in (target, *(str(one.names[a]) for a in attributes))]
    query = ["", *(_value(one.queries[0][a]) for a in attributes)]
    for group, what, value in ((others, "others", ""), (missing, "missing", "?")):
        labels += [f"{len(group)} {what}"] * bool(group)
        query += [value] * bool(group)
    # Equal votes of all voters are not shown.
    votes = _votes(one) and (one._unlisted() > 0 or bool((one.votes != one.votes[:1]).any()))
    room = width - text_width(labels) - 2 - text_width(["new case", *query])
    for panel_number, panel in enumerate(_panels(_columns(one, attributes, [others, missing], votes), room)):
        if panel_number:
            yield Text()
        table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), show_footer=True)
        table.add_column("", Text("distance" + "\nvote" * votes), style="dim", footer_style="dim", no_wrap=True)
        table.add_column(Text("new case"), style="bold", no_wrap=True)
        for head, *_, footer in panel:
            table.add_column(head, footer, no_wrap=True)
        for label, value, *cells in zip(labels, query, *(column[1:-1] for column in panel), strict=True):
            table.add_row(Text(label), Text(value), *cells)
        yield table
    rest = range(_CASES, min(one.ids.size, 2 * _CASES))
    listed = ", ".join(
        f"#{one.ids[i]} {_value(_target_at(one.targets, i))} {number(one.distances[i], 4)}" for i in rest
    )
    more = one.ids.size + one._unlisted() - max(rest.stop, min(one.ids.size, _CASES))
    if rest:
        yield Text(
            f"also {'voting' if _votes(one) else 'near'}: {listed}{f' and {more:,} more' if more else ''}", style="dim"
        )
    elif more:
        yield Text(f"and {more:,} more voter{'s' * (more > 1)}", style="dim")


def _panels(columns: Sequence[Sequence[Text]], room: int) -> list[Sequence[Sequence[Text]]]:
    """Split columns into panels that fit into ``room`` characters, with about the same number of columns each."""
    widths = [cell_len(column[-1].plain.partition("\n")[0]) + 2 for column in columns]
    for size in range(len(columns), 1, -1):
        count = -(-len(columns) // size)
        even = -(-len(columns) // count)
        starts = range(0, len(columns), even)
        if all(sum(widths[start : start + even]) <= room for start in starts):
            return [columns[start : start + even] for start in starts]
    return [[column] for column in columns]


def _columns(
    one: Precedents, attributes: Sequence[int], groups: Sequence[Sequence[int]], votes: bool
) -> list[list[Text]]:
    """Return a column for each voter, and a column for the nearest case of another class if it is not yet shown."""
    from rich.text import Text

    voters, unlike = _voters(one, _CASES), one.unlike[0] if one.unlike else None
    apart = [unlike] if unlike is not None and unlike.id not in one.ids[:_CASES] else []
    texts = [_vote_text(vote) if votes else "" for vote in one.votes[: len(voters)].tolist()] + [""] * len(apart)
    columns, predicted = [], _value(_target_at(one.predictions, 0))
    distances = equal_decimals([case.distance for case in (*voters, *apart)])
    for case, distance, vote in zip([*voters, *apart], distances, texts, strict=True):
        head, target = f"#{case.id}", _value(case.target)
        if unlike is not None and case.id == unlike.id:
            head = f"unlike: {head}" if apart else f"{head} unlike"
        differs = case is unlike or (unlike is not None and target != predicted)
        values, parts = [_value(case.row[a]) for a in attributes], case.contributions[attributes].tolist()
        most = int(np.argmax(parts)) if parts else -1
        for group in filter(None, groups):
            values.append("")
            parts.append(float(case.contributions[group].sum()))
        numbers = [_part_text(part) if part else "" for part in parts]
        right = text_width([distance, vote, *numbers])
        left = max(text_width(values), text_width([head, target]) - right - 1)
        column = [Text(head), Text(target, style="bold magenta" if differs else "bold green")]
        for line, (value, part) in enumerate(zip(values, numbers, strict=True)):
            padded, style = set_cell_size(value, left), "bold yellow" if line == most else "yellow"
            column.append(Text.assemble(padded, " ", (part.rjust(right), style)) if part else Text(padded, style="dim"))
        footer = "\n".join(text.rjust(left + 1 + right) for text in (distance, vote)[: 1 + votes])
        columns.append([*column, Text(footer)])
    return columns


def _value(value: Any) -> str:
    return value_text(value, _TEXT_WIDTH)
