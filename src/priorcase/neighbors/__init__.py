"""k-nearest neighbours for mixed tables, with the precedents behind each prediction."""

from priorcase.neighbors.knn import KNNClassifier, KNNRegressor, attribute_weights
from priorcase.neighbors.precedents import Precedent, Precedents
from priorcase.neighbors.prequential import PrequentialClassification, PrequentialRegression
from priorcase.neighbors.transformer import KNNTransformer
from priorcase.neighbors.tuning import TunedKNNClassifier, TunedKNNRegressor, Tuning, tune

__all__ = [
    "KNNClassifier",
    "KNNRegressor",
    "KNNTransformer",
    "Precedent",
    "Precedents",
    "PrequentialClassification",
    "PrequentialRegression",
    "TunedKNNClassifier",
    "TunedKNNRegressor",
    "Tuning",
    "attribute_weights",
    "tune",
]
