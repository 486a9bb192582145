"""Priors of a user's own: the answers of the slow reference, and one sentence for what cannot be a prior."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import priorcase as pc
from priorcase.bayes import PerAttribute, Prior
from priorcase.exceptions import ParameterError, UnsupportedDataError


class ByLength(Prior):
    """A weight for each value by its name, the missing value included."""

    def weights(self, label: Any, values: Sequence[Any], n_classes: int) -> Any:
        return [0.5 if value is None else 0.25 * len(str(value)) for value in values]


class ByClass(Prior):
    """Weights by class and value, and methods of its own for the rest."""

    def weights(self, label: Any, values: Sequence[Any], n_classes: int) -> Any:
        return np.add.outer(np.arange(1.0, n_classes + 1), [len(str(value)) for value in values])

    def unseen(self, label: Any, values: Sequence[Any], n_classes: int) -> float:
        return 0.125

    def class_weight(self, n_classes: int) -> float:
        return 2.0 / n_classes


def table(seed: int = 0, n: int = 40) -> tuple[list[list[Any]], list[str]]:
    rng = np.random.default_rng(seed)
    rows = [[rng.choice(["red", "green", "blue"]), rng.choice(["s", "xl"])] for _ in range(n)]
    classes = [("yes" if row[0] == "red" or rng.random() < 0.3 else "no") for row in rows]
    return [[None if rng.random() < 0.1 else str(value) for value in row] for row in rows], classes


def reference(rows: Any, classes: Any, row: Any, prior: Any) -> list[float]:
    """Naive Bayes by counting, value after value; an unseen value joins the others with its own weight."""
    labels, joint = sorted(set(classes)), []
    for k, label in enumerate(labels):
        own = [each for each, c in zip(rows, classes, strict=True) if c == label]
        found = (len(own) + prior.class_weight(len(labels))) / (
            len(rows) + len(labels) * prior.class_weight(len(labels))
        )
        for a, value in enumerate(row):
            values = sorted({each[a] for each in rows if each[a] is not None})
            weights = np.atleast_2d(np.asarray(prior.weights(a, values, len(labels)), float))
            line = weights[min(k, len(weights) - 1)]
            known = [each[a] for each in own if each[a] is not None]
            if value is None:
                continue
            if value in values:
                found *= (known.count(value) + line[values.index(value)]) / (len(known) + line.sum())
            else:
                more = prior.unseen(a, values, len(labels))
                found *= more / (len(known) + line.sum() + more)
        joint.append(found)
    return [each / sum(joint) for each in joint]


@pytest.mark.parametrize("prior", [ByLength(), ByClass(), PerAttribute({0: 2.0}, 0.5)], ids=lambda p: type(p).__name__)
def test_naive_bayes_equals_counting(prior: Any) -> None:
    rows, classes = table()
    model = pc.NaiveBayes(prior=prior).fit(rows, classes)
    queries = [*rows[:10], ["red", "never"], [None, "xl"], ["green", None]]
    expected = [reference(rows, classes, row, prior) for row in queries]
    np.testing.assert_allclose(model.predict_proba(queries), expected, rtol=1e-12)
    left_out = [reference(rows[:i] + rows[i + 1 :], classes[:i] + classes[i + 1 :], rows[i], prior) for i in range(5)]
    np.testing.assert_allclose(model.loo_predict_proba()[:5], left_out, rtol=1e-12)
    fewer = pc.NaiveBayes(prior=prior).fit(rows[:30], classes[:30])
    again = pc.NaiveBayes(prior=prior).fit(rows, classes)
    again.forget(again.ids_[30:])
    np.testing.assert_array_equal(again.predict_proba(queries), fewer.predict_proba(queries))


@pytest.mark.parametrize("prior", [ByLength(), ByClass()], ids=lambda p: type(p).__name__)
def test_subsets_missing_values_and_bins(prior: Any) -> None:
    rows, classes = table()
    for model in (
        pc.SubsetAveragedBayes(prior=prior),
        pc.SubsetAveragedBayes(prior=prior, missing="value"),
        pc.NaiveBayes(prior=prior, missing="value"),
    ):
        assert np.isfinite(model.fit(rows, classes).predict_log_proba([*rows, ["new", None]])).all()
    certain = pc.SubsetAveragedBayes(prior=prior, inclusion=1.0).fit(rows, classes)
    naive = pc.NaiveBayes(prior=prior).fit(rows, classes)
    np.testing.assert_allclose(certain.predict_proba(rows), naive.predict_proba(rows), rtol=1e-12)
    assert certain.log_evidence_ == pytest.approx(naive.log_evidence_)
    numbers = [[float(i % 7)] for i in range(40)]
    binned = pc.NaiveBayes(prior=prior, numeric="equal_width").fit(numbers, classes)
    assert np.isfinite(binned.predict_log_proba(numbers)).all()


def own(**methods: Any) -> Prior:
    """A prior with some methods of its own."""
    given: dict[str, Any] = {"weights": lambda self, label, values, n_classes: [1.0] * len(values)} | methods
    return type("Mistaken", (Prior,), given)()


MISTAKES = [
    (own(weights=lambda self, label, values, n: [1.0]), r"must return weights of 0 in the shape \(3,\) or \(2, 3\)"),
    (own(weights=lambda self, label, values, n: [-1.0] * len(values)), "finite weights above 0"),
    (own(weights=lambda self, label, values, n: [np.nan] * len(values)), "finite weights above 0"),
    (own(weights=lambda self, label, values, n: ["much"] * len(values)), "weights of 0 in the shape"),
    (own(weights=lambda self, label, values, n: None), "weights of 0 in the shape"),
    (own(unseen=lambda self, label, values, n: 0.0), "as unseen of 0"),
    (own(unseen=lambda self, label, values, n: [1.0]), "unseen of 0 in the shape"),
    (own(class_weight=lambda self, n: -1.0), "as class_weight"),
    (own(symmetric=lambda self, sizes, n: np.ones(5)), "symmetric in the shape"),
    (own(symmetric=lambda self, sizes, n: np.zeros(len(sizes))), "as symmetric"),
]


@pytest.mark.parametrize(("prior", "words"), MISTAKES)
@pytest.mark.parametrize("estimator", [pc.NaiveBayes, pc.SubsetAveragedBayes])
def test_mistakes_are_one_sentence(estimator: Any, prior: Prior, words: str) -> None:
    rows, classes = table()
    with pytest.raises(ParameterError, match=rf"^{estimator.__name__}\.\w+: prior .*{words}.*Mistaken") as caught:
        estimator(prior=prior).fit(rows, classes).predict(rows)
    assert "\n" not in str(caught.value)


def test_a_prior_of_ones_own_is_not_saved(tmp_path: Any) -> None:
    rows, classes = table()
    with pytest.raises(UnsupportedDataError, match=r"NaiveBayes\.prior is a .*ByLength"):
        pc.NaiveBayes(prior=ByLength()).fit(rows, classes).save(tmp_path / "model.priorcase")


@pytest.mark.parametrize("prior", [ByLength(), ByClass()], ids=lambda p: type(p).__name__)
def test_subsets_equal_the_average_written_out(prior: Any) -> None:
    """Every subset of the columns by itself, its probability row by row; weights are added up over the classes where a
    column does not matter."""
    rows, classes = table(3, 14)
    labels, columns = sorted(set(classes)), range(2)
    held = [sorted({row[a] for row in rows if row[a] is not None}) for a in columns]
    weights = [np.atleast_2d(np.asarray(prior.weights(a, held[a], 2), float)) for a in columns]

    def predictive(seen: list[tuple[list[Any], str]], row: Any, label: str, subset: tuple[int, ...]) -> float:
        own = [each for each, c in seen if c == label]
        found = (len(own) + prior.class_weight(2)) / (len(seen) + 2 * prior.class_weight(2))
        for a in columns:
            if row[a] is None:
                continue
            line = np.broadcast_to(weights[a], (2, len(held[a]))).sum(axis=0)
            if a in subset:
                line = weights[a][min(labels.index(label), len(weights[a]) - 1)]
            among = [each[a] for each in (own if a in subset else [each for each, _ in seen]) if each[a] is not None]
            found *= (among.count(row[a]) + line[held[a].index(row[a])]) / (len(among) + line.sum())
        return float(found)

    subsets = [(), (0,), (1,), (0, 1)]
    seen: list[tuple[list[Any], str]] = []
    evidence = dict.fromkeys(subsets, 1.0)
    for row, label in zip(rows, classes, strict=True):
        evidence = {each: mass * predictive(seen, row, label, each) for each, mass in evidence.items()}
        seen.append((row, label))
    model = pc.SubsetAveragedBayes(prior=prior, inclusion=0.5).fit(rows, classes)
    total = sum(evidence.values())
    relevance = [sum(mass for each, mass in evidence.items() if a in each) / total for a in columns]
    np.testing.assert_allclose(model.relevance_.probabilities, relevance, rtol=1e-10)
    for row in rows[:6]:
        joint = [sum(mass * predictive(seen, row, c, each) for each, mass in evidence.items()) for c in labels]
        np.testing.assert_allclose(model.predict_proba([row])[0], np.array(joint) / sum(joint), rtol=1e-10)
    assert model.log_evidence_ == pytest.approx(np.log(total / 4), rel=1e-10)
