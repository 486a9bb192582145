"""What is said of questions that cannot be answered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference.case_retrieval import mixed_table

from priorcase.exceptions import (
    CaseBaseError,
    ConditionError,
    MeasureError,
    ParameterError,
    PriorcaseError,
    RetrievalError,
    UnknownAttributeError,
)
from priorcase.reasoning.measures import Linear
from priorcase.reasoning.retrieval import retrieve

TABLE = mixed_table(10, 0)
LISTED = "'age', 'size', 'make', 'bought', 'tags', 'words', 'device'"

WRONG: list[tuple[dict[str, Any], dict[str, Any], type[PriorcaseError], str]] = [
    ({}, {}, RetrievalError, (
        "retrieve got a query in which nothing is known; expected a value of at least one attribute.\n"
        f"Hint: the attributes are {LISTED}."
    )),
    ({"age": None}, {}, RetrievalError, (
        "retrieve got a query in which nothing is known; expected a value of at least one attribute.\n"
        f"Hint: the attributes are {LISTED}."
    )),
    ({"aeg": 3}, {}, UnknownAttributeError, (
        "retrieve got attribute 'aeg', unknown to the case base; nothing was changed.\nHint: did you mean 'age'?"
    )),
    ({"age": 3}, {"weights": {"age": 0}}, RetrievalError, (
        "retrieve knows only 'age' of the query, and the weights of these are 0.\n"
        "Hint: give one of them a weight above 0, or tell more of the query."
    )),
    ({"age": 3}, {"weights": {"aeg": 1}}, UnknownAttributeError, (
        "retrieve (weights) got attribute 'aeg', unknown to the case base; nothing was changed.\n"
        "Hint: did you mean 'age'?"
    )),
    ({"age": 3}, {"weights": {"age": -1}}, RetrievalError, (
        "retrieve got the weight -1 for 'age'; expected a finite number >= 0.\n"
        "Hint: 0 leaves an attribute out; attributes that are not named have weight 1."
    )),
    ({"age": 3}, {"weights": {"age": float("nan")}}, RetrievalError, (
        "retrieve got the weight nan for 'age'; expected a finite number >= 0.\n"
        "Hint: 0 leaves an attribute out; attributes that are not named have weight 1."
    )),
    ({"age": 3}, {"weights": dict.fromkeys(TABLE.attributes, 0)}, RetrievalError, (
        "retrieve got weights that are all 0; expected one above 0.\n"
        "Hint: attributes that are not named have weight 1."
    )),
    ({"age": 3}, {"weights": [1, 2]}, ParameterError, (
        "retrieve got weights=[1, 2]; expected None or a mapping from attributes to numbers.\n"
        "Hint: for example {'age': 2, 'colour': 0}."
    )),
    ({"age": 3}, {"measures": "linear"}, ParameterError, (
        "retrieve got measures='linear'; expected None or a mapping from attributes to measures.\n"
        "Hint: for example {'message': 'edit'}."
    )),
    ({"age": 3}, {"measures": {"aeg": Linear()}}, UnknownAttributeError, (
        "retrieve (measures) got attribute 'aeg', unknown to the case base; nothing was changed.\n"
        "Hint: did you mean 'age'?"
    )),
    ({"age": 3}, {"k": 0}, ParameterError, (
        "retrieve got k=0; expected a whole number >= 1.\nHint: 5 is usual."
    )),
    ({"age": 3}, {"k": True}, ParameterError, (
        "retrieve got k=True; expected a whole number >= 1.\nHint: 5 is usual."
    )),
    ({"age": 3}, {"diversity": 1.5}, ParameterError, (
        "retrieve got diversity=1.5; expected a number from 0 to 1.\n"
        "Hint: 0 is the most similar cases, 1 the most different ones among them."
    )),
    ({"age": 3}, {"unknown": "same"}, ParameterError, (
        "retrieve got unknown='same'; expected 'different' or 'ignore'.\n"
        "Hint: 'different' counts them as not alike, 'ignore' leaves them out of the comparison."
    )),
    ({"age": 3}, {"n_jobs": 0}, ParameterError, (
        "retrieve got n_jobs=0; expected None or a whole number other than 0.\nHint: None and -1 use all cores."
    )),
    ({"age": 3}, {"where": np.ones(3, dtype=np.bool_)}, RetrievalError, (
        "retrieve got where as an array of bool of shape (3,); expected 10 booleans, or conditions by name.\n"
        "Hint: for example where={'fuel': 'diesel'}."
    )),
    ({"age": 3}, {"where": np.ones(10)}, RetrievalError, (
        "retrieve got where as an array of float64 of shape (10,); expected 10 booleans, or conditions by name.\n"
        "Hint: for example where={'fuel': 'diesel'}."
    )),
    ({"age": 3}, {"where": "age=3"}, ConditionError, (
        "retrieve got where='age=3'; expected a mapping from names to values or conditions.\n"
        "Hint: for example {'fuel': 'diesel', 'miles': at_most(50_000)}."
    )),
]  # fmt: skip


@pytest.mark.parametrize(("query", "options", "error", "text"), WRONG)
def test_one_clear_error_each(
    query: dict[str, Any], options: dict[str, Any], error: type[PriorcaseError], text: str
) -> None:
    with pytest.raises(error) as told:
        retrieve(TABLE, query, **options)
    assert type(told.value) is error
    assert str(told.value) == text


def test_a_measure_for_another_kind_is_refused() -> None:
    with pytest.raises(MeasureError, match="'make'"):
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
    with pytest.raises(RetrievalError) as told:
        retrieve(TABLE, {"age": 3}, measures={"age": Strange(found)})
    assert str(told.value) == (
        f"The measure Strange() of 'age' gave {problem}; expected one number from 0 to 1 a value.\n"
        "Hint: a similarity is 1 for the same and 0 for nothing in common."
    )


@pytest.mark.parametrize("found", [[0, 1, 0.5], np.array([0, 9, 1, 9, 0.5, 9])[::2], np.array([0, 1, 0.5], "f4")])
def test_arrays_of_any_layout_will_do(found: Any) -> None:
    assert retrieve(TABLE, {"age": 3}, 1, measures={"age": Strange(found)}).similarities.tolist() == [1.0]


def test_errors_are_those_of_a_case_base() -> None:
    assert issubclass(RetrievalError, CaseBaseError)
    assert issubclass(ConditionError, CaseBaseError)
    assert issubclass(RetrievalError, ValueError)


def test_weights_too_large_for_numbers() -> None:
    with pytest.raises(RetrievalError, match="for 'age'; expected a finite number >= 0"):
        retrieve(TABLE, {"age": 3}, weights={"age": 10**400})
