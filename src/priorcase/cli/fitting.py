"""The learner that was asked for, fitted to the past cases."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from priorcase.bayes import NaiveBayes, TreeAveragedBayes
from priorcase.bayes.priors import Dirichlet
from priorcase.bayes.subsets import SubsetAveragedBayes
from priorcase.cli.learners import ByConcepts, ByNaiveBayes, ByNeighbors, ByPebls, BySubsets, ByTrees
from priorcase.cli.request import Request
from priorcase.cli.tables import Problem
from priorcase.concepts import IB1, IB2, IB3, IB4, PEBLS
from priorcase.exceptions import ParameterError, ReadingError
from priorcase.neighbors import KNNClassifier, KNNRegressor

__all__ = ["ConceptLearner", "Estimator", "Fitted", "fit"]

ConceptLearner: TypeAlias = IB1 | IB2 | IB3 | IB4
Estimator: TypeAlias = (
    KNNClassifier | KNNRegressor | NaiveBayes | SubsetAveragedBayes | TreeAveragedBayes | ConceptLearner | PEBLS
)

_CONCEPTS: dict[str, type[ConceptLearner]] = {"ib1": IB1, "ib2": IB2, "ib3": IB3, "ib4": IB4}


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
    if isinstance(learner, ByConcepts):
        return _by_concepts(problem, learner)
    if isinstance(learner, ByPebls):
        return _by_pebls(problem, learner)
    labels = sorted(set(problem.targets.tolist()))
    if request.explained and len(labels) == 1:
        source = "standard input" if request.train == "-" else request.train
        raise ReadingError.one_class(source, request.target, labels[0])
    return _by_counts(problem, learner)


def _by_neighbors(problem: Problem, target: str, learner: ByNeighbors) -> Fitted:
    past = len(problem.train)
    if problem.task == "regress":
        _check_regression(target, learner)
    if not isinstance(learner.neighbors, str):
        _check_neighbors(learner.neighbors, past, "ask fewer of them, or take --neighbors sqrt, loo or all.")
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


def _check_neighbors(asked: int, past: int, hint: str) -> None:
    if asked > past:
        expected = f"at most {past}, the number of past cases"
        raise ParameterError.wrong("priorcase", "--neighbors", asked, expected=expected, hint=hint)


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
    details = _details(settings)
    how = f"by {learner.name} from {len(problem.train)} past cases"
    if isinstance(estimator, SubsetAveragedBayes):
        table = estimator.relevance_table()
        settings["relevance"] = {str(name): table[name] for name in table}
    return Fitted(estimator, how, details, settings)


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


def _by_concepts(problem: Problem, learner: ByConcepts) -> Fitted:
    options, seed = asdict(learner), learner.seed or 0
    estimator = _CONCEPTS[learner.name](random_state=seed, **{k: v for k, v in options.items() if k != "seed"})
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
    return Fitted(estimator, f"by {learner.name} from {which}{remark}", _details(options), {**settings, **options})


def _by_pebls(problem: Problem, learner: ByPebls) -> Fitted:
    past, k = len(problem.train), learner.neighbors
    _check_neighbors(k, past, "ask fewer of them.")
    estimator = PEBLS(
        k,
        weighting=None if learner.weighting == "none" else learner.weighting,
        bins=learner.bins,
        ties=learner.ties,  # type: ignore[arg-type]  # one of the words of the learner
    ).fit(problem.train, problem.targets)
    settings = asdict(learner)
    ties = " (ties included)" if learner.ties == "majority" and k < past else ""
    how = f"by {learner.name} from the nearest {k} of {past} past cases{ties}"
    return Fitted(estimator, how, _details({**settings, "neighbors": None}), settings)


def _details(settings: dict[str, Any]) -> str:
    """Options in words; those that are off or have no value are left out."""
    words = []
    for name, value in settings.items():
        if value is not None and value is not False:
            words.append(name.replace("_", "-") + ("" if value is True else f" {_text(value)}"))
    return ", ".join(words)


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
