"""The equivalent sample size that makes the stored rows most probable."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference import trees as reference
from structured import CLASSES, ESTIMATORS, SCHEMA, numbered, table

from priorcase.bayes import AODE, BDeu, SuperParentAveragedBayes, TreeAugmentedBayes, TreeAveragedBayes
from tests.bayes.test_tree_sums import log_fraction

every = pytest.mark.parametrize("estimator", ESTIMATORS)


def evidence(estimator: Any, rows: list[reference.Row], sizes: list[int], ess: float) -> float:
    """The log marginal likelihood by writing out every structure; that of the super-parent family for AODE."""
    n, exact = len(sizes), Fraction(ess).limit_denominator(10**6)
    trees = estimator in (TreeAveragedBayes, TreeAugmentedBayes)
    structures = reference.all_trees(n) if trees else reference.all_super_parents(n)
    mass = [reference.marginal(rows, each, sizes, 3, exact) for each in structures]
    return log_fraction(max(mass) if estimator is TreeAugmentedBayes else sum(mass) / Fraction(len(mass)))


@every
@pytest.mark.parametrize("seed", [0, 1])
def test_no_other_size_makes_the_rows_more_probable(estimator: Any, seed: int) -> None:
    rows, classes = table(seed, 15, 3)
    model = estimator("auto", schema={a: SCHEMA[a] for a in range(3)}).fit(rows, classes)
    known, sizes = numbered(rows, classes)
    chosen = model.prior_.equivalent_sample_size
    most = evidence(estimator, known, sizes, chosen)
    for ess in (*np.geomspace(1e-3, 1e6, 10), chosen / 1.01, chosen * 1.01):
        assert evidence(estimator, known, sizes, float(ess)) <= most + 1e-9
    if estimator is not AODE:
        assert model.log_evidence_ == pytest.approx(most, rel=1e-9)


@every
def test_answers_are_those_of_the_size_that_was_chosen(estimator: Any) -> None:
    rows, classes = table(3, 40, 4, 0.1)
    model = estimator("auto").fit(rows, classes)
    given = estimator(model.prior_).fit(rows, classes)
    queries = [*rows, ["new", None, "p", "m"]]
    assert given.prior_ == model.prior_ != BDeu(1.0)
    assert model.predict_joint_log_proba(queries).tobytes() == given.predict_joint_log_proba(queries).tobytes()
    assert model.loo_predict_proba().tobytes() == given.loo_predict_proba().tobytes()  # what was chosen stays chosen


@every
@pytest.mark.parametrize("weighted", [False, True])
def test_however_the_rows_came(estimator: Any, weighted: bool) -> None:
    rows, classes = table(9, 60, 3, 0.1)
    weights = np.random.default_rng(2).random(60) if weighted else np.ones(60)
    fresh = estimator("auto").fit(rows[10:50], classes[10:50], weights[10:50])
    parts = estimator("auto").fit(rows[:20], classes[:20], weights[:20])
    before = parts.prior_
    parts.partial_fit(rows[20:35], classes[20:35], sample_weight=weights[20:35])
    parts.merge(estimator("auto").fit(rows[35:], classes[35:], weights[35:]))
    parts.forget([*range(10), *range(50, 60)])
    backwards = estimator("auto", n_jobs=3).fit(rows[49:9:-1], classes[49:9:-1], weights[49:9:-1])
    assert parts.prior_ == fresh.prior_ == backwards.prior_ == pickle.loads(pickle.dumps(parts)).prior_ != before
    assert parts.predict_joint_log_proba(rows).tobytes() == fresh.predict_joint_log_proba(rows).tobytes()


@every
def test_relearning_chooses_anew_without_each_row(estimator: Any) -> None:
    rows, classes = table(7, 6, 3)
    model = estimator("auto", schema={a: SCHEMA[a] for a in range(3)}).partial_fit(rows, classes, CLASSES)
    found = model.loo_predict_proba(relearn=True)
    for i in range(6):
        others = [j for j in range(6) if j != i]
        fresh = estimator("auto", schema={a: SCHEMA[a] for a in range(3)})
        fresh.partial_fit([rows[j] for j in others], [classes[j] for j in others], CLASSES)
        np.testing.assert_allclose(found[i], fresh.predict_proba([rows[i]])[0], rtol=1e-9)
    assert np.abs(found - model.loo_predict_proba()).max() > 1e-6


def test_a_plain_average_takes_the_size_of_the_family() -> None:
    rows, classes = table(4, 40)
    assert AODE("auto").fit(rows, classes).prior_ == SuperParentAveragedBayes("auto").fit(rows, classes).prior_


@every
def test_nothing_to_choose_by(estimator: Any) -> None:
    assert estimator("auto").fit([["a"], ["a"]], ["yes", "yes"]).prior_ == BDeu(1.0)
    assert estimator(BDeu(2)).fit([["a"], ["a"]], ["yes", "yes"]).prior_ == BDeu(2.0)


@every
def test_columns_without_any_order_take_the_largest(estimator: Any) -> None:
    rows = [[a, b] for a in "abcd" for b in "wxyz"] * 2  # every pair as often as every other
    assert estimator("auto").fit(rows, [0] * 16 + [1] * 16).prior_ == BDeu(1e6)
