"""k-nearest neighbours: who votes, how much each vote counts, and the precedents behind an answer."""

from priorcase.neighbors.classifier import KNNClassifier
from priorcase.neighbors.column_weights import attribute_weights
from priorcase.neighbors.precedents import Case, Precedents
from priorcase.neighbors.prequential_results import PrequentialClassification, PrequentialRegression
from priorcase.neighbors.regressor import KNNRegressor
from priorcase.neighbors.transformer import KNNTransformer
from priorcase.neighbors.tuning.result import Tuning
from priorcase.neighbors.tuning.tune import tune

__all__ = [
    "Case",
    "KNNClassifier",
    "KNNRegressor",
    "KNNTransformer",
    "Precedents",
    "PrequentialClassification",
    "PrequentialRegression",
    "Tuning",
    "attribute_weights",
    "tune",
]
