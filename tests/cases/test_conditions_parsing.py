"""Conditions as people type them on a command line."""

from __future__ import annotations

import pytest
from reference.case_retrieval import ATTRIBUTES, mixed_table

from priorcase.cases.conditions import mask, parse
from priorcase.schema import Ordinal

TABLE = mixed_table(60, 3)

READ = [
    ("age<=3", "age", "at_most(3)"),
    ("age >= 2.5", "age", "at_least(2.5)"),
    (" age > 1_000 ", "age", "above(1000)"),
    ("age<1e3", "age", "below(1000)"),
    ("age=3", "age", "3"),
    ("age==3", "age", "3"),
    ("age!=3", "age", "not_(3)"),
    ("age=1|3|?", "age", "one_of(1, 3, missing())"),
    ("age=?", "age", "missing()"),
    ("age!=?", "age", "known()"),
    ("size>=M", "size", "at_least('M')"),
    ("make=acme|best", "make", "one_of('acme', 'best')"),
    ("make=1", "make", "one_of('1', 1)"),
    ("make=true", "make", "one_of('true', True)"),
    ("make~ES", "make", "contains('ES')"),
    ("tags=loud", "tags", "'loud'"),
    ("bought<2024-05-02", "bought", "below('2024-05-02')"),
    ("device=printer", "device", "'printer'"),
    ("words~paper = jam", "words", "contains('paper = jam')"),
    ("solution=clean", "solution", "'clean'"),
    ("solution=12", "solution", "one_of('12', 12)"),
    ("solution>3", "solution", "above(3)"),
    ("solution>2,5", "solution", "above(2.5)"),
    ("outcome=No", "outcome", "one_of('No', 'no', False)"),  # the word in any capitals, as a table may hold it
    ("outcome=0,5", "outcome", "one_of('0,5', 0.5)"),
    ("solution=no", "solution", "'no'"),
    ("bought<1.6.2025", "bought", "below('2025-06-01')"),
    ("id=6|9", "id", "one_of(6, 9)"),
]


@pytest.mark.parametrize(("text", "name", "condition"), READ)
def test_conditions_are_read_from_text(text: str, name: str, condition: str) -> None:
    found = parse(text, ATTRIBUTES)
    assert (found[0], repr(found[1])) == (name, condition)
    mask(TABLE, {found[0]: found[1]})  # it fits its attribute


def test_names_may_hold_what_operators_are_made_of() -> None:
    attributes = {"a": ATTRIBUTES["age"], "a<b": ATTRIBUTES["age"], "how old": ATTRIBUTES["age"]}
    assert parse("a<b=3", attributes)[0] == "a<b"
    assert parse("a<3", attributes)[0] == "a"
    assert parse("how old > 3", attributes)[0] == "how old"
    assert parse("key=x", attributes)[0] == "key"


@pytest.mark.parametrize(("text", "condition"), [("stars>=2", "at_least(2)"), ("stars<many", "below('many')")])
def test_levels_may_be_numbers_and_texts(text: str, condition: str) -> None:
    found = parse(text, {"stars": Ordinal((1, 2, "many"))})
    assert (found[0], repr(found[1])) == ("stars", condition)
