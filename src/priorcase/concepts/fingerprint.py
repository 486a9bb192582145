"""A fingerprint of what a concept learner has learned."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np

from priorcase._typing import FloatArray, IdArray
from priorcase.concepts.description import Description
from priorcase.concepts.memory import ConceptMemory
from priorcase.concepts.roll import ClassRoll
from priorcase.schema.values import canonical

_FORMAT = b"priorcase concept 1"


def fingerprint(memory: ConceptMemory) -> str:
    """SHA-256 of the stored rows, and of records, counts, ranges and weights where the rows alone do not tell them.

    Rows go by their order among those stored, and classes by name, so that equal learners have equal fingerprints,
    whatever ids and codes they gave out.
    """
    rows = memory.instances.digest()
    roll = memory.roll
    if memory.design.keeps_all or roll is None or memory.descriptions is None:
        return rows
    parts = sha256(_FORMAT)
    parts.update(rows.encode())
    _add_roll(parts, roll)
    of = dict(memory.descriptions.named())
    order = [None] if None in of else [code for code in roll.codes.tolist() if code in of]
    labels = roll.codes if None in of else np.arange(2)
    for code in order:
        parts.update(b"all" if code is None else b"class" + canonical(roll.labels[code]))
        _add_description(parts, of[code], memory.instances.ids, labels)
    if None not in of:
        parts.update(b"outside")
        _add_description(parts, next(memory.descriptions.all()), memory.instances.ids, labels)
    return parts.hexdigest()


def _add_roll(parts: Any, roll: ClassRoll) -> None:
    for code in roll.codes.tolist():
        name = canonical(roll.labels[code])
        parts.update(b"%d:" % len(name))
        parts.update(name)
    parts.update(roll.rows[roll.codes].astype("<i8").tobytes())


def _add_description(parts: Any, description: Description, ids: IdArray, labels: IdArray) -> None:
    """A description with its labels numbered by their place among ``labels``."""
    core = description.core
    names, of, successes, trials, arrived, reasons, _ = core.records()
    counts, seen = core.counts()
    at = np.zeros(max(int(labels.max(initial=0)) + 1, counts.size), np.int64)
    at[labels] = np.arange(labels.size)
    for whole in (np.searchsorted(ids, names), at[of], arrived, reasons):
        parts.update(b"%d;" % len(whole))
        parts.update(whole.astype("<i8").tobytes())
    _, sums, norms, _ = core.weights()
    for numbers in (successes, trials, description.counts_of(labels), np.array([seen]), *core.ranges(), sums, norms):
        parts.update(_bytes(numbers))
    parts.update(b"%d %d" % (core.n_seen, core.n_dropped))


def _bytes(numbers: FloatArray) -> bytes:
    """One bit pattern for each number: a single NaN, a single zero."""
    return (np.where(np.isnan(numbers), np.nan, numbers) + 0.0).astype("<f8").tobytes()
