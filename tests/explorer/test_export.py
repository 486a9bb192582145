"""What is taken away: a report in one file, and Python that gives the answer of the page."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from commands import write
from exploring import desk_file, explorer
from serving import detail

import priorcase as pc
from priorcase.datasets.past import Reading


def printed(client: httpx.Client, case: dict[str, Any], folder: Path) -> list[str]:
    """What the equivalent Python prints, run by itself."""
    python = client.post("/script", json=case).json()["python"]
    env = {**os.environ, "PYTHONWARNINGS": "ignore"}
    found = subprocess.run([sys.executable, "-c", python], capture_output=True, text=True, cwd=folder, env=env)
    assert found.returncode == 0, python + found.stderr
    return found.stdout.splitlines()


def asked(client: httpx.Client, case: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = client.post("/predict", json=case).json()["predictions"][0]
    return found


@pytest.fixture
def shoes(tmp_path: Path) -> Path:
    colours = ("red", "it's <b> & c", "")
    lines = [
        f"{100 + i};{i},5;{i % 28 + 1}.12.2025;{colours[i % 3]};{'' if i == 7 else (i > 20) + 1}" for i in range(40)
    ]
    return Path(write(tmp_path / "shoes.csv", ["id;size;sold;colour;bought", *lines]))


def test_python_for_a_table_gives_the_same_answer(shoes: Path) -> None:
    case = {"size": 20.5, "sold": "2025-12-09", "colour": "it's <b> & c"}
    with explorer(shoes, target="bought") as (_, client):
        lines = printed(client, case, shoes.parent)
        found = asked(client, case)
        assert lines[0] == str(found["prediction"])
        assert all(repr(share) in lines[1] for share in found["probabilities"].values())


def test_python_follows_kinds_changes_and_the_learner(shoes: Path) -> None:
    with explorer(shoes, target="bought") as (workspace, client):
        job = workspace.open_table(
            shoes,
            target="size",
            reading=Reading({"colour": "ignore", "id": "numeric", "bought": "nominal"}, {"dates": "dmy"}),
        )
        workspace.jobs.wait(job.id)
        for one in workspace.jobs.documents():
            workspace.jobs.wait(one["id"])
        client.post("/rows", json={"rows": [{"bought": "1", "sold": "2025-12-31"}], "targets": [77.0]})
        client.post("/rows/forget", json={"ids": [3, 4]})
        for one in workspace.jobs.documents():
            workspace.jobs.wait(one["id"])
        case = {"bought": "2", "sold": "2025-12-20", "id": 119}
        python = client.post("/script", json=case).json()["python"]
        assert "partial_fit" in python
        assert "model.forget([3, 4])" in python
        assert float(printed(client, case, shoes.parent)[0]) == pytest.approx(asked(client, case)["prediction"])


def test_python_for_the_built_in_table_a_model_and_a_case_base(tmp_path: Path) -> None:
    with explorer(stack=True) as (_, client):
        case = {"noise": "creak", "bike": "mountain"}
        assert "StackedClassifier()" in client.post("/script", json=case).json()["python"]
        assert printed(client, case, tmp_path)[0] == asked(client, case)["prediction"]
    model = pc.NaiveBayes().fit([[31, "red"], [62, "blue"], [60, "red"]], ["no", "yes", "yes"])
    with explorer(model.save(tmp_path / "model.priorcase")) as (_, client):
        case = {"x0": 33, "x1": "red"}
        assert printed(client, case, tmp_path)[0] == asked(client, case)["prediction"]
    with explorer(desk_file(tmp_path / "desk.cases")) as (_, client):
        case = {"area": "laser printer", "signs": ["paper jam"]}
        proposed = client.post("/cases/ask", json={"query": case}).json()["solution"]
        assert proposed in "\n".join(printed(client, case, tmp_path))


def test_a_report_is_made_in_the_background_and_downloaded() -> None:
    with explorer() as (workspace, client):
        job = client.post("/reports", params={"seconds": 3}).json()
        assert detail(client.get(f"/reports/{job['id']}/report.html"), 404)
        workspace.jobs.wait(job["id"])
        page = client.get(f"/reports/{job['id']}/report.html")
        assert page.status_code == 200, workspace.jobs.documents()
        assert "attachment" in page.headers["content-disposition"]
        assert page.text.startswith("<!doctype html>")
        assert "repairs" in page.text
        assert detail(client.post("/reports", params={"seconds": 0}), 422)


def test_a_case_base_has_no_report(tmp_path: Path) -> None:
    with explorer(desk_file(tmp_path / "desk.cases")) as (_, client):
        assert "table" in detail(client.post("/reports"), 409)
