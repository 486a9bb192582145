"""Reducers side by side: what they keep, and what that is worth."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from checks.containers import CONTAINERS, classes, numbers, training_rows
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold

from priorcase.concepts import IB2, IB3
from priorcase.exceptions import ParameterError, TargetError
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.reduction import CNN, DROP3, ENN, Resampler, reduction_curve

mpl.use("Agg")

ROWS = training_rows(90)
LABELS = classes(ROWS)


def test_each_split_is_reduced_and_scored_by_itself() -> None:
    cv = KFold(3, shuffle=True, random_state=1)
    curve = reduction_curve({"edited": ENN(), "condensed": CNN()}, ROWS, LABELS, cv=cv)
    assert curve.names == ("all rows", "edited", "condensed")
    assert curve.kept[0].tolist() == [1.0, 1.0, 1.0]
    for s, (train, test) in enumerate(cv.split(ROWS)):
        X, y = [ROWS[i] for i in train], [LABELS[i] for i in train]
        X_test, y_test = [ROWS[i] for i in test], [LABELS[i] for i in test]
        for r, reducer in enumerate([None, ENN(), CNN()]):
            X_kept, y_kept = (X, y) if reducer is None else reducer.fit_resample(X, y)
            assert curve.kept[r, s] == len(y_kept) / len(y)
            assert curve.scores[r, s] == KNNClassifier(1).fit(X_kept, y_kept).score(X_test, y_test)


def test_means_and_standard_errors() -> None:
    curve = reduction_curve([ENN(), DROP3()], ROWS, LABELS, random_state=0)
    assert curve.kept.shape == curve.scores.shape == (3, 5)
    np.testing.assert_allclose(curve.score_mean, curve.scores.mean(axis=1))
    np.testing.assert_allclose(curve.score_error, curve.scores.std(axis=1, ddof=1) / np.sqrt(5))
    np.testing.assert_allclose(curve.kept_error, curve.kept.std(axis=1, ddof=1) / np.sqrt(5))
    assert curve.score == "accuracy"
    one = reduction_curve(ENN(), ROWS, LABELS, cv=[(range(60), range(60, 90))])
    assert np.isnan(one.score_error).all()
    assert "-" in str(one).splitlines()[1]


def test_a_number_of_folds_is_shuffled_and_stratified() -> None:
    curve = reduction_curve(ENN(), ROWS, LABELS, cv=4, random_state=7)
    splitter = StratifiedKFold(4, shuffle=True, random_state=7)
    assert curve.scores.tolist() == reduction_curve(ENN(), ROWS, LABELS, cv=splitter).scores.tolist()
    assert curve.scores.tolist() == reduction_curve(ENN(), ROWS, LABELS, cv=4, random_state=7).scores.tolist()


def test_numbers_are_scored_by_a_regressor() -> None:
    y = [value + 0.5 for value in numbers(ROWS)]
    curve = reduction_curve([ENN(9), DROP3(9)], ROWS, y, random_state=0)
    assert curve.score == "r2"
    expected = reduction_curve([ENN(9), DROP3(9)], ROWS, y, random_state=0, estimator=KNNRegressor(1))
    assert curve.scores.tolist() == expected.scores.tolist()


def test_concept_learners_and_other_estimators_take_part() -> None:
    X = np.random.default_rng(0).normal(size=(120, 3))
    y = (X[:, 0] > 0).astype(int)
    curve = reduction_curve([IB2(), CNN()], X, y, estimator=LogisticRegression(), random_state=0)
    assert curve.names == ("all rows", "IB2", "CNN")
    assert (curve.kept_mean[1:] < 0.7).all()
    assert (curve.score_mean > 0.7).all()
    assert reduction_curve(IB3(random_state=0), X, y, random_state=0).kept_mean[1] < 0.5


def test_a_parameter_is_varied() -> None:
    curve = reduction_curve(ENN(), ROWS, LABELS, param_name="n_neighbors", param_range=[1, 3], random_state=0)
    assert curve.names == ("all rows", "n_neighbors=1", "n_neighbors=3")
    assert curve.scores[2].tolist() == reduction_curve(ENN(3), ROWS, LABELS, random_state=0).scores[1].tolist()
    curve = reduction_curve([ENN(), DROP3()], ROWS, LABELS, param_name="n_neighbors", param_range=[2], random_state=0)
    assert curve.names == ("all rows", "ENN n_neighbors=2", "DROP3 n_neighbors=2")


def test_columns_constant_in_the_rows_kept_are_not_warned_of() -> None:
    """Warnings are errors: the column ``rare`` is constant in the few rows that CNN keeps."""
    n = 100
    X = pd.DataFrame({"x": np.arange(n) % 10, "rare": ["odd", *["usual"] * (n - 1)]})
    found = reduction_curve(CNN(), X, np.where(X["x"] < 5, "low", "high"), cv=[(np.arange(1, n), np.arange(10))])
    assert 0 < found.kept[1, 0] < 1


def test_two_of_one_name() -> None:
    assert reduction_curve([ENN(1), ENN(3)], ROWS, LABELS, cv=2).names == ("all rows", "ENN", "ENN (2)")


def test_frames_of_the_library_that_the_table_came_from() -> None:
    columns = ["reducer", "kept", "kept_error", "accuracy", "accuracy_error"]
    frame = reduction_curve(ENN(), CONTAINERS["pandas"](ROWS), pd.Series(LABELS), random_state=0).frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == columns
    assert frame["reducer"].tolist() == ["all rows", "ENN"]
    assert isinstance(reduction_curve(ENN(), CONTAINERS["polars"](ROWS), LABELS, random_state=0).frame(), pl.DataFrame)
    assert list(reduction_curve(ENN(), ROWS, LABELS, random_state=0).frame()) == columns


def test_it_prints_as_a_table() -> None:
    curve = reduction_curve({"edited": ENN()}, ROWS, LABELS, cv=2, random_state=0)
    lines = str(curve).splitlines()
    assert lines[0].split() == ["reducer", "kept", "±", "accuracy", "±"]
    assert lines[1].startswith("all rows  1.000  0.000")
    assert lines[2].startswith("edited ")
    assert repr(curve) == str(curve)
    assert "<table>" in curve._repr_html_()
    assert len(curve) == 2


def test_it_is_drawn() -> None:
    curve = reduction_curve([ENN(), CNN()], ROWS, LABELS, random_state=0)
    ax = curve.plot()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["all rows", "ENN", "CNN"]
    assert ax.get_ylabel() == "held-out accuracy"
    assert curve.plot(ax) is ax
    mpl.pyplot.close("all")


FRACTIONS = [i + 0.5 for i in range(90)]
REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"reducers": [KNNClassifier()]}, ParameterError, "fit_resample"),
    ({"reducers": {"edited": ENN}}, ParameterError, "fit_resample"),
    ({"reducers": "ENN"}, ParameterError, "fit_resample"),
    ({"reducers": []}, ParameterError, "got none"),
    ({"param_name": "n_neighbors"}, ParameterError, "param_range"),
    ({"param_range": [1]}, ParameterError, "param_name"),
    ({"param_name": "n_neighbors", "param_range": 3}, ParameterError, "param_range"),
    ({"param_name": "n_neighbour", "param_range": [1]}, ParameterError, "Did you mean 'n_neighbors'"),
    ({"cv": KFold(3), "random_state": 0}, ParameterError, "random_state"),
    ({"cv": 1}, ParameterError, "cv"),
    ({"y": LABELS[:80]}, TargetError, "X has 90 and y has 80"),
    ({"X": np.array(ROWS, dtype=object), "y": LABELS[:80]}, TargetError, "X has 90 and y has 80"),
    ({"X": ROWS[:80]}, TargetError, "X has 80 and y has 90"),
    ({"y": [[label, label] for label in LABELS]}, TargetError, "2 columns"),
    ({"y": FRACTIONS, "estimator": KNNClassifier()}, ParameterError, "regressor"),
    ({"y": [np.nan, *range(89)], "estimator": KNNClassifier()}, TargetError, "NaN"),
]


@pytest.mark.parametrize(("options", "error", "word"), REFUSED)
def test_refused(options: dict[str, Any], error: type[Exception], word: str) -> None:
    with pytest.raises(error) as caught:
        reduction_curve(**{"reducers": ENN(), "X": ROWS, "y": LABELS, **options})
    assert str(caught.value).startswith("reduction_curve: ")
    assert word in str(caught.value)


def test_values_to_vary_may_come_one_by_one_and_twice() -> None:
    curve = reduction_curve(ENN(), ROWS, LABELS, param_name="n_neighbors", param_range=iter([1, 3, 3]), cv=2)
    assert curve.names == ("all rows", "n_neighbors=1", "n_neighbors=3", "n_neighbors=3 (2)")


class Halves:
    """A reducer that is no estimator: it has nothing but fit_resample."""

    def __init__(self, *found: Any) -> None:
        self.found = found

    def fit_resample(self, X: Any, y: Any) -> Any:
        return self.found[0] if self.found else (X[::2], y[::2])


def test_a_reducer_of_ones_own() -> None:
    assert isinstance(Halves(), Resampler)
    assert isinstance(ENN(), Resampler)
    assert not isinstance(KNNClassifier(), Resampler)
    X, y = load_iris(return_X_y=True)
    curve = reduction_curve([Halves(), ENN()], X, y, random_state=0)
    assert curve.names == ("all rows", "Halves", "ENN")
    assert curve.kept_mean[1] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (None, "must return the rows kept"),
        (([[1.0]], ["a"], [0]), "must return the rows kept"),
        (([[1.0, 2.0]], ["a", "b"]), "got 1 rows and 2 targets"),
        ((np.empty((0, 4)), []), "got 0 rows"),
    ],
)
def test_what_a_reducer_of_ones_own_may_not_keep(found: Any, words: str) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match=f"fit_resample of 'Halves' .*{words}"):
        reduction_curve(Halves(found), X, y, random_state=0)
    with pytest.raises(ParameterError, match="parameter of Halves"):
        reduction_curve(Halves(), X, y, param_name="n", param_range=[1])
