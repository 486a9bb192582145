"""``priorcase cases``: a case base made, filled, listed, asked, corrected, forgotten from, exported and checked."""

from __future__ import annotations

import datetime
import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from case_files import make_desk
from click.shell_completion import ShellComplete
from commands import answers, run, write

import priorcase as pc
from priorcase.cli import main

CARS = [
    "make,paint colour,miles,price,ref",
    "Audi,black,20000,9000,a1",
    "BMW,red,?,7000,a2",
    "Audi,red,50000,6000,a3",
]
COLUMNS = ("--column", "price=solution", "--column", "ref=key")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_desk(tmp_path_factory.mktemp("desk") / "desk.cases")


@pytest.fixture
def desk(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "desk.cases"))


@pytest.fixture
def cars(tmp_path: Path) -> Path:
    table = write(tmp_path / "cars.csv", CARS)
    done("new", tmp_path / "cars.cases", "--like", table, *COLUMNS)
    done("add", tmp_path / "cars.cases", "--from", table, *COLUMNS)
    return tmp_path / "cars.cases"


def done(*args: object, **options: Any) -> str:
    """What a command that went well prints."""
    result = run("cases", *args, **options)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def told(*args: object, **options: Any) -> Any:
    return answers(run("cases", *args, "--json", **options))


def test_new_declares_attributes_of_every_kind(tmp_path: Path) -> None:
    tree = write(tmp_path / "devices.json", ['{"printer": {"laser": {}, "inkjet": {}}}'])
    path = tmp_path / "all.cases"
    kinds = [f"--attribute={name}={name}" for name in ("numeric", "nominal", "text", "set", "date", "graph")]
    out = done("new", path, *kinds, "--attribute=how urgent=low<mid<high", "--attribute", f"device={tree}")
    assert out.splitlines()[0] == f"CaseBase {path}: 0 cases"
    with pc.CaseBase.open(path, readonly=True) as base:
        assert out == f"{base!r}\n"
        assert base.attributes["how urgent"] == pc.Ordinal(("low", "mid", "high"))
        assert base.attributes["device"] == pc.Taxonomy({"printer": ["laser", "inkjet"]})
        assert [name for name in base.attributes if name in out] == list(base.attributes)
        assert base.attributes["text"] == pc.Text()


def test_the_example_is_the_built_in_help_desk(desk: Path) -> None:
    tickets = pc.datasets.load_help_desk().tickets
    with pc.CaseBase.open(desk, readonly=True) as base:
        assert len(base) == len(tickets)
        for case, ticket in zip(base, tickets, strict=True):
            assert dict(case) | {"ticket": case.key, "solution": case.solution, "outcome": case.outcome} == ticket


def test_like_takes_the_columns_of_a_table_and_no_row(tmp_path: Path) -> None:
    table, path = write(tmp_path / "cars.csv", CARS), tmp_path / "cars.cases"
    out = done("new", path, "--like", table, *COLUMNS, "--attribute", "make=text")
    assert out.splitlines()[1:] == ["  make          text", "  paint colour  nominal", "  miles         numeric"]
    with pc.CaseBase.open(path, readonly=True) as base:
        assert len(base) == 0
    piped = done("new", tmp_path / "piped.cases", "--like", "-", *COLUMNS, stdin="\n".join(CARS))
    assert piped.splitlines()[1:] == ["  make          nominal", *out.splitlines()[2:]]


def test_add_reads_values_as_their_kinds_mean_them(desk: Path) -> None:
    values = ("area=VPN", "people=12", "signs=slow, timeout", "signs=tray 2", "opened=2025-06-01", "urgency=High")
    beside = (
        "--solution",
        "renew it",
        "--outcome",
        "yes",
        "--key",
        "V-9",
        "--note",
        "first",
        "--by",
        "me",
        "--why",
        "x",
    )
    assert done("add", desk, *values, "message= a = b ", "system=?", *beside) == "70\n"
    with pc.CaseBase.open(desk, readonly=True) as base:
        case = base.get(70)
        assert case["area"] == "vpn"
        assert case["signs"] == frozenset({"slow", "timeout", "tray 2"})
        assert (case["people"], case["opened"].isoformat(), case["urgency"]) == (12, "2025-06-01", "high")
        assert (case["message"], case["system"], case["place"]) == ("a = b", None, None)
        assert (case.solution, case.outcome, case.key, case.by, case.why) == ("renew it", True, "V-9", "me", "x")
        assert [note.text for note in case.notes] == ["first"]


