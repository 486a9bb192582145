"""An object and everything it holds as nodes and blobs, by the pickle protocol's own description of objects."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Generator, Iterable, Mapping
from copyreg import __newobj__  # type: ignore[attr-defined]  # what the protocol calls object.__new__ by
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, TypeAlias

import numpy as np

from priorcase.cases.saving.arrays import TEXTS, array_node, is_storable, memory_order
from priorcase.cases.saving.closed import class_name, is_closed
from priorcase.cases.saving.nodes import DEEPEST, Node, Value, is_literal
from priorcase.cases.saving.plain_objects import plain_node
from priorcase.exceptions import UnsupportedDataError

__all__ = ["Writer"]

Path: TypeAlias = tuple["Path | None", str]
"""Where an object lies: inside which other one, and as what."""

Steps: TypeAlias = Generator[tuple[object, Path], Value, Node]
"""What an object holds, one after the other; each is answered by the value that stands for it."""

_NAMES: dict[type, str] = {list: "list", tuple: "tuple", set: "set", frozenset: "frozenset"}
_MAPPINGS: dict[type, str] = {dict: "dict", OrderedDict: "ordered", Counter: "counter"}
_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType, np.ufunc)


class Writer:
    """The nodes and blobs of one object; nothing is nested, so that no depth of objects exhausts the stack."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.blobs: list[bytes] = []
        self._numbers: dict[int, int] = {}
        self._alive: list[object] = []  # an object that goes would leave its identity to another one
        self._open: list[tuple[int, Steps]] = []
        self._tuples: set[int] = set()

    def write(self, root: object, name: str) -> None:
        """Write an object under node 0; ``UnsupportedDataError`` where something in it cannot be written."""
        self._begin(root, (None, name))
        self._finish()

    def write_attributes(self, attributes: Mapping[str, object], name: str) -> None:
        """The same of attributes of something, which messages call so: ``KNNClassifier.vote``."""
        self.nodes.append([])
        self._open.append((0, self._attributes(attributes, (None, name))))
        self._finish()

    def _finish(self) -> None:
        answer: Value = None
        while self._open:
            number, steps = self._open[-1]
            try:
                child, path = steps.send(answer)
            except StopIteration as end:
                self.nodes[number] = end.value
                self._open.pop()
                self._tuples.discard(number)
                answer = [number]
                continue
            known = self._numbers.get(id(child))
            if known is None:
                self._begin(child, path)
                answer = None
            elif known in self._tuples:
                raise UnsupportedDataError(
                    f"{_text(path)} is a tuple within itself, which the format of saved learners does not hold. It "
                    "holds parts of priorcase, NumPy arrays, numbers, text, dates and containers of these."
                )
            else:
                answer = [known]

    def _begin(self, value: object, path: Path) -> None:
        if len(self._open) >= DEEPEST:
            raise UnsupportedDataError(
                f"{_text(path)} lies more than {DEEPEST} levels deep, which the format of saved learners does not "
                "hold. Does a parameter hold lists within lists?"
            )
        number = len(self.nodes)
        self.nodes.append([])
        self._numbers[id(value)] = number
        self._alive.append(value)
        if isinstance(value, tuple | frozenset):
            self._tuples.add(number)
        self._open.append((number, self._steps(value, path)))

    def _steps(self, value: Any, path: Path) -> Steps:
        """How to write one object: by its very class, since subclasses may be anything."""
        kind = type(value)
        if kind in _NAMES:
            return self._container(value, _NAMES[kind], path)
        if kind in _MAPPINGS:
            return self._mapping(value, _MAPPINGS[kind], path)
        if kind is np.ndarray:
            return self._array(value, path)
        if (plain := plain_node(value)) is not None:
            return _ready(plain)
        if kind is bytes:
            self.blobs.append(value)
            return _ready(["bytes", len(value)])
        if isinstance(value, np.generic) and is_storable(value.dtype) and kind.__module__ == "numpy":
            held = np.asarray(value)  # an empty text is one character long there, and nothing as a scalar
            self.blobs.append(held.tobytes())
            return _ready(["scalar", held.dtype.str, held.nbytes])
        if is_closed(kind):
            return self._object(value, path)
        raise _refusal(value, path)

    def _container(self, values: Iterable[object], name: str, path: Path) -> Steps:
        if name in ("set", "frozenset") and all(map(is_literal, values)):
            values = sorted(values, key=lambda each: (type(each).__name__, repr(each)))  # the same bytes in any process
        return [name, (yield from self._values(values, path))]

    def _mapping(self, mapping: Mapping[object, object], name: str, path: Path) -> Steps:
        told = []
        for key, value in mapping.items():
            told.append(key if is_literal(key) else (yield key, (path, f" key {key!r}")))
            told.append(value if is_literal(value) else (yield value, (path, f"[{key!r}]")))
        return [name, told]

    def _array(self, array: np.ndarray[Any, Any], path: Path) -> Steps:
        if array.dtype == TEXTS:
            return ["texts", list(array.shape), array.ravel().tolist()]
        if array.dtype != object:
            if not is_storable(array.dtype):
                raise UnsupportedDataError(
                    f"{_text(path)} is a NumPy array of {array.dtype}, which the format of saved learners does not "
                    "hold. It holds parts of priorcase, NumPy arrays, numbers, text, dates and containers of these."
                )
            return array_node(array, self.blobs)
        order = memory_order(array)
        values = yield from self._values(array.ravel(order=order).tolist(), path)
        return ["objects", list(array.shape), order, bool(array.flags.writeable), values]

    def _values(self, values: Iterable[object], path: Path) -> Generator[tuple[object, Path], Value, list[Value]]:
        told = []
        for i, value in enumerate(values):
            told.append(value if is_literal(value) else (yield value, (path, f"[{i}]")))
        return told

    def _object(self, value: object, path: Path) -> Steps:
        """An object of the library: its class and what ``__getstate__`` says."""
        name = class_name(type(value))
        if isinstance(value, tuple):
            return ["named", name, (yield from self._values(value, path))]
        description: Any = value.__reduce_ex__(2)
        make, arguments, state, *more = description
        if make is not __newobj__ or arguments != (type(value),) or any(more):
            raise UnsupportedDataError(
                f"{_text(path)} is a {type(value).__qualname__} that describes itself by a call, which the format of "
                "saved learners does not hold. It holds parts of priorcase, NumPy arrays, numbers, text, dates and "
                "containers of these."
            )
        return ["object", name, (yield from self._state(state, path))]

    def _state(self, state: object, path: Path) -> Generator[tuple[object, Path], Value, Value]:
        """The state of an object; its entries are attributes, and are called so in messages."""
        if type(state) is not dict or id(state) in self._numbers:
            return state if is_literal(state) else (yield state, path)
        number = len(self.nodes)
        self.nodes.append([])
        self._alive.append(state)
        self.nodes[number] = yield from self._attributes(state, path)
        return [number]

    def _attributes(self, attributes: Mapping[str, object], path: Path) -> Steps:
        told: list[Value] = []
        for key, value in attributes.items():
            told += [key, value if is_literal(value) else (yield value, (path, f".{key}"))]
        return ["dict", told]


def _ready(node: Node) -> Steps:
    """A node that waits for nothing."""
    yield from ()
    return node


def _text(path: Path) -> str:
    """A path as messages say it, as in ``KNNClassifier.vote``."""
    pieces: list[str] = []
    at: Path | None = path
    while at is not None:
        pieces.append(at[1])
        at = at[0]
    return "".join(reversed(pieces))


def _refusal(value: object, path: Path) -> UnsupportedDataError:
    if isinstance(value, _FUNCTIONS):
        return UnsupportedDataError(
            f"{_text(path)} is a function of yours ({getattr(value, '__qualname__', None) or str(value)}); a saved "
            "learner holds data only, never code. Choose one of the library's own by name, or save the parameters and "
            "fit again."
        )
    kind = type(value)
    return UnsupportedDataError(
        f"{_text(path)} is a {kind.__module__}.{kind.__qualname__}, which the format of saved learners does not hold. "
        "It holds parts of priorcase, NumPy arrays, numbers, text, dates and containers of these."
    )
