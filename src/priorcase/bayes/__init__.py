"""Bayesian predictive inference: probabilities from counts and a prior.

Names are loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from priorcase.bayes.additive import Cap, KeepZeros, ParamFloor
    from priorcase.bayes.discretize import MDL, CutPoints, EqualFrequency, EqualWidth, Interval, KMeansBins, TwoWay
    from priorcase.bayes.mixture import MixtureModel
    from priorcase.bayes.naive_bayes import NaiveBayes
    from priorcase.bayes.numeric import GaussianDensity, KernelDensity, Student
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
    from priorcase.bayes.priors import Auto, BDeu, Dirichlet, Laplace, MEstimate, PerAttribute, Prior
    from priorcase.bayes.results import TARGET, Contributions, EdgeTable, JointDistribution, Relevance, SuperParentTable
    from priorcase.bayes.structured import AODE, SuperParentAveragedBayes, TreeAugmentedBayes, TreeAveragedBayes
    from priorcase.bayes.subsets import SubsetAveragedBayes

_MODULES = {
    "additive": "Cap KeepZeros ParamFloor",
    "discretize": "MDL CutPoints EqualFrequency EqualWidth Interval KMeansBins TwoWay",
    "mixture": "MixtureModel",
    "naive_bayes": "NaiveBayes",
    "numeric": "GaussianDensity KernelDensity Student",
    "predictive": "evidence growth laplace log_marginal m_estimate maximum_a_posteriori maximum_likelihood "
    "stochastic_complexity",
    "priors": "Auto BDeu Dirichlet Laplace MEstimate PerAttribute Prior",
    "results": "TARGET Contributions EdgeTable JointDistribution Relevance SuperParentTable",
    "structured": "AODE SuperParentAveragedBayes TreeAugmentedBayes TreeAveragedBayes",
    "subsets": "SubsetAveragedBayes",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = ["AODE", "MDL", "TARGET", "Auto", "BDeu", "Cap", "Contributions", "CutPoints", "Dirichlet", "EdgeTable"]
__all__ += ["EqualFrequency", "EqualWidth", "GaussianDensity", "Interval", "JointDistribution", "KMeansBins"]
__all__ += ["KeepZeros", "KernelDensity", "Laplace", "MEstimate", "MixtureModel", "NaiveBayes", "ParamFloor"]
__all__ += ["PerAttribute", "Prior", "Relevance", "Student", "SubsetAveragedBayes", "SuperParentAveragedBayes"]
__all__ += ["SuperParentTable", "TreeAugmentedBayes", "TreeAveragedBayes", "TwoWay", "evidence", "growth", "laplace"]
__all__ += ["log_marginal", "m_estimate", "maximum_a_posteriori", "maximum_likelihood", "stochastic_complexity"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'priorcase.bayes' has no attribute {name!r}")
    value = getattr(import_module(f"priorcase.bayes.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
