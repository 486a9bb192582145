"""Which attributes a replayed stream has at which row: those of its first call, others from their first value on."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from priorcase._typing import BoolArray, IdArray, Name
from priorcase.concepts.log import Call, ColumnKinds, Log
from priorcase.concepts.novel import births_of
from priorcase.schema import Kind, Nominal, Schema

Stage: TypeAlias = tuple[int, int, Schema]
"""From which row to which, in the order of learning, the stream has the attributes of a schema."""


def staged(log: Log, calls: list[Call], declared: Schema | None) -> tuple[Log, list[Stage]]:
    """The log with the attributes that its rows have in the end, and the stages in which they come up.

    Parameters
    ----------
    log
        The rows.
    calls
        The calls that brought them, in their order.
    declared
        Attributes that are there from the start, beside those of the first call.
    """
    n = len(log.order)
    if not calls or calls[0].columns is None:
        return log, [(0, n, log.instances.schema)]
    base = _base(calls[0].columns, declared, log.instances.schema)
    at = {log.instances.schema.label(a): a for a in range(len(log.instances.schema))}
    further = _in_order_of_tables([name for name in at if name not in base], calls)
    rows = log.instances.positions(log.order)
    births = births_of([_known(log, at[name])[rows] for name in further])
    named = [*base, *(further[k] for _, k in births)]
    kinds = [*base.values(), *(log.instances.schema.kinds[at[further[k]]] for _, k in births)]
    unnamed = log.instances.schema.names is None
    schemas = [
        Schema(None if unnamed else tuple(named[:width]), tuple(kinds[:width]))
        for width in range(len(base), len(named) + 1)
    ]
    starts = sorted({0, *(row for row, _ in births)})
    stops = [*starts[1:], n]
    stages = [
        (start, stop, schemas[sum(row <= start for row, _ in births)])
        for start, stop in zip(starts, stops, strict=True)
    ]
    return Log(log.instances.reshaped(schemas[-1], [at.get(name) for name in named]), log.order), stages


def _base(columns: ColumnKinds, declared: Schema | None, schema: Schema) -> dict[Name, Kind]:
    """The attributes of the first call: those declared, then the columns of its table; kinds once settled stay."""
    settled = {schema.label(a): kind for a, kind in enumerate(schema.kinds)}
    names = [] if declared is None else [declared.label(a) for a in range(len(declared))]
    kinds = dict(columns)
    names += [name for name in kinds if name not in names]
    return {name: settled[name] if name in settled else kinds[name] for name in names}


def _in_order_of_tables(names: list[Name], calls: list[Call]) -> list[Name]:
    """Names in the order of the columns in the first tables that had them: who comes up at one row comes up so."""
    found = dict.fromkeys(name for call in calls for name, _ in call.columns or ())
    return [name for name in found if name in names]


def _known(log: Log, a: int) -> BoolArray:
    """Which rows have a value of an attribute."""
    column: IdArray = log.instances.column(a)
    known: BoolArray = column >= 0 if isinstance(log.instances.schema.kinds[a], Nominal) else ~np.isnan(column)
    return known
