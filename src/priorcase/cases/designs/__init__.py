"""Designs from fragments, as CADET makes them: function graphs, matching, elaboration, composition."""

from priorcase.cases.designs.common import graph_similarity
from priorcase.cases.designs.designing import design
from priorcase.cases.designs.designs import Design, Designs
from priorcase.cases.designs.elaboration import RULES, Elaboration, JoinArcs, Rewriting, SplitArc
from priorcase.cases.designs.fragments import Fragment, fragments_of, plumbing
from priorcase.cases.designs.graph import Arc, FunctionGraph, Sign
from priorcase.cases.designs.matching import Match, Matches, matches
from priorcase.cases.designs.pieces import Piece

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
