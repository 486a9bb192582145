"""Neighbours, fitted to the past cases."""

from __future__ import annotations

from typing import Any

from priorcase.cli.fitted import Fitted, check_neighbors, details_text, weights_in_use
from priorcase.cli.fitting_tuned import choice_text, tuned, tuning_settings
from priorcase.cli.learners import ByNeighbors
from priorcase.cli.making import made
from priorcase.cli.tables import Problem
from priorcase.neighbors import KNNClassifier, KNNRegressor

__all__ = ["by_neighbors"]


def by_neighbors(problem: Problem, learner: ByNeighbors) -> Fitted:
    """The past cases most like the new one vote."""
    if learner.tune:
        return _tuned(problem, learner)
    if not isinstance(learner.neighbors, str):
        hint = "Ask fewer of them, or take --neighbors sqrt, loo or all."
        check_neighbors(learner.neighbors, len(problem.train), hint)
    estimator: Any = made(learner, problem.task, None)
    settings: dict[str, Any] = {"distance": learner.distance, "vote": learner.vote}
    return _told(problem, estimator.fit(problem.train, problem.targets), settings, {})


def _tuned(problem: Problem, learner: ByNeighbors) -> Fitted:
    """Neighbours whose options are chosen."""
    estimator, tuning = tuned(problem, learner)
    settings = {name: choice_text(tuning.best_params[name]) for name in ("distance", "vote")}
    return _told(problem, estimator, settings, {**tuning_settings(tuning), "seed": learner.seed or 0})


def _told(
    problem: Problem, estimator: KNNClassifier | KNNRegressor, settings: dict[str, Any], chosen: dict[str, Any]
) -> Fitted:
    """How neighbours answer; ``chosen`` is what was tuned beside the settings."""
    past, k = len(problem.train), estimator.n_neighbors_
    # Under majority every past case as near as the k-th votes as well.
    ties = " (ties included)" if estimator.ties == "majority" and k < past else ""
    details = {**settings, **chosen, "tuning": None, "weights": estimator.attribute_weights}
    weights = weights_in_use(problem, estimator, str(estimator.attribute_weights or "none"))
    return Fitted(
        estimator,
        f"from the nearest {k} of {past} past cases{ties}",
        details_text(details),
        {"neighbors": k, **settings, "ties": estimator.ties, **weights, **chosen},
    )
