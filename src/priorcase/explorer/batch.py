"""Predict a file of new rows in the background, with optional explanations.

The file is read in the same way as the table that is open in the explorer. The predictions can be downloaded as CSV,
with all columns of the file in their original format, or as JSON. In CSV, an apostrophe is put before strings that a
spreadsheet would run as formulas; JSON contains all strings unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import getitem
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from fastapi import APIRouter, Path
from pydantic import Field
from sklearn.base import is_classifier

from priorcase.documents import plain
from priorcase.exceptions import ReadingError, TooLargeError, UnknownIdError
from priorcase.explorer.files import Notation, csv_file, download
from priorcase.explorer.jobs import Job
from priorcase.explorer.uploads import Upload
from priorcase.explorer.workspace import Opened, Workspace
from priorcase.learning.results import attribute_names
from priorcase.learning.state import pinned
from priorcase.serve import answers
from priorcase.serve.app import Document, Service, new_router

if TYPE_CHECKING:
    pass

_BLOCK = {False: 500, True: 10}  # rows that are predicted, or explained, at a time
_MOST = {False: 200_000, True: 5_000}
_COMPUTED = frozenset(
    ("line", "prediction", "decision", "lower", "upper", "actual", "past cases", "changes that alter it")
)
_SHOWN = 50  # rows shown on the page
_KEPT = 3  # maximum number of batches kept for download
_LEVEL = 0.95
_OF_ONE_FILE = ("delimiter", "encoding", "header", "sheet")  # properties of one file, which may differ in other files


class Asked(Document):
    """Request to predict the rows of an upload, with optional explanations."""

    upload: int = Field(ge=0, examples=[1])
    precedents: int = Field(0, ge=0, le=20, description="Number of nearest past cases.")
    contributions: bool = False
    counterfactuals: int = Field(0, ge=0, le=5, description="Number of counterfactuals; for classification only.")

    @property
    def explains(self) -> bool:
        """Whether contributions or counterfactuals are requested, which take longer to compute than predictions."""
        return self.contributions or self.counterfactuals > 0


class NewRows(NamedTuple):
    """New rows of a file, in the format that the model accepts, with their line numbers and notes for the user."""

    X: Any
    names: list[str]
    cells: list[tuple[Any, ...]]
    lines: list[int]
    actual: list[Any] | None  # targets, if the file has any
    notes: list[str]
    fields: dict[str, list[str | None]]  # all columns of the file except the target, as text
    notation: Notation


@dataclass
class Batch:
    """Predictions for the rows of a file; empty until the job has finished."""

    name: str
    job: Job | None = None
    header: list[str] = field(default_factory=list)
    rows: list[list[Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    documents: list[dict[str, Any]] = field(default_factory=list)
    fields: dict[str, list[str | None]] = field(default_factory=dict)  # columns of the file, by name in the header
    notation: Notation = field(default_factory=Notation)
    about: dict[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return the first rows as JSON, for the page."""
        told = {"job": None if self.job is None else self.job.document(), "file": self.name, "notes": self.notes}
        return told | {"n": len(self.rows), "header": self.header, "rows": self.rows[:_SHOWN], **self.about}

    def csv(self) -> bytes:
        """Return all rows as CSV, with the columns of the file in their original format."""
        texts = {at: self.fields[name] for at, name in enumerate(self.header) if name in self.fields}
        rows = (
            [texts[at][i] if at in texts else cell for at, cell in enumerate(row)] for i, row in enumerate(self.rows)
        )
        return csv_file(self.header, rows, self.notation)

    def json(self) -> bytes:
        """Return all rows with their explanations as JSON."""
        document = {"file": self.name, **self.about, "notes": self.notes, "predictions": self.documents}
        return json.dumps(plain(document), allow_nan=False, indent=1).encode("ascii")


