"""k-nearest-neighbor estimators for mixed tables, with precedents for each prediction."""

from priorcase.neighbors.knn import KNNClassifier, KNNRegressor, attribute_weights
from priorcase.neighbors.precedents import Precedent, Precedents
from priorcase.neighbors.prequential import PrequentialClassification, PrequentialRegression
from priorcase.neighbors.transformer import KNNTransformer
from priorcase.neighbors.tuning import KNNClassifierCV, KNNRegressorCV, Tuning, tune

__all__ = [
    "KNNClassifier",
    "KNNClassifierCV",
    "KNNRegressor",
    "KNNRegressorCV",
    "KNNTransformer",
    "Precedent",
    "Precedents",
    "PrequentialClassification",
    "PrequentialRegression",
    "Tuning",
    "attribute_weights",
    "tune",
]
