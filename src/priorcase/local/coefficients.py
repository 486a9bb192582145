"""The slopes of local fits: a result that prints itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorcase._typing import FloatArray, Name, Value
from priorcase.instances import Instances
from priorcase.learning.decoding import attribute_names
from priorcase.learning.frames import Backend, framed, free_label
from priorcase.learning.grids import Grid, grids_html, grids_text
from priorcase.learning.per_query import PerQuery
from priorcase.learning.texts import rest_text, short
from priorcase.local.table import LocalTable

_QUERIES = 10
_WIDTH = 24


@dataclass(frozen=True, repr=False, eq=False)
class LocalCoefficients(PerQuery):
    """How the fit around each query changes from there.

    A number or a level's rank has a slope: what one unit more adds, at the query. A nominal column has a number for
    each value: what that value in place of the query's adds. NaN where a fit has no such number: the column is missing
    in the query, no row around it holds the value, or the degree is 0 and the fit is flat. It prints as a table.

    Parameters
    ----------
    columns, values
        The column of each number, and for a nominal one the value, else None.
    intercepts
        The fit's value at each query: the prediction of the direct solution, shape (queries,) or (queries, targets).
    slopes
        Shape (queries, columns) or (queries, targets, columns).
    backend
        The library whose frame the estimator was fitted on, or None.
    numbers
        The number of each query among all that were asked; 0, 1, ... when left out.
    """

    columns: tuple[Name, ...]
    values: tuple[Value | None, ...]
    intercepts: FloatArray
    slopes: FloatArray
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.intercepts)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.slopes, dtype=dtype)

    def _taken(self, at: list[int]) -> LocalCoefficients:
        numbers = tuple(self.numbers[i] for i in at)
        return replace(self, intercepts=self.intercepts[at], slopes=self.slopes[at], numbers=numbers)

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each number: the column's, or ``column = value``."""
        names: list[str] = []
        for column, value in zip(self.columns, self.values, strict=True):
            names.append(free_label(str(column) if value is None else f"{column} = {value}", names))
        return tuple(names)

    def frame(self) -> Any:
        """One line for each query, and target where there are several, in a frame of the estimator's library."""
        return framed(self._columns(), self.backend)

    def _columns(self) -> dict[str, Any]:
        several = self.intercepts.ndim == 2
        n_targets = self.intercepts.shape[1] if several else 1
        columns: dict[str, Any] = {"query": np.repeat(np.array(self.numbers, dtype=np.int64), n_targets)}
        if several:
            columns["target"] = np.tile(np.arange(n_targets), len(self))
        columns["intercept"] = self.intercepts.ravel()
        slopes = self.slopes.reshape(-1, len(self.columns))
        for j, label in enumerate(self.labels):
            columns[free_label(label, columns)] = slopes[:, j]
        return columns

    def _grid(self) -> Grid:
        columns = self[:_QUERIES]._columns()
        texts = [[_text(value) for value in column.tolist()] for column in columns.values()]
        lines = [list(line) for line in zip(*texts, strict=True)]
        header = [short(label, _WIDTH) for label in columns]
        return Grid("", header, lines, right=range(len(header)))

    def __repr__(self) -> str:
        return grids_text([self._grid()], rest_text(_QUERIES, len(self)))

    def _repr_html_(self) -> str:
        return grids_html([self._grid()], rest_text(_QUERIES, len(self)))


def _text(value: float) -> str:
    return "-" if value != value else f"{value:.6g}"


def places(instances: Instances, table: LocalTable) -> tuple[tuple[Name, ...], tuple[Value | None, ...]]:
    """The column of each number that a fit may have, and for a nominal one the value that it is of, else None."""
    columns: list[Name] = []
    values: list[Value | None] = []
    for a, (name, numbers) in enumerate(zip(attribute_names(instances.schema), table.numbers, strict=True)):
        held: list[Value | None] = [None]
        if numbers is not None:
            codes = np.argsort(numbers, kind="stable")[numbers.size - int(table.values[a]) :]
            held = [instances.values(a)[code] for code in codes.tolist()]
        columns += [name] * len(held)
        values += held
    return tuple(columns), tuple(values)
