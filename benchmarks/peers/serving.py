"""A service under load: single rows over HTTP keep-alive at 127.0.0.1, compared with FastAPI around scikit-learn."""

import json
import re
import resource
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.report import Row
from benchmarks.sizes import Sizes

K, STORED, QUERIES = 10, 50_000, 2_000
CONNECTIONS = 8  # requests that are under way at the same time
PROGRAM = [sys.executable, "-c", "from priorcase.cli import main; main()"]
TOKEN = "a-token-of-the-benchmark"
MORE = "/explain?counterfactuals=1&permutations=32"
SECONDS = 60.0  # after which a series of requests raises an error
MIB = 2**20


@dataclass(frozen=True)
class Load:
    """Results of a series of requests: responses per second, and their latency."""

    rate: float
    seconds: Sequence[float]

    def quantile(self, share: float) -> float:
        """Return the time within which this share of the responses arrived."""
        return float(np.quantile(self.seconds, share))


def run(sizes: Sizes) -> list[Row]:
    """Return the best of some rounds in which the services take turns."""
    rows = sizes.rows(STORED)
    name = f"10-NN, {rows:,} mixed rows"
    counts = {
        "/predict": sizes.queries(10_000),
        "peer": sizes.queries(400),
        "/neighbors": sizes.queries(2_000),
        "/explain": sizes.queries(1_000),
        MORE: sizes.queries(200),
    }
    with (
        tempfile.TemporaryDirectory(prefix="priorcase-serving-") as folder,
        _ours(Path(folder), rows) as (port, process),
        _theirs(rows) as (other, _),
    ):
        asked, found = _queries(rows), {path: list[Load]() for path in counts}

        def ask(path: str, count: int, **options: Any) -> Load:
            at, path = (other, "/predict") if path == "peer" else (port, path)
            return load(at, path, asked, count, **options)

        for path in counts:
            ask(path, 20)
        for _ in range(sizes.repeats):
            for path, count in counts.items():
                found[path].append(ask(path, count))
        alone = [ask("/predict", sizes.queries(500), connections=1) for _ in range(sizes.repeats)]
        before, requests = _resident(process), sizes.queries(100_000)
        ask("/predict", requests, seconds=4 * SECONDS)
        grown = (_resident(process) - before) / MIB
    best = {path: max(loads, key=lambda one: one.rate) for path, loads in found.items()}
    p99 = min(one.quantile(0.99) for one in found["/predict"])
    single = min(one.quantile(0.99) for one in alone)

    def rate(path: str, against: str, other: float, bar: float | None, note: str = "") -> Row:
        told = f"{best[path].rate:,.0f} per second, p99 {best[path].quantile(0.99) * 1e3:.1f} ms"
        return Row(f"{path}: {name}", against, 1 / best[path].rate, 1 / other, bar, note=told + note)

    return [
        rate("/predict", "2,000 per second", 2_000, 1, f", {CONNECTIONS} connections"),
        rate("/predict", "FastAPI, one-hot k-NN", best["peer"].rate, 3, f"; {best['peer'].rate:,.0f} per second"),
        Row(f"/predict, p99: {name}", "20 ms", p99, 0.02, 1),
        Row(f"/predict, p99: {name}", "100 ms", single, 0.1, 1, note="1 connection, as when a person edits a form"),
        rate("/neighbors", "300 per second", 300, None, "; past cases, and what columns add to distances"),
        rate("/explain", "300 per second", 300, 1, "; also Shapley values"),
        rate(MORE, "300 per second", 300, None),
        Row(f"memory: {requests:,} requests", "10 MiB", max(grown, 0.1), 10, 1, "MiB", "resident memory added"),
    ]


# -- the services


@contextmanager
def _ours(folder: Path, rows: int) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Run ``priorcase serve`` and yield its port and process."""
    import priorcase as pc

    task = data.mixed(rows, 1)
    path = pc.KNNClassifier(K).fit(task.X, task.y).save(folder / "model.priorcase")
    options = ["--port", "0", "--token", TOKEN, "--read-only"]
    with _started([*PROGRAM, "serve", str(path), *options]) as started:
        yield started


@contextmanager
def _theirs(rows: int) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Run FastAPI with scikit-learn and yield its port and process."""
    with _started([sys.executable, "-m", "benchmarks.peers.serving", str(rows)]) as started:
        yield started


