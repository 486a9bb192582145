"""Compositions are the best that go together, as all of them tried one by one say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import hypothesis.strategies as st
from hypothesis import given, settings
from reference.case_reuse import composed, found, reuse

from priorcase.cases import Compose

# Local similarities and weights: flow matters for the pump and the pipe, height for the pump only, color for the paint.
LOCAL = {
    1: {"flow": (1.0, 1.0), "height": (0.0, 1.0), "colour": (0.5, 2.0)},
    2: {"flow": (0.5, 1.0), "height": (1.0, 1.0), "colour": (0.0, 2.0)},
    3: {"flow": (0.25, 1.0), "height": (0.25, 1.0), "colour": (1.0, 2.0)},
}
CASES = found(
    (1, 0.5, {"pump": "P1", "pipe": 40, "paint": "red"}, None, {"flow": 3, "height": 1, "colour": "pink"}),
    (2, 0.4, {"pump": "P2", "pipe": 30}, None, {"flow": 4, "height": 9, "colour": "blue"}),
    (3, 0.3, {"pump": "P3", "pipe": 20, "paint": "green"}, None, {"flow": 6, "height": 5, "colour": "green"}),
    local=LOCAL,
)
QUERY = {"flow": 3, "height": 9, "colour": "green"}
PARTS = {"pump": ["flow", "height"], "pipe": ["flow"], "paint": ["colour"]}


def test_each_part_comes_from_the_case_most_similar_in_what_matters() -> None:
    proposal = reuse(CASES, QUERY, "compose", parts=PARTS)
    # pump: 1/2, 3/4, 1/4; pipe: 1, 1/2, 1/4; paint: 1/2, -, 1.
    assert proposal.solution == {"pump": "P2", "pipe": 40, "paint": "green"}
    assert [(source.part, source.id) for source in proposal.sources] == [("pump", 2), ("pipe", 1), ("paint", 3)]
    assert [source.similarity for source in proposal.sources] == [0.75, 1.0, 1.0]
    assert proposal.confidence == 0.75
    assert str(proposal).splitlines()[3].split() == ["pipe", "1", "1.000", "1.000", "40"]
    assert "  pipe: 40 (case 1, similarity 1.000)." in proposal.explain().splitlines()
    assert proposal.notes == ()
    assert proposal.base == 1
    assert proposal.how == "3 parts, each from the most similar case that has this part"


def test_without_attributes_the_whole_similarity_counts() -> None:
    assert reuse(CASES, QUERY, "compose").solution == {"pump": "P1", "pipe": 40, "paint": "red"}
    assert reuse(CASES[1:], QUERY, "compose").solution == {"pump": "P2", "pipe": 30, "paint": "green"}
    some = reuse(CASES, QUERY, "compose", parts={"paint": None, "pump": []})
    assert some.solution == {"paint": "red", "pump": "P1"}


def test_parts_that_do_not_go_together_fall_back() -> None:
    def wide_enough(parts: dict[str, Any]) -> bool | str:
        return "P2 needs a pipe of 30 or less" if parts["pump"] == "P2" and parts["pipe"] > 30 else True

    proposal = reuse(CASES, QUERY, "compose", parts=PARTS, compatible=wide_enough)
    # 3/4 + 1 + 1 does not fit; next are P1 with 40 (1/2 + 1 + 1) and P2 with 30 (3/4 + 1/2 + 1).
    assert proposal.solution == {"pump": "P1", "pipe": 40, "paint": "green"}
    how = "3 parts, each from the most similar case that has this part and is compatible with the other parts"
    assert proposal.how == how
    assert proposal.notes == (
        "rejected: pump of case 2, pipe of case 1, paint of case 3: P2 needs a pipe of 30 or less",
    )


def test_where_nothing_goes_together_nothing_is_proposed() -> None:
    proposal = reuse(CASES, QUERY, "compose", parts=PARTS, compatible=lambda parts: False)
    assert proposal.abstains
    assert proposal.problems == ("none of 18 combinations of parts is compatible",)
    assert proposal.notes[0] == "rejected: pump of case 2, pipe of case 1, paint of case 3"
    assert proposal.notes[3] == "rejected: 15 other combinations"
    few = reuse(CASES, QUERY, "compose", parts=PARTS, compatible=lambda parts: False, tries=5)
    assert few.problems == ("none of the best 5 of 18 combinations of parts is compatible",)


def test_cases_that_failed_offer_nothing() -> None:
    cases = found((1, 0.9, {"pump": "P1"}, False), (2, 0.5, {"pump": "P2"}, True))
    proposal = reuse(cases, {}, "compose")
    assert proposal.solution == {"pump": "P2"}
    assert proposal.notes == ("1 case that failed was ignored",)
    assert reuse(cases, {}, "compose", success=None).solution == {"pump": "P1"}
    all_failed = reuse(cases[:1], {}, "compose")
    assert all_failed.abstains
    assert all_failed.how == "All retrieved cases failed"


def test_parts_are_guessed_where_no_case_has_anything_in_common_with_the_query() -> None:
    local = {1: {"a": (1.0, 1.0), "b": (0.0, 1.0)}}
    cases = found((1, 0.5, {"x": 1, "y": 2}, None, {"a": 1, "b": 1}), local=local)
    proposal = reuse(cases, {"a": 1, "b": 2}, "compose", parts={"x": ["a"], "y": ["b"]})
    assert proposal.solution == {"x": 1, "y": 2}
    assert proposal.confidence == 0.0
    assert proposal.notes == ("no case has anything in common with the query in the attributes of 'y'",)
    nothing = reuse(found((1, 0.0, {"x": 1})), {"a": 1}, "compose")
    assert nothing.abstains
    assert nothing.notes == ("no retrieved case has anything in common with the query",)


def test_values_that_do_not_count_are_left_out_of_a_parts_similarity() -> None:
    local = {1: {"a": (None, 1.0), "b": (0.5, 1.0)}, 2: {"a": (0.75, 1.0), "b": (0.0, 3.0)}}
    cases = found((1, 0.1, {"x": 1}, None, {"b": 1}), (2, 0.9, {"x": 2}, None, {"a": 1, "b": 1}), local=local)
    assert reuse(cases, {"a": 1, "b": 2}, "compose", parts={"x": ["a", "b"]}).solution == {"x": 1}
    unknown = found(
        (1, 0.9, {"x": 1}, None, {"b": 1}),
        (2, 0.1, {"x": 2}, None, {"a": 1}),
        local={1: {"a": (None, 1.0)}, 2: {"a": (0.25, 1.0)}},
    )
    assert reuse(unknown, {"a": 1}, "compose", parts={"x": ["a"]}).confidence == 0.25
    # The query knows nothing of what matters: the whole similarity decides.
    assert reuse(cases, {"a": 1, "b": 2}, "compose", parts={"x": ["b"]}).solution == {"x": 1}
    assert reuse(
        found((1, 0.1, {"x": 1}, None, {"c": 1}), (2, 0.9, {"x": 2})), {}, "compose", parts={"x": ["c"]}
    ).solution == {"x": 2}


eighths = st.integers(0, 8).map(lambda n: Fraction(n, 8))
offered = st.fixed_dictionaries({}, optional={"p": st.integers(0, 3), "q": st.integers(0, 3), "r": st.integers(0, 3)})


@settings(max_examples=80)
@given(st.lists(st.tuples(eighths, eighths, eighths, offered), min_size=1, max_size=5), st.integers(0, 6))
def test_the_best_that_go_together_are_found(rows: list[Any], limit: int) -> None:
    parts = [part for part in "pqr" if any(part in row[3] for row in rows)]
    if not parts:
        return
    names = dict(zip("pqr", "abc", strict=True))
    local = {i: {n: (float(row[j]), 1.0) for j, n in enumerate("abc")} for i, row in enumerate(rows)}
    cases = [
        (i, float(sum(row[:3]) / 3), row[3] | {"other": i}, None, dict.fromkeys("abc", 1)) for i, row in enumerate(rows)
    ]
    offers = {p: [(row["pqr".index(p)], i, row[3][p]) for i, row in enumerate(rows) if p in row[3]] for p in parts}

    def compatible(chosen: dict[str, Any]) -> bool:
        return sum(chosen.values()) <= limit and chosen.get("p") != chosen.get("q", -1)

    best, expected = composed(offers, compatible)
    proposal = reuse(found(*cases, local=local), {}, Compose({p: [names[p]] for p in parts}, compatible=compatible))
    in_common = any(any(row[:3]) for row in rows)  # otherwise nothing is proposed
    assert proposal.abstains == (not expected or not in_common)
    if expected and in_common:
        assert proposal.solution in expected
        assert sum(rows[source.id]["pqr".index(source.part or "")] for source in proposal.sources) == best


@given(st.permutations(range(3)))
def test_the_order_of_the_cases_changes_nothing(order: list[int]) -> None:
    assert reuse([CASES[i] for i in order], QUERY, "compose", parts=PARTS) == reuse(
        CASES, QUERY, "compose", parts=PARTS
    )


def test_compatible_gets_copies() -> None:
    def spoil(parts: dict[str, Any]) -> bool:
        parts["list"].append(1)
        return True

    assert reuse(found((1, 0.5, {"list": []})), {}, "compose", compatible=spoil).solution == {"list": []}
