"""The command line whole: what all commands have in common, their exit codes, pipes and formats."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from commands import HEADER, ROWS, answers, error, run, write

from priorcase.cli import main

COMMANDS = ("report", "predict", "explain", "evaluate")
PROGRAM = [sys.executable, "-c", "from priorcase.cli import main; main()"]


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.csv", [HEADER, *ROWS[:80]])


@pytest.fixture
def query(tmp_path: Path) -> Path:
    return write(tmp_path / "query.csv", [HEADER, *ROWS[80:]])


def asking(command: str, train: object, query: object = None) -> list[str]:
    """A quick call of a command."""
    if command in ("predict", "explain"):
        return [command, "--train", str(train), "--target", "job", "--query", str(query or train)]
    if command == "evaluate":
        return [command, str(train), "--target", "job", "--learner", "guess,ib1", "--splits", "3"]
    return [command, str(train), "--target", "job", "--budget", "2s"]


def program(*args: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    plain = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "COLUMNS")}
    return subprocess.run(
        [*PROGRAM, *args], input=stdin, capture_output=True, timeout=120, check=False, env={**plain, "TERM": "xterm"}
    )


# Help


def test_the_group_lists_commands_and_exit_codes() -> None:
    text = run("--help").stdout
    shown = [line.split()[0] for line in text.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()]
    assert shown == [*COMMANDS, "cases"]  # which is a group, with tests of its own
    for code in ("0    success", "1    nothing could be measured", "2    wrong usage", "130  inter", "141  the reader"):
        assert code in text
    for command in COMMANDS:
        assert f"priorcase {command} " in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_examples_a_seed_and_debug(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    text = result.stdout
    assert f"Usage: priorcase {command} " in text
    assert "Examples:" in text
    assert f"\n    priorcase {command} " in text
    for flag in ("--seed ", "--debug ", "--help "):
        assert f"  {flag}" in text
    assert max(map(len, text.splitlines())) <= 80


def test_examples_of_the_help_are_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each example of evaluate parses: it fails at most for want of its table."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{i},{'ab'[i % 2]},{i * 0.5},{'yn'[i % 3 == 0]}" for i in range(60)]
    for name in ("loans.csv", "stream.csv"):
        write(tmp_path / name, ["age,town,price,repaid", *rows])
    arff = "@relation cars\n@attribute size numeric\n@attribute price numeric\n@data\n"
    (tmp_path / "cars.arff").write_text(arff + "".join(f"{i},{i * 1.5}\n" for i in range(30)))
    text = run("evaluate", "--help").stdout.partition("Examples:\n")[2].replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.startswith("    priorcase evaluate ")]
    assert len(lines) == 6
    for line in lines:
        words = line.partition("<")[0].split()[1:]
        if "--jobs" in words:
            del words[words.index("--jobs") : words.index("--jobs") + 2]  # a second process takes a while to start
        if "--points" in words:
            words[words.index("--points") + 1] = "5,10"
        result = run(*words, stdin=(tmp_path / "loans.csv").read_text())
        assert result.exit_code == 0, (line, result.stderr)
    assert (tmp_path / "curve.png").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete(shell: str) -> None:
    result = CliRunner().invoke(main, [], env={"_PRIORCASE_COMPLETE": f"{shell}_source"}, prog_name="priorcase")
    assert "_PRIORCASE_COMPLETE" in result.output
    asked = {"_PRIORCASE_COMPLETE": "bash_complete", "COMP_WORDS": "priorcase evaluate --sp", "COMP_CWORD": "2"}
    assert CliRunner().invoke(main, [], env=asked, prog_name="priorcase").output == "plain,--splits\n"


# Exit codes


@pytest.mark.parametrize("command", COMMANDS)
def test_success_is_0(command: str, train: Path) -> None:
    result = run(*asking(command, train))
    assert result.exit_code == 0, result.stderr
    assert result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_wrong_usage_is_2(command: str) -> None:
    assert error(run(command, "--no-such-option")) == (
        f"priorcase {command} has no option --no-such-option. 'priorcase {command} --help' shows the options."
    )
    assert "Did you mean '--debug'?" in error(run(command, "--debgu"))


PLACES = {
    "report": "priorcase.reporting.table_report.report_on",
    "predict": "priorcase.cli.fitting.fit",
    "explain": "priorcase.cli.fitting.fit",
    "evaluate": "priorcase.cli.measuring.measured",
}


def raising(error: BaseException) -> Callable[..., Any]:
    def fails(*args: Any, **options: Any) -> Any:
        raise error

    return fails


@pytest.mark.parametrize("command", COMMANDS)
def test_a_mistake_of_its_own_is_1_and_one_line(command: str, train: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PLACES[command], raising(ZeroDivisionError("division\nby zero")))
    result = run(*asking(command, train))
    assert result.exit_code == 1
    assert result.stderr == (
        "priorcase: error: ZeroDivisionError: division by zero. This is a mistake in priorcase; --debug shows "
        "where it happened, which helps to report it.\n"
    )
    shown = run(*asking(command, train), "--debug")
    assert shown.exit_code == 1
    assert "Traceback" in shown.stderr
    assert "in fails\n" in shown.stderr


def test_too_little_memory_is_1(train: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PLACES["predict"], raising(MemoryError()))
    result = run(*asking("predict", train))
    assert result.exit_code == 1
    assert result.stderr == (
        "priorcase: error: there is not enough memory for this. Take fewer rows, or fewer jobs at a time.\n"
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_is_130(command: str, train: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PLACES[command], raising(KeyboardInterrupt()))
    result = run(*asking(command, train))
    assert result.exit_code == 130
    assert result.stdout == ""
    assert result.stderr.strip() == "priorcase: interrupted"


@pytest.mark.parametrize("command", ["report", "predict", "explain", "evaluate"])
def test_bad_input_is_2_and_debug_shows_where(command: str, tmp_path: Path) -> None:
    bad = write(tmp_path / "bad.csv", ["x,job", "1,a,b"])
    assert "bad.csv line 2 has 3 fields" in error(run(*asking(command, bad)))
    for args in (["--debug", *asking(command, bad)], [*asking(command, bad), "--debug"]):
        result = run(*args)
        assert result.exit_code == 2
        assert "Traceback" in result.stderr
        assert result.stderr.splitlines()[-1].startswith("priorcase: error: ")


def test_an_output_that_cannot_be_written_is_2(train: Path, tmp_path: Path) -> None:
    (tmp_path / "taken.png").mkdir()
    assert "is a directory" in error(run(*asking("evaluate", train), "--plot", tmp_path / "taken.png"))


def test_a_reader_that_goes_away_is_141(train: Path) -> None:
    command = [*PROGRAM, *asking("evaluate", train), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


# Terminals and pipes


@pytest.mark.parametrize("command", COMMANDS)
def test_pipes_get_no_colours_and_no_bars(command: str, train: Path, query: Path) -> None:
    done = program(*asking(command, train, query))
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout
    assert done.stderr == b""


def test_a_terminal_gets_a_bar_on_standard_error(train: Path) -> None:
    main_end, other_end = pty.openpty()
    command = [*PROGRAM, *asking("evaluate", train)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=other_end) as process:
        os.close(other_end)
        shown = b""
        while True:
            try:
                shown += (part := os.read(main_end, 4096))
            except OSError:  # the other end was closed
                break
            if not part:
                break
        assert process.stdout is not None
        printed = process.stdout.read()
    os.close(main_end)
    assert b"2 learners" in shown
    assert b"6/6" in shown
    assert printed.startswith(b"80 rows: 3-fold cross-validation\n")
    assert b"\x1b" not in printed


def test_tables_come_through_pipes(train: Path, query: Path) -> None:
    text = train.read_bytes()
    done = program(*asking("evaluate", "-"), "--csv", stdin=gzip.compress(text))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"learner,repeat,split,score,value")
    past = run(*asking("predict", "-", query), "--csv", stdin=text)
    new = run(*asking("predict", train, "-"), "--csv", stdin=query.read_bytes())
    assert past.stdout == new.stdout
    assert past.stdout.count("\n") == 17


# Formats


def written_as(form: str, folder: Path, rows: list[tuple[float, str, str]]) -> Path:
    """A table of a number, a colour and a class, in a format."""
    path = folder / f"t.{form}"
    lines = [f"{x:g},{colour},{label}" for x, colour, label in rows]
    if form == "csv":
        return write(path, ["x,colour,class", *lines])
    if form == "tsv":
        return write(path, ["x\tcolour\tclass", *(line.replace(",", "\t") for line in lines)])
    if form == "arff":
        kinds = ["@attribute x numeric", "@attribute colour {red,blue}", "@attribute class {no,yes}"]
        return write(path, ["@relation t", *kinds, "@data", *lines])
    if form == "data":
        write(folder / "t.names", ["no, yes.", "x: continuous.", "colour: red, blue."])
        return write(path, lines)
    polars = pytest.importorskip("polars")
    polars.DataFrame(rows, schema=["x", "colour", "class"], orient="row").write_parquet(path)
    return path


@pytest.mark.parametrize("form", ["tsv", "arff", "data", "parquet"])
def test_every_format_gives_the_answers_of_csv(form: str, tmp_path: Path) -> None:
    rows = [(float(i % 9), ("red", "blue")[i % 2], ("no", "yes")[i % 9 > 4]) for i in range(36)]
    plain, other = (written_as(name, tmp_path, rows) for name in ("csv", form))
    for args in (["--splits", "3", "--learner", "neighbors,naive-bayes", "--json"],):
        found = [answers(run("evaluate", path, "--target", "class", *args)) for path in (plain, other)]
        assert [one["scores"] for one in found[0]["learners"]] == [one["scores"] for one in found[1]["learners"]]
    for command in ("predict", "explain"):
        asked = [
            answers(run(command, "--train", path, "--target", "class", "--query", path, "--json"))
            for path in (plain, other)
        ]
        assert [one["prediction"] for one in asked[0]["answers"]] == [one["prediction"] for one in asked[1]["answers"]]
        assert [one["probabilities"] for one in asked[0]["answers"]] == [
            one["probabilities"] for one in asked[1]["answers"]
        ]


def test_a_format_can_be_said(tmp_path: Path) -> None:
    rows = [(float(i), "red", ("no", "yes")[i % 2]) for i in range(8)]
    path = written_as("arff", tmp_path, rows).rename(tmp_path / "table.txt")
    args = ("--target", "class", "--learner", "guess", "--splits", "2", "--json")
    assert answers(run("evaluate", path, *args, "--format", "arff"))["cases"] == 8
    assert "table.txt line 3 has 2 fields; its header has 1." in error(run("evaluate", path, *args, "--format", "csv"))


# Standard output by name


def test_out_may_be_standard_output(train: Path) -> None:
    page = run(*asking("report", train), "--out", "-")
    assert page.exit_code == 0
    assert page.stdout.lstrip().lower().startswith("<!doctype html>")
    document = run(*asking("report", train), "--out", "-", "--json")
    assert json.loads(document.stdout)["target"] == "job"


# Answers as CSV


def test_answers_as_csv_are_those_of_json(train: Path, query: Path) -> None:
    document = answers(run(*asking("predict", train, query), "--json"))
    lines = list(csv.DictReader(io.StringIO(run(*asking("predict", train, query), "--csv").stdout)))
    assert len(lines) == 16
    for line, answer in zip(lines, document["answers"], strict=True):
        assert (int(line["line"]), line["prediction"], line["actual"]) == (
            answer["line"],
            answer["prediction"],
            answer["actual"],
        )
        assert {f"P({label})": share for label, share in answer["probabilities"].items()} == {
            name: float(value) for name, value in line.items() if name.startswith("P(")
        }
    assert error(run(*asking("predict", train, query), "--csv", "--json")).startswith("--json does not go with --csv.")


def test_numbers_as_csv_have_their_interval(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["x,t", *(f"{i},{i * i / 8}" for i in range(20))])
    bare = write(tmp_path / "q.csv", ["x", "3.5"])
    args = ("--train", table, "--target", "t", "--query", bare, "--csv")
    assert run("predict", *args).stdout.splitlines()[0] == "line,prediction"
    local = list(csv.DictReader(io.StringIO(run("predict", *args, "--learner", "local").stdout)))
    assert list(local[0]) == ["line", "prediction", "lower", "upper"]
    assert float(local[0]["lower"]) < float(local[0]["prediction"]) < float(local[0]["upper"])
    few = write(tmp_path / "few.csv", ["x,t", "1,1.5", "2,2.25"])
    line = run("predict", "--train", few, *args[2:], "--learner", "local", "--neighbors", "all").stdout.splitlines()[1]
    assert line.endswith(",,")
