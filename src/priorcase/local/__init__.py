"""Fits around each query: locally weighted regression and classification, and radial basis functions."""

from priorcase.local.coefficients import LocalCoefficients
from priorcase.local.curve import LeaveOneOutCurve
from priorcase.local.precedents import LocalPrecedents
from priorcase.local.regressor import LocallyWeightedRegressor

__all__ = ["LeaveOneOutCurve", "LocalCoefficients", "LocalPrecedents", "LocallyWeightedRegressor"]
