"""Retain: whether to keep a new case, records of use, what the cases solve, and near-duplicates."""

from priorcase.cases.retain.competence import Competence, Duplicates, competence, near_duplicates
from priorcase.cases.retain.policies import (
    Duplicate,
    Policy,
    Record,
    Records,
    Retained,
    Trial,
    decide,
    records_of,
)
from priorcase.cases.scoring import Likeness

__all__ = [
    "Competence",
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
    "near_duplicates",
    "records_of",
]
