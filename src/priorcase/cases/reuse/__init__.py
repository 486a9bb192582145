"""Reuse: propose a solution from retrieved cases, adapt it by rules and check it by critics."""

from priorcase.cases.reuse.adaptation import Critic, Rule, reuse
from priorcase.cases.reuse.methods import Compose, Copy, Local, Mean, Null, Vote, check_method, tally
from priorcase.cases.reuse.proposal import Candidate, Difference, Proposal, Source, Step, value_text
from priorcase.cases.reuse.sources import HALF, Success, able, degree, worked

__all__ = [
    "HALF",
    "Candidate",
    "Compose",
    "Copy",
    "Critic",
    "Difference",
    "Local",
    "Mean",
    "Null",
    "Proposal",
    "Rule",
    "Source",
    "Step",
    "Success",
    "Vote",
    "able",
    "check_method",
    "degree",
    "reuse",
    "tally",
    "value_text",
    "worked",
]
