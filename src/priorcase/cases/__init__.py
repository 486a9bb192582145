"""Case-based reasoning with a case base that is stored in a file: retrieve, reuse, revise, retain.

Names are imported on first use, so that ``import priorcase.cases`` is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from priorcase.cases.case import Case as Case
    from priorcase.cases.case import Note as Note
    from priorcase.cases.case_base import CaseBase as CaseBase
    from priorcase.cases.competence import Competence as Competence
    from priorcase.cases.competence import Duplicates as Duplicates
    from priorcase.cases.conditions import *
    from priorcase.cases.conversation import *
    from priorcase.cases.designs import Design as Design
    from priorcase.cases.designs import Designs as Designs
    from priorcase.cases.designs import Elaboration as Elaboration
    from priorcase.cases.designs import Fragment as Fragment
    from priorcase.cases.designs import FunctionGraph as FunctionGraph
    from priorcase.cases.designs import JoinArcs as JoinArcs
    from priorcase.cases.designs import Piece as Piece
    from priorcase.cases.designs import Rewriting as Rewriting
    from priorcase.cases.designs import SplitArc as SplitArc
    from priorcase.cases.designs import design as design
    from priorcase.cases.designs import fragments_of as fragments_of
    from priorcase.cases.designs import graph_similarity as graph_similarity
    from priorcase.cases.designs import plumbing as plumbing
    from priorcase.cases.kinds import Graph as Graph
    from priorcase.cases.learners import CaseLearner as CaseLearner
    from priorcase.cases.learners import KeptLearners as KeptLearners
    from priorcase.cases.measures import *
    from priorcase.cases.retain import Records as Records
    from priorcase.cases.retain import Retained as Retained
    from priorcase.cases.retrieval import *
    from priorcase.cases.reuse import *

_NAMES = {  # module -> public names
    "case": "Case Note",
    "case_base": "CaseBase",
    "competence": "Competence Duplicates",
    "conditions": "Condition above all_of at_least at_most below between contains exactly known matches missing not_ "
    "one_of under",
    "conversation": "Conversation Question Transcript",
    "designs": "Design Designs Elaboration Fragment FunctionGraph JoinArcs Piece Rewriting SplitArc design "
    "fragments_of graph_similarity plumbing",
    "kinds": "Graph",
    "learners": "CaseLearner KeptLearners",
    "measures": "Blend CircularSimilarity Containment Dice EditDistance Embedding EqualText Equality "
    "ExponentialSimilarity GaussianSimilarity GraphSimilarity Jaccard LevelSimilarity Linear LocalSimilarity MVDM "
    "OneSided Own PathLength Prepared Ranks Recency Season SetOverlap SimilarityTable TfIdf Threshold WuPalmer",
    "retain": "Records Retained",
    "retrieval": "Contribution Explanation Match Retrieval Weights",
    "reuse": "Compose Copy Critic Local Mean Null Proposal Rule Vote",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'priorcase.cases' has no attribute {name!r}")
    value = getattr(import_module(f"priorcase.cases.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
