"""Cases that are similar to the query and different from each other."""

from __future__ import annotations

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.cases.retrieval.comparing import Comparer
from priorcase.cases.scoring import Unknown

_TIMES, _LEAST = 5, 50


def bound(k: int) -> int:
    """Among how many of the most similar cases variety is sought: ``max(5 k, 50)``.

    Examples
    --------
    >>> bound(5), bound(20)
    (50, 100)
    """
    return max(_TIMES * k, _LEAST)


def diverse(
    comparer: Comparer, positions: IntArray, similarities: FloatArray, k: int, diversity: float, unknown: Unknown
) -> IntArray:
    """Places, among candidates in falling order of similarity, of k cases chosen greedily, in the order chosen.

    The first is the most similar one; each further one has the largest ``(1 - d) similarity + d r``, where r is its
    mean dissimilarity to those chosen before (bounded greedy selection, Smyth & McClave 2001, with a weighted mean of
    the two so that d sets their balance). Cases are compared as the query is, by all that the chosen one knows. Of
    equals the more similar one is taken, then the older one.

    Parameters
    ----------
    comparer
        How cases are compared.
    positions, similarities
        The candidates and their similarities to the query.
    k
        How many to choose.
    diversity
        How much difference counts, d.
    unknown
        How values count that one of two cases lacks.
    """
    chosen = [0] if len(positions) else []
    free = np.ones(len(positions), dtype=np.bool_)
    apart = np.zeros(len(positions))
    while chosen and len(chosen) < min(k, len(positions)):
        free[chosen[-1]] = False
        found = comparer.compare(comparer.table.values(int(positions[chosen[-1]])))
        apart += 1.0 - found.similarities(positions, unknown)
        quality = (1.0 - diversity) * similarities + diversity * (apart / len(chosen))
        chosen.append(int(np.argmax(np.where(free, quality, -np.inf))))
    return np.array(chosen, dtype=np.int64)
