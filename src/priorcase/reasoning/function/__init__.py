"""Designs from fragments, as CADET makes them: function graphs, matching, elaboration, composition."""

from priorcase.reasoning.function.common import graph_similarity
from priorcase.reasoning.function.designing import design
from priorcase.reasoning.function.designs import Design, Designs
from priorcase.reasoning.function.elaboration import RULES, Elaboration, JoinArcs, Rewriting, SplitArc
from priorcase.reasoning.function.fragments import Fragment, fragments_of, plumbing
from priorcase.reasoning.function.graph import Arc, FunctionGraph, Sign
from priorcase.reasoning.function.matching import Match, Matches, matches
from priorcase.reasoning.function.pieces import Piece

__all__ = [
    "RULES",
    "Arc",
    "Design",
    "Designs",
    "Elaboration",
    "Fragment",
    "FunctionGraph",
    "JoinArcs",
    "Match",
    "Matches",
    "Piece",
    "Rewriting",
    "Sign",
    "SplitArc",
    "design",
    "fragments_of",
    "graph_similarity",
    "matches",
    "plumbing",
]
