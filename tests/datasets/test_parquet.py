"""Reading Parquet and Feather: the same table as the frame it was written from."""

from __future__ import annotations

import datetime
import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from priorcase.datasets import load_repairs, read_table
from priorcase.exceptions import ReadingError


def packed(columns: dict[str, Any]) -> io.BytesIO:
    stream = io.BytesIO()
    pa.parquet.write_table(pa.table(columns), stream)
    stream.seek(0)
    return stream


def plain(column: Any) -> list[Any]:
    return [None if pd.isna(value) else value for value in column.tolist()]


def test_types_are_kept() -> None:
    levels = pd.Categorical(["lo", None, "hi"], categories=["lo", "mid", "hi"], ordered=True)
    day = datetime.date(2024, 5, 1)
    columns = {
        "n": pa.array([1.5, None, float("nan")]),
        "i": pa.array([1, 2, None]),
        "s": pa.array(["007", "", None]),
        "b": pa.array([True, None, False]),
        "o": pa.Array.from_pandas(levels),
        "d": pa.array(["x", "y", "x"]).dictionary_encode(),
        "nothing": pa.nulls(3),
        "day": pa.array([day, None, day]),
        "long": pa.array([datetime.timedelta(seconds=90), None, None]),
        "exact": pa.array([pa.scalar("1.25").cast(pa.decimal128(5, 2)).as_py(), None, None]),
    }
    frame = read_table(packed(columns))
    assert plain(frame["n"]) == [1.5, None, None]
    assert plain(frame["i"]) == [1, 2, None]
    assert plain(frame["s"]) == ["007", "", None]
    assert plain(frame["b"]) == [True, None, False]
    assert frame["o"].cat.ordered
    assert frame["o"].cat.categories.tolist() == ["lo", "mid", "hi"]
    assert plain(frame["d"]) == ["x", "y", "x"]
    assert plain(frame["nothing"]) == [None, None, None]
    assert plain(frame["day"]) == [pd.Timestamp(day), None, pd.Timestamp(day)]
    assert plain(frame["long"]) == [90.0, None, None]
    assert plain(frame["exact"]) == [1.25, None, None]
    kinds = [told["kind"] for told in frame.attrs["columns"].values()]
    assert kinds == [
        *("numeric", "numeric", "nominal", "nominal", "ordinal"),
        *("nominal", "numeric", "date", "numeric", "numeric"),
    ]


@pytest.mark.parametrize("form", ["parquet", "feather"])
def test_the_repairs_come_back(form: str, tmp_path: Path) -> None:
    X, y = load_repairs("pandas")
    path = tmp_path / f"repairs.{form}"
    frame = X.assign(job=y.tolist())
    (frame.to_parquet if form == "parquet" else frame.to_feather)(path)
    found = read_table(path)
    pd.testing.assert_frame_equal(found, frame)
    path.rename(tmp_path / "repairs")
    pd.testing.assert_frame_equal(read_table(tmp_path / "repairs"), frame)


def test_every_number_is_read_back_exactly() -> None:
    numbers = [0.1, 1e300, -5e-324, 2.0**53, 2.0**60, 3.0, -0.0, 1 / 3, float(np.float32(0.1))]
    np.testing.assert_array_equal(read_table(packed({"n": numbers}))["n"], numbers)


def test_an_index_that_pandas_stored_without_a_name_is_left_out() -> None:
    stream = io.BytesIO()
    pd.DataFrame({"a": [1, 2]}, index=[7, 9]).to_parquet(stream)
    stream.seek(0)
    frame = read_table(stream)
    assert (frame.columns.tolist(), frame.index.tolist()) == (["a"], [0, 1])


def test_gzipped_and_by_content(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(gzip.compress(packed({"a": [1, 2]}).read(), mtime=0))
    assert read_table(path)["a"].tolist() == [1, 2]


def test_columns_can_be_declared_otherwise_and_values_called_missing() -> None:
    frame = read_table(packed({"a": [1, -9], "b": ["x", "?"]}), missing=["-9"])
    assert [plain(frame[name]) for name in frame] == [[1, None], ["x", "?"]]
    frame = read_table(packed({"a": [1.0, 2.0], "b": ["1,5", "2,5"]}), schema={"a": ("1", "2"), "b": "numeric"})
    assert frame["a"].cat.ordered
    assert frame["b"].tolist() == [1.5, 2.5]


def test_nested_columns_are_refused_with_a_hint() -> None:
    with pytest.raises(ReadingError, match=r"t\.parquet: column 'l' is list<.* Spread nested"):
        read_table(packed({"l": [[1, 2]]}), name="t.parquet")


@pytest.mark.parametrize("form", ["parquet", "feather"])
def test_a_damaged_file_is_one_sentence(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    frame = pd.DataFrame({"a": [1, 2]})
    (frame.to_parquet if form == "parquet" else frame.to_feather)(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ReadingError) as caught:
        read_table(path)
    assert f"t.{form} is not valid {form.title()}: " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_small_file_of_very_many_rows_is_stopped() -> None:
    stream = packed({"a": pa.array(np.zeros(4_000_000, np.int8))})
    assert len(stream.getvalue()) < 2**20
    with pytest.raises(ReadingError, match="has more than 16,777,216 bytes uncompressed"):
        read_table(stream, max_bytes=2**24)
