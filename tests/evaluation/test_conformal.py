"""Both conformal estimators: scikit-learn's checks, progress bars, and errors."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from tables import labels, mixed_rows
from toy_learners import Nearest

import priorcase as pc
from priorcase.evaluation import ConformalClassifier, ConformalRegressor, conformal
from priorcase.exceptions import EvaluationError, ParameterError, PriorcaseError

# -- scikit-learn's own checks, passed by both conformal estimators

CONFORMAL = [
    ConformalRegressor(pc.KNNRegressor(3), folds=3),
    ConformalClassifier(pc.KNNClassifier(3), folds=3, nonconformity="aps", randomized=True),
]


@parametrize_with_checks(CONFORMAL)
def test_sklearn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize("folds", [3, "loo"])
def test_a_pickled_one_gives_the_same_answers(folds: Any) -> None:
    rows, y = mixed_rows(40), labels(40)
    model = ConformalClassifier(pc.IB1(), folds=folds).fit(rows, y)
    other = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(other.p_values(rows[:5]), model.p_values(rows[:5]))


def test_learners_of_scikit_learn() -> None:
    """Ten tables of 80 rows, of each of which a level of 0.9 holds 0.9 with a standard deviation of 0.04."""
    held: list[tuple[float, float]] = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, queries = rng.normal(size=(80, 3)), rng.normal(size=(200, 3))
        y, truth = (table @ [1.0, 2.0, 0.0] + rng.normal(size=len(table)) for table in (X, queries))
        line = make_pipeline(StandardScaler(), LinearRegression())
        ends = ConformalRegressor(line).fit(X, y).predict_interval(queries, level=0.9)
        tree = ConformalClassifier(DecisionTreeClassifier(min_samples_leaf=10)).fit(X, y > 0)
        assert tree.classes_.tolist() == [False, True]
        inside = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        held.append((inside.mean(), tree.predict_set(queries, level=0.9).holds(truth > 0).mean()))
    assert (np.mean(held, axis=0) >= 0.86).all()
    assert np.mean(held, axis=0)[0] <= 0.94


def test_inside_searches_and_scores() -> None:
    rows, y = mixed_rows(40), labels(40)
    search = GridSearchCV(ConformalClassifier(pc.KNNClassifier()), {"estimator__n_neighbors": [1, 3]}, cv=2).fit(
        rows, y
    )
    assert search.best_params_["estimator__n_neighbors"] in (1, 3)
    model = ConformalClassifier(pc.NaiveBayes(), folds=3)
    np.testing.assert_array_equal(
        cross_val_score(model, rows, y, cv=2), cross_val_score(pc.NaiveBayes(), rows, y, cv=2)
    )
    assert clone(model).get_params()["folds"] == 3


# -- a bar stands on a terminal while conformal predictors fit models, and while they ask many

FORTY = np.arange(40.0)[:, np.newaxis]


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The text and the steps of each bar that a terminal would have shown."""
    found: list[tuple[str, int]] = []

    @contextmanager
    def spy(total: int, *, shown: bool, text: str) -> Iterator[Callable[[str], None]]:
        steps: list[str] = []
        yield steps.append
        assert len(steps) == total
        if shown:
            found.append((text, total))

    monkeypatch.setattr(conformal, "bar", spy)
    return found


def test_of_folds_the_fits(bars: list[tuple[str, int]]) -> None:
    ConformalRegressor(DummyRegressor()).fit(FORTY, FORTY[:, 0]).predict_interval(FORTY)
    assert bars == [("folds", 10)]


def test_of_single_rows_fits_and_answers(bars: list[tuple[str, int]]) -> None:
    ConformalRegressor(DummyRegressor(), method="jackknife+").fit(FORTY, FORTY[:, 0]).predict_interval(FORTY)
    ConformalRegressor(DummyRegressor(), method="jackknife-minmax").fit(FORTY, FORTY[:, 0]).predict_interval(FORTY)
    assert bars == [("left-out residuals", 40), ("intervals", 40)] * 2
    bars.clear()
    ConformalClassifier(DummyClassifier(), folds="loo").fit(FORTY, FORTY[:, 0] > 9).predict_set(FORTY)
    assert bars == [("left-out scores", 40), ("p-values", 40)]


# -- mistakes that users of conformal prediction make, and the words in which they are told

X = np.arange(20.0)[:, None]
NUMBERS = np.arange(20.0)
CLASSES = ["a", "b"] * 10


def regressor(**parameters: Any) -> ConformalRegressor:
    return ConformalRegressor(**{"estimator": pc.KNNRegressor(2), **parameters}).fit(X, NUMBERS)


def classifier(**parameters: Any) -> ConformalClassifier:
    return ConformalClassifier(**{"estimator": pc.KNNClassifier(2), **parameters}).fit(X, CLASSES)


