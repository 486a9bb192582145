"""List, filter and search the stored rows, review suspects and unusual rows, and change rows with undo.

Changes are made with `partial_fit` and `forget`, so the model is up to date when the response is sent. The state of the
model before each change is kept until the model is saved; undo restores this state, including the ids of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory
from threading import RLock
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from fastapi import APIRouter, HTTPException, Path, Query
from pydantic import Field
from sklearn.base import clone, is_classifier

from priorcase._typing import AnyArray, BoolArray, IntArray
from priorcase.datasets.typed import typed_date, typed_number
from priorcase.documents import plain
from priorcase.exceptions import (
    NotAvailableError,
    ParameterError,
    PriorcaseError,
    ReadingError,
    SchemaMismatchError,
    TargetError,
    TooLargeError,
    UnknownIdError,
    advice,
    quoted,
)
from priorcase.explorer.checking import Score, left_out
from priorcase.explorer.files import Notation, csv_file, download
from priorcase.explorer.jobs import Job
from priorcase.explorer.workspace import Workspace, over_rows
from priorcase.learning.results import attribute_names
from priorcase.learning.state import lock_of, pinned
from priorcase.schema import Date, Nominal, Ordinal
from priorcase.schema.dates import date_of, seconds_of
from priorcase.serve import answers
from priorcase.serve.app import DistinctIds, Document, RowId, Service, new_router, read_json

Queue: TypeAlias = Literal["suspects", "outliers"]

_LARGEST = 2**62
_ORDERS = 8  # cached row orders
_SELECTIONS = 20
_FILTERS = 50
_CHANGED = 10_000  # maximum number of rows in one change


# -- finding rows


@dataclass(frozen=True)
class Filter:
    """A condition on one column: allowed values, a range of numbers or dates, or whether the value is missing."""

    column: str
    values: tuple[Any, ...] | None = None
    low: Any = None
    high: Any = None
    missing: bool | None = None

    @classmethod
    def read(cls, told: Any) -> Filter:
        """Parse a condition: ``{"column": "age", "low": 30}`` or ``{"column": "color", "values": ["red"]}``."""
        known = {"column", "values", "low", "high", "missing"}
        if not isinstance(told, dict) or not isinstance(told.get("column"), str) or told.keys() - known:
            raise ParameterError(
                'A filter must be an object with "column", and with "values", "low", "high" or "missing", got '
                f'{quoted(told)}. For example, pass {{"column": "age", "low": 30}}.'
            )
        values = told.get("values")
        if values is not None and not isinstance(values, list):
            raise ParameterError(f'The "values" of a filter must be a list, got {quoted(values)}.')
        for value in (told.get("low"), told.get("high"), *(values or ())):
            if not isinstance(value, str | int | float | None):
                raise ParameterError(f"A filter compares with a string, a number, true or false, got {quoted(value)}.")
        if not isinstance(told.get("missing"), bool | None):
            raise ParameterError(f'The "missing" of a filter must be true or false, got {quoted(told["missing"])}.')
        return cls(**{**told, "values": None if values is None else tuple(values)})


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of one column in all rows, for sorting, filtering and searching: numbers, or codes of ``values``."""

    name: str
    kind: Any
    cells: AnyArray
    values: tuple[Any, ...]

    @property
    def known(self) -> BoolArray:
        """Boolean mask of the rows in which the value is not missing."""
        return np.asarray(self.cells >= 0 if isinstance(self.kind, Nominal) else ~np.isnan(self.cells))

    def keys(self) -> AnyArray:
        """Return sort keys as numbers; nominal values are sorted alphabetically."""
        if not isinstance(self.kind, Nominal):
            return np.asarray(self.cells, np.float64)
        texts = [_text(value).casefold() for value in self.values]
        rank = np.empty(len(texts) + 1)
        rank[np.argsort(np.array(texts, dtype=object), kind="stable")] = np.arange(len(texts))
        rank[-1] = np.nan
        return rank[self.cells.astype(np.int64)]

    def containing(self, text: str) -> BoolArray:
        """Return a mask of the rows whose value as a string contains ``text``, ignoring case."""
        wanted = text.casefold()
        known = self.known
        found = np.zeros(len(self.cells), bool)
        if isinstance(self.kind, Nominal):
            hits = np.array([wanted in _text(value).casefold() for value in self.values] + [False])
            return np.asarray(hits[self.cells.astype(np.int64)])
        distinct, at = np.unique(self.cells[known], return_inverse=True)
        hits = np.array([wanted in self.text(cell).casefold() for cell in distinct.tolist()], bool)
        found[known] = hits[at.ravel()]
        return found

    def text(self, cell: float) -> str:
        """Return the value of a cell (a number, a date or an ordinal level) as a string."""
        if isinstance(self.kind, Ordinal):
            return _text(self.kind.order[int(cell)])
        if isinstance(self.kind, Date):
            return str(date_of(cell).isoformat())
        return f"{cell:.0f}" if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.6g}"

    def met(self, by: Filter) -> BoolArray:
        """Return a mask of the rows that pass a filter."""
        known = self.known
        found = np.ones(len(self.cells), bool)
        if by.missing is not None:
            found &= known != bool(by.missing)
        if by.values is not None:
            found &= self._among({_text(plain(value)) for value in by.values})
        if by.low is not None or by.high is not None:
            if isinstance(self.kind, Nominal):
                raise ParameterError(f"Column {quoted(self.name)} is nominal and has no range. Filter by values.")
            low, high = (None if end is None else self._number(end) for end in (by.low, by.high))
            with np.errstate(invalid="ignore"):
                found &= known
                found &= True if low is None else self.cells >= low
                found &= True if high is None else self.cells <= high
        return found

    def _among(self, texts: set[str]) -> BoolArray:
        values = self.kind.order if isinstance(self.kind, Ordinal) else self.values
        if isinstance(self.kind, Nominal | Ordinal):
            hits = np.array([_text(plain(value)) in texts for value in values] + [False])
            return np.asarray(hits[np.where(self.known, self.cells, -1).astype(np.int64)])
        numbers = [self._number(text) for text in texts]
        return np.isin(np.asarray(self.cells, np.float64), numbers)

    def _number(self, end: Any) -> float:
        try:
            if isinstance(self.kind, Ordinal):
                return float([_text(plain(level)) for level in self.kind.order].index(_text(end)))
            if isinstance(self.kind, Date):
                return float(seconds_of(typed_date(end) if isinstance(end, str) else end))  # type: ignore[arg-type]
            return float(typed_number(end) if isinstance(end, str) else end)  # type: ignore[arg-type]
        except ReadingError:
            raise  # the text has two meanings
        except (OverflowError, TypeError, ValueError):
            raise ParameterError(f"{quoted(end)} is not a valid value for column {quoted(self.name)}.") from None


