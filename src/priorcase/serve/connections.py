"""Connections of the HTTP server: limits on headers, on the time in which a request must arrive, and on their number.

These limits apply before a `Guard` sees a request, and therefore to clients without the token.
"""

from __future__ import annotations

from asyncio import Transport
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from priorcase.serve.security import SECURITY_HEADERS, problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class ConnectionLimits:
    """Limits on the connections of clients.

    ``headers`` is the maximum size of the request line and the headers in bytes. ``seconds`` is the time limit for the
    headers, for the body, and for a client that reads nothing of its response. A body gets one more second for each
    MiB that has arrived, because uploads can be large. Above ``connections`` connections, the one that has waited
    longest for its client is closed.
    """

    headers: int = 64 << 10
    seconds: float = 10.0
    connections: int = 512


def server_config(app: ASGIApp, limits: ConnectionLimits | None = None) -> uvicorn.Config:
    """Return the settings of a uvicorn server for ``app`` whose connections have limits."""

    connection = type("Connection", (LimitedConnection,), {"limits": limits or ConnectionLimits()})

    # uvicorn warns about requests of clients, which could fill a log.
    settings: dict[str, Any] = {"access_log": False, "log_level": "error", "server_header": False, "ws": "none"}
    return uvicorn.Config(app, http=connection, timeout_graceful_shutdown=10, **settings)


class _HeadersTooLargeError(Exception):
    """Stops the parser, which reports an invalid request."""


class LimitedConnection(HttpToolsProtocol):
    """A connection that is closed if its client sends too many headers, or sends or reads too slowly."""

    limits = ConnectionLimits()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._deadline: float | None = None  # for what the client has to send; None while a request is answered
        self._in_message = self._in_body = False
        self._header_bytes = 0
        self._unparsed = 0  # bytes received since the parser last called a method
        self._unsent = 0  # bytes of responses that the client had not read when the deadline was last checked
        self._refused = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()
        self._timer = self.loop.call_later(self.limits.seconds, self._check_time)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        self._unparsed += len(data)
        super().data_received(data)
        if self._unparsed > self.limits.headers:
            self._refuse_headers()

    # -- called by the parser

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_message, self._in_body = True, False
        self._header_bytes = 0
        self._expect()

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value) + len(b": \r\n"))
        if not self._in_body:  # fields after a chunked body are ignored
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._in_body = True
        self._expect()

    def on_body(self, body: bytes) -> None:
        self._unparsed = 0
        if self._deadline is not None:
            self._deadline += len(body) / _MEBIBYTE
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_message = self._in_body = False
        self._deadline = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._deadline is None and self.cycle.response_complete:
            self._expect()

    # -- limits

    def _expect(self) -> None:
        """Set the time limit for the next part of a request."""
        self._unparsed = 0
        self._deadline = self.loop.time() + self.limits.seconds

    def _count(self, size: int) -> None:
        self._unparsed = 0
        self._header_bytes += size
        if self._header_bytes > self.limits.headers:
            raise _HeadersTooLargeError

    def _make_room(self) -> None:
        """Close the connection that has waited longest for its client if there are too many connections."""
        if len(self.connections) <= self.limits.connections:
            return
        waiting = [one for one in self.connections if isinstance(one, LimitedConnection) and one._deadline is not None]
        oldest = min(waiting, key=lambda one: one._deadline or 0.0)
        oldest.connections.discard(oldest)
        oldest.transport.abort()

    def _check_time(self) -> None:
        """Close the connection if its client is too slow; otherwise check again later."""
        seconds, now = self.limits.seconds, self.loop.time()
        unsent = self.transport.get_write_buffer_size()
        late = self._deadline is not None and now >= self._deadline and not self.flow.read_paused
        if self._unsent and unsent >= self._unsent:  # the previous check was ``seconds`` ago
            self.transport.abort()
        elif late and not unsent:
            self._give_up()
        self._unsent = unsent
        due = now + seconds
        if not unsent and not late and self._deadline is not None:
            due = min(due, self._deadline)
        self._timer = self.loop.call_at(max(due, now), self._check_time)

    def _give_up(self) -> None:
        if self._refused:
            self.transport.abort()
            return
        if self._in_message:
            self._answer(408, f"The request did not arrive within {self.limits.seconds:g} s. Send it again.")
        self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that the parser could not read, or in which it was stopped."""
        if self._header_bytes > self.limits.headers:
            self._refuse_headers()
        else:
            super().send_400_response(msg)

    def _refuse_headers(self) -> None:
        """Refuse a request, and ignore what else arrives: closing at once could discard the response."""
        self._answer(431, f"The headers have more than {self.limits.headers:,} bytes. Send fewer or shorter headers.")
        self._refused = True
        self._expect()
        if self.transport.can_write_eof() and not self.transport.is_closing():
            self.transport.write_eof()

    def _answer(self, status: int, detail: str) -> None:
        """Send an error in place of the response to the current request, if it has not begun, and drop the request."""
        cycle = self.cycle
        if self._in_body:
            free = not (cycle.response_started or self.pipeline)
            cycle.disconnected = True
            cycle.message_event.set()
        else:
            free = cycle is None or cycle.response_complete
        if not free:
            self.transport.abort()
            return
        response = problem(status, detail, {"connection": "close"})
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()]
        lines += [name + b": " + value for name, value in (*response.raw_headers, *SECURITY_HEADERS)]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(response.body)]))
