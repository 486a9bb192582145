"""Detection of uninformative columns: ids, constants, and columns that repeat another column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from priorcase._grids import TextResult
from priorcase._typing import AnyArray, FloatArray, IntArray, Name
from priorcase.exceptions import prefix_errors, visible
from priorcase.schema.columns import Coded, ReadColumn
from priorcase.schema.kinds import Kind, Nominal, Numeric
from priorcase.schema.schema import Table, inferred, open_source

_LEAST_ROWS = 20  # with fewer known values, all may be distinct by chance
_SHARE = 0.7  # minimum share of distinct values among the known values of a nominal id
_FILLED = 0.5  # minimum share of the integers from smallest to largest that a numeric id contains
_SAMPLE = 64  # rows that suffice to distinguish most columns
_SAME = 1e-9  # numbers between 0 and 1 with a smaller difference are equal up to rounding


@dataclass(frozen=True)
class Uninformative(TextResult):
    """Reason why a column cannot help to predict other rows.

    Parameters
    ----------
    reason
        ``"id"`` (a nominal column with mostly distinct values, or a column of distinct, nearly consecutive integers),
        ``"constant"``, ``"missing"`` (no known value), ``"one value"`` (one known value, and missing values, which may
        be informative) or ``"repeat"`` (the same information as another column).
    other
        The earlier column with the same information if the reason is ``"repeat"``.
    left_out
        Whether reports and command-line commands drop the column. They drop ids, constants and columns without values,
        unless no column would remain. All other uninformative columns are reported but not dropped.

    Examples
    --------
    >>> print(Uninformative("repeat", "age")), print(Uninformative("id"))
    same information as age
    identifies rows
    (None, None)
    """

    reason: Literal["id", "constant", "missing", "one value", "repeat"]
    other: Name | None = None
    left_out: bool = False

    def __str__(self) -> str:
        texts = {"id": "identifies rows", "missing": "all missing", "one value": "one value or missing"}
        if self.reason == "repeat":
            return visible(f"same information as {self.other}")
        return texts.get(self.reason, self.reason)


@prefix_errors
def uninformative_columns(X: Any) -> dict[Name, Uninformative]:
    """Return a dictionary from the names (or positions) of uninformative columns to the reasons.

    A column is never an id if it has fewer than 20 known values, or if it contains numbers with fractions, ordered
    levels, dates or texts. A column repeats an earlier column if the values of both columns correspond one to one, or
    if its numbers are a linear function of the numbers of the earlier column. Columns of mostly distinct numbers are
    only checked for a linear function.

    >>> rows = [[f"c{i}", i % 7, 1, i % 7 * 2.5] for i in range(30)]
    >>> {column: str(why) for column, why in uninformative_columns(rows).items()}
    {0: 'identifies rows', 2: 'constant', 3: 'same information as 1'}
    """
    if not isinstance(X, Table):
        source = open_source(X)
        X = inferred(source, "from_dtype", None).read(source)
    return of_table(X)


def of_table(table: Table) -> dict[Name, Uninformative]:
    """Return the result of `uninformative_columns` for a `Table`."""
    schema, found = table.schema, dict[Name, Uninformative]()
    if not len(table):
        return found
    sample = np.unique(np.linspace(0, len(table) - 1, _SAMPLE).astype(np.int64))
    seen: dict[tuple[str, bytes], list[int]] = {}
    for a, column in enumerate(table.columns):
        alone = _alone(schema.kinds[a], _comparable(column), sample)
        if alone is None and (twin := _twin(table.columns, a, sample, seen)) is not None:
            alone = Uninformative("repeat", schema.label(twin))
        if alone is not None:
            found[schema.label(a)] = alone
    useless = [name for name, why in found.items() if why.reason in ("id", "constant", "missing")]
    if len(useless) < len(schema):
        found |= {name: replace(found[name], left_out=True) for name in useless}
    return found


def _alone(kind: Kind, values: AnyArray, sample: IntArray) -> Uninformative | None:
    """Return why a column is uninformative regardless of other columns, or None if there is no such reason."""
    few = _known(values[sample])
    if few.size and few.min() < few.max() and not _may_be_id(kind, few):
        return None
    known = _known(values)
    if not known.size or known.min() == known.max():
        reason = "missing" if not known.size else "constant" if known.size == len(values) else "one value"
        return Uninformative(reason)  # type: ignore[arg-type]
    return Uninformative("id") if is_id(kind, known) else None


def _known(values: AnyArray) -> AnyArray:
    return values[~np.isnan(values)] if values.dtype.kind == "f" else values[values >= 0]


def _may_be_id(kind: Kind, few: AnyArray) -> bool:
    """Return whether a column may be an id, given a few of its known values."""
    if type(kind) is Nominal:
        return np.unique(few).size >= 0.5 * _SHARE * few.size
    return type(kind) is Numeric and bool((few == np.floor(few)).all()) and np.unique(few).size == few.size


def is_id(kind: Kind, known: AnyArray) -> bool:
    """Return whether the known values of a column identify rows; ``known`` contains the values or their codes."""
    if known.size < _LEAST_ROWS:
        return False
    if type(kind) is Nominal:
        return np.unique(known).size >= _SHARE * known.size
    if type(kind) is not Numeric or known.size < _FILLED * (float(known.max()) - float(known.min()) + 1.0):
        return False
    return bool((known == np.floor(known)).all()) and np.unique(known).size == known.size


# -- repeated columns


def _twin(
    columns: tuple[ReadColumn, ...], a: int, sample: IntArray, seen: dict[tuple[str, bytes], list[int]]
) -> int | None:
    """Return an earlier column with the same information as column ``a``, or None; add column ``a`` to ``seen``."""
    own, rows = _comparable(columns[a]), len(sample)
    keys = []
    if own.dtype.kind == "f":
        keys.append(("line", np.round(_on_a_line(own[sample]), 6).tobytes()))
    if own.dtype.kind != "f" or 2 * np.unique(own[sample]).size <= rows:
        keys.append(("values", pattern(own[sample]).tobytes()))
    found = None
    for form, key in keys:
        others = seen.setdefault((form, key), [])
        for b in others:
            if found is None and _same(form, own, _comparable(columns[b])):
                found = b
        others.append(a)
    return found


def _comparable(column: ReadColumn) -> AnyArray:
    return column.codes if isinstance(column, Coded) else column


def _same(form: str, one: AnyArray, other: AnyArray) -> bool:
    if form == "values":
        return np.array_equal(pattern(one), pattern(other))
    return np.allclose(_on_a_line(one), _on_a_line(other), rtol=0.0, atol=_SAME, equal_nan=True)


def pattern(values: AnyArray) -> IntArray:
    """Rank values by first occurrence (missing is a value); columns that correspond one to one get equal ranks."""
    _, first, numbers = np.unique(values, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[numbers.ravel()]


def _on_a_line(numbers: FloatArray) -> FloatArray:
    """Rescale numbers to the range from 0 to 1, reversed if the first number would be above 0.5."""
    known = numbers[~np.isnan(numbers)]
    if not known.size:
        return numbers
    low, high = float(known.min()), float(known.max())
    scaled = (numbers / 2 - low / 2) / max(high / 2 - low / 2, float(np.finfo(np.float64).tiny))
    first = scaled[~np.isnan(scaled)][0]
    return 1.0 - scaled if first > 0.5 else scaled  # so that a column and its negative become equal
