"""Learners that weigh attributes, for each class on its own: IB4 and IB5."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase.concepts.learner import ConceptLearner
from priorcase.concepts.parameters import check_decay, check_weight_power
from priorcase.learning.decoding import attribute_names
from priorcase.learning.frames import framed, free_label
from priorcase.learning.state import reads
from priorcase.learning.targets import objects


class WeighingLearner(ConceptLearner):
    """Base of the learners whose descriptions weigh attributes."""

    accept: Any
    drop: Any
    decay: Any
    weight_power: Any
    _keep = "significant"

    @property
    @reads
    def attribute_weights_(self) -> Any:
        """The weight of each attribute in the description of each class, between 0 and 1/2.

        After a fit on arrays an array, shape (classes, attributes), otherwise a frame with a line for each class: its
        ``concept``, and the attributes by name.
        """
        memory, roll = self._answering(), self._roll()
        rows = [memory.learned().of_class(code).core.weights()[0] for code in roll.codes.tolist()]
        weights = np.array(rows)
        if self._backend is None:
            return weights
        columns: dict[str, Any] = {"concept": objects(roll.classes.tolist())}
        for a, name in enumerate(attribute_names(memory.instances.schema)):
            columns[free_label(str(name), columns)] = weights[:, a]
        return framed(columns, self._backend)

    def _levels(self) -> tuple[Any, Any]:
        return self.accept, self.drop

    def _special(self) -> dict[str, Any]:
        return {
            "decay": check_decay(self.decay),
            "weighted": True,
            "weight_power": check_weight_power(self.weight_power),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
