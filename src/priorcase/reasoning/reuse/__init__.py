"""Reuse: copies, votes, means, local fits and compositions of past solutions; rules adapt them, critics check them.

Each method is a file with one formula: `copying`, `voting`, `averaging`, `local_regression`, `composing`.
"""

from priorcase.reasoning.reuse.averaging import Mean
from priorcase.reasoning.reuse.candidates import Candidate
from priorcase.reasoning.reuse.composing import Compose
from priorcase.reasoning.reuse.copying import Copy, Null
from priorcase.reasoning.reuse.critics import Critic
from priorcase.reasoning.reuse.differences import Difference
from priorcase.reasoning.reuse.local_regression import Local
from priorcase.reasoning.reuse.methods import Method
from priorcase.reasoning.reuse.proposal import Proposal, Source
from priorcase.reasoning.reuse.reusing import reuse
from priorcase.reasoning.reuse.rules import Rule
from priorcase.reasoning.reuse.sources import SourceCase
from priorcase.reasoning.reuse.spread import Spread
from priorcase.reasoning.reuse.steps import Step
from priorcase.reasoning.reuse.voting import Vote

__all__ = [
    "Candidate",
    "Compose",
    "Copy",
    "Critic",
    "Difference",
    "Local",
    "Mean",
    "Method",
    "Null",
    "Proposal",
    "Rule",
    "Source",
    "SourceCase",
    "Spread",
    "Step",
    "Vote",
    "reuse",
]
