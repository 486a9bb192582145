"""The workspace of the explorer: open data, the current model, and background jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from threading import Lock
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from sklearn.base import clone, is_classifier

from priorcase._cancelling import Cancelled
from priorcase._files import file_kind
from priorcase.exceptions import PriorcaseError, UnsupportedDataError
from priorcase.explorer.checking import Computed, left_out, stored_outliers
from priorcase.explorer.columns import stored_rows
from priorcase.explorer.jobs import Job, Jobs
from priorcase.explorer.processes import in_process
from priorcase.explorer.uploads import Uploads
from priorcase.learning.state import pinned
from priorcase.registry import find_by_class
from priorcase.saving import load_bytes

if TYPE_CHECKING:
    from priorcase.datasets.past import Past, Reading
    from priorcase.serve.app import Service

T = TypeVar("T")
ReadFrame = Callable[["Reading"], Any]

_BUILTIN = "repairs"  # the table that is opened by default
_NEIGHBORS = 10  # number of neighbors of the first model
_LEAST_ROWS = 2  # minimum number of rows to fit learners after a change
_FIRST_QUESTION = 3.0  # maximum seconds to wait for the first query before stacked learners are fitted


@dataclass(frozen=True)
class Opened:
    """The open table, model or case base.

    A table without a chosen target has the kind ``"raw"``. ``source`` reads the table with the options ``reading``, and
    ``frame`` is the result. ``past`` contains the rows that have a target, and ``set_aside`` is the number of rows
    without a target. ``read`` is a sentence that describes how the table was read.
    """

    kind: Literal["nothing", "raw", "table", "model", "cases"] = "nothing"
    name: str = ""
    path: str | None = None
    target: str | None = None
    task: str | None = None
    past: Past | None = field(default=None, repr=False)
    reading: Reading | None = None
    source: ReadFrame | None = field(default=None, repr=False)
    frame: Any = field(default=None, repr=False)
    read: str = ""
    set_aside: int = 0

    def document(self) -> dict[str, Any]:
        """Return the open table, model or case base as JSON."""
        told = {name: getattr(self, name) for name in ("kind", "name", "target", "task", "read", "set_aside")}
        return told | {"left_out": self.left_out}

    @property
    def left_out(self) -> dict[str, str]:
        """Columns that are not passed to learners, with the reasons."""
        return {} if self.past is None else {name: str(self.past.uninformative[name]) for name in self.past.left_out}


class Workspace:
    """The state of the explorer: the open file, the current model, and background jobs.

    For a table, k-NN predicts immediately. Stacked learners are fitted in the background and then replace k-NN. After
    `connect`, the service that the page uses serves every new model. ``problem`` is the reason why the last file
    could not be opened.

    Parameters
    ----------
    read_only
        Whether to open a case base in read-only mode.

    Examples
    --------
    >>> workspace = Workspace()
    >>> job = workspace.open_table(target="job")  # the built-in table of repairs
    >>> workspace.jobs.wait(job.id)
    >>> workspace.opened.name, workspace.opened.task, workspace.learner["name"]
    ('repairs', 'classify', 'knn')
    >>> workspace.close()
    """

    def __init__(self, *, read_only: bool = False) -> None:
        self.jobs, self.uploads, self.read_only = Jobs(), Uploads(), read_only
        self.problem = ""
        self._open: tuple[Any, Opened] = None, Opened()  # one attribute, so that threads always see a matching pair
        self.version = self.rows_version = 0
        self.renumbered = False  # whether ids of rows are no longer their positions in the table
        self.decision: dict[str, Any] | None = None
        self._service: Service | None = None
        self._lock = Lock()
        self._cache: dict[str, tuple[int, Any]] = {}
        self._stand_in: Any = None  # k-NN, while stacked learners are fitted
        self._stack_job: Job | None = None
        self.left_out = Computed(self, "Computing leave-one-out predictions", left_out)
        self.outliers = Computed(self, "Finding unusual rows", stored_outliers)

    def connect(self, service: Service) -> None:
        """Connect a service; from now on, the service serves the current model or case base."""
        self._service = service
        service.changed = self.touch
        if self.served is not None:
            service.serve(self.served, self.opened.target)

    # -- opening

    def open(
        self, path: str | PathLike[str] | None = None, *, target: str | None = None, reading: Reading | None = None
    ) -> Job:
        """Open a saved model, a case base or a table, depending on the file; by default the built-in table."""
        kind = None if path is None or target is not None else file_kind(path)
        if path is not None and kind == "model":
            return self.open_model(path)
        if path is not None and kind == "cases":
            return self.open_cases(path)
        return self.open_table(path, target=target, reading=reading)

    def open_table(
        self,
        path: str | PathLike[str] | None = None,
        *,
        target: str | None = None,
        reading: Reading | None = None,
        read: ReadFrame | None = None,
        name: str | None = None,
    ) -> Job:
        """Read a table, fit k-NN, and then fit stacked learners in a second job.

        ``path`` is a file or the name of a data set; None opens the built-in table of repairs. ``read`` returns the
        frame for a `Reading` if the table comes from elsewhere, such as standard input; ``name`` is then its display
        name. If neither ``target`` nor the table names a target, the table is only read; `correct` sets the target.
        """
        shown = name or (_BUILTIN if path is None else Path(fspath(path)).name)

        def work(job: Job) -> None:
            from priorcase.datasets.past import Reading

            asked = Reading({}, {}) if reading is None else reading
            self._take_table(job, path, shown, target, asked, read or _reader(path))

        return self._start(f"Opening {shown}", work)

    def open_upload(self, id_: int) -> Job:
        """Open an uploaded table or saved model, and remove the upload."""
        upload = self.uploads.get(id_)
        kind = file_kind(upload.path)
        if kind == "cases":
            raise UnsupportedDataError("A case base cannot be uploaded. Open it with priorcase explore FILE.")
        if kind is None:
            self.jobs.cancel_all(0)
        content = upload.path.read_bytes()
        self.uploads.remove(id_)
        if kind == "model":
            return self._open_model(upload.name, None, lambda: load_bytes(content, source=upload.name))
        return self.open_table(read=bytes_reader(content, upload.path, upload.name), name=upload.name)

    def correct(self, reading: Reading, target: str | None) -> Job:
        """Read the open table again with corrections, and fit a model if ``target`` is given.

        All other background jobs are canceled, since these jobs use the previous table.
        """
        opened = self.opened
        source = opened.source
        if source is None:
            raise UnsupportedDataError("Only a table can be read again. Open a table.")
        self.jobs.cancel_all(0)

        def work(job: Job) -> None:
            self._take_table(job, opened.path, opened.name, target, reading, source, only_read=not target)

        return self._start(f"Reading {opened.name} again", work)

    def open_model(self, path: str | PathLike[str]) -> Job:
        """Open a saved model."""

        def load() -> Any:
            import priorcase as pc

            return pc.load(path)

        return self._open_model(Path(fspath(path)).name, fspath(path), load)

    def _open_model(self, name: str, path: str | None, load: Callable[[], Any]) -> Job:
        def work(job: Job) -> None:
            from sklearn.base import is_classifier

            from priorcase.serve.answers import check_served

            model = load()
            check_served(model)
            task = "classify" if is_classifier(model) else "regress"
            self._answer_with(model, Opened("model", name, path, task=task))

        return self._start(f"Opening {name}", work)

    def open_cases(self, path: str | PathLike[str]) -> Job:
        """Open a case base."""
        name = Path(fspath(path)).name

        def work(job: Job) -> None:
            import priorcase as pc

            base = pc.CaseBase.open(Path(path), readonly=self.read_only)
            self._answer_with(base, Opened("cases", name, fspath(path)))

        return self._start(f"Opening {name}", work)

    def fit_stack(self, *, wait: float = 0.0) -> Job:
        """Fit stacked learners to the open table in another process, and use them when they are ready.

        The fitted learners are discarded if rows are changed in the meantime. The fit begins after the first query, or
        after ``wait`` seconds.
        """
        past = self.opened.past
        if past is None:
            raise UnsupportedDataError("Learning requires a table. Open a table.")
        served, before = self.served, self.rows_version
        source = pinned(served)

        def work(job: Job) -> None:
            import priorcase as pc

            service, latest = self._service, perf_counter() + wait
            while service is not None and service.answered is not served and perf_counter() < latest:
                job.tell("waiting for the first question")
                sleep(0.05)
            cls = pc.StackedClassifier if past.task == "classify" else pc.StackedRegressor
            told: Any = dict(past.schema) or None
            job.tell("starting")
            model = in_process(job, with_fitted_members, over_rows(cls(schema=told), source))
            self.answer_with(with_fitted_members(model), before)  # builds the indexes again in this process

        if self._stack_job is not None:
            self.jobs.cancel(self._stack_job.id)
        self._stack_job = self.jobs.start("Fitting stacked learners", work)
        return self._stack_job

    def answer_with(self, model: Any, rows_version: int) -> None:
        """Use another model that was fitted to the same rows from now on.

        ``rows_version`` is the version of the rows that the model was fitted to. If the rows have changed since then,
        the model is discarded.
        """

        def take_over() -> None:
            if self.rows_version != rows_version:
                raise PriorcaseError("The rows have changed since the fit began, so the previous learner is kept.")
            self._answer_with(model, self.opened)

        self._exclusively(take_over)

    def close(self) -> None:
        """Cancel all jobs, close the case base, and remove uploads."""
        self.jobs.cancel_all()
        self.uploads.close()
        if self.opened.kind == "cases":
            self.served.close()

    # -- what is open

    @property
    def served(self) -> Any:
        """Current model or case base; None if nothing is open yet or the open table has no target."""
        return self._open[0]

    @property
    def opened(self) -> Opened:
        """The open file."""
        return self._open[1]

    @property
    def learner(self) -> dict[str, Any] | None:
        """Current learner with its ``name``, ``title`` and ``parameters``; None for a case base or without a model."""
        return _learner(*self._open)

    @property
    def stands_in(self) -> bool:
        """Whether k-NN is used only until stacked learners are fitted."""
        job = self._stack_job
        return self.served is self._stand_in is not None and job is not None and job.state == "running"

    def status(self) -> dict[str, Any]:
        """Return the status for the page: the open file, the current learner, and the jobs."""
        version = self.version  # read first: if it is outdated, the page requests the status again
        served, opened = self._open
        rows = None if opened.frame is None else len(opened.frame)
        if served is not None:
            rows = len(served) if opened.kind == "cases" else served.n_samples_fit_
        return {
            "open": opened.document() | {"rows": rows, "problem": self.problem},
            "learner": _learner(served, opened),
            "jobs": self.jobs.documents(),
            "version": version,
            "rows_version": self.rows_version,
            "decision": self.decision,
            "read_only": self.read_only,
            "stands_in": self.stands_in,
        }

    @property
    def lines(self) -> tuple[int, ...]:
        """Line of each row in the file of the open table, by id; empty if lines are not known."""
        past = self.opened.past
        return () if past is None or self.renumbered or not past.about.get("lines") else past.lines

    def place(self, id_: int) -> str:
        """Return the name of a stored row: its line in the file if known, otherwise its id."""
        lines = self.lines
        return f"line {lines[id_]:,}" if 0 <= id_ < len(lines) else f"#{id_}"

    def cached(self, key: str, compute: Callable[[], T]) -> T:
        """Return the result of ``compute()``, cached until the model or the rows change."""
        version = self.version
        with self._lock:
            found = self._cache.get(key)
        if found is not None and found[0] == version:
            value: T = found[1]
            return value
        value = compute()
        with self._lock:
            self._cache[key] = version, value
        return value

    def touch(self) -> None:
        """Invalidate all results computed from the rows; call this after the rows have changed.

        If stacked learners are in use, they are fitted again in the background, and k-NN is used in the meantime.
        """
        self.rows_version += 1
        self.version += 1
        served, past = self.served, self.opened.past
        if past is None or served is None or served.n_samples_fit_ < _LEAST_ROWS:
            return
        if type(served).__name__ in ("StackedClassifier", "StackedRegressor"):
            self._stand_in = over_rows(_fast_learner(past, served.n_samples_fit_), served)
            self._answer_with(self._stand_in, self.opened)
        if self.served is self._stand_in:
            self.fit_stack()

    def replace_rows(self, model: Any) -> None:
        """Replace the model with the same learner fitted to other rows; call `touch` afterwards."""
        if self.served is self._stand_in:
            self._stand_in = model
        self._answer_with(model, self.opened)

    # -- within jobs

    def _start(self, name: str, work: Callable[[Job], None]) -> Job:
        def guarded(job: Job) -> None:
            try:
                work(job)
            except PriorcaseError as error:
                self.problem = str(error.args[0]) if error.args else str(error)
                self.version += 1
                raise
            except Cancelled:
                if self.opened.kind == "nothing":
                    self.problem = "Opening was canceled. Open another file, or start priorcase explore again."
                    self.version += 1
                raise

        return self.jobs.start(name, guarded)

    def _take_table(
        self,
        job: Job,
        path: Any,
        name: str,
        target: str | None,
        reading: Reading,
        read: ReadFrame,
        *,
        only_read: bool = False,
    ) -> None:
        """Read a table and fit k-NN; without a target, fit no model."""
        frame = read(reading)
        job.tell("looking at the columns")
        target = None if only_read else target or frame.attrs.get("target")
        known = Opened(name=name, path=None if path is None else fspath(path), reading=reading, source=read)
        known = replace(known, frame=frame, read=str(frame.attrs.get("understood", "")))
        if target is None:
            self._exclusively(lambda: self._answer_with(None, replace(known, kind="raw")))
            return
        opened = _with_past(known, target)
        assert opened.past is not None
        job.tell("fitting k-NN")
        model = _fast_learner(opened.past, len(opened.past.y)).fit(opened.past.X, opened.past.y)

        def take_over() -> None:
            self._answer_with(model, opened)
            self._stand_in = model

        self._exclusively(take_over)
        self.fit_stack(wait=_FIRST_QUESTION)

    def _answer_with(self, served: Any, opened: Opened) -> None:
        if opened is not self.opened:
            self.rows_version += 1
            self.decision, self.problem = None, ""
            self.renumbered = False
        self.renumbered |= getattr(served, "_renumbered", False)
        if self._service is not None:
            self._service.serve(served, opened.target)
        self._open = served, opened
        self.version += 1

    def _exclusively(self, change: Callable[[], None]) -> None:
        if self._service is None:
            change()
        else:
            self._service.exclusively(change)


def _learner(served: Any, opened: Opened) -> dict[str, Any] | None:
    if served is None or opened.kind == "cases":
        return None
    known = find_by_class(type(served))
    name = known.name if known else type(served).__name__
    return {"name": name, "title": learner_title(served), "parameters": repr(served)}


def learner_title(model: Any) -> str:
    """Return the display name of the learner of a model."""
    known = find_by_class(type(model))
    return known.title if known else type(model).__name__


def _with_past(opened: Opened, target: str) -> Opened:
    """Return the table with a target column, without id columns, constant columns, and rows that have no target."""
    from priorcase.datasets.past import past_of, without_uninformative

    assert opened.reading is not None
    past = past_of(opened.frame, target, opened.reading, missing=True)
    known = ~_missing(past.y)
    set_aside = int((~known).sum())
    if set_aside:
        lines = tuple(line for line, kept in zip(past.lines, known.tolist(), strict=True) if kept)
        past = past._replace(X=past.X[known], y=past.y[known], lines=lines)
    past = without_uninformative(past)
    return replace(opened, kind="table", target=past.target, task=past.task, past=past, set_aside=set_aside)


def bytes_reader(content: bytes, path: Path, name: str) -> ReadFrame:
    """Return a function that reads an uploaded file and can be called repeatedly."""

    def read(reading: Reading) -> Any:
        from priorcase.datasets.files import format_of
        from priorcase.datasets.reading import read_frame

        options = {"format": format_of(path, content)} | dict(reading.options)
        return read_frame(BytesIO(content), schema=reading.columns, lenient=True, name=name, **options)

    return read


def _reader(path: str | PathLike[str] | None) -> ReadFrame:
    """Return a function that reads a file, a named data set, or the built-in table."""

    def read(reading: Reading) -> Any:
        from priorcase.datasets import available
        from priorcase.datasets.catalog import load_frame
        from priorcase.datasets.reading import read_frame

        if path is not None and (Path(path).exists() or fspath(path) not in available()):
            return read_frame(path, schema=reading.columns, lenient=True, **reading.options)
        frame = load_frame(_BUILTIN if path is None else fspath(path), reading.columns)
        frame.attrs["lines"] = None  # the user has no file with these lines
        return frame

    return read


def over_rows(model: Any, source: Any) -> Any:
    """Return a clone of a model, fitted to the rows of another model; keep the row ids if the class allows this."""
    from priorcase._parameters import check_seed

    state = source._saved_state()
    kept = {name: state[name] for name in ("backend", "labels", "flat") if name in state}
    seed = check_seed(getattr(model, "random_state", 0))
    found = clone(model)
    if not is_classifier(model) or "labels" in kept:
        try:
            found._restore_state({"rows": state["rows"].fork(), "fitted_with": {}, "seed": seed, **kept})
            return found
        except KeyError:  # the class stores more than rows, such as records
            found = clone(model)
    found = found.fit(*stored_rows(source))
    found._renumbered = np.asarray(source.ids_).tolist() != list(range(len(source.ids_)))
    return found


def with_fitted_members(model: Any) -> Any:
    """Fit the members and intervals of a stack now instead of at the first prediction; return the stack."""
    X = stored_rows(model)[0][:1]
    model.predict(X)
    if hasattr(model, "predict_interval") and model.n_samples_fit_ > 1:
        model.predict_interval(X)
    return model


def _fast_learner(past: Past, rows: int) -> Any:
    """Return the k-NN learner that is used until stacked learners are fitted."""
    import priorcase as pc

    given: Mapping[str, Any] = {"schema": dict(past.schema) or None}
    k = max(1, min(_NEIGHBORS, rows - 1))
    cls = pc.KNNClassifier if past.task == "classify" else pc.KNNRegressor
    return cls(k, **given)


def _missing(y: Any) -> Any:
    import pandas as pd

    return pd.isna(y)
