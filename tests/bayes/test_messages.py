"""Mistakes that users of the Bayes classifiers make, and the words in which they are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import priorcase as pc
from priorcase.bayes import KernelDensity
from priorcase.exceptions import ParameterError, PriorcaseError, QueryIndexError, misspelt, nearest, quoted

X, Y = pc.load_repairs("pandas")
X, Y = X[["bike", "load_kg", "noise"]], np.asarray(Y)
NEW = X[:1]


def fitted(**parameters: Any) -> pc.NaiveBayes:
    return pc.NaiveBayes(**parameters).fit(X, Y)


def told(ask: Callable[[], object]) -> str:
    """The message of a refusal."""
    with pytest.raises(PriorcaseError) as caught:
        ask()
    return str(caught.value)


# -- names


@pytest.mark.parametrize(
    ("name", "meant"),
    [("brake", "brakes"), ("BRAKES", "brakes"), ("tune up", "tune-up"), ("mld", "mdl"), ("xyz", None), (3, None)],
)
def test_the_nearest_name(name: object, meant: str | None) -> None:
    assert nearest(name, ["brakes", 7, "tune-up", "mdl", None]) == meant


def test_names_of_other_text_types_are_shown_as_text() -> None:
    assert nearest(np.str_("brake"), [np.str_("brakes")]) == "brakes"
    assert misspelt([np.str_("brake")], [np.str_("brakes")]) == "Did you mean 'brakes' by 'brake'?"
    assert misspelt(["chain"], ["brakes"]) is None


def test_a_value_is_quoted_in_one_line() -> None:
    assert quoted(X) == "a DataFrame of shape (96, 3)"
    assert "\n" not in quoted(np.ones((2, 2)))
    assert len(quoted("x" * 999)) < 210
    assert quoted(pc.NaiveBayes()) == "NaiveBayes()"


@pytest.mark.parametrize(
    ("ask", "meant"),
    [
        (lambda: fitted(predictive="evidance"), "evidence"),
        (lambda: fitted(prior="laplac"), "laplace"),
        (lambda: fitted(prior={"bikes": 1.0}), "bike"),
        (lambda: fitted(numeric="k-means"), "kmeans"),
        (lambda: fitted(numeric={"load_k": "mdl"}), "load_kg"),
        (lambda: fitted(numeric={"load_kg": "mld"}), "mdl"),
        (lambda: fitted(missing="ignored"), "ignore"),
        (lambda: fitted(predictive="map", zero_policy="param-floor"), "param_floor"),
        (lambda: fitted(schema={"Bike": pc.Nominal()}), "bike"),
        (lambda: fitted(categorical_features=["noises"]), "noise"),
        (lambda: KernelDensity("silvermann"), "silverman"),  # type: ignore[arg-type]
        (lambda: pc.KNNClassifier(distance="euclidian").fit(X, Y), "euclidean"),
        (lambda: pc.KNNClassifier(vote="tricubed").fit(X, Y), "tricube"),
        (lambda: pc.KNNClassifier("sqr").fit(X, Y), "sqrt"),  # type: ignore[arg-type]
        (lambda: pc.KNNClassifier(attribute_weights="baies").fit(X, Y), "bayes"),
        (lambda: pc.log_score(Y, fitted().predict_proba(X), zero="cap10"), "cap100"),  # type: ignore[arg-type]
        (lambda: pc.calibration_table(Y, fitted().predict_proba(X), pos_label="brake"), "brakes"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_one_that_was_meant(ask: Callable[[], object], meant: str) -> None:
    assert f"Did you mean {meant!r}?" in told(ask)


@pytest.mark.parametrize(
    ("ask", "question"),
    [
        (lambda: fitted().predict(X.rename(columns={"bike": "bikes"})), "'bike' by 'bikes'"),
        (lambda: fitted(class_prior=dict.fromkeys(["brake", "drivetrain", "tune-up", "wheel"], 0.25)), None),
        (lambda: pc.NaiveBayes().partial_fit(X, Y, classes=["brake", "wheel"]), "'brake' by 'brakes'"),
        (lambda: fitted(prior={"noise": {"Creak": 1.0}}), "'creak' by 'Creak'"),
    ],
)
def test_which_of_several_names_was_misspelt(ask: Callable[[], object], question: str | None) -> None:
    expected = f"Did you mean {question or repr('brakes') + ' by ' + repr('brake')}?"
    assert expected in told(ask)


# -- columns, classes and ids


def test_a_model_to_merge_with_other_columns() -> None:
    other = X.drop(columns="bike").assign(load_kg="heavy", age=1.0)
    message = told(lambda: fitted().merge(pc.NaiveBayes().fit(other, Y)))
    assert message.startswith("NaiveBayes.merge: ")
    parts = ("'bike' is only in this model", "'age' is only in the other", "'load_kg' is numeric in this model")
    assert all(part in message for part in parts)
    assert "only in this model" in told(lambda: fitted().merge(pc.NaiveBayes().fit(X.to_numpy(), Y)))


def test_columns_of_a_model_to_merge_may_stand_in_another_order() -> None:
    both = pc.NaiveBayes().fit(pd.concat([X, X]), np.concatenate([Y, Y]))
    found = fitted().merge(pc.NaiveBayes().fit(X[["noise", "bike", "load_kg"]], Y))
    assert found.digest() == both.digest()
    np.testing.assert_array_equal(found.predict_proba(X), both.predict_proba(X))


def test_one_is_not_several() -> None:
    assert "'load_kg'" in told(lambda: fitted(numeric="gaussian").log_evidence_)
    two = pc.NaiveBayes(numeric="gaussian").fit(X.assign(age=X.load_kg), Y)
    assert "'load_kg'" in told(lambda: two.log_evidence_)
    assert "id 1000 is not stored" in told(lambda: fitted().forget([1000]))
    assert "ids 1000, 1001 are not stored" in told(lambda: fitted().forget([1000, 1001]))
    lacking = {"brakes": 1, "wheel": 1, "drivetrain": 1}
    assert "'tune-up'" in told(lambda: fitted(class_prior=lacking))


def test_a_column_of_which_nothing_is_known_is_a_gap() -> None:
    model = fitted()
    for ask in (
        lambda: model.predict_joint(NEW[["bike"]], ["bike"]),
        lambda: model.predict_column(NEW[["bike"]], "bike"),
        lambda: model.predict(NEW[["bike"]]),
        lambda: model.predict([["city", 3.0]]),
    ):
        assert "None or NaN" in told(ask)
    assert model.predict_column(NEW[["bike"]].assign(noise=None, load_kg=np.nan), "bike").shape == (1,)
    assert "job" in told(lambda: model.predict(X.assign(job=Y)))


def test_targets_may_be_the_columns_of_a_frame() -> None:
    model = fitted()
    for targets in (NEW[["noise", "bike"]].columns, np.array(["noise", "bike"])):
        assert model.predict_joint(NEW, targets).targets == ("noise", "bike")


def test_classes_that_are_no_list_of_classes() -> None:
    for classes in ("brakes", [None, "brakes"], 3, []):
        message = told(lambda given=classes: pc.NaiveBayes().partial_fit(X, Y, classes=given))
        assert message.startswith("NaiveBayes.partial_fit: ")
        assert repr(classes) in message


# -- other mistakes


def test_an_attribute_that_a_table_of_relevance_does_not_have() -> None:
    table = pc.SubsetAveragedBayes().fit(X, Y).relevance_
    assert "bikes" not in table
    assert table.get("bikes") is None


def test_queries_that_a_result_does_not_hold() -> None:
    found = fitted().contributions(X[:3])
    assert [part.numbers for part in (found[-1], found[1:], found[np.int64(0)])] == [(2,), (1, 2), (0,)]
    assert "query 3" in told(lambda: found[3])
    with pytest.raises(QueryIndexError):
        fitted().predict_joint(NEW, ["bike"])[-2]
    with pytest.raises(IndexError, match="query 9"):
        pc.KNNClassifier(3).fit(X, Y).precedents(NEW)[9]
    with pytest.raises(ParameterError, match="bike"):
        found["bike"]  # type: ignore[index]


@pytest.mark.parametrize("table", [None, {"bike": ["city"]}, [{"bike": "city"}]])
def test_what_is_no_table(table: Any) -> None:
    message = told(lambda: pc.NaiveBayes().fit(table, ["a"]))
    assert message.startswith("NaiveBayes.fit: ")
    assert "pandas.DataFrame" in message or "frame" in message


def test_a_prior_is_quoted_as_it_was_written() -> None:
    message = told(lambda: fitted(predictive="map", prior="laplace"))
    assert "prior='laplace'" in message
    assert "prior=2.0" in message


def test_flags_and_labels() -> None:
    chances = fitted().predict_proba(X)
    assert "labels first" in told(lambda: pc.log_score(chances, Y))
    for gap in (None, np.nan):
        labels: list[Any] = [gap, *Y[1:]]
        assert "missing label" in told(lambda given=labels: pc.log_score(given, chances))
