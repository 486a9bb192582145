"""What the two networks share: rows that come and go, and the network of the rows that are there."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import FarQueryWarning, ParameterError
from priorcase.learning.decoding import attribute_names
from priorcase.learning.frames import framed, free_label
from priorcase.learning.left_out import LeavesOneOut
from priorcase.learning.parameters import check_seed
from priorcase.learning.sorted_rows import SortedRows, sort_rows
from priorcase.learning.state import reads
from priorcase.local.neighborhoods import warn
from priorcase.local.rbf.curve import RidgeCurve
from priorcase.local.rbf.measuring import Centers
from priorcase.local.rbf.network import Design, Network, learn
from priorcase.local.rbf.parameters import check_alpha, check_centers, check_n_centers, check_width
from priorcase.neighbors.base import NeighborsEstimator, check_n_neighbors
from priorcase.schema import Numeric
from priorcase.search import Algorithm


class RBFNetwork(LeavesOneOut, NeighborsEstimator):
    """Base of the two networks.

    The rows are kept; centres, widths and weights are found when they are first asked for after a change, so that they
    are those of a fresh fit.
    """

    n_centers: Any
    centers: Any
    width: Any
    alpha: Any
    random_state: Any
    algorithm: Algorithm = "auto"
    _design: Design

    @property
    @reads
    def centers_(self) -> Any:
        """The centres in the columns' own words, a frame of the library fitted with: one line for each centre.

        After a fit on arrays: in one of the library that is installed.
        """
        centers, instances = self._network().centers, self._stored().instances
        columns: dict[str, Any] = {}
        for a, name in enumerate(attribute_names(instances.schema)):
            column = centers.cells[:, a]
            if isinstance(instances.schema.kinds[a], Numeric):
                shown: Any = column.copy()
            else:
                values = instances.values(a)
                shown = [None if cell != cell else values[int(cell)] for cell in column.tolist()]
            columns[free_label(str(name), columns)] = shown
        return framed(columns, self._backend)

    @property
    @reads
    def n_centers_(self) -> int:
        """The number of centres."""
        return len(self._network().centers)

    @property
    @reads
    def widths_(self) -> FloatArray:
        """The width sigma of each centre, in units of the distance."""
        return self._network().widths.copy()

    @property
    @reads
    def alpha_(self) -> float:
        """The penalty of the weights."""
        return self._network().alpha

    @property
    @reads
    def curve_(self) -> RidgeCurve:
        """Widths and penalties that were tried, and the estimate they were chosen by; prints as a table."""
        return replace(self._network().curve, backend=self._backend)

    @reads
    def activations(self, X: Any) -> FloatArray:
        """How strongly each centre answers each query, ``exp(-d^2 / (2 sigma^2))``, shape (queries, centres)."""
        network, cells = self._network(), self._cells(X)
        return network.activations(cells, threads=self._threads())

    # -- for subclasses

    @abstractmethod
    def _learned(self) -> FloatArray:
        """What is to be learned from the stored rows, shape (rows, outputs)."""

    @abstractmethod
    def _strata(self, rows: SortedRows, count: int) -> IntArray:
        """Groups of rows that centres are drawn from in proportion."""

    def _network(self) -> Network:
        """The network of the rows stored now."""
        memory = self._answering()

        def compute() -> Network:
            rows = self._rows()
            like = Centers(memory.instances, memory.fitted, memory.attribute_weights, rows.cells[:1])
            threads = self._threads()
            return learn(rows, lambda n: self._strata(rows, n), like, self._design, threads=threads)

        return memory.cached("network", compute)

    def _rows(self) -> SortedRows:
        return sort_rows(self._stored().instances, self._learned())

    def _outputs_of(self, X: Any) -> FloatArray:
        """What the network says of queries, shape (queries, outputs); one warning names those it says nothing of."""
        cells = self._cells(X)
        outputs, silent = self._network().outputs(cells, threads=self._threads())
        if silent.any():
            warn(FarQueryWarning.network(tuple(np.flatnonzero(silent).tolist()), len(cells)))
        return outputs

    def _left_out(self, *, whole: bool = False) -> FloatArray:
        """Residuals of the stored rows when each is left out, in id order, shape (rows, outputs)."""
        network, rows = self._network(), self._rows()
        result = np.empty_like(rows.targets)
        result[rows.positions] = network.left_out(rows, threads=self._threads(), whole=whole)
        return result

    def _told_without(self, relearn: bool) -> FloatArray:
        """What the network says of each stored row without it, in id order, shape (rows, outputs)."""
        if not self._leaving(relearn):
            return self._learned() - self._left_out(whole=True)
        found = np.empty_like(self._learned())
        for row, other, cells in self._refits():
            found[row] = other._network().outputs(cells, threads=1)[0][0]
        return found

    def _chooses(self) -> bool:
        by_score = isinstance(self._design.alpha, str) or self._design.width == "auto"
        # Without a penalty a centre at the row alone may be all that speaks for it, and it must go with the row.
        lonely = self._design.alpha == 0.0 or self._design.centers == "stratified"
        return by_score or lonely or self._stored().learns_from_targets

    def _finish_fit(self) -> None:
        self._network()

    def _how_many(self, n_neighbors: int | None) -> int:
        if n_neighbors is None:
            return 1
        return int(check_n_neighbors(n_neighbors))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        kind = check_centers(self.centers)
        self._design = Design(
            n_centers=check_n_centers(self.n_centers, kind),
            centers=kind,
            width=check_width(self.width, kind),
            alpha=check_alpha(self.alpha),
            seed=check_seed(self.random_state),
        )

    def _check_rows(self) -> None:
        super()._check_rows()
        if self._stored().local_weights:
            expected = "weights that are the same for all queries"
            hint = "LeaveOneOut() without local=True; the centres of a network answer all queries."
            raise ParameterError.wrong("attribute_weights", self.attribute_weights, expected=expected, hint=hint)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
