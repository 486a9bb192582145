"""What a learner remembers: the rows, and what was computed from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import FloatArray, IdArray, IntArray
from priorcase.instances import Instances
from priorcase.schema import Table

T = TypeVar("T")

_NOTHING: tuple[int, Any] = (-1, None)


class Memory:
    """Stored rows, and what was computed from the rows that are stored now.

    Whoever changes the memory must be alone with it; several threads may look at it together: what one of them
    computes for all is computed once. Subclasses keep more than the rows in step by `_added`, `_restore` and `forget`.

    Parameters
    ----------
    instances
        The rows, at first none.
    owner
        Whose memory it is, for messages.
    """

    def __init__(self, instances: Instances, *, owner: str) -> None:
        self.instances = instances
        self.owner = owner
        self._cache: dict[str, tuple[int, Any]] = {}
        self._preparing = RLock()

    def __len__(self) -> int:
        return len(self.instances)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_preparing"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._preparing = RLock()

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
        check: Callable[[], object],
        follow: Callable[[IdArray], object] | None = None,
    ) -> IdArray:
        """Ids of the new rows. All or nothing.

        Rows of weight 0 get ids too and are forgotten at once.

        Parameters
        ----------
        table, targets, weights
            The rows.
        check
            May refuse them, when they are stored.
        follow
            What keeps the rest in step with the new rows, given their ids; None for what always does.
        """
        first, before = self.instances.next_id, self._state()
        ids = self.instances.append(table, targets, weights)
        kept = ids
        try:
            if weights is not None and not weights.all():
                self.instances.remove(ids[weights == 0])
                kept = ids[weights > 0]
            if follow is None:
                self._appended(kept, table if kept is ids else None)
            else:
                follow(kept)
            check()
        except BaseException:
            self._take_back(first, before)
            raise
        return ids

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Rows that are appended inside are taken back if it ends with an error."""
        first, before = self.instances.next_id, self._state()
        try:
            yield
        except BaseException:
            self._take_back(first, before)
            raise

    def _take_back(self, first: int, before: Any) -> None:
        """Be as before the row with the id ``first`` came."""
        self._cache.clear()
        ids = self.instances.ids
        self.instances.remove(ids[np.searchsorted(ids, first) :])
        _ = self.instances.ids  # drops the removed rows, so that their ids can be given again
        self.instances.next_id = first
        self._restore(before)

    def forget(self, ids: ArrayLike) -> None:
        """Remove rows, and all that was computed from them; unknown ids are an error and change nothing."""
        self.instances.remove(ids)
        self._cache.clear()

    def cached(self, key: str, compute: Callable[[], T]) -> T:
        """What ``compute`` gives for the rows stored now, computed once."""
        return self.followed(key, lambda _: compute())

    def followed(self, key: str, compute: Callable[[T | None], T]) -> T:
        """What ``compute`` makes, once, of what it gave before rows were appended; of None where rows were removed."""
        value: T
        version, value = self._cache.get(key, _NOTHING)
        if version == self.instances.version:
            return value
        with self._preparing:
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

    def _state(self) -> Any:
        """What `_restore` will need if rows about to be added are refused."""

    def _appended(self, ids: IdArray, table: Table | None) -> None:
        """Rows were stored, all those of a table; it is None where rows of weight 0 were not."""
        self._added(ids)

    def _added(self, ids: IdArray) -> None:
        """Rows were stored."""

    def _restore(self, before: Any) -> None:
        """Rows that were added have been taken out again: be as before."""
