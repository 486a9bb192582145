"""Stacks on difficult tables: columns that identify rows, members that refuse a table, tables made at random."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

import priorcase as pc
from priorcase.exceptions import TooFewRowsError, TooLargeError, UninformativeColumnWarning, UnsupportedDataError
from priorcase.schema import Set, Text


def orders(n: int) -> tuple[pd.DataFrame, Any]:
    """Two columns that identify rows, a number, and classes that depend on the number."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "order": [f"o{i}" for i in range(n)],
            "customer": [f"c{i}" for i in rng.permutation(n)],
            "amount": rng.normal(size=n),
        }
    )
    return X, np.where(X["amount"] + rng.normal(size=n) > 0, "late", "on time")


# -- columns that identify rows


def test_columns_that_identify_rows_are_not_used_and_named_once() -> None:
    X, y = orders(200)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = pc.StackedClassifier(["naive_bayes", "tree_averaged_bayes"]).fit(X, y)
        found = model.predict_proba(X[:9])
    assert [warning.category for warning in caught] == [UninformativeColumnWarning]
    assert caught[0].message.columns == ("order", "customer")  # type: ignore[union-attr]
    assert "are not used" in str(caught[0].message)
    assert model.n_features_in_ == 3
    assert model.members_["naive_bayes"].feature_names_in_.tolist() == ["amount"]
    np.testing.assert_array_equal(found, model.predict_proba(X[:9].assign(order="o7", customer="new")))
    alone = pc.StackedClassifier(["naive_bayes", "tree_averaged_bayes"]).fit(X[["amount"]], y)
    np.testing.assert_allclose(found, alone.predict_proba(X[["amount"]][:9]), rtol=0.2)  # other folds
    kept = pc.StackedClassifier(["naive_bayes"], schema={"order": "nominal"}).fit(X, y)
    assert kept.members_["naive_bayes"].feature_names_in_.tolist() == ["order", "amount"]


def test_columns_in_use_depend_only_on_the_stored_rows() -> None:
    X, y = orders(120)
    X["order"] = ["o1"] * 60 + [f"o{i % 3}" for i in range(60)]
    model = pc.StackedClassifier(["naive_bayes"]).fit(X[:60], y[:60])
    assert model.members_["naive_bayes"].feature_names_in_.tolist() == ["amount"]
    model.partial_fit(X[60:], y[60:])
    assert model.members_["naive_bayes"].feature_names_in_.tolist() == ["order", "amount"]
    fresh = pc.StackedClassifier(["naive_bayes"]).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), fresh.predict_proba(X))


def test_a_stack_of_rows_with_ids_predicts_intervals_and_explains() -> None:
    X, _ = orders(60)
    model = pc.StackedRegressor(["knn", "ridge"]).fit(X, X["amount"] + 1)
    queries = X[:3].assign(amount=[0.0, 1.0, None])
    low, high = model.predict_interval(queries).T
    assert (low < high).all()
    explanation = model.explain(queries, precedents=2)
    assert not explanation.contributions[:, :2].any()
    assert set(model.precedents(queries).ids) <= set(model.ids_)


@pytest.mark.parametrize("regress", [False, True])
def test_precedents_show_all_columns_though_members_use_some(regress: bool) -> None:
    X, y = orders(60)
    stack = pc.StackedRegressor(["knn"]) if regress else pc.StackedClassifier(["knn"])
    model = stack.fit(X, X["amount"] + 1 if regress else y)
    model.forget([0])
    queries = X[:2].assign(amount=[0.5, None])
    found = model.precedents(queries)
    assert found.names == tuple(X.columns)
    assert found.queries == [("o0", X["customer"][0], 0.5), ("o1", X["customer"][1], None)]
    assert found.rows == [tuple(X.loc[at]) for at in found.ids.tolist()]
    np.testing.assert_array_equal(found.contributions.sum(axis=1), found.distances)
    assert not found.contributions[:, :2].any()
    for other in found.unlike:
        assert other is not None
        assert (other.row, len(other.contributions)) == (tuple(X.loc[other.id]), 3)
    for text in (str(found), found._repr_html_(), str(pc.explain(model, queries))):
        assert "customer" in text


