"""Every refusal of the reducers says what was wrong, what was expected and what to do."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from priorcase.exceptions import DistanceError, ParameterError, ReductionError, SchemaError, TargetError
from priorcase.reduction import CNN, DROP1, DROP2, DROP3, DROP4, DROP5, ENN, ICF, RENN, RNN, AllKNN

X = [[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]]
Y = ["a", "a", "a", "b", "b", "b"]
EACH = pytest.mark.parametrize(
    "reducer",
    [ENN(), RENN(), AllKNN(), CNN(), RNN(), DROP1(), DROP2(), DROP3(), DROP4(), DROP5(), ICF()],
    ids=lambda reducer: type(reducer).__name__,
)


def refuses(reducer: Any, error: type[Exception], text: str, rows: Any = X, y: Any = Y) -> None:
    with pytest.raises(error, match=f"^{re.escape(text)}$"):
        reducer.fit(rows, y)


@EACH
def test_one_class(reducer: Any) -> None:
    text = (
        f"{type(reducer).__name__}.fit: The target 'y' needs to have more than 1 class. Got 1 class instead: 'a'.\n"
        "Hint: rows of one class all say the same; any one of them will do."
    )
    refuses(reducer, ReductionError, text, y=["a"] * 6)


@EACH
def test_lengths_that_differ(reducer: Any) -> None:
    text = (
        f"{type(reducer).__name__}.fit: Found input variables with inconsistent numbers of samples: X has 6 and y has "
        "5.\nHint: pass one entry of y for each row of X."
    )
    refuses(reducer, TargetError, text, y=Y[:5])


@EACH
def test_no_rows_at_all(reducer: Any) -> None:
    with pytest.raises(SchemaError, match=r"fit: Found array with 0 sample"):
        reducer.fit(np.empty((0, 2)), [])


@EACH
def test_no_target(reducer: Any) -> None:
    with pytest.raises(TargetError, match=r"requires y to be passed, but the target y is None"):
        reducer.fit(X, None)


@EACH
def test_gaps_in_the_target(reducer: Any) -> None:
    with pytest.raises(TargetError, match=r"Input y contains NaN, None or another missing value"):
        reducer.fit(X, ["a", None, "a", "b", "b", "b"])


@EACH
def test_several_targets(reducer: Any) -> None:
    text = (
        f"{type(reducer).__name__}.fit got y with 2 columns; expected one target for each row.\n"
        "Hint: reduce the table by one target at a time."
    )
    refuses(reducer, ReductionError, text, y=[[label, label] for label in Y])


@EACH
def test_distances_beyond_float64(reducer: Any) -> None:
    own = type(reducer)(distance="euclidean")
    with pytest.raises(DistanceError, match=rf"^{type(reducer).__name__} .*distance between two rows"):
        own.fit([[-1e200], [2.0], [3.0], [7.0], [8.0], [1e200]], Y)
    assert own.fit([[-1e100], [2.0], [3.0], [7.0], [8.0], [1e100]], Y).sample_indices_.size


VOTING = pytest.mark.parametrize(
    "make", [ENN, RENN, AllKNN, DROP1, DROP2, DROP3, DROP4, DROP5, ICF], ids=lambda make: make.__name__
)


@VOTING
@pytest.mark.parametrize("k", [6, 7, 100])
def test_more_neighbours_than_others(make: Any, k: int) -> None:
    text = (
        f"{make.__name__}.fit: Expected n_neighbors < n_samples, but n_neighbors = {k}, n_samples = 6.\n"
        "Hint: each row is judged by its nearest others: ask for fewer neighbours, or pass more rows."
    )
    refuses(make(k), ReductionError, text)
    make(5, ties="nearest").fit(X, ["a", "a", "a", "a", "b", "b"])


@VOTING
@pytest.mark.parametrize("k", [0, -1, 2.0, "3", True, None])
def test_numbers_of_neighbours(make: Any, k: Any) -> None:
    text = f"{make.__name__}.fit got n_neighbors={k!r}; expected a whole number >= 1.\nHint: 3 is usual."
    refuses(make(k), ParameterError, text)


@VOTING
def test_ties(make: Any) -> None:
    text = (
        f"{make.__name__}.fit got ties='last'; expected 'first' or 'nearest'.\n"
        "Hint: 'first' gives a tied vote to the first class in classes_, 'nearest' to that of the nearest voter."
    )
    refuses(make(ties="last"), ParameterError, text)


@pytest.mark.parametrize("make", [ENN, RENN, AllKNN], ids=lambda make: make.__name__)
def test_kinds_of_agreement(make: Any) -> None:
    text = (
        f"{make.__name__}.fit got kind_sel='most'; expected 'mode' or 'all'.\n"
        "Hint: 'mode' asks for the most frequent class among the others, 'all' for every one of them."
    )
    refuses(make(kind_sel="most"), ParameterError, text)


@pytest.mark.parametrize("make", [ENN, DROP3], ids=lambda make: make.__name__)
class TestNumbers:
    """ENN and DROP3 know numbers as targets."""

    NUMBERS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)

    def test_sorts_of_targets(self, make: Any) -> None:
        text = (
            f"{make.__name__}.fit got target='number'; expected 'auto', 'classes' or 'numbers'.\n"
            "Hint: did you mean 'numbers'?"
        )
        refuses(make(target="number"), ParameterError, text)

    @pytest.mark.parametrize("alpha", [0, -1.0, float("inf"), float("nan"), "5", None])
    def test_alpha(self, make: Any, alpha: Any) -> None:
        text = f"{make.__name__}.fit got alpha={alpha!r}; expected a finite number above 0.\nHint: 5.0 is usual."
        refuses(make(alpha=alpha), ParameterError, text)

    def test_parameters_without_an_effect(self, make: Any) -> None:
        text = f"{make.__name__}.fit got alpha=2.0; expected 5.0 where y holds classes.\nHint: leave alpha out: it "
        refuses(make(alpha=2.0), ParameterError, text + "has no effect there.")
        text = f"{make.__name__}.fit got ties='nearest'; expected 'first' where y holds numbers.\nHint: leave ties "
        refuses(make(ties="nearest"), ParameterError, text + "out: it has no effect there.", y=self.NUMBERS)

    def test_classes_that_are_no_numbers(self, make: Any) -> None:
        with pytest.raises(TargetError, match=r"got y as text; expected real numbers"):
            make(target="numbers").fit(X, Y)
        with pytest.raises(TargetError, match=r"Unknown label type: continuous"):
            make(target="classes").fit(X, self.NUMBERS)

    def test_numbers_too_large_to_be_squared(self, make: Any) -> None:
        with pytest.raises(TargetError, match=r"Input y contains infinity or a value too large"):
            make().fit(X, [0.5, 1.0, 1.5, 2.0, 2.5, 1e200])

    def test_distances_made_from_classes(self, make: Any) -> None:
        with pytest.raises(ParameterError):
            make(distance="hvdm", categorical_features=[0]).fit(X, self.NUMBERS)

    def test_weights_learned_from_classes(self, make: Any) -> None:
        with pytest.raises(ParameterError, match=r"got attribute_weights='bayes'; expected None, numbers or a mapping"):
            make(attribute_weights="bayes").fit(X, self.NUMBERS)


def test_agreement_of_numbers() -> None:
    text = "ENN.fit got kind_sel='all'; expected 'mode' where y holds numbers.\nHint: leave kind_sel out: it has no "
    refuses(ENN(kind_sel="all"), ParameterError, text + "effect there.", y=TestNumbers.NUMBERS)


@pytest.mark.parametrize("make", [RENN, AllKNN, CNN, DROP1, DROP2, DROP4, DROP5, ICF], ids=lambda make: make.__name__)
def test_reducers_that_know_classes_only(make: Any) -> None:
    with pytest.raises(TargetError, match=r"Unknown label type: continuous"):
        make().fit(X, TestNumbers.NUMBERS)


@pytest.mark.parametrize("reducer", [ENN(1), RENN(1), AllKNN(1), DROP3(1), ICF(1)], ids=repr)
def test_nothing_would_be_left(reducer: Any) -> None:
    text = (
        f"{type(reducer).__name__}.fit would delete all 4 rows: their nearest others (n_neighbors = 1) disagree with "
        "every one of them.\n"
        "Hint: the columns hardly tell the target here; another n_neighbors or distance may keep some rows."
    )
    refuses(reducer, ReductionError, text, rows=[[1.0], [1.1], [5.0], [5.1]], y=["a", "b", "a", "b"])


def test_whole_numbers_that_may_be_no_classes() -> None:
    text = (
        "ENN.fit would delete all 6 rows: their nearest others (n_neighbors = 3) disagree with every one of them.\n"
        "Hint: here y names classes; if it counts or measures, ENN and DROP3 take it by target='numbers'."
    )
    refuses(ENN(), ReductionError, text, y=[10, 20, 30, 70, 80, 90])
    assert ENN(target="numbers").fit(X, [10, 20, 30, 70, 80, 90]).sample_indices_.size


def test_flags() -> None:
    hint = "Hint: True deletes after each size of neighbourhood."
    text = f"AllKNN.fit got successive=1; expected True or False.\n{hint}"
    refuses(AllKNN(successive=1), ParameterError, text)
    hint = "Hint: False makes one pass from the inside outwards."
    refuses(DROP5(repeat="no"), ParameterError, f"DROP5.fit got repeat='no'; expected True or False.\n{hint}")
    hint = "Hint: False takes the rows as they come."
    refuses(CNN(shuffle="yes"), ParameterError, f"CNN.fit got shuffle='yes'; expected True or False.\n{hint}")


@pytest.mark.parametrize("make", [CNN, RNN], ids=lambda make: make.__name__)
def test_seeds(make: Any) -> None:
    text = (
        f"{make.__name__}.fit got random_state='x'; expected None, a whole number from 0 to 2**32 - 1 or a "
        "numpy.random.RandomState.\nHint: a number makes fits repeatable."
    )
    refuses(make(shuffle=True, random_state="x"), ParameterError, text)


@EACH
def test_a_refused_table_leaves_everything_as_it_was(reducer: Any) -> None:
    reducer.set_params(**({"n_neighbors": 2} if "n_neighbors" in reducer.get_params() else {}))
    before = reducer.fit(X, Y).sample_indices_.tolist()
    state = dict(vars(reducer))
    with pytest.raises(TargetError):
        reducer.fit_resample(X, Y[:5])
    assert vars(reducer).keys() - {"_lock"} == state.keys() - {"_lock"}
    assert reducer.sample_indices_.tolist() == before
