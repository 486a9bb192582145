"""What every command has in common: help of one screen, exit codes, streams, and nothing unsafe on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pandas as pd
import pytest
from click.testing import CliRunner
from commands import FAST, HEADER, PROGRAM, ROWS, answers, error, program, run, write

import priorcase as pc
from priorcase.cli import main
from priorcase.cli.shell import escape, json_text, one_line

UNSAFE = "\x1b]52;c;aGk=\x07\x1b[2J\x9b31m\u202egnp.exe\u2066"
COMMANDS = ("report", "predict", "explain", "evaluate")


@pytest.fixture(scope="module")
def train(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("tables") / "train.csv", [HEADER, *ROWS[:80]])


def asking(command: str, train: object) -> list[str]:
    """A quick call of a command."""
    given = [command, str(train), "--target", "job"]
    if command == "report":
        return [*given, "--budget", "0.1s"]
    return [
        *given,
        *(["noise=creak", *FAST] if command != "evaluate" else ["--learner", "baseline,ib1", "--splits", "3"]),
    ]


def every_command(group: click.Group = main, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from every_command(command, (*path, name))
        else:
            yield (*path, name)


# Help


@pytest.mark.parametrize("path", [(), ("cases",), *every_command()], ids=" ".join)
def test_help_is_one_screen_with_examples_first(path: tuple[str, ...]) -> None:
    result = run(*path, "--help")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(f"Usage: {' '.join(['priorcase', *path])} ")
    assert lines.index("Examples:") < lines.index("Options:")
    assert any(line.startswith(f"  {' '.join(['priorcase', *path])}") for line in lines)
    flags = [line for line in lines if re.match(r"  --?\w", line)]
    assert len(flags) <= 12 + 1  # --help itself
    if path and path not in (("cases",), ("serve",), ("explore",)):
        assert {"  --json", "  --out"} <= {flag[: len("  --json")].rstrip() for flag in flags} | {"  --out"}
        assert any(flag.startswith("  --out FILE") for flag in flags)


@pytest.mark.slow
def test_the_examples_of_the_help_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{i},{('own', 'rent')[i % 2]},{'yn'[i % 3 == 0]}" for i in range(150)]
    write(tmp_path / "loans.csv", ["income,housing,repaid", *rows])
    write(tmp_path / "new.csv", ["income,housing", "7,own"])
    write(tmp_path / "cars.csv", ["id,size,price", *(f"{i},{i % 7},{i * 1.5}" for i in range(40))])
    loans = pd.read_csv(tmp_path / "loans.csv")
    pc.KNNClassifier().fit(loans.drop(columns="repaid"), loans["repaid"]).save(tmp_path / "model.priorcase")
    (tmp_path / "big").mkdir()
    pd.read_csv(tmp_path / "new.csv").to_parquet(tmp_path / "big" / "new.parquet")
    for command in COMMANDS:
        text = run(command, "--help").stdout.partition("Examples:\n")[2].partition("Options:")[0].replace("\\\n", " ")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        assert len(lines) >= 3
        for line in lines:
            words = shlex.split(line.partition("<")[0].partition(">")[0])[1:]
            if command == "report" and "--out" not in words:
                continue  # a report takes a while
            budget = ["--budget", "0.1s"] if command == "report" else []
            result = run(*words, *budget, stdin=(tmp_path / "new.csv").read_text())
            assert result.exit_code == 0, (line, result.stderr)
    assert (tmp_path / "curve.png").exists()


def test_help_version_and_no_command() -> None:
    assert run("--version").stdout == f"priorcase {pc.__version__}\n"
    assert run().stdout == run("--help").stdout
    assert "there is no command 'predickt'" in error(run("predickt"))
    assert "Did you mean 'predict'?" in error(run("predickt"))
    assert "Did you mean 'list'?" in error(run("cases", "lst", "x"))


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys; from priorcase.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print([name for name in ('numpy', 'sklearn', 'rich') if name in sys.modules], file=sys.stderr)"
    )
    for words in (["--help"], ["evaluate", "--help"], ["cases", "ask", "--help"]):
        done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=True)
        assert done.stderr == "[]\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete(shell: str) -> None:
    result = CliRunner().invoke(main, [], env={"_PRIORCASE_COMPLETE": f"{shell}_source"}, prog_name="priorcase")
    assert "_PRIORCASE_COMPLETE" in result.output
    asked = {"_PRIORCASE_COMPLETE": "bash_complete", "COMP_WORDS": "priorcase evaluate --sp", "COMP_CWORD": "2"}
    assert CliRunner().invoke(main, [], env=asked, prog_name="priorcase").output == "plain,--splits\n"


# Exit codes


@pytest.mark.parametrize("command", COMMANDS)
def test_exit_codes(command: str, train: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = run(*asking(command, train))
    assert good.exit_code == 0, good.stderr
    assert "\x1b" not in good.stdout
    assert error(run(command, "--no-such-option")) == (
        f"priorcase {command} has no option --no-such-option. 'priorcase {command} --help' shows the options."
    )
    wrong = run("--debug", *asking(command, train), "--column", "jop=nominal")
    assert wrong.exit_code == 2
    assert "Traceback" in wrong.stderr
    assert wrong.stderr.splitlines()[-1].startswith("priorcase: error: ")

    def fail(kind: type[BaseException], text: str) -> None:
        def raise_it(*_: object, **__: object) -> None:
            raise kind(text)

        monkeypatch.setattr("priorcase.cli.tables.read_table", raise_it)

    fail(RuntimeError, "it broke\nhere")
    own = run(*asking(command, train))
    assert (own.exit_code, own.stdout) == (1, "")
    assert own.stderr.startswith("priorcase: error: RuntimeError: it broke here. This is a bug in priorcase;")
    fail(MemoryError, "")
    assert run(*asking(command, train)).stderr.startswith(
        "priorcase: error: there is not enough memory for this command."
    )
    fail(KeyboardInterrupt, "")
    interrupted = run(*asking(command, train))
    assert (interrupted.exit_code, interrupted.stderr.strip()) == (130, "priorcase: interrupted")


# Streams


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize(("command", "buffered"), [("", True), ("", False), ("predict", True)])
def test_output_to_a_full_disk_is_one_line_and_status_2(train: Path, command: str, buffered: bool) -> None:
    """In a clean environment standard output is buffered, and Python would end with status 120."""
    words = asking(command, train) if command else ["--help"]
    clean = {"PATH": os.environ["PATH"]} | ({} if buffered else {"PYTHONUNBUFFERED": "1"})
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run([*PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, env=clean, check=False)
    assert (ended.returncode, ended.stderr) == (2, b"priorcase: error: No space left on device\n")


def test_a_file_on_a_full_disk_is_one_line_and_status_2(train: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no full device here")
    assert "No space left on device" in error(run(*asking("predict", train), "--out", "/dev/full"))


def test_closed_streams_lead_nowhere(train: Path) -> None:
    shut = shlex.join([*PROGRAM, *asking("predict", train)])
    ended = subprocess.run(["sh", "-c", f"{shut} >&- 2>&- <&-"], capture_output=True, timeout=600, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    nothing = shlex.join([*PROGRAM, "predict", str(train), "--target", "job", "-", *FAST])
    ended = subprocess.run(["sh", "-c", f"{nothing} <&-"], capture_output=True, timeout=600, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith(b"priorcase: error: standard input is empty")


@pytest.mark.parametrize("args", [["explain"], ["--help"]])
def test_a_reader_that_goes_away_is_141(train: Path, args: list[str]) -> None:
    words = args if args == ["--help"] else ["explain", str(train), "--target", "job", str(train), *FAST]
    with subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read().decode()
    assert [line for line in said.splitlines() if "note: " not in line] == []
    assert process.returncode == 141


def test_a_pipe_gets_no_colours_and_a_terminal_a_bar(train: Path) -> None:
    main_end, other_end = pty.openpty()
    with subprocess.Popen([*PROGRAM, *asking("evaluate", train)], stdout=subprocess.PIPE, stderr=other_end) as process:
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
    assert b"\x1b" not in printed


def test_warnings_are_notes_of_one_line_told_once(train: Path) -> None:
    done = program("evaluate", train, "--target", "job", "--learner", "baseline", "--score", "precision_macro")
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("priorcase: note: Precision is ill-defined")


# What is unsafe on a terminal


def check_safe(text: str) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", text), text


def test_control_and_bidirectional_characters_are_escaped() -> None:
    check_safe(escape(UNSAFE))
    assert escape("naïve — Straße\t東京\n") == "naïve — Straße\t東京\n"
    assert json.loads(json_text({"k" + UNSAFE: UNSAFE})) == {"k" + UNSAFE: UNSAFE}
    check_safe(json_text({"k" + UNSAFE: UNSAFE}))
    assert one_line("a\n  b\tc\x1b") == "a b c\\x1b"
    assert escape("\ud800") == "\\ud800"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table whose column names, cells and classes would command a terminal."""
    rows = [f"{i % 5},{'ab'[i % 2]}{UNSAFE},{'xy'[i % 2]}{UNSAFE}" for i in range(24)]
    return write(tmp_path_factory.mktemp("hostile") / "t.csv", [f"n{UNSAFE},c{UNSAFE},t{UNSAFE}", *rows])


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("extra", [(), ("--json",), ("--learner", "naive_bayes"), ("--learner", "aode")])
def test_tables_print_nothing_unsafe(hostile: Path, command: str, extra: tuple[str, ...]) -> None:
    new = write(hostile.with_name("new.csv"), hostile.read_text(encoding="utf-8").splitlines()[:3])
    if command == "report" and extra[:1] == ("--learner",):
        return
    given = [command, hostile, "--target", f"t{UNSAFE}", *extra]
    given += [new] if command in ("predict", "explain") else []
    given += ["--budget", "0.1s"] if command == "report" else ["--splits", "2"] if command == "evaluate" else []
    result = run(*given)
    assert result.exit_code == 0, result.stderr
    check_safe(result.stdout)
    check_safe(result.stderr)
    if command in ("predict", "explain") and "--json" not in extra:
        assert "\\u202egnp.exe" in result.stdout


