"""What retrieval, learned weights and retain refuse: one table of calls, classes of errors and telling words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from reference.case_retrieval import mixed_table

from priorcase.cases import Linear
from priorcase.cases.competence import competence, near_duplicates
from priorcase.cases.retain import decide, records_of
from priorcase.cases.retrieval import learn_weights, retrieve
from priorcase.cases.scoring import Likeness
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, ParameterError
from priorcase.schema import Nominal, Numeric

TABLE = mixed_table(10, 0)


def solved(*solutions: Any, outcomes: Any = None, **attributes: Any) -> CaseTable:
    """Cases with an age, their solutions and outcomes."""
    told = outcomes or [None] * len(solutions)
    rows: Any = [
        (i, {"age": i}, *(None if each is None else json.dumps(each) for each in both))
        for i, both in enumerate(zip(solutions, told, strict=True))
    ]
    return CaseTable.of({"age": Numeric(), **attributes}, rows)


WORDS, NUMBERS = solved("x", "x", "y"), solved(3, 4.5, 6)


def asked(query: dict[str, Any] | None = None, **options: Any) -> Callable[[], Any]:
    return lambda: retrieve(TABLE, {"age": 3} if query is None else query, **options)


def learned(table: CaseTable = NUMBERS, **options: Any) -> Callable[[], Any]:
    return lambda: learn_weights(table, **({"progress": False} | options))


def decided(solution: str | None = '"x"', table: CaseTable = WORDS, **options: Any) -> Callable[[], Any]:
    return lambda: decide(table, {"age": 0}, solution, **options)


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (asked({}), CaseBaseError, "query without values"),
    (asked({"age": None}), CaseBaseError, "query without values"),
    (asked({"aeg": 3}), CaseBaseError, "attribute 'aeg', unknown to the case base"),
    (asked(weights={"age": 0}), CaseBaseError, "weight 0 for all of its attributes: 'age'"),
    (asked(weights={"aeg": 1}), CaseBaseError, "attribute 'aeg', unknown to the case base"),
    (asked(weights={"age": -1}), CaseBaseError, "the weight -1 for 'age'"),
    (asked(weights={"age": float("nan")}), CaseBaseError, "the weight nan for 'age'"),
    (asked(weights={"age": 10**400}), CaseBaseError, "for 'age'"),
    (asked(weights=dict.fromkeys(TABLE.attributes, 0)), CaseBaseError, "weights that are all 0"),
    (asked(weights=[1, 2]), ParameterError, "weights must be"),
    (asked(measures="linear"), ParameterError, "measures must be"),
    (asked(measures={"aeg": Linear()}), CaseBaseError, "attribute 'aeg', unknown to the case base"),
    (asked(measures={"make": Linear()}), ParameterError, "'make'"),
    (asked(k=0), ParameterError, "k must be"),
    (asked(k=True), ParameterError, "k must be"),
    (asked(diversity=1.5), ParameterError, "diversity must be"),
    (asked(unknown="same"), ParameterError, "unknown"),
    (asked(n_jobs=0), ParameterError, "n_jobs must be"),
    (learned(solved("a", "b", None)), CaseBaseError, "found 2 cases with a known solution"),
    (learned(solved(*"aaaaa")), CaseBaseError, "the same solution in all cases"),
    (learned(solved(1, "a", 2.5)), CaseBaseError, "numbers such as 1 and other values such as 'a'"),
    (learned(solved("a", "b", "c", outcomes=[0, 0, 0])), CaseBaseError, "that worked, and 3 that failed"),
    (learned(solved("a", "b", "c", outcomes=["bad"] * 3)), CaseBaseError, "outcome 'bad' of case 0"),
    (learned(random_state=-1), ParameterError, "random_state must be"),
    (learned(sample=2), ParameterError, "sample must be"),
    (learned(target="aeg"), ParameterError, "Did you mean 'age'"),
    (learned(target="words"), ParameterError, "target"),
    (learned(target="age"), CaseBaseError, "no attribute from which 'age'"),
    (learned(progress=1), ParameterError, "progress"),
    (learned(success="yes"), ParameterError, "success must be"),
    (learned(fixed=["age"]), ParameterError, "fixed must be"),
    (learned(fixed={"aeg": 0}), CaseBaseError, "attribute 'aeg'"),
    (learned(fixed={"age": -1}), CaseBaseError, "the weight -1 for 'age'"),
    (learned(fixed={"age": 0}), CaseBaseError, "fixed weights of 0 for all attributes"),
    (learned(solved(make=Nominal()), target="age", fixed={"age": 1}), CaseBaseError, "a fixed weight for 'age'"),
    (lambda: Likeness(TABLE, weights={"aeg": 1}), CaseBaseError, "attribute 'aeg'"),
    (lambda: Likeness(TABLE, unknown="same"), ParameterError, "unknown"),  # type: ignore[arg-type]
    (lambda: competence(WORDS, k=0), ParameterError, "k must be"),
    (lambda: competence(WORDS, tolerance=1), ParameterError, "tolerance"),
    (lambda: competence(NUMBERS), ParameterError, "tolerance is required, since all solutions are numbers"),
    (lambda: competence(NUMBERS, tolerance=-1), ParameterError, "tolerance must be"),
    (lambda: competence(solved(None)), CaseBaseError, "found no case with a solution"),
    (lambda: competence(solved("x", outcomes=["fine"])), CaseBaseError, "outcome 'fine' of case 0"),
    (lambda: competence(WORDS, success="yes"), ParameterError, "success must be"),  # type: ignore[arg-type]
    *(
        (lambda value=value: near_duplicates(WORDS, threshold=value), ParameterError, "threshold must be")  # type: ignore[misc]
        for value in (0, 1.5, "much", True)
    ),
    (decided(None), CaseBaseError, "a case without a solution"),
    (decided(policy="if_wrog"), ParameterError, "Did you mean 'if_wrong'"),
    (decided(k=True), ParameterError, "k must be"),
    (decided(threshold=0), ParameterError, "threshold must be"),
    (decided(policy="records", dropping=1), ParameterError, "dropping"),
    (decided("3", solved()), ParameterError, "tolerance is required, since all solutions are numbers"),
    (decided("3", tolerance=1), ParameterError, "tolerance"),
    (lambda: records_of(WORDS, {}, acceptance="high"), ParameterError, "acceptance"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "error", "words"), WRONG)
def test_one_clear_error_each(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as raised:
        call()
    assert type(raised.value) is error
    assert words in str(raised.value)


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
    with pytest.raises(CaseBaseError) as raised:
        retrieve(TABLE, {"age": 3}, measures={"age": Strange(found)})
    assert f"The measure Strange() of 'age' returned {problem}; expected one number from 0 to 1" in str(raised.value)


@pytest.mark.parametrize("found", [[0, 1, 0.5], np.array([0, 9, 1, 9, 0.5, 9])[::2], np.array([0, 1, 0.5], "f4")])
def test_arrays_of_any_layout_will_do(found: Any) -> None:
    assert retrieve(TABLE, {"age": 3}, 1, measures={"age": Strange(found)}).similarities.tolist() == [1.0]
