"""Questions about columns: which column, what is known of the rows without it, and what its values are."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase.bayes.column_values import value_array
from priorcase.bayes.mixture.densities import distribution, expected
from priorcase.bayes.mixture.imputing import Filling
from priorcase.bayes.mixture.layout import Layout
from priorcase.bayes.mixture.parameters import Parameters
from priorcase.exceptions import MixtureError
from priorcase.instances import Instances
from priorcase.schema import Schema
from priorcase.schema.sources import open_source
from priorcase.typing import AnyArray, BoolArray, FloatArray


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
