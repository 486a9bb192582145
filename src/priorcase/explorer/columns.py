"""Summaries of columns: distributions, overall and by outcome, and the ranges of sliders."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from priorcase._numbers import number
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.datasets.columns import NamedColumns
from priorcase.documents import plain
from priorcase.exceptions import NotAvailableError
from priorcase.instances import Instances
from priorcase.learning.results import attribute_names
from priorcase.learning.state import pinned
from priorcase.schema import Date, Kind, Nominal, Numeric, Ordinal, Schema, Set, Text
from priorcase.schema.dates import DAY, date_of
from priorcase.similarity.statistics import usual_range

_BINS, _LISTED = 32, 50  # bars of a histogram, and listed values of a column
_QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


def column_summaries(
    model: Any,
    target: str | None,
    left_out: Mapping[str, str] | None = None,
    about: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Return summaries of a model's columns and target as JSON.

    ``left_out`` maps unused columns to the reasons. ``about`` describes the columns of the table that was read, such as
    their decimal marks, in which the page shows and reads numbers.
    """
    instances = pinned(model)._stored().instances
    classes = list(map(_text, instances.target_values())) if is_classifier(model) else None
    groups, outcomes = _thirds(instances.target()) if classes is None else (instances.target().astype(int), classes)
    kind = instances.targets.kinds[0]
    own = _summary(kind, instances.target(), instances.target_values() if isinstance(kind, Nominal) else (), None, 0)
    columns = _summaries(instances, groups, len(outcomes))
    wanted: dict[str, Any] = {"name": target, **own}
    for column in [*columns, wanted]:
        column["decimal"] = (about or {}).get(str(column["name"]), {}).get("decimal") or "."
    return {
        "rows": len(instances),
        "classes": classes,
        "outcomes": outcomes,
        "columns": columns,
        "target": wanted,
        "left_out": dict(left_out or {}),
    }


