"""What the stored rows say, counted: the sufficient statistics of a Bayes classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from priorcase._typing import AnyArray, BoolArray, FloatArray, IdArray, IntArray
from priorcase.bayes.counts import FIRST, UNSEEN
from priorcase.bayes.moments import Moments
from priorcase.bayes.weighted import weighted_counts


@dataclass(frozen=True, eq=False)
class Discrete:
    """Class-conditional counts of the discrete attributes.

    Parameters
    ----------
    attributes
        Position in the schema of each discrete attribute.
    starts
        The first cell of each, and the number of cells: its slots are missing, unseen, and one for each code.
    cuts
        For each the cut points of a numeric attribute, or None.
    counts
        How many rows of each class are in each cell: cells by classes.
    inside
        Whether a cell is one of the values that its attribute can have.
    gaps_count
        Whether a gap is one more value.
    """

    attributes: tuple[int, ...]
    starts: IdArray
    cuts: tuple[FloatArray | None, ...]
    counts: FloatArray
    inside: BoolArray
    gaps_count: bool = False

    @cached_property
    def of(self) -> IntArray:
        """The attribute of each cell, as a position in ``attributes``."""
        return np.repeat(np.arange(len(self.attributes)), np.diff(self.starts))

    @cached_property
    def sizes(self) -> IntArray:
        """How many values each attribute can have."""
        return self.per_attribute(self.inside.astype(np.int64))

    @cached_property
    def totals(self) -> FloatArray:
        """How many rows of each class have a value of each attribute: attributes by classes."""
        return self.per_attribute(np.where(self.inside[:, np.newaxis], self.counts, 0.0))

    def per_attribute(self, cells: AnyArray) -> AnyArray:
        """Sums over the cells of each attribute, whatever the order in which its values were first seen."""
        if not self.attributes:
            return np.zeros((0, *cells.shape[1:]), cells.dtype)
        # Whole numbers below 2^53 add up without an error in any order.
        if cells.dtype.kind == "f" and ((cells != np.floor(cells)).any() or np.abs(cells).sum() >= 2.0**53):
            return np.stack([weighted_counts(self.of, column, len(self.attributes)) for column in cells.T], axis=1)
        sums: AnyArray = np.add.reduceat(cells, self.starts[:-1], axis=0)
        return sums

    @property
    def unseen(self) -> IntArray:
        """The cell of each attribute for values never seen."""
        return self.starts[:-1] + UNSEEN

    def codes(self, d: int) -> slice:
        """The cells of attribute ``d`` that stand for codes."""
        return slice(int(self.starts[d]) + FIRST, int(self.starts[d + 1]))


@dataclass(frozen=True, eq=False)
class Statistics:
    """Everything that a Bayes classifier needs to know of the stored rows.

    Parameters
    ----------
    labels
        The classes in ascending order.
    codes
        The stored code of each class, -1 where no row has it.
    class_counts
        How many rows each class has.
    discrete
        Counts of nominal and ordinal attributes, and of numeric ones that are cut into bins.
    moments
        Means and deviations of numeric attributes that have a density, by position in the schema.
    sorted_values
        The known values in each class, ascending, of numeric attributes with a kernel density.
    """

    labels: AnyArray
    codes: IntArray
    class_counts: FloatArray
    discrete: Discrete
    moments: Mapping[int, Moments] = field(default_factory=dict)
    sorted_values: Mapping[int, Sequence[tuple[FloatArray, FloatArray | None]]] = field(default_factory=dict)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self.labels.size

    def class_slots(self) -> IntArray:
        """For the code c of a stored class its slot at c + 1: 0 for none, 2 + position in ``labels``."""
        translate = np.zeros(int(self.codes.max(initial=-1)) + 2, np.int32)
        known = self.codes >= 0
        translate[self.codes[known] + 1] = np.flatnonzero(known) + FIRST
        return translate
