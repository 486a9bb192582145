"""The app of the explorer: the page, the routes of the service, and the additional routes that the page needs."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query, Request

from priorcase.explorer.batch import batch_routes
from priorcase.explorer.case_routes import case_routes
from priorcase.explorer.columns import column_summaries
from priorcase.explorer.export import export_routes
from priorcase.explorer.learners import learners_routes
from priorcase.explorer.map import map_routes
from priorcase.explorer.page import page_file
from priorcase.explorer.reading import reading_routes
from priorcase.explorer.rows import rows_routes
from priorcase.explorer.uploads import UPLOADS
from priorcase.explorer.workspace import Workspace
from priorcase.serve.app import Limits, Service, assembled, base_routes, model_routes, new_router
from priorcase.serve.security import Guard


def create_explorer(
    workspace: Workspace,
    *,
    token: str,
    hosts: Sequence[str] = (),
    read_only: bool = False,
    save: str | PathLike[str] | None = None,
    limits: Limits | None = None,
) -> Guard:
    """Create an ASGI app that serves the page of a workspace and the API that the page uses.

    Parameters
    ----------
    workspace
        The workspace, which may still be opening a file.
    token, hosts, read_only, limits
        As in `create_app`.
    save
        File to which the page saves the model. Changes can be undone until the model is saved.

    Examples
    --------
    >>> from priorcase.explorer import Workspace, create_explorer
    >>> app = create_explorer(Workspace(), token="0123456789abcdef")
    """
    limits = Limits() if limits is None else limits
    service = Service(None, limits, target=None, read_only=read_only, save=None)
    workspace.connect(service)
    routers = [
        _page(),
        _workspace_routes(workspace, service),
        map_routes(workspace, service),
        rows_routes(workspace, service, save),
        case_routes(workspace, service),
        batch_routes(workspace, service),
        export_routes(workspace, service, save),
        reading_routes(workspace, service),
        learners_routes(workspace, service),
        model_routes(service),
        base_routes(service),
    ]
    return assembled(service, routers, token=token, hosts=hosts, uploads=UPLOADS)


def _page() -> APIRouter:
    router = new_router()

    @router.get("/", include_in_schema=False)
    @router.get("/static/{name:path}", include_in_schema=False)
    async def page(request: Request) -> Any:
        if (found := page_file(request.url.path)) is None:
            raise HTTPException(404)
        return found

    return router


def _workspace_routes(workspace: Workspace, service: Service) -> APIRouter:
    router = new_router()

    @router.get("/status", summary="The open file, the current learner, and background jobs")
    async def status() -> Any:
        return await service.answer(workspace.status)

    @router.post("/jobs/{id}/cancel", summary="Cancel a job")
    async def cancel(id: Annotated[int, Path(ge=0, le=2**31)]) -> Any:
        return await service.answer(lambda: workspace.jobs.cancel(id).document())

    @router.post("/uploads", summary="Upload a file; other requests refer to it by its id")
    async def upload(request: Request, name: Annotated[str, Query(max_length=1000)] = "file") -> Any:
        content = await request.body()

        def kept() -> Any:
            sent = workspace.uploads.keep(content, name)
            return {"id": sent.id, "name": sent.name, "size": sent.size}

        return await service.answer(kept)

    @router.get("/columns", summary="Distribution of each column, overall and by outcome")
    async def columns() -> Any:
        def summaries() -> Any:
            model, opened = service.model, workspace.opened
            about = {} if opened.past is None else opened.past.about["columns"]
            return column_summaries(model, opened.target, opened.left_out, about)

        return await service.answer(workspace.cached, "columns", summaries)

    return router
