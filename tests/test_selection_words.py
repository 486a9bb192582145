"""Every refusal of the attribute selector says what was wrong, what was expected and what to do."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from priorcase.exceptions import (
    NumericRangeError,
    ParameterError,
    SchemaError,
    SchemaMismatchError,
    SelectionError,
    TargetError,
    TooFewRowsError,
)
from priorcase.neighbors import KNNClassifier, KNNRegressor, KNNTransformer
from priorcase.relevance import LeaveOneOut
from priorcase.selection import AttributeSelector

X = [[float(i), float(i % 3)] for i in range(8)]
Y = ["a"] * 4 + ["b"] * 4


def refuses(selector: Any, error: type[Exception], text: str, rows: Any = X, y: Any = Y) -> None:
    with pytest.raises(error, match=f"^{re.escape('AttributeSelector.fit: ' + text)}$"):
        selector.fit(rows, y)
    assert not hasattr(selector, "support_")


def test_search() -> None:
    text = (
        "got search='races'; expected 'forward', 'backward', 'race', 'brace' or 'schemata'.\nHint: did you mean 'race'?"
    )
    refuses(AttributeSelector(search="races"), ParameterError, text)
    text = (
        "got search=None; expected 'forward', 'backward', 'race', 'brace' or 'schemata'.\n"
        "Hint: 'forward' and 'backward' leave every row out, 'race' and 'brace' as many as it takes to tell."
    )
    refuses(AttributeSelector(search=None), ParameterError, text)


def test_direction() -> None:
    text = (
        "got direction='up'; expected 'forward' or 'backward'.\n"
        "Hint: 'forward' adds attributes, 'backward' removes them."
    )
    refuses(AttributeSelector(search="race", direction="up"), ParameterError, text)
    for search in ("forward", "backward", "schemata"):
        text = f"got direction='forward'; expected None where search is {search!r}.\nHint: leave it out."
        refuses(AttributeSelector(search=search, direction="forward"), ParameterError, text)


@pytest.mark.parametrize("value", [0, 3, 1.0, True, "2"])
def test_n_features(value: Any) -> None:
    text = (
        f"got n_features={value!r}; expected None or a whole number from 1 to 2, the columns.\n"
        "Hint: None goes on until the next step does not pay."
    )
    refuses(AttributeSelector(n_features=value), ParameterError, text)


def test_n_features_of_schemata() -> None:
    text = (
        "got n_features=1; expected None where search is 'schemata'.\n"
        "Hint: it decides of each attribute whether to take it."
    )
    refuses(AttributeSelector(search="schemata", n_features=1), ParameterError, text)


@pytest.mark.parametrize("value", [-0.1, np.inf, np.nan, "0.1", None])
def test_gamma(value: Any) -> None:
    text = (
        f"got gamma={value!r}; expected a finite number >= 0.\n"
        "Hint: 0.01 is a point of accuracy, or of the explained variance."
    )
    refuses(AttributeSelector(gamma=value), ParameterError, text)


@pytest.mark.parametrize("value", [0, 0.5, 1, -1.0, "0.1", None])
def test_delta(value: Any) -> None:
    text = (
        f"got delta={value!r}; expected a number above 0 and below 0.5.\n"
        "Hint: the smaller, the surer and the slower; 0.05 is usual."
    )
    refuses(AttributeSelector(search="race", delta=value), ParameterError, text)


@pytest.mark.parametrize("value", [1, 0, 2.5, True, "30", None])
def test_min_points(value: Any) -> None:
    text = (
        f"got min_points={value!r}; expected a whole number >= 2.\n"
        "Hint: 30 is usual: fewer rows say little about the spread of the losses."
    )
    refuses(AttributeSelector(search="schemata", min_points=value), ParameterError, text)


@pytest.mark.parametrize("search", ["forward", "backward"])
def test_what_has_no_effect_on_full_searches(search: Any) -> None:
    for parameter, value, default in (("delta", 0.1, 0.05), ("min_points", 10, 30)):
        text = (
            f"got {parameter}={value}; expected {default} where search is {search!r}.\n"
            f"Hint: leave {parameter} out: every row is left out there, and nothing is decided before."
        )
        refuses(AttributeSelector(search=search, **{parameter: value}), ParameterError, text)


def test_random_state() -> None:
    text = (
        "got random_state='x'; expected None, a whole number from 0 to 2**32 - 1 or a numpy.random.RandomState.\n"
        "Hint: a number makes fits repeatable."
    )
    refuses(AttributeSelector(random_state="x"), ParameterError, text)


def test_n_jobs() -> None:
    text = "got n_jobs=0; expected None or a whole number other than 0.\nHint: None and -1 use all cores."
    refuses(AttributeSelector(n_jobs=0), ParameterError, text)


@pytest.mark.parametrize("estimator", [KNNTransformer(), "knn", KNNClassifier])
def test_estimator(estimator: Any) -> None:
    text = (
        f"got estimator={estimator!r}; expected None, a KNNClassifier or a KNNRegressor.\n"
        "Hint: None takes one of them by the targets."
    )
    refuses(AttributeSelector(estimator), ParameterError, text)


def test_estimators_that_choose_k_themselves() -> None:
    text = (
        "got estimator=KNNClassifier(n_neighbors='loo'); expected an estimator with n_neighbors as a number, 'sqrt' or "
        "'all'.\nHint: choose the attributes first and then k, or the other way round."
    )
    refuses(AttributeSelector(KNNClassifier("loo")), ParameterError, text)


def test_weights_of_single_queries() -> None:
    estimator = KNNClassifier(3, attribute_weights=LeaveOneOut(local=True))
    with pytest.raises(ParameterError, match="expected one whose attribute weights are the same for all queries") as e:
        AttributeSelector(estimator).fit(X, Y)
    assert str(e.value).endswith("\nHint: weigh locally what was chosen.")


def test_scoring() -> None:
    text = (
        "got scoring='f1'; expected 'accuracy', 'brier' or 'log_loss'.\n"
        "Hint: None takes 'accuracy' where y holds classes."
    )
    refuses(AttributeSelector(scoring="f1"), ParameterError, text)
    text = (
        "got scoring='accuracy'; expected 'squared_error' or 'absolute_error'.\n"
        "Hint: None takes 'squared_error' where y holds numbers."
    )
    refuses(AttributeSelector(KNNRegressor(), scoring="accuracy"), ParameterError, text, y=range(8))
    text = (
        "got scoring='log_loss'; expected a score that is finite without prior weights, 'accuracy' or 'brier'.\n"
        "Hint: a class without a vote has probability 0: give the estimator a prior, KNNClassifier(prior=1.0)."
    )
    refuses(AttributeSelector(scoring="log_loss"), ParameterError, text)


def test_a_single_row() -> None:
    text = "leaves each row out in turn, but n_samples = 1; expected two rows or more.\nHint: pass more rows."
    refuses(AttributeSelector(KNNClassifier(1)), SelectionError, text, X[:1], Y[:1])


def test_more_neighbours_than_other_rows() -> None:
    with pytest.raises(TooFewRowsError, match=r"^AttributeSelector.fit: Expected n_neighbors < n_samples_fit, but n_"):
        AttributeSelector(KNNClassifier(8)).fit(X, Y)
    AttributeSelector(KNNClassifier(7)).fit(X, Y)


@pytest.mark.parametrize(
    ("y", "text"),
    [
        (None, "requires y to be passed, but the target y is None"),
        ([*Y[:7], None], "Input y contains NaN, None or another missing value"),
        ([*range(7), np.nan], "Input y contains NaN"),
        ([*np.linspace(0, 1, 7), np.inf], "Input y contains infinity"),
        (np.linspace(0, 1e200, 8) + 0.5, "Input y contains infinity or a value too large"),
        (Y[:5], "Found input variables with inconsistent numbers of samples"),
    ],
)
def test_targets(y: Any, text: str) -> None:
    with pytest.raises(TargetError, match=text):
        AttributeSelector(KNNRegressor(2) if y is not None and not isinstance(y[0], str) else KNNClassifier(2)).fit(
            X, y
        )


def test_tables() -> None:
    with pytest.raises(SchemaError, match="Found array with 0 sample"):
        AttributeSelector().fit(np.empty((0, 2)), ["a"])
    with pytest.raises(NumericRangeError, match="distance from row"):
        AttributeSelector(KNNClassifier(2, distance="euclidean")).fit([[1e200 * i, 0.0] for i in range(8)], Y)


def test_transform() -> None:
    selector = AttributeSelector().fit(X, Y)
    with pytest.raises(SchemaMismatchError, match=r"X has 3 features, but it is expecting 2"):
        selector.transform([[1.0, 2.0, 3.0]])
    with pytest.raises(SchemaMismatchError, match="here but was"):
        selector.transform([["red", 2.0]])
    with pytest.raises(SchemaError, match=r"^AttributeSelector.transform: Found array with 0 sample"):
        selector.transform(np.empty((0, 2)))
    with pytest.raises(SchemaMismatchError, match=r"X has 2 features, but it is expecting 1"):
        selector.inverse_transform([[1.0, 2.0]])
