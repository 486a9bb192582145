"""Neighbours whose number, distance, vote and prior are chosen together."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

from priorcase.cli.learners import ByNeighbors
from priorcase.cli.making import neighbor_parameters
from priorcase.cli.tables import Problem
from priorcase.exceptions import ParameterError
from priorcase.neighbors import KNNClassifier, KNNRegressor, Tuning, tune

__all__ = ["choice_text", "tuned", "tuning_settings"]

_LEAST = 3
_FOLDS = 5


def tuned(problem: Problem, learner: ByNeighbors) -> tuple[KNNClassifier | KNNRegressor, Tuning]:
    """The best of many neighbours by leave-one-out, and what was tried."""
    past = len(problem.train)
    if past < _LEAST:
        raise ParameterError(
            f"got --tune=True; expected at least {_LEAST} past cases to choose by, not {past}. Leave it out, or add "
            "past cases."
        )
    make = KNNClassifier if problem.task == "classify" else KNNRegressor
    stays = neighbor_parameters(learner)
    plain = make(schema=dict(enumerate(problem.kinds.values())), **stays)
    rows, folds = problem.train.tuples(), min(_FOLDS, past)
    tuning = tune(plain, rows, problem.targets, nested=folds, random_state=learner.seed or 0)
    best = make(**{**stays, **tuning.best_params})  # fitted again to columns with names
    return best.fit(problem.train, problem.targets), tuning


def tuning_settings(tuning: Tuning) -> dict[str, Any]:
    """What was chosen beside the usual options, and by what, for machines."""
    chosen = {name: tuning.best_params[name] for name in ("prior", "temperature") if name in tuning.best_params}
    scores = {"score": tuning.score, "nested_score": tuning.nested_score}
    return {**chosen, "tuning": {"candidates": len(tuning), "scoring": tuning.scoring, **scores}}


def choice_text(value: object) -> str:
    """A name, or an object with options by those that are not the usual ones.

    Examples
    --------
    >>> from priorcase.similarity import Absolute, Gaussian
    >>> choice_text("heom"), choice_text(Absolute("std")), choice_text(Gaussian(0.5))
    ('heom', 'Absolute(scaling=std)', 'Gaussian(width=0.5)')
    """
    if not is_dataclass(value) or isinstance(value, type):
        return f"{value:g}" if isinstance(value, float) else str(value)
    own = [(part.name, getattr(value, part.name)) for part in fields(value) if not _usual(value, part)]
    return f"{type(value).__name__}({', '.join(f'{name}={choice_text(option)}' for name, option in own)})"


def _usual(value: object, part: Field[Any]) -> bool:
    default = part.default_factory() if part.default_factory is not MISSING else part.default
    return bool(getattr(value, part.name) == default)
