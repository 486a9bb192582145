"""Interleaved timing, so that slow phases of the machine affect all programs equally."""

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.report import Row


@dataclass(frozen=True)
class Peer:
    """A program to compare with; ``run`` is None if it cannot be run, and the note gives the reason.

    If ``run`` returns a float, this is the time, for example the query time that an external program reports.
    """

    name: str
    run: Callable[[], object] | None
    bar: float | None = None
    note: str = ""
    rounds: int | None = None


def compare(
    workload: str, ours: Callable[[], object], peers: Sequence[Peer], rounds: int, *, shortest: float = 0.0
) -> list[Row]:
    """Run all programs in turn and return the best times over all rounds, one row per peer.

    Calls that take less than ``shortest`` seconds are repeated until this time is reached; the time of the round is
    then the mean over these calls.
    """
    everyone = [Peer("priorcase", ours), *peers]
    calls = [_calls(peer, shortest) for peer in everyone]
    best: list[float | None] = [None] * len(everyone)
    for turn in range(rounds):
        for i, peer in enumerate(everyone):
            if peer.run is not None and turn < (peer.rounds or rounds):
                best[i] = min(_measure(peer.run, calls[i]), best[i] or float("inf"))
    own = best[0]
    if own is None:
        raise ValueError(f"compare got rounds={rounds}; expected at least 1")
    return [
        Row(workload, peer.name, own, other, peer.bar, note=peer.note)
        for peer, other in zip(everyone[1:], best[1:], strict=True)
    ]


def _calls(peer: Peer, shortest: float) -> int:
    if peer.run is None or shortest <= 0:
        return 1
    return max(1, round(shortest / max(_measure(peer.run, 1), 1e-7)))


def _measure(run: Callable[[], object], calls: int) -> float:
    gc.collect()
    reported: object = None
    start = time.perf_counter()
    for _ in range(calls):
        reported = run()
    elapsed = (time.perf_counter() - start) / calls
    return reported if isinstance(reported, float) else elapsed
