"""What stands in front of every request: host, origin, token, size and time; and the headers of every response.

A page of another site can make a browser send requests here, and by DNS rebinding even read the answers. So the host
that a browser asked for must be one of ours, its origin must be that host, and a token must be shown that only those
know who can read the terminal (or the cookie that was given for it).
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterable
from http import HTTPStatus
from ipaddress import ip_address
from time import perf_counter
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from priorcase.exceptions import visible

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_OPEN = frozenset({"/health"})  # tells nothing, so that anyone may ask
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::([0-9]{1,5}))?", re.IGNORECASE)
_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_HEADERS = tuple(
    (name.encode(), value.encode())
    for name, value in {
        "content-security-policy": _POLICY,
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
    }.items()
)


def problem(status: int, detail: str, headers: Any = None) -> Response:
    """An error as ``application/problem+json`` (RFC 9457)."""
    document = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": visible(detail)}
    return Response(json.dumps(document), status, headers, media_type="application/problem+json")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address.

    Examples
    --------
    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("0.0.0.0"), is_loopback("example.org")
    (True, True, False, False)
    """
    return host in LOOPBACK or (_is_address(host) and ip_address(host).is_loopback)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


class Guard:
    """An ASGI app around another one that lets only safe requests through.

    ``hosts`` are names by which the service may be asked for beside those of this machine. If one of them is reached
    from other machines, addresses as such are accepted too: DNS rebinding needs a name. ``body`` is the largest body in
    bytes, ``seconds`` how long it may take to arrive, and ``observe`` is told route, status and duration of each
    request.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        hosts: Iterable[str] = (),
        body: int,
        seconds: float,
        observe: Callable[[str, int, float], None],
    ) -> None:
        self.app = app
        self._token, self._body, self._seconds, self._observe = token, body, seconds, observe
        self._hosts = LOOPBACK | {host.lower() for host in hosts}
        self._addresses = not all(map(is_loopback, self._hosts))
        self._cookie = hmac.new(token.encode(), b"priorcase cookie", hashlib.sha256).hexdigest()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        began, status = perf_counter(), 500

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            await send(message)

        try:
            answer = self._answered(Request(scope))
            if answer is None:
                answer, receive = await self._received(Request(scope), receive)
            await (answer or self.app)(scope, receive, send_with_headers)
        finally:
            route = getattr(scope.get("route"), "path", "other")  # the template: paths are without number
            self._observe(str(route), status, perf_counter() - began)

    def _answered(self, request: Request) -> Response | None:
        """What is answered without asking the app: refusals, and a cookie for a token."""
        hosts = request.headers.getlist("host")
        found = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        name = (found[1] or found[2]).lower() if found else ""
        if found is None or not (name in self._hosts or (self._addresses and _is_address(name))):
            return problem(400, "This service has another name: the header Host is not one that it answers to.")
        origins, site = request.headers.getlist("origin"), request.headers.get("sec-fetch-site")
        ours = {f"{scheme}://{hosts[0].lower()}" for scheme in ("http", "https")}
        if any(origin.lower() not in ours for origin in origins) or site in ("cross-site", "same-site"):
            return problem(403, "Requests from pages of other sites are refused.")
        path, cookie = request.scope["path"], f"priorcase-{found[3] or 80}"
        if path in _OPEN:
            return None
        if path == "/" and request.method == "GET" and "token" in request.query_params:
            if not _same(request.query_params["token"], self._token):
                return self._unknown()
            answer = RedirectResponse("/", 303)
            answer.set_cookie(cookie, self._cookie, httponly=True, samesite="strict", path="/")
            return answer
        scheme, _, shown = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _same(shown.strip(), self._token):
            return None
        if not _same(request.cookies.get(cookie, ""), self._cookie):
            return self._unknown()
        if request.method not in _SAFE_METHODS and not origins and site != "same-origin":
            return problem(403, "A change by cookie must say by the header Origin which page it comes from.")
        return None

    @staticmethod
    def _unknown() -> Response:
        told = "The token is missing or wrong. Send the header Authorization: Bearer TOKEN, or open the printed URL."
        return problem(401, told, {"www-authenticate": "Bearer"})

    async def _received(self, request: Request, receive: Receive) -> tuple[Response | None, Receive]:
        """The refusal of a body; else None and what hands the whole body on."""
        parts, size, more = [], 0, True
        length = request.headers.get("content-length", "0")
        if re.fullmatch("[0-9]{1,18}", length) is None or int(length) > self._body:
            return self._too_large(), receive
        try:
            async with asyncio.timeout(self._seconds):
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        break
                    parts.append(message.get("body", b""))
                    size, more = size + len(parts[-1]), message.get("more_body", False)
                    if size > self._body:
                        return self._too_large(), receive
        except TimeoutError:
            return problem(408, f"The body did not arrive within {self._seconds:g} s."), receive
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if size and kind != "application/json":
            return problem(415, "The body must be JSON, with the header Content-Type: application/json."), receive
        message = {"type": "http.request", "body": b"".join(parts), "more_body": False}
        waiting = [message]

        async def replay() -> Message:
            return waiting.pop() if waiting else await receive()

        return None, replay

    def _too_large(self) -> Response:
        return problem(413, f"The body has more than {self._body:,} bytes. Send fewer rows at a time.")


def _same(shown: str, token: str) -> bool:
    """Whether two texts are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), token.encode("utf-8", "surrogatepass"))
