"""The estimator that a learner of the command line stands for, not fitted yet."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal, TypeAlias

from priorcase.bayes import NaiveBayes, TreeAveragedBayes
from priorcase.bayes.subsets import SubsetAveragedBayes
from priorcase.cli.fitted import ConceptLearner, Estimator
from priorcase.cli.learners import (
    ByConcepts,
    ByIB1,
    ByIB4,
    ByLocal,
    ByNaiveBayes,
    ByNeighbors,
    ByPebls,
    ByRbf,
    BySubsets,
    ByTrees,
    Learner,
)
from priorcase.concepts import IB1, IB2, IB3, IB4, PEBLS
from priorcase.local import (
    LocallyWeightedClassifier,
    LocallyWeightedRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
)
from priorcase.neighbors import KNNClassifier, KNNRegressor

__all__ = ["DEGREE", "MODEL", "Answered", "centers_by", "made", "neighbor_parameters", "unless_none"]

Answered: TypeAlias = Literal["classify", "regress"]
"""What a target asks for, once that is known."""

DEGREE = 1
"""The degree of a local polynomial, unless asked otherwise."""
MODEL = "logistic"
"""The local model of classes, unless asked otherwise."""
_CONCEPTS: dict[str, type[ConceptLearner]] = {"ib1": IB1, "ib2": IB2, "ib3": IB3, "ib4": IB4}


def made(learner: Learner, task: Answered, seed: int | None) -> Estimator:
    """The estimator, not fitted; of neighbours to be tuned that with the default options.

    Parameters
    ----------
    learner
        The learner with its options, which go with the task.
    task
        What the target asks for.
    seed
        Where random numbers begin; None to leave that to whoever fits.

    Examples
    --------
    >>> made(ByTrees(ess=2.0), "classify", 0)
    TreeAveragedBayes(ess=2.0)
    """
    if isinstance(learner, ByNeighbors):
        return _neighbors(learner, task)
    if isinstance(learner, ByLocal):
        return _local(learner, task)
    if isinstance(learner, ByRbf):
        return _rbf(learner, task, seed)
    if isinstance(learner, (ByIB1, ByIB4)):
        return _concepts(learner, seed)
    return _pebls(learner) if isinstance(learner, ByPebls) else _bayes(learner)


def neighbor_parameters(learner: ByNeighbors) -> dict[str, Any]:
    """What is not chosen by ``--tune``."""
    parameters: dict[str, Any] = {"attribute_weights": unless_none(learner.weights)}
    return parameters if learner.ties is None else {**parameters, "ties": learner.ties}


def centers_by(learner: ByRbf) -> str:
    """How centres are found, as the estimator calls it."""
    return "all" if learner.centers == "all" else learner.centers_by or "kmeans"


def unless_none(word: str) -> Any:
    """The word, None for ``none``."""
    return None if word == "none" else word


def _neighbors(learner: ByNeighbors, task: Answered) -> KNNClassifier | KNNRegressor:
    settings: dict[str, Any] = {"distance": learner.distance, "vote": learner.vote, **neighbor_parameters(learner)}
    if task == "classify":
        return KNNClassifier(learner.neighbors, prior=learner.prior, **settings)
    return KNNRegressor(learner.neighbors, **settings)


def _local(learner: ByLocal, task: Answered) -> LocallyWeightedClassifier | LocallyWeightedRegressor:
    settings: dict[str, Any] = {
        "kernel": learner.kernel,
        "bandwidth": learner.bandwidth,
        "distance": learner.distance,
        "attribute_weights": unless_none(learner.weights),
    }
    if task == "regress":
        settings["degree"] = DEGREE if learner.degree is None else learner.degree
        return LocallyWeightedRegressor(learner.neighbors, **settings)
    settings["model"] = (learner.model or MODEL).replace("-", "_")
    settings["prior"] = "frequency" if learner.prior is None else learner.prior
    return LocallyWeightedClassifier(learner.neighbors, **settings)


def _rbf(learner: ByRbf, task: Answered, seed: int | None) -> RBFNetworkClassifier | RBFNetworkRegressor:
    make = RBFNetworkClassifier if task == "classify" else RBFNetworkRegressor
    return make(
        "auto" if learner.centers == "all" else learner.centers,
        centers=centers_by(learner),  # type: ignore[arg-type]  # one of the words of the learner
        width=learner.width,  # type: ignore[arg-type]
        alpha=learner.alpha,  # type: ignore[arg-type]
        distance=learner.distance,
        attribute_weights=unless_none(learner.weights),
        random_state=seed,
    )


def _bayes(learner: ByNaiveBayes | BySubsets | ByTrees) -> NaiveBayes | SubsetAveragedBayes | TreeAveragedBayes:
    if isinstance(learner, ByTrees):
        return TreeAveragedBayes(learner.ess, numeric=learner.numeric_as)
    settings: dict[str, Any] = {"numeric": learner.numeric_as, "missing": learner.gaps}
    if learner.prior is not None:
        settings["prior"] = learner.prior
    if isinstance(learner, BySubsets):
        return SubsetAveragedBayes(**settings)
    return NaiveBayes(learner.predictive, **settings)


def _concepts(learner: ByConcepts, seed: int | None) -> ConceptLearner:
    options = {name: value for name, value in asdict(learner).items() if name != "seed"}
    return _CONCEPTS[learner.name](random_state=seed, **options)


def _pebls(learner: ByPebls) -> PEBLS:
    return PEBLS(
        learner.neighbors,
        weighting=unless_none(learner.weighting),
        bins=learner.bins,
        ties=learner.ties,  # type: ignore[arg-type]  # one of the words of the learner
    )
