"""Nobody without the token gets in, no page of another site, and nothing that is sent breaks the service."""

from __future__ import annotations

import json
import random
import re
import signal
import socket
import subprocess
from pathlib import Path
from threading import Timer
from typing import Any

import httpx
import pytest
from commands import PROGRAM
from serving import TOKEN, client_of, detail

import priorcase as pc
from priorcase.serve import Limits

ROW = {"x0": 40, "x1": "red"}


def knn() -> pc.KNNClassifier:
    return pc.KNNClassifier(2).fit([[31, "red"], [62, "blue"], [60, "red"], [25, None]], ["no", "yes", "yes", "no"])


@pytest.fixture(scope="module")
def client() -> httpx.Client:
    return client_of(knn(), token=None)


BEARER = {"authorization": f"Bearer {TOKEN}"}


# Tokens


@pytest.mark.parametrize("shown", [None, "", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x"])
@pytest.mark.parametrize("path", ["/", "/predict", "/schema", "/metrics", "/openapi.json", "/nothing", "/rows"])
def test_nothing_is_told_without_the_token(client: httpx.Client, path: str, shown: str | None) -> None:
    headers = {} if shown is None else {"authorization": shown}
    for method in ("GET", "POST", "DELETE"):
        response = client.request(method, path, headers=headers)
        assert "token" in detail(response, 401)
        assert response.headers["www-authenticate"] == "Bearer"
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get(f"/schema?token={TOKEN}").status_code == 401  # only the first page takes it


def test_the_printed_url_gives_a_cookie() -> None:
    client = client_of(knn(), token=None)
    assert client.get("/?token=wrong").status_code == 401
    first = client.get(f"/?token={TOKEN}")
    assert (first.status_code, first.headers["location"]) == (303, "/")
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert TOKEN not in cookie
    assert client.get("/schema").status_code == 200
    assert "Origin" in detail(client.post("/predict", json=ROW), 403)
    assert client.post("/predict", json=ROW, headers={"origin": "http://127.0.0.1:8765"}).status_code == 200
    assert client.post("/predict", json=ROW, headers={"sec-fetch-site": "same-origin"}).status_code == 200
    forged = {"cookie": f"priorcase-8765={TOKEN}", "origin": "http://127.0.0.1:8765"}
    assert client_of(knn(), token=None).post("/predict", json=ROW, headers=forged).status_code == 401


def test_a_browser_without_the_token_is_told_what_to_do(client: httpx.Client) -> None:
    for path in ("/", "/?token=wrong", "/schema"):
        response = client.get(path, headers={"accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
        assert response.status_code == 401
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert "?token=" in response.text
        assert "terminal" in response.text
        assert TOKEN not in response.text


def test_a_page_on_disk_may_pass_the_token_on(client: httpx.Client) -> None:
    """The strict cookie is not sent after a redirect of another page, so a page of the service leads to the next."""
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    entered = client_of(knn(), token=None).get(f"/?token={TOKEN}", headers=headers)
    assert entered.status_code == 200
    assert 'http-equiv="refresh" content="0; url=/"' in entered.text
    assert "samesite=strict" in entered.headers["set-cookie"].lower()
    assert client.get("/?token=wrong", headers=headers).status_code == 401
    assert "other sites" in detail(client.get("/", headers=headers), 403)
    framed = headers | {"sec-fetch-dest": "iframe"}
    assert "other sites" in detail(client.get(f"/?token={TOKEN}", headers=framed), 403)


# Methods


@pytest.mark.parametrize("path", ["/health", "/", "/schema", "/metrics", "/openapi.json"])
def test_head_is_get_without_the_body(client: httpx.Client, path: str) -> None:
    whole, head = (client.request(method, path, headers=BEARER) for method in ("GET", "HEAD"))
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers.keys() == whole.headers.keys()
    assert head.headers["content-type"] == whole.headers["content-type"]
    assert client.head("/predict", headers=BEARER).status_code == 405
    assert client.head("/schema").status_code == 401


# Hosts and origins


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "192.168.0.7", "", "localhost:x", "a b", "[::2]"],
)
def test_other_hosts_are_refused(client: httpx.Client, host: str) -> None:
    assert "Host" in detail(client.post("/predict", json=ROW, headers=BEARER | {"host": host}), 400)
    assert "Host" in detail(client.get("/health", headers={"host": host}), 400)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:99", "LocalHost", "[::1]:8765"])
def test_names_of_this_machine_are_accepted(client: httpx.Client, host: str) -> None:
    assert client.post("/predict", json=ROW, headers=BEARER | {"host": host}).status_code == 200


def test_a_service_for_other_machines_has_its_name_and_addresses() -> None:
    client = client_of(knn(), hosts=["models.example"])
    for host in ("models.example", "192.168.0.7:8765", "localhost"):
        assert client.get("/schema", headers={"host": host}).status_code == 200
    assert "Host" in detail(client.get("/schema", headers={"host": "evil.example"}), 400)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://localhost:8765"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_pages_of_other_sites_are_refused(client: httpx.Client, headers: dict[str, str]) -> None:
    assert "other sites" in detail(client.post("/predict", json=ROW, headers=BEARER | headers), 403)
    assert "other sites" in detail(client.get(f"/?token={TOKEN}", headers=headers), 403)


def test_every_answer_has_the_headers(client: httpx.Client) -> None:
    for response in (
        client.post("/predict", json=ROW, headers=BEARER),
        client.get("/schema"),
        client.get("/health"),
        client.get("/nothing", headers=BEARER),
        client.get("/", headers={"host": "evil.example"}),
    ):
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["content-security-policy"].startswith("default-src 'none'")
        assert response.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in response.headers


# Bodies


def test_bodies_are_limited() -> None:
    client = client_of(knn(), limits=Limits(body=1000))
    assert "1,000 bytes" in detail(client.post("/predict", json={"x1": "r" * 1000}), 413)
    chunks = iter([b'{"x1": "', b"r" * 600, b"r" * 600, b'"}'])
    assert "1,000 bytes" in detail(
        client.post("/predict", content=chunks, headers={"content-type": "application/json"}), 413
    )
    for length in ("99999999999999999999", "-1", "x"):
        assert client.post("/predict", content=b"{}", headers={"content-length": length}).status_code == 413


@pytest.mark.parametrize(
    ("content", "keyword"),
    [
        (b'{"x0": NaN}', "NaN"),
        (b'{"x0": -Infinity}', "Infinity"),
        (b"[" * 100_000, "deeply"),
        (b'{"x0":' * 100_000, "deeply"),
        (b"{", "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (b'{"x1": "\\ud800"}', "not JSON"),
        (b'{"x0": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"x0": 31, "x1": "red", "x0": 62}', "'x0' occurs more than once"),
        (b'{"x0": {"a": 1, "a": 1}}', "'a' occurs more than once"),
    ],
)
def test_what_is_not_json_is_refused(client: httpx.Client, content: bytes, keyword: str) -> None:
    headers = BEARER | {"content-type": "application/json"}
    assert keyword in detail(client.post("/predict", content=content, headers=headers), 400)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_forms_are_refused(client: httpx.Client, kind: str) -> None:
    headers = BEARER | {"content-type": kind}
    assert "Content-Type" in detail(client.post("/predict", content=b"{}", headers=headers), 415)


def test_texts_come_back_as_they_were_and_cannot_mislead() -> None:
    nasty = ["<script>alert(1)</script>", '"><img onerror=x>', "\x1b[2J\u202e", "\u2028"]
    model = pc.KNNClassifier(1).fit([[text] for text in nasty], nasty)
    response = client_of(model).post("/predict", json=[{"x0": text} for text in nasty])
    assert [one["prediction"] for one in response.json()["predictions"]] == nasty
    assert response.headers["content-type"] == "application/json"
    assert response.content.isascii()
    assert b"\x1b" not in response.content
    assert "\x1b" not in detail(client_of(model).post("/predict", json={"\x1b[2J": 1}), 422)


# Anything

WORDS: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    2**53 + 1,
    2**70,
    10**400,
    1e308,
    5e-324,
    0.5,
    "",
    "red",
    "\x00",
    "é\u202e",
    "x0",
]
WORDS += ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "\x1b[2J\x1b]0;pwned\x07", "\u202egnp.exe"]
WORDS += ["' OR 1=1 --", "../../etc/passwd", "{{7*7}}", "${jndi:ldap://x}", "\U0001f600", "NaN", "-0.0", "1e999"]
WORDS += ["a" * 5000, [], {}, [1], [None], [[1]], {"x0": 1}, ["red", 1], {"": None}, [True, "1", 1]]
NAMES = [
    "x0",
    "x1",
    "rows",
    "targets",
    "ids",
    "query",
    "case",
    "k",
    "where",
    "weights",
    "method",
    "changes",
    "solution",
]
NAMES += ["outcome", "why", "by", "key", "note", "area", "people", "signs", "", "\x00", "__class__"]
PATHS = [
    "/predict",
    "/explain",
    "/neighbors",
    "/counterfactuals",
    "/what-if",
    "/rows",
    "/rows/forget",
    "/schema",
    "/",
    "/metrics",
    "/health",
]
PATHS += ["/cases", "/cases/ask", "/cases/1", "/cases/1/feedback", "/cases/2/forget", "/cases/x", "/openapi.json"]
PATHS += ["/cases/99999999999999999999", "/../etc/passwd", "/%00", "/cases/%2e%2e", "//", "/predict/", "/docs"]
PATHS += ["/<script>", "/%3Cscript%3E", "/%1b[2J", "/cases/-1", "/cases/1e3", "/rows/../schema", "/?", "/a" * 500]
OPTIONS = [
    "n",
    "above",
    "below",
    "wanted",
    "level",
    "k",
    "precedents",
    "counterfactuals",
    "fixed",
    "column",
    "n_values",
    "where",
    "offset",
    "limit",
]


VALID: dict[str, Any] = {
    "/predict": [ROW, {"x0": None}],
    "/explain": [ROW, {"x0": None}],
    "/neighbors": ROW,
    "/counterfactuals": ROW,
    "/what-if": ROW,
    "/rows": {"rows": [ROW], "targets": ["no"]},
    "/rows/forget": {"ids": [1]},
    "/cases": {
        "case": {"area": "vpn", "people": 1, "signs": ["jam"]},
        "solution": "renew",
        "key": "V-9",
        "why": "call",
    },
    "/cases/ask": {"query": {"area": "vpn"}, "k": 2, "where": ["people>=0"], "weights": {"area": 2}, "method": "vote"},
    "/cases/1/feedback": {"changes": {"people": 4}, "outcome": True, "note": "came back", "solution": "renew"},
    "/cases/2/forget": {"why": "asked to", "by": "desk"},
}


def drawn(draw: random.Random, depth: int = 0) -> Any:
    """A document at random."""
    kind = draw.random()
    if depth > 2 or kind < 0.45:
        return draw.choice(WORDS)
    if kind < 0.85:
        return {draw.choice(NAMES): drawn(draw, depth + 1) for _ in range(draw.randrange(4))}
    return [drawn(draw, depth + 1) for _ in range(draw.randrange(3))]


def spoiled(document: Any, draw: random.Random) -> Any:
    """A document of which something may be replaced."""
    if draw.random() < 0.15:
        return drawn(draw, 1)
    if isinstance(document, dict):
        return {name: spoiled(value, draw) for name, value in document.items()}
    return [spoiled(value, draw) for value in document] if isinstance(document, list) else document


@pytest.mark.parametrize("kind", ["model", "cases"])
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 10))])
def test_hostile_requests_are_refused_and_break_nothing(kind: str, seed: int) -> None:
    """500 requests for each kind and seed, 10,000 with the slow ones: bodies, options, headers and paths at random."""
    draw = random.Random(f"{kind} {seed}")
    kinds = {"area": "nominal", "people": "numeric", "signs": "set"}
    with pc.CaseBase.temporary(kinds) as base:
        base.add_many(
            [{"area": "vpn", "people": 1}, {"area": "printer", "signs": ["jam"]}], solution=["renew", "clean"]
        )
        client, ok = client_of(knn() if kind == "model" else base, limits=Limits(body=20_000)), 0
        for _ in range(500):
            path = draw.choice(PATHS)
            usual = "POST" if path in VALID else "GET"
            method = (
                usual
                if draw.random() < 0.7
                else draw.choice(["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "FOO"])
            )
            params = {draw.choice(OPTIONS): str(draw.choice(WORDS))[:300] for _ in range(draw.choice([0, 0, 1, 2]))}
            document = drawn(draw) if path not in VALID or draw.random() < 0.3 else spoiled(VALID[path], draw)
            content = json.dumps(document).encode()
            if draw.random() < 0.1:
                content = bytes(draw.choices(range(256), k=draw.randrange(50)))
            elif draw.random() < 0.1:
                content = content[: draw.randrange(len(content) + 1)]
            headers: dict[str, Any] = {"content-type": "application/json"}
            if draw.random() < 0.1:
                name = draw.choice(
                    ["host", "origin", "cookie", "authorization", "content-type", "content-length", "accept"]
                )
                headers[name] = draw.choice(
                    [b"", b"\xff", b"a" * 5000, b"priorcase-8765=\xe9; ;=", b"Bearer \xe9", b"0"]
                )
            if draw.random() < 0.05:
                path = "/q" + "".join(draw.choices("abc/%.~<>\"'é\u202e;:@&=+$,!*()", k=draw.randrange(40)))
            response = client.request(method, path, params=params, content=content, headers=headers)
            told = (method, path, params, content, headers, response.text)
            assert response.status_code < 500, told
            if response.status_code >= 400 and method != "HEAD":
                assert response.headers["content-type"] == "application/problem+json", told
                assert len(response.json()["detail"]) < 5000
                assert "Traceback" not in response.text
            assert response.content.isascii()
            assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", response.content)
            ok += response.status_code == 200
        assert ok >= 20  # not all of them are hostile
        assert client.get("/health").json() == {"status": "ok"}


@pytest.mark.parametrize("count", [300, pytest.param(3000, marks=pytest.mark.slow)])
def test_broken_http_is_refused_and_breaks_nothing(tmp_path: Path, count: int) -> None:
    """Requests whose bytes were changed, cut or repeated, sent to a process that serves."""
    draw, seen = random.Random(count), set[int]()
    body = json.dumps(ROW).encode()
    head = f"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
    whole = f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    path = knn().save(tmp_path / "model.priorcase")
    command = [*PROGRAM, "serve", str(path), "--port", "0", "--token", TOKEN, "--read-only"]
    log = tmp_path / "log"  # a pipe that nobody reads would fill up
    with (
        log.open("w") as stderr,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as process,
    ):
        watch = Timer(300, process.kill)
        watch.start()
        try:
            assert process.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())
            assert found is not None
            port = int(found[1])
            for number in range(count):
                request = bytearray(whole)
                for _ in range(draw.randrange(4) if number else 0):
                    at, what = draw.randrange(len(request)), draw.random()
                    if what < 0.4:
                        request[at] = draw.randrange(256)
                    elif what < 0.6:
                        del request[at : at + draw.randrange(1, 30)]
                    elif what < 0.8:
                        request[at:at] = bytes(draw.choices(range(256), k=draw.randrange(1, 30)))
                    else:
                        request[at:at] = request[at : at + draw.randrange(1, 60)] * draw.randrange(1, 5)
                with socket.create_connection(("127.0.0.1", port), timeout=60) as link:
                    link.sendall(bytes(request))
                    link.shutdown(socket.SHUT_WR)
                    answer = link.makefile("rb").read()
                status = re.match(rb"HTTP/1\.1 (\d{3}) ", answer)
                assert status is not None or not answer, (request, answer)
                if status is not None:
                    assert int(status[1]) < 500, (request, answer)
                    seen.add(int(status[1]))
            assert httpx.get(f"http://127.0.0.1:{port}/health").json() == {"status": "ok"}
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
        finally:
            watch.cancel()
            process.kill()
    assert {200, 400, 401} <= seen
    assert "Traceback" not in log.read_text()
