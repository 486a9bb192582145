"""Kill writers at random moments and check the content of the file afterwards."""

from __future__ import annotations

import os
import signal
import struct
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from benchmarks.crash.model import Model, perform, some_operation
from priorcase.cases.storage import Declaration, Store

_ACK = struct.Struct("<I")


@dataclass
class Outcome:
    """Counts and problems over all kills."""

    kills: int = 0
    acknowledged: Counter[str] = field(default_factory=Counter)
    whole: int = 0
    absent: int = 0
    problems: list[str] = field(default_factory=list)


def write_until_killed(path: Path, model: Model, seed: int, pipe: int) -> None:
    """Apply one operation after another and acknowledge each one through the pipe."""
    random = Random(seed)
    store = Store.open(path)
    os.write(pipe, _ACK.pack(0))
    done = 0
    while True:
        operation = some_operation(random, model)
        with store.writing() as writer:
            perform(operation, writer)
        done += 1
        os.write(pipe, _ACK.pack(done))
        model.apply(operation)


def kill_one(path: Path, model: Model, seed: int, after: int, delay: float) -> int:
    """Start a writer, kill it ``delay`` seconds after ``after`` operations, and count the acknowledged operations."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            write_until_killed(path, model, seed, writing)
        finally:
            os._exit(1)  # reached only after an error
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        begun = pipe.read((after + 1) * _ACK.size)  # the first message says that the file is open
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        rest = pipe.read()
    if not os.WIFSIGNALED(status):
        raise RuntimeError("the writer failed before it was killed")
    return (len(begun) + len(rest)) // _ACK.size - 1


def run(folder: Path, kills: int, *, seed: int = 0, most: int = 8, longest: float = 0.01) -> Outcome:
    """Kill writers repeatedly and compare the file with the model after each kill."""
    path, random, outcome = folder / "killed.priorcase", Random(seed), Outcome()
    declaration = Declaration([("first", {"kind": "nominal"}), ("second", {"kind": "nominal"})])
    Store.open(path, create=declaration).close()
    model = Model(declaration)
    for number in range(kills):
        acknowledged = kill_one(path, model, number, random.randint(0, most), random.uniform(0, longest))
        steps = Random(number)
        for _ in range(acknowledged):
            operation = some_operation(steps, model)
            outcome.acknowledged[operation.name] += 1
            model.apply(operation)
        model = _compare(path, model, model.after(some_operation(steps, model)), outcome)
        outcome.kills += 1
    return outcome


def _compare(path: Path, sure: Model, perhaps: Model, outcome: Outcome) -> Model:
    """Check the file: acknowledged operations are complete; the one in progress is complete or absent."""
    with Store.open(path) as store:
        outcome.problems += store.verify()
        if (difference := sure.differs(store)) is None:
            outcome.absent += 1
            found = sure
        elif perhaps.differs(store) is None:
            outcome.whole += 1
            found = perhaps
        else:
            outcome.problems.append(f"{difference} match neither the acknowledged operations nor the one in progress")
            raise RuntimeError(outcome.problems[-1])
    data = b"".join(file.read_bytes() for file in path.parent.iterdir())
    left = sum(text.strip('"').encode() in data for text in found.forgotten)
    if left:
        outcome.problems.append(f"{left} strings of forgotten cases are still in the files")
    return found
