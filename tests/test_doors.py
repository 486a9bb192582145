"""The same input through every door: Python, the command line, HTTP, MCP and the routes of the explorer."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pandas as pd
import pytest
from case_files import make_desk
from commands import HEADER, ROWS, run, write
from exploring import explorer, sent
from mcp import Client
from serving import client_of

import priorcase as pc
from priorcase.cases import at_least, below, contains, known, missing, not_, one_of
from priorcase.explorer import Workspace
from priorcase.serve import create_mcp_server

Found = list[int] | str
"""The ids that a door finds, or the sentence in which it refuses."""

CONDITIONS: list[tuple[str, dict[str, Any] | str]] = [
    ("outcome=no", {"outcome": False}),
    ("outcome=No", {"outcome": False}),
    ("outcome=false", {"outcome": False}),
    ("outcome!=yes", {"outcome": not_(True)}),
    ("outcome=no|?", {"outcome": one_of(False, None)}),
    ("outcome=?", {"outcome": None}),
    ("outcome=0,5", {"outcome": 0.5}),
    ("retired=no", {"retired": False}),
    ("retired = Yes", {"retired": True}),
    ("retired=true", {"retired": True}),
    ("opened<1.6.2025", {"opened": below("2025-06-01")}),
    ("opened>=2025-06-01", {"opened": at_least("2025-06-01")}),
    ("opened=13.2.2025", {"opened": "2025-02-13"}),
    ("opened=2/13/2025", {"opened": "2025-02-13"}),
    ("opened=2/3/2025", "can mean 2025-03-02 or 2025-02-03. Write 2025-03-02 or 2025-02-03."),
    ("opened=soon", "expected a date"),
    ("people>=5,5", {"people": at_least(5.5)}),
    ("people=1e0", {"people": 1}),
    ("people>1,516", "can mean 1516 or 1.516. Write 1516 or 1.5160"),
    ("people=12e", "expected a number"),
    ("people=1e400", "expected a number"),
    ("people!=?", {"people": known()}),
    ("urgency>=normal", {"urgency": at_least("normal")}),
    ("area=printer|vpn", {"area": one_of("printer", "vpn")}),
    ("place=?", {"place": missing()}),
    ("message~Toner", {"message": contains("Toner")}),
    ("key=P-01", {"key": "P-01"}),
    ("id=3|7", {"id": one_of(3, 7)}),
    ("colour=red", "'colour'"),
    ("people", "has no operator"),
]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The help desk with two retired cases and a degree of success."""
    path = make_desk(tmp_path_factory.mktemp("doors") / "desk.cases")
    with pc.CaseBase.open(path) as base:
        base.retire([4, 9])
        base.revise(12, outcome=0.5)
    return path


@pytest.fixture(scope="module")
def service(desk: Path) -> Iterator[httpx.Client]:
    with pc.CaseBase.open(desk, readonly=True) as base, client_of(base, read_only=True) as client:
        yield client


@pytest.fixture(scope="module")
def page(desk: Path) -> Iterator[httpx.Client]:
    with explorer(desk, read_only=True) as (_, client):
        yield client


def from_command(desk: Path, condition: str) -> Found:
    result = run("cases", "list", desk, "--where", condition, "--json")
    if result.exit_code:
        return result.stderr
    return [case["id"] for case in json.loads(result.stdout)["cases"]]


def from_route(client: httpx.Client, path: str, condition: str) -> Found:
    response = client.get(path, params={"where": condition, "limit": 1000})
    if response.status_code != 200:
        assert response.status_code == 422, response.text
        return str(response.json()["detail"])
    return sorted(case["id"] for case in response.json()["cases"])


def from_mcp(desk: Path, texts: list[str]) -> list[Found]:
    """The cases that an assistant may compare with, of those that are not retired."""
    found: list[Found] = []

    async def main() -> None:
        with pc.CaseBase.open(desk, readonly=True) as base:
            async with Client(create_mcp_server(base, read_only=True)) as client:
                for condition in texts:
                    asked = {"query": {"area": "printer"}, "k": 100, "where": [condition]}
                    result = await client.call_tool("ask", asked)
                    text = result.content[0].text  # type: ignore[union-attr]
                    found.append(text if result.is_error else sorted(one["id"] for one in json.loads(text)["cases"]))

    anyio.run(main)
    return found


@pytest.fixture(scope="module")
def assistant(desk: Path) -> Callable[[str], Found]:
    texts = [condition for condition, _ in CONDITIONS]
    return dict(zip(texts, from_mcp(desk, texts), strict=True)).__getitem__


