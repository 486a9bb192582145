"""The stored instances that speak for each answer, and the nearest that would have spoken against it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray
from priorcase.concepts.deciding import Nearest, Question, claims, nearest
from priorcase.concepts.description import Description
from priorcase.concepts.descriptions import Descriptions
from priorcase.concepts.rows import coded_targets
from priorcase.learning.decoding import attribute_names, decoded
from priorcase.learning.frames import Backend
from priorcase.neighbors.precedents import Case, Precedents
from priorcase.schema import Table

INSIDE, OUTSIDE = 1, 0


@dataclass(frozen=True, eq=False)
class Hearing:
    """Some queries before one description, of whose instances those of one label speak; None for any.

    ``others`` are the labels that would have spoken against the answer of each query.
    """

    description: Description
    queries: IntArray
    label: int | None
    others: list[set[int]]


def precedents(
    descriptions: Descriptions,
    question: Question,
    table: Table,
    answers: tuple[IdArray, FloatArray],
    backend: Backend | None,
) -> Precedents:
    """The instances that speak for each answer, as a result that prints itself.

    Parameters
    ----------
    descriptions, question
        Who answers what.
    table
        The queries as they were read.
    answers
        The predicted classes, as places in ``classes_``, and the share of each class.
    backend
        The library whose frame the learner was fitted on, or None.
    """
    spoke: list[list[Case]] = [[] for _ in range(len(question))]
    unlike: list[Case | None] = [None] * len(question)
    for hearing in _hearings(descriptions, question, answers[0]):
        asked = question.some(hearing.queries)
        for query, cases, other in zip(hearing.queries, _heard(hearing, asked), _against(hearing, asked), strict=True):
            spoke[query], unlike[query] = cases, other
    return _result(spoke, unlike, question, table, answers, backend)


def _result(
    spoke: list[list[Case]],
    unlike: list[Case | None],
    question: Question,
    table: Table,
    answers: tuple[IdArray, FloatArray],
    backend: Backend | None,
) -> Precedents:
    listed = [case for cases in spoke for case in cases]
    sizes = np.array([len(cases) for cases in spoke])
    schema, classes = question.instances.schema, question.roll.classes
    return Precedents(
        names=attribute_names(schema),
        queries=decoded(table),
        predictions=classes[answers[0]],
        indptr=np.concatenate(([0], np.cumsum(sizes))),
        ids=np.array([case.id for case in listed], np.int64),
        rows=[case.row for case in listed],
        targets=np.array([case.target for case in listed], classes.dtype),
        distances=np.array([case.distance for case in listed]),
        votes=np.repeat(1.0 / np.maximum(sizes, 1), sizes),
        shares=np.array([case.shares for case in listed]).reshape(len(listed), len(schema)),
        unlike=tuple(unlike),
        probabilities=answers[1],
        classes=classes,
        backend=backend,
    )


def _hearings(descriptions: Descriptions, question: Question, predicted: IdArray) -> Iterator[Hearing]:
    """Which description answered which queries."""
    codes = question.roll.codes
    if (joint := dict(descriptions.named()).get(None)) is not None:
        labels = set(np.unique(joint.core.records()[1]).tolist())
        others = [labels - {int(codes[place])} for place in predicted.tolist()]
        yield Hearing(joint, np.arange(len(question)), None, others)
        return
    claimed = claims(descriptions, question).claimed
    for place in np.unique(predicted).tolist():
        description = descriptions.of_class(int(codes[place]))
        for label in (None, INSIDE):
            of = np.flatnonzero((predicted == place) & (claimed[:, place] == (label is None)))
            if of.size:
                yield Hearing(description, of, label, [{OUTSIDE}] * of.size)


def _heard(hearing: Hearing, asked: Question) -> list[list[Case]]:
    """The instances that speak for each query."""
    description = hearing.description
    labels = description.core.records()[1]
    if not labels.size or (hearing.label is not None and not (labels == hearing.label).any()):
        return [[] for _ in range(len(asked))]
    tied = nearest(description, asked, hearing.label)
    if description.rules.ties == "first":
        first = tied.indptr[:-1]
        tied = Nearest(np.arange(first.size + 1), tied.names[first], tied.labels[first], tied.costs[first])
    return [
        _cases(description, asked, query, tied.names[start:stop])
        for query, (start, stop) in enumerate(zip(tied.indptr[:-1].tolist(), tied.indptr[1:].tolist(), strict=True))
    ]


def _against(hearing: Hearing, asked: Question) -> list[Case | None]:
    """The nearest instance that would have spoken against each answer."""
    best: list[tuple[float, int]] = [(np.inf, -1)] * len(asked)
    stored = set(np.unique(hearing.description.core.records()[1]).tolist())
    for label in sorted(set().union(*hearing.others) & stored):
        queries = np.array([query for query, others in enumerate(hearing.others) if label in others])
        tied = nearest(hearing.description, asked.some(queries), label)
        for query, name, cost in zip(queries.tolist(), tied.names[tied.indptr[:-1]], tied.cost, strict=True):
            if best[query][1] < 0 or float(cost) < best[query][0]:
                best[query] = float(cost), int(name)
    return [
        None if name < 0 else _cases(hearing.description, asked, query, np.array([name]))[0]
        for query, (_, name) in enumerate(best)
    ]


def _cases(description: Description, asked: Question, query: int, names: IdArray) -> list[Case]:
    """Stored rows beside a query, with what each attribute adds to their distances."""
    instances, comparison = asked.instances, description.comparison
    positions = instances.positions(names)
    fitted = comparison.ranging(*description.core.ranges())
    cells = comparison.compared(comparison.prepared(instances.cells(positions), instances), stored=True)
    own = comparison.compared(asked.cells[query : query + 1], stored=False)[0]
    weights = description.search_weights()
    costs = fitted.costs(own, cells, weights)
    shares = fitted.shares(fitted.contributions(own, cells, weights), costs)
    classes = _classes(asked, positions)
    distances = fitted.finish(costs).tolist()
    return [
        Case(int(name), row, classes[i], distances[i], shares[i])
        for i, (name, row) in enumerate(zip(names, instances.decode(positions), strict=True))
    ]


def _classes(asked: Question, positions: IdArray) -> AnyArray:
    places: AnyArray = asked.places()[coded_targets(asked.instances, asked.roll, positions)]
    classes: AnyArray = asked.roll.classes[places]
    return classes
