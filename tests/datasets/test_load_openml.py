"""Data sets from OpenML: fetched once, kept whole, and what went wrong told; nothing here uses a network."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.datasets
from shop import go_away, shop
from sklearn.utils import Bunch

from priorcase.datasets import Available, available, catalog, describe, load
from priorcase.datasets.catalog import BUILT_IN, KNOWN
from priorcase.exceptions import ReadingError
from priorcase.schema import Nominal, Numeric, Ordinal


@pytest.fixture(autouse=True)
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return go_away(tmp_path, monkeypatch)


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


@pytest.fixture(params=[True, False], ids=["frame", "codes"])
def online(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """OpenML answers; what it was asked is noted."""
    asked: list[dict[str, Any]] = []

    def fetch(name: str | None = None, **options: Any) -> Bunch:
        asked.append({"name": name, **options})
        return bunch(framed=request.param)

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    return asked


def test_a_download_is_kept_and_read_from_the_cache_afterwards(online: list[dict[str, Any]], away: Path) -> None:
    first = load("shoes", frame=None)
    assert first[0].kinds == {"age": Numeric(), "size": Nominal(), "code": Numeric()}
    assert first[0].tuples() == [(7.0, "S", 4.0), (None, "L", 5.0), (9.0, None, 4.0)]
    assert first[1].tolist() == ["yes", "no", "yes"]
    again = load("shoes", frame=None)
    assert again[0].tuples() == first[0].tuples()
    assert len(online) == 1
    assert online[0]["name"] == "shoes"
    assert sorted(path.name for path in away.iterdir()) == ["shoes"]
    assert repr(describe("shoes")).splitlines() == [
        "shoes: 3 rows, 3 attributes, target 'fits, or not'",
        "   attributes: 2 numeric, 1 nominal",
        "   origin: OpenML data set 9: shoes, version 2",
        "   license: Public",
        "   cite: A shop, 1999",
    ]


def test_the_papers_sets_are_fetched_by_number_with_the_orders_known(
    online: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = KNOWN["car-evaluation"]
    orders = {"size": ("S", "L"), "age": ("7", "8"), "absent": ("a", "b")}
    changed = type(known)(known.number, orders=orders, nominal=("code",), ids=("maker",), notes=("worn",))
    monkeypatch.setitem(KNOWN, "car-evaluation", changed)
    X, _ = load("car-evaluation", frame=None)
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
    X, y = load("shoes", frame=None)
    assert y.tolist() == [0.1, 1e300]
    assert X.tuples() == [(0.0, "S", 4.0), (7.0, "L", 5.0)]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ValueError("No active dataset shoes found.\nmore"), "OpenML did not return this data set (No active dataset"),
        (TimeoutError("timed out"), "OpenML cannot be reached (timed out)"),
    ],
)
def test_what_openml_refuses_is_told(monkeypatch: pytest.MonkeyPatch, error: Exception, expected: str) -> None:
    def fetch(*_: Any, **__: Any) -> Bunch:
        raise error

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    with pytest.raises(ReadingError) as caught:
        load("shoes")
    assert expected in str(caught.value)


@pytest.mark.parametrize(("names", "count"), [([], 0), (None, 0), (["a", "b"], 2)])
def test_a_data_set_needs_one_target(monkeypatch: pytest.MonkeyPatch, names: Any, count: int) -> None:
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda *_, **__: bunch(framed=False, target_names=names))
    with pytest.raises(ReadingError, match=f"OpenML has {count} targets for this data set; expected one"):
        load("shoes")


def test_a_cache_that_cannot_be_written_is_named(
    online: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("PRIORCASE_CACHE", str(tmp_path / "file"))
    with pytest.raises(ReadingError) as caught:
        load("shoes")
    assert "The data set was downloaded but cannot be stored in " in str(caught.value)
    assert "Set PRIORCASE_CACHE to a writable folder." in str(caught.value)


def test_whoever_keeps_a_set_first_wins(online: list[dict[str, Any]], away: Path) -> None:
    load("shoes")
    before = (away / "shoes" / "manifest.json").read_bytes()
    assert catalog._download(away / "shoes", "shoes") is None
    assert (away / "shoes" / "manifest.json").read_bytes() == before
    assert sorted(path.name for path in away.iterdir()) == ["shoes"]


def test_the_list_says_where_each_set_would_come_from(online: list[dict[str, Any]], tmp_path: Path) -> None:
    load("boots")
    found = available(folder=shop(tmp_path))
    assert isinstance(found, Available)
    assert len(found) == len(BUILT_IN) + len(KNOWN) + 2
    assert list(found)[: 2 + len(BUILT_IN)] == ["shoes", *BUILT_IN, "boots"]
    assert "glass" in found
    lines = repr(found).splitlines()
    assert lines[0].split() == ["name", "rows", "attributes", "target", "where"]
    assert lines[1].split() == ["shoes", "3", "3", "fits", "folder"]
    assert lines[2].split() == ["repairs", "96", "9", "job", "built-in"]
    assert lines[2 + len(BUILT_IN)].split() == ["boots", "3", "3", "fits,", "or", "not", "cache"]
    assert next(line for line in lines if line.startswith("glass")).split() == ["glass", "OpenML"]


@pytest.mark.parametrize(("rule", "expected"), [(None, 30.0), (5.0, 5.0)])
def test_a_silent_network_is_not_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch, rule: float | None, expected: float
) -> None:
    met: list[float | None] = []

    def fetch(*_: Any, **__: Any) -> Bunch:
        met.append(socket.getdefaulttimeout())
        raise TimeoutError("timed out")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(rule)
    try:
        with pytest.raises(ReadingError, match=r"OpenML cannot be reached \(timed out\)"):
            load("shoes")
        assert (met, socket.getdefaulttimeout()) == ([expected], rule)
    finally:
        socket.setdefaulttimeout(before)
