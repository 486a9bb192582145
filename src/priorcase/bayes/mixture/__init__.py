"""Finite mixtures with a hidden class, for mixed tables with gaps."""

from priorcase.bayes.mixture.components import Components
from priorcase.bayes.mixture.model import MixtureModel
from priorcase.bayes.mixture.oddness import Oddness
from priorcase.bayes.mixture.selection import Selection

__all__ = ["Components", "MixtureModel", "Oddness", "Selection"]
