"""What the super-parent classifiers say of their super-parents."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from reference import trees as reference
from sklearn.base import clone
from structured import SCHEMA, numbered, table

from priorcase.bayes import AODE, BDeu, SuperParentAveragedBayes
from tests.bayes.test_tree_sums import log_fraction


@pytest.mark.parametrize("width", [1, 2, 4])
def test_posteriors_and_evidence_are_those_of_all_members(width: int) -> None:
    rows, classes = table(width, 14, width)
    known, sizes = numbered(rows, classes)
    members = [reference.marginal(known, each, sizes, 3, Fraction(1)) for each in reference.all_super_parents(width)]
    model = SuperParentAveragedBayes(BDeu(1), schema={a: SCHEMA[a] for a in range(width)}).fit(rows, classes)
    shares = [float(each / sum(members)) for each in members]
    np.testing.assert_allclose([model.naive_probability_, *model.super_parent_probabilities_], shares, rtol=1e-11)
    assert model.log_evidence_ == pytest.approx(log_fraction(sum(members) / Fraction(width + 1)), rel=1e-12)


def test_independent_columns_are_naive() -> None:
    # All combinations once in each class: nothing depends on anything.
    rows = [[a, b, c] for a in "abc" for b in "xyz" for c in "pq"] * 8
    model = SuperParentAveragedBayes().fit(rows, [0] * (len(rows) // 2) + [1] * (len(rows) // 2))
    assert model.naive_probability_ > 0.99


def test_one_super_parent_takes_the_weight() -> None:
    random = np.random.default_rng(2)
    parent = random.integers(0, 4, 2000)
    X = np.stack([(parent + random.integers(0, 2, 2000)) % 4 for _ in range(5)] + [parent], axis=1).astype(str)
    model = SuperParentAveragedBayes().fit(X, random.integers(0, 2, 2000))
    assert model.super_parent_probabilities_[5] > 1 - 1e-12


def test_aode_is_a_plain_mean() -> None:
    rows, classes = table(3, 12)
    known, sizes = numbered(rows, classes)
    for least in (1, 2, 4, 100):
        joint = AODE(BDeu(2), min_count=least, schema=SCHEMA).fit(rows, classes).predict_joint_log_proba(rows[:3])
        for i in range(3):
            for k in range(3):
                expected = reference.aode(known, (k, known[i][1]), sizes, 3, Fraction(2), least)
                assert joint[i, k] == pytest.approx(log_fraction(expected), rel=1e-11)


def test_leaving_a_row_out_may_leave_a_value_with_too_few_rows() -> None:
    rows, classes = [["a", "x"], ["b", "x"], ["b", "y"], ["b", "y"]], [0, 1, 0, 1]
    schema = {0: SCHEMA[0], 1: SCHEMA[1]}
    left_out = AODE(schema=schema).fit(rows, classes).loo_predict_proba()
    fresh = AODE(schema=schema).fit(rows[1:], classes[1:])
    np.testing.assert_allclose(left_out[0], fresh.predict_proba(rows[:1])[0], rtol=1e-12)


def test_parameters_are_copied() -> None:
    assert clone(AODE(BDeu(3.0), min_count=30)).get_params()["min_count"] == 30
