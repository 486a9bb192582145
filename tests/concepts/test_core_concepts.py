"""The compiled descriptions and exemplars refuse what does not fit, never wait with the GIL, and answer Ctrl-C."""

from __future__ import annotations

import ctypes
import faulthandler
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from priorcase._core import Concept, Exemplars, Plan, forget_together, learn_together

LINEAR, OVERLAP, TABLE = range(3)
RULES: dict[str, Any] = {"rule": 0, "ties": 0, "z_accept": 1.28, "z_drop": 1.15, "weighted": False}
RULES |= {"known_only": False, "weight_power": 2.0, "window": 0, "decay": 1.0, "seed": 1}
IDS = np.arange(4)
CELLS = np.array([[0.5, 1.0, 2.0], [1.5, 0.0, 1.0], [np.nan, 2.0, 0.0], [9.0, 1.0, np.nan]])
LABELS = np.array([0, 1, 1, 0])


def plan() -> Plan:
    """A number, a symbol, and a symbol of a table of three."""
    made = Plan(3, 2.0, root=True)
    made.linear(LINEAR, 1.0, widen=True, aha=True)
    made.overlap(OVERLAP)
    made.table(TABLE, 1.0 - np.eye(3))
    return made


def concept(**rules: Any) -> Concept:
    return Concept(plan(), np.array([0, 1, 1], np.uint8), np.array([1, 0, 0], np.uint8), **(RULES | rules))


def learned(**rules: Any) -> Concept:
    made = concept(**rules)
    made.learn(IDS, CELLS, LABELS, False)
    return made


def exemplars(n: int = 3) -> Exemplars:
    made, symbols = Plan(2, 1.0), 1.0 - np.eye(4)
    made.table(0, symbols)
    made.table(1, symbols)
    found = Exemplars(made, np.ones(2))
    found.store(np.zeros((n, 2)), np.zeros(n, np.int64), np.ones(n, np.int64), np.ones(n, np.int64))
    return found


def cells(a: int, value: float) -> np.ndarray:
    changed = CELLS.copy()
    changed[1, a] = value
    return changed


# -- what is refused


@pytest.mark.parametrize("rules", [{"rule": 0}, {"rule": 1}, {"rule": 2}, {"rule": 2, "weighted": True}])
@pytest.mark.parametrize(
    ("a", "value"),
    [(LINEAR, np.inf), (LINEAR, -np.inf), *((OVERLAP, code) for code in (np.inf, -1.0, 0.5, 2.0**31, 1e300))]
    + [(TABLE, code) for code in (-np.inf, -1.0, 1.5)],
)
def test_cells_that_cannot_be_stored(rules: dict[str, Any], a: int, value: float) -> None:
    """An infinite number would make all costs of the next row NaN, so that no instance is nearest."""
    made = learned(**rules)
    before = made.state()
    with pytest.raises(ValueError, match="numbers are finite, and codes count from 0"):
        made.learn(IDS + 4, cells(a, value), LABELS, True)
    assert made.state() == before
    made.learn(IDS + 4, CELLS, LABELS, True)


