"""Attributes and targets as symbols, to be counted together: numbers are cut into intervals first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.discretise import MDL, EqualFrequency, bin_of
from priorcase.relevance.evidence import Evidence
from priorcase.relevance.numbering import in_order
from priorcase.schema import Numeric


@dataclass(frozen=True, slots=True)
class Symbols:
    """Rows as symbols: each row's class, and how often it counts.

    Parameters
    ----------
    evidence
        The rows.
    classes
        The class of each row, or the interval that its number lies in.
    n_classes
        How many there are.
    times
        How many rows each row stands for.
    """

    evidence: Evidence
    classes: IntArray
    n_classes: int
    times: FloatArray

    @classmethod
    def of(cls, evidence: Evidence, bins: int) -> Symbols:
        """The rows as symbols; a target that is a number is cut into ``bins`` intervals of equally many rows."""
        times = evidence.repetitions()
        if evidence.has_classes:
            classes, n_classes = evidence.classes()
            return cls(evidence, classes, n_classes, times)
        numbers = evidence.numbers()
        cuts = EqualFrequency(bins).cuts(numbers, None, 0, times)
        return cls(evidence, bin_of(cuts, numbers), len(cuts) + 1, times)

    def column(self, a: int) -> IntArray:
        """The symbol of attribute ``a`` in each row, -1 where it is missing.

        Numbers are cut where that tells much about the class (`MDL`), so that one which tells nothing is one symbol.
        """
        instances = self.evidence.instances
        column = np.asarray(instances.column(a))
        if not isinstance(instances.schema.kinds[a], Numeric):
            return in_order(np.where(np.isnan(column), -1, column).astype(np.int64))
        known = ~np.isnan(column)
        cuts = MDL().cuts(column[known], self.classes[known], self.n_classes, self.times[known])
        return bin_of(cuts, column)


def entropy(weights: FloatArray) -> float:
    """Bits needed to say which of some things it is, by their weights; 0 where there are none.

    Examples
    --------
    >>> entropy(np.array([2.0, 1.0, 1.0]))
    1.5
    """
    total = float(weights.sum())
    return float(-xlogy(weights / total, weights / total).sum() / np.log(2.0)) if total > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Information:
    """What one attribute says about the class, in bits.

    Parameters
    ----------
    gain
        The mutual information of both in the rows where the attribute is known, times the share of these rows
        (Quinlan 1993, section 3.1 and 3.3).
    split
        The entropy of the attribute itself, "missing" one more value of it.
    """

    gain: float
    split: float

    @classmethod
    def of(cls, symbols: Symbols, a: int) -> Information:
        """The information of attribute ``a``."""
        column, times = symbols.column(a), symbols.times
        known = column >= 0
        values = np.bincount(column[known], weights=times[known]).astype(np.float64)
        missing, total = float(times[~known].sum()), float(times.sum())
        classes = np.bincount(symbols.classes[known], weights=times[known]).astype(np.float64)
        _, pair = np.unique(column[known] * symbols.n_classes + symbols.classes[known], return_inverse=True)
        both = np.bincount(pair.ravel(), weights=times[known]).astype(np.float64)
        gain = entropy(classes) + entropy(values) - entropy(both)
        share = float(values.sum()) / total
        # Rounding leaves a little where attribute and class are independent.
        return cls(share * gain if gain > _ROUNDING else 0.0, entropy(np.append(values, missing)))


_ROUNDING = 1e-12
