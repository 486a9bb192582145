"""Words of refused parameters: the same in every process, and without the names of modules."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import pytest
from sklearn.utils._param_validation import Interval, Options, StrOptions

from priorcase import IB1, IB2, IB3, IB4, IB5, Schema
from priorcase._parameters import check_value
from priorcase.exceptions import ParameterError

WORDS: list[tuple[list[Any], str]] = [
    ([StrOptions({"tree", "auto", "scan", "plain"})], "a str among {'auto', 'plain', 'scan', 'tree'}"),
    ([Options(Real, {2, 1})], "among {1, 2}"),
    (["random_state"], "an instance of RandomState or None"),
    ([None, Schema, Mapping], "None, an instance of Schema or an instance of Mapping"),
    (["boolean"], "must be a bool, got"),
    ([Interval(Real, 0, 1, closed="both")], "a float in the range [0.0, 1.0]"),
]


@pytest.mark.parametrize(("constraints", "words"), WORDS)
def test_words(constraints: list[Any], words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        check_value("k", "bogus", constraints)
    assert words in str(caught.value)


@pytest.mark.parametrize("learner", [IB1, IB2, IB3, IB4, IB5])
def test_constraints_are_those_of_parameters(learner: Any) -> None:
    assert set(learner._parameter_constraints) <= set(learner().get_params())
