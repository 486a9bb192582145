"""How results look: tables of text (plain, HTML, Markdown), frames of the user's library, parts for each query."""

from __future__ import annotations

import datetime
import html
from abc import ABC, abstractmethod
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from operator import index
from typing import Any, ClassVar, Self, TypeAlias, cast, get_args

import narwhals.stable.v2 as nw
import numpy as np
from rich.cells import cell_len, set_cell_size
from sklearn.utils._param_validation import StrOptions

from priorcase._parameters import check_value
from priorcase._typing import Backend, FloatArray, Name
from priorcase.exceptions import ParameterError, QueryIndexError, prefix_errors, quoted, visible
from priorcase.learning.targets import objects
from priorcase.schema import Coded, Date, Ordinal, Schema, Table
from priorcase.schema.dates import date_of, date_text, seconds_of
from priorcase.schema.kinds import content_of

Row: TypeAlias = tuple[Any, ...]  # values of one row, None for missing
_QUERIES = 5  # as many are printed


# -- texts


def short(text: str, width: int) -> str:
    """Text on one line without control characters, cut to ``width`` columns of a terminal: wide characters take two."""
    text = visible(" ".join(text.split()))
    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"


def value_text(value: Any, width: int) -> str:
    """A value in few characters; ``?`` where it is missing."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    if isinstance(value, (set, frozenset)):
        value = "{" + ", ".join(sorted(map(str, value))) + "}"
    if isinstance(value, datetime.datetime) and value.tzinfo is None:
        value = date_text(cast(float, seconds_of(value)))
    return "?" if value is None else short(str(value), width)


def rest_text(shown: int, queries: int) -> str:
    """How many queries are not shown; empty when all are."""
    return f"... and {queries - shown} more queries" if queries > shown else ""


def text_width(cells: Sequence[str]) -> int:
    """How many columns of a terminal the longest text takes."""
    return max(map(cell_len, cells))


# -- tables of text


@dataclass(frozen=True)
class Grid:
    """The answer to one query, or another table, as text; ``right`` are the columns that are flush right.

    Without a header there is no table, only the title and the note.

    Names and values may hold anything, so control and bidirectional characters are escaped.
    """

    title: str
    header: Sequence[str]
    lines: Sequence[Sequence[str]]
    note: str = ""
    right: Container[int] = ()

    def __post_init__(self) -> None:
        for name in ("title", "note"):
            lines = getattr(self, name).split("\n")
            object.__setattr__(self, name, "\n".join(map(visible, lines)))
        object.__setattr__(self, "header", list(map(visible, self.header)))
        object.__setattr__(self, "lines", [list(map(visible, line)) for line in self.lines])


class GridResult(ABC):
    """A result that prints as one table: subclasses say which by `_grid`, and how notebooks head it by `_caption`."""

    _caption: ClassVar[str] = ""

    @abstractmethod
    def _grid(self) -> Grid: ...

    def markdown(self) -> str:
        """The table in Markdown."""
        return grid_markdown(self._grid())

    def __str__(self) -> str:
        return grids_text([self._grid()])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        grid = self._grid()
        return grids_html([replace(grid, title=self._caption or grid.title)])


def grids_text(grids: Sequence[Grid], rest: str = "") -> str:
    """One below the other, columns aligned, and at the end how much is not shown; indented below a title."""
    parts = []
    for grid in grids:
        widths = [text_width(column) for column in zip(grid.header, *grid.lines, strict=True)]
        lines, indent = ([grid.title], "  ") if grid.title else ([], "")
        for line in (grid.header, *grid.lines) if grid.header else ():
            cells = []
            for column, (cell, width) in enumerate(zip(line, widths, strict=True)):
                space = " " * (width - cell_len(cell))
                cells.append(space + cell if column in grid.right else cell + space)
            lines.append((indent + "  ".join(cells)).rstrip())
        if grid.note:
            lines.append(indent + grid.note)
        parts.append("\n".join(lines))
    return "\n\n".join(filter(None, [*parts, rest])) or "no queries"


def grids_html(grids: Sequence[Grid], rest: str = "") -> str:
    """The same for notebooks."""
    parts = []
    for grid in grids:
        rows = [
            "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in line) + "</tr>"
            for tag, line in [("th", grid.header), *(("td", line) for line in grid.lines)]
        ]
        note = f"<p>{html.escape(grid.note)}</p>" if grid.note else ""
        if not grid.header:
            parts.append(f"<p>{html.escape(grid.title)}</p>{note}")
            continue
        caption = f"<caption>{html.escape(grid.title)}</caption>"
        parts.append(f"<table>{caption}<thead>{rows[0]}</thead><tbody>{''.join(rows[1:])}</tbody></table>{note}")
    if rest:
        parts.append(f"<p>{html.escape(rest)}</p>")
    return "".join(parts) or "no queries"


def grid_markdown(grid: Grid) -> str:
    """One of them in Markdown."""
    rules = ["---:" if column in grid.right else "---" for column in range(len(grid.header))]
    lines = ([cell.replace("|", "\\|") for cell in line] for line in grid.lines)
    table = "\n".join(f"| {' | '.join(line)} |" for line in (grid.header, rules, *lines))
    return "\n\n".join(filter(None, [grid.title and f"**{grid.title}**", table, grid.note]))


# -- frames


def framed(columns: Mapping[str, Any], backend: Backend | None) -> Any:
    """Columns, each an array or a list, as a frame of a library (None for pandas); mixed values may become text."""
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
    """Some columns, then the attributes' values by name, then ``PART of NAME`` for each part of each attribute.

    An attribute called like one of the first columns becomes ``NAME (value)``.
    """
    found = dict(columns)
    for a, name in enumerate(names):
        label = f"{name} (value)" if str(name) in columns else str(name)
        found[free_label(label, found)] = [row[a] for row in rows]
    for part, values in parts.items():
        for a, name in enumerate(names):
            found[free_label(f"{part} of {name}", found)] = values[:, a]
    return found


def free_label(label: str, taken: Container[Any]) -> str:
    """The label, numbered where it is taken."""
    return next(name for n in count(1) if (name := label if n == 1 else f"{label} ({n})") not in taken)


def attribute_names(schema: Schema) -> tuple[Name, ...]:
    """The columns' names; ``x0``, ``x1``, ... where there are none."""
    return tuple(f"x{a}" for a in range(len(schema))) if schema.names is None else schema.names


