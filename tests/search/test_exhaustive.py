"""The slow search of the tests and its result: sound, complete, in order of distance and id."""

from __future__ import annotations

import numpy as np
import pytest
from building import MIXED, encode, mixed_cases, queries, store
from hypothesis import given
from hypothesis import strategies as st
from reference.differences import costs as numpy_costs
from reference.search import kneighbors, settled, within
from sklearn.neighbors import NearestNeighbors

from priorcase.exceptions import QueryIndexError
from priorcase.schema import Numeric
from priorcase.search import Neighbors
from priorcase.similarity import euclidean, heom


@given(
    cases=mixed_cases(), asked=st.lists(queries, max_size=3), k=st.integers(1, 12), ties=st.booleans(), data=st.data()
)
def test_nearest_rows_by_cost_then_id(cases, asked, k, ties, data):
    rows, classes, weights = cases
    instances = store(MIXED, rows, classes, weights)
    fitted = heom().fit(instances)
    cells, ids = instances.cells(), instances.ids + 100
    wanted = encode(instances, asked) if asked else np.empty((0, 4))
    exclude = data.draw(st.none() | st.just(np.array([100 + (i % len(rows)) for i in range(len(asked))], np.int64)))
    indptr, found, costs = kneighbors(fitted, cells, ids, wanted, k, exclude=exclude, ties=ties)
    assert len(indptr) == len(asked) + 1
    for q, query in enumerate(wanted):
        every = sorted(zip(settled(fitted, numpy_costs(fitted, query, cells)).tolist(), ids.tolist(), strict=True))
        if exclude is not None:
            every = [(cost, row) for cost, row in every if row != exclude[q]]
        expected = every[:k]
        if ties and expected:
            expected = [pair for pair in every if pair[0] <= expected[-1][0]]
        part = slice(indptr[q], indptr[q + 1])
        assert list(zip(costs[part].tolist(), found[part].tolist(), strict=True)) == expected


@given(cases=mixed_cases(), query=queries, radius=st.sampled_from([-1.0, 0.0, 0.5, 1.0, 1.5, np.inf]))
def test_rows_within_a_radius(cases, query, radius):
    rows, classes, weights = cases
    instances = store(MIXED, rows, classes, weights)
    fitted = heom().fit(instances)
    wanted = encode(instances, [query])
    indptr, found, costs = within(fitted, instances.cells(), instances.ids, wanted, radius)
    every = settled(fitted, numpy_costs(fitted, wanted[0], instances.cells()))
    near = fitted.finish(every) <= radius
    assert indptr.tolist() == [0, near.sum()]
    assert set(found.tolist()) == set(instances.ids[near].tolist())
    assert costs.tolist() == sorted(every[near].tolist())


def test_agrees_with_scikit_learn():
    rng = np.random.default_rng(3)
    X, Q = rng.normal(size=(60, 4)), rng.normal(size=(5, 4))
    instances = store([Numeric()] * 4, X.tolist())
    fitted = euclidean().fit(instances)
    found = Neighbors(*(answer := kneighbors(fitted, X, instances.ids, Q, 7)), fitted.finish(answer[2]))
    distances, ids = NearestNeighbors(n_neighbors=7, algorithm="brute").fit(X).kneighbors(Q)
    assert np.array_equal(found.rectangular(7)[0], ids)
    assert found.rectangular(7)[1] == pytest.approx(distances)


def test_weights_may_differ_by_query():
    instances = store([Numeric(), Numeric()], [[0, 1], [1, 0]])
    fitted = heom().fit(instances)
    asked = np.zeros((2, 2))
    _, found, costs = kneighbors(
        fitted, instances.cells(), instances.ids, asked, 1, weights=np.array([[1.0, 0.0], [0.0, 1.0]])
    )
    assert (found.tolist(), costs.tolist()) == ([0, 1], [0.0, 0.0])
    _, found, _ = kneighbors(fitted, instances.cells(), instances.ids, asked, 1, weights=np.array([1.0, 3.0]))
    assert found.tolist() == [1, 1]


def test_a_radius_for_each_query():
    instances = store([Numeric()], [[0], [1], [2]])
    answer = within(
        euclidean().fit(instances), instances.cells(), instances.ids, np.zeros((2, 1)), [0.0, 1.0], exclude=[1, 0]
    )
    assert [part.tolist() for part in answer] == [[0, 1, 2], [0, 1], [0.0, 1.0]]


def test_neighbors_are_lists_of_different_lengths():
    found = Neighbors(np.array([0, 1, 1, 3]), np.array([5, 2, 9]), np.array([0.0, 1.0, 4.0]), np.array([0.0, 1.0, 2.0]))
    assert len(found) == 3
    assert found.counts.tolist() == [1, 0, 2]
    assert [ids.tolist() for ids, _ in found] == [[5], [], [2, 9]]
    assert found[-1][1].tolist() == [1.0, 2.0]
    assert found == Neighbors(found.indptr, found.ids.copy(), found.costs, found.distances)
    assert found != Neighbors(found.indptr, found.ids + 1, found.costs, found.distances)
    assert found != 3
    with pytest.raises(QueryIndexError, match="query 3 does not exist; there are 3 queries"):
        found[3]
