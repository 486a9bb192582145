"""Editing: which rows their nearest others disagree with, and that again when some of them are gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from priorcase._typing import BoolArray, IdArray
from priorcase.exceptions import ReductionError
from priorcase.learning.progress import bar
from priorcase.reduction.reducer import VoteTies
from priorcase.reduction.rows import Rows
from priorcase.reduction.voting import KindSel, far_off, outvoted

MANY_ROWS = 20_000
"""From here on a bar shows how far the work is."""

_ROWS_AT_ONCE = 4_096


def blocks(n: int, text: str, size: int = _ROWS_AT_ONCE) -> Iterator[tuple[int, int]]:
    """Parts of ``n`` rows to be worked on one after the other; Ctrl-C is heard, and a bar moves on, between them."""
    with bar(-(-n // size), shown=n >= MANY_ROWS, text=text) as advance:
        for start in range(0, n, size):
            yield start, min(start + size, n)
            advance(text)


class LeaveOneOut:
    """The nearest others of every row among the rows that are left.

    Parameters
    ----------
    rows
        The table.
    k
        How many others; all of them where fewer are left.
    """

    def __init__(self, rows: Rows, k: int) -> None:
        self._rows = rows
        self._k = k
        self.left: BoolArray = np.ones(len(rows), dtype=bool)
        self._lists = np.zeros((len(rows), k), dtype=np.int64)
        self._search(np.arange(len(rows)))

    def lists(self) -> tuple[IdArray, IdArray]:
        """The rows left, and the others nearest to each, nearest first."""
        at = np.flatnonzero(self.left)
        return at, self._lists[at, : self._width]

    def remove(self, gone: IdArray) -> None:
        """Take rows out; lists that named one of them are searched again."""
        self.left[gone] = False
        self._rows.memory.index.remove(gone)
        at, lists = self.lists()
        self._search(at[~self.left[lists].all(axis=1)])

    @property
    def _width(self) -> int:
        return min(self._k, int(self.left.sum()) - 1)

    def _search(self, at: IdArray) -> None:
        memory, width = self._rows.memory, self._width
        if not width:
            return
        for start, stop in blocks(at.size, self._rows.owner):
            part = at[start:stop]
            found = memory.search(memory.instances.cells(part), width, exclude=part, threads=self._rows.threads)
            self._lists[part, :width] = found.rectangular(width)[0]


Disagreement = Callable[[IdArray, IdArray], BoolArray]
"""Whether the nearest others of some rows, one line for each, disagree with them."""


def disagreement(rows: Rows, *, ties: VoteTies, kind_sel: KindSel, alpha: float) -> Disagreement:
    """The rule of the table's targets: votes of classes, or standard deviations of numbers."""
    codes = rows.targets.codes
    if codes is not None:
        return lambda at, lists: outvoted(codes[at], codes[lists], ties, kind_sel)
    numbers = rows.targets.numbers
    return lambda at, lists: far_off(numbers[at], numbers[lists], alpha)


def edited(rows: Rows, k: int, disagrees: Disagreement) -> IdArray:
    """The rows that their k nearest others do not disagree with."""
    at, lists = LeaveOneOut(rows, k).lists()
    return some_left(at[~_in_blocks(disagrees, at, lists)], rows, k)


def repeatedly_edited(rows: Rows, k: int, disagrees: Disagreement) -> tuple[IdArray, int]:
    """The rows left when editing deletes nothing more, and how often it was applied."""
    others, passes = LeaveOneOut(rows, k), 0
    while True:
        at, lists = others.lists()
        gone, passes = _in_blocks(disagrees, at, lists), passes + 1
        if not gone.any():
            return at, passes
        some_left(at[~gone], rows, k)
        others.remove(at[gone])


def edited_by_all(rows: Rows, k: int, disagrees: Disagreement, *, successive: bool) -> IdArray:
    """The rows that their i nearest others do not disagree with for any i from 1 to k.

    With ``successive`` the rows that i others disagree with are gone before i + 1 others are asked.
    """
    others = LeaveOneOut(rows, k)
    at, lists = others.lists()
    flagged = np.zeros(len(at), dtype=bool)
    for i in range(1, k + 1):
        if successive and i > 1:
            others.remove(at[flagged])
            at, lists = others.lists()
            flagged = np.zeros(len(at), dtype=bool)
        flagged |= _in_blocks(disagrees, at, lists[:, :i])
        some_left(at[~flagged], rows, k)
    return at[~flagged]


def some_left(kept: IdArray, rows: Rows, k: int) -> IdArray:
    """The rows kept, of which there must be some."""
    if not kept.size:
        classes = rows.targets.classes
        numbers = classes is not None and classes.dtype.kind in "iuf"
        raise ReductionError.nothing_left(len(rows), k, numbers=numbers)
    return kept


def _in_blocks(disagrees: Disagreement, at: IdArray, lists: IdArray) -> BoolArray:
    """Block by block, so that no more than the lists themselves is ever held for all rows."""
    found = np.zeros(len(at), dtype=bool)
    for start in range(0, len(at), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        found[part] = disagrees(at[part], lists[part])
    return found