def label_text(label: Name) -> str:
    """The name of a column as people read it; ``x0``, ``x1``, ... for the positions of columns without names."""
    return f"x{label}" if isinstance(label, int) else str(label)


def decoded(table: Table) -> list[Row]:
    """Rows of a table as Python values, None for missing."""
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
    """Base of frozen results with a part for each query; a part keeps its query's number among all that were asked.

    Subclasses have a field ``numbers``, empty when left out. ``_by_query`` are the other fields with an entry for each
    query; subclasses where this does not say all give some queries alone by `_taken`.
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
        """The same for one query, or for a slice of them."""
        return self._taken(asked_queries(query, len(self)))


class PrintedPerQuery(PerQuery):
    """A result that prints the table `_grid` of each of the first queries."""

    @abstractmethod
    def _grid(self, i: int) -> Grid: ...

    def _grids(self) -> list[Grid]:
        return [self._grid(i) for i in range(min(len(self), _QUERIES))]

    def __str__(self) -> str:
        return grids_text(self._grids(), rest_text(_QUERIES, len(self)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html(self._grids(), rest_text(_QUERIES, len(self)))


def asked_queries(query: object, n: int, *, nouns: tuple[str, str] = ("query", "queries")) -> list[int]:
    """The numbers, among ``n``, of the queries that an index or a slice means; ``nouns`` where they are no queries."""
    if isinstance(query, slice):
        return list(range(n)[query])
    try:
        number = index(query)  # type: ignore[arg-type]
    except TypeError:
        raise ParameterError(f"{nouns[0]} must be a whole number or a slice, got {quoted(query)}") from None
    if not -n <= number < n:
        raise QueryIndexError(f"there is no {nouns[0]} {number}; there are {n} {nouns[1]}, numbered from 0")
    return [number % n]
