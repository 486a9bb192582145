"""Sums over cells by way of how often each count occurs: against a plain loop over the cells."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from priorcase.bayes.pairs import Tallies


def tables(seed: int, fractions: bool) -> tuple[Any, Any]:
    """Cells of tables of many sizes, one of them empty and one without any row."""
    random = np.random.default_rng(seed)
    lengths = [5, 0, 12, 7, 30, 1]
    cells = np.where(random.random(sum(lengths)) < 0.3, 0.0, random.integers(0, 6, sum(lengths)))
    cells[17:24] = 0.0
    return cells * (0.37 if fractions else 1.0), np.cumsum([0, *lengths])


def by_cells(cells: Any, prior: float) -> float:
    return math.fsum(math.lgamma(count + prior) - math.lgamma(prior) for count in cells)


@pytest.mark.parametrize("fractions", [False, True])
@pytest.mark.parametrize("alike", [False, True])
def test_sums_are_those_over_all_cells(fractions: bool, alike: bool) -> None:
    cells, starts = tables(1, fractions)
    priors = np.full(6, 0.3) if alike else np.geomspace(1e-3, 9.0, 6)
    expected = [by_cells(cells[starts[t] : starts[t + 1]], priors[t]) for t in range(6)]
    tallies = Tallies.of(cells, starts)
    np.testing.assert_allclose(tallies.log_rising_sums(priors), expected, rtol=1e-12, atol=1e-13)
    some = np.array([4, 1, 2])
    np.testing.assert_allclose(
        tallies.log_rising_sums(priors[some], some), np.array(expected)[some], rtol=1e-12, atol=1e-13
    )


def test_the_order_of_cells_changes_no_bit() -> None:
    cells, starts = tables(2, True)
    turned = np.concatenate([cells[starts[t] : starts[t + 1]][::-1] for t in range(6)])
    priors = np.geomspace(0.01, 5.0, 6)
    one, other = (Tallies.of(each, starts).log_rising_sums(priors) for each in (cells, turned))
    assert one.tobytes() == other.tobytes()


def test_no_tables_and_no_rows() -> None:
    assert Tallies.of(np.zeros(0), np.array([0])).log_rising_sums(np.zeros(0)).tolist() == []
    assert Tallies.of(np.zeros(3), np.array([0, 1, 3])).log_rising_sums(np.ones(2)).tolist() == [0.0, 0.0]
