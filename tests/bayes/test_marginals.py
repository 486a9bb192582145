"""Marginal likelihoods of counted values, and sums that do not know in which order values were first seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from priorcase.bayes import NaiveBayes, log_marginal
from priorcase.bayes.memory import Discrete
from priorcase.bayes.priors import log_marginals


def test_it_is_the_marginal_likelihood_of_each_class() -> None:
    random = np.random.default_rng(0)
    counts = random.integers(0, 4, (11, 3)).astype(float)
    inside = np.array([False, False, True, True, True, True, True, False, True, True, False])
    discrete = Discrete((0, 1), np.array([0, 6, 11]), (None, None), counts, inside)
    weights = np.where(inside, random.random(11), 0.0)[:, np.newaxis]
    more = np.array([[0.25], [3.0]])
    for d, cells in enumerate(([2, 3, 4, 5], [6, 8, 9])):
        plain = log_marginal(counts[cells].T, weights[cells].T)
        np.testing.assert_allclose(log_marginals(discrete, weights)[d], plain, rtol=1e-13)
        wide = np.concatenate([counts[cells].T, np.zeros((3, 1))], axis=1)
        wide_weights = np.append(weights[cells], more[d])
        np.testing.assert_allclose(log_marginals(discrete, weights, more)[d], log_marginal(wide, wide_weights))


@pytest.mark.parametrize("prior", [1.0, 0.1, "bdeu"])
@pytest.mark.parametrize("weighted", [False, True])
def test_values_first_seen_in_another_order(prior: Any, weighted: bool) -> None:
    for seed in range(30):
        random = np.random.default_rng(seed)
        X, y = random.choice(list("abcdefghijklmn"), (40, 3)), random.choice(["x", "y"], 40)
        weights = random.random(40) if weighted else np.ones(40)
        fresh = NaiveBayes(prior=prior).fit(X[15:], y[15:], weights[15:])
        left = NaiveBayes(prior=prior).fit(X, y, weights).forget(range(15))
        assert fresh.log_evidence_ == left.log_evidence_
        assert fresh.predict_joint_log_proba(X).tobytes() == left.predict_joint_log_proba(X).tobytes()
        assert fresh.loo_predict_proba().tobytes() == left.loo_predict_proba().tobytes()
