"""The state of an estimator, which includes its stored rows (`Memory`).

The state is the ``__dict__`` of the estimator. A method that changes the estimator works on a copy of the state. At the
end, a single assignment replaces the state with the copy, so an interrupted method leaves the estimator unchanged. A
method that only reads the estimator takes no lock and uses the state at the time of the call. Methods that change the
same estimator run one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from priorcase._locks import Lock
from priorcase._typing import FloatArray, IdArray, IntArray
from priorcase.exceptions import PriorcaseError, locate
from priorcase.instances import Instances
from priorcase.schema import Table

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Owner = TypeVar("Owner")

_NOTHING: tuple[int, Any] = (-1, None)


def pinned(estimator: Owner, state: dict[str, Any] | None = None) -> Owner:
    """Return an estimator object with the given state (None: the current state); later changes do not affect it."""
    found = object.__new__(type(estimator))
    found.__dict__ = estimator.__dict__ if state is None else state
    return found


def reads(method: Callable[Concatenate[Owner, P], R]) -> Callable[Concatenate[Owner, P], R]:
    """Decorate a public method that only reads its estimator; changes made during the call do not affect the method."""

    @wraps(method)
    def inner(self: Owner, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(pinned(self), *args, **kwargs)
        except PriorcaseError as error:
            locate(error, method.__name__.lstrip("_"), type(self).__name__)
            raise

    return inner


def changes(method: Callable[Concatenate[Owner, P], R]) -> Callable[Concatenate[Owner, P], R]:
    """Decorate a public method that changes its estimator; if the method fails, the estimator stays unchanged."""

    @wraps(method)
    def inner(self: Owner, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with lock_of(self):
                draft: Any = pinned(self, dict(self.__dict__))
                if "_memory" in draft.__dict__:
                    draft._memory = draft._memory.fork()
                result = method(draft, *args, **kwargs)
                if "_memory" in draft.__dict__:
                    draft._memory.committed = True
                self.__dict__ = draft.__dict__
            return self if result is draft else result  # type: ignore[return-value]
        except PriorcaseError as error:
            locate(error, method.__name__.lstrip("_"), type(self).__name__)
            raise

    return inner


def lock_of(estimator: Any) -> Lock:
    """Return the lock of an estimator; all copies of its state contain the same lock."""
    state = estimator.__dict__
    lock: Lock = state["_lock"] if "_lock" in state else state.setdefault("_lock", Lock())  # atomic
    return lock


class Memory:
    """Stored rows of an estimator and results computed from the rows.

    A method that changes the estimator changes a copy made by `fork`, which then becomes the memory of the estimator.
    If ``committed`` is True, the memory belongs to an estimator, and only its caches may change. Subclasses with
    additional data override `fork`, `_added` and `forget`, and never modify data in place that a fork shares.
    """

    def __init__(self, instances: Instances) -> None:
        self.instances = instances
        self.committed = False
        self._cache: dict[str, tuple[int, Any]] = {}

    def __len__(self) -> int:
        return len(self.instances)

    def fork(self) -> Self:
        """Return a copy that can be changed without affecting this memory."""
        other = object.__new__(type(self))
        other.__dict__ = dict(self.__dict__)
        other.instances = self.instances.fork()
        other._cache = dict(self._cache)
        other.committed = False
        return other

    def digest(self) -> str:
        """Return a fingerprint of the stored rows that does not depend on how the rows were added or removed."""
        return self.instances.digest()

    def saved_rows(self) -> Instances:
        """Return the rows to be saved with a model."""
        return self.instances

    def saved(self) -> dict[str, Any]:
        """Return the data of this memory to be saved with a model in addition to the rows."""
        return {}

    def restore(self, instances: Instances, state: Mapping[str, Any]) -> None:
        """Fill an empty memory with saved rows and the data from `saved`; raise ``ValueError`` for invalid data."""
        self.instances = instances
        self._added(instances.ids, None)

    def detached(self) -> Self:
        """Return a memory for another estimator, with copies of the data that cannot be shared."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cache": dict(self._cache)}

    def __deepcopy__(self, memo: Any) -> Self:
        return self.detached().fork()

    @property
    def ids(self) -> IdArray:
        """Ids of the stored rows, ascending."""
        return self.instances.ids

    @property
    def row_weights(self) -> FloatArray | None:
        """Weight of each stored row; None if all weights are 1."""
        return self.cached("row weights", lambda: self.instances.weights) if self.instances.weighted else None

    @property
    def total_weight(self) -> float:
        """Total weight of the stored rows."""
        weights = self.row_weights
        return float(len(self)) if weights is None else self.cached("total", lambda: float(weights.sum()))

    def encode(self, table: Table) -> FloatArray:
        """Encode queries as a matrix of numbers, ranks and codes; see `Instances.encode`."""
        return self.instances.encode(table)

    def append(self, table: Table, targets: Table | None, weights: FloatArray | None) -> IdArray:
        """Append rows and return their ids; rows with zero weight get ids, but are removed at once."""
        ids = kept = self.instances.append(table, targets, weights)
        if weights is not None and not weights.all():
            self.instances.remove(ids[weights == 0])
            kept = ids[weights > 0]
        self._added(kept, table if kept is ids else None)
        return ids

    def forget(self, ids: ArrayLike) -> None:
        """Remove rows by id, and remove all cached results."""
        self.instances.remove(ids)
        self._cache.clear()

    def without(self, ids: ArrayLike) -> Self:
        """Return a copy of this memory without the rows that have the given ids."""
        other = self.fork()
        other.forget(ids)
        return other

    def cached(self, key: str, compute: Callable[[], T]) -> T:
        """Return the result of ``compute``, which is cached under ``key`` until the stored rows change."""
        return self.followed(key, lambda _: compute())

    def followed(self, key: str, compute: Callable[[T | None], T]) -> T:
        """Return a cached result; if the rows have changed, replace it first by ``compute(old result or None)``."""
        value: T
        version, value = self._cache.get(key, _NOTHING)
        if version != self.instances.version:
            value = compute(value)
            self._cache[key] = self.instances.version, value
        return value

    def positions(self, ids: IdArray) -> IntArray:
        """Return the positions of the stored rows with the given ids."""
        # If no row was ever removed, ids are positions.
        return ids if self.instances.next_id == len(self.instances) else np.searchsorted(self.ids, ids)

    def _added(self, ids: IdArray, table: Table | None) -> None:
        """Update data after the rows ``ids`` were stored; ``table`` contains these rows, or is None if unavailable."""
