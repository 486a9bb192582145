"""Stacking: several learners on one table, mixed by how well each predicts rows it has not seen."""

from priorcase.stacking.encoder import TableEncoder
from priorcase.stacking.stacked import Stack, StackedClassifier, StackedRegressor

__all__ = ["Stack", "StackedClassifier", "StackedRegressor", "TableEncoder"]
