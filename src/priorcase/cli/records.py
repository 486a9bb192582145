"""How the past cases that answer did before: the records of learners that judge cases by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw

from priorcase.cli.fitted import Estimator
from priorcase.concepts import IB3, IB4, PEBLS

__all__ = ["Lookup", "Record", "column_of", "record_text", "records"]

Record: TypeAlias = dict[str, Any]
"""``successes``, ``trials`` and ``verdict``, or ``used``, ``correct`` and ``weight``."""

Lookup: TypeAlias = Callable[[Any, int], Record]
"""From a predicted class and the id of a case that spoke on it to the record of the case."""


def records(estimator: Estimator) -> Lookup | None:
    """Where to look records up; None for learners without them."""
    if isinstance(estimator, IB4):  # each class has records of its own
        of_class = _table(estimator.concept_, ["concept", "id"], ["successes", "trials", "verdict"])
        return lambda prediction, id_: of_class[prediction, id_]
    if isinstance(estimator, IB3):
        found = _table(estimator.concept_, ["id"], ["successes", "trials", "verdict"])
    elif isinstance(estimator, PEBLS) and estimator.weighting is not None:
        found = _table(estimator.exemplars_, ["id"], ["used", "correct", "weight"])
    else:
        return None
    return lambda _, id_: found[(id_,)]


def record_text(record: Record) -> str:
    """A record in words.

    Examples
    --------
    >>> record_text({"successes": 7.0, "trials": 9.0, "verdict": "acceptable"})
    'right 7 of 9, acceptable'
    >>> record_text({"used": 3, "correct": 2, "weight": 1.5})
    'weight 1.5, right 2 of 3'
    """
    if "verdict" in record:
        return f"right {record['successes']:g} of {record['trials']:g}, {record['verdict']}"
    return f"weight {record['weight']:.3g}, right {record['correct']} of {record['used']}"


def _table(frame: Any, keys: Sequence[str], names: Sequence[str]) -> dict[tuple[Any, ...], Record]:
    """Some columns by the values of others."""
    lines = zip(*(column_of(frame, name) for name in names), strict=True)
    places = zip(*(column_of(frame, name) for name in keys), strict=True)
    return {place: dict(zip(names, line, strict=True)) for place, line in zip(places, lines, strict=True)}


def column_of(frame: Any, name: str) -> list[Any]:
    """A column as a list; without a frame library the columns are arrays."""
    columns = frame if isinstance(frame, dict) else nw.from_native(frame, eager_only=True)
    return list(columns[name])
