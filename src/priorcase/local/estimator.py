"""Fits around queries and around the stored rows themselves: what every answer of local regression is made from."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.exceptions import ParameterError, TooFewRowsError
from priorcase.learning.left_out import LeavesOneOut
from priorcase.learning.progress import blocks
from priorcase.learning.state import reads
from priorcase.learning.targets import learned_numbers
from priorcase.local import parameters
from priorcase.local.choosing import Ladder
from priorcase.local.curve import LeaveOneOutCurve
from priorcase.local.fits import Fits, fitted
from priorcase.local.neighborhoods import Circle, Neighborhoods, neighborhoods, reached
from priorcase.local.parameters import Descent, Model, Reach
from priorcase.local.robustness import robustness_weights
from priorcase.local.table import LocalTable, local_table
from priorcase.neighbors.base import NeighborsEstimator
from priorcase.neighbors.parameters import check_n_neighbors
from priorcase.neighbors.voters import SLACK, Ranked, Voters
from priorcase.neighbors.weights import needs_one_target
from priorcase.schema import Schema
from priorcase.similarity import Kernel

Block = tuple[slice, Neighborhoods, Fits]
"""Some queries, by their places, with their neighbourhoods and fits."""


class LocalEstimator(LeavesOneOut, NeighborsEstimator):
    """Base of local regression: the parameters, who counts around a query, and the fits."""

    degree: int
    kernel: str | Kernel
    bandwidth: Any
    span: float | None
    ridge: float
    rcond: float
    robust: int
    solver: str
    learning_rate: Any
    max_steps: int
    tol: float
    _reach: Reach
    _model: Model
    _rounds: int
    _descent: Descent | None
    _flat: bool

    # -- how far fits reach

    @property
    @reads
    def n_neighbors_(self) -> int:
        """How many nearest rows a fit looks at; a row of weight 2 counts as two. Not there with bandwidth="query"."""
        return self._k()

    @property
    @reads
    def bandwidth_(self) -> float:
        """The bandwidth, given or chosen; only where it is one number for all queries."""
        h = self._h()
        if h is None:
            raise AttributeError(
                f"bandwidth_ is there with one bandwidth for all queries only, not with {self._said()}."
            )
        return h

    @property
    @reads
    def loo_scores_(self) -> LeaveOneOutCurve:
        """Leave-one-out squared errors of what was chosen from; only where one of them is ``"loo"``."""
        if "loo" not in (self._stored_reach().k, self._stored_reach().bandwidth):
            raise AttributeError(f"loo_scores_ is there with 'loo' only, not with {self._said()}.")
        return self._curve()

    def _stored_reach(self) -> Reach:
        self._stored()
        return self._reach

    def _said(self) -> str:
        reach = self._reach
        if reach.span is not None:
            return f"span={reach.span!r}"
        return f"n_neighbors={reach.k!r} and bandwidth={reach.bandwidth!r}"

    def _k(self) -> int:
        reach, stored = self._stored_reach(), max(1, int(self._stored().total_weight * (1 + SLACK)))
        if reach.span is not None:
            return min(stored, max(1, math.floor(reach.span * stored + 1e-5)))
        if isinstance(reach.k, int):
            return reach.k
        if reach.k is None:
            raise AttributeError("n_neighbors_ differs from query to query with bandwidth='query'.")
        if reach.k == "loo":
            return int(self._curve().best)
        return math.isqrt(stored) if reach.k == "sqrt" else stored

    def _h(self) -> float | None:
        bandwidth = self._stored_reach().bandwidth
        if bandwidth == "loo":
            return float(self._curve().best)
        return None if bandwidth == "query" else bandwidth

    def _curve(self) -> LeaveOneOutCurve:
        return self._stored().cached("loo", self._tried)

    def _tried(self) -> LeaveOneOutCurve:
        """The errors of every candidate, by fits in which all rows count fully."""
        ladder, reach = self._ladder(), self._reach
        by_k = reach.k == "loo"
        width = None if isinstance(reach.bandwidth, str) else reach.bandwidth
        count = None if by_k or reach.k == "all" else self._k()
        candidates: AnyArray = ladder.neighbors() if by_k else ladder.bandwidths(Circle(reach.kernel, count))
        errors, n = np.zeros(candidates.size), 0
        if len(self._stored()) > 1:
            circles = [
                Circle(reach.kernel, c, width) if by_k else Circle(reach.kernel, count, c) for c in candidates.tolist()
            ]
            errors, n = ladder.errors(circles)
        errors.flags.writeable = candidates.flags.writeable = False  # kept, and handed out
        return LeaveOneOutCurve("n_neighbors" if by_k else "bandwidth", candidates, errors, n, self._backend)

    def _ladder(self) -> Ladder:
        return Ladder.of(self._stored(), self._model, self._threads())

    def _circle(self) -> Circle:
        """Who counts around a query; with one bandwidth for each query, the widest of what is tried."""
        reach, memory = self._reach, self._stored()
        if reach.span is not None:
            columns = int((~self._table_().ignored).sum())
            return Circle(reach.kernel, self._k(), stretch=max(1.0, reach.span) ** (1 / columns))
        if reach.bandwidth == "query":
            return Circle(reach.kernel, int(self._ladder().neighbors()[-1]))
        k = None if reach.k == "all" else self._k()
        if k is not None and isinstance(reach.k, int) and k > memory.total_weight * (1 + SLACK):
            raise TooFewRowsError.neighbors(k, memory.total_weight)
        return Circle(reach.kernel, k, self._h())

    # -- fits

    def _table_(self) -> LocalTable:
        return local_table(self._stored())

    def _fits(
        self,
        cells: FloatArray,
        *,
        want: int = 0,
        factors: FloatArray | None = None,
        own: IntArray | None = None,
        whole: bool = False,
    ) -> Iterator[Block]:
        """The fits of queries block by block; ``own`` are rows that the queries are copies of, each left out once."""
        memory, circle, threads = self._stored(), self._circle(), self._threads()
        for part, found in neighborhoods(memory, cells, circle, threads=threads, own=own, whole=whole):
            left_out = None if own is None else own[part]
            around = self._around(found, cells[part], circle)
            around = reached(memory, cells[part], around, threads=threads, own=left_out, whole=whole)
            table = self._table_()
            yield (
                part,
                around,
                fitted(table, self._model, cells[part], around, want=want, threads=threads, factors=factors),
            )

    def _around(self, found: Ranked | Voters, cells: FloatArray, circle: Circle) -> Neighborhoods:
        if self._reach.bandwidth != "query":
            return circle.around(found)
        return self._ladder().by_query(found, cells, circle)[0]

    def _of_rows(
        self, *, left_out: bool, want: int = 0, factors: FloatArray | None = None, whole: bool = False
    ) -> Iterator[Block]:
        """The fits of the stored rows themselves, block by block, each row left out of its own where that is asked."""
        memory = self._answering()
        if left_out and len(memory) < 2:
            raise TooFewRowsError.nothing_else()
        for rows in blocks(len(memory), text="leave one out"):
            cells, own = memory.instances.cells(rows), np.arange(rows.start, rows.stop)
            for part, around, fits in self._fits(
                cells, want=want, factors=factors, own=own if left_out else None, whole=whole
            ):
                yield slice(rows.start + part.start, rows.start + part.stop), around, fits

    def _factors(self) -> FloatArray | None:
        """How much each row counts for each target after the robust rounds; None without them."""
        if not self._rounds:
            return None
        return self._stored().cached("robustness", lambda: self._robustness())

    def _robustness(self) -> FloatArray:
        targets = self._table_().targets

        def residuals(factors: FloatArray) -> FloatArray:
            found = np.empty(targets.shape)
            for part, _, fits in self._of_rows(left_out=False, factors=factors):
                found[part] = targets[part] - fits.predictions
            return found

        weights = robustness_weights(residuals, targets, self._stored().row_weights, self._rounds)
        weights.flags.writeable = False  # kept, and handed out
        return weights

    def _check_others(self) -> None:
        """Refuse more neighbours than there are beside each row, as a fit without it would."""
        memory, k = self._stored(), self._reach.k
        heaviest = 1.0 if memory.row_weights is None else float(memory.row_weights.max())
        if isinstance(k, int) and k > (memory.total_weight - heaviest) * (1 + SLACK):
            raise TooFewRowsError.neighbors(k, memory.total_weight, own=True)

    # -- for the bases

    def _chooses(self) -> bool:
        by_loo = "loo" in (self._reach.k, self._reach.bandwidth)
        return by_loo or self._rounds > 0 or self._stored().learns_from_targets

    def _shaped(self, values: FloatArray) -> FloatArray:
        """Numbers of queries, shape (queries, 1 or targets), in the shape of predictions."""
        if self._flat:
            return values[:, 0].copy()
        return np.array(np.broadcast_to(values, (len(values), self._table_().targets.shape[1])))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._reach = parameters.check_reach(self.n_neighbors, self.kernel, self.bandwidth, self.span)
        self._model = parameters.check_model(self.degree, self.ridge, self.rcond)
        self._rounds = parameters.check_robust(self.robust)
        self._descent = parameters.check_solver(self.solver, self.learning_rate, self.max_steps, self.tol)

    def _finish_fit(self) -> None:
        super()._finish_fit()
        if "loo" in (self._reach.k, self._reach.bandwidth):
            self._curve()
        if not isinstance(self._reach.k, int) or self._reach.k <= self._stored().total_weight:
            self._factors()  # else more rows may come before the first question

    def _how_many(self, n_neighbors: int | None) -> int:
        if n_neighbors is not None:
            return int(check_n_neighbors(n_neighbors, named=()))
        if self._reach.k is None and self._reach.span is None:
            expected, hint = "a whole number >= 1 where bandwidth='query'", "each query has a number of its own."
            raise ParameterError.wrong("n_neighbors", None, expected=expected, hint=hint)
        return self._k() if isinstance(self._reach.k, int) else min(self._k(), len(self._stored()))

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        instances = None if first else self._stored().instances
        targets, numbers, flat = learned_numbers(y, instances)
        self._flat = flat if first else self._flat
        return targets, numbers

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = not needs_one_target(self.attribute_weights)
        return tags
