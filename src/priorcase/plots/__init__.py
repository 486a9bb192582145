"""Pictures of models and of what they say: displays with ``.plot(ax=None)`` and ``.frame()``."""

from priorcase.plots.decision_surface import DecisionSurface
from priorcase.plots.voronoi import VoronoiCells

__all__ = ["DecisionSurface", "VoronoiCells"]
