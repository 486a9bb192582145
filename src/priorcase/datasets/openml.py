"""Data sets from OpenML, through scikit-learn, kept as CSV with a manifest."""

from __future__ import annotations

import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from priorcase.datasets.columns import NamedColumns
from priorcase.datasets.frames import text_of
from priorcase.datasets.keeping import keep
from priorcase.datasets.known import KNOWN, Known
from priorcase.datasets.text_table import TextTable
from priorcase.schema import Kind, Nominal, Numeric, Ordinal

__all__ = ["download_into"]

_PATIENCE = 30.0
"""Seconds to wait for a network that says nothing."""


def download_into(folder: Path, name: str) -> str | None:
    """Fetch a data set into a folder; what went wrong, in words, if it did not work."""
    try:
        bunch = _fetched(name)
    except OSError as error:
        return f"OpenML cannot be reached ({getattr(error, 'reason', None) or error})"
    except ValueError as error:
        return f"OpenML does not give it ({(str(error).splitlines() or ['no reason'])[0].rstrip('.')})"
    targets = list(bunch.target_names or ())
    if len(targets) != 1:
        return f"OpenML names {len(targets)} targets for it, where one is expected"
    known = KNOWN.get(name, Known(0))
    table = _table(bunch, f"OpenML's {name}").without(known.ids)
    kinds = {label: _kind(table, label, known) for label in table.names if label != targets[0]}
    keep(folder, name, table, kinds, targets[0], about=_about(bunch, known))
    return None


def _fetched(name: str) -> Any:
    from sklearn.datasets import fetch_openml

    # Without pandas scikit-learn gives codes and their categories, but no columns of text; cache: ours keeps it.
    how = {"as_frame": find_spec("pandas") is not None, "parser": "liac-arff", "cache": False, "n_retries": 1}
    with warnings.catch_warnings(), _patience():
        warnings.filterwarnings("ignore", message="A network error occurred")  # the error says it, if it stays
        return fetch_openml(data_id=KNOWN[name].number, **how) if name in KNOWN else fetch_openml(name, **how)


@contextmanager
def _patience() -> Iterator[None]:
    """Let connections made meanwhile give up after a while, unless the program has a rule of its own."""
    rule = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_PATIENCE if rule is None else rule)
    try:
        yield
    finally:
        socket.setdefaulttimeout(rule)


def _table(bunch: Any, source: str) -> TextTable:
    """All columns as text, those of the header called nominal as nominal."""
    (target,) = bunch.target_names
    if bunch.frame is not None:
        return text_of(bunch.frame[[*bunch.feature_names, target]], source)
    columns: dict[str, Any] = {}
    kinds: dict[str, Kind] = {}
    cells = np.asarray(bunch.data.toarray() if hasattr(bunch.data, "toarray") else bunch.data)
    for position, name in enumerate(bunch.feature_names):
        column, values = cells[:, position], bunch.categories.get(name)
        known = ~np.isnan(column)
        kinds[name] = Numeric() if values is None else Nominal()
        columns[name] = (
            column if values is None else [values[int(c)] if k else None for c, k in zip(column, known, strict=True)]
        )
    numeric = bunch.target.dtype.kind == "f"
    kinds[target], columns[target] = Numeric() if numeric else Nominal(), bunch.target
    return text_of(NamedColumns.of(columns, kinds), source)


def _kind(table: TextTable, name: str, known: Known) -> Kind:
    """What a column means: as the header says, unless an order is known for all that it holds."""
    order = known.orders.get(name)
    if order is not None and {*table.column(name)} <= {None, *order}:
        return Ordinal(order)
    numeric = isinstance(table.declared[name], Numeric) and name not in known.nominal
    return Numeric() if numeric else Nominal()


def _about(bunch: Any, known: Known) -> dict[str, Any]:
    details = bunch.details
    name, number, version = (details.get(field, "?") for field in ("name", "id", "version"))
    return {
        "origin": {"name": f"OpenML data set {number}: {name}, version {version}"},
        "licence": str(details.get("licence") or "not stated"),
        "citation": " ".join(str(details.get("citation") or "").split()),
        "deviations": list(known.notes),
    }
