"""The compiled concept descriptions, step by step beside the slow ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.concepts import Description, SplitMix64

from priorcase._core import Concept, Plan

RULES = ("every", "misclassified", "significance")
TIES = ("majority", "first", "random")
SYMBOLS = ("a", "b", "c")


def plan_of(kinds: list[Any], gaps: str) -> Plan:
    """Aha's similarity, or with gaps that add nothing (IB5)."""
    plan = Plan(len(kinds), 2.0, skip=gaps == "scale", root=True)
    gap = {} if gaps == "aha" else {"f_one": 0.0, "f_both": 0.0}
    for a, kind in enumerate(kinds):
        if kind == "numeric":
            plan.linear(a, 1.0, widen=True, aha=gaps == "aha", **gap)
        elif kind == "nominal":
            plan.overlap(a, **gap)
        else:
            plan.linear(a, float(kind - 1), low=0.0, high=float(kind - 1), **gap)
    return plan


def core(kinds: list[Any], slow: Description) -> Concept:
    """The compiled description with the same rules."""
    return Concept(
        plan_of(kinds, slow.gaps),
        np.array([kind != "numeric" for kind in kinds], np.uint8),
        np.array([kind == "numeric" for kind in kinds], np.uint8),
        rule=RULES.index(slow.rule),
        ties=TIES.index(slow.ties),
        z_accept=slow.z_accept,
        z_drop=slow.z_drop,
        weighted=slow.weighted,
        known_only=slow.known_only,
        weight_power=float(slow.weight_power),
        window=slow.window or 0,
        decay=slow.decay,
        seed=slow.seed,
    )


def table(rng: np.random.Generator, kinds: list[Any], n: int, gaps: float, steps: int) -> list[list[Any]]:
    """Rows with many ties: few steps on the number lines, three symbols."""

    def value(kind: Any) -> Any:
        if rng.random() < gaps:
            return None
        if kind == "numeric":
            return float(rng.integers(-steps, steps)) / 3.0
        return SYMBOLS[rng.integers(3)] if kind == "nominal" else float(rng.integers(kind))

    return [[value(kind) for kind in kinds] for _ in range(n)]


def cells(rows: list[list[Any]]) -> np.ndarray:
    def cell(value: Any) -> float:
        if value is None:
            return np.nan
        return float(SYMBOLS.index(value)) if isinstance(value, str) else value

    return np.array([[cell(value) for value in row] for row in rows])


def same(fast: Concept, slow: Description) -> None:
    names, labels, successes, trials, arrived, reasons, acceptable = fast.records()
    assert names.tolist() == [y.name for y in slow.stored]
    assert labels.tolist() == [y.label for y in slow.stored]
    assert successes.tolist() == [y.successes for y in slow.stored]
    assert trials.tolist() == [y.trials for y in slow.stored]
    assert arrived.tolist() == [y.arrived for y in slow.stored]
    assert [("first", "every", "misclassified")[r] for r in reasons] == [y.reason for y in slow.stored]
    if slow.rule == "significance":
        assert acceptable.tolist() == [slow.acceptable(y) for y in slow.stored]
    counts, seen = fast.counts()
    assert {label: count for label, count in enumerate(counts.tolist()) if count} == {
        label: count for label, count in slow.counts.items() if count
    }
    assert seen == slow.seen
    assert fast.n_dropped == slow.dropped
    assert fast.n_seen == slow.arrivals
    low, high = fast.ranges()
    assert [(a, b) for a, b in zip(low, high, strict=True) if a == a] == [r for r in slow.ranges if r is not None]
    if slow.weighted:
        weights, sums, norms, used = fast.weights()
        assert weights.tolist() == slow.weights()
        assert sums.tolist() == slow.cum
        assert norms.tolist() == slow.norm
        assert used.tolist() == slow.search_weights()


