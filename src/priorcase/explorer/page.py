"""The page with its scripts and styles, and an app that serves the page while the rest of the explorer is loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from threading import Thread

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

_STATIC = Path(__file__).parent / "static"
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
"""Content-Security-Policy of the page: only its own scripts and styles are allowed, and no inline code."""


@cache
def _files() -> dict[str, Path]:
    """Return the files of the page by URL path; no other files are served."""
    found = {path.relative_to(_STATIC).as_posix(): path for path in _STATIC.rglob("*") if path.suffix in _TYPES}
    return {f"/static/{name}": path for name, path in found.items()} | {"/": found["index.html"]}


def page_file(path: str) -> Response | None:
    """Return the page for ``/``, or a script or style for ``/static/...``; None for other paths."""
    if (file := _files().get(path)) is None:
        return None
    headers = {"content-security-policy": POLICY, "cache-control": "no-cache"}
    return Response(file.read_bytes(), headers=headers, media_type=f"{_TYPES[file.suffix]}; charset=utf-8")


class Starting:
    """An ASGI app that serves the page at once, while another thread creates the app for all other requests."""

    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        self._made: Future[ASGIApp] = Future()

        def run() -> None:
            try:
                self._made.set_result(make())
            except BaseException as error:
                self._made.set_exception(error)

        Thread(target=run, name="priorcase-start", daemon=True).start()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            while (await receive())["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        app: ASGIApp | None = page_file(scope["path"]) if scope["method"] == "GET" else None
        if app is None:
            app = await asyncio.wrap_future(self._made)
        await app(scope, receive, send)
