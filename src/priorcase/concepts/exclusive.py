"""Learners whose classes share one description, unless each is to have its own: IB1, IB2 and IB3."""

from __future__ import annotations

from typing import Any

from priorcase._typing import IdArray
from priorcase.concepts.learner import ConceptLearner
from priorcase.learning.parameters import check_flag
from priorcase.learning.state import reads
from priorcase.similarity import Distance, resolve


class ExclusiveLearner(ConceptLearner):
    """Base of the learners that take any distance, and a description for all classes or for each."""

    per_class: Any
    distance: Any

    def _resolved(self) -> tuple[Distance, bool]:
        hint = "True keeps a description for each class, which may overlap."
        per_class = check_flag("per_class", self.per_class, hint=hint)
        return resolve(self.distance), per_class

    @reads
    def _sampled(self) -> IdArray:
        """Positions of the rows to keep, ascending: those that speak, or all stored where records speak for none."""
        kept = self._kept()
        return kept if kept.size else self._stored().ids

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self.per_class is True
        return tags
