"""The stored rows and their classes as local classifiers take them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray, IdArray
from priorcase.learning.classes import Classes
from priorcase.local.neighborhoods import Neighborhoods
from priorcase.local.table import LocalTable, local_table
from priorcase.neighbors.memory import Memory
from priorcase.neighbors.voters import summed
from priorcase.schema import Nominal, Ordinal


@dataclass(frozen=True, slots=True, eq=False)
class ClassRows:
    """Rows with classes.

    Parameters
    ----------
    table
        Their cells.
    codes
        The class of each row, by its position among the classes.
    n_classes
        How many classes there are.
    prior
        What is added to the weight of each class; None where nothing is.
    sizes
        How many values each nominal or ordinal column has: those that rows hold or that are declared; 0 for numbers.
    declared
        The nominal columns whose values are declared, by position.
    """

    table: LocalTable
    codes: IdArray
    n_classes: int
    prior: FloatArray | None
    sizes: IdArray
    declared: tuple[int, ...]

    def for_counts(self, cells: FloatArray) -> FloatArray:
        """Queries numbered like the rows; below 0 for what is no value of the column, which has one more then.

        A column of attribute weight 0 is missing.
        """
        encoded = self.table.encode(cells)
        for a in self.declared:  # a declared value that no row holds is a value of the column
            encoded[(encoded[:, a] < 0) & (cells[:, a] >= 0), a] = self.table.values[a]
        encoded[:, self.table.ignored] = np.nan
        return encoded


def class_rows(memory: Memory, classes: Classes, prior: FloatArray | None) -> ClassRows:
    """The rows stored now."""
    table, kinds = local_table(memory), memory.instances.schema.kinds
    declared = tuple(a for a, kind in enumerate(kinds) if isinstance(kind, Nominal) and kind.values is not None)
    sizes = table.values.copy()
    for a, kind in enumerate(kinds):
        if a in declared or isinstance(kind, Ordinal):
            sizes[a] = len(memory.instances.known(a))
    return ClassRows(table, classes.at(slice(None)), classes.labels.size, prior, sizes, declared)


def effective_weights(around: Neighborhoods) -> FloatArray:
    """Weights of the rows around each query, repetitions included, that add up to the effective number of neighbours.

    ``(sum K)^2 / sum K^2``: k rows that weigh the same count as k, and one among hardly any others as one, whatever the
    kernel's largest value (Kish 1965).

    Examples
    --------
    >>> around = Neighborhoods(
    ...     indptr=np.array([0, 3]),
    ...     rows=np.arange(3),
    ...     distances=np.arange(3.0),
    ...     weights=np.array([0.4, 0.4, 0.0]),
    ...     counts=None,
    ...     far=np.zeros(1, dtype=bool),
    ... )
    >>> effective_weights(around)
    array([1., 1., 0.])
    """
    queries = around.queries()
    # In parts of the largest weight, whose square cannot underflow.
    weights = around.weights / np.maximum.reduceat(around.weights, around.indptr[:-1])[queries]
    masses = weights if around.counts is None else weights * around.counts
    sums, squares = (summed(queries, part, len(around)) for part in (masses, masses * weights))
    return np.asarray(masses * (sums / squares)[queries])


def with_prior(shares: FloatArray, around: Neighborhoods, prior: FloatArray | None) -> FloatArray:
    """Shares of the classes as counts out of the effective number of neighbours, with the prior, as shares again."""
    if prior is None:
        return shares
    n = summed(around.queries(), effective_weights(around), len(around))[:, None]
    return np.asarray((n * shares + prior) / (n + prior.sum()))
