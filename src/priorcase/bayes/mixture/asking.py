"""Questions about columns: which column, what is known of the rows without it, and what its values are."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase.bayes.mixture.densities import distribution, expected
from priorcase.bayes.mixture.imputing import Filling
from priorcase.bayes.mixture.layout import Layout
from priorcase.bayes.mixture.parameters import Parameters
from priorcase.exceptions import MixtureError
from priorcase.instances import Instances
from priorcase.schema import Coded, Ordinal, Schema, Table
from priorcase.schema.sources import open_source
from priorcase.typing import AnyArray, BoolArray, FloatArray, Name, Value


def cells_without(layout: Layout, X: Any, a: int, *, caller: str) -> FloatArray:
    """Rows as cells, column ``a`` missing in all of them; the table may lack it altogether."""
    schema = layout.schema
    source = open_source(X, caller=caller)
    name = schema.label(a)
    named = schema.names is not None and source.names is not None
    if len(source.columns) == len(schema) - 1 and not (named and name in (source.names or ())):
        kept = [b for b in range(len(schema)) if b != a]
        names = None if schema.names is None else tuple(schema.names[b] for b in kept)
        rest = Instances(Schema(names, tuple(schema.kinds[b] for b in kept)))
        matrix = np.insert(rest.encode(rest.schema.read(source, caller=caller)), a, np.nan, axis=1)
    else:
        matrix = layout.reader.encode(schema.read(source, caller=caller, known=layout.reader.known))
        matrix[:, a] = np.nan
    return matrix


def likely_values(
    layout: Layout, parameters: Parameters, shares: FloatArray, a: int, *, caller: str
) -> tuple[AnyArray, FloatArray | None]:
    """Of each row the most probable value of column ``a``, and the probabilities; or the expected number and None."""
    if a in layout.discrete:
        j = layout.discrete.index(a)
        if not layout.values[j]:
            raise MixtureError.nothing_known(caller, layout.schema.label(a))
        chances = distribution(parameters, shares, j)
        return value_array(layout.values[j])[chances.argmax(axis=1)], chances
    if a in layout.numeric:
        j = layout.numeric.index(a)
        return layout.scales[j].original(expected(parameters, shares, j)), None
    only = layout.silent[a]
    if only is None:
        raise MixtureError.nothing_known(caller, layout.schema.label(a))
    return np.full(shares.shape[1], only), None


def fillings(
    layout: Layout, parameters: Parameters, shares: FloatArray, matrix: FloatArray, names: Any, *, caller: str
) -> dict[int, Filling]:
    """What goes into the gaps of each column, by its position in a table with these column names, if it has any."""
    result = {}
    for a in range(len(layout.schema)):
        gaps: BoolArray = np.isnan(matrix[:, a])
        if gaps.any():
            values, chances = likely_values(layout, parameters, shares[:, gaps], a, caller=caller)
            matched = layout.schema.names is not None and names is not None
            position = names.index(layout.schema.names[a]) if matched else a  # type: ignore[index]  # has names
            result[position] = Filling(gaps, values.tolist(), numeric=chances is None)
    return result


def value_array(values: tuple[Value, ...]) -> AnyArray:
    """Values as an array of text, whole numbers or booleans where they all are that, of objects otherwise.

    Examples
    --------
    >>> value_array(("red", "blue")), value_array((1, "1"))
    (array(['red', 'blue'], dtype='<U4'), array([1, '1'], dtype=object))
    """
    kinds = {type(value) for value in values}
    if kinds in ({str}, {bool}, {int}) and not any(str(value).endswith("\0") for value in values):
        array = np.array(values)
        if array.dtype.kind in "Ubi":
            return array
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def decoded(table: Table) -> list[tuple[Any, ...]]:
    """Rows of a table as Python values, None for missing."""
    columns = []
    for kind, column in zip(table.schema.kinds, table.columns, strict=True):
        if isinstance(column, Coded):
            columns.append([None if code < 0 else column.values[code] for code in column.codes.tolist()])
        else:
            order = dict(enumerate(kind.order)) if isinstance(kind, Ordinal) else None
            columns.append(
                [
                    None if x != x else x if order is None else order.get(int(x), "(no such level)")
                    for x in column.tolist()
                ]
            )
    return list(zip(*columns, strict=True))


def column_names(schema: Schema) -> tuple[Name, ...]:
    """The columns' names; ``x0``, ``x1``, ... where there are none."""
    return tuple(f"x{a}" for a in range(len(schema))) if schema.names is None else schema.names
