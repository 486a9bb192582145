"""Kinds, inference, matching and reading: every sort of column that the documentation of ``Schema`` names."""

import decimal
import fractions
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priorcase.exceptions import (
    PriorcaseError,
)
from priorcase.schema import Coded, Date, Nominal, Numeric, Ordinal, Schema

D = decimal.Decimal
NAN = float("nan")


def one(column: object) -> tuple[Schema, list[object]]:
    """The schema of a one-column table and its cells: numbers, ranks or decoded values, None for missing."""
    schema = Schema.infer(column)
    return schema, decoded(schema, column)


def decoded(schema: Schema, X: object, a: int = 0) -> list[object]:
    column = schema.read(X).columns[a]
    if isinstance(column, Coded):
        return [None if code < 0 else column.values[code] for code in column.codes.tolist()]
    return [None if number != number else number for number in column.tolist()]


def objects(*values: object) -> np.ndarray:
    array = np.empty((len(values), 1), dtype=object)
    array[:, 0] = values
    return array


class TestKinds:
    def test_print_themselves(self):
        assert repr(Numeric()) == "Numeric()"
        assert repr(Ordinal(("S", "M"))) == "Ordinal(order=('S', 'M'))"
        assert repr(Nominal()) == "Nominal()"
        assert repr(Nominal(["a"])) == "Nominal(values=('a',))"
        assert repr(Nominal(content="text")) == "Nominal(content='text')"

    def test_content_guards_but_does_not_define(self):
        assert Nominal(content="text") == Nominal()
        assert Nominal(("a",)) != Nominal()
        assert hash(Nominal(content="text")) == hash(Nominal())

    def test_true_and_one_are_two_levels(self):
        assert Ordinal((0, 1, True)).order == (0, 1, True)


class TestDeclaredSchema:
    def test_is_a_value(self):
        schema = Schema(("a", "b"), (Numeric(), Nominal()))
        assert len(schema) == 2
        assert schema == Schema(["a", "b"], [Numeric(), Nominal(content="text")])
        assert hash(schema) == hash(Schema(("a", "b"), (Numeric(), Nominal())))
        assert schema != Schema(None, (Numeric(), Nominal()))
        assert pickle.loads(pickle.dumps(schema)) == schema
        assert (schema.label(1), Schema(None, (Numeric(),)).label(0)) == ("b", 0)

    def test_prints_itself(self):
        assert repr(Schema(None, (Numeric(),))) == "Schema: 1 attribute\n  0  Numeric()"


