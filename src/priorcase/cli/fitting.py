"""The learner that was asked for, fitted to the past cases."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from priorcase.bayes import NaiveBayes, TreeAveragedBayes
from priorcase.bayes.priors import Dirichlet
from priorcase.bayes.subsets import SubsetAveragedBayes
from priorcase.cli.fitted import Fitted, check_neighbors, details_text
from priorcase.cli.fitting_local import by_local, by_rbf
from priorcase.cli.fitting_neighbors import by_neighbors
from priorcase.cli.learners import ByIB1, ByIB4, ByLocal, ByNaiveBayes, ByNeighbors, ByPebls, ByRbf, BySubsets, ByTrees
from priorcase.cli.making import made
from priorcase.cli.request import Request
from priorcase.cli.tables import Problem
from priorcase.cli.task_checks import check_task
from priorcase.concepts import IB4
from priorcase.exceptions import ReadingError

__all__ = ["fit"]


def fit(problem: Problem, request: Request) -> Fitted:
    """The estimator asked for, fitted to the past cases."""
    learner = request.learner
    check_task(learner, problem.task, request.target)
    if isinstance(learner, ByNeighbors):
        return by_neighbors(problem, learner)
    if isinstance(learner, ByLocal):
        return by_local(problem, learner)
    if isinstance(learner, ByRbf):
        return by_rbf(problem, learner)
    if isinstance(learner, (ByIB1, ByIB4)):
        return _by_concepts(problem, learner)
    if isinstance(learner, ByPebls):
        return _by_pebls(problem, learner)
    labels = sorted(set(problem.targets.tolist()))
    if request.explained and len(labels) == 1:
        raise ReadingError(
            f"{'standard input' if request.train == '-' else request.train}: {labels[0]!r} is the only class in column "
            f"{request.target!r}; explain holds one against another. Add past cases of other classes, or take predict."
        )
    return _by_counts(problem, learner)


def _by_counts(problem: Problem, learner: ByNaiveBayes | BySubsets | ByTrees) -> Fitted:
    estimator: Any = made(learner, problem.task, None)
    estimator.fit(problem.train, problem.targets)
    settings = asdict(learner)
    if isinstance(estimator, TreeAveragedBayes):
        settings["ess"] = estimator.ess_
    else:
        settings["prior"] = _prior_in_use(estimator, learner)
    details = details_text(settings)
    how = f"by {learner.name} from {len(problem.train)} past cases"
    if isinstance(estimator, SubsetAveragedBayes):
        table = estimator.relevance_table()
        settings["relevance"] = {str(name): table[name] for name in table}
    return Fitted(estimator, how, details, settings)


def _prior_in_use(estimator: NaiveBayes | SubsetAveragedBayes, learner: Any) -> float | str | None:
    """The weight of every value and class, the name of a prior with several, or None where there is no prior."""
    if isinstance(estimator, NaiveBayes) and estimator.predictive == "sc":
        return None
    prior = estimator.prior_
    return prior.weight if isinstance(prior, Dirichlet) else str(learner.prior)


def _by_concepts(problem: Problem, learner: ByIB1 | ByIB4) -> Fitted:
    options, seed = asdict(learner), learner.seed or 0
    estimator: Any = made(learner, problem.task, seed)
    estimator.fit(problem.train, problem.targets)
    options["seed"] = seed if learner.is_random else None
    settings: dict[str, Any] = {"kept": estimator.stored_}
    remark = ""
    if learner.judges:
        settings["acceptable"] = acceptable = round(estimator.storage_ * estimator.n_seen_)
        remark = f" ({acceptable} acceptable)" if acceptable else " (none acceptable: all may answer)"
    if isinstance(estimator, IB4):
        names, weights = list(problem.kinds), estimator.attribute_weights_.tolist()
        by_class = zip(estimator.classes_.tolist(), weights, strict=True)
        settings["attribute_weights"] = {str(c): dict(zip(names, row, strict=True)) for c, row in by_class}
    kept, past = estimator.stored_, len(problem.train)
    which = f"all {past} past cases" if kept == past else f"the {kept} of {past} past cases that it kept"
    return Fitted(estimator, f"by {learner.name} from {which}{remark}", details_text(options), {**settings, **options})


def _by_pebls(problem: Problem, learner: ByPebls) -> Fitted:
    past, k = len(problem.train), learner.neighbors
    check_neighbors(k, past, "Ask fewer of them.")
    estimator: Any = made(learner, problem.task, None)
    estimator.fit(problem.train, problem.targets)
    settings = asdict(learner)
    ties = " (ties included)" if learner.ties == "majority" and k < past else ""
    how = f"by {learner.name} from the nearest {k} of {past} past cases{ties}"
    return Fitted(estimator, how, details_text({**settings, "neighbors": None}), settings)
