"""Retrieving similar cases by weighted local similarities, and learning the weights."""

from priorcase.cases.retrieval.retrieval import Contribution, Explanation, Match, Retrieval, retrieve
from priorcase.cases.retrieval.weights import Weights, learn_weights
from priorcase.cases.scoring import MeasureCache

__all__ = ["Contribution", "Explanation", "Match", "MeasureCache", "Retrieval", "Weights", "learn_weights", "retrieve"]
