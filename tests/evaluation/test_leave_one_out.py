"""What learners say of each row without it, against a fit for each row."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from curve_learners import Stubborn
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from tables import labels, mixed_rows

import priorcase as pc
from priorcase.evaluation import compare, leave_one_out
from priorcase.exceptions import EvaluationError, TooFewRowsError

N = 22
ROWS = mixed_rows(N, seed=4)
# Every extreme and every value is there twice, so that no row alone decides on a range.
for low, high in ((0, 1), (2, 3)):
    ROWS[low] = [0.0, "red", False, -9.0]
    ROWS[high] = [5.0, "blue", True, 9.0]
ROWS[4][1] = ROWS[5][1] = "green"
Y = labels(N, seed=5)
NUMBERS = np.random.default_rng(6).normal(size=N).tolist()
WEIGHTS = np.random.default_rng(7).integers(1, 4, N).astype(float)


def brute(make: Callable[[], Any], y: list[Any], weights: Any, *asks: str) -> Any:
    """By a fit for each row; an array for each question."""
    found: list[list[Any]] = [[] for _ in asks]
    for i in range(N):
        others = [j for j in range(N) if j != i]
        given = () if weights is None else (weights[others],)
        model = make().fit([ROWS[j] for j in others], [y[j] for j in others], *given)
        for answers, ask in zip(found, asks, strict=True):
            answers.append(getattr(model, ask)([ROWS[i]])[0])
    return [np.array(answers) for answers in found] if len(asks) > 1 else np.array(found[0])


@pytest.fixture(params=[None, WEIGHTS], ids=["plain", "weighted"])
def weights(request: Any) -> Any:
    return request.param


@pytest.mark.parametrize(
    "options",
    [
        {"n_neighbors": 3},
        {"n_neighbors": "sqrt", "vote": "inverse_square"},
        {"n_neighbors": "all", "vote": "gaussian"},
        {"n_neighbors": 4, "ties": "reduce", "prior": "frequency"},
        {"n_neighbors": 2, "ties": "nearest", "prior": 1.0, "vote": "tricube", "temperature": 2.0},
        {"n_neighbors": 2, "ties": "first", "attribute_weights": [1.0, 2.0, 0.0, 0.5]},
        {"n_neighbors": "loo"},
        {"distance": "mvdm"},
        {"distance": "hvdm", "vote": "inverse_square"},
        {"attribute_weights": "relief"},
        {"attribute_weights": "bayes", "prior": "frequency"},
    ],
    ids=str,
)
def test_neighbors_vote_as_if_they_had_never_seen_the_row(options: dict[str, Any], weights: Any) -> None:
    make = lambda: pc.KNNClassifier(**options)  # noqa: E731
    model = make().fit(ROWS, Y, weights)
    digest = model.digest()
    proba, predicted = brute(make, Y, weights, "predict_proba", "predict")
    np.testing.assert_array_equal(model.loo_predict_proba(relearn=True), proba)
    assert model.loo_predict(relearn=True).tolist() == predicted.tolist()
    assert model.digest() == digest
    chosen = {"n_neighbors", "distance", "attribute_weights"} & options.keys()
    learned = [
        options[name] in ("loo", "mvdm", "hvdm", "relief", "bayes") for name in chosen if isinstance(options[name], str)
    ]
    assert model.relearns_ == any(learned)


@pytest.mark.parametrize(
    "options",
    [
        {"n_neighbors": 3},
        {"n_neighbors": "sqrt"},
        {"n_neighbors": "all", "vote": "gaussian"},
        {"n_neighbors": 3, "ties": "first", "vote": "tricube"},
        {"n_neighbors": "loo"},
        {"attribute_weights": "relief"},
    ],
    ids=str,
)
def test_neighbors_average_as_if_they_had_never_seen_the_row(options: dict[str, Any], weights: Any) -> None:
    make = lambda: pc.KNNRegressor(**options)  # noqa: E731
    model = make().fit(ROWS, NUMBERS, weights)
    np.testing.assert_array_equal(model.loo_predict(relearn=True), brute(make, NUMBERS, weights, "predict"))


@pytest.mark.parametrize(
    ("options", "exact"),
    [
        ({"n_neighbors": 6, "degree": 0}, True),
        ({"bandwidth": 0.3}, True),
        ({"bandwidth": 1.4, "degree": 0, "kernel": "gaussian"}, False),
        ({"n_neighbors": "all", "kernel": "gaussian", "ridge": 0.0, "bandwidth": 2.0}, False),
        ({"n_neighbors": 8, "robust": 1}, True),
        ({"degree": 0}, True),
    ],
    ids=str,
)
def test_local_fits_are_those_of_the_others(options: dict[str, Any], exact: bool, weights: Any) -> None:
    make = lambda: pc.LocallyWeightedRegressor(**options)  # noqa: E731
    model = make().fit(ROWS, NUMBERS, weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.exceptions.FarQueryWarning)
        found, expected = model.loo_predict(relearn=True), brute(make, NUMBERS, weights, "predict")
    if exact:
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(
    "options",
    [
        {"n_neighbors": 8, "model": "naive_bayes"},
        {"bandwidth": 1.1, "model": "naive_bayes", "prior": None},
        {"bandwidth": 1.1, "model": "naive_bayes", "prior": 0.5, "kernel": "gaussian"},
        {"bandwidth": 0.3, "model": "linear"},
        {"model": "naive_bayes"},
        {"n_neighbors": 8, "model": "naive_bayes", "distance": "mvdm"},
    ],
    ids=str,
)
def test_local_classes_are_those_of_the_others(options: dict[str, Any], weights: Any) -> None:
    make = lambda: pc.LocallyWeightedClassifier(**options)  # noqa: E731
    model = make().fit(ROWS, Y, weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.exceptions.FarQueryWarning)
        found, expected = model.loo_predict_proba(relearn=True), brute(make, Y, weights, "predict_proba")
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_far_rows_are_named_once() -> None:
    model = pc.LocallyWeightedClassifier(bandwidth=0.01, model="naive_bayes").fit(ROWS, Y)
    with pytest.warns(pc.exceptions.FarQueryWarning) as caught:
        model.loo_predict_proba()
    assert len(caught) == 1


@pytest.mark.parametrize("weighted", [False, True])
def test_networks_are_those_of_weights_found_without_the_row(weighted: bool) -> None:
    """Centers, widths and penalty stay: a ridge fit over the same answers of the centers, row by row."""
    times = WEIGHTS if weighted else np.ones(N)
    model = pc.RBFNetworkRegressor(6, width=1.0, alpha=0.3).fit(ROWS, NUMBERS, times)
    phi, y = model.activations(ROWS), np.array(NUMBERS)
    expected = []
    for i in range(N):
        others = np.arange(N) != i
        w = times[others] / times[others].sum()
        centered, target = phi[others] - w @ phi[others], y[others] - w @ y[others]
        gram = (centered.T * times[others]) @ centered + 0.3 * np.eye(phi.shape[1])
        coefficients = np.linalg.solve(gram, (centered.T * times[others]) @ target)
        expected.append(w @ y[others] + (phi[i] - w @ phi[others]) @ coefficients)
    np.testing.assert_allclose(model.loo_predict(), expected, rtol=1e-8)
    assert not model.relearns_
    again = brute(lambda: pc.RBFNetworkRegressor(6, width=1.0, alpha=0.3), NUMBERS, times, "predict")
    np.testing.assert_array_equal(model.loo_predict(relearn=True), again)  # with centers of its own for each row


@pytest.mark.parametrize("make", [pc.RBFNetworkRegressor, pc.RBFNetworkClassifier])
def test_networks_that_choose_are_found_anew(make: Any) -> None:
    y, ask, told = (
        (Y, "predict_proba", "loo_predict_proba")
        if make is pc.RBFNetworkClassifier
        else (NUMBERS, "predict", "loo_predict")
    )
    model = make(4).fit(ROWS, y)
    assert model.relearns_
    np.testing.assert_array_equal(getattr(model, told)(relearn=True), brute(lambda: make(4), y, None, ask))
    assert (getattr(model, told)() != getattr(model, told)(relearn=True)).any()


def test_networks_without_a_penalty_lose_the_centre_of_a_row_with_it() -> None:
    make = lambda: pc.RBFNetworkRegressor(centers="all", width=1.0, alpha=0.0)  # noqa: E731
    rows, y = np.arange(12.0)[:, None], np.sin(np.arange(12.0))
    model = make().fit(rows, y)
    expected = [make().fit(np.delete(rows, i, 0), np.delete(y, i)).predict(rows[i : i + 1])[0] for i in range(12)]
    np.testing.assert_array_equal(leave_one_out(make(), rows, y).predicted, expected)
    assert (model.loo_predict() != expected).all()


@pytest.mark.parametrize("options", [{"n_jobs": 1}, {"n_jobs": 2}, {"algorithm": "plain"}, {"algorithm": "tree"}])
@pytest.mark.parametrize("make", [pc.KNNClassifier, pc.LocallyWeightedClassifier])
def test_threads_and_algorithms_change_no_bit(make: Any, options: dict[str, Any]) -> None:
    rows, y = mixed_rows(150, seed=11), labels(150, seed=12)
    np.testing.assert_array_equal(
        make(7, **options).fit(rows, y).loo_predict_proba(), make(7).fit(rows, y).loo_predict_proba()
    )


def test_network_probabilities_are_shares_whatever_outputs_are() -> None:
    model = pc.RBFNetworkClassifier(centers="all", width=0.01, alpha=0.0).fit(ROWS, Y)
    proba = model.loo_predict_proba()
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


def test_answers_are_in_the_order_of_ids() -> None:
    model = pc.KNNClassifier(3).fit(ROWS, Y).forget([0, 7])
    fresh = pc.KNNClassifier(3).fit([ROWS[i] for i in model.ids_], [Y[i] for i in model.ids_])
    np.testing.assert_array_equal(model.loo_predict_proba(), fresh.loo_predict_proba())


def test_several_targets() -> None:
    two = [[a, b] for a, b in zip(Y, labels(N, seed=9), strict=True)]
    model = pc.KNNClassifier(3).fit(ROWS, two)
    for t in range(2):
        alone = pc.KNNClassifier(3).fit(ROWS, [pair[t] for pair in two])
        np.testing.assert_array_equal(model.loo_predict_proba()[t], alone.loo_predict_proba())
        assert model.loo_predict()[:, t].tolist() == alone.loo_predict().tolist()


def test_the_only_row_of_a_class_keeps_the_class_in_its_columns() -> None:
    y = ["z", *Y[1:]]
    for options in ({"prior": None}, {"distance": "mvdm", "prior": None}, {"prior": 1.0}, {"prior": "frequency"}):
        model = pc.KNNClassifier(3, **options).fit(ROWS, y)
        proba = model.loo_predict_proba(relearn=True)
        assert proba.shape == (N, 4)
        assert proba[0, 3] == (0 if options != {"prior": 1.0} else pytest.approx(1 / (4 + 3), abs=0.2))


@pytest.mark.parametrize(
    "model",
    [pc.KNNClassifier(N), pc.KNNRegressor(N), pc.LocallyWeightedRegressor(N), pc.LocallyWeightedClassifier(N)],
    ids=lambda model: type(model).__name__,
)
def test_more_neighbors_than_others_are_refused(model: Any) -> None:
    y = NUMBERS if "Regressor" in type(model).__name__ else Y
    model.fit(ROWS, y)
    ask = model.loo_predict_proba if hasattr(model, "loo_predict_proba") else model.loo_predict
    with pytest.raises(TooFewRowsError, match=f"n_neighbors < n_samples_fit, but n_neighbors = {N}"):
        ask()


# -- in public


@pytest.mark.parametrize(
    ("learner", "at_once"),
    [
        (pc.NaiveBayes(numeric="student"), True),
        (pc.NaiveBayes(), False),
        (pc.KNNClassifier(3), True),
        (pc.KNNClassifier("loo"), False),
        (pc.IB1(), False),
    ],
    ids=str,
)
def test_targets_never_speak_for_themselves(learner: Any, at_once: bool) -> None:
    found = leave_one_out(learner, ROWS, Y)
    assert found.at_once == at_once
    assert len(found) == N
    expected = brute(lambda: learner.__class__(**learner.get_params()), Y, None, "predict_proba")
    np.testing.assert_allclose(found.proba, expected, rtol=1e-9, atol=1e-12)
    # With another class a row has the same probabilities, but for its own class.
    other = [*Y[:-1], next(label for label in "abc" if label != Y[-1])]
    np.testing.assert_allclose(leave_one_out(learner, ROWS, other).proba[-1], found.proba[-1], rtol=1e-9)


def test_the_weights_of_a_stack_are_learned_without_the_row() -> None:
    learner = pc.StackedClassifier([pc.KNNClassifier(3, prior=1.0), pc.NaiveBayes(numeric="student")])
    found = leave_one_out(learner, ROWS, Y)
    assert not found.at_once
    other = [*Y[:-1], next(label for label in "abc" if label != Y[-1])]
    np.testing.assert_allclose(leave_one_out(learner, ROWS, other).proba[-1], found.proba[-1], rtol=1e-9)
    regressor = pc.StackedRegressor([pc.KNNRegressor(3), pc.LocallyWeightedRegressor()])
    numbers = leave_one_out(regressor, ROWS, NUMBERS)
    far = leave_one_out(regressor, ROWS, [*NUMBERS[:-1], 9.0])
    assert far.predicted[-1] == pytest.approx(numbers.predicted[-1], rel=1e-9)


def test_scores_frame_and_calibration() -> None:
    found = leave_one_out(pc.KNNClassifier(3, prior=1.0), ROWS, Y)
    assert found.score() == pytest.approx(np.mean(found.predicted == found.truth))
    assert found.score("log_score") == pytest.approx(pc.log_score(Y, found.proba, labels=found.labels))
    assert list(found.frame().columns) == ["truth", "predicted", "p(a)", "p(b)", "p(c)"]
    assert found.calibration(bins=4).rows.sum() == N
    assert str(found).startswith(f"leave-one-out of {N} rows, with one fit\n  score      value\n  accuracy")
    assert "| score | value |" in found.markdown()
    assert "<table>" in found._repr_html_()


def test_learners_that_go_by_the_order_do_not_see_a_sorted_table() -> None:
    order = np.argsort(Y, kind="stable")
    rows, y = [ROWS[i] for i in order], [Y[i] for i in order]
    told = leave_one_out(pc.IB2(), rows, y)
    shuffled = np.random.default_rng(0).permutation(N)
    for row in (0, 7, N - 1):
        others = shuffled[shuffled != row]
        model = pc.IB2().fit([rows[i] for i in others], [y[i] for i in others])
        assert model.predict([rows[row]])[0] == told.predicted[row]
    sorted_fit = [pc.IB2().fit(rows[:i] + rows[i + 1 :], y[:i] + y[i + 1 :]).predict([rows[i]])[0] for i in range(N)]
    assert sorted_fit != told.predicted.tolist()


def test_any_estimator_will_do() -> None:
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20.0)
    found = leave_one_out(LinearRegression(), X, y)
    expected = [LinearRegression().fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1])[0] for i in range(20)]
    np.testing.assert_allclose(found.predicted, expected)
    assert found.proba is None
    assert "a fit for each" in str(found)
    assert leave_one_out(GaussianNB(), X, y > 9).proba.shape == (20, 2)
    with pytest.raises(EvaluationError, match="calibration is not available: the learner has no predict_proba"):
        found.calibration()


def test_comparing_by_leave_one_out_is_the_same() -> None:
    learners = {"bayes": pc.NaiveBayes(numeric="mdl"), "3-NN": pc.KNNClassifier(3, prior=1.0)}
    together = compare(learners, ROWS, Y, splits="loo")
    for name, learner in learners.items():
        assert together.mean(name, "brier") == pytest.approx(leave_one_out(learner, ROWS, Y).score("brier"))
        np.testing.assert_array_equal(
            together.predictions(name)[0].predictions.proba, leave_one_out(learner, ROWS, Y).proba
        )


def test_the_words_of_what_cannot_be_left_out() -> None:
    with pytest.raises(EvaluationError, match="got 2 learners; expected one"):
        leave_one_out([pc.NaiveBayes(), pc.NaiveBayes()], ROWS, Y)
    with pytest.raises(EvaluationError, match="failed: ValueError: no such luck"):
        leave_one_out(Stubborn(), ROWS, Y)
    with pytest.raises(KeyboardInterrupt):
        leave_one_out(Stubborn(KeyboardInterrupt), ROWS, Y)
    with pytest.raises(EvaluationError, match="log_score is not available: the learner has no predict_proba"):
        leave_one_out(Stubborn(rows=999), ROWS, Y).score("log_score")


@pytest.mark.parametrize(
    "learner",
    [
        pc.NaiveBayes(),
        pc.NaiveBayes("map", prior=1.0, zero_policy="cap100", numeric="mdl"),
        pc.SubsetAveragedBayes(),
        pc.TreeAveragedBayes(),
        pc.AODE(),
    ],
    ids=str,
)
def test_logarithms_of_left_out_probabilities(learner: Any) -> None:
    model = learner.fit(ROWS, Y)
    for relearn in (False, True):
        logs, proba = model.loo_predict_log_proba(relearn=relearn), model.loo_predict_proba(relearn=relearn)
        np.testing.assert_allclose(np.exp(logs), proba, rtol=1e-12, atol=1e-300)


def test_logarithms_keep_what_probabilities_lose() -> None:
    far = np.concatenate([np.zeros((20, 300)), np.ones((20, 300))]) + np.random.default_rng(0).normal(
        0, 0.05, (40, 300)
    )
    y = np.array([1, *[0] * 19, *[1] * 20])
    model = pc.NaiveBayes(numeric="gaussian").fit(far, y)
    assert model.loo_predict_proba()[0, 1] == 0
    assert np.isfinite(model.loo_predict_log_proba()[0, 1])
    assert np.isfinite(leave_one_out(pc.NaiveBayes(numeric="gaussian"), far, y).score("log_score"))


@pytest.mark.parametrize(
    "learner",
    [pc.NaiveBayes(), pc.KNNClassifier(3, prior=1.0), pc.LocallyWeightedClassifier(4, model="naive_bayes")],
    ids=str,
)
def test_a_row_alone_in_its_class_is_not_known_by_its_own_target(learner: Any) -> None:
    rows, y = [[1.0], [2.0], [40.0], [3.0], [7.0], [8.0], [9.0]], ["a", "a", "rarely", "a", "b", "b", "b"]
    told = leave_one_out(learner, rows, y)
    model = learner.__class__(**learner.get_params()).fit(rows[:2] + rows[3:], y[:2] + y[3:])
    np.testing.assert_allclose(told.proba[2], [*model.predict_proba([rows[2]])[0], 0.0], rtol=1e-12)
    assert told.predicted[2] == model.predict([rows[2]])[0] != "rarely"
    assert told.predictions.log_of_truth[2] == -np.inf
    assert told.truth.tolist() == y
    model = learner.__class__(**learner.get_params()).fit(rows, y)
    np.testing.assert_array_equal(told.proba[[0, 3, 6]], model.loo_predict_proba()[[0, 3, 6]])
