"""Learners of the library fitted to cases, and kept with them."""

from priorcase.cases.learners.fitted import CaseLearner, fit_learner, load_state, refit_learner
from priorcase.cases.learners.layout import Layout
from priorcase.cases.learners.listing import KeptLearner, KeptLearners
from priorcase.cases.learners.recipe import Recipe
from priorcase.cases.learners.training import TrainingTable, training_table

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
