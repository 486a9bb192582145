"""Warnings about queries with values that no stored row has, and with numbers far outside the stored range."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score

import priorcase as pc
from priorcase.exceptions import FarQueryWarning, UnseenValuesWarning

N = 120
RANDOM = np.random.default_rng(0)
ROWS = pd.DataFrame(
    {
        "age": RANDOM.integers(18, 90, N).astype(float),
        "colour": RANDOM.choice(["red", "blue"], N),
        "size": pd.Categorical(RANDOM.choice(["s", "m", "l"], N), ["s", "m", "l"], ordered=True),
    }
)
CLASSES = np.where(ROWS["age"] > 50, "old", "young")
QUERIES = pd.DataFrame(
    {"age": [50.0, 50_000.0, 95.0], "colour": ["Red", "red", "mauve"], "size": pd.Categorical(["s", "m", "l"])}
)
LEARNERS = [
    pc.KNNClassifier(3),
    pc.NaiveBayes(),
    pc.TreeAveragedBayes(),
    pc.SubsetAveragedBayes(),
    pc.LocallyWeightedClassifier(20),
    pc.LocallyWeightedRegressor(20, ridge=1.0),
    pc.KNNRegressor(3),
    pc.IB2(),
    pc.IB3(),
    pc.PEBLS(),
    pc.StackedClassifier(["knn", "naive_bayes"]),
]


def fitted(learner):
    numeric = type(learner).__name__.endswith("Regressor")
    return learner.fit(ROWS, np.arange(N) if numeric else CLASSES)


def warned(call, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*arguments)
    return [warning for warning in caught if issubclass(warning.category, (UnseenValuesWarning, FarQueryWarning))]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_every_learner_warns_once_per_call(learner):
    model = fitted(learner)
    unseen, far = warned(model.predict, QUERIES)
    assert unseen.category is UnseenValuesWarning
    assert far.category is FarQueryWarning
    assert unseen.message.columns == ("colour",)
    assert "'Red' (did you mean 'red'?), 'mauve' in 2 of 3 rows" in str(unseen.message)
    assert far.message.queries == (1,)
    assert "'age' (50000 in 1 of 3 rows" in str(far.message)
    assert unseen.filename == far.filename == __file__
    assert not warned(model.predict, ROWS)


def test_counts_without_rows_know_the_values():
    model = fitted(pc.NaiveBayes(keep_rows=False))
    assert [warning.category for warning in warned(model.predict, QUERIES)] == [UnseenValuesWarning]


def test_one_row_in_every_form():
    model = fitted(pc.KNNClassifier(3))
    for row in ([[50_000.0, "Red", "s"]], QUERIES.iloc[[1]].assign(colour="Red"), {"age": 5e4, "colour": "Red"}):
        assert [warning.category for warning in warned(model.predict, row)] == [UnseenValuesWarning, FarQueryWarning]
    assert not warned(model.predict, [[95.0, "red", "s"]])
    assert not warned(model.predict, [[None, None, None]])


def test_levels_outside_the_order():
    queries = pd.DataFrame({"age": [50.0, 50.0], "colour": ["red", "red"], "size": ["s", "xl"]})
    (warning,) = warned(fitted(pc.KNNClassifier(3)).predict, queries)
    assert "'size' (levels outside the order in 1 of 2 rows)" in str(warning.message)


def test_matrices_of_numbers_and_dates():
    numbers = np.arange(60.0).reshape(30, 2)
    model = pc.KNNRegressor(2).fit(numbers, np.arange(30))
    assert [warning.message.queries for warning in warned(model.predict, [[1.0, 2.0], [1e5, 3.0]])] == [(1,)]
    assert not warned(model.predict, [[70.0, -8.0], [np.nan, np.nan]])
    days = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=30)})
    model = pc.KNNRegressor(2).fit(days, np.arange(30))
    (warning,) = warned(model.predict, pd.DataFrame({"day": [datetime.datetime(2240, 5, 6)]}))
    assert "2240-05-06" in str(warning.message)
    assert "2024-01-01 to 2024-01-30" in str(warning.message)


@given(st.integers(0, 10_000), st.sampled_from([1.0, 2.0, 3.0]))
def test_heavy_tails_are_not_far_but_a_thousandfold_is(seed, spread):
    random = np.random.default_rng(seed)
    sizes = random.lognormal(0.0, 0.5 * spread, (200, 1))
    model = pc.KNNRegressor(1).fit(sizes, np.arange(200))
    assert not warned(model.predict, [[float(sizes.max()) * 1.5], [float(sizes.min()) / 2]])
    assert warned(model.predict, [[float(sizes.max()) * 1_000]])


def test_rows_that_come_and_go():
    model = pc.KNNClassifier(1).fit([[1.0, "a"], [2.0, "b"], [3.0, "a"]], [0, 1, 0])
    assert len(warned(model.predict, [[1e4, "c"]])) == 2
    assert not warned(model.partial_fit, [[1e4, "c"]], [1])
    assert not warned(model.predict, [[1e4, "c"]])
    model.forget([3])
    assert len(warned(model.predict, [[1e4, "c"]])) == 2


def test_texts_sets_and_missing_values_are_never_unseen():
    rows = pd.DataFrame({"note": ["paper jam", "no network"], "tags": [{"a"}, {"b"}]})
    model = pc.KNNClassifier(1, schema={"note": "text", "tags": "set"}).fit(rows, [0, 1])
    assert not warned(model.predict, pd.DataFrame({"note": ["slow", None], "tags": [{"a", "b"}, None]}))


def test_declared_values_are_not_unseen():
    model = pc.KNNClassifier(1, schema={0: pc.Nominal(("a", "b"))}).fit([["a"], ["a"]], [0, 1])
    assert not warned(model.predict, [["b"]])
    assert warned(model.predict, [["c"]])


def test_the_library_itself_does_not_warn():
    model = fitted(pc.KNNClassifier(3))
    rare = ROWS.assign(colour=[f"colour {row}" for row in range(N)])
    for call in (
        lambda: pc.explain(model, QUERIES),
        lambda: pc.evaluation.compare([pc.KNNClassifier(3)], rare, CLASSES, splits=3, progress=False),
        lambda: pc.KNNClassifier(3).fit(rare, CLASSES).loo_predict(),
        lambda: pc.KNNClassifierCV().fit(rare, CLASSES),
        lambda: pc.StackedClassifier(["knn", "logistic"]).fit(rare, CLASSES),
    ):
        assert not warned(call)


def test_loops_of_scikit_learn_warn_once():
    rare = ROWS.assign(colour=[f"colour {row}" for row in range(N)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default", UnseenValuesWarning)
        cross_val_score(pc.KNNClassifier(3), rare, CLASSES, cv=5)
    assert len([warning for warning in caught if warning.category is UnseenValuesWarning]) == 1


def test_batches_of_a_table_warn_once():
    model = fitted(pc.KNNClassifier(3))
    rare = ROWS.assign(colour=[f"colour {row}" for row in range(N)])
    table = pa.Table.from_pandas(rare)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default", UnseenValuesWarning)
        assert len(list(pc.batches.predict(model, table.to_batches(max_chunksize=30)))) == 4
    assert len([warning for warning in caught if warning.category is UnseenValuesWarning]) == 1


def test_the_usual_filters_silence_it():
    model = fitted(pc.KNNClassifier(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UnseenValuesWarning)
        warnings.simplefilter("ignore", FarQueryWarning)
        model.predict(QUERIES)
        warnings.simplefilter("error", UnseenValuesWarning)
        with pytest.raises(UnseenValuesWarning, match="Red"):
            model.predict(QUERIES)
