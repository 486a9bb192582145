"""One state of an estimator at a time: changes replace it as a whole, reads see one of them from beginning to end.

The state is the instance's ``__dict__``. A method that changes the estimator works on a draft of it, which takes its
place by one assignment when everything is done: whatever interrupts the method leaves the estimator as it was. A method
that reads takes no lock; it works on the state that there was when it was called. Changes of one estimator wait for
each other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from time import sleep
from typing import Any, Concatenate, ParamSpec, TypeVar

from priorcase._locks import Lock
from priorcase.exceptions import PriorcaseError, locate

P = ParamSpec("P")
R = TypeVar("R")
Owner = TypeVar("Owner")

_TRIES = 4
_MAKING = Lock()


class Outdated(Exception):
    """Something that successive states share, such as an index, belongs to a later state by now, or is torn."""


def pinned(estimator: Owner) -> Owner:
    """The estimator in the state that it has now, whatever changes it later; not to be changed."""
    return _with_state(estimator, estimator.__dict__)


def reads(method: Callable[Concatenate[Owner, P], R]) -> Callable[Concatenate[Owner, P], R]:
    """A public method that sees one state of its estimator from beginning to end."""

    @wraps(method)
    def inner(self: Owner, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            for attempt in range(_TRIES):
                state = self.__dict__
                try:
                    return method(_with_state(self, state), *args, **kwargs)
                except Outdated:
                    if self.__dict__ is not state:
                        continue
                    if attempt:  # not in the middle of a change, but left so by an interrupt
                        state["_memory"].settle()
                    sleep(0.0)
            state = dict(self.__dict__)  # changes come too fast: a state that nobody else has
            state["_memory"] = state["_memory"].fork()
            return method(_with_state(self, state), *args, **kwargs)
        except PriorcaseError as error:
            locate(error, method.__name__.lstrip("_"), type(self).__name__)
            raise

    return inner


def changes(method: Callable[Concatenate[Owner, P], R]) -> Callable[Concatenate[Owner, P], R]:
    """A public method that changes its estimator: all of it, or nothing where it fails or is interrupted."""

    @wraps(method)
    def inner(self: Owner, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with _lock_of(self):
                draft: Any = _with_state(self, dict(self.__dict__))
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


def _with_state(estimator: Owner, state: dict[str, Any]) -> Owner:
    found = object.__new__(type(estimator))
    found.__dict__ = state
    return found


def _lock_of(estimator: Any) -> Lock:
    """The lock of an estimator, which all its states share."""
    lock: Lock | None = estimator.__dict__.get("_lock")
    if lock is None:
        with _MAKING:
            lock = estimator.__dict__.setdefault("_lock", Lock())
    return lock
