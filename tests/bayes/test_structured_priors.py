"""Trees and super-parents under other priors than BDeu: against every structure written out, in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference import trees as reference
from structured import CLASSES, ESTIMATORS, SCHEMA, VALUES, expected_proba, numbered, table

from priorcase.bayes import AODE, BDeu, Dirichlet, MEstimate, PerAttribute, Prior, TreeAugmentedBayes, TreeAveragedBayes
from priorcase.exceptions import ParameterError, TargetError
from tests.bayes.test_tree_sums import log_fraction

every = pytest.mark.parametrize("estimator", ESTIMATORS)


class Shares(Prior):
    """Six rows in each class, more of them on later letters, and the more so the later the class."""

    def weights(self, label: Any, values: Sequence[Any], n_classes: int) -> Any:
        ranks = np.array([8.0 if value is None else float(ord(value[0]) % 8 + 1) for value in values])
        lines = np.array([ranks**k for k in range(n_classes)])
        return 6.0 * lines / lines.sum(axis=1, keepdims=True)

    def unseen(self, label: Any, values: Sequence[Any], n_classes: int) -> float:
        return 0.75


def exact(prior: Any, sizes: Sequence[int], missing: Sequence[bool], class_prior: Any = None) -> reference.Weights:
    """The weights of the values of the columns, the missing value last, as fractions."""
    classes = [prior.class_weight(3)] * 3 if class_prior is None else class_prior
    found = []
    for a in range(len(sizes)):
        values = [*VALUES[a], *([None] if missing[a] else [])]
        line = np.broadcast_to(np.atleast_2d(np.asarray(prior.weights(a, values, 3), float)), (3, len(values)))
        limited = [[Fraction(w).limit_denominator(10**12) for w in row] for row in line.tolist()]
        # The same sum in fractions: what limiting lost goes to the first value.
        totals = [sum(row, Fraction(0)) for row in limited]
        if a == 0:
            first = totals
        for k in range(3):
            limited[k][0] += first[k] - totals[k]
        found.append(tuple(zip(*limited, strict=True)))
    return reference.Weights(tuple(Fraction(w) for w in classes), tuple(found))


BY_VALUE = PerAttribute({0: {"a": 1, "b": 2, "c": 0.5}, 1: 1.75, 2: {"p": 3, "q": 0.25, "r": 0.25}})
PRIORS = [MEstimate(3.0), Shares(), BY_VALUE]


@every
@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
def test_probabilities_are_those_of_all_structures(estimator: Any, prior: Any) -> None:
    gaps = 0.0 if isinstance(prior, PerAttribute) else 0.15
    rows, classes = table(4, 12, 3, gaps)
    options: dict[str, Any] = {"schema": {a: SCHEMA[a] for a in range(3)}}
    model = estimator(prior, **options).fit(rows, classes)
    known, sizes = numbered(rows, classes)
    weights = exact(prior, sizes, [any(row[a] is None for row in rows) for a in range(3)])
    for row, (_, values) in zip(rows[:4], known, strict=False):
        expected = expected_proba(estimator, known, values, sizes, weights)
        np.testing.assert_allclose(model.predict_proba([row])[0], expected, rtol=1e-9)
    given = [0.5, 3.0, 1.0]
    model = estimator(prior, class_prior=Dirichlet(given), **options).fit(rows, classes)
    expected = expected_proba(
        estimator, known, known[0][1], sizes, reference.Weights(tuple(map(Fraction, given)), weights.values)
    )
    np.testing.assert_allclose(model.predict_proba(rows[:1])[0], expected, rtol=1e-9)


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
def test_evidence_and_edges(prior: Any) -> None:
    rows, classes = table(4, 12, 3)
    options: dict[str, Any] = {"schema": {a: SCHEMA[a] for a in range(3)}}
    known, sizes = numbered(rows, classes)
    weights = exact(prior, sizes, [False] * 3)
    trees = [reference.marginal(known, each, sizes, 3, weights) for each in reference.all_trees(3)]
    average = TreeAveragedBayes(prior, **options).fit(rows, classes)
    assert average.log_evidence_ == pytest.approx(log_fraction(sum(trees) / Fraction(3)), rel=1e-10)
    assert average.prior_ == prior
    best = TreeAugmentedBayes(prior, **options).fit(rows, classes)
    assert best.log_evidence_ == pytest.approx(log_fraction(max(trees)), rel=1e-10)


@every
@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
@pytest.mark.parametrize("weighted", [False, True])
def test_leaving_out_forgetting_and_unseen_values(estimator: Any, prior: Any, weighted: bool) -> None:
    rows, classes = table(5, 40, 3)
    weights = np.random.default_rng(1).integers(1, 5, 40) / 2 if weighted else None
    options: dict[str, Any] = {"schema": {a: SCHEMA[a] for a in range(3)}}

    def fitted(at: Any) -> Any:
        some = None if weights is None else weights[at]
        model = estimator(prior, **options)
        return model.partial_fit([rows[i] for i in at], [classes[i] for i in at], CLASSES, some)

    model = fitted(range(40))
    left_out = model.loo_predict_proba()
    for i in (0, 9, 39):
        alone = fitted([each for each in range(40) if each != i])
        np.testing.assert_allclose(left_out[i], alone.predict_proba([rows[i]])[0], rtol=1e-9)
    fewer = fitted(range(25))
    model.forget(model.ids_[25:])
    assert model.predict_proba(rows).tobytes() == fewer.predict_proba(rows).tobytes()
    assert (model.log_evidence_ if estimator is not AODE else 0) == (
        fewer.log_evidence_ if estimator is not AODE else 0
    )


@every
def test_the_sum_stays_where_a_value_was_never_seen(estimator: Any) -> None:
    """An unseen value takes its part of the weights; those of the others shrink in proportion."""
    rows, classes = table(3, 14, 3)
    prior = Shares()
    model = estimator(prior, schema={0: SCHEMA[0], 1: SCHEMA[1]}).fit(rows, classes)
    held = sorted({row[2] for row in rows})
    query = [rows[0][0], rows[0][1], "never"]
    known, _ = numbered(rows, classes)
    numbers = {VALUES[2].index(value): place for place, value in enumerate(held)}
    known = [(k, (*values[:2], numbers[values[2]])) for k, values in known]
    sizes = [3, 2, len(held) + 1]
    lines = []
    for a, values in enumerate([VALUES[0], VALUES[1], held]):
        line = np.asarray(prior.weights(a, values, 3))
        lines.append(np.hstack([line, np.full((3, 1), 0.75)]) * 6 / 6.75 if a == 2 else line)
    exactly = [[[Fraction(w).limit_denominator(10**12) for w in row] for row in line.tolist()] for line in lines]
    for line in exactly:
        for row in line:
            row[0] += 6 - sum(row, Fraction(0))
    weights = reference.Weights((Fraction(1),) * 3, tuple(tuple(zip(*line, strict=True)) for line in exactly))
    expected = expected_proba(estimator, known, (*known[0][1][:2], len(held)), sizes, weights)
    np.testing.assert_allclose(model.predict_proba([query])[0], expected, rtol=1e-9)


@every
def test_bdeu_is_the_same_by_another_way(estimator: Any) -> None:
    """Weights given value by value equal those of an equivalent sample, though another path adds them up."""
    rows, classes = table(8, 60, 4)
    options: dict[str, Any] = {"schema": SCHEMA}
    even = estimator(BDeu(6.0), **options).fit(rows, classes)
    given = {a: {value: 2 / len(VALUES[a]) for value in VALUES[a]} for a in range(4)}
    model = estimator(given, class_prior=2.0, **options).fit(rows, classes)
    np.testing.assert_allclose(model.predict_log_proba(rows), even.predict_log_proba(rows), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(model.loo_predict_proba(), even.loo_predict_proba(), rtol=1e-10)
    if estimator is not AODE:
        assert model.log_evidence_ == pytest.approx(even.log_evidence_, rel=1e-12)


@every
def test_what_has_no_weights_for_pairs(estimator: Any) -> None:
    rows, classes = table(1, 20, 3)
    for prior in (1.0, "laplace", "jeffreys", {0: 2.0}):
        with pytest.raises(ParameterError, match=r"sum to .* this model needs the same sum .* BDeu\(20\.0\)"):
            estimator(prior).fit(rows, classes)
    # Columns of as many values each have weights that add up, until one of them has one more.
    same = [[a, b] for a in "ab" for b in "xy"] * 3
    model = estimator(1.0).fit(same, ["no", "yes"] * 6)
    before = model.predict_proba(same)
    for change in (lambda: model.partial_fit([["c", "x"]], ["no"]), lambda: model.forget(model.ids_[::2])):
        with pytest.raises(ParameterError, match="needs the same sum"):
            change()
        assert model.predict_proba(same).tobytes() == before.tobytes()
    with pytest.raises(ParameterError, match="class_prior must be"):
        estimator(class_prior=[1.0, 2.0]).fit(rows, classes)
    declared = estimator(class_prior=Dirichlet([1.0, 2.0])).fit(same, ["no", "yes"] * 6)
    with pytest.raises(TargetError, match="class_prior has one weight for each class"):
        declared.forget(declared.ids_[::2])


@every
def test_auto_keeps_the_class_prior(estimator: Any) -> None:
    rows, classes = table(2, 30, 3)
    model = estimator("auto", class_prior=Dirichlet([1.0, 5.0, 2.0])).fit(rows, classes)
    given = estimator(model.prior_, class_prior=Dirichlet([1.0, 5.0, 2.0])).fit(rows, classes)
    assert isinstance(model.prior_, BDeu)
    assert model.predict_proba(rows).tobytes() == given.predict_proba(rows).tobytes()
