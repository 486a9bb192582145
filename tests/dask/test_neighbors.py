"""k-NN over partitions equals k-NN on one table, bit for bit, however the rows are partitioned."""

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from partitioned_tables import mixed, partitioned

import priorcase as pc
import priorcase.dask
from priorcase.exceptions import ParameterError, SchemaMismatchError, TargetError, TooFewRowsError


@pytest.fixture(autouse=True)
def _in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def check_equal(model, X, y, queries, cuts, weights=None):
    """All answers over partitions equal those of one machine."""
    table = X.assign(target=y) if weights is None else X.assign(target=y, times=weights)
    one = model.fit(X, y, weights)
    many = pc.dask.fit(model, partitioned(table, cuts), "target", None if weights is None else "times")
    assert many.distance_ == one.distance_
    assert_array_equal(many.attribute_weights_, one.attribute_weights_)
    assert many.n_neighbors_ == one.n_neighbors_
    answers = pc.dask.predict(many, queries)
    assert answers.dtype == one.predict(queries).dtype
    assert_array_equal(answers, one.predict(queries))
    for found, expected in zip(pc.dask.kneighbors(many, queries, 3), one.kneighbors(queries, 3), strict=True):
        assert_array_equal(found, expected)
    if hasattr(model, "predict_proba"):
        assert_array_equal(many.classes_, one.classes_)
        assert_array_equal(pc.dask.predict_proba(many, queries), one.predict_proba(queries))
        assert_array_equal(pc.dask.loo_predict_proba(many).compute(), one.loo_predict_proba())
    return many


DISTANCES = ["robust", "heom", "hvdm", "ivdm", "mvdm", "gower"]
VOTES = [
    {"ties": "majority"},
    {"ties": "first", "vote": "tricube", "prior": "frequency"},
    {"ties": "nearest", "vote": "inverse_square", "prior": None},
    {"ties": "reduce", "vote": "gaussian", "temperature": 2.0},
]


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 1000),
    st.lists(st.integers(0, 60), min_size=1, max_size=5),
    st.sampled_from(DISTANCES),
    st.sampled_from(VOTES),
    st.booleans(),
    st.sampled_from([1, 4, "sqrt"]),
)
def test_any_partitioning(seed, cuts, distance, votes, weighted, k):
    X, y, weights = mixed(60, seed)
    queries, *_ = mixed(20, seed + 1)
    queries.loc[0, "name"] = "unseen"
    model = pc.KNNClassifier(k, distance=distance, **votes)
    if distance == "mvdm":
        X, queries = X[["name", "level", "flag"]], queries[["name", "level", "flag"]]
    check_equal(model, X, y, queries, cuts, weights if weighted else None)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 1000), st.lists(st.integers(0, 60), min_size=1, max_size=4), st.booleans())
def test_regressor(seed, cuts, weighted):
    X, _, weights = mixed(60, seed)
    y = pd.Series(np.random.default_rng(seed).normal(size=60))
    model = pc.KNNRegressor(4, vote="epanechnikov")
    check_equal(model, X, y, mixed(20, seed + 1)[0], cuts, weights if weighted else None)


@pytest.mark.parametrize("weights", [None, "given", "gain_ratio", "bayes", "relief", "mutual_information"])
def test_attribute_weights(weights):
    X, y, _ = mixed(80, 3)
    given = {"number": 2.0, "name": 0.5} if weights == "given" else weights
    check_equal(pc.KNNClassifier(3, attribute_weights=given), X, y, mixed(10, 4)[0], [20, 20, 50])


def test_k_chosen_by_leave_one_out():
    X, y, _ = mixed(80, 5)
    check_equal(pc.KNNClassifier("loo"), X, y, mixed(10, 6)[0], [10, 40])


@pytest.mark.parametrize("labels", [["t", "f"], [True, False], [7, 3]], ids=str)
@pytest.mark.parametrize("learned", [{"n_neighbors": "loo"}, {"attribute_weights": "bayes"}], ids=str)
@pytest.mark.parametrize("cut", [1, 2, 30])
def test_rows_of_weight_zero_in_the_first_partition(labels, learned, cut):
    """They are the only rows of a class and of a value there, and of another value anywhere."""
    rng = np.random.default_rng(0)
    y = pd.Series([labels[0]] + [labels[1]] * 20 + [labels[0]] * 19)
    X = pd.DataFrame({"c": ["u"] + ["v", "w"] * 19 + ["u"], "n": rng.normal(size=40).round(1)})
    X.loc[1, "c"] = "never counted"
    weights = np.r_[0.0, 0.0, rng.integers(1, 3, 38) / 2.0]
    check_equal(pc.KNNClassifier(**learned), X, y, X, [cut], weights)


def test_dates_texts_and_sets():
    rng = np.random.default_rng(0)
    n = 60
    words = np.array(["cold", "rain", "sun", "wind", "storm", "dry"])
    X = pd.DataFrame(
        {
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n), "D"),
            "text": [" ".join(rng.choice(words, 6)) for _ in range(n)],
            "hour": rng.integers(0, 24, n),
            "code": rng.choice([3, 17, 99], n),
        }
    )
    kinds = {"text": pc.Text(), "hour": pc.Circular(24), "code": pc.Nominal()}
    y = pd.Series(rng.choice([1, 2], n))
    check_equal(pc.KNNClassifier(3, schema=kinds), X, y, X.iloc[::7].assign(text="hail and rain"), [13, 14, 40])


