"""Fitted learners as bytes, in a closed and checksummed format that holds data and never code."""

from priorcase.reasoning.saving.files import load_learner, save_learner
from priorcase.reasoning.saving.saved import dump, load

__all__ = ["dump", "load", "load_learner", "save_learner"]
