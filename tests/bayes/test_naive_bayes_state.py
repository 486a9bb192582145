"""Rows that come and go: after any history naive Bayes is that of a fresh fit on the rows left, bit for bit."""

from __future__ import annotations

import contextlib
import copy
import pickle
import random
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from bayes_tables import COLOUR, DISCRETE, KINDS, SIZE, labels, table
from interruptions import run
from sklearn.base import clone

from priorcase.bayes import BDeu, NaiveBayes
from priorcase.bayes.memory import Counts
from priorcase.bayes.numeric import ClassMoments
from priorcase.exceptions import NotAvailableError, PriorcaseError

QUERIES = [*table(10, seed=5, new=True), [None] * 7]
LETTERS = "abcdefghijklmnop"
BY_VALUE = {COLOUR: {**{c: 0.1 + 0.07 * i for i, c in enumerate(LETTERS)}, "red": 0.3, "green": 1.7, "blue": 0.9}}

MODELS = [
    NaiveBayes(),
    NaiveBayes("map", zero_policy="cap100", missing="value"),
    NaiveBayes("sc", numeric="gaussian", missing="value"),
    NaiveBayes(prior="auto", numeric="kmeans"),
    NaiveBayes(prior=BDeu(0.7), numeric="mdl", missing="value"),
    NaiveBayes("map", prior=1.1, numeric="kernel"),
    NaiveBayes(prior={**BY_VALUE, SIZE: [0.1, 0.2, 0.3, 0.7]}, class_prior=0.1, numeric="two_way"),
    NaiveBayes("map", prior=0.3, numeric="equal_frequency", zero_policy="param_floor"),
]
parametrize_models = pytest.mark.parametrize(
    "model", [clone(model).set_params(schema=KINDS) for model in MODELS], ids=[str(i) for i in range(len(MODELS))]
)


def state(model: Any, *, rows: bool = True) -> dict[str, Any]:
    """All that a model says; without ``rows`` only what their order has no say in."""
    said: dict[str, Any] = {
        "classes": model.classes_.tolist(),
        "counts": model.class_count_.tolist(),
        "prior": repr(model.prior_),
        "cuts": {a: points.tolist() for a, points in model.cut_points_.items()},
        "joint": model.predict_joint_log_proba(QUERIES).tobytes(),
        "logs": model.predict_log_proba(QUERIES).tobytes(),
        "probabilities": model.predict_proba(QUERIES).tobytes(),
        "predicted": model.predict(QUERIES).tolist(),
    }
    with contextlib.suppress(NotAvailableError):
        said["evidence"] = model.log_evidence_
    if rows:
        said["digest"] = model.digest()
        said["loo"] = model.loo_predict_proba().tobytes() if len(model.ids_) > 1 else b""
    return said


def same(model: Any, fresh: Any, *, rows: bool = True) -> None:
    found, expected = state(model, rows=rows), state(fresh, rows=rows)
    assert [key for key in expected if found[key] != expected[key]] == []


def same_in_another_order(model: Any, fresh: Any) -> None:
    """All answers of the same rows in another order.

    The moments of numbers are added up in the order of the rows, so that densities differ in the last digits; the law
    that matters, forgetting equals refitting, is about rows in one order and holds bit for bit. All else is the same.
    """
    if model.numeric not in ("student", "gaussian"):
        return same(model, fresh, rows=False)
    found, expected = state(model, rows=False), state(fresh, rows=False)
    for key in ("joint", "logs"):
        np.testing.assert_allclose(np.frombuffer(found.pop(key)), np.frombuffer(expected.pop(key)), rtol=1e-12)
    np.testing.assert_allclose(
        *(np.frombuffer(said.pop("probabilities")) for said in (found, expected)), rtol=1e-9, atol=1e-200
    )
    assert found.pop("evidence", 0.0) == pytest.approx(expected.pop("evidence", 0.0), rel=1e-12)
    assert found == expected
    return None


def rare(seed: int, n: int = 50) -> tuple[list[Any], list[Any], list[float]]:
    """Rows with values and classes that few others have, so that they vanish and come back."""
    draw = random.Random(seed)
    X, y = table(n, seed), labels(n, seed + 1)
    for i in range(0, n, 3):
        X[i][COLOUR] = draw.choice(LETTERS)
    for i in range(0, n, 7):
        y[i] = draw.choice(["rare", "rarer"])
    return X, y, [draw.choice([1.0, 2.0, 0.3, 0.1, 0.7]) for _ in X]


