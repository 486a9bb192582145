"""A single row read without columns is what the columns would have been, and mistakes are found all the same."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priorcase.exceptions import PriorcaseError, SchemaMismatchError
from priorcase.instances import Instances
from priorcase.schema import Coded, Nominal, Numeric, Ordinal, Schema, Table
from priorcase.schema import schema as schema_module

KINDS = [
    Numeric(),
    Nominal(),
    Nominal(content="text"),
    Nominal(content="numbers"),
    Nominal(content="booleans"),
    Nominal(content="nothing"),
    Nominal(("x", "y")),
    Nominal((1, 2)),
    Ordinal(("S", "M", "L")),
    Ordinal((1, 2, 3)),
]
VALUES = [
    None,
    math.nan,
    np.float64("nan"),
    pd.NA,
    pd.NaT,
    "x",
    "S",
    "",
    "nan",
    "1",
    np.str_("x"),
    1,
    -3,
    0.5,
    1.0,
    -0.0,
    True,
    False,
    np.bool_(True),
    np.int8(2),
    np.float32(0.1),
    np.float64(0.1),
    2**53,
    2**53 - 1,
    2**70,
    10**400,
    math.inf,
    np.float64(-np.inf),
    1e300,
    5e-324,
    Decimal("0.1"),
    Decimal("NaN"),
    Decimal("sNaN"),
    2**53 + 1,
    np.int64(2**53 + 1),
    1j,
    b"x",
    ("x",),
    [1],
    pd.Timestamp("2020-01-01"),
    np.datetime64("NaT", "s"),
]


def cells(table: Table) -> list[Any]:
    """What a table says of its only row: numbers, and values with their types."""
    found: list[Any] = []
    for column in table.columns:
        if isinstance(column, Coded):
            code = int(column.codes[0])
            value = None if code < 0 else column.values[code]
            found.append(("value", type(value), value))
        else:
            found.append(("number", column.dtype, column.tobytes() if not math.isnan(column[0]) else b"nan"))
    return found


def reading(schema: Schema, X: Any) -> Any:
    try:
        return cells(schema.read(X))
    except PriorcaseError as error:
        return type(error), str(error)


def compare(schema: Schema, X: Any) -> None:
    fast = reading(schema, X)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema_module, "read_one_row", lambda schema, X: None)
        assert fast == reading(schema, X), X


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_value_under_every_kind(kind: Any) -> None:
    schema, named = Schema(None, (kind,)), Schema(("a",), (kind,))
    for value in VALUES:
        objects = np.empty((1, 1), dtype=object)
        objects[0, 0] = value
        frames = [
            pd.DataFrame({"a": pd.Series([value], dtype=object)}),
            pd.DataFrame({"b": pd.Series([value], dtype=object)}),
        ]
        for X in ([[value]], [(value,)], objects, [[value], [value]], [[value, 1]]):
            compare(schema, X)
        for X in (objects, *frames):
            compare(named, X)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_type_of_frame_under_every_kind(kind: Any) -> None:
    schema = Schema(("a",), (kind,))
    series: list[Any] = [pd.Series(values) for values in ([1], [1.5], [math.nan], [True], ["x"], [None], [2**60])]
    series += [
        pd.Series(["x"]).astype("category"),
        pd.Series([1]).astype("category"),
        pd.Series([1.5], dtype="category"),
    ]
    series += [pd.Series([None], dtype="category"), pd.Categorical(["S"], ["S", "M", "L"], ordered=True)]
    series += [pd.Series([True]).astype("category"), pd.Series(["x"], dtype="string"), pd.Series([1], dtype="Int64")]
    series += [pd.Series([None], dtype="Float64"), pd.Series([True], dtype="boolean"), pd.Series([1], dtype="float32")]
    series += [pd.Series([1], dtype="uint8"), pd.to_datetime(pd.Series(["2020-01-01"])), pd.Series([1j])]
    series += [pd.Series([math.inf]), pd.Series(["x"], dtype=object), pd.Series([1, 2])]
    series += [pd.Categorical.from_codes([0], pd.Index([1.0, 2.5])), pd.Categorical.from_codes([-1], [1, 2])]
    for one in series:
        compare(schema, pd.DataFrame({"a": one}))
        compare(Schema(None, (kind,)), pd.DataFrame({"a": one}))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_type_of_array_under_every_kind(kind: Any) -> None:
    arrays = [np.array([[value]]) for value in (1, 0.5, 2.0, -0.0, math.nan, math.inf, True, "x", "S", "", "1", 2**60)]
    arrays += [np.array([[2]], dtype=code) for code in ("i1", "u8", "f2", "f4", "g", "?", "S1", "O", "m8[s]", "c16")]
    arrays += [
        np.array([[2**64 - 1]], dtype="u8"),
        np.array([[0.1]], dtype="f4"),
        np.array([[1, 2]]),
        np.array([[1], [2]]),
    ]
    for X in arrays:
        compare(Schema(None, (kind,)), X)
        compare(Schema(("a",), (kind,)), X)


def test_a_row_is_its_columns() -> None:
    schema = Schema(None, (Numeric(), Nominal(), Ordinal(("S", "M"))))
    table = schema.read([[1, "x", "XL"]])
    assert table.row == (1.0, "x", -1.0)
    assert cells(table) == cells(Table(schema, 1, table.columns))
    assert schema.read([[None, None, None]]).row[1] is None
    assert schema.read([[1, "x", "S"], [2, "y", "M"]]).row is None
    assert Schema(None, (Numeric(),)).read(np.array([[0.5]])).row == (0.5,)


@given(values=st.lists(st.sampled_from(VALUES), min_size=3, max_size=3), data=st.data())
@settings(max_examples=200)
def test_rows_of_several_kinds(values: list[Any], data: Any) -> None:
    kinds = tuple(data.draw(st.sampled_from(KINDS)) for _ in values)
    compare(Schema(None, kinds), [values])
    names = data.draw(st.permutations(["a", "b", "c"]))
    frame = pd.DataFrame({name: pd.Series([value], dtype=object) for name, value in zip(names, values, strict=True)})
    compare(Schema(("a", "b", "c"), kinds), frame)


def test_names_by_which_columns_are_matched() -> None:
    schema = Schema(("a", "b"), (Numeric(), Nominal()))
    compare(schema, pd.DataFrame({"b": ["x"], "a": [1.0]}))
    compare(schema, pd.DataFrame({"a": [1.0], "b": ["x"], "c": [1]}))
    compare(schema, pd.DataFrame([[1.0, "x"]], columns=["a", "a"]))
    compare(schema, pd.DataFrame([[1.0, "x"]]))
    compare(Schema((0, 1), (Numeric(), Nominal())), pd.DataFrame([[1.0, "x"]]))
    for X in (
        [],
        [[]],
        [[1.0]],
        [[1.0, "x", 2]],
        ["ax"],
        [{"a": 1.0, "b": "x"}],
        [np.array([1.0, 2.0])],
        [1.0, "x"],
        "ax",
    ):
        compare(schema, X)


def test_masked_and_strange_arrays() -> None:
    schema = Schema(None, (Numeric(), Numeric()))
    for X in (
        np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]),
        np.array([["1", "2"]]),
        np.array([[1.0, 2.0]], dtype=object),
        np.array([1.0, 2.0], dtype=object),
        np.array([[[1.0], [2.0]]], dtype=object),
        np.empty((1, 0), dtype=object),
    ):
        compare(schema, X)


# -- rows stored one by one

KINDS_STORED = (Numeric(), Nominal(), Nominal(("x", "y")), Nominal(content="booleans"), Ordinal(("S", "M", "L")))
CELLS = (
    st.sampled_from([0.0, -1.5, 2, None, math.nan]),
    st.sampled_from(["red", "blue", 1, 1.0, True, None]),
    st.sampled_from(["x", "y", None]),
    st.sampled_from([True, False, None]),
    st.sampled_from(["S", "L", None]),
)


def stored(batches: list[list[Any]]) -> Instances:
    schema = Schema(None, KINDS_STORED)
    instances = Instances(schema, Schema(None, (Nominal(),)))
    for batch in batches:
        targets = instances.targets.read([[row[1]] for row in batch])
        instances.append(schema.read(batch), targets)
    return instances


@given(rows=st.lists(st.tuples(*CELLS).map(list), min_size=1, max_size=12), data=st.data())
@settings(max_examples=100)
def test_rows_stored_one_by_one_are_those_stored_at_once(rows: list[Any], data: Any) -> None:
    one_by_one, at_once = stored([[row] for row in rows]), stored([rows])
    assert one_by_one.digest() == at_once.digest()
    for a in range(len(KINDS_STORED)):
        assert one_by_one.decode(range(len(rows))) == at_once.decode(range(len(rows)))
        if a in (1, 2, 3):
            counted = {one_by_one.values(a)[c]: n for c, n in enumerate(one_by_one.value_counts(a).tolist()) if n}
            assert counted == {at_once.values(a)[c]: n for c, n in enumerate(at_once.value_counts(a).tolist()) if n}
    query = one_by_one.schema.read([data.draw(st.sampled_from(rows))])
    columns = Table(query.schema, 1, query.columns)
    np.testing.assert_array_equal(one_by_one.encode(query), one_by_one.encode(columns))


@pytest.mark.parametrize("row", [[1.0, "red", "z", True, "S"], [1.0, "red", "x", True, "XL"]])
def test_a_row_that_is_refused_is_not_stored(row: list[Any]) -> None:
    instances = stored([[[1.0, "red", "x", True, "S"]]])
    before = instances.digest()
    with pytest.raises(SchemaMismatchError) as alone:
        instances.append(instances.schema.read([row]), instances.targets.read([["red"]]))
    with pytest.raises(SchemaMismatchError) as among_others:
        instances.append(instances.schema.read([row, row]), instances.targets.read([["red"], ["red"]]))
    assert str(alone.value).partition("row")[0] == str(among_others.value).partition("row")[0]
    assert instances.digest() == before
