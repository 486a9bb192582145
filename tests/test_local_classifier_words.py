"""LocallyWeightedClassifier: how far it reaches, far queries, precedents, and the words of its errors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from reference import local_classifier as reference
from reference import local_regression
from tables import labels, mixed_rows

from priorcase.exceptions import (
    FarQueryWarning,
    ParameterError,
    TargetError,
    TooFewRowsError,
    UnsettledFitWarning,
)
from priorcase.local import LocalLinear, LocalLogistic, LocallyWeightedClassifier, LocalNaiveBayes

X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
Y = ["a", "a", "b", "a", "b", "b"]


def fitted(*args: Any, **kwargs: Any) -> LocallyWeightedClassifier:
    return LocallyWeightedClassifier(*args, **kwargs).fit(X, Y)


# -- how far fits reach


def left_out_losses(rows: Any, y: Any, weights_of: Any) -> float:
    """The mean log-loss of local naive Bayes on one number, each row left out in turn, distances of all rows kept."""
    classes, width = sorted(set(y)), max(row[0] for row in rows) - min(row[0] for row in rows)
    prior = {c: y.count(c) / len(y) for c in classes}
    losses = []
    for i, (row, label) in enumerate(zip(rows, y, strict=True)):
        rest, of = rows[:i] + rows[i + 1 :], y[:i] + y[i + 1 :]
        distances = [abs(other[0] - row[0]) / width for other in rest]
        if any(weights := weights_of(distances)):
            shares = reference.naive_bayes(row, rest, of, weights, ["numeric"], [0], prior)
        else:
            shares = reference.nearest_shares(distances, of, classes, list(prior.values()))
        losses.append(reference.log_loss(shares, classes, label))
    return sum(losses) / len(losses)


def test_the_number_of_neighbours_is_chosen_by_the_leave_one_out_log_loss() -> None:
    rng = np.random.default_rng(1)
    rows = [[float(x)] for x in rng.normal(size=30).round(3)]
    y = ["up" if row[0] + 0.5 * e > 0 else "down" for row, e in zip(rows, rng.normal(size=30), strict=True)]
    model = LocallyWeightedClassifier(model="naive_bayes").fit(rows, y)
    curve = model.loo_scores_
    for k, loss in zip(curve.candidates.tolist(), np.asarray(curve).tolist(), strict=True):
        weights = lambda d, k=k: local_regression.nearest_weights(d, k, "tricube")  # noqa: E731 - named for its one use
        assert loss == pytest.approx(left_out_losses(rows, y, weights), rel=1e-9)
    assert model.n_neighbors_ == curve.best == curve.candidates[np.argmin(curve)]
    assert list(curve.frame()) == ["n_neighbors", "log_loss"]
    assert "log-loss" in repr(curve)
    assert curve.plot().get_ylabel() == "leave-one-out log-loss"


def test_the_bandwidth_is_chosen_by_the_leave_one_out_log_loss() -> None:
    rng = np.random.default_rng(2)
    rows = [[float(x)] for x in rng.normal(size=25).round(3)]
    y = ["up" if row[0] + 0.5 * e > 0 else "down" for row, e in zip(rows, rng.normal(size=25), strict=True)]
    model = LocallyWeightedClassifier(bandwidth="loo", kernel="gaussian", model="naive_bayes").fit(rows, y)
    curve = model.loo_scores_
    for h, loss in zip(curve.candidates.tolist(), np.asarray(curve).tolist(), strict=True):
        weights = lambda d, h=h: local_regression.fixed_weights(d, h, "gaussian")  # noqa: E731 - named for its one use
        assert loss == pytest.approx(left_out_losses(rows, y, weights), rel=1e-6)
    assert model.bandwidth_ == curve.best


def test_an_impossible_class_costs_more_than_any_other_mistake() -> None:
    """Without a prior few neighbours are certain and often wrong; more of them call no class impossible."""
    rng = np.random.default_rng(3)
    rows, y = rng.normal(size=(40, 1)), rng.integers(2, size=40)
    curve = LocallyWeightedClassifier(model="linear", prior=None).fit(rows, y).loo_scores_
    assert np.isfinite(np.asarray(curve)).all()
    assert np.asarray(curve)[0] > 100 > np.asarray(curve).min()


def test_how_far_a_fit_reaches_by_name() -> None:
    assert fitted("sqrt").n_neighbors_ == 2
    assert fitted("all").n_neighbors_ == 6
    assert fitted(3).n_neighbors_ == 3
    assert fitted(bandwidth=2.0).bandwidth_ == 2.0
    with pytest.raises(AttributeError, match=re.escape("bandwidth_ is there with one bandwidth for all queries only")):
        _ = fitted(3).bandwidth_
    with pytest.raises(AttributeError, match=re.escape("loo_scores_ is there with 'loo' only")):
        _ = fitted(3).loo_scores_


def test_one_row_answers_for_itself() -> None:
    model = LocallyWeightedClassifier().fit([[1.0]], ["only"])
    assert model.predict([[5.0]]).tolist() == ["only"]
    assert model.predict_proba([[5.0]]).tolist() == [[1.0]]


# -- far queries


@pytest.mark.parametrize("model", ["naive_bayes", "logistic", "linear"])
def test_far_from_everything_the_nearest_rows_vote(model: str) -> None:
    learner = LocallyWeightedClassifier(bandwidth=0.1, model=model, prior=1.0)
    learner.fit([[0.0], [10.0], [10.0], [10.0]], ["a", "a", "b", "b"])
    text = (
        "LocallyWeightedClassifier.predict_proba: no stored row has weight at queries 1, 2 of 3; the classes of the "
        "nearest rows answer there.\nHint: take a larger bandwidth, or n_neighbors, which reaches every query."
    )
    with pytest.warns(FarQueryWarning, match=f"^{re.escape(text)}$") as caught:
        shares = learner.predict_proba([[0.0], [30.0], [-30.0]])
    [warning] = caught
    assert isinstance(warning.message, FarQueryWarning)
    assert warning.message.queries == (1, 2)
    assert warning.filename == __file__
    np.testing.assert_allclose(shares[1], [2 / 5, 3 / 5])
    np.testing.assert_allclose(shares[2], [2 / 3, 1 / 3])
    for ask in (learner.predict, learner.precedents):
        with pytest.warns(FarQueryWarning) as caught:
            ask([[30.0]])
        assert len(caught) == 1
        assert caught[0].filename == __file__


def test_fits_that_do_not_settle_are_named() -> None:
    learner = fitted("all", model=LocalLogistic(ridge=1e-6, max_iter=1), kernel="uniform")
    text = (
        "LocallyWeightedClassifier.predict: the logistic fits at queries 0, 1 did not settle within max_iter=1 steps."
        "\nHint: raise max_iter of LocalLogistic, or its ridge."
    )
    with pytest.warns(UnsettledFitWarning, match=f"^{re.escape(text)}$"):
        learner.predict([[0.0], [9.0]])


# -- precedents


def test_precedents_are_the_rows_of_the_fit_with_their_shares_of_the_weight() -> None:
    learner = fitted(3, kernel="triangular", model="logistic")
    found = learner.precedents([[0.4]])
    assert found.predictions.tolist() == learner.predict([[0.4]]).tolist() == ["a"]
    assert found.ids.tolist() == [0, 1, 2]
    kernel = np.array([1 - 0.4 / 2.6, 1 - 0.6 / 2.6, 1 - 1.6 / 2.6])
    np.testing.assert_allclose(found.votes, kernel / kernel.sum())
    np.testing.assert_array_equal(found.probabilities, learner.predict_proba([[0.4]]))
    assert found.unlike[0] is not None
    assert found.unlike[0].id == 2
    assert len(fitted("all").precedents([[0.4]]).ids) == 6
    np.testing.assert_allclose(learner.effective_neighbors([[0.4]]), kernel.sum() ** 2 / (kernel**2).sum())


# -- bad input


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (
            {"model": "tree"},
            "LocallyWeightedClassifier.fit got model='tree'; expected 'naive_bayes', 'logistic', 'linear', or a "
            "LocalNaiveBayes, LocalLogistic or LocalLinear with options.",
        ),
        ({"model": LocalLogistic}, "expected 'naive_bayes', 'logistic', 'linear', or a LocalNaiveBayes,"),
        (
            {"bandwidth": "query"},
            "LocallyWeightedClassifier.fit got bandwidth='query'; expected None, a finite number above 0 or 'loo'.",
        ),
        ({"bandwidth": 0}, "LocallyWeightedClassifier.fit got bandwidth=0; expected None, a finite number above 0"),
        ({"bandwidth": float("nan")}, "got bandwidth=nan; expected None, a finite number above 0"),
        (
            {"prior": -1},
            "LocallyWeightedClassifier.fit got prior=-1; expected None, 'frequency' or a finite number >= 0.",
        ),
        ({"prior": "laplace"}, "got prior='laplace'; expected None, 'frequency' or a finite number >= 0."),
        ({"prior": float("inf")}, "got prior=inf; expected None, 'frequency' or a finite number >= 0."),
        ({"prior": [1.0, 2.0]}, "got prior=[1.0, 2.0]; expected None, 'frequency' or a finite number >= 0."),
        ({"n_neighbors": 0}, "got n_neighbors=0; expected a whole number >= 1, 'sqrt', 'all' or 'loo'."),
        ({"kernel": "cosine"}, "got kernel='cosine'; expected a kernel or one of 'gaussian', 'tricube'"),
    ],
)
def test_parameters_that_break_their_rules(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(words)):
        LocallyWeightedClassifier(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LocalNaiveBayes(prior=0), "LocalNaiveBayes got prior=0; expected a number from 1e-09 to 1e+09."),
        (lambda: LocalNaiveBayes(numeric="kernel"), "got numeric='kernel'; expected 'student' or 'gaussian'."),  # type: ignore[arg-type]
        (lambda: LocalLogistic(ridge=0.0), "LocalLogistic got ridge=0.0; expected a number from 1e-06 to 1e+06."),
        (lambda: LocalLogistic(max_iter=0), "got max_iter=0; expected a whole number from 1 to 1000000."),
        (lambda: LocalLinear(degree=3), "LocalLinear got degree=3; expected 0, 1 or 2."),
    ],
)
def test_models_refuse_options_that_break_their_rules(make: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(words)):
        make()


def test_more_neighbours_than_rows() -> None:
    words = "LocallyWeightedClassifier.predict: Expected n_neighbors <= n_samples_fit, but n_neighbors = 7"
    with pytest.raises(TooFewRowsError, match=re.escape(words)):
        fitted(7).predict([[1.0]])


def test_several_targets_and_gaps_in_the_target() -> None:
    words = "LocallyWeightedClassifier.fit got y with 2 columns; expected one class for each row."
    with pytest.raises(TargetError, match=re.escape(words)):
        LocallyWeightedClassifier().fit(X, [[0, 1]] * 6)
    with pytest.raises(TargetError, match="missing"):
        LocallyWeightedClassifier().fit(X, [0.0, 1.0, np.nan, 0.0, 1.0, 1.0])


def test_a_failed_call_changes_nothing_and_forgetting_everything_can_be_undone() -> None:
    rows, y = mixed_rows(12), labels(12)
    learner = LocallyWeightedClassifier(3).fit(rows, y)
    before = learner.digest(), learner.predict_proba(rows)
    with pytest.raises(TargetError):
        learner.partial_fit(rows, [[0, 1]] * 12)
    assert learner.digest() == before[0]
    np.testing.assert_array_equal(learner.predict_proba(rows), before[1])
    learner.forget(learner.ids_)
    with pytest.raises(TooFewRowsError):
        learner.predict(rows)
    np.testing.assert_array_equal(learner.partial_fit(rows, y).predict_proba(rows), before[1])


def test_declared_classes_stay_and_have_no_share_of_the_frequencies() -> None:
    learner = LocallyWeightedClassifier(3, prior=0.5).partial_fit(X, Y, classes=["a", "b", "z"])
    assert learner.classes_.tolist() == ["a", "b", "z"]
    assert (learner.predict_proba(X)[:, 2] > 0).all()
    learner = LocallyWeightedClassifier(3).partial_fit(X, Y, classes=["a", "b", "z"])
    assert (learner.predict_proba(X)[:, 2] == 0).all()