def _text(value: Any) -> str:
    if isinstance(value, frozenset | set | list | tuple):
        return ", ".join(map(str, plain(value)))
    return "" if value is None else str(plain(value))


def stored_columns(model: Any, target: str | None) -> list[Cells]:
    """Return the columns of all stored rows, target first."""
    instances = model._stored().instances
    kind = instances.targets.kinds[0]
    values = instances.target_values() if isinstance(kind, Nominal) else ()
    columns = [Cells(target or "target", kind, instances.target(), values)]
    for a, (name, one) in enumerate(zip(attribute_names(instances.schema), instances.schema.kinds, strict=True)):
        held = instances.values(a) if isinstance(one, Nominal) else ()
        columns.append(Cells(str(name), one, instances.column(a), held))
    return columns


def found_rows(
    columns: Sequence[Cells],
    rank: AnyArray,
    *,
    search: str = "",
    filters: Sequence[Filter] = (),
    sort: str | None = None,
    descending: bool = False,
    among: IntArray | None = None,
) -> IntArray:
    """Return the positions of rows that pass all filters and contain all search words, sorted; missing values last.

    ``sort`` is the name of a column, or ``"#"`` to sort by ``rank``, which is also the default. If ``among`` is given,
    only these rows are returned, by default in the order of ``among``.
    """
    by_name = {"": columns[0]} | {column.name: column for column in reversed(columns)}
    for name in [one.column for one in filters] + ([] if sort in (None, "#") else [str(sort)]):
        if name not in by_name:
            remedy = advice(name, [column.name for column in columns], otherwise="GET /columns lists the columns.")
            raise SchemaMismatchError(f"There is no column {quoted(name)}. {remedy}")
    kept = np.ones(len(rank), bool)
    for one in filters:
        kept &= by_name[one.column].met(one)
    for word in search.split():
        hits = np.zeros(len(rank), bool)
        for column in columns:
            hits |= column.containing(word)
        kept &= hits
    rows = np.argsort(rank, kind="stable") if among is None else among
    rows = rows[kept[rows]]
    if sort == "#":
        rows = rows[np.argsort(rank[rows], kind="stable")]
        return rows[::-1] if descending else rows
    if sort is not None:
        keys = by_name[sort].keys()[rows]
        order = np.argsort(-keys if descending else keys, kind="stable")  # NaN is last in both directions
        rows = rows[order]
    return rows


