"""What is said of conditions that cannot be checked."""

from __future__ import annotations

from typing import Any

import pytest
from reference.case_retrieval import mixed_table

from priorcase.exceptions import CaseBaseError, CaseValueError, ConditionError, UnknownAttributeError
from priorcase.reasoning.conditions import (
    above,
    at_least,
    between,
    contains,
    mask,
    matches,
    one_of,
    under,
)

TABLE = mixed_table(60, 3)

WRONG: list[tuple[dict[str, Any], type[CaseBaseError], str]] = [
    (
        {"aeg": 3},
        UnknownAttributeError,
        ("find got attribute 'aeg', unknown to the case base; nothing was changed.\nHint: did you mean 'age'?"),
    ),
    (
        {"age": "old"},
        CaseValueError,
        (
            "find got 'old' for 'age'; expected a number. Nothing was changed.\n"
            "Hint: write None where the value is not known."
        ),
    ),
    (
        {"age": contains("x")},
        ConditionError,
        (
            "find got age=contains('x'), but 'age' is numeric.\n"
            "Hint: this condition is for text, nominal and set attributes."
        ),
    ),
    (
        {"make": between(1, 2)},
        ConditionError,
        (
            "find got make=between(1, 2), but 'make' is nominal.\n"
            "Hint: this condition is for numeric, ordinal and date attributes."
        ),
    ),
    (
        {"words": under("printer")},
        ConditionError,
        ("find got words=under('printer'), but 'words' is a text.\nHint: this condition is for taxonomy attributes."),
    ),
    (
        {"age": between(5, 3)},
        ConditionError,
        (
            "find got age=between(5, 3), in which nothing lies.\n"
            "Hint: write the lower end first; both ends belong to it."
        ),
    ),
    (
        {"size": between("L", "S")},
        ConditionError,
        (
            "find got size=between('L', 'S'), in which nothing lies.\n"
            "Hint: write the lower end first; both ends belong to it."
        ),
    ),
    (
        {"size": at_least("XL")},
        CaseValueError,
        (
            "find got 'XL' for 'size'; expected one of the levels 'S', 'M', 'L'. Nothing was changed.\n"
            "Hint: write None where the value is not known."
        ),
    ),
    (
        {"age": at_least(float("nan"))},
        CaseValueError,
        (
            "find got nan for 'age'; expected a value to compare with. Nothing was changed.\n"
            "Hint: write None where the value is not known."
        ),
    ),
    (
        {"age": []},
        ConditionError,
        (
            "find: age got nothing to choose from; expected at least one value or condition.\n"
            "Hint: leave the condition out where any value will do; None means missing."
        ),
    ),
    (
        {"solution": above("a")},
        ConditionError,
        (
            "find compares 'solution' with 'a'; expected a number.\n"
            "Hint: only numbers have an order there; equal values are asked for without one."
        ),
    ),
    (
        {"words": contains(3)},
        CaseValueError,
        (
            "find got contains(3) for 'words'; expected a text to look for. Nothing was changed.\n"
            "Hint: write None where the value is not known."
        ),
    ),
    (
        {"device": "toaster"},
        CaseValueError,
        (
            "find got 'toaster' for 'device'; expected a node of its taxonomy ('device', 'printer', "
            "'laser', 'inkjet', 'router'). Nothing was changed.\n"
            "Hint: write None where the value is not known."
        ),
    ),
    (
        {"id": "six"},
        CaseValueError,
        (
            "find got 'six' for 'id'; expected a number. Nothing was changed.\n"
            "Hint: write None where the value is not known."
        ),
    ),
]


@pytest.mark.parametrize(("conditions", "error", "text"), WRONG)
def test_one_clear_error_each(conditions: dict[str, Any], error: type[CaseBaseError], text: str) -> None:
    with pytest.raises(error) as told:
        mask(TABLE, conditions)
    assert type(told.value) is error
    assert str(told.value) == text


def test_conditions_that_are_none() -> None:
    with pytest.raises(ConditionError) as told:
        mask(TABLE, ["age"])  # type: ignore[arg-type]
    assert str(told.value) == (
        "CaseBase.retrieve got where=['age']; expected a mapping from names to values or conditions.\n"
        "Hint: for example {'fuel': 'diesel', 'miles': at_most(50_000)}."
    )
    for make in (one_of, contains):
        with pytest.raises(ConditionError, match=f"{make.__name__} got nothing to choose from"):
            make()
    with pytest.raises(ConditionError, match="above got nothing to choose from"):
        above(None)
    with pytest.raises(ConditionError) as told:
        matches("(")
    assert str(told.value) == (
        "matches got '(', which is no regular expression: missing ), unterminated subpattern at position 0.\n"
        "Hint: contains(text) looks for a text as it is."
    )
    with pytest.raises(ConditionError, match="no regular expression"):
        matches(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("odd", [lambda value: value["size"], lambda value: value.size > 1])
def test_functions_that_fail(odd: Any) -> None:
    with pytest.raises(ConditionError) as raised:
        mask(TABLE, {"make": odd})
    error = raised.value.__cause__
    value = TABLE.column("make").values[0]
    assert str(raised.value) == (
        f"find: the function for 'make' raised {type(error).__name__}: {error} for {value!r}.\n"
        "Hint: it is asked of every known value, whatever its type; the traceback above this one shows where."
    )
