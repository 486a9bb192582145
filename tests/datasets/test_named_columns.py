"""The table that needs no frame library: rows, columns, and what is said about others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import priorcase as pc
from priorcase.datasets import NamedColumns
from priorcase.exceptions import PriorcaseError


@pytest.fixture
def table() -> NamedColumns:
    return pc.datasets.load("repairs", frame=None)[0]


def test_a_name_gives_a_column_and_a_slice_rows(table: NamedColumns) -> None:
    assert len(table[:5]) == 5
    assert table[90:].tuples() == table.tuples()[90:]
    assert table[:5].kinds == table.kinds
    assert table["bike"][:5].tolist() == table[:5]["bike"].tolist()
    assert list(table) == list(table.kinds)
    assert [len(table[name]) for name in table] == [96] * 9


@pytest.mark.parametrize("rows", [[1, 2], (1, 2), np.array([1, 2]), np.array([-95, -94]), abs(np.arange(96) - 1.5) < 1])
def test_rows_are_taken_by_position_or_by_a_mask(table: NamedColumns, rows: Any) -> None:
    assert table[rows].tuples() == table.tuples()[1:3]
    assert len(table[[]]) == len(table[np.zeros(96, bool)]) == 0


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ([96], IndexError, "no row 96; there are 96"),
        ([-97, 0], IndexError, "no row -97"),
        ([True, False], ValueError, "the mask has 2 entries, but the table has 96 rows"),
        ([0.5], ValueError, "expected the name of a column, or rows"),
        (["bike", "noise"], ValueError, r"select several columns"),
        ([[1, 2]], ValueError, "expected the name"),
    ],
)
def test_rows_that_are_not_there(table: NamedColumns, rows: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(PriorcaseError, match=words) as caught:
        table[rows]
    assert isinstance(caught.value, error)


def test_another_name_is_answered_with_the_one_that_was_meant(table: NamedColumns) -> None:
    with pytest.raises(KeyError) as caught:
        table["brake"]
    assert "no column 'brake'; the columns are 'bike', " in str(caught.value)
    assert str(caught.value).endswith("Did you mean 'brakes'?")


def test_without_a_name_the_frame_is_one_of_the_library_that_is_installed(table: NamedColumns) -> None:
    pandas = pytest.importorskip("pandas")
    assert table.frame().equals(table.frame("pandas"))
    assert isinstance(table.frame(), pandas.DataFrame)


def test_one_row_is_not_rows(table: NamedColumns) -> None:
    assert repr(table[:1]).startswith("NamedColumns: 1 row\n")
    assert repr(table[:0]).startswith("NamedColumns: 0 rows\n")
