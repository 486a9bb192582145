"""Targets as the leave-one-out engine takes them: classes by position, or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.learning.classes import Classes
from priorcase.neighbors import parameters


@dataclass(frozen=True, eq=False)
class ClassTargets:
    """The classes of the stored rows, and the priors to try."""

    outputs: Sequence[Classes]
    priors: Sequence[Any]

    @property
    def stored(self) -> IntArray:
        """Position of each stored row's class among the labels, shape (rows, targets)."""
        return np.stack([classes.at(slice(None)) for classes in self.outputs], axis=1)

    def prior_weights(self) -> list[list[FloatArray | None]]:
        """For each prior the weights of the classes of each target."""
        counts = [classes.weights for classes in self.outputs]
        return [parameters.check_prior(prior, counts) for prior in self.priors]


@dataclass(frozen=True, eq=False)
class NumberTargets:
    """The numbers of the stored rows, shape (rows, targets)."""

    stored: FloatArray


Targets = ClassTargets | NumberTargets
