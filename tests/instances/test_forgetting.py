"""What was forgotten is gone: from the state, from pickles, and from what later rows may be."""

from __future__ import annotations

import pickle
import struct
from typing import Any

import numpy as np
import pytest

from priorcase.exceptions import ParameterError, TargetError
from priorcase.neighbors import KNNClassifier, KNNRegressor

NUMBERS = [[1.0], [2.0], [3.0], [4.0], [5.0]]


def used(model: Any) -> Any:
    """The model after it was asked, so that everything there is to compute is computed."""
    model.predict(NUMBERS)
    model.precedents(NUMBERS)
    return model


def test_pickles_hold_no_forgotten_class() -> None:
    model = used(KNNClassifier(1, prior="frequency").fit(NUMBERS, ["a", "b", "a", "b", "confidential"]))
    assert b"confidential" in pickle.dumps(model)
    assert b"confidential" not in pickle.dumps(model.forget([4]))


def test_pickles_hold_no_forgotten_target() -> None:
    model = used(KNNRegressor("loo").fit(NUMBERS, [1.0, 2.0, 3.0, 4.0, 123.456789]))
    secret = struct.pack("<d", 123.456789)
    assert secret in pickle.dumps(model)
    assert secret not in pickle.dumps(model.forget([4]))


@pytest.mark.parametrize("distance", ["wvdm", "ivdm", "heom", "hvdm"])
def test_pickles_hold_no_forgotten_number(distance: str) -> None:
    rows = [*NUMBERS[:4], [98765.4321]]
    model = used(KNNClassifier(1, distance=distance).fit(rows, ["a", "b", "a", "b", "a"]))
    secret = struct.pack("<d", 98765.4321)
    assert secret in pickle.dumps(model)
    assert secret not in pickle.dumps(model.forget([4]))


def test_pickles_hold_no_refused_class() -> None:
    model = KNNClassifier(1, prior=[1.0, 2.0]).fit(NUMBERS[:2], ["a", "b"])
    with pytest.raises(ParameterError):
        model.partial_fit([[3.0]], ["confidential"])
    assert b"confidential" not in pickle.dumps(model)


# -- the type of the classes


def test_type_of_classes_is_that_of_the_rows_left() -> None:
    model = KNNClassifier(1).fit([[1.0], [2.0]], [1, 2]).partial_fit([[3.0]], [3.0])
    assert model.classes_.dtype == np.float64
    assert model.forget([2]).classes_.dtype == np.int64
    assert model.predict([[1.0]]).dtype == np.int64
    model.partial_fit([[3.0]], np.array([3], dtype=np.int64)).partial_fit([[4.0]], [4.0]).forget([0, 1, 3])
    assert (model.classes_.dtype, model.classes_.tolist()) == (np.dtype(np.float64), [4.0])


def test_text_that_came_as_objects_may_go_again() -> None:
    model = KNNClassifier(1).fit([[1.0]], ["a"]).partial_fit([[2.0]], np.array(["b"], dtype=object))
    assert model.classes_.dtype == object
    assert model.forget([1]).classes_.dtype == np.dtype("<U1")


def test_another_sort_of_classes_after_all_rows_went() -> None:
    model = KNNClassifier(1).fit([[1.0], [2.0]], ["a", "b"]).forget([0, 1])
    assert model.partial_fit([[1.0]], [7]).predict([[1.0]]).tolist() == [7]
    assert model.classes_.dtype == np.int64
    declared = KNNClassifier(1).partial_fit([[1.0]], ["a"], classes=["a", "b"]).forget([0])
    with pytest.raises(TargetError, match="classes are numbers, but the classes learned before are text"):
        declared.partial_fit([[1.0]], [7])
    assert declared.classes_.tolist() == ["a", "b"]
    assert declared.partial_fit([[1.0]], ["b"]).predict([[1.0]]).tolist() == ["b"]


# -- declared classes and priors


def test_declared_classes_must_cover_the_stored_rows() -> None:
    model = KNNClassifier(1).fit([[1.0], [2.0]], ["p", "q"])
    with pytest.raises(TargetError, match="classes= contains 'p', but earlier rows have 'q'"):
        model.partial_fit([[3.0]], ["p"], classes=["p"])
    assert (model.ids_.tolist(), model.classes_.tolist()) == ([0, 1], ["p", "q"])
    model.partial_fit([[3.0]], ["r"])  # nothing was declared
    assert model.forget([1, 2]).partial_fit([[3.0]], ["p"], classes=["p", "z"]).classes_.tolist() == ["p", "z"]


def test_last_row_of_a_class_under_a_prior_for_each_class() -> None:
    model = KNNClassifier(1, prior=[1.0, 2.0]).fit([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    digest = model.digest()
    with pytest.raises(TargetError, match="last rows of 'a'"):
        model.forget([0, 1])
    assert model.digest() == digest
    assert model.forget([1]).predict([[1.0]]).shape == (1,)
    assert model.forget([0, 2]).ids_.tolist() == []  # nobody is left to be asked
    with pytest.raises(ParameterError, match=r"partial_fit: prior must be 1 number"):
        model.partial_fit([[1.0]], ["a"])
    assert model.partial_fit([[1.0], [2.0]], ["a", "b"]).predict_proba([[1.0]]).shape == (1, 2)


def test_last_row_of_a_declared_class_can_go() -> None:
    model = KNNClassifier(1, prior=[1.0, 2.0]).partial_fit([[1.0], [2.0]], ["a", "b"], classes=["a", "b"])
    np.testing.assert_allclose(model.forget([0]).predict_proba([[1.0]]), [[0.25, 0.75]])
