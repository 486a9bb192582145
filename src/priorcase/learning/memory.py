"""The rows that an estimator stores, and what was computed from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import FloatArray, IdArray, IntArray
from priorcase.instances import Instances
from priorcase.schema import Table

T = TypeVar("T")

_NOTHING: tuple[int, Any] = (-1, None)


class Memory:
    """Stored rows, and what was computed from them.

    The memory of an estimator is not changed, except for caches of what its rows say. A method that changes the
    estimator works on a `fork`, which takes the place of the memory when all is done. Subclasses keep more than the
    rows in step by `fork`, `_added` and `forget`; what they share with a fork they replace and do not change.

    Parameters
    ----------
    instances
        The rows, at first none.
    owner
        The class of the estimator, for messages.

    Attributes
    ----------
    committed
        Whether this is the memory of an estimator, and not one that is still being changed.
    """

    def __init__(self, instances: Instances, *, owner: str = "") -> None:
        self.instances = instances
        self.owner = owner
        self.committed = False
        self._cache: dict[str, tuple[int, Any]] = {}

    def __len__(self) -> int:
        return len(self.instances)

    def fork(self) -> Self:
        """A memory with the same rows, to be changed."""
        other = object.__new__(type(self))
        other.__dict__ = dict(self.__dict__)
        other.instances = self.instances.fork()
        other._cache = dict(self._cache)
        other.committed = False
        return other

    def settle(self) -> None:
        """Drop what this memory shares with others that have moved on, or that an interrupt has torn."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cache": dict(self._cache)}

    def detached(self) -> Self:
        """This memory for another estimator: what two estimators cannot share is copied."""
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self.detached().fork()

    @property
    def ids(self) -> IdArray:
        """Ids of the stored rows, ascending."""
        return self.instances.ids

    @property
    def row_weights(self) -> FloatArray | None:
        """How many rows each stored row stands for; None when each stands for one."""
        return self.cached("row weights", lambda: self.instances.weights) if self.instances.weighted else None

    @property
    def total_weight(self) -> float:
        """How many rows the stored rows stand for."""
        weights = self.row_weights
        return float(len(self)) if weights is None else self.cached("total", lambda: float(weights.sum()))

    def append(
        self,
        table: Table,
        targets: Table | None,
        weights: FloatArray | None,
        *,
        follow: Callable[[IdArray], object] | None = None,
    ) -> IdArray:
        """Append rows and return their ids. Rows of weight 0 get ids too, and are forgotten at once.

        ``follow`` keeps the rest in step with the new rows, given their ids, in place of `_appended`.
        """
        ids = kept = self.instances.append(table, targets, weights)
        if weights is not None and not weights.all():
            self.instances.remove(ids[weights == 0])
            kept = ids[weights > 0]
        if follow is None:
            self._appended(kept, table if kept is ids else None)
        else:
            follow(kept)
        return ids

    def forget(self, ids: ArrayLike) -> None:
        """Remove rows, and all that was computed from them."""
        self.instances.remove(ids)
        self._cache.clear()

    def cached(self, key: str, compute: Callable[[], T]) -> T:
        """What ``compute`` gives for the rows stored now, computed once."""
        return self.followed(key, lambda _: compute())

    def followed(self, key: str, compute: Callable[[T | None], T]) -> T:
        """What ``compute`` makes, once, of what it gave before rows were appended; of None where rows were removed."""
        value: T
        version, value = self._cache.get(key, _NOTHING)
        if version != self.instances.version:
            value = compute(value)
            self._cache[key] = self.instances.version, value
        return value

    def positions(self, ids: IdArray) -> IntArray:
        """Positions of ids among the stored rows."""
        # Where no row ever went, ids are positions.
        return ids if self.instances.next_id == len(self.instances) else np.searchsorted(self.ids, ids)

    # -- for subclasses

    def _appended(self, ids: IdArray, table: Table | None) -> None:
        """Rows were stored, all those of a table; it is None where rows of weight 0 were not."""
        self._added(ids)

    def _added(self, ids: IdArray) -> None:
        """Rows were stored."""
