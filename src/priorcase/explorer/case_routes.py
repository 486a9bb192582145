"""Case-base routes that only the page uses; the routes to add, revise and forget cases belong to the service.

The implementation is imported at the first request, so that tables and models open faster.
"""

from __future__ import annotations

from types import ModuleType
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from priorcase.documents import event_documents
from priorcase.explorer.workspace import Workspace
from priorcase.serve.app import Document, Service, Where, new_router


class Answer(Document):
    """An answer in a conversation: the value of an attribute, true or false, or null to skip the question."""

    attribute: str = Field(max_length=1000)
    value: Any = None


class Answers(Document):
    """The initial query of a conversation, the answers so far in order, and conditions that the cases must meet."""

    query: dict[str, Any] = Field({}, examples=[{"area": "printer"}])
    answers: list[Answer] = Field([], max_length=200)
    where: list[str] = Field([], examples=[["people>=2"]])


def case_routes(workspace: Workspace, service: Service) -> APIRouter:
    """Return the case-base routes that only the page uses; register these routes before ``/cases/{id}``."""
    router = new_router()

    @router.get("/cases/columns", summary="Attributes, solutions and outcomes, with the distributions of their values")
    async def columns() -> Any:
        base = service.base
        return await service.answer(workspace.cached, "cases", lambda: _cases().case_columns(base))

    @router.get("/cases/search", summary="List cases that meet conditions and contain words, newest first")
    async def search(
        words: Annotated[str, Query(max_length=1000)] = "",
        where: Where = [],  # noqa: B006
        offset: Annotated[int, Query(ge=0, le=2**62)] = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    ) -> Any:
        base = service.base
        return await service.answer(lambda: _cases().found_cases(base, words, where, offset, limit))

    @router.get("/cases/history", summary="History of changes, newest first")
    async def history(
        offset: Annotated[int, Query(ge=0, le=2**62)] = 0, limit: Annotated[int, Query(ge=1, le=1000)] = 50
    ) -> Any:
        base = service.base

        def told() -> Any:
            events = base.history()
            last = len(events) - offset
            return {"events": event_documents(events[max(0, last - limit) : max(0, last)][::-1]), "total": len(events)}

        return await service.answer(told)

    @router.post("/cases/converse", summary="The most informative next question, and the possible solutions")
    async def converse(body: Answers) -> Any:
        base = service.base
        return await service.answer(lambda: _cases().conversation_after(base, body))

    return router


def _cases() -> ModuleType:
    from priorcase.explorer import cases

    return cases
