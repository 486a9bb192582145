"""``priorcase cases``: one line for each mistake, and nothing changed."""

from __future__ import annotations

import ast
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from case_files import make_desk
from commands import error, run, write

import priorcase as pc
from priorcase.cli.cases.wording import WORDS, in_commands
from priorcase.exceptions import CaseBaseError, CaseBaseFileError

SOURCES = Path(__file__).resolve().parents[1] / "src" / "priorcase"


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


@pytest.mark.parametrize(
    "args",
    [
        "add a=1",
        "list",
        "ask a=1",
        "feedback 1 --outcome no",
        "forget 1 --yes",
        "export out.csv",
        "verify",
        "history",
        "backup out.cases",
    ],
)
def test_files_that_are_no_case_base(args: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command, *rest = args.split()
    absent = "there is no case base at none.cases. Check the path; 'priorcase cases new none.cases' creates one."
    assert said(command, "none.cases", *rest) == absent
    write(Path("text.csv"), ["a,b", "1,2"])
    sqlite3.connect("other.db").execute("CREATE TABLE t (a)").connection.close()
    contents = {path: Path(path).read_bytes() for path in ("text.csv", "other.db")}
    assert "text.csv is no case base: it is a file of another kind. The file was not changed." in said(
        command, "text.csv", *rest
    )
    foreign = said(command, "other.db", *rest)
    assert "other.db is no case base: it is an SQLite file of another program. The file was not changed." in foreign
    assert "Check the path; 'priorcase cases add FILE --from TABLE' adds the rows of a table." in foreign
    assert "is a directory; a case base is one file" in said(command, ".", *rest)
    assert {path: Path(path).read_bytes() for path in contents} == contents
    assert sorted(os.listdir()) == ["other.db", "text.csv"]


WRONG = {
    "add desk.cases aera=vpn": ("got attribute 'aera', unknown to the case base. Did you mean 'area'?"),
    "add desk.cases colour=red": (
        "got attribute 'colour', unknown to the case base. It has "
        "'area', 'system', 'place', 'people', 'urgency', 'signs', 'opened', 'message'."
    ),
    "add desk.cases people=many": ("got 'many' for 'people'; expected a number. Write NAME=? where it is not known."),
    "add desk.cases people=nan": ("got 'nan' for 'people'; expected a number. Write NAME=? where it is not known."),
    "add desk.cases opened=yesterday": (
        "got 'yesterday' for 'opened'; expected a date, a datetime or ISO text such as "
        "'2024-05-01'. Write NAME=? where it is not known."
    ),
    "add desk.cases area=pritner": ("'pritner' is no value of 'area'; nothing was changed. Did you mean 'printer'?"),
    "add desk.cases urgency=none": (
        "'none' is no value of 'urgency'; nothing was changed. It has 'low', 'normal', 'high'."
    ),
    "add desk.cases area=vpn area=wired": (
        "'area' was given 2 values; nothing was changed. Only sets have several values."
    ),
    "add desk.cases printer": (
        "'printer' is not of the form NAME=VALUE. Write NAME=VALUE, or NAME=? where it is not known."
    ),
    "add desk.cases area=": "'area=' has no value. Write NAME=VALUE, or NAME=? where it is not known.",
    "add desk.cases": (
        "there is nothing to add; give NAME=VALUE, or --from TABLE. 'priorcase cases add --help' shows the options."
    ),
    "add desk.cases area=vpn --from x.csv": (
        "--from takes a table and no values of one case; --...-column name its columns. 'priorcase cases add "
        "--help' shows the options."
    ),
    "add desk.cases area=vpn --key-column id": (
        "--...-column needs --from TABLE. 'priorcase cases add --help' shows the options."
    ),
    "add desk.cases --from none.csv": "none.csv: No such file or directory",
    "feedback desk.cases 1": (
        "there is nothing to record; give --outcome, --solution, --note or NAME=VALUE. 'priorcase cases "
        "feedback --help' shows the options."
    ),
    "feedback desk.cases 99 --outcome no": (
        "got id 99, which names no case. 'priorcase cases list FILE' shows all cases."
    ),
    "feedback desk.cases P-001 --outcome no": (
        "desk.cases has no case with the key 'P-001'; nothing was changed. Did you mean 'P-01'?"
    ),
    "feedback desk.cases xxx --outcome no": (
        "desk.cases has no case with the key 'xxx'; nothing was changed. "
        "'priorcase cases list desk.cases' shows ids and keys."
    ),
    "feedback desk.cases 1 people=many": (
        "got 'many' for 'people'; expected a number. Write NAME=? where it is not known."
    ),
    "forget desk.cases 1": (
        "nobody can be asked here: --yes forgets without asking; nothing was forgotten. "
        "'priorcase cases forget --help' shows the options."
    ),
    "forget desk.cases --yes": (
        "give ids or --where, one of them; nothing was forgotten. 'priorcase cases forget --help' shows the options."
    ),
    "forget desk.cases 1 --where id=1 --yes": (
        "give ids or --where, one of them; nothing was forgotten. 'priorcase cases forget --help' shows the options."
    ),
    "forget desk.cases 1 99 --yes": ("got id 99, which names no case. 'priorcase cases list FILE' shows all cases."),
    "list desk.cases --where aera=vpn": ("got attribute 'aera', unknown to the case base. Did you mean 'area'?"),
    "list desk.cases --columns id,mesage": "desk.cases has no column 'mesage'. Did you mean 'message'?",
    "list desk.cases --json --csv": ("--json does not go with --csv. 'priorcase cases list --help' shows the options."),
    "list desk.cases --json --columns id": (
        "--columns does not go with --json, which has all of them. 'priorcase cases list --help' shows the options."
    ),
    "list desk.cases --id 1 --csv": (
        "--id shows one case in full; only --json goes with it. 'priorcase cases list --help' shows the options."
    ),
    "ask desk.cases": (
        "nothing is known of the new case; give NAME=VALUE. desk.cases has area, system, place, people, urgency, "
        "signs, opened, message. 'priorcase cases ask --help' shows the options."
    ),
    "ask desk.cases area=? --no-questions": (
        "nothing is known of the new case; give NAME=VALUE. desk.cases has area, system, place, people, urgency, "
        "signs, opened, message. 'priorcase cases ask --help' shows the options."
    ),
    "ask desk.cases area=vpn --where area=scanner --where people>999": (
        "desk.cases has no case that could answer this. Ask without --where, or add cases first."
    ),
    "ask desk.cases area=vpn --weights area=-1": (
        "'-1' is no weight of 'area'; expected a number that is not negative. "
        "0 leaves an attribute out, 2 counts it twice."
    ),
    "ask desk.cases area=vpn --diversity 2": (
        "diversity must be a number from 0 to 1, got 2.0. "
        "0 is the most similar cases, 1 the most different ones among them."
    ),
    "ask desk.cases area=vpn --method vot": (
        "Invalid value for '--method': 'vot' is not one of 'auto', 'copy', 'null', 'vote', 'mean', 'local', "
        "'compose'. Did you mean 'vote'?"
    ),
    "export desk.cases desk.cases": (
        "cannot tell the format of desk.cases by its name; expected one of 'jsonl', 'csv', "
        "'parquet'. End the name in .jsonl, .csv or .parquet."
    ),
    "backup desk.cases desk.cases": (
        "desk.cases exists already. The file was not changed. Name a new file, or move that one away first."
    ),
    "new desk.cases": (
        "desk.cases exists already; nothing was changed. "
        "Name a new file; 'priorcase cases add' adds cases to one that is there."
    ),
    "new x.cases --attribute age=word": (
        "Invalid value for '--attribute': 'word' is no kind; there are numeric, nominal, text, set, date, graph. "
        "'priorcase cases new --help' shows the options."
    ),
    "new x.cases --attribute age=numerc": (
        "Invalid value for '--attribute': 'numerc' is no kind; there are numeric, nominal, text, set, date, graph. "
        "Did you mean 'numeric'?"
    ),
    "new x.cases --attribute numeric": (
        "Invalid value for '--attribute': 'numeric' is not of the form NAME=KIND. "
        "'priorcase cases new --help' shows the options."
    ),
    "new x.cases --attribute a=text --attribute a=set": (
        "Invalid value for '--attribute': 'a=set' is the second declaration of 'a'. "
        "'priorcase cases new --help' shows the options."
    ),
    "new x.cases --ordinal size=S": (
        "Invalid value for '--ordinal': 'size=S' is not of the form 'size=small<medium<large', with two or more "
        "levels. 'priorcase cases new --help' shows the options."
    ),
    "new x.cases --attribute key=text": (
        "got attribute 'key', a name that every case has for something else. Choose another "
        "name; solution=, outcome=, key= and note= are given beside the attributes."
    ),
    "new x.cases --taxonomy a=none.json": "none.json: No such file or directory",
    "new x.cases --taxonomy a=broken.json": (
        "broken.json is no JSON file: Expecting value: line 2 column 1 (char 7). "
        'For example {"printer": {"laser": {}, "inkjet": {}}}.'
    ),
    "new x.cases --taxonomy a=circle.json": (
        "a Taxonomy must not have cycles, got 'x', 'y' below themselves. Give one of them another parent."
    ),
    "new x.cases --taxonomy a=dangling.json": (
        "every parent in a Taxonomy must be a node, got 'x' under 'z'. Add 'z': None."
    ),
    "new x.cases --key-column id": ("--...-column needs --like TABLE. 'priorcase cases new --help' shows the options."),
    "new x.cases --example help-desk --attribute a=text": (
        "--example brings attributes of its own; it goes with no --attribute, --ordinal, --taxonomy, --like. "
        "'priorcase cases new --help' shows the options."
    ),
    "new x.cases --like none.csv": "none.csv: No such file or directory",
    "lst desk.cases": (
        "there is no command 'lst'; there are new, add, list, ask, feedback, forget, export, verify, history and "
        "backup. Did you mean 'list'?"
    ),
}


@pytest.mark.parametrize("command", WRONG)
def test_each_mistake_is_one_line_and_changes_nothing(desk: Path, command: str) -> None:
    write(Path("broken.json"), ['{"a": '])
    write(Path("circle.json"), ['{"x": "y", "y": "x"}'])
    write(Path("dangling.json"), ['{"x": "z"}'])
    files, content = sorted(os.listdir()), desk.read_bytes()
    assert said(*command.split()) == WRONG[command]
    assert (sorted(os.listdir()), desk.read_bytes()) == (files, content)


def test_mistakes_in_standard_input_speak_of_it(desk: Path) -> None:
    with pc.CaseBase.open(desk, readonly=True) as base:
        before = base.digest()
    lines = '{"area": "vpn"}\n{"area": "nowhere"}\n'
    assert said("add", desk, "--from", "-", stdin=lines).startswith("standard input line 2: got 'nowhere' for 'area'")
    assert said("add", desk, "--from", "-", stdin='{"area": ') == (
        "standard input line 1 is not a case: it is no JSON, or only part of it. "
        "Correct that line, or leave it out; nothing was imported."
    )
    assert said("add", desk, "--from", "-", stdin=" \n") == (
        "standard input is empty; expected cases. Is the file before the < there?"
    )
    with pc.CaseBase.open(desk, readonly=True) as base:
        assert base.digest() == before


def test_a_file_that_may_not_be_written_is_left_alone(desk: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("everything may be written by root")
    desk.chmod(0o444)
    content = desk.read_bytes()
    for args in (["add", "area=vpn"], ["feedback", "1", "--outcome", "no"], ["forget", "1", "--yes"]):
        text = said(args[0], desk, *args[1:])
        assert "cannot be changed: the file or its folder is read-only. Nothing was changed." in text
        assert text.endswith("Change the permissions.")
    assert desk.read_bytes() == content
    assert run("cases", "list", desk).exit_code == 0


def test_what_the_system_refuses_is_one_line(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise CaseBaseFileError("Nothing was changed. Change the permissions, or open it with readonly=True.")

    monkeypatch.setattr("priorcase.cases.live.LiveTable.writing", refuse)
    assert said("add", desk, "area=vpn") == "Nothing was changed. Change the permissions."


def test_cases_without_solutions_answer_nothing(tmp_path: Path) -> None:
    path = tmp_path / "bare.cases"
    for args in (["new", path], ["add", path, "age=1"]):
        assert run("cases", *args).exit_code == 0
    assert said("ask", path, "age=1").endswith(
        "Retrieve more cases (-k), or add solutions by 'priorcase cases feedback'."
    )
    with pc.CaseBase.open(path, readonly=True) as base, pytest.raises(CaseBaseError) as caught:
        base.converse()
    assert in_commands(str(caught.value)) == (
        "found no case with a solution that worked; there is nothing to ask for. "
        "Give cases their solution by 'priorcase cases add' or 'priorcase cases feedback'."
    )


def test_debug_shows_the_traceback(desk: Path) -> None:
    result = run("cases", "add", desk, "people=many", "--debug")
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("priorcase: error: got 'many'")


def texts(folder: Path) -> set[str]:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in folder.glob("**/*.py")]
    return {
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_what_is_told_in_other_words_is_what_the_library_says() -> None:
    """A text of the library that has changed must be told anew here."""
    known = texts(SOURCES / "exceptions") | texts(SOURCES / "cases")
    assert [said for said, _ in WORDS if not any(said in text for text in known)] == []


def test_names_of_methods_are_left_out() -> None:
    assert in_commands("CaseBase.add_many: got nothing") == "got nothing"
    assert in_commands("Conversation.tell: got nothing") == "got nothing"
