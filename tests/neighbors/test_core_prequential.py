"""Compiled prequential runs refuse what does not fit, change all or nothing, and answer Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from priorcase._core import Index, Plan, Stream

CODED = np.array([0, 1], np.uint8)
CELLS = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [np.nan, 2.0], [4.0, np.nan]])
IDS = np.arange(5)
CODES = np.array([[0], [1], [0], [1], [1]])
STARTS = np.array([0, 2])
NUMBERS = np.arange(5.0)[:, None]


def plan() -> Plan:
    """A number and a symbol."""
    made = Plan(2, 2.0)
    made.linear(0, 1.0)
    made.overlap(1)
    return made


def stream(**changes: Any) -> Stream:
    unknown = np.full(2, np.nan)
    parts: dict[str, Any] = {"ranged": np.array([1, 0], np.uint8), "low": unknown, "high": unknown}
    parts |= {"weights": np.ones(2), "k": 1, "ties": False, "vote": 0, "power": 2.0, "root": True, "algorithm": 0}
    return Stream(plan(), **(parts | changes))


def classify(made: Stream, index: Index, **changes: Any) -> Any:
    parts: dict[str, Any] = {"cells": CELLS, "ids": IDS, "stored": IDS, "codes": CODES, "starts": STARTS}
    parts |= {"class_weights": np.zeros(2), "ties": 0}
    return made.classify(index, **(parts | changes))


def average(made: Stream, index: Index, **changes: Any) -> Any:
    return made.average(index, **({"cells": CELLS, "ids": IDS, "stored": IDS, "targets": NUMBERS} | changes))


def refused(error: type[Exception], words: str, call: Callable[..., Any], **changes: Any) -> None:
    """A call is refused, and stores nothing: the same rows are then predicted as by a fresh stream."""
    made, index = stream(), Index(CODED)
    with pytest.raises(error, match=words):
        call(made, index, **changes)
    assert len(index) == 0
    expected = call(stream(), Index(CODED))
    for one, other in zip(call(made, index), expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "weights",
    [np.zeros(2, np.float32), np.zeros(4)[::2], np.zeros(2, np.int64), [0.0, 0.0]],
    ids=["f4", "::2", "i8", "list"],
)
def test_weights_that_would_be_copied_are_refused(weights: Any) -> None:
    """What is counted in a copy would be lost."""
    refused(TypeError, "incompatible", classify, class_weights=weights)
    kept = np.zeros(2)
    classify(stream(), Index(CODED), class_weights=kept)
    assert kept.tolist() == [2.0, 3.0]
    kept.flags.writeable = False
    refused(TypeError, "incompatible", classify, class_weights=kept)


def cells(row: int, a: int, value: float) -> Any:
    changed = CELLS.copy()
    changed[row, a] = value
    return changed


@pytest.mark.parametrize("call", [classify, average])
@pytest.mark.parametrize(
    ("error", "words", "changes"),
    [
        (ValueError, "differ in width", {"cells": np.zeros((5, 3))}),
        (ValueError, "do not match", {"ids": IDS[:3]}),
        (ValueError, "numbers are finite", {"cells": cells(4, 0, np.inf)}),
        (ValueError, "codes count from 0", {"cells": cells(4, 1, -1.0)}),
        (ValueError, "codes count from 0", {"cells": cells(4, 1, 0.5)}),
        (ValueError, "codes count from 0", {"cells": cells(4, 1, 1e300)}),
        (ValueError, "stored already", {"ids": np.array([0, 1, 2, 3, 2])}),
        (IndexError, "no target", {"ids": np.array([0, 1, 2, 3, 9])}),
        (IndexError, "no target", {"stored": IDS + 1}),
    ],
)
def test_rows_that_are_refused(call: Callable[..., Any], error: Any, words: str, changes: dict[str, Any]) -> None:
    refused(error, words, call, **changes)


@pytest.mark.parametrize(
    ("error", "words", "changes"),
    [
        (ValueError, "one class per stored row", {"codes": CODES[:3]}),
        (ValueError, "one start per output", {"starts": IDS[:1]}),
        (ValueError, "end at the last entry", {"starts": np.array([0, 5])}),
        (ValueError, "must not decrease", {"codes": np.hstack([CODES, CODES]), "starts": np.array([0, 5, 2])}),
        (ValueError, "output must have classes", {"codes": np.hstack([CODES, CODES]), "starts": np.array([0, 2, 2])}),
        (ValueError, "no such rule for ties", {"ties": 4}),
        (IndexError, "no such class", {"codes": CODES + 1}),
        (IndexError, "no such class", {"codes": -CODES}),
    ],
)
def test_classes_that_are_refused(error: Any, words: str, changes: dict[str, Any]) -> None:
    refused(error, words, classify, **changes)


def test_numbers_that_are_refused() -> None:
    refused(ValueError, "one number per stored row", average, targets=NUMBERS[:3])


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        ("weights are finite", {"weights": np.array([1.0, np.nan])}),
        ("weights are finite", {"weights": np.array([1.0, -1.0])}),
        ("a range is two", {"low": np.array([0.0, 0.0])}),
        ("a range is two", {"low": np.array([1.0, 0.0]), "high": np.zeros(2)}),
        ("a range is two", {"low": np.zeros(2), "high": np.array([np.inf, 0.0])}),
        ("only linear", {"ranged": np.ones(2, np.uint8)}),
        ("one entry per attribute", {"weights": np.ones(3)}),
        ("power above 0", {"power": 0.0}),
        ("power above 0", {"power": np.nan}),
        ("no such vote", {"vote": -1}),
        ("no such algorithm", {"algorithm": 99}),
    ],
)
def test_streams_that_cannot_be(words: str, changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=words):
        stream(**changes)


def test_a_stream_needs_a_complete_plan() -> None:
    none, flags = np.empty(0), np.empty(0, np.uint8)
    with pytest.raises(ValueError, match="at least one attribute"):
        Stream(Plan(0, 2.0), flags, none, none, none, 1, False, 0, 2.0, True, 0)
    with pytest.raises(ValueError, match="lacks an attribute"):
        Stream(Plan(2, 2.0), CODED, np.zeros(2), np.zeros(2), np.ones(2), 1, False, 0, 2.0, True, 0)


ARRAYS: list[Any] = [
    CELLS,
    CELLS[:0],
    CELLS[:3],
    CELLS * np.nan,
    CELLS * 1e300,
    cells(1, 0, -np.inf),
    cells(2, 1, -1.0),
]
ARRAYS += [IDS, IDS + 5, IDS[:3], IDS[::-1], -IDS, IDS[:0], STARTS, CODES, CODES[:3], CODES * 7, np.hstack([CODES] * 2)]
ARRAYS += [NUMBERS, NUMBERS + np.inf, np.zeros(2), np.zeros(4), np.full(2, np.nan), np.float32([0, 0]), None, "text"]
OPTIONS: list[Any] = [0, 1, 2, 5, -1, 99, 2**62, 0.5, np.nan, np.inf, None, "text", True]
REFUSED = (ValueError, IndexError, TypeError, OverflowError, MemoryError)


def test_arguments_at_random() -> None:
    """Every call is answered or refused; a refused one stores nothing and counts nothing."""
    random, answered = np.random.default_rng(3), 0

    def some(pool: list[Any]) -> Any:
        return pool[int(random.integers(len(pool)))]

    made, index, after = stream(), Index(CODED), 0
    for _ in range(6000):
        if random.random() < 0.1 or after == len(IDS):
            options = ("k", "ties", "vote", "power", "root", "algorithm")
            changed: dict[str, Any] = {name: some(OPTIONS) for name in options if random.random() < 0.15}
            changed |= {name: some(ARRAYS) for name in ("ranged", "low", "high", "weights") if random.random() < 0.05}
            try:
                made = stream(**changed)
            except REFUSED:
                made = stream()
            index, after = Index(CODED if random.random() < 0.9 else CODED[::-1].copy()), 0
        start, weights = after, np.zeros(2)
        given: dict[str, Any] = {"cells": CELLS[start:], "ids": IDS[start:]}
        if random.random() < 0.5:
            call, names = classify, ["cells", "ids", "stored", "codes", "starts", "class_weights"]
            given |= {"class_weights": weights, "ties": some(OPTIONS)}
        else:
            call, names = average, ["cells", "ids", "stored", "targets"]
        given |= {name: some(ARRAYS) for name in names if random.random() < 0.2}
        try:
            call(made, index, **given)
            answered += 1
            after = len(index)
        except REFUSED:
            assert len(index) == start
            assert not weights.any()
    assert answered > 100


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from priorcase._core import Index, Plan, Stream
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where the tests run under nohup
width, n = 64, 100_000
random, plan, flags = np.random.default_rng(0), Plan(width, 2.0), np.zeros(width, np.uint8)
for a in range(width):
    plan.linear(a, 1.0)
cells, codes, ids, weights = random.normal(size=(n, width)), random.integers(0, 2, (n, 1)), np.arange(n), np.zeros(2)
unknown, starts, index = np.full(width, np.nan), np.array([0, 2]), Index(flags)
stream = Stream(plan, flags, unknown, unknown, np.ones(width), 3, False, 0, 2.0, True, 0)
stream.classify(index, cells[:500], ids[:500], ids, codes, starts, weights, 0)
before = len(index), weights.tolist()
def press():
    time.sleep(0.5)
    press.at = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press).start()
try:
    stream.classify(index, cells[500:], ids[500:], ids, codes, starts, weights, 0)
except KeyboardInterrupt:
    print("stopped", time.monotonic() - press.at, (len(index), weights.tolist()) == before)
stream.classify(index, cells[500:600], ids[500:600], ids, codes, starts, weights, 0)
"""


def test_ctrl_c_ends_a_long_run_that_then_has_changed_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=300, check=False)
    word, waited, same = done.stdout.split()
    assert (word, same, done.returncode) == ("stopped", "True", 0)
    assert float(waited) < 5
