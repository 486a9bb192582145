"""Which data sets can be had by name, and from where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal, get_args

from priorcase.datasets.columns import Backend, NamedColumns
from priorcase.datasets.description import Description
from priorcase.datasets.known import KNOWN
from priorcase.datasets.manifest import MANIFEST, described
from priorcase.datasets.places import Folder, cache_folder, data_folder
from priorcase.schema import Nominal, Numeric

__all__ = ["Available", "available"]

Place = Literal["folder", "cache", "OpenML"]
_LIBRARIES: tuple[Backend, ...] = get_args(Backend)
_NUMBERS = ("rows", "attributes")


@dataclass(frozen=True, repr=False)
class Available:
    """Names of data sets, with what is known about each; it prints as a table.

    Attributes
    ----------
    places
        Where each would be read from: the user's folder, the cache, or OpenML.
    descriptions
        What is known about those that are on this machine.
    """

    places: dict[str, Place]
    descriptions: dict[str, Description]

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __contains__(self, name: object) -> bool:
        return name in self.places

    def frame(self, backend: Backend | None = None) -> Any:
        """The table as a frame: of the library named, else of the first installed, else a dictionary of lists."""
        library: Backend | None = backend or next((name for name in _LIBRARIES if find_spec(name) is not None), None)
        columns = self._columns()
        if library is None:
            return columns
        kinds = {name: Numeric() if name in _NUMBERS else Nominal() for name in columns}
        return NamedColumns.of(columns, kinds).frame(library)

    def __repr__(self) -> str:
        columns = self._columns()
        cells = [[name, *("" if value is None else str(value) for value in column)] for name, column in columns.items()]
        widths = [max(map(len, column)) for column in cells]
        right = [name in _NUMBERS for name in columns]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(row, widths, right, strict=True)
            ).rstrip()
            for row in zip(*cells, strict=True)
        )

    def _columns(self) -> dict[str, list[Any]]:
        known = [self.descriptions.get(name) for name in self.places]
        return {
            "name": list(self.places),
            "rows": [about and about.rows for about in known],
            "attributes": [about and len(about.kinds) for about in known],
            "target": [about and about.target for about in known],
            "where": list(self.places.values()),
        }


def available(*, folder: Folder | None = None) -> Available:
    """The data sets that :func:`load` has by name: those of the folder, of the cache, and the papers' at OpenML.

    OpenML has many more under names of its own. Nothing is downloaded.

    Parameters
    ----------
    folder
        The folder to look into first; None for that of the environment variable ``PRIORCASE_DATA``.

    Examples
    --------
    >>> "glass" in available()
    True
    """
    places: dict[str, Place] = {}
    descriptions: dict[str, Description] = {}
    if (own := data_folder(folder)) is not None:
        descriptions.update(described(own))
        places.update(dict.fromkeys(descriptions, "folder"))
    for manifest in sorted(cache_folder().glob(f"[!.]*/{MANIFEST}")):
        for name, about in described(manifest.parent).items():
            if name not in places:
                places[name], descriptions[name] = "cache", about
    for name in KNOWN:
        places.setdefault(name, "OpenML")
    return Available(places, descriptions)
