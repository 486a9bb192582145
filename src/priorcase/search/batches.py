"""A search for many queries, in parts of bounded size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from priorcase._typing import FloatArray, IdArray

Found = tuple[IdArray, IdArray, FloatArray]
"""Where each query's list begins and the last one ends; the rows of all lists; their costs."""


def in_batches(search: Callable[[slice], Found], count: int, size: int) -> Found:
    """What the search finds for all queries, asked for in parts of bounded size."""
    if count <= size:
        return search(slice(0, count))
    parts = [search(slice(start, start + size)) for start in range(0, count, size)]
    lengths = np.concatenate([np.diff(indptr) for indptr, _, _ in parts])
    return (
        np.concatenate([[0], np.cumsum(lengths)]),
        np.concatenate([ids for _, ids, _ in parts]),
        np.concatenate([costs for _, _, costs in parts]),
    )
