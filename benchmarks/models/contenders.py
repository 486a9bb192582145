"""Every Bayes model of the library, and the models that users would choose instead; their code is their name."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import priorcase as pc
from benchmarks.models.encoded import categorical_pipeline, gaussian_pipeline
from benchmarks.models.problems import Problem
from priorcase.bayes.subsets import SubsetAveragedBayes

MANY_ROWS = 5_000
"""Number of rows from which EM is run from one start instead of five."""

PLUG_IN = 'NaiveBayes("map", numeric="gaussian", zero_policy="cap100")'
EVIDENCE = 'NaiveBayes(numeric="student")'
BINS_BY_CLASS = "NaiveBayes()"
TREES = "TreeAveragedBayes()"

Contender = Callable[[Problem], Any]


def _mixture(problem: Problem) -> Any:
    return pc.MixtureModel(n_init=1 if len(problem.y) >= MANY_ROWS else 5, random_state=0, progress=False)


OURS: Mapping[str, Contender] = {
    BINS_BY_CLASS: lambda p: pc.NaiveBayes(),
    EVIDENCE: lambda p: pc.NaiveBayes(numeric="student"),
    'NaiveBayes("sc", numeric="student")': lambda p: pc.NaiveBayes("sc", numeric="student"),
    'NaiveBayes("map", numeric="gaussian")': lambda p: pc.NaiveBayes("map", numeric="gaussian"),
    PLUG_IN: lambda p: pc.NaiveBayes("map", numeric="gaussian", zero_policy="cap100"),
    'NaiveBayes(numeric="student", prior="auto")': lambda p: pc.NaiveBayes(numeric="student", prior="auto"),
    'NaiveBayes(numeric="kernel")': lambda p: pc.NaiveBayes(numeric="kernel"),
    'NaiveBayes(numeric="kmeans")': lambda p: pc.NaiveBayes(numeric="kmeans"),
    "SubsetAveragedBayes()": lambda p: SubsetAveragedBayes(),
    'SubsetAveragedBayes(numeric="student")': lambda p: SubsetAveragedBayes(numeric="student"),
    TREES: lambda p: pc.TreeAveragedBayes(),
    "TreeAugmentedBayes()": lambda p: pc.TreeAugmentedBayes(),
    "SuperParentAveragedBayes()": lambda p: pc.SuperParentAveragedBayes(),
    "AODE()": lambda p: pc.AODE(),
    "MixtureModel()": _mixture,
}
PEERS: Mapping[str, Contender] = {
    "scikit-learn GaussianNB": gaussian_pipeline,
    "scikit-learn CategoricalNB": categorical_pipeline,
}
CONTENDERS: Mapping[str, Contender] = {**OURS, **PEERS}


def log_probabilities(model: Any, problem: Problem, train: Any, test: Any, *, told: bool = False) -> Any:
    """Fit a model and return the log-probabilities of the test rows, one column for each class of the problem.

    A class without training rows gets probability 0, unless ``told`` is true, which tells the model all classes.
    """
    X, rows = problem.X.take(train), problem.X.take(test)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of EM and of binning, which do not concern the scores
        if told:
            model.partial_fit(X, problem.y[train], classes=problem.classes)
        else:
            model.fit(X, problem.y[train])
    logs = np.full((len(test), len(problem.classes)), -np.inf)
    logs[:, np.searchsorted(problem.classes, model.classes_)] = _logs(model, rows)
    return logs


def _logs(model: Any, rows: Any) -> Any:
    if hasattr(model, "predict_log_proba"):
        return model.predict_log_proba(rows)
    with np.errstate(divide="ignore"):
        return np.log(model.predict_proba(rows))