# -- changes


@dataclass(frozen=True, eq=False)
class Change:
    """A change made in a review, with its description and the state before the change."""

    kind: Literal["keep", "correct", "forget"]
    text: str
    model: Any
    state: dict[str, Any]
    kept: frozenset[int]
    origins: Mapping[int, int]


@dataclass
class _Queue:
    """Rows to review, in the order in which the check returned them; the order does not change during the review."""

    version: int
    learner: str
    notes: dict[int, dict[str, Any]] = field(default_factory=dict)


class Review:
    """Review of the stored rows of a workspace, with the changes made since the model was last saved.

    One thread makes all changes, in the order of the requests.
    """

    def __init__(self, workspace: Workspace, service: Service, save: str | PathLike[str] | None) -> None:
        self.workspace, self.service, self.save = workspace, service, save
        self._lock = RLock()
        self._selections: dict[str, tuple[int, ...]] = {}
        self._opened: Any = None
        self._reset()

    def _reset(self) -> None:
        self._changes: list[Change] = []
        self._kept: frozenset[int] = frozenset()
        self._origins: Mapping[int, int] = {}  # from the id of a corrected row to its original id
        self._before: dict[str, tuple[Score, ...]] = {}
        self._before_jobs: dict[str, Job] = {}
        self._base: Any = None  # the model when it was last saved or opened
        self._queues: dict[Queue, _Queue] = {}
        self._orders: dict[Any, tuple[int, IntArray]] = {}
        self._unsaved, self._saved_as = 0, ""
        self._rows_version = self.workspace.rows_version

    def _current(self) -> Any:
        """Return the current model; first drop changes that belong to another file or to outdated rows."""
        model = self.service.model
        with self._lock:
            if self._opened is not self.workspace.opened:
                self._opened = self.workspace.opened
                self._reset()
            elif self._rows_version != self.workspace.rows_version:  # changed outside the review
                self._changes.clear()
                self._rows_version = self.workspace.rows_version
            if self._base is None:
                self._base = pinned(model)
        return model

    # -- reading

    def page(
        self,
        *,
        offset: int,
        limit: int,
        search: str,
        filters: Sequence[Filter],
        sort: str | None,
        descending: bool,
        queue: str | None,
    ) -> dict[str, Any]:
        """Return a page of the rows that meet the conditions, as JSON."""
        self._current()
        version, model = self.workspace.version, pinned(self.service.model)
        columns = stored_columns(model, self.service.target)
        key: tuple[Any, ...] = (version, search, tuple(filters), sort, descending, queue, self._kept)
        notes: dict[int, dict[str, Any]] = {}
        among: IntArray | None = None
        ids = np.asarray(model.ids_)
        told: dict[str, Any] = {}
        if queue in ("suspects", "outliers"):
            found = self._queue(queue)  # type: ignore[arg-type]
            if found is None:
                return {"state": self._check(queue).state, "total": 0, "offset": 0, "rows": []}  # type: ignore[arg-type]
            notes = found.notes
            told = {"stale": found.version != version, "learner": found.learner}
            among = self._places(ids, [one for one in notes if one not in self._kept])
            key += (found.version,)
        elif queue is not None:
            among = self._places(ids, self._selection(queue))
        with self._lock:
            known = self._orders.pop(key, None)
        if known is None:
            rank = np.array([self._origins.get(one, one) for one in ids.tolist()]) if self._origins else ids
            options: dict[str, Any] = {"search": search, "filters": filters, "sort": sort, "descending": descending}
            known = version, found_rows(columns, rank, among=among, **options)
        with self._lock:
            self._orders[key] = known
            while len(self._orders) > _ORDERS:
                self._orders.pop(next(iter(self._orders)))
        rows = known[1][offset : offset + limit]
        shown = self._documents(model, columns[0], rows, notes)
        return {"state": "done", "total": len(known[1]), "offset": offset, "rows": shown} | told

    def row(self, id_: int) -> dict[str, Any]:
        """Return one row as JSON, with its notes from the review queues."""
        self._current()
        model = pinned(self.service.model)
        columns = stored_columns(model, self.service.target)
        places = self._places(np.asarray(model.ids_), [id_])
        if not places.size:
            raise UnknownIdError(f"There is no row {id_}; it may have been forgotten or corrected.")
        notes = {one: dict(note) for queue in self._queues.values() for one, note in queue.notes.items() if one == id_}
        document = self._documents(model, columns[0], places, notes)[0]
        names = [column.name for column in columns[1:]]
        return document | {"values": dict(zip(names, document["values"], strict=True))}

    def _documents(
        self, model: Any, target: Cells, rows: IntArray, notes: Mapping[int, dict[str, Any]]
    ) -> list[dict[str, Any]]:
        instances, ids = model._stored().instances, np.asarray(model.ids_)[rows].tolist()
        cells = target.cells[rows].tolist()
        held = [target.values[int(cell)] for cell in cells] if isinstance(target.kind, Nominal) else cells
        documents = []
        for id_, values, own in zip(ids, instances.decode(rows), held, strict=True):
            document: dict[str, Any] = {"id": id_, "target": own, "values": list(values)}
            if id_ in self._origins:
                document["was"] = self._origins[id_]
            if id_ in self._kept:
                document["kept"] = True
            documents.append(document | ({"note": notes[id_]} if id_ in notes else {}))
        return documents

    @staticmethod
    def _places(ids: AnyArray, wanted: Sequence[int]) -> IntArray:
        given = np.asarray(list(wanted), np.int64)
        at = np.searchsorted(ids, given)
        there = at < ids.size
        there[there] = ids[at[there]] == given[there]
        return np.asarray(at[there])

    # -- the lines of rows

    def place(self, id_: int) -> str:
        """Return the name of a row: its line in the file if known (also for a corrected row), otherwise its id."""
        first = self._origins.get(id_, id_)
        return self.workspace.place(first) if first < len(self.workspace.lines) else f"#{id_}"

    def _named(self, ids: Sequence[int]) -> str:
        return self.place(ids[0]) if len(ids) == 1 else f"{len(ids):,} rows"

    def lines(self) -> dict[str, Any]:
        """Return the lines of the rows in the file, and the original ids of corrected rows."""
        self._current()
        lines = np.asarray(self.workspace.lines, np.int64)
        # Each run of consecutive lines is represented by the id and the line of its first row.
        starts = np.flatnonzero(np.diff(lines, prepend=-1) != 1).tolist()
        return {"rows": len(lines), "runs": [[id_, int(lines[id_])] for id_ in starts], "origins": self._origins}

    # -- selections

    def select(self, ids: Sequence[int]) -> str:
        """Store a selection of rows and return its name, which depends only on the rows."""
        name = sha256(np.asarray(sorted(ids), np.int64).tobytes()).hexdigest()[:12]
        with self._lock:
            self._selections.pop(name, None)
            self._selections[name] = tuple(sorted(ids))
            for old in list(self._selections)[:-_SELECTIONS]:
                del self._selections[old]
        return name

    def _selection(self, name: str) -> tuple[int, ...]:
        if name not in self._selections:
            raise UnknownIdError("This selection of rows is no longer available. Select the rows again on the map.")
        return self._selections[name]

    # -- queues

    def _check(self, queue: Queue) -> Any:
        return self.workspace.left_out if queue == "suspects" else self.workspace.outliers

    def _queue(self, queue: Queue) -> _Queue | None:
        """Return the rows of a review queue; None while the check is running."""
        if queue in self._queues:
            return self._queues[queue]
        version = self.workspace.version
        checked = self._check(queue).now()
        if checked is None:
            return None
        ids, learner = checked.ids.tolist(), str((self.workspace.learner or {}).get("title", ""))
        found = _Queue(version, learner)
        if queue == "suspects":
            predicted = checked.predicted.tolist()
            for at, share in checked.suspects:
                found.notes[ids[at]] = {"predicted": predicted[at], "doubt": share}
        else:
            for one in checked.outliers.rows:
                values = [{"column": v.column, "value": v.value, "expected": v.expected} for v in one.values]
                found.notes[ids[one.row]] = {"unexpected": values, "tail": one.tail}
        with self._lock:
            self._queues[queue] = found
        return found

    def check_again(self, queue: Queue) -> dict[str, Any]:
        """Run the check of a queue again on the current rows."""
        self._current()
        with self._lock:
            self._queues.pop(queue, None)
            self._check(queue).again()
        return self.document()

    # -- changing; on the thread that makes changes

    def keep(self, ids: Sequence[int]) -> dict[str, Any]:
        """Accept rows without changes and remove them from the queues."""
        model = self._current()
        self._check_ids(model, ids)
        with self._lock:
            self._record("keep", f"Keep {self._named(ids)}", model)
            self._kept = self._kept | set(ids)
        return self.document()

    def forget(self, ids: Sequence[int]) -> dict[str, Any]:
        """Forget rows."""
        model = self._current()
        self._check_ids(model, ids)
        before = pinned(model)
        answers.forget(model, list(ids))
        self._made("forget", f"Forget {self._named(ids)}", model, before, {})
        return {"rows": model.n_samples_fit_}

    def correct(self, id_: int, values: Mapping[str, Any], target: Any, *, has_target: bool) -> dict[str, Any]:
        """Change values or the target of a row; columns that are not named are unchanged."""
        model = self._current()
        before = pinned(model)
        places = self._places(np.asarray(model.ids_), [id_])
        if not places.size:
            raise UnknownIdError(f"There is no row {id_}; it may have been forgotten or corrected.")
        instances = model._stored().instances
        row = list(instances.decode(places)[0])
        names = [str(name) for name in attribute_names(instances.schema)]
        read = self.service.rows([dict(values)])[0]
        for name in values:
            row[names.index(name)] = read[names.index(name)]
        own = stored_columns(model, None)[0]
        held = own.cells[places[0]]
        label = own.values[int(held)] if isinstance(own.kind, Nominal) else float(held)
        if has_target:
            known = {str(plain(value)): value for value in own.values} if is_classifier(model) else {}
            label = known.get(str(target), target)
            if not isinstance(label, str | int | float):
                raise TargetError(f"A target must be a string, a number, true or false, got {quoted(label)}.")
        weights = None if instances.weights is None else [float(instances.weights[places[0]])]
        next_id = int(instances.next_id)
        try:
            model.partial_fit([row], [label], **({} if weights is None else {"sample_weight": weights}))
            model.forget([id_])
        except PriorcaseError:
            _put_back(model, before.__dict__)
            raise
        self._made("correct", f"Correct {self.place(id_)}", model, before, {next_id: self._origins.get(id_, id_)})
        return {"id": next_id, "was": id_}

    def undo(self) -> dict[str, Any]:
        """Undo the last change."""
        served = self._current()
        with self._lock:
            if not self._changes:
                raise NotAvailableError("There is nothing to undo.")
            change = self._changes.pop()
            self._kept, self._origins = change.kept, change.origins
            if change.kind == "keep":
                return {"undone": change.text}
            self._unsaved -= 1
            self._rows_version += 1
            if served is change.model:
                _put_back(served, change.state)
            else:  # another learner has been chosen since the change
                learner = over_rows(clone(served), pinned(change.model, change.state))
                self.workspace.replace_rows(learner)
        return {"undone": change.text}

    def saved(self) -> dict[str, Any]:
        """Save the model to the file; earlier changes can then no longer be undone."""
        model = self._current()
        if self.save is None:
            raise NotAvailableError(
                "There is no file to save to. Start priorcase explore with --save FILE, or download the model."
            )
        stands_in = self.workspace.stands_in
        model.save(self.save)
        with self._lock:
            self._changes.clear()
            self._unsaved, self._saved_as = 0, FilePath(fspath(self.save)).name
            self._before.clear()
            self._before_jobs.clear()
            self._base = pinned(model)
        return self.document() | {"stands_in": stands_in}

    @property
    def undoes_rows(self) -> bool:
        """Whether undoing the last change would change the rows."""
        return not self._changes or self._changes[-1].kind != "keep"

    def _record(self, kind: Literal["keep", "correct", "forget"], text: str, before: Any) -> None:
        model = self.service.model
        self._changes.append(Change(kind, text, model, before.__dict__, self._kept, self._origins))

    def _made(
        self, kind: Literal["correct", "forget"], text: str, model: Any, before: Any, origins: Mapping[int, int]
    ) -> None:
        with self._lock:
            self._record(kind, text, before)
            self._origins = {**self._origins, **origins}
            self._unsaved += 1
            self._rows_version += 1  # `Workspace.touch` then does the same

    def _check_ids(self, model: Any, ids: Sequence[int]) -> None:
        unknown = sorted(set(ids) - set(np.asarray(model.ids_).tolist()))
        if unknown:
            raise UnknownIdError(f"There is no row {unknown[0]}; it may have been forgotten or corrected.")

    # -- what the page shows around the rows

    def document(self) -> dict[str, Any]:
        """Return the unsaved changes, what can be undone or saved, and the scores before and after these changes."""
        self._current()
        with self._lock:
            ids, queues = np.asarray(pinned(self.service.model).ids_), {}
            for name, queue in self._queues.items():
                queues[name] = {"rows": self._places(ids, [one for one in queue.notes if one not in self._kept]).size}
            told = {
                "unsaved": self._unsaved,
                "undo": self._changes[-1].text if self._changes else None,
                "saves": None if self.save is None else FilePath(fspath(self.save)).name,
                "saved": self._saved_as,
                "kept": len(self._kept),
                "stands_in": self.workspace.stands_in,
                "queues": queues,
            }
        return told | {"score": self.scores()}

    def scores(self) -> dict[str, Any]:
        """Return the leave-one-out scores of the current learner on the saved rows and on the current rows."""
        learner = self.workspace.learner or {}
        name = str(learner.get("name"))
        told: dict[str, Any] = {"learner": learner.get("title"), "state": "running"}
        try:
            now = self.workspace.left_out.now()
        except NotAvailableError as error:
            return told | {"state": "failed", "message": str(error.args[0])}
        if now is None:
            return told | {"state": self.workspace.left_out.state}
        told |= {"state": "done", "after": [score.document() for score in now.scores]}
        if not self._unsaved:
            self._before[name] = now.scores
        elif name not in self._before:
            self._score_before(name)
        before = self._before.get(name)
        return told | {"before": None if before is None else [score.document() for score in before]}

    def _score_before(self, name: str) -> None:
        """Start a job that scores the saved rows with the current learner."""
        if name in self._before_jobs:
            return
        served, base, scores = pinned(self.service.model), self._base, self._before

        def work(job: Job) -> None:
            learner = base if type(base) is type(served) else over_rows(clone(served), base)
            scores[name] = left_out(learner).scores

        self._before_jobs[name] = self.workspace.jobs.start("Computing leave-one-out scores of the saved rows", work)

    # -- files

    def model_file(self) -> tuple[bytes, str]:
        """Return the current model as the content of a model file, and a name for the file."""
        model = pinned(self._current())
        with TemporaryDirectory() as folder:
            content = model.save(FilePath(folder) / "model.priorcase").read_bytes()
        return content, f"{FilePath(self.workspace.opened.name).stem or 'model'}.priorcase"

    def table_file(self) -> tuple[bytes, str]:
        """Return the rows as CSV in their original order, including columns that are not passed to learners."""
        self._current()
        model, opened = pinned(self.service.model), self.workspace.opened
        columns = stored_columns(model, self.service.target)
        ids = np.asarray(model.ids_)
        first = np.array([self._origins.get(one, one) for one in ids.tolist()], np.int64)
        order = np.argsort(first, kind="stable")
        notation = Notation() if opened.frame is None else Notation.of(opened.frame.attrs)
        positions = np.full(order.size, _LARGEST) if self.workspace.renumbered else first[order]
        beside = _beside(opened, positions)
        names = [*beside, *(column.name for column in columns[1:]), columns[0].name]
        target = columns[0]
        cells = target.cells[order].tolist()
        held = [target.values[int(cell)] for cell in cells] if isinstance(target.kind, Nominal) else cells
        decoded = zip(model._stored().instances.decode(order), held, strict=True)
        rows = (
            map(notation.date, names, [*(column[at] for column in beside.values()), *map(_cell, values), _cell(own)])
            for at, (values, own) in enumerate(decoded)
        )
        return csv_file(names, rows, notation), f"{FilePath(opened.name).stem or 'rows'}-corrected.csv"


