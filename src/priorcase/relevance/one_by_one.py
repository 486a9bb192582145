"""Rows one by one: the same for a table in any order, and for rows that are repeated or weighted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray, IdArray
from priorcase.learning.sorted_rows import sort_rows
from priorcase.relevance.evidence import Evidence
from priorcase.relevance.numbering import in_order

# Beyond as many rows in all, each different row is listed once, with its weight.
_MOST_LISTED = 1_000_000


@dataclass(frozen=True, slots=True)
class OneByOne:
    """Rows in an order that depends on nothing but what they hold, equal ones after each other.

    Parameters
    ----------
    rows
        Positions of rows with these cells and this target.
    times
        How many rows each stands for: 1, or the part of a row that is left.
    labels, numbers
        Their classes, numbered as they come, or their numbers; the other is None.
    """

    rows: IdArray
    times: FloatArray
    labels: IdArray | None
    numbers: FloatArray | None

    def __len__(self) -> int:
        return self.rows.size


def one_by_one(evidence: Evidence) -> OneByOne:
    """The rows of the evidence, a row of weight 2 twice."""
    codes = evidence.classes()[0] if evidence.has_classes else None
    numbers = np.empty((len(evidence), 0)) if codes is not None else evidence.numbers()[:, None]
    ordered = sort_rows(evidence.instances, numbers, codes)
    told = (numbers[:, 0] if codes is None else codes)[ordered.positions]
    before, here = ordered.cells[:-1], ordered.cells[1:]
    same = ((before == here) | (np.isnan(before) & np.isnan(here))).all(axis=1) & (told[:-1] == told[1:])
    first = np.flatnonzero(np.concatenate(([True], ~same)))
    entry, times = _listed(np.add.reduceat(ordered.weights, first))
    rows, told = ordered.positions[first][entry], told[first][entry]
    if codes is None:
        return OneByOne(rows, times, None, np.asarray(told, np.float64))
    return OneByOne(rows, times, in_order(told.astype(np.int64)), None)


def _listed(weights: FloatArray) -> tuple[IdArray, FloatArray]:
    """Places, each as often as its weight says, and what each time counts for.

    Examples
    --------
    >>> _listed(np.array([2.0, 1.5]))
    (array([0, 0, 1, 1]), array([1. , 1. , 1. , 0.5]))
    """
    if not weights.sum() <= _MOST_LISTED:
        return np.arange(weights.size), weights
    often = np.ceil(weights).astype(np.int64)
    times = np.ones(int(often.sum()))
    times[np.cumsum(often) - 1] = weights - (often - 1)
    return np.repeat(np.arange(weights.size), often), times
