"""Learners that are kept with the cases they were fitted on."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from priorcase.cases.errors import damaged_base
from priorcase.cases.storage.checksums import checksum
from priorcase.cases.storage.records import StoredLearner

_ALL = "SELECT name, sequence, recipe, state, fitted_on, sum FROM learners ORDER BY name"


def ranges_of(ids: Iterable[int]) -> str:
    """Ids as JSON, neighbours joined.

    Examples
    --------
    >>> ranges_of([5, 1, 2, 3])
    '[[1,3],[5,5]]'
    """
    ranges: list[list[int]] = []
    for id in sorted(set(ids)):
        if ranges and ranges[-1][1] == id - 1:
            ranges[-1][1] = id
        else:
            ranges.append([id, id])
    return json.dumps(ranges, separators=(",", ":"))


def ids_of(ranges: str) -> tuple[int, ...]:
    """The ids that ranges stand for.

    Examples
    --------
    >>> ids_of("[[1,3],[5,5]]")
    (1, 2, 3, 5)
    """
    return tuple(id for first, last in json.loads(ranges) for id in range(first, last + 1))


def read_learners(connection: sqlite3.Connection, path: str) -> list[StoredLearner]:
    """All learners, in the order of their names."""
    found = []
    for name, sequence, recipe, state, ranges, sum in connection.execute(_ALL):
        if checksum(name, sequence, recipe, state, ranges) != sum:
            raise damaged_base(path, f"the learner {name!r} does not fit its checksum")
        found.append(StoredLearner(name, sequence, recipe, state, None if ranges is None else ids_of(ranges)))
    return found
