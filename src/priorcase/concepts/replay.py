"""The stream once more, without some of its rows: what order-dependent learners need to forget exactly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import IdArray
from priorcase.concepts.comparison import Comparison
from priorcase.concepts.descriptions import Descriptions
from priorcase.concepts.interrupts import uninterrupted
from priorcase.concepts.log import Log, calls_left
from priorcase.concepts.memory import ConceptMemory, left
from priorcase.concepts.roll import ClassRoll
from priorcase.concepts.rows import Block, coded_targets, learn_blocks, slices
from priorcase.concepts.staging import staged
from priorcase.exceptions import ForgettingError, UnknownIdError, UnseenIdError
from priorcase.instances import Instances
from priorcase.instances.instances import check_ids


def forget(memory: ConceptMemory, ids: ArrayLike, *, threads: int) -> None:
    """Forget rows as if they had never come; all of them, or none and an error says why."""
    design = memory.design
    if check_ids(ids).size == 0:
        return
    if memory.log is not None:
        _replay(memory, memory.log.without(_check_seen(memory.log, ids)), threads)
    elif not design.keeps_all:
        windowed = design.rules.keep == "every"
        raise ForgettingError.windowed() if windowed else ForgettingError.order_dependent()
    elif design.growing:
        memory.forget(ids)
    else:
        wanted = check_ids(ids)
        memory.instances.positions(wanted)
        _check_distinct(wanted)
        _replay(memory, Log(memory.instances, _learned_order(memory)).without(wanted), threads)


def refresh(memory: ConceptMemory, *, threads: int) -> None:
    """Make records and traces of a learner that stores every row anew, if rows were taken out since."""

    def made() -> Descriptions:
        assert memory.comparison is not None
        assert memory.roll is not None
        descriptions = memory.design.begin(memory.comparison)
        order = _learned_order(memory)
        _learn(memory.comparison, descriptions, memory.instances, memory.roll, order, threads)
        return descriptions

    memory.renew(made)


def _learned_order(memory: ConceptMemory) -> IdArray:
    """Ids in the order they were learned, of a learner that stores every row."""
    return next(memory.learned().all()).core.records()[0]


def _replay(memory: ConceptMemory, log: Log, threads: int) -> None:
    """Learn the rows of a log afresh, in place of all that was learned."""
    assert memory.roll is not None
    design = memory.design
    calls = calls_left(memory.calls, log.instances.ids)
    log, stages = staged(log, [call for call, _ in calls], design.declared)
    roll = left(memory.roll, log.instances)
    instances = log.instances.subset(log.instances.ids)
    comparison: Comparison | None = None
    descriptions: Descriptions | None = None
    gone = [np.empty(0, np.int64)]
    for start, stop, schema in stages if calls else ():
        comparison = design.compare(schema, instances.subset(calls[0][1]))
        descriptions = design.begin(comparison) if descriptions is None else descriptions.copy(comparison)
        gone.append(_learn(comparison, descriptions, instances, roll, log.order[start:stop], threads))
    with uninterrupted():
        instances.remove(np.concatenate(gone))
        memory.take(instances, roll, comparison, descriptions)
        memory.log, memory.calls = log if memory.log is not None else None, [call for call, _ in calls]


def _learn(
    comparison: Comparison,
    descriptions: Descriptions,
    instances: Instances,
    roll: ClassRoll,
    order: IdArray,
    threads: int,
) -> IdArray:
    """Learn stored rows in an order, by their first attributes; names of those that are stored no more."""
    parts, width = slices(len(order)), len(comparison.schema)

    def blocks() -> Iterator[Block]:
        for part in parts:
            positions = instances.positions(order[part])
            cells = comparison.prepared(instances.cells(positions)[:, :width], instances)
            yield np.ascontiguousarray(order[part]), cells, coded_targets(instances, roll, positions)

    return learn_blocks(descriptions, blocks(), len(parts), threads=threads, text="relearn")


def _check_seen(log: Log, ids: ArrayLike) -> IdArray:
    """Ids of rows in the log, each once."""
    wanted = check_ids(ids)
    if strangers := wanted[~np.isin(wanted, log.instances.ids)].tolist():
        raise UnseenIdError.never_seen(strangers, log.instances.next_id)
    _check_distinct(wanted)
    return wanted


def _check_distinct(ids: IdArray) -> None:
    found, counts = np.unique(ids, return_counts=True)
    if (counts > 1).any():
        raise UnknownIdError.repeated(found[counts > 1].tolist())
