"""Similarities of all cases: those of a retrieval, and of a loop over both cases' attributes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priorcase.cases.retrieval import retrieve
from priorcase.cases.scoring import Likeness
from priorcase.cases.table import CaseTable
from priorcase.schema import Nominal, Numeric, Set

ATTRIBUTES = {"size": Numeric(), "make": Nominal(), "tags": Set(), "flag": Nominal()}
VALUES = st.fixed_dictionaries(
    {
        "size": st.sampled_from([None, 0, 1, 2, 5]),
        "make": st.sampled_from([None, "A", "B"]),
        "tags": st.sampled_from([None, (), ("a",), ("a", "b")]),
        "flag": st.sampled_from([None, True, 1, "1"]),
    }
)
WEIGHTS = st.fixed_dictionaries({"size": st.just(1), "make": st.sampled_from([0, 0.5, 2]), "tags": st.just(0.1)})


def table_of(cases: list) -> CaseTable:
    return CaseTable.of(ATTRIBUTES, [(i, case, None, None) for i, case in enumerate(cases, 1)])


@settings(max_examples=30)
@given(st.lists(VALUES, min_size=1, max_size=10), VALUES, WEIGHTS, st.sampled_from(["different", "ignore"]))
def test_similarities_are_those_of_a_retrieval_bit_by_bit(cases, query, weights, unknown):
    table = table_of(cases)
    found = Likeness(table, weights=weights, unknown=unknown).to(query)
    if all(value is None or not weights.get(name, 1) for name, value in query.items()):
        assert not found.any()
        return
    matches = retrieve(table, query, len(cases), weights=weights, unknown=unknown)
    assert {match.id: match.similarity for match in matches} == dict(enumerate(found.tolist(), 1))


@settings(max_examples=30)
@given(st.lists(VALUES, min_size=1, max_size=8), VALUES, WEIGHTS, st.sampled_from(["different", "ignore"]))
def test_both_counts_what_either_knows(cases, query, weights, unknown):
    table = table_of(cases)
    like = Likeness(table, weights=weights, unknown=unknown)
    found = like.to(query, both=True)
    for i, case in enumerate(cases):
        total = divisor = 0.0
        for name in ATTRIBUTES:
            weight = weights.get(name, 1)
            if case[name] is not None and query[name] is not None:
                total += weight * like.by_value(name, query[name])[like.columns[name].codes[i]]
                divisor += weight
            elif (case[name] is not None or query[name] is not None) and unknown == "different":
                divisor += weight
        assert found[i] == pytest.approx(total / divisor if divisor else 0.0, abs=1e-12)


@settings(max_examples=30)
@given(st.lists(VALUES, min_size=1, max_size=8))
def test_a_stored_case_asks_like_its_values(cases):
    table = table_of(cases)
    like = Likeness(table)
    for i, case in enumerate(cases):
        assert like.of(i).tolist() == Likeness(table).to(case).tolist()
        assert like.of(i, both=True)[i] == (1.0 if any(value is not None for value in case.values()) else 0.0)


def test_values_that_only_look_alike_are_told_apart():
    like = Likeness(table_of([{"flag": True}, {"flag": 1}, {"flag": "1"}]))
    assert like.to({"flag": 1}).tolist() == [0.0, 1.0, 0.0]
    assert like.to({"flag": True}).tolist() == [1.0, 0.0, 0.0]


def test_a_table_may_change_afterwards():
    table = table_of([{"size": 0}, {"size": 4}])
    like = Likeness(table)
    table.append([(3, {"size": 8}, None, None)])
    table.remove([1])
    assert like.to({"size": 4}).tolist() == [0.0, 1.0]
    assert like.ids.tolist() == [1, 2]
