"""Reuse: copies, votes, means, local fits and compositions of past solutions; rules adapt them, critics check them.

Each method is a file with one formula: `copying`, `voting`, `averaging`, `local_regression`, `composing`.
"""

from priorcase.cases.reuse.averaging import Mean
from priorcase.cases.reuse.candidates import Candidate
from priorcase.cases.reuse.composing import Compose
from priorcase.cases.reuse.copying import Copy, Null
from priorcase.cases.reuse.critics import Critic
from priorcase.cases.reuse.differences import Difference
from priorcase.cases.reuse.local_regression import Local
from priorcase.cases.reuse.methods import Method
from priorcase.cases.reuse.proposal import Proposal, Source
from priorcase.cases.reuse.reusing import reuse
from priorcase.cases.reuse.rules import Rule
from priorcase.cases.reuse.sources import SourceCase
from priorcase.cases.reuse.spread import Spread
from priorcase.cases.reuse.steps import Step
from priorcase.cases.reuse.voting import Vote

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