def history(model: Any, seed: int, weighted: bool, looks: bool) -> tuple[Any, list[Any]]:
    """A model to which rows were added in parts and from which rows were taken, and the rows left."""
    X, y, weights = rare(seed)
    draw, alive, next_id, at = random.Random(seed), dict[int, int](), 0, 0
    model = clone(model)
    while at < len(X):
        if alive and draw.random() < 0.4:
            gone = draw.sample(sorted(alive), draw.randint(1, len(alive)))
            model.forget(gone)
            for number in gone:
                del alive[number]
        else:
            part = range(at, min(at + draw.randint(1, 12), len(X)))
            given = [weights[i] for i in part] if weighted and draw.random() < 0.8 else None
            if given is None:
                for i in part:
                    weights[i] = 1.0
            model.partial_fit([X[i] for i in part], [y[i] for i in part], sample_weight=given)
            alive |= {next_id + i: row for i, row in enumerate(part)}
            next_id, at = next_id + len(part), part.stop
        if alive and looks and draw.random() < 0.5:
            state(model)
    left = [alive[number] for number in sorted(alive)]
    assert model.ids_.tolist() == sorted(alive)
    return model, [(X[i], y[i], weights[i]) for i in left]


@pytest.mark.parametrize("looks", [False, True], ids=["unasked", "asked in between"])
@pytest.mark.parametrize("weighted", [False, True], ids=["each once", "weighted"])
@parametrize_models
def test_histories_leave_no_trace(model: Any, weighted: bool, looks: bool) -> None:
    seed = 2 * weighted + looks
    grown, left = history(model, seed, weighted, looks)
    X, y, weights = map(list, zip(*left, strict=True))
    fresh = clone(model).fit(X, y, sample_weight=weights if weighted else None)
    same(grown, fresh)
    same(pickle.loads(pickle.dumps(grown)), fresh)
    order = np.random.default_rng(seed).permutation(len(X))
    turned = clone(model).fit([X[i] for i in order], [y[i] for i in order], sample_weight=np.array(weights)[order])
    same_in_another_order(turned, fresh)
    if turned.numeric in ("student", "gaussian"):
        np.testing.assert_allclose(turned.loo_predict_log_proba(), fresh.loo_predict_log_proba()[order], rtol=1e-11)
    else:
        np.testing.assert_array_equal(turned.loo_predict_proba(), fresh.loo_predict_proba()[order])


@pytest.mark.parametrize("weighted", [False, True], ids=["each once", "weighted"])
@parametrize_models
def test_merging_is_one_fit_on_both_tables(model: Any, weighted: bool) -> None:
    X, y, weights = rare(int(weighted))
    whole = clone(model).fit(X, y, sample_weight=weights if weighted else None)

    def part(rows: slice) -> Any:
        fitted = clone(model).fit(X[rows], y[rows], sample_weight=weights[rows] if weighted else None)
        state(fitted)
        return fitted

    first, second = part(slice(0, 20)), part(slice(20, None))
    same(copy.deepcopy(first).merge(second), whole)
    same_in_another_order(copy.deepcopy(second).merge(first), whole)
    assert second.ids_.tolist() == list(range(30))
    three = part(slice(40, None)).merge(part(slice(0, 20))).merge(part(slice(20, 40)))
    same_in_another_order(three, whole)
    # Rows and values that are gone do not come along.
    lessened = clone(model).fit(X, y, sample_weight=weights if weighted else None).forget(range(20, 50))
    same(lessened.merge(second), whole)


def test_merging_weighted_with_unweighted_rows() -> None:
    X, y, weights = rare(0)
    model = NaiveBayes(schema=KINDS)
    parts = clone(model).fit(X[:25], y[:25]), clone(model).fit(X[25:], y[25:], sample_weight=weights[25:])
    whole = clone(model).fit(X, y, sample_weight=[1.0] * 25 + weights[25:])
    same(copy.deepcopy(parts[0]).merge(parts[1]), whole)
    same_in_another_order(copy.deepcopy(parts[1]).merge(parts[0]), whole)


@parametrize_models
def test_everything_forgotten_and_learned_again(model: Any) -> None:
    X, y, _ = rare(3)
    grown = clone(model).fit(X[:30], y[:30])
    state(grown)
    grown.forget(grown.ids_)
    assert grown.n_samples_fit_ == 0
    same(grown.partial_fit(X[30:], y[30:]), clone(model).fit(X[30:], y[30:]))


@parametrize_models
def test_rows_that_are_refused_leave_everything_as_it_was(model: Any) -> None:
    X, y, _ = rare(4)
    grown = clone(model).fit(X, y)
    before = state(grown)
    refused: list[Any] = [
        (X[:3], y[:2], None),
        ([[*X[0][:5], "text", 1.0]], ["no"], None),
        (X[:2], ["no", None], None),
        (X[:2], [1, 2], None),
        (X[:2], y[:2], [1.0, -1.0]),
        ([[*X[0][:5], 1e200, 1.0], [*X[0][:5], 1.0, 1e200]], ["new", "newer"], None),
    ]
    for rows, targets, weights in refused[: 6 if "student" in str(model.numeric) else 5]:
        with pytest.raises(PriorcaseError):
            grown.partial_fit(rows, targets, sample_weight=weights)
        assert state(grown) == before
    with pytest.raises(PriorcaseError):
        grown.forget([0, 10_000])
    assert state(grown) == before
    same(grown.partial_fit(X[:3], y[:3]), clone(model).fit(X + X[:3], y + y[:3]))


