"""EM against plain loops, densities against scikit-learn's, and what always holds of a mixture."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import mixture as reference
from scipy.integrate import quad
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from priorcase.bayes import MixtureModel
from priorcase.bayes.mixture.columns import Cells
from priorcase.bayes.mixture.em import (
    Parameters,
    Prior,
    cheeseman_stutz,
    expectation,
    initial_statistics,
    log_below,
    maximization,
    responsibilities,
    run_em,
)

SIZES = (None, 3, None, 2)


def random_rows(n: int, seed: int, sizes: Any = SIZES, gaps: float = 0.2) -> list[list[Any]]:
    """Rows as the reference wants them: numbers in standard units, positions of values, None for gaps."""
    rng = np.random.default_rng(seed)

    def value(size: int | None) -> Any:
        return float(rng.normal()) if size is None else int(rng.integers(size))

    return [[None if rng.random() < gaps else value(size) for size in sizes] for _ in range(n)]


def cells_of(rows: list[list[Any]], weights: Any = None, sizes: Any = SIZES) -> Cells:
    numeric = [a for a, size in enumerate(sizes) if size is None]
    discrete = [a for a, size in enumerate(sizes) if size is not None]
    n = len(rows)
    return Cells(
        np.array([[row[a] or 0.0 for row in rows] for a in numeric]).reshape(len(numeric), n),
        tuple(np.array([float(row[a] is not None) for row in rows]) for a in numeric),
        np.array([[sizes[a] if row[a] is None else row[a] for row in rows] for a in discrete], np.intp).reshape(-1, n),
        np.zeros(n),
        np.ones(n) if weights is None else np.asarray(weights, float),
    )


def unbounded(weight: float, sizes: Any = SIZES) -> Prior:
    """The prior of numbers that are recorded without end."""
    return Prior.of(weight, np.full(sum(size is None for size in sizes), 1e30))


def hyper(weight: float) -> reference.Hyper:
    prior = unbounded(weight)
    return reference.Hyper(prior.weight, prior.strength, prior.shape, prior.rate)


def as_components(parameters: Parameters, sizes: Any = SIZES) -> list[reference.Component]:
    """Parameters as the reference wants them."""
    result = []
    for k in range(len(parameters)):
        numeric, discrete = iter(range(len(parameters.means))), iter(parameters.tables)
        columns: list[Any] = []
        for size in sizes:
            if size is None:
                j = next(numeric)
                columns.append((float(parameters.means[j, k]), 1 / float(parameters.precisions[j, k])))
            else:
                columns.append(np.exp(next(discrete)[k, :size]).tolist())
        result.append(reference.Component(math.exp(parameters.log_weights[k]), columns))
    return result


def flat(components: list[reference.Component]) -> list[float]:
    return [x for c in components for x in (c.weight, *(x for column in c.columns for x in column))]


@pytest.mark.parametrize("weight", [1.0, 0.3, 5.0])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_one_turn_equals_the_plain_loops(k: int, weight: float) -> None:
    rows, prior = random_rows(25, seed=k), unbounded(weight)
    weights = np.random.default_rng(k).integers(1, 4, 25).astype(float)
    cells = cells_of(rows, weights)
    start = maximization(initial_statistics(cells, (3, 2), k, np.random.default_rng(0)), prior)
    statistics, likelihood = expectation(start, cells)
    expected = reference.em_step(rows, weights.tolist(), as_components(start), SIZES, hyper(weight))
    np.testing.assert_allclose(flat(as_components(maximization(statistics, prior))), flat(expected), rtol=1e-10)
    posterior = reference.log_posterior(rows, weights.tolist(), as_components(start), hyper(weight))
    assert likelihood + start.log_prior(prior) == pytest.approx(posterior, rel=1e-12)


def test_densities_and_responsibilities_equal_the_plain_loops() -> None:
    rows, prior = random_rows(30, seed=1), unbounded(1.0)
    cells = cells_of(rows)
    parameters = maximization(initial_statistics(cells, (3, 2), 3, np.random.default_rng(0)), prior)
    shares, densities = responsibilities(parameters, cells)
    components = as_components(parameters)
    np.testing.assert_allclose(densities, [math.log(reference.density(components, row)) for row in rows], rtol=1e-12)
    expected = [reference.responsibilities(components, row) for row in rows]
    np.testing.assert_allclose(shares.T, expected, rtol=1e-10, atol=1e-14)


def test_a_gap_is_the_sum_over_what_could_stand_there() -> None:
    prior = unbounded(1.0)
    cells = cells_of(random_rows(30, seed=2))
    parameters = maximization(initial_statistics(cells, (3, 2), 3, np.random.default_rng(0)), prior)
    for row in ([0.4, None, -1.0, 1], [None, None, 0.2, None]):
        known = responsibilities(parameters, cells_of([row]))[1][0]
        filled = [[*row[:1], value, *row[2:]] for value in range(3)]
        total = np.log(np.exp(responsibilities(parameters, cells_of(filled))[1]).sum())
        assert known == pytest.approx(total, rel=1e-12)
    grid = np.linspace(-30, 30, 60001)
    whole = responsibilities(parameters, cells_of([[x, 1, None, 0] for x in grid.tolist()]))[1]
    integral = np.log(np.exp(whole).sum() * (grid[1] - grid[0]))
    assert responsibilities(parameters, cells_of([[None, 1, None, 0]]))[1][0] == pytest.approx(integral, abs=1e-6)


def test_numeric_densities_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(0, 1, (60, 3)), rng.normal(4, 2, (40, 3))]) * [1, 100, 1e-3] + [0, 5, 1]
    model = MixtureModel(2, random_state=0).fit(X)
    gaussians = [model.components_.columns[f"x{a}"] for a in range(3)]
    other = GaussianMixture(2, covariance_type="diag")
    other.weights_ = model.weights_
    other.means_ = np.stack([g.means for g in gaussians], axis=1)
    other.covariances_ = np.stack([g.deviations for g in gaussians], axis=1) ** 2
    other.precisions_cholesky_ = 1 / np.sqrt(other.covariances_)
    np.testing.assert_allclose(model.score_samples(X), other.score_samples(X), rtol=1e-8)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), rtol=1e-7, atol=1e-12)
    assert model.bic(X) == pytest.approx(other.bic(X))
    assert model.aic(X) == pytest.approx(other.aic(X))
    assert model.score(X) == pytest.approx(other.score(X))


@pytest.mark.parametrize("sizes", [(2, 3), (None, None), (None, 3)])
def test_with_one_component_the_score_is_the_evidence(sizes: Any) -> None:
    rows, prior = random_rows(12, seed=4, sizes=sizes), unbounded(0.7, sizes)
    cells = cells_of(rows, sizes=sizes)
    given = [size for size in sizes if size is not None]
    run = run_em(cells, initial_statistics(cells, given, 1, np.random.default_rng(0)), prior=prior, max_iter=5, tol=0.0)
    exact = reference.log_evidence(rows, 1, sizes, hyper(0.7))
    assert cheeseman_stutz(run, cells, prior) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(("k", "near"), [(2, 0.2), (3, 0.7)])
def test_the_score_is_near_the_evidence_where_components_lie_apart(k: int, near: float) -> None:
    """The sum over all k**n ways to give rows their components says what the score should be."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        rows = [[float(rng.normal(3 * (i % k - 1), 0.4)), i % k % 2, i % k] for i in range(9 if k == 2 else 7)]
        sizes, prior = (None, 2, 3), unbounded(1.0, (None, 2, 3))
        cells = cells_of(rows, sizes=sizes)
        runs = [
            run_em(
                cells,
                initial_statistics(cells, (2, 3), k, np.random.default_rng(s)),
                prior=prior,
                max_iter=500,
                tol=1e-9,
            )
            for s in range(5)
        ]
        best = max(runs, key=lambda run: float(run.history[-1]))
        exact = reference.log_evidence(rows, k, sizes, hyper(1.0))
        assert exact - near < cheeseman_stutz(best, cells, prior) <= exact + 1e-9


