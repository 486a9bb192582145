"""Posterior probabilities as tables that print themselves."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.exceptions import UnknownNameError
from priorcase.learning.frames import Backend, framed
from priorcase.learning.grids import Grid, grids_html, grids_text
from priorcase.learning.texts import short

Key = TypeVar("Key")

_LINES = 20
_WIDTH = 24


class PosteriorTable(Mapping[Key, float]):
    """Of each of several things how probable it is, once the rows are seen; prints with the most probable first.

    Subclasses have ``probabilities`` and ``backend`` among their fields, and say by `_things` what these are of and by
    `_columns` what is printed: names, the probabilities, and logarithms that still tell apart what rounds to 0 and 1.
    """

    probabilities: FloatArray
    backend: Backend | None
    _title: ClassVar[str]

    @abstractmethod
    def _things(self) -> tuple[Key, ...]:
        """What the probabilities are of."""

    @abstractmethod
    def _columns(self) -> dict[str, AnyArray]:
        """One or more columns of names, the probabilities, and logarithms."""

    def __getitem__(self, thing: Key) -> float:
        try:
            return float(self.probabilities[self._things().index(thing)])
        except ValueError:
            raise UnknownNameError.absent(type(self).__name__, thing, self._things()) from None

    def __iter__(self) -> Iterator[Key]:
        return iter(self._things())

    def __len__(self) -> int:
        return len(self._things())

    def frame(self) -> Any:
        """The table in a frame of the library that the estimator was fitted with, the most probable first.

        After a fit on arrays or lists: in one of the library that is installed.
        """
        order = self._order()
        return framed({name: column[order] for name, column in self._columns().items()}, self.backend)

    def __repr__(self) -> str:
        return grids_text([self._grid("")])

    def _repr_html_(self) -> str:
        return grids_html([self._grid(self._title)])

    def _order(self) -> IntArray:
        *_, logs = self._columns().values()
        return np.lexsort((-logs, -self.probabilities))

    def _grid(self, title: str) -> Grid:
        order, columns = self._order(), self._columns()
        names = len(columns) - 2
        forms = [*[_name] * names, "{:.4f}".format, "{:+.2f}".format]
        shown = [map(form, column[order[:_LINES]]) for form, column in zip(forms, columns.values(), strict=True)]
        note = f"... and {order.size - _LINES} more; frame() has all" if order.size > _LINES else ""
        header = [name.replace("_", "-") for name in columns]
        return Grid(title, header, list(zip(*shown, strict=True)), note, right=range(names, len(columns)))


def _name(thing: object) -> str:
    return short(str(thing), _WIDTH)
