"""Conditions hold for exactly the cases for which they hold one by one."""

from __future__ import annotations

import datetime
import json
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from reference.case_retrieval import DEVICES, VALUES, held, mixed_table

from priorcase.cases import (
    above,
    all_of,
    at_least,
    at_most,
    below,
    between,
    contains,
    exactly,
    known,
    matches,
    missing,
    not_,
    one_of,
    under,
)
from priorcase.cases.conditions import mask
from priorcase.cases.table import CaseTable
from priorcase.schema import Numeric, Text

TABLE = mixed_table(120, 0, retired=0.1)
SIZES = {"S": 0, "M": 1, "L": 2}
PRINTERS = {"printer", "laser", "inkjet"}


def is_known(meets: Any) -> Any:
    return lambda value: value is not None and meets(value)


WORKED: list[tuple[str, object, Any]] = [
    ("age", 3, lambda v: v == 3),
    ("age", 3.0, lambda v: v == 3),
    ("age", None, lambda v: v is None),
    ("age", float("nan"), lambda v: v is None),
    ("age", [1, 7], lambda v: v in (1, 7)),
    ("age", (1, None), lambda v: v in (1, None)),
    ("age", between(2.5, 3), is_known(lambda v: 2.5 <= v <= 3)),
    ("age", above(2.5), is_known(lambda v: v > 2.5)),
    ("age", below(2.5), is_known(lambda v: v < 2.5)),
    ("age", at_least(2.5), is_known(lambda v: v >= 2.5)),
    ("age", at_most(2.5), is_known(lambda v: v <= 2.5)),
    ("age", lambda v: v * 2 == 5, lambda v: v == 2.5),
    ("age", 99, lambda v: False),
    ("age", not_(3), is_known(lambda v: v != 3)),
    ("age", not_([1, 3]), is_known(lambda v: v not in (1, 3))),
    ("age", not_(None), is_known(lambda v: True)),
    ("age", not_(known()), lambda v: v is None),
    ("age", one_of(1, above(3)), is_known(lambda v: v == 1 or v > 3)),
    ("age", one_of(1, missing()), lambda v: v in (1, None)),
    ("age", not_(one_of(1, missing())), is_known(lambda v: v != 1)),
    ("age", all_of(known(), not_(1)), is_known(lambda v: v != 1)),
    ("age", all_of(at_least(2), at_most(3)), is_known(lambda v: 2 <= v <= 3)),
    ("size", "M", lambda v: v == "M"),
    ("size", at_least("M"), is_known(lambda v: SIZES[v] >= 1)),
    ("size", below("M"), lambda v: v == "S"),
    ("size", between("S", "M"), is_known(lambda v: SIZES[v] <= 1)),
    ("make", 1, lambda v: v == 1 and v is not True),
    ("make", True, lambda v: v is True),
    ("make", ["acme", True], lambda v: v == "acme" or v is True),
    ("make", contains("ES"), lambda v: v == "best"),
    ("make", matches("^a.*e$"), lambda v: v == "acme"),
    ("make", lambda v: isinstance(v, str), lambda v: isinstance(v, str)),
    ("bought", "2024-05-01", is_known(lambda v: v.startswith("2024-05-01"))),
    ("bought", datetime.date(2024, 5, 1), is_known(lambda v: v.startswith("2024-05-01"))),
    ("bought", datetime.datetime(2024, 5, 1, 10), lambda v: v == "2024-05-01T10:00:00"),
    ("bought", exactly("2024-05-01"), lambda v: v == "2024-05-01"),
    ("bought", at_most("2024-05-01"), is_known(lambda v: v.startswith("2024-05-01"))),
    ("bought", above("2024-05-01"), is_known(lambda v: v[:10] > "2024-05-01")),
    ("bought", above("2024-05-01T09:00:00"), is_known(lambda v: v > "2024-05-01T09:00:00")),
    ("bought", between("2024-05-01", "2024-05-02"), is_known(lambda v: v[:10] <= "2024-05-02")),
    ("bought", lambda v: v == datetime.date(2024, 6, 1), lambda v: v == "2024-06-01"),
    ("tags", "loud", is_known(lambda v: "loud" in v)),
    ("tags", {"loud", "old"}, is_known(lambda v: {"loud", "old"} <= set(v))),
    ("tags", ["old"], is_known(lambda v: "old" in v)),
    ("tags", 1, lambda v: v == (True, 1, "old")),
    ("tags", exactly(set()), lambda v: v == ()),
    ("tags", exactly({"old", "loud"}), lambda v: v == ("loud", "old")),
    ("tags", one_of("loud", True), is_known(lambda v: "loud" in v or len(v) == 3)),
    ("tags", lambda v: v == frozenset({"loud", "old"}), lambda v: v == ("loud", "old")),
    ("words", "paper jam", lambda v: v == "paper jam"),
    ("words", contains("PAPER"), is_known(lambda v: "paper" in v.lower())),
    ("words", contains("paper", "jam"), lambda v: v == "paper jam"),
    ("words", matches("paper is"), lambda v: False),  # capitals count, unlike in contains
    ("words", matches("(?i)paper IS"), lambda v: v == "Paper is stuck"),
    ("words", matches("^[A-Z]"), lambda v: v == "Paper is stuck"),
    ("words", "", lambda v: v == ""),
    ("device", "printer", lambda v: v in PRINTERS),
    ("device", under("printer"), lambda v: v in PRINTERS),
    ("device", exactly("printer"), lambda v: v == "printer"),
    ("device", not_("printer"), is_known(lambda v: v not in PRINTERS)),
    ("device", ["laser", "router"], lambda v: v in ("laser", "router")),
    ("device", matches("jet"), lambda v: v == "inkjet"),
    ("solution", "clean", lambda v: v == '"clean"'),
    ("solution", 12, lambda v: v == "12"),
    ("solution", True, lambda v: v == "true"),
    ("solution", None, lambda v: v is None),
    ("solution", above(3), lambda v: v == "12"),
    ("solution", contains("EP"), lambda v: v == '"replace"'),
    ("solution", contains("a"), lambda v: v in ('["a","b"]', '"clean"', '"replace"')),
    ("solution", one_of(["a", "b"]), lambda v: v == '["a","b"]'),
    ("outcome", None, lambda v: True),
    ("id", 6, lambda v: v == 6),
    ("id", [6, 9, 10], lambda v: v in (6, 9)),
    ("id", between(6, 12), lambda v: 6 <= v <= 12),
]


