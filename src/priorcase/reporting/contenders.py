"""The learners that a report compares, and a word about each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from priorcase.bayes import AODE, NaiveBayes, SubsetAveragedBayes, TreeAveragedBayes
from priorcase.concepts import IB3, PEBLS
from priorcase.local import (
    LocallyWeightedClassifier,
    LocallyWeightedRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
)
from priorcase.reporting.guessing import GuessedClass, GuessedNumber
from priorcase.reporting.problem import Problem
from priorcase.reporting.tuned import TunedClassifier, TunedRegressor
from priorcase.schema import Numeric

__all__ = ["BASELINE", "Contender", "contenders", "given_contenders"]

BASELINE = "guessing"


@dataclass(frozen=True, eq=False)
class Contender:
    """A learner to compare.

    Parameters
    ----------
    name
        What the report calls it.
    words
        What it does, in a sentence.
    learner
        The estimator, not fitted.
    code
        The Python expression that makes it fitted to ``X, y``; empty for a learner of the caller's own.
    flags
        The options of ``priorcase predict`` that mean it; None where there are none.
    widest
        How many columns it takes without losing its way; None for any number.
    """

    name: str
    words: str
    learner: Any
    code: str = ""
    flags: str | None = None
    widest: int | None = None


def contenders(problem: Problem, *, seed: int, n_jobs: int | None = None) -> Iterator[Contender]:
    """A sensible set for a table, guessing first."""
    numeric = any(isinstance(kind, Numeric) for kind in problem.X.kinds.values())
    if not problem.classes:
        yield from _for_numbers(seed, n_jobs)
        return
    yield Contender(BASELINE, "Looks at no column: says how frequent each class is.", GuessedClass())
    yield from _by_counts(numeric, n_jobs)
    yield from _by_neighbours(seed, n_jobs)


def _by_counts(numeric: bool, n_jobs: int | None) -> Iterator[Contender]:
    """Bayes classifiers; bins or bell curves make a difference only where there are numbers."""
    given, flag = ("numeric='mdl'", " --numeric-as mdl") if numeric else ("", "")
    yield Contender(
        "naive Bayes",
        "Every column speaks for itself; numbers follow a bell-shaped curve in each class.",
        NaiveBayes(n_jobs=n_jobs),
        "pc.NaiveBayes().fit(X, y)",
        "--learner naive-bayes",
    )
    if numeric:
        yield Contender(
            "naive Bayes, bins",
            "Every column speaks for itself; numbers are cut into ranges where the classes change.",
            NaiveBayes(numeric="mdl", n_jobs=n_jobs),
            f"pc.NaiveBayes({given}).fit(X, y)",
            "--learner naive-bayes" + flag,
        )
    yield Contender(
        "naive Bayes, averaged",
        "The average over every choice of columns, each as probable as the rows make it.",
        SubsetAveragedBayes(numeric="mdl", n_jobs=n_jobs),
        f"pc.SubsetAveragedBayes({given}).fit(X, y)",
        "--learner subsets" + flag,
    )
    yield Contender(
        "trees of columns",
        "Columns may depend on one another: the average over all trees that connect them.",
        TreeAveragedBayes(numeric="mdl", n_jobs=n_jobs),
        f"pc.TreeAveragedBayes({given}).fit(X, y)",
        "--learner trees",
        widest=120,
    )
    yield Contender(
        "one-dependence Bayes",
        "Each column in turn is what the others depend on, and the answers are averaged (AODE).",
        AODE(numeric="mdl", n_jobs=n_jobs),
        f"pc.AODE({given}).fit(X, y)",
        widest=400,
    )


def _by_neighbours(seed: int, n_jobs: int | None) -> Iterator[Contender]:
    yield Contender(
        "nearest cases",
        "The most similar rows vote; how similarity is measured and how many vote is chosen by trial.",
        TunedClassifier(n_jobs=n_jobs),
        "pc.KNNClassifier.tuned(X, y)",
        "--tune",
    )
    yield Contender(
        "local naive Bayes",
        "Naive Bayes fitted anew around every question, to the rows nearby.",
        LocallyWeightedClassifier(model="naive_bayes", n_jobs=n_jobs),
        "pc.LocallyWeightedClassifier(model='naive_bayes').fit(X, y)",
        "--learner local --model naive-bayes",
    )
    yield Contender(
        "radial basis network",
        "A weighted sum of bumps around typical rows.",
        RBFNetworkClassifier(random_state=seed, n_jobs=n_jobs),
        f"pc.RBFNetworkClassifier(random_state={seed}).fit(X, y)",
        "--learner rbf",
    )
    yield Contender(
        "memory of good cases",
        "Keeps only rows with a good record, and asks the nearest of them (IB3).",
        IB3(random_state=seed, n_jobs=n_jobs),
        f"pc.IB3(random_state={seed}).fit(X, y)",
        "--learner ib3",
    )
    yield Contender(
        "weighted exemplars",
        "The nearest row answers; rows that misled before are kept at a distance (PEBLS).",
        PEBLS(n_jobs=n_jobs),
        "pc.PEBLS().fit(X, y)",
        "--learner pebls",
    )


def _for_numbers(seed: int, n_jobs: int | None) -> Iterator[Contender]:
    yield Contender(BASELINE, "Looks at no column: says the mean.", GuessedNumber())
    yield Contender(
        "nearest cases",
        "The mean of the most similar rows; how similarity is measured and how many count is chosen by trial.",
        TunedRegressor(n_jobs=n_jobs),
        "pc.KNNRegressor.tuned(X, y)",
        "--tune",
    )
    yield Contender(
        "local planes",
        "A plane fitted to the rows around every question.",
        LocallyWeightedRegressor(n_jobs=n_jobs),
        "pc.LocallyWeightedRegressor().fit(X, y)",
        "--learner local",
    )
    yield Contender(
        "local planes, weighted",
        "A plane around every question; columns count by how well they tell different targets apart (Relief).",
        LocallyWeightedRegressor(attribute_weights="relief", n_jobs=n_jobs),
        "pc.LocallyWeightedRegressor(attribute_weights='relief').fit(X, y)",
        "--learner local --weights relief",
    )
    yield Contender(
        "radial basis network",
        "A weighted sum of bumps around typical rows.",
        RBFNetworkRegressor(random_state=seed, n_jobs=n_jobs),
        f"pc.RBFNetworkRegressor(random_state={seed}).fit(X, y)",
        "--learner rbf",
    )


def given_contenders(problem: Problem, learners: Mapping[str, Any]) -> list[Contender]:
    """The caller's own learners, with guessing before them."""
    first = (
        Contender(BASELINE, "Looks at no column: says how frequent each class is.", GuessedClass())
        if problem.classes
        else Contender(BASELINE, "Looks at no column: says the mean.", GuessedNumber())
    )
    return [first, *(Contender(name, "", learner) for name, learner in learners.items())]
