"""From neighbourhoods to the probabilities of classes: what every answer of local classification is made from."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.exceptions import FarQueryWarning, TargetError
from priorcase.learning.classes import Classes
from priorcase.learning.labels import Labelling, learned_labels
from priorcase.local.classifier_loo import ClassLadder, LogLossCurve
from priorcase.local.classifier_models import Fitted, probabilities, resolve_model, smallest
from priorcase.local.classifier_parameters import check_class_prior, check_reach
from priorcase.local.classifier_rows import ClassRows, class_rows
from priorcase.local.estimator import LocalEstimator
from priorcase.local.neighborhoods import Neighborhoods, neighborhoods, reached
from priorcase.local.table import local_table
from priorcase.neighbors.base import NeighborsEstimator
from priorcase.schema import Schema

Block = tuple[slice, Neighborhoods, FloatArray]
"""Some queries, by their places, with their neighbourhoods and the probabilities of the classes."""


class LocalClassAnswers(LocalEstimator):
    """Base of local classification: its parameters, the classes, and their probabilities around each query."""

    model: Any
    prior: Any
    _local: Fitted
    _prior: float | Literal["frequency"] | None
    _labelling: Labelling

    def _shares(self, cells: FloatArray) -> tuple[FloatArray, list[int]]:
        """The probabilities of the classes, and the queries that are far from everything."""
        parts, far = [], list[int]()
        for part, around, shares in self._answers(cells):
            parts.append(shares)
            far += (part.start + np.flatnonzero(around.far)).tolist()
        return np.concatenate(parts), far

    def _answers(self, cells: FloatArray) -> Iterator[Block]:
        """The probabilities of the classes, block by block."""
        rows, threads = self._rows(), self._threads()
        for part, around in self._neighborhoods(cells):
            numbers = np.arange(part.start, part.stop)
            shares = probabilities(self._local, rows, cells[part], around, numbers=numbers, threads=threads)
            yield part, around, shares

    def _neighborhoods(self, cells: FloatArray) -> Iterator[tuple[slice, Neighborhoods]]:
        memory, circle, threads = self._stored(), self._circle(), self._threads()
        for part, found in neighborhoods(memory, cells, circle, threads=threads):
            yield part, reached(memory, cells[part], circle.around(found), threads=threads)

    def _left_out(self) -> tuple[FloatArray, list[int]]:
        """The probabilities of the classes of each stored row by the others, and the rows far from all of these."""
        memory, circle, threads = self._stored(), self._circle(), self._threads()
        found, far = np.empty((len(memory), self._classes().labels.size)), list[int]()
        for rows, own in self._alike():
            cells = memory.instances.cells(own)
            for part, near in neighborhoods(memory, cells, circle, threads=threads, own=own, whole=True):
                asked, numbers, around = cells[part], own[part], circle.around(near)
                around = reached(memory, asked, around, threads=threads, own=numbers, whole=True)
                found[numbers] = probabilities(self._local, rows, asked, around, numbers=numbers, threads=threads)
                far += numbers[around.far].tolist()
        return found, sorted(far)

    def _alike(self) -> Iterator[tuple[ClassRows, IntArray]]:
        """The stored rows with the prior that is left when one of a group is left out, and that group."""
        rows, classes, weights = self._rows(), self._classes(), self._stored().row_weights
        if self._prior != "frequency":
            yield rows, np.arange(len(classes.codes))
            return
        times = np.ones(len(classes.codes)) if weights is None else weights
        groups, of = np.unique(np.stack([classes.codes.astype(np.float64), times]), axis=1, return_inverse=True)
        for group, (code, weight) in enumerate(groups.T.tolist()):
            left = classes.weights.copy()
            left[int(code)] = max(left[int(code)] - weight, 0.0)
            yield replace(rows, prior=left / left.sum()), np.flatnonzero(of.ravel() == group)

    def _keep_classes(self, other: Self) -> None:
        other._labelling = replace(self._labelling, declared=(self._classes().labels,))

    def _warn_far(self, queries: list[int], n: int) -> None:
        if queries:
            warnings.warn(FarQueryWarning.classes(tuple(queries), n), stacklevel=4)

    def _rows(self) -> ClassRows:
        memory, classes = self._stored(), self._classes()
        return memory.cached("class rows", lambda: class_rows(memory, classes, self._class_prior(classes)))

    def _classes(self) -> Classes:
        memory = self._stored()
        return memory.followed("classes", lambda earlier: self._labelling.classes(memory.instances, earlier or ()))[0]

    def _class_prior(self, classes: Classes) -> FloatArray | None:
        if self._prior == "frequency":
            return np.asarray(classes.weights / classes.weights.sum())
        return None if self._prior is None else np.full(classes.labels.size, self._prior)

    def _targets_at(self, rows: IntArray) -> AnyArray:
        classes = self._classes()
        return np.asarray(classes.labels[classes.at(rows)])

    def _tried(self) -> LogLossCurve:
        return LogLossCurve.of(super()._tried())

    def _ladder(self) -> ClassLadder:
        memory = self._stored()
        return ClassLadder(
            memory=memory,
            table=local_table(memory),
            model=smallest(self._local),
            threads=self._threads(),
            rows=self._rows(),
            local=self._local,
        )

    def _check_parameters(self) -> None:
        NeighborsEstimator._check_parameters(self)  # the parameters of regression are not these
        self._reach = check_reach(self.n_neighbors, self.kernel, self.bandwidth)
        self._local = resolve_model(self.model)
        self._prior = check_class_prior(self.prior)
        self._rounds = 0

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        instances = None if first else self._stored().instances
        earlier = None if first else self._labelling
        labelling, targets, labels = learned_labels(y, classes, earlier, instances)
        if len(targets) > 1:
            raise TargetError.single(len(targets))
        self._labelling = labelling
        return targets, labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags
