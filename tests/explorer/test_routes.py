"""The routes of the explorer, and what a browser is told about the page."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from commands import write
from serving import TOKEN, AppTransport, detail

import priorcase as pc
from priorcase.explorer import Workspace, create_explorer

STATIC = Path(pc.__file__).parent / "explorer" / "static"


def client_of(workspace: Workspace, *, token: str | None = TOKEN) -> httpx.Client:
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    transport = AppTransport(create_explorer(workspace, token=TOKEN))
    return httpx.Client(transport=transport, base_url="http://127.0.0.1:8765", headers=headers)


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    workspace = Workspace()
    yield workspace
    workspace.close()


@pytest.fixture
def repairs(workspace: Workspace) -> httpx.Client:
    client = client_of(workspace)
    workspace.jobs.wait(workspace.open().id, 60)
    return client


def test_the_page_and_its_files_come_with_a_strict_policy(repairs: httpx.Client) -> None:
    page = repairs.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    names = ["/", *re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)]
    names += ["/static/views/ask.js", "/static/views/what_if.js", "/static/charts.js"]
    for name in names:
        answer = repairs.get(name)
        assert answer.status_code == 200, name
        policies = answer.headers.get_list("content-security-policy")
        assert len(policies) == 1
        assert "script-src 'self';" in policies[0]
        assert "unsafe" not in policies[0]
    assert detail(repairs.get("/static/../app.py"), 404)
    assert detail(repairs.get("/static/none.js"), 404)


def test_the_page_needs_the_token_and_the_url_gives_a_cookie(workspace: Workspace) -> None:
    stranger = client_of(workspace, token=None)
    for path in ("/", "/static/app.js", "/status", "/columns"):
        assert detail(stranger.get(path), 401)
    assert stranger.get(f"/?token={TOKEN}").headers["location"] == "/"
    assert stranger.get("/").status_code == 200
    assert stranger.get("/status").status_code == 200
    assert detail(stranger.post("/jobs/1/cancel"), 403)  # without Origin


def test_no_script_makes_markup_of_values_and_none_is_inline() -> None:
    for path in STATIC.rglob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            path
        )
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), path
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=", page)


def test_before_anything_is_open_it_is_said_so(workspace: Workspace) -> None:
    client = client_of(workspace)
    assert client.get("/status").json()["open"]["kind"] == "nothing"
    assert "Nothing is open" in detail(client.post("/predict", json={}), 503)
    assert "Nothing is open" in detail(client.get("/columns"), 503)
    assert client.get("/metrics").status_code == 200


def test_the_page_asks_the_same_api(repairs: httpx.Client, workspace: Workspace) -> None:
    row = {"bike": "mountain", "noise": "creak"}
    for path in (
        "/predict",
        "/neighbors",
        "/neighbors?k=7",
        "/counterfactuals?n=2",
        "/explain",
        "/what-if?column=noise",
    ):
        assert repairs.post(path, json=row).status_code == 200, path
    assert repairs.get("/schema").json()["target"] == "job"
    assert "needs a case base" in detail(repairs.post("/cases/ask", json={"query": {}}), 409)
    for job in workspace.jobs.documents():
        workspace.jobs.wait(job["id"], 60)
    assert repairs.get("/status").json()["learner"]["name"] == "stacked"
    near = repairs.post("/neighbors?k=7", json=row).json()["predictions"][0]
    assert len(near["precedents"]) == 7
    assert near["member_weight"] == workspace.served.weights_[near["member"]]
    assert repairs.post("/predict", json=row).json()["predictions"][0]["prediction"] == "wheel"


def test_a_case_base_is_asked_by_its_own_routes(tmp_path: Path, workspace: Workspace) -> None:
    with pc.CaseBase.open(tmp_path / "desk.cases", {"area": "nominal"}) as base:
        base.add({"area": "vpn"}, solution="renew")
    client = client_of(workspace)
    workspace.jobs.wait(workspace.open(tmp_path / "desk.cases").id, 60)
    assert client.get("/status").json()["open"]["kind"] == "cases"
    assert client.post("/cases/ask", json={"query": {"area": "vpn"}}).json()["solution"] == "renew"
    assert "a case base is open" in detail(client.post("/predict", json={}), 409)


def test_columns_have_their_distributions_by_outcome(repairs: httpx.Client) -> None:
    found = repairs.get("/columns").json()
    X, y = pc.load_repairs("pandas")
    assert found["rows"] == 96
    assert [one["name"] for one in found["columns"]] == list(X.columns)
    by_name = {one["name"]: one for one in found["columns"]}
    for name, one in by_name.items():
        assert one["missing"] == X[name].isna().sum()
        assert sum(one["counts"]) == 96 - one["missing"]
        np.testing.assert_array_equal(np.sum(one["by"], axis=0), one["counts"])
    age = by_name["age_years"]
    assert (age["quantiles"][0], age["quantiles"][-1]) == (X["age_years"].min(), X["age_years"].max())
    assert len(age["edges"]) == len(age["counts"]) + 1
    assert by_name["chain"]["values"] == ["fresh", "used", "worn", "stretched"]  # in their order
    assert dict(zip(found["target"]["values"], found["target"]["counts"], strict=True)) == {
        label: int((y == label).sum()) for label in set(y.tolist())
    }


def test_columns_of_any_kind_are_summarized(tmp_path: Path, workspace: Workspace) -> None:
    lines = [f"2024-0{1 + i % 9}-11,{'' if i % 3 else 'word'},,{i % 7 + 0.5},{i % 2}" for i in range(20)]
    table = write(tmp_path / "odd.csv", ["day,text,none,size,y", *lines])
    client = client_of(workspace)
    workspace.jobs.wait(workspace.open(table, target="y").id, 60)
    assert workspace.problem == ""
    found = {one["name"]: one for one in client.get("/columns").json()["columns"]}
    assert found["day"]["kind"] == "date"
    assert found["day"]["edges"][0].startswith("2024-01-11")
    assert (found["size"]["low"], found["size"]["high"]) == (0.5, 6.5)
    assert found["text"]["missing"] == 13
    assert "none" not in found


def test_whole_numbers_lie_in_bins_of_their_own_and_outliers_do_not_set_the_range(
    tmp_path: Path, workspace: Workspace
) -> None:
    lines = [f"{1 + i % 2},{20 + i % 50},{i * 1.5},{'no' if i < 30 else 'yes'}" for i in range(59)]
    table = write(tmp_path / "whole.csv", ["doors,age,miles,y", *lines, "2,70,9200000,yes"])
    client = client_of(workspace)
    workspace.jobs.wait(workspace.open(table, target="y").id, 60)
    doors, age, miles = client.get("/columns").json()["columns"]
    assert (doors["low"], doors["high"], doors["whole"]) == (1, 2, True)
    assert (doors["edges"], doors["counts"]) == ([0.5, 1.5, 2.5], [30, 30])
    assert age["edges"][:2] == [19.5, 21.5]  # 51 values, two in each bin
    assert sum(age["counts"]) == 60
    assert miles["quantiles"][-1] == 9_200_000
    assert miles["high"] < 90
    assert (age["beyond"], miles["beyond"]) == ([0, 0], [0, 1])
    median = np.median([20 + i % 50 for i in range(59)] + [70])
    assert median % 1 == 0.5
    assert age["quantiles"][2] == median - 0.5  # whole, as a typical case has it
    points = client.post("/what-if", json={}, params={"column": "miles", "n_values": 10}).json()["points"]
    assert max(value for point in points if (value := point["values"][0]) is not None) < 90


def test_rows_that_change_make_what_was_computed_new(repairs: httpx.Client, workspace: Workspace) -> None:
    for job in workspace.jobs.documents():
        workspace.jobs.wait(job["id"], 60)
    before = repairs.get("/status").json()["version"]
    repairs.get("/columns")
    assert repairs.post("/rows/forget", json={"ids": [0, 1]}).json()["rows"] == 94
    assert repairs.get("/status").json()["version"] > before
    assert repairs.get("/columns").json()["rows"] == 94


def test_a_job_is_cancelled_by_its_number(repairs: httpx.Client) -> None:
    assert repairs.post("/jobs/2/cancel").json()["state"] in ("running", "cancelled", "done")
    assert "no job 99" in detail(repairs.post("/jobs/99/cancel"), 404)


VALUES: list[Any] = [None, True, -1, 10**400, 1e308, 0.5, "", "worn", "\x00\u202e", "9999-99-99", "__proto__"]
VALUES += [[], {}, [1], [[None]], {"age_years": 1}, ["worn", 1], "9" * 400]
BODIES: dict[str, Any] = {
    "/rows/selection": {"ids": [1, 2]},
    "/review/keep": {"ids": [1]},
    "/review/correct": {"id": 3, "values": {"age_years": 2, "chain": "worn"}, "target": "wheel"},
    "/review/forget": {"ids": [5]},
    "/reading": {"target": "job", "kinds": {"chain": {"kind": "ordinal", "levels": ["a", "b"]}}, "options": {}},
    "/columns/weights": {"case": {"age_years": 2}, "weights": {"chain": 2.0}, "k": 3},
    "/columns/weights/answer": {"weights": {"chain": 2.0}},
    "/decision": {"costs": [[0, 1], [1, 0]], "positive": "wheel", "threshold": 0.5},
    "/cases/converse": {"query": {"chain": "worn"}, "answers": [{"attribute": "noise", "value": "creak"}], "where": []},
}


def spoiled(document: Any, draw: random.Random) -> Any:
    """The document, with some of its values or names replaced."""
    if draw.random() < 0.2:
        return draw.choice(VALUES)
    if isinstance(document, dict):
        names = [draw.choice(["", "job", "__proto__", name]) if draw.random() < 0.1 else name for name in document]
        return {name: spoiled(value, draw) for name, value in zip(names, document.values(), strict=True)}
    return [spoiled(value, draw) for value in document] if isinstance(document, list) else document


def test_hostile_requests_are_refused_and_break_nothing(repairs: httpx.Client, workspace: Workspace) -> None:
    draw = random.Random(0)
    workspace.jobs.cancel_all()
    for _ in range(200):
        condition = {"column": "age_years", draw.choice(["low", "high", "missing", "values"]): [1]}
        filters = json.dumps([spoiled(condition, draw)])
        assert repairs.get("/rows", params={"filters": filters}).status_code < 500, filters
        path = draw.choice(list(BODIES))
        body = spoiled(BODIES[path], draw)
        response = repairs.post(path, json=body)
        assert response.status_code < 500, (path, body)
        for job in workspace.jobs.documents():
            if job["state"] == "running":
                workspace.jobs.cancel(job["id"])
            workspace.jobs.wait(job["id"], 60)
    assert not any("bug" in job["message"] for job in workspace.jobs.documents())
