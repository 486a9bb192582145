"""The form of a saved learner's tree: a flat list of nodes that name each other by number.

A node is a list that begins with its kind, one of those below. Where a node holds a *value*, it is a JSON literal
(null, true, a number of moderate size, text) or ``[n]``, the object of node ``n``; so shared objects stay shared, and
an object may hold itself. Numbers, text and containers within each other are never nested in the JSON itself.

=============  ====================================================================================================
list, tuple    values
set, frozenset values
dict, ordered  keys and values in turn; ``counter`` likewise
array          data type, shape, order (C or F), whether it may be written to, number of bytes among the blobs
objects        the same of an array of objects, with its values instead of bytes
texts          shape and texts, of NumPy's texts of any length
scalar, bytes  data type and number of bytes; number of bytes
object         name of the class, state as the pickle protocol describes it
named          name of a class of named tuples, values
lock           nothing: a lock is new
others         numbers, dates and such as text (``plain_objects.py``)
=============  ====================================================================================================
"""

from __future__ import annotations

import math
from types import NoneType
from typing import Any, TypeAlias

__all__ = ["DEEPEST", "Node", "Value", "is_literal", "referred"]

Value: TypeAlias = Any  # JSON: None, bool, int, float, str or [int]
Node: TypeAlias = list[Any]

DEEPEST = 200
"""How many objects may lie within each other. Learners need about twenty; hashing tuples without end would crash."""

_LARGE = 2**63


def is_literal(value: object) -> bool:
    """Whether a value is written as it is: exactly a JSON type, and a number that JSON keeps.

    Examples
    --------
    >>> [is_literal(value) for value in ("a", 1, 0.5, None, 2**70, float("nan"), ())]
    [True, True, True, True, False, False, False]
    """
    kind = type(value)
    if kind is str or kind is NoneType or kind is bool:
        return True
    if kind is int:
        return -_LARGE <= value < _LARGE  # type: ignore[operator]
    return kind is float and math.isfinite(value)  # type: ignore[arg-type]


def referred(value: Value, n: int) -> int | None:
    """The number of the node that a value refers to; None for a literal. ``ValueError`` where it is neither."""
    if type(value) is list:
        if len(value) == 1 and type(value[0]) is int and 0 <= value[0] < n:
            return value[0]
        raise ValueError("a reference to no node")
    if value is None or type(value) in (str, int, bool, float):
        return None
    raise ValueError("a value that is none")