def told(ask: Callable[[], object]) -> str:
    with pytest.raises(PriorcaseError) as caught:
        ask()
    return str(caught.value)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: regressor(method="jackknife"), "method.*Did you mean 'jackknife\\+'"),
        (lambda: regressor(nonconformity="squared"), "'absolute'"),
        (lambda: regressor(nonconformity="scaled"), "has no return_std.*such as LocallyWeightedRegressor"),
        (lambda: regressor(estimator=pc.NaiveBayes()), "estimator must be a regressor, got NaiveBayes"),
        (lambda: classifier(estimator=None), "estimator must be a classifier, got None"),
        (lambda: classifier(estimator=pc.KNNRegressor()), "estimator must be a classifier, got KNNRegressor"),
        (lambda: classifier(estimator=pc.IB1), "estimator must be a classifier, got <class"),
        (lambda: classifier(estimator=LinearSVC()), "without predict_proba, LinearSVC"),
        (lambda: regressor(folds=1), "folds must be an int in the range \\[2, inf\\), got 1"),
        (lambda: classifier(folds="all"), "folds must be .*'loo'.*, got 'all'"),
        (lambda: regressor(folds=21), r"got 20 rows for 21 folds \(n_samples = 20\).*Use fewer folds"),
        (
            lambda: regressor(method="jackknife+", folds=5),
            "folds must be 10 with method='jackknife\\+', got 5. Omit folds",
        ),
        (lambda: classifier(nonconformity="ap"), "Did you mean 'aps'"),
        (lambda: classifier(randomized=True), "randomized must be False with nonconformity='one_minus'.*Only .*'aps'"),
        (lambda: classifier(class_conditional=1), "class_conditional"),
        (lambda: classifier(n_jobs=0), "n_jobs must be None or an integer other than 0"),
        (lambda: regressor(random_state="x"), "random_state"),
    ],
)
def test_parameters(ask: Callable[[], object], words: str) -> None:
    assert re.match(rf"(?s)Conformal\w+\.fit: .*{words}", told(ask))


def test_levels() -> None:
    one, other = regressor(), classifier()
    for level in (0, 1, 90, -0.1, "high", None, float("nan"), True):
        asked: Any = level
        for ask in (lambda x=asked: one.predict_interval(X, x), lambda x=asked: other.predict_set(X, x)):  # type: ignore[misc]
            assert " level must be " in told(ask)


def test_targets() -> None:
    two = np.column_stack([NUMBERS, NUMBERS])
    assert told(lambda: ConformalRegressor(pc.KNNRegressor(2)).fit(X, two)).startswith(
        "ConformalRegressor.fit: got y of shape (20, 2); y should be a 1d array."
    )
    assert told(lambda: ConformalClassifier(pc.KNNClassifier(2)).fit(X, two.astype(int))).startswith(
        "ConformalClassifier.fit: got y with 2 columns; expected one class for each row. Fit one model for each target."
    )
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        column = ConformalRegressor(pc.KNNRegressor(2)).fit(X, NUMBERS[:, None])
    np.testing.assert_array_equal(column.residuals_, regressor().residuals_)
    assert "requires y to be passed" in told(lambda: ConformalRegressor(pc.KNNRegressor(2)).fit(X, None))
    sets = classifier().predict_set(X)
    assert "inconsistent numbers of samples: X has 20 and y has 3." in told(lambda: sets.holds(CLASSES[:3]))
    assert told(lambda: sets.holds(np.zeros((20, 2), dtype=int))).startswith(
        "got y with 2 columns; expected one class for each row. Fit one model for each target."
    )
    assert "Did you mean 'pandas'?" in told(lambda: sets.frame("panda"))  # type: ignore[arg-type]


class Undecided(Nearest):
    """A learner that has no answer for one row."""

    def predict(self, X: Any, return_std: bool = False) -> Any:
        return np.where(np.asarray(X)[:, 0] == 7, np.nan, super().predict(X))


def test_an_answer_that_is_none() -> None:
    with pytest.raises(EvaluationError, match=r"NaN from Undecided for row \d+"):
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
    with pytest.raises(ParameterError, match="n_jobs must be"):
        model.p_values(X)
    other = regressor()
    other.n_jobs = 0
    with pytest.raises(ParameterError, match="n_jobs must be"):
        other.predict_interval(X)


def test_a_class_that_is_in_one_fold_alone() -> None:
    rows, y = np.random.default_rng(0).normal(size=(20, 2)), ["often"] * 19 + ["once"]
    words = "LogisticRegression could not be fitted to 16 of 20 rows \\(all but one fold\\): This solver needs"
    for jobs in (None, 2):
        with parallel_config(backend="threading"), pytest.raises(EvaluationError, match=words) as found:
            ConformalClassifier(LogisticRegression(), folds=5, n_jobs=jobs).fit(rows, y)
        assert "A rare class may occur only in that fold" in str(found.value)
    assert ConformalClassifier(pc.NaiveBayes(), folds=5).fit(rows, y).predict_set(rows).sizes.min() >= 1