@pytest.mark.parametrize(("name", "condition", "meets"), WORKED)
def test_a_condition_holds_where_it_holds_case_by_case(name: str, condition: object, meets: Any) -> None:
    found = mask(TABLE, {name: condition})
    assert found.dtype == np.bool_
    assert found.tolist() == held(TABLE, name, lambda value: bool(meets(value)))


def test_the_worked_conditions_tell_cases_apart() -> None:
    """Else equal masks would prove nothing."""
    parts = [mask(TABLE, {name: condition}).mean() for name, condition, _ in WORKED]
    assert sum(0 < part < 1 for part in parts) >= len(parts) - 3


def test_all_conditions_must_hold() -> None:
    both = mask(TABLE, {"age": known(), "device": "printer"})
    assert both.tolist() == (mask(TABLE, {"age": known()}) & mask(TABLE, {"device": "printer"})).tolist()
    assert mask(TABLE, {}).all()


def test_other_names_are_the_callers() -> None:
    keys = [f"k{i}" if i % 3 else None for i in range(len(TABLE))]
    assert mask(TABLE, {"key": "k4"}, others={"key": keys}).nonzero()[0].tolist() == [4]
    assert mask(TABLE, {"key": None}, others={"key": keys}).sum() == 40
    found = mask(TABLE, {"key": contains("k11")}, others={"key": keys})
    assert found.nonzero()[0].tolist() == [
        11,
        110,
        112,
        113,
        115,
        116,
        118,
        119,
    ]


def test_a_table_without_cases_meets_nothing() -> None:
    empty = mixed_table(0, 0)
    for name, condition, _ in WORKED:
        assert mask(empty, {name: condition}).shape == (0,)


def test_a_function_sees_each_distinct_value_once() -> None:
    seen: list[object] = []
    mask(TABLE, {"age": lambda value: seen.append(value) is None})
    assert sorted(seen) == [1, 2.5, 3, 7]


