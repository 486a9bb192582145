"""A table to choose parameters for: fits of its rows, and the rows to be asked about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from priorcase._typing import FloatArray, IntArray
from priorcase.learning.resampling import taken_rows
from priorcase.neighbors.tuning.asked import Asked, left_out
from priorcase.neighbors.tuning.grid import Grid
from priorcase.neighbors.tuning.targets import ClassTargets, NumberTargets, Targets
from priorcase.relevance.sampling import some
from priorcase.schema import Kind

# What a fit is made with whose votes are never asked for.
_PLAIN: dict[str, Any] = {"n_neighbors": 1, "vote": "uniform", "bandwidth": None, "prior": None, "temperature": 1.0}


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows with targets, none of weight 0, and the estimator to be tuned on them.

    Parameters
    ----------
    estimator
        A k-NN estimator; what is not among the candidates stays as it is here.
    X, y, sample_weight
        The rows, as `fit` takes them.
    n_samples
        How many rows to ask about at most, always the same; None for all.
    seed
        Seed of the folds.
    distance
        One of those to be tried, by which the rows are first stored.
    kinds, classes
        What columns mean by position, and all classes, where these are only some of the rows.
    """

    estimator: Any
    X: Any
    y: Any
    sample_weight: FloatArray | None
    n_samples: int | None
    seed: int
    distance: Any = "heom"
    kinds: dict[int, Kind] | None = None
    classes: Any = None

    @cached_property
    def base(self) -> Any:
        """A fit on all rows, which settles what columns and targets mean."""
        return self.fitted({"distance": self.distance, "attribute_weights": None} | self.plain)

    @property
    def has_classes(self) -> bool:
        """Whether targets are classes."""
        return hasattr(type(self.estimator), "classes_")

    @property
    def plain(self) -> dict[str, Any]:
        """Parameters of votes that are never asked for."""
        return {name: value for name, value in _PLAIN.items() if hasattr(self.estimator, name)}

    @cached_property
    def truth(self) -> Any:
        """Targets of all rows: classes by position among the labels, or numbers; shape (rows, targets)."""
        return self.targets(self.base, Grid((1,), ())).stored

    @property
    def weights(self) -> FloatArray:
        """How many rows each row counts as."""
        return np.ones(len(self.truth)) if self.sample_weight is None else self.sample_weight

    @property
    def strata(self) -> Any:
        """What folds are to hold equal parts of: the classes of the first target."""
        return self.truth[:, 0] if self.has_classes else np.zeros(len(self.truth))

    @cached_property
    def asked_rows(self) -> IntArray:
        """Positions of the rows to ask about."""
        n = len(self.truth)
        return some(n, n if self.n_samples is None else self.n_samples)

    def fitted(self, parameters: dict[str, Any]) -> Any:
        """A fit on all rows."""
        model = clone(self.estimator).set_params(**parameters)
        if self.kinds is None:
            return model.fit(self.X, self.y, self.sample_weight)
        model.set_params(schema=self.kinds, categorical_features="from_dtype")
        declared = {"classes": self.classes} if self.has_classes else {}
        return model.partial_fit(self.X, self.y, sample_weight=self.sample_weight, **declared)

    def searched(self, distance: Any, attribute_weights: Any) -> Any:
        """A fit whose votes are never asked for; the one on all rows where it will do."""
        if distance is self.distance and attribute_weights is None:
            return self.base
        return self.fitted({"distance": distance, "attribute_weights": attribute_weights} | self.plain)

    def chosen(self, parameters: dict[str, Any]) -> Any:
        """A fit to be kept. The one on all rows, which nobody needs any longer, becomes it where it can."""
        model = self.searched(parameters["distance"], parameters["attribute_weights"])
        if model is not self.base:
            return self.fitted(parameters)
        model.set_params(**parameters)
        model._check_parameters()
        model._check_rows()
        return model

    def part(self, rows: IntArray) -> Problem:
        """The problem of some rows alone, whose columns and classes mean what they mean here."""
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        classes = self.base.classes_ if self.has_classes else None
        X, y = taken_rows(self.X, rows), taken_rows(self.y, rows)
        kinds = dict(enumerate(self.base.schema_.kinds))
        return replace(self, X=X, y=y, sample_weight=weights, kinds=kinds, classes=classes)

    def targets(self, model: Any, grid: Grid) -> Targets:
        """The targets of the rows of a fit."""
        if not self.has_classes:
            return NumberTargets(model._numbers())
        return ClassTargets(model._outputs(), grid.priors)

    def left_out(self, model: Any, blocks: IntArray) -> Asked:
        """Rows of a fit on all rows, each to be asked about without being there; ``blocks`` are those of all rows."""
        rows = self.asked_rows
        return left_out(model._stored(), self.truth, rows, blocks[rows])

    def held_back(self, model: Any, rows: IntArray, blocks: IntArray) -> Asked:
        """Rows that a fit has not seen."""
        cells = model._cells(taken_rows(self.X, rows))
        return Asked(model._stored(), cells, None, self.truth[rows], self.weights[rows], blocks[rows])
