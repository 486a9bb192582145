"""Retrieving similar cases: by weighted local similarities, explained, diverse on request, with weights learned."""

from priorcase.cases.retrieval.cache import MeasureCache
from priorcase.cases.retrieval.explanation import Explanation
from priorcase.cases.retrieval.learned import Weights
from priorcase.cases.retrieval.learning import learn_weights
from priorcase.cases.retrieval.result import Match, Retrieval, Share
from priorcase.cases.retrieval.retrieving import retrieve

__all__ = ["Explanation", "Match", "MeasureCache", "Retrieval", "Share", "Weights", "learn_weights", "retrieve"]
