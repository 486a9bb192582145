"""Queries that lack columns that stored rows have: stacks answer them by completions from past cases."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import priorcase as pc

X, Y = load_iris(return_X_y=True, as_frame=True)
SHARES = np.full(3, 1 / 3)
LEARNERS = [
    pc.KNNClassifier(),
    pc.NaiveBayes(),
    pc.SubsetAveragedBayes(),
    pc.LocallyWeightedClassifier(30),
    pc.StackedClassifier(),
]


def missing(n: int = 1) -> pd.DataFrame:
    return pd.DataFrame(np.full((n, 4), np.nan), columns=X.columns)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_where_nothing_is_known_probabilities_are_near_the_class_shares(learner: object) -> None:
    model = learner.fit(X, Y)  # type: ignore[attr-defined]
    np.testing.assert_allclose(model.predict_proba(missing())[0], SHARES, atol=0.12)


def test_where_nothing_is_known_numbers_are_near_the_mean() -> None:
    target = X.iloc[:, 2] + 10
    model = pc.StackedRegressor().fit(X.drop(columns=X.columns[2]), target)
    found = model.predict(missing().drop(columns=X.columns[2]))
    assert abs(found[0] - target.mean()) < target.std() / 2


@pytest.mark.parametrize(
    "member", [pc.RBFNetworkClassifier(), pc.TreeAveragedBayes(), LogisticRegression(max_iter=1_000)]
)
def test_answers_without_some_columns_stay_better_than_guessing(member: object) -> None:
    rng = np.random.default_rng(0)
    rows = rng.permutation(150)
    fit, asked = rows[:100], rows[100:]
    queries = X.iloc[asked].mask(rng.random((50, 4)) < 0.5)
    model = pc.StackedClassifier([member]).fit(X.iloc[fit], Y.iloc[fit])
    found = model.predict_proba(queries)
    assert np.log(found[np.arange(50), Y.iloc[asked]]).mean() > 0.6 * np.log(1 / 3)


def test_a_query_gets_the_same_bits_alone_and_in_a_batch() -> None:
    model = pc.StackedClassifier().fit(X, Y)
    queries = X.iloc[::30].mask(np.eye(5, 4, dtype=bool))
    together = model.predict_proba(queries)
    alone = [model.predict_proba(queries.iloc[[i]])[0] for i in range(5)]
    np.testing.assert_array_equal(together, alone)


def test_the_order_of_the_rows_does_not_matter() -> None:
    query = X.iloc[[60]].mask(np.array([[True, False, False, True]]))
    order = np.random.default_rng(1).permutation(150)
    model = pc.StackedClassifier([pc.TreeAveragedBayes()])
    np.testing.assert_allclose(
        model.fit(X, Y).predict_proba(query), model.fit(X.iloc[order], Y.iloc[order]).predict_proba(query), rtol=1e-9
    )


def test_queries_as_incomplete_as_stored_rows_are_not_completed() -> None:
    gaps = X.mask(np.arange(150)[:, None] % 5 == np.arange(4))
    model = pc.StackedClassifier([pc.TreeAveragedBayes()]).fit(gaps, Y)
    member, asked = model.members_["TreeAveragedBayes"], []
    own = type(member).predict_proba

    def counted(self: object, table: object) -> object:
        asked.append(len(table))  # type: ignore[arg-type]
        return own(self, table)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(member), "predict_proba", counted)
        model.predict_proba(gaps[:20])
        assert asked == [20]
        model.predict_proba(X[:20].mask(np.tile([True, True, False, False], (20, 1))))
        assert asked[1:] == [20] * 32


def test_nominal_values_that_no_row_has_are_kept_beside_completions() -> None:
    visits, job = pc.load_repairs("pandas")
    model = pc.StackedClassifier([pc.TreeAveragedBayes()]).fit(visits, job)
    query = {name: [None] for name in visits.columns} | {"bike": ["unicycle"]}
    found = model.predict_proba(pd.DataFrame(query).astype(object))
    assert found.shape == (1, 4)
    np.testing.assert_allclose(found.sum(), 1)
