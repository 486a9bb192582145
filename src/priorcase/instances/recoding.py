"""Codes of one numbering as codes of another, in the smallest type that holds them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from priorcase._core import code_counts, recode
from priorcase._typing import IntArray
from priorcase.schema import Coded

_WIDTHS = ((np.int8, 2**7), (np.int16, 2**15), (np.int32, 2**31))


def width(n: int) -> type[np.signedinteger[Any]]:
    """The smallest integer type for ``n`` codes and -1."""
    return next(kind for kind, codes in _WIDTHS if n <= codes)


def used(column: Coded) -> dict[int, int]:
    """The codes that occur, ascending, with the number of rows of each."""
    return occurring(column.codes, len(column.values))


def occurring(codes: IntArray, n: int) -> dict[int, int]:
    """The codes below ``n`` that occur, ascending, with the number of rows of each."""
    if len(codes) == 1:
        return {code: 1} if (code := int(codes[0])) >= 0 else {}
    if n > len(codes):
        return dict(sorted(Counter(code for code in codes.tolist() if code >= 0).items()))
    counts = code_counts(codes, n)
    found = np.flatnonzero(counts)
    return dict(zip(found.tolist(), counts[found].tolist(), strict=True))


def translated(column: Coded, translate: dict[int, int]) -> IntArray:
    """The codes of a column, translated; the same array where that changes nothing."""
    if all(position == code for position, code in translate.items()):
        return column.codes
    most = max(translate.values(), default=0)
    codes = np.empty(len(column.codes), width(most + 1))
    if len(column.values) > len(column.codes):
        codes[:] = [translate.get(code, -1) for code in column.codes.tolist()]
        return codes
    table = np.full(len(column.values), -1, np.int32)
    table[list(translate)] = list(translate.values())
    recode(column.codes, table, codes)
    return codes
