"""Rows dealt out into folds, each of which is left out of one model."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from priorcase._parameters import is_whole
from priorcase._typing import IdArray
from priorcase.exceptions import EvaluationError, ParameterError, quoted

Folds: TypeAlias = int | Literal["loo"]


def check_folds(value: object, *, one_by_one: bool) -> Folds:
    """A number of folds, or every row its own where that is allowed."""
    if is_whole(value) and value >= 2:
        return int(value)
    if one_by_one and isinstance(value, str) and value == "loo":
        return "loo"
    more = " or 'loo'" if one_by_one else ""
    raise ParameterError(f"folds must be a whole number >= 2{more}, got {quoted(value)}. 10 is usual.")


def dealt(n: int, folds: Folds, seed: int) -> tuple[IdArray, ...]:
    """Positions of the rows of each fold, ascending; folds are drawn at random and differ by one row at most.

    Classes are not dealt out evenly: what is proved is proved of folds that do not look at the targets.

    Examples
    --------
    >>> [fold.tolist() for fold in dealt(7, 3, 0)], len(dealt(7, "loo", 0))
    ([[1, 2, 6], [4, 5], [0, 3]], 7)
    """
    if n < (2 if folds == "loo" else folds):
        raise EvaluationError(
            f"got {n} rows for {2 if folds == 'loo' else folds} folds (n_samples = {n}); expected at least one for "
            "each. Ask for fewer folds, but at least 2, or pass more rows."
        )
    if folds == "loo" or folds == n:
        return tuple(np.arange(n, dtype=np.int64)[:, None])
    order = np.random.default_rng(seed).permutation(n).astype(np.int64)
    return tuple(np.sort(order[fold::folds]) for fold in range(folds))
