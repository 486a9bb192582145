"""What ``priorcase evaluate`` was asked to measure, measured."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from priorcase.cli.contestants import Contestant, contestants
from priorcase.cli.evaluate_checks import TEST, check_evaluation
from priorcase.cli.learners import OPTIONS, ByLocal, ByNeighbors
from priorcase.cli.making import Answered, made, neighbor_parameters
from priorcase.cli.self_tuning import SelfTuningClassifier, SelfTuningRegressor
from priorcase.cli.table_options import check_reading
from priorcase.cli.tables import READING, Cases, cases
from priorcase.cli.task_checks import check_task
from priorcase.evaluation import Comparison, Folds, Holdout, LeaveOneOut, Prequential, compare
from priorcase.evaluation.curves import Curve, learning_curve, noise_curve
from priorcase.exceptions import FarQueryWarning, UnsettledFitWarning
from priorcase.reporting.learners import baseline

__all__ = ["Measured", "measured", "past_cases"]

_SPLITS = {"folds": Folds, "holdout": Holdout, "loo": LeaveOneOut, "prequential": Prequential}
_CURVE_REPEATS = 20


@dataclass(frozen=True)
class Measured:
    """What was measured, on what, and what a reader should know."""

    past: Cases
    contestants: Sequence[Contestant]
    result: Comparison | Curve
    seed: int
    notes: tuple[str, ...]

    @property
    def nothing(self) -> bool:
        """Whether every learner failed wherever it was tried."""
        return all(cell.failure for cell in self.result.cells)


def past_cases(table: str, options: dict[str, Any]) -> Cases:
    """The table that the options say how to read."""
    reading = {name: options[name] for name in READING}
    check_reading([table], reading)
    return cases(table, options["target"], task=options["task"], **reading)


def measured(past: Cases, options: dict[str, Any]) -> Measured:
    """The learners that the options ask for, made and compared."""
    given = {name: value for name, value in options.items() if name in OPTIONS - {"seed"} and value is not None}
    found = contestants(options["learner"], given, past.task)
    if options["paired"] and len(found) < 2:
        raise click.UsageError("--paired needs two learners or more.", click.get_current_context(silent=True))
    for one in found:
        if one.learner is not None:
            check_task(one.learner, past.task, past.target)
    check_evaluation(past, options)
    learners = {one.name: _estimator(one, past.task) for one in found}
    with _quiet() as noted:
        result = _run(learners, past, options)
    if options["jobs"] not in (None, 1) and any(isinstance(one.learner, ByLocal) for one in found):
        noted.append("with --jobs nobody tells where local models found no past case, or did not settle")
    return Measured(past, found, result, options["seed"], tuple(noted))


def _estimator(one: Contestant, task: Answered) -> Any:
    """The learner, not fitted; what is random in it begins where the comparison says."""
    classes = task == "classify"
    if one.learner is None:
        return baseline(classes)
    if isinstance(one.learner, ByNeighbors) and one.learner.tune:
        make = SelfTuningClassifier if classes else SelfTuningRegressor
        return make(**neighbor_parameters(one.learner))
    return made(one.learner, task, None)


def _run(learners: dict[str, Any], past: Cases, options: dict[str, Any]) -> Comparison | Curve:
    shared: dict[str, Any] = {
        "scores": options["score"] or None,
        "random_state": options["seed"],
        "n_jobs": options["jobs"],
    }
    curve, repeats = options["curve"], options["repeats"]
    if curve is None:
        name, number = options["splits"] or ("folds", 10)
        splits = _SPLITS[name]() if number is None else _SPLITS[name](number)
        return compare(learners, past.X, past.y, splits=splits, repeats=repeats or 1, **shared)
    shared["repeats"] = repeats or _CURVE_REPEATS
    shared["test"] = TEST if options["test"] is None else options["test"]
    if curve == "learning":
        return learning_curve(learners, past.X, past.y, sizes=options["points"], **shared)
    if options["points"] is not None:
        shared["levels"] = options["points"]
    kind: Any = "attributes" if curve == "noise" else "classes"
    return noise_curve(learners, past.X, past.y, kind=kind, **shared)


@contextmanager
def _quiet() -> Iterator[list[str]]:
    """Collect in a sentence each what learners warn of; other warnings pass.

    Processes that work on splits of their own warn by themselves, each for each split, and are told not to.
    """
    notes: list[str] = []
    with _processes_do_not_warn(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FarQueryWarning)
        warnings.simplefilter("always", UnsettledFitWarning)
        yield notes
    far = sum(isinstance(warning.message, FarQueryWarning) for warning in caught)
    unsettled = sum(isinstance(warning.message, UnsettledFitWarning) for warning in caught)
    for warning in caught:
        if not isinstance(warning.message, FarQueryWarning | UnsettledFitWarning):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if far:
        notes.append("some cases had no past case within the bandwidth: those nearest answered there")
    if unsettled:
        notes.append("some local models did not settle: their probabilities are approximate")


@contextmanager
def _processes_do_not_warn() -> Iterator[None]:
    """Let processes that start meanwhile warn of nothing, unless the caller has a rule for warnings."""
    if "PYTHONWARNINGS" in os.environ:
        yield
        return
    os.environ["PYTHONWARNINGS"] = "ignore"
    try:
        yield
    finally:
        del os.environ["PYTHONWARNINGS"]
