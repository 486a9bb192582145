"""How many training rows the points of a learning curve have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import numpy as np

from priorcase._parameters import is_number, is_whole
from priorcase.exceptions import ParameterError, quoted

Sizes: TypeAlias = "Literal['all'] | Iterable[float] | None"
"""None for a ladder, "all", or numbers and parts of the training rows."""

_STEPS = 10
_FIRST = 5


def ladder(rows: int) -> tuple[int, ...]:
    """About ten sizes up to some number of rows, each greater than the one before by the same factor.

    Examples
    --------
    >>> ladder(1000)
    (5, 9, 16, 29, 53, 95, 171, 308, 555, 1000)
    >>> ladder(4)
    (1, 2, 3, 4)
    """
    first = min(_FIRST, max(1, rows // _STEPS))
    return tuple(np.unique(np.geomspace(first, rows, _STEPS).round().astype(int)).tolist())


def read_sizes(sizes: Any, rows: int) -> tuple[int, ...]:
    """The sizes that a user means, ascending, each once.

    Parameters
    ----------
    sizes
        None for `ladder`; ``"all"`` for every one from 1; or some of them: a whole number is a number of rows, a number
        with a decimal point above 0 and up to 1.0 is a part of them, at least one.
    rows
        How many training rows there are.

    Examples
    --------
    >>> read_sizes([0.1, 50, 1.0], 200)
    (20, 50, 200)
    """
    if sizes is None:
        return ladder(rows)
    if isinstance(sizes, str) and sizes == "all":
        return tuple(range(1, rows + 1))
    several = isinstance(sizes, Iterable) and not isinstance(sizes, (str, bytes))
    entries = np.asarray(sizes).tolist() if isinstance(sizes, np.ndarray) else list(sizes) if several else [sizes]
    found = {_size(entry, rows) for entry in entries}
    if not found:
        raise _wrong(sizes, rows)
    return tuple(sorted(found))


def _size(entry: Any, rows: int) -> int:
    if is_whole(entry) and 1 <= entry <= rows:
        return int(entry)
    if is_number(entry) and not is_whole(entry) and 0 < entry <= 1:
        return max(1, int(entry * rows + 1e-9))  # 0.7 * 10 is a little less than 7
    raise _wrong(entry, rows)


def _wrong(value: object, rows: int) -> ParameterError:
    return ParameterError(
        f"sizes must be None, 'all', numbers of rows from 1 to {rows}, which are there to learn from, or parts up to "
        f"1.0, got {quoted(value)}. For example [0.1, 0.3, 1.0]."
    )