@pytest.mark.parametrize(("condition", "expected"), CONDITIONS)
def test_a_condition_means_the_same_at_every_door(
    desk: Path,
    service: httpx.Client,
    page: httpx.Client,
    assistant: Callable[[str], Found],
    condition: str,
    expected: dict[str, Any] | str,
) -> None:
    doors = {
        "command line": from_command(desk, condition),
        "HTTP": from_route(service, "/cases", condition),
        "explorer": from_route(page, "/cases/search", condition),
    }
    if isinstance(expected, str):
        for door, found in (doors | {"MCP": assistant(condition)}).items():
            assert expected in found, door
        return
    with pc.CaseBase.open(desk, readonly=True) as base:
        ids = base.ids(expected)
        retired = base.ids({"retired": True})
    if condition == "outcome=no":
        assert len(ids) == 3
    assert doors == dict.fromkeys(doors, ids)
    active = [id for id in ids if id not in retired]
    assert assistant(condition) == (active or "No case meets the conditions. Ask without conditions, or add cases.")


def test_a_date_in_a_case_is_read_in_any_notation_at_every_door(desk: Path, service: httpx.Client) -> None:
    with pc.CaseBase.open(desk, readonly=True) as base:
        ids = list(base.retrieve({"opened": "2025-06-01"}, 7).ids)
        assert list(base.retrieve({"opened": "1.6.2025"}, 7).ids) == ids
    result = run("cases", "ask", desk, "opened=1.6.2025", "-k", 7, "--json")
    assert [case["id"] for case in json.loads(result.stdout)["cases"]] == ids
    response = service.post("/cases/ask", json={"query": {"opened": "1.6.2025"}, "k": 7})
    assert [case["id"] for case in response.json()["cases"]] == ids
    refused = service.post("/cases/ask", json={"query": {"opened": "1/6/2025"}})
    expected = "got '1/6/2025' for 'opened'; it can mean 2025-06-01 or 2025-01-06. Write 2025-06-01 or 2025-01-06."
    assert refused.json()["detail"].endswith(expected)
    assert expected in run("cases", "ask", desk, "opened=1/6/2025").stderr


def test_a_date_in_a_row_is_read_in_any_notation_at_every_door(tmp_path: Path) -> None:
    days = [f"2025-{month:02}-01" for month in range(1, 13)]
    table = write(tmp_path / "t.csv", ["day,size,y", *(f"{day},{i},{'ab'[i > 5]}" for i, day in enumerate(days))])
    with explorer(table, target="y") as (workspace, page), client_of(workspace.served) as service:
        asked = [{"day": day} for day in ("2025-09-02", "2.9.2025", "2025-09-02T00:00")]
        for client in (page, service):
            found = [client.post("/predict", json=row).json()["predictions"][0] for row in asked]
            assert found == [found[0]] * 3
        for column, low, rows in (
            ("day", "2.9.2025", 3),
            ("day", "2025-09-02", 3),
            ("size", "9,5", 2),
            ("size", 9.5, 2),
            ("day", "2/9/2025", "can mean"),
            ("size", "1,516", "can mean"),
            ("size", "1e400", "is not a valid value"),
        ):
            filters = json.dumps([{"column": column, "low": low}])
            response = page.get("/rows", params={"filters": filters}).json()
            assert response.get("total") == rows or str(rows) in response["detail"]
    typed = run("predict", table, "--target", "y", "day=2.9.2025", "--learner", "knn", "--json")
    plain = run("predict", table, "--target", "y", "day=2025-09-02", "--learner", "knn", "--json")
    assert json.loads(typed.stdout)["predictions"] == json.loads(plain.stdout)["predictions"]


# -- CSV

SAFE = {"=1+1": "'=1+1", "@x": "'@x", "-5 dB": "'-5 dB", "'=q": "''=q", "-5": "-5", "+": "+", "a=b": "a=b"}
"""Texts, and how every CSV file has them: a spreadsheet would run the first three as formulas."""


