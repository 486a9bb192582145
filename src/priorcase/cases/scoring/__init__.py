"""The most similar cases: weighted means of local similarities, computed in the core."""

from priorcase.cases.scoring.best_cases import Unknown, all_similarities, best_cases, local_similarities
from priorcase.cases.scoring.many_queries import best_cases_many

__all__ = ["Unknown", "all_similarities", "best_cases", "best_cases_many", "local_similarities"]
