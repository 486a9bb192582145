"""Cases by columns: after any change a table equals a fresh one of the same cases."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from priorcase.cases.table import CaseTable
from priorcase.exceptions import UnknownIdError
from priorcase.schema import Date, Nominal, Numeric, Ordinal, Set, Text

ATTRIBUTES = {
    "age": Numeric(),
    "size": Ordinal(("S", "M", "L")),
    "make": Nominal(),
    "bought": Date(),
    "tags": Set(),
    "words": Text(),
}
VALUES = st.fixed_dictionaries(
    {},
    optional={
        "age": st.sampled_from([None, 1, 2.5, 3]),
        "size": st.sampled_from([None, "S", "L"]),
        "make": st.sampled_from([None, "a", 1, True]),
        "bought": st.sampled_from([None, "2024-05-01", "2024-05-02"]),
        "tags": st.sampled_from([None, (), ("a",), ("a", "b")]),
        "words": st.sampled_from([None, "", "paper jam"]),
    },
)
CASES = st.tuples(VALUES, st.sampled_from([None, '"x"', '"y"', "1"]), st.sampled_from([None, "true"]))


def same(a: CaseTable, b: CaseTable) -> None:
    np.testing.assert_array_equal(a.ids, b.ids)
    np.testing.assert_array_equal(a.retired, b.retired)
    for name in [*a.attributes, "solution", "outcome"]:
        one, other = a.column(name), b.column(name)
        assert [(type(v), v) for v in one.values] == [(type(v), v) for v in other.values], name
        np.testing.assert_array_equal(one.codes, other.codes, err_msg=name)
        np.testing.assert_array_equal(one.counts, other.counts, err_msg=name)
        if name in {"age", "size", "bought"}:
            np.testing.assert_array_equal(one.numbers(), other.numbers())


@settings(max_examples=30)
@given(st.lists(CASES, max_size=8), st.data())
def test_changes_leave_the_table_of_a_fresh_start(cases, data):
    live = dict(enumerate(cases, 1))
    table = CaseTable.of(ATTRIBUTES, [(i, *case) for i, case in live.items()])
    following = len(cases) + 1
    for _ in range(data.draw(st.integers(1, 5))):
        what = data.draw(st.sampled_from(["append", "replace", "remove"]))
        if what == "append":
            new = data.draw(st.lists(CASES, max_size=3))
            rows = [(following + i, *case) for i, case in enumerate(new)]
            following += len(new)
            table.append(rows)
            live |= {row[0]: row[1:] for row in rows}
        elif live:
            ids = data.draw(st.lists(st.sampled_from(sorted(live)), unique=True, max_size=3))
            if what == "remove":
                table.remove(ids)
                live = {i: case for i, case in live.items() if i not in ids}
            else:
                rows = [(i, *data.draw(CASES)) for i in ids]
                table.replace(rows)
                live |= {row[0]: row[1:] for row in rows}
        if data.draw(st.booleans()):
            table.column("make")  # what was looked at in between makes no difference
    same(table, CaseTable.of(ATTRIBUTES, [(i, *live[i]) for i in sorted(live)]))


def test_a_column_seen_before_stays_as_it_was():
    table = CaseTable.of({"age": Numeric()}, [(1, {"age": 3}, None, None), (2, {"age": 5}, None, None)])
    before = table.column("age")
    table.append([(3, {"age": 7}, None, None)])
    table.replace([(1, {"age": 9}, None, None)])
    table.remove([2])
    assert before.codes.tolist() == [0, 1]
    assert before.values == (3, 5)
    assert before.place(7) == -1
    assert table.column("age").values == (9, 7)
    assert table.column("age").place(7) == 1
    with pytest.raises(ValueError, match="read-only"):
        before.codes[0] = 1


def test_only_columns_that_change_are_new_objects():
    table = CaseTable.of({"age": Numeric(), "make": Nominal()}, [(1, {"age": 3, "make": "a"}, None, None)])
    age, make = table.column("age"), table.column("make")
    table.replace([(1, {"age": 4, "make": "a"}, None, None)])
    assert table.column("age") is not age
    assert table.column("make") is make


def test_a_set_of_true_is_no_set_of_one():
    table = CaseTable.of({"tags": Set()}, [(1, {"tags": (1,)}, None, None), (2, {"tags": (True,)}, None, None)])
    assert table.column("tags").codes.tolist() == [0, 1]
    assert table.column("tags").place((True,)) == 1


def test_values_of_a_case_and_whom_nobody_knows():
    table = CaseTable.of(ATTRIBUTES, [(4, {"age": 3}, '"fix"', None)])
    assert table.values(0) == dict.fromkeys(ATTRIBUTES) | {"age": 3}
    assert table.column("solution").at([0])[0] == '"fix"'
    table.retire([4])
    assert table.retired.tolist() == [True]
    table.retire([4], retired=False)
    assert table.retired.tolist() == [False]
    with pytest.raises(UnknownIdError, match="got id 5, but no case has this id"):
        table.position(5)
    with pytest.raises(TypeError, match="the values of make are not numbers"):
        table.column("make").numbers()
