"""Local models: locally weighted regression and classification, and radial basis function networks."""

from priorcase.local.classifier import LocalLinear, LocalLogistic, LocallyWeightedClassifier, LocalNaiveBayes
from priorcase.local.rbf import RBFNetworkClassifier, RBFNetworkRegressor, RidgeCurve
from priorcase.local.regressor import LocalCoefficients, LocallyWeightedRegressor, LocalPrecedents
from priorcase.local.windows import LeaveOneOutCurve, LogScoreCurve

__all__ = [
    "LeaveOneOutCurve",
    "LocalCoefficients",
    "LocalLinear",
    "LocalLogistic",
    "LocalNaiveBayes",
    "LocalPrecedents",
    "LocallyWeightedClassifier",
    "LocallyWeightedRegressor",
    "LogScoreCurve",
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
    "RidgeCurve",
]
