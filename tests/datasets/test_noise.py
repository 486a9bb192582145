"""Noise in tables: the slow reference, makes of tables, laws, chances and words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import noise as reference
from tables import COLUMNS, labels, mixed_rows, row_lists

from priorcase.datasets import NamedColumns, add_noise, load
from priorcase.exceptions import ParameterError, SchemaError, TargetError
from priorcase.schema import Nominal, Numeric


def by_cells(rows: list[Any], y: list[Any], attributes: float, classes: float, draw: str, seed: int) -> tuple[Any, Any]:
    """The reference on a whole table, with the random numbers in the order of the library: classes, then columns."""
    rng = np.random.default_rng(seed)

    def numbers() -> tuple[list[float], list[float]]:
        return rng.random(len(rows)).tolist(), rng.random(len(rows)).tolist()

    replace = reference.other_classes if draw == "others" else reference.noisy_column
    noisy_y = replace(y, classes, *numbers())
    columns = [reference.noisy_column(column, attributes, *numbers()) for column in zip(*rows, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)], noisy_y


@given(row_lists(), st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 5))
def test_noise_equals_the_reference(rows: list[Any], attributes: float, classes: float, seed: int) -> None:
    y = labels(len(rows), seed)
    for draw in ("distribution", "others"):
        noisy = add_noise(rows, y, attributes=attributes, classes=classes, class_draw=draw, random_state=seed)
        assert noisy == by_cells(rows, y, attributes, classes, draw, seed)


def plain(table: Any) -> list[list[Any]]:
    """Any table as a list of rows, None for missing."""
    if isinstance(table, NamedColumns):
        return [list(row) for row in table.tuples()]
    if isinstance(table, pd.DataFrame):
        return [[None if pd.isna(value) else value for value in row] for row in table.itertuples(index=False)]
    if isinstance(table, pl.DataFrame):
        return [list(row) for row in table.rows()]
    if isinstance(table, pa.Table):
        return [list(row.values()) for row in table.to_pylist()]
    return [list(row) for row in table.tolist()]


def test_every_make_has_the_same_noise_and_keeps_its_make() -> None:
    rows, y = mixed_rows(40), labels(40)
    expected, expected_y = add_noise(rows, y, attributes=0.4, classes=0.4, random_state=3)
    assert expected != rows
    assert expected_y != y
    columns = {name: [row[a] for row in rows] for a, name in enumerate(COLUMNS)}
    frame = pd.DataFrame(columns, index=range(100, 140))
    frame["colour"] = frame["colour"].astype("category")
    kinds: dict[str, Any] = {"age": Numeric(), "colour": Nominal(), "member": Nominal(), "score": Numeric()}
    tables: list[tuple[Any, Any]] = [
        (frame, pd.Series(y, index=frame.index)),
        (pl.DataFrame(columns), pl.Series(y)),
        (pa.table(columns), pa.chunked_array([y])),
        (np.array(rows, dtype=object), np.array(y)),
        (NamedColumns.of(columns, kinds), tuple(y)),
    ]
    for X, target in tables:
        noisy, noisy_y = add_noise(X, target, attributes=0.4, classes=0.4, random_state=3)
        assert type(noisy) is type(X)
        assert plain(noisy) == expected
        found = noisy_y.to_list() if hasattr(noisy_y, "to_list") else list(noisy_y)
        assert [getattr(label, "as_py", lambda label=label: label)() for label in found] == expected_y
        assert plain(X) == rows  # the caller's own is left alone
        if isinstance(noisy, pd.DataFrame):
            assert noisy.index.equals(frame.index)
            assert noisy_y.index.equals(frame.index)
            assert noisy.dtypes.equals(frame.dtypes)


def test_tuples_stay_tuples_and_masks_travel() -> None:
    noisy, _ = add_noise([(1, "a"), (2, "b"), (3, "c")], [0, 1, 0], attributes=1, random_state=0)
    assert all(isinstance(row, tuple) for row in noisy)
    masked = np.ma.MaskedArray(np.arange(12.0).reshape(6, 2), mask=np.arange(12).reshape(6, 2) % 5 == 0)
    found, _ = add_noise(masked, np.zeros(6), attributes=1, random_state=0)
    assert (np.ma.getmaskarray(found) == masked.mask).all()


def test_a_repeated_column_name_of_pandas_is_refused_and_unnamed_columns_are_not() -> None:
    with pytest.raises(SchemaError, match="'a'"):
        add_noise(pd.DataFrame([[1, 2]], columns=["a", "a"]), [0])
    assert add_noise(pd.DataFrame([[1, 2]]), [0], attributes=1)[0].to_numpy().tolist() == [[1, 2]]


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 100))
def test_more_noise_adds_to_less(first: float, second: float, seed: int) -> None:
    low, high = sorted((first, second))
    X, y = load("repairs", frame=None)
    less, more = (plain(add_noise(X, y, attributes=level, random_state=seed)[0]) for level in (low, high))
    for row, a, b in zip(plain(X), less, more, strict=True):
        assert all(b_value == a_value for value, a_value, b_value in zip(row, a, b, strict=True) if a_value != value)


def test_gaps_stay_and_none_come_up() -> None:
    X, y = load("repairs", frame=None)
    noisy, _ = add_noise(X, y, attributes=0.7, random_state=1)
    for name in X.data:
        known, found = (np.array([v is None or v != v for v in table[name].tolist()]) for table in (X, noisy))
        assert (known == found).all()


def test_no_noise_changes_nothing_and_classes_do_not_hang_on_attributes() -> None:
    X, y = load("repairs", frame=None)
    same, same_y = add_noise(X, y, random_state=4)
    assert plain(same) == plain(X)
    assert same_y.tolist() == y.tolist()
    alone = add_noise(X, y, classes=0.3, random_state=4)[1]
    with_attributes = add_noise(X.frame("pandas")[["age_years"]], y, classes=0.3, attributes=0.9, random_state=4)[1]
    assert alone.tolist() == with_attributes.tolist()


def test_values_come_by_the_columns_distribution() -> None:
    column = np.repeat([0.0, 1.0, 5.0], [7000, 2000, 1000]).reshape(-1, 1)
    noisy, _ = add_noise(column, np.zeros(10_000), attributes=0.5, random_state=2)
    # Replaced by itself with probability 0.7, 0.2 and 0.1; deviations of three and a half standard errors are allowed.
    for value, share, rows in ((0.0, 0.7, 7000), (1.0, 0.2, 2000), (5.0, 0.1, 1000)):
        changed = (noisy[column == value] != value).mean()
        chance = 0.5 * (1 - share)
        assert abs(changed - chance) < 3.5 * np.sqrt(chance * (1 - chance) / rows)


@pytest.mark.parametrize("draw", ["distribution", "others"])
def test_classes_come_as_documented(draw: Any) -> None:
    y = np.repeat(["a", "b", "c"], [7000, 2000, 1000])
    noisy = add_noise(np.zeros((10_000, 1)), y, classes=0.4, class_draw=draw, random_state=5)[1]
    shares = {"a": 0.7, "b": 0.2, "c": 0.1}
    for own, other in (("a", "b"), ("a", "c"), ("b", "a"), ("b", "c"), ("c", "a"), ("c", "b")):
        chance = 0.4 * (0.5 if draw == "others" else shares[other])
        rows = (y == own).sum()
        assert abs((noisy[y == own] == other).mean() - chance) < 3.5 * np.sqrt(chance * (1 - chance) / rows)


def test_one_class_has_no_other() -> None:
    assert add_noise([[1], [2]], ["a", "a"], classes=1, class_draw="others", random_state=0)[1] == ["a", "a"]


def test_several_targets_have_noise_of_their_own() -> None:
    y = np.stack([np.arange(50), np.arange(50) % 2], axis=1)
    noisy = add_noise(np.zeros((50, 1)), y, classes=1, class_draw="others", random_state=0)[1]
    assert noisy.shape == y.shape
    assert (noisy != y).all()
    frame = add_noise(
        np.zeros((50, 1)), pd.DataFrame(y, columns=["p", "q"]), classes=1, class_draw="others", random_state=0
    )
    assert frame[1].to_numpy().tolist() == noisy.tolist()


X4, Y4 = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b"]


@pytest.mark.parametrize(
    ("X", "y", "options", "error", "words"),
    [
        (X4, Y4, {"attributes": 1.5}, ParameterError, "attributes must be"),
        (X4, Y4, {"classes": "some"}, ParameterError, "classes must be"),
        (
            X4,
            Y4,
            {"class_draw": "other"},
            ParameterError,
            "must be 'distribution' or 'others'",
        ),
        (X4, Y4, {"random_state": -1}, ParameterError, "random_state must be"),
        (X4, Y4[:3], {}, TargetError, "X has 4 and y has 3"),
        (X4, None, {}, TargetError, "the target y is None"),
        (X4, 7, {}, TargetError, "y of shape ()"),
        (X4, [[1], [1, 2], [3], [4]], {}, TargetError, "y of shape (4,)"),
        ([1.0, 2.0], Y4[:2], {}, SchemaError, "add_noise"),
    ],
)
def test_words(X: Any, y: Any, options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        add_noise(X, y, **options)
    assert words in str(caught.value)