class TestInference:
    """One case for each row of the table in the documentation of ``Schema``."""

    @pytest.mark.parametrize(
        "frame",
        [
            pd.DataFrame({"x": [1.5, None, 2.0]}),
            pd.DataFrame({"x": pd.array([1.5, pd.NA, 2.0], dtype="Float64")}),
            pd.DataFrame({"x": pd.Series([1.5, None, 2.0], dtype="double[pyarrow]")}),
            pd.DataFrame({"x": pd.Series([D("1.5"), None, D(2)], dtype=pd.ArrowDtype(pa.decimal128(5, 2)))}),
            pd.DataFrame({"x": [D("1.5"), D("NaN"), D(2)]}),
            pd.DataFrame({"x": pd.Series([1.5, pd.NA, 2], dtype=object)}),
            pd.DataFrame({"x": pd.arrays.SparseArray([1.5, NAN, 2.0])}),
            pl.DataFrame({"x": [1.5, None, 2.0]}),
            pl.DataFrame({"x": [1.5, NAN, 2.0]}),
            pl.DataFrame({"x": [D("1.5"), None, D(2)]}),
            pa.table({"x": [1.5, None, 2.0]}),
            pa.table({"x": pa.array([D("1.5"), None, D(2)])}),
            pa.record_batch({"x": [1.5, None, 2.0]}),
            np.array([[1.5], [NAN], [2.0]], np.float32),
            np.array([[1.5], [NAN], [2.0]], np.longdouble),
            np.ma.masked_array([[1.5], [7.0], [2.0]], [[False], [True], [False]]),
            objects(1.5, None, 2),
            objects(fractions.Fraction(3, 2), np.ma.masked, np.int8(2)),
            [[1.5], [None], [2]],
        ],
    )
    def test_numbers(self, frame):
        schema, cells = one(frame)
        assert schema.kinds == (Numeric(),)
        assert cells == [1.5, None, 2.0]

    @pytest.mark.parametrize(
        "frame",
        [
            pd.DataFrame({"x": pd.array([1, pd.NA, 3], dtype="Int64")}),
            pd.DataFrame({"x": pd.Series([1, None, 3], dtype="int64[pyarrow]")}),
            pl.DataFrame({"x": [1, None, 3]}),
            pl.DataFrame({"x": pl.Series([1, None, 3], dtype=pl.Int128)}),
            pa.table({"x": [1, None, 3]}),
            np.ma.masked_array([[1], [7], [3]], [[False], [True], [False]], dtype=np.int16),
        ],
    )
    def test_integers_with_gaps(self, frame):
        assert one(frame) == (Schema.infer(frame), [1.0, None, 3.0])
        assert Schema.infer(frame).kinds == (Numeric(),)
        assert decoded(Schema(None, (Nominal(),)), frame) == [1, None, 3]

    @pytest.mark.parametrize(
        "frame",
        [
            pd.DataFrame({"x": pd.array([True, pd.NA, False], dtype="boolean")}),
            pd.DataFrame({"x": pd.Series([True, None, False], dtype=object)}),
            pd.DataFrame({"x": pd.Series([True, NAN, False], dtype=object)}),
            pl.DataFrame({"x": [True, None, False]}),
            pa.table({"x": [True, None, False]}),
            np.ma.masked_array([[True], [True], [False]], [[False], [True], [False]]),
            objects(np.True_, None, False),
        ],
    )
    def test_booleans_are_nominal(self, frame):
        schema, cells = one(frame)
        assert repr(schema.kinds[0]) == "Nominal(content='booleans')"
        assert cells == [True, None, False]
        assert [type(cell) for cell in cells] == [bool, type(None), bool]

    @pytest.mark.parametrize(
        "frame",
        [
            pd.DataFrame({"x": pd.Series(["a", None, "b"], dtype="str")}),
            pd.DataFrame({"x": pd.Series(["a", pd.NA, "b"], dtype="string")}),
            pd.DataFrame({"x": pd.Series(["a", None, "b"], dtype="string[pyarrow]")}),
            pd.DataFrame({"x": pd.Series(["a", NAN, "b"], dtype=object)}),
            pd.DataFrame({"x": pd.Series(["a", pd.NaT, "b"], dtype=object)}),
            pd.DataFrame({"x": pd.Categorical(["a", None, "b"])}),
            pd.DataFrame(
                {"x": pd.Series(["a", None, "b"], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())))}
            ),
            pl.DataFrame({"x": ["a", None, "b"]}),
            pl.DataFrame({"x": pl.Series(["a", None, "b"], dtype=pl.Categorical)}),
            pa.table({"x": ["a", None, "b"]}),
            pa.table({"x": pa.array(["a", None, "b"], pa.large_string())}),
            pa.table({"x": pa.array(["a", None, "b"]).dictionary_encode()}),
            pa.table({"x": pa.DictionaryArray.from_arrays([0, 1, 2], ["a", None, "b"])}),
            np.ma.masked_array([["a"], ["x"], ["b"]], [[False], [True], [False]]),
            objects("a", None, np.str_("b")),
        ],
    )
    @pytest.mark.parametrize("repeat", [1, 50])
    def test_text_and_categories_are_nominal(self, frame, repeat):
        if repeat > 1 and isinstance(frame, pd.DataFrame):
            frame = pd.concat([frame] * repeat, ignore_index=True)
        elif repeat > 1 and isinstance(frame, pl.DataFrame):
            frame = pl.concat([frame] * repeat)
        elif repeat > 1 and isinstance(frame, pa.Table):
            frame = pa.concat_tables([frame] * repeat)
        else:
            repeat = 1
        schema, cells = one(frame)
        assert repr(schema.kinds[0]) == "Nominal(content='text')"
        assert cells == ["a", None, "b"] * repeat

    def test_unicode_and_bytes_arrays(self):
        assert one(np.array([["a"], ["nan"]])) == (Schema(None, (Nominal(),)), ["a", "nan"])
        assert one(np.array([[b"a"], [b""]])) == (Schema(None, (Nominal(),)), [b"a", b""])

    @pytest.mark.parametrize(
        "frame",
        [
            pd.DataFrame({"x": pd.Categorical(["M", None, "S"], categories=["S", "M", "L"], ordered=True)}),
            pa.table({"x": pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), ["S", "M", "L"], ordered=True)}),
        ],
    )
    def test_an_ordered_category_is_ordinal(self, frame):
        assert one(frame) == (Schema(("x",), (Ordinal(("S", "M", "L")),)), [1.0, None, 0.0])

    def test_pandas_cut_is_ordinal(self):
        binned = pd.DataFrame({"x": pd.cut(pd.Series([0.5, 1.5, None]), [0, 1, 2])})
        schema, cells = one(binned)
        assert isinstance(schema.kinds[0], Ordinal)
        assert cells == [0.0, 1.0, None]

    def test_a_polars_enum_declares_its_values_and_no_order(self):
        frame = pl.DataFrame({"x": pl.Series(["M", None, "S"], dtype=pl.Enum(["S", "M", "L"]))})
        assert one(frame) == (Schema(("x",), (Nominal(("S", "M", "L")),)), ["M", None, "S"])

    def test_an_empty_ordered_category_has_no_order_to_go_by(self):
        assert Schema.infer(pd.DataFrame({"x": pd.Categorical([None], ordered=True)})).kinds == (Nominal(),)

    def test_a_category_of_numbers(self):
        frame = pd.DataFrame({"x": pd.Categorical([3, None, 1])})
        schema, cells = one(frame)
        assert repr(schema.kinds[0]) == "Nominal(content='numbers')"
        assert cells == [3, None, 1]
        assert decoded(Schema(("x",), (Numeric(),)), frame) == [3.0, None, 1.0]

    def test_mixed_objects_are_nominal_and_compared_by_value_and_type(self):
        schema, cells = one(objects(1, "1", True, 1.0, np.int8(1), "a", None, b"1", (1, 2)))
        assert repr(schema.kinds[0]) == "Nominal()"
        column = schema.read(objects(1, "1", True, 1.0, np.int8(1), "a", None, b"1", (1, 2))).columns[0]
        assert column.codes.tolist() == [0, 1, 2, 0, 0, 3, -1, 4, 5]
        assert [(type(cell), cell) for cell in column.values[:3]] == [(int, 1), (str, "1"), (bool, True)]
        assert cells[3] == 1

    def test_booleans_beside_numbers_stay_apart(self):
        column = Schema(None, (Nominal(),)).read(objects(True, 1, False, 0, np.True_, 1.0)).columns[0]
        assert column.codes.tolist() == [0, 1, 2, 3, 0, 1]

    @pytest.mark.parametrize(
        ("frame", "kind"),
        [
            (pd.DataFrame({"x": [NAN, NAN]}), Numeric()),
            (pd.DataFrame({"x": pd.array([None, None], dtype="Int64")}), Numeric()),
            (pl.DataFrame({"x": pl.Series([None, None], dtype=pl.Float64)}), Numeric()),
            (np.full((2, 1), NAN), Numeric()),
            (pd.DataFrame({"x": pd.Series([None, None], dtype=object)}), Nominal()),
            (pd.DataFrame({"x": pd.Series([None, None], dtype="str")}), Nominal()),
            (pl.DataFrame({"x": [None, None]}), Nominal()),
            (pa.table({"x": pa.nulls(2)}), Nominal()),
            (objects(None, NAN), Nominal()),
            (objects(np.datetime64("NaT", "s"), pd.NaT), Date()),
        ],
    )
    def test_a_column_of_gaps_goes_by_its_type(self, frame, kind):
        schema, cells = one(frame)
        assert schema.kinds == (kind,)
        assert cells == [None, None]

    @pytest.mark.parametrize(
        "frame",
        [
            pd.DataFrame({"x": [1.0, 2.0], "s": ["a", "b"], "c": pd.Categorical(["a", "b"])}).iloc[:0],
            pl.DataFrame({"x": [1.0], "s": ["a"], "c": pl.Series(["a"], dtype=pl.Categorical)}).clear(),
            pa.table({"x": [1.0], "s": ["a"], "c": pa.array(["a"]).dictionary_encode()}).slice(0, 0),
        ],
    )
    def test_no_rows(self, frame):
        schema = Schema.infer(frame)
        assert schema.kinds == (Numeric(), Nominal(), Nominal())
        table = schema.read(frame)
        assert len(table) == 0
        assert [len(column) for column in table.columns] == [0, 0, 0]

    def test_no_rows_in_an_array(self):
        assert len(Schema.infer(np.empty((0, 2))).read(np.empty((0, 2)))) == 0
        assert len(Schema.infer(np.empty((0, 2), object)).read(np.empty((0, 2), object))) == 0

    def test_one_row_and_constant_columns(self):
        assert one([[5]]) == (Schema(None, (Numeric(),)), [5.0])
        assert one([["a"], ["a"]]) == (Schema(None, (Nominal(),)), ["a", "a"])

    def test_integers_beyond_2_to_the_53_are_exact_or_refused(self):
        large = np.array([[2**53], [2**60], [-(2**63)]])
        for frame in (large, large.tolist(), pd.DataFrame(large), pl.DataFrame(large), objects(*large[:, 0])):
            assert decoded(Schema.infer(frame), frame) == [2.0**53, 2.0**60, -(2.0**63)]
        nominal = Schema.infer(large + 1, categorical_features=[0])
        assert decoded(nominal, large + 1) == [2**53 + 1, 2**60 + 1, -(2**63) + 1]

    def test_wide_and_narrow_integers_are_coded_alike(self):
        for array in ([[3], [-4], [3]], [[3], [10**12], [3]], [[0], [2**64 - 1], [0]]):
            column = np.array(array, np.uint64 if array[1][0] > 2**63 else np.int64)
            assert decoded(Schema(None, (Nominal(),)), column) == [row[0] for row in array]

    def test_column_labels_of_any_hashable_type(self):
        assert Schema.infer(pd.DataFrame([[1, 2]])).names == (0, 1)
        assert Schema.infer(pd.DataFrame([[1, 2]], columns=["a", 7])).names == ("a", 7)
        frame = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]))
        assert Schema.infer(frame).names == (("a", 1), ("a", 2))

    def test_intervals_are_values(self):
        frame = pd.DataFrame({"x": pd.arrays.IntervalArray.from_breaks([0, 1, 2])})
        assert one(frame)[1] == [pd.Interval(0, 1), pd.Interval(1, 2)]


