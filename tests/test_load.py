"""Data sets by name: found, checked against their description, downloaded once, or missed in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from priorcase.datasets import Available, available, describe, load, openml
from priorcase.datasets.known import KNOWN
from priorcase.datasets.places import cache_folder
from priorcase.exceptions import DataSetError, ParameterError, ReadingError
from priorcase.schema import Nominal, Numeric, Ordinal

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


@pytest.fixture(autouse=True)
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No folder, an empty cache, and no network: a test that asks OpenML must say what it answers."""
    monkeypatch.delenv("PRIORCASE_DATA", raising=False)
    monkeypatch.setenv("PRIORCASE_CACHE", str(tmp_path / "cache"))

    def offline(*_: Any, **__: Any) -> Bunch:
        raise URLError("no such host")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", offline)
    return tmp_path / "cache"


def test_kinds_gaps_and_target_are_those_of_the_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIORCASE_DATA", str(shop(tmp_path)))
    X, y = load("shoes")
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
    with pytest.raises(ParameterError, match=r"load got frame='dask'; expected one of 'pandas', 'polars', 'pyarrow'\."):
        load("shoes", frame="dask")  # type: ignore[call-overload]


def test_the_description_prints_as_a_page(tmp_path: Path) -> None:
    assert repr(describe("shoes", folder=shop(tmp_path))).splitlines() == [
        "shoes: 3 rows, 3 attributes, target 'fits'",
        "   attributes: 1 numeric, 1 ordinal, 1 nominal",
        "   origin: a shop",
        "   licence: free",
        "   note: one shoe is missing",
    ]


@pytest.mark.parametrize(
    ("changed", "csv", "expected"),
    [
        ({"rows": 4}, CSV, "shoes.csv has 3 rows; its manifest.json says 4."),
        ({"bytes_uncompressed": 7}, CSV, f"shoes.csv has {len(CSV)} bytes, unpacked; its manifest.json says 7."),
        ({"sha256": "0a"}, CSV, " as its checksum; its manifest.json says 0a."),
        ({}, CSV.replace("age", "years"), "shoes.csv has no column 'age'; it has "),
        ({}, CSV.replace(",M,", ",XL,").replace(",S,", ",XL,"), "line 2, column 'size' holds 'XL'; expected one of"),
        ({}, CSV.replace("9.5", "old"), "line 4, column 'age' holds 'old'; expected a finite number."),
        ({}, CSV.replace(",no", ","), "line 3 has no value in the target column 'fits'"),
        ({"file": "boots.csv"}, CSV, "manifest.json describes 'boots.csv', which is not beside it; expected JSON with"),
        ({"attributes": [{"name": "age"}]}, CSV, "manifest.json does not describe 'shoes' in full (KeyError('kind'))"),
        ({"attributes": [{"name": "age", "kind": "date"}]}, CSV, "does not describe 'shoes' in full (ValueError("),
    ],
)
def test_a_file_that_is_not_the_one_described_is_refused(
    tmp_path: Path, changed: dict[str, Any], csv: str, expected: str
) -> None:
    with pytest.raises(ReadingError) as caught:
        load("shoes", folder=shop(tmp_path, csv, **changed))
    first, hint = str(caught.value).split("\n")
    assert expected in first
    assert hint.startswith("Hint: ")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"datasets": 3}', "\xff"])
def test_a_manifest_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    folder = shop(tmp_path)
    (folder / "manifest.json").write_text(text, encoding="latin-1")
    with pytest.raises(DataSetError, match=r"manifest\.json is no manifest \(\w+\); expected JSON with 'datasets'"):
        load("shoes", folder=folder)


