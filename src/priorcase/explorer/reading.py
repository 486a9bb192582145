"""Reading options of a table and their corrections: column kinds, format, dates, missing values and target."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException
from pydantic import Field

from priorcase.datasets.past import Reading
from priorcase.exceptions import NotAvailableError, ParameterError
from priorcase.explorer.columns import frame_summaries, stored_rows
from priorcase.explorer.jobs import Job, RowsResult
from priorcase.explorer.weights import Weighing, answer_with_weights, weighted_neighbors
from priorcase.explorer.workspace import Opened, Workspace
from priorcase.schema import Circular, uninformative_columns
from priorcase.serve.app import Document, Service, new_router

_EXAMPLES, _LEVELS = 3, 30  # example values of a column, and maximum number of distinct values that may be levels
_CODES = 5  # numeric columns with at most this many values may contain codes, as in the report
_MAY_BE_CODES = "few different numbers; if these are codes, change the kind to nominal"
_FOLDS, _SECONDS = 5, 20.0  # for measuring the importance of columns

Name = Annotated[str, Field(max_length=1000)]


class ColumnKind(Document):
    """Kind of a column; ordinal columns need ``levels`` (lowest first), circular columns a ``period``."""

    kind: Literal["numeric", "nominal", "ordinal", "date", "text", "set", "circular", "ignore"]
    levels: list[Name] = Field([], max_length=1000)
    period: float | None = None


class Options(Document):
    """Format of a text file; options that are omitted or null are detected from the file."""

    delimiter: str | None = Field(None, max_length=1)
    decimal: Literal[".", ","] | None = None
    thousands: str | None = Field(None, max_length=1)
    dates: str | None = Field(None, max_length=100)
    missing: list[Name] | None = Field(None, max_length=100)
    header: bool | None = None
    encoding: str | None = Field(None, max_length=100)
    sheet: str | None = Field(None, max_length=1000)


class Corrections(Document):
    """Reading options for the open table; without a target, no model is fitted."""

    target: Name | None = None
    kinds: dict[str, ColumnKind] = Field({}, examples=[{"size": {"kind": "ordinal", "levels": ["S", "M", "L"]}}])
    options: Options = Field(default_factory=lambda: Options.model_validate({}))


class OpenedFile(Document):
    """Request to open a file that was sent to ``/uploads``."""

    upload: int = Field(ge=0, le=2**31)


def reading_of(given: Corrections) -> Reading:
    """Convert corrections from the page to reading options."""
    if given.target in given.kinds and given.kinds[given.target].kind == "ignore":
        raise ParameterError(f"Column {given.target!r} is the target and cannot be ignored. Choose another target.")
    columns: dict[str, Any] = {}
    for name, told in given.kinds.items():
        if told.kind == "ordinal":
            levels = tuple(level.strip() for level in told.levels)
            if len(levels) < 2 or "" in levels or len(set(levels)) < len(levels):
                raise ParameterError(f"Column {name!r} needs two or more different levels, lowest first.")
            columns[name] = levels
        elif told.kind == "circular":
            if told.period is None:
                raise ParameterError(f"Column {name!r} needs a period, such as 24 for hours or 360 for degrees.")
            columns[name] = Circular(told.period)
        else:
            columns[name] = told.kind
    return Reading(columns, {name: value for name, value in dict(given.options).items() if value is not None})


def reading_document(opened: Opened) -> dict[str, Any]:
    """Return how the open table was read, and all columns with their kinds, including ignored columns."""
    frame, reading = opened.frame, opened.reading
    if frame is None or reading is None:
        raise NotAvailableError("The reading options are available only for a table, but no table is open.")
    about = frame.attrs
    schema = {name: told for name, told in reading.columns.items() if name in frame.columns and _is_told(told)}
    why = {str(name): str(reason) for name, reason in uninformative_columns(frame).items()} if len(frame) else {}
    columns = []
    for summary in frame_summaries(frame, schema):
        name = summary["name"]
        declared = reading.columns.get(name)
        note = why.get(name)
        if (
            note is None
            and declared is None
            and summary["kind"] == "numeric"
            and 1 < summary.get("distinct", 0) <= _CODES
        ):
            note = _MAY_BE_CODES
        columns.append(summary | _declared(declared) | _values(frame[name]) | {"note": note})
    ignored = [{"name": name, "kind": "ignore", **_declared("ignore")} for name in about.get("ignored", ())]
    return {
        "read": opened.read,
        "format": about.get("format"),
        "found": {name: about.get(name) for name in ("delimiter", "encoding", "header", "sheet", "missing")},
        "options": dict(reading.options),
        "rows": len(frame),
        "target": opened.target,
        "likely_target": str(about.get("target") or frame.columns[-1]),
        "columns": columns + ignored,
        "left_out": opened.left_out,
    }


def _is_told(told: Any) -> bool:
    """Return whether a declared kind must be passed to `frame_summaries`, since dtypes do not determine it."""
    return told in ("nominal", "text", "set") if isinstance(told, str) else not isinstance(told, tuple)


def _declared(told: Any) -> dict[str, Any]:
    if told is None:
        return {"declared": None}
    if isinstance(told, tuple):
        return {"declared": "ordinal", "levels": list(told)}
    return {"declared": told} if isinstance(told, str) else {"declared": "circular", "period": told.period}


def _values(column: Any) -> dict[str, Any]:
    """Return example values of a column as text and, if there are at most 30 distinct values, all of them in order."""
    known = column.dropna()
    distinct = known.drop_duplicates()
    ordered = (
        sorted(distinct.tolist(), key=lambda value: (isinstance(value, str), value)) if len(distinct) <= _LEVELS else []
    )
    return {
        "examples": [_text(value) for value in distinct.head(_EXAMPLES).tolist()],
        "texts": list(map(_text, ordered)),
    }


def _text(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


# -- importance


def measured_importance(workspace: Workspace, job: Job) -> dict[str, Any]:
    """Return the permutation importance of the columns for the current learner on held-out rows."""
    from sklearn.base import clone

    from priorcase.explorer.learners import problem_of
    from priorcase.reporting.findings import measure_importance
    from priorcase.reporting.learners import rescaled

    model, about = workspace.served, workspace.learner
    problem = problem_of(workspace)
    found = measure_importance(
        problem, rescaled(clone(model)), _FOLDS, random_state=0, allowed=_SECONDS, say=lambda text: job.tell(text)
    )
    columns = [
        {"name": one.name, "loss": one.loss, "error": one.error, "accuracy": one.accuracy} for one in found.columns
    ]
    return {"learner": about and about["title"], "rows": found.rows, "task": problem.task, "columns": columns}


# -- routes


def changing(service: Service) -> None:
    """Raise an error if the explorer is read-only."""
    if service.read_only:
        raise HTTPException(403, "This explorer is read-only.")


def reading_routes(workspace: Workspace, service: Service) -> APIRouter:
    """Return the routes that show and correct how the table was read, measure importance and set weights by hand."""
    router = new_router()
    importance = RowsResult(
        workspace.jobs,
        "Measuring the importance of columns",
        lambda: workspace.rows_version,
        lambda job: measured_importance(workspace, job),
    )

    @router.get("/reading", summary="Get how the table was read, and its columns with their kinds")
    async def reading() -> Any:
        opened = workspace.opened
        return await service.answer(lambda: workspace.cached("reading", lambda: reading_document(opened)))

    @router.post("/reading", summary="Read the table again with corrections, and learn from it if it has a target")
    async def correct(body: Corrections) -> Any:
        changing(service)
        return await service.answer(lambda: workspace.correct(reading_of(body), body.target).document())

    @router.post("/open", summary="Open an uploaded file")
    async def open_file(body: OpenedFile) -> Any:
        changing(service)
        return await service.answer(lambda: workspace.open_upload(body.upload).document())

    @router.get("/columns/importance", summary="Importance of columns, if it was measured")
    async def importance_found() -> Any:
        return await service.answer(lambda: {"job": importance.job, "found": importance.value})

    @router.post("/columns/importance", summary="Measure the importance of columns in the background")
    async def measure() -> Any:
        model = service.model
        return await service.answer(lambda: stored_rows(model) and importance.start().document())

    @router.post("/columns/weights", summary="The nearest past cases with the given column weights")
    async def weigh(body: Weighing) -> Any:
        service.model  # noqa: B018  # raises if nothing is open
        rows = service.rows(body.case, 1)
        return await service.answer(lambda: weighted_neighbors(workspace, rows, body.weights, body.k))

    @router.post("/columns/weights/answer", summary="Use k-NN with these weights for predictions from now on")
    async def answer(body: Weighing) -> Any:
        changing(service)
        service.model  # noqa: B018  # raises if nothing is open
        return await service.answer(lambda: answer_with_weights(workspace, body.weights).document())

    return router
