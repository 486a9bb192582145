"""Design by composing fragments of past designs, as in CADET: function graphs, matching, elaboration, composition."""

from priorcase.cases.designs.composition import Design, Designs, Fragment, Piece, design, fragments_of, plumbing
from priorcase.cases.designs.elaboration import RULES, Elaboration, JoinArcs, Rewriting, SplitArc
from priorcase.cases.designs.graph import Arc, FunctionGraph
from priorcase.cases.designs.matching import Match, graph_similarity, matches

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
    "Piece",
    "Rewriting",
    "SplitArc",
    "design",
    "fragments_of",
    "graph_similarity",
    "matches",
    "plumbing",
]
