"""Classifiers by counts over partitions equal those of one table."""

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
from priorcase.exceptions import NotAvailableError, PriorcaseError, ReadingError, SchemaMismatchError


@pytest.fixture(autouse=True)
def _in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def check_equal(model, table, cuts, weights=None):
    X, y = table.drop(columns=["y", "w"]), table["y"]
    one = model.fit(X, y, table["w"] if weights else None)
    frame = partitioned(table if weights else table.drop(columns="w"), cuts)
    many = pc.dask.fit(type(model)(**model.get_params()), frame, "y", "w" if weights else None)
    assert many.get_params() == model.get_params()
    assert many.schema_ == one.schema_
    assert many.digest() == one.digest()
    assert_array_equal(many.classes_, one.classes_)
    assert_array_equal(pc.dask.predict_proba(many, X), one.predict_proba(X))
    assert_array_equal(pc.dask.predict_proba(many, partitioned(X, cuts)).compute(), one.predict_proba(X))
    assert_array_equal(pc.dask.predict(many, partitioned(X, cuts)).compute(), one.predict(X))
    assert_array_equal(pc.dask.loo_predict_proba(many), one.loo_predict_proba())


MODELS = [pc.NaiveBayes, pc.SubsetAveragedBayes, pc.TreeAveragedBayes, pc.SuperParentAveragedBayes, pc.AODE]


@settings(max_examples=8, deadline=None)
@given(
    st.integers(0, 1000),
    st.lists(st.integers(0, 60), min_size=1, max_size=12),
    st.sampled_from(MODELS),
    st.booleans(),
)
def test_any_partitioning(seed, cuts, model, weighted):
    X, y, weights = mixed(60, seed)
    check_equal(model(), X.assign(y=y, w=weights), cuts, weighted)


def check_counted(model, table, cuts):
    X, y = table.drop(columns="y"), table["y"]
    one = model.fit(X, y)
    many = pc.dask.fit(type(model)(**model.get_params()), partitioned(table, cuts), "y")
    assert many.get_params() == model.get_params()
    assert many.digest() == one.digest()
    assert_array_equal(many.predict_proba(X), one.predict_proba(X))
    more = X.iloc[:5]
    assert many.partial_fit(more, y[:5]).digest() == one.partial_fit(more, y[:5]).digest()
    return many


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1000), st.lists(st.integers(0, 60), min_size=1, max_size=12), st.sampled_from(MODELS))
def test_counts_without_rows_in_any_partitioning(seed, cuts, model):
    X, y, _ = mixed(60, seed)
    check_counted(model(keep_rows=False), X.assign(y=y), cuts)


@pytest.mark.parametrize("model", [pc.NaiveBayes, pc.AODE])
def test_cut_points_of_many_numbers_are_those_of_all_partitions(model, monkeypatch):
    monkeypatch.setattr("priorcase.bayes.counted.MOST_DISTINCT", 50)
    rng = np.random.default_rng(0)
    n = rng.normal(size=400)
    table = pd.DataFrame({"n": n, "m": rng.normal(size=400), "y": np.where(n + rng.normal(size=400) > 0, "a", "b")})
    found = check_counted(model(keep_rows=False), table, [30, 30, 200, 390])
    assert len(found.cut_points_["n"]) > 0


def test_a_class_and_a_category_of_one_partition():
    table = pd.DataFrame({"c": list("aaaabbbbccccdddd"), "n": np.arange(16.0), "w": 1.0})
    check_equal(pc.NaiveBayes(), table.assign(y=["no"] * 8 + ["yes"] * 4 + ["maybe"] * 4), [4, 8, 8, 12])


def test_text_that_only_all_rows_show_to_be_free():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["alpha", "beta", "gamma", "delta", "epsilon"], 7)) for _ in range(30)]
    table = pd.DataFrame({"t": texts, "n": rng.normal(size=30), "y": rng.choice(["a", "b"], 30), "w": 1.0})
    check_equal(pc.NaiveBayes(), table, [2, 5, 9, 20])
    one = pc.KNNClassifier(3).fit(table[["t", "n"]], table["y"])
    many = pc.dask.fit(pc.KNNClassifier(3), partitioned(table.drop(columns="w"), [2, 5, 9, 20]), "y")
    assert many.schema_ == one.schema_
    assert_array_equal(pc.dask.predict_proba(many, table[["t", "n"]]), one.predict_proba(table[["t", "n"]]))


def test_a_partition_with_another_schema():
    table = pd.DataFrame({"n": np.arange(8.0), "y": list("abababab")})
    frame = partitioned(table, [4]).map_partitions(
        lambda part: part.assign(n="text") if part["n"].iloc[0] == 4 else part, meta=table.iloc[:0]
    )
    with pytest.raises(SchemaMismatchError, match=r"column 'n' is text in partition 1"):
        pc.dask.fit(pc.NaiveBayes(), frame, "y")


@pytest.mark.parametrize(
    "model", [pc.NaiveBayes(keep_rows=False), pc.KNNClassifier(3), pc.StackedClassifier()], ids=repr
)
@pytest.mark.parametrize("damage", ["truncated", "gone"])
def test_partitions_that_cannot_be_read(model, damage, tmp_path):
    table = pd.DataFrame({"n": np.arange(40.0), "y": ["a", "b"] * 20})
    for i in range(2):
        table[20 * i : 20 * (i + 1)].to_parquet(tmp_path / f"{i}.parquet")
    frame = dd.read_parquet(tmp_path, split_row_groups=False)
    broken = tmp_path / "1.parquet"
    broken.unlink() if damage == "gone" else broken.write_bytes(broken.read_bytes()[:-20])
    with pytest.raises(ReadingError, match="could not be read"):
        pc.dask.fit(model, frame, "y")


@pytest.mark.parametrize("cuts", [[29], [30], [10, 30]])
@pytest.mark.parametrize(("keep_rows", "weight"), [(False, 1.0), (False, 0.0), (True, 0.0)])
def test_weights_are_refused_whatever_the_partitions(cuts, keep_rows, weight):
    """The first 30 rows have weight 0, the others ``weight``: one partition may have no weight at all."""
    table = pd.DataFrame(
        {"n": np.arange(80.0) % 7, "y": list("abab") * 20, "w": np.where(np.arange(80) < 30, 0.0, weight)}
    )
    model = pc.NaiveBayes(keep_rows=keep_rows)
    with pytest.raises(PriorcaseError, match="sample_weight"):
        model.fit(table[["n"]], table["y"], sample_weight=table["w"])
    with pytest.raises(PriorcaseError, match="sample_weight"):
        pc.dask.fit(model, partitioned(table, cuts), "y", sample_weight="w")


def test_leave_one_out_of_a_model_without_it():
    model = pc.KNNRegressor(1).fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(NotAvailableError, match="KNNRegressor has no loo_predict_proba"):
        pc.dask.loo_predict_proba(model)


def test_repeated_columns_are_refused():
    table = pd.DataFrame({"n": np.arange(8.0), "y": list("abababab")})
    frame = partitioned(pd.concat([table, table[["y"]]], axis=1), [4])
    with pytest.raises(PriorcaseError, match="more than one column named 'y'"):
        pc.dask.fit(pc.NaiveBayes(), frame, "y")
