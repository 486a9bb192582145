"""Sums over all trees: against enumeration, a node-by-node elimination in logarithms, and closed forms."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import trees as reference

from priorcase.bayes.pairs import as_matrix, best_tree, edge_shares, log_tree_sum

exponents = st.integers(-1500, 1500)
"""Powers of two as weights: over two thousand nats apart, and exact as fractions."""


def edges_of(weights: Any) -> np.ndarray[Any, Any]:
    """The lower triangle of a matrix, row by row."""
    matrix = np.asarray(weights)
    return matrix[np.tril_indices(len(matrix), -1)]


def log_fraction(x: Fraction) -> float:
    """ln of a positive fraction of any size."""
    shift = x.numerator.bit_length() - x.denominator.bit_length()
    return float(np.log(float(x / Fraction(2) ** shift))) + shift * float(np.log(2.0))


@st.composite
def weights(draw: st.DrawFn) -> list[list[Fraction]]:
    n = draw(st.integers(1, 5))
    result = [[Fraction(0)] * n for _ in range(n)]
    for v in range(n):
        for u in range(v):
            result[u][v] = result[v][u] = Fraction(2) ** draw(exponents) * draw(st.integers(1, 9))
    return result


def log_edges(exact: list[list[Fraction]]) -> np.ndarray[Any, Any]:
    n = len(exact)
    return np.array([log_fraction(exact[v][u]) for v in range(n) for u in range(v)])


@given(weights())
def test_sum_is_that_of_all_trees(exact: list[list[Fraction]]) -> None:
    expected = log_fraction(reference.tree_sum(exact))
    assert log_tree_sum(log_edges(exact), len(exact)) == pytest.approx(expected, rel=1e-13, abs=1e-12)


@given(weights())
def test_shares_of_edges_are_those_of_all_trees(exact: list[list[Fraction]]) -> None:
    n = len(exact)
    shares = edge_shares(log_edges(exact), n)
    expected = [float(reference.edge_probability(exact, u, v)) for v in range(n) for u in range(v)]
    # A logarithm of a thousand nats carries a relative error of 1e-13 into the weight itself.
    np.testing.assert_allclose(shares, expected, rtol=1e-11, atol=1e-300)


@given(weights())
def test_best_tree_is_the_heaviest_of_all(exact: list[list[Fraction]]) -> None:
    n = len(exact)
    tree = tuple((int(u), int(v)) for u, v in best_tree(log_edges(exact), n))
    assert tree in set(reference.spanning_trees(n))
    heaviest = max(reference.weight_of(each, exact) for each in reference.spanning_trees(n))
    assert reference.weight_of(tree, exact) == heaviest


@pytest.mark.parametrize("spread", [0.0, 1.0, 300.0, 20_000.0])
@pytest.mark.parametrize("n", [1, 2, 3, 12, 40])
def test_many_nodes(n: int, spread: float) -> None:
    logs = np.random.default_rng(n).normal(0.0, 1.0, math.comb(n, 2)) * spread
    expected = reference.log_tree_sum(as_matrix(logs, n).tolist())
    assert log_tree_sum(logs, n) == pytest.approx(expected, rel=1e-13, abs=1e-12)


@pytest.mark.parametrize("spread", [0.0, 1.0, 300.0, 20_000.0])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 30, 100])
def test_shares_are_probabilities(n: int, spread: float) -> None:
    shares = edge_shares(np.random.default_rng(n).normal(0.0, 1.0, math.comb(n, 2)) * spread, n)
    assert (shares >= 0).all()
    assert (shares <= 1).all()
    assert shares.sum() == pytest.approx(n - 1, rel=1e-12)


def test_weights_of_nodes_have_a_closed_form() -> None:
    # With weights x_u x_v: prod x_v * (sum x_v)^(n - 2) (Cayley's formula, by degrees).
    x = np.random.default_rng(3).normal(0.0, 200.0, 100)
    v, u = np.tril_indices(100, -1)
    expected = x.sum() + 98 * reference.log_sum(x.tolist())
    assert log_tree_sum(x[u] + x[v], 100) == pytest.approx(expected, rel=1e-13)


def test_two_clusters_joined_by_a_hair() -> None:
    """A bridge that every tree needs has share 1 however small its weight is."""
    logs = np.full((4, 4), -5000.0)
    logs[0, 1] = logs[1, 0] = logs[2, 3] = logs[3, 2] = 5000.0
    shares = as_matrix(edge_shares(edges_of(logs), 4), 4)
    assert shares[0, 1] == 1.0
    np.testing.assert_allclose(shares[:2, 2:], 0.25, rtol=1e-12)


@given(st.permutations(range(6)), st.integers(0, 9))
def test_renaming_nodes_changes_nothing(order: list[int], seed: int) -> None:
    logs = as_matrix(np.random.default_rng(seed).normal(0.0, 50.0, 15), 6)
    renamed = logs[np.ix_(order, order)]
    assert log_tree_sum(edges_of(renamed), 6) == pytest.approx(log_tree_sum(edges_of(logs), 6), rel=1e-14, abs=1e-12)
    shares = as_matrix(edge_shares(edges_of(logs), 6), 6)
    np.testing.assert_allclose(
        as_matrix(edge_shares(edges_of(renamed), 6), 6), shares[np.ix_(order, order)], atol=1e-12
    )


def test_ties_go_to_the_first_pair() -> None:
    assert best_tree(np.zeros(6), 4).tolist() == [[0, 1], [0, 2], [0, 3]]
    # Rounding noise does not choose, although it is largest between the others: (1,2), (1,3), (2,3).
    noisy = np.array([0.0, 0.0, 1e-12, 0.0, 1e-12, 2e-12])
    assert best_tree(noisy, 4).tolist() == [[0, 1], [0, 2], [0, 3]]


def test_one_node_has_one_tree() -> None:
    nothing = np.empty(0)
    assert log_tree_sum(nothing, 1) == 0.0
    assert edge_shares(nothing, 1).size == 0
    assert best_tree(nothing, 1).shape == (0, 2)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_the_core_refuses_weights_that_are_no_numbers(bad: float) -> None:
    with pytest.raises(ValueError, match="weights must be finite"):
        log_tree_sum(np.array([bad]), 2)
    with pytest.raises(ValueError, match="one weight for each pair of nodes"):
        log_tree_sum(np.zeros(2), 3)
