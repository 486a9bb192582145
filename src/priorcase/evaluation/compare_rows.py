"""Rows asked about one at a time: left out of the rest, or in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase.evaluation.closed_form import has_closed_form
from priorcase.evaluation.compare_cells import Part, Trial
from priorcase.evaluation.running import Finished, run_all

_ROWS_AT_ONCE = 16


@dataclass(frozen=True)
class Running:
    """How pieces of work are run: see `run_all`."""

    n_jobs: int | None
    progress: bool | None
    text: str

    def run(self, pieces: Sequence[tuple[Any, ...]]) -> Finished[Any]:
        """What comes of ``(trial, method, details...)``."""
        return run_all(do, pieces, n_jobs=self.n_jobs, progress=self.progress, text=self.text)


def do(trial: Trial, method: str, *details: Any) -> Any:
    """One piece of work, in whatever process it runs."""
    return getattr(trial, method)(*details)


def in_order(trials: Mapping[str, Trial], start: int, running: Running) -> dict[str, list[Part]]:
    """What each learner says of each row from ``start`` on by those before it; only learners that have finished."""
    finished = running.run([(trial, "in_order", start) for trial in trials.values()])
    return {name: [part] for name, part in zip(trials, finished.results, strict=True) if part is not None}


def left_out(trials: Mapping[str, Trial], running: Running) -> dict[str, list[Part]]:
    """What each learner says of each row without it; only learners that have finished with all rows.

    First at once, where learners offer it; then by a fit for each row, for those that do not, or must learn anew.
    """
    quick = {name: trial for name, trial in trials.items() if has_closed_form(trial.learner)}
    at_once: dict[str, Part] = {}
    if quick:
        first = running.run([(trial, "without_each") for trial in quick.values()])
        at_once = {name: part for name, part in zip(quick, first.results, strict=True) if part is not None}
        if not first.complete:
            return {name: [part] for name, part in at_once.items() if not part.unsettled}
    settled = {name: [part] for name, part in at_once.items() if not part.unsettled}
    slow = {name: trial for name, trial in trials.items() if name not in settled}
    try:
        return settled | _refitted(slow, running)
    except KeyboardInterrupt:
        if not settled:
            raise
        return settled


def _refitted(trials: Mapping[str, Trial], running: Running) -> dict[str, list[Part]]:
    """By a fit for each row, some rows at a time."""
    pieces, owners = [], []
    for name, trial in trials.items():
        n = len(trial.task)
        for start in range(0, n, _ROWS_AT_ONCE):
            pieces.append((trial, "without", np.arange(start, min(start + _ROWS_AT_ONCE, n))))
            owners.append(name)
    if not pieces:
        return {}
    results = running.run(pieces).results
    unfinished = {owner for owner, part in zip(owners, results, strict=True) if part is None}
    found: dict[str, list[Part]] = {name: [] for name in trials if name not in unfinished}
    for owner, part in zip(owners, results, strict=True):
        if part is not None and owner in found:
            found[owner].append(part)
    return found
