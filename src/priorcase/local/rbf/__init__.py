"""Networks of radial basis functions."""

from priorcase.local.rbf.classifier import RBFNetworkClassifier
from priorcase.local.rbf.curve import RidgeCurve
from priorcase.local.rbf.regressor import RBFNetworkRegressor

__all__ = ["RBFNetworkClassifier", "RBFNetworkRegressor", "RidgeCurve"]
