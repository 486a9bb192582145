"""What all reducers share: a table comes in, the positions of the rows kept come out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from priorcase._parameters import is_number, is_whole
from priorcase._typing import AnyArray, IdArray
from priorcase._validation import record_features
from priorcase.exceptions import ParameterError, ReductionError
from priorcase.learning import parameters
from priorcase.learning.resampling import ResamplingMixin
from priorcase.learning.state import changes
from priorcase.reduction.rows import Rows, read_rows
from priorcase.reduction.targets import TargetSort
from priorcase.similarity import Distance, resolve

VoteTies: TypeAlias = Literal["first", "nearest"]


class Reducer(ResamplingMixin, BaseEstimator, ABC):
    """Base of the reducers. Subclasses say which rows they keep by `_kept`."""

    distance: str | Distance
    attribute_weights: Any
    categorical_features: Any
    schema: Any
    n_jobs: int | None
    sample_indices_: IdArray
    classes_: AnyArray

    @changes
    def fit(self, X: Any, y: Any) -> Self:
        """Choose the rows to keep: ``sample_indices_``.

        Parameters
        ----------
        X
            A pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.
        y
            One target for each row.
        """
        self._check_parameters()
        sort: TargetSort = getattr(self, "target", "classes")
        rows = read_rows(self, X, y, sort=sort, threads=self._threads())
        self._check_rows(rows)
        self.sample_indices_ = self._kept(rows)
        record_features(self, rows.schema)
        self.__dict__.pop("classes_", None)
        if rows.targets.classes is not None:
            self.classes_ = rows.targets.classes
        return self

    # -- for subclasses

    @abstractmethod
    def _kept(self, rows: Rows) -> IdArray:
        """Positions of the rows kept, ascending."""

    def _check_parameters(self) -> None:
        """Refuse parameters that break their rules, before anything is read."""
        parameters.check_n_jobs(self.n_jobs)
        parameters.check_schema(self.schema)
        resolve(self.distance)

    def _check_rows(self, rows: Rows) -> None:
        """Refuse rows that the parameters do not go with."""

    def _threads(self) -> int:
        return parameters.thread_count(parameters.check_n_jobs(self.n_jobs))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class VotingReducer(Reducer):
    """Base of the reducers that judge rows by the votes of their ``n_neighbors`` nearest others."""

    n_neighbors: int
    ties: VoteTies

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not is_whole(self.n_neighbors) or self.n_neighbors < 1:
            expected, hint = "a whole number >= 1", "3 is usual."
            raise ParameterError.wrong("n_neighbors", self.n_neighbors, expected=expected, hint=hint)
        hint = "'first' gives a tied vote to the first class in classes_, 'nearest' to that of the nearest voter."
        parameters.check_choice("ties", self.ties, ("first", "nearest"), hint=hint)

    def _check_rows(self, rows: Rows) -> None:
        super()._check_rows(rows)
        if self.n_neighbors >= len(rows):
            raise ReductionError.too_few_rows(self.n_neighbors, len(rows))


ALPHA = 5.0
"""How many standard deviations a number may be off, unless said otherwise (Kordos & Blachnik 2012)."""


class TargetsReducer(VotingReducer):
    """Base of the reducers that know targets of both sorts, classes and numbers."""

    target: TargetSort
    alpha: float

    def _check_parameters(self) -> None:
        super()._check_parameters()
        hint = "'auto' takes numbers with fractions for numbers, and everything else for classes."
        parameters.check_choice("target", self.target, ("auto", "classes", "numbers"), hint=hint)
        if not is_number(self.alpha) or not 0 < self.alpha < np.inf:
            expected, hint = "a finite number above 0", "5.0 is usual."
            raise ParameterError.wrong("alpha", self.alpha, expected=expected, hint=hint)

    def _check_rows(self, rows: Rows) -> None:
        super()._check_rows(rows)
        if rows.targets.classes is None:
            self._check_idle("ties", "first", "numbers")
        else:
            self._check_idle("alpha", ALPHA, "classes")

    def _check_idle(self, parameter: str, default: object, sort: str) -> None:
        """Refuse a parameter that would do nothing for targets of this sort."""
        value = getattr(self, parameter)
        if value != default:
            expected = f"{default!r} where y holds {sort}"
            hint = f"leave {parameter} out: it has no effect there."
            raise ParameterError.wrong(parameter, value, expected=expected, hint=hint)