@pytest.fixture(scope="module")
def formulas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with formulas as values, as classes and as the name of a column."""
    rows = [f"{text},{i},{('=A1', '@b')[i % 2]}" for i, text in enumerate([*SAFE] * 3)]
    return write(tmp_path_factory.mktemp("formulas") / "t.csv", ["=part,size,class", *rows])


def cells(text: str, column: str) -> list[str]:
    return [row[column] for row in csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))]


def test_csv_files_of_every_door_hold_no_formula(formulas: Path, tmp_path: Path) -> None:
    learner = ("--target", "class", "--learner", "knn")
    asked = ("predict", formulas, formulas, *learner)
    assert run(*asked, "--out", tmp_path / "o.csv").exit_code == 0
    texts = [(tmp_path / "o.csv").read_text(encoding="utf-8"), run(*asked, "--csv").stdout]
    with explorer(formulas, target="class") as (workspace, page):
        job = page.post("/batch", json={"upload": sent(page, formulas.read_bytes(), "t.csv")}).json()["id"]
        workspace.jobs.wait(job)
        texts.append(page.get(f"/batch/{job}/predictions.csv").text)
        corrected = page.get("/review/table").text
    for text in texts:
        assert cells(text, "'=part") == [*SAFE.values()] * 3
        assert set(cells(text, "prediction")) <= {"'=A1", "'@b"}
        assert set(cells(text, "actual")) == {"'=A1", "'@b"}
    assert cells(corrected, "'=part") == [*SAFE.values()] * 3
    pd.read_csv(formulas).to_parquet(tmp_path / "t.parquet")
    parts = run("predict", formulas, tmp_path / "t.parquet", *learner, "--out", tmp_path / "parts.csv")
    assert parts.exit_code == 0, parts.stderr
    assert set(cells((tmp_path / "parts.csv").read_text(encoding="utf-8"), "prediction")) <= {"'=A1", "'@b"}


def test_csv_files_of_cases_hold_no_formula_and_come_back(tmp_path: Path) -> None:
    with pc.CaseBase.open(tmp_path / "a.cases", {"part": "nominal", "=note": "text"}) as base:
        base.add_many([{"part": text, "=note": text} for text in SAFE], solution=None)
        base.export(tmp_path / "cases.csv")
        exported = (tmp_path / "cases.csv").read_text(encoding="utf-8")
        with pc.CaseBase.open(tmp_path / "b.cases", base.attributes) as other:
            other.import_(tmp_path / "cases.csv")
            assert [dict(case) for case in other] == [dict(case) for case in base]
    listed = run("cases", "list", tmp_path / "a.cases", "--csv").stdout
    expected = [*SAFE.values()]
    assert cells(listed, "part") == cells(listed, "'=note") == expected
    expected[4] = '"-5"'  # a text that is not a number, as the import must know
    assert cells(exported, "part") == cells(exported, "'=note") == expected


# -- revising

NOTE = 'The previous solution was "oil it", with the outcome no.'


def revised_by_command(path: Path, body: dict[str, Any]) -> None:
    options = [word for name, value in body.items() for word in (f"--{name}", {True: "yes"}.get(value, value))]
    result = run("cases", "feedback", path, 1, *options)
    assert result.exit_code == 0, result.output


def revised_by_python(path: Path, body: dict[str, Any]) -> None:
    with pc.CaseBase.open(path) as base:
        base.revise(1, **body)


def revised_by_service(path: Path, body: dict[str, Any]) -> None:
    with pc.CaseBase.open(path) as base, client_of(base) as client:
        assert client.post("/cases/1/feedback", json=body).status_code == 200


def revised_by_page(path: Path, body: dict[str, Any]) -> None:
    with explorer(path) as (_, client):
        assert client.post("/cases/1/feedback", json=body).status_code == 200


@pytest.mark.parametrize("revise", [revised_by_python, revised_by_command, revised_by_service, revised_by_page])
def test_a_new_solution_starts_without_an_outcome_at_every_door(
    tmp_path: Path, revise: Callable[[Path, dict[str, Any]], None]
) -> None:
    path = tmp_path / "bikes.cases"
    with pc.CaseBase.open(path, {"noise": "nominal"}) as base:
        base.add({"noise": "squeak"}, solution="oil it", outcome=False)

    def state() -> tuple[Any, Any, list[str]]:
        with pc.CaseBase.open(path, readonly=True) as base:
            case = base.get(1)
            return case.solution, case.outcome, [note.text for note in case.notes]

    revise(path, {"solution": "oil it", "note": "the same"})
    assert state() == ("oil it", False, ["the same"])
    revise(path, {"solution": "replace it", "note": "came back"})
    assert state() == ("replace it", None, ["the same", f"came back\n{NOTE}"])
    with pc.CaseBase.open(path, readonly=True) as base:
        assert base.reuse(base.retrieve({"noise": "squeak"}, 1), "vote").solution == "replace it"
    revise(path, {"solution": "leave it"})
    assert state()[1] is None
    revise(path, {"solution": "replace it", "outcome": True})
    assert state()[:2] == ("replace it", True)
    assert len(state()[2]) == 2  # an unknown outcome tells nothing about a solution


# -- reading the built-in table

CORRECTIONS: list[dict[str, Any]] = [
    {"noise": {"kind": "numeric"}},
    {"chain": {"kind": "numeric"}},
    {"electric": {"kind": "numeric"}},
    {"bike": {"kind": "date"}},
    {"noise": {"kind": "ordinal", "levels": ["quiet", "creak"]}},
    {"noise": {"kind": "ordinal", "levels": ["quiet", "creak", "squeal", "grind", "click"]}},
    {"age_years": {"kind": "nominal"}, "outdoors": {"kind": "ignore"}},
    {"chain": {"kind": "nominal"}},
]


def test_the_built_in_table_is_read_as_its_file_is(tmp_path: Path) -> None:
    """As in a file, a column that does not fit its declared kind is refused, and not read as missing values."""
    path = write(tmp_path / "repairs.csv", [HEADER, *ROWS])

    def corrected(workspace: Workspace, client: httpx.Client, kinds: dict[str, Any]) -> Any:
        job = client.post("/reading", json={"kinds": levels | kinds}).json()["id"]
        workspace.jobs.wait(job)
        document = next(one for one in client.get("/status").json()["jobs"] if one["id"] == job)
        if document["state"] != "done":
            return document["message"].replace(str(path), "repairs").replace("repairs.csv", "repairs")
        columns = client.get("/reading").json()["columns"]
        return [{name: one.get(name) for name in ("name", "kind", "missing", "distinct", "texts")} for one in columns]

    levels = {
        "chain": {"kind": "ordinal", "levels": ["fresh", "used", "worn", "stretched"]},
        "brakes": {"kind": "ordinal", "levels": ["firm", "soft", "weak"]},
    }
    results = []
    for opened in (None, path):
        with explorer(opened) as (workspace, client):
            results.append([corrected(workspace, client, kinds) for kinds in CORRECTIONS])
    assert results[0] == results[1]
    assert ["holds" in result for result in results[0]] == [True] * 5 + [False] * 3
    assert "column 'noise' holds 'quiet'; expected a number such as 3.5" in results[0][0]


# -- new cases

WARDS = [f"{20 + i // 2},{'ABC'[i % 3]}-ward,{i % 7},{('no', 'yes')[i > 20]}" for i in range(40)]
NEW_CASES: dict[str, tuple[list[str], list[str]]] = {
    "as the table": (["age,ward,size", "30,A-ward,3"], []),
    "absent": (["age,ward", "30,A-ward"], ["new.csv has no column 'size' (treated as missing)"]),
    "unused": (
        ["age,ward,size,bed", "30,A-ward,3,7"],
        ["these columns of new.csv are not used, because past.csv does not have them: 'bed'"],
    ),
    "strange": (
        ["age,ward,size", "900,A-ward,3", "30,surgery,3", "31,a-ward,-1"],
        [
            "line 2: age 900 is outside the range 20 to 39 of the past cases; "
            "line 3: ward surgery was never seen; "
            "line 4: ward a-ward was never seen (did you mean 'A-ward'?), "
            "size -1 is outside the range 0 to 6 of the past cases"
        ],
    ),
    "known": (
        ["age,ward,size,ill", "20,A-ward,0,no"],
        ["1 of 1 new cases are identical to a past case, including the target; results on these cases are optimistic"],
    ),
    "misspelled": (["age,wards,size", "30,A-ward,3"], ["new.csv has a column 'wards' that past.csv does not have."]),
    "nothing": (["a,b", "1,2"], ["new.csv has no column 'age'"]),
}


@pytest.fixture(scope="module")
def wards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("wards") / "past.csv", ["age,ward,size,ill", *WARDS])


@pytest.fixture(scope="module")
def wards_page(wards: Path) -> Iterator[tuple[Workspace, httpx.Client]]:
    with explorer(wards, target="ill") as opened:
        yield opened


@pytest.mark.parametrize("content", NEW_CASES)
def test_a_file_of_new_cases_is_prepared_alike(
    wards: Path, wards_page: tuple[Workspace, httpx.Client], tmp_path: Path, content: str
) -> None:
    lines, expected = NEW_CASES[content]
    new = write(tmp_path / "new.csv", lines)
    result = run("predict", wards, new, "--target", "ill", "--learner", "knn", "--set", "n_neighbors=10", "--json")
    told = result.stderr.replace(str(new), "new.csv").replace(str(wards), "past.csv")
    workspace, page = wards_page
    job = page.post("/batch", json={"upload": sent(page, new.read_bytes())}).json()["id"]
    workspace.jobs.wait(job)
    found = page.get(f"/batch/{job}").json()
    if content in ("misspelled", "nothing"):
        assert expected[0] in told
        assert found["job"]["state"] == "failed"
        assert expected[0] in found["job"]["message"]
        return
    assert [line.removeprefix("priorcase: note: ") for line in told.splitlines()] == expected
    assert found["notes"] == expected
    predictions = page.get(f"/batch/{job}/predictions.json").json()["predictions"]
    own = json.loads(result.stdout)["predictions"]
    assert [one["probabilities"] for one in predictions] == [one["probabilities"] for one in own]
