"""LocallyWeightedClassifier: the window, far queries, precedents, and failed calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference import local_classifier as reference
from reference import local_regression
from sklearn.base import clone
from tables import labels, mixed_rows

from priorcase.exceptions import FarQueryWarning, LocalConvergenceWarning, TargetError, TooFewRowsError
from priorcase.local import LocalLinear, LocalLogistic, LocallyWeightedClassifier

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


def test_the_number_of_neighbors_is_chosen_by_the_leave_one_out_log_score() -> None:
    rng = np.random.default_rng(1)
    rows = [[float(x)] for x in rng.normal(size=30).round(3)]
    y = ["up" if row[0] + 0.5 * e > 0 else "down" for row, e in zip(rows, rng.normal(size=30), strict=True)]
    model = LocallyWeightedClassifier(model="naive_bayes").fit(rows, y)
    curve = model.loo_curve_
    for k, loss in zip(curve.candidates.tolist(), curve.errors.tolist(), strict=True):
        weights = lambda d, k=k: local_regression.nearest_weights(d, k, "tricube")  # noqa: E731 - named for its one use
        assert loss == pytest.approx(left_out_losses(rows, y, weights), rel=1e-9)
    assert model.n_neighbors_ == curve.best == curve.candidates[np.argmax(np.asarray(curve))]
    assert list(curve.frame()) == ["n_neighbors", "log_score"]
    assert "log-score" in repr(curve)
    assert curve.plot().get_ylabel() == "leave-one-out log-score"


def test_the_bandwidth_is_chosen_by_the_leave_one_out_log_score() -> None:
    rng = np.random.default_rng(2)
    rows = [[float(x)] for x in rng.normal(size=25).round(3)]
    y = ["up" if row[0] + 0.5 * e > 0 else "down" for row, e in zip(rows, rng.normal(size=25), strict=True)]
    model = LocallyWeightedClassifier(bandwidth="loo", kernel="gaussian", model="naive_bayes").fit(rows, y)
    curve = model.loo_curve_
    for h, loss in zip(curve.candidates.tolist(), curve.errors.tolist(), strict=True):
        weights = lambda d, h=h: local_regression.fixed_weights(d, h, "gaussian")  # noqa: E731 - named for its one use
        assert loss == pytest.approx(left_out_losses(rows, y, weights), rel=1e-6)
    assert model.bandwidth_ == curve.best


def test_a_left_out_row_of_weight_three_is_three_rows() -> None:
    rng = np.random.default_rng(4)
    X, times = rng.normal(size=(24, 2)), rng.integers(1, 4, 24)
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=24) > 0, "up", "down")
    new = LocallyWeightedClassifier("all", bandwidth="loo", kernel="gaussian", model=LocalLinear(degree=0))
    weighted = clone(new).fit(X, y, sample_weight=times).loo_curve_
    literal = clone(new).fit(np.repeat(X, times, axis=0), np.repeat(y, times)).loo_curve_
    np.testing.assert_allclose(weighted.candidates, literal.candidates, rtol=1e-12)
    np.testing.assert_allclose(weighted.errors, literal.errors, rtol=1e-12)


def test_an_impossible_class_costs_more_than_any_other_mistake() -> None:
    """Without a prior few neighbors are certain and often wrong; more of them call no class impossible."""
    rng = np.random.default_rng(3)
    rows, y = rng.normal(size=(40, 1)), rng.integers(2, size=40)
    curve = LocallyWeightedClassifier(model="linear", prior=None).fit(rows, y).loo_curve_
    assert np.isfinite(np.asarray(curve)).all()
    assert np.asarray(curve)[0] < -100 < np.asarray(curve).max()


def test_how_far_a_fit_reaches_by_name() -> None:
    assert fitted("sqrt").n_neighbors_ == 2
    assert fitted("all").n_neighbors_ == 6
    assert fitted(3).n_neighbors_ == 3
    assert fitted(bandwidth=2.0).bandwidth_ == 2.0


def test_one_row_answers_for_itself() -> None:
    model = LocallyWeightedClassifier().fit([[1.0]], ["only"])
    assert model.predict([[5.0]]).tolist() == ["only"]
    assert model.predict_proba([[5.0]]).tolist() == [[1.0]]


# -- far queries


@pytest.mark.parametrize("model", ["naive_bayes", "logistic", "linear"])
def test_far_from_everything_the_nearest_rows_vote(model: str) -> None:
    learner = LocallyWeightedClassifier(bandwidth=0.1, model=model, prior=1.0)
    learner.fit([[0.0], [10.0], [10.0], [10.0]], ["a", "a", "b", "b"])
    with pytest.warns(FarQueryWarning, match="queries 1, 2 of 3 are .*; the nearest rows vote") as caught:
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
    with pytest.warns(LocalConvergenceWarning, match="queries 0, 1 did not converge within max_iter=1") as caught:
        learner.predict([[0.0], [9.0]])
    assert caught[0].filename == __file__


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


# -- failed calls


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