row_lists = st.lists(
    st.tuples(
        st.sampled_from([None, -2.0, 0.0, 0.0, 1.5, 1e6]),
        st.sampled_from([None, "a", "b", "c"]),
        st.sampled_from([None, True, False]),
        st.sampled_from([None, 3.0]),
    ).map(list),
    min_size=2,
    max_size=14,
)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=30)
@given(rows=row_lists, k=st.integers(1, 2), classed=st.booleans(), weight=st.sampled_from([0.01, 1.0, 20.0]))
def test_laws(rows: list[list[Any]], k: int, classed: bool, weight: float) -> None:
    y = ["yes" if row[1] == "a" else "no" for row in rows] if classed else None
    model = MixtureModel(k, prior=weight, n_init=2, random_state=0, max_iter=40).fit(rows, y)
    # The posterior never falls.
    assert (np.diff(model.history_) >= -1e-9 * np.abs(model.history_[1:])).all()
    assert model.weights_.sum() == pytest.approx(1.0)
    assert (np.diff(model.weights_) <= 0).all()
    queries = [*rows, [None] * 4, [1e308, "never seen", None, -1e308]]
    for shares in (model.responsibilities(queries), model.predict_proba(queries)):
        assert ((shares >= 0) & (shares <= 1)).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert np.isfinite(model.score_samples(queries)).all()
    # Where nothing is known, the density is that of the empty product.
    assert model.score_samples([[None] * 4])[0] == pytest.approx(0.0, abs=1e-12)
    # A row alone gets the same bits.
    alone = np.concatenate([model.score_samples([row]) for row in queries])
    np.testing.assert_array_equal(alone, model.score_samples(queries))
    found = model.outlier_scores(queries)
    assert np.isfinite(found.surprises).all()
    np.testing.assert_array_equal(
        np.concatenate([model.outlier_scores([row]).surprises for row in queries]), found.surprises
    )
    others = np.stack([model.score_samples([[*row[:a], None, *row[a + 1 :]] for row in rows]) for a in range(4)])
    expected = found.scores[: len(rows), None] + others.T
    np.testing.assert_allclose(found.surprises[: len(rows)], expected, rtol=1e-7, atol=1e-7)
    # Rows repeated are rows weighted, bit for bit, and their order does not matter.
    twice = MixtureModel(k, prior=weight, n_init=2, random_state=0, max_iter=40)
    twice.fit(rows[::-1] + rows, None if y is None else y[::-1] + y)
    heavy = MixtureModel(k, prior=weight, n_init=2, random_state=0, max_iter=40)
    heavy.fit(rows, y, sample_weight=[2] * len(rows))
    np.testing.assert_array_equal(twice.history_, heavy.history_)


