"""Columns to predict together: what is asked for, how many combinations that makes, and their probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from priorcase._typing import AnyArray, FloatArray, Name
from priorcase.bayes.joint_distribution import JointDistribution
from priorcase.bayes.questions import TARGET
from priorcase.exceptions import CardinalityError, ParameterError
from priorcase.learning.decoding import attribute_names
from priorcase.learning.frames import Backend
from priorcase.schema import Schema

MOST_PROBABILITIES = 10_000_000
"""As many take 80 megabytes."""


@dataclass(frozen=True, eq=False)
class Targets:
    """What is asked for.

    Parameters
    ----------
    schema
        The columns that there are.
    asked
        Positions of the targets, in the order that they were asked for; that of the class is the number of columns.
    values
        The values of each target, by position.
    """

    schema: Schema
    asked: tuple[int, ...]
    values: Mapping[int, AnyArray]

    def check_size(self, rows: int) -> None:
        """Refuse more probabilities than memory has room for."""
        sizes = [len(self.values[a]) for a in self.asked]
        if rows * math.prod(sizes) > MOST_PROBABILITIES:
            raise CardinalityError.joint(self._labels(), sizes, rows, MOST_PROBABILITIES)

    def distribution(self, table: FloatArray, backend: Backend | None) -> JointDistribution:
        """The answer, from probabilities that have an axis for each target in the order of the table, the class last.

        They are always computed in that order, so that the order of the targets changes no bit.
        """
        places = sorted(self.asked)
        names = (*attribute_names(self.schema), TARGET)
        return JointDistribution(
            targets=tuple(self._labels()),
            values=tuple(self.values[a] for a in self.asked),
            probabilities=np.ascontiguousarray(table.transpose(0, *(1 + places.index(a) for a in self.asked))),
            names=tuple(str(names[a]) for a in self.asked),
            backend=backend,
        )

    def _labels(self) -> list[Name]:
        return [TARGET if a == len(self.schema) else self.schema.label(a) for a in self.asked]


def listed_targets(targets: object) -> Sequence[Name]:
    """The targets as they were given; an error where they are no list."""
    given = targets.tolist() if hasattr(targets, "tolist") else targets  # an array, or the columns of a frame
    if isinstance(given, (list, tuple)) and given:
        return given
    hint = f"for example targets=[{targets!r}]." if isinstance(targets, str) else "for example ['colour', 'class']."
    raise ParameterError.wrong("targets", targets, expected="a list of at least one column", hint=hint)


def joint_table(kinds: FloatArray, columns: Sequence[FloatArray], *, kept: bool) -> FloatArray:
    """Probabilities of all combinations of values, and of the classes or components behind them if asked for.

    ``sum_k P(k) prod_t phi_t(v_t | k)``, brought to sum to one.

    Parameters
    ----------
    kinds
        The probability of each class or component for each query, given what is known.
    columns
        For each column to predict the shares of its values in each class or component, shape (values, kinds).
    kept
        Whether the last axis is the class or component; otherwise it is summed out.

    Examples
    --------
    >>> joint_table(np.array([[0.5, 0.5]]), [np.array([[1.0, 0.5], [0.0, 0.5]])], kept=False)
    array([[0.75, 0.25]])
    """
    n, n_kinds = kinds.shape
    sizes = [len(column) for column in columns]
    if not columns:
        return kinds
    found = np.zeros((n, math.prod(sizes), n_kinds if kept else 1))
    for k in range(n_kinds):  # one after the other: the same bits for one query as for many
        part = kinds[:, k, np.newaxis] * combined([column[:, k] for column in columns])
        if kept:
            found[:, :, k] = part
        else:
            found[:, :, 0] += part
    flat = found.reshape(n, -1)
    flat /= flat.sum(axis=1, keepdims=True)
    return flat.reshape(n, *sizes, *([n_kinds] if kept else []))


def combined(shares: Sequence[FloatArray]) -> FloatArray:
    """The product of the shares of each combination, the last column's values running fastest.

    Examples
    --------
    >>> combined([np.array([0.5, 0.25]), np.array([1.0, 0.5, 0.0])])
    array([0.5  , 0.25 , 0.   , 0.25 , 0.125, 0.   ])
    """
    product = np.ones(1)
    for column in shares:
        product = np.multiply.outer(product, column).ravel()
    return product
