"""Explanations of every learner: contributions by a slow reference, laws of counterfactuals, curves, and refusals."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import explaining as reference
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

import priorcase as pc
from priorcase.exceptions import ParameterError, PriorcaseError, SchemaError, TargetError, TooFewRowsError

STACK = pc.StackedClassifier({"near": pc.KNNClassifier(3), "bayes": pc.NaiveBayes()}, folds=3)
CLASSIFIERS: list[Any] = [
    pc.KNNClassifier(3),
    pc.KNNClassifier("all", vote="gaussian", prior=0.5, distance="hvdm"),
    pc.KNNClassifier(3, attribute_weights="relief"),
    pc.KNNClassifierCV(),
    pc.LocallyWeightedClassifier(),
    pc.RBFNetworkClassifier(),
    pc.NaiveBayes(),
    pc.SubsetAveragedBayes(),
    pc.TreeAveragedBayes(),
    pc.TreeAugmentedBayes(),
    pc.SuperParentAveragedBayes(),
    pc.AODE(),
    pc.IB1(),
    pc.IB2(),
    pc.IB3(random_state=0),
    pc.IB4(random_state=0),
    pc.IB5(random_state=0),
    pc.PEBLS(),
    STACK,
]
REGRESSORS: list[Any] = [
    pc.KNNRegressor(3),
    pc.KNNRegressorCV(),
    pc.LocallyWeightedRegressor(),
    pc.RBFNetworkRegressor(),
    pc.StackedRegressor({"near": pc.KNNRegressor(3), "local": pc.LocallyWeightedRegressor()}, folds=3),
]


class Either(ClassifierMixin, BaseEstimator):
    """Says yes if column 0 is large, or if columns 1 and 2 are."""

    def fit(self, X: Any, y: Any) -> Either:
        self.classes_ = np.array(["no", "yes"])
        return self

    def predict(self, X: Any) -> Any:
        first, second, third = np.asarray(X, float).T > 0.5
        return np.where(first | (second & third), "yes", "no")


def table(n: int = 60) -> pd.DataFrame:
    """Numbers, names, levels and dates, about a tenth of them missing."""
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 80, n).astype(float),
            "colour": random.choice(["red", "green", "blue"], n),
            "size": pd.Categorical(random.choice(list("SML"), n), categories=list("SML"), ordered=True),
            "when": pd.to_datetime("2024-01-01") + pd.to_timedelta(random.integers(0, 700, n), unit="D"),
        }
    )
    for name in frame:
        frame.loc[random.random(n) < 0.1, name] = None
    return frame


X = table()
LABELS = np.where((X["age"].fillna(50) > 45) ^ (X["colour"] == "red"), "yes", "no")
NUMBERS = (X["age"].fillna(50) / 10 + 3 * (X["colour"] == "red")).to_numpy()


def fitted(learner: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(learner).fit(X, NUMBERS if learner in REGRESSORS else LABELS)


def name_of(value: Any) -> str:
    return type(value).__name__


def frame_of(rows: list[Any]) -> pd.DataFrame:
    made = pd.DataFrame({name: pd.Series([row[a] for row in rows], dtype=object) for a, name in enumerate(X)})
    return made.astype(X.dtypes.to_dict())


def output(model: Any, label: Any) -> Callable[[list[Any]], float]:
    """The probability of a class, or the number, that a model answers to one row."""

    @cache
    def answer(row: tuple[Any, ...]) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if label is None:
                return float(model.predict(frame_of([row]))[0])
            return float(model.predict_proba(frame_of([row]))[0, model.classes_.tolist().index(label)])

    return lambda row: answer(tuple(row))


# Every learner


@pytest.mark.parametrize("learner", CLASSIFIERS + REGRESSORS, ids=name_of)
def test_contributions_add_up_and_are_shapley_values(learner: Any) -> None:
    model = fitted(learner)
    found = model.explain(X[:12], counterfactuals=0)
    np.testing.assert_allclose(found.base + found.contributions.sum(axis=1), found.total, rtol=1e-9, atol=1e-12)
    known = X[:12].notna().to_numpy()
    assert (found.contributions[~known] == 0).all()
    assert (found.errors == 0).all()
    label = None if learner in REGRESSORS else found.predictions[5]
    answer, row = output(model, label), list(found.queries[5])
    if hasattr(model, "contributions"):
        assert found.scale == "log-odds"
        own = model.contributions(X[:12])
        np.testing.assert_array_equal(found.contributions, own.contributions[:, 1:])
        np.testing.assert_array_equal(found.total, own.total)
        assert found.versus is not None
        assert found.versus.tolist() == own.versus.tolist()
        return
    assert found.scale == ("prediction" if label is None else "probability")
    assert found.total[5] == pytest.approx(answer(row), rel=1e-12)
    assert found.base[5] == pytest.approx(answer([None] * 4), rel=1e-12)
    np.testing.assert_allclose(found.contributions[5], reference.shapley(answer, row), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("learner", CLASSIFIERS, ids=name_of)
def test_counterfactuals_turn_the_answer_and_nothing_less_does(learner: Any) -> None:
    model = fitted(learner)
    found = pc.counterfactuals(model, X[:6], 3, fixed=["when"])
    rows = found.queries
    assert model.predict(X[:6]).tolist() == found.predictions.tolist()
    stored = set(frame_rows(X))
    for i, one in enumerate(found):
        assert bool(one.notes[0]) == (not one.rows)
        assert len(one.rows) <= 3
        for entry, after in enumerate(one.rows):
            changed = reference.changed_columns(rows[i], after)
            assert changed == np.flatnonzero(one.changed[entry]).tolist()
            assert list(X).index("when") not in changed
            answer = model.predict(frame_of([after]))[0]
            assert answer == one.new_predictions[entry] != one.predictions[0]
            # All new values are those of one past case.
            assert any(all(row[a] == after[a] for a in changed) for row in stored)
            if len(changed) <= 3:
                turns = lambda row, own=one.predictions[0]: model.predict(frame_of([row]))[0] != own  # noqa: E731
                assert not reference.turning_subsets(turns, rows[i], after)


def frame_rows(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    rows = frame.astype(object).where(frame.notna(), None).to_numpy(dtype=object)
    return [tuple(v.to_pydatetime() if isinstance(v, pd.Timestamp) else v for v in row) for row in rows.tolist()]


@pytest.mark.parametrize("learner", REGRESSORS, ids=name_of)
def test_counterfactuals_of_numbers_pass_the_limit(learner: Any) -> None:
    model = fitted(learner)
    before = model.predict(X[:5])
    found = pc.counterfactuals(model, X[:5], above=float(np.median(NUMBERS)))
    assert found.predictions.tolist() == before.tolist()
    for i, one in enumerate(found):
        if before[i] > np.median(NUMBERS):
            assert one.notes == ("the prediction is already as wanted",)
        assert (one.new_predictions > np.median(NUMBERS)).all()
    assert len(found.rows) >= 1
    both = pc.counterfactuals(model, X[:5], above=5.0, below=6.0)
    assert ((both.new_predictions > 5) & (both.new_predictions < 6)).all()


def test_columns_that_the_model_ignores_contribute_nothing_not_rounding_errors() -> None:
    model = pc.KNNRegressor(7, attribute_weights=[1.0, 0.0, 0.0, 0.0]).fit(X, NUMBERS / 3)
    assert (pc.explain(model, X[:30], precedents=0, counterfactuals=0).contributions[:, 1:] == 0).all()


def test_a_row_may_be_a_series() -> None:
    model = fitted(STACK)
    series, frame = (pc.explain(model, rows, precedents=0) for rows in (X.iloc[3], X[3:4]))
    assert str(series) == str(frame)
    np.testing.assert_array_equal(pc.what_if(model, X.iloc[3], "age").outputs, pc.what_if(model, X[3:4], "age").outputs)
    with pytest.raises(ParameterError, match="not a column"):
        pc.explain(model, X["age"])


@pytest.mark.parametrize("learner", CLASSIFIERS + REGRESSORS, ids=name_of)
def test_precedents_are_the_models_own_or_the_nearest(learner: Any) -> None:
    model = fitted(learner)
    found = pc.explain(model, X[:2], precedents=4, counterfactuals=0).precedents
    assert found is not None
    if hasattr(model, "precedents"):
        own = model.precedents(X[:2])
        assert [one.ids.tolist()[:4] for one in own] == [one.ids.tolist() for one in found]
        assert [one.votes.tolist()[:4] for one in own] == [one.votes.tolist() for one in found]
        return
    assert np.isnan(found.votes).all()
    assert np.diff(found.indptr).tolist() == [4, 4]
    assert found.ids[0] == 0
    assert found.distances[0] == 0
    assert (np.diff(found.distances.reshape(2, 4)) >= 0).all()
    np.testing.assert_allclose(found.contributions.sum(axis=1), found.distances)
    if hasattr(model, "kneighbors"):
        distances, ids = model.kneighbors(X[:2], 4)
        np.testing.assert_allclose(found.distances.reshape(2, 4), distances, atol=1e-12)
        assert found.ids.reshape(2, 4).tolist() == ids.tolist()
    if found.unlike:
        assert all(case is None or case.target != found.predictions[i] for i, case in enumerate(found.unlike))


def test_naive_bayes_compares_cases_by_its_own_terms() -> None:
    model = pc.NaiveBayes().fit(X, LABELS)
    found = model.explain(X[:3], precedents=20, counterfactuals=0).precedents
    base = model.predict_log_proba(frame_of([[None] * 4]))[0]
    rows = frame_rows(X)

    @cache
    def terms(a: int, value: Any) -> list[float]:
        alone = frame_of([[value if b == a else None for b in range(4)]])
        return (model.predict_log_proba(alone)[0] - base).tolist()  # type: ignore[no-any-return]

    for i in range(3):
        one = found[i]
        expected = [reference.naive_bayes_distance(terms, rows[i], rows[id_]) for id_ in one.ids.tolist()]
        np.testing.assert_allclose(one.distances, expected, atol=1e-9)


def test_a_column_that_the_model_ignores_does_not_count() -> None:
    random = np.random.default_rng(0)
    noise = random.choice(list("abcdef"), 200)
    signal = random.choice(["x", "y"], 200)
    frame = pd.DataFrame({"noise": noise, "signal": signal})
    model = pc.SubsetAveragedBayes().fit(frame, np.where(signal == "x", "no", "yes"))
    found = model.explain(frame[:5], counterfactuals=0)
    assert (np.abs(found.contributions[:, 0]) < 0.05 * np.abs(found.contributions[:, 1])).all()
    assert (found.precedents.contributions[:, 0] < 0.05).all()
    assert str(found.precedents[0]).splitlines()[1].split()[-2:] == ["signal", "noise"]


# Contributions of many columns


@given(st.integers(9, 13), st.integers(0, 5))
def test_sampled_contributions_add_up_and_come_near(columns: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(40, columns))
    rows[random.random(rows.shape) < 0.1] = np.nan
    model = pc.KNNRegressor(5).fit(rows, np.nansum(rows[:, :3], axis=1))
    found = model.explain(rows[:4])
    np.testing.assert_allclose(found.base + found.contributions.sum(axis=1), found.total, rtol=1e-9, atol=1e-12)
    assert (found.contributions[np.isnan(rows[:4])] == 0).all()
    again = model.explain(rows[2:4])
    np.testing.assert_array_equal(again.contributions, found.contributions[2:])


def test_sampling_converges_to_the_exact_values() -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(50, 9))
    model = pc.KNNRegressor(5).fit(rows, rows[:, 0] + rows[:, 1] * rows[:, 2])
    found = model.explain(rows[:1], permutations=2000)
    assert (found.errors > 0).all()
    values = {}
    for code in range(2**9):
        kept = [a for a in range(9) if code >> a & 1]
        values[code] = np.where(np.isin(np.arange(9), kept), rows[0], np.nan)
    answers = dict(zip(values, model.predict(np.array(list(values.values()))), strict=True))
    exact = np.zeros(9)
    for code, answer in answers.items():
        size = bin(code).count("1")
        for a in range(9):
            if code >> a & 1:
                gain = answer - answers[code ^ (1 << a)]
                exact[a] += math.factorial(size - 1) * math.factorial(9 - size) / math.factorial(9) * gain
    assert (np.abs(found.contributions[0] - exact) < 5 * found.errors[0]).all()


# Counterfactuals


@given(st.integers(0, 30), st.sampled_from(["yes", "no"]), st.sets(st.sampled_from(list(X)), max_size=3))
def test_counterfactuals_keep_what_is_fixed_and_reach_the_target(row: int, wanted: str, fixed: set[str]) -> None:
    model = pc.KNNClassifier(3).fit(X, LABELS)
    asked = X[row : row + 1]
    found = pc.counterfactuals(model, asked, 2, fixed=sorted(fixed), target=wanted)
    assert (found.new_predictions == wanted).all()
    assert not found.changed[:, [list(X).index(name) for name in fixed]].any()
    if model.predict(asked)[0] == wanted:
        assert not found.rows
        assert found.notes == ("the prediction is already as wanted",)
    told = found.frame()
    assert len(told) == found.changed.sum()
    assert list(told) == [
        "query", "alternative", "column", "before", "after", "prediction", "new_prediction", "distance", "id",
    ]  # fmt: skip


def test_alternatives_change_other_columns_where_they_can() -> None:
    rows = [[0, 0], [9, 0], [0, 9], [8, 0], [0, 8]]
    model = pc.KNNClassifier(1).fit(rows, ["a", "b", "c", "b", "c"])
    found = pc.counterfactuals(model, [[0, 0]], 2)
    assert sorted(found.changed.tolist()) == [[False, True], [True, False]]
    assert sorted(found.new_predictions.tolist()) == ["b", "c"]
    assert list(found.rows) in ([(8.0, 0.0), (0.0, 8.0)], [(0.0, 8.0), (8.0, 0.0)])
    three = pc.counterfactuals(model, [[0, 0]], 3)
    assert len(three.rows) == 3


def test_alternatives_behind_a_change_of_one_column_are_found() -> None:
    """Column 0 alone changes the prediction of every past case, and so do columns 1 and 2 together."""
    rows = [[float(i >= 20), float(i >= 20), float(i >= 20)] for i in range(40)]
    y = ["no"] * 20 + ["yes"] * 20
    found = pc.counterfactuals(Either().fit(rows, y), [[0.0, 0.0, 0.0]], 2, data=(rows, y))
    assert sorted(found.changed.tolist()) == [[False, True, True], [True, False, False]]


def test_a_change_that_only_works_with_others_keeps_them() -> None:
    """Neither of the two alone changes the prediction: both are changed."""
    rows = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5
    model = pc.TreeAugmentedBayes(schema={0: pc.Nominal(), 1: pc.Nominal()}).fit(rows, ["no", "no", "no", "yes"] * 5)
    found = pc.counterfactuals(model, [[0, 0]])
    assert found.changed.tolist() == [[True, True]]
    assert pc.counterfactuals(model, [[0, 0]], fixed=[0]).notes[0].startswith("no past case")


def test_missing_values_are_found_out_but_never_made() -> None:
    model = pc.KNNClassifier(1).fit([[1.0, "a"], [None, "b"], [9.0, "b"]], ["no", "yes", "yes"])
    found = pc.counterfactuals(model, [[1.0, "a"]], 3)
    assert all(None not in row for row in found.rows)
    told = pc.counterfactuals(model, [[None, "a"]], 1, target="yes")
    assert told.queries == [(None, "a")]


# What-if


def test_what_if_asks_the_model_about_every_value() -> None:
    model = pc.KNNClassifier(5).fit(X, LABELS)
    found = pc.what_if(model, X[3:4], "colour")
    assert {row[0] for row in found.values} == {"red", "green", "blue", None}
    own = X["colour"][3]
    assert [row[0] for row, mine in zip(found.values, found.own, strict=True) if mine] == [own]
    for (value,), shares in zip(found.values, found.outputs, strict=True):
        asked = X[3:4].assign(colour=pd.Series([value], index=[3], dtype=object))
        np.testing.assert_array_equal(model.predict_proba(asked)[0], shares)
    numbers = pc.what_if(model, X[3:4], "age", n_values=5)
    assert len(numbers) <= 7
    assert [v for (v,) in numbers.values if v is not None] == sorted(v for (v,) in numbers.values if v is not None)
    assert set(pc.what_if(model, X[3:4], "size").values) == {("S",), ("M",), ("L",), (None,)}


def test_a_row_can_be_told_in_part() -> None:
    model = pc.NaiveBayes().fit(X, LABELS)
    partly = pc.what_if(model, {"colour": "red"}, "age")
    whole = pc.what_if(model, frame_of([[None, "red", None, None]]), "age")
    np.testing.assert_array_equal(partly.outputs, whole.outputs)
    assert pc.explain(model, {"colour": "red"}).queries == [(None, "red", None, None)]
    listed = pc.KNNRegressor(1).fit([[1.0, 2.0], [3.0, 5.0]], [1.0, 2.0])
    assert pc.what_if(listed, [1.0, 2.0], 0).columns == ("x0",)


def test_two_columns_make_a_map() -> None:
    model = pc.KNNRegressor(3).fit(X, NUMBERS)
    found = pc.what_if(model, X[:1], ["colour", "size"])
    assert len(found) == 16
    assert found.own.sum() == 1
    told = found.frame("polars")
    assert told.columns == ["colour", "size", "prediction", "own"]


def test_partial_dependence_on_two_columns_is_the_mean_of_their_maps() -> None:
    model = pc.KNNClassifier(3).fit(X, LABELS)
    found = pc.partial_dependence(model, X[:6], ["colour", "size"])
    maps = [pc.what_if(model, X[i : i + 1], ["colour", "size"]) for i in range(6)]
    for values, outputs in zip(found.values, found.outputs, strict=True):
        np.testing.assert_allclose(outputs, np.mean([one.outputs[one.values.index(values)] for one in maps], axis=0))
    assert found.missing == X[:6][["colour", "size"]].isna().any(axis=1).mean()
    assert str(found).endswith("lack a column")
    with pytest.raises(ParameterError, match="one column or a list of two, got 3"):
        pc.partial_dependence(model, X, ["age", "colour", "size"])


@pytest.mark.parametrize("learner", [pc.KNNClassifier(3), pc.NaiveBayes(), pc.KNNRegressor(3)], ids=name_of)
def test_partial_dependence_is_the_mean_over_rows(learner: Any) -> None:
    numbers = isinstance(learner, pc.KNNRegressor)
    model = clone(learner).fit(X, NUMBERS if numbers else LABELS)
    rows = X[:25]
    weights = np.random.default_rng(0).integers(0, 4, len(rows)).astype(float)
    found = pc.partial_dependence(model, rows, "colour", sample_weight=weights)
    lacking = rows["colour"].isna().to_numpy()
    assert found.missing == pytest.approx(weights[lacking].sum() / weights.sum())
    assert 0 < lacking.mean() < 1
    answer = output(model, None if numbers else "yes")
    for (value,), means in zip(found.values, found.outputs, strict=True):
        expected = reference.partial_dependence(answer, frame_rows(rows), 1, value, weights.tolist())
        assert means[-1] == pytest.approx(expected, rel=1e-9)
    assert f"{found.missing:.1%} lack the column" in str(found)


# Models of other libraries


def test_a_pipeline_is_explained_with_its_data() -> None:
    texts = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    columns = make_column_transformer((SimpleImputer(), ["age"]), (texts, ["colour"]))
    model = make_pipeline(columns, LogisticRegression()).fit(X, LABELS)
    found = pc.explain(model, X[:4], data=(X, LABELS))
    np.testing.assert_allclose(found.base + found.contributions.sum(axis=1), found.total)
    np.testing.assert_allclose(found.total, model.predict_proba(X[:4]).max(axis=1))
    np.testing.assert_allclose(found.contributions[:, 2:], 0.0, atol=1e-15)  # columns that the pipeline drops
    assert found.precedents.ids[0] == 0
    for entry in found.counterfactuals.rows:
        assert model.predict(frame_of([entry]))[0] in ("yes", "no")
    assert len(pc.what_if(model, X[:1], "colour", data=(X, LABELS))) == 4


def test_a_model_that_imputes_is_compared_with_past_cases_not_with_an_imputed_row() -> None:
    """For a linear model, contributions are proportional to the distance from the mean, whatever it imputes."""
    random = np.random.default_rng(5)
    rows = random.normal(size=(80, 2))
    y = 2 * rows[:, 0] + rows[:, 1]
    model = make_pipeline(SimpleImputer(strategy="constant", fill_value=100.0), LinearRegression()).fit(rows, y)
    found = pc.explain(model, [[0.0, 0.0]], data=(rows, y))
    assert abs(found.base[0]) < 2  # not about 300
    np.testing.assert_allclose(found.base + found.contributions.sum(axis=1), found.total)
    assert "mean over past cases" in str(found)
    assert "mean over past cases" not in str(pc.explain(pc.KNNRegressor().fit(rows, y), [[0.0, 0.0]]))


def test_numbers_of_one_explanation_have_equal_decimals() -> None:
    random = np.random.default_rng(6)
    rows = random.normal(size=(80, 2))
    model = pc.KNNRegressor(3).fit(rows, 10_000 + 700.123456 * rows[:, 0])
    lines = str(model.explain(rows[:1], precedents=0)).splitlines()
    predicted = lines[0].removeprefix("query 0: ")
    assert predicted.count(",") == 1
    assert any(line.split()[:2] == ["prediction", predicted] for line in lines)
    curve = str(pc.what_if(model, rows[:1], 0)).splitlines()[1:]
    assert len({len(line.split()[-1].partition(".")[2]) for line in curve if line[0] != "*"}) == 1


@pytest.mark.parametrize("backend", ["numpy", "polars", "pandas"])
def test_models_that_take_no_missing_values_borrow_those_of_past_cases(backend: str) -> None:
    random = np.random.default_rng(4)
    rows: Any = random.normal(size=(60, 3))
    y = rows[:, 0] * 2 + rows[:, 1]
    if backend == "polars":
        rows = pytest.importorskip("polars").DataFrame(rows, schema=list("abc"))
    elif backend == "pandas":
        rows = pd.DataFrame(rows, columns=list("abc"))
    model = LinearRegression().fit(rows, y)
    found = pc.explain(model, rows[:5], data=(rows, y))
    np.testing.assert_allclose(found.base + found.contributions.sum(axis=1), found.total)
    assert np.abs(found.contributions[:, 2]).max() < 1e-9  # the model ignores it
    # For a linear model: the coefficient times the distance from the mean of the cases that stand for nothing known.
    steps = np.diff(found.contributions[:, 0]) / np.diff(np.asarray(rows[:5])[:, 0])
    np.testing.assert_allclose(steps, model.coef_[0])
    assert all(value is not None for row in pc.what_if(model, rows[:1], 0, data=(rows, y)).values for value in row)


def test_classifiers_without_probabilities_are_explained_by_their_answers() -> None:
    rows = np.random.default_rng(0).normal(size=(40, 2))
    y = (rows[:, 0] > 0).astype(int)
    model = SVC().fit(rows, y)
    found = pc.explain(model, rows[:3], data=(rows, y))
    assert set(found.total.tolist()) == {1.0}
    forest = RandomForestClassifier(5, random_state=0).fit(rows, y)
    turned = pc.counterfactuals(forest, rows[:3], data=(rows, y))
    assert (turned.new_predictions != forest.predict(rows[:3])).all()


def test_a_mixture_keeps_no_rows_and_says_so() -> None:
    model = pc.MixtureModel(2, random_state=0).fit(X, LABELS)
    with pytest.raises(ParameterError, match="MixtureModel does not store past cases"):
        model.explain(X[:1])
    found = model.explain(X[:1], data=(X, LABELS))
    assert found.precedents is not None
    assert found.total[0] == pytest.approx(model.predict_proba(X[:1]).max())


# How they look


def test_results_print_frame_and_draw() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    model = pc.KNNClassifier(3).fit(X, LABELS)
    found = model.explain(X[:7])
    text = str(found)
    assert "... and 2 more queries" in text
    assert text.count("all columns missing") == 5
    assert "before" in text
    assert "->" in text
    html = found._repr_html_()
    assert html.count("<table>") == 15
    told = found.frame()
    assert list(told) == ["query", "prediction", "column", "value", "contribution", "error"]
    assert len(told) == 7 * 5
    np.testing.assert_allclose(told.groupby("query")["contribution"].sum(), found.total)
    assert found.frame("pyarrow").num_rows == 35
    one = found[6]
    assert one.numbers == (6,)
    assert one.precedents.numbers == (6,)
    assert one.counterfactuals.numbers == (6,)
    found.plot(query=3), found.counterfactuals.plot(), pc.what_if(model, X[:1], "age").plot()
    pc.what_if(model, X[:1], ["age", "colour"]).plot(), pc.partial_dependence(model, X, "colour").plot()
    found.precedents.plot(query=2), pc.NaiveBayes().fit(X, LABELS).explain(X[:1]).precedents.plot()
    pc.LocallyWeightedRegressor().fit(X, NUMBERS).precedents(X[:1]).plot()
    assert pc.SubsetAveragedBayes().fit(X, LABELS).relevance_.plot().get_xlabel().startswith("probability that")
    pc.partial_dependence(model, X[:5], ["colour", "size"]).plot()
    pc.counterfactuals(model, X[:1]).plot(), pc.what_if(pc.KNNRegressor(3).fit(X, NUMBERS), X[:1], "when").plot()
    pyplot.close("all")
    assert pc.what_if(model, X[:1], "age")._repr_html_().count("<table>") == 1


def test_columns_that_matter_come_first_in_tables_of_precedents() -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(100, 4))
    model = pc.KNNClassifier(5).fit(pd.DataFrame(rows, columns=list("abcd")), (rows[:, 2] > 0).astype(int))
    assert str(model.precedents(pd.DataFrame(rows[:1], columns=list("abcd")))).splitlines()[1].split()[-4] == "c"
    weighted = pc.KNNClassifier(5, attribute_weights=[1, 2, 3, 4]).fit(rows, (rows[:, 2] > 0).astype(int))
    assert str(weighted.precedents(rows[:1])).splitlines()[1].split()[-4:] == ["x3", "x2", "x1", "x0"]


def test_tables_of_precedents_begin_with_the_weights_of_the_predicted_class() -> None:
    random = np.random.default_rng(0)
    rows = pd.DataFrame(random.integers(0, 2, (200, 4)), columns=list("abcd")).astype(str)
    model = pc.IB4(random_state=0).fit(rows, rows["c"])
    text = str(model.precedents(rows[:1]))
    weights = model.attribute_weights_.set_index("concept").loc[model.predict(rows[:1])[0]]
    assert text.splitlines()[1].split()[-4:] == weights.sort_values(ascending=False, kind="stable").index.tolist()
    assert weights.idxmax() == "c"


@pytest.mark.parametrize("learner", [pc.KNNClassifier(3), pc.IB1(), pc.NaiveBayes()], ids=name_of)
def test_columns_that_the_query_lacks_take_one_line(learner: Any) -> None:
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 8)), columns=list("abcdefgh"))
    found = clone(learner).fit(rows, np.where(rows["g"] > 0, "yes", "no")).explain({"g": 1.0, "b": 0.5})
    heading, query, *_ = (line.split() for line in str(found.precedents).splitlines()[1:])
    assert sorted(heading[-4:-2]) == ["b", "g"]
    assert heading[-2:] == ["6", "missing"]
    assert query.count("?") == 1
    from rich.console import Console

    console = Console(width=100)
    with console.capture() as captured:
        console.print(found.precedents)
    lines = captured.get().splitlines()
    assert sum(" ? " in line for line in lines) == sum(line.startswith("6 missing") for line in lines) > 0


def test_dummies_show_the_columns_that_are_known() -> None:
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 8)), columns=list("abcdefgh"))
    y = np.where(rows["g"] > 0, "yes", "no")
    model = DummyClassifier(strategy="prior").fit(rows, y)
    found = pc.explain(model, {"g": 1.0, "b": 0.5}, data=(rows, y))
    assert str(found.precedents).splitlines()[1].split()[-4:] == ["b", "g", "6", "missing"]
    few = rows[["a", "b", "c"]]
    found = pc.explain(model, few[:1].assign(a=np.nan), data=(few, y))
    assert str(found.precedents).splitlines()[1].split()[-3:] == ["b", "c", "a"]


def test_values_that_were_never_seen_are_named() -> None:
    rows = pd.DataFrame({"colour": ["red", "blue"] * 5, "size": range(10)})
    found = (
        pc.NaiveBayes().fit(rows, ["a", "b"] * 5).explain(pd.DataFrame({"colour": ["red", "grey"], "size": [1, 90]}))
    )
    assert found.unseen.tolist() == [[False, False], [True, False]]
    assert "never seen" not in str(found[0])
    assert "grey (never seen)  " in str(found[1])


def test_counterfactuals_without_a_result_say_why_and_have_no_table() -> None:
    model = pc.KNNClassifier(3).fit(X, LABELS)
    found = pc.counterfactuals(model, X[:1], fixed=list(X))
    note = "no past case changes the prediction with these columns fixed"
    assert str(found) == f"query 0: {found.predictions[0]}\n  {note}"
    assert found._repr_html_().endswith(f"<p>query 0: {found.predictions[0]}</p><p>{note}</p></div>")
    assert str(model.explain(X[:1], fixed=list(X))).endswith(f"what would change the prediction\n  {note}")


# What is refused

KNN = pc.KNNClassifier(3).fit([[1.0, "a"], [2.0, "b"], [3.0, "a"]], ["no", "yes", "yes"])
NUMBER = pc.KNNRegressor(1).fit([[1.0], [2.0]], [1.0, 2.0])
ROW = [[1.0, "a"]]
REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: pc.explain(LogisticRegression().fit([[1.0], [2.0]], [0, 1]), [[1.0]]), ParameterError, "data=\\(X, y\\)"),
    (lambda: pc.explain(pc.KNNTransformer(1).fit(ROW * 2), ROW), ParameterError, "no predictions to explain"),
    (lambda: pc.explain(KNN, ROW, precedents=-1), ParameterError, "precedents"),
    (lambda: pc.explain(KNN, ROW, counterfactuals=0.5), ParameterError, "counterfactuals"),
    (lambda: pc.explain(KNN, ROW, permutations=5), ParameterError, "even"),
    (lambda: pc.explain(KNN, ROW, permutations=2), ParameterError, "permutations"),
    (lambda: pc.explain(KNN, [[1.0]]), SchemaError, "2 features"),
    (lambda: pc.explain(KNN, []), SchemaError, "0 sample"),
    (lambda: pc.explain(KNN, {"noise": 1}), ParameterError, "row contains 'noise'"),
    (lambda: pc.explain(KNN, ROW, data=[1]), ParameterError, "pair of X and y"),
    (lambda: pc.explain(KNN, ROW, data=(ROW, ["no", "yes"])), TargetError, "X has 1 and y has 2"),
    (lambda: pc.explain(pc.KNNClassifier(1), ROW), Exception, "not fitted"),
    (lambda: pc.KNNClassifier(1).fit(ROW, ["a"]).forget([0]).explain(ROW), TooFewRowsError, "no rows"),
    (lambda: pc.explain(pc.KNNClassifier(1).fit(ROW * 2, [[1, 2], [2, 1]]), ROW), TargetError, "single target"),
    (lambda: pc.explain(pc.KNNRegressor(1).fit(ROW * 2, [[1, 2], [2, 1]]), ROW), TargetError, "single target"),
    (lambda: pc.counterfactuals(KNN, ROW, 0), ParameterError, "n must be"),
    (lambda: pc.counterfactuals(KNN, ROW, fixed="age"), ParameterError, "list of columns"),
    (lambda: pc.counterfactuals(KNN, ROW, fixed=["age"]), ParameterError, "fixed contains 'age'"),
    (lambda: pc.counterfactuals(KNN, ROW, target="yess"), ParameterError, "Did you mean 'yes'"),
    (lambda: pc.counterfactuals(KNN, ROW, above=1), ParameterError, "target="),
    (lambda: pc.counterfactuals(NUMBER, [[1.0]]), ParameterError, "above= or below="),
    (lambda: pc.counterfactuals(NUMBER, [[1.0]], target=2), ParameterError, "predicts numbers"),
    (lambda: pc.counterfactuals(NUMBER, [[1.0]], above=2, below=1), ParameterError, "above must be less than below"),
    (lambda: pc.counterfactuals(NUMBER, [[1.0]], above="2"), ParameterError, "above"),
    (lambda: pc.counterfactuals(pc.KNNClassifier(1).fit(ROW, ["a"]), ROW), ParameterError, "only class"),
    (lambda: pc.what_if(KNN, ROW * 2, 0), ParameterError, "one row"),
    (lambda: pc.what_if(KNN, ROW, 5), ParameterError, "column contains 5"),
    (lambda: pc.what_if(KNN, ROW, [0, 0]), ParameterError, "same column"),
    (lambda: pc.what_if(KNN, ROW, [0, 1, 0]), ParameterError, "list of two"),
    (lambda: pc.what_if(KNN, ROW, 0, n_values=1), ParameterError, "n_values"),
    (lambda: pc.partial_dependence(KNN, ROW, 0, sample_weight=[0]), ParameterError, "zero"),
    (lambda: pc.partial_dependence(KNN, ROW, 0, sample_weight=[1, 2]), PriorcaseError, "sample_weight"),
    (lambda: pc.explain(KNN, ROW).frame("numpy"), ParameterError, "backend"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_what_is_refused(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_a_name_that_identifies_a_row_is_no_change() -> None:
    random = np.random.default_rng(0)
    rows = pd.DataFrame({"customer": [f"c{i}" for i in range(60)], "income": random.normal(size=60).round(2)})
    labels = np.where(rows["income"] > 0, "yes", "no")
    schema = {"customer": "nominal"}
    model = pc.KNNClassifier(3, schema=schema, attribute_weights=[5.0, 1.0]).fit(rows, labels)
    found = pc.counterfactuals(model, rows[:20])
    assert found.changed[:, 0].sum() == 0
    assert found.changed[:, 1].sum() > 10


# Remembered outputs


@pytest.mark.parametrize(
    "model", [pc.KNNClassifier(3), pc.KNNRegressor(3), pc.KNNClassifier(3, attribute_weights="relief")]
)
def test_remembered_outputs_are_never_those_of_other_rows(model: Any) -> None:
    """Each explanation has the bits of one by a new model, whatever was explained before and however rows changed."""
    X = table(40)
    y = np.arange(40) % 3 if pc.KNNRegressor in type(model).__mro__ else np.where(np.arange(40) % 3, "a", "b")
    model = clone(model).fit(X[:30], y[:30])

    def check(kept: list[int]) -> None:
        rows = X.iloc[kept]
        for queries in (X[:3], X[2:6]):
            found = pc.explain(model, queries, counterfactuals=0)
            said = pc.explain(clone(model).fit(rows, y[kept]), queries, counterfactuals=0)
            for name in ("base", "contributions", "errors", "total", "predictions", "probabilities"):
                np.testing.assert_array_equal(getattr(found, name), getattr(said, name))

    kept = list(range(30))
    check(kept)
    check(kept)
    model.partial_fit(X[30:], y[30:])
    check(list(range(40)))
    model.forget(list(range(0, 40, 2)))
    check(list(range(1, 40, 2)))


def test_values_that_no_past_case_has_are_not_remembered() -> None:
    """They are numbered for one explanation; in the next, the same number is another value."""
    kind = pc.Taxonomy({"warm": None, "cold": None, "red": "warm", "orange": "warm", "blue": "cold", "green": "cold"})
    rows = pd.DataFrame({"colour": ["red", "blue"] * 5, "size": range(10)})
    model = pc.KNNClassifier(1, schema={"colour": kind}).fit(rows, ["a", "b"] * 5)
    for colour in ("orange", "green"):
        query = pd.DataFrame({"colour": [colour], "size": [None]}, dtype=object)
        new = clone(model).fit(rows, ["a", "b"] * 5)
        found, said = pc.explain(model, query), pc.explain(new, query)
        np.testing.assert_array_equal(found.contributions, said.contributions)
        assert found.predictions.tolist() == said.predictions.tolist() == [{"orange": "a", "green": "b"}[colour]]


def test_few_outputs_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    from priorcase.explaining import model as explained

    monkeypatch.setattr(explained, "_REMEMBERED", 40)
    X, y = table(40), np.where(np.arange(40) % 3, "a", "b")
    model = pc.KNNClassifier(3).fit(X, y)
    said = pc.explain(clone(model).fit(X, y), X[:5])
    for _ in range(2):
        np.testing.assert_array_equal(pc.explain(model, X[:5]).contributions, said.contributions)
    ((_, cases),) = [kept for memory, kept in explained._PAST.items() if memory is model._stored()]
    assert 0 < len(cases._outputs) <= 40 // (X.shape[1] + 2)


@pytest.mark.parametrize(
    "model",
    [pc.KNNClassifier(20), pc.KNNClassifier("all"), pc.LocallyWeightedClassifier(20), pc.IB1(), pc.PEBLS()],
    ids=str,
)
def test_at_most_as_many_voters_are_shown_as_asked_for(model):
    X, y = pc.datasets.load_repairs()
    model.fit(X, y)
    every = model.precedents(X[:4])
    found = model.explain(X[:4], precedents=3, counterfactuals=0).precedents
    for one, full in zip(found, every, strict=True):
        n, total = min(3, full.ids.size), full.ids.size if full.n_voters is None else full.n_voters[0]
        assert one.n_voters.tolist() == [total]
        assert one.ids.tolist() == full.ids[:n].tolist()
        np.testing.assert_array_equal(one.votes, full.votes[:n])  # shares of the whole vote
        assert f"{total - n} more voter" in str(one) or total == n


def test_local_fits_and_stacks_show_as_many_voters_as_asked_for():
    X, y = pc.datasets.load_flats()
    model = pc.LocallyWeightedRegressor(30).fit(X, y)
    every, found = model.precedents(X[:2]), model.explain(X[:2], precedents=2).precedents
    assert found.n_voters.tolist() == every.n_voters.tolist()
    assert found[1].weights.tolist() == every[1].weights[:2].tolist()
    assert found.frame()["kernel weight"].size == 4
    stack = pc.StackedRegressor(members=["knn"], random_state=0).fit(X[:80], y[:80])
    assert len(stack.explain(X[:1], precedents=1).precedents.ids) == 1


def test_changes_of_known_values_are_preferred_to_filling_in_missing_ones():
    columns = {"a": [0.0, 1.0] * 20, "b": ["u", "v"] * 20}
    y = ["no", "yes"] * 20
    model = pc.NaiveBayes().fit(pd.DataFrame(columns), y)
    found = pc.counterfactuals(model, pd.DataFrame({"a": [0.0, None], "b": [None, "u"]}), n=2)
    assert [one.changed[0].tolist() for one in found] == [[True, False], [False, True]]
    # A past case that is nearer would fill in a value.
    X, y = pc.datasets.load_loans()
    model = pc.KNNClassifier(20).fit(X, y)
    one = pc.counterfactuals(model, {"income": 2000, "grade": "C", "guarantor": True})
    known = [X.columns.get_loc(name) for name in ("income", "grade", "guarantor")]
    assert one.changed[0][known].sum() == one.changed[0].sum() == 1