def frame_summaries(frame: Any, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a summary of each column of a frame; ``schema`` declares kinds that cannot be inferred from dtypes."""
    told: dict[Any, Any] = dict(schema)
    found = Schema.infer(frame, kinds=told)
    instances = Instances(found)
    instances.append(found.read(frame))
    return _summaries(instances, None, 0)


def stored_rows(model: Any) -> tuple[NamedColumns, AnyArray]:
    """Return the stored rows of a model and their targets in the format that learners expect."""
    instances = pinned(model)._stored().instances
    if instances.weighted:
        raise NotAvailableError(
            "The rows of this model have sample weights. The explorer cannot compare learners, measure importance or "
            "create reports for such a model."
        )
    kinds = dict(zip(map(str, attribute_names(instances.schema)), instances.schema.kinds, strict=True))
    data: dict[str, Any] = {}
    for a, (name, kind) in enumerate(kinds.items()):
        cells = instances.column(a)
        data[name] = cells if isinstance(kind, Numeric) else instances.decode_cells(a, np.asarray(cells, np.float64))
    y = np.asarray(instances.target())
    if is_classifier(model):
        y = np.array(instances.target_values(), dtype=object)[y.astype(int)]
    return NamedColumns.of(data, kinds), y


def _summaries(instances: Any, groups: IntArray | None, n_groups: int) -> list[dict[str, Any]]:
    columns = []
    for a, (name, kind) in enumerate(zip(attribute_names(instances.schema), instances.schema.kinds, strict=True)):
        cells, values = instances.column(a), instances.values(a) if isinstance(kind, Nominal) else ()
        columns.append({"name": str(name), **_summary(kind, cells, values, groups, n_groups)})
    return columns


def _thirds(numbers: FloatArray) -> tuple[IntArray, list[str]]:
    """Divide targets into thirds; return the third of each row, and the names of the thirds (fewer if targets tie)."""
    cuts = np.unique(np.quantile(numbers, (1 / 3, 2 / 3)))
    cuts = cuts[(cuts > numbers.min()) & (cuts <= numbers.max())]
    edges = [number(cut, 4) for cut in cuts.tolist()]
    names = (
        [f"below {edges[0]}", *(f"{a} to {b}" for a, b in pairwise(edges)), f"from {edges[-1]}"] if edges else ["all"]
    )
    return np.searchsorted(cuts, numbers, side="right").astype(np.int64), names


def kind_name(kind: Kind) -> str:
    """Return the name of a column kind, such as ``"nominal"``."""
    return type(kind).__name__.lower()


def _summary(
    kind: Kind, cells: AnyArray, values: tuple[Any, ...], groups: IntArray | None, n_groups: int
) -> dict[str, Any]:
    known = cells >= 0 if isinstance(kind, Nominal) else ~np.isnan(cells)
    told: dict[str, Any] = {"kind": kind_name(kind), "missing": int((~known).sum())}
    within = None if groups is None else groups[known]
    if isinstance(kind, Ordinal):
        return told | _listed(list(kind.order), cells[known].astype(np.int64), within, n_groups, ranked=False)
    if isinstance(kind, Nominal):
        if isinstance(kind, Text | Set):
            parts = [part for value in values if value is not None for part in value] if isinstance(kind, Set) else []
            options = sorted(set(parts), key=str)[:_LISTED]
            return told | {"distinct": int(np.unique(cells[known]).size), "options": options}
        return told | _listed(list(values), cells[known].astype(np.int64), within, n_groups, ranked=True)
    numbers = np.asarray(cells[known], np.float64)
    return told | numbers_summary(numbers, within, n_groups, is_date=isinstance(kind, Date))


def _listed(
    values: list[Any], codes: IntArray, groups: IntArray | None, n_groups: int, *, ranked: bool
) -> dict[str, Any]:
    """Return the values with their counts, most frequent first if ``ranked`` is True."""
    counts = np.bincount(codes, minlength=len(values))
    order = np.argsort(-counts, kind="stable") if ranked else np.arange(len(values))
    order = order[counts[order] > 0] if ranked else order
    told: dict[str, Any] = {"distinct": int((counts > 0).sum())}
    if groups is not None:
        by = np.bincount(groups * len(values) + codes, minlength=n_groups * len(values)).reshape(n_groups, -1)
        told["by"] = by[:, order[:_LISTED]].tolist()
    shown = order[:_LISTED]
    return told | {"values": [values[i] for i in shown.tolist()], "counts": counts[shown].tolist()}


def numbers_summary(numbers: FloatArray, groups: IntArray | None, n_groups: int, *, is_date: bool) -> dict[str, Any]:
    """Return the distribution of numbers, or of dates in seconds, overall and by group, and the range of a slider."""
    told: dict[str, Any] = {"distinct": int(np.unique(numbers).size)}
    if not numbers.size:
        return told
    days = is_date and bool((numbers % DAY == 0).all())  # otherwise shown with a time of day
    shown: Callable[[float], Any] = (_day if days else _moment) if is_date else float
    low, high = usual_range(numbers)
    step = DAY if is_date else _step(numbers, low, high)
    if not is_date:
        low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    high = high if high > low else low + step
    whole = not is_date and _is_whole(numbers)
    edges = _whole_edges(low, high) if whole else np.linspace(low, high, _BINS + 1)
    # Outliers are counted in the first and the last bin.
    clipped = np.clip(numbers, low, high)
    told |= {
        "whole": whole,
        "low": shown(low),
        "high": shown(high),
        "step": step,
        "beyond": [int((numbers < low).sum()), int((numbers > high).sum())],
        "quantiles": [shown(float(q)) for q in _quantiles(numbers, whole)],
        "edges": [shown(float(edge)) for edge in edges],
        "counts": np.histogram(clipped, edges)[0].tolist(),
    }
    if groups is not None:
        told["by"] = [np.histogram(clipped[groups == g], edges)[0].tolist() for g in range(n_groups)]
    return told


def _whole_edges(low: float, high: float) -> FloatArray:
    """Return bin edges between integers, such as 0.5, 1.5 and 2.5 for 1 and 2; all bins have the same width."""
    width = math.ceil((high - low + 1) / _BINS)
    return np.asarray(low - 0.5 + width * np.arange(math.ceil((high - low + 1) / width) + 1))


def _quantiles(numbers: FloatArray, whole: bool) -> FloatArray:
    """Return the minimum, the quartiles and the maximum; if ``whole`` is True, all of them are values that occur."""
    return np.asarray(np.quantile(numbers, _QUANTILES, method="lower" if whole else "linear"))


def _step(numbers: FloatArray, low: float, high: float) -> float:
    """Return the step of a slider: 1 for integers, otherwise a round number that gives about 200 steps."""
    if _is_whole(numbers):
        return 1.0
    size = max(high - low, abs(high) * 1e-6, 1e-9) / 200
    base = 10.0 ** math.floor(math.log10(size))
    return next(base * factor for factor in (1, 2, 5, 10) if base * factor >= size)


def _is_whole(numbers: FloatArray) -> bool:
    return bool((numbers == np.round(numbers)).all()) and float(np.abs(numbers).max()) < 1e9


def _day(seconds: float) -> str:
    return date_of(DAY * math.floor(seconds / DAY)).isoformat()


def _moment(seconds: float) -> str:
    """Return a point in time as an ISO string, always with a time of day."""
    text = date_of(math.floor(seconds)).isoformat()
    return text if "T" in text else f"{text}T00:00:00"


def _text(label: Any) -> str:
    return str(plain(label))
