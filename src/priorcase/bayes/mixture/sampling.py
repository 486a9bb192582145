"""New rows, drawn from a mixture."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.bayes.columns import value_array
from priorcase.bayes.mixture.layout import Layout
from priorcase.bayes.mixture.parameters import Parameters


def drawn(
    layout: Layout, parameters: Parameters, n: int, rng: np.random.Generator, backend: Any
) -> tuple[Any, IntArray, IntArray | None]:
    """A table of ``n`` rows without gaps, the component of each, and its class code if there are classes.

    The table is a frame of the library that the mixture was fitted with, and an array otherwise: of numbers where all
    columns are numeric, of objects where not. A column that was never known stays missing.
    """
    weights = np.exp(parameters.log_weights)
    owners = rng.choice(len(parameters), size=n, p=weights / weights.sum())
    columns: list[AnyArray] = []
    for a in range(len(layout.schema)):
        if a in layout.numeric:
            j = layout.numeric.index(a)
            spread = np.sqrt(1.0 / parameters.precisions[j])
            columns.append(layout.scales[j].original(rng.normal(parameters.means[j][owners], spread[owners])))
        elif a in layout.discrete:
            j = layout.discrete.index(a)
            codes = _codes(parameters.tables[j][:, :-2], owners, rng)
            columns.append(value_array(layout.values[j])[codes] if layout.values[j] else np.full(n, None))
        else:
            only = layout.silent[a]
            columns.append(np.full(n, np.nan if only is None else only))
    classes = _codes(parameters.tables[-1][:, :-2], owners, rng) if layout.classed else None
    return _table(layout, columns, n, backend), owners, classes


def _codes(logs: FloatArray, owners: IntArray, rng: np.random.Generator) -> IntArray:
    """A value for each row, by the probabilities of its component."""
    if not logs.shape[1]:
        return np.zeros(owners.size, np.int64)
    bounds = np.cumsum(np.exp(logs), axis=1)
    draws = rng.random(owners.size) * bounds[owners, -1]
    codes = np.zeros(owners.size, np.int64)
    for k, bound in enumerate(bounds):
        mine = owners == k
        codes[mine] = np.minimum(np.searchsorted(bound, draws[mine], side="right"), bound.size - 1)
    return codes


def _table(layout: Layout, columns: list[AnyArray], n: int, backend: Any) -> Any:
    if backend is not None and layout.schema.names is not None:
        plain: dict[Any, Any] = {
            name: column.tolist() for name, column in zip(layout.schema.names, columns, strict=True)
        }
        return nw.from_dict(plain, backend=backend).to_native()
    numeric = not layout.discrete
    table = np.empty((n, len(columns)), dtype=np.float64 if numeric else object)
    for a, column in enumerate(columns):
        table[:, a] = column.tolist()
    return table
