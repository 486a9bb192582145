"""Stacking: mixtures of several learners with weights from held-out predictions."""

from priorcase.stacking.encoder import TableEncoder
from priorcase.stacking.stacked import Stack, StackedClassifier, StackedRegressor

__all__ = ["Stack", "StackedClassifier", "StackedRegressor", "TableEncoder"]
