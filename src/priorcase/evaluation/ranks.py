"""Ranks of learners over several tables or splits."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from priorcase.typing import FloatArray


def mean_ranks(values: FloatArray, *, greater_is_better: bool) -> FloatArray:
    """The mean rank of each learner, 1 for the best and the mean of their ranks for equals.

    Learners without any value have none; a column counts if all others have a value in it.

    Parameters
    ----------
    values
        Shape (learners, tables or splits), NaN where there is none.
    greater_is_better
        Which way is better.

    Examples
    --------
    >>> mean_ranks(np.array([[0.9, 0.8], [0.7, 0.8]]), greater_is_better=True)
    array([1.25, 1.75])
    """
    ranks = np.full(len(values), np.nan)
    there = ~np.isnan(values).all(axis=1)
    common = ~np.isnan(values[there]).any(axis=0)
    if there.any() and common.any():
        counted = values[there][:, common]
        ranks[there] = rankdata(-counted if greater_is_better else counted, axis=0).mean(axis=1)
    return ranks