def test_a_folder_without_a_manifest_is_a_mistake_not_a_reason_to_download(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIORCASE_DATA", str(tmp_path / "none"))
    with pytest.raises(DataSetError, match=r"PRIORCASE_DATA names '.*none', which is not a folder with a manifest"):
        load("glass")
    with pytest.raises(DataSetError, match=r"folder names '.*nowhere', which is not a folder"):
        available(folder=tmp_path / "nowhere")


def test_offline_one_sentence_says_what_was_tried(tmp_path: Path, away: Path) -> None:
    with pytest.raises(DataSetError) as caught:
        load("glass")
    assert str(caught.value) == (
        f"No data set 'glass': PRIORCASE_DATA is not set; the cache {str(away)!r} does not have it; "
        "OpenML cannot be reached (no such host).\n"
        "Hint: set PRIORCASE_DATA to a folder of CSV files with a manifest.json that describes them."
    )
    folder = shop(tmp_path)
    with pytest.raises(DataSetError) as caught:
        load("shoe", folder=folder, download=False)
    assert str(caught.value).split("\n") == [
        f"No data set 'shoe': {str(folder)!r} does not have it; the cache {str(away)!r} does not have it; "
        "OpenML was not to be asked.",
        "Hint: did you mean 'shoes'? Or set PRIORCASE_DATA to a folder of CSV files with a manifest.json that "
        "describes them.",
    ]
    assert not away.exists()


@pytest.mark.parametrize("name", ["../glass", "", ".hidden", "a/b", 61, None])
def test_what_can_be_no_name_is_refused(name: Any) -> None:
    with pytest.raises(DataSetError) as caught:
        load(name)
    expected = "the name of a data set: letters, digits, dots, dashes, underscores and parentheses"
    assert str(caught.value) == f"load got {name!r}; expected {expected}.\nHint: available() lists names."


def bunch(*, framed: bool, **changed: Any) -> Bunch:
    """What scikit-learn gives for a small ARFF file."""
    sizes, ages = ["S", "L", "L"], [7.0, np.nan, 9.0]
    target = np.array(["yes", "no", "yes"], dtype=object)
    details = {"id": "9", "name": "shoes", "version": "2", "licence": "Public", "citation": "A  shop,\n1999"}
    made = Bunch(
        data=np.column_stack([ages, [1.0, 0.0, np.nan], [4.0, 5.0, 4.0]]),
        target=target,
        frame=None,
        categories={"size": ["L", "S"]},
        feature_names=["age", "size", "code"],
        target_names=["fits, or not"],
        details=details,
    )
    if framed:
        pd = pytest.importorskip("pandas")
        sizes[2] = None  # type: ignore[call-overload]
        made.frame = pd.DataFrame({"age": ages, "size": pd.Categorical(sizes), "code": [4, 5, 4]})
        made.frame["fits, or not"] = pd.Categorical(target)
    made.update(changed)
    return made


@pytest.fixture(params=[True, False], ids=["with pandas", "without pandas"])
def online(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """OpenML answers; what it was asked is noted."""
    asked: list[dict[str, Any]] = []

    def fetch(name: str | None = None, **options: Any) -> Bunch:
        asked.append({"name": name, **options})
        return bunch(framed=options["as_frame"])

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    monkeypatch.setattr(openml, "find_spec", lambda name: object() if request.param else None)
    return asked


def test_a_download_is_kept_and_read_from_the_cache_afterwards(online: list[dict[str, Any]], away: Path) -> None:
    first = load("shoes")
    assert first[0].kinds == {"age": Numeric(), "size": Nominal(), "code": Numeric()}
    assert first[0].tuples() == [(7.0, "S", 4.0), (None, "L", 5.0), (9.0, None, 4.0)]
    assert first[1].tolist() == ["yes", "no", "yes"]
    again = load("shoes")
    assert again[0].tuples() == first[0].tuples()
    assert len(online) == 1
    assert online[0]["name"] == "shoes"
    assert sorted(path.name for path in away.iterdir()) == ["shoes"]
    assert repr(describe("shoes")).splitlines() == [
        "shoes: 3 rows, 3 attributes, target 'fits, or not'",
        "   attributes: 2 numeric, 1 nominal",
        "   origin: OpenML data set 9: shoes, version 2",
        "   licence: Public",
        "   cite: A shop, 1999",
    ]


def test_the_papers_sets_are_fetched_by_number_with_the_orders_known(
    online: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = KNOWN["car-evaluation"]
    orders = {"size": ("S", "L"), "age": ("7", "8"), "absent": ("a", "b")}
    changed = type(known)(known.number, orders=orders, nominal=("code",), ids=("maker",), notes=("worn",))
    monkeypatch.setitem(KNOWN, "car-evaluation", changed)
    X, _ = load("car-evaluation")
    assert (online[0]["name"], online[0]["data_id"]) == (None, 40975)
    # The order of ages does not hold all that occur, and is passed over.
    assert X.kinds == {"age": Numeric(), "size": Ordinal(("S", "L")), "code": Nominal()}
    assert X["code"].tolist() == ["4", "5", "4"]
    assert describe("car-evaluation").deviations == ("worn",)


def test_a_numeric_target_and_sparse_data_are_kept_as_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy import sparse

    def fetch(name: str, **_: Any) -> Bunch:
        cells = sparse.csr_matrix(np.array([[0.0, 1.0, 4.0], [7.0, 0.0, 5.0]]))
        return bunch(framed=False, data=cells, target=np.array([0.1, 1e300]))

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    X, y = load("shoes")
    assert y.tolist() == [0.1, 1e300]
    assert X.tuples() == [(0.0, "S", 4.0), (7.0, "L", 5.0)]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ValueError("No active dataset shoes found.\nmore"), "OpenML does not give it (No active dataset shoes found)"),
        (TimeoutError("timed out"), "OpenML cannot be reached (timed out)"),
    ],
)
def test_what_openml_refuses_is_told(monkeypatch: pytest.MonkeyPatch, error: Exception, expected: str) -> None:
    def fetch(*_: Any, **__: Any) -> Bunch:
        raise error

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    with pytest.raises(DataSetError) as caught:
        load("shoes")
    assert expected in str(caught.value)


