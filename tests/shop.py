"""A small data set in a folder of its own, and a machine without any other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest
import sklearn.datasets
from sklearn.utils import Bunch

SHOES: dict[str, Any] = {
    "name": "shoes",
    "file": "shoes.csv",
    "rows": 3,
    "id_columns": ["maker"],
    "target": {"name": "fits", "kind": "nominal"},
    "attributes": [
        {"name": "age", "kind": "numeric"},
        {"name": "size", "kind": "ordinal", "order": ["S", "M", "L"]},
        {"name": "code", "kind": "nominal", "values": ["1", "2"]},
    ],
    "origin": {"name": "a shop"},
    "licence": "free",
    "deviations": ["one shoe is missing"],
}
CSV = "maker,age,size,code,fits\nx,7,S,1,yes\ny,,L,2,no\nz,9.5,,NA,yes\n"


def shop(tmp_path: Path, csv: str = CSV, **changed: Any) -> Path:
    """A folder with one data set."""
    folder = tmp_path / "shop"
    folder.mkdir(exist_ok=True)
    (folder / "shoes.csv").write_text(csv, encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps({"datasets": [{**SHOES, **changed}]}), encoding="utf-8")
    return folder


def go_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No folder, no network and an empty cache, which is returned; a test that asks OpenML says what it answers."""
    monkeypatch.delenv("PRIORCASE_DATA", raising=False)
    monkeypatch.setenv("PRIORCASE_CACHE", str(tmp_path / "cache"))

    def offline(*_: Any, **__: Any) -> Bunch:
        raise URLError("no such host")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", offline)
    return tmp_path / "cache"
