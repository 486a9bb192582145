"""Fitted learners as bytes, in a closed and checksummed format that holds data and never code."""

from priorcase.cases.saving.files import load_learner, save_learner
from priorcase.cases.saving.saved import dump, load

__all__ = ["dump", "load", "load_learner", "save_learner"]
