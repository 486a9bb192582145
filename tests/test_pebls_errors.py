"""PEBLS answers bad input in words, and stays as it was."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from priorcase.concepts import PEBLS
from priorcase.exceptions import (
    NumericRangeError,
    ParameterError,
    PriorcaseError,
    SchemaError,
    SchemaMismatchError,
    TargetError,
    TooFewExemplarsError,
    TooFewRowsError,
    UnknownIdError,
)

ROWS = [["a", 1.0], ["b", 2.0], ["a", 3.0], ["b", 4.0]]
CLASSES = ["p", "q", "p", "q"]


def fitted(**options: Any) -> PEBLS:
    return PEBLS(**options).fit(ROWS, CLASSES)


WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"n_neighbors": 0},
        "PEBLS.fit got n_neighbors=0; expected a whole number >= 1.\nHint: 5 is a common choice.",
    ),
    (
        {"exponent": 0.5},
        "PEBLS.fit got exponent=0.5; expected a finite number >= 1.\n"
        "Hint: 1 is Cost & Salzberg's k, of the differences between class shares.",
    ),
    (
        {"power": np.inf},
        "PEBLS.fit got power=inf; expected a finite number >= 1.\n"
        "Hint: 2 and 1 are Cost & Salzberg's r, of the differences between values.",
    ),
    (
        {"power": 1024},
        "PEBLS.fit got power=1024; expected one by which no distance is beyond float64: 2 ** power, times the sum of "
        "the attribute weights.\nHint: 2 is the usual power, 1 the other.",
    ),
    (
        {"weighting": "onepass"},
        "PEBLS.fit got weighting='onepass'; expected None, 'one_pass' or 'multi_pass'.\nHint: did you mean 'one_pass'?",
    ),
    (
        {"weighting": "weekly"},
        "PEBLS.fit got weighting='weekly'; expected None, 'one_pass' or 'multi_pass'.\n"
        "Hint: 'multi_pass' asks all exemplars, 'one_pass' those before; None lets every exemplar weigh 1.",
    ),
    (
        {"weighting": "multi_pass", "passes": 0},
        "PEBLS.fit got passes=0; expected a whole number >= 1.\n"
        "Hint: how often weighting='multi_pass' goes through the rows.",
    ),
    (
        {"weighting": "one_pass", "passes": 2},
        "PEBLS.fit got passes=2; expected 1 unless weighting='multi_pass'.\n"
        "Hint: with 'multi_pass' all rows are stored first and then gone through as often as wished.",
    ),
    (
        {"inherit": "no"},
        "PEBLS.fit got inherit='no'; expected True or False.\nHint: False lets every exemplar begin with 1 of 1.",
    ),
    (
        {"inherit": False, "weighting": None},
        "PEBLS.fit got inherit=False; expected True unless weighting='one_pass'.\n"
        "Hint: only exemplars that come one by one can inherit a record.",
    ),
    (
        {"bins": 0},
        "PEBLS.fit got bins=0; expected None or a whole number from 1 to 1000000.\n"
        "Hint: None cuts numbers into max(5, number of classes) intervals of equal width.",
    ),
    (
        {"unseen": "far"},
        "PEBLS.fit got unseen='far'; expected 'maximal', 'prior' or 'zero'.\n"
        "Hint: 'maximal' is as far from every value as two values can be; 'prior' is like the average row.",
    ),
    (
        {"ties": "random"},
        "PEBLS.fit got ties='random'; expected 'nearest', 'first', 'majority' or 'reduce'.\n"
        "Hint: 'majority' lets every row as near as the k-th vote; 'first' keeps exactly k, lower ids first.",
    ),
    (
        {"attribute_weights": [1, -1]},
        "PEBLS.fit got attribute_weights=[1, -1]; expected None, 2 finite numbers >= 0, not all 0, or a mapping from "
        "attribute to number.\nHint: a weight of 0 ignores an attribute, 2 makes it count double.",
    ),
    (
        {"attribute_weights": "bayes"},
        "PEBLS.fit got attribute_weights='bayes'; expected None, 2 finite numbers >= 0, not all 0, or a mapping from "
        "attribute to number.\nHint: a weight of 0 ignores an attribute, 2 makes it count double.",
    ),
    (
        {"attribute_weights": {7: 2.0}},
        "PEBLS.fit got attribute_weights with 7, which is no column; the table has 2 unnamed columns, 0 to 1.\n"
        "Hint: name columns by their label, or by their position from 0.",
    ),
    ({"n_jobs": 0}, "PEBLS.fit got n_jobs=0; expected None or a whole number other than 0."),
]


@pytest.mark.parametrize(("options", "text"), WRONG)
def test_parameters_that_break_their_rules(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(text)):
        fitted(**options)


@pytest.mark.parametrize("weights", [[0, 0], [1], [1, np.nan], [np.inf, 1], ["1", "2"], 5])
def test_attribute_weights_are_finite_and_not_all_zero(weights: Any) -> None:
    with pytest.raises(ParameterError, match="attribute_weights"):
        fitted(attribute_weights=weights)


def test_more_neighbours_than_exemplars() -> None:
    text = (
        "PEBLS.predict: Expected n_neighbors <= n_samples_fit, but n_neighbors = 5, n_samples_fit = 4.\n"
        "Hint: ask for fewer neighbours, or store more rows."
    )
    with pytest.raises(TooFewExemplarsError, match=re.escape(text)):
        fitted(n_neighbors=5).predict(ROWS)
    text = (
        "PEBLS.kneighbors: Expected n_neighbors < n_samples_fit, but n_neighbors = 4, n_samples_fit = 4.\n"
        "Hint: ask for fewer neighbours, or store more rows beside itself."
    )
    with pytest.raises(TooFewRowsError, match=re.escape(text)):
        fitted().kneighbors(n_neighbors=4)
    assert fitted().kneighbors(ROWS, n_neighbors=4, return_distance=False).shape == (4, 4)
    with pytest.raises(ValueError, match=r"PEBLS\.suspects: Expected n_neighbors < n_samples_fit"):
        PEBLS().fit([["a"]], ["p"]).suspects()


@pytest.mark.parametrize("n", [0, -1, 2.5, "all", True])
def test_suspects_are_counted_in_whole_numbers(n: Any) -> None:
    text = f"PEBLS.suspects got n={n!r}; expected None or a whole number >= 1.\nHint: None lists all exemplars."
    with pytest.raises(ParameterError, match=re.escape(text)):
        fitted().suspects(n)
    assert len(fitted().suspects(99)) == 4


def test_an_attribute_that_is_none() -> None:
    with pytest.raises(ParameterError, match=r"attribute contains 'colour', which is not a column"):
        fitted().value_differences("colour")


def test_nothing_is_asked_before_fit() -> None:
    for ask in (
        lambda model: model.predict(ROWS),
        lambda model: model.suspects(),
        lambda model: model.exemplars_,
        lambda model: model.forget([0]),
    ):
        with pytest.raises(NotFittedError):
            ask(PEBLS())


def test_classes_are_one_column_of_labels() -> None:
    with pytest.raises(TargetError, match=r"PEBLS\.fit"):
        PEBLS().fit(ROWS, [["p", "x"], ["q", "y"], ["p", "x"], ["q", "y"]])
    with pytest.raises(TargetError, match=r"PEBLS\.fit"):
        PEBLS().fit(ROWS, [0.5, 1.5, 2.5, 3.5])
    with pytest.raises(TargetError, match=r"PEBLS\.fit"):
        PEBLS().fit(ROWS, ["p", None, "q", "p"])
    with pytest.raises(TargetError, match="4"):
        PEBLS().fit(ROWS, ["p", "q"])


def test_classes_that_were_never_announced() -> None:
    model = PEBLS().partial_fit(ROWS, CLASSES, classes=["p", "q", "r"])
    assert model.classes_.tolist() == ["p", "q", "r"]
    assert model.predict_proba(ROWS)[:, 2].tolist() == [0.0] * 4
    before = model.digest(), model.exemplars_["used"].tolist()
    with pytest.raises(TargetError, match="'s'"):
        model.partial_fit([["a", 1.0]], ["s"])
    assert (model.digest(), model.exemplars_["used"].tolist()) == before


def test_refused_rows_leave_everything_as_it_was() -> None:
    model = fitted()
    before = model.digest(), model.exemplars_["used"].tolist(), model.predict(ROWS).tolist()
    refused: list[tuple[Any, Any, type[PriorcaseError]]] = [
        ([], [], SchemaError),
        ([["a"]], ["p"], SchemaMismatchError),
        ([["a", "text"]], ["p"], SchemaMismatchError),
        ([[3.5, 1.0]], ["p"], SchemaMismatchError),
        ([["a", np.inf]], ["p"], SchemaError),
        ([["a", 1.0]], ["p", "q"], TargetError),
        ([["a", 1.0]], [7], TargetError),
        ([["a", 1.7e308], ["a", -1.7e308]], ["p", "q"], NumericRangeError),
    ]
    for X, y, error in refused:
        with pytest.raises(error):
            model.partial_fit(X, y)
        assert (model.digest(), model.exemplars_["used"].tolist(), model.predict(ROWS).tolist()) == before
    assert model.partial_fit([["c", 9.0]], ["p"]).ids_.tolist() == [0, 1, 2, 3, 4]


def test_rows_that_were_never_stored_cannot_be_forgotten() -> None:
    model = fitted()
    with pytest.raises(UnknownIdError, match="9"):
        model.forget([0, 9])
    assert model.n_samples_fit_ == 4
    model.forget([0, 1, 2, 3])
    with pytest.raises(TooFewRowsError, match=re.escape("PEBLS.predict has no rows to answer from")):
        model.predict(ROWS)
    assert model.partial_fit(ROWS, CLASSES).predict(ROWS).tolist() == CLASSES


def test_a_power_that_grows_too_large_with_the_rows_is_refused() -> None:
    model = fitted(power=1020, attribute_weights=[1.0, 0.0])
    with pytest.raises(ParameterError, match="power=1020"):
        model.partial_fit(ROWS * 3, CLASSES * 3)
    assert model.n_samples_fit_ == 4