@parametrize_models
def test_copies_go_their_own_way(model: Any) -> None:
    X, y, _ = rare(5)
    grown = clone(model).fit(X, y)
    before = state(grown)
    for other in (copy.deepcopy(grown), pickle.loads(pickle.dumps(grown))):
        assert state(other) == before
        other.forget(range(10)).partial_fit(X[:3], y[:3])
        same(other, clone(model).fit(X[10:] + X[:3], y[10:] + y[:3]))
    assert state(grown) == before
    assert not hasattr(clone(grown), "classes_")


def test_parameters_take_effect_at_the_next_fit() -> None:
    X, y, _ = rare(6)
    model = NaiveBayes(schema=KINDS).fit(X[:30], y[:30])
    changed = {"predictive": "map", "prior": 7.0, "class_prior": 3.0, "missing": "value", "zero_policy": "cap100"}
    model.set_params(numeric="kernel", **changed).partial_fit(X[30:], y[30:])
    same(model, NaiveBayes(schema=KINDS).fit(X, y))
    same(model.fit(X, y), NaiveBayes(numeric="kernel", schema=KINDS, **changed).fit(X, y))  # type: ignore[arg-type]


def test_pickles_hold_nothing_forgotten() -> None:
    X, y = table(20), labels(20)
    X[7][COLOUR], X[7][-1], y[7] = "confidential", 98765.4321, "secret"
    for numeric in ("student", "gaussian", "kernel", "kmeans"):
        model = NaiveBayes(numeric=numeric, schema=KINDS).fit(X, y)
        state(model)
        secrets = [b"confidential", b"secret", struct.pack("<d", 98765.4321)]
        assert all(secret in pickle.dumps(model) for secret in secrets)
        kept = pickle.dumps(model.forget([7]))
        assert not any(secret in kept for secret in secrets)


def test_readers_beside_a_writer() -> None:
    X, y = table(300), labels(300)
    model = NaiveBayes(numeric="kmeans", prior="auto", schema=KINDS, n_jobs=1).fit(X[:100], y[:100])
    draw, answers, written = np.random.default_rng(0), [0, 0], [0]

    def busy() -> bool:
        return min(answers) < 6 or written[0] < 6  # however the threads take turns

    def write() -> None:
        while busy():
            at = int(draw.integers(0, 290))
            model.partial_fit(X[at : at + 5], y[at : at + 5])
            model.forget(draw.permutation(model.ids_)[:5])
            written[0] += 1

    def read(reader: int) -> Callable[[], None]:
        def ask() -> None:
            while busy():
                np.testing.assert_allclose(model.predict_proba(QUERIES).sum(axis=1), 1.0)
                assert len(model.loo_predict_proba()) in (100, 105)
                assert model.log_evidence_ < 0
                assert model.class_count_.sum() in (100, 105)
                answers[reader] += 1

        return ask

    run(write, read(0), read(1))
    table_left, y_left, _ = model._rows()
    rows = model._memory.instances.decode(np.arange(len(table_left)))
    same(model, clone(model).fit([list(row) for row in rows], y_left))


def test_two_models_may_merge_each_other_at_once() -> None:
    X, y = [[row[a] for a in DISCRETE] for row in table(40)], labels(40)
    kinds = {a: KINDS[a] for a in DISCRETE}
    one, other = (NaiveBayes(schema=kinds).fit(X[s], y[s]) for s in (slice(0, 20), slice(20, None)))
    run(lambda: one.merge(other), lambda: other.merge(one))  # type: ignore[arg-type, func-returns-value]  # what they return is not asked for
    assert {one.n_samples_fit_, other.n_samples_fit_} <= {40, 60}


@pytest.mark.parametrize("failing", [(Counts, "add"), (ClassMoments, "add")])
def test_an_interrupted_forget_changes_nothing(failing: tuple[type, str], monkeypatch: pytest.MonkeyPatch) -> None:
    X = [[1.0, "a"], [2.0, "b"], [5.0, "a"], [4.0, "b"], [3.0, "a"]]
    model = NaiveBayes(numeric="student").fit(X, [0, 0, 1, 1, 1])
    digest, before = model.digest(), model.predict_joint_log_proba(X)

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(*failing, interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.forget([2])
    assert model.digest() == digest
    np.testing.assert_array_equal(model.predict_joint_log_proba(X), before)
    model.forget([2])
    fresh = NaiveBayes(numeric="student").fit([X[i] for i in (0, 1, 3, 4)], [0, 0, 1, 1])
    np.testing.assert_array_equal(model.predict_joint_log_proba(X), fresh.predict_joint_log_proba(X))
