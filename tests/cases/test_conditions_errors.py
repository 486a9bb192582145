"""Conditions that cannot be made, read from text or checked: one clear error each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from reference.case_retrieval import ATTRIBUTES, mixed_table

from priorcase.cases import above, at_least, between, contains, matches, one_of, under
from priorcase.cases.conditions import mask, parse
from priorcase.exceptions import CaseBaseError

TABLE = mixed_table(60, 3)


def checked(**conditions: Any) -> Callable[[], Any]:
    return lambda: mask(TABLE, conditions)


def read(text: str) -> Callable[[], Any]:
    return lambda: parse(text, ATTRIBUTES)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (checked(aeg=3), "attribute 'aeg', unknown to the case base"),
        (checked(age="old"), "'old' for 'age'"),
        (checked(age=contains("x")), "age=contains('x'), but 'age' is of kind 'numeric'"),
        (checked(make=between(1, 2)), "make=between(1, 2), but 'make' is of kind 'nominal'"),
        (checked(words=under("printer")), "words=under('printer'), but 'words' is of kind 'text'"),
        (checked(words=under("printer")), "of kind 'taxonomy'"),
        (checked(solution=under("printer")), "'solution' is of kind 'any value'"),
        (checked(age=between(5, 3)), "age=between(5, 3)"),
        (checked(size=between("L", "S")), "size=between('L', 'S')"),
        (checked(size=at_least("XL")), "'XL' for 'size'"),
        (checked(age=at_least(float("nan"))), "nan for 'age'"),
        (checked(age=[]), "got an empty list of values"),
        (checked(tags=[]), "got an empty list of values"),
        (checked(solution=above("a")), "cannot compare 'solution' with 'a'"),
        (checked(words=contains(3)), "contains(3) for 'words'"),
        (checked(device="toaster"), "'toaster' for 'device'"),
        (checked(id="six"), "'six' for 'id'"),
        (lambda: mask(TABLE, ["age"]), "where=['age']"),  # type: ignore[arg-type]
        (one_of, "one_of: got an empty list"),
        (contains, "contains: got an empty list"),
        (lambda: above(None), "above: got an empty list"),
        (lambda: between(1, None), "between: got an empty list"),
        (lambda: matches("("), "matches: got '('"),
        (lambda: matches(3), "not a regular expression"),  # type: ignore[arg-type]
        (read("age"), "'age' has no operator"),
        (read("=3"), "'=3' has no name"),
        (read("age="), "'age=' has no value after 'age'"),
        (read("age=1|"), "'age=1|' has no value after 'age'"),
        (read("age>?"), "'age>?' has '?' after >"),
        (read("agee=3"), "attribute 'agee', unknown to the case base"),
        (read("age<=many"), "'many' for 'age'"),
        (read("size=XL"), "'XL' for 'size'"),
        (read("bought=soon"), "'soon' for 'bought'"),
        (read("age=nan"), "'nan' for 'age'"),
        (read("solution>much"), "cannot compare 'solution' with 'much'"),
    ],
)
def test_errors(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(CaseBaseError) as told:
        call()
    assert type(told.value) is CaseBaseError
    assert words in str(told.value)


@pytest.mark.parametrize("odd", [lambda value: value["size"], lambda value: value.size > 1])
def test_functions_that_fail(odd: Any) -> None:
    with pytest.raises(CaseBaseError) as raised:
        mask(TABLE, {"make": odd})
    error = raised.value.__cause__
    value = TABLE.column("make").values[0]
    assert f"the function for 'make' raised {type(error).__name__}: {error} for {value!r}" in str(raised.value)