@st.composite
def options(draw: st.DrawFn) -> dict[str, Any]:
    rule = draw(st.sampled_from(RULES))
    weighted = rule == "significance" and draw(st.booleans())
    known_only = weighted and draw(st.booleans())
    return {
        "rule": rule,
        "ties": draw(st.sampled_from(TIES)),
        "weighted": weighted,
        "known_only": known_only,
        "gaps": draw(st.sampled_from(["ignore", "scale"])) if known_only else "aha",
        "weight_power": draw(st.sampled_from([1, 2])),
        "window": draw(st.none() | st.integers(1, 40)),
        "decay": draw(st.sampled_from([1.0, 1.0, 0.5, 0.9])) if rule == "significance" else 1.0,
        "seed": draw(st.integers(0, 2**64 - 1)),
    }


@settings(max_examples=150, deadline=None)
@given(
    options=options(),
    data=st.integers(0, 10**6),
    kinds=st.lists(st.sampled_from(["numeric", "nominal", 4]), min_size=1, max_size=5),
    n=st.integers(1, 120),
    classes=st.integers(1, 4),
    gaps=st.sampled_from([0.0, 0.2]),
    steps=st.sampled_from([2, 50]),
)
def test_learns_as_the_slow_description(
    options: dict[str, Any], data: int, kinds: list[Any], n: int, classes: int, gaps: float, steps: int
) -> None:
    rng = np.random.default_rng(data)
    slow = Description(kinds, **options)
    fast = core(kinds, slow)
    rows = table(rng, kinds, n, gaps, steps)
    labels = [int(rng.integers(classes)) for _ in rows]
    names = np.arange(n) * 3 + 7
    for row, label, name in zip(rows, labels, names.tolist(), strict=True):
        slow.learn(row, label, name)
    split = int(rng.integers(n + 1))
    trace: list[list[int]] = [[] for _ in range(5)]
    gone: list[int] = []
    for part in (slice(0, split), slice(split, n)):
        left, *steps_of = fast.learn(names[part], cells(rows)[part], np.array(labels, np.int64)[part], True)
        gone += left.tolist()
        for column, values in zip(trace, steps_of, strict=True):
            column.extend(values.tolist())
        pickled = core(kinds, slow)
        pickled.restore(fast.state())
        assert pickled.state() == fast.state()
        fast = pickled
    same(fast, slow)
    assert sorted(gone) == sorted(set(names.tolist()) - {y.name for y in slow.stored})
    for key, column in zip(("correct", "stored", "acceptable", "accepted", "dropped"), trace, strict=True):
        assert column == [step[key] for step in slow.trace], key
    ask(fast, slow, table(rng, kinds, 10, gaps, steps))


def ask(fast: Concept, slow: Description, queries: list[list[Any]]) -> None:
    if not slow.stored:
        return
    indptr, names, labels, costs = fast.nearest(cells(queries), 2)
    for q, query in enumerate(queries):
        found = slow.nearest(query, slow.candidates() or slow.stored, SplitMix64(0))
        part = slice(indptr[q], indptr[q + 1])
        assert names[part].tolist() == [y.name for y in found.tied]
        assert labels[part].tolist() == [y.label for y in found.tied]
        assert set(costs[part].tolist()) == {found.cost}
        for label in {y.label for y in slow.stored}:
            among = [y for y in slow.stored if y.label == label]
            among = [y for y in among if slow.rule != "significance" or slow.acceptable(y)] or among
            begin, of_label, *_ = fast.nearest_with(cells([query]), label, 1)
            assert of_label.tolist() == [y.name for y in slow.nearest(query, among, SplitMix64(0)).tied]
            assert begin.tolist() == [0, len(of_label)]


