"""What the tree classifiers say of their trees."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from reference import trees as reference
from sklearn.base import clone
from structured import SCHEMA, numbered, table

from priorcase.bayes import BDeu, TreeAugmentedBayes, TreeAveragedBayes
from tests.bayes.test_tree_sums import log_fraction


@pytest.mark.parametrize("seed", range(3))
def test_edges_and_evidence_are_those_of_all_trees(seed: int) -> None:
    rows, classes = table(seed, 15)
    known, sizes = numbered(rows, classes)
    mass = {
        tree: reference.marginal(known, reference.rooted(tree, 4), sizes, 3, Fraction(2))
        for tree in reference.spanning_trees(4)
    }
    model = TreeAveragedBayes(BDeu(2), schema=SCHEMA).fit(rows, classes)
    assert model.log_evidence_ == pytest.approx(log_fraction(sum(mass.values()) / Fraction(16)), rel=1e-12)
    edges = model.edge_probabilities_
    for u in range(4):
        for v in range(u + 1, 4):
            share = sum(weight for tree, weight in mass.items() if (u, v) in tree) / sum(mass.values())
            assert edges[u, v] == edges[v, u] == pytest.approx(float(share), rel=1e-11)
    best = TreeAugmentedBayes(BDeu(2), schema=SCHEMA).fit(rows, classes)
    assert tuple(best.tree_) == max(mass, key=lambda tree: mass[tree])
    assert best.log_evidence_ == pytest.approx(log_fraction(max(mass.values())), rel=1e-12)


def test_trees_name_columns() -> None:
    random = np.random.default_rng(0)
    colour = random.choice(["red", "blue"], 60)
    frame = pd.DataFrame({"colour": colour, "noise": random.choice(["x", "y"], 60), "copy": colour})
    model = TreeAugmentedBayes().fit(frame, random.integers(0, 2, 60))
    assert ("colour", "copy") in model.tree_
    assert len(model.tree_) == 2


def test_a_dependence_that_naive_bayes_cannot_see() -> None:
    random = np.random.default_rng(1)
    X = random.integers(0, 2, (400, 6)).astype(str)
    y = X[:, 1] == X[:, 4]
    for estimator in (TreeAveragedBayes, TreeAugmentedBayes):
        assert estimator().fit(X[:200], y[:200]).score(X[200:], y[200:]) == 1.0
    edges = TreeAveragedBayes().fit(X, y).edge_probabilities_
    assert edges[1, 4] > 1 - 1e-9
    assert edges.sum() == pytest.approx(10.0, rel=1e-12)


def test_the_average_tends_to_the_best_tree() -> None:
    rows, classes = table(1, 4000)
    average, best = TreeAveragedBayes().fit(rows, classes), TreeAugmentedBayes().fit(rows, classes)
    np.testing.assert_allclose(average.predict_proba(rows[:50]), best.predict_proba(rows[:50]), atol=0.02)


def test_adding_a_row_multiplies_the_evidence() -> None:
    rows, classes = table(8, 200)
    model = TreeAveragedBayes(schema=SCHEMA).fit(rows[:-1], classes[:-1])
    before = model.log_evidence_
    step = model.predict_joint_log_proba(rows[-1:])[0, model.classes_.tolist().index(classes[-1])]
    assert model.partial_fit(rows[-1:], classes[-1:]).log_evidence_ == pytest.approx(before + step, rel=1e-12)


def test_one_column_is_a_tree_without_edges() -> None:
    model = TreeAugmentedBayes(BDeu(1)).fit([["a"], ["b"], ["a"]], [0, 1, 1])
    assert model.tree_ == []
    assert len(model.edge_table()) == 0
    assert TreeAveragedBayes().fit([["a"], ["b"], ["a"]], [0, 1, 1]).edge_probabilities_.tolist() == [[0.0]]
    # Row by row: 1/2 for the class and 1/2 for the value, then 1/4 and 1/2, then 1/2 and 1/6.
    assert model.log_evidence_ == pytest.approx(np.log(1 / 384), rel=1e-12)


def test_parameters_are_copied() -> None:
    model = clone(TreeAveragedBayes(BDeu(3.0), numeric="kmeans", n_jobs=2))
    assert model.get_params() == {
        "prior": BDeu(3.0),
        "class_prior": None,
        "numeric": "kmeans",
        "keep_rows": True,
        "categorical_features": "from_dtype",
        "schema": None,
        "n_jobs": 2,
    }
