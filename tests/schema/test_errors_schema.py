"""Errors of ``priorcase.schema``: what is refused, by which class, with which telling words."""

import decimal
import fractions

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from priorcase import KNNClassifier
from priorcase.exceptions import ParameterError, SchemaError, SchemaMismatchError, UnsupportedDataError
from priorcase.schema import Nominal, Numeric, Ordinal, Schema

D = decimal.Decimal
NAN = float("nan")
LARGE = 2**53 + 1
FRAME = pd.DataFrame({"n": [1, 2], "flag": [True, False], "size": pd.Categorical(["S", "M"], ordered=True)})


def objects(*values):
    array = np.empty((len(values), 1), dtype=object)
    array[:, 0] = values
    return array


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Ordinal("SML"), "parameter 'order' of Ordinal must be a tuple"),
        (lambda: Ordinal(3), "must be a tuple"),
        (lambda: Ordinal(()), r"distinct values.* got \(\)"),
        (lambda: Nominal(()), r"distinct values.* got \(\)"),
        (lambda: Nominal(("a", None)), "missing value"),
        (lambda: Nominal(("a", D("sNaN"))), "missing value"),
        (lambda: Ordinal((1, 2, 1.0)), r"distinct values, .* got \(1, 2, 1\)"),
        (lambda: Nominal(([1], [2])), r"distinct values, .* got \(\[1\]"),
        (lambda: Nominal(content="words"), "parameter 'content' of Nominal .* got 'words'"),
        (lambda: Schema(None, ()), "no kinds"),
        (lambda: Schema(("a",), (Numeric(), Numeric())), "1 names and 2 kinds"),
        (lambda: Schema(("a", "a"), (Numeric(), Numeric())), "more than one column named 'a'"),
        (lambda: Schema(None, (Ordinal,)), r"as the kind of column 0\. Write the list of its levels"),
        (
            lambda: Schema(("a",), ("nominl",)),
            r"got 'nominl' as the kind of column 'a'\. Did you mean 'nominal'",
        ),
        (lambda: Schema(("a",), ("circular",)), r"Write Circular\(period=360\)"),
        (lambda: Schema(("a",), ("ignore",)), "Drop the column"),
        (lambda: Schema(("a",), (5,)), "Kinds are 'numeric', .*, a list of levels"),
        (lambda: Schema(("a",), (["low", "low"],)), "distinct values"),
        (lambda: Schema(("a", NAN), (Numeric(), Numeric())), "name of column 1 is missing"),
        (lambda: Schema((None,), (Numeric(),)), "name of column 0 is missing"),
        (lambda: Schema((("a", np.float64("nan")),), (Numeric(),)), "name of column 0 is missing"),
        (lambda: Schema.infer([["red"]], None), r"^Schema\.infer: column 0 is nominal \(text\) but was"),
    ],
)
def test_declarations(make, words):
    with pytest.raises(SchemaError, match=words):
        make()


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ("n", "categorical_features must be 'from_dtype', None, a mask, or a list .* got 'n'"),
        (0, "got 0"),
        (np.eye(3), "got array"),
        ([True], r"a mask of 3 booleans, .* got \[True\]"),
        (["x"], "categorical_features contains 'x', which is not a column; X has columns 'n', 'flag', 'size'"),
        (["sizes"], "Did you mean 'size'"),
        ([3], "contains 3, which is not a column"),
        ([-1], "contains -1, which is not a column"),
        ([True, 0], "contains True, which is not a column"),
        ([[0, 1]], "which is not a column"),
    ],
)
def test_categorical_features(chosen, words):
    with pytest.raises(ParameterError, match=words):
        Schema.infer(FRAME, chosen)


@pytest.mark.parametrize("key", ["c", 3, -1, True, np.True_, None, 0.5, ("a",)])
def test_what_is_not_a_column(key):
    kinds = (Numeric(), Nominal(), Nominal())
    for schema in (Schema(("a", "b", 7), kinds), Schema(None, kinds), Schema((0, 1, 2), kinds)):
        with pytest.raises(ParameterError, match=r"attributes contains .* not a column; X has"):
            schema.position(key, parameter="attributes")


