"""The learner that was asked for, fitted to the past cases."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from priorcase.bayes import NaiveBayes, TreeAveragedBayes
from priorcase.bayes.priors import Dirichlet
from priorcase.bayes.subsets import SubsetAveragedBayes
from priorcase.cli.learners import ByNaiveBayes, ByNeighbors, BySubsets, ByTrees
from priorcase.cli.request import Request
from priorcase.cli.tables import Problem
from priorcase.exceptions import ParameterError, ReadingError
from priorcase.neighbors import KNNClassifier, KNNRegressor

__all__ = ["Estimator", "Fitted", "fit"]

Estimator: TypeAlias = KNNClassifier | KNNRegressor | NaiveBayes | SubsetAveragedBayes | TreeAveragedBayes


@dataclass(frozen=True)
class Fitted:
    """An estimator and how it answers: ``how`` and ``details`` in words, ``settings`` for machines."""

    estimator: Estimator
    how: str
    details: str
    settings: dict[str, Any]


def fit(problem: Problem, request: Request) -> Fitted:
    """The estimator asked for, fitted to the past cases."""
    learner = request.learner
    if isinstance(learner, ByNeighbors):
        return _by_neighbors(problem, request.target, learner)
    if problem.task == "regress":
        expected = f"neighbors, since {request.target!r} is numeric and this learner answers with classes"
        hint = f"take --learner neighbors, or --task classify if each number of {request.target!r} is a class."
        raise ParameterError.wrong("priorcase", "--learner", learner.name, expected=expected, hint=hint)
    labels = sorted(set(problem.targets.tolist()))
    if request.explained and len(labels) == 1:
        source = "standard input" if request.train == "-" else request.train
        raise ReadingError.one_class(source, request.target, labels[0])
    return _by_counts(problem, learner)


def _by_neighbors(problem: Problem, target: str, learner: ByNeighbors) -> Fitted:
    past = len(problem.train)
    if problem.task == "regress":
        _check_regression(target, learner)
    if not isinstance(learner.neighbors, str) and learner.neighbors > past:
        expected = f"at most {past}, the number of past cases"
        hint = "ask fewer of them, or take --neighbors sqrt, loo or all."
        raise ParameterError.wrong("priorcase", "--neighbors", learner.neighbors, expected=expected, hint=hint)
    settings: dict[str, Any] = {"distance": learner.distance, "vote": learner.vote}
    if learner.ties is not None:
        settings["ties"] = learner.ties
    estimator: KNNClassifier | KNNRegressor
    if problem.task == "classify":
        estimator = KNNClassifier(learner.neighbors, prior=learner.prior, **settings)
    else:
        estimator = KNNRegressor(learner.neighbors, **settings)
    estimator.fit(problem.train, problem.targets)
    k = estimator.n_neighbors_
    # Under majority every past case as near as the k-th votes as well.
    ties = " (ties included)" if estimator.ties == "majority" and k < past else ""
    how, details = (
        f"from the nearest {k} of {past} past cases{ties}",
        f"distance {learner.distance}, vote {learner.vote}",
    )
    return Fitted(estimator, how, details, {"neighbors": k, **settings, "ties": estimator.ties})


def _check_regression(target: str, learner: ByNeighbors) -> None:
    """Refuse options that only classes have."""
    hint = f"leave it out, or take --task classify if each number of {target!r} is a class."
    if learner.prior is not None:
        expected = "no prior for a regression"
        raise ParameterError.wrong("priorcase", "--prior", learner.prior, expected=expected, hint=hint)
    if learner.ties not in (None, "majority", "first"):
        expected = "majority or first for a regression"
        raise ParameterError.wrong("priorcase", "--ties", learner.ties, expected=expected, hint=hint)


def _by_counts(problem: Problem, learner: ByNaiveBayes | BySubsets | ByTrees) -> Fitted:
    estimator = _bayes(learner).fit(problem.train, problem.targets)
    settings = asdict(learner)
    if isinstance(estimator, TreeAveragedBayes):
        settings["ess"] = estimator.ess_
    else:
        settings["prior"] = _prior_in_use(estimator, learner)
    words = [f"{name.replace('_', '-')} {_text(value)}" for name, value in settings.items() if value is not None]
    how = f"by {learner.name} from {len(problem.train)} past cases"
    if isinstance(estimator, SubsetAveragedBayes):
        table = estimator.relevance_table()
        settings["relevance"] = {str(name): table[name] for name in table}
    return Fitted(estimator, how, ", ".join(words), settings)


def _bayes(learner: ByNaiveBayes | BySubsets | ByTrees) -> NaiveBayes | SubsetAveragedBayes | TreeAveragedBayes:
    if isinstance(learner, ByTrees):
        return TreeAveragedBayes(learner.ess, numeric=learner.numeric_as)
    settings: dict[str, Any] = {"numeric": learner.numeric_as, "missing": learner.gaps}
    if learner.prior is not None:
        settings["prior"] = learner.prior
    if isinstance(learner, BySubsets):
        return SubsetAveragedBayes(**settings)
    return NaiveBayes(learner.predictive, **settings)


def _prior_in_use(estimator: NaiveBayes | SubsetAveragedBayes, learner: Any) -> float | str | None:
    """The weight of every value and class, the name of a prior with several, or None where there is no prior."""
    if isinstance(estimator, NaiveBayes) and estimator.predictive == "sc":
        return None
    prior = estimator.prior_
    return prior.weight if isinstance(prior, Dirichlet) else str(learner.prior)


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
