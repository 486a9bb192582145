"""Learners: compared in the background, looked at one by one, decided by costs, and chosen to answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
from commands import write
from serving import TOKEN, AppTransport, detail

from priorcase.explorer import Workspace, create_explorer, learners

CANDIDATES, FEW = learners.candidates_of, ("baseline", "naive_bayes", "locally_weighted", "knn")


@pytest.fixture(scope="module")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[Workspace, httpx.Client]]]:
    """Workspaces of two classes, of four, and of a number, each with compared learners."""
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("tables")
    lines = []
    for _ in range(80):
        x, kind = rng.normal(), "ab"[rng.integers(2)]
        sick = x + (kind == "a") + rng.normal(0, 0.7) > 0.8
        lines.append(f"{x:.3f},{kind},{'sick' if sick else 'well'}")
    two = write(folder / "two.csv", ["x,kind,state", *lines])
    number = write(folder / "number.csv", ["x,z", *(f"{i % 17},{3 * (i % 17) + rng.normal():.3f}" for i in range(60))])
    found = {}
    few = pytest.MonkeyPatch()  # learners that are measured in no time, however busy the machine is
    few.setattr(learners, "candidates_of", lambda problem: [one for one in CANDIDATES(problem) if one.name in FEW])
    for name, path, target in (("two", two, "state"), ("four", None, "job"), ("number", number, "z")):
        workspace = Workspace()
        transport = AppTransport(create_explorer(workspace, token=TOKEN))
        headers = {"authorization": f"Bearer {TOKEN}"}
        client = httpx.Client(transport=transport, base_url="http://127.0.0.1:8765", headers=headers)
        workspace.jobs.wait(workspace.open_table(path, target=target).id, 60)
        workspace.jobs.cancel_all()  # the stack is not needed
        job = client.post("/learners", params={"seconds": 60}).json()
        workspace.jobs.wait(job["id"], 90)
        found[name] = workspace, client
    few.undo()
    yield found
    for workspace, _ in found.values():
        workspace.close()


@pytest.mark.parametrize("name", ["two", "four", "number"])
def test_learners_are_compared_as_a_report_compares_them(
    workspaces: dict[str, tuple[Workspace, httpx.Client]], name: str
) -> None:
    _, client = workspaces[name]
    told = client.get("/learners").json()
    found, verdict = told["found"], told["found"]["verdict"]
    assert told["job"] is None
    assert {one["name"] for one in told["learners"]} >= {"baseline", "stacked", "tuned_knn", "knn"}
    assert not next(one for one in told["learners"] if one["name"] == "baseline")["answers"]
    measured = [one for one in found["learners"] if not one["reason"]]
    assert {"baseline", verdict["chosen"]} <= {one["name"] for one in measured}
    assert "cross-validation" in found["protocol"]
    by = "rmse" if name == "number" else "log_score"
    assert verdict["by"] == by
    assert all(len(one["scores"][by]) == 2 for one in measured)


def test_a_learner_of_two_classes_has_thresholds(workspaces: dict[str, tuple[Workspace, httpx.Client]]) -> None:
    _, client = workspaces["two"]
    found = client.get("/learners/details", params={"name": "knn"}).json()
    counts, levels = np.array(found["confusion"]), found["thresholds"]["levels"]
    assert counts.sum() == found["rows"] == 80
    assert found["accuracy"] == np.trace(counts) / 80
    assert sum(one["rows"] for one in found["calibration"]["bins"]) == 80
    for positive, one in enumerate(found["thresholds"]["classes"]):
        assert (one["true"][0], one["false"][0]) == (one["positives"], 80 - one["positives"])
        assert all(a >= b for a, b in zip(one["true"], one["true"][1:], strict=False))
        above = levels.index(0.51)  # the other class is less probable
        assert one["true"][above] <= counts[positive, positive]
    assert "no score" in detail(client.get("/learners/details", params={"name": "ib9"}), 422)


def test_costs_change_decisions(workspaces: dict[str, tuple[Workspace, httpx.Client]]) -> None:
    workspace, client = workspaces["four"]
    n = 4
    equal = (1 - np.eye(n)).tolist()
    found = client.post("/learners/costs", json={"name": "knn", "costs": equal}).json()
    assert found["cost"] == pytest.approx(1 - found["accuracy"])
    assert found["changed"] == 0
    dear = (1 - np.eye(n)) * np.array([[1], [50], [1], [1]])  # the second class must not be missed
    found = client.post("/learners/costs", json={"name": "knn", "costs": dear.tolist()}).json()
    assert found["changed"] > 0
    assert found["cost"] < found["cost_before"]
    assert "4 rows" in detail(client.post("/learners/costs", json={"name": "knn", "costs": [[0, 1], [1, 0]]}), 422)
    assert detail(client.post("/learners/costs", json={"name": "knn", "costs": [[-1]]}), 422)
    assert client.post("/learners/decision", json={"costs": dear.tolist()}).json()["decision"]["costs"][1][0] == 50
    decision = client.get("/status").json()["decision"]
    assert decision["classes"] == client.get("/schema").json()["classes"]
    assert "two classes" in detail(client.post("/learners/decision", json={"positive": "x", "threshold": 0.5}), 422)
    assert client.post("/learners/decision", json={}).json()["decision"] is None
    assert workspace.decision is None


def test_a_threshold_is_for_one_of_two_classes(workspaces: dict[str, tuple[Workspace, httpx.Client]]) -> None:
    _, client = workspaces["two"]
    found = client.post("/learners/decision", json={"positive": "sick", "threshold": 0.2}).json()["decision"]
    assert (found["positive"], found["threshold"]) == ("sick", 0.2)
    assert client.get("/status").json()["decision"] == found
    assert detail(client.post("/learners/decision", json={"positive": "ill", "threshold": 0.2}), 422)
    assert detail(client.post("/learners/decision", json={"positive": "sick", "threshold": 2}), 422)


def test_a_learner_of_numbers_has_residuals(workspaces: dict[str, tuple[Workspace, httpx.Client]]) -> None:
    _, client = workspaces["number"]
    found = client.get("/learners/details", params={"name": "knn"}).json()
    assert len(found["points"]) == found["rows"] == 60
    residuals = found["residuals"]
    assert residuals["r2"] > 0.9
    assert residuals["half"] <= residuals["nine_tenths"]
    assert sum(n for _, _, n in residuals["histogram"]) == 60
    assert residuals["rmse"] == pytest.approx(np.sqrt(np.mean([(a - b) ** 2 for a, b in found["points"]])), rel=1e-9)


def test_a_learner_is_fitted_to_all_rows_and_answers(workspaces: dict[str, tuple[Workspace, httpx.Client]]) -> None:
    workspace, client = workspaces["two"]
    before = workspace.rows_version
    job = client.post("/learners/answer", json={"name": "naive_bayes"}).json()
    workspace.jobs.wait(job["id"], 60)
    status = client.get("/status").json()
    assert (status["learner"]["name"], status["rows_version"]) == ("naive_bayes", before)
    assert client.get("/learners").json()["found"] is not None  # the rows are the same
    for path in ("/predict", "/neighbors", "/explain"):
        assert client.post(path, json={"x": 1, "kind": "a"}).status_code == 200
    for name in ("baseline", "none"):
        assert "no learner" in detail(client.post("/learners/answer", json={"name": name}), 422)


def test_a_comparison_can_be_cancelled_and_is_out_of_date_when_rows_change() -> None:
    workspace = Workspace()
    client = httpx.Client(
        transport=AppTransport(create_explorer(workspace, token=TOKEN)),
        base_url="http://127.0.0.1:8765",
        headers={"authorization": f"Bearer {TOKEN}"},
    )
    assert "Nothing is open" in detail(client.get("/learners"), 503)
    workspace.jobs.wait(workspace.open().id, 60)
    workspace.jobs.cancel_all()
    assert "have not been compared" in detail(client.get("/learners/details", params={"name": "knn"}), 409)
    job = client.post("/learners", params={"seconds": 600}).json()
    again = client.post("/learners", params={"seconds": 600}).json()
    assert again["id"] == job["id"]
    client.post(f"/jobs/{job['id']}/cancel")
    workspace.jobs.wait(job["id"], 30)
    told = client.get("/learners").json()
    assert (told["job"]["state"], told["found"]) == ("cancelled", None)
    workspace.close()


def test_few_rows_are_refused_in_a_sentence(tmp_path: Path) -> None:
    workspace = Workspace()
    client = httpx.Client(
        transport=AppTransport(create_explorer(workspace, token=TOKEN)),
        base_url="http://127.0.0.1:8765",
        headers={"authorization": f"Bearer {TOKEN}"},
    )
    path = write(tmp_path / "few.csv", ["a,b", "1,x", "2,y", "3,x", "4,y"])
    workspace.jobs.wait(workspace.open(path, target="b").id, 60)
    assert "expected at least 10" in detail(client.post("/learners"), 422)
    workspace.close()


def test_every_learner_of_the_list_can_answer() -> None:
    workspace = Workspace()
    workspace.jobs.wait(workspace.open().id, 60)
    workspace.jobs.cancel_all()
    for one in learners.candidates_of(learners.problem_of(workspace)):
        if one.name not in ("baseline", "stacked"):  # the stack answers in other tests
            job = learners.answer_by(workspace, one.name)
            workspace.jobs.wait(job.id, 60)
            assert job.state == "done", (one.name, job.message)
            assert workspace.served.predict_proba([[None] * 9]).shape == (1, 4)
    workspace.close()
