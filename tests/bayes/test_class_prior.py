"""Class probabilities given by ``class_prior``: those of scikit-learn, and not changed by rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import CategoricalNB, GaussianNB, MultinomialNB

import priorcase as pc
from priorcase.bayes import Cap, Dirichlet, GaussianDensity, ParamFloor

GIVEN = [0.9, 0.02, 0.08]
COUNTED = [
    pc.NaiveBayes(),
    pc.NaiveBayes("sc"),
    pc.NaiveBayes("map", prior=2.0),
    pc.NaiveBayes("map", zero_policy=Cap(30)),
    pc.NaiveBayes("map", zero_policy=ParamFloor(0.05)),
    pc.NaiveBayes(prior="auto", numeric="student"),
    pc.SubsetAveragedBayes(inclusion=0.5),
    pc.TreeAveragedBayes(),
    pc.TreeAugmentedBayes("auto"),
    pc.SuperParentAveragedBayes(),
    pc.AODE(),
]
every = pytest.mark.parametrize("model", COUNTED, ids=str)


def rows(n: int = 40, seed: int = 0) -> tuple[list[list[Any]], Any]:
    rng = np.random.default_rng(seed)
    cells = rng.choice(list("uvw"), (n, 3))
    numbers = rng.integers(0, 3, n).astype(float)
    classes = np.array(["a", "b", "c"])[np.r_[0, 1, 2, rng.integers(0, 3, n - 3)]]
    return [[*row, number] for row, number in zip(cells.tolist(), numbers.tolist(), strict=True)], classes


def fitted(model: Any, given: Any, n: int = 40) -> Any:
    return clone(model).set_params(class_prior=given).fit(*rows(n))


def test_like_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (60, 4)), rng.integers(0, 3, 60)
    ours = pc.NaiveBayes(class_prior=GIVEN, categorical_features=[0, 1, 2, 3]).fit(X, y)
    theirs = CategoricalNB(alpha=1.0, class_prior=GIVEN).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-12)
    numbers = rng.normal(size=(60, 3)) + y[:, np.newaxis]
    ours = pc.NaiveBayes(class_prior=GIVEN, numeric=GaussianDensity(smoothing=0.0)).fit(numbers, y)
    theirs = GaussianNB(priors=GIVEN, var_smoothing=0.0).fit(numbers, y)
    sizes = np.bincount(y)
    theirs.var_ *= (sizes / (sizes - 1.0))[:, np.newaxis]  # scikit-learn divides by n
    np.testing.assert_allclose(ours.predict_proba(numbers), theirs.predict_proba(numbers), rtol=1e-9)
    words = [["red bike bell"], ["red bell bell"], ["blue tyre"], ["tyre bike"]]
    counts = [[1, 0, 1, 1, 0], [2, 0, 0, 1, 0], [0, 1, 0, 0, 1], [0, 0, 1, 0, 1]]  # bell, blue, bike, red, tyre
    of_text = pc.NaiveBayes("map", prior=2.0, class_prior=[0.99, 0.01], schema={0: "text"}).fit(words, [0, 0, 1, 1])
    of_counts = MultinomialNB(class_prior=[0.99, 0.01]).fit(counts, [0, 0, 1, 1])
    np.testing.assert_allclose(of_text.predict_proba(words), of_counts.predict_proba(counts), rtol=1e-12)


@every
def test_probabilities_replace_the_class_term_alone(model: Any) -> None:
    learned, given = fitted(model, 1.0), fitted(model, GIVEN)
    X, _ = rows()
    before, after = learned.predict_joint_log_proba(X), given.predict_joint_log_proba(X)
    possible = np.isfinite(before)
    moved = np.where(possible, after, 0.0) - np.where(possible, before, 0.0)
    for k in range(3):
        np.testing.assert_allclose(moved[possible[:, k], k], moved[possible[:, k], k][0], atol=1e-9)
    nothing = [[None] * 4]
    answer = given.predict_proba(nothing)[0]
    if not isinstance(model, (pc.TreeAveragedBayes, pc.TreeAugmentedBayes, pc.SuperParentAveragedBayes, pc.AODE)):
        np.testing.assert_allclose(answer, GIVEN, rtol=1e-12)
    by_name = fitted(model, {"c": 0.08, "a": 0.9, "b": 0.02})
    assert by_name.predict_proba(X).tobytes() == given.predict_proba(X).tobytes()
    counts = fitted(model, Dirichlet(GIVEN))
    assert not np.allclose(counts.predict_proba(X), given.predict_proba(X), rtol=1e-3)


@every
@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_is_a_fit_without_the_row(model: Any, weighted: bool) -> None:
    X, y = rows(24)
    weights = np.where(np.arange(24) % 3 == 0, 2.0, 1.0) if weighted else None
    cuts = {} if getattr(model, "numeric", None) == "student" else {"numeric": pc.bayes.CutPoints((0.5, 1.5))}
    parts = {"class_prior": GIVEN, "schema": {a: pc.schema.Nominal(tuple("uvw")) for a in range(3)}}
    given = clone(model).set_params(**cuts, **parts)
    if given.prior == "auto":
        given.set_params(prior=None if isinstance(model, pc.TreeAugmentedBayes) else 0.7)
    full = given.fit(X, y, sample_weight=weights)
    answers = full.loo_predict_proba()
    for i in range(0, 24, 5):
        rest = [j for j in range(24) if j != i]
        alone = clone(given).partial_fit(
            [X[j] for j in rest],
            y[rest],
            classes=["a", "b", "c"],
            sample_weight=None if weights is None else weights[rest],
        )
        expected = alone.predict_proba([X[i]])[0]
        np.testing.assert_allclose(answers[i], expected, rtol=1e-7, atol=1e-12)


@every
def test_rows_come_and_go(model: Any, tmp_path: Any) -> None:
    X, y = rows()
    full = fitted(model, GIVEN)
    half = clone(model).set_params(class_prior=GIVEN).partial_fit(X[:20], y[:20], classes=["a", "b", "c"])
    other = clone(half).partial_fit(X[20:], y[20:], classes=["a", "b", "c"])
    half.merge(other)
    np.testing.assert_allclose(half.predict_proba(X), full.predict_proba(X), rtol=1e-12)
    full.forget(full.ids_[:7])
    fresh = clone(model).set_params(class_prior=GIVEN).fit(X[7:], y[7:])
    np.testing.assert_allclose(full.predict_proba(X), fresh.predict_proba(X), rtol=1e-12)
    saved = pc.load(full.save(tmp_path / "model.priorcase"))
    assert saved.predict_proba(X).tobytes() == full.predict_proba(X).tobytes()
    if not isinstance(model, pc.AODE) and getattr(model, "predictive", "evidence") == "evidence":
        assert saved.log_evidence_ == full.log_evidence_


@pytest.mark.parametrize("model", COUNTED[6:10], ids=str)
def test_evidence_of_given_probabilities(model: Any) -> None:
    """The classes of n rows have the probability that is the product of the given ones."""
    _, y = rows()
    counts = np.unique(y, return_counts=True)[1]
    learned = float(pc.bayes.log_marginal(counts, 1.0))
    fixed = float((counts * np.log(GIVEN)).sum())
    model = clone(model).set_params(**({} if isinstance(model, pc.SubsetAveragedBayes) else {"prior": None}))
    apart = fitted(model, GIVEN).log_evidence_ - fitted(model, 1.0).log_evidence_
    assert apart == pytest.approx(fixed - learned, rel=1e-9)


@every
def test_what_is_neither_says_what_to_write(model: Any) -> None:
    with pytest.raises(pc.exceptions.ParameterError, match=r"class_prior=Dirichlet\(\[99.0, 1.0, 1.0\]\)"):
        fitted(model, [99, 1, 1])
    with pytest.raises(pc.exceptions.ParameterError, match=r"class_prior=Dirichlet\(\{'a': 1, 'b': 1, 'c': 9\}\)"):
        fitted(model, {"a": 1, "b": 1, "c": 9})
