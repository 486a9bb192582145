"""Costs beyond float64 are infinite, quietly, and the same in plain NumPy and in the compiled core."""

from __future__ import annotations

import math

import numpy as np
import pytest
from building import store
from reference.differences import costs as numpy_costs
from reference.search import settled

from priorcase.schema import Nominal, Numeric
from priorcase.search import Index
from priorcase.similarity import Absolute, Distance, ValueTable, euclidean, gower, ib, manhattan, minkowski

BIG = 1e154  # its square is within float64, twice its square is not

CASES = {
    "difference": (euclidean(), [[1e308, 0]], [-1e308, 0], None, math.inf),
    "division": (Distance(numeric=Absolute("none", factor=1e-300)), [[1e300, 0]], [0, 0], None, math.inf),
    "square": (euclidean(), [[1e300, 0]], [0, 0], None, math.inf),
    "power": (minkowski(2.5), [[1e300, 0]], [0, 0], None, math.inf),
    "weight": (manhattan(), [[1e200, 0]], [0, 0], [1e200, 1], math.inf),
    "weight, maximal": (Distance(numeric=Absolute("none")), [[1e150, 0]], [0, 0], [1e200, 1], math.inf),
    "sum": (euclidean(), [[BIG, BIG]], [0, 0], None, math.inf),
    "sum, maximal": (Distance(numeric=Absolute("none")), [[BIG, BIG]], [0, 0], None, math.inf),
    "scaled up": (euclidean(), [[BIG, math.nan]], [0, 0], None, math.inf),
    "mean over little weight": (gower(), [[0, math.nan], [1, 0]], [1e300, 0], [1e-200, 1], 1e300),
    "farthest from a gap": (Distance(missing="aha"), [[0, 0], [1e-5, 1], [math.nan, 1]], [1e305, 0], None, math.inf),
    "stretched range": (ib(), [[0, 0], [1, 1]], [1e300, 0], None, 1.0),
    "no weight": (euclidean(), [[1e300, 2]], [-1e300, 0], [0, 1], 4.0),
    "no weight, maximal": (Distance(numeric=Absolute("none")), [[1e300, 2]], [-1e300, 0], [0, 1], 4.0),
    "no weight, gaps": (euclidean(), [[1e300, math.nan]], [-1e300, 0], [0, 1], math.inf),
}


@pytest.mark.parametrize("name", CASES)
def test_costs_overflow_to_infinity(name):
    distance, rows, query, weights, expected = CASES[name]
    instances = store([Numeric(), Numeric()], [[None if math.isnan(x) else x for x in row] for row in rows])
    fitted = distance.fit(instances)
    asked = np.array(query, dtype=np.float64)
    weighed = None if weights is None else np.array(weights, dtype=np.float64)
    costs = settled(fitted, numpy_costs(fitted, asked, instances.cells(), weighed))
    assert costs[0] == expected
    assert np.array_equal(settled(fitted, fitted.costs(asked, instances.cells(), weighed)), costs)
    assert not np.isnan(costs).any()
    assert np.array_equal(Index(instances, fitted).costs(fitted, asked[None, :], weights=weighed)[0], costs)
    index = Index(instances, fitted)
    for algorithm in ("auto", "scan", "tree", "plain"):
        found = index.kneighbors(fitted, asked[None, :], len(rows), weights=weighed, algorithm=algorithm)
        assert sorted(found.costs.tolist()) == sorted(costs.tolist())


def test_tables_of_large_differences_overflow_to_infinity():
    instances = store([Nominal()], [["a"], ["b"]])
    fitted = Distance(nominal=ValueTable(("a", "b"), [[0, 1e300], [1, 0]])).fit(instances)
    assert fitted.costs(np.array([0.0]), instances.cells()).tolist() == [0.0, math.inf]
    assert fitted.costs(np.array([-1.0]), instances.cells()).tolist() == [math.inf, math.inf]


def test_contributions_to_a_sum_beyond_float64():
    """Each contribution is finite, their sum is not: the attributes that differ bear it, the others nothing."""
    instances = store([Numeric()] * 3, [[BIG, 1e153, 0], [1e300, 1, 0]])
    fitted = Distance(numeric=Absolute("none")).fit(instances)
    weights = np.array([2.0, 200.0, 1.0]) * 0.6
    assert np.isfinite(fitted.contributions(np.zeros(3), instances.cells(), weights)[0]).all()
    found = fitted.distance_contributions(np.zeros(3), instances.cells(), weights)
    assert found.tolist() == [[math.inf, math.inf, 0.0], [math.inf, 0.0, 0.0]]
