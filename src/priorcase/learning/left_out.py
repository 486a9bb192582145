"""What a learner would be without one of its rows: for those that can tell what they would then say about it."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import TooFewRowsError
from priorcase.instances import Instances
from priorcase.learning.estimator import RowsEstimator
from priorcase.learning.parameters import check_flag
from priorcase.learning.progress import bar
from priorcase.learning.state import reads
from priorcase.schema import Coded, Nominal, Table

_MANY = 200


class LeavesOneOut(RowsEstimator):
    """Base of estimators that answer each stored row without itself, at once or by a fit for each."""

    @property
    @reads
    def relearns_(self) -> bool:
        """Whether ``relearn=True`` takes a fit for each row: something is learned from the targets beside the votes."""
        self._stored()
        return self._chooses()

    # -- for subclasses

    @abstractmethod
    def _chooses(self) -> bool:
        """Whether the targets of all rows have a say in how near rows are, or in what parameters are."""

    def _keep_classes(self, other: Self) -> None:
        """Let a copy of this estimator keep all classes, whichever rows it forgets."""

    def _leaving(self, relearn: object) -> bool:
        """Whether to fit for each row; an error where there is nothing to leave out."""
        memory = self._answering()
        hint = "True learns anew, without each row, whatever is learned from targets."
        check_flag("relearn", relearn, hint=hint)
        if len(memory) < 2:
            raise TooFewRowsError.nothing_else()
        return bool(relearn) and self._chooses()

    def _refits(self) -> Iterator[tuple[int, Self, FloatArray]]:
        """Position of each stored row, a copy of this estimator without it, and the row as a query of that copy."""
        memory = self._stored()
        with bar(len(memory), shown=len(memory) >= _MANY, text="leave one out") as advance:
            for row, number in enumerate(memory.ids.tolist()):
                other: Any = copy.copy(self)
                other._memory = memory.fork()
                self._keep_classes(other)
                other._memory.forget([number])
                yield row, other, other._memory.instances.encode(stored_table(memory.instances, np.array([row])))
                advance("leave one out")


def stored_table(instances: Instances, rows: IntArray) -> Table:
    """Some stored rows as a table, to be asked about."""
    columns = tuple(
        Coded(instances.column(a)[rows], instances.values(a))
        if isinstance(kind, Nominal)
        else instances.column(a)[rows]
        for a, kind in enumerate(instances.schema.kinds)
    )
    return Table(instances.schema, len(rows), columns)
