"""Notebook display of a fitted estimator: scikit-learn's diagram and a table of the columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from priorcase._grids import Grid, grids_html
from priorcase.exceptions import NotAvailableError
from priorcase.instances import Instances
from priorcase.learning.results import attribute_names, short, value_text
from priorcase.schema import Date, Kind, Nominal, Ordinal, Text
from priorcase.schema.dates import date_of

_COLUMNS, _NAME, _VALUES = 30, 30, 48  # number of columns shown, and of characters of names and values


def html_inner(model: Any) -> str:
    """Return scikit-learn's diagram and a table of the columns; used as ``_repr_html_inner`` of the estimators."""
    return str(BaseEstimator._repr_html_inner(model)) + _columns_html(model)


def mimebundle(model: Any, **options: Any) -> dict[str, str]:
    """Return the representations that Jupyter can display; used as ``_repr_mimebundle_`` of the estimators."""
    bundle = BaseEstimator._repr_mimebundle_(model, **options)
    return {kind: text + _columns_html(model) * (kind == "text/html") for kind, text in bundle.items()}


def _columns_html(model: Any) -> str:
    """Return an HTML table of the columns of a fitted model, or an empty string before fit."""
    rows: Instances | None = model._diagram_rows()
    if rows is None:
        return ""
    weights = getattr(model, "attribute_weights_", None) if len(rows) else None
    return grids_html([columns_grid(rows, weights if isinstance(weights, Mapping) else {})])


def columns_grid(rows: Instances, weights: Mapping[Any, float]) -> Grid:
    """Return a table with one line for each column: its kind, values, share of missing values, and weight."""
    schema, names = rows.schema, attribute_names(rows.schema)
    weighted = any(weight != 1.0 for weight in weights.values())
    described = [_described(rows, a, kind) for a, kind in enumerate(schema.kinds[:_COLUMNS])]
    valued, known = (any(part) for part in zip(*described, strict=True))
    lines = []
    for a, (values, missing) in enumerate(described):
        line = [short(str(names[a]), _NAME), type(schema.kinds[a]).__name__.lower()]
        line += [values] * valued + [missing] * known
        lines.append([*line, f"{weights[schema.label(a)]:.3g}"] if weighted else line)
    n = len(rows)
    title = f"{len(schema)} column{'s' * (len(schema) != 1)}" + (f", {n:,} row{'s' * (n != 1)}" if n else "")
    note = f"... and {len(schema) - _COLUMNS} more columns" if len(schema) > _COLUMNS else ""
    header = ["column", "kind", *["values"] * valued, *["missing"] * known, *["weight"] * weighted]
    return Grid(title, header, lines, note, right=range(len(header) - known - weighted, len(header)))


def _described(rows: Instances, a: int, kind: Kind) -> tuple[str, str]:
    """Return two strings: a description of the values of a column, and the percentage of missing values."""
    try:
        column = rows.column(a)
    except NotAvailableError:  # counts only
        column = np.empty(0)
    gaps = column < 0 if isinstance(kind, Nominal) else np.isnan(column)
    share = float(gaps.mean()) if gaps.size else 0.0
    missing = "" if not gaps.size else "<1%" if 0.0 < share < 0.01 else f"{share:.0%}"
    if isinstance(kind, Ordinal):
        return short(" < ".join(map(str, kind.order)), _VALUES), missing
    if isinstance(kind, Nominal):
        known = rows.known(a)
        shown = "" if isinstance(kind, Text) else f": {', '.join(sorted(value_text(value, 24) for value in known))}"
        return short(f"{len(known):,}{shown}", _VALUES) if known else "", missing
    if gaps.all():  # or empty
        return "", missing
    ends = (float(np.nanmin(column)), float(np.nanmax(column)))
    low, high = (value_text(date_of(end) if isinstance(kind, Date) else end, 24) for end in ends)
    return low if low == high else f"{low} to {high}", missing
