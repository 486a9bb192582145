"""Options of the methods for learning attribute weights that are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from priorcase.exceptions import ParameterError
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.reduction import ENN
from priorcase.relevance import GainRatio, LeaveOneOutWeights, MutualInformation, Relief

REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    *((method, {"bins": bins}, "bins") for method in (GainRatio, MutualInformation) for bins in (1, 2.5, True, "5")),
    *((Relief, {"n_neighbors": k}, "n_neighbors") for k in (0, np.int64(-1), 2.5, None)),
    *((Relief, {"n_samples": m}, "n_samples") for m in (0, 2.5, True)),
    (LeaveOneOutWeights, {"loss": "brier"}, "'loss' .*'errors'"),
    (LeaveOneOutWeights, {"loss": "logs"}, "Did you mean 'log'"),
    *(
        (LeaveOneOutWeights, {"regularization": r}, "regularization")
        for r in (-1.0, np.float64("nan"), float("inf"), "1")
    ),
    (LeaveOneOutWeights, {"local": "yes"}, "local"),
    (LeaveOneOutWeights, {"local": True, "neighborhood": 2}, "neighborhood"),
    (LeaveOneOutWeights, {"local": True, "stiffness": float("inf")}, "stiffness"),
    (LeaveOneOutWeights, {"neighborhood": 20}, "need local=True, got neighborhood=20"),
    (LeaveOneOutWeights, {"stiffness": 2}, "need local=True, got .*stiffness=2"),
]


@pytest.mark.parametrize(("method", "options", "word"), REFUSED)
def test_options(method: Any, options: dict[str, Any], word: str) -> None:
    with pytest.raises(ParameterError, match=word):
        method(**options)


@pytest.mark.parametrize(
    ("model", "y", "words"),
    [
        (
            KNNClassifier(1, attribute_weights=LeaveOneOutWeights("squared")),
            ["a", "b"],
            "KNNClassifier.fit: .*loss must be",
        ),
        (KNNRegressor(1, attribute_weights=LeaveOneOutWeights("log")), [0.5, 1.5], "'squared' if y contains numbers"),
        (ENN(1, attribute_weights=LeaveOneOutWeights(local=True)), ["a", "b"], "the same for all rows"),
    ],
)
def test_methods_and_targets(model: Any, y: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        model.fit([[1.0], [2.0]], y)


def test_numbers_of_numpy_are_accepted_as_python_has_them() -> None:
    assert repr(Relief(np.int64(3), np.int8(20))) == "Relief(n_neighbors=3, n_samples=20)"
    assert LeaveOneOutWeights(regularization=np.float32(0.5), local=np.bool_(True)) == LeaveOneOutWeights(
        None, 0.5, True
    )
