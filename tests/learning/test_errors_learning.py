"""What every estimator refuses: targets, classes, weights, empty tables, n_jobs, and answers where no row is left."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from priorcase.exceptions import (
    ParameterError,
    PriorcaseError,
    QueryIndexError,
    SchemaError,
    TargetError,
    TooFewRowsError,
    UnknownIdError,
)
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.schema import Numeric, Schema

X = [[1.0], [2.0], [3.0]]
CLASSES, NUMBERS = ["a", "b", "a"], [0.5, 1.5, 2.5]


def classifier(**parameters: Any) -> KNNClassifier:
    return KNNClassifier(1, **parameters).fit(X, CLASSES)


REFUSED: list[tuple[Callable[[], Any], type[PriorcaseError], str]] = [
    # targets
    (lambda: KNNClassifier(1).fit(X, None), TargetError, "KNNClassifier.fit: requires y"),
    (lambda: KNNClassifier(1).fit(X, ["a"]), TargetError, "X has 3 and y has 1"),
    (lambda: KNNClassifier(1).fit(X, np.zeros((3, 2, 2))), TargetError, "shape"),
    (lambda: KNNClassifier(1).fit(X, [["a"], ["b", "c"], ["a"]]), TargetError, "Unknown label type"),
    (lambda: KNNClassifier(1).fit(X, sparse.eye(3)), TargetError, "sparse"),
    (lambda: KNNClassifier(1).fit(X, ["a", None, "b"]), TargetError, "missing"),
    (lambda: KNNClassifier(1).fit(X, np.ma.array(CLASSES, mask=[0, 1, 0])), TargetError, "missing"),
    (lambda: KNNClassifier(1).fit(X, ["a", 1, "b"]), TargetError, "a mix of number and text"),
    (lambda: KNNClassifier(1).fit(X, NUMBERS), TargetError, "continuous"),
    (lambda: KNNClassifier(1).fit(X, [1.0, np.inf, 2.0]), TargetError, "infinity"),
    (lambda: KNNClassifier(1).fit(X, [1, 2**70, 3]), TargetError, "beyond 64 bits"),
    (lambda: KNNClassifier(1).fit(X, [1j, 2j, 3j]), TargetError, "Unknown label type"),
    (lambda: KNNRegressor(1).fit(X, CLASSES), TargetError, "Use a classifier"),
    (lambda: KNNRegressor(1).fit(X, [1.0, None, 2.0]), TargetError, "missing"),
    (lambda: KNNRegressor(1).fit(X, [1.0, np.nan, 2.0]), TargetError, "NaN"),
    (lambda: KNNRegressor(1).fit(X, [1.0, 10**400, 2.0]), TargetError, "infinity"),
    (lambda: KNNRegressor(1).fit(X, [1.0, Decimal("sNaN"), 2.0]), TargetError, "KNNRegressor.fit"),
    (lambda: KNNRegressor(1).fit(X, NUMBERS).partial_fit(X, [[1.0, 2.0]] * 3), TargetError, "had 1 in earlier calls"),
    # classes
    (lambda: classifier().partial_fit(X, [1, 2, 1]), TargetError, "numbers, .*text"),
    (lambda: KNNClassifier(1).partial_fit(X, CLASSES, classes="ab"), TargetError, "must be a list of classes"),
    (lambda: KNNClassifier(1).partial_fit(X, CLASSES, classes=["a", None]), TargetError, "must be a list of classes"),
    (lambda: KNNClassifier(1).partial_fit(X, CLASSES, classes=[1, 2]), TargetError, "classes are numbers"),
    (lambda: KNNClassifier(1).partial_fit(X, CLASSES, classes=["a", "B"]), TargetError, "y has 'b'.*Did you mean"),
    (lambda: classifier().partial_fit(X[:1], ["a"], classes=["a", "c"]), TargetError, "earlier rows have 'b'"),
    (lambda: KNNClassifier(1).partial_fit(X, [["a", "p"]] * 3, classes=[["a"]]), TargetError, "each of the 2"),
    # weights and rows
    (lambda: KNNClassifier(1).fit(X, CLASSES, sample_weight=[0, 0, 0]), TargetError, "zero for every row"),
    (lambda: KNNClassifier(1).fit(X, CLASSES, sample_weight=[1, 1]), TargetError, "sample_weight has 2"),
    (lambda: KNNClassifier(1).fit(np.empty((0, 2)), []), SchemaError, "0 sample"),
    (lambda: classifier().predict(np.empty((0, 1))), SchemaError, "KNNClassifier.predict: .*0 sample"),
    (lambda: classifier().forget([7]), UnknownIdError, "KNNClassifier.forget: id 7"),
    (lambda: classifier().forget([0, 1, 2]).predict(X), TooFewRowsError, "all were forgotten"),
    (lambda: KNNClassifier(1).fit(X[:1], ["a"]).loo_predict(), TooFewRowsError, "at least two rows"),
    # parameters that every estimator has
    *((lambda n=n: classifier(n_jobs=n), ParameterError, "n_jobs must be None") for n in (0, 1.5, "2", True)),
    (lambda: classifier(schema="numbers"), ParameterError, "schema must be"),
    (
        lambda: classifier(schema=Schema(None, (Numeric(),)), categorical_features=[0]),
        ParameterError,
        "categorical_features must be 'from_dtype'",
    ),
    # results with a part for each query
    (lambda: classifier().precedents(X)[3], QueryIndexError, "there are 3 queries"),
    (lambda: classifier().precedents(X)["0"], ParameterError, "an integer or a slice"),
]


@pytest.mark.parametrize(("call", "kind", "word"), REFUSED)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_refused_in_words(call: Callable[[], Any], kind: type[PriorcaseError], word: str) -> None:
    with pytest.raises(kind, match=word) as caught:
        call()
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