def _beside(opened: Any, positions: IntArray) -> dict[str, list[Any]]:
    """Return the columns that are not passed to learners, with empty cells for rows that were added later."""
    past, frame = opened.past, opened.frame
    if past is None or frame is None:
        return {}
    known = np.flatnonzero(frame[past.target].notna().to_numpy())
    found = {}
    for name in past.left_out:
        values = frame[name].to_numpy(dtype=object)[known]
        found[str(name)] = [_cell(values[at]) if at < len(values) else "" for at in positions.tolist()]
    return found


def _cell(value: Any) -> Any:
    value = plain(value)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return "" if value is None else value


def _put_back(model: Any, state: dict[str, Any]) -> None:
    """Restore an earlier state of a model."""
    with lock_of(model):
        model.__dict__ = state


# -- routes


class Ids(Document):
    """Ids of rows."""

    ids: DistinctIds = Field(min_length=1, max_length=_CHANGED, examples=[[7, 8]])


class Selected(Document):
    """Ids of the rows in a selection."""

    ids: DistinctIds = Field(min_length=1, max_length=1_000_000, examples=[[7, 8]])


class Correction(Document):
    """New values for a row; omitted columns do not change, and null is a missing value."""

    id: RowId
    values: dict[str, Any] = Field({}, examples=[{"age": 31}])
    target: Any = Field(None, examples=["yes"])


