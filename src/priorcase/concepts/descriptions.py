"""The descriptions of a learner: one for all classes, or one for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np

from priorcase._typing import AnyArray, IdArray
from priorcase.concepts.comparison import Comparison
from priorcase.concepts.description import Description

# Fewer rows are learned before threads have started.
_ROWS_FOR_THREADS = 512


class Descriptions(Protocol):
    """What a learner keeps of its rows.

    ``targets`` are codes of classes, one for each row, or say for each row and class whether it belongs there.
    """

    def learn(self, names: IdArray, cells: AnyArray, targets: AnyArray, threads: int) -> IdArray:
        """Learn rows in their order; names of those that no description stores, or none any more."""

    def copy(self, comparison: Comparison | None = None) -> Descriptions:
        """The same, for itself; perhaps with more attributes."""

    def forget(self, names: IdArray, classes: Sequence[int]) -> None:
        """Take out rows of a learner that stores every row; ``classes`` are those that have rows left."""

    def all(self) -> Iterator[Description]:
        """Every description, those of no class included."""

    def of_class(self, code: int) -> Description:
        """The description in which a class is to be found."""

    def named(self) -> Iterator[tuple[int | None, Description]]:
        """The descriptions of classes, with the code of each; None where all classes share one."""


class JointDescription:
    """One description for classes that exclude each other: IB1, IB2 and IB3 as published."""

    def __init__(self, begin: Callable[[], Description]) -> None:
        self.description = begin()

    def learn(self, names: IdArray, cells: AnyArray, targets: AnyArray, threads: int) -> IdArray:
        """Learn rows in their order; names of those that are not stored, or no more."""
        return self.description.learn(names, cells, targets)

    def copy(self, comparison: Comparison | None = None) -> JointDescription:
        """The same, for itself; perhaps with more attributes."""
        description = self.description.copy(comparison)
        return JointDescription(lambda: description)

    def forget(self, names: IdArray, classes: Sequence[int]) -> None:
        """Take out rows of a learner that stores every row."""
        self.description.core.forget(names)

    def all(self) -> Iterator[Description]:
        """The one."""
        yield self.description

    def of_class(self, code: int) -> Description:
        """The one."""
        return self.description

    def named(self) -> Iterator[tuple[int | None, Description]]:
        """The one, of no class alone."""
        yield None, self.description


class ClassDescriptions:
    """A description for each class, in which a row belongs to the class (1) or does not (0).

    A further one has seen every row as outside: a class that comes up in mid-stream begins with a copy of it, and so
    is described as if it had been known from the first row on.
    """

    def __init__(self, begin: Callable[[], Description]) -> None:
        self.outside = begin()
        self.classes: dict[int, Description] = {}
        self._holders: Counter[int] = Counter()

    def learn(self, names: IdArray, cells: AnyArray, targets: AnyArray, threads: int) -> IdArray:
        """Learn rows in their order; names of those that no description stores, or none any more."""
        for code in _occurring(targets):
            if code not in self.classes:
                self.classes[code] = self.outside.copy()
                self._holders.update(self.outside.core.records()[0].tolist())
        tasks = [(self.outside, np.zeros(len(names), np.int64))]
        tasks += [(description, _inside(targets, code)) for code, description in self.classes.items()]
        if threads > 1 and len(names) >= _ROWS_FOR_THREADS:
            with ThreadPoolExecutor(min(threads, len(tasks))) as pool:
                gone = list(pool.map(lambda task: task[0].learn(names, cells, task[1]), tasks))
        else:
            gone = [description.learn(names, cells, labels) for description, labels in tasks]
        return self._released(names, gone)

    def _released(self, names: IdArray, gone: list[IdArray]) -> IdArray:
        """Count who still holds each row, and tell which rows nobody holds."""
        holders = self._holders
        for name in names.tolist():
            holders[name] = len(gone)
        released = []
        for name, times in Counter(np.concatenate(gone).tolist()).items():
            holders[name] -= times
            if holders[name] == 0:
                del holders[name]
                released.append(name)
        return np.array(sorted(released), np.int64)

    def copy(self, comparison: Comparison | None = None) -> ClassDescriptions:
        """The same, for itself; perhaps with more attributes."""
        other = ClassDescriptions(lambda: self.outside.copy(comparison))
        other.classes = {code: description.copy(comparison) for code, description in self.classes.items()}
        other._holders = self._holders.copy()
        return other

    def forget(self, names: IdArray, classes: Sequence[int]) -> None:
        """Take out rows of a learner that stores every row; a class without rows is as if it had never come."""
        for code in self.classes.keys() - set(classes):
            del self.classes[code]
        for description in self.all():
            description.core.forget(names)
        self._holders = Counter(dict.fromkeys(self.outside.core.records()[0].tolist(), 1 + len(self.classes)))

    def all(self) -> Iterator[Description]:
        """The one that saw every row outside, then those of the classes."""
        yield self.outside
        yield from self.classes.values()

    def of_class(self, code: int) -> Description:
        """That of a class; for one that was announced and never came the one that saw every row outside."""
        return self.classes.get(code, self.outside)

    def named(self) -> Iterator[tuple[int | None, Description]]:
        """Those of the classes that came, with the code of each."""
        yield from self.classes.items()


def _occurring(targets: AnyArray) -> list[int]:
    """Codes of the classes that some row has, in the order of their first rows."""
    if targets.ndim == 2:
        return [int(code) for code in np.flatnonzero(targets.any(axis=0))]
    codes, first = np.unique(targets, return_index=True)
    return [int(code) for code in codes[np.argsort(first)]]


def _inside(targets: AnyArray, code: int) -> IdArray:
    """Whether each row belongs to a class, as 1 or 0."""
    inside = targets[:, code] if targets.ndim == 2 else targets == code
    return np.ascontiguousarray(inside, np.int64)
