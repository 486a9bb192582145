"""The built-in tables, and columns that need no frame library."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from importlib.resources import files
from random import Random
from typing import Any

import numpy as np
import pytest

from priorcase import datasets
from priorcase.datasets import NamedColumns, catalog, load, load_flats, load_loans, load_penguins, load_repairs
from priorcase.datasets.builtin import TABLES
from priorcase.exceptions import ParameterError
from priorcase.schema import Circular, Kind, Nominal, Numeric, Ordinal, Schema, Text
from tools import make_tables

BACKENDS = ("pandas", "polars", "pyarrow")
LOADERS = (load_repairs, load_penguins, load_loans, load_flats)


@pytest.mark.parametrize("name", sorted(make_tables.TABLES))
def test_the_generated_files_are_those_of_the_script(name: str) -> None:
    stream = io.StringIO()
    make_tables.write(stream, make_tables.TABLES[name]())
    assert files("priorcase.datasets").joinpath(f"{name}.csv").read_text(encoding="utf-8") == stream.getvalue()


@pytest.mark.parametrize("load_table", [load_repairs, load_loans, load_flats], ids=lambda one: one.__name__)
def test_the_docstrings_of_generated_tables_name_the_script(load_table: Callable[[], object]) -> None:
    assert load_table.__name__.removeprefix("load_") in make_tables.TABLES
    assert "tools/make_tables.py" in (load_table.__doc__ or "")


def test_the_docstring_lists_the_wrong_outcomes() -> None:
    *first, last = map(str, make_tables.make_loans()[1])
    assert f"{', '.join(first)} and {last} (counted from 0)" in " ".join((load_loans.__doc__ or "").split())
    assert len(first) == 11


def test_a_good_model_of_the_loans_is_right_in_about_85_percent() -> None:
    rng = Random(0)
    rows = [make_tables.make_loan(rng) for _ in range(2000)]
    repaid = [1 / (1 + math.exp(-make_tables.repayment_log_odds(row))) for row in rows]
    best = np.mean([max(p, 1 - p) for p in repaid]) * (1 - 24 / 600)
    assert 0.84 < best < 0.87  # a little less where values are missing


def test_repairs_are_mixed_and_have_missing_values() -> None:
    X, y = load_repairs()
    assert X.shape == (96, 9)
    assert 0.04 < X.isna().to_numpy().mean() < 0.06
    assert X["electric"].dtype == "boolean"
    labels, counts = np.unique(y.astype(str), return_counts=True)
    assert labels.tolist() == ["brakes", "drivetrain", "tune-up", "wheel"]
    assert counts.min() >= 12


def test_penguins_are_the_published_ones() -> None:
    X, y = load_penguins()
    assert X.shape == (344, 7)
    assert dict(zip(*np.unique(y.astype(str), return_counts=True), strict=True)) == {
        "Adelie": 152,
        "Chinstrap": 68,
        "Gentoo": 124,
    }
    assert X.isna().sum()[["island", "bill_length_mm", "body_mass_g", "sex", "year"]].tolist() == [0, 2, 2, 11, 0]
    assert X["body_mass_g"].mean() == pytest.approx(4201.754386)
    assert X["bill_length_mm"].mean() == pytest.approx(43.921930)


def test_flats_have_a_numeric_target() -> None:
    X, y = load_flats()
    assert X.shape == (400, 9)
    assert y.dtype == float
    assert not np.isnan(y).any()


@pytest.mark.parametrize("load_table", LOADERS)
def test_every_call_gives_new_arrays(load_table: Any) -> None:
    X, y = load_table()
    name, old = X.columns[0], y[0]
    X[name], y[0] = X[name].iloc[0], y[-1] if y[-1] != old else y[1]
    assert load_table()[0][name].nunique() > 1
    assert load_table()[1][0] == old


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_loaded_by_its_name(name: str) -> None:
    X, y = load(name)
    same, same_y = getattr(datasets, f"load_{name}")()
    assert X.equals(same)
    assert y.tolist() == same_y.tolist()
    about = datasets.describe(name)
    assert (about.rows, tuple(about.kinds), about.target) == (len(X), tuple(X), TABLES[name][1])
    assert about.license in str(about)
    assert datasets.available().places[name] == "built-in"
    assert catalog.load_frame(name, {}).columns.tolist() == [*X, about.target]


@pytest.mark.parametrize("name", TABLES)
def test_named_columns_have_the_declared_kinds(name: str) -> None:
    X, _ = load(name, frame=None)
    schema = Schema.infer(X)
    assert dict(zip(schema.names or (), schema.kinds, strict=True)) == TABLES[name][0]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", TABLES)
def test_frames_hold_the_same_values(name: str, backend: Any) -> None:
    pytest.importorskip(backend)
    X, y = load(name, frame=None)
    frame, same = getattr(datasets, f"load_{name}")(backend)
    assert type(frame).__module__.startswith(backend)
    assert y.tolist() == same.tolist()
    kinds = {label: kind for label, kind in X.kinds.items() if isinstance(kind, Ordinal | Circular | Text)}
    ours, theirs = Schema.infer(X), Schema.infer(frame, kinds=kinds)
    assert ours == theirs
    for mine, other in zip(ours.read(X).columns, theirs.read(frame).columns, strict=True):
        if isinstance(mine, np.ndarray):
            np.testing.assert_array_equal(mine, other)
        else:
            assert _decoded(mine) == _decoded(other)


@pytest.mark.parametrize("name", TABLES)
def test_pandas_keeps_the_order_of_levels(name: str) -> None:
    X, _ = load(name)
    schema = Schema.infer(X)
    found = dict(zip(schema.names or (), schema.kinds, strict=True))
    declared = TABLES[name][0]
    assert {label: kind for label, kind in found.items() if isinstance(kind, Ordinal)} == {
        label: kind for label, kind in declared.items() if isinstance(kind, Ordinal)
    }


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
    X, _ = load("repairs", frame=None)
    part = X.take(slice(2, 4))
    assert len(part) == 2
    assert part["bike"].tolist() == X["bike"].tolist()[2:4]


def test_it_prints_its_first_rows_and_says_how_many_there_are() -> None:
    text = repr(load("repairs", frame=None)[0])
    assert text.startswith("NamedColumns: 96 rows\n")
    assert "km_since_service" in text
    assert text.endswith("... and 88 more")


def _decoded(coded: object) -> list[object]:
    values = [*coded.values, None]  # type: ignore[attr-defined]
    return [values[code] for code in coded.codes.tolist()]  # type: ignore[attr-defined]


@pytest.mark.parametrize("load_table", LOADERS)
@pytest.mark.parametrize("frame", ["dask", "Pandas", 3, ["pandas"], None])
def test_other_frame_libraries_are_refused_with_the_choices(load_table: Any, frame: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        load_table(frame)
    assert "frame must be" in str(caught.value)


@pytest.mark.parametrize("backend", ["dask", "Pandas", 3, ["pandas"]])
def test_other_backends_are_refused(backend: Any) -> None:
    with pytest.raises(ParameterError, match="backend must be"):
        load("repairs", frame=None)[0].frame(backend)


def test_control_characters_are_escaped_in_what_is_printed() -> None:
    table = NamedColumns.of({"a\x1b[2J": ["x\x1b"]}, {"a\x1b[2J": Nominal()})
    assert not set("\x1b\u202e") & set(repr(table))
