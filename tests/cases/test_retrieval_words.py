"""What is said of questions that cannot be answered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference.case_retrieval import mixed_table

from priorcase.cases.measures import Linear
from priorcase.cases.retrieval import retrieve
from priorcase.exceptions import (
    CaseBaseError,
    ParameterError,
    PriorcaseError,
)

TABLE = mixed_table(10, 0)

WRONG: list[tuple[dict[str, Any], dict[str, Any], type[PriorcaseError], str]] = [
    ({}, {}, CaseBaseError, "nothing is known"),
    ({"age": None}, {}, CaseBaseError, "nothing is known"),
    ({"aeg": 3}, {}, CaseBaseError, (
        "attribute 'aeg', unknown to the case base"
    )),
    ({"age": 3}, {"weights": {"age": 0}}, CaseBaseError, (
        "a query that has only 'age', with weight 0"
    )),
    ({"age": 3}, {"weights": {"aeg": 1}}, CaseBaseError, (
        "attribute 'aeg', unknown to the case base"
    )),
    ({"age": 3}, {"weights": {"age": -1}}, CaseBaseError, (
        "the weight -1 for 'age'"
    )),
    ({"age": 3}, {"weights": {"age": float("nan")}}, CaseBaseError, (
        "the weight nan for 'age'"
    )),
    ({"age": 3}, {"weights": dict.fromkeys(TABLE.attributes, 0)}, CaseBaseError, (
        "weights that are all 0"
    )),
    ({"age": 3}, {"weights": [1, 2]}, ParameterError, (
        "weights must be"
    )),
    ({"age": 3}, {"measures": "linear"}, ParameterError, (
        "measures must be"
    )),
    ({"age": 3}, {"measures": {"aeg": Linear()}}, CaseBaseError, (
        "attribute 'aeg', unknown to the case base"
    )),
    ({"age": 3}, {"k": 0}, ParameterError, (
        "k must be"
    )),
    ({"age": 3}, {"k": True}, ParameterError, (
        "k must be"
    )),
    ({"age": 3}, {"diversity": 1.5}, ParameterError, (
        "diversity must be"
    )),
    ({"age": 3}, {"unknown": "same"}, ParameterError, (
        "unknown"
    )),
    ({"age": 3}, {"n_jobs": 0}, ParameterError, (
        "n_jobs must be"
    )),
    ({"age": 3}, {"where": np.ones(3, dtype=np.bool_)}, CaseBaseError, (
        "where as an array of bool of shape (3,)"
    )),
    ({"age": 3}, {"where": np.ones(10)}, CaseBaseError, (
        "where as an array of float64 of shape (10,)"
    )),
    ({"age": 3}, {"where": "age=3"}, CaseBaseError, (
        "where='age=3'"
    )),
]  # fmt: skip


@pytest.mark.parametrize(("query", "options", "error", "text"), WRONG)
def test_one_clear_error_each(
    query: dict[str, Any], options: dict[str, Any], error: type[PriorcaseError], text: str
) -> None:
    with pytest.raises(error) as told:
        retrieve(TABLE, query, **options)
    assert type(told.value) is error
    assert text in str(told.value)


def test_a_measure_for_another_kind_is_refused() -> None:
    with pytest.raises(ParameterError, match="'make'"):
        retrieve(TABLE, {"age": 3}, measures={"make": Linear()})


class Strange:
    """A measure of a user's own, which measures nothing sensible."""

    accepts = ("numeric",)
    needs_solutions = False

    def __init__(self, found: Any) -> None:
        self.found = found

    def __repr__(self) -> str:
        return "Strange()"

    def prepare(self, column: Any, solutions: Any = None, previous: Any = None) -> Any:
        return self

    def similarities(self, query: Any) -> Any:
        return self.found


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        (np.full(3, 1.5), "the similarity 1.5"),
        (np.array([0.0, np.nan, 1.0]), "the similarity nan"),
        (np.zeros(4), "an array of shape (4,) for 3 values"),
        (["alike", "not", "not"], "['alike', 'not', 'not']"),
        (None, "an array of shape () for 3 values"),
    ],
)
def test_measures_of_ones_own_are_checked(found: Any, problem: str) -> None:
    assert len(TABLE.column("age").values) == 3
    with pytest.raises(CaseBaseError) as told:
        retrieve(TABLE, {"age": 3}, measures={"age": Strange(found)})
    assert (
        f"The measure Strange() of 'age' gave {problem}; expected one number from 0 to 1 a value. "
        "A similarity is 1 for the same and 0 for nothing in common."
    ) in str(told.value)


@pytest.mark.parametrize("found", [[0, 1, 0.5], np.array([0, 9, 1, 9, 0.5, 9])[::2], np.array([0, 1, 0.5], "f4")])
def test_arrays_of_any_layout_will_do(found: Any) -> None:
    assert retrieve(TABLE, {"age": 3}, 1, measures={"age": Strange(found)}).similarities.tolist() == [1.0]


def test_weights_too_large_for_numbers() -> None:
    with pytest.raises(CaseBaseError, match="for 'age'"):
        retrieve(TABLE, {"age": 3}, weights={"age": 10**400})
