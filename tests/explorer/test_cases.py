"""What the page shows of a case base: lists, columns, history and conversations, as the library has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from exploring import desk_file, explorer
from serving import detail

import priorcase as pc


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    path = desk_file(tmp_path_factory.mktemp("desk") / "desk.cases")
    with explorer(path, read_only=True) as (_, client):
        yield client


def test_cases_are_listed_newest_first_by_pages(desk: httpx.Client) -> None:
    first = desk.get("/cases/search", params={"limit": 50}).json()
    assert (first["met"], first["total"]) == (69, 69)
    assert [case["id"] for case in first["cases"]] == list(range(69, 19, -1))
    last = desk.get("/cases/search", params={"limit": 50, "offset": 50}).json()
    assert [case["id"] for case in last["cases"]] == list(range(19, 0, -1))
    assert desk.get("/cases/search", params={"offset": 99}).json()["cases"] == []


def test_words_and_conditions_narrow_the_list(desk: httpx.Client) -> None:
    found = desk.get("/cases/search", params={"words": "TRAY rollers", "where": ["area=printer", "people>=2"]}).json()
    assert 0 < found["met"] < 10
    for case in found["cases"]:
        assert "rollers" in str(case).lower()
        assert case["values"]["people"] >= 2
    assert desk.get("/cases/search", params={"words": "P-01"}).json()["cases"][0]["key"] == "P-01"
    assert "colour" in detail(desk.get("/cases/search", params={"where": "colour=red"}), 422)


def test_columns_make_a_form(desk: httpx.Client) -> None:
    found = desk.get("/cases/columns").json()
    columns = {column["name"]: column for column in found["columns"]}
    assert columns["area"]["kind"] == "taxonomy"
    assert "laser printer" in columns["area"]["values"]
    assert columns["urgency"]["values"] == ["low", "normal", "high"]
    assert sum(columns["system"]["counts"]) + columns["system"]["missing"] == 69
    assert columns["people"]["low"] <= columns["people"]["quantiles"][2] <= columns["people"]["high"]
    assert columns["opened"]["low"].startswith("2025-")
    assert "paper jam" in columns["signs"]["options"]
    assert found["outcome"]["kind"] == "boolean"
    assert found["solution"]["kind"] == "text"
    assert found["solution"]["values"][0] == "set up the second factor again"
    assert found["solution"]["counts"][0] == 5


def test_the_history_comes_newest_first(desk: httpx.Client) -> None:
    found = desk.get("/cases/history", params={"limit": 2, "offset": 1}).json()
    everything = desk.get("/cases/history", params={"limit": 1000}).json()["events"]
    assert found == {"events": everything[1:3], "total": len(everything)}
    assert everything[0]["case"] == 69


def test_a_conversation_asks_what_the_library_asks(desk: httpx.Client, tmp_path: Path) -> None:
    given: list[dict[str, Any]] = []
    with pc.CaseBase.open(desk_file(tmp_path / "same.cases")) as base:
        talk = base.converse()
        while not talk.settled and (question := talk.next_question()) is not None:
            found = desk.post("/cases/converse", json={"answers": given}).json()
            assert found["question"]["text"] == question.text
            assert [one["cases"] for one in found["question"]["choices"]] == [one.cases for one in question.choices]
            assert found["left"] == talk.candidates.size
            assert found["proposal"]["solution"] == talk.answer().solution
            assert not found["settled"]
            value = question.choices[0].answer if question.choices else None
            given.append({"attribute": question.attribute, "value": value})
            talk.tell(question.attribute, value)
        found = desk.post("/cases/converse", json={"answers": given}).json()
        assert found["settled"]
        assert found["reason"] == talk.reason
        assert [line["answer"] for line in found["transcript"]] == [line.answer for line in talk.transcript.lines]
        assert [case["id"] for case in found["support"]] == [one.id for one in talk.answer().sources[:5]]
    assert len(given) > 2


def test_a_conversation_refuses_in_the_words_of_the_case_base(desk: httpx.Client) -> None:
    def asked(*given: tuple[str, Any]) -> httpx.Response:
        return desk.post("/cases/converse", json={"answers": [{"attribute": a, "value": v} for a, v in given]})

    assert "colour" in detail(asked(("colour", "red")), 422)
    assert "many" in detail(asked(("people", "many")), 422)
    assert "answers.0" in detail(desk.post("/cases/converse", json={"answers": [{"value": 1}]}), 422)


def test_numbers_as_solutions_may_be_off_by_a_part_of_their_range(tmp_path: Path) -> None:
    path = tmp_path / "prices.cases"
    with pc.CaseBase.open(path) as base:
        base.add_many([{"rooms": i % 5} for i in range(20)], solution=[100.0 * (i % 5) + i for i in range(20)])
    with explorer(path) as (_, client):
        assert client.post("/cases/converse", json={}).json()["question"]["attribute"] == "rooms"
        assert client.get("/cases/columns").json()["solution"]["kind"] == "numeric"


def test_changes_reach_the_columns_and_a_model_has_no_cases(tmp_path: Path) -> None:
    with explorer(desk_file(tmp_path / "desk.cases")) as (workspace, client):
        before = client.get("/cases/columns").json()
        new = {"case": {"area": "vpn", "signs": ["<script>"]}, "solution": "restart <b>it</b>", "by": "me"}
        assert client.post("/cases", json=new).json() == {"id": 70}
        after = client.get("/cases/columns").json()
        assert after["cases"] == before["cases"] + 1
        assert "restart <b>it</b>" in after["solution"]["values"]
        assert client.post("/cases/70/forget", json={"why": "a test"}).json() == {"forgotten": 1}
        assert client.get("/cases/history").json()["events"][0]["why"] == "a test"
        assert client.get("/cases/columns").json()["solution"] == before["solution"]
        assert workspace.status()["open"]["rows"] == 69
    with explorer() as (_, client):
        assert "needs a case base, but none" in detail(client.get("/cases/search"), 409)
