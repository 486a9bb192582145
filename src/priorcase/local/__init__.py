"""Fits around each query: locally weighted regression and classification, and radial basis functions."""

from priorcase.local.classifier import LocallyWeightedClassifier
from priorcase.local.classifier_linear import LocalLinear
from priorcase.local.classifier_loo import LogLossCurve
from priorcase.local.coefficients import LocalCoefficients
from priorcase.local.curve import LeaveOneOutCurve
from priorcase.local.local_bayes import LocalNaiveBayes
from priorcase.local.logistic import LocalLogistic
from priorcase.local.precedents import LocalPrecedents
from priorcase.local.rbf import RBFNetworkClassifier, RBFNetworkRegressor, RidgeCurve
from priorcase.local.regressor import LocallyWeightedRegressor

__all__ = [
    "LeaveOneOutCurve",
    "LocalCoefficients",
    "LocalLinear",
    "LocalLogistic",
    "LocalNaiveBayes",
    "LocalPrecedents",
    "LocallyWeightedClassifier",
    "LocallyWeightedRegressor",
    "LogLossCurve",
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
    "RidgeCurve",
]
