"""Where compiled local fits are hard: dependent columns, too few rows, tiny weights, none at all, and bad input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from local_problems import NOMINAL, NUMERIC, Problem, a_line, design, hat_row, problem

from priorcase._core import local_fits


@pytest.mark.parametrize("seed", range(5))
def test_conditioned_fits_agree_with_lstsq_to_ten_digits(seed: int) -> None:
    p = problem(seed + 20, kinds=(NUMERIC,) * 3, degree=2, sizes=(200, 5, 150))
    found = p.fits(want=1)["predictions"]
    for q in range(5):
        at = p.voters(q)
        root = np.sqrt(p.weights[at])[:, None]
        X = np.column_stack([np.ones(150), design(p, q)])
        expected = np.linalg.lstsq(root * X, root * p.targets[p.rows[at]], rcond=None)[0][0]
        np.testing.assert_allclose(found[q], expected, rtol=1e-10)


@pytest.mark.parametrize("closeness", [1e-2, 1e-4, 1e-6, 1e-8])
def test_columns_that_are_nearly_equal(closeness: float) -> None:
    """y depends on the difference of two columns that are equal but for some noise; digits go with the condition."""
    rng = np.random.default_rng(30)
    x = rng.normal(size=50)
    noise = rng.normal(size=50)
    cells = np.column_stack([x, x + closeness * noise])
    y = 1 + x + (cells[:, 1] - cells[:, 0]) / closeness
    lists = (np.array([0, 50]), np.arange(50), rng.random(50) + 0.5, None)
    p = Problem(*lists, cells, np.zeros((1, 2)), np.zeros(2, np.uint8), np.ones(2), y[:, None])
    assert p.fits(want=1)["predictions"].item() == pytest.approx(1.0, rel=1e-15 / closeness)


def test_constant_equal_and_too_many_columns() -> None:
    p = problem(31, kinds=(NUMERIC,) * 5, sizes=(40, 6, 4))
    cells, queries = p.cells.copy(), p.queries.copy()
    cells[:, 1], queries[:, 1] = 0.1, 0.3  # constant, and 0.1 has no exact mean
    cells[:, 2], queries[:, 2] = cells[:, 0], queries[:, 0]
    p = replace(p, cells=cells, queries=queries, scales=p.scales[[0, 1, 0, 3, 4]])
    found = p.fits()
    for q in range(6):
        np.testing.assert_allclose(found["hat"][p.voters(q)], hat_row(p, q), rtol=1e-8, atol=1e-10)
        positive = (p.weights[p.voters(q)] > 0).sum()
        assert found["rank"][q] == min(positive, 4)
    np.testing.assert_allclose(found["coefficients"][:, :, 0], found["coefficients"][:, :, 2], rtol=1e-6, atol=1e-12)
    assert np.array_equal(found["coefficients"][:, :, 1], np.zeros((6, 2)))


def test_a_query_value_without_voters_leaves_its_column_out() -> None:
    """Means of 1 and 3 for the two values among the voters tell nothing of a third one: the mean of all answers."""
    cells = np.array([[0.0], [0.0], [0.0], [1.0]])
    lists = (np.array([0, 4]), np.arange(4), np.ones(4), None)
    targets = np.array([[1.0], [1.0], [1.0], [3.0]])
    p = Problem(*lists, cells, np.array([[-1.0]]), np.array([NOMINAL], np.uint8), np.ones(1), targets)
    assert p.fits(want=1)["predictions"].item() == pytest.approx(1.5)


def test_tiny_weights_fit_like_large_ones() -> None:
    p = problem(33)
    expected = p.fits()
    tiny = replace(p, weights=p.weights * 2.0**-900).fits()
    for name in ("predictions", "hat", "coefficients", "variance", "trace", "rank", "loo"):
        assert np.array_equal(tiny[name], expected[name], equal_nan=True), name
    assert np.array_equal(tiny["weight"], expected["weight"] * 2.0**-900)
    assert np.array_equal(tiny["parameters"], expected["parameters"] * 2.0**-900)
    least = replace(p, weights=np.where(p.weights > 0, 5e-324, 0.0)).fits(want=1)
    equal = replace(p, weights=np.where(p.weights > 0, 1.0, 0.0)).fits(want=1)
    np.testing.assert_allclose(least["predictions"], equal["predictions"], rtol=1e-10)


def test_a_row_of_little_weight_that_alone_tells_a_slope_is_met() -> None:
    """Three rows and two slopes: the plane goes through all of them, little as the third one weighs."""
    cells, targets = np.array([[1.0, 0.0], [2.0, 0.5], [-1.0, 3.0]]), np.array([[1.0], [2.0], [40.0]])
    expected = np.linalg.solve(np.column_stack([np.ones(3), cells]), targets)[0].item()
    for weight in (1.0, 1e-5, 1e-10):
        lists = (np.array([0, 3]), np.arange(3), np.array([1.0, 1.0, weight]), None)
        found = Problem(*lists, cells, np.zeros((1, 2)), np.zeros(2, np.uint8), np.ones(2), targets).fits()
        assert found["predictions"].item() == pytest.approx(expected, rel=1e-11), weight
        assert found["hat"] @ targets[:, 0] == pytest.approx(expected, rel=1e-11), weight
        assert found["trace"].item() == pytest.approx(3, rel=1e-12), weight


def test_queries_without_weight_have_no_answer() -> None:
    p = problem(34, sizes=(20, 3, 5))
    weights = p.weights.copy()
    weights[5:10] = 0
    found = replace(p, weights=weights).fits(own=np.zeros(3, np.int64))
    assert np.isnan(found["predictions"]).all(axis=1).tolist() == [False, True, False]
    for name in ("variance", "residuals", "loo", "own", "coefficients"):
        assert np.isnan(found[name][1]).all(), name
    for name in ("weight", "squares", "parameters", "trace", "rank"):
        assert found[name][1] == 0, name
    assert (found["hat"][5:10] == 0).all()
    empty = replace(p, indptr=np.array([0, 0, 0, 0]), rows=p.rows[:0], weights=weights[:0]).fits()
    assert np.isnan(empty["predictions"]).all()


WRONG = [
    ({"indptr": np.array([0, 3])}, "end at the last entry"),
    ({"indptr": np.array([1, 4])}, "must start at 0"),
    ({"indptr": np.array([0, 5, 4]), "queries": np.ones((2, 1))}, "must not decrease"),
    ({"indptr": np.array([0, 2, 4])}, "one list for each query"),
    ({"rows": np.array([0, 1, 2, 4])}, "no such row"),
    ({"rows": np.array([0, 1, 2, -1])}, "no such row"),
    ({"weights": np.ones(3)}, "one weight"),
    ({"weights": np.array([1.0, 1, 1, -1])}, "not negative"),
    ({"weights": np.array([1.0, 1, 1, np.inf])}, "finite"),
    ({"weights": np.array([1.0, 1, 1, np.nan])}, "finite"),
    ({"repetitions": np.array([1.0, 1, 1, 0])}, "repetitions"),
    ({"queries": np.ones((1, 2))}, "attributes differ"),
    ({"targets": np.ones((3, 1))}, "one target"),
    ({"kinds": np.array([3], np.uint8)}, "kinds"),
    ({"scales": np.zeros(1)}, "scales"),
    ({"degree": 3}, "degree"),
    ({"ridge": -1.0}, "ridge"),
    ({"rcond": 1.0}, "rcond"),
]


@pytest.mark.parametrize(("change", "words"), WRONG)
def test_what_does_not_fit_together_is_refused(change: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        replace(a_line(), **change).fits()


def test_codes_beyond_the_values_are_refused() -> None:
    p = replace(a_line(), kinds=np.array([NOMINAL], np.uint8))
    table = (p.cells, p.queries, p.kinds, p.scales, p.targets)
    rules = {"degree": 1, "ridge": 0.0, "rcond": 1e-10, "want": 4, "threads": 1}
    with pytest.raises(ValueError, match="no such value"):
        local_fits(p.indptr, p.rows, p.weights, None, *table, **rules, values=np.array([7]))
    for cell in (-1.0, np.inf, 1e300):
        with pytest.raises(ValueError, match="no such value"):
            local_fits(
                p.indptr, p.rows, p.weights, None, np.full(p.cells.shape, cell), *table[1:], **rules | {"want": 1}
            )
    with pytest.raises(ValueError, match="one number of values"):
        local_fits(p.indptr, p.rows, p.weights, None, *table, **rules)
    with pytest.raises(ValueError, match="own requires"):
        p.fits(want=1, own=np.zeros(1, np.int64))
