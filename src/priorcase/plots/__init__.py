"""Pictures of models and of what they say: displays with ``.plot(ax=None)`` and ``.frame()``."""

from priorcase.plots.decision_surface import DecisionSurface

__all__ = ["DecisionSurface"]
