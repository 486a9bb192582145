"""Networks of radial basis functions."""

from priorcase.local.rbf.classifier import RBFNetworkClassifier
from priorcase.local.rbf.output_layer import RidgeCurve
from priorcase.local.rbf.regressor import RBFNetworkRegressor

__all__ = ["RBFNetworkClassifier", "RBFNetworkRegressor", "RidgeCurve"]
