"""Selection of table rows, leave-one-out by refitting, and progress bars."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import local
from typing import Any, TypeAlias, TypeVar

import numpy as np

from priorcase._parameters import check_value
from priorcase._typing import IdArray, IntArray
from priorcase.exceptions import TooFewRowsError
from priorcase.instances import Instances
from priorcase.schema import Coded, Nominal, Table
from priorcase.schema.schema import Source

E = TypeVar("E")

Advance: TypeAlias = Callable[[str], None]
"""Callback that receives the name of each completed step."""

_ROWS_AT_ONCE = 512
_MANY_ROWS = 20_000
_MANY_REFITS = 200


# -- parts of a table


def taken_rows(table: Any, positions: IdArray) -> Any:
    """Return the rows of a data frame, series, array or list at the given positions, as an object of the same type."""
    if isinstance(table, Source) and hasattr(table, "take"):  # a table of the library
        return table.take(positions)
    if isinstance(table, Sequence):
        return [table[i] for i in positions.tolist()]
    if hasattr(table, "iloc"):
        return table.iloc[positions]
    if type(table).__module__.partition(".")[0] == "pyarrow":
        return _taken_arrow(table, positions)
    # Polars and NumPy-like objects; objects that only convert to an array are returned as arrays.
    return table[positions] if hasattr(table, "__getitem__") else np.asarray(table)[positions]


def _taken_arrow(table: Any, positions: IdArray) -> Any:
    """Return rows of a PyArrow table, record batch or array."""
    import pyarrow as pa

    # ``take`` does not support views.
    wide = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}
    if hasattr(table, "schema"):
        fields = [field.with_type(wide.get(str(field.type), field.type)) for field in table.schema]
        return table.cast(pa.schema(fields, table.schema.metadata)).take(positions).cast(table.schema)
    return table.cast(wide.get(str(table.type), table.type)).take(positions).cast(table.type)


def stored_table(instances: Instances, rows: IntArray) -> Table:
    """Return the stored rows at the given positions as a table of queries."""
    columns = [
        Coded(instances.column(a)[rows], instances.values(a))
        if isinstance(kind, Nominal)
        else instances.column(a)[rows]
        for a, kind in enumerate(instances.schema.kinds)
    ]
    return Table(instances.schema, len(rows), tuple(columns))


# -- leave-one-out


def needs_refits(estimator: Any, relearn: object) -> bool:
    """Return whether leave-one-out needs one fit per row; raise an error if fewer than two rows are stored."""
    check_value("relearn", relearn, ["boolean"])
    if len(estimator._answering()) < 2:
        raise TooFewRowsError("leave-one-out needs at least two rows; only one is stored. Add rows with partial_fit.")
    return bool(relearn) and bool(estimator._refit_differs())


def refits(estimator: E) -> Iterator[tuple[int, E, Table]]:
    """Yield, for each stored row, its position, an estimator fitted to all other rows, and the row as a table."""
    original: Any = estimator
    memory = original._stored()
    labeling = original.__dict__.get("_labeling")
    if labeling is not None:
        declared = tuple(labeling.labels(memory.instances, t)[0] for t in range(len(memory.instances.targets)))
        labeling = replace(labeling, declared=declared)
    with bar(len(memory), shown=len(memory) >= _MANY_REFITS, text="leave one out") as advance:
        for row, number in enumerate(memory.ids.tolist()):
            other: Any = copy.copy(original)
            other._memory = memory.without([number])
            if labeling is not None:
                other._labeling = labeling
            yield row, other, stored_table(memory.instances, np.array([row]))
            advance("leave one out")


# -- progress

Listener: TypeAlias = Callable[[str, float], None]
"""Callback that receives the completed step and the fraction of the work done; an exception stops the work."""

_HEARD = local()


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Return a context in which the progress bars of this thread report to a listener instead of being shown."""
    before, _HEARD.listener = getattr(_HEARD, "listener", None), listener
    try:
        yield
    finally:
        _HEARD.listener = before


def _told(listener: Listener, total: int) -> Iterator[Advance]:
    """Yield a callback that reports each of ``total`` steps to ``listener``, as a fraction of all steps."""
    done = 0

    def part(text: str, share: float) -> None:
        listener(text, min(1.0, (done + share) / max(total, 1)))

    def advance(text: str) -> None:
        nonlocal done
        done += 1
        part(text, 0.0)

    with listening(part):  # a progress bar inside a step reports fractions of this step
        yield advance


@contextmanager
def bar(total: int, *, shown: bool, text: str = "mixture") -> Iterator[Advance]:
    """Yield a callback that advances a progress bar, or that reports each step to the listener of this thread."""
    if (listener := getattr(_HEARD, "listener", None)) is not None:
        yield from _told(listener, total)
        return
    if not shown or total < 2 or not sys.stderr.isatty():
        yield _silently
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(text, total=total)
        yield lambda text: progress.update(task, advance=1, description=text)


def blocks(n: int, *, text: str, size: int = _ROWS_AT_ONCE) -> Iterator[slice]:
    """Yield consecutive slices of ``n`` rows; show a progress bar if there are many rows."""
    starts = range(0, n, size)
    with bar(len(starts), shown=n >= _MANY_ROWS, text=text) as advance:
        for start in starts:
            yield slice(start, min(start + size, n))
            advance(text)


def _silently(text: str) -> None:
    """Show nothing."""
