"""A service as tests ask it: in this process, from any thread."""

from __future__ import annotations

import asyncio
from threading import Thread
from typing import Any

import httpx

from priorcase.serve import create_app

TOKEN = "a-token-for-tests-only"
_LOOP = asyncio.new_event_loop()
Thread(target=_LOOP.run_forever, daemon=True).start()


class AppTransport(httpx.BaseTransport):
    """Hands requests to an ASGI app; an error in the app is an answer of status 500, as of a server."""

    def __init__(self, app: Any) -> None:
        self._app = httpx.ASGITransport(app, raise_app_exceptions=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return asyncio.run_coroutine_threadsafe(self._answered(request), _LOOP).result(60)

    async def _answered(self, request: httpx.Request) -> httpx.Response:
        body = httpx.Request(request.method, request.url, headers=request.headers, content=request.read())
        response = await self._app.handle_async_request(body)
        return httpx.Response(response.status_code, headers=response.headers, content=await response.aread())


def client_of(served: Any, *, token: str | None = TOKEN, **options: Any) -> httpx.Client:
    """A client of something served, which shows the token unless that is None."""
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    transport = AppTransport(create_app(served, token=TOKEN, **options))
    return httpx.Client(transport=transport, base_url="http://127.0.0.1:8765", headers=headers)


def detail(response: httpx.Response, status: int) -> str:
    """The sentence of a refusal."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["status"] == status
    return str(response.json()["detail"])
