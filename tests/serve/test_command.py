"""``priorcase serve`` in a process of its own, asked by the client; and what it refuses before it listens."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import httpx
import pytest
from commands import PROGRAM, error, run, write
from serving import TOKEN, AppTransport

import priorcase as pc
from priorcase.serve import Client

ROWS = [[31, "red"], [62, "blue"], [60, "red"], [25, None]]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    fitted = pc.KNNClassifier(1).fit(ROWS, ["no", "yes", "yes", "no"])
    return Path(fitted.save(tmp_path / "model.priorcase"))


@contextmanager
def serving(number: signal.Signals, *args: object) -> Iterator[tuple[str, str]]:
    """URL and token of a process that serves, and that ends well at a signal."""
    command = [*PROGRAM, "serve", *map(str, args), "--port", "0"]
    env = {name: value for name, value in os.environ.items() if name != "PRIORCASE_TOKEN"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        watch = Timer(60, process.kill)
        watch.start()
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"(http://127\.0\.0\.1:\d+)/\?token=(\S+)", line)
            assert found is not None, (line, process.poll())
            yield found[1], found[2]
            process.send_signal(number)
            rest, errors = process.communicate(timeout=30)
        finally:
            watch.cancel()
            process.kill()
    assert (process.returncode, rest) == (0, "Stopped.\n"), errors
    assert "Traceback" not in errors


def test_a_model_is_served_until_it_is_interrupted(model: Path) -> None:
    with serving(signal.SIGINT, model, "--save", model) as (url, token), Client(url, token) as client:
        assert client.schema()["rows"] == 4
        assert [one["prediction"] for one in client.predict([{"x0": 30}, {"x0": 61}])] == ["no", "yes"]
        assert client.explain({"x0": 30, "x1": "red"})[0]["precedents"][0]["id"] == 0
        assert client.neighbors({"x0": 61, "x1": "blue"})[0]["precedents"][0]["id"] == 1
        assert client.what_if({"x0": 61}, "x1")["columns"] == ["x1"]
        assert client.append([{"x0": 90, "x1": "green"}], ["old"]) == [4]
        assert client.predict({"x0": 90, "x1": "green"})[0]["prediction"] == "old"
        client.forget([0])
        with pytest.raises(pc.exceptions.ServiceError, match="column 'x7'") as caught:
            client.predict({"x7": 1})
        assert caught.value.status == 422
        with Client(url, "some-other-token") as stranger, pytest.raises(pc.exceptions.ServiceError, match="token"):
            stranger.schema()
        assert httpx.get(f"{url}/health", headers={"host": "evil.example"}).status_code == 400
    assert pc.load(model).ids_.tolist() == [1, 2, 3, 4]
    with Client(url, token) as client, pytest.raises(pc.exceptions.ServiceError, match="Client of"):
        client.schema()


def test_a_case_base_is_served_until_it_is_terminated(tmp_path: Path) -> None:
    path = tmp_path / "desk.priorcase"
    with pc.CaseBase.open(path, {"area": "nominal", "people": "numeric"}) as base:
        base.add({"area": "vpn", "people": 1}, solution="renew")
    with serving(signal.SIGTERM, path) as (url, token), Client(url, token) as client:
        assert client.ask({"area": "vpn"}, k=1)["solution"] == "renew"
        assert client.add({"area": "printer"}, solution="clean", why="call") == 2
        assert client.feedback(2, {"people": 7}, outcome=True)["values"]["people"] == 7
        assert [case["id"] for case in client.cases("people>=5")] == [2]
        client.forget_case(1, "asked to")
        with pytest.raises(pc.exceptions.ServiceError) as caught:
            client.case(1)
        assert caught.value.status == 404
    with pc.CaseBase.open(path, readonly=True) as base:
        assert [case.id for case in base] == [2]


def test_a_table_is_learned_and_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"{i // 2},{('own', 'rent')[i % 2]},{'no' if i < 20 else 'yes'}" for i in range(40)]
    table = write(tmp_path / "loans.csv", ["income,housing,repaid", *lines])
    apps: list[Any] = []
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: apps.append(self.config.app))
    result = run("serve", table, "--target", "repaid", "--port", 0, "--token", TOKEN)
    assert result.exit_code == 0, result.stderr
    assert TOKEN not in result.output  # whoever gave it knows it
    assert "--save" in result.stderr
    with Client("http://localhost", TOKEN, transport=AppTransport(apps[0])) as client:
        assert client.schema()["target"] == "repaid"
        assert [one["prediction"] for one in client.predict([{"income": 3}, {"income": 17}])] == ["no", "yes"]


def test_other_machines_need_a_token_that_is_given(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIORCASE_TOKEN", raising=False)
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
    for host in ("0.0.0.0", "::", "192.168.0.7", "models.example"):
        assert "--token" in error(run("serve", model, "--host", host))
    assert "at least 16 printable" in error(run("serve", model, "--token", "short"))
    result = run("serve", model, "--host", "0.0.0.0", "--port", 0, "--token", TOKEN)
    assert result.exit_code == 0
    assert "other machines" in result.stderr


def test_what_cannot_be_served_is_said_in_a_sentence(model: Path, tmp_path: Path) -> None:
    base, text = tmp_path / "desk.cases", write(tmp_path / "table.csv", ["a,b", "1,2"])
    pc.CaseBase.open(base).close()
    assert "there is no file" in error(run("serve", tmp_path / "none.priorcase"))
    assert "--target" in error(run("serve", text))
    assert "--column needs a table" in error(run("serve", model, "--column", "x0=numeric"))
    assert "--save is for models" in error(run("serve", base, "--save", tmp_path / "copy"))
    assert "--read-only" in error(run("serve", model, "--read-only", "--save", model))
    assert "no folder" in error(run("serve", model, "--save", tmp_path / "none" / "model"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "cannot listen" in error(run("serve", model, "--port", taken.getsockname()[1]))


def test_a_missing_extra_is_said_in_a_sentence(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("priorcase.serve.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    assert error(run("serve", model)) == "Serving needs fastapi. Install it with pip install 'priorcase[serve]'."


def test_nothing_of_the_extra_is_imported_before_it_is_needed() -> None:
    code = "import sys, priorcase.cli, priorcase.serve; print({'fastapi', 'uvicorn', 'httpx'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"
