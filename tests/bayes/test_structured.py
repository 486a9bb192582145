"""Tree and super-parent classifiers from tables to probabilities: what all four of them promise."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from structured import CLASSES, ESTIMATORS, SCHEMA, expected_proba, numbered, table

import priorcase.bayes.pairs as pairs
from priorcase.bayes import AODE, BDeu
from priorcase.bayes.structured import StructuredBayes
from priorcase.exceptions import TooFewRowsError, TooLargeError

every = pytest.mark.parametrize("estimator", ESTIMATORS)


def schema(width: int) -> dict[int, Any]:
    return {a: SCHEMA[a] for a in range(width)}


@every
@pytest.mark.parametrize(("width", "gaps"), [(1, 0.0), (2, 0.2), (3, 0.2), (4, 0.0)])
def test_probabilities_are_those_of_all_structures(estimator: Any, width: int, gaps: float) -> None:
    rows, classes = table(width, 12, width, gaps)
    model = estimator(BDeu(2.5), schema=schema(width)).fit(rows, classes)
    known, sizes = numbered(rows, classes)
    for row, (_, values) in zip(rows[:3], known, strict=False):
        expected = expected_proba(estimator, known, values, sizes, Fraction(5, 2))
        np.testing.assert_allclose(model.predict_proba([row])[0], expected, rtol=1e-10)


@every
def test_an_unseen_value_is_one_more_value(estimator: Any) -> None:
    rows, classes = table(5, 12, 3)
    model = estimator(BDeu(1), schema=schema(3)).fit(rows, classes)
    known, sizes = numbered(rows, classes)
    assert sizes == [3, 2, 3]
    new = expected_proba(estimator, known, (1, 2, 0), [3, 3, 3], Fraction(1))
    np.testing.assert_allclose(model.predict_proba([["b", "new", "p"]])[0], new, rtol=1e-10)
    # No training row has a gap, so one in a query is a value never seen.
    assert model.predict_proba([["b", None, "p"]]).tobytes() == model.predict_proba([["b", "new", "p"]]).tobytes()


@every
@pytest.mark.parametrize("weighted", [None, "whole", "fractions"])
def test_leaving_out_is_a_fit_without(estimator: Any, weighted: str | None) -> None:
    rows, classes = table(7, 20, 3)
    weights = None if weighted is None else np.arange(1.0, 21.0) / (1 if weighted == "whole" else 7)
    model = estimator(schema=schema(3)).partial_fit(rows, classes, CLASSES, weights)
    left_out = model.loo_predict_proba()
    for i in range(20):
        others = [j for j in range(20) if j != i]
        fresh = estimator(schema=schema(3)).partial_fit(
            [rows[j] for j in others],
            [classes[j] for j in others],
            CLASSES,
            None if weights is None else weights[others],
        )
        np.testing.assert_allclose(left_out[i], fresh.predict_proba([rows[i]])[0], rtol=1e-9)


@every
@pytest.mark.parametrize("weighted", [False, True])
def test_however_the_rows_came(estimator: Any, weighted: bool) -> None:
    rows, classes = table(9, 60, 4, 0.1)
    numbers = np.random.default_rng(1).normal(0, 1, 60)
    rows = [[*row, x + CLASSES.index(k)] for row, x, k in zip(rows, numbers, classes, strict=True)]
    weights = np.random.default_rng(2).random(60) if weighted else np.ones(60)
    fresh = estimator().fit(rows[10:50], classes[10:50], weights[10:50])
    parts = estimator().fit(rows[:20], classes[:20], weights[:20])
    parts.partial_fit(rows[20:35], classes[20:35], sample_weight=weights[20:35])
    parts.merge(estimator().fit(rows[35:], classes[35:], weights[35:]))
    parts.forget([*range(10), *range(50, 60)])
    backwards = estimator(n_jobs=3).fit(rows[49:9:-1], classes[49:9:-1], weights[49:9:-1])
    expected = fresh.predict_joint_log_proba(rows)
    assert parts.predict_joint_log_proba(rows).tobytes() == expected.tobytes()
    assert parts.loo_predict_proba().tobytes() == fresh.loo_predict_proba().tobytes()
    assert backwards.predict_joint_log_proba(rows).tobytes() == expected.tobytes()
    assert pickle.loads(pickle.dumps(parts)).predict_joint_log_proba(rows).tobytes() == expected.tobytes()


@every
def test_weights_are_repetitions(estimator: Any) -> None:
    rows, classes = table(3, 25, 4, 0.1)
    times = np.random.default_rng(1).integers(1, 4, 25)
    weighted = estimator().fit(rows, classes, times)
    repeated = estimator().fit(np.repeat(np.array(rows, dtype=object), times, axis=0), np.repeat(classes, times))
    assert weighted.predict_joint_log_proba(rows).tobytes() == repeated.predict_joint_log_proba(rows).tobytes()


@every
def test_numbers_are_cut_into_bins(estimator: Any) -> None:
    random = np.random.default_rng(0)
    classes = random.integers(0, 2, 200)
    X = np.stack([classes * 3 + random.normal(0, 1, 200), random.normal(0, 1, 200)], axis=1)
    X[::9, 0] = np.nan
    model = estimator(numeric={1: "equal_width"}).fit(X, classes)
    cuts = model.cut_points_
    assert cuts[0].size >= 1
    assert cuts[1].size == 4
    assert model.score(X, classes) > 0.85
    assert model.loo_predict_proba().shape == (200, 2)


@every
def test_a_class_without_rows(estimator: Any) -> None:
    rows, _ = table(1, 10, 2)
    model = estimator(BDeu(4.0), schema=schema(2)).partial_fit(rows, ["no"] * 10, CLASSES[:2])
    joint = np.exp(model.predict_joint_log_proba([["a", "x"]]))
    np.testing.assert_allclose(joint[0, 1], 2 / 14 / 6, rtol=1e-12)
    assert np.isfinite(model.loo_predict_proba()).all()


@every
def test_one_row_one_class_one_value(estimator: Any) -> None:
    model = estimator().fit([["a", "x"]], ["yes"])
    np.testing.assert_array_equal(model.predict_proba([["a", "x"], ["b", None]]), [[1.0], [1.0]])
    with pytest.raises(TooFewRowsError):
        model.loo_predict_proba()
    dull = estimator().fit([["a", "x"], ["a", "y"], ["a", "x"]], ["yes", "no", "yes"])
    alone = estimator().fit([["x"], ["y"], ["x"]], ["yes", "no", "yes"])
    np.testing.assert_allclose(dull.predict_proba([["a", "x"]]), alone.predict_proba([["x"]]), rtol=1e-12)


@every
def test_many_columns(estimator: Any) -> None:
    random = np.random.default_rng(3)
    X = random.integers(0, 3, (150, 100)).astype(str)
    classes = random.integers(0, 2, 150)
    probabilities = estimator().fit(X, classes).predict_proba(X[:5])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


@every
@pytest.mark.parametrize("ess", [1e-100, 1e-9, 1e100])
def test_any_sample_size_gives_probabilities(estimator: Any, ess: float) -> None:
    rows, classes = table(2, 30, 4, 0.1)
    model = estimator(BDeu(ess)).fit(rows, classes)
    for probabilities in (model.predict_proba([*rows, ["new", None, "p", "m"]]), model.loo_predict_proba()):
        assert np.isfinite(probabilities).all()
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


@every
def test_renaming_classes_and_values_changes_nothing_but_names(estimator: Any) -> None:
    rows, classes = table(4, 30, 4)
    renamed = [[f"z{'cba'['abc'.find(value)] if value in 'abc' else value}" for value in row] for row in rows]
    one = estimator().fit(rows, classes).predict_proba(rows)
    assert estimator().fit(renamed, classes).predict_proba(renamed).tobytes() == one.tobytes()


@every
def test_too_many_values_change_nothing(estimator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, classes = table(1, 10, 2)
    model: StructuredBayes = estimator().fit(rows, classes)
    before = model.digest(), model.predict_proba(rows)
    monkeypatch.setattr(pairs, "MAX_CELLS", 100)
    with pytest.raises(TooLargeError, match=f"{estimator.__name__}.partial_fit: pairs of values"):
        model.partial_fit([[f"v{i}", f"w{i}"] for i in range(20)], ["no"] * 20)
    assert model.digest() == before[0]
    assert model.predict_proba(rows).tobytes() == before[1].tobytes()


@every
def test_numpy_numbers_are_numbers(estimator: Any) -> None:
    rows, classes = table(2, 20)
    expected = estimator(BDeu(2.0)).fit(rows, classes)
    for ess in (np.float64(2), np.int8(2), np.float32(2)):
        found = estimator(BDeu(ess)).fit(rows, classes)
        assert found.prior_ == BDeu(2.0)
        assert found.predict_proba(rows).tobytes() == expected.predict_proba(rows).tobytes()
    one, other = (AODE(min_count=least).fit(rows, classes) for least in (3, np.int64(3)))
    assert one.predict_proba(rows).tobytes() == other.predict_proba(rows).tobytes()
