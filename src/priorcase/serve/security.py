"""Checks of every request (host, origin, token, size and time), and security headers of every response.

A page of another site can make a browser send requests to this service and, by DNS rebinding, even read the responses.
Therefore the Host header must be a name of this service, and the origin must be the same host. The request must also
contain the token that is printed in the terminal, or the cookie that the service sets in exchange for the token.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from ipaddress import ip_address
from time import perf_counter
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from priorcase.exceptions import visible

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_OPEN = frozenset({"/health"})  # paths that need no token, because they reveal nothing
_GONE = 499  # status counted if a client disconnects before the response
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::([0-9]{1,5}))?", re.IGNORECASE)
_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
SECURITY_HEADERS = tuple(
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
_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">{head}<title>priorcase</title></head>
<body>{body}</body>
</html>
"""
_ENTER = _PAGE.format(
    head='<meta http-equiv="refresh" content="0; url=/">', body='<p><a href="/">Continue to priorcase</a></p>'
)
_UNKNOWN = _PAGE.format(
    head="",
    body="<h1>This address needs its token</h1>"
    "<p>The token of this page is missing or wrong; perhaps <code>priorcase</code> was started again since.</p>"
    "<p>Open the whole URL that <code>priorcase</code> printed in the terminal, including <code>?token=</code> and "
    "what follows. If you started it with your own <code>--token</code>, add <code>?token=</code> and this "
    "token to the address. This browser then remembers it.</p>",
)


