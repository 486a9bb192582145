"""Clients that send too much, too slowly or not to the end: they are refused, and others are answered meanwhile."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

import httpx
import pytest
import uvicorn
from serving import TOKEN

import priorcase as pc
from priorcase.serve import create_app
from priorcase.serve.connections import ConnectionLimits, server_config

HOST = b"Host: 127.0.0.1\r\n"
BEARER = f"Authorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n".encode()
PATIENT = ConnectionLimits(seconds=600)
HASTY = ConnectionLimits(seconds=0.2)
IDS = b'{"ids": [3]}'


def knn() -> pc.KNNClassifier:
    return pc.KNNClassifier(1).fit([[31, "red"], [62, "blue"], [60, "red"], [25, None]], ["no", "yes", "yes", "no"])


class Seen:
    """An ASGI app that sets an event after each request that the wrapped app has handled or dropped."""

    def __init__(self, app: Any) -> None:
        self.app, self.handled = app, Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)
        if scope["type"] == "http":
            self.handled.set()


@contextmanager
def serving(app: Any, limits: ConnectionLimits) -> Iterator[int]:
    """The port of a server in a thread."""
    server = uvicorn.Server(server_config(app, limits))
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def rest(link: socket.socket) -> bytes:
    """What arrives until the server closes the connection."""
    received = b""
    try:
        while part := link.recv(1 << 16):
            received += part
    except ConnectionError:
        pass
    return received


def is_healthy(port: int) -> bool:
    return httpx.get(f"http://127.0.0.1:{port}/health", timeout=60).json() == {"status": "ok"}


def answer(port: int, request: bytes) -> bytes:
    with connected(port) as link:
        link.sendall(request)
        return rest(link)


# Headers

CHUNKED = b"POST /health HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n2"


@pytest.mark.parametrize(
    ("begin", "filling"),
    [
        (b"GET / HTTP/1.1\r\n" + HOST, b"x: " + b"a" * 500 + b"\r\n"),
        (b"GET / HTTP/1.1\r\nx: ", b"a"),
        (b"GET / HTTP/1.1\r\nx", b"a"),
        (b"GET /?", b"a"),
        (CHUNKED + b"\r\n{}\r\n0\r\n", b"x: " + b"a" * 500 + b"\r\n"),
        (CHUNKED + b"\r\n{}\r\n0\r\nx: ", b"a"),
        (CHUNKED + b";", b"a"),
    ],
    ids=["fields", "value", "name", "url", "trailers", "trailer", "extension"],
)
def test_headers_without_end_are_refused(begin: bytes, filling: bytes) -> None:
    with serving(create_app(knn(), token=TOKEN), PATIENT) as port:
        found = answer(port, begin + filling * (300_000 // len(filling)))
        assert found.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")
        document = json.loads(found.partition(b"\r\n\r\n")[2])
        assert "65,536 bytes" in document["detail"]
        assert is_healthy(port)


def test_headers_within_the_limit_are_accepted() -> None:
    end = b"Connection: close\r\n\r\n"
    with serving(create_app(knn(), token=TOKEN), PATIENT) as port:
        for size, status in ((60_000, b"200"), (66_000, b"431")):
            long = b"x: " + b"a" * size + b"\r\n"
            assert answer(port, b"GET /health HTTP/1.1\r\n" + HOST + long + end).split()[1] == status


# Time

HALF = [
    b"",
    b"\r\n",
    b"GET /",
    b"GET /health HTTP/1.1\r\n" + HOST + b"x: ",
    b"POST /health HTTP/1.1\r\n" + HOST + b"Content-Length: 10\r\n\r\n{",
    b"POST /rows/forget HTTP/1.1\r\n" + HOST + b"Content-Length: 10\r\n\r\n{",  # refused before it is complete
    b"POST /rows/forget HTTP/1.1\r\n" + HOST + BEARER + b"Content-Length: 20\r\n\r\n" + IDS,
    b"POST /health HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
]


@pytest.mark.parametrize("begin", HALF)
def test_a_request_that_does_not_arrive_is_closed(begin: bytes) -> None:
    model = knn()
    with serving(create_app(model, token=TOKEN), HASTY) as port:
        found = answer(port, begin)
    assert found == b"" or found.split()[1] in (b"401", b"408")
    assert model.ids_.tolist() == [0, 1, 2, 3]


def test_others_are_answered_while_many_connections_are_half_open() -> None:
    limits = ConnectionLimits(seconds=600, connections=16)
    with serving(create_app(knn(), token=TOKEN), limits) as port:
        links = [connected(port) for _ in range(40)]
        for number, link in enumerate(links):
            with suppress(ConnectionError):
                link.sendall(HALF[number % len(HALF)])
        assert is_healthy(port)
        for link in links[:20]:  # the oldest have made room
            rest(link)
        for link in links:
            link.close()


def test_a_request_that_is_answered_slowly_is_not_closed() -> None:
    arrived, release = Event(), Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return
        arrived.set()
        await asyncio.get_running_loop().run_in_executor(None, release.wait)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    with serving(slow, ConnectionLimits(seconds=2)) as port, connected(port) as link:
        link.sendall(b"GET / HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
        assert arrived.wait(60)
        assert answer(port, b"GET /") != b""  # a later connection has been closed
        release.set()
        assert rest(link).endswith(b"\r\n\r\nok")


def test_a_response_that_nobody_reads_is_dropped() -> None:
    ended = Event()

    async def large(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": bytes(64 << 20)})
        while (await receive())["type"] != "http.disconnect":
            pass
        ended.set()

    with serving(large, HASTY) as port, connected(port) as link:
        link.sendall(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")
        assert ended.wait(60)


# Incomplete requests


@pytest.mark.parametrize(
    "length", [b"Content-Length: 60\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(IDS)]
)
def test_a_request_that_is_cut_off_changes_nothing(length: bytes) -> None:
    model = knn()
    app = Seen(create_app(model, token=TOKEN))
    with serving(app, PATIENT) as port:
        with connected(port) as link:
            link.sendall(b"POST /rows/forget HTTP/1.1\r\n" + HOST + BEARER + length + IDS)
            link.shutdown(socket.SHUT_WR)
            assert b" 200 " not in rest(link)
        assert app.handled.wait(60)
        assert model.ids_.tolist() == [0, 1, 2, 3]
        metrics = httpx.get(f"http://127.0.0.1:{port}/metrics", headers={"authorization": f"Bearer {TOKEN}"}).text
        assert 'status="499"} 1' in metrics
        whole = b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(IDS)
        assert b" 200 " in answer(port, b"POST /rows/forget HTTP/1.1\r\n" + HOST + BEARER + whole + IDS)
    assert model.ids_.tolist() == [0, 1, 2]
