"""Finite mixture models for mixed tables with missing values."""

from priorcase.bayes.mixture.model import Components, MixtureModel
from priorcase.bayes.mixture.oddness import Oddness
from priorcase.bayes.mixture.selection import Selection

__all__ = ["Components", "MixtureModel", "Oddness", "Selection"]
