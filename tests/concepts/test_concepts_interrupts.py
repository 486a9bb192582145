"""An interrupt at any line leaves a concept learner as it was before the call, or as it is after it."""

from __future__ import annotations

import copy
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from concept_tables import SCHEMA, named, stream
from interruptions import check_interrupted
from sklearn.base import clone

from priorcase.concepts import IB1, IB2, IB3, IB4, IB5, PEBLS

X, Y = stream(60, seed=3)
# What tests/learning/test_state.py does not cover: descriptions of classes, histories, settled distances, windows.
LEARNERS = [IB1(per_class=True, history=True), IB1(distance="heom"), IB4(random_state=0, window=15, history=True)]


def state(model: Any) -> Any:
    seen = None if isinstance(model, PEBLS) else (model.n_seen_, model.dropped_)
    answers = None if model.n_features_in_ < 3 else model.predict(X[:5]).tolist()
    return model.digest(), model.ids_.tolist(), model.classes_.tolist(), seen, answers


def records(model: Any) -> list[pd.DataFrame]:
    return [model.concept_, model.history_.frame()] if model.history else [model.concept_]


def check(model: Any, call: Callable[[Any], Any], further: Callable[[Any], Any], step: int) -> None:
    """Every interrupt leaves the state before or after; a further call gives the model of an undisturbed run."""
    models = [copy.deepcopy(model), call(copy.deepcopy(model))]
    digests, shown = [one.digest() for one in models], [records(one) for one in models]
    then = [state(further(one)) for one in models]

    def made(torn: Any) -> bool:
        found = digests.index(torn.digest())
        for one, other in zip(records(torn), shown[found], strict=True):
            pd.testing.assert_frame_equal(one, other, check_exact=True)
        assert state(further(torn)) == then[found]
        return found == 1

    check_interrupted(lambda: copy.deepcopy(model), call, made, step)


steps = pytest.mark.parametrize("step", [41, pytest.param(3, marks=pytest.mark.slow)])


@steps
@pytest.mark.parametrize("learner", LEARNERS, ids=named)
def test_partial_fit(learner: Any, step: int) -> None:
    model = clone(learner).set_params(schema=SCHEMA).fit(X[:20], Y[:20])
    # A class, and a value, that come for the first time.
    rows, labels = [*X[40:42], [*X[42][:1], "new", *X[42][2:]]], [*Y[40:42], "new"]
    check(model, lambda m: m.partial_fit(rows, labels), lambda m: m.partial_fit(X[50:53], Y[50:53]), step)


@steps
@pytest.mark.parametrize("learner", LEARNERS[:2], ids=named)
def test_forget(learner: Any, step: int) -> None:
    model = clone(learner).set_params(schema=SCHEMA).fit([*X[:15], X[40]], [*Y[:15], "once"])
    check(model, lambda m: m.forget([2, 15]), lambda m: m.partial_fit(X[50:53], Y[50:53]), step)


