"""What naive Bayes refuses, and in which words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from priorcase.bayes import memory
from priorcase.bayes.naive_bayes import NaiveBayes
from priorcase.bayes.priors import Laplace, MEstimate
from priorcase.bayes.zeros import Cap
from priorcase.exceptions import (
    CardinalityError,
    ParameterError,
    PriorcaseError,
    PriorError,
    SampleWeightError,
    SchemaError,
    SchemaMismatchError,
    SpreadError,
    TargetError,
    TooFewRowsError,
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


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"predictive": "bayes"}, "predictive='bayes'; expected 'map', 'evidence' or 'sc'"),
        ({"predictive": None}, "predictive=None; expected 'map', 'evidence' or 'sc'"),
        ({"prior": "uniform"}, "prior='uniform'; expected a finite number above 0, one of 'jeffreys', 'laplace'"),
        ({"missing": "impute"}, "missing='impute'; expected 'ignore' or 'value'"),
        ({"missing": None}, "missing=None; expected 'ignore' or 'value'"),
        ({"numeric": "normal"}, "numeric='normal'; expected a strategy for numeric columns or one of 'student'"),
        ({"numeric": {1: "normal"}}, "numeric[1]='normal'; expected a strategy for numeric columns"),
        ({"numeric": {0: "student"}}, "expected numeric columns only, and 0 is nominal"),
        ({"numeric": {7: "student"}}, "7"),
        ({"zero_policy": "floor"}, "zero_policy='floor'; expected a zero policy or one of '-inf', 'cap100'"),
        ({"zero_policy": "cap100"}, "expected '-inf' with predictive='evidence', which gives nothing probability zero"),
        ({"predictive": "sc", "zero_policy": Cap(50)}, "expected '-inf' with predictive='sc'"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"schema": 3}, "schema=3; expected None, a Schema or a mapping from column to kind"),
        ({"class_prior": "frequency"}, "class_prior='frequency'; expected None, a finite number above 0"),
    ],
)
def test_parameters(parameters: Any, text: str) -> None:
    refused(NaiveBayes(**parameters), ParameterError, text)


@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf, True, 1e-200])
def test_hyperparameters_that_are_no_numbers_above_0(value: Any) -> None:
    for parameters in ({"prior": value}, {"class_prior": value}, {"prior": {0: value}}):
        refused(NaiveBayes(**parameters), ParameterError if value is True else PriorcaseError, repr(value))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"prior": {0: {"x": 1.0}}}, "prior[0] without a weight for the value 'y'"),
        ({"prior": {0: [1.0, 2.0]}}, "prior[0]"),
        ({"prior": {0: [1.0, 2.0, 3.0]}, "schema": DECLARED}, "prior[0] of shape (3,); expected (2,) or (2, 2)"),
        ({"prior": {0: [1.0, 0.0]}}, "with a negative or zero entry"),
        ({"class_prior": [1.0, 2.0, 3.0]}, "class_prior of shape (3,); expected (2,), one weight for each"),
        ({"class_prior": [1.0, -2.0]}, "class_prior with a negative or zero entry"),
        ({"class_prior": {"a": 1.0}}, "class_prior without a weight for the class 'b'"),
        ({"predictive": "map", "prior": "laplace"}, "under 'map' weight 2 gives the Laplace estimate"),
        ({"predictive": "map", "prior": Laplace()}, "under 'map' weight 2 gives the Laplace estimate"),
        ({"predictive": "map", "prior": MEstimate(2.0)}, "give the m-estimate"),
    ],
)
def test_priors(parameters: Any, text: str) -> None:
    refused(NaiveBayes(**parameters), PriorError, text)


def test_priors_for_columns_that_are_not_there() -> None:
    refused(NaiveBayes(prior={"colour": 1.0}), ParameterError, "'colour'")


@pytest.mark.parametrize(
    ("weights", "text"),
    [([1, -1, 1], "negative"), ([1, math.nan, 1], "NaN"), ([0, 0, 0], "zero for every row"), (["a", 1, 1], "numbers")],
)
def test_weights(weights: Any, text: str) -> None:
    refused(NaiveBayes(), SampleWeightError, text, sample_weight=weights)
    refused(NaiveBayes(), TargetError, "sample_weight", sample_weight=[1.0])


def test_targets() -> None:
    refused(NaiveBayes(), TargetError, "None", y=["a", None, "b"])
    refused(NaiveBayes(), TargetError, "y", y=["a", "b"])
    refused(NaiveBayes(), TargetError, "continuous", y=[0.5, 1.0, 2.0])
    refused(NaiveBayes(), TargetError, "2", y=np.array([["a", "b"], ["a", "b"], ["b", "a"]]))
    refused(NaiveBayes(), SchemaError, "0 sample", rows=pd.DataFrame({0: [], 1: []}), y=[])


def test_numbers_beyond_what_can_be_squared() -> None:
    for numeric in ("student", "gaussian", "kernel"):
        model = NaiveBayes(numeric=numeric)
        refused(model, SpreadError, "column 1 with a variance too large", rows=[["x", 1e300], ["y", 1.0], ["x", 2.0]])
        refused(model, SpreadError, "column 1 with a variance too small", rows=[["x", 1e-300], ["y", 0.0], ["x", 0.0]])
        refused(model, SchemaError, "infinit", rows=[["x", math.inf], ["y", 0.0], ["x", 0.0]])
    for numeric in ("kmeans", "equal_width", "mdl", "equal_frequency"):
        model = NaiveBayes(numeric=numeric).fit([["x", 1e300], ["y", -1e-300], ["x", -1e300]], Y)
        assert np.isfinite(model.predict_log_proba([["x", 1e308], ["x", 1e-308]])).all()


def test_absurd_cardinalities(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MOST_CELLS", 40)
    rows, y = [[str(i), "x"] for i in range(10)], list(range(10))
    text = "NaiveBayes.fit got column 0 with 10 values beside 10 classes; expected at most 40 counts"
    with pytest.raises(CardinalityError, match=text):
        NaiveBayes().fit(rows, y)
    model = NaiveBayes().fit(rows[:2], y[:2])
    before = model.predict_log_proba(rows)
    for more in (rows[2:], [["0", "x"]]):
        with pytest.raises(CardinalityError, match=r"NaiveBayes.partial_fit got column 0 with"):
            model.partial_fit(more, range(len(more)), classes=range(10))
    with pytest.raises(CardinalityError, match=r"with 10 values beside 10 classes"):
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


@pytest.mark.parametrize("other", [3, None, "self", "subclass"])
def test_merging_what_cannot_be_merged(other: Any) -> None:
    model = NaiveBayes().fit(X, Y)
    given = {"self": model, "subclass": type("Other", (NaiveBayes,), {})()}.get(other, other)
    with pytest.raises(ParameterError, match=r"NaiveBayes.merge got other=.*; expected another fitted NaiveBayes"):
        model.merge(given)


def test_merging_tables_that_do_not_go_together() -> None:
    model = NaiveBayes().fit(X, Y)
    with pytest.raises(NotFittedError):
        model.merge(NaiveBayes())
    with pytest.raises(NotFittedError):
        NaiveBayes().merge(model)
    with pytest.raises(SchemaMismatchError, match=r"1 is numeric here and nominal \(text\) there"):
        model.merge(NaiveBayes().fit([["x", "y"]], ["a"]))
    with pytest.raises(TargetError, match="got classes that are numbers; the classes learned so far are text"):
        model.merge(NaiveBayes().fit(X, [1, 2, 3]))
    declared = NaiveBayes().partial_fit(X, Y, classes=["a", "b"])
    with pytest.raises(TargetError, match="'c'"):
        declared.merge(NaiveBayes().fit(X, ["a", "b", "c"]))
    assert model.merge(NaiveBayes().fit(X, Y).forget([0, 1, 2])).ids_.tolist() == [0, 1, 2]


def test_last_rows_of_a_class_with_a_weight_by_its_place() -> None:
    for name, parameters in {"class_prior": {"class_prior": [1, 2]}, "prior": {"prior": {0: [[1, 2], [3, 4]]}}}.items():
        model = NaiveBayes(schema=DECLARED, **parameters).fit(X, Y)  # type: ignore[arg-type]
        with pytest.raises(TargetError, match=rf"forget got the last rows of 'b', but {name}= has one weight for each"):
            model.forget([1])
        assert model.forget([0]).classes_.tolist() == ["a", "b"]
        kept = NaiveBayes(schema=DECLARED, **parameters).partial_fit(X, Y, classes=["a", "b"])  # type: ignore[arg-type]
        assert kept.forget([1]).predict_proba([["x", None]]).shape == (1, 2)


def test_an_array_has_a_weight_for_gaps_that_count_before_there_are_any() -> None:
    model = NaiveBayes(prior={0: [1.0, 2.0, 5.0]}, missing="value", schema=DECLARED, class_prior=1e-100)
    shares = np.exp(model.fit(X, Y).predict_joint_log_proba([["x", None]])) / [2 / 3, 1 / 3]
    np.testing.assert_allclose(shares, [[3 / 5, 1 / 4]])
    model.partial_fit([[None, None]], ["b"])
    shares = np.exp(model.predict_joint_log_proba([["x", None], [None, None]])) / 0.5
    np.testing.assert_allclose(shares, [[3 / 10, 1 / 10], [5 / 10, 6 / 10]])
    assert model.forget([3]).predict_proba([["x", None]]).shape == (1, 2)
    refused(NaiveBayes(prior={0: [1.0, 2.0]}, missing="value", schema=DECLARED), PriorError, "of shape (2,)")


def test_a_value_without_a_weight_is_refused_when_it_comes() -> None:
    model = NaiveBayes(prior={0: {"x": 1.0, "y": 2.0, "z": 3.0}}, class_prior={"a": 1, "b": 2}).fit(X, Y)
    before, digest = model.predict_log_proba(X), model.digest()
    for row, y, text in ((["w", 1.0], "a", "the value 'w'"), (["z", 1.0], "c", "the class 'c'")):
        with pytest.raises(PriorError, match=rf"NaiveBayes.partial_fit got .* without a weight for {text}"):
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
