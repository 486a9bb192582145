"""Radial basis function networks."""

from priorcase.local.rbf.network import RBFNetworkClassifier, RBFNetworkRegressor
from priorcase.local.rbf.output_layer import RidgeCurve

__all__ = ["RBFNetworkClassifier", "RBFNetworkRegressor", "RidgeCurve"]