@contextmanager
def _started(command: list[str]) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
            if found is None:
                raise RuntimeError(f"{' '.join(command)} said {line!r}")
            yield int(found[1]), process
        finally:
            process.kill()


def _peer(rows: int) -> None:
    """Serve scikit-learn's pipeline as its users would: FastAPI, a pandas frame of one row, predict_proba."""
    import pandas as pd
    import uvicorn
    from fastapi import Body, FastAPI
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    from benchmarks.peers.one_hot import encoder

    task = data.mixed(rows, 1)
    model = make_pipeline(encoder(), KNeighborsClassifier(K)).fit(task.X, task.y)
    app, dtypes, classes = FastAPI(), task.X.dtypes.to_dict(), model.classes_.tolist()

    @app.post("/predict")
    def predict(row: dict[str, Any] = Body()) -> Any:  # noqa: B008
        frame = pd.DataFrame([row], columns=list(dtypes)).astype(dtypes)
        shares = model.predict_proba(frame)[0]
        return {
            "prediction": classes[shares.argmax()],
            "probabilities": dict(zip(classes, shares.tolist(), strict=True)),
        }

    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, access_log=False, log_level="warning")).run(sockets=[listener])


# -- the client


def _queries(rows: int) -> list[bytes]:
    task = data.mixed(rows, QUERIES)
    cells = task.queries.astype(object).to_numpy().tolist()
    named = [dict(zip(task.X.columns, row, strict=True)) for row in cells]
    return [
        json.dumps({name: None if value != value else value for name, value in row.items()}).encode() for row in named
    ]


def load(
    port: int,
    path: str,
    bodies: Sequence[bytes],
    count: int,
    *,
    connections: int = CONNECTIONS,
    seconds: float = SECONDS,
) -> Load:
    """Send ``count`` requests over some connections, each of which sends the next request after a response.

    The client uses plain sockets and epoll, so that it takes little CPU time itself.
    """
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\n"
    head += "Content-Type: application/json\r\nContent-Length: "
    requests = [f"{head}{len(body)}\r\n\r\n".encode() + body for body in bodies]
    poll, taken = select.epoll(), list[float]()
    links = {
        link.fileno(): link for link in (socket.create_connection(("127.0.0.1", port)) for _ in range(connections))
    }
    begun, parts, sent = dict.fromkeys(links, 0.0), dict.fromkeys(links, b""), 0
    start = time.perf_counter()
    try:
        for number, link in links.items():
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            poll.register(number, select.EPOLLIN)
            begun[number] = time.perf_counter()
            link.sendall(requests[sent % len(requests)])
            sent += 1
        while len(taken) < count:
            if time.perf_counter() - start > seconds:
                raise RuntimeError(f"{path} gave {len(taken)} of {count} responses in {seconds:g} s")
            for number, _ in poll.poll(1.0):
                part = parts[number] + links[number].recv(1 << 16)
                if not _whole(part):
                    parts[number] = part
                    continue
                now, parts[number] = time.perf_counter(), b""
                taken.append(now - begun[number])
                if sent < count:
                    begun[number] = now
                    links[number].sendall(requests[sent % len(requests)])
                    sent += 1
    finally:
        poll.close()
        for link in links.values():
            link.close()
    return Load(len(taken) / (time.perf_counter() - start), taken)


def _whole(answer: bytes) -> bool:
    """Return whether a response is complete; a response without its length is an error."""
    end = answer.find(b"\r\n\r\n")
    if end < 0:
        return False
    if not answer.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"expected status 200, got {answer[:500]!r}")
    at = answer[:end].lower().find(b"content-length: ")
    return len(answer) - end - 4 >= int(answer[at + 16 : end].split(b"\r\n", 1)[0])


def _resident(process: subprocess.Popen[str]) -> int:
    fields = Path(f"/proc/{process.pid}/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * resource.getpagesize()


if __name__ == "__main__":
    _peer(int(sys.argv[1]))