def problem(status: int, detail: str, headers: Any = None) -> Response:
    """Return an error as ``application/problem+json`` (RFC 9457)."""
    document = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": visible(detail)}
    return Response(json.dumps(document), status, headers, media_type="application/problem+json")


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached only from this machine.

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
    """ASGI app that checks each request and passes valid requests to the wrapped app."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        hosts: Iterable[str] = (),  # accepted in addition to the host names of this machine
        body: int,  # maximum size of a body in bytes
        seconds: float,  # time limit for receiving the body
        observe: Callable[[str, int, float], None],  # receives the route, status and duration of each request
        uploads: Mapping[str, int] | None = None,  # paths that accept files, with the maximum size of a file in bytes
    ) -> None:
        self.app = app
        self._uploads = dict(uploads or {})
        self._token, self._body, self._seconds, self._observe = token, body, seconds, observe
        self._hosts = LOOPBACK | {host.lower() for host in hosts}
        # If other machines can reach a host, any IP address is also accepted, because DNS rebinding needs a host name.
        self._addresses = not all(map(is_loopback, self._hosts))
        self._cookie = hmac.new(token.encode(), b"priorcase cookie", hashlib.sha256).hexdigest()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        began, status = perf_counter(), _GONE
        has_body = scope["method"] != "HEAD"
        if not has_body:  # the response to GET without its body
            scope = {**scope, "method": "GET"}

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = list(message.get("headers", ()))
                own = {name for name, _ in given}  # the page of the explorer has its own policy
                message = {**message, "headers": [*given, *(one for one in SECURITY_HEADERS if one[0] not in own)]}
            elif not has_body:
                message = {**message, "body": b""}
            await send(message)

        try:
            headers = _Headers(scope["headers"])
            answer = self._answered(scope, headers)
            if answer is None:
                answer, receive = await self._received(scope["path"], headers, receive)
            await (answer or self.app)(scope, receive, send_with_headers)
        except ClientDisconnect:  # an incomplete request is dropped
            pass
        except Exception:
            status = 500
            raise
        finally:
            route = getattr(scope.get("route"), "path", "other")  # the path template: the number of paths is unlimited
            self._observe(str(route), status, perf_counter() - began)

    def _answered(self, scope: Scope, headers: _Headers) -> Response | None:
        """Return an error response, or the redirect that sets the cookie; None if the wrapped app should respond."""
        hosts = headers.all("host")
        found = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        name = (found[1] or found[2]).lower() if found else ""
        if found is None or not (name in self._hosts or (self._addresses and _is_address(name))):
            return problem(400, "The Host header does not match a host name of this service.")
        path, method, cookie = scope["path"], scope["method"], f"priorcase-{found[3] or 80}"
        shown_token = QueryParams(scope["query_string"]).get("token") if path == "/" and method == "GET" else None
        origins, site = headers.all("origin"), headers.first("sec-fetch-site")
        ours = (f"http://{hosts[0].lower()}", f"https://{hosts[0].lower()}")
        foreign = site in ("cross-site", "same-site")
        enters = shown_token is not None and headers.first("sec-fetch-dest") == "document"
        if any(origin.lower() not in ours for origin in origins) or (foreign and not enters):
            return problem(403, "Requests from pages of other sites are refused.")
        if path in _OPEN:
            return None
        if shown_token is not None:
            if not _same(shown_token, self._token):
                return self._unknown(headers)
            # A browser would not send the strict cookie if a redirect of another page led to this page.
            answer = HTMLResponse(_ENTER) if foreign else RedirectResponse("/", 303)
            answer.set_cookie(cookie, self._cookie, httponly=True, samesite="strict", path="/")
            return answer
        scheme, _, shown = headers.first("authorization").partition(" ")
        if scheme.lower() == "bearer" and _same(shown.strip(), self._token):
            return None
        cookies = cookie_parser("; ".join(headers.all("cookie")))
        if not _same(cookies.get(cookie, ""), self._cookie):
            return self._unknown(headers)
        if method not in _SAFE_METHODS and not origins and site != "same-origin":
            return problem(403, "A change that is authorized by a cookie needs an Origin header.")
        return None

    @staticmethod
    def _unknown(headers: _Headers) -> Response:
        if "text/html" in headers.first("accept"):
            return HTMLResponse(_UNKNOWN, 401, {"www-authenticate": "Bearer"})
        told = "The token is missing or wrong. Send the header Authorization: Bearer TOKEN, or open the printed URL."
        return problem(401, told, {"www-authenticate": "Bearer"})

    async def _received(self, path: str, headers: _Headers, receive: Receive) -> tuple[Response | None, Receive]:
        """Receive the whole body; return an error response or None, and a ``receive`` function for the wrapped app."""
        parts, size, more = [], 0, True
        most, length = self._uploads.get(path, self._body), headers.first("content-length", "0")
        if re.fullmatch("[0-9]{1,18}", length) is None or int(length) > most:
            return self._too_large(path), receive
        try:
            async with asyncio.timeout(self._seconds):
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    parts.append(message.get("body", b""))
                    size, more = size + len(parts[-1]), message.get("more_body", False)
                    if size > most:
                        return self._too_large(path), receive
        except TimeoutError:
            return problem(408, f"The body did not arrive within {self._seconds:g} s."), receive
        kind = headers.first("content-type").partition(";")[0].strip().lower()
        if path in self._uploads:
            if kind != "application/octet-stream":
                told = "Send the bytes of the file, with the header Content-Type: application/octet-stream."
                return problem(415, told), receive
        elif size and kind != "application/json":
            return problem(415, "The body must be JSON, with the header Content-Type: application/json."), receive
        return None, replayed({"type": "http.request", "body": b"".join(parts), "more_body": False}, receive)

    def _too_large(self, path: str) -> Response:
        if (most := self._uploads.get(path)) is not None:
            return problem(413, f"The file has more than the maximum of {most:,} bytes.")
        return problem(413, f"The body has more than {self._body:,} bytes. Send fewer rows at a time.")


class _Headers:
    """Headers of a request by lowercase name, as in ASGI."""

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        self._found: dict[bytes, list[bytes]] = {}
        for name, value in raw:
            self._found.setdefault(name, []).append(value)

    def all(self, name: str) -> list[str]:
        return [value.decode("latin-1") for value in self._found.get(name.encode(), ())]

    def first(self, name: str, default: str = "") -> str:
        found = self._found.get(name.encode())
        return found[0].decode("latin-1") if found else default


def replayed(message: Message, receive: Receive) -> Receive:
    """Return a function that returns ``message``, which was already received, before it calls ``receive``."""
    waiting = [message]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _same(shown: str, token: str) -> bool:
    """Compare two strings in constant time."""
    return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), token.encode("utf-8", "surrogatepass"))