class TestCategoricalFeatures:
    frame = pd.DataFrame({"n": [1, 2], "flag": [True, False], "size": pd.Categorical(["S", "M"], ordered=True)})

    @pytest.mark.parametrize(
        "chosen", [["n"], [0], (0,), {"n"}, np.array([0]), np.array(["n"]), [True, False, False], pd.Series(["n"])]
    )
    def test_says_which_columns_are_nominal_and_the_rest_are_not(self, chosen):
        kinds = Schema.infer(self.frame, chosen).kinds
        assert kinds == (Nominal(), Numeric(), Ordinal(("M", "S")))

    def test_none_means_no_column(self):
        assert Schema.infer(self.frame, None).kinds == Schema.infer(self.frame, []).kinds
        assert Schema.infer(self.frame, None).kinds == (Numeric(), Numeric(), Ordinal(("M", "S")))
        assert decoded(Schema.infer(self.frame, None), self.frame, 1) == [1.0, 0.0]

    def test_an_integer_is_a_label_first(self):
        frame = pd.DataFrame([[1, 2]], columns=[1, 0])
        assert Schema.infer(frame, [0]).kinds == (Numeric(), Nominal())

    def test_declared_kinds_win(self):
        kinds = Schema.infer(self.frame, ["n"], {"n": Ordinal((1, 2)), 1: Nominal((True, False))}).kinds
        assert kinds == (Ordinal((1, 2)), Nominal((True, False)), Ordinal(("M", "S")))