@pytest.mark.slow
def test_many_instances_in_search_order() -> None:
    """Enough that the index builds its tree, drops places and counts afresh."""
    rng = np.random.default_rng(1)
    kinds: list[Any] = ["numeric", "numeric", "nominal"]
    for options in ({"rule": "misclassified"}, {"rule": "significance"}, {"rule": "misclassified", "window": 300}):
        slow = Description(kinds, seed=3, **options)
        fast = core(kinds, slow)
        rows = table(rng, kinds, 3000, 0.05, 1000)
        labels = [int((row[0] or 0) + (row[1] or 0) > 0) ^ int(rng.random() < 0.2) for row in rows]
        gone, *_ = fast.learn(np.arange(3000), cells(rows), np.array(labels), False)
        for name, (row, label) in enumerate(zip(rows, labels, strict=True)):
            slow.learn(row, label, name)
        same(fast, slow)
        assert len(gone) + len(fast) == 3000
        ask(fast, slow, table(rng, kinds, 50, 0.05, 1000))


def test_forgotten_instances_leave_ranges_and_counts() -> None:
    rng = np.random.default_rng(2)
    kinds: list[Any] = ["numeric", "nominal"]
    rows = table(rng, kinds, 400, 0.1, 100)
    rows[7][0], rows[9][0] = -500.0, 500.0
    labels = rng.integers(3, size=400)
    slow = Description(kinds)
    fast, fresh = core(kinds, slow), core(kinds, slow)
    fast.learn(np.arange(400), cells(rows), labels, False)
    left = np.setdiff1d(np.flatnonzero(rng.random(400) < 0.4), [7, 9])  # the ends of the range go
    gone = np.setdiff1d(np.arange(400), left)
    fast.forget(gone)
    fresh.learn(left, cells(rows)[left], labels[left], False)
    assert fast.ranges()[0][0] == fresh.ranges()[0][0]
    assert fast.ranges()[1][0] == fresh.ranges()[1][0]
    assert fast.counts()[0].tolist() == fresh.counts()[0].tolist()
    assert (fast.n_seen, fast.n_dropped, len(fast)) == (len(left), 0, len(left))
    queries = cells(table(rng, kinds, 60, 0.1, 100))
    for one, other in zip(fast.nearest(queries, 1), fresh.nearest(queries, 2), strict=True):
        assert one.tolist() == other.tolist()


def test_attributes_that_come_later_are_missing_before() -> None:
    kinds: list[Any] = ["numeric", "nominal"]
    rows: list[list[Any]] = [[1.0, "a"], [2.0, "b"], [3.0, "a"]]
    wide = Description([*kinds, "numeric"], rule="significance", weighted=True, known_only=True, gaps="ignore")
    narrow = Description(kinds, rule="significance", weighted=True, known_only=True, gaps="ignore")
    for row, label in zip(rows, (0, 1, 1), strict=True):
        wide.learn([*row, None], label)
    fast = core(kinds, narrow)
    fast.learn(np.arange(3), cells(rows), np.array([0, 1, 1]), False)
    grown = core([*kinds, "numeric"], wide)
    grown.restore(fast.state())
    same(grown, wide)
    grown.learn(np.array([3]), cells([[2.5, "b", 8.0]]), np.array([0]), False)
    wide.learn([2.5, "b", 8.0], 0, 3)
    same(grown, wide)


def test_refuses_what_does_not_fit() -> None:
    slow = Description(["numeric"])
    fast = core(["numeric"], slow)
    with pytest.raises(ValueError, match="do not match"):
        fast.learn(np.arange(2), np.zeros((1, 1)), np.zeros(2, np.int64), False)
    with pytest.raises(ValueError, match="labels count from 0"):
        fast.learn(np.arange(1), np.zeros((1, 1)), np.array([-1]), False)
    fast.learn(np.arange(1), np.zeros((1, 1)), np.array([0]), False)
    with pytest.raises(ValueError, match="no such name"):
        fast.forget(np.array([5]))
    with pytest.raises(ValueError, match="only an empty description"):
        fast.restore(fast.state())
    with pytest.raises(ValueError, match="too short"):
        core(["numeric"], slow).restore(fast.state()[:-9])
