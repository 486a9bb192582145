"""What naive Bayes answers to tables that say little, and to numbers and weights of any size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bayes_tables import GRADE, KINDS, SIZE, labels, table

from priorcase.bayes import CutPoints, NaiveBayes
from priorcase.exceptions import SchemaMismatchError
from priorcase.schema import Ordinal


@pytest.mark.parametrize("numeric", ["student", "gaussian", "kernel", "kmeans", "mdl", CutPoints((1.0,))])
@pytest.mark.parametrize("predictive", ["evidence", "map", "sc"])
def test_dull_tables(predictive: Any, numeric: Any) -> None:
    model = NaiveBayes(predictive, numeric=numeric)
    one = model.fit([[1.0, "x"]], ["a"])
    assert one.predict_proba([[1.0, "x"], [None, None], [2.0, "y"]]).tolist() == [[1.0]] * 3
    assert one.predict_joint_log_proba([[1.0, "x"]]).shape == (1, 1)
    single = model.fit([[1.0], [2.0], [3.0]], ["a", "a", "a"])
    assert single.predict([[9.0]]).tolist() == ["a"]
    # A constant column says nothing, and neither does one of gaps.
    dull = pd.DataFrame({"n": [5.0] * 4, "g": [math.nan] * 4, "t": [None] * 4, "u": ["v"] * 4})
    found = model.fit(dull, ["a", "a", "a", "b"]).predict_proba(dull)
    if predictive == "map":
        np.testing.assert_allclose(found, [[3 / 4, 1 / 4]] * 4)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    far = pd.DataFrame({"n": [1e300], "g": [-1e300], "t": ["new"], "u": [None]})
    np.testing.assert_allclose(model.predict_proba(far).sum(axis=1), 1.0)
    np.testing.assert_allclose(model.loo_predict_proba().sum(axis=1), 1.0)


@pytest.mark.parametrize("number", [1e300, 1e-300, -1e300, 1.7e308, 5e-324])
def test_numbers_far_from_all_others(number: float) -> None:
    rows, y = [[1.0], [2.0], [3.0], [9.0]], ["a", "a", "b", "b"]
    found = NaiveBayes(numeric="student").fit(rows, y).predict_log_proba([[number]])
    assert np.isfinite(found).all()
    if abs(number) > 1:
        # Far out Student's t goes like |x| to the power of minus its degrees less one: the wider class is ahead.
        assert found[0, 1] > found[0, 0]
        # The normal density is beyond float64 in both classes: nothing is known.
        plain = NaiveBayes(numeric="gaussian").fit(rows, y).predict_proba([[number]])
        assert plain.tolist() == [[0.5, 0.5]]


def test_a_level_outside_the_order() -> None:
    model = NaiveBayes(schema=KINDS).fit(table(30), labels(30))
    row = [None] * 7
    unknown = model.predict_joint_log_proba([[*row[:SIZE], "huge", *row[SIZE + 1 :]]])
    nothing = model.predict_joint_log_proba([row])
    stored = list(zip(table(30), labels(30), strict=True))
    known = np.array([sum(row[SIZE] is not None and y == k for row, y in stored) for k in model.classes_])
    np.testing.assert_allclose(unknown - nothing, [np.log(1 / (known + 5))])
    with pytest.raises(SchemaMismatchError, match="column 4 has a level that is not in its order"):
        model.partial_fit([[*row[:SIZE], "huge", *row[SIZE + 1 :]]], ["yes"])
    with pytest.raises(SchemaMismatchError, match="'Z'"):
        model.partial_fit([[*row[:GRADE], "Z", *row[GRADE + 1 :]]], ["yes"])


def test_an_ordinal_column_of_one_level() -> None:
    model = NaiveBayes(schema={0: Ordinal(("only", "never"))}).fit([["only"], ["only"]], ["a", "b"])
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba([["never"]])), [[0.5 / 3, 0.5 / 3]])


def test_many_distinct_values() -> None:
    rows, y = [[f"v{i}"] for i in range(30_000)], [i % 3 for i in range(30_000)]
    model = NaiveBayes().fit(rows, y)
    found = model.predict_proba([["v0"], ["v1"], ["new"]])
    np.testing.assert_allclose(found[2], 1 / 3)
    assert found[:2].argmax(axis=1).tolist() == [0, 1]
    assert model.loo_predict_proba().shape == (30_000, 3)


@pytest.mark.parametrize("numeric", ["student", "gaussian", "kernel", "kmeans", "mdl"])
@pytest.mark.parametrize("predictive", ["evidence", "map", "sc"])
def test_weights_and_priors_of_any_size(predictive: Any, numeric: Any) -> None:
    rows, y = table(20), labels(20)
    sizes = np.random.default_rng(0).choice([1e-100, 1.0, 1e100], 20)
    for weights in (None, sizes, np.full(20, 1e-100), np.full(20, 1e100)):
        for prior in (1e-100, 1e100, *(["auto"] if predictive == "evidence" else [])):
            model = NaiveBayes(predictive, prior=prior, numeric=numeric, schema=KINDS).fit(
                rows, y, sample_weight=weights
            )
            for found in (model.predict_proba(table(9, seed=5, new=True)), model.loo_predict_proba()):
                np.testing.assert_allclose(found.sum(axis=1), 1.0)
            assert numeric in ("gaussian", "kernel") or math.isfinite(model.log_evidence_)
