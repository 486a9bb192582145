"""Kinds of attributes: what they take, how it is stored and shown, and what is refused in which words."""

import datetime
import json
import math

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from priorcase.cases import FunctionGraph, Graph, kinds
from priorcase.exceptions import CaseBaseError, SchemaError
from priorcase.schema import Date, Nominal, Numeric, Ordinal, Set, Taxonomy, Text

DEVICES = Taxonomy({"device": {"printer": ["laser", "inkjet"], "router": None}})
GRAPH = FunctionGraph.parse("Q1 +> Q3; Q2 +> Q3")


def stored(kind, value):
    return kinds.check(kind, value, attribute="a")


@pytest.mark.parametrize(
    ("kind", "value", "expected", "shown"),
    [
        (Numeric(), 3.0, 3, 3),
        (Numeric(), np.float32(0.5), 0.5, 0.5),
        (Numeric(), 2**60, 2**60, 2**60),
        (Numeric(), 2**70, float(2**70), 2.0**70),
        (Ordinal(("S", "M", "L")), np.str_("M"), "M", "M"),
        (Nominal(), True, True, True),
        (Nominal(), 2.0, 2, 2),
        (Nominal(("yes", "no")), "no", "no", "no"),
        (Text(), "Paper jam", "Paper jam", "Paper jam"),
        (Text(), "", "", ""),
        (Set(), ["b", "a", "b"], ("a", "b"), frozenset("ab")),
        (Set(), set(), (), frozenset()),
        (Set(), {True, "x", 2}, (True, 2, "x"), frozenset({True, 2, "x"})),
        (Date(), datetime.date(2024, 5, 1), "2024-05-01", datetime.date(2024, 5, 1)),
        (Date(), "2024-05-01T10:30", "2024-05-01T10:30:00", datetime.datetime(2024, 5, 1, 10, 30)),
        (Date(), pd.Timestamp("2024-05-01 10:30"), "2024-05-01T10:30:00", datetime.datetime(2024, 5, 1, 10, 30)),
        (Date(), np.datetime64("2024-05-01"), "2024-05-01", datetime.date(2024, 5, 1)),
        (Date(), np.datetime64("2024-05-01T10:30"), "2024-05-01T10:30:00", datetime.datetime(2024, 5, 1, 10, 30)),
        (DEVICES, "printer", "printer", "printer"),
        (Graph(), GRAPH, GRAPH.to_json(), GRAPH),
        (Graph(), "Q2 +> Q3; Q1 +> Q3", GRAPH.to_json(), GRAPH),
    ],
)
def test_values_are_stored_in_one_form_and_shown_again(kind, value, expected, shown):
    found = stored(kind, value)
    assert (found, type(found)) == (expected, type(expected))
    assert kinds.shown(kind, found) == shown
    assert stored(kind, kinds.shown(kind, found)) == found  # what is shown can be given again


