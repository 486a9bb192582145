"""What is said of conditions that cannot be checked."""

from __future__ import annotations

from typing import Any

import pytest
from reference.case_retrieval import mixed_table

from priorcase.cases.conditions import (
    above,
    at_least,
    between,
    contains,
    mask,
    matches,
    one_of,
    under,
)
from priorcase.exceptions import CaseBaseError

TABLE = mixed_table(60, 3)

WRONG: list[tuple[dict[str, Any], type[CaseBaseError], str]] = [
    (
        {"aeg": 3},
        CaseBaseError,
        "attribute 'aeg', unknown to the case base",
    ),
    (
        {"age": "old"},
        CaseBaseError,
        "'old' for 'age'",
    ),
    (
        {"age": contains("x")},
        CaseBaseError,
        "age=contains('x'), but 'age' is numeric",
    ),
    (
        {"make": between(1, 2)},
        CaseBaseError,
        "make=between(1, 2), but 'make' is nominal",
    ),
    (
        {"words": under("printer")},
        CaseBaseError,
        "words=under('printer'), but 'words' is a text",
    ),
    (
        {"age": between(5, 3)},
        CaseBaseError,
        "age=between(5, 3), in which nothing lies",
    ),
    (
        {"size": between("L", "S")},
        CaseBaseError,
        "size=between('L', 'S'), in which nothing lies",
    ),
    (
        {"size": at_least("XL")},
        CaseBaseError,
        "'XL' for 'size'",
    ),
    (
        {"age": at_least(float("nan"))},
        CaseBaseError,
        "nan for 'age'",
    ),
    (
        {"age": []},
        CaseBaseError,
        "nothing to choose from",
    ),
    (
        {"solution": above("a")},
        CaseBaseError,
        "compares 'solution' with 'a'",
    ),
    (
        {"words": contains(3)},
        CaseBaseError,
        "contains(3) for 'words'",
    ),
    (
        {"device": "toaster"},
        CaseBaseError,
        "'toaster' for 'device'",
    ),
    (
        {"id": "six"},
        CaseBaseError,
        "'six' for 'id'",
    ),
]


@pytest.mark.parametrize(("conditions", "error", "text"), WRONG)
def test_one_clear_error_each(conditions: dict[str, Any], error: type[CaseBaseError], text: str) -> None:
    with pytest.raises(error) as told:
        mask(TABLE, conditions)
    assert type(told.value) is error
    assert text in str(told.value)


def test_conditions_that_are_none() -> None:
    with pytest.raises(CaseBaseError) as told:
        mask(TABLE, ["age"])  # type: ignore[arg-type]
    assert "where=['age']" in str(told.value)
    for make in (one_of, contains):
        with pytest.raises(CaseBaseError, match=f"{make.__name__}: got nothing to choose from"):
            make()
    with pytest.raises(CaseBaseError, match="nothing to choose from"):
        above(None)
    with pytest.raises(CaseBaseError) as told:
        matches("(")
    assert "'('" in str(told.value)
    with pytest.raises(CaseBaseError, match="no regular expression"):
        matches(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("odd", [lambda value: value["size"], lambda value: value.size > 1])
def test_functions_that_fail(odd: Any) -> None:
    with pytest.raises(CaseBaseError) as raised:
        mask(TABLE, {"make": odd})
    error = raised.value.__cause__
    value = TABLE.column("make").values[0]
    assert (
        f"the function for 'make' raised {type(error).__name__}: {error} for {value!r}. "
        "It is asked of every known value, whatever its type; the traceback above this one shows where."
    ) in str(raised.value)
