"""Rows at equal reported distances come by id and tie, although their costs before the root may differ."""

from __future__ import annotations

import math

import numpy as np
import pytest
from building import store
from hypothesis import example, given
from hypothesis import strategies as st
from reference import search as reference
from reference.search import settled_costs

from priorcase.neighbors import KNNClassifier
from priorcase.schema import Numeric
from priorcase.search import Index
from priorcase.similarity import euclidean, minkowski
from priorcase.similarity.differences import rooted

# Two rows whose squared distances from 0 are neighbors in float64, with the same root: the farther one has id 0.
FAR, NEAR = [1.0, 2.0**-26], [1.0, 0.0]
COMPILED = ("auto", "tree", "scan", "plain")


def test_the_rows_are_what_they_are_said_to_be():
    costs = np.array([1.0 + FAR[1] ** 2, 1.0])
    assert costs[0] > costs[1]
    assert np.sqrt(costs[0]) == np.sqrt(costs[1])


@pytest.mark.parametrize("algorithm", COMPILED)
def test_rows_at_equal_distances_come_by_id(algorithm):
    instances = store([Numeric(), Numeric()], [FAR, NEAR, [3.0, 0.0]])
    fitted = euclidean().fit(instances)
    index, query = Index(instances, fitted), np.zeros((1, 2))
    assert index.kneighbors(fitted, query, 2, algorithm=algorithm)[0][0].tolist() == [0, 1]
    assert index.kneighbors(fitted, query, 1, algorithm=algorithm)[0][0].tolist() == [0]
    assert index.kneighbors(fitted, query, 1, ties=True, algorithm=algorithm)[0][0].tolist() == [0, 1]
    assert index.within(fitted, query, 1.0, algorithm=algorithm)[0][0].tolist() == [0, 1]
    assert index.costs(fitted, query)[0].tolist() == [1.0, 1.0, 9.0]


@pytest.mark.parametrize("k", [1, 40])
def test_searches_of_many_rows_cut_lists_by_distance_and_id(k):
    rows = [FAR, NEAR] * 400 + [[2.0, float(i)] for i in range(300)]
    instances = store([Numeric(), Numeric()], rows)
    fitted = euclidean().fit(instances)
    index, query = Index(instances, fitted), np.zeros((1, 2))
    for algorithm in COMPILED:
        assert index.kneighbors(fitted, query, k, algorithm=algorithm)[0][0].tolist() == list(range(k))
        assert len(index.kneighbors(fitted, query, k, ties=True, algorithm=algorithm).ids) == 800


def test_the_majority_of_tied_rows_is_taken_of_all_of_them():
    model = KNNClassifier(1, distance="euclidean", ties="majority").fit([FAR, NEAR, NEAR, [9.0, 9.0]], list("abba"))
    for queries in ([[0.0, 0.0]], [[0.0, 0.0]] * 3):  # one row goes another way than several
        assert set(model.predict(queries)) == {"b"}
        distances, ids = model.kneighbors(queries, 3)
        assert ids.tolist() == [[0, 1, 2]] * len(queries)
        assert distances.tolist() == [[1.0] * 3] * len(queries)


@given(
    rows=st.lists(st.tuples(*[st.integers(-3, 3)] * 3), min_size=1, max_size=30),
    query=st.tuples(*[st.integers(-3, 3)] * 3),
    power=st.sampled_from([1.0, 1.5, 2.0, 2.5, 3.0, 7.0]),
    k=st.integers(1, 5),
)
def test_every_power_orders_by_what_it_reports(rows, query, power, k):
    instances = store([Numeric()] * 3, (np.array(rows) * math.pi).tolist())
    fitted = minkowski(power).fit(instances)
    asked = np.array([query]) * math.e
    index = Index(instances, fitted)
    for ties in (False, True):
        found = index.kneighbors(fitted, asked, k, ties=ties)
        assert found == reference.nearest(instances, fitted, asked, k, ties=ties)
        order = np.lexsort((found.ids, found.distances))
        assert order.tolist() == list(range(len(order)))


@given(st.floats(0.0, allow_nan=False), st.sampled_from([1.5, 2.0, 2.5, 3.0, 50.0]))
@example(np.finfo(float).max, 1.5)
def test_settled_costs_keep_the_distance_and_are_settled(cost, power):
    costs = np.array([cost, math.nextafter(cost, math.inf)])
    once = settled_costs(costs, power)
    assert np.array_equal(rooted(once, power), rooted(costs, power))
    assert np.array_equal(settled_costs(once, power), once)
    assert (once[0] == once[1]) == (rooted(costs, power)[0] == rooted(costs, power)[1])
