"""The built-in table, and columns that need no frame library."""

from __future__ import annotations

import io
import subprocess
import sys
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from reference import make_repairs

from priorcase.datasets import NamedColumns, load_repairs
from priorcase.datasets.builtin import REPAIRS
from priorcase.exceptions import ParameterError
from priorcase.schema import Kind, Nominal, Numeric, Ordinal, Schema

BACKENDS = ("pandas", "polars", "pyarrow")


def test_the_file_is_what_its_story_tells() -> None:
    told = io.StringIO()
    make_repairs.write(told)
    assert files("priorcase.datasets").joinpath("repairs.csv").read_text(encoding="utf-8") == told.getvalue()


def test_the_table_is_small_mixed_and_has_gaps() -> None:
    X, y = load_repairs()
    assert (len(X), len(y)) == (96, 96)
    assert X.names == tuple(REPAIRS)
    cells = [value for name in X.data for value in X[name].tolist()]
    gaps = sum(value is None or value != value for value in cells) / len(cells)
    assert 0.04 < gaps < 0.06
    assert set(X["electric"].tolist()) == {True, False, None}
    assert set(X["chain"].tolist()) <= {*make_repairs.CHAIN, None}
    labels, counts = np.unique(y.astype(str), return_counts=True)
    assert labels.tolist() == ["brakes", "drivetrain", "tune-up", "wheel"]
    assert counts.min() >= 12


def test_every_call_gives_new_arrays() -> None:
    load_repairs()[0]["age_years"][:] = 0.0
    assert np.nanmax(load_repairs()[0]["age_years"]) > 1.0


def test_the_schema_has_the_declared_kinds() -> None:
    schema = Schema.infer(load_repairs()[0])
    assert schema.names == tuple(REPAIRS)
    assert dict(zip(schema.names or (), schema.kinds, strict=True)) == REPAIRS


@pytest.mark.parametrize("backend", BACKENDS)
def test_frames_hold_the_same_values(backend: str) -> None:
    pytest.importorskip(backend)
    X, y = load_repairs()
    frame, same = load_repairs(backend)  # type: ignore[call-overload]
    assert type(frame).__module__.startswith(backend)
    assert y.tolist() == same.tolist()
    ours, theirs = Schema.infer(X), Schema.infer(frame, kinds={name: REPAIRS[name] for name in ("chain", "brakes")})
    assert ours == theirs
    for mine, other in zip(ours.read(X).columns, theirs.read(frame).columns, strict=True):
        if isinstance(mine, np.ndarray):
            np.testing.assert_array_equal(mine, other)
        else:
            assert _decoded(mine) == _decoded(other)


def test_pandas_keeps_the_order_of_levels() -> None:
    pytest.importorskip("pandas")
    frame, _ = load_repairs("pandas")
    schema = Schema.infer(frame)
    assert dict(zip(schema.names or (), schema.kinds, strict=True)) == REPAIRS


def test_named_columns_follow_the_kinds() -> None:
    kinds: dict[str, Kind] = {"b": Ordinal(("lo", "hi")), "a": Numeric(), "c": Nominal(("x", "y", "z")), "d": Nominal()}
    table = NamedColumns.of({"a": [1, None], "b": ["hi", None], "c": ["x", None], "d": [True, None]}, kinds)
    assert table.names == ("b", "a", "c", "d")
    schema = Schema.infer(table)
    assert schema.kinds == tuple(kinds.values())
    read = schema.read(table)
    np.testing.assert_array_equal(read.columns[0], [1.0, np.nan])
    np.testing.assert_array_equal(read.columns[1], [1.0, np.nan])


def test_a_level_outside_the_order_is_unseen_in_a_query() -> None:
    kinds: dict[str, Kind] = {"b": Ordinal(("lo", "hi"))}
    schema = Schema.infer(NamedColumns.of({"b": ["lo", "hi"]}, kinds))
    read = schema.read(NamedColumns.of({"b": ["hi", "top", None]}, kinds))
    np.testing.assert_array_equal(read.columns[0], [1.0, -1.0, np.nan])


def test_some_rows_are_a_table_too() -> None:
    X, _ = load_repairs()
    part = X.take(slice(2, 4))
    assert len(part) == 2
    assert part["bike"].tolist() == X["bike"].tolist()[2:4]


def test_it_prints_its_first_rows_and_says_how_many_there_are() -> None:
    text = repr(load_repairs()[0])
    assert text.startswith("NamedColumns: 96 rows\n")
    assert "km_since_service" in text
    assert text.endswith("... and 88 more")


def test_no_frame_library_is_loaded_for_it() -> None:
    script = (
        "import sys; from priorcase.datasets import load_repairs; from priorcase.schema import Schema; "
        "X, y = load_repairs(); Schema.infer(X).read(X); "
        "sys.exit(any(name in sys.modules for name in ('pandas', 'polars', 'pyarrow')))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=600).returncode == 0


def _decoded(coded: object) -> list[object]:
    values = [*coded.values, None]  # type: ignore[attr-defined]
    return [values[code] for code in coded.codes.tolist()]  # type: ignore[attr-defined]


@pytest.mark.parametrize("frame", ["dask", "Pandas", 3, ["pandas"]])
def test_other_frame_libraries_are_refused_with_the_choices(frame: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        load_repairs(frame)
    assert "frame must be" in str(caught.value)
    with pytest.raises(ParameterError, match="backend must be"):
        load_repairs()[0].frame(frame)


def test_control_characters_are_escaped_in_what_is_printed() -> None:
    table = NamedColumns.of({"a\x1b[2J": ["x\x1b"]}, {"a\x1b[2J": Nominal()})
    assert not set("\x1b\u202e") & set(repr(table))
