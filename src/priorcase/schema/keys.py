"""Which column a key means: its name or its position."""

from collections.abc import Iterable, Sequence

import numpy as np

from priorcase._typing import Name
from priorcase.exceptions import ParameterError
from priorcase.schema.values import is_hashable


def position(key: Name, names: Sequence[Name] | None, n: int, *, parameter: str) -> int:
    """The position of the column that ``key`` names among ``n``; ``ParameterError`` where there is none.

    An integer, of Python or NumPy, is a name where some name equals it, and a position from 0 otherwise. A boolean is
    no integer.

    Examples
    --------
    >>> position("b", ("a", "b"), 2, parameter="schema")
    1
    >>> position(np.int8(0), ("a", "b"), 2, parameter="schema")
    0
    >>> position(0, (1, 0), 2, parameter="schema")
    1
    """
    boolean = isinstance(key, (bool, np.bool_))
    if names is not None and is_hashable(key) and key in names:
        found = names.index(key)
        if isinstance(names[found], bool) == boolean:
            return found
    if isinstance(key, (int, np.integer)) and not boolean and 0 <= key < n:
        return int(key)
    raise ParameterError.unknown_column(parameter, key, names, n)


def positions(keys: Iterable[Name], names: Sequence[Name] | None, n: int, *, parameter: str) -> tuple[int, ...]:
    """The positions of some columns, each named once; ``ParameterError`` where a key names none, or two name one."""
    seen: dict[int, Name] = {}
    for key in keys:
        a = position(key, names, n, parameter=parameter)
        if a in seen:
            raise ParameterError.same_column(parameter, seen[a], key)
        seen[a] = key
    return tuple(seen)
