"""Discretisers that look at the classes: cuts that tell much about them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.entropy_splits import ClassBlocks, Split
from priorcase.exceptions import ParameterError


@dataclass(frozen=True)
class TwoWay:
    """Two bins: the cut with the highest information gain, the lowest of equal ones; no cut where nothing is gained.

    Examples
    --------
    >>> TwoWay().cuts(np.array([1.0, 2.0, 8.0, 9.0]), np.array([0, 0, 1, 0]), 2, None)
    array([5.])
    """

    needs_classes: ClassVar[bool] = True

    def cuts(
        self, values: FloatArray, classes: IntArray | None, n_classes: int, weights: FloatArray | None
    ) -> FloatArray:
        blocks = _blocks(self, values, classes, n_classes, weights)
        split = blocks.best_split(0, len(blocks))
        return np.array([] if split is None else [split.cut], dtype=np.float64)


@dataclass(frozen=True)
class MDL:
    """As many bins as the classes justify: cuts by information gain, each accepted by minimum description length.

    The best cut of N rows into S1 and S2 is kept, and both sides are cut further, while (in bits)
    ``Gain > (log2(N - 1) + log2(3^k - 2) - k Ent(S) + k1 Ent(S1) + k2 Ent(S2)) / N`` with k, k1, k2 the number of
    classes in S, S1 and S2 (Fayyad & Irani 1993, section 3). Cuts lie halfway between neighbouring values; the lowest
    of equally good ones is taken. Rows that weigh less than two in all are not cut.

    Examples
    --------
    >>> values = np.arange(12.0)
    >>> MDL().cuts(values, np.array([0] * 6 + [1] * 6), 2, None)
    array([5.5])
    >>> MDL().cuts(values, np.array([0, 1] * 6), 2, None)
    array([], dtype=float64)
    """

    needs_classes: ClassVar[bool] = True

    def cuts(
        self, values: FloatArray, classes: IntArray | None, n_classes: int, weights: FloatArray | None
    ) -> FloatArray:
        blocks = _blocks(self, values, classes, n_classes, weights)
        found, waiting = [], [(0, len(blocks))]
        while waiting:
            begin, end = waiting.pop()
            split = blocks.best_split(begin, end)
            if split is not None and _is_worth_its_code(split):
                found.append(split.cut)
                waiting += [(begin, split.at), (split.at, end)]
        return np.array(sorted(found), dtype=np.float64)


def _is_worth_its_code(split: Split) -> bool:
    n, k = split.whole.weight, split.whole.n_classes
    if n < 2:
        return False
    sides = split.left.n_classes * split.left.entropy + split.right.n_classes * split.right.entropy
    # ln(3^k - 2), also where 3^k is beyond float64.
    shapes = k * math.log(3) + math.log1p(-2 * math.exp(-k * math.log(3)))
    return split.gain > (math.log(n - 1) + shapes - k * split.whole.entropy + sides) / n


def _blocks(
    strategy: object, values: FloatArray, classes: IntArray | None, n_classes: int, weights: FloatArray | None
) -> ClassBlocks:
    if classes is None:
        raise ParameterError.wrong(
            "classes",
            None,
            expected="the class of each value",
            hint="'kmeans', 'equal_frequency' and 'equal_width' need no classes.",
        )
    return ClassBlocks(np.asarray(values, dtype=np.float64), np.asarray(classes), n_classes, weights)
