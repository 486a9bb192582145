"""Counts of pairs of values: against plain counting, and the marginal likelihoods that they give."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import trees as reference

from priorcase.bayes.pairs import PairCounts, PairWeights, check_n_pairs
from priorcase.exceptions import TooLargeError
from tests.bayes.test_tree_sums import log_fraction


def random_rows(
    seed: int, n: int, sizes: tuple[int, ...], n_classes: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    random = np.random.default_rng(seed)
    columns = np.array([random.integers(0, size, n) for size in sizes]).reshape(len(sizes), n)
    return columns, random.integers(0, n_classes, n)


def as_rows(columns: np.ndarray[Any, Any], classes: np.ndarray[Any, Any]) -> list[reference.Row]:
    return [(int(k), tuple(int(x) for x in row)) for k, row in zip(classes, columns.T, strict=True)]


def counted(
    columns: Any, classes: Any, sizes: Any, n_classes: int, weights: Any = None, threads: int = 1
) -> PairCounts:
    counts = PairCounts.empty(sizes, n_classes)
    counts.add(columns, classes, weights, threads=threads)
    return counts


def single(counts: PairCounts, a: int) -> Any:
    """Counts of one attribute: values by classes."""
    starts = np.concatenate(([0], np.cumsum(counts.sizes * counts.n_classes)))
    return counts.singles[starts[a] : starts[a + 1]].reshape(-1, counts.n_classes)


def pair(counts: PairCounts, u: int, v: int) -> Any:
    """Counts of two attributes, u before v: values of u by values of v by classes."""
    second, first = np.tril_indices(counts.n_attributes, -1)
    starts = np.concatenate(([0], np.cumsum(counts.sizes[first] * counts.sizes[second] * counts.n_classes)))
    edge = v * (v - 1) // 2 + u
    return counts.pairs[starts[edge] : starts[edge + 1]].reshape(int(counts.sizes[u]), -1, counts.n_classes)


def assert_plain_counts(counts: PairCounts, columns: Any, classes: Any, amounts: Any) -> None:
    """The counts are those of one row after the other, bit for bit."""
    sizes, n_classes = [single(counts, v).shape[0] for v in range(len(columns))], len(counts.classes)
    np.testing.assert_array_equal(counts.classes, np.bincount(classes, weights=amounts, minlength=n_classes))
    for v, size in enumerate(sizes):
        expected = np.zeros((size, n_classes))
        np.add.at(expected, (columns[v], classes), amounts)
        np.testing.assert_array_equal(single(counts, v), expected)
        for u in range(v):
            table = np.zeros((sizes[u], size, n_classes))
            np.add.at(table, (columns[u], columns[v], classes), amounts)
            np.testing.assert_array_equal(pair(counts, u, v), table)


@pytest.mark.parametrize("sizes", [(3,), (2, 4), (3, 1, 5), (2, 3, 4, 2)])
@pytest.mark.parametrize("weighted", [False, True])
def test_counts_are_plain_counts(sizes: tuple[int, ...], weighted: bool) -> None:
    columns, classes = random_rows(1, 200, sizes, 3)
    weights = np.random.default_rng(2).integers(1, 5, 200).astype(float) if weighted else None
    counts = counted(columns, classes, sizes, 3, weights)
    amounts = np.ones(200) if weights is None else weights
    assert_plain_counts(counts, columns, classes, amounts)


def test_threads_change_no_bit_even_with_fractions() -> None:
    columns, classes = random_rows(3, 10_000, (4, 3, 8, 2, 5), 4)
    weights = np.random.default_rng(4).random(10_000)
    one, four = (counted(columns, classes, (4, 3, 8, 2, 5), 4, weights, threads) for threads in (1, 4))
    assert one.pairs.tobytes() == four.pairs.tobytes()
    assert one.singles.tobytes() == four.singles.tobytes()
    assert one.classes.tobytes() == four.classes.tobytes()
    # Rows are counted in blocks of a few thousand: here there are several, the last one not full.
    assert_plain_counts(one, columns, classes, weights)


@pytest.mark.parametrize("exponents", [(0, 1), (-3, 3), (-900, 900)])
def test_the_order_of_fractional_weights_changes_no_bit(exponents: tuple[int, int]) -> None:
    sizes = (3, 2, 4)
    columns, classes = random_rows(7, 300, sizes, 2)
    random = np.random.default_rng(8)
    weights = np.ldexp(random.random(300), random.integers(*exponents, 300))
    order = random.permutation(300)
    one = PairCounts.of_rows(lambda rows: columns[:, rows], classes, weights, sizes, 2)
    again = columns[:, order]
    other = PairCounts.of_rows(lambda rows: again[:, rows], classes[order], weights[order], sizes, 2, threads=2)
    assert one.pairs.tobytes() == other.pairs.tobytes()
    assert one.singles.tobytes() == other.singles.tobytes()
    assert one.classes.tobytes() == other.classes.tobytes()
    exact = [math.fsum(weights[classes == k]) for k in range(2)]
    np.testing.assert_allclose(one.classes, exact, rtol=4e-16)


def test_whole_weights_are_repetitions() -> None:
    columns, classes = random_rows(7, 50, (3, 2), 2)
    times = np.random.default_rng(1).integers(0, 4, 50)
    weighted = PairCounts.of_rows(lambda rows: columns[:, rows], classes, times.astype(float), (3, 2), 2)
    repeated = counted(np.repeat(columns, times, axis=1), np.repeat(classes, times), (3, 2), 2)
    assert weighted.pairs.tobytes() == repeated.pairs.tobytes()


@given(st.integers(0, 40), st.sampled_from([(2, 3), (3, 1, 2), (2, 2, 3, 2)]), st.sampled_from(["1/2", "1", "7"]))
def test_weights_of_edges_are_ratios_of_marginal_likelihoods(seed: int, sizes: tuple[int, ...], ess: str) -> None:
    columns, classes = random_rows(seed, 7, sizes, 3)
    counts, rows, n = counted(columns, classes, sizes, 3), as_rows(columns, classes), len(sizes)
    naive = reference.marginal(rows, reference.naive(n), sizes, 3, Fraction(ess))
    even = PairWeights.even(sizes, 3, float(Fraction(ess)))
    assert counts.log_naive(even) == pytest.approx(log_fraction(naive), rel=1e-12)
    weights = iter(counts.log_weights(even))
    for v in range(n):
        for u in range(v):
            one_edge = tuple(u if each == v else None for each in range(n))
            ratio = reference.marginal(rows, one_edge, sizes, 3, Fraction(ess)) / naive
            assert next(weights) == pytest.approx(log_fraction(ratio), rel=1e-11, abs=1e-12)


def test_weights_of_widened_attributes_are_computed_anew() -> None:
    columns, classes = random_rows(5, 40, (3, 2, 4), 2)
    counts, wider = (counted(columns, classes, (3, width, 4), 2) for width in (2, 3))
    even = PairWeights.even((3, 2, 4), 2, 1.0)
    before = counts.log_weights(even)
    widened = even.widened(np.array([False, True, False]), counts.sizes)
    after = counts.log_weights(widened, (before, np.array([False, True, False])))
    np.testing.assert_allclose(after, wider.log_weights(PairWeights.even((3, 3, 4), 2, 1.0)), rtol=1e-13)
    assert after[1] == before[1]
    assert after[0] != before[0]


def test_no_rows_say_nothing() -> None:
    counts = PairCounts.empty([3, 2], 2)
    even = PairWeights.even([3, 2], 2, 1.0)
    assert counts.log_naive(even) == 0.0
    assert counts.log_weights(even).tolist() == [0.0]


def test_tables_beyond_memory_are_refused() -> None:
    with pytest.raises(TooLargeError, match=r"4,000,720,000 .* 'id' \(100,000\), 'street' \(20,000\), 'colour' \(3\)"):
        check_n_pairs([100_000, 3, 20_000], 2, ["id", "colour", "street"])


def test_the_core_refuses_codes_without_a_place() -> None:
    counts = PairCounts.empty([2, 2], 2)
    with pytest.raises(ValueError, match="no such value"):
        counts.add(np.array([[0], [2]]), np.array([0]))
    with pytest.raises(ValueError, match="no such class"):
        counts.add(np.array([[0], [1]]), np.array([2]))
    assert not counts.classes.any()