def test_the_same_key_twice_is_one_case(desk: Path) -> None:
    again = run("cases", "add", desk, "area=vpn", "--key", "P-01")
    assert (again.stdout, again.exit_code) == ("1\n", 0)
    assert again.stderr == "priorcase: note: case 1 already has this key; nothing was added\n"
    assert told("add", desk, "area=vpn", "--key", "P-01") == {"ids": [1], "added": 0, "known": 1}


def test_the_first_case_declares_attributes(tmp_path: Path) -> None:
    path = tmp_path / "free.cases"
    assert done("new", path) == f"CaseBase {path}: 0 cases\n"
    done(
        "add",
        path,
        "paint colour=black",
        "miles=20000",
        "sold=2024-05-01",
        "extras=a",
        "extras=b",
        "--solution",
        "9000",
    )
    with pc.CaseBase.open(path, readonly=True) as base:
        kinds = {name: pc.cases.kinds.kind_name(kind) for name, kind in base.attributes.items()}
        assert kinds == {"paint colour": "nominal", "miles": "numeric", "sold": "date", "extras": "set"}
        assert base.get(1).solution == 9000


def test_digits_are_a_solution_of_the_kind_that_the_others_are(desk: Path, cars: Path) -> None:
    done("add", desk, "area=vpn", "--solution", "404")
    done("add", cars, "make=Audi", "--solution", "404")
    done("add", cars, "make=Audi", "--solution", "8.404,50")
    done("add", cars, "make=Audi", "--solution", '{"price": 3, "who": ["a"]}', "--outcome", "0.25")
    with pc.CaseBase.open(desk, readonly=True) as base:
        assert base.get(70).solution == "404"
    with pc.CaseBase.open(cars, readonly=True) as base:
        assert [base.get(id).solution for id in (4, 5, 6)] == [404, 8404.5, {"price": 3, "who": ["a"]}]
        assert base.get(6).outcome == 0.25


def test_values_that_are_numbers_or_truths_are_found_by_their_text(tmp_path: Path) -> None:
    rows = ['{"doors": 4, "electric": true, "tags": [1], "solution": 1}', '{"doors": "many", "electric": "true?"}']
    table, path = write(tmp_path / "rows.jsonl", rows), tmp_path / "rows.cases"
    done("new", path)
    done("add", path, "--from", table)
    cases = told("ask", path, "doors=4", "electric=true", "tags=1")["cases"]
    assert (cases[0]["id"], cases[0]["similarity"]) == (1, 1.0)
    assert told("ask", path, "doors=4", "electric=true", "tags=1")["query"] == {
        "doors": 4,
        "electric": True,
        "tags": [1],
    }


def test_tables_are_read_as_by_the_other_commands(tmp_path: Path) -> None:
    rows = ["income;amount;since;fix", "1.200;3.100,50 €;3.4.2025;loan", "2.400;99,90 €;4.4.2025;none"]
    table, path = write(tmp_path / "rows.csv", rows), tmp_path / "rows.cases"
    done("new", path, "--like", table, "--column", "fix=solution")
    done("add", path, "--from", table, "--column", "fix=solution")
    with pc.CaseBase.open(path, readonly=True) as base:
        found = base.get(1)
        assert [found[name] for name in ("income", "amount", "since")] == [1200, 3100.5, datetime.date(2025, 4, 3)]


