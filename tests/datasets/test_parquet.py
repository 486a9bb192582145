"""Reading Parquet: the same table as the frame it was written from."""

from __future__ import annotations

import datetime
import gzip
import importlib.util
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from priorcase.datasets import load_repairs, read_table, reading
from priorcase.exceptions import MissingExtraError, ReadingError, UnsupportedDataError
from priorcase.schema import Nominal, Numeric, Ordinal

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")


def packed(columns: dict[str, Any]) -> io.BytesIO:
    stream = io.BytesIO()
    pa.parquet.write_table(pa.table(columns), stream)
    stream.seek(0)
    return stream


def only(library: str) -> Any:
    """A ``find_spec`` that knows one library."""
    return lambda name: importlib.util.find_spec(name) if name == library else None


def test_types_are_kinds() -> None:
    levels = pd.Categorical(["lo", None, "hi"], categories=["lo", "mid", "hi"], ordered=True)
    columns = {
        "n": pa.array([1.5, None, float("nan")]),
        "i": pa.array([1, 2, None]),
        "s": pa.array(["007", "", None]),
        "b": pa.array([True, None, False]),
        "o": pa.Array.from_pandas(levels),
        "d": pa.array(["x", "y", "x"]).dictionary_encode(),
        "nothing": pa.nulls(3),
    }
    table = read_table(packed(columns), name="t.parquet")
    kinds = table.kinds()
    assert [type(kind) for kind in kinds.values()] == [Numeric, Numeric, Nominal, Nominal, Ordinal, Nominal, Nominal]
    assert kinds["o"] == Ordinal(("lo", "mid", "hi"))
    assert table.column("n") == ("1.5", None, None)
    assert table.column("i") == ("1", "2", None)
    assert table.column("s") == ("007", "", None)
    assert table.column("b") == ("True", None, "False")
    assert table.column("o") == ("lo", None, "hi")
    assert table.column("nothing") == (None, None, None)
    assert list(table.lines) == [1, 2, 3]


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_both_libraries_read_the_same(library: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip(library)
    X, y = load_repairs()
    X.frame("pandas").assign(job=y.tolist()).to_parquet(tmp_path / "repairs.parquet")
    monkeypatch.setattr(reading, "find_spec", only(library))
    table = read_table(tmp_path / "repairs.parquet")
    assert table.names == (*(X.names or ()), "job")
    for name in ("age_years", "km_since_service", "load_kg"):
        np.testing.assert_array_equal(table.values(name, Numeric()), X[name])
    for name in ("bike", "chain", "noise"):
        assert table.column(name) == tuple(X[name].tolist())
    assert table.column("job") == tuple(y.tolist())


def test_every_number_is_read_back_exactly() -> None:
    numbers = [0.1, 1e300, -5e-324, 2.0**53, 2.0**60, 3.0, -0.0, 1 / 3, float(np.float32(0.1))]
    table = read_table(packed({"n": numbers}))
    np.testing.assert_array_equal(table.values("n", Numeric()), numbers)
    assert table.column("n")[5] == "3"


def test_an_index_that_pandas_stored_without_a_name_is_left_out() -> None:
    stream = io.BytesIO()
    pd.DataFrame({"a": [1, 2]}, index=[7, 9]).to_parquet(stream)
    stream.seek(0)
    assert read_table(stream).names == ("a",)


def test_gzipped_and_by_content(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(gzip.compress(packed({"a": [1, 2]}).read(), mtime=0))
    assert read_table(path).column("a") == ("1", "2")


def test_more_values_can_be_called_missing() -> None:
    assert read_table(packed({"a": [1, -9], "b": ["x", "?"]}), missing=["-9"]).columns == (("1", None), ("x", "?"))


def test_an_infinite_number_is_named_by_its_row() -> None:
    table = read_table(packed({"a": [1.0, float("inf")]}), name="t.parquet")
    with pytest.raises(ReadingError, match=r"t\.parquet row 2, column 'a' holds 'inf'; expected a finite number\."):
        table.values("a", Numeric())


def test_dates_and_nested_columns_are_refused_with_a_hint() -> None:
    with pytest.raises(UnsupportedDataError, match=r"column 'd' is date32\[day\]; .* Convert dates"):
        read_table(packed({"d": [datetime.date(2020, 1, 1)]}), name="t.parquet")
    with pytest.raises(UnsupportedDataError, match=r"column 'l' is list<.* Spread nested"):
        read_table(packed({"l": [[1, 2]]}), name="t.parquet")


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_a_damaged_file_is_one_sentence(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(library)
    monkeypatch.setattr(reading, "find_spec", only(library))
    content = packed({"a": [1, 2]}).read()[:-9]
    with pytest.raises(ReadingError) as caught:
        read_table(io.BytesIO(content), name="t.parquet")
    assert "t.parquet is not valid Parquet: " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_a_library_it_says_which_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError) as caught:
        read_table(packed({"a": [1]}), name="t.parquet")
    assert "which PyArrow or Polars reads. pip install pyarrow, or save it as CSV" in str(caught.value)
