"""Sets and intervals that hold the truth as often as they say, around the predictions of any learner."""

from priorcase.evaluation.conformal.classifier import ConformalClassifier
from priorcase.evaluation.conformal.regressor import ConformalRegressor
from priorcase.evaluation.conformal.sets import PredictionSets

__all__ = ["ConformalClassifier", "ConformalRegressor", "PredictionSets"]
