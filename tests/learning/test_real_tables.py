"""Real tables: what is read agrees with their description, every search agrees, and 1-NN is as good as published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import priorcase as pc

TABLES = ("voting", "hepatitis", "credit-approval", "heart-cleveland", "lymphography", "zoo", "primary-tumor")


def described(data_dir: Path, name: str) -> tuple[pd.DataFrame, pd.Series, dict[str, Any], dict[str, Any]]:
    """Columns, target, kinds and description of a table."""
    manifest = json.loads((data_dir / "manifest.json").read_text(encoding="utf-8"))
    about = next(entry for entry in manifest["datasets"] if entry["name"] == name)
    text = {a["name"]: str for a in (*about["attributes"], about["target"]) if a["kind"] != "numeric"}
    frame = pd.read_csv(data_dir / about["file"], dtype=text)
    kinds = {
        "numeric": lambda a: pc.Numeric(),
        "nominal": lambda a: pc.Nominal(),
        "ordinal": lambda a: pc.Ordinal(tuple(map(str, a["order"] if "order" in a else a["values"]))),
    }
    schema = {a["name"]: kinds[a["kind"]](a) for a in about["attributes"]}
    return frame[list(schema)], frame[about["target"]["name"]], schema, about


@pytest.mark.parametrize("name", TABLES)
def test_gaps_and_kinds_are_read_as_described(data_dir: Path, name: str) -> None:
    X, y, kinds, about = described(data_dir, name)
    model = pc.KNNClassifier(1, schema=kinds).fit(X, y)
    assert model.n_samples_fit_ == about["rows"]
    assert model.schema_.kinds == tuple(kinds.values())
    cells = model._memory.instances.cells()
    gaps = [attribute.get("missing", 0) for attribute in about["attributes"]]
    assert np.isnan(cells).sum(axis=0).tolist() == gaps


@pytest.mark.parametrize("distance", ["heom", "hvdm", "mvdm", "gower", "ib", "wvdm"])
@pytest.mark.parametrize("name", ["hepatitis", "heart-cleveland", "primary-tumor"])
def test_every_search_agrees(data_dir: Path, name: str, distance: str) -> None:
    X, y, kinds, _ = described(data_dir, name)
    answers = []
    for algorithm in ("auto", "tree", "scan", "plain"):
        model = pc.KNNClassifier(7, schema=kinds, distance=distance, algorithm=algorithm).fit(X, y)
        answers.append((*model.kneighbors(), model.predict_proba(X)))
    for answer in answers[1:]:
        for part, expected in zip(answer, answers[0], strict=True):
            np.testing.assert_array_equal(part, expected)


# Aha, Kibler & Albert 1991, Table 4: IB1's accuracy on random test sets. Leaving one out trains on more rows, so the
# figures need not be the same; they must be near.
@pytest.mark.parametrize(("name", "published"), [("voting", 0.918), ("heart-cleveland", 0.757)])
def test_one_nearest_neighbor_is_as_good_as_published(data_dir: Path, name: str, published: float) -> None:
    X, y, kinds, _ = described(data_dir, name)
    y = np.where(y == "0", "0", "1") if name == "heart-cleveland" and y.nunique() > 2 else y.to_numpy()
    model = pc.KNNClassifier(1, schema=kinds, distance="ib").fit(X, y)
    nearest = model.kneighbors(return_distance=False)[:, 0]
    assert np.mean(y[nearest] == y) == pytest.approx(published, abs=0.03)
