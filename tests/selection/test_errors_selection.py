"""Parameters, tables and targets that the attribute selector refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from priorcase.exceptions import (
    NumericRangeError,
    ParameterError,
    SchemaError,
    SchemaMismatchError,
    TargetError,
    TooFewRowsError,
)
from priorcase.neighbors import KNNClassifier, KNNRegressor, KNNTransformer
from priorcase.relevance import LeaveOneOutWeights
from priorcase.selection import AttributeSelector

X = [[float(i), float(i % 3)] for i in range(8)]
Y = ["a"] * 4 + ["b"] * 4

PARAMETERS: list[tuple[dict[str, Any], str]] = [
    ({"search": "races"}, "search must be .* Did you mean 'race'"),
    ({"search": None}, "search must be"),
    ({"search": "race", "direction": "up"}, "direction must be"),
    *(({"search": s, "direction": "forward"}, "direction must be None") for s in ("forward", "backward", "schemata")),
    *(({"n_features": value}, "n_features must be") for value in (0, 3, 1.0, True, "2", np.array([1, 2]))),
    ({"search": "schemata", "n_features": 1}, "n_features must be None"),
    *(({"gamma": value}, "gamma must be") for value in (-0.1, np.inf, np.nan, "0.1", None, np.array([0.1, 0.2]))),
    *(({"search": "race", "delta": value}, "delta must be") for value in (0, 0.5, 1, -1.0, "0.1", None)),
    *(({"search": search, "delta": np.array([0.1, 0.2])}, "delta must be") for search in ("forward", "race")),
    *(({"search": "schemata", "min_points": m}, "min_points must be") for m in (1, 0, 2.5, True, "30", None)),
    *(({"min_points": np.array([5, 6])}, "min_points must be") for search in ("forward", "brace")),
    *(({"search": search, "delta": 0.1}, "no effect") for search in ("forward", "backward")),
    *(({"search": search, "min_points": 10}, "no effect") for search in ("forward", "backward")),
    ({"random_state": "x"}, "random_state"),
    ({"n_jobs": 0}, "n_jobs"),
    *(({"estimator": estimator}, "estimator must be") for estimator in (KNNTransformer(), "knn", KNNClassifier)),
    ({"estimator": KNNClassifier("loo")}, "n_neighbors of estimator must be"),
    ({"estimator": KNNClassifier(3, attribute_weights=LeaveOneOutWeights(local=True))}, "same attribute weights"),
    ({"scoring": "f1"}, "scoring must be .*'accuracy'"),
    ({"estimator": KNNRegressor(), "scoring": "accuracy"}, "scoring must be .*'squared_error'"),
    ({"scoring": "log_score", "estimator": KNNClassifier(prior=None)}, "give the estimator a prior"),
]


@pytest.mark.parametrize(("parameters", "words"), PARAMETERS)
def test_parameters(parameters: dict[str, Any], words: str) -> None:
    selector = AttributeSelector(**parameters)
    with pytest.raises(ParameterError, match=f"^AttributeSelector.fit: .*{words}"):
        selector.fit(X, range(8) if isinstance(parameters.get("estimator"), KNNRegressor) else Y)
    assert not hasattr(selector, "support_")


def test_numbers_of_numpy_are_accepted() -> None:
    options = {"gamma": np.float32(0.5), "delta": np.float64(0.1), "min_points": np.int8(5), "n_features": np.int64(1)}
    assert AttributeSelector(KNNClassifier(2), search="race", **options).fit(X, Y).support_.sum() == 1


def test_too_few_rows() -> None:
    with pytest.raises(TooFewRowsError, match="n_samples = 1"):
        AttributeSelector(KNNClassifier(1)).fit(X[:1], Y[:1])
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
    numbers = y is not None and not isinstance(y[0], str)
    with pytest.raises(TargetError, match=text):
        AttributeSelector(KNNRegressor(2) if numbers else KNNClassifier(2)).fit(X, y)


def test_tables() -> None:
    with pytest.raises(SchemaError, match="Found array with 0 sample"):
        AttributeSelector().fit(np.empty((0, 2)), ["a"])
    with pytest.raises(NumericRangeError, match="distance from row"):
        AttributeSelector(KNNClassifier(2, distance="euclidean")).fit([[1e200 * i, 0.0] for i in range(8)], Y)
    selector = AttributeSelector().fit(X, Y)
    with pytest.raises(SchemaMismatchError, match=r"X has 3 features, but it is expecting 2"):
        selector.transform([[1.0, 2.0, 3.0]])
    with pytest.raises(SchemaMismatchError, match="here but was"):
        selector.transform([["red", 2.0]])
    with pytest.raises(SchemaError, match=r"^AttributeSelector.transform: Found array with 0 sample"):
        selector.transform(np.empty((0, 2)))
    with pytest.raises(SchemaMismatchError, match=r"X has 2 features, but it is expecting 1"):
        selector.inverse_transform([[1.0, 2.0]])
