"""The command line as tests run it, on the built-in table split in two files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from priorcase._typing import AnyArray
from priorcase.cli import main
from priorcase.datasets import NamedColumns, load
from priorcase.reporting import table_report
from priorcase.reporting.learners import candidates

PROGRAM = [sys.executable, "-c", "from priorcase.cli import main; main()"]
FAST = ("--learner", "naive_bayes")  # tests of something else than the default stack are done in no time
LEVELS = ("--column", "chain=fresh<used<worn<stretched", "--column", "brakes=firm<soft<weak")
HEADER, *ROWS = files("priorcase.datasets").joinpath("repairs.csv").read_text(encoding="utf-8").splitlines()


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(*args: object, stdin: str | bytes | None = None, columns: int = 80) -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args], input=stdin, env={"COLUMNS": str(columns)})


def program(*args: object, stdin: bytes | None = None, **env: str) -> subprocess.CompletedProcess[bytes]:
    """The command line in a process of its own, in a clean environment."""
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm", **env}
    command = [*PROGRAM, *map(str, args)]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=600, check=False, env=environment)


def ask(command: str, train: Path, query: object, *args: object, **options: Any) -> Result:
    """A question to a fast learner, unless one is named."""
    learner = () if "--learner" in args else FAST
    return run(command, train, "--target", "job", query, *LEVELS, *learner, *args, **options)


def only(monkeypatch: pytest.MonkeyPatch, *classifiers: str, regressors: tuple[str, ...] = ()) -> None:
    """Reports compare these learners with the baseline; the stack is one of two fast members."""

    def some(problem: Any, **options: Any) -> Any:
        names = ("baseline", *(classifiers if problem.task == "classify" else regressors))
        for one in candidates(problem, **options):
            if one.name == "stacked":
                members = ["knn", "naive_bayes" if problem.task == "classify" else "locally_weighted"]
                one.learner.set_params(members=members)
            if one.name in names:
                yield one

    monkeypatch.setattr(table_report, "candidates", some)


def answers(result: Result) -> dict[str, Any]:
    """The JSON document of a command that went well."""
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout, parse_constant=lambda constant: pytest.fail(f"JSON holds {constant}"))
    assert isinstance(document, dict)
    return document


def error(result: Result) -> str:
    """The one line on standard error of a command that failed as it should."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("priorcase: error: ")
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr.removeprefix("priorcase: error: ").strip()


def split_table() -> tuple[NamedColumns, AnyArray, NamedColumns]:
    """Past cases, their targets and new cases, as the command line reads them."""
    X, y = load("repairs", frame=None)
    yes_no = {True: "yes", False: "no", None: None}
    data = {name: [yes_no[v] for v in X[name]] if name in ("electric", "outdoors") else X[name] for name in X.kinds}
    table = NamedColumns.of(data, X.kinds)
    return table.take(slice(0, 80)), y[:80], table.take(slice(80, None))
