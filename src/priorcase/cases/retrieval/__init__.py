"""Retrieving similar cases by weighted local similarities, and learning the weights."""

from priorcase.cases.retrieval.retrieval import Explanation, Match, Retrieval, Share, retrieve
from priorcase.cases.retrieval.weights import Weights, learn_weights
from priorcase.cases.scoring import MeasureCache

__all__ = ["Explanation", "Match", "MeasureCache", "Retrieval", "Share", "Weights", "learn_weights", "retrieve"]
