"""The map of all rows: places by the model's own distance, and what colours them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from commands import write
from exploring import explorer

import priorcase as pc
from priorcase.datasets import load_repairs
from priorcase.explorer import Workspace
from priorcase.explorer.checking import Computed
from priorcase.explorer.map import lay_out, packed
from priorcase.learning.state import pinned


def unpacked(content: bytes) -> tuple[dict[str, Any], bytes]:
    size = int.from_bytes(content[:4], "little")
    return json.loads(content[4 : 4 + size]), content[4 + size :]


def asked(client: httpx.Client, path: str, **options: Any) -> tuple[dict[str, Any], bytes]:
    found = client.get(path, params=options)
    assert found.status_code == 200, found.text
    assert found.headers["content-type"] == "application/octet-stream"
    return unpacked(found.content)


def done(workspace: Workspace) -> None:
    for job in workspace.jobs.documents():
        workspace.jobs.wait(job["id"], 60)


def test_what_is_computed_of_rows_that_change_meanwhile_is_not_shown() -> None:
    workspace, model = Workspace(), pc.KNNClassifier(1).fit([[1], [2], [3]], ["a", "b", "b"])

    def compute(seen: Any, job: Any) -> int:
        if model.n_samples_fit_ == 3:
            found._version += 1  # as `now` does after a change
            model.partial_fit([[4]], ["a"])
            assert seen.predict([[4]]).tolist() == ["b"]
        return int(seen.n_samples_fit_)

    found = Computed(workspace, "Counting", compute)
    for expected in (None, 4):
        job = workspace.jobs.start("Counting", found._work(pinned(model), found._version))
        workspace.jobs.wait(job.id, 60)
        assert (job.state, found.latest) == ("done", expected)


def test_points_of_a_plane_are_drawn_as_they_lie() -> None:
    points = np.random.default_rng(0).normal(size=(600, 2)) * (1.0, 3.0)
    model = pc.KNNRegressor(3, distance="euclidean").fit(points, points[:, 0])
    layout = lay_out(pinned(model))
    real = np.linalg.norm(points[:50, None] - points[None, :50], axis=2)
    drawn = np.linalg.norm(layout.places[:50, None] - layout.places[None, :50], axis=2)
    scale = drawn.sum() / real.sum()
    assert np.allclose(drawn, scale * real, atol=1e-2 * drawn.max())
    assert layout.fit > 0.999


def test_the_first_view_and_the_fit_are_of_most_rows() -> None:
    points = np.random.default_rng(0).normal(size=(400, 6))
    far = np.vstack([points, [[300.0] * 6, [-300.0] * 6]])
    model = pc.KNNRegressor(3, distance="euclidean").fit(far, far[:, 0])
    layout = lay_out(pinned(model))
    assert layout.fit < 0.9  # which two rows far from all others would make nearly 1
    x0, x1, y0, y1 = layout.view
    extent = np.ptp(layout.places, axis=0)
    assert 0 < x1 - x0 < extent[0] / 20
    assert y0 < y1


def test_the_same_rows_give_the_same_map() -> None:
    X, y = load_repairs("pandas")
    one, other = (lay_out(pinned(pc.KNNClassifier(5).fit(X, y))) for _ in range(2))
    assert one.places.tobytes() == other.places.tobytes()


def test_a_map_is_not_turned_around_when_rows_change() -> None:
    X, y = load_repairs("pandas")
    model = pc.KNNClassifier(5).fit(X, y)
    before = lay_out(pinned(model))
    model.forget([3, 7, 11])
    after = lay_out(pinned(model), None, before)
    same = before.places[np.isin(before.ids, after.ids)]
    assert np.corrcoef(same.ravel(), after.places.ravel())[0, 1] > 0.9


@pytest.mark.parametrize(
    "learner",
    [
        pc.NaiveBayes(),
        pc.StackedClassifier([pc.NaiveBayes(), pc.KNNClassifier(5)]),
        pc.StackedClassifier([pc.NaiveBayes()]),
    ],
)
def test_models_without_a_distance_have_maps_too(learner: Any) -> None:
    X, y = load_repairs("pandas")
    layout = lay_out(pinned(learner.fit(X[:80], y[:80])))
    assert layout.places.shape == (80, 2)
    assert np.isfinite(layout.places).all()
    assert layout.places.std(axis=0).min() > 0
    if "KNNClassifier" in repr(learner):
        assert layout.by == "the distance of k-nearest neighbors, the member of the stack that finds past cases"


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_few_and_equal_rows_are_drawn(rows: int) -> None:
    model = pc.KNNClassifier(1).fit([[1.0, "a"]] * rows, ["x"] * rows)
    assert np.isfinite(lay_out(pinned(model)).places).all()


def test_places_and_colours_come_in_the_same_order(tmp_path: Path) -> None:
    lines = [
        f"{i % 9}.5,{'abcdefghi'[i % 9]},{'' if i == 4 else f'2024-02-{i % 28 + 1:02d}'},{i % 2}" for i in range(90)
    ]
    path = write(tmp_path / "t.csv", ["size,name,day,kind", *lines])
    with explorer(path, target="kind") as (workspace, client):
        client.post("/rows/forget", json={"ids": [0]})
        done(workspace)  # with stacked learners, which take over after a change
        assert asked(client, "/map")[0]["state"] == "running"
        done(workspace)
        told, content = asked(client, "/map")
        assert (told["state"], told["rows"]) == ("done", 89)
        assert 0 <= told["fit"] <= 1
        ids, places = np.frombuffer(content[: 4 * 89], "<u4"), np.frombuffer(content[4 * 89 :], "<f4")
        assert ids.tolist() == list(range(1, 90))
        assert np.abs(places).max() == pytest.approx(1.0)
        size, colours = asked(client, "/map/colors", by="column:size")
        assert np.frombuffer(colours, "<f4")[:3].tolist() == [1.5, 2.5, 3.5]
        assert size["low"] == 0.5
        name, colours = asked(client, "/map/colors", by="column:name")
        assert len(name["categories"]) == 6
        assert name["categories"][5] == "4 others"
        assert sum(name["counts"]) == 89
        assert np.frombuffer(colours, "<f4").max() == 5
        day, colours = asked(client, "/map/colors", by="column:day")
        assert np.isnan(np.frombuffer(colours, "<f4")[3])
        assert day["missing"] == 1
        assert day["texts"][0].startswith("2024-02-0")
        assert asked(client, "/map/colors", by="target")[0]["categories"] == ["1", "0"]
        assert client.get("/map/colors", params={"by": "column:nothing"}).status_code == 422


@pytest.mark.parametrize("by", ["error", "outliers"])
def test_errors_and_outlier_scores_are_computed_in_the_background(tmp_path: Path, by: str) -> None:
    lines = [f"{i % 9}.5,{'ab'[i % 2]},{i % 2}" for i in range(60)]
    with explorer(write(tmp_path / "t.csv", ["size,name,kind", *lines]), target="kind") as (workspace, client):
        assert asked(client, "/map/colors", by=by)[0]["state"] == "running"
        done(workspace)
        told, colours = asked(client, "/map/colors", by=by)
        assert told["state"] == "done"
        assert len(colours) == 4 * 60


def test_a_cancelled_map_is_drawn_when_asked_for_again(tmp_path: Path) -> None:
    lines = [f"{i % 9}.5,{i % 2}" for i in range(60)]
    with explorer(write(tmp_path / "t.csv", ["size,kind", *lines]), target="kind") as (workspace, client):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "priorcase.explorer.map.lay_out",
                lambda model, job, before: workspace.jobs.cancel(job.id) and job.tell(""),
            )
            asked(client, "/map")
            done(workspace)
            assert asked(client, "/map")[0]["state"] == "cancelled"
        asked(client, "/map", again=True)
        done(workspace)
        assert asked(client, "/map")[0]["state"] == "done"


def test_a_header_is_padded_so_that_arrays_are_aligned() -> None:
    content = packed({"name": "é"}, np.arange(3, dtype=np.float32))
    told, rest = unpacked(content)
    assert told == {"name": "é"}
    assert (len(content) - len(rest)) % 4 == 0
    assert np.frombuffer(rest, "<f4").tolist() == [0, 1, 2]