def test_columns_without_names_that_identify_rows_are_not_used() -> None:
    X, y = orders(120)
    named = pc.StackedClassifier(["naive_bayes"]).fit(X, y)
    unnamed = pc.StackedClassifier(["naive_bayes"]).fit(X.to_numpy(), y)
    np.testing.assert_array_equal(named.predict_proba(X), unnamed.predict_proba(X.to_numpy()))
    assert unnamed.explain(X.to_numpy()[:1]).names == ("x0", "x1", "x2")


# -- members that refuse a table


def test_a_member_that_refuses_the_table_is_left_out_with_one_warning() -> None:
    X, y = orders(8_300)
    schema = {"order": "nominal", "customer": "nominal"}
    stack = pc.StackedClassifier(["tree_averaged_bayes", "naive_bayes"], schema=schema)
    with pytest.warns(FitFailedWarning, match="'tree_averaged_bayes' was left out of the stack: TooLarge") as caught:
        model = stack.fit(X, y)
    model.predict_proba(X[:2])  # warnings are errors
    assert len(caught) == 1
    assert list(model.weights_) == ["baseline", "naive_bayes"]
    with pytest.raises(TooLargeError, match="pairs of values"):
        pc.StackedClassifier(["tree_averaged_bayes"], schema=schema).fit(X, y)


