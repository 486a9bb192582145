"""Explanations of predictions: contributions of columns, past cases, counterfactuals and what-if curves."""

from priorcase.explaining.column_profile import ColumnProfile, partial_dependence, what_if
from priorcase.explaining.counterfactual import Counterfactuals, counterfactuals
from priorcase.explaining.explanation import Explanations, explain

__all__ = [
    "ColumnProfile",
    "Counterfactuals",
    "Explanations",
    "counterfactuals",
    "explain",
    "partial_dependence",
    "what_if",
]
