"""Leave-one-out losses of attribute subsets, computed by searches on a single index."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal, Self, TypeAlias

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import ParameterError, TargetError, TooFewRowsError
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.neighbors.base import NeighborsMemory
from priorcase.neighbors.polling import ENTRIES, Rules
from priorcase.neighbors.votes import Poll, decide, left_out_once, means, probabilities
from priorcase.search.index import NeighborList

Subset: TypeAlias = tuple[int, ...]
"""Positions of the attributes of a subset, in ascending order."""

Scoring: TypeAlias = Literal["accuracy", "brier", "log_score", "squared_error", "absolute_error"]

Loss: TypeAlias = Callable[[Poll, IntArray], FloatArray]
"""Function that returns the loss of each query, given the neighbors' votes and the row positions of the queries."""

# Number of queries in the first block of a large table, while the length of neighbor lists is unknown.
_FIRST_BLOCK = 64


@dataclass(frozen=True, eq=False)
class LeaveOneOutLosses:
    """Leave-one-out losses of the stored rows for subsets of the attributes.

    The statistics of the distance, such as ranges, include the left-out row, so a single index can be used for all
    subsets and rows.
    """

    memory: NeighborsMemory
    rules: Rules
    k: int
    loss: Loss  # for numeric targets, relative to the loss of the best constant prediction
    unit: float  # the relative loss of a single numeric target times ``unit`` is in the target's units; otherwise 1
    threads: int

    @classmethod
    def of(cls, model: KNNClassifier | KNNRegressor, scoring: Scoring, threads: int) -> Self:
        """Create the losses for the stored rows of a fitted k-NN estimator."""
        memory = model._stored()
        rows = len(memory)
        if rows < 2:
            raise TooFewRowsError("leave-one-out needs at least two rows, but n_samples = 1")
        if memory.local_weights:
            raise ParameterError(
                "estimator must use the same attribute weights for all queries, got local=True; use local=False"
            )
        if memory.distance.whole:
            raise ParameterError(
                f"estimator must compare rows column by column, so that columns can be left out, got "
                f"distance={model.distance!r}"
            )
        k = int({"sqrt": math.isqrt(rows - 1), "all": rows - 1}.get(str(model._k), model._k))
        if k > rows - 1:
            raise TooFewRowsError(
                f"Expected n_neighbors < n_samples_fit, but n_neighbors = {k}, n_samples_fit = {rows}. Use a "
                "smaller n_neighbors, or pass more rows."
            )
        loss, unit = _number_loss(model, scoring) if isinstance(model, KNNRegressor) else _class_loss(model, scoring)
        return cls(memory, model._rules, k, loss, unit, threads)

    def __len__(self) -> int:
        return len(self.memory)

    def losses(self, points: IntArray, subsets: Sequence[Subset]) -> FloatArray:
        """Return the loss of each subset for each stored row at positions ``points``, shape (subsets, points)."""
        weights = np.repeat(self._weights(subsets), points.size, axis=0)
        return self._predicted(np.tile(points, len(subsets)), weights).reshape(len(subsets), points.size)

    def losses_of_each(self, points: IntArray, subsets: Sequence[Subset]) -> FloatArray:
        """Return the loss of the first subset for the first row, of the second subset for the second row, and so on."""
        return self._predicted(points, self._weights(subsets))

    def _weights(self, subsets: Sequence[Subset]) -> FloatArray:
        own = self.memory.attribute_weights
        weights = np.zeros((len(subsets), len(self.memory.instances.schema)))
        for s, subset in enumerate(subsets):
            weights[s, subset] = 1.0 if own is None else own[list(subset)]
        return weights

    def _predicted(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """Return the loss of each row with its own weights, computed in blocks to limit memory and allow interrupts."""
        found = np.empty(rows.size)
        wanted = min(self.k + self.rules.vote.needs_bandwidth, len(self) - 1)
        most, start = max(1, ENTRIES // wanted), 0
        size = min(max(_FIRST_BLOCK * self.threads, ENTRIES // len(self)), most)
        while start < rows.size:
            part = slice(start, start + size)
            neighbors = self._neighbors(rows[part], weights[part], wanted)
            found[part] = self.loss(self.rules.poll(neighbors, self.k, 0), rows[part])
            start += len(neighbors)
            # With few attributes there are many ties, which make lists long.
            size = max(1, min(most, ENTRIES * len(neighbors) // neighbors.rows.size))
        return found

    def _neighbors(self, rows: IntArray, weights: FloatArray, wanted: int) -> NeighborList:
        memory = self.memory
        cells, own, threads = memory.instances.cells(rows), memory.ids[rows], self.threads
        ties, algorithm = self.rules.whole_ties, memory.algorithm
        near = memory.index.kneighbors(
            memory.fitted, cells, wanted, weights=weights, exclude=own, ties=ties, algorithm=algorithm, threads=threads
        )
        positions = memory.positions(near.ids)
        at = np.flatnonzero(np.isinf(near.distances))
        if at.size:
            of = np.repeat(np.arange(rows.size), np.diff(near.indptr))[at]
            stored, names = memory.instances.cells(positions[at]), (of, near.ids[at])
            memory.fitted.check_finite(near.distances[at], cells[of], stored, weights[of], names)
        return NeighborList(near.indptr, positions, near.distances)


def _class_loss(model: KNNClassifier, scoring: Scoring) -> tuple[Loss, float]:
    """Return a loss function (0/1 loss, Brier score or negative log-score, averaged over the targets), and 1.0."""
    outputs, priors, temperature = model._outputs(), model._priors(), model._temperature

    def errors(poll: Poll, own: IntArray) -> FloatArray:
        # If ties are broken by class frequencies, the left-out row is excluded from them.
        chosen = decide(poll, model._rules.ties, outputs, model._deciding_priors(), left_out_once(own, None))
        return np.asarray((chosen != np.stack([classes.codes[own] for classes in outputs], axis=1)).mean(axis=1))

    def of_probabilities(poll: Poll, own: IntArray) -> FloatArray:
        found = []
        for classes, prior in zip(outputs, priors, strict=True):
            p, truth = probabilities(poll, classes, prior, temperature), (np.arange(own.size), classes.codes[own])
            if scoring == "log_score":
                found.append(-np.log(p[truth]))
            else:
                p[truth] -= 1.0
                found.append((p * p).sum(axis=1))
        return np.asarray(np.mean(found, axis=0))

    return (errors if scoring == "accuracy" else of_probabilities), 1.0


def _number_loss(model: KNNRegressor, scoring: Scoring) -> tuple[Loss, float]:
    """Return a loss function, averaged over the targets, and ``unit`` (see `LeaveOneOutLosses`)."""
    numbers, power = model._targets(), 2 if scoring == "squared_error" else 1
    with np.errstate(over="ignore", invalid="ignore"):
        spread = numbers.std(axis=0) if power == 2 else np.abs(numbers - np.median(numbers, axis=0)).mean(axis=0)
        if not np.isfinite(spread**power).all():
            raise TargetError("Input y contains infinity or a value too large for dtype('float64'); rescale y")
    unit = np.where(spread > 0, spread, 1.0)

    def deviation(poll: Poll, own: IntArray) -> FloatArray:
        errors = np.abs(means(poll, numbers) - numbers[own]) / unit
        return np.asarray((errors * errors if power == 2 else errors).mean(axis=1))

    return deviation, float(unit[0] ** power) if unit.size == 1 else 1.0


@dataclass(eq=False)
class Trials:
    """Cache of leave-one-out losses; each attribute subset is evaluated on as many rows of ``order`` as needed."""

    rows: LeaveOneOutLosses
    order: IntArray
    n_evaluations: int = 0  # losses computed
    n_subsets: int = 0  # different subsets tried
    _known: dict[Subset, FloatArray] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.order.size

    def losses(self, subsets: Sequence[Subset], n: int) -> FloatArray:
        """Return the losses of the given subsets on the first ``n`` rows in ``order``, shape (subsets, n)."""
        by_length: dict[int, list[Subset]] = {}
        for subset in subsets:
            self.n_subsets += subset not in self._known
            known = self._known.setdefault(subset, np.empty(0))
            by_length.setdefault(known.size, []).append(subset)
        for start, group in by_length.items():
            if start < n:
                new = self.rows.losses(self.order[start:n], group)
                self.n_evaluations += new.size
                for subset, more in zip(group, new, strict=True):
                    self._known[subset] = np.concatenate((self._known[subset], more))
        return np.stack([self._known[subset][:n] for subset in subsets])

    def is_better(self, first: Subset, second: Subset) -> bool:
        """Return whether ``first`` has a lower mean loss than ``second`` on the rows on which both were evaluated."""
        losses = self.losses([first, second], min(self._known[first].size, self._known[second].size))
        return bool(losses[0].mean() < losses[1].mean())

    def keep(self, subsets: Collection[Subset]) -> None:
        """Drop the cached losses of all subsets except ``subsets``, because the search needs only these."""
        self._known = {subset: losses for subset, losses in self._known.items() if subset in subsets}
