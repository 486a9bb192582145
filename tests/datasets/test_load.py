"""Data sets by name: found, checked against their description, or missed in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shop import CSV, go_away, shop

from priorcase.datasets import available, describe, load
from priorcase.datasets.catalog import BUILT_IN, KNOWN, cache_folder
from priorcase.exceptions import ParameterError, ReadingError
from priorcase.schema import Nominal, Numeric, Ordinal


@pytest.fixture(autouse=True)
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return go_away(tmp_path, monkeypatch)


def test_kinds_gaps_and_target_are_those_of_the_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIORCASE_DATA", str(shop(tmp_path)))
    X, y = load("shoes", frame=None)
    assert X.kinds == {"age": Numeric(), "size": Ordinal(("S", "M", "L")), "code": Nominal()}
    assert X.tuples() == [(7.0, "S", "1"), (None, "L", "2"), (9.5, None, "NA")]
    assert y.tolist() == ["yes", "no", "yes"]
    assert y.dtype == object


def test_a_numeric_target_is_numbers(tmp_path: Path) -> None:
    csv = CSV.replace("yes", "1").replace("no", "2")
    _, y = load("shoes", folder=shop(tmp_path, csv, target={"name": "fits", "kind": "numeric"}))
    assert y.dtype == np.float64


@pytest.mark.parametrize("frame", ["pandas", "polars", "pyarrow"])
def test_frames_of_the_libraries(tmp_path: Path, frame: Any) -> None:
    pytest.importorskip(frame)
    X, _ = load("shoes", folder=shop(tmp_path), frame=frame)
    assert type(X).__module__.startswith(frame)
    assert X.shape == (3, 3)


def test_an_unknown_frame_is_refused_before_anything_is_read() -> None:
    with pytest.raises(ParameterError, match="frame must be"):
        load("shoes", frame="dask")  # type: ignore[call-overload]


def test_the_description_prints_as_a_page(tmp_path: Path) -> None:
    assert repr(describe("shoes", folder=shop(tmp_path))).splitlines() == [
        "shoes: 3 rows, 3 attributes, target 'fits'",
        "   attributes: 1 numeric, 1 ordinal, 1 nominal",
        "   origin: a shop",
        "   license: free",
        "   note: one shoe is missing",
    ]


@pytest.mark.parametrize(
    ("changed", "csv", "expected"),
    [
        ({"rows": 4}, CSV, "shoes.csv has 3 rows; manifest.json says 4."),
        ({"bytes_uncompressed": 7}, CSV, f"shoes.csv has {len(CSV)} bytes after decompression, but manifest"),
        ({"sha256": "0a"}, CSV, "; manifest.json says 0a."),
        ({}, CSV.replace("age", "years"), "shoes.csv has no column 'age'; it has "),
        ({}, CSV.replace(",M,", ",XL,").replace(",S,", ",XL,"), "line 2, column 'size' holds 'XL'"),
        ({}, CSV.replace("9.5", "old"), "line 4, column 'age' holds 'old'"),
        ({}, CSV.replace(",no", ","), "line 3 has no value in the target column 'fits'"),
        ({"file": "boots.csv"}, CSV, "manifest.json describes 'boots.csv'"),
        ({"file": "../shoes.csv"}, CSV, "manifest.json names the file '../shoes.csv', which is outside the folder of"),
        ({"file": "..\\shoes.csv"}, CSV, "which is outside the folder of"),
        ({"file": "sub/../../shoes.csv"}, CSV, "which is outside the folder of"),
        ({"file": "/etc/passwd"}, CSV, "manifest.json names the file '/etc/passwd', which is outside the folder of"),
        ({"bytes_uncompressed": "many"}, CSV, "does not describe 'shoes' completely (ValueError("),
        ({"attributes": [{"name": "age"}]}, CSV, "does not describe 'shoes' completely (KeyError('kind'))"),
        ({"attributes": [{"name": "age", "kind": "date"}]}, CSV, "does not describe 'shoes' completely (ValueError("),
    ],
)
def test_a_file_that_is_not_the_one_described_is_refused(
    tmp_path: Path, changed: dict[str, Any], csv: str, expected: str
) -> None:
    with pytest.raises(ReadingError) as caught:
        load("shoes", folder=shop(tmp_path, csv, **changed))
    assert expected in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"datasets": 3}', "\xff"])
def test_a_manifest_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    folder = shop(tmp_path)
    (folder / "manifest.json").write_text(text, encoding="latin-1")
    with pytest.raises(ReadingError, match=r"manifest\.json is not a manifest \(\w+\)"):
        load("shoes", folder=folder)


def test_a_folder_without_a_manifest_is_a_mistake_not_a_reason_to_download(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIORCASE_DATA", str(tmp_path / "none"))
    with pytest.raises(
        ReadingError, match=r"PRIORCASE_DATA is '.*none', which is not a folder with a manifest.* Pass the folder"
    ):
        load("glass")
    with pytest.raises(ReadingError, match=r"folder is '.*nowhere', which is not a folder"):
        available(folder=tmp_path / "nowhere")


def test_offline_one_sentence_says_what_was_tried(tmp_path: Path, away: Path) -> None:
    with pytest.raises(ReadingError) as caught:
        load("glass")
    assert (
        "OpenML cannot be reached (no such host), and 'glass' is not on this machine: PRIORCASE_DATA is not set; "
        f"the cache {str(away)!r} does not contain this data set. Try again later, or "
        "set PRIORCASE_DATA to a folder of CSV files with a manifest.json that describes them."
    ) in str(caught.value)
    with pytest.raises(ReadingError, match=r"No data set 'unknown': .* OpenML cannot be reached"):
        load("unknown")
    with pytest.raises(ReadingError, match=r"No data set 'glass': .* downloading from OpenML was disabled"):
        load("glass", download=False)
    folder = shop(tmp_path)
    with pytest.raises(ReadingError) as caught:
        load("shoe", folder=folder, download=False)
    assert "'shoe'" in str(caught.value)
    assert "Did you mean 'shoes'" in str(caught.value)
    assert not away.exists()


@pytest.mark.parametrize("name", ["../glass", "", ".hidden", "a/b", 61, None])
def test_what_can_be_no_name_is_refused(name: Any) -> None:
    with pytest.raises(ReadingError) as caught:
        load(name)
    assert f"load: got {name!r}" in str(caught.value)


def test_the_cache_is_where_the_platform_keeps_caches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PRIORCASE_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "priorcase"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "priorcase"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_folder() == Path.home() / "Library" / "Caches" / "priorcase"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_folder() == tmp_path / "local" / "priorcase"


@pytest.mark.parametrize("backend", [None, "pandas", "polars", "pyarrow"])
def test_the_list_as_a_frame(backend: Any, tmp_path: Path) -> None:
    frame = available(folder=shop(tmp_path)).frame(backend)
    assert frame.shape == (len(BUILT_IN) + len(KNOWN) + 1, 5)


def test_every_set_of_the_folder_is_what_its_manifest_says(data_dir: Path) -> None:
    entries = json.loads((data_dir / "manifest.json").read_text(encoding="utf-8"))["datasets"]
    assert set(KNOWN) <= {entry["name"] for entry in entries}
    for entry in entries:
        X, y = load(entry["name"], frame=None, folder=data_dir, download=False)
        assert len(X) == len(y) == entry["rows"]
        gaps = sum(value is None for row in X.tuples() for value in row)
        assert gaps == entry["missing_total"]
        assert list(X.names or ()) == [attribute["name"] for attribute in entry["attributes"]]
        if "classes" in entry["target"]:
            values, counts = np.unique(y.astype(str), return_counts=True)
            assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == entry["target"]["classes"]


def test_orders_known_for_openml_are_those_of_the_folder(data_dir: Path) -> None:
    compared = 0
    for name, known in KNOWN.items():
        kinds = load(name, frame=None, folder=data_dir, download=False)[0].kinds
        for column, order in known.orders.items():
            if name not in ("heart-cleveland", "heart-hungarian"):  # levels in words there, in numbers in the folder
                assert kinds[column] == Ordinal(order)
                compared += 1
    assert compared == 20


def test_control_characters_of_a_manifest_are_escaped_where_they_are_printed(tmp_path: Path) -> None:
    folder = shop(tmp_path, name="\x1b[2Jshoes", licence="\x1b]52;c;\x07", deviations=["\u202eworn"])
    found = available(folder=folder)
    for shown in (found, found.descriptions["\x1b[2Jshoes"]):
        assert not set(repr(shown)) & set("\x1b\x07\u202e")