class Batches:
    """The latest batches of predictions, newest last."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self._batches, self._lock = workspace, dict[int, Batch](), Lock()

    def start(self, asked: Asked, model: Any) -> Job:
        """Start to predict the rows of an upload in the background."""
        upload, opened = self._workspace.uploads.get(asked.upload), self._workspace.opened
        batch = Batch(upload.name)

        def work(job: Job) -> None:
            job.tell("reading")
            try:
                new = new_rows(opened, model, upload)
            finally:
                self._workspace.uploads.remove(upload.id)
            answer(batch, pinned(model), new, asked, self._workspace, job)

        with self._lock:
            job = batch.job = self._workspace.jobs.start(f"Predicting {upload.name}", work)
            self._batches[job.id] = batch
            for old in list(self._batches)[:-_KEPT]:
                del self._batches[old]
        return job

    def get(self, id_: int) -> Batch:
        """Return the batch with this job id."""
        if (found := self._batches.get(id_)) is None:
            raise UnknownIdError(f"The predictions of job {id_} were removed. Upload the file again.")
        return found

    def done(self, id_: int) -> Batch:
        """Return the batch with this job id; raise an error if it is not finished."""
        if (found := self.get(id_)).job is None or found.job.state != "done":
            raise UnknownIdError(
                f"The predictions of job {id_} are not complete: the job is still running, was canceled or has failed."
            )
        return found


# -- reading


def new_rows(opened: Opened, model: Any, upload: Upload) -> NewRows:
    """Read the rows of a file with the options of the open table file, or else with the model's column kinds."""
    from priorcase.datasets.past import as_stored, class_labels, kinds_of_model
    from priorcase.datasets.reading import line_numbers, read_frame
    from priorcase.explaining.new_cases import columns_for, known_values, repeated_note, strange_note

    past, schema = opened.past, model.schema_
    how: dict[str, Any] = {}
    names = [str(name) for name in attribute_names(schema)]
    like = past.about if past is not None and past.about["columns"] else None  # None if the table is not a file
    if past is not None and like is not None and opened.reading is not None:
        ignored = {name: "ignore" for name, kind in opened.reading.columns.items() if kind == "ignore"}
        ignored |= dict.fromkeys(past.left_out, "ignore")
        how = {key: value for key, value in opened.reading.options.items() if key not in _OF_ONE_FILE}
        frame = read_frame(upload.path, schema=ignored, lenient=True, like=like, name=upload.name, **how)
    else:
        frame = read_frame(upload.path, schema=kinds_of_model(model), lenient=True, name=upload.name)
    if len(frame) == 0:
        raise ReadingError(f"{upload.name} has a header but no rows. Check that this is the right file.")
    X, notes = columns_for(frame, names, target=opened.target, of=opened.name)
    X = X if like is not None else as_stored(X, model)
    shown = X.assign(**{name: X[name].astype("Int64") for name in names if _is_whole(X[name])})
    cells = list(shown.astype(object).where(X.notna(), None).itertuples(index=False, name=None))
    actual = None
    if opened.target is not None and opened.target in frame.columns:
        column = frame[opened.target]
        actual = class_labels(column).tolist() if opened.task == "classify" else column.tolist()
        notes.append("" if past is None else repeated_note(past, X, actual))
    about = frame.attrs
    every = dict.fromkeys([*about["columns"], *about.get("ignored", ())], "nominal")
    as_text: dict[str, Any] = {**how, "schema": every, "missing": (), "like": about, "name": upload.name}
    texts = read_frame(upload.path, lenient=True, **as_text).astype(object)
    fields = texts.where(texts.notna(), None).to_dict("list")
    if actual is not None:
        del fields[opened.target]
    lines = line_numbers(about, np.arange(len(frame))).tolist()
    notes.append(strange_note(kinds_of_model(model), known_values(model), X, lines))
    X = X if schema.names is not None else cells
    return NewRows(X, names, cells, lines, actual, list(filter(None, notes)), fields, Notation.of(about))


def _is_whole(column: Any) -> bool:
    """Return whether a float column contains only integers; pandas reads integers with missing values as floats."""
    if column.dtype.kind != "f":
        return False
    known = column.dropna()
    return bool(((known.round() == known) & (known.abs() < 2**53)).all())


# -- predicting


def answer(batch: Batch, model: Any, new: NewRows, asked: Asked, workspace: Workspace, job: Job) -> None:
    """Predict rows block by block, and store the predictions in the batch when all blocks are finished."""
    total, most = len(new.lines), _MOST[asked.explains]
    if total > most:
        what = "explained" if asked.explains else "predicted"
        raise TooLargeError(
            f"{total:,} rows are more than the limit of {most:,} rows that can be {what} at a time. Split the file."
        )
    target, decision = workspace.opened.target, workspace.decision
    size, documents = _BLOCK[asked.explains], list[dict[str, Any]]()
    for start in range(0, total, size):
        job.tell(f"row {start + 1:,} of {total:,}", start / total)
        X = new.X[start : start + size]
        documents += [dict(one) for one in _answered(model, X, asked)]
    for i, one in enumerate(documents):
        known: dict[str, Any] = {"line": new.lines[i]}
        known["values"] = dict(zip(new.names, map(_text, new.cells[i]), strict=True))
        if unused := {name: texts[i] for name, texts in new.fields.items() if name not in new.names}:
            known["unused"] = unused
        if decision and all(label in one.get("probabilities", ()) for label in decision["classes"]):
            one["decision"] = decided(one["probabilities"], decision)
        documents[i] = known | one | ({} if new.actual is None else {"actual": new.actual[i]})
    columns = _columns(model, new, asked, documents, workspace.place)
    batch.header, batch.notes = [name for name, _ in columns], new.notes
    batch.fields, batch.notation = {_shown(name): texts for name, texts in new.fields.items()}, new.notation
    batch.rows = [[plain(cell(one)) for _, cell in columns] for one in documents]
    batch.documents = documents
    batch.about = {"target": target, "learner": repr(model), "right": _right(new, documents, model)}


