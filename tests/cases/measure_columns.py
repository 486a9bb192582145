"""Columns of cases to measure, made of a few values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from priorcase.cases import LocalSimilarity
from priorcase.cases.kinds import CaseKind
from priorcase.cases.table import CaseColumn, CaseTable


def table_of(kind: CaseKind, values: Sequence[Any], solutions: Sequence[Any] | None = None) -> CaseTable:
    """A table of one attribute, "a"; values are stored ones, None is missing."""
    solved = solutions if solutions is not None else [None] * len(values)
    texts = [None if solution is None else json.dumps(solution) for solution in solved]
    rows = [(n, {"a": value}, text, None) for n, (value, text) in enumerate(zip(values, texts, strict=True), 1)]
    return CaseTable.of({"a": kind}, rows)


def column_of(kind: CaseKind, values: Sequence[Any]) -> CaseColumn:
    """A column of stored values."""
    return table_of(kind, values).column("a")


def measured(
    measure: LocalSimilarity, kind: CaseKind, values: Sequence[Any], query: Any, solutions: Sequence[Any] | None = None
) -> dict[Any, float]:
    """The similarity of a query's value to each distinct stored one."""
    table = table_of(kind, values, solutions)
    column = table.column("a")
    found = measure.prepare(column, table.column("solution")).similarities(query)
    assert found.dtype == np.float64
    assert found.shape == (len(column.values),)
    assert np.all((found >= 0) & (found <= 1))
    return dict(zip(column.values, found.tolist(), strict=True))
