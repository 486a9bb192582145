"""Averages over families of structures: against every structure written out, in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import trees as reference

from priorcase.bayes.pairs import Family, PairCounts, PairModel, PairWeights
from tests.bayes.test_pairs import as_rows, counted, random_rows
from tests.bayes.test_tree_sums import log_fraction

FAMILIES: tuple[Family, ...] = get_args(Family)
tables = st.tuples(
    st.integers(0, 200),
    st.sampled_from([(3,), (2, 3), (1, 2), (2, 3, 2), (2, 2, 2, 3), (2, 1, 3, 2, 2)]),
    st.sampled_from([1, 2, 9]),
)
sizes_of_sample = st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(10)])


def model_of(counts: PairCounts, family: Any, ess: float = 1.0, least: float = 1.0) -> PairModel:
    return PairModel(counts, family, PairWeights.even(counts.sizes, counts.n_classes, ess), least)


def best(rows: list[reference.Row], sizes: Any, n_classes: int, ess: Fraction, tree: Any) -> reference.Parents:
    """The tree that was chosen, once it is known to be the most probable of all."""
    n = len(sizes)
    parents = reference.rooted(tuple((int(u), int(v)) for u, v in tree), n)
    most = max(reference.marginal(rows, each, sizes, n_classes, ess) for each in reference.all_trees(n))
    assert reference.marginal(rows, parents, sizes, n_classes, ess) == most
    return parents


def expected_joint(
    model: PairModel, rows: list[reference.Row], row: reference.Row, sizes: Any, ess: Fraction, tree: Any
) -> Fraction:
    n, n_classes = len(sizes), model.counts.n_classes
    if model.family == "all_trees":
        return reference.average(rows, row, reference.all_trees(n), sizes, n_classes, ess)
    if model.family == "super_parents":
        return reference.average(rows, row, reference.all_super_parents(n), sizes, n_classes, ess)
    if model.family == "best_tree":
        return reference.predictive(rows, row, best(rows, sizes, n_classes, ess, tree), sizes, n_classes, ess)
    return reference.aode(rows, row, sizes, n_classes, ess, int(model.least))


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=25)
@given(tables, sizes_of_sample)
def test_joint_is_the_average_over_all_structures(family: Family, table: Any, ess: Fraction) -> None:
    seed, sizes, n = table
    columns, classes = random_rows(seed, n, sizes, 3)
    model = model_of(counted(columns, classes, sizes, 3), family, float(ess))
    query = np.random.default_rng(seed).integers(0, sizes)
    logs = model.joint_logs(query[None, :])[0]
    for k in range(3):
        row = k, tuple(query.tolist())
        expected = expected_joint(model, as_rows(columns, classes), row, sizes, ess, model.tree)
        assert logs[k] == pytest.approx(log_fraction(expected), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=25)
@given(tables, sizes_of_sample)
def test_unseen_values_widen_their_attributes(family: Family, table: Any, ess: Fraction) -> None:
    seed, sizes, n = table
    columns, classes = random_rows(seed, n, sizes, 2)
    model = model_of(counted(columns, classes, sizes, 2), family, float(ess))
    random = np.random.default_rng(seed)
    query = np.where(random.random(len(sizes)) < 0.5, -1, random.integers(0, sizes))
    wider = [size + (code < 0) for size, code in zip(sizes, query.tolist(), strict=True)]
    widened = model_of(counted(columns, classes, wider, 2), family, float(ess))
    values = tuple(size if code < 0 else code for size, code in zip(sizes, query.tolist(), strict=True))
    logs = model.joint_logs(query[None, :])[0]
    for k in range(2):
        row = k, values
        expected = expected_joint(model, as_rows(columns, classes), row, wider, ess, widened.tree)
        assert logs[k] == pytest.approx(log_fraction(expected), rel=1e-11, abs=1e-12)


def test_queries_with_and_without_unseen_values_in_one_batch() -> None:
    columns, classes = random_rows(1, 60, (3, 4, 2, 3), 3)
    codes = np.random.default_rng(2).integers(-1, (3, 4, 2, 3), (50, 4))
    for family in FAMILIES:
        model = model_of(counted(columns, classes, (3, 4, 2, 3), 3), family)
        alone = np.concatenate([model.joint_logs(codes[i : i + 1]) for i in range(50)])
        assert model.joint_logs(codes, threads=3).tobytes() == alone.tobytes()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("weighted", [None, "ones", "halves"])
@pytest.mark.parametrize("sizes", [(3,), (2, 3), (1, 4, 2), (3, 2, 4, 2, 2)])
def test_leaving_out_equals_counting_without(family: Family, weighted: str | None, sizes: tuple[int, ...]) -> None:
    n, seed = 25, 6
    columns, classes = random_rows(seed, n, sizes, 3)
    columns[:, :6] = columns[:, :1]  # some rows are alike
    weights = (
        None if weighted is None else np.random.default_rng(3).integers(1, 6, n) / (2 if weighted == "halves" else 1)
    )
    model = model_of(counted(columns, classes, sizes, 3, weights), family, 2.0)
    logs = model.left_out_joint_logs(columns.T, classes, weights, threads=2)
    for i in range(n):
        others = np.arange(n) != i
        fresh = counted(columns[:, others], classes[others], sizes, 3, None if weights is None else weights[others])
        expected = model_of(fresh, family, 2.0).joint_logs(columns.T[i : i + 1])
        np.testing.assert_allclose(logs[i : i + 1], expected, rtol=1e-11)


def test_leaving_out_the_only_row_leaves_the_prior() -> None:
    for family in FAMILIES:
        model = model_of(counted([[1], [0]], [1], (2, 3), 2), family)
        np.testing.assert_allclose(np.exp(model.left_out_joint_logs([[1, 0]], [1])), 1 / 12, rtol=1e-13)


@pytest.mark.parametrize("family", FAMILIES)
def test_joint_probabilities_of_everything_sum_to_one(family: Family) -> None:
    sizes = (3, 2, 2, 2)
    columns, classes = random_rows(8, 40, sizes, 3)
    codes = np.array(list(np.ndindex(*sizes)))
    model = model_of(counted(columns, classes, sizes, 3), family, 3.0, least=0.0)
    assert np.exp(model.joint_logs(codes)).sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_class_without_rows_has_its_prior_mass(family: Family) -> None:
    columns, _ = random_rows(8, 40, (3, 2, 2), 3)
    model = model_of(counted(columns, np.zeros(40, dtype=int), (3, 2, 2), 2), family, 4.0)
    np.testing.assert_allclose(np.exp(model.joint_logs([[0, 1, 1]])[0, 1]), 2 / 44 / 12, rtol=1e-13)


@settings(max_examples=25)
@given(tables, sizes_of_sample)
def test_evidence_is_that_of_all_structures(table: Any, ess: Fraction) -> None:
    seed, sizes, n = table
    columns, classes = random_rows(seed, n, sizes, 3)
    counts, rows = counted(columns, classes, sizes, 3), as_rows(columns, classes)
    for family, structures in (
        ("all_trees", reference.all_trees(len(sizes))),
        ("super_parents", reference.all_super_parents(len(sizes))),
    ):
        total = sum(reference.marginal(rows, each, sizes, 3, ess) for each in structures)
        model = model_of(counts, family, float(ess))
        expected = log_fraction(Fraction(total) / len(structures))
        assert model.log_evidence() == pytest.approx(expected, rel=1e-12, abs=1e-12)
    model = model_of(counts, "best_tree", float(ess))
    chosen = reference.marginal(rows, best(rows, sizes, 3, ess, model.tree), sizes, 3, ess)
    assert model.log_evidence() == pytest.approx(log_fraction(chosen), rel=1e-12, abs=1e-12)


@settings(max_examples=25)
@given(tables, sizes_of_sample)
def test_posteriors_are_shares_of_the_marginal_likelihood(table: Any, ess: Fraction) -> None:
    seed, sizes, n = table
    columns, classes = random_rows(seed, n, sizes, 3)
    counts, rows, width = counted(columns, classes, sizes, 3), as_rows(columns, classes), len(sizes)
    members = [reference.marginal(rows, each, sizes, 3, ess) for each in reference.all_super_parents(width)]
    shares = [float(each / sum(members)) for each in (*members[1:], members[0])]
    np.testing.assert_allclose(model_of(counts, "super_parents", float(ess)).super_parent_probabilities, shares, 1e-11)
    trees = {
        tree: reference.marginal(rows, reference.rooted(tree, width), sizes, 3, ess)
        for tree in reference.spanning_trees(width)
    }
    edges = model_of(counts, "all_trees", float(ess)).edge_probabilities
    for u in range(width):
        for v in range(u):
            having = sum(mass for tree, mass in trees.items() if (v, u) in tree)
            assert edges[u, v] == edges[v, u] == pytest.approx(float(having / sum(trees.values())), rel=1e-11)


def test_weights_hundreds_of_nats_apart() -> None:
    """Copies of a column among noise: the average must follow the trees that join the copies."""
    random = np.random.default_rng(0)
    source = random.integers(0, 4, 3000)
    columns = np.array([source, source, random.integers(0, 4, 3000), source, random.integers(0, 2, 3000)])
    classes = random.integers(0, 2, 3000)
    model = model_of(counted(columns, classes, (4, 4, 4, 4, 2), 2), "all_trees")
    weights = model.log_weights
    assert np.ptp(weights) > 3000
    edges = model.edge_probabilities
    assert ((edges >= 0) & (edges <= 1)).all()
    assert edges.sum() / 2 == pytest.approx(4.0, rel=1e-12)
    np.testing.assert_allclose(edges[np.ix_([0, 1, 3], [0, 1, 3])], (1 - np.eye(3)) * 2 / 3, rtol=1e-9)
    # Three copies of one column are one column: the joint is that of its values alone.
    alone = model_of(counted(columns[[0, 2, 4]], classes, (4, 4, 2), 2), "all_trees")
    codes = columns.T[:20]
    np.testing.assert_allclose(model.joint_logs(codes), alone.joint_logs(codes[:, [0, 2, 4]]), atol=0.05)


def test_a_hundred_attributes() -> None:
    columns, classes = random_rows(1, 500, (3,) * 100, 2)
    counts = counted(columns, classes, (3,) * 100, 2, threads=2)
    for family in FAMILIES:
        model = model_of(counts, family)
        logs = model.joint_logs(columns.T[:10])
        assert np.isfinite(logs).all()
        left_out = model.left_out_joint_logs(columns.T[:10], classes[:10])
        own = np.arange(10), classes[:10]
        assert (left_out[own] < logs[own]).all()  # a row is more probable once it was seen


def test_adding_a_row_multiplies_the_evidence_by_its_probability() -> None:
    columns, classes = random_rows(4, 300, (4, 3, 5, 2, 3, 4), 3)
    for family in ("all_trees", "super_parents"):
        before = model_of(counted(columns[:, 1:], classes[1:], (4, 3, 5, 2, 3, 4), 3), family)
        after = model_of(counted(columns, classes, (4, 3, 5, 2, 3, 4), 3), family)
        step = before.joint_logs(columns.T[:1])[0, classes[0]]
        assert after.log_evidence() - before.log_evidence() == pytest.approx(step, rel=1e-10)


def test_super_parents_need_enough_rows() -> None:
    columns, classes = np.array([[0, 0, 0, 1], [0, 1, 2, 2]]), np.array([0, 1, 0, 1])
    counts = counted(columns, classes, (2, 3), 2)
    naive = model_of(counts, "plain_super_parents", least=5).joint_logs([[0, 2]])
    rows, ess = as_rows(columns, classes), Fraction(1)
    for k in range(2):
        expected = reference.predictive(rows, (k, (0, 2)), reference.naive(2), (2, 3), 2, ess)
        assert math.exp(naive[0, k]) == pytest.approx(float(expected), rel=1e-12)
    for least in (1, 2, 3):
        logs = model_of(counts, "plain_super_parents", least=least).joint_logs([[0, 0], [1, 2]])
        for q, values in enumerate([(0, 0), (1, 2)]):
            expected = reference.aode(rows, (1, values), (2, 3), 2, ess, least)
            assert math.exp(logs[q, 1]) == pytest.approx(float(expected), rel=1e-12)


def test_no_queries_give_no_answers() -> None:
    model = model_of(PairCounts.empty([2, 2], 3), "all_trees")
    assert model.joint_logs(np.empty((0, 2), dtype=int)).shape == (0, 3)