def test_add_from_tables_is_all_or_nothing_and_counts_known_keys(cars: Path, tmp_path: Path) -> None:
    table = tmp_path / "cars.csv"
    added = done("add", cars, "--from", table, *COLUMNS)
    assert added == f"0 cases added to {cars}; cases not added because their keys exist already: 3\n"
    with pc.CaseBase.open(cars, readonly=True) as base:
        before = base.digest()
    wrong = write(tmp_path / "wrong.csv", [CARS[0], "Kia,red,9,900,a9", "Kia,red,many,900,a10"])
    result = run("cases", "add", cars, "--from", wrong, *COLUMNS)
    assert result.exit_code == 2
    assert "line 3" in result.stderr
    with pc.CaseBase.open(cars, readonly=True) as base:
        assert base.digest() == before


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_what_is_exported_can_be_added_from_standard_input(
    desk: Path, tmp_path: Path, ending: str, packed: bool
) -> None:
    out, copy = tmp_path / f"out.{ending}", tmp_path / "copy.cases"
    assert done("export", desk, "--out", out) == f"69 cases written to {out}\n"
    shutil.copy(desk, copy)
    done("forget", copy, "--where", "id>=1", "--yes")
    content = gzip.compress(out.read_bytes()) if packed else out.read_bytes()
    assert told("add", copy, "--from", "-", stdin=content)["added"] == 69
    with pc.CaseBase.open(desk, readonly=True) as base, pc.CaseBase.open(copy, readonly=True) as other:
        assert base.digest() == other.digest()


def test_export_to_standard_output_meets_conditions(desk: Path) -> None:
    head, *lines = done("export", desk, "--where", "area=printer", "--where", "people>=5").splitlines()
    assert "priorcase cases" in json.loads(head)
    with pc.CaseBase.open(desk, readonly=True) as base:
        found = [case.id for case in base.find(where={"area": "printer", "people": pc.cases.at_least(5)})]
    assert [json.loads(line)["id"] for line in lines] == found
    assert 0 < len(found) < 69


def test_export_finds_attributes_that_are_named_like_parameters(tmp_path: Path) -> None:
    path, out = tmp_path / "odd.cases", tmp_path / "odd.jsonl"
    done("new", path)
    for value in ("a", "b"):
        done("add", path, f"format={value}")
    assert done("export", path, "--out", out, "--where", "format=b") == f"1 case written to {out}\n"
    assert run("cases", "export", path, "--out", out).exit_code == 2
    assert done("export", path, "--out", out, "--overwrite") == f"2 cases written to {out}\n"


def test_list_shows_what_fits_and_says_what_does_not(desk: Path) -> None:
    for columns in (60, 100, 300):
        out = done("list", desk, "--limit", 3, columns=columns)
        title, header, *lines = out.splitlines()
        assert title == "69 cases"
        assert len(lines) == 4
        assert max(map(len, [header, *lines[:3]])) <= columns
        assert ("message" in header) == (columns == 300)
        assert "cases not shown: 66; --limit shows more" in lines[3]
    assert "columns not shown" not in out
    assert done("list", desk, "--where", "id=0") == "0 of 69 cases\n"


def test_list_gives_a_wide_column_the_room_that_is_left(desk: Path) -> None:
    lines = done("list", desk, "--where", "id<=2", "--columns", "id,message", columns=120).splitlines()
    assert lines[0] == "2 of 69 cases"
    assert lines[2].endswith("Every second sheet from tray 2 jams and the display asks to open the rear door.")


def test_list_as_csv_and_json_has_all_cases(desk: Path) -> None:
    lines = done("list", desk, "--csv").splitlines()
    assert lines[0] == "id,key,area,system,place,people,urgency,signs,opened,message,solution,outcome"
    assert lines[1].startswith('1,P-01,laser printer,windows,office,6,normal,"paper jam, tray 2",2025-01-13,')
    assert len(lines) == 70
    cases = told("list", desk, "--where", "outcome=no|maybe")["cases"]
    with pc.CaseBase.open(desk, readonly=True) as base:
        assert [case["id"] for case in cases] == [case.id for case in base.find(where={"outcome": False})]
    assert cases[0]["values"]["opened"] == str(base_value(desk, cases[0]["id"], "opened"))
    assert len(told("list", desk, "--limit", 2)["cases"]) == 2


def base_value(path: Path, id: int, name: str) -> Any:
    with pc.CaseBase.open(path, readonly=True) as base:
        return base.get(id)[name]


