"""What the reducers refuse: the call, the class of the error, and a telling word of its message."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from priorcase.exceptions import NumericRangeError, ParameterError, PriorcaseError, TargetError, TooFewRowsError
from priorcase.reduction import CNN, DROP1, DROP2, DROP3, DROP4, DROP5, ENN, ICF, RENN, RNN, AllKNN

X = [[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]]
Y = ["a", "a", "a", "b", "b", "b"]
NUMBERS = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
ALL = (ENN, RENN, AllKNN, CNN, RNN, DROP1, DROP2, DROP3, DROP4, DROP5, ICF)
VOTING = tuple(make for make in ALL if make not in (CNN, RNN))
FAR = [[-1e200], [2.0], [3.0], [7.0], [8.0], [1e200]]

REFUSED: list[tuple[Any, Any, Any, type[Exception], str]] = [
    *((make(), X, ["a"] * 6, TargetError, "more than 1 class") for make in ALL),
    *((make(), X, Y[:5], TargetError, "inconsistent numbers of samples") for make in ALL),
    *((make(), np.empty((0, 2)), [], PriorcaseError, "0 sample") for make in ALL),
    *((make(), X, None, TargetError, "target y is None") for make in ALL),
    *((make(), X, ["a", None, "a", "b", "b", "b"], TargetError, "missing") for make in ALL),
    *((make(), X, [[label, label] for label in Y], TargetError, "2 columns") for make in ALL),
    *((make(distance="euclidean"), FAR, Y, NumericRangeError, "so large") for make in ALL),
    *((make(k), X, Y, TooFewRowsError, "n_neighbors < n_samples") for make in VOTING for k in (6, 7, 100)),
    *((make(k), X, Y, ParameterError, "n_neighbors") for make in VOTING for k in (0, -1, 2.0, "3", True, None)),
    *((make(ties="last"), X, Y, ParameterError, "ties") for make in VOTING),
    *((make(kind_sel="most"), X, Y, ParameterError, "kind_sel") for make in (ENN, RENN, AllKNN)),
    *((make(target="number"), X, Y, ParameterError, "Did you mean 'numbers'") for make in (ENN, DROP3)),
    *(
        (make(alpha=alpha), X, Y, ParameterError, "alpha")
        for make in (ENN, DROP3)
        for alpha in (0, -1.0, np.inf, np.float64("nan"), "5", None)
    ),
    *((make(alpha=2.0), X, Y, ParameterError, "no effect") for make in (ENN, DROP3)),
    *((make(ties="nearest"), X, NUMBERS, ParameterError, "no effect") for make in (ENN, DROP3)),
    (ENN(kind_sel="all"), X, NUMBERS, ParameterError, "no effect"),
    *((make(target="numbers"), X, Y, TargetError, "numbers") for make in (ENN, DROP3)),
    *((make(target="classes"), X, NUMBERS, TargetError, "continuous") for make in (ENN, DROP3)),
    *((make(), X, [*NUMBERS[:5], 1e200], TargetError, "too large") for make in (ENN, DROP3)),
    *((make(), X, [*NUMBERS[:5], 10**400], TargetError, "too large") for make in (ENN, DROP3)),
    *((make(), X, [*NUMBERS[:5], Decimal("sNaN")], TargetError, "missing") for make in (ENN, DROP3)),
    *((make(distance="hvdm", categorical_features=[0]), X, NUMBERS, PriorcaseError, "class") for make in (ENN, DROP3)),
    *((make(attribute_weights="bayes"), X, NUMBERS, ParameterError, "attribute_weights") for make in (ENN, DROP3)),
    *(
        (make(), X, NUMBERS, TargetError, "continuous")
        for make in (RENN, AllKNN, CNN, RNN, DROP1, DROP2, DROP4, DROP5, ICF)
    ),
    *(
        (make(1), [[1.0], [1.1], [5.0], [5.1]], ["a", "b", "a", "b"], TooFewRowsError, "would be deleted")
        for make in (ENN, RENN, AllKNN, DROP3, ICF)
    ),
    (ENN(), X, [10, 20, 30, 70, 80, 90], TooFewRowsError, "was treated as class labels. Pass target='numbers'"),
    (AllKNN(successive=1), X, Y, ParameterError, "successive"),
    (DROP5(repeat="no"), X, Y, ParameterError, "repeat"),
    *((make(shuffle="yes"), X, Y, ParameterError, "shuffle") for make in (CNN, RNN)),
    *((make(shuffle=True, random_state="x"), X, Y, ParameterError, "random_state") for make in (CNN, RNN)),
]


@pytest.mark.parametrize(("reducer", "rows", "targets", "error", "word"), REFUSED)
def test_refused(reducer: Any, rows: Any, targets: Any, error: type[Exception], word: str) -> None:
    with pytest.raises(error) as caught:
        reducer.fit(rows, targets)
    assert str(caught.value).startswith(f"{type(reducer).__name__}.fit: ")
    assert word.casefold() in str(caught.value).casefold()
    assert not hasattr(reducer, "sample_indices_")


def test_whole_numbers_can_be_taken_for_numbers() -> None:
    assert ENN(target="numbers").fit(X, [10, 20, 30, 70, 80, 90]).sample_indices_.size
    assert ENN(distance="euclidean").fit([[-1e100], [2.0], [3.0], [7.0], [8.0], [1e100]], Y).sample_indices_.size


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_a_refused_table_leaves_everything_as_it_was(make: Any) -> None:
    reducer = make(**({"n_neighbors": 2} if "n_neighbors" in make().get_params() else {}))
    before = reducer.fit(X, Y).sample_indices_.tolist()
    state = dict(vars(reducer))
    with pytest.raises(TargetError):
        reducer.fit_resample(X, Y[:5])
    assert vars(reducer).keys() == state.keys()
    assert reducer.sample_indices_.tolist() == before
