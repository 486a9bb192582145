"""Designs from fragments, as CADET makes them: function graphs, matching, elaboration, composition."""

from priorcase.reasoning.function.graph import Arc, FunctionGraph, Sign

__all__ = ["Arc", "FunctionGraph", "Sign"]