def test_one_case_is_shown_in_full_by_its_id_or_key(desk: Path) -> None:
    done("feedback", desk, "P-01", "--note", "seen again", "--by", "me", "--why", "call")
    out = done("list", desk, "--id", "P-01")
    assert out == done("list", desk, "--id", 1)
    for part in ("paper jam, tray 2", "the rear door.", "note      seen again", "2 events", "revised     1  me  call"):
        assert part in out
    document = told("list", desk, "--id", 1)
    assert document["notes"][0]["text"] == "seen again"
    assert [event["action"] for event in document["history"]] == ["added", "revised"]


def test_ask_at_once_is_what_the_library_answers(desk: Path) -> None:
    query = {"area": "printer", "message": "stripes on the page", "people": 3}
    pairs = [f"{name}={value}" for name, value in query.items()]
    options = ("-k", 7, "--weights", "message=3", "--where", "place=office")
    with pc.CaseBase.open(desk, readonly=True) as base:
        found = base.retrieve(query, 7, weights={"message": 3}, where={"place": "office"})
        proposal = base.reuse(found)
        assert done("ask", desk, *pairs, *options) == f"{proposal}\n\n{found}\n"
        explained = done("ask", desk, *pairs, *options, "--explain")
        assert explained.startswith(f"{proposal.explain()}\n\n{found.explain(0)}\n\n{found.explain(1)}")
        document = told("ask", desk, *pairs, *options)
        assert document["solution"] == proposal.solution
        assert [case["id"] for case in document["cases"]] == list(found.ids)
        assert [case["similarity"] for case in document["cases"]] == found.similarities.tolist()
        for case in document["cases"]:
            assert sum(case["contributions"].values()) == pytest.approx(case["similarity"])
        assert {one["solution"]: one["probability"] for one in document["candidates"]} == proposal.probabilities
        copied = told("ask", desk, *pairs, "--method", "copy", "--diversity", "0.5")
        assert copied["solution"] == base.reuse(base.retrieve(query, diversity=0.5), "copy").solution


def test_values_are_typed_as_any_country_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "sales.cases"
    done("new", path, "--attribute=price=numeric", "--attribute=sold=date", "--attribute=angle=circular:360")
    done("add", path, "price=1.516,34 €", "sold=16.03.2025", "angle=-5,5", "--outcome", "0,5")
    done("add", path, "price=1,516.34", "sold=3/16/2025", "angle=1e2")
    with pc.CaseBase.open(path, readonly=True) as base:
        for case in base:
            assert (case["price"], case["sold"]) == (1516.34, datetime.date(2025, 3, 16))
        assert base.get(1).outcome == 0.5
    for condition in ("price=1516,34", "price>1.516,33", "sold=16.03.2025", "sold<17. März 2025"):
        assert len(told("list", path, "--where", condition)["cases"]) == 2


def test_outcomes_of_a_table_count_as_far_as_they_are_understood(tmp_path: Path) -> None:
    rows = ["age,fix,helped", "1,oil,no", "2,swap,nein", "3,swap,Yes"]
    table, path = write(tmp_path / "rows.csv", rows), tmp_path / "rows.cases"
    roles = ("--column", "fix=solution", "--column", "helped=outcome")
    done("new", path, "--like", table, *roles)
    done("add", path, "--from", table, *roles)
    result = run("cases", "ask", path, "age=1")
    assert result.stdout.startswith("vote: swap, share of the votes 1.000\n")
    assert result.stderr == (
        "priorcase: note: these outcomes count as unknown, because they are not yes, no or a number from 0 to 1: "
        "'nein'\n"
    )
    assert run("cases", "ask", path, "age=1", "--where", "outcome!=nein").stderr == ""


def test_ask_says_that_cases_as_similar_are_left_out(cars: Path) -> None:
    said = "priorcase: note: 1 more case is as similar as the last case shown; -k 2 includes it\n"
    assert run("cases", "ask", cars, "make=Audi", "-k", 1).stderr == said
    for more in (["-k", 2], ["-k", 3], ["-k", 1, "--where", "id=1"], ["-k", 1, "miles=20000"]):
        assert run("cases", "ask", cars, "make=Audi", *more).stderr == ""


def test_help_says_which_solutions_failed(desk: Path) -> None:
    done("feedback", desk, 1, "--outcome", 0.5)
    assert told("ask", desk, "area=laser printer", "--where", "id=1", "--method", "copy")["solution"] is None
    assert "a number up to 0.5" in done("feedback", "--help")


