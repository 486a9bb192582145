"""``priorcase cases``: one line for each mistake, and nothing changed."""

from __future__ import annotations

import os
import shlex
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from case_files import make_desk
from commands import error, run, write

import priorcase as pc


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_desk(tmp_path_factory.mktemp("desk") / "desk.cases")


@pytest.fixture
def desk(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copy(made, "desk.cases")
    return Path("desk.cases")


def said(*args: object, **options: Any) -> str:
    return error(run("cases", *args, **options))


READING_AND_WRITING = (
    "add a=1|list|ask a=1|feedback 1 --outcome no|forget 1 --yes|export --out out.csv|verify|history|"
    "backup --out out.cases"
)


@pytest.mark.parametrize("args", READING_AND_WRITING.split("|"))
def test_files_that_are_no_case_base(args: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command, *rest = args.split()
    assert "there is no case base at none.cases." in said(command, "none.cases", *rest)
    write(Path("text.csv"), ["a,b", "1,2"])
    sqlite3.connect("other.db").execute("CREATE TABLE t (a)").connection.close()
    contents = {path: Path(path).read_bytes() for path in ("text.csv", "other.db")}
    assert "text.csv is not a case base" in said(command, "text.csv", *rest)
    assert "other.db is not a case base" in said(command, "other.db", *rest)
    assert "is a directory" in said(command, ".", *rest)
    assert {path: Path(path).read_bytes() for path in contents} == contents
    assert sorted(os.listdir()) == ["other.db", "text.csv"]


WRONG = {
    "add desk.cases aera=vpn": "Did you mean 'area'?",
    "add desk.cases colour=red": "no attribute 'colour'",
    "add desk.cases people=many": "got 'many' for 'people'; expected a number. Omit an unknown value.",
    "add desk.cases people=nan": "got 'nan' for 'people'",
    "add desk.cases opened=yesterday": "got 'yesterday' for 'opened'; expected a date",
    "add desk.cases area=pritner": "Did you mean 'printer'?",
    "add desk.cases urgency=none": "It has 'low', 'normal', 'high'",
    "add desk.cases area=vpn area=wired": "was given 2 values",
    "add desk.cases printer": "is not of the form NAME=VALUE",
    "add desk.cases area=": "'area=' is not of the form NAME=VALUE",
    "add desk.cases =x": "'=x' is not of the form NAME=VALUE",
    "add desk.cases": "nothing to add",
    "add desk.cases area=vpn --from x.csv": "--from cannot be combined with NAME=VALUE",
    "add desk.cases area=vpn --column id=key": "--column needs --from TABLE",
    "add desk.cases --from x.csv --column id=keys": "is not of the form NAME=ROLE",
    "add desk.cases --from x.csv --column id=text": "To set a kind: 'priorcase cases new FILE --attribute id=text'",
    "add desk.cases area=vpn --outcome nein": "--outcome 'nein' is not yes, no, or a number from 0 to 1",
    "add desk.cases people=1,516": "can mean 1516 or 1.516. Write 1516 or 1.516",
    "add desk.cases opened=03/04/2025": "can mean 2025-04-03 or 2025-03-04",
    "add desk.cases opened=32.03.2025": "got '32.03.2025' for 'opened'; expected a date",
    "add desk.cases --from none.csv": "none.csv",
    "feedback desk.cases 1": "nothing to record",
    "feedback desk.cases 99 --outcome no": "id 99, but no case has this id. Ids are returned by add; list all cases",
    "feedback desk.cases P-001 --outcome no": "Did you mean 'P-01'?",
    "feedback desk.cases xxx --outcome no": "no case with the key 'xxx'",
    "feedback desk.cases 1 people=many": "got 'many' for 'people'",
    "feedback desk.cases 1 --outcome 5": "--outcome '5' is not yes, no, or a number from 0 to 1",
    "forget desk.cases 1": "without a terminal, --yes is required",
    "forget desk.cases --yes": "pass either ids or --where",
    "forget desk.cases 1 --where id=1 --yes": "pass either ids or --where",
    "forget desk.cases 1 99 --yes": "99",
    "list desk.cases --where aera=vpn": "Did you mean 'area'?",
    "list desk.cases --where people": "has no operator",
    "list desk.cases --where =": "has no name",
    "list desk.cases --where people>=many": "many",
    "list desk.cases --where opened<03/04/2025": "can mean 2025-04-03 or 2025-03-04",
    "list desk.cases --columns id,mesage": "Did you mean 'message'?",
    "list desk.cases --limit -1": "-1 is not in the range x>=0",
    "list desk.cases --json --csv": "--json cannot be combined with --csv",
    "list desk.cases --json --columns id": "--json cannot be combined with --columns",
    "list desk.cases --id 1 --csv": "--id can only be combined with --json and --out",
    "history desk.cases nobody": "no case with the key 'nobody'",
    "history desk.cases --limit 0": "0 is not in the range x>=1",
    "ask desk.cases": "the new case has no values",
    "ask desk.cases area=?": "the new case has no values",
    "ask desk.cases area=vpn -k 0": "0 is not in the range x>=1",
    "ask desk.cases area=vpn --method vot": "Did you mean 'vote'?",
    "ask desk.cases area=vpn --weights area=-1": "'-1' is not a weight for 'area'",
    "ask desk.cases area=vpn --confidence 0": "0.0 is not in the range 0<x<=1",
    "ask desk.cases area=vpn --where id=0": "has no case that meets the conditions",
    "ask desk.cases area=vpn --diversity 2": "diversity",
    "export desk.cases --out there.jsonl": "there.jsonl exists already; nothing was written. Choose another file",
    "export desk.cases --out cases": "or set the format",
    "list there.jsonl": "and then 'priorcase cases add NAME.cases --from TABLE'",
    "export desk.cases --out out.xls": "does not end in .jsonl or .csv or .parquet",
    "backup desk.cases": "--out COPY is required",
    "backup desk.cases --out there.jsonl": "there.jsonl",
    "new desk.cases": "exists already",
    "new x.cases --attribute age=number": "has no valid kind",
    "new x.cases --attribute age=numerik": "Did you mean 'numeric'?",
    "new x.cases --attribute age": "is not of the form NAME=KIND, such as age=numeric",
    "new x.cases --attribute age=numeric --out x.cases": "--out x.cases would overwrite",
    "new x.cases --like there.jsonl --out there.jsonl": "--out there.jsonl would overwrite",
    "verify desk.cases --out ./desk.cases": "--out ./desk.cases would overwrite a file that this command reads",
    "verify desk.cases --out link.cases": "--out link.cases would overwrite",
    "new x.cases --attribute a=text --attribute a=set": "is declared more than once",
    "new x.cases --attribute 'size=S<S'": "two or more different levels",
    "new x.cases --attribute key=text": "'key'",
    "new x.cases --attribute a=none.json": "none.json: No such file or directory",
    "new x.cases --attribute a=broken.json": "broken.json is not a JSON file",
    "new x.cases --attribute a=circle.json": "'x', 'y'",
    "new x.cases --attribute a=dangling.json": "'z'",
    "new x.cases --column id=key": "--column needs --like TABLE",
    "new x.cases --example help-desk --attribute a=text": "--example comes with its own attributes",
    "new x.cases --example helpdesk": "Did you mean 'help-desk'?",
    "new x.cases --like none.csv": "none.csv",
    "lst desk.cases": "Did you mean 'list'?",
}


@pytest.mark.parametrize("command", WRONG)
def test_each_mistake_is_one_line_and_changes_nothing(desk: Path, command: str) -> None:
    write(Path("broken.json"), ['{"a": '])
    write(Path("circle.json"), ['{"x": "y", "y": "x"}'])
    write(Path("dangling.json"), ['{"x": "z"}'])
    write(Path("there.jsonl"), ["{}"])
    Path("link.cases").symlink_to(desk)
    files, content = sorted(os.listdir()), desk.read_bytes()
    assert WRONG[command] in said(*shlex.split(command))
    assert (sorted(os.listdir()), desk.read_bytes()) == (files, content)


def test_mistakes_in_standard_input_speak_of_it(desk: Path) -> None:
    with pc.CaseBase.open(desk, readonly=True) as base:
        before = base.digest()
    lines = '{"area": "vpn"}\n{"area": "nowhere"}\n'
    assert said("add", desk, "--from", "-", stdin=lines).startswith("standard input line 2: got 'nowhere' for 'area'")
    assert said("add", desk, "--from", "-", stdin='{"area": ').startswith("standard input line 1 is not a case")
    assert said("add", desk, "--from", "-", stdin=" \n") == "standard input is empty; expected cases."
    assert said("add", desk, "--from", "-", stdin=b"\x1f\x8b\x08cut").startswith(
        "standard input looks compressed by gzip but is"
    )
    with pc.CaseBase.open(desk, readonly=True) as base:
        assert base.digest() == before


def test_a_column_that_is_an_attribute_cannot_be_the_solution(tmp_path: Path) -> None:
    """Its values would be stored as an attribute, and no case would have a solution."""
    path, table = tmp_path / "bikes.cases", write(tmp_path / "bikes.csv", ["age,job", "1,oil", "9,chain"])
    assert run("cases", "new", path, "--like", table).exit_code == 0
    told = said("add", path, "--from", table, "--column", "job=solution")
    assert f"'job' is an attribute of {path}, so it cannot be the solution; create a case base" in told
    command = told.rpartition("without this attribute: ")[2]
    assert run("cases", "list", path).stdout.startswith("0 cases")
    words = [str(tmp_path / "new.cases") if word == "NEW.cases" else word for word in shlex.split(command)]
    assert run(*words[1:]).exit_code == 0
    assert run("cases", "add", words[3], "--from", table, "--column", "job=solution").exit_code == 0
    assert "oil" in run("cases", "ask", words[3], "age=2", "--method", "copy").stdout


def test_a_file_that_may_not_be_written_is_left_alone(desk: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("everything may be written by root")
    desk.chmod(0o444)
    content = desk.read_bytes()
    for args in (["add", "area=vpn"], ["feedback", "1", "--outcome", "no"], ["forget", "1", "--yes"]):
        assert "read-only" in said(args[0], desk, *args[1:])
    assert desk.read_bytes() == content
    assert run("cases", "list", desk).exit_code == 0


def test_cases_without_solutions_answer_nothing(tmp_path: Path) -> None:
    path = tmp_path / "bare.cases"
    for args in (["new", path], ["add", path, "age=1"]):
        assert run("cases", *args).exit_code == 0
    told = said("ask", path, "age=1")
    assert "solution" in told
    assert "(" not in told  # no Python


def test_debug_shows_the_traceback_and_no_method(desk: Path) -> None:
    result = run("--debug", "cases", "add", desk, "people=many")
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("priorcase: error: got 'many'")