class RefusesSmallTables(LogisticRegression):
    """A member that can be fitted to all rows, but not without a fold."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if len(X) < 60:
            raise ValueError("too few rows for this member")
        return super().fit(X, y, sample_weight)


def test_each_member_that_fails_in_a_fold_gives_one_warning() -> None:
    X, y = orders(60)
    members = {"first": RefusesSmallTables(), "bayes": "naive_bayes", "second": RefusesSmallTables()}
    with pytest.warns(FitFailedWarning) as caught:
        model = pc.StackedClassifier(members).fit(X[["amount"]], y)
    model.predict_proba(X[["amount"]])
    told = [str(warning.message) for warning in caught]
    assert [text.split("'")[1] for text in told] == ["first", "second"]
    assert all("too few rows for this member" in text for text in told)
    assert list(model.weights_) == ["baseline", "bayes"]


def test_texts_alone_are_enough_for_the_default_stack() -> None:
    rng = np.random.default_rng(0)
    y = rng.choice(["paper", "net"], 40)
    X = pd.DataFrame({"text": [f"{label} {rng.choice(['jam', 'slow', 'lost'])}" for label in y]})
    model = pc.StackedClassifier(schema={"text": "text"}).fit(X, y)
    assert (model.predict(X) == y).all()
    assert "subset_averaged_bayes" in model.weights_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")  # parts of one row are too few for members
def test_weights_count_rows_and_may_sum_to_one() -> None:
    X, y = np.arange(20.0)[:, None], np.repeat(["a", "b"], 10)
    with pytest.raises(TooFewRowsError, match="the sample weights sum to 2e-08"):
        pc.StackedClassifier().fit(X, y, np.full(20, 1e-9))
    shares = np.full(20, 0.05) * (1 - 1e-12)  # less than one row by rounding only
    model = pc.StackedClassifier().fit(X, y, shares)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


# -- tables made at random

COLUMNS: dict[str, Any] = {
    "ids": lambda rng, n: [f"id{i}" for i in rng.permutation(n)],
    "numbers": lambda rng, n: rng.normal(size=n),
    "integers": lambda rng, n: rng.integers(0, 5, n),
    "huge": lambda rng, n: rng.normal(size=n) * 1e150,
    "tiny": lambda rng, n: rng.normal(size=n) * 1e-300,
    "constant": lambda rng, n: ["same"] * n,
    "missing": lambda rng, n: [None] * n,
    "nan": lambda rng, n: np.full(n, np.nan),
    "declared": lambda rng, n: pd.Categorical.from_codes(rng.integers(0, 10_000, n), [f"c{i}" for i in range(10_000)]),
    "categories": lambda rng, n: rng.choice([f"c{i}" for i in range(10_000)], n),
    "gaps": lambda rng, n: np.where(rng.random(n) < 0.5, rng.choice(["a", "b"], n), None),
    "dates": lambda rng, n: pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 2_000, n), unit="D"),
    "texts": lambda rng, n: [" ".join(rng.choice(["paper", "jam", "net", "slow", "login"], 3)) for _ in range(n)],
    "empty": lambda rng, n: [""] * n,
    "sets": lambda rng, n: [frozenset(rng.choice(list("abcdef"), 2).tolist()) for _ in range(n)],
    "booleans": lambda rng, n: rng.random(n) < 0.5,
}
DECLARED = {"texts": Text(), "empty": Text(), "sets": Set()}
SIZES = [1, 2, 3, 5, 8, 12, 30, 45]


def check_random_table(seed: int, regress: bool, sizes: list[int]) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.choice(sizes))
    kinds = rng.choice(list(COLUMNS), rng.integers(1, 5)).tolist()
    X = pd.DataFrame({f"{kind}{i}": COLUMNS[kind](rng, n) for i, kind in enumerate(kinds)})
    schema = {f"{kind}{i}": DECLARED[kind] for i, kind in enumerate(kinds) if kind in DECLARED}
    y: Any = rng.normal(size=n) * (rng.random() < 0.9)
    if not regress:
        y = np.array([f"k{i}" for i in rng.integers(0, rng.choice([1, 2, 5, 300]), n)])
    weights = None if rng.random() < 0.6 else rng.random(n) * (rng.random(n) < 0.8) + 1e-9
    model = (pc.StackedRegressor if regress else pc.StackedClassifier)(schema=schema)
    if weights is not None and weights.sum() < 1.0:
        with pytest.raises(TooFewRowsError, match="the sample weights sum to"):
            model.fit(X, y, weights)
        return
    model.fit(X, y, weights)
    for queries in (X, X.astype(object).mask(rng.random(X.shape) < 0.5)):
        found = model.predict(queries) if regress else model.predict_proba(queries)
        assert np.isfinite(found).all()
        if not regress:
            np.testing.assert_allclose(found.sum(axis=1), 1.0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.parametrize("regress", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_any_table_gives_a_stack_that_predicts(seed: int, regress: bool) -> None:
    check_random_table(seed, regress, SIZES)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.parametrize("regress", [False, True])
@pytest.mark.parametrize("seed", range(100, 160))
def test_any_larger_table_gives_a_stack_that_predicts(seed: int, regress: bool) -> None:
    check_random_table(seed, regress, [2, 30, 60, 400])


# -- parameters of members, files


def test_members_and_their_parameters_are_parameters_of_the_stack() -> None:
    X, y = pc.load_repairs()
    X, y = X[:40], y[:40]
    stack = pc.StackedClassifier({"a": pc.NaiveBayes(), "near": pc.KNNClassifier(3)}, folds=2)
    assert stack.get_params()["a__prior"] == stack.members["a"].prior
    assert "a__prior" not in stack.get_params(deep=False)
    search = GridSearchCV(stack, {"a__prior": [1.0, 3.0], "near__n_neighbors": [1, 5]}, cv=2).fit(X, y)
    assert set(search.best_params_) == {"a__prior", "near__n_neighbors"}
    found = search.best_estimator_
    assert found.members["near"].n_neighbors == search.best_params_["near__n_neighbors"]
    assert stack.members["near"].n_neighbors == 3
    listed = pc.StackedClassifier([pc.KNNClassifier(), ("bayes", pc.NaiveBayes()), "knn"])
    listed.set_params(KNNClassifier__n_neighbors=7, bayes=pc.NaiveBayes(prior=2.0), knn=pc.KNNClassifier(9), folds=3)
    assert [listed.members[0].n_neighbors, listed.members[1][1].prior, listed.members[2].n_neighbors] == [7, 2.0, 9]
    assert clone(listed).get_params()["bayes__prior"] == 2.0
    with pytest.raises(ValueError, match="Invalid parameter 'other'"):
        listed.set_params(other__prior=1.0)


def test_a_stack_that_cannot_be_saved_names_its_members_and_the_remedy(tmp_path: Any) -> None:
    X, y = pc.load_repairs()
    model = pc.StackedClassifier({"line": LogisticRegression(), "near": pc.KNNClassifier()}).fit(X[:30], y[:30])
    with pytest.raises(UnsupportedDataError, match=r"member 'line' .*such as 'logistic' .*joblib"):
        model.save(tmp_path / "stack.priorcase")
    assert not list(tmp_path.iterdir())
    model = pc.StackedClassifier({"line": "logistic", "near": pc.KNNClassifier()}).fit(X[:30], y[:30])
    again = pc.load(model.save(tmp_path / "stack.priorcase"))
    np.testing.assert_array_equal(again.predict_proba(X[:5]), model.predict_proba(X[:5]))
