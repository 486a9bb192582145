"""Models around the new case, fitted to the past cases: local regression and classification, and bumps."""

from __future__ import annotations

import warnings
from typing import Any

from priorcase.cli.fitted import Fitted, check_neighbors, details_text, weights_in_use
from priorcase.cli.learners import ByLocal, ByRbf
from priorcase.cli.making import MODEL, centers_by, made, unless_none
from priorcase.cli.tables import Problem
from priorcase.exceptions import ParameterError, UnsettledFitWarning, quoted
from priorcase.local.rbf.centers import MAX_CENTERS
from priorcase.similarity.kernels import resolve_kernel

__all__ = ["LEVEL", "by_local", "by_rbf"]

LEVEL = 0.95
"""How probable a new case lies in its interval, unless asked otherwise."""


def by_local(problem: Problem, learner: ByLocal) -> Fitted:
    """A polynomial, or a small classifier, around each new case."""
    past = len(problem.train)
    if isinstance(learner.neighbors, int):
        check_neighbors(learner.neighbors, past, "Ask fewer of them, or take --neighbors sqrt, loo or all.")
    estimator: Any = made(learner, problem.task, None)
    own: dict[str, Any]
    if problem.task == "classify":
        own = {"model": learner.model or MODEL, "prior": estimator.prior}
    else:
        own = {"degree": estimator.degree, "level": learner.level or LEVEL}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsettledFitWarning)  # of fits that only rank numbers of neighbours
        estimator.fit(problem.train, problem.targets)
    by_query = learner.bandwidth == "query"
    settings: dict[str, Any] = {
        "neighbors": None if by_query else estimator.n_neighbors_,
        **own,
        "kernel": learner.kernel,
        "bandwidth": learner.bandwidth if by_query or learner.bandwidth is None else estimator.bandwidth_,
        "distance": learner.distance,
    }
    details = {**settings, "neighbors": None, "level": None, "weights": unless_none(learner.weights)}
    settings |= weights_in_use(problem, estimator, learner.weights)
    return Fitted(estimator, f"by local from {_reach(settings, past)}", details_text(details), settings)


def by_rbf(problem: Problem, learner: ByRbf) -> Fitted:
    """A sum of bumps around a few centres."""
    _check_centers(problem, learner)
    how, seed = centers_by(learner), learner.seed or 0
    estimator: Any = made(learner, problem.task, seed)
    estimator.fit(problem.train, problem.targets)
    settings: dict[str, Any] = {
        "centers": estimator.n_centers_,
        "centers_by": None if how == "all" else how,
        "width": learner.width,
        "alpha": estimator.alpha_,
        "distance": learner.distance,
        "seed": None if how == "all" else seed,
    }
    details = {**settings, "centers": None, "weights": unless_none(learner.weights)}
    settings |= weights_in_use(problem, estimator, learner.weights)
    summary = f"by rbf from {estimator.n_centers_} centres among {len(problem.train)} past cases"
    return Fitted(estimator, summary, details_text(details), settings)


def _reach(settings: dict[str, Any], past: int) -> str:
    """Whom a fit is made from."""
    k, bandwidth = settings["neighbors"], settings["bandwidth"]
    if k is None:
        return f"as many of {past} past cases as suit each new one"
    nearest = f"the nearest {k} of {past} past cases"
    if bandwidth is not None and resolve_kernel(settings["kernel"]).compact:
        return f"those of {nearest if k < past else f'{past} past cases'} that lie within the bandwidth"
    return nearest if k < past else f"all {past} past cases"


def _check_centers(problem: Problem, learner: ByRbf) -> None:
    """Refuse more centres than there are different past cases, or than a network can have."""
    if learner.centers == "auto":
        return
    different = len(set(problem.train.tuples()))
    hint = "Ask for fewer of them, or take --centers auto."
    if learner.centers != "all" and learner.centers > different:
        raise ParameterError(
            f"got --centers={quoted(learner.centers)}; expected at most {different}, the number of different past "
            f"cases. {hint}"
        )
    if (different if learner.centers == "all" else learner.centers) > MAX_CENTERS:
        raise ParameterError(
            f"got --centers={quoted(learner.centers)}; expected at most {MAX_CENTERS} centres; there are {different} "
            f"different past cases. {hint}"
        )
