"""What PEBLS answers: who is near, who votes, and what speaks for an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray
from priorcase.concepts.pebls_memory import ExemplarMemory
from priorcase.concepts.pebls_precedents import assembled
from priorcase.exceptions import TargetError, TooFewExemplarsError
from priorcase.learning.classes import Classes
from priorcase.learning.estimator import RowsEstimator
from priorcase.learning.labels import Labelling, learned_labels
from priorcase.learning.state import reads
from priorcase.neighbors.base import check_n_neighbors
from priorcase.neighbors.polling import ENTRIES, Rules
from priorcase.neighbors.precedents import Answer, Precedents
from priorcase.neighbors.votes import Poll, decide, probabilities
from priorcase.schema import Schema

# Queries asked before the length of their lists is known.
_FIRST_BLOCK = 64


class PeblsAnswers(RowsEstimator):
    """Base of PEBLS: labels at the door, and every answer from the exemplars as they are."""

    _memory: ExemplarMemory
    _labelling: Labelling
    _rules: Rules
    _k: int

    @property
    @reads
    def classes_(self) -> AnyArray:
        """The classes in ascending order."""
        return self._classes().labels

    @reads
    def predict(self, X: Any) -> AnyArray:
        """The class that the nearest exemplars vote for."""
        cells = self._cells(X)
        chosen = [self._decided(poll) for poll in self._polls(cells)]
        labels: AnyArray = self._classes().labels[np.concatenate(chosen)]
        return labels

    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """Share of the votes of each class in ``classes_``."""
        cells, classes = self._cells(X), self._classes()
        polls = self._polls(cells)
        return np.concatenate([probabilities(poll, classes) for poll in polls])

    @reads
    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[FloatArray, IdArray] | IdArray:
        """``w_X Delta`` and ids of the nearest exemplars of each query, shape (queries, n_neighbors).

        Parameters
        ----------
        X
            Queries; None for the exemplars themselves, none of which is then its own neighbour.
        n_neighbors
            How many; None for the ``n_neighbors`` of the estimator.
        return_distance
            Whether to return distances too.
        """
        memory = self._answering()
        own = None if X is not None else np.arange(len(memory))
        cells = memory.symbols.instances.cells() if X is None else self._cells(X)
        k = self._how_many(n_neighbors, own=own is not None)
        ranked = memory.search(cells, k, exclude=own, threads=self._threads())
        ids = memory.ids[ranked.rows].reshape(-1, k)
        return (ranked.distances.reshape(-1, k), ids) if return_distance else ids

    @reads
    def precedents(self, X: Any, n_neighbors: int | None = None) -> Precedents:
        """The exemplars that vote on each query, and what each attribute adds to their distances, ``w_X`` included.

        Parameters
        ----------
        X
            Queries.
        n_neighbors
            Answer from this many exemplars instead of the ``n_neighbors`` of the estimator.
        """
        memory, table, classes = self._answering(), self._table(X), self._classes()
        polls = self._polls(memory.symbols.read(table), n_neighbors)
        answers = [self._answer(poll) for poll in polls]
        return assembled(memory, table, answers, classes, threads=self._threads(), backend=self._backend)

    # -- inside

    def _stored(self) -> ExemplarMemory:
        return cast(ExemplarMemory, super()._stored())

    def _answering(self) -> ExemplarMemory:
        return cast(ExemplarMemory, super()._answering())

    def _cells(self, X: Any) -> FloatArray:
        """Queries as cells of symbols."""
        return self._answering().symbols.read(self._table(X))

    def _classes(self) -> Classes:
        memory = self._stored()
        return memory.cached("classes", lambda: self._labelling.classes(memory.instances)[0])

    def _class_of(self, rows: IntArray) -> AnyArray:
        """Classes of stored rows, by position."""
        classes = self._classes()
        return classes.labels[classes.codes[rows]]

    def _how_many(self, n_neighbors: int | None, *, own: bool = False) -> int:
        stored = len(self._stored())
        k = self._k if n_neighbors is None else int(check_n_neighbors(n_neighbors))
        if k > stored - own:
            raise TooFewExemplarsError.nearest(k, stored, own=own)
        return k

    def _polls(self, cells: FloatArray, n_neighbors: int | None = None) -> Iterator[Poll]:
        """Polls among the nearest exemplars of each query, block by block so that memory stays bounded."""
        memory, threads, k = self._stored(), self._threads(), self._how_many(n_neighbors)
        most = max(1, ENTRIES // max(k, self._classes().labels.size))
        start, size = 0, min(_FIRST_BLOCK * threads, most)
        while start < len(cells):
            ranked = memory.search(cells[start : start + size], k, ties=self._rules.whole_ties, threads=threads)
            yield self._rules.poll(ranked, k, start)
            start += len(ranked)
            size = max(1, min(most, ENTRIES * len(ranked) // ranked.rows.size))

    def _decided(self, poll: Poll) -> IntArray:
        """The winning class of each query, as a position in ``classes_``."""
        return decide(poll, self._rules.ties, [self._classes()], [None])[:, 0]

    def _answer(self, poll: Poll) -> Answer:
        classes, chosen = self._classes(), self._decided(poll)
        return Answer.of(poll, classes.labels[chosen], probabilities(poll, classes), chosen[:, None])

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        earlier, instances = (None, None) if first else (self._labelling, self._stored().instances)
        self._labelling, targets, labels = learned_labels(y, classes, earlier, instances)
        if labels.shape[1] != 1:
            raise TargetError.single(labels.shape[1])
        return targets, labels
