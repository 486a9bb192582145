"""Finite mixture models for mixed tables with missing values."""

from priorcase.bayes.mixture.model import MixtureModel
from priorcase.bayes.mixture.results import Components, OutlierScores, Selection

__all__ = ["Components", "MixtureModel", "OutlierScores", "Selection"]
