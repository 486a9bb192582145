"""Plots of models and predictions.

Each display has a method ``plot``, and a method ``frame`` that returns the plotted numbers as a data frame.
"""

from priorcase.plots.concept import ConceptDisplay
from priorcase.plots.leave_one_out import LeaveOneOutDisplay
from priorcase.plots.local_fit import LocalFitDisplay
from priorcase.plots.precedents import PrecedentsDisplay
from priorcase.plots.surfaces import DecisionSurface, VoronoiCells
from priorcase.plots.tree_posterior import TreePosterior
from priorcase.plots.weights import WeightsDisplay

__all__ = [
    "ConceptDisplay",
    "DecisionSurface",
    "LeaveOneOutDisplay",
    "LocalFitDisplay",
    "PrecedentsDisplay",
    "TreePosterior",
    "VoronoiCells",
    "WeightsDisplay",
]