@pytest.mark.parametrize(("names", "count"), [([], 0), (None, 0), (["a", "b"], 2)])
def test_a_data_set_needs_one_target(monkeypatch: pytest.MonkeyPatch, names: Any, count: int) -> None:
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda *_, **__: bunch(framed=False, target_names=names))
    with pytest.raises(DataSetError, match=f"OpenML names {count} targets for it, where one is expected"):
        load("shoes")


def test_a_cache_that_cannot_be_written_is_named(
    online: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("PRIORCASE_CACHE", str(tmp_path / "file"))
    with pytest.raises(DataSetError) as caught:
        load("shoes")
    first, hint = str(caught.value).split("\n")
    assert first.startswith("The data set was downloaded but cannot be kept in ")
    assert hint == "Hint: set PRIORCASE_CACHE to a folder that can be written."


def test_whoever_keeps_a_set_first_wins(online: list[dict[str, Any]], away: Path) -> None:
    load("shoes")
    before = (away / "shoes" / "manifest.json").read_bytes()
    assert openml.download_into(away / "shoes", "shoes") is None
    assert (away / "shoes" / "manifest.json").read_bytes() == before
    assert sorted(path.name for path in away.iterdir()) == ["shoes"]


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


def test_the_list_says_where_each_set_would_come_from(online: list[dict[str, Any]], tmp_path: Path) -> None:
    load("boots")
    found = available(folder=shop(tmp_path))
    assert isinstance(found, Available)
    assert len(found) == len(KNOWN) + 2
    assert list(found)[:2] == ["shoes", "boots"]
    assert "glass" in found
    lines = repr(found).splitlines()
    assert lines[0].split() == ["name", "rows", "attributes", "target", "where"]
    assert lines[1].split() == ["shoes", "3", "3", "fits", "folder"]
    assert lines[2].split() == ["boots", "3", "3", "fits,", "or", "not", "cache"]
    assert next(line for line in lines if line.startswith("glass")).split() == ["glass", "OpenML"]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_the_list_as_a_frame(backend: Any, tmp_path: Path) -> None:
    pytest.importorskip(backend)
    frame = available(folder=shop(tmp_path)).frame(backend)
    assert frame.shape == (len(KNOWN) + 1, 5)


def test_the_list_without_a_frame_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("priorcase.datasets.listing.find_spec", lambda _: None)
    columns = available(folder=shop(tmp_path)).frame()
    assert columns["name"][0] == "shoes"
    assert columns["rows"][:2] == [3, None]


def test_every_set_of_the_folder_is_what_its_manifest_says(data_dir: Path) -> None:
    entries = json.loads((data_dir / "manifest.json").read_text(encoding="utf-8"))["datasets"]
    assert set(KNOWN) <= {entry["name"] for entry in entries}
    for entry in entries:
        X, y = load(entry["name"], folder=data_dir, download=False)
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
        kinds = load(name, folder=data_dir, download=False)[0].kinds
        for column, order in known.orders.items():
            if name not in ("heart-cleveland", "heart-hungarian"):  # levels in words there, in numbers in the folder
                assert kinds[column] == Ordinal(order)
                compared += 1
    assert compared == 20
