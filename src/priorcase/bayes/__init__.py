"""Bayesian predictive inference: what is likely, given counts and a prior.

The names below are loaded when first used: neighbours, which borrow from some modules here, wait for no others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from priorcase.bayes.discretise import CutPoints, EqualFrequency, EqualWidth
    from priorcase.bayes.gaussian import Gaussian
    from priorcase.bayes.intervals import Interval
    from priorcase.bayes.kernel_density import KernelDensity
    from priorcase.bayes.kmeans_bins import KMeansBins
    from priorcase.bayes.mdl import MDL, TwoWay
    from priorcase.bayes.mixture import MixtureModel
    from priorcase.bayes.naive_bayes import NaiveBayes
    from priorcase.bayes.predictive import (
        evidence,
        growth,
        laplace,
        log_marginal,
        m_estimate,
        maximum_a_posteriori,
        maximum_likelihood,
        stochastic_complexity,
    )
    from priorcase.bayes.priors import Auto, BDeu, Dirichlet, Laplace, MEstimate, PerAttribute
    from priorcase.bayes.results import (
        TARGET,
        Contributions,
        EdgeTable,
        JointDistribution,
        Relevance,
        SuperParentTable,
    )
    from priorcase.bayes.student import Student
    from priorcase.bayes.subsets import SubsetAveragedBayes
    from priorcase.bayes.superparents import AODE, SuperParentAveragedBayes
    from priorcase.bayes.trees import TreeAugmentedBayes, TreeAveragedBayes
    from priorcase.bayes.zeros import Cap, KeepZeros, ParamFloor

_MODULES = {
    "discretise": ("CutPoints", "EqualFrequency", "EqualWidth"),
    "gaussian": ("Gaussian",),
    "intervals": ("Interval",),
    "kernel_density": ("KernelDensity",),
    "kmeans_bins": ("KMeansBins",),
    "mdl": ("MDL", "TwoWay"),
    "mixture": ("MixtureModel",),
    "naive_bayes": ("NaiveBayes",),
    "predictive": (
        "evidence",
        "growth",
        "laplace",
        "log_marginal",
        "m_estimate",
        "maximum_a_posteriori",
        "maximum_likelihood",
        "stochastic_complexity",
    ),
    "priors": ("Auto", "BDeu", "Dirichlet", "Laplace", "MEstimate", "PerAttribute"),
    "results": ("TARGET", "Contributions", "EdgeTable", "JointDistribution", "Relevance", "SuperParentTable"),
    "student": ("Student",),
    "subsets": ("SubsetAveragedBayes",),
    "superparents": ("AODE", "SuperParentAveragedBayes"),
    "trees": ("TreeAugmentedBayes", "TreeAveragedBayes"),
    "zeros": ("Cap", "KeepZeros", "ParamFloor"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "AODE",
    "MDL",
    "TARGET",
    "Auto",
    "BDeu",
    "Cap",
    "Contributions",
    "CutPoints",
    "Dirichlet",
    "EdgeTable",
    "EqualFrequency",
    "EqualWidth",
    "Gaussian",
    "Interval",
    "JointDistribution",
    "KMeansBins",
    "KeepZeros",
    "KernelDensity",
    "Laplace",
    "MEstimate",
    "MixtureModel",
    "NaiveBayes",
    "ParamFloor",
    "PerAttribute",
    "Relevance",
    "Student",
    "SubsetAveragedBayes",
    "SuperParentAveragedBayes",
    "SuperParentTable",
    "TreeAugmentedBayes",
    "TreeAveragedBayes",
    "TwoWay",
    "evidence",
    "growth",
    "laplace",
    "log_marginal",
    "m_estimate",
    "maximum_a_posteriori",
    "maximum_likelihood",
    "stochastic_complexity",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'priorcase.bayes' has no attribute {name!r}")
    value = getattr(import_module(f"priorcase.bayes.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
