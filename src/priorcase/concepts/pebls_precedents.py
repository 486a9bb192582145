"""From the votes of exemplars to precedents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.concepts.pebls_memory import ExemplarMemory
from priorcase.learning.classes import Classes
from priorcase.learning.decoding import attribute_names, decoded
from priorcase.learning.frames import Backend
from priorcase.neighbors.precedents import Answer, Case, Precedents
from priorcase.schema import Table

_FIRST = 32
_GROWTH = 8


def assembled(
    memory: ExemplarMemory,
    table: Table,
    answers: Sequence[Answer],
    classes: Classes,
    *,
    threads: int,
    backend: Backend | None,
) -> Precedents:
    """One result from the answers of a batch.

    Parameters
    ----------
    memory
        The exemplars.
    table
        The queries.
    answers
        Answers and voters, block by block.
    classes
        The classes of the exemplars.
    threads
        Threads for the search of unlike cases.
    backend
        The library whose frame the estimator was fitted on, or None.
    """
    rows = np.concatenate([answer.voters.rows for answer in answers])
    indptr = np.concatenate(([0], np.cumsum(np.concatenate([answer.voters.lengths for answer in answers]))))
    cells = memory.symbols.read(table)
    predicted = np.concatenate([answer.codes[:, 0] for answer in answers if answer.codes is not None])
    voters = [rows[indptr[q] : indptr[q + 1]] for q in range(len(cells))]
    return Precedents(
        names=attribute_names(memory.instances.schema),
        queries=decoded(table),
        predictions=np.concatenate([answer.predictions for answer in answers]),
        indptr=indptr,
        ids=memory.ids[rows],
        rows=memory.instances.decode(rows),
        targets=classes.labels[classes.codes[rows]],
        distances=np.concatenate([answer.voters.distances for answer in answers]),
        votes=np.concatenate([answer.votes for answer in answers]),
        shares=np.concatenate([shares(memory, cells[q], of) for q, of in enumerate(voters)]),
        unlike=unlike_cases(memory, cells, classes, predicted, threads=threads),
        probabilities=np.concatenate([answer.probabilities for answer in answers if answer.probabilities is not None]),
        classes=classes.labels,
        backend=backend,
    )


def shares(memory: ExemplarMemory, query: FloatArray, rows: IntArray) -> FloatArray:
    """What each attribute adds to ``w_X Delta`` of some exemplars, shape (exemplars, attributes)."""
    stored = memory.symbols.instances.cells(rows)
    added = memory.fitted.contributions(query, stored, memory.attribute_weights)
    return np.asarray(memory.weights[rows][:, None] * added)


def unlike_cases(
    memory: ExemplarMemory, cells: FloatArray, classes: Classes, predicted: IntArray, *, threads: int
) -> tuple[Case | None, ...]:
    """For each query the nearest exemplar of another class than the predicted one; None where there is none."""
    found: list[Case | None] = [None] * len(cells)
    pending, k = np.arange(len(cells)), min(_FIRST, len(memory))
    while pending.size:
        ranked = memory.search(cells[pending], k, threads=threads)
        of = np.repeat(pending, np.diff(ranked.indptr))
        entries = np.flatnonzero(classes.codes[ranked.rows] != predicted[of])
        queries, first = np.unique(of[entries], return_index=True)
        for query, entry in zip(queries.tolist(), entries[first].tolist(), strict=True):
            labels = classes.labels[classes.codes[ranked.rows[entry : entry + 1]]]
            found[query] = _case(memory, cells[query], ranked.rows[entry : entry + 1], ranked.distances[entry], labels)
        if k == len(memory):
            break
        pending, k = np.array([q for q in pending.tolist() if found[q] is None]), min(_GROWTH * k, len(memory))
    return tuple(found)


def _case(memory: ExemplarMemory, query: FloatArray, row: IntArray, distance: float, labels: AnyArray) -> Case:
    return Case(
        id=int(memory.ids[row[0]]),
        row=memory.instances.decode(row)[0],
        target=labels.tolist()[0],
        distance=float(distance),
        shares=shares(memory, query, row)[0],
    )
