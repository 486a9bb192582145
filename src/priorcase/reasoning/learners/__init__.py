"""Learners of the library fitted to cases, and kept with them."""

from priorcase.reasoning.learners.fitted import CaseLearner, fit_learner, load_state, refit_learner
from priorcase.reasoning.learners.layout import Layout
from priorcase.reasoning.learners.listing import KeptLearner, KeptLearners
from priorcase.reasoning.learners.recipe import Recipe
from priorcase.reasoning.learners.training import TrainingTable, training_table

__all__ = [
    "CaseLearner",
    "KeptLearner",
    "KeptLearners",
    "Layout",
    "Recipe",
    "TrainingTable",
    "fit_learner",
    "load_state",
    "refit_learner",
    "training_table",
]