@pytest.mark.parametrize("selection", ["cheeseman_stutz", "held_out"])
def test_neither_threads_nor_row_order_nor_names_change_a_bit(selection: Any) -> None:
    rng = np.random.default_rng(5)
    rows = [[float(rng.normal(3 * (i % 3))), "xyz"[i % 3 if rng.random() < 0.8 else 0]] for i in range(90)]

    def fitted(table: list[list[Any]], n_jobs: int) -> np.ndarray[Any, Any]:
        model = MixtureModel(max_components=4, selection=selection, n_init=2, random_state=1, n_jobs=n_jobs)
        return model.fit(table).history_

    expected = fitted(rows, 1)
    np.testing.assert_array_equal(fitted(rows, 3), expected)
    np.testing.assert_array_equal(fitted([rows[i] for i in rng.permutation(90)], 1), expected)
    names = {"x": "zinc", "y": "amber", "z": "moss"}
    np.testing.assert_array_equal(fitted([[x, names[v]] for x, v in rows], 1), expected)


def test_em_that_is_cut_short_says_so() -> None:
    X = np.random.default_rng(0).normal(size=(50, 2))
    with pytest.warns(ConvergenceWarning, match=r"did not converge in 1 iterations; increase max_iter or tol\."):
        model = MixtureModel(3, max_iter=1, random_state=0).fit(X)
    assert (model.n_iter_, model.converged_, model.history_.size) == (1, False, 2)