def read_filters(text: str) -> list[Filter]:
    """Parse a JSON list of filters."""
    told = read_json(text.encode("utf-8", "surrogatepass")) if text else []
    if not isinstance(told, list):
        raise ParameterError("filters must be a list in JSON.")
    if len(told) > _FILTERS:
        raise TooLargeError(f"{len(told)} filters are more than the limit of {_FILTERS}.")
    return [Filter.read(one) for one in told]


def rows_routes(workspace: Workspace, service: Service, save: str | PathLike[str] | None = None) -> APIRouter:
    """Return the routes that list the stored rows, change them, undo changes and save."""
    router, review = new_router(), Review(workspace, service, save)

    @router.get("/rows", summary="List stored rows: sorted, filtered, searched, page by page")
    async def rows(
        offset: Annotated[int, Query(ge=0, le=_LARGEST)] = 0,
        limit: Annotated[int, Query(ge=1, le=500)] = 100,
        sort: Annotated[str | None, Query(max_length=1000, description="A column, or # to sort by id.")] = None,
        descending: bool = False,
        search: Annotated[str, Query(max_length=1000)] = "",
        filters: Annotated[str, Query(max_length=20_000, description='A list: [{"column": "age", "low": 30}].')] = "",
        queue: Annotated[str | None, Query(max_length=100, description="suspects, outliers or a selection.")] = None,
    ) -> Any:
        met = read_filters(filters)

        def page() -> Any:
            conditions: dict[str, Any] = {"search": search, "filters": met, "sort": sort, "descending": descending}
            return review.page(offset=offset, limit=limit, queue=queue, **conditions)

        return await service.answer(page)

    @router.get("/lines", summary="Get the line of each stored row in the file of the table")
    async def lines() -> Any:
        return await service.answer(review.lines)

    @router.get("/rows/{id}", summary="Get a stored row")
    async def row(id: Annotated[int, Path(ge=0, le=_LARGEST)]) -> Any:
        return await service.answer(review.row, id)

    @router.post("/rows/selection", summary="Create a named selection of rows for GET /rows")
    async def selection(body: Selected) -> Any:
        return await service.answer(lambda: {"selection": review.select(body.ids)})

    @router.get("/review", summary="Get the unsaved changes, and the scores before and after these changes")
    async def about() -> Any:
        return await service.answer(review.document)

    @router.post("/review/check/{queue}", summary="Find suspects or unusual rows again")
    async def check(queue: Queue) -> Any:
        return await service.answer(review.check_again, queue)

    @router.post("/review/keep", summary="Confirm rows as correct and remove them from the queues")
    async def keep(body: Ids) -> Any:
        return await _unless_read_only(review.keep, body.ids)

    @router.post("/review/correct", summary="Change values or the target of a row")
    async def correct(body: Correction) -> Any:
        has_target = "target" in body.model_fields_set
        return await service.change(review.correct, body.id, body.values, body.target, has_target=has_target)

    @router.post("/review/forget", summary="Forget rows; can be undone until the model is saved")
    async def forget(body: Ids) -> Any:
        return await service.change(review.forget, body.ids)

    @router.post("/review/undo", summary="Undo the last change")
    async def undo() -> Any:
        if review.undoes_rows:
            return await service.change(review.undo)
        return await _unless_read_only(review.undo)

    @router.post("/review/save", summary="Save the model to the file passed with --save")
    async def saved() -> Any:
        return await _unless_read_only(lambda: _on_writer(review.saved))

    @router.get("/review/model", summary="Download the model")
    async def model_file() -> Any:
        return await download(service, review.model_file, "application/octet-stream")

    @router.get("/review/table", summary="Download the rows as CSV")
    async def table_file() -> Any:
        return await download(service, review.table_file, "text/csv; charset=utf-8")

    async def _unless_read_only(work: Callable[..., Any], *args: Any) -> Any:
        if service.read_only:
            raise HTTPException(403, "This service is read-only.")
        return await service.answer(work, *args)

    def _on_writer(work: Callable[[], Any]) -> Any:
        found: list[Any] = []
        service.exclusively(lambda: found.append(work()))
        return found[0]

    return router