class TestMatching:
    schema = Schema(("a", "b"), (Numeric(), Nominal(content="text")))

    @pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
    def test_by_name_in_any_order(self, make):
        table = self.schema.read(make({"b": ["x"], "a": [1]}))
        assert table.columns[0].tolist() == [1.0]
        assert table.columns[1].values == ["x"]

    def test_by_position_where_a_side_has_no_names(self):
        assert decoded(self.schema, [[1, "x"]]) == [1.0]
        unnamed = Schema(None, self.schema.kinds)
        assert decoded(unnamed, pd.DataFrame({"z": [1], "y": ["x"]})) == [1.0]

    def test_integer_labels_are_names(self):
        schema = Schema.infer(pd.DataFrame([[1.0, 2.0]]))
        assert decoded(schema, pd.DataFrame([[1.0, 2.0]], columns=[1, 0])) == [2.0]

    @pytest.mark.parametrize(
        ("kind", "X", "cells"),
        [
            (Numeric(), np.array([[1]]), [1.0]),
            (Numeric(), np.array([[True]]), [1.0]),
            (Numeric(), [[True], [None]], [1.0, None]),
            (Nominal(content="numbers"), np.array([[1.0], [NAN]]), [1, None]),
            (Nominal(content="numbers"), np.array([[1]]), [1]),
            (Nominal(content="text"), [["a"], [1]], ["a", 1]),
            (Nominal(), [[1.5]], [1.5]),
            (Nominal(("a",)), [["b"]], ["b"]),
            (Ordinal(("S", "M")), [["M"], ["XL"], [None]], [1.0, -1.0, None]),
            (Ordinal((1, 2, 4)), np.array([[4.0], [3.0], [NAN]]), [2.0, -1.0, None]),
            (Ordinal((False, True)), [[True], [1]], [1.0, -1.0]),
        ],
    )
    def test_kinds_that_fit(self, kind, X, cells):
        assert decoded(Schema(None, (kind,)), X) == cells

    @pytest.mark.parametrize("kind", [Numeric(), Nominal(content="text"), Nominal(("a",)), Ordinal((1, 2))])
    @pytest.mark.parametrize(
        "X",
        [
            np.array([[NAN]]),
            objects(None),
            pd.DataFrame({"x": pd.Series([None], dtype="str")}),
            pd.DataFrame({"x": pd.Categorical([None], categories=["q"])}),
            pd.DataFrame({"x": pd.Categorical([None])}),
            pd.DataFrame({"x": pd.array([None], dtype="boolean")}),
            pl.DataFrame({"x": [None]}),
            pa.table({"x": pa.nulls(1)}),
        ],
    )
    def test_a_column_of_gaps_fits_any_kind(self, kind, X):
        assert decoded(Schema(None, (kind,)), X) == [None]