@pytest.mark.parametrize("kind", [Numeric(), Nominal(), Text(), Set(), Date(), DEVICES, Graph(), Ordinal((1, 2))])
@pytest.mark.parametrize("gap", [None, math.nan, pd.NA, pd.NaT, np.datetime64("NaT", "s")])
def test_every_form_of_a_gap_is_none(kind, gap):
    assert stored(kind, gap) is None


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (Numeric(), "3", "'3' for 'a'"),
        (Numeric(), True, "expected a number"),
        (Numeric(), math.inf, "expected a finite number"),
        (Numeric(), 10**400, "expected a finite number"),
        (Ordinal(("S", "M")), "XL", "expected one of the levels 'S', 'M'"),
        (Nominal(("yes", "no")), "maybe", "expected one of the declared values 'yes', 'no'"),
        (Nominal(("yes", "no")), ["yes"], "expected one of the declared values"),
        (Nominal(), ["a"], "expected a string, a finite number or a boolean"),
        (Nominal(), math.inf, "expected a string, a finite number or a boolean"),
        (Nominal(), 10**4000, "expected a string, a finite number or a boolean"),
        (Set(), [10**400], "expected a string, a finite number or a boolean"),
        (Text(), 3, "expected a string"),
        (Text(longest=5), "longer", "expected at most 5 characters, not 6"),
        (Text(), "\ud800", "expected valid text"),
        (Nominal(), "x" * 100_001, "at most 100,000 characters, not 100,001"),
        (Set(), "abc", "expected a set or a list of values"),
        (Set(), [None], "expected a set without missing members"),
        (Set(), [["x"]], "expected a string, a finite number or a boolean"),
        (Set(), list(range(10_001)), "at most 10,000 members, not 10,001"),
        (Date(), "yesterday", "expected a date, a datetime or ISO text such as '2024-05-01'"),
        (Date(), 20240501, "expected a date, a datetime or ISO text"),
        (DEVICES, "scanner", "expected a node of the taxonomy ('device', 'printer'"),
        (DEVICES, 3, "expected a node of the taxonomy"),
        (Graph(), 3, "expected a FunctionGraph"),
    ],
)
def test_what_does_not_fit_is_refused_in_plain_words(kind, value, words):
    with pytest.raises(CaseBaseError) as raised:
        stored(kind, value)
    assert words in str(raised.value)


@pytest.mark.parametrize("text", ["Q1 +> ", "{", '{"arcs": 3}', "Q1 *> Q2"])
def test_malformed_graphs_are_refused(text):
    with pytest.raises(CaseBaseError, match="for 'a'; expected a graph: "):
        stored(Graph(), text)


@pytest.mark.parametrize(
    "kind",
    [
        Numeric(),
        Ordinal(("S", "M", "L")),
        Nominal(),
        Nominal(("yes", "no")),
        Text(),
        Text(longest=50),
        Set(),
        Date(),
        Graph(),
        DEVICES,
        Taxonomy(
            {"name": "all", "weight": 0.1, "children": [{"name": "a", "weight": 0.5, "children": [{"name": "b"}]}]}
        ),
    ],
)
def test_a_described_kind_is_the_kind_again(kind):
    written = json.loads(json.dumps(kinds.describe(kind)))
    found = kinds.from_description(written)
    assert found == kind
    assert kinds.describe(found) == written


def test_kinds_are_declared_by_name_class_or_object():
    assert kinds.as_kind("set", attribute="a") == Set()
    assert kinds.as_kind(Date, attribute="a") == Date()
    assert kinds.as_kind(DEVICES, attribute="a") is DEVICES
    for wrong in ("number", Ordinal, 3, Taxonomy):
        with pytest.raises(CaseBaseError, match="as the kind of"):
            kinds.as_kind(wrong, attribute="a")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, None, 2.5], Numeric()),
        (["a", 1], Nominal()),
        ([True], Nominal()),
        ([[1], {2}], Set()),
        ([datetime.date(2024, 1, 1), np.datetime64("2024-01-01")], Date()),
        ([GRAPH], Graph()),
        ([], Nominal()),
        ([datetime.date(2024, 1, 1), 3], Nominal()),
    ],
)
def test_kinds_are_inferred_from_values(values, kind):
    assert kinds.infer(values) == kind


@given(st.datetimes() | st.dates())
def test_days_count_days(value):
    text = stored(Date(), value)
    whole = datetime.datetime(value.year, value.month, value.day)
    seconds = (value - whole).total_seconds() if isinstance(value, datetime.datetime) else 0
    assert kinds.days(text) == pytest.approx(whole.toordinal() + seconds / 86400, abs=1e-9)


def test_moments_with_an_offset_are_compared_in_utc():
    assert kinds.days(stored(Date(), "2024-05-01T02:00:00+02:00")) == kinds.days(stored(Date(), "2024-05-01T00:00:00Z"))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON)
