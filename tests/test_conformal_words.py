"""Mistakes that users of conformal prediction make, and the words in which they are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from toy_learners import Nearest

import priorcase as pc
from priorcase.evaluation import ConformalClassifier, ConformalRegressor
from priorcase.exceptions import ConformalError, ParameterError, PriorcaseError

X = np.arange(20.0)[:, None]
NUMBERS = np.arange(20.0)
CLASSES = ["a", "b"] * 10


def regressor(**parameters: Any) -> ConformalRegressor:
    return ConformalRegressor(**{"estimator": pc.KNNRegressor(2), **parameters}).fit(X, NUMBERS)


def classifier(**parameters: Any) -> ConformalClassifier:
    return ConformalClassifier(**{"estimator": pc.KNNClassifier(2), **parameters}).fit(X, CLASSES)


def told(ask: Callable[[], object]) -> tuple[str, str]:
    """What was wrong, and what to do."""
    with pytest.raises(PriorcaseError) as caught:
        ask()
    problem, _, hint = str(caught.value).rpartition("\nHint: ")
    return problem, hint


@pytest.mark.parametrize(
    ("ask", "problem", "hint"),
    [
        (
            lambda: regressor(method="jackknife"),
            "ConformalRegressor.fit: got method='jackknife'; expected 'cv+', 'jackknife+' or 'jackknife-minmax'.",
            "did you mean 'jackknife+'?",
        ),
        (
            lambda: regressor(nonconformity="squared"),
            "ConformalRegressor.fit: got nonconformity='squared'; expected 'absolute' or 'scaled'.",
            "'absolute' goes with every regressor.",
        ),
        (
            lambda: regressor(nonconformity="scaled"),
            "ConformalRegressor.fit: got nonconformity='scaled' and KNNRegressor, whose predict has no return_std to "
            "scale by.",
            "nonconformity='absolute' goes with every regressor; LocallyWeightedRegressor has return_std.",
        ),
        (
            lambda: regressor(estimator=pc.NaiveBayes()),
            "ConformalRegressor.fit: got estimator=NaiveBayes(); expected a regressor.",
            "for example ConformalRegressor(KNNRegressor()).",
        ),
        (
            lambda: classifier(estimator=None),
            "ConformalClassifier.fit: got estimator=None; expected a classifier.",
            "for example ConformalClassifier(KNNClassifier()).",
        ),
        (
            lambda: classifier(estimator=pc.KNNRegressor()),
            "ConformalClassifier.fit: got estimator=KNNRegressor(); expected a classifier.",
            "for example ConformalClassifier(KNNClassifier()).",
        ),
        (
            lambda: classifier(estimator=pc.IB1),
            "ConformalClassifier.fit: got estimator=<class 'priorcase.concepts.ib.IB1'>; expected a classifier.",
            "for example ConformalClassifier(KNNClassifier()).",
        ),
        (
            lambda: classifier(estimator=LinearSVC()),
            "ConformalClassifier.fit: got an estimator without predict_proba, LinearSVC.",
            "take a classifier with probabilities, or wrap this one in scikit-learn's CalibratedClassifierCV.",
        ),
        (
            lambda: regressor(folds=1),
            "ConformalRegressor.fit: got folds=1; expected a whole number >= 2.",
            "10 is usual.",
        ),
        (
            lambda: classifier(folds="all"),
            "ConformalClassifier.fit: got folds='all'; expected a whole number >= 2 or 'loo'.",
            "10 is usual.",
        ),
        (
            lambda: regressor(folds=21),
            "ConformalRegressor.fit: got 20 rows for 21 folds (n_samples = 20); expected at least one for each.",
            "ask for fewer folds, but at least 2, or pass more rows.",
        ),
        (
            lambda: regressor(method="jackknife+", folds=5),
            "ConformalRegressor.fit: got folds=5; expected 10 where method='jackknife+'.",
            "leave folds out: every row is a fold of its own.",
        ),
        (
            lambda: classifier(nonconformity="ap"),
            "ConformalClassifier.fit: got nonconformity='ap'; expected 'one_minus' or 'aps'.",
            "did you mean 'aps'?",
        ),
        (
            lambda: classifier(randomized=True),
            "ConformalClassifier.fit: got randomized=True; expected False where nonconformity='one_minus'.",
            "nonconformity='aps' has sets that may be randomized.",
        ),
        (
            lambda: classifier(class_conditional=1),
            "ConformalClassifier.fit: got class_conditional=1; expected True or False.",
            "True promises the level to each class.",
        ),
        (
            lambda: classifier(n_jobs=0),
            "ConformalClassifier.fit: got n_jobs=0; expected None or a whole number other than 0.",
            "None runs one at a time, -1 as many as there are cores.",
        ),
        (
            lambda: regressor(random_state="x"),
            "ConformalRegressor.fit: got random_state='x'; expected None, a whole number from 0 to 2**32 - 1 or a "
            "numpy.random.RandomState.",
            "a number makes fits repeatable.",
        ),
    ],
)
def test_parameters(ask: Callable[[], object], problem: str, hint: str) -> None:
    assert told(ask) == (problem, hint)


def test_levels() -> None:
    one, other = regressor(), classifier()
    expected = "0.9 asks for sets and intervals that hold the truth nine times out of ten."
    for level in (0, 1, 90, -0.1, "high", None, float("nan"), True):
        asked: Any = level
        for ask in (lambda x=asked: one.predict_interval(X, x), lambda x=asked: other.predict_set(X, x)):  # type: ignore[misc]
            problem, hint = told(ask)
            assert problem.endswith(f" got level={level!r}; expected a number above 0 and below 1.")
            assert hint == expected


def test_targets() -> None:
    two = np.column_stack([NUMBERS, NUMBERS])
    assert told(lambda: ConformalRegressor(pc.KNNRegressor(2)).fit(X, two))[0] == (
        "ConformalRegressor.fit: got y of shape (20, 2); y should be a 1d array."
    )
    assert told(lambda: ConformalClassifier(pc.KNNClassifier(2)).fit(X, two.astype(int)))[0] == (
        "ConformalClassifier.fit: got y with 2 columns; expected one class for each row."
    )
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        column = ConformalRegressor(pc.KNNRegressor(2)).fit(X, NUMBERS[:, None])
    np.testing.assert_array_equal(column.residuals_, regressor().residuals_)
    assert "requires y to be passed" in told(lambda: ConformalRegressor(pc.KNNRegressor(2)).fit(X, None))[0]
    sets = classifier().predict_set(X)
    assert told(lambda: sets.holds(CLASSES[:3]))[0] == (
        "Found input variables with inconsistent numbers of samples: X has 20 and y has 3."
    )
    assert told(lambda: sets.holds(np.zeros((20, 2), dtype=int)))[0] == (
        "got y with 2 columns; expected one class for each row."
    )
    assert told(lambda: sets.frame("panda"))[1] == "did you mean 'pandas'?"  # type: ignore[arg-type]


class Undecided(Nearest):
    """A learner that has no answer for one row."""

    def predict(self, X: Any, return_std: bool = False) -> Any:
        return np.where(np.asarray(X)[:, 0] == 7, np.nan, super().predict(X))


def test_an_answer_that_is_none() -> None:
    with pytest.raises(ConformalError, match=r"NaN from Undecided for row \d+"):
        regressor(estimator=Undecided())


def test_before_a_fit() -> None:
    for ask in (
        ConformalRegressor(pc.KNNRegressor()).predict_interval,
        ConformalRegressor(pc.KNNRegressor()).predict,
        ConformalClassifier(pc.KNNClassifier()).predict_set,
        ConformalClassifier(pc.KNNClassifier()).p_values,
        ConformalClassifier(pc.KNNClassifier()).predict_proba,
    ):
        with pytest.raises(NotFittedError):
            ask(X)


def test_jobs_may_be_changed_after_a_fit() -> None:
    model = classifier()
    model.n_jobs = 0
    with pytest.raises(ParameterError, match="n_jobs=0"):
        model.p_values(X)
    other = regressor()
    other.n_jobs = 0
    with pytest.raises(ParameterError, match="n_jobs=0"):
        other.predict_interval(X)


def test_a_class_that_is_in_one_fold_alone() -> None:
    rows, y = np.random.default_rng(0).normal(size=(20, 2)), ["often"] * 19 + ["once"]
    words = "LogisticRegression failed to learn from 16 of 20 rows, without those of one fold: This solver needs"
    for jobs in (None, 2):
        with pytest.raises(ConformalError, match=words) as found:
            ConformalClassifier(LogisticRegression(), folds=5, n_jobs=jobs).fit(rows, y)
        assert "Hint: a rare class may be in that fold alone" in str(found.value)
    assert ConformalClassifier(pc.NaiveBayes(), folds=5).fit(rows, y).predict_set(rows).sizes.min() >= 1