def test_equal_numbers_never_collapse_a_variance() -> None:
    X = [[0.0]] * 20 + [[1.0]] * 20
    model = MixtureModel(2, random_state=0).fit(X)
    assert (model.components_.columns["x0"].deviations > 0).all()
    assert np.isfinite(model.score_samples(X)).all()


@pytest.mark.parametrize("bound", [0.5, 3.0, 40.0])
def test_precisions_end_where_the_grain_of_numbers_says(bound: float) -> None:
    """The evidence of numbers under a prior cut off at a largest precision, against an integral over the precision."""
    numbers, prior = np.array([0.1, -0.4, 0.3, 0.1, 0.2]), Prior.of(0.8, np.array([bound]))
    cells = cells_of([[x] for x in numbers.tolist()], sizes=(None,))
    run = run_em(cells, initial_statistics(cells, (), 1, np.random.default_rng(0)), prior=prior, max_iter=5, tol=0.0)
    n, strength = numbers.size, prior.strength + numbers.size
    spread = (numbers**2).sum() - numbers.sum() ** 2 / strength

    def mass(shape: float, rate: float) -> float:
        """Over the log of the precision, where nothing is infinite."""
        return quad(lambda u: math.exp(shape * u - rate * math.exp(u)), -80, math.log(bound), limit=200)[0]

    ratio = mass(prior.shape + 0.5 * n, prior.rate + 0.5 * spread) / mass(prior.shape, prior.rate)
    exact = math.log(ratio) + 0.5 * math.log(prior.strength / strength) - 0.5 * n * math.log(2 * math.pi)
    assert cheeseman_stutz(run, cells, prior) == pytest.approx(exact, rel=1e-6)
    assert run.parameters.precisions.max() <= bound


def test_the_prior_cut_off_far_in_its_tail() -> None:
    """Deep in the tail the logs go on smoothly: each further row adds about the same."""
    shapes = np.arange(50.0, 400.0)
    logs = log_below(shapes, np.full_like(shapes, 5.0))
    assert np.isfinite(logs).all()
    np.testing.assert_allclose(np.diff(logs), np.log(5.0 / (shapes[:-1] + 1)), atol=2e-2)
    assert (np.diff(logs, 2) < 0).all()


def test_repeated_numbers_are_no_components_of_their_own() -> None:
    """Whole numbers from two overlapping clusters: without the grain, each number would become a component."""
    rng = np.random.default_rng(0)
    X = np.round(np.concatenate([rng.normal(0, 1.2, (150, 2)), rng.normal(5, 1.2, (150, 2))]))
    model = MixtureModel(random_state=0, n_init=2).fit(X)
    assert model.n_components_ == 2
    assert all((column.deviations > 1 / math.sqrt(2 * math.pi)).all() for column in model.components_.columns.values())


@pytest.mark.parametrize("weight", [1e-100, 1e-6, 1e6, 1e100])
def test_priors_of_any_weight(weight: float) -> None:
    X = [[x, "ab"[i % 2]] for i, x in enumerate([0.0, 1.0, 1.0, 5.0, 6.0, 6.5])]
    model = MixtureModel(2, prior=weight, random_state=0).fit(X)
    assert np.isfinite(model.score_samples(X)).all()
    assert np.isfinite(model.selection_.scores).all()
    assert np.isfinite(model.history_).all()
