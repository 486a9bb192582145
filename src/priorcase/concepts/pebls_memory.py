"""What PEBLS remembers: the rows, the same as symbols, their value differences and the records of the exemplars."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from priorcase._core import Exemplars
from priorcase._typing import FloatArray, IdArray
from priorcase.concepts.reliability import Weighting, store
from priorcase.concepts.symbols import Symbols
from priorcase.instances import Instances
from priorcase.learning.memory import Memory
from priorcase.neighbors.votes import NeighborList
from priorcase.schema import Numeric
from priorcase.similarity import Distance, FittedDistance

# Between two batches of queries Ctrl-C is heard.
_QUERIES_AT_ONCE = 8192
# Numbers beyond this have a range that may be infinite.
_HUGE = float(np.finfo(np.float64).max) / 2


class ExemplarMemory(Memory):
    """Stored rows and what PEBLS makes of them, each computed from the rows in id order when it is first needed.

    Parameters
    ----------
    instances
        The rows, at first none.
    distance
        How symbols differ.
    weighting
        How the records are kept.
    bins
        Intervals of a numeric column; None for ``max(5, number of classes)``.
    attribute_weights
        One weight for each attribute.
    owner
        Whose memory it is, for messages.
    """

    def __init__(
        self,
        instances: Instances,
        *,
        distance: Distance,
        weighting: Weighting,
        bins: int | None,
        attribute_weights: FloatArray,
        owner: str,
    ) -> None:
        super().__init__(instances, owner=owner)
        self.distance = distance
        self.weighting = weighting
        self.bins = bins
        self.attribute_weights = attribute_weights

    def __getstate__(self) -> dict[str, Any]:
        # A copy of a copy has records, but no exemplars before it is asked.
        settled = self._has("exemplars") or self._has("records")
        kept = {"records": (self.instances.version, self.records)} if settled else {}
        return super().__getstate__() | {"_cache": kept}

    @property
    def symbols(self) -> Symbols:
        """The rows as symbols."""
        return self.cached("symbols", lambda: Symbols.of(self.instances, self.bins))

    @property
    def fitted(self) -> FittedDistance:
        """The value differences, counted over the rows."""
        return self.cached("fitted", lambda: self.distance.fit(self.symbols.instances))

    @property
    def records(self) -> tuple[IdArray, IdArray]:
        """How often each exemplar was used, and how often it was correct."""

        def settled() -> tuple[IdArray, IdArray]:
            used, correct = self._exemplars.records()
            return used.astype(np.int64), correct.astype(np.int64)

        return self.cached("records", settled)

    @property
    def weights(self) -> FloatArray:
        """``used / correct`` of each exemplar."""
        used, correct = self.records
        return np.asarray(used / correct)

    def search(
        self, cells: FloatArray, k: int, *, exclude: IdArray | None = None, ties: bool = False, threads: int = 1
    ) -> NeighborList:
        """The ``k`` exemplars nearest to each query by ``w_X Delta``; with ``ties`` all as near as the last of them.

        Parameters
        ----------
        cells
            Queries as symbols.
        k
            How many.
        exclude
            The position of an exemplar for each query that is not to be found.
        ties, threads
            As in `priorcase.search.Index.kneighbors`.
        """
        found = []
        for start in range(0, len(cells), _QUERIES_AT_ONCE):
            part = slice(start, start + _QUERIES_AT_ONCE)
            left_out = None if exclude is None else exclude[part]
            found.append(self._exemplars.kneighbors(np.ascontiguousarray(cells[part]), k, ties, left_out, threads))
        lengths = np.concatenate([np.diff(indptr) for indptr, _, _ in found])
        rows = np.concatenate([rows for _, rows, _ in found]).astype(np.int64)
        distances = np.concatenate([distances for _, _, distances in found])
        return NeighborList(np.concatenate([[0], np.cumsum(lengths)]), rows, distances)

    def settle(self) -> None:
        """Do now what would otherwise wait for the first question."""
        _ = self._exemplars

    def differences(self, a: int) -> tuple[tuple[str, ...], FloatArray]:
        """Names of the symbols of attribute ``a`` that rows hold, and ``delta`` between any two of them."""
        codes, names = self.symbols.held(a)
        term = replace(self.distance, power=1.0).fit(self.symbols.instances).terms[a]
        return names, np.array([term.f(code, codes) for code in codes.tolist()])

    # -- inside

    @property
    def _exemplars(self) -> Exemplars:
        """The exemplars with their records; records that came through a pickle are not settled again."""

        def settled() -> Exemplars:
            exemplars, cells = Exemplars(self.fitted.plan(), self.attribute_weights), self.symbols.instances.cells()
            if self._has("records"):
                store(exemplars, cells, self._labels, self.records)
            else:
                self.weighting.weigh(exemplars, cells, self._labels)
            return exemplars

        return self.cached("exemplars", settled)

    def _has(self, key: str) -> bool:
        """Whether something was computed from the rows stored now."""
        return self._cache.get(key, (-1, None))[0] == self.instances.version

    @property
    def _labels(self) -> IdArray:
        return np.ascontiguousarray(self.instances.target(), dtype=np.int64)

    def _added(self, ids: IdArray) -> None:
        # A range beyond float64 must be refused now, with the rows that make it; any other can wait.
        numeric = [isinstance(kind, Numeric) for kind in self.instances.schema.kinds]
        columns, _, _ = self.instances.look_up(ids)
        if any(number and bool((np.abs(c) > _HUGE).any()) for number, c in zip(numeric, columns, strict=True)):
            _ = self.symbols
