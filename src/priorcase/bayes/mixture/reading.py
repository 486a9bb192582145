"""Training rows at the door of a mixture: a table, classes if there are any, and weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, IntArray
from priorcase.exceptions import MixtureError, SampleWeightError, TargetError
from priorcase.instances import Instances
from priorcase.instances.instances import check_weights
from priorcase.learning.labels import read_labels
from priorcase.learning.training import training_table


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """What there is to learn from.

    Parameters
    ----------
    instances
        The rows that count, with their weights.
    labels
        The classes in ascending order; None without a class.
    codes
        The class of each row, as a position in ``labels``.
    """

    instances: Instances
    labels: AnyArray | None
    codes: IntArray | None

    @property
    def rows(self) -> float:
        """How many rows there are, weights counted as repetitions where they make them more."""
        weights = self.instances.weights
        return float(len(self.instances)) if weights is None else max(float(weights.sum()), len(self.instances))


def read(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Training:
    """The rows to learn from; those of weight 0 are left out, and so are classes that only they have."""
    table = training_table(estimator, X)
    targets = None if y is None else _targets(y, len(table))
    weights = check_weights(sample_weight, len(table), parameter="sample_weight")
    instances = Instances(table.schema)
    ids = instances.append(table, weights=weights)
    if weights is not None and not weights.all():
        if not weights.any():
            raise SampleWeightError.wrong("that is zero for every row")
        instances.remove(ids[weights == 0])
        targets = None if targets is None else targets[weights > 0]
    labels, codes = (None, None) if targets is None else np.unique(targets, return_inverse=True)
    training = Training(instances, labels, codes)
    if training.rows < 2:
        raise MixtureError.one_row()
    return training


def _targets(y: Any, rows: int) -> AnyArray:
    """One class for each row."""
    labels = read_labels(y).values
    if labels.shape[1] != 1:
        raise MixtureError.many_targets(labels.shape[1])
    if len(labels) != rows:
        raise TargetError.length("y", len(labels), rows)
    classes: AnyArray = labels[:, 0]
    return classes
