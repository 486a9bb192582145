"""Measures of sets: their formulas, empty sets, and members that no case has."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from cases.measure_columns import column_of, measured, table_of
from hypothesis import given
from reference import local_similarity as reference

from priorcase.cases import Containment, Dice, Jaccard, SetOverlap
from priorcase.cases.kinds import ordered
from priorcase.schema import Set

MEASURES = {
    Jaccard(): reference.jaccard,
    Dice(): reference.dice,
    Containment(): reference.containment,
    SetOverlap(): reference.overlap,
}
TEXTS = st.lists(st.sampled_from("abcdefgh"), max_size=5).map(ordered)
MIXED = st.lists(st.sampled_from(["a", "b", 1, 2.5, 3]), max_size=5).map(ordered)


@given(st.lists(TEXTS | MIXED, min_size=1, max_size=8), TEXTS | MIXED)
def test_formulas(values, query):
    for measure, slow in MEASURES.items():
        expected = {value: float(slow(query, value)) for value in values}
        assert measured(measure, Set(), values, query) == pytest.approx(expected, rel=2e-16)


@given(TEXTS, TEXTS)
def test_identity_and_symmetry(a, b):
    for measure in MEASURES:
        assert measured(measure, Set(), [a, b], a)[a] == 1.0
        if measure != Containment():
            assert measured(measure, Set(), [a], b) == {a: measured(measure, Set(), [b], a)[b]}


def test_worked():
    values = [("jam", "noise"), ("jam",), (), ("smell",)]
    query = ("fire", "jam", "noise")
    assert measured(Jaccard(), Set(), values, query) == {values[0]: 2 / 3, values[1]: 1 / 3, (): 0, ("smell",): 0}
    assert measured(Dice(), Set(), values, query) == {values[0]: 0.8, values[1]: 0.5, (): 0, ("smell",): 0}
    assert measured(Containment(), Set(), values, query) == {values[0]: 2 / 3, values[1]: 1 / 3, (): 0, ("smell",): 0}
    assert measured(SetOverlap(), Set(), values, query) == {values[0]: 1, values[1]: 1, (): 0, ("smell",): 0}
    for measure in MEASURES:
        assert measured(measure, Set(), [()], ()) == {(): 1}
    assert measured(Containment(), Set(), [("a",)], ()) == {("a",): 1}


def test_booleans_are_not_numbers():
    assert measured(Jaccard(), Set(), [(True, "a"), ("b",)], (1, "a")) == {(True, "a"): 1 / 3, ("b",): 0}
    earlier = Jaccard().prepare(column_of(Set(), [(1,), ("a",)]))
    column = column_of(Set(), [(True,), ("a",)])
    assert Jaccard().prepare(column, None, earlier).similarities((True,)).tolist() == [1, 0]


def test_members_of_removed_cases_are_forgotten():
    table = table_of(Set(), [("a", "b"), ("b", "c")])
    earlier = Jaccard().prepare(table.column("a"))
    table.remove([1])
    after = Jaccard().prepare(table.column("a"), None, earlier)
    assert list(after.state.documents.vocabulary) == ["b", "c"]
    assert after.state.documents.values == (("b", "c"),)