def test_an_escaped_name_is_measured_as_it_is_printed(tmp_path: Path) -> None:
    past = write(tmp_path / "t.csv", ["na'me\x1b,b,y", *["1,2,a", "2,3,b"] * 4])
    for learner in ("knn", "naive_bayes", "rbf_network"):
        shown = run("explain", past, "--target", "y", "b=2", "--learner", learner).stdout
        assert re.search(r"^ *na'me\\x1b  ", shown, re.MULTILINE), shown


def test_errors_and_notes_print_nothing_unsafe(hostile: Path) -> None:
    for args in (
        ["predict", hostile, hostile, "--target", f"zz{UNSAFE}"],
        ["predict", hostile, f"q{UNSAFE}=1"],
        ["evaluate", hostile, "--learner", f"knn{UNSAFE}"],
        ["evaluate", f"{hostile}{UNSAFE.replace('/', '')}"],
        [f"predict{UNSAFE}"],
        ["cases", "list", f"none{UNSAFE}"],
    ):
        result = run(*args)
        assert result.exit_code == 2
        check_safe(result.stdout)
        check_safe(result.stderr)


def test_csv_is_as_it_is_in_a_pipe(hostile: Path) -> None:
    text = run("predict", hostile, hostile, "--target", f"t{UNSAFE}", *FAST, "--csv").stdout
    assert f"x{UNSAFE}" in text


