"""The state of an estimator, and the rows in it (`Memory`).

The state is the instance's ``__dict__``. A method that changes the estimator works on a draft of it, which takes its
place by one assignment when everything is done: whatever interrupts the method leaves the estimator as it was. A method
that reads takes no lock; it works on the state that there was when it was called. Changes of one estimator wait for
each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from time import sleep
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

_TRIES = 4
_NOTHING: tuple[int, Any] = (-1, None)


class Outdated(Exception):
    """Something that successive states share, such as an index, belongs to a later state by now, or is torn."""


def pinned(estimator: Owner, state: dict[str, Any] | None = None) -> Owner:
    """The estimator in a state, the one that it has now where none is given, whatever changes it later."""
    found = object.__new__(type(estimator))
    found.__dict__ = estimator.__dict__ if state is None else state
    return found


def reads(method: Callable[Concatenate[Owner, P], R]) -> Callable[Concatenate[Owner, P], R]:
    """A public method that sees one state of its estimator from beginning to end."""

    @wraps(method)
    def inner(self: Owner, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            for attempt in range(_TRIES):
                state = self.__dict__
                try:
                    return method(pinned(self, state), *args, **kwargs)
                except Outdated:
                    if self.__dict__ is not state:
                        continue
                    if attempt:  # not in the middle of a change, but left so by an interrupt
                        state["_memory"].settle()
                    sleep(0.0)
            state = dict(self.__dict__)  # changes come too fast: a state that nobody else has
            state["_memory"] = state["_memory"].fork()
            return method(pinned(self, state), *args, **kwargs)
        except PriorcaseError as error:
            locate(error, method.__name__.lstrip("_"), type(self).__name__)
            raise

    return inner


def changes(method: Callable[Concatenate[Owner, P], R]) -> Callable[Concatenate[Owner, P], R]:
    """A public method that changes its estimator: all of it, or nothing where it fails or is interrupted."""

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
    """The lock of an estimator, which all its states share."""
    state = estimator.__dict__
    lock: Lock = state["_lock"] if "_lock" in state else state.setdefault("_lock", Lock())  # atomic
    return lock


class Memory:
    """Stored rows, and what was computed from them.

    The memory of an estimator is not changed, except for caches of what its rows say. A method that changes the
    estimator works on a `fork`, which takes the place of the memory when all is done. Subclasses keep more than the
    rows in step by `fork`, `_added` and `forget`; what they share with a fork they replace and do not change.
    ``committed``: whether this is the memory of an estimator, and not one that is still being changed.
    """

    def __init__(self, instances: Instances) -> None:
        self.instances = instances
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

    def digest(self) -> str:
        """A fingerprint of what is stored, which does not depend on how it came."""
        return self.instances.digest()

    def saved_rows(self) -> Instances:
        """The rows that a saved model holds."""
        return self.instances

    def saved(self) -> dict[str, Any]:
        """What a saved model holds of this memory beside the rows."""
        return {}

    def restore(self, instances: Instances, state: Mapping[str, Any]) -> None:
        """Take over rows, and what `saved` gave, in an empty memory; ``ValueError`` where they do not fit."""
        self.instances = instances
        self._added(instances.ids, None)

    def settle(self) -> None:
        """Drop what this memory shares with others that have moved on, or that an interrupt has torn."""

    def detached(self) -> Self:
        """This memory for another estimator: what two estimators cannot share is copied."""
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
        """How many rows each stored row stands for; None when each stands for one."""
        return self.cached("row weights", lambda: self.instances.weights) if self.instances.weighted else None

    @property
    def total_weight(self) -> float:
        """How many rows the stored rows stand for."""
        weights = self.row_weights
        return float(len(self)) if weights is None else self.cached("total", lambda: float(weights.sum()))

    def encode(self, table: Table) -> FloatArray:
        """Queries as cells."""
        return self.instances.encode(table)

    def append(self, table: Table, targets: Table | None, weights: FloatArray | None) -> IdArray:
        """Append rows and return their ids. Rows of weight 0 get ids too, and are forgotten at once."""
        ids = kept = self.instances.append(table, targets, weights)
        if weights is not None and not weights.all():
            self.instances.remove(ids[weights == 0])
            kept = ids[weights > 0]
        self._added(kept, table if kept is ids else None)
        return ids

    def forget(self, ids: ArrayLike) -> None:
        """Remove rows, and all that was computed from them."""
        self.instances.remove(ids)
        self._cache.clear()

    def without(self, ids: ArrayLike) -> Self:
        """A memory without some rows; this one stays as it is."""
        other = self.fork()
        other.forget(ids)
        return other

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
        # Where no row was ever removed, ids are positions.
        return ids if self.instances.next_id == len(self.instances) else np.searchsorted(self.ids, ids)

    def _added(self, ids: IdArray, table: Table | None) -> None:
        """Rows were stored, all those of a table; it is None where rows of weight 0 were not."""
