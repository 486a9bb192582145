"""Prequential answers: each row of a stream is predicted from the rows before it, then stored."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, IdArray
from priorcase.learning.progress import blocks
from priorcase.learning.state import changes
from priorcase.neighbors.core_stream import CoreStream
from priorcase.neighbors.polling import Poll
from priorcase.neighbors.predictor import NeighborsPredictor
from priorcase.neighbors.voters import SLACK
from priorcase.schema import Table


class PrequentialPredictor(NeighborsPredictor):
    """Base of the estimators that can answer each row of a stream before they store it."""

    @changes
    def _stream(self, X: Any, y: Any, classes: Any = None) -> tuple[AnyArray, AnyArray, int]:
        """Predictions and targets of the answered rows, and how many came before there were enough rows to answer.

        The core does it in one call where it can follow the distance and the votes; otherwise rows are asked about and
        stored one after the other, which gives the same.
        """
        self._threads()  # refuses an n_jobs that was changed to something else
        table, targets, _ = self._arrivals(X, y, None, classes)
        memory = self._memory
        if self._core_decides() and CoreStream.follows(memory, self._k, self._rules):
            answers = self._in_core(table, targets)
        else:
            answers = self._one_by_one(table, targets)
        first = len(table) - len(answers)
        return answers, self._targets_at(np.arange(len(memory) - len(answers), len(memory))), first

    def _in_core(self, table: Table, targets: Table | None) -> AnyArray:
        memory, found = self._memory, []
        stream = CoreStream(memory, self._k, self._rules)

        def follow(ids: IdArray) -> None:
            _ = memory.fitted  # it may refuse the rows
            found.append(self._ask_stream(stream, ids))

        memory.append(table, targets, None, follow=follow)
        self._check_rows()
        return found[0]

    def _one_by_one(self, table: Table, targets: Table | None) -> AnyArray:
        memory, answers = self._memory, []
        for part in blocks(len(table), text="prequential"):
            for i in range(part.start, part.stop):
                row, target = table.part(i, i + 1), None if targets is None else targets.part(i, i + 1)
                if self._can_answer():
                    polls = self._polls(memory.instances.encode(row), first=i)
                    answers += [self._told(poll) for poll in polls]
                memory.append(row, target, None)
                self._check_rows()
        nothing = self._targets_at(np.empty(0, np.int64))  # of the type that all targets together have
        return np.concatenate([nothing, *answers]).astype(nothing.dtype, copy=False)

    def _can_answer(self) -> bool:
        """Whether there are as many rows as are to vote, and at least one."""
        total = self._memory.total_weight * (1 + SLACK)
        return total > 0 and not (isinstance(self._k, int) and self._k > total)

    # -- for subclasses

    @abstractmethod
    def _told(self, poll: Poll) -> AnyArray:
        """What is predicted from a poll, as `predict` gives it."""

    @abstractmethod
    def _core_decides(self) -> bool:
        """Whether the core can make predictions of votes."""

    @abstractmethod
    def _ask_stream(self, stream: CoreStream, ids: IdArray) -> AnyArray:
        """Predictions of the rows just stored, by the core; those that came too early left out."""
