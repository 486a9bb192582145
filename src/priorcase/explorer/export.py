"""Exports of the page: a report in one file, and the equivalent Python code."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path as FilePath
from threading import Lock
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Body, Path, Query

from priorcase.exceptions import NotAvailableError, UnknownIdError
from priorcase.explorer.columns import stored_rows
from priorcase.explorer.files import download
from priorcase.explorer.jobs import Job
from priorcase.explorer.script import script_of
from priorcase.explorer.workspace import Workspace
from priorcase.serve.app import Service, new_router

_KEPT = 3  # maximum number of reports kept for download


class Reports:
    """The finished reports, newest last."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self._reports, self._lock = workspace, dict[int, bytes](), Lock()

    def start(self, seconds: float) -> Job:
        """Create a report on the current rows in the background; ``seconds`` is the time budget."""
        from priorcase.reporting.comparison import Budget
        from priorcase.reporting.table import read_problem
        from priorcase.reporting.table_report import report_on

        opened, model = self._workspace.opened, self._workspace.served
        if model is None or opened.kind not in ("table", "model"):
            raise NotAvailableError("There are no rows to report on. Open a table and choose its target.")
        X, y = stored_rows(model)
        past, ids = opened.past, np.asarray(model.ids_)
        how: dict[str, Any] = {"places": ids, "place_word": "row"}
        if past is not None and len(ids) and ids[-1] < len(past.lines):  # no row was added since the table was read
            how = {"places": np.array(past.lines, np.int64)[ids], "declared": past.declared}
            how["place_word"] = "line" if past.about.get("lines") else "row"
        task: Any = opened.task or "auto"
        problem = read_problem(X, y, name=opened.name, target=opened.target or "target", task=task, **how)

        def work(job: Job) -> None:
            found = report_on(problem, Budget(seconds), shown=False, table=opened.path or opened.name)
            content = found.html().encode("utf-8")
            with self._lock:
                self._reports[job.id] = content
                for old in list(self._reports)[:-_KEPT]:
                    del self._reports[old]

        return self._workspace.jobs.start(f"Reporting on {opened.name}", work)

    def get(self, id_: int) -> bytes:
        """Return the HTML of the report with this job id."""
        if (found := self._reports.get(id_)) is None:
            raise UnknownIdError(f"There is no report {id_}; it may have been removed. Create a new one.")
        return found


def export_routes(workspace: Workspace, service: Service, save: str | PathLike[str] | None = None) -> APIRouter:
    """Return the routes for reports and for the equivalent Python code; ``save`` is the file for the saved model."""
    router, reports = new_router(), Reports(workspace)

    @router.get("/export", summary="Get the name of the file for saving the model")
    async def about() -> Any:
        saves = None if save is None or service.read_only else FilePath(fspath(save)).name
        return await service.answer(lambda: {"saves": saves})

    @router.post("/reports", summary="Create a report on the rows in the background, as a single HTML file")
    async def start(seconds: Annotated[float, Query(ge=1, le=3600)] = 60.0) -> Any:
        return await service.answer(lambda: reports.start(seconds).document())

    @router.get("/reports/{id}/report.html", summary="Download a report")
    async def page(id: Annotated[int, Path(ge=0, le=2**31)]) -> Any:
        return await download(service, lambda: (reports.get(id), "report.html"), "text/html; charset=utf-8")

    @router.post("/script", summary="Get Python code that predicts a case as the page does")
    async def script(body: Annotated[dict[str, Any], Body(examples=[{"age": 31}])]) -> Any:
        return await service.answer(lambda: {"python": script_of(workspace, body)})

    return router
