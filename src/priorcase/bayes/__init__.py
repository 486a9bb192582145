"""Bayesian predictive inference: what is likely, given counts and a prior."""

from priorcase.bayes.discretise import CutPoints, EqualFrequency, EqualWidth
from priorcase.bayes.gaussian import Gaussian
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
from priorcase.bayes.student import Student
from priorcase.bayes.subsets import SubsetAveragedBayes
from priorcase.bayes.superparents import AODE, SuperParentAveragedBayes
from priorcase.bayes.trees import TreeAugmentedBayes, TreeAveragedBayes
from priorcase.bayes.zeros import Cap, KeepZeros, ParamFloor

__all__ = [
    "AODE",
    "MDL",
    "Auto",
    "BDeu",
    "Cap",
    "CutPoints",
    "Dirichlet",
    "EqualFrequency",
    "EqualWidth",
    "Gaussian",
    "KMeansBins",
    "KeepZeros",
    "KernelDensity",
    "Laplace",
    "MEstimate",
    "MixtureModel",
    "NaiveBayes",
    "ParamFloor",
    "PerAttribute",
    "Student",
    "SubsetAveragedBayes",
    "SuperParentAveragedBayes",
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
