"""Retrieving similar cases: by weighted local similarities, explained, diverse on request, with weights learned."""

from priorcase.reasoning.retrieval.cache import MeasureCache
from priorcase.reasoning.retrieval.explanation import Explanation
from priorcase.reasoning.retrieval.learned import Weights
from priorcase.reasoning.retrieval.learning import learn_weights
from priorcase.reasoning.retrieval.result import Match, Retrieval, Share
from priorcase.reasoning.retrieval.retrieving import retrieve

__all__ = ["Explanation", "Match", "MeasureCache", "Retrieval", "Share", "Weights", "learn_weights", "retrieve"]
