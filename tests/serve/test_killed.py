"""A service that is killed in mid-change: what was answered is in the file, and nothing is there by halves."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Event, Semaphore, Timer
from typing import Any

import pytest
from commands import PROGRAM

import priorcase as pc
from priorcase.exceptions import ServiceError
from priorcase.serve import Client

KILLS = [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 20))]
HIGH = {"x0": 90.0, "x1": "red"}


@contextmanager
def serving(*args: object) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A process that serves, with its URL and token; it is gone afterwards."""
    command = [*PROGRAM, "serve", *map(str, args), "--port", "0"]
    env = {name: value for name, value in os.environ.items() if name != "PRIORCASE_TOKEN"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env) as process:
        watch = Timer(120, process.kill)
        watch.start()
        try:
            assert process.stdout is not None
            found = re.search(r"(http://127\.0\.0\.1:\d+)/\?token=(\S+)", process.stdout.readline())
            assert found is not None
            yield process, found[1], found[2]
        finally:
            watch.cancel()
            process.kill()


def killed(
    process: subprocess.Popen[str],
    url: str,
    token: str,
    steps: Iterator[Callable[[Client], Any]],
    random: Random,
    ask: Callable[[Client], Any],
) -> tuple[int, int]:
    """Make changes one by one and ask questions meanwhile, until the process is killed after some of the changes.

    Returns how many changes were answered and how many questions.
    """
    enough, moment = random.randint(1, 30), random.uniform(0.0, 0.01)
    begun, dead, changes = Semaphore(0), Event(), 0

    def questions() -> int:
        with Client(url, token) as client:
            for asked in range(1_000_000):
                try:
                    ask(client)
                    begun.release()
                except ServiceError as refusal:
                    if refusal.status:  # 0: no answer, since it is dead
                        raise
                    assert dead.wait(60)
                    return asked
        raise AssertionError("it was not killed")

    def kill() -> None:
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        dead.set()

    with ThreadPoolExecutor(2) as readers, Client(url, token) as client:
        asked = [readers.submit(questions) for _ in range(2)]
        assert begun.acquire(timeout=60)
        try:
            for step in steps:
                step(client)
                changes += 1
                if changes == enough:
                    Timer(moment, kill).start()
        except ServiceError as refusal:
            if refusal.status:
                raise
        return changes, sum(future.result(60) for future in asked)


@pytest.mark.parametrize("seed", KILLS)
def test_changes_of_a_saved_model_survive(tmp_path: Path, seed: int) -> None:
    """Four rows come and go: a reader that saw a mixture of states would find other shares than 0 and 1."""
    rows = [[float(i), "red"] for i in range(40)]
    path = pc.KNNClassifier(4, prior=None).fit(rows, ["low"] * 40).save(tmp_path / "model.priorcase")
    expected = pc.load(path)
    states = [expected.digest()]  # after each change
    ids: list[int] = []

    def steps() -> Iterator[Callable[[Client], Any]]:
        while True:
            first = expected._stored().instances.next_id
            ids[:] = range(first, first + 4)
            expected.partial_fit([list(HIGH.values())] * 4, ["high"] * 4)
            states.append(expected.digest())
            yield lambda client: client.append([HIGH] * 4, ["high"] * 4)
            expected.forget(ids)
            states.append(expected.digest())
            yield lambda client: client.forget(ids)

    def ask(client: Client) -> None:
        (found,) = client.predict(HIGH)
        assert found["probabilities"][found["prediction"]] == 1.0
        assert sorted(found["probabilities"].values())[:-1] in ([], [0.0])

    with serving(path, "--save", path) as (process, url, token):
        changes, questions = killed(process, url, token, steps(), Random(seed), ask)
    assert changes
    assert questions
    assert pc.load(path).digest() in states[changes : changes + 2]  # the last change was under way


@pytest.mark.parametrize("seed", KILLS)
def test_changes_of_a_case_base_survive(tmp_path: Path, seed: int) -> None:
    """Each case is added, gets its outcome together with its people, and is forgotten when ten more are there."""
    path = tmp_path / "desk.priorcase"
    with pc.CaseBase.open(path, {"area": "nominal", "people": "numeric"}) as base:
        base.add({"area": "vpn", "people": 0}, solution="renew")
    cases: dict[int, tuple[Any, Any]] = {1: (0, None)}
    states = [dict(cases)]

    def steps() -> Iterator[Callable[[Client], Any]]:
        id = 1
        while True:
            id += 1
            cases[id] = None, None
            states.append(dict(cases))
            yield lambda client: client.add({"area": "printer"}, solution="clean")
            cases[id] = id, True
            states.append(dict(cases))
            yield lambda client, id=id: client.feedback(id, {"people": id}, outcome=True)
            if id > 10:
                del cases[id - 9]
                states.append(dict(cases))
                yield lambda client, id=id: client.forget_case(id - 9, "asked to")

    def ask(client: Client) -> None:
        for case in client.cases(limit=1000):
            if case["id"] > 1:  # both are changed, or neither
                assert (case["values"]["people"] is None) == (case["outcome"] is None)

    with serving(path) as (process, url, token):
        changes, questions = killed(process, url, token, steps(), Random(seed), ask)
    assert changes
    assert questions
    with pc.CaseBase.open(path) as base:
        assert not base.verify().findings
        assert {case.id: (case["people"], case.outcome) for case in base} in states[changes : changes + 2]
