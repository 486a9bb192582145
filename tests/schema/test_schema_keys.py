"""Columns named by label or by position, one rule wherever they are named."""

import numpy as np
import pytest

from priorcase.exceptions import ParameterError
from priorcase.schema import Nominal, Numeric, Schema

NAMED = Schema(("a", "b", 7), (Numeric(), Nominal(), Nominal()))
UNNAMED = Schema(None, (Numeric(), Nominal()))


@pytest.mark.parametrize("key", [1, np.int8(1), np.uint64(1)])
def test_positions_are_integers_of_any_make(key: object) -> None:
    assert NAMED.position(key) == UNNAMED.position(key) == 1
    assert type(NAMED.position(key)) is int


@pytest.mark.parametrize(("key", "expected"), [("b", 1), (7, 2), (np.int64(7), 2), (0, 0)])
def test_a_name_comes_before_a_position(key: object, expected: int) -> None:
    assert NAMED.position(key) == expected


def test_several_columns_are_named_once_each() -> None:
    assert NAMED.positions({7: "x", "a": "y"}) == (2, 0)
    with pytest.raises(ParameterError, match="same column"):
        NAMED.positions(["b", np.int64(1)])


def test_numpy_integers_say_which_columns_are_nominal_and_of_which_kind() -> None:
    schema = Schema.infer(np.eye(2), [np.int64(1)], {np.int64(0): Nominal()})
    assert schema.kinds == (Nominal(), Nominal())
