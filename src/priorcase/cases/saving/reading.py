"""Objects from nodes and blobs: nothing is called but what this folder names, and no module of a file's choice."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Generator, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from priorcase.cases.saving.arrays import array_of, checked_shape, scalar_of, texts_of
from priorcase.cases.saving.attributes import give
from priorcase.cases.saving.closed import closed_class
from priorcase.cases.saving.hashes import Hashes
from priorcase.cases.saving.nodes import DEEPEST, Node, Value, referred
from priorcase.cases.saving.plain_objects import KINDS, rebuilt
from priorcase.exceptions import ReadingError, quoted

__all__ = ["Reader"]

Steps: TypeAlias = Generator[Value, Any, object]
"""The values that an object needs, one after the other; each is answered by the object it stands for."""

_MAPPINGS: dict[str, type[dict[Any, Any]]] = {"dict": dict, "ordered": OrderedDict, "counter": Counter}
_FIXED: dict[str, Any] = {"tuple": tuple, "frozenset": frozenset}
_MOST_TOLD = 10_000_000
_TIMES_TOLD = 100
"""An object may hold so many values, or so many times as many as there are, shared ones counted each time; learners
hold about twice as many."""

_BLOBS = {"array": 5, "scalar": 2, "bytes": 1}
"""Where a node of bytes says how many it has."""


class Reader:
    """The objects of some nodes; ``ReadingError``, ``ValueError`` and the like where these were made up.

    Parameters
    ----------
    nodes
        A list of nodes, as JSON gave it.
    blobs
        The bytes of all arrays, one after the other in the order of their nodes.
    source
        How messages call the file.
    """

    def __init__(self, nodes: object, blobs: memoryview, source: str) -> None:
        if not isinstance(nodes, list) or not nodes or not all(type(node) is list and node for node in nodes):
            raise ValueError("a tree without nodes")
        self._nodes: list[Node] = nodes
        self._source = source
        self._blobs = _slices(nodes, blobs)
        self._made: dict[int, object] = {}
        self._begun: set[int] = set()
        self._open: list[tuple[int, Steps]] = []
        self._sizes: dict[int, int] = {}
        self._largest = max(_MOST_TOLD, _TIMES_TOLD * sum(map(_size, nodes)))

    def read(self) -> object:
        """The object of node 0; every node must be part of it."""
        self._begin(0)
        answer: object = None
        while self._open:
            number, steps = self._open[-1]
            try:
                value = steps.send(answer)
            except StopIteration as end:
                answer = self._made[number] = end.value
                self._open.pop()
                if self._open:
                    self._grow(self._open[-1][0], self._sizes[number])
                continue
            child = referred(value, len(self._nodes))
            if child is None:
                answer = value
            elif child in self._made:
                answer = self._made[child]
                self._grow(number, self._sizes[child])
            else:
                self._begin(child)
                answer = None
        if len(self._made) != len(self._nodes):
            raise ValueError("objects that belong to nothing")
        return self._made[0]

    def _begin(self, number: int) -> None:
        if number in self._begun:
            raise ValueError("a tuple within itself")
        if len(self._open) >= 2 * DEEPEST:  # an object and its state are one level of the writer's
            raise ValueError("objects within objects without end")
        self._begun.add(number)
        self._sizes[number] = _size(self._nodes[number])
        self._open.append((number, self._steps(number, self._nodes[number])))

    def _grow(self, number: int, size: int) -> None:
        """Count what an object holds, shared objects each time they are met: pairs of pairs of pairs soon are endless.

        Whoever walks through such an object, to hash or to print it, walks so far.
        """
        self._sizes[number] += size
        if self._sizes[number] > self._largest:
            raise ValueError("the same objects within each other without end")

    def _steps(self, number: int, node: Node) -> Steps:
        kind, told = node[0], node[1:]
        if not isinstance(kind, str):
            raise ValueError("a node without a kind")
        if kind in KINDS:
            return rebuilt(kind, *told)
        if kind in _BLOBS:
            return _of_bytes(kind, told, self._blobs[number])
        if kind == "texts":
            return texts_of(*told)
        if kind == "objects":
            return (yield from self._objects(number, *told))
        if kind in ("object", "named"):
            return (yield from self._object(number, kind, *told))
        (values,) = told
        if type(values) is not list:
            raise ValueError("a container without values")
        if kind in _MAPPINGS:
            return (yield from self._mapping(number, _MAPPINGS[kind](), values))
        if kind in _FIXED:
            found = yield from _all(values)
            if kind == "frozenset":
                Hashes().check(*found)
            return _FIXED[kind](found)
        return (yield from self._growing(number, kind, values))

    def _growing(self, number: int, kind: str, values: Sequence[Value]) -> Steps:
        """A list or a set, which is there before what it holds and so may hold itself."""
        made: list[Any] | set[Any] = {"list": list, "set": set}[kind]()
        self._made[number] = made
        hashes = Hashes()
        for value in values:
            found = yield value
            if isinstance(made, list):
                made.append(found)
            else:
                hashes.check(found)
                made.add(found)
        return made

    def _mapping(self, number: int, made: dict[Any, Any], values: Sequence[Value]) -> Steps:
        self._made[number] = made
        hashes = Hashes()
        for key, value in zip(values[::2], values[1::2], strict=True):
            found = yield key
            hashes.check(found)
            made[found] = yield value
        return made

    def _objects(self, number: int, shape: object, order: Any, writeable: object, values: list[Value]) -> Steps:
        """An array of objects."""
        sizes = checked_shape(shape)
        if prod(sizes) != len(values) or order not in ("C", "F"):
            raise ValueError("an array whose shape does not fit its values")
        array = np.empty(sizes, object, order=order)
        self._made[number] = array
        flat = array.ravel(order="K")
        for i, value in enumerate(values):
            flat[i] = yield value
        array.flags.writeable = bool(writeable)
        return array

    def _object(self, number: int, kind: str, name: object, held: Any) -> Steps:
        """An object of the library: made without its constructor, then given its state."""
        found = closed_class(name)
        if found is None:
            raise ReadingError(
                f"{self._source} names the class {quoted(str(name))}, which is no part of a learner of priorcase. "
                "Nothing was loaded; do not trust where this file came from."
            )
        if kind == "named":
            values = yield from _all(held)
            if not issubclass(found, tuple) or len(values) != len(getattr(found, "_fields", ())):
                raise ValueError("a named tuple without its fields")
            return tuple.__new__(found, values)
        made: object = object.__new__(found)
        self._made[number] = made
        state = yield held
        if state is not None:
            give(made, state)
        return made


def _size(node: Node) -> int:
    """How many values a node holds by itself."""
    return 1 + (len(node[-1]) if type(node[-1]) is list else 0)


def _all(values: Sequence[Value]) -> Generator[Value, Any, list[Any]]:
    """All of some values."""
    found = []
    for value in values:
        found.append((yield value))
    return found


def _of_bytes(kind: str, told: Sequence[Any], data: memoryview) -> object:
    if kind == "bytes":
        return bytes(data)
    if kind == "scalar":
        return scalar_of(told[0], data)
    dtype, shape, order, writeable, _ = told
    return array_of(dtype, shape, order, writeable, data)


def _slices(nodes: Sequence[Node], blobs: memoryview) -> dict[int, memoryview]:
    """The bytes of each node that has some; together they are all there are, so that none count twice."""
    found, at = {}, 0
    for number, node in enumerate(nodes):
        place = _BLOBS.get(node[0]) if isinstance(node[0], str) else None
        if place is not None:
            size = node[place]
            if len(node) != place + 1 or type(size) is not int or not 0 <= size <= len(blobs) - at:
                raise ValueError("an array of more bytes than there are")
            found[number] = blobs[at : at + size]
            at += size
    if at != len(blobs):
        raise ValueError("bytes that belong to no array")
    return found
