"""Attributes that are computed when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):  # named as the one of functools
    """`functools.cached_property` without the lock that it has in Python 3.11.

    That lock is one for all instances of a class: threads wait for each other, and a child process that was forked
    while another thread held it waits for ever. Here two threads may compute the same value.
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self._function = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> Self | T:
        if instance is None:
            return self
        value: T = self._function(instance)
        instance.__dict__[self._name] = value
        return value
