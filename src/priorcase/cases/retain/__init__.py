"""Retain: whether to keep a new case, records of use, what the cases solve, and near-duplicates."""

from priorcase.cases.retain.competence import Competence, competence
from priorcase.cases.retain.decision import Decision, Duplicate, Retained, Trial
from priorcase.cases.retain.duplicates import Duplicates, duplicates_of, near_duplicates
from priorcase.cases.retain.likeness import Likeness
from priorcase.cases.retain.policies import Policy, decide
from priorcase.cases.retain.records import Record, Records, records_of

__all__ = [
    "Competence",
    "Decision",
    "Duplicate",
    "Duplicates",
    "Likeness",
    "Policy",
    "Record",
    "Records",
    "Retained",
    "Trial",
    "competence",
    "decide",
    "duplicates_of",
    "near_duplicates",
    "records_of",
]
