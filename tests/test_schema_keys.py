"""Columns named by label or by position, one rule wherever they are named."""

import numpy as np
import pandas as pd
import pytest

from priorcase import KNNClassifier
from priorcase.exceptions import ParameterError, SchemaError
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


@pytest.mark.parametrize("key", ["c", 3, -1, True, np.True_, None, 0.5, ("a",)])
def test_what_is_no_column(key: object) -> None:
    for schema in (NAMED, UNNAMED, Schema((0, 1), (Numeric(), Numeric()))):
        with pytest.raises(ParameterError, match=r"Distance got attributes with .* which is no column; the table has"):
            schema.position(key, parameter="attributes")


def test_several_columns_are_named_once_each() -> None:
    assert NAMED.positions({7: "x", "a": "y"}) == (2, 0)
    with pytest.raises(ParameterError) as caught:
        NAMED.positions(["b", np.int64(1)], parameter="attributes")
    assert str(caught.value) == (
        "Distance got attributes with 'b' and 1, which are one column; expected each once.\n"
        "Hint: a column's name and its position are the same column."
    ).replace("and 1", f"and {np.int64(1)!r}")


def test_unhashable_keys_are_no_columns() -> None:
    with pytest.raises(ParameterError, match="which is no column"):
        Schema.infer(pd.DataFrame({"a": [1], "b": [2]}), categorical_features=[[0, 1]])


def test_numpy_integers_say_which_columns_are_nominal_and_of_which_kind() -> None:
    schema = Schema.infer(np.eye(2), [np.int64(1)], {np.int64(0): Nominal()})
    assert schema.kinds == (Nominal(), Nominal())


def test_estimators_speak_of_their_own_parameter() -> None:
    with pytest.raises(ParameterError, match=r"KNNClassifier.fit got schema with 9, which is no column"):
        KNNClassifier(schema={9: Numeric()}).fit(np.eye(2), [0, 1])
    with pytest.raises(SchemaError, match=r"declare another kind for it \(categorical_features or schema\)"):
        KNNClassifier(schema={0: Numeric()}).fit([["red"], ["blue"]], [0, 1])
    with pytest.raises(ParameterError, match="got schema with 'a' and 0, which are one column"):
        KNNClassifier(schema={"a": Numeric(), 0: Nominal()}).fit(pd.DataFrame({"a": [1, 2]}), [0, 1])
