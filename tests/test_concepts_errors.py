"""Parameters that break their rules, and input that cannot be learned: one sentence each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from concept_tables import SCHEMA, named, stream
from sklearn.exceptions import NotFittedError

from priorcase.concepts import IB1, IB2, IB3, IB4, IB5
from priorcase.exceptions import DistanceError, NumericRangeError, ParameterError, SchemaError, TargetError

ALL = [IB1, IB2, IB3, IB4, IB5]
X, Y = stream(20)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (IB1(ties="last"), "IB1.fit got ties='last'; expected 'majority', 'first' or 'random'"),
        (IB1(shuffle="yes"), "got shuffle='yes'; expected True or False"),
        (IB1(history="all"), "got history='all'; expected False, True or 'replay'"),
        (IB1(history="reply"), "did you mean 'replay'?"),
        (IB1(history=1), "got history=1; expected False, True or 'replay'"),
        (IB2(per_class=1), "got per_class=1; expected True or False"),
        (IB2(window=0), "got window=0; expected None or a whole number >= 1"),
        (IB2(window=2.5), "got window=2.5; expected None or a whole number >= 1"),
        (IB2(distance="eucledian"), "IB2.fit got distance='eucledian', which is not known; expected a Distance or one"),
        (IB2(distance="eucledian"), "did you mean 'euclidean'?"),
        (IB1(distance=2), "IB1.fit got distance=2, which is not known; expected a Distance or one of 'cosine'"),
        (IB3(random_state="x"), "got random_state='x'; expected None, a whole number from 0 to 2**32 - 1"),
        (IB3(random_state=-1), "got random_state=-1; expected None, a whole number from 0"),
        (IB3(accept=1.0), "IB3.fit got accept=1.0; expected a number from 0.5 to below 1.\nHint: 0.9 accepts"),
        (IB3(drop=0.2), "got drop=0.2; expected a number from 0.5 to below 1"),
        (IB3(decay=0), "got decay=0; expected a number above 0, at most 1"),
        (IB3(decay=1.5), "got decay=1.5; expected a number above 0, at most 1"),
        (IB4(weight_power=3), "IB4.fit got weight_power=3; expected 1 or 2"),
        (IB5(missing="skip"), "IB5.fit got missing='skip'; expected 'ignore' or 'scale'"),
        (IB1(n_jobs=0), "got n_jobs=0; expected None or a whole number other than 0"),
        (IB1(schema=3), "got schema=3; expected None, a Schema or a mapping"),
    ],
    ids=lambda value: named(value) if not isinstance(value, str) else "",
)
def test_parameters(learner: Any, words: str) -> None:
    with pytest.raises((ParameterError, DistanceError)) as caught:
        learner.fit([[0.0, "a"], [1.0, "b"]], ["x", "y"])
    assert words in str(caught.value)
    assert not hasattr(learner, "classes_")


@pytest.mark.parametrize("learner", ALL)
def test_targets(learner: Any) -> None:
    model = learner(schema=SCHEMA)
    for y, words in (
        (None, "requires y to be passed"),
        (Y[:5], "inconsistent numbers of samples"),
        ([0.5] * 20, "Unknown label type: continuous"),
        ([None] * 20, "Input y contains NaN, None"),
        (["a"] * 10 + [1] * 10, "a mix of"),
    ):
        with pytest.raises(TargetError, match=words):
            model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("learner", ALL)
def test_labels_of_another_sort(learner: Any) -> None:
    model = learner(schema=SCHEMA, random_state=0).fit(X, Y)
    with pytest.raises(TargetError, match="got classes that are numbers; the classes learned so far are text"):
        model.partial_fit(X[:2], [1, 2])


@pytest.mark.parametrize("learner", ALL)
def test_numbers_too_large_for_a_range(learner: Any) -> None:
    with pytest.raises((NumericRangeError, DistanceError), match="column 0 has numbers so large that their range"):
        learner().fit([[-1e308], [1e308]], ["a", "b"])
    model = learner(random_state=0).partial_fit([[-1e308], [0.0]], ["a", "b"])
    with pytest.raises((NumericRangeError, DistanceError), match="column 0 has numbers so large that their range"):
        model.partial_fit([[1e308]], ["a"])
    with pytest.raises(DistanceError, match=r"predict: column 0 has numbers so large"):
        model.predict([[1.5e308]])
    assert model.n_seen_ == 2
    assert model.predict([[0.0]]).tolist() == ["b"]


def test_distances_too_large_to_compare() -> None:
    model = IB1(distance="euclidean").fit([[1e200, 0.0], [-1e200, 0.0]], ["a", "b"])
    with pytest.raises(
        DistanceError, match=r"IB1.predict: query 1 has numbers so large that their distance is infinite"
    ):
        model.predict([[1e200, 0.0], [0.0, 0.0]])


def test_nothing_to_learn_from() -> None:
    with pytest.raises(SchemaError, match=r"Found array with 0 sample\(s\)"):
        IB2().fit(np.empty((0, 3)), [])
    with pytest.raises(SchemaError, match=r"Found array with 0 feature\(s\)"):
        IB2().fit(np.empty((3, 0)), [1, 2, 3])


def test_weights_are_no_option() -> None:
    """The published algorithms count every instance once."""
    with pytest.raises(TypeError, match="sample_weight"):
        IB1().fit(X, Y, sample_weight=[1.0] * 20)  # type: ignore[call-arg]


def test_values_beyond_declared_ones() -> None:
    from priorcase.schema import Nominal

    model = IB2(schema={0: Nominal(("red", "blue"))}).fit([["red"], ["blue"]], ["a", "b"])
    with pytest.raises(SchemaError, match="'green' in column 0; it declares the values 'red', 'blue'"):
        model.partial_fit([["green"]], ["a"])
