"""Columns: how a table is read, corrected and opened by hand, which columns matter, and weights by hand."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
from commands import write
from serving import TOKEN, AppTransport, detail

import priorcase as pc
from priorcase.explorer import Workspace, create_explorer
from priorcase.explorer.columns import column_summaries, stored_rows
from priorcase.explorer.weights import reweighted


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    workspace = Workspace()
    yield workspace
    workspace.close()


def client_of(workspace: Workspace, **options: bool) -> httpx.Client:
    transport = AppTransport(create_explorer(workspace, token=TOKEN, **options))  # type: ignore[arg-type]
    headers = {"authorization": f"Bearer {TOKEN}"}
    return httpx.Client(transport=transport, base_url="http://127.0.0.1:8765", headers=headers)


def done(workspace: Workspace) -> None:
    for job in workspace.jobs.documents():
        workspace.jobs.wait(job["id"], 60)


@pytest.fixture
def loans(tmp_path: Path) -> Path:
    lines = [
        f"L-{i:03d};{i // 2},5;{'SML'[i % 3]};{i % 24};{('own', 'rent')[i % 2]};{'no' if i < 20 else 'yes'}"
        for i in range(40)
    ]
    return write(tmp_path / "loans.csv", ["number;income;size;hour;housing;repaid", *lines])


def test_a_table_without_a_target_is_only_read(workspace: Workspace, loans: Path) -> None:
    client = client_of(workspace)
    workspace.jobs.wait(workspace.open(loans).id, 60)
    status = client.get("/status").json()
    assert (status["open"]["kind"], status["open"]["rows"], status["learner"]) == ("raw", 40, None)
    assert "Nothing is open" in detail(client.post("/predict", json={}), 503)
    found = client.get("/reading").json()
    assert "semicolons" in found["read"]
    assert "decimal commas" in found["read"]
    assert (found["target"], found["likely_target"]) == (None, "repaid")
    kinds = {one["name"]: one["kind"] for one in found["columns"]}
    assert kinds == {
        "number": "nominal",
        "income": "numeric",
        "size": "nominal",
        "hour": "numeric",
        "housing": "nominal",
        "repaid": "nominal",
    }
    columns = {one["name"]: one for one in found["columns"]}
    assert columns["number"]["note"] == "identifies rows"
    assert columns["size"]["texts"] == ["L", "M", "S"]
    assert sum(columns["income"]["counts"]) == 40


def test_numbers_that_may_be_codes_are_noted_until_a_kind_is_declared(workspace: Workspace, tmp_path: Path) -> None:
    client = client_of(workspace)
    path = write(
        tmp_path / "codes.csv", ["age,sex,ill", *(f"{20 + i // 2},{1 + i % 2},{'ny'[i % 3 == 0]}" for i in range(20))]
    )
    workspace.jobs.wait(workspace.open(path).id, 60)
    notes = {one["name"]: one["note"] for one in client.get("/reading").json()["columns"]}
    assert notes["age"] is None
    assert "change the kind to nominal" in notes["sex"]
    job = client.post("/reading", json={"kinds": {"sex": {"kind": "numeric"}}}).json()
    workspace.jobs.wait(job["id"], 60)
    assert {one["note"] for one in client.get("/reading").json()["columns"]} == {None}


def test_corrections_are_read_and_learned(workspace: Workspace, loans: Path) -> None:
    client = client_of(workspace)
    workspace.jobs.wait(workspace.open(loans).id, 60)
    kinds = {
        "number": {"kind": "ignore"},
        "size": {"kind": "ordinal", "levels": ["S", "M", "L"]},
        "hour": {"kind": "circular", "period": 24},
        "housing": {"kind": "text"},
    }
    job = client.post("/reading", json={"target": "repaid", "kinds": kinds}).json()
    workspace.jobs.wait(job["id"], 60)
    assert workspace.opened.kind == "table"
    schema = {column["name"]: column["kind"] for column in client.get("/schema").json()["columns"]}
    assert schema == {"income": "numeric", "size": "ordinal", "hour": "circular", "housing": "text"}
    found = {one["name"]: one for one in client.get("/reading").json()["columns"]}
    assert (found["number"]["kind"], found["number"]["declared"]) == ("ignore", "ignore")
    assert (found["size"]["declared"], found["size"]["levels"]) == ("ordinal", ["S", "M", "L"])
    assert (found["hour"]["declared"], found["hour"]["period"]) == ("circular", 24.0)
    assert client.post("/predict", json={"income": 1, "size": "S"}).status_code == 200
    done(workspace)
    assert workspace.learner is not None
    assert workspace.learner["name"] == "stacked"
    options = {"delimiter": ",", "missing": ["S"]}
    job = client.post("/reading", json={"options": options}).json()
    workspace.jobs.wait(job["id"], 60)
    assert client.get("/status").json()["open"]["kind"] == "raw"
    assert client.get("/reading").json()["options"] == options
    assert workspace.served is None


def test_corrections_that_cannot_be_are_refused(workspace: Workspace, loans: Path) -> None:
    client = client_of(workspace)
    assert "no table is open" in detail(client.get("/reading"), 409)
    assert "Nothing is open" in detail(client.post("/columns/weights/answer", json={"weights": {"age": 2}}), 503)
    assert "Open a table" in detail(client.post("/reading", json={}), 422)
    workspace.jobs.wait(workspace.open(loans, target="repaid").id, 60)
    for kinds, word in (
        ({"size": {"kind": "ordinal", "levels": ["S", "S"]}}, "different levels"),
        ({"hour": {"kind": "circular"}}, "period"),
        ({"hour": {"kind": "circular", "period": -1}}, "above 0"),
        ({"hour": {"kind": "odd"}}, "kind"),
        ({"repaid": {"kind": "ignore"}}, "cannot be ignored"),
    ):
        assert word in detail(client.post("/reading", json={"target": "repaid", "kinds": kinds}), 422)
    job = client.post("/reading", json={"target": "none"}).json()
    workspace.jobs.wait(job["id"], 60)
    status = client.get("/status").json()
    assert "no column 'none'" in status["open"]["problem"]
    assert (status["open"]["kind"], status["open"]["target"]) == ("table", "repaid")  # as it was


def test_a_file_is_opened_by_hand_and_never_kept(workspace: Workspace) -> None:
    client = client_of(workspace)
    rows = "\n".join(f"{i},{'ab'[i % 2]}" for i in range(12))
    headers = {"content-type": "application/octet-stream"}
    name = "../../etc/<b>new</b>.csv"
    sent = client.post("/uploads", params={"name": name}, content=f"x,y\n{rows}\n".encode(), headers=headers).json()
    job = client.post("/open", json={"upload": sent["id"]}).json()
    workspace.jobs.wait(job["id"], 60)
    status = client.get("/status").json()["open"]
    assert (status["kind"], status["name"], status["rows"]) == ("raw", "b>.csv", 12)
    assert "no upload" in detail(client.post("/open", json={"upload": sent["id"]}), 404)
    assert not [
        path for path in Path(tempfile.gettempdir()).glob("priorcase-uploads-*/*.csv") if path.stat().st_size == 52
    ]
    job = client.post("/reading", json={"target": "y"}).json()
    workspace.jobs.wait(job["id"], 60)
    assert client.get("/status").json()["open"]["target"] == "y"
    model = pc.KNNClassifier(1).fit([[31, "red"], [62, "blue"]], ["no", "yes"])
    with tempfile.TemporaryDirectory() as folder:
        content = Path(model.save(Path(folder) / "model.priorcase")).read_bytes()
    sent = client.post("/uploads", params={"name": "m.priorcase"}, content=content, headers=headers).json()
    job = client.post("/open", json={"upload": sent["id"]}).json()
    workspace.jobs.wait(job["id"], 60)
    assert client.get("/status").json()["open"]["kind"] == "model"


def test_what_changes_the_explorer_is_refused_where_it_is_read_only(workspace: Workspace, loans: Path) -> None:
    client = client_of(workspace, read_only=True)
    workspace.jobs.wait(workspace.open(loans, target="repaid").id, 60)
    for path, body in (
        ("/reading", {}),
        ("/open", {"upload": 1}),
        ("/columns/weights/answer", {}),
        ("/learners/answer", {"name": "knn"}),
        ("/learners/decision", {}),
    ):
        assert "read-only" in detail(client.post(path, json=body), 403)
    assert client.post("/columns/weights", json={"case": {"income": 3}}).status_code == 200


def test_importance_is_measured_in_the_background(workspace: Workspace) -> None:
    client = client_of(workspace)
    workspace.jobs.wait(workspace.open().id, 60)
    done(workspace)
    assert client.get("/columns/importance").json() == {"job": None, "found": None}
    job = client.post("/columns/importance").json()
    workspace.jobs.wait(job["id"], 60)
    found = client.get("/columns/importance").json()["found"]
    assert {one["name"] for one in found["columns"]} == {
        one["name"] for one in client.get("/columns").json()["columns"]
    }
    assert found["columns"][0]["loss"] > 0
    workspace.touch()
    assert client.get("/columns/importance").json()["found"] is None


def test_outcomes_of_numbers_are_thirds() -> None:
    model = pc.KNNRegressor(1).fit([[i] for i in range(9)], [float(i) for i in range(9)])
    found = column_summaries(model, "y")
    assert len(found["outcomes"]) == 3
    assert [sum(one) for one in found["columns"][0]["by"]] == [3, 3, 3]
    flat = column_summaries(pc.KNNRegressor(1).fit([[1], [2]], [5.0, 5.0]), "y")
    assert flat["outcomes"] == ["all"]


def test_stored_rows_give_the_same_model_again() -> None:
    X, y = pc.datasets.load_repairs()
    model = pc.KNNClassifier(5).fit(X, y)
    again = pc.KNNClassifier(5).fit(*stored_rows(model))
    assert np.array_equal(model.predict_proba(X[:30]), again.predict_proba(X[:30]))


@pytest.mark.parametrize("seed", range(3))
def test_neighbors_by_weights_are_those_of_a_fit_with_them(seed: int) -> None:
    X, y = pc.datasets.load_repairs()
    weights = np.random.default_rng(seed).uniform(0, 3, 9).round(1)
    quick = reweighted(pc.KNNClassifier(5).fit(X, y), weights)
    slow = pc.KNNClassifier(5, attribute_weights=weights).fit(X, y)
    for one, other in zip(quick.kneighbors(X[:20], 9), slow.kneighbors(X[:20], 9), strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(quick.predict_proba(X[:20]), slow.predict_proba(X[:20]))
    found, expected = quick.precedents(X[:5]), slow.precedents(X[:5])
    assert np.array_equal(found.contributions, expected.contributions)


def test_weights_rank_past_cases_again_and_may_answer(workspace: Workspace) -> None:
    client = client_of(workspace)
    workspace.jobs.wait(workspace.open().id, 60)
    done(workspace)
    case = {"bike": "city", "noise": "grind"}
    equal = client.post("/columns/weights", json={"case": case}).json()
    assert [one["equal_rank"] for one in equal["precedents"]] == list(range(1, 9))
    weights = {"noise": 5.0, "bike": 0}
    found = client.post("/columns/weights", json={"case": case, "weights": weights}).json()
    assert [one["id"] for one in found["precedents"]] != [one["id"] for one in equal["precedents"]]
    assert all(one["contributions"]["bike"] == 0 for one in found["precedents"])
    assert "no column" in detail(client.post("/columns/weights", json={"weights": {"nose": 1}}), 422)
    nothing = dict.fromkeys((column["name"] for column in client.get("/schema").json()["columns"]), 0)
    assert "All weights are 0" in detail(client.post("/columns/weights", json={"weights": nothing}), 422)
    assert detail(client.post("/columns/weights", json={"weights": {"noise": -1}}), 422)
    job = client.post("/columns/weights/answer", json={"weights": weights}).json()
    workspace.jobs.wait(job["id"], 60)
    assert workspace.served.attribute_weights == weights
    answer = client.post("/predict", json=case).json()["predictions"][0]
    assert answer["probabilities"] == found["probabilities"]


def test_the_built_in_table_takes_corrections_too(workspace: Workspace) -> None:
    client = client_of(workspace)
    workspace.jobs.wait(workspace.open().id, 60)
    kinds = {
        "electric": {"kind": "ignore"},
        "chain": {"kind": "nominal"},
        "noise": {"kind": "ordinal", "levels": ["quiet", "creak", "squeal", "grind", "click"]},
    }
    job = client.post("/reading", json={"target": "job", "kinds": kinds}).json()
    workspace.jobs.wait(job["id"], 60)
    schema = {column["name"]: column["kind"] for column in client.get("/schema").json()["columns"]}
    assert "electric" not in schema
    assert (schema["chain"], schema["noise"]) == ("nominal", "ordinal")
