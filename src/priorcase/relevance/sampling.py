"""Rows drawn without a seed: always the same ones of as many rows."""

from __future__ import annotations

import numpy as np

from priorcase._typing import IdArray


def shuffled(n: int) -> IdArray:
    """The numbers 0 to n - 1 in an order without pattern, by the keys that SplitMix64 gives them.

    Examples
    --------
    >>> shuffled(6)
    array([2, 4, 5, 1, 0, 3])
    """
    with np.errstate(over="ignore"):
        key = (np.arange(n, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        key ^= key >> np.uint64(31)
    return np.argsort(key, kind="stable")


def some(n: int, most: int) -> IdArray:
    """At most ``most`` of the numbers 0 to n - 1, ascending.

    They are not evenly spaced, so that a table whose classes take turns does not show one of them only.

    Examples
    --------
    >>> some(10, 3), some(3, 10)
    (array([2, 4, 6]), array([0, 1, 2]))
    """
    return np.sort(shuffled(n)[:most]) if most < n else np.arange(n, dtype=np.int64)