ATOMS = st.one_of(
    st.sampled_from(VALUES["age"]),
    st.builds(at_least, st.sampled_from(VALUES["age"][1:])),
    st.builds(below, st.sampled_from(VALUES["age"][1:])),
    st.just(known()),
    st.just(missing()),
)
TREES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds(not_, inner),
        st.builds(lambda some: one_of(*some), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda some: all_of(*some), st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=8,
)


@settings(max_examples=40)
@given(TREES)
def test_the_laws_of_logic_hold(tree: Any) -> None:
    def found(condition: object) -> list[bool]:
        return mask(TABLE, {"age": condition}).tolist()

    here, opposite = np.array(found(tree)), np.array(found(not_(tree)))
    gaps = mask(TABLE, {"age": None})
    assert not (here & opposite).any()
    assert (here | opposite | gaps).all()
    assert found(not_(not_(tree))) == here.tolist()
    assert found(one_of(tree, tree)) == found(all_of(tree, tree)) == here.tolist()
    assert found(not_(one_of(tree, 1))) == found(all_of(not_(tree), not_(1)))
    assert found(one_of(tree, missing())) == (here | gaps).tolist()


def test_conditions_print_as_they_are_written() -> None:
    texts = ["between(1, 2)", "at_least(1)", "at_most(1)", "above(1)", "below(1)", "known()", "missing()"]
    texts += ["not_('a')", "one_of('a', missing())", "all_of(known(), not_([1, 2]))", "contains('a', 'b')"]
    texts += ["matches('^a')", "under('printer')", "exactly({'a'})", "one_of(above('M'), 'S')"]
    names = dict(globals())
    for text in texts:
        assert repr(eval(text, names)) == text
    assert between(1, 2) == between(1, 2) != between(1, 3)
    assert len({not_("a"), not_("a"), not_("b")}) == 2


def test_a_taxonomy_node_means_all_under_it() -> None:
    assert set(DEVICES.under("printer")) == PRINTERS
    assert mask(TABLE, {"device": "device"}).tolist() == mask(TABLE, {"device": known()}).tolist()


BIG = 2**53
PLAIN = [BIG - 1, BIG, BIG + 1, BIG + 2.0, -BIG - 1, 0.5, 10**400, True, "x"]


@pytest.mark.parametrize(
    ("condition", "meets"),
    [
        (BIG + 1, lambda v: v == BIG + 1),
        (float(BIG), lambda v: v == BIG),
        (exactly(0.5), lambda v: v == 0.5),
        (1, lambda v: False),
        (at_most(BIG), lambda v: v <= BIG),
        (below(BIG + 1), lambda v: v < BIG + 1),
        (above(BIG), lambda v: v > BIG),
        (at_least(BIG + 1), lambda v: v >= BIG + 1),
        (above(10**399), lambda v: v > 10**399),
        (at_most(10**400), lambda v: True),
        (below(10**400), lambda v: v < 10**400),
        (at_least(-BIG), lambda v: v >= -BIG),
    ],
)
def test_solutions_that_are_numbers_of_any_size_are_compared_exactly(condition: object, meets: Any) -> None:
    rows: Any = [(number, {}, json.dumps(value), None) for number, value in enumerate(PLAIN, 1)]
    found = mask(CaseTable.of({"age": Numeric()}, rows), {"solution": condition})
    assert found.tolist() == [type(value) in (int, float) and meets(value) for value in PLAIN]


@pytest.mark.parametrize("several", [np.array(["A", "B"]), pd.Series(["A", "B"]), pd.Index(["A", "B"])])
def test_arrays_and_columns_of_frames_are_several_values(several: Any) -> None:
    assert mask(TABLE, {"make": several}).tolist() == mask(TABLE, {"make": ["A", "B"]}).tolist()
    assert mask(TABLE, {"age": range(4)}).tolist() == mask(TABLE, {"age": [0, 1, 2, 3]}).tolist()


@pytest.mark.parametrize(("text", "item"), [("cafe\u0301", "FÉ"), ("Straße", "STRASSE"), ("café", "fe\u0301")])
def test_texts_contain_letters_however_they_were_typed(text: str, item: str) -> None:
    table = CaseTable.of({"words": Text()}, [(1, {"words": text}, json.dumps(text), None)])
    assert mask(table, {"words": contains(item), "solution": contains(item)}).tolist() == [True]
