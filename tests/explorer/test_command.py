"""``priorcase explore``: what it opens, what it refuses, and that the page is there before anything heavy is loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from queue import Queue
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from commands import error, run, write
from serving import TOKEN, AppTransport

import priorcase as pc
from priorcase.cli.serve import listening
from priorcase.serve import Client


@pytest.fixture
def apps(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    found: list[Any] = []
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: found.append(self.config.app))
    return found


def test_a_table_is_explored(tmp_path: Path, apps: list[Any]) -> None:
    lines = [f"{i // 2},{('own', 'rent')[i % 2]},{'no' if i < 20 else 'yes'}" for i in range(40)]
    table = write(tmp_path / "loans.csv", ["income,housing,repaid", *lines])
    result = run("explore", table, "--target", "repaid", "--port", 0, "--token", TOKEN, "--no-browser")
    assert result.exit_code == 0, result.stderr
    assert TOKEN not in result.output
    with Client("http://localhost", TOKEN, transport=AppTransport(apps[0])) as client:
        status: dict[str, Any] = {"open": {"kind": "nothing"}}
        while status["open"]["kind"] == "nothing":
            status = client._asked("GET", "/status")
        assert status["open"]["target"] == "repaid"
        assert [one["prediction"] for one in client.predict([{"income": 3}, {"income": 17}])] == ["no", "yes"]


def test_the_browser_is_opened_through_a_private_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line of the browser, which other users can see, does not contain the token."""
    opened: Queue[tuple[str, str, int, int]] = Queue()
    left: list[Path] = []

    def open_file(url: str) -> None:
        path = Path(url2pathname(urlsplit(url).path))
        left.append(path)
        opened.put((url, path.read_text(encoding="utf-8"), path.stat().st_mode, path.parent.stat().st_mode))

    def serve(_: Any, sockets: Any) -> None:
        address = sockets[0].getsockname()[1]
        url, text, mode, folder_mode = opened.get(timeout=60)
        assert url.startswith("file:")
        assert TOKEN not in url
        assert f'content="0; url=http://127.0.0.1:{address}/?token={TOKEN}"' in text
        if os.name == "posix":
            assert (mode & 0o777, folder_mode & 0o777) == (0o600, 0o700)

    monkeypatch.setattr("webbrowser.open", open_file)
    monkeypatch.setattr("uvicorn.Server.run", serve)
    result = run("explore", "--port", 0, "--token", TOKEN)
    assert result.exit_code == 0, result.output
    assert not left[0].exists()


def test_no_browser_is_opened_if_nobody_wants_one(apps: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    urls: list[str] = []
    monkeypatch.setattr("webbrowser.open", urls.append)
    assert run("explore", "--port", 0, "--no-browser").exit_code == 0
    assert urls == []


def test_what_cannot_be_explored_is_said_in_a_sentence(tmp_path: Path, apps: list[Any]) -> None:
    model = pc.KNNClassifier(1).fit([[31], [62]], ["no", "yes"]).save(tmp_path / "model.priorcase")
    base = tmp_path / "desk.cases"
    pc.CaseBase.open(base).close()
    assert "loan.csv" in error(run("explore", tmp_path / "loan.csv"))
    assert "--target needs a TABLE" in error(run("explore", "--target", "x"))
    assert "--column needs a TABLE" in error(run("explore", model, "--column", "x0=numeric"))
    assert "--save is for models" in error(run("explore", base, "--save", tmp_path / "copy"))
    assert "--read-only" in error(run("explore", "--read-only", "--save", tmp_path / "copy"))
    assert "--token" in error(run("explore", "--host", "0.0.0.0"))
    table = write(tmp_path / "hepatitis.csv", ["age,class", "30,live", "60,die"])
    wrong = error(run("explore", table, "--target", "Class"))
    assert "no column 'Class'" in wrong
    assert wrong == error(run("predict", table, "--target", "Class", "age=3", "class=4"))
    assert "no column" in error(run("explore", "repairs", "--target", "jobs"))
    assert "drop the target" in error(run("explore", table, "--target", "class", "--column", "class=ignore"))
    assert apps == []


@pytest.mark.parametrize(
    ("content", "target", "more"),
    [
        ("age;zu spät\n1;ja\n".encode("latin-1"), "zu spät", ()),
        (b'"age","a ""b"", c"\n1,2\n', 'a "b", c', ()),
        (b"1,ja\n2,nein\n", "column_2", ("--read", "header=no")),
    ],
)
def test_a_target_in_the_file_is_accepted(
    tmp_path: Path, apps: list[Any], content: bytes, target: str, more: tuple[str, ...]
) -> None:
    (tmp_path / "table.csv").write_bytes(content)
    result = run("explore", tmp_path / "table.csv", "--target", target, "--port", 0, "--no-browser", *more)
    assert result.exit_code == 0, result.stderr
    assert len(apps) == 1


def test_a_port_in_use_is_said_with_the_remedy(apps: list[Any]) -> None:
    with listening("127.0.0.1", 0) as (listener, _):
        port = listener.getsockname()[1]
        told = error(run("explore", "--port", port, "--no-browser"))
    assert f"port {port}" in told
    assert "--port 0" in told
    assert apps == []


def test_a_table_is_opened_and_answered_without_what_only_others_need() -> None:
    code = (
        "import sys, priorcase as pc; from priorcase.explorer import Workspace, create_explorer\n"
        "from priorcase.serve import answers\n"
        "create_explorer(Workspace(), token='x' * 20); X, y = pc.load_repairs('pandas')\n"
        "model = pc.KNNClassifier(3).fit(X, y); rows = X.iloc[:1]\n"
        "answers.predictions(model, rows, 0.9); answers.neighbors(model, rows, 3)\n"
        "unneeded = ('cases', 'local', 'stacking', 'reporting', 'plots', 'concepts', 'selection', 'reduction')\n"
        "heavy = ('sklearn.ensemble', 'sklearn.linear_model', 'sklearn.feature_extraction', 'matplotlib')\n"
        "print({*heavy, *(f'priorcase.{name}' for name in unneeded)} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "set()\n", done.stderr


def test_the_page_does_not_wait_for_what_answers() -> None:
    code = (
        "import sys; from priorcase.cli import main; import uvicorn; from priorcase.explorer.page import page_file; "
        "assert page_file('/').status_code == 200; print({'numpy', 'sklearn', 'pandas', 'fastapi'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"
