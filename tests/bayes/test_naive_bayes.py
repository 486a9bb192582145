"""Naive Bayes against its slow reference, the texts' worked examples, and scikit-learn where both define the same."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bayes_tables import AGE, DISCRETE, KINDS, SCORE, cut, fixed, labels, reference, table
from hypothesis import given
from hypothesis import strategies as st
from reference import numeric as slow_numbers
from reference import predictive as slow_values
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from tables import row_lists

from priorcase.bayes import KernelDensity, MEstimate, NaiveBayes, Student
from priorcase.exceptions import NotAvailableError
from priorcase.schema import Nominal

PREDICTIVES = ["evidence", "map", "sc"]
X, Y = table(36), labels(36)
QUERIES = [*table(14, seed=5, new=True), [None] * 7]


def compare(model: Any, slow: Any, queries: Any = QUERIES, cap: float | None = None) -> None:
    cuts = model.cut_points_
    expected = np.array([slow.log_probabilities(row, cap) for row in cut(queries, cuts)])
    np.testing.assert_allclose(model.predict_log_proba(queries), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(queries), np.exp(expected), rtol=1e-9, atol=1e-15)
    best = np.argmax(model.predict_joint_log_proba(queries), axis=1)
    assert model.predict(queries).tolist() == model.classes_[best].tolist()


@pytest.mark.parametrize("missing", ["ignore", "value"])
@pytest.mark.parametrize("numeric", ["student", "gaussian", "kernel"])
@pytest.mark.parametrize("predictive", PREDICTIVES)
def test_densities_beside_counts(predictive: Any, numeric: Any, missing: str) -> None:
    model = NaiveBayes(predictive, numeric=numeric, missing=missing, schema=KINDS).fit(X, Y)
    smooth = dict.fromkeys((AGE, SCORE), "silverman" if numeric == "kernel" else numeric)
    compare(model, reference(X, Y, predictive=predictive, gaps_count=missing == "value", densities=smooth))


@pytest.mark.parametrize("missing", ["ignore", "value"])
@pytest.mark.parametrize("numeric", ["equal_width", "equal_frequency", "kmeans", "mdl", "two_way"])
@pytest.mark.parametrize("predictive", PREDICTIVES)
def test_bins_beside_counts(predictive: Any, numeric: Any, missing: str) -> None:
    rows = [list(row) for row in X]
    for row, y in zip(rows, Y, strict=True):
        row[AGE] = None if row[AGE] is None else row[AGE] + 9 * (y == "yes")
    model = NaiveBayes(predictive, numeric=numeric, missing=missing, schema=KINDS).fit(rows, Y)
    assert set(model.cut_points_) == {AGE, SCORE}
    assert model.cut_points_[AGE].size
    compare(model, reference(rows, Y, model.cut_points_, predictive=predictive, gaps_count=missing == "value"))


def test_each_numeric_column_by_its_own_strategy() -> None:
    frame = pd.DataFrame(X, columns=list("abcdefg")).astype({"f": float, "g": float})
    kinds = dict(zip("abcdefg", KINDS.values(), strict=True))
    model = NaiveBayes(numeric={"f": "student", "g": KernelDensity(0.5)}, schema=kinds).fit(frame, Y)
    slow = reference(X, Y, densities={AGE: "student", SCORE: 0.5})
    compare(model, slow)


@pytest.mark.parametrize("predictive", PREDICTIVES)
def test_a_gap_that_counts_but_never_occurred_is_a_new_value(predictive: Any) -> None:
    rows = table(20, gaps=0.0)
    model = NaiveBayes(predictive, numeric="equal_width", missing="value", schema=KINDS).fit(rows, Y[:20])
    compare(model, reference(rows, Y[:20], model.cut_points_, predictive=predictive, gaps_count=True))


@given(rows=row_lists(2, 12), queries=row_lists(1, 4), data=st.data(), predictive=st.sampled_from(PREDICTIVES))
def test_small_tables(rows: Any, queries: Any, data: Any, predictive: Any) -> None:
    y = [data.draw(st.sampled_from("abc")) for _ in rows]
    gaps_count = data.draw(st.booleans())
    model = NaiveBayes(
        predictive, missing="value" if gaps_count else "ignore", schema=dict.fromkeys(range(3), Nominal())
    )
    slow = reference(rows, y, predictive=predictive, gaps_count=gaps_count, declared={})
    compare(model.fit(rows, y), slow, queries)


# -- the marginal likelihood


@pytest.mark.parametrize("missing", ["ignore", "value"])
def test_log_evidence_is_the_sum_of_predictions_in_any_order(missing: str) -> None:
    rows = [[row[a] for a in DISCRETE] for row in X[:25]]
    kinds = {a: KINDS[a] for a in DISCRETE}
    model = NaiveBayes(prior=0.5, missing=missing, schema=kinds).fit(rows, Y[:25])
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(25)
        shuffled, y = [rows[i] for i in order], [Y[i] for i in order]
        half = {"class_weights": [Fraction(1, 2)] * 3, "weight": fixed(Fraction(1, 2))}
        slow = reference(shuffled, y, gaps_count=missing == "value", **half)
        assert model.log_evidence_ == pytest.approx(slow.log_evidence(), rel=1e-13)
        assert (
            NaiveBayes(prior=0.5, missing=missing, schema=kinds).fit(shuffled, y).log_evidence_ == model.log_evidence_
        )


def test_log_evidence_is_the_sum_of_what_a_growing_model_predicts() -> None:
    rows, kinds = [[row[3], row[4]] for row in X], {0: KINDS[3], 1: KINDS[4]}
    grown = NaiveBayes(schema=kinds).partial_fit(rows[:1], Y[:1], classes=["no", "perhaps", "yes"])
    total = grown.log_evidence_
    for row, y in zip(rows[1:], Y[1:], strict=True):
        total += grown.predict_joint_log_proba([row])[0, grown.classes_.tolist().index(y)]
        grown.partial_fit([row], [y])
    assert grown.log_evidence_ == pytest.approx(total, rel=1e-13)


def test_log_evidence_of_numbers() -> None:
    rows = [[row[SCORE]] for row in X]
    plain = NaiveBayes(numeric=Student(2.0, 3.0, 0.5, 1.5)).fit(rows, Y)
    prior = {"strength": 2.0, "degrees": 3.0, "prior_mean": 0.5, "scale": 1.5}
    expected = slow_values.log(slow_values.marginal([plain.classes_.tolist().index(y) for y in Y], [Fraction(1)] * 3))
    for k in plain.classes_:
        own = [row[0] for row, y in zip(rows, Y, strict=True) if y == k and row[0] is not None]
        expected += slow_numbers.log_normal_gamma_marginal(own, **prior)
    assert plain.log_evidence_ == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("numeric", ["gaussian", "kernel"])
def test_plug_in_densities_have_no_evidence(numeric: Any) -> None:
    model = NaiveBayes(numeric={AGE: numeric}, schema=KINDS).fit(X, Y)
    with pytest.raises(NotAvailableError, match=rf"NaiveBayes.log_evidence_: .*{AGE}"):
        _ = model.log_evidence_


# -- worked examples

REFUND = ["yes", "no", "no", "yes", "no", "no", "yes", "no", "no", "no"]
STATUS = ["single", "married", "single", "married", "divorced", "married", "divorced", "single", "married", "single"]
INCOME = [125, 100, 70, 120, 95, 60, 220, 85, 75, 90]
EVADE = ["no", "no", "no", "no", "yes", "no", "no", "yes", "no", "yes"]
TAXES = list(map(list, zip(REFUND, STATUS, INCOME, strict=True)))
QUESTION = [["no", "married", 120]]


def test_tax_example_of_the_lecture() -> None:
    # P(X | No) P(No) = 4/7 4/7 0.0072 7/10, and nobody who evaded is married.
    model = NaiveBayes("map", numeric="gaussian").fit(TAXES, EVADE)
    joint = np.exp(model.predict_joint_log_proba(QUESTION))[0]
    density = math.exp(-((120 - 110) ** 2) / (2 * 2975)) / math.sqrt(2 * math.pi * 2975)
    assert joint.tolist() == pytest.approx([4 / 7 * 4 / 7 * density * 0.7, 0.0])
    assert joint[0] / 0.7 == pytest.approx(0.0024, rel=0.03)
    assert model.predict(QUESTION) == ["no"]
    assert model.predict_proba(QUESTION).tolist() == [[1.0, 0.0]]


def test_m_estimate_of_the_lecture() -> None:
    # With m = 3 a married person has 1/6 among those who evaded.
    model = NaiveBayes(prior={1: 1.0, 0: 1e-100}, class_prior=1e-100, numeric="gaussian").fit(TAXES, EVADE)
    both = NaiveBayes(prior=MEstimate(3.0)).fit([row[1:2] for row in TAXES], EVADE)
    shares = np.exp(both.predict_joint_log_proba([["married"]]) - np.log([(7 + 1.5) / 13, (3 + 1.5) / 13]))
    assert shares[0].tolist() == pytest.approx([5 / 10, 1 / 6])
    joint = np.exp(model.predict_joint_log_proba(QUESTION))[0]
    assert joint[1] == pytest.approx(0.3 * 1 * (1 / 6) * 1.2e-9, rel=0.02)


@pytest.mark.parametrize(("predictive", "share"), [("map", 1.0), ("evidence", 2 / 3), ("sc", 4 / 5)])
def test_one_1_seen(predictive: Any, share: float) -> None:
    # Two classes, one row: what comes next, after Kontkanen et al. 1997, section 4.1.
    model = NaiveBayes(predictive, schema={0: Nominal()}).partial_fit([[None]], [1], classes=[0, 1])
    assert model.predict_proba([[None]])[0, 1] == pytest.approx(share, rel=1e-15)


# -- scikit-learn


@pytest.mark.parametrize("alpha", [1.0, 0.5, 1e-3])
def test_categorical_naive_bayes_of_scikit_learn(alpha: float) -> None:
    random = np.random.default_rng(0)
    codes, y = random.integers(0, 4, (80, 5)), random.integers(0, 3, 80)
    weights = random.integers(1, 4, 80).astype(float)
    theirs = CategoricalNB(alpha=alpha, min_categories=4).fit(codes, y, sample_weight=weights)
    # Theirs does not smooth the shares of the classes.
    ours = NaiveBayes(prior=alpha, class_prior=1e-100, categorical_features=list(range(5)))
    ours.fit(codes, y, sample_weight=weights)
    queries = random.integers(0, 4, (50, 5))
    np.testing.assert_allclose(ours.predict_log_proba(queries), theirs.predict_log_proba(queries), rtol=1e-10)
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(queries), theirs.predict_joint_log_proba(queries), rtol=1e-12
    )


def test_gaussian_naive_bayes_of_scikit_learn() -> None:
    random = np.random.default_rng(1)
    y = random.integers(0, 3, 36)
    numbers = random.normal(y[:, np.newaxis], 1.0, (36, 4))
    theirs = GaussianNB(var_smoothing=0.0).fit(numbers, y)
    theirs.var_ *= (theirs.class_count_ / (theirs.class_count_ - 1))[:, np.newaxis]  # they divide by n
    ours = NaiveBayes("map", numeric="gaussian").fit(numbers, y)
    queries = random.normal(1.0, 2.0, (40, 4))
    np.testing.assert_allclose(ours.predict_log_proba(queries), theirs.predict_log_proba(queries), rtol=1e-7)


# -- weights


@pytest.mark.parametrize("numeric", ["student", "gaussian", "kernel", "kmeans", "mdl", "equal_frequency"])
@pytest.mark.parametrize("predictive", PREDICTIVES)
def test_whole_weights_are_repeated_rows(predictive: Any, numeric: Any) -> None:
    weights = np.random.default_rng(2).integers(0, 4, 36)
    model = NaiveBayes(predictive, numeric=numeric, schema=KINDS)
    weighted = model.fit(X, Y, sample_weight=weights).predict_log_proba(QUERIES)
    evidence = model.log_evidence_ if numeric not in ("gaussian", "kernel") else 0.0
    repeated = [i for i, weight in enumerate(weights) for _ in range(weight)]
    model.fit([X[i] for i in repeated], [Y[i] for i in repeated])
    np.testing.assert_allclose(weighted, model.predict_log_proba(QUERIES), rtol=1e-12)
    if evidence:
        assert evidence == pytest.approx(model.log_evidence_, rel=1e-13)


@pytest.mark.parametrize("predictive", PREDICTIVES)
def test_fractional_weights(predictive: Any) -> None:
    rows, kinds = [[row[a] for a in DISCRETE] for row in X], {a: KINDS[a] for a in DISCRETE}
    weights = np.random.default_rng(3).choice([0.0, 0.25, 0.1, 3.7], 36)
    model = NaiveBayes(predictive, schema=kinds).fit(rows, Y, sample_weight=weights)
    kept = np.flatnonzero(weights)
    assert model.ids_.tolist() == kept.tolist()
    slow = reference(
        [rows[i] for i in kept],
        [Y[i] for i in kept],
        times=[Fraction(weights[i]) for i in kept],
        predictive=predictive,
    )
    compare(model, slow, [row[: len(DISCRETE)] for row in QUERIES])
