"""The joint distribution of several columns for some queries: a result that prints itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, Name, Value
from priorcase.bayes.intervals import Interval
from priorcase.bayes.questions import TARGET
from priorcase.exceptions import ParameterError, listed, prefix_errors
from priorcase.learning.frames import Backend, framed, free_label
from priorcase.learning.grids import Grid, grids_html, grids_text
from priorcase.learning.per_query import PerQuery
from priorcase.learning.texts import rest_text, short, value_text

_QUERIES = 5
_LINES = 10
_VALUE_WIDTH = 24


@dataclass(frozen=True, repr=False, eq=False)
class JointDistribution(PerQuery):
    """How probable each combination of values is, for each query.

    ``distribution[i]`` and ``distribution[i:j]`` are the same for some queries alone, which keep their numbers. It
    prints as a table, the most probable combinations first, in terminals and notebooks.

    Parameters
    ----------
    targets
        The columns, as in the schema; ``TARGET`` for the class.
    values
        The values of each, in the order of its axis: declared values and levels in declared order, others ascending,
        bins as intervals; last None for a gap where gaps are values.
    probabilities
        Shape (queries, values of the first target, values of the second, ...); they sum to 1 for each query.
    names
        What the targets are called in tables.
    backend
        The library whose frame the estimator was fitted on, or None.
    numbers
        The number of each query among all that were asked; 0, 1, ... when left out.
    """

    targets: tuple[Name, ...]
    values: tuple[AnyArray, ...]
    probabilities: FloatArray
    names: tuple[str, ...]
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.probabilities)

    def _taken(self, at: list[int]) -> JointDistribution:
        return replace(self, probabilities=self.probabilities[at], numbers=tuple(self.numbers[i] for i in at))

    @prefix_errors
    def marginal(self, *targets: Name) -> JointDistribution:
        """The distribution of some of the targets, the others summed out.

        Parameters
        ----------
        *targets
            Some of ``targets``, in the order that the axes are to have.
        """
        kept = [self._axis(key) for key in targets]
        if not kept or len(set(kept)) < len(kept):
            raise ParameterError.wrong("targets", targets, expected="some targets, each once", hint=self._hint())
        others = tuple(1 + axis for axis in range(len(self.targets)) if axis not in kept)
        left = sorted(kept)
        summed = self.probabilities.sum(axis=others)
        return replace(
            self,
            targets=tuple(self.targets[axis] for axis in kept),
            values=tuple(self.values[axis] for axis in kept),
            probabilities=np.ascontiguousarray(summed.transpose(0, *(1 + left.index(axis) for axis in kept))),
            names=tuple(self.names[axis] for axis in kept),
        )

    def most_probable(self) -> list[tuple[Value, ...]]:
        """The most probable combination of values for each query; of equally probable ones the first."""
        return [self._combination(cell) for cell in self._flat().argmax(axis=1).tolist()]

    def frame(self) -> Any:
        """One line for each query and combination, in a frame of the library that the estimator was fitted with.

        Columns: ``query``, the targets by name, and ``probability``; intervals are written as text. Where two columns
        would have one name, the later becomes ``NAME (2)``. After a fit on arrays: in one of the
        library that is installed.
        """
        flat = self._flat()
        shape = self.probabilities.shape[1:]
        where = np.unravel_index(np.tile(np.arange(flat.shape[1]), len(self)), shape)
        columns: dict[str, Any] = {"query": np.repeat(np.array(self.numbers, np.int64), flat.shape[1])}
        for name, values, at in zip(self.names, self.values, where, strict=True):
            columns[free_label(name, {*columns, "probability"})] = _plain(values)[at]
        return framed(columns | {"probability": flat.ravel()}, self.backend)

    def __str__(self) -> str:
        return grids_text(self._grids(), rest_text(_QUERIES, len(self)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html(self._grids(), rest_text(_QUERIES, len(self)))

    # -- inside

    def _flat(self) -> FloatArray:
        return self.probabilities.reshape(len(self), -1)

    def _combination(self, cell: int) -> tuple[Value, ...]:
        where = np.unravel_index(cell, self.probabilities.shape[1:])
        return tuple(values[at : at + 1].tolist()[0] for values, at in zip(self.values, where, strict=True))

    def _axis(self, key: Name) -> int:
        if key in self.targets:
            return self.targets.index(key)
        if isinstance(key, str) and key == TARGET.value and TARGET in self.targets:
            return self.targets.index(TARGET)
        expected, names = "one of the targets", [str(target) for target in self.targets]
        raise ParameterError.wrong("targets", key, expected=expected, hint=self._hint(), names=names)

    def _hint(self) -> str:
        return f"the targets are {listed(self.targets)}."

    def _grids(self) -> list[Grid]:
        return [self._grid(i) for i in range(min(len(self), _QUERIES))]

    def _grid(self, i: int) -> Grid:
        chances = self._flat()[i]
        order = np.argsort(-chances, kind="stable")
        lines = []
        for cell in order[:_LINES].tolist():
            texts = [value_text(value, _VALUE_WIDTH) for value in self._combination(cell)]
            lines.append([*texts, f"{chances[cell]:.4f}"])
        rest = order[_LINES:]
        note = f"and {rest.size:,} more combinations, together {chances[rest].sum():.4f}" if rest.size else ""
        header = [*(short(name, _VALUE_WIDTH) for name in self.names), "probability"]
        return Grid(f"query {self.numbers[i]}", header, lines, note, right={len(self.names)})


def _plain(values: AnyArray) -> AnyArray:
    """Intervals as text, which every library has columns for."""
    if not any(isinstance(value, Interval) for value in values.tolist()):
        return values
    texts = np.empty(len(values), dtype=object)
    texts[:] = [None if value is None else str(value) for value in values.tolist()]
    return texts
