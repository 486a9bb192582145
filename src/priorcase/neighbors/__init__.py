"""k-nearest neighbours for mixed tables, with the precedents behind each prediction."""

from priorcase.neighbors.classifier import KNNClassifier
from priorcase.neighbors.precedents import Precedent, Precedents
from priorcase.neighbors.prequential import PrequentialClassification, PrequentialRegression
from priorcase.neighbors.regressor import KNNRegressor
from priorcase.neighbors.transformer import KNNTransformer
from priorcase.neighbors.tuning import Tuning, tune
from priorcase.neighbors.weighting import attribute_weights

__all__ = [
    "KNNClassifier",
    "KNNRegressor",
    "KNNTransformer",
    "Precedent",
    "Precedents",
    "PrequentialClassification",
    "PrequentialRegression",
    "Tuning",
    "attribute_weights",
    "tune",
]