@pytest.mark.parametrize(
    ("a", "value"), [(LINEAR, np.inf), (OVERLAP, 0.5), (OVERLAP, 1e300), (OVERLAP, -np.inf), (TABLE, 0.25)]
)
def test_queries_that_cannot_be(a: int, value: float) -> None:
    made = learned()
    for ask in (lambda q: made.nearest(q, 1), lambda q: made.nearest_with(q, 0, 1)):
        with pytest.raises(ValueError, match="numbers are finite"):
            ask(cells(a, value))
    assert made.nearest(cells(OVERLAP, -1.0), 1)[0].tolist() == made.nearest(cells(OVERLAP, 7.0), 1)[0].tolist()


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_plan_whose_costs_are_no_numbers(number: float) -> None:
    """Whatever the plan lets pass, a row without a distance is refused; it does not crash."""
    try:
        made = Plan(1, 2.0)
        made.overlap(0, f_differ=number, f_one=number, f_both=number)
        flags = np.ones(1, np.uint8), np.zeros(1, np.uint8)
        several = [Concept(made, *flags, **(RULES | {"rule": rule})) for rule in range(3)]
    except ValueError:
        return
    for each in several:
        try:
            each.learn(np.arange(6), np.array([[0.0], [1.0], [2.0], [np.nan]] * 2)[:6], np.arange(6) % 2, False)
        except ValueError:
            assert (len(each), each.n_seen) == (0, 0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: Concept(Plan(0, 2.0), np.empty(0, np.uint8), np.empty(0, np.uint8), **RULES),
            "at least one attribute",
        ),
        (lambda: concept(z_accept=np.nan), "levels of confidence"),
        (lambda: concept(z_drop=np.inf), "levels of confidence"),
        (lambda: concept(window=-1), "out of range"),
        (lambda: concept(decay=np.nan), "out of range"),
        (lambda: concept(weight_power=np.nan), "weight_power must be"),
        (lambda: concept(rule=-1), "no such rule"),
        (lambda: concept(ties=3), "no such rule"),
        (lambda: concept().learn(IDS, CELLS, LABELS + 2**24, False), "labels count from 0"),
        (lambda: learned(window=3).forget(IDS[:1]), "with a window"),
        (lambda: learned().forget(np.array([1, 1])), "given twice"),
        (lambda: learned().forget(np.array([1, 9])), "no such name"),
        (lambda: learned().nearest_with(CELLS, -1, 1), "labels count from 0"),
        (lambda: learn_together([], IDS, CELLS, [], False, 1, None, []), "one list of labels"),
        (lambda: learn_together([concept()], IDS, CELLS, [], False, 1, None, []), "one list of labels"),
        (lambda: learn_together([learned()] * 2, IDS, CELLS, [LABELS] * 2, False, 1, None, []), "given twice"),
        (lambda: forget_together([learned()] * 2, IDS, []), "given twice"),
        (lambda: Exemplars(Plan(0, 2.0), np.empty(0)), "at least one attribute"),
        (lambda: exemplars().arrive(np.full((1, 2), -1.0), IDS[:1], True), "does not know"),
        (lambda: exemplars().arrive(np.full((1, 2), 4.0), IDS[:1], True), "does not know"),
        (lambda: exemplars().arrive(np.full((1, 2), 0.5), IDS[:1], True), "does not know"),
        (lambda: exemplars().arrive(np.full((1, 2), np.inf), IDS[:1], True), "does not know"),
        (lambda: exemplars().arrive(np.zeros((1, 3)), IDS[:1], True), "differ in width"),
        (lambda: exemplars().arrive(np.zeros((2, 2)), IDS[:1], True), "one label for each row"),
        (lambda: exemplars().store(np.zeros((1, 2)), IDS[:1], IDS[1:2], IDS[:1]), "at least 1 of 1"),
        (lambda: exemplars().store(np.zeros((1, 2)), IDS[:1], np.array([2**62]), IDS[1:2]), "at least 1 of 1"),
        (lambda: exemplars().kneighbors(np.full((1, 2), -np.inf), 1, False, None, 1), "does not know"),
        (lambda: exemplars().kneighbors(np.zeros((1, 2)), 0, False, None, 1), "at least 1"),
        (lambda: exemplars().kneighbors(np.zeros((1, 2)), 1, False, IDS, 1), "one row to exclude"),
    ],
)
def test_refuses(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_refuses_rows_of_no_exemplar() -> None:
    with pytest.raises(IndexError, match="no such exemplar"):
        exemplars(3).sweep(np.zeros((3, 2)), 1)
    with pytest.raises(IndexError, match="no such exemplar"):
        exemplars(3).sweep(np.zeros((1, 2)), 2**63)


def test_several_descriptions_change_together_or_not_at_all() -> None:
    several = [learned(), learned(), learned()]
    several[2].learn(np.array([9]), CELLS[:1], LABELS[:1], False)
    before, results = [each.state() for each in several], []
    wrong = [LABELS, LABELS, LABELS - 1]
    with pytest.raises(ValueError, match="labels"):
        learn_together(several, IDS + 4, CELLS, wrong, True, 2, None, results)
    with pytest.raises(ValueError, match="no such name"):
        forget_together(several, np.array([9]), results)
    with pytest.raises(ZeroDivisionError):  # that of whoever was told of progress
        learn_together(several, IDS + 4, CELLS, [LABELS] * 3, True, 2, lambda rows: 1 // 0, results)
    assert results == []
    assert [each.state() for each in several] == before
    learn_together(several, IDS + 4, CELLS, [LABELS] * 3, True, 2, None, results)
    forget_together(several, np.array([1, 6]), results)
    assert [len(each) for each in several] == [6, 6, 7]
    assert [type(each) for each in results] == [tuple] * 3 + [type(None)] * 3


def test_a_refused_state_leaves_the_description_empty() -> None:
    state, made = learned(rule=2, weighted=True).state(), concept(rule=2, weighted=True)
    random = np.random.default_rng(1)
    for at in random.integers(0, len(state), 300):
        damaged = bytearray(state)
        damaged[at] ^= int(random.integers(1, 256))
        try:
            made.restore(bytes(damaged))
        except ValueError:
            assert (len(made), made.n_seen, made.n_dropped) == (0, 0, 0)
            continue
        before = made.state()
        try:
            made.learn(IDS + 10, CELLS, LABELS, True)
        except ValueError:  # weights that are infinite
            assert made.state() == before
        made = concept(rule=2, weighted=True)


# -- arguments at random


ARRAYS: list[Any] = [
    IDS,
    IDS[:0],
    IDS - 5,
    IDS * 2**40,
    np.array([2**62, -(2**63)]),
    LABELS,
    CELLS,
    CELLS[:0],
    CELLS[:2],
]
ARRAYS += [
    CELLS[:, :2],
    cells(0, np.inf),
    cells(1, -1.0),
    cells(1, 1e300),
    cells(2, 5.0),
    cells(2, 0.5),
    CELLS * np.nan,
]
ARRAYS += [np.zeros((4, 2)), np.ones((3, 2)), np.zeros((1, 2)) - 1, np.float32(CELLS), CELLS.T, IDS.astype(np.int32)]
ARRAYS += [np.array("text"), None, "text", [], np.zeros((2, 2, 2)), np.zeros(2), -np.ones(3), np.ones(3, np.uint8)]
NUMBERS: list[Any] = [0, 1, 2, 3, -1, 99, 2**31, 2**62, 2**64 - 1, 0.5, np.nan, np.inf, -np.inf, True, None, "text"]
REFUSED = (ValueError, IndexError, TypeError, OverflowError, MemoryError)


def test_arguments_at_random() -> None:
    """Every call is answered or refused, and what was refused has changed nothing."""
    random = np.random.default_rng(7)

    def some(pool: list[Any]) -> Any:
        return pool[int(random.integers(len(pool)))]

    def array() -> Any:
        return some(ARRAYS)

    def number() -> Any:
        return some(NUMBERS)

    def fresh() -> tuple[Concept, Exemplars]:
        rules = {name: number() for name in RULES if random.random() < 0.1}
        try:
            return learned(**({"rule": int(random.integers(3))} | rules)), exemplars(int(random.integers(4)))
        except REFUSED:
            return learned(rule=2, weighted=True), exemplars()

    def call(made: Concept, other: Exemplars) -> None:
        calls: list[Callable[[], Any]] = [
            lambda: made.learn(array(), array(), array(), number()),
            lambda: made.learn(IDS, array(), LABELS, True),
            lambda: made.nearest(array(), number()),
            lambda: made.nearest_with(array(), number(), 1),
            lambda: made.forget(array()),
            lambda: made.restore(array()),
            lambda: learn_together([made, concept()], array(), array(), [array(), LABELS], True, number(), None, []),
            lambda: learn_together([made, array()], IDS, CELLS, [LABELS, LABELS], True, 1, array(), []),
            lambda: other.arrive(array(), array(), number()),
            lambda: other.store(array(), array(), array(), array()),
            lambda: other.sweep(array(), number()),
            lambda: other.kneighbors(array(), number(), True, array(), number()),
            lambda: Exemplars(plan(), array()),
        ]
        some(calls)()

    answered, (made, other) = 0, fresh()
    for _ in range(4000):
        if len(made) > 50 or random.random() < 0.02:
            made, other = fresh()
        before = made.state(), [part.tolist() for part in other.records()]
        try:
            call(made, other)
            answered += 1
        except REFUSED:
            assert (made.state(), [part.tolist() for part in other.records()]) == before
    assert answered > 100


# -- random ties


def noisy(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of few different values, a third of them with another label than the rule for their first cell."""
    random = np.random.default_rng(0)
    made = np.column_stack([random.integers(0, 20, n) / 10, random.integers(0, 4, n), random.integers(0, 3, n)])
    return made, ((made[:, 0] > 1) ^ (random.random(n) < 0.35)).astype(np.int64)


def learned_in_batches(threads: int, batch: int, between: str = "") -> tuple[list[list[int]], list[bytes]]:
    """IB3 and IB4 with ties broken at random: the names of those that left, in order, and the states in the end."""
    n = 3_000
    values, labels = noisy(n)
    kinds = [{"rule": 2, "ties": 2, "seed": seed, "weighted": ib4} for seed in (1, 2) for ib4 in (False, True)]
    several: list[Concept] = [concept(**kind) for kind in kinds]
    gone: list[list[int]] = [[] for _ in several]
    for first in range(0, n, batch):
        part, results = slice(first, first + batch), []
        learn_together(
            several, np.arange(n)[part], values[part], [labels[part]] * len(several), False, threads, None, results
        )
        for names, (left, *_) in zip(gone, results, strict=True):
            names.extend(left.tolist())
        if between == "asked":
            for each in several:
                each.nearest(values[:9], 1)
        if between == "saved":
            states, several = [each.state() for each in several], [concept(**kind) for kind in kinds]
            for each, state in zip(several, states, strict=True):
                each.restore(state)
    return gone, [each.state() for each in several]


@pytest.mark.parametrize(
    ("threads", "batch", "between"),
    [(1, 1000, ""), (2, 1000, ""), (4, 3000, ""), (2, 100, "asked"), (2, 500, "saved")],
)
def test_random_ties_depend_on_the_seed_only(threads: int, batch: int, between: str) -> None:
    """Neither on threads nor on batches, nor on where the index has its rows, which is different after saving."""
    expected = learned_in_batches(1, 1000)
    assert all(len(names) > 1_000 for names in expected[0])
    assert learned_in_batches(threads, batch, between) == expected


# -- the GIL


def wide(n: int, width: int = 48) -> tuple[Concept, np.ndarray, np.ndarray]:
    """A description whose searches take long, and rows to learn."""
    made, random = Plan(width, 2.0), np.random.default_rng(0)
    for a in range(width):
        made.linear(a, 1.0)
    found = Concept(made, np.zeros(width, np.uint8), np.zeros(width, np.uint8), **RULES)
    return found, random.normal(size=(n, width)), random.integers(0, 2, n)


def runs_during(ask: Callable[[Concept], object]) -> bool:
    """Return whether Python runs on while ``ask`` waits for a description that is learning.

    The description reports its progress while it holds its lock, and it is asked then. The threads do not take turns:
    the report goes on only when the other thread releases the GIL. If that never happens, the process is ended.
    """
    made, rows, labels = wide(300)
    ids = np.arange(300)
    made.learn(ids[:1], rows[:1], labels[:1], False)  # to be forgotten
    asked, answered, ran = threading.Event(), threading.Event(), list[bool]()

    def wait() -> None:
        asked.set()
        ask(made)
        answered.set()

    waiting = threading.Thread(target=wait)

    def report(_: int) -> None:
        if not ran:
            waiting.start()
            asked.wait()
            ran.append(not answered.is_set())

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1_000.0)
    faulthandler.dump_traceback_later(300, exit=True)
    try:
        learn_together([made], ids[1:], rows[1:], [labels[1:]], False, 1, report, [])
        waiting.join()
    finally:
        faulthandler.cancel_dump_traceback_later()
        sys.setswitchinterval(interval)
    assert answered.is_set()
    return ran == [True]


@pytest.mark.parametrize(
    "ask",
    [
        len,
        lambda made: made.n_seen,
        lambda made: made.n_dropped,
        lambda made: made.counts(),
        lambda made: made.ranges(),
        lambda made: made.weights(),
        lambda made: made.records(),
        lambda made: made.state(),
        lambda made: made.nearest(np.zeros((1, 48)), 1),
        lambda made: made.forget(np.array([0])),
    ],
)
def test_nobody_waits_for_a_description_with_the_gil(ask: Callable[[Concept], object]) -> None:
    assert runs_during(ask)


def test_a_call_that_keeps_the_gil_is_noticed() -> None:
    assert not runs_during(lambda _: ctypes.PyDLL(None).getpid())


# -- Ctrl-C

INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
from priorcase._core import Concept, Exemplars, Plan, learn_together
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where the tests run under nohup
random, width, n = np.random.default_rng(0), 64, 150_000
plan = Plan(width, 2.0)
for a in range(width):
    plan.linear(a, 1.0) if WHAT != "exemplars" else plan.overlap(a)
cells, labels, ids = random.normal(size=(n, width)), random.integers(0, 2, n), np.arange(n)
flags = np.zeros(width, np.uint8)
rules = {"ties": 0, "z_accept": 1.28, "z_drop": 1.15, "weighted": False, "known_only": False, "weight_power": 2.0}
rules |= {"window": 0, "decay": 1.0, "seed": 1, "rule": 0}
if WHAT == "exemplars":
    made, cells = Exemplars(plan, np.ones(width)), random.integers(0, 40, (n, width)).astype(float)
    ones = np.ones(n, np.int64)
    made.store(cells, labels, ones, ones)
    state, call = lambda: [part.tolist() for part in made.records()], lambda: made.sweep(cells, 0)
else:
    several = [Concept(plan, flags, flags, **rules) for _ in range(3)]
    for each in several:
        each.learn(ids[:500], cells[:500], labels[:500], False)
    state = lambda: [each.state() for each in several]
    call = lambda: learn_together(several, ids, cells, [labels] * 3, True, 2, None, [])
before = state()
def press():
    time.sleep(0.5)
    press.at = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press).start()
try:
    call()
except KeyboardInterrupt:
    print("stopped", time.monotonic() - press.at, state() == before)
"""


@pytest.mark.parametrize("what", ["concepts", "exemplars"])
def test_ctrl_c_ends_a_long_call_that_then_has_changed_nothing(what: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"WHAT = {what!r}\n{INTERRUPTED}"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    word, waited, same = done.stdout.split()
    assert (word, same) == ("stopped", "True")
    assert float(waited) < 5
