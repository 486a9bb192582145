"""Random partitions into rows to learn from and rows to be asked about, for curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase._parameters import is_number, is_whole
from priorcase._typing import IntArray
from priorcase.exceptions import ParameterError, quoted


def partition(rows: int, tests: int, seed: int, repeat: int) -> tuple[IntArray, IntArray]:
    """Rows to learn from, in the random order in which they are to come, and test rows, ascending.

    The rows are those of `Holdout` with as many training rows, the same seed and repetition.
    """
    order = np.random.default_rng([seed, repeat]).permutation(rows)
    return order[: rows - tests], np.sort(order[rows - tests :])


def read_test(test: Any, rows: int) -> int:
    """How many test rows a user means: a part of all rows, or a number; at least one row is left on each side.

    Examples
    --------
    >>> read_test(0.3, 214), read_test(50, 214)
    (65, 50)
    """
    part = is_number(test) and not is_whole(test) and 0 < test < 1
    if part or is_whole(test):
        # As in Holdout, it is the number of training rows that is rounded down.
        found = rows - int((1 - test) * rows + 1e-9) if part else int(test)
        if 0 < found < rows:
            return found
    raise ParameterError(
        f"test must be a part between 0 and 1, or a number of rows from 1 to {rows - 1}, one less than rows, got "
        f"{quoted(test)}. 0.3 is usual."
    )


def check_repeats(repeats: Any) -> int:
    """How many repetitions."""
    if is_whole(repeats) and repeats >= 1:
        return int(repeats)
    raise ParameterError(
        f"repeats must be a whole number >= 1, got {quoted(repeats)}. 20 or more show how much the parting of the rows "
        "matters."
    )
