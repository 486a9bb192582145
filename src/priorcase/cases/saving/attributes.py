"""State given to an object, attribute by attribute; methods and properties stay those of its class."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from inspect import getattr_static
from types import MemberDescriptorType
from typing import Any

__all__ = ["give"]


def give(made: object, state: Any) -> None:
    """Give an object its state as unpickling does; ``ValueError`` where that would replace what its class can do.

    Parameters
    ----------
    made
        An object without state.
    state
        Attributes by name, these and slots by name, or whatever the ``__setstate__`` of its class takes.
    """
    kind = type(made)
    own = getattr(kind, "__setstate__", None)
    picks = own is not None and own.__module__.startswith("priorcase.")  # scikit-learn's takes any attribute
    if not picks and (own is None or isinstance(state, dict | tuple)):
        attributes, slots = (part or {} for part in (state if isinstance(state, tuple) else (state, None)))
        _check(kind, attributes, slots)
    if own is not None:
        own(made, state)
        _check(kind, getattr(made, "__dict__", {}), ())
        return
    for name, value in attributes.items():
        made.__dict__[name] = value
    for name, value in slots.items():
        object.__setattr__(made, name, value)


def _check(kind: type, attributes: Iterable[object], slots: Iterable[object]) -> None:
    if strange := [name for name in attributes if not _is_attribute(kind, name)]:
        raise ValueError(f"{kind.__qualname__} has no attribute {strange[0]!r:.60}")
    if strange := [name for name in slots if not _is_slot(kind, name)]:
        raise ValueError(f"{kind.__qualname__} has no slot {strange[0]!r:.60}")


@lru_cache(4096)
def _is_attribute(kind: type, name: object) -> bool:
    """Whether an object may have an attribute of its own under a name: no method nor property of its class."""
    if not isinstance(name, str) or not name.isidentifier() or name.startswith("__"):
        return False
    found = getattr_static(kind, name, None)
    return not callable(found) and not isinstance(found, property | classmethod | staticmethod | MemberDescriptorType)


@lru_cache(4096)
def _is_slot(kind: type, name: object) -> bool:
    return isinstance(name, str) and isinstance(getattr_static(kind, name, None), MemberDescriptorType)