def test_feedback_changes_a_case_and_prints_it(desk: Path) -> None:
    out = done("feedback", desk, 3, "--outcome", "no", "--solution", "?", "urgency=high", "system=?")
    with pc.CaseBase.open(desk, readonly=True) as base:
        case = base.get(3)
        assert out == f"{case}\n".replace("outcome  False", "outcome  no")
        assert done("list", desk, "--id", 3).startswith(out)
        assert (case.outcome, case.solution, case["urgency"], case["system"]) == (False, None, "high", None)
        assert case["people"] == 1


def test_forgotten_cases_leave_no_byte(desk: Path) -> None:
    done("add", desk, "area=vpn", "message=xylophone quartz", "--key", "V-9")
    assert b"xylophone" in desk.read_bytes()
    out = done("forget", desk, "V-9", "--yes", "--by", "me", "--why", "asked to")
    assert out == f"1 case forgotten; its data were erased from {desk}\n"
    assert b"xylophone" not in desk.read_bytes()
    last = told("history", desk)["events"][-1]
    assert (last["action"], last["case"], last["by"], last["why"]) == ("forgotten", 70, "me", "asked to")
    count = len(told("list", desk, "--where", "area=printer")["cases"])
    assert done("forget", desk, "--where", "area=printer", "--yes") == (
        f"{count} cases forgotten; their data were erased from {desk}\n"
    )
    assert (
        done("forget", desk, "--where", "area=printer", "--yes")
        == "no case meets the conditions; nothing was forgotten\n"
    )


def test_verify_history_and_backup(desk: Path, tmp_path: Path) -> None:
    assert done("verify", desk) == "clean: 69 cases\n"
    assert told("verify", desk) == {"clean": True, "cases": 69, "findings": []}
    assert done("backup", desk, "--out", tmp_path / "copy.cases") == f"69 cases copied to {tmp_path / 'copy.cases'}\n"
    assert done("verify", tmp_path / "copy.cases") == "clean: 69 cases\n"
    done("feedback", desk, "P-02", "--outcome", "no")
    assert [event["action"] for event in told("history", desk, "P-02")["events"]] == ["added", "revised"]
    assert [len(told("history", desk, *limit)["events"]) for limit in ([], ["--limit", 2])] == [71, 2]
    lines = done("history", desk, "--limit", 2).splitlines()
    assert (len(lines), lines[-1]) == (5, "  earlier events not shown: 69; --limit shows more")


def test_verify_names_damage_and_ends_with_1(desk: Path) -> None:
    content = bytearray(desk.read_bytes())
    content[content.find(b"windows")] = ord("W")
    desk.write_bytes(content)
    result = run("cases", "verify", desk)
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith("damaged:\n  row ")
    assert json.loads(run("cases", "verify", desk, "--json").stdout)["clean"] is False
    desk.write_bytes(content[:5000])
    cut = run("cases", "verify", desk)
    assert cut.exit_code == 1
    assert "it has 5,000 bytes" in cut.stdout
    assert desk.read_bytes() == content[:5000]


def test_reading_commands_need_no_right_to_write(desk: Path, tmp_path: Path) -> None:
    before = desk.stat().st_mtime_ns
    for args in (["list"], ["ask", "area=vpn"], ["export"], ["verify"], ["history"]):
        done(args[0], desk, *args[1:])
    assert desk.stat().st_mtime_ns == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["desk.cases"]


def test_the_tab_key_completes_attributes(desk: Path, tmp_path: Path) -> None:
    def completed(*args: str) -> list[str]:
        *before, last = args
        complete = ShellComplete(main, {}, "priorcase", "_PRIORCASE_COMPLETE")
        return [item.value for item in complete.get_completions(["cases", *before], last)]

    assert completed("ask", str(desk), "p") == ["place=", "people="]
    assert completed("ask", str(tmp_path / "none.cases"), "p") == []
    assert completed("ver") == ["verify"]


def test_the_group_lists_its_commands() -> None:
    commands = ["new", "add", "list", "history", "ask", "feedback", "forget", "export", "backup", "verify"]
    assert [line.split()[0] for line in done().partition("Commands:\n")[2].splitlines()] == commands
