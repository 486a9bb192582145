"""Which cases meet some conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from priorcase._typing import BoolArray, IntArray
from priorcase.cases import kinds
from priorcase.cases.conditions.base import Subject, Truth
from priorcase.cases.conditions.logic import condition_of
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, quoted
from priorcase.schema import Numeric

ALWAYS = ("solution", "outcome", "id")
"""What conditions may be about beside attributes, in every table."""


def mask(
    table: CaseTable, conditions: Mapping[str, object], *, others: Mapping[str, Sequence[object]] | None = None
) -> BoolArray:
    """Which cases meet all conditions, one boolean for each position of the table.

    Each condition is checked on the distinct values of its attribute, whatever the number of cases.

    Parameters
    ----------
    table
        The cases, retired ones included.
    conditions
        A value, None, a list, a function or a condition for each attribute, or for ``"solution"``, ``"outcome"`` and
        ``"id"``. See the package for what they mean.
    others
        What else conditions may name: for each name a plain value for each position, None where there is none.

    Examples
    --------
    >>> from priorcase.schema import Numeric, Nominal
    >>> from priorcase.cases.conditions import at_most
    >>> cars = CaseTable.of(
    ...     {"miles": Numeric(), "fuel": Nominal()},
    ...     [(1, {"miles": 20_000, "fuel": "gas"}, None, None), (2, {"miles": 90_000, "fuel": "gas"}, None, None)],
    ... )
    >>> mask(cars, {"fuel": "gas", "miles": at_most(50_000)})
    array([ True, False])
    """
    if not isinstance(conditions, Mapping):
        raise CaseBaseError(
            f"got where={quoted(conditions)}; expected a mapping from names to values or conditions. For example "
            "{'fuel': 'diesel', 'miles': at_most(50_000)}."
        )
    others = others or {}
    names = [*table.attributes, *ALWAYS, *others]
    if unknown := [name for name in conditions if name not in names]:
        raise unknown_attributes(unknown, names)
    found = np.ones(len(table), dtype=np.bool_)
    for name, given in conditions.items():
        subject, codes = _subject(table, name, others)
        found &= _by_position(condition_of(given).holds(subject), codes)
    return found


def _subject(table: CaseTable, name: str, others: Mapping[str, Sequence[object]]) -> tuple[Subject, IntArray]:
    """What a condition is about, and the place of each case among its values."""
    if name == "id":
        ids = table.ids
        subject = Subject(name, Numeric(), ids.tolist(), lambda: ids.astype(np.float64))
        return subject, np.arange(len(table))
    if name in others:
        return _other(name, others[name])
    column = table.column(name)
    ordered = column.kind is not None and kinds.kind_name(column.kind) in ("numeric", "ordinal", "date")
    return Subject(name, column.kind, column.values, column.numbers if ordered else None), column.codes


def _other(name: str, given: Sequence[object]) -> tuple[Subject, IntArray]:
    places: dict[str, int] = {}
    codes = np.full(len(given), -1, dtype=np.int64)
    for position, value in enumerate(given):
        text = kinds.check_plain(value, what=name)
        if text is not None:
            codes[position] = places.setdefault(text, len(places))
    return Subject(name, None, tuple(places)), codes


def _by_position(truth: Truth, codes: IntArray) -> BoolArray:
    # The place -1 of missing values is the last one.
    found: BoolArray = np.append(truth.values, truth.missing is True)[codes]
    return found
