"""The explorer as tests ask it: in this process, with a workspace whose jobs have ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from serving import TOKEN, AppTransport

import priorcase as pc
from priorcase.explorer import Workspace, create_explorer


@contextmanager
def explorer(
    path: Any = None, *, target: str | None = None, read_only: bool = False, save: Any = None, stack: bool = False
) -> Iterator[tuple[Workspace, httpx.Client]]:
    """A workspace that has opened something, and a client of its explorer; stacked learners are fitted if asked for."""
    workspace = Workspace(read_only=read_only)
    app = create_explorer(workspace, token=TOKEN, read_only=read_only, save=save)
    headers = {"authorization": f"Bearer {TOKEN}"}
    with httpx.Client(transport=AppTransport(app), base_url="http://127.0.0.1:8765", headers=headers) as client:
        workspace.jobs.wait(workspace.open(path, target=target).id)
        for job in workspace.jobs.documents():
            if not stack and job["state"] == "running":
                workspace.jobs.cancel(job["id"])
            workspace.jobs.wait(job["id"])
        assert not workspace.problem, workspace.problem
        yield workspace, client
        workspace.close()


def sent(client: httpx.Client, content: bytes, name: str = "new.csv") -> int:
    """The id of a file that was sent."""
    headers = {"content-type": "application/octet-stream"}
    return int(client.post("/uploads", params={"name": name}, content=content, headers=headers).json()["id"])


def desk_file(path: Path) -> Path:
    """A file with the help desk's tickets."""
    desk = pc.datasets.load_help_desk()
    attributes = {"area": pc.Taxonomy(desk.areas), "system": "nominal", "place": "nominal", "people": "numeric"}
    attributes |= {"urgency": pc.Ordinal(desk.urgencies), "signs": "set", "opened": "date", "message": "text"}
    with pc.CaseBase.open(path, attributes, by="desk 1") as base:
        base.add_many(desk.tickets, solution="solution", outcome="outcome", key="ticket", why="tickets of 2025")
    return path
