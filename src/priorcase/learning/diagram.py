"""What notebooks show of a fitted estimator: scikit-learn's diagram, and the columns it was fitted to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from priorcase._grids import Grid, grids_html
from priorcase.exceptions import NotAvailableError, PriorcaseError
from priorcase.instances import Instances
from priorcase.learning.results import attribute_names, short, value_text
from priorcase.schema import Date, Kind, Nominal, Ordinal, Text
from priorcase.schema.dates import date_of

_COLUMNS, _NAME, _VALUES = 30, 30, 48  # how many columns are shown, and characters of a name and of values


class ColumnsDiagram:
    """Adds a table of the fitted columns below scikit-learn's diagram; subclasses give the rows by `_diagram_rows`."""

    def _diagram_rows(self) -> Instances | None:
        """The stored rows, or instances that know the values without rows; None before fit."""
        raise NotImplementedError

    # scikit-learn calls the first for viewers that read HTML alone, and the second for Jupyter.

    def _repr_html_inner(self) -> str:
        diagram: str = super()._repr_html_inner()  # type: ignore[misc]
        return diagram + self._columns_html()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._columns_html()
        return bundle

    def _get_fitted_attr_html(self, doc_link: str = "") -> Any:
        """The fitted attributes that scikit-learn lists in the diagram; none where some are undefined without rows."""
        try:
            return super()._get_fitted_attr_html(doc_link)  # type: ignore[misc]
        except PriorcaseError:
            return {}

    def _columns_html(self) -> str:
        rows = self._diagram_rows()
        if rows is None:
            return ""
        weights = getattr(self, "attribute_weights_", None) if len(rows) else None
        return grids_html([columns_grid(rows, weights if isinstance(weights, Mapping) else {})])


def columns_grid(rows: Instances, weights: Mapping[Any, float]) -> Grid:
    """The columns of some rows: their kinds, values, share of missing values, and weights unless all are 1."""
    schema, names = rows.schema, attribute_names(rows.schema)
    weighted = any(weight != 1.0 for weight in weights.values())
    described = [_described(rows, a, kind) for a, kind in enumerate(schema.kinds[:_COLUMNS])]
    known = any(missing for _, missing in described)
    lines = []
    for a, (values, missing) in enumerate(described):
        line = [short(str(names[a]), _NAME), type(schema.kinds[a]).__name__.lower(), values]
        line += [missing] * known
        lines.append([*line, f"{weights[schema.label(a)]:.3g}"] if weighted else line)
    n = len(rows)
    title = f"{len(schema)} column{'s' * (len(schema) != 1)}" + (f", {n:,} row{'s' * (n != 1)}" if n else "")
    note = f"... and {len(schema) - _COLUMNS} more columns" if len(schema) > _COLUMNS else ""
    header = ["column", "kind", "values", *["missing"] * known, *["weight"] * weighted]
    return Grid(title, header, lines, note, right={3, 4})


def _described(rows: Instances, a: int, kind: Kind) -> tuple[str, str]:
    """The range of a column, or how many values it has and some of them; and the share of missing ones."""
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