def decided(probabilities: Mapping[str, float], decision: Mapping[str, Any]) -> str:
    """Return the class with the minimum expected cost, or the class chosen by a threshold on the probability.

    >>> decided({"no": 0.7, "yes": 0.3}, {"classes": ["no", "yes"], "costs": [[0, 1], [5, 0]]})
    'yes'
    >>> decided({"no": 0.7, "yes": 0.3}, {"classes": ["no", "yes"], "positive": "yes", "threshold": 0.4})
    'no'
    """
    classes = list(map(str, decision["classes"]))
    if decision.get("costs"):
        shares = np.array([probabilities[label] for label in classes])
        return classes[int(np.argmin(shares @ np.asarray(decision["costs"], np.float64)))]
    positive = str(decision["positive"])
    is_positive = probabilities[positive] >= decision["threshold"] - 1e-9
    return positive if is_positive else next(label for label in classes if label != positive)


def _answered(model: Any, X: Any, asked: Asked) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = answers.predictions(model, X, _LEVEL)
    if asked.explains:
        counterfactuals = asked.counterfactuals if is_classifier(model) else 0  # regression needs bounds
        more = answers.explanations(model, X, [], precedents=asked.precedents, counterfactuals=counterfactuals)
        return [own | other for own, other in zip(found, more, strict=True)]
    if asked.precedents:
        near = answers.neighbors(model, X, asked.precedents)
        return [other | own for own, other in zip(found, near, strict=True)]
    return found


Cell = Callable[[Mapping[str, Any]], Any]


def _columns(
    model: Any, new: NewRows, asked: Asked, documents: Sequence[Mapping[str, Any]], place: Callable[[int], str]
) -> list[tuple[str, Cell]]:
    """Return the name of each column of the prediction table, and a function that gets its cell from a prediction."""
    first = documents[0]
    found = [("line", _at("line")), ("prediction", _at("prediction"))]
    found += [("decision", _at("decision"))] if "decision" in first else []
    found += [(f"P({label})", _at("probabilities", label)) for label in first.get("probabilities", ())]
    found += [("lower", _at("interval", 0)), ("upper", _at("interval", 1))] if "interval" in first else []
    found += [("actual", _at("actual"))] if new.actual is not None else []
    found += [(_shown(name), _at("values" if name in new.names else "unused", name)) for name in new.fields]
    if asked.contributions:
        found += [(f"contribution of {name}", _at("contributions", "contributions", name)) for name in new.names]
    if asked.precedents:
        found.append(
            ("past cases", lambda one: "; ".join(_precedent(near, place) for near in one.get("precedents", ())))
        )
    if asked.counterfactuals and "counterfactuals" in first:
        found.append(("changes that alter it", lambda one: "; ".join(map(_counterfactual, one["counterfactuals"]))))
    return found


def _shown(name: str) -> str:
    """Return the header of a column of the file; ``(value)`` is added if a computed column has the same name."""
    return f"{name} (value)" if name in _COMPUTED else name


def _at(*path: Any) -> Cell:
    """Return a function that gets the value at the given keys of a nested dictionary; lists become strings."""
    return lambda one: _text(reduce(getitem, path, one))


def _precedent(one: Mapping[str, Any], place: Callable[[int], str]) -> str:
    return f"{place(one['id'])} {_text(one['target'])} at {one['distance']:.3g}"


def _counterfactual(one: Mapping[str, Any]) -> str:
    changes = ", ".join(f"{name}: {_text(b)} -> {_text(a)}" for name, (b, a) in one["changes"].items())
    return f"{_text(one['prediction'])} if {changes}"


def _text(value: Any) -> Any:
    value = plain(value.date() if hasattr(value, "normalize") and value == value.normalize() else value)  # a date
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _right(new: NewRows, documents: Sequence[Mapping[str, Any]], model: Any) -> dict[str, Any] | None:
    """Return the number of correct predictions or the mean absolute error; None if no row has a target."""
    known = [one for one in documents if one.get("actual") is not None and one["actual"] == one["actual"]]
    if not known:
        return None
    if is_classifier(model):
        return {"rows": len(known), "right": sum(str(one["actual"]) == str(one["prediction"]) for one in known)}
    errors = [abs(float(one["prediction"]) - float(one["actual"])) for one in known]
    return {"rows": len(known), "mean_absolute_error": float(np.mean(errors))}


# -- routes


def batch_routes(workspace: Workspace, service: Service) -> APIRouter:
    """Return the routes that predict files of new rows, show the first predictions, and download all of them."""
    router, batches = new_router(), Batches(workspace)

    @router.post("/batch", summary="Predict the rows of an upload in the background")
    async def start(body: Asked) -> Any:
        model = service.model
        return await service.answer(lambda: batches.start(body, model).document())

    @router.get("/batch/{id}", summary="Get the first predictions")
    async def first(id: Annotated[int, Path(ge=0, le=2**31)]) -> Any:
        return await service.answer(lambda: batches.get(id).document())

    @router.get("/batch/{id}/predictions.csv", summary="All predictions as CSV")
    async def as_csv(id: Annotated[int, Path(ge=0, le=2**31)]) -> Any:
        return await download(service, lambda: (batches.done(id).csv(), "predictions.csv"), "text/csv; charset=utf-8")

    @router.get("/batch/{id}/predictions.json", summary="All predictions with their explanations as JSON")
    async def as_json(id: Annotated[int, Path(ge=0, le=2**31)]) -> Any:
        return await download(service, lambda: (batches.done(id).json(), "predictions.json"), "application/json")

    return router
