"""The stored instances with their records as a frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase._typing import AnyArray, IdArray
from priorcase.concepts.descriptions import Descriptions
from priorcase.concepts.memory import ConceptMemory
from priorcase.concepts.roll import ClassRoll
from priorcase.concepts.rows import coded_targets
from priorcase.learning.decoding import attribute_names
from priorcase.learning.frames import Backend, framed, free_label
from priorcase.learning.targets import objects

_RECORD = (
    "successes",
    "trials",
    "accuracy_low",
    "accuracy_high",
    "frequency_low",
    "frequency_high",
    "class_count",
    "verdict",
    "arrived",
    "reason",
)
_OWN = frozenset({"id", "class", "concept", *_RECORD})


def concept_frame(memory: ConceptMemory, roll: ClassRoll, backend: Backend | None) -> Any:
    """One line for each stored instance, or for each class and instance that its description stores."""
    records = _records(memory.learned(), roll)
    counts = ("class_count",) if memory.design.rules.decay < 1.0 else ("class_count", "successes", "trials")
    records |= {count: records[count].astype(np.int64) for count in counts}
    columns: dict[str, Any] = {name: records.pop(name) for name in ("id", "concept") if name in records}
    positions = memory.instances.positions(columns["id"])
    rows = memory.instances.decode(positions)
    columns["class"] = _classes(memory, roll, positions)
    for a, name in enumerate(attribute_names(memory.instances.schema)):
        label = f"{name} (value)" if str(name) in _OWN else str(name)
        columns[free_label(label, columns)] = [row[a] for row in rows]
    return framed(columns | records, backend)


def _records(descriptions: Descriptions, roll: ClassRoll) -> dict[str, AnyArray]:
    """Columns of all descriptions, in the order of their classes and then of storing."""
    of = dict(descriptions.named())
    order = [None] if None in of else [code for code in roll.codes.tolist() if code in of]
    parts: dict[str, list[AnyArray]] = {name: [] for name in ("id", "concept", *_RECORD)}
    for code in order:
        records = of[code].records()
        found = (
            records.names,
            np.empty(0) if code is None else np.full(records.names.size, roll.labels[code], object),
            records.successes,
            records.trials,
            *records.accuracy,
            *records.frequency,
            records.class_counts,
            records.verdicts,
            records.arrived,
            records.reasons,
        )
        for column, part in zip(parts.values(), found, strict=True):
            column.append(part)
    if None in of:
        del parts["concept"]
    return {name: np.concatenate(column) if column else objects([]) for name, column in parts.items()}


def _classes(memory: ConceptMemory, roll: ClassRoll, positions: IdArray) -> AnyArray:
    """The class of each row; of several the names of all, as text."""
    coded = coded_targets(memory.instances, roll, positions)
    if not roll.indicator:
        at = np.zeros(len(roll.labels), np.int64)
        at[roll.codes] = np.arange(roll.codes.size)
        classes: AnyArray = roll.classes[at[coded]]
        return classes
    return objects([", ".join(str(roll.labels[k]) for k in np.flatnonzero(row)) for row in coded])