@steps
def test_new_columns(step: int) -> None:
    first = pd.DataFrame({"size": [1.0, 9.0, 2.0, 8.0]})
    later = pd.DataFrame({"size": [1.5, 2.5, 8.5], "colour": [None, "red", "blue"]})
    model, labels = IB5(random_state=0).fit(first, ["small", "big", "small", "big"]), ["small", "small", "big"]
    check(model, lambda m: m.partial_fit(later, labels), lambda m: m.partial_fit(first[:1], ["small"]), step)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    "learner", [IB1(), IB1(per_class=True), IB3(random_state=0), IB5(random_state=0), PEBLS()], ids=named
)
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_while_another_thread_reads(learner: Any) -> None:
    """The child learns and answers as the parent would, whatever the compiled description was doing at the fork."""
    model = clone(learner).set_params(schema=SCHEMA, n_jobs=1).fit(X * 5, Y * 5)
    expected = state(copy.deepcopy(model).partial_fit(X[:3], Y[:3]))
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            model.predict(X * 20)

    threads = [threading.Thread(target=read, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(8):
            child = os.fork()
            if child == 0:
                signal.alarm(300)  # ends a child that hangs
                os._exit(0 if state(model.partial_fit(X[:3], Y[:3])) == expected else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        done.set()
        for thread in threads:
            thread.join(300)
    assert state(model.partial_fit(X[:3], Y[:3])) == expected


@pytest.mark.parametrize("learner", [IB2(), IB4(random_state=0)], ids=named)
def test_out_of_memory_within_the_core(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the core has begun, nothing has happened; a description that it left in the middle is refused."""
    from priorcase.concepts import memory
    from priorcase.exceptions import TooLargeError

    model = clone(learner).set_params(schema=SCHEMA).fit(X[:40], Y[:40])
    before, learn = model.digest(), memory.run_learn

    def failing(*batch: Any) -> None:
        raise MemoryError

    def half(*batch: Any) -> None:
        learn(*batch[:-1], [])  # the results could not be handed over
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(memory, "run_learn", failing)
        with pytest.raises(MemoryError):
            model.partial_fit(X[40:42], Y[40:42])
        assert model.digest() == before
        patch.setattr(memory, "run_learn", half)
        with pytest.raises(MemoryError):
            model.partial_fit(X[40:42], Y[40:42])
    for ask in (lambda: model.predict(X), lambda: model.partial_fit(X, Y), model.digest):
        with pytest.raises(TooLargeError, match="Fit again"):
            ask()
    assert model.fit(X[:40], Y[:40]).digest() == before


PRESSED = """
import os, signal, threading, time
import numpy as np
from priorcase import IB1, KNNClassifier
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where the tests run under nohup
random = np.random.default_rng(0)
X, y = random.normal(size=(ROWS, 64)), random.integers(0, 12, ROWS)
model = KNNClassifier(3, n_jobs=1) if WHAT == "prequential" else IB1(per_class=True, n_jobs=1)
model.fit(X[:500], y[:500])
before, expected = model.digest(), model.predict(X[:50]).tolist()
def press():
    time.sleep(0.5)
    press.at = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press).start()
try:
    getattr(model, WHAT)(X, y)
except KeyboardInterrupt:
    waited = time.monotonic() - press.at
    print("stopped", waited, (model.digest(), model.predict(X[:50]).tolist()) == (before, expected))
model.partial_fit(X[500:600], y[500:600])
print(model.digest() == model.__class__(**model.get_params()).fit(X[:600], y[:600]).digest())
"""


@pytest.mark.parametrize(("what", "rows"), [("partial_fit", 8_000), ("partial_fit", 60_000), ("prequential", 100_000)])
def test_ctrl_c_within_the_core(what: str, rows: int) -> None:
    """In place, on a copy, and in a stream: the call ends soon, and the model is as it was before."""
    script = f"WHAT, ROWS = {what!r}, {rows}\n{PRESSED}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    word, waited, same, again = done.stdout.split()
    assert (word, same, again) == ("stopped", "True", "True")
    assert float(waited) < 5


def test_the_handler_of_ctrl_c_is_that_of_the_program_at_every_line() -> None:
    def handler(*_: Any) -> None: ...

    found = []

    def trace(frame: Any, event: str, _: Any) -> Any:
        found.append(signal.getsignal(signal.SIGINT))
        return trace

    before, model = signal.signal(signal.SIGINT, handler), IB3(schema=SCHEMA, random_state=0)
    sys.settrace(trace)
    try:
        model.fit(X[:40], Y[:40]).partial_fit(X[40:], Y[40:])
    finally:
        sys.settrace(None)
        after = signal.signal(signal.SIGINT, before)
    assert len(found) > 1000
    assert {*found, after} == {handler}


def test_the_handler_of_ctrl_c_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a library leaves signal handlers alone")

    monkeypatch.setattr(signal, "signal", refuse)
    model = IB3(schema=SCHEMA, random_state=0).fit(X[:40], Y[:40]).partial_fit(X[40:], Y[40:])
    IB1(schema=SCHEMA).fit(X, Y).forget([0])
    assert model.n_seen_ == 60