def test_categories_that_few_partitions_have():
    X = pd.DataFrame({"c": list("aaaabbbbccccdddd"), "n": np.arange(16.0)})
    y = pd.Series(["no"] * 8 + ["yes"] * 8)
    many = check_equal(pc.KNNClassifier(3, distance="hvdm"), X, y, X.iloc[::3], [4, 8, 12])
    assert many._empty.values(0) == ("a", "b", "c", "d")


def test_arrow_backed_partitions():
    X, y, _ = mixed(50, 8)
    X = X.drop(columns="level").convert_dtypes(dtype_backend="pyarrow")
    check_equal(pc.KNNClassifier(3), X, y, X.iloc[::5], [20])


def test_queries_by_partition():
    X, y, _ = mixed(50, 9)
    one = pc.KNNClassifier(3).fit(X, y)
    many = pc.dask.fit(pc.KNNClassifier(3), partitioned(X.assign(y=y), [10, 30]), "y")
    queries = mixed(30, 10)[0]
    lazy = partitioned(queries, [0, 11])
    assert_array_equal(pc.dask.predict(many, lazy).compute(), one.predict(queries))
    assert_array_equal(pc.dask.predict_proba(many, lazy).compute(), one.predict_proba(queries))
    distances, ids = pc.dask.kneighbors(many, lazy, 4)
    assert_array_equal(ids.compute(), one.kneighbors(queries, 4)[1])
    assert_array_equal(distances.compute(), one.kneighbors(queries, 4)[0])
    assert_array_equal(pc.dask.kneighbors(many, None, 4)[1].compute(), one.kneighbors(None, 4)[1])


def test_targets_beside_the_frame():
    X, y, weights = mixed(40, 11)
    frame = partitioned(X.assign(y=y, w=weights), [15])
    many = pc.dask.fit(pc.KNNClassifier(3), frame.drop(columns=["y", "w"]), frame["y"], frame["w"])
    one = pc.KNNClassifier(3).fit(X, y, weights)
    assert_array_equal(pc.dask.predict_proba(many, X), one.predict_proba(X))


def _other(table, **columns):
    parts = [table.iloc[:20], table.iloc[20:].assign(**columns)]
    return dd.from_map(lambda i: parts[i], [0, 1], meta=table.iloc[:0], enforce_metadata=False)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"number": "text"}, SchemaMismatchError, r"'number' is text in partition 1, but numbers in partition 0"),
        ({"more": 1}, SchemaMismatchError, r"partition 1 has the columns .*more"),
        ({"y": 3}, TargetError, r"numbers in partition 1, but text in partition 0"),
        ({"level": "low"}, SchemaMismatchError, r"column 'level' is text in partition 1, but ordered categories"),
        ({"number": np.inf}, ValueError, r"partition 1: .*infinity"),
    ],
)
def test_a_partition_with_another_schema(change, error, words):
    X, y, _ = mixed(40, 12)
    with pytest.raises(error, match=words):
        pc.dask.fit(pc.KNNClassifier(3), _other(X.assign(y=y), **change), "y")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda f: pc.dask.fit(pc.KNNClassifier(), f.compute(), "y"), ParameterError, "Dask DataFrame"),
        (lambda f: pc.dask.fit(pc.KNNClassifier(), f, "z"), ParameterError, "name of a column"),
        (lambda f: pc.dask.fit(pc.KNNClassifier(), f, f["y"].repartition(npartitions=1)), ParameterError, "partitions"),
        (lambda f: pc.dask.fit(pc.KNNClassifier("all"), f, "y"), ParameterError, "not available"),
        (lambda f: pc.dask.fit(pc.KNNClassifier(distance="chebyshev"), f, "y"), ParameterError, "whole rows"),
        (lambda f: pc.dask.fit(pc.IB1(), f, "y"), ParameterError, "KNNClassifier"),
        (lambda f: pc.dask.predict(pc.dask.fit(pc.KNNClassifier(99), f, "y"), f), TooFewRowsError, "n_neighbors"),
        (lambda f: pc.dask.kneighbors(pc.NaiveBayes(), f), ParameterError, "k-NN model"),
        (lambda f: pc.dask.fit(pc.KNNClassifier(), f.query("count > 99"), "y"), ValueError, "0 sample"),
    ],
)
def test_refused(call, error, words):
    X, y, _ = mixed(40, 13)
    with pytest.raises(error, match=words):
        call(partitioned(X.assign(y=y), [20]))


def test_numbers_too_large():
    X = pd.DataFrame({"a": [1e200, -1e200, 3.0, 4.0], "y": list("abab")})
    many = pc.dask.fit(pc.KNNClassifier(4, distance="euclidean"), partitioned(X, [2]), "y")
    with pytest.raises(ValueError, match="query 0 has numbers so large that its distance from row 1"):
        pc.dask.predict(many, pd.DataFrame({"a": [1e200]}))


@pytest.mark.parametrize("order", ["as it comes", "by a column"])
def test_limits_of_the_first_partition(order):
    """Partitions that know a limit search less; where the first one is far from the query, nothing is lost."""
    X, y, _ = mixed(4000, 14, missing=0.02)
    if order == "by a column":
        X = X.sort_values("number", kind="stable", ignore_index=True)
    for ties in ("majority", "first"):
        check_equal(pc.KNNClassifier(5, ties=ties), X, y, mixed(300, 15)[0], [1000, 2000, 3000])
