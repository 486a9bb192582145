"""Display of results as printed tables and as data frames, and selection of the results of single queries."""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from operator import index
from typing import Any, ClassVar, Self, TypeAlias, cast, get_args

import narwhals.stable.v2 as nw
import numpy as np
from rich.cells import cell_len, set_cell_size
from sklearn.utils._param_validation import StrOptions

from priorcase._grids import Grid as Grid
from priorcase._grids import GridResult as GridResult
from priorcase._grids import GridsResult as GridsResult
from priorcase._grids import TextResult as TextResult
from priorcase._grids import grid_markdown as grid_markdown
from priorcase._grids import grids_html as grids_html
from priorcase._grids import grids_text as grids_text
from priorcase._grids import text_width as text_width
from priorcase._numbers import number
from priorcase._parameters import check_value
from priorcase._typing import Backend, FloatArray, Name
from priorcase.exceptions import ParameterError, QueryIndexError, prefix_errors, quoted, visible
from priorcase.learning.targets import objects
from priorcase.schema import Coded, Date, Ordinal, Schema, Table
from priorcase.schema.dates import date_of, date_text, seconds_of
from priorcase.schema.kinds import content_of

Row: TypeAlias = tuple[Any, ...]  # values of one row, None for missing
_QUERIES = 5  # number of queries printed


# -- strings


def short(text: str, width: int) -> str:
    """Format a string on one line without control characters, at most ``width`` terminal columns wide."""
    text = visible(" ".join(text.split()))
    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"


def value_text(value: Any, width: int) -> str:
    """Format a value in a few characters, or as ``?`` if it is missing."""
    if isinstance(value, (float, np.floating)):
        return number(float(value))
    if isinstance(value, (set, frozenset)):
        value = "{" + ", ".join(sorted(map(str, value))) + "}"
    if isinstance(value, datetime.datetime) and value.tzinfo is None:
        value = date_text(cast(float, seconds_of(value)))
    return "?" if value is None else short(str(value), width)


def rest_text(shown: int, queries: int) -> str:
    """Return a note on the number of queries that are not shown, or an empty string if all queries are shown."""
    return f"... and {queries - shown:,} more queries" if queries > shown else ""


# -- frames


def framed(columns: Mapping[str, Any], backend: Backend | None) -> Any:
    """Create a data frame with the given library (None means pandas); values of mixed types may become strings."""
    check_value("backend", backend, [None, StrOptions(set(get_args(Backend)))])
    backend = backend or "pandas"
    arrays = {label: column if isinstance(column, np.ndarray) else objects(column) for label, column in columns.items()}
    plain = {label: array.tolist() for label, array in arrays.items()}
    for label, values in plain.items():
        content = content_of(values) if arrays[label].dtype.kind == "O" else None
        if content == "any" and backend != "pandas":
            plain[label] = [None if value is None else str(value) for value in values]
        elif content == "dates" and len({type(value) for value in values} - {type(None)}) > 1:
            midnight = datetime.time()
            plain[label] = [
                datetime.datetime.combine(value, midnight) if type(value) is datetime.date else value
                for value in values
            ]
    return nw.from_dict(plain, backend=backend).to_native()


def by_attribute(
    columns: Mapping[str, Any], names: Sequence[Name], rows: Sequence[Row], parts: Mapping[str, FloatArray]
) -> dict[str, Any]:
    """Return a copy of ``columns`` with a column of values and columns ``PART of NAME`` for each attribute."""
    found = dict(columns)
    for a, name in enumerate(names):
        label = f"{name} (value)" if str(name) in columns else str(name)
        found[free_label(label, found)] = [row[a] for row in rows]
    for part, values in parts.items():
        for a, name in enumerate(names):
            found[free_label(f"{part} of {name}", found)] = values[:, a]
    return found


def free_label(label: str, taken: Container[Any]) -> str:
    """Return the label, with a number added if the label is already in ``taken``."""
    return next(name for n in count(1) if (name := label if n == 1 else f"{label} ({n})") not in taken)


def attribute_names(schema: Schema) -> tuple[Name, ...]:
    """Return the column names, or ``x0``, ``x1``, ... if the columns have no names."""
    return tuple(f"x{a}" for a in range(len(schema))) if schema.names is None else schema.names


def label_text(label: Name) -> str:
    """Return the display name of a column, such as ``x0`` for the column at position 0 of a table without names."""
    return f"x{label}" if isinstance(label, int) else str(label)


def decoded(table: Table) -> list[Row]:
    """Return the rows of a table as tuples of Python values, with None for missing values."""
    columns = []
    for kind, column in zip(table.schema.kinds, table.columns, strict=True):
        if isinstance(column, Coded):
            columns.append([None if code < 0 else column.values[code] for code in column.codes.tolist()])
        elif isinstance(kind, Ordinal):
            levels = dict(enumerate(kind.order))
            ranks = column.tolist()
            columns.append([None if rank != rank else levels.get(int(rank), "(no such level)") for rank in ranks])
        else:
            shown = date_of if isinstance(kind, Date) else float
            columns.append([None if value != value else shown(value) for value in column.tolist()])
    return list(zip(*columns, strict=True))


# -- parts for each query


class PerQuery(ABC):
    """Base class of immutable results with one item per query; a selected item keeps the number of its query.

    Subclasses have a field ``numbers``, by default 0, 1, ...; ``_by_query`` must contain the names of all other fields
    that have one entry per query. A subclass with a different structure overrides `_taken`, which selects queries.
    """

    numbers: tuple[int, ...]
    _by_query: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if not self.numbers:
            object.__setattr__(self, "numbers", tuple(range(len(self))))

    def __len__(self) -> int:
        return len(getattr(self, self._by_query[0]))

    def _taken(self, at: list[int]) -> Self:
        parts: dict[str, Any] = {}
        for name in ("numbers", *self._by_query):
            all_of = getattr(self, name)
            parts[name] = all_of[at] if isinstance(all_of, np.ndarray) else type(all_of)(all_of[i] for i in at)
        found: Self = replace(cast(Any, self), **parts)
        return found

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(len(self)))

    @prefix_errors
    def __getitem__(self, query: int | slice) -> Self:
        """Return the result for one query, or for a slice of queries."""
        return self._taken(asked_queries(query, len(self)))


class PrintedPerQuery(PerQuery, GridsResult):
    """Base class of results that print one table, defined in `_grid`, for each of the first five queries."""

    @abstractmethod
    def _grid(self, i: int) -> Grid: ...

    def _grids(self) -> list[Grid]:
        return [self._grid(i) for i in range(min(len(self), _QUERIES))]

    def _rest(self) -> str:
        return rest_text(_QUERIES, len(self))


def asked_queries(query: object, n: int, *, nouns: tuple[str, str] = ("query", "queries")) -> list[int]:
    """Return the numbers of the queries selected by an index or a slice."""
    if isinstance(query, slice):
        return list(range(n)[query])
    try:
        number = index(query)  # type: ignore[arg-type]
    except TypeError:
        raise ParameterError(f"{nouns[0]} must be an integer or a slice, got {quoted(query)}") from None
    if not -n <= number < n:
        raise QueryIndexError(f"{nouns[0]} {number} does not exist; there are {n} {nouns[1]}, numbered from 0")
    return [number % n]