def test_case_bases_print_nothing_unsafe(tmp_path: Path) -> None:
    path = tmp_path / "h.cases"
    with pc.CaseBase.open(path, {f"a{UNSAFE}": "nominal", "text": "text"}, by=f"by{UNSAFE}") as base:
        for i in range(3):
            values = {f"a{UNSAFE}": f"v{UNSAFE}", "text": f"words {UNSAFE} {i}"}
            base.add(values, solution=f"s{UNSAFE}", key=f"k{i}{UNSAFE}", note=f"n{UNSAFE}", why=f"w{UNSAFE}")
    for args in (
        ["list", path],
        ["list", path, "--id", 1],
        ["list", path, "--json"],
        ["list", path, "--columns", f"id,text,a{UNSAFE}"],
        ["history", path],
        ["history", path, f"k1{UNSAFE}"],
        ["ask", path, "text=words"],
        ["ask", path, "text=words", "--explain"],
        ["ask", path, "text=words", "--json"],
        ["feedback", path, 1, "--note", f"again{UNSAFE}"],
        ["verify", path],
        ["forget", path, 1, "--yes"],
    ):
        result = run("cases", *args)
        assert result.exit_code == 0, (args, result.stderr)
        check_safe(result.stdout)
        check_safe(result.stderr)


# Files


def test_out_writes_whole_files(train: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "answer.json"
    out.write_text("old")
    out.chmod(0o640)
    assert run(*asking("predict", train), "--out", out).stdout == f"Written: {out}\n"
    assert json.loads(out.read_text())["target"] == "job"
    assert out.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["answer.json"]
    assert answers(run(*asking("predict", train), "--json", "--out", "-"))["target"] == "job"
    monkeypatch.setattr("os.access", lambda *_: False)
    assert "cannot be written" in error(run(*asking("predict", train), "--out", out))
    assert "is a directory" in error(run(*asking("predict", train), "--out", tmp_path))


@pytest.mark.parametrize("command", [(), ("predict",), ("cases",), ("cases", "ask"), ("evaluate", "--learner", "knn")])
def test_h_is_help(command: tuple[str, ...]) -> None:
    done = run(*command, "-h")
    assert (done.exit_code, done.stdout) == (0, run(*command, "--help").stdout)
