"""Files of new rows: read like the table, answered as the model answers, downloaded as CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from commands import HEADER, ROWS, write
from exploring import explorer, sent
from serving import detail

import priorcase as pc
from priorcase.explorer import Workspace

SHOES = [f"{i};{i},5;{i % 28 + 1}.12.2025;{('red', '=1+1', '@home')[i % 3]};{('no', 'yes')[i > 20]}" for i in range(40)]


def answered(workspace: Workspace, client: httpx.Client, content: bytes, name: str = "new.csv", **asked: Any) -> int:
    """The id of a batch that has ended."""
    response = client.post("/batch", json={"upload": sent(client, content, name), **asked})
    assert response.status_code == 200, response.text
    workspace.jobs.wait(response.json()["id"])
    return int(response.json()["id"])


@pytest.fixture
def shoes(tmp_path: Path) -> Path:
    return Path(write(tmp_path / "shoes.csv", ["id;size;sold;colour;bought", *SHOES]))


def test_new_rows_are_read_like_the_table(shoes: Path) -> None:
    new = "size;sold;colour;bought;more\n7,5;3.12.2025;red;yes;1\n;;=1+1;;2\n30,5;9.12.2025;\xe9;yes;3\n".encode(
        "cp1252"
    )
    with explorer(shoes, target="bought") as (workspace, client):
        id_ = answered(workspace, client, new)
        found = client.get(f"/batch/{id_}").json()
        assert found["header"][:2] == ["line", "prediction"]
        assert found["header"][-4:] == ["size", "sold", "colour", "more"]
        assert found["rows"][0][:2] == [2, "no"]
        assert found["rows"][0][4:] == ["yes", 7.5, "2025-12-03", "red", "1"]
        assert found["rows"][1][4:] == [None, None, None, "=1+1", "2"]
        assert found["right"] == {"rows": 2, "right": 1}
        assert "more" in found["notes"][0]
        rows = [{"size": 7.5, "sold": "2025-12-03", "colour": "red"}, {"colour": "=1+1"}]
        for mine, one in zip(found["rows"], client.post("/predict", json=rows).json()["predictions"], strict=False):
            assert mine[1:4] == [one["prediction"], one["probabilities"]["no"], one["probabilities"]["yes"]]
        table = client.get(f"/batch/{id_}/predictions.csv")
        assert "attachment" in table.headers["content-disposition"]
        lines = list(csv.reader(io.StringIO(table.content.decode("utf-8-sig")), delimiter=";"))
        assert lines[1][4:] == ["yes", "7,5", "3.12.2025", "red", "1"]
        assert lines[1][2].replace(",", ".") == str(found["rows"][0][2])
        assert lines[2][-2:] == ["'=1+1", "2"]
        assert [line[1] for line in lines[1:]] == [row[1] for row in found["rows"]]
        document = client.get(f"/batch/{id_}/predictions.json").json()
        assert document["predictions"][1]["values"]["colour"] == "=1+1"
        assert document["predictions"][1]["unused"] == {"more": "2"}
        assert not list(Path(str(workspace.uploads._folder and workspace.uploads._folder.name)).iterdir())


def test_explanations_are_those_of_the_service(shoes: Path) -> None:
    with explorer(shoes, target="bought") as (workspace, client):
        new = b"size;sold;colour\n7,5;3.12.2025;red\n"
        asked = {"contributions": True, "precedents": 2, "counterfactuals": 1}
        id_ = answered(workspace, client, new, **asked)
        (mine,) = client.get(f"/batch/{id_}/predictions.json").json()["predictions"]
        row = {"size": 7.5, "sold": "2025-12-03", "colour": "red"}
        (one,) = client.post("/explain", params={"precedents": 2, "counterfactuals": 1}, json=row).json()["predictions"]
        for name in ("contributions", "precedents", "counterfactuals", "prediction"):
            assert mine[name] == one[name]
        header = client.get(f"/batch/{id_}").json()["header"]
        assert header[-5:] == [
            *(f"contribution of {name}" for name in ("size", "sold", "colour")),
            "past cases",
            "changes that alter it",
        ]
        (row_,) = client.get(f"/batch/{id_}").json()["rows"]
        assert row_[-2].startswith("line ")
        assert " if " in row_[-1]
        near = answered(workspace, client, new, precedents=3)
        assert len(client.get(f"/batch/{near}/predictions.json").json()["predictions"][0]["precedents"]) == 3


def test_ids_and_columns_with_the_names_of_results_are_kept(shoes: Path) -> None:
    with explorer(shoes, target="bought") as (workspace, client):
        new = b'id,line,size,sold,colour\nK-1,7,"1.007,5",3.12.2025,red\n'
        id_ = answered(workspace, client, new)
        assert client.get(f"/batch/{id_}").json()["header"][4:] == ["id", "line (value)", "size", "sold", "colour"]
        lines = list(csv.reader(io.StringIO(client.get(f"/batch/{id_}/predictions.csv").content.decode("utf-8-sig"))))
        assert lines[1][4:] == ["K-1", "7", "1.007,5", "3.12.2025", "red"]


def test_what_does_not_fit_is_said_in_a_sentence(shoes: Path) -> None:
    with explorer(shoes, target="bought") as (workspace, client):
        for content, words in (
            (b"a;b\n1;red\n", "no column 'size'"),
            (b"siz;sold\n1;\n", "'size'"),
            (b"size;sold;colour\n", "no rows"),
            (b"\0\1\2", ""),
        ):
            id_ = answered(workspace, client, content)
            job = client.get(f"/batch/{id_}").json()["job"]
            assert job["state"] == "failed"
            assert words in job["message"]
            assert "bug" not in job["message"]
            assert "not complete" in detail(client.get(f"/batch/{id_}/predictions.csv"), 404)
        assert "Upload the file again" in detail(client.post("/batch", json={"upload": 99}), 404)
        assert "were removed" in detail(client.get("/batch/99"), 404)
        assert detail(client.post("/batch", json={"upload": 1, "more": 1}), 422)


def test_a_batch_can_be_cancelled(shoes: Path) -> None:
    with explorer(shoes, target="bought") as (workspace, client):
        new = "\n".join(["size;sold;colour", *(f"{i % 30},5;3.12.2025;red" for i in range(2000))]).encode()
        asked = {"upload": sent(client, new), "contributions": True, "counterfactuals": 2}
        id_ = client.post("/batch", json=asked).json()["id"]
        client.post(f"/jobs/{id_}/cancel")
        workspace.jobs.wait(id_, 20)
        assert client.get(f"/batch/{id_}").json()["job"]["state"] == "cancelled"
        assert client.get(f"/batch/{id_}").json()["n"] == 0


def test_a_model_reads_by_its_kinds(tmp_path: Path) -> None:
    X = [[31, 1, True], [62, 2, False], [60, 1, True], [25, 2, False], [58, 1, None], [33, 2, True]]
    model = pc.KNNClassifier(1, schema={0: "numeric", 1: "nominal", 2: "nominal"}).fit(
        X, ["a", "b", "c", "d", "e", "f"]
    )
    path = model.save(tmp_path / "model.priorcase")
    with explorer(path) as (workspace, client):
        id_ = answered(workspace, client, b"x0,x1,x2\n31,1,True\n62,2,False\n33,2,True\n")
        assert [row[1] for row in client.get(f"/batch/{id_}").json()["rows"]] == ["a", "b", "f"]
        id_ = answered(workspace, client, b"x0,x1,x2\n31,1,True\n,2,False\n")
        assert [row[-3] for row in client.get(f"/batch/{id_}").json()["rows"]] == [31, None]
        assert b"31.0" not in client.get(f"/batch/{id_}/predictions.csv").content


def test_numbers_have_intervals_and_errors(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f},{2 * a + rng.normal(0, 0.1):.3f}" for a in rng.uniform(0, 10, 60)]
    path = write(tmp_path / "line.csv", ["a,b", *lines])
    with explorer(path, target="b", stack=True) as (workspace, client):
        id_ = answered(workspace, client, b"a,b\n3,6\n4,8\n", counterfactuals=1)
        found = client.get(f"/batch/{id_}").json()
        assert found["header"] == ["line", "prediction", "lower", "upper", "actual", "a"]
        assert found["right"]["mean_absolute_error"] < 0.5
        assert json.loads(client.get(f"/batch/{id_}/predictions.json").content)["target"] == "b"


def test_the_built_in_table_is_answered_too() -> None:
    with explorer() as (workspace, client):
        lines = [HEADER, *ROWS[:3]]
        content = "\n".join(line.rpartition(",")[0] for line in lines).encode()
        assert client.get(f"/batch/{answered(workspace, client, content)}").json()["notes"] == []
        id_ = answered(workspace, client, "\n".join(lines).encode())
        found = client.get(f"/batch/{id_}").json()
        assert "3 of 3 new cases are identical to a past case" in found["notes"][0]
        assert (found["job"]["message"], found["n"]) == ("row 1 of 3", 3)