class TestDates:
    def test_dates_made_categories_are_values(self):
        frame = pd.DataFrame({"when": pd.to_datetime(["2020-01-01"]).astype("category")})
        assert one(frame)[1] == [pd.Timestamp("2020-01-01")]


class TestReading:
    def test_a_block_of_numbers_is_taken_whole(self):
        X = np.array([[1.0, NAN], [3.0, 4.0]])
        table = Schema(None, (Numeric(), Numeric())).read(X)
        assert table.block is X
        np.testing.assert_array_equal(table.columns[1], [NAN, 4.0])
        assert repr(table) == "Table(rows=2, attributes=2)"

    def test_never_changes_its_input(self):
        frame = pd.DataFrame({"i": pd.array([1, None], dtype="Int64"), "s": ["a", None], "f": [1.0, None]})
        before = frame.copy(deep=True)
        Schema.infer(frame).read(frame)
        pd.testing.assert_frame_equal(frame, before)
        masked = np.ma.masked_array([[1.0], [2.0]], [[True], [False]])
        Schema.infer(masked).read(masked)
        assert masked.data.tolist() == [[1.0], [2.0]]

    def test_only_the_users_frame_library_is_loaded(self):
        script = (
            "import sys, numpy as np; from priorcase.schema import Schema;"
            "X = np.array([[1, 'a', None]], dtype=object); Schema.infer(X).read(X);"
            "sys.exit(bool({'pandas', 'polars', 'pyarrow'} & set(sys.modules)))"
        )
        assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0

    values = st.one_of(
        st.none(), st.booleans(), st.integers(-3, 3), st.integers(), st.floats(), st.text(max_size=2),
        st.binary(max_size=1), st.decimals(), st.just(pd.NA), st.just(pd.NaT), st.just([1]), st.complex_numbers(),
        st.dates(), st.tuples(st.integers(0, 1)),
    )  # fmt: skip

    @given(st.lists(st.lists(values, min_size=2, max_size=2), max_size=6))
    def test_anything_is_read_or_refused(self, rows):
        X = np.empty((len(rows), 2), dtype=object)
        for i, row in enumerate(rows):
            X[i, 0], X[i, 1] = row
        for make in (lambda X: X, pd.DataFrame):
            try:
                schema = Schema.infer(make(X))
                table = schema.read(make(X))
            except PriorcaseError as error:
                assert str(error)  # noqa: PT017  # refused or read: both are right
                continue
            for kind, column in zip(schema.kinds, table.columns, strict=True):
                assert len(column) == len(rows)
                if isinstance(kind, Numeric):
                    assert not np.isinf(column).any()

    scalars = st.one_of(
        st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from([0.0, 1.0, 0.5]), st.sampled_from("01a")
    )

    @given(st.lists(scalars, min_size=1))
    def test_two_cells_have_one_code_exactly_when_they_are_one_value(self, values):
        column = Schema(None, (Nominal(),)).read(objects(*values)).columns[0]
        for value, code in zip(values, column.codes, strict=True):
            assert (code < 0) == (value is None)
            for other, other_code in zip(values, column.codes, strict=True):
                same = (isinstance(value, bool), value) == (isinstance(other, bool), other)
                assert (code == other_code) == same

    @given(st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=1, max_size=100))
    def test_every_frame_library_reads_the_same_text(self, values):
        schema = Schema(None, (Nominal(),))
        frames = (
            objects(*values),
            pd.DataFrame({"x": pd.Series(values, dtype=object)}),
            pd.DataFrame({"x": pd.Categorical(values)}),
            pl.DataFrame({"x": pl.Series(values, dtype=pl.String)}),
            pl.DataFrame({"x": pl.Series(values, dtype=pl.Categorical)}),
            pa.table({"x": pa.array(values, pa.string())}),
        )
        for frame in frames:
            assert decoded(schema, frame) == values
