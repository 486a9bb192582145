"""What each instance did to a description, one line after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from priorcase._typing import AnyArray
from priorcase.instances.buffer import Buffer

_COLUMNS = ("correct", "stored", "acceptable", "accepted", "dropped")


def _empty() -> dict[str, Buffer[Any]]:
    return {name: Buffer(np.empty(0, np.int8 if name == "correct" else np.int64)) for name in _COLUMNS}


@dataclass(eq=False)
class Trace:
    """Columns that grow by one line for each instance.

    ``correct``: whether it was predicted correctly, -1 where nothing was stored to predict from. ``stored``,
    ``acceptable``: how many instances are, after it. ``accepted``, ``dropped``: how many became acceptable by it, and
    how many left.
    """

    columns: dict[str, Buffer[Any]] = field(default_factory=_empty)

    def extend(self, lines: tuple[Any, ...]) -> None:
        """Further lines, as the core gives them."""
        for name, column in zip(_COLUMNS, lines, strict=True):
            self.columns[name].extend(column)

    def copy(self) -> Trace:
        """The same, for itself."""
        return Trace({name: Buffer(column.view().copy()) for name, column in self.columns.items()})

    def arrays(self) -> dict[str, AnyArray]:
        """The columns as they are now."""
        return {name: column.view() for name, column in self.columns.items()}
