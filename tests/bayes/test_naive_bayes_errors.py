"""What naive Bayes refuses leaves everything as it was; the errors themselves are in test_errors_bayes.py."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from priorcase.bayes import Dirichlet, NaiveBayes, memory
from priorcase.exceptions import (
    NumericRangeError,
    ParameterError,
    PriorcaseError,
    SchemaError,
    SchemaMismatchError,
    TargetError,
    TooFewRowsError,
    TooLargeError,
)
from priorcase.schema import Nominal, Numeric

X, Y = [["x", 1.0], ["y", 2.0], ["x", 4.0]], ["a", "b", "a"]
DECLARED = {0: Nominal(("x", "y")), 1: Numeric()}


def refused(
    model: NaiveBayes, kind: type[PriorcaseError], text: str, *, rows: Any = X, y: Any = Y, **more: Any
) -> None:
    """A fit is refused in these words, and leaves nothing behind."""
    with pytest.raises(kind) as error:
        model.fit(rows, y, **more)
    assert text in str(error.value)
    assert str(error.value).startswith(("NaiveBayes.fit", "PerAttribute "))
    assert not hasattr(model, "_memory")
    assert not hasattr(model, "classes_")


def test_numbers_beyond_what_can_be_squared() -> None:
    for numeric in ("student", "gaussian", "kernel"):
        model = NaiveBayes(numeric=numeric)
        refused(
            model, NumericRangeError, "column 1 has a variance too large", rows=[["x", 1e300], ["y", 1.0], ["x", 2.0]]
        )
        refused(
            model, NumericRangeError, "column 1 has a variance too small", rows=[["x", 1e-300], ["y", 0.0], ["x", 0.0]]
        )
        refused(model, SchemaError, "infinit", rows=[["x", math.inf], ["y", 0.0], ["x", 0.0]])
    for numeric in ("kmeans", "equal_width", "mdl", "equal_frequency"):
        model = NaiveBayes(numeric=numeric).fit([["x", 1e300], ["y", -1e-300], ["x", -1e300]], Y)
        assert np.isfinite(model.predict_log_proba([["x", 1e308], ["x", 1e-308]])).all()


def test_absurd_cardinalities(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MOST_CELLS", 40)
    rows, y = [[str(i), "x"] for i in range(10)], list(range(10))
    with pytest.raises(TooLargeError, match=r"NaiveBayes.fit: column 0 has 10 values and y has 10 classes"):
        NaiveBayes().fit(rows, y)
    model = NaiveBayes().fit(rows[:2], y[:2])
    before = model.predict_log_proba(rows)
    for more in (rows[2:], [["0", "x"]]):
        with pytest.raises(TooLargeError, match=r"NaiveBayes.partial_fit: column 0 has"):
            model.partial_fit(more, range(len(more)), classes=range(10))
    with pytest.raises(TooLargeError, match=r"10 values and y has 10 classes"):
        model.partial_fit(rows[2:], y[2:])
    np.testing.assert_array_equal(model.predict_log_proba(rows), before)


def test_questions_that_cannot_be_answered() -> None:
    with pytest.raises(NotFittedError):
        NaiveBayes().predict(X)
    model = NaiveBayes().fit(X, Y)
    with pytest.raises(SchemaMismatchError, match="here but was"):
        model.predict([[3.0, 1.0]])
    with pytest.raises(SchemaMismatchError):
        model.predict([["x"]])
    with pytest.raises(SchemaError, match="0 sample"):
        model.predict(pd.DataFrame({0: [], 1: []}))
    model.forget([0, 1, 2])
    for ask in (model.predict, model.predict_proba, model.predict_log_proba, model.predict_joint_log_proba):
        with pytest.raises(TooFewRowsError, match=rf"NaiveBayes.{ask.__name__}"):
            ask(X)
    for name in ("log_evidence_", "prior_", "class_count_", "cut_points_"):
        with pytest.raises(TooFewRowsError, match=name):
            getattr(model, name)


def test_merging_tables_that_do_not_go_together() -> None:
    model = NaiveBayes().fit(X, Y)
    with pytest.raises(NotFittedError):
        model.merge(NaiveBayes())
    with pytest.raises(NotFittedError):
        NaiveBayes().merge(model)
    with pytest.raises(SchemaMismatchError, match=r"1 is numeric in this model and nominal \(text\) in the other"):
        model.merge(NaiveBayes().fit([["x", "y"]], ["a"]))
    with pytest.raises(TargetError, match="numbers"):
        model.merge(NaiveBayes().fit(X, [1, 2, 3]))
    declared = NaiveBayes().partial_fit(X, Y, classes=["a", "b"])
    with pytest.raises(TargetError, match="'c'"):
        declared.merge(NaiveBayes().fit(X, ["a", "b", "c"]))
    assert model.merge(NaiveBayes().fit(X, Y).forget([0, 1, 2])).ids_.tolist() == [0, 1, 2]


def test_last_rows_of_a_class_with_a_weight_by_its_place() -> None:
    for name, parameters in {
        "class_prior": {"class_prior": Dirichlet([1, 2])},
        "prior": {"prior": {0: [[1, 2], [3, 4]]}},
    }.items():
        model = NaiveBayes(schema=DECLARED, **parameters).fit(X, Y)  # type: ignore[arg-type]
        with pytest.raises(TargetError, match=rf"last rows of 'b': {name} has one weight for each"):
            model.forget([1])
        assert model.forget([0]).classes_.tolist() == ["a", "b"]
        kept = NaiveBayes(schema=DECLARED, **parameters).partial_fit(X, Y, classes=["a", "b"])  # type: ignore[arg-type]
        assert kept.forget([1]).predict_proba([["x", None]]).shape == (1, 2)


def test_an_array_has_a_weight_for_gaps_that_count_before_there_are_any() -> None:
    parameters: Any = {"numeric": "student", "missing": "value", "schema": DECLARED, "class_prior": 1e-100}
    model = NaiveBayes(prior={0: [1.0, 2.0, 5.0]}, **parameters)
    shares = np.exp(model.fit(X, Y).predict_joint_log_proba([["x", None]])) / [2 / 3, 1 / 3]
    np.testing.assert_allclose(shares, [[3 / 5, 1 / 4]])
    model.partial_fit([[None, None]], ["b"])
    shares = np.exp(model.predict_joint_log_proba([["x", None], [None, None]])) / 0.5
    np.testing.assert_allclose(shares, [[3 / 10, 1 / 10], [5 / 10, 6 / 10]])
    assert model.forget([3]).predict_proba([["x", None]]).shape == (1, 2)
    refused(NaiveBayes(prior={0: [1.0, 2.0]}, missing="value", schema=DECLARED), ParameterError, "got (2,)")


def test_a_value_without_a_weight_is_refused_when_it_comes() -> None:
    model = NaiveBayes(prior={0: {"x": 1.0, "y": 2.0, "z": 3.0}}, class_prior=Dirichlet({"a": 1, "b": 2})).fit(X, Y)
    before, digest = model.predict_log_proba(X), model.digest()
    for row, y, text in ((["w", 1.0], "a", "the value 'w'"), (["z", 1.0], "c", "the class 'c'")):
        with pytest.raises(ParameterError, match=rf"NaiveBayes.partial_fit: .* has no weight for {text}"):
            model.partial_fit([row], [y])
        assert model.digest() == digest
        np.testing.assert_array_equal(model.predict_log_proba(X), before)
    assert model.partial_fit([["z", 1.0]], ["b"]).n_samples_fit_ == 4


def test_a_fit_that_fails_leaves_the_one_before() -> None:
    model = NaiveBayes().fit(X, Y)
    before = model.predict_log_proba(X)
    for y in (["a", None, "b"], ["a"]):
        with pytest.raises(TargetError):
            model.fit(X, y)
        np.testing.assert_array_equal(model.predict_log_proba(X), before)
    with pytest.raises(ParameterError):
        model.set_params(predictive="unknown").fit(X, Y)
    np.testing.assert_array_equal(model.predict_log_proba(X), before)