@pytest.mark.parametrize(
    ("kinds", "X", "error", "words"),
    [
        ({9: Numeric()}, np.eye(2), ParameterError, "KNNClassifier.fit: schema contains 9, .* 2 unnamed columns"),
        ({"a": Numeric(), 0: Nominal()}, FRAME[["n"]].set_axis(["a"], axis=1), ParameterError, "'a' and 0, .* same"),
        ({0: Numeric()}, [["red"], ["blue"]], SchemaError, r"another kind for it \(categorical_features or schema\)"),
    ],
)  # fmt: skip
def test_declared_kinds_of_estimators(kinds, X, error, words):
    with pytest.raises(error, match=words):
        KNNClassifier(schema=kinds).fit(X, [0, 1])


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (np.zeros(3), SchemaError, r"Expected 2D array, got 1D array instead: shape=\(3,\). Reshape your data"),
        (np.float64(1), SchemaError, "Expected 2D array, got scalar array instead"),
        (3, SchemaError, "Expected 2D array, got scalar array instead"),
        (np.array(3), SchemaError, "Expected 2D array, got scalar array instead"),
        (np.zeros((2, 2, 2)), SchemaError, "Found array with dim 3, while dim <= 2 is required"),
        (np.zeros((2, 0)), SchemaError, r"Found array with 0 feature\(s\) \(shape=\(2, 0\)\) while a minimum of 1 is"),
        (pd.DataFrame(index=[0, 1]), SchemaError, r"0 feature\(s\) \(shape=\(2, 0\)\)"),
        (pd.Series([1]), SchemaError, "got a Series.* Reshape your data"),
        (pl.Series([1]), SchemaError, "to_frame"),
        ([], SchemaError, r"Found array with 0 sample\(s\)"),
        ([[1, 2], [3]], SchemaError, "different lengths"),
        ([np.zeros(2), np.zeros(3)], SchemaError, "different lengths"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), SchemaError, "more than one column named 'a'"),
        (pa.Table.from_arrays([pa.array([1])] * 2, names=["a", "a"]), SchemaError, "more than one column named 'a'"),
        (pd.DataFrame([[1, 2]], columns=["a", NAN]), SchemaError, "name of column 1 is missing"),
        (pd.DataFrame([[1, 2]], columns=[None, "a"]), SchemaError, "name of column 0 is missing"),
        (pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", NAN), ("a", "b")])), SchemaError, "missing"),
        (np.array([[1j]]), SchemaError, "Complex data not supported, found in column 0"),
        (objects(1j), SchemaError, "Complex data not supported"),
        (pd.DataFrame({"z": [1j]}), SchemaError, "Complex data not supported, found in column 'z'"),
        (np.array([[1.0, np.inf]]), SchemaError, "infinity or a value too large .* in column 1"),
        (pd.DataFrame({"a": [-np.inf]}), SchemaError, "infinity .* in column 'a'"),
        (np.array([["1e400"]]).astype(np.longdouble), SchemaError, "infinity"),
        (objects(10**400), SchemaError, "infinity"),
        (objects(D("1e400")), SchemaError, "infinity"),
        (objects("a", np.inf), SchemaError, "infinity"),
        (objects("a", D("-Infinity")), SchemaError, "infinity"),
        (sparse.eye(2), UnsupportedDataError, "Sparse data was passed for X, but dense data is required"),
        (sparse.eye_array(2), UnsupportedDataError, "Sparse data was passed"),
        (np.array([[1]]).view(np.matrix), UnsupportedDataError, "np.matrix is not supported"),
        (np.zeros((1, 1), "i4,i4"), UnsupportedDataError, "structured NumPy array"),
        (pl.LazyFrame({"a": [1]}), UnsupportedDataError, "collect"),
        ({"a": [1]}, UnsupportedDataError, "got a dict"),
        ([{"a": 1}], UnsupportedDataError, "list of dictionaries"),
        (None, UnsupportedDataError, "got None"),
        (objects(1.5, {"a": 1}), UnsupportedDataError, "contains a dict"),
        (pl.DataFrame({"a": [{"b": 1}]}), UnsupportedDataError, "column 'a' is Struct"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_what_is_no_table(X, error, words):
    with pytest.raises(error, match=words):
        Schema.infer(X).read(X)


@pytest.mark.parametrize(
    "X",
    [
        np.array([[0], [LARGE]]),
        np.array([[0], [-LARGE]]),
        np.array([[0], [2**63 - 1]]),
        np.array([[0], [LARGE]], ">i8"),
        np.array([[2**64 - 1]], np.uint64),
        np.ma.masked_array([[LARGE], [LARGE]], [[False], [True]]),
        [[LARGE]],
        [[LARGE], [None]],
        objects(np.int64(LARGE)),
        objects(np.int64(LARGE), None),
        objects(2**70 + 1, 0.5),
        objects(D(LARGE)),
        objects(fractions.Fraction(LARGE)),
        pd.DataFrame({0: [LARGE]}),
        pd.DataFrame({0: [0.5, LARGE]}, dtype=object),
        pd.DataFrame({0: pd.array([LARGE, None], dtype="Int64")}),
        pd.DataFrame({0: pd.Series([LARGE, None], dtype="int64[pyarrow]")}),
        pd.DataFrame({0: pd.Categorical([LARGE])}),
        pl.DataFrame({"0": [LARGE, None]}),
        pl.DataFrame({"0": [LARGE]}, schema={"0": pl.UInt64}),
        pl.DataFrame({"0": [LARGE]}, schema={"0": pl.Int128}),
        pl.DataFrame({"0": [D(LARGE)]}),
        pa.table({"0": [LARGE, None]}),
        pa.table({"0": [D(LARGE)]}),
    ],
    ids=lambda X: type(X).__name__,
)
def test_numbers_that_float64_would_round(X):
    for read in (lambda X: Schema.infer(X, None).read(X), Schema(None, (Numeric(),)).read):
        with pytest.raises(SchemaError, match=r"column '?0'? contains .* exactly.*Nominal\(\)"):
            read(X)
    assert Schema.infer(X, [0]).read(X).columns[0].values  # exact as nominal values


def test_the_column_of_a_number_that_would_be_rounded():
    X = np.array([[1, 2, 3], [4, LARGE, 6]])
    with pytest.raises(SchemaError, match=f"column 1 contains {LARGE},"):
        Schema.infer(X).read(X)
    with pytest.raises(SchemaError, match=f"column 'b' contains {LARGE},"):
        Schema(("a", "b", "c"), (Numeric(),) * 3).read(X)


@pytest.mark.parametrize("others", [["a", "b"], [1, 2], [0.5, None], [True], []])
def test_signalling_nan_is_missing(others):
    X = objects(*others, D("sNaN"))
    same = objects(*others, None)
    schema = Schema.infer(X)
    assert schema == Schema.infer(same)
    for kind in (schema.kinds[0], Nominal()):
        read, expected = (Schema(None, (kind,)).read(table).columns[0] for table in (X, same))
        np.testing.assert_array_equal(getattr(read, "codes", read), getattr(expected, "codes", expected))
    assert KNNClassifier(1, schema={0: Nominal()}).fit([["a"], ["b"]], [0, 1]).predict([[D("sNaN")]]).shape == (1,)


@pytest.mark.parametrize("n", [3, 300])
@pytest.mark.parametrize("dtype", ["string_view", "large_string"])
def test_arrow_text_of_any_layout_is_text(dtype, n):
    values = (["a", None, "b"] * n)[:n]
    text = pa.chunked_array([pa.array(values), pa.array(["c"])]).cast(dtype)
    for frame in (pa.table({"x": text}), pd.DataFrame({"x": pd.Series(text, dtype=pd.ArrowDtype(text.type))})):
        schema = Schema.infer(frame)
        assert repr(schema.kinds[0]) == "Nominal(content='text')"
        column = schema.read(frame).columns[0]
        assert [None if code < 0 else column.values[code] for code in column.codes] == [*values, "c"]


def test_an_infinite_column_name_has_a_digest():
    frame = pd.DataFrame([[1.0], [2.0]], columns=[np.inf])
    digests = {KNNClassifier(n_neighbors=1).fit(frame * sign, [0, 1]).digest() for sign in (1, -1)}
    assert len(digests) == 2


AB = Schema(("a", "b"), (Numeric(), Nominal(content="text")))


@pytest.mark.parametrize(
    ("schema", "X", "words"),
    [
        (AB, pd.DataFrame({"a": [1], "c": [2]}), "The feature names should match those that were passed during fit.\n"
         "Feature names unseen at fit time:\n- c\nFeature names seen at fit time, yet now missing:\n- b\nColumns are"),
        (AB, pd.DataFrame({"a": [1], "B": ["x"]}), "Did you mean 'b' by 'B'"),
        (AB, pd.DataFrame([[0] * 9], columns=list("abcdefghi")), r"- c\n- d\n- e\n- f\n- g\n- \.\.\.\nColumns"),
        (Schema(None, (Numeric(),) * 2), np.eye(3), r"X has 3 features, but \w+ is expecting 2 features as input"),
        (Schema(None, (Numeric(),) * 2), np.eye(3).astype(object), "X has 3 features"),
        (Schema(None, (Numeric(),) * 2), [[1]], "X has 1 features, .* with None or NaN"),
        (Numeric(), [["1"]], r"column 0 is nominal \(text\) here but was numeric in fit. Pass it as numbers"),
        (Numeric(), [["1"], [2]], r"is nominal \(mixed values\) here but was numeric"),
        (Numeric(), pd.DataFrame({0: pd.Categorical(["a"])}), r"is nominal \(text\) here but was numeric"),
        (Nominal(content="text"), [[1]], r"is numeric here but was nominal \(text\) in fit. Pass it as strings"),
        (Nominal(content="text"), [[True]], r"is nominal \(booleans\) here but was nominal \(text\)"),
        (Nominal(content="numbers"), [["1"]], r"was nominal \(numbers\) in fit. Pass it as numbers"),
        (Nominal(content="booleans"), [[1]], r"is numeric .* nominal \(booleans\) in fit. Pass it as booleans"),
        (Nominal(("a", "b")), [[1]], r"was nominal \('a', 'b'\)"),
        (Ordinal(("S", "M")), [[1]], r"is numeric here but was ordinal \('S', 'M'\) in fit. Pass it as strings"),
        (Ordinal((1, 2)), [["1"]], r"was ordinal \(1, 2\) in fit. Pass it as numbers"),
    ],
)  # fmt: skip
def test_tables_that_do_not_match(schema, X, words):
    schema = schema if isinstance(schema, Schema) else Schema(None, (schema,))
    with pytest.raises(SchemaMismatchError, match=words):
        schema.read(X)


def test_a_changed_kind_names_the_known_values():
    with pytest.raises(SchemaMismatchError, match=r"predict: column 'c' .* was nominal \('red', 'blue'\)"):
        KNNClassifier(1).fit(pd.DataFrame({"c": ["red", "blue"]}), [0, 1]).predict(pd.DataFrame({"c": [1]}))
