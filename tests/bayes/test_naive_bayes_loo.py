"""Leave-one-out in closed form: the probabilities of a fit without each row."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from bayes_tables import AGE, GRADE, KINDS, SCORE, SIZE, cut, labels, reference, table
from sklearn.base import clone

from priorcase.bayes import (
    BDeu,
    CutPoints,
    EqualFrequency,
    GaussianDensity,
    KernelDensity,
    MEstimate,
    NaiveBayes,
    Student,
)
from priorcase.exceptions import TooFewRowsError
from priorcase.schema import Nominal

PREDICTIVES = ["evidence", "map", "sc"]
WEIGHTS = [1.0, 2.0, 0.3, 0.1, 0.7]

PRIORS: list[Any] = [0.1, 0.5, 1.1, 2.0, BDeu(3.0), {GRADE: [0.1, 2, 0.3, 7], SIZE: 0.4}]


def refitted(model: Any, X: list[Any], y: list[Any], weights: Any = None) -> Any:
    """The probabilities of each row by a fit on all the others."""
    found = []
    for i in range(len(X)):
        others = [j for j in range(len(X)) if j != i]
        fit = clone(model).partial_fit(
            [X[j] for j in others],
            [y[j] for j in others],
            classes=sorted(set(y)),
            sample_weight=None if weights is None else [weights[j] for j in others],
        )
        found.append(fit.predict_proba([X[i]])[0])
    return np.array(found)


def compare(model: Any, X: list[Any], y: list[Any], weights: Any = None, **options: Any) -> None:
    found = clone(model).fit(X, y, sample_weight=weights).loo_predict_proba(**options)
    np.testing.assert_allclose(found, refitted(model, X, y, weights), rtol=1e-9, atol=1e-13)


def some(seed: int) -> tuple[list[Any], list[Any], list[float]]:
    """Rows, in half of the cases with a class of a single row, and weights."""
    n = (2, 5, 9, 14)[seed % 4]
    X, y = table(n, seed), labels(n, seed + 1)
    if seed % 2:
        y[0] = "single"
    return X, y, np.random.default_rng(seed).choice(WEIGHTS, n).tolist()


@pytest.mark.parametrize("weighted", [False, True], ids=["each once", "weighted"])
@pytest.mark.parametrize("missing", ["ignore", "value"])
@pytest.mark.parametrize("numeric", [Student(), GaussianDensity(), KernelDensity(), CutPoints((20.0, 25.0))], ids=str)
@pytest.mark.parametrize("predictive", PREDICTIVES)
def test_loo_is_a_fit_without_the_row(predictive: Any, numeric: Any, missing: str, weighted: bool) -> None:
    for seed in range(2):
        X, y, weights = some(seed)
        model = NaiveBayes(predictive, numeric=numeric, missing=missing, schema=KINDS)
        compare(model, X, y, weights if weighted else None)


@pytest.mark.parametrize("weighted", [False, True], ids=["each once", "weighted"])
@pytest.mark.parametrize(
    ("predictive", "zero_policy", "prior"),
    [
        *product(["evidence"], ["-inf"], [*PRIORS, MEstimate(2.0)]),
        *product(["map"], ["-inf", "cap100", "param_floor"], PRIORS),
    ],
)
def test_loo_under_every_prior_and_zero_policy(predictive: Any, zero_policy: str, prior: Any, weighted: bool) -> None:
    for seed, class_prior in ((1, None), (5, 0.3)):
        X, y, weights = some(seed)
        parameters: Any = {"prior": prior, "class_prior": class_prior, "zero_policy": zero_policy, "schema": KINDS}
        model = NaiveBayes(predictive, numeric="student", **parameters)
        compare(model, X, y, weights if weighted else None)


@pytest.mark.parametrize("numeric", ["student", "gaussian", "kernel", "cuts"])
@pytest.mark.parametrize("predictive", PREDICTIVES)
def test_loo_equals_the_reference(predictive: Any, numeric: str) -> None:
    X, y = table(16, 3), labels(16, 4)
    cuts = {AGE: (20.0, 25.0), SCORE: (-1.0, 0.0)} if numeric == "cuts" else {}
    strategies: Any = {a: CutPoints(points) for a, points in cuts.items()} or numeric
    smooth = {} if cuts else dict.fromkeys((AGE, SCORE), "silverman" if numeric == "kernel" else numeric)
    slow = reference(X, y, cuts, predictive=predictive, densities=smooth)
    expected = [slow.without(i).log_probabilities(row) for i, row in enumerate(cut(X, cuts))]
    model = NaiveBayes(predictive, numeric=strategies, schema=KINDS).fit(X, y)
    np.testing.assert_allclose(model.loo_predict_proba(), np.exp(expected), rtol=1e-10)


def test_a_class_weight_below_1_that_is_cut_off_with_the_only_row() -> None:
    # Without the row of "b" the largest posterior gives it nothing: 0 + 0.5 - 1 counts as 0, not as a row less.
    model = NaiveBayes("map", prior=0.5).fit([["x"], ["x"]], ["a", "b"])
    np.testing.assert_array_equal(model.loo_predict_proba(), [[0.0, 1.0], [1.0, 0.0]])


def test_a_value_that_no_other_row_holds_keeps_its_weight() -> None:
    X, y, weights = [["x"], ["x"], ["y"], ["z"]], ["a", "b", "a", "b"], {"x": 1.0, "y": 3.0, "z": 0.5}
    declared = NaiveBayes(prior={0: [1.0, 3.0, 0.5]}, schema={0: Nominal(("x", "y", "z"))})
    found = NaiveBayes(prior={0: weights}).fit(X, y).loo_predict_proba()
    np.testing.assert_allclose(found, refitted(declared, X, y), rtol=1e-12)


@pytest.mark.parametrize("numeric", ["equal_width", EqualFrequency(3), "kmeans", "mdl", "two_way"])
def test_cut_points_stay_unless_they_are_to_be_learned_again(numeric: Any) -> None:
    X, y = table(20, 7), labels(20, 8)
    model = NaiveBayes(numeric=numeric, schema=KINDS).fit(X, y)
    kept = {a: CutPoints(tuple(points)) for a, points in model.cut_points_.items()}
    fixed = clone(model).set_params(numeric=kept).fit(X, y)
    np.testing.assert_array_equal(model.loo_predict_proba(), fixed.loo_predict_proba())
    compare(clone(model), X, y, relearn=True)


@pytest.mark.parametrize("weights", [None, [0.5, 1.0, 2.0, 1.0] * 2])
def test_an_automatic_prior_stays_unless_it_is_to_be_chosen_again(weights: Any) -> None:
    X, y = table(8, 9), labels(8, 10)
    model = NaiveBayes(prior="auto", schema=KINDS).fit(X, y, sample_weight=weights)
    fixed = clone(model).set_params(prior=model.prior_).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(model.loo_predict_proba(), fixed.loo_predict_proba())
    compare(clone(model), X, y, weights, relearn=True)


def test_relearning_goes_by_the_parameters_of_the_fit() -> None:
    X, y = table(12, 11), labels(12, 12)
    model = NaiveBayes(numeric="kmeans", schema=KINDS).fit(X, y)
    expected = model.loo_predict_proba(relearn=True)
    model.set_params(prior=100.0, predictive="map", numeric="gaussian", missing="value")
    np.testing.assert_array_equal(model.loo_predict_proba(relearn=True), expected)


def test_relearning_changes_nothing_where_nothing_is_learned() -> None:
    X, y = table(12, 13), labels(12, 14)
    model = NaiveBayes(schema=KINDS).fit(X, y)
    np.testing.assert_array_equal(model.loo_predict_proba(relearn=True), model.loo_predict_proba())


def test_loo_after_rows_came_and_went() -> None:
    X, y = table(30, 15), labels(30, 16)
    model = NaiveBayes(prior="auto", numeric="mdl", schema=KINDS).fit(X, y).forget(range(0, 30, 3))
    left = [i for i in range(30) if i % 3]
    fresh = clone(model).fit([X[i] for i in left], [y[i] for i in left])
    for relearn in (False, True):
        found, expected = model.loo_predict_proba(relearn=relearn), fresh.loo_predict_proba(relearn=relearn)
        np.testing.assert_array_equal(found, expected)


def test_a_number_far_from_all_others() -> None:
    X = [[1.0], [2.0], [4.0], [1e12]]
    for numeric in ("student", "gaussian", "kernel"):
        compare(NaiveBayes(numeric=numeric), X, ["a", "b", "a", "b"])


def test_declared_classes_stay_in_every_fit() -> None:
    X, y, classes = table(9), labels(9), ["never", "no", "perhaps", "yes"]
    found = NaiveBayes(numeric="student", schema=KINDS).partial_fit(X, y, classes=classes).loo_predict_proba()
    slow = reference(X, y, labels=classes, densities={AGE: "student", SCORE: "student"})
    expected = [slow.without(i).log_probabilities(row) for i, row in enumerate(X)]
    np.testing.assert_allclose(found, np.exp(expected), rtol=1e-10)


def test_one_class_is_certain() -> None:
    np.testing.assert_array_equal(NaiveBayes().fit([[1, "x"], [2, "y"]], [7, 7]).loo_predict_proba(), [[1.0], [1.0]])


def test_one_row_leaves_nothing_to_learn_from() -> None:
    model = NaiveBayes().fit([[1.0]], ["a"])
    with pytest.raises(TooFewRowsError, match=r"NaiveBayes.loo_predict_proba"):
        model.loo_predict_proba()