def test_solutions_are_any_json_value(value):
    text = kinds.check_plain(value, what="solution")
    assert kinds.plain_shown(text) == value
    assert kinds.check_plain(kinds.plain_shown(text), what="solution") == text


@pytest.mark.parametrize("value", [object(), {1: 2}, {"a": {3}}, [math.inf], 10**400, "\ud800", [[]] * 2 + [lambda: 0]])
def test_other_solutions_are_refused(value):
    with pytest.raises(CaseBaseError, match="as solution"):
        kinds.check_plain(value, what="solution")


def test_endless_solutions_are_refused():
    endless: list = []
    endless.append(endless)
    with pytest.raises(CaseBaseError, match="as solution"):
        kinds.check_plain(endless, what="solution")
    with pytest.raises(CaseBaseError, match="10,000,003 characters for 'solution'"):
        kinds.check_plain("x" * 10_000_001, what="solution")


def test_the_forms_of_a_taxonomy_are_one():
    nested = Taxonomy({"device": {"printer": ["laser"], "router": {}}})
    parents = Taxonomy({"laser": "printer", "device": None, "printer": "device", "router": "device"})
    children = [{"name": "printer", "children": [{"name": "laser"}]}, {"name": "router"}]
    named = Taxonomy({"name": "device", "children": children})
    assert nested == parents == named
    assert hash(nested) == hash(parents)
    assert nested.nodes == parents.nodes == ("device", "printer", "laser", "router")


def test_a_taxonomy_knows_who_stands_above_whom():
    assert DEVICES.ancestors("laser") == ("laser", "printer", "device")
    assert DEVICES.common("laser", "printer") == "printer"
    assert DEVICES.leaves == ("laser", "inkjet", "router")
    assert DEVICES.roots == ("device",)
    assert DEVICES.depth("device") == 0
    several = Taxonomy({"a": ["b"], "c": None})
    assert several.common("b", "c") is None
    assert several.depth("a") == 1  # the nameless root counts
    assert "b" in several
    assert 3 not in several
    assert repr(several) == "Taxonomy of 3 nodes: (all) > a, c"


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ({}, "must be a mapping with at least one node"),
        ("printer", "must be a mapping with at least one node"),
        ({"a": "b", "b": "a"}, "cycles, got the cycle 'a', 'b'"),
        ({"a": "a"}, "cycles, got the cycle 'a'"),
        ({"a": "b"}, "'a' under 'b'"),
        ({"a": {"b": {}}, "c": {"b": {}}}, "'b' twice, under 'a', 'c'"),
        ({"a": 3}, "children of 'a' in a Taxonomy must be a mapping"),
        ({3: {}}, "nodes of a Taxonomy must be non-empty strings, got 3"),
        ({"": {}}, "nodes of a Taxonomy must be non-empty strings, got ''"),
        ({"name": "a", "children": ["b"]}, "children of a Taxonomy must be mappings with a name, got 'b'"),
        ({"name": "a", "weight": 2, "children": []}, "weight of 'a' in a Taxonomy must be from 0 to 1, got 2"),
    ],
)
def test_trees_that_are_none_are_refused(tree, words):
    with pytest.raises(SchemaError) as raised:
        Taxonomy(tree)
    assert words in str(raised.value)


def test_a_tree_without_end_is_refused():
    endless: dict = {}
    endless["a"] = endless
    with pytest.raises(SchemaError, match="'a' twice"):
        Taxonomy(endless)
    deep: dict = {}
    for level in range(600):
        deep = {f"n{level}": deep}
    with pytest.raises(SchemaError, match="deeper than 500 levels"):
        Taxonomy(deep)
    with pytest.raises(SchemaError, match="which is not a node of the tree"):
        Taxonomy({"a": None}, weights={"z": 0.5})
    with pytest.raises(SchemaError, match="has no node 'z'"):
        DEVICES.depth("z")
    with pytest.raises(SchemaError, match="parameter 'longest' of Text must be an integer >= 1"):
        Text(longest=0)
