"""Similar past cases for models without a method ``precedents``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from priorcase._typing import AnyArray, FloatArray
from priorcase.explaining.model import ExplainedModel
from priorcase.learning.targets import objects
from priorcase.neighbors.base import NeighborsEstimator
from priorcase.neighbors.precedents import Precedent, Precedents

Parts = Callable[[int], FloatArray]
"""Function from the index of a query to the contributions of the columns, shape (past cases, columns).

The contributions of a past case add up to its distance from the query.
"""


def precedents_of(
    asked: ExplainedModel, cells: FloatArray, predictions: AnyArray, importance: FloatArray, n: int
) -> Precedents | None:
    """Return the ``n`` nearest past cases of each row, or None if the targets of the past cases are not known."""
    if hasattr(asked.model, "precedents"):
        own: Precedents = asked.model.precedents(asked.passed(cells))
        return replace(own._nearest(n), importance=importance)
    if asked.targets is None:
        return None
    parts = _by_distance(asked, cells) if isinstance(asked.model, NeighborsEstimator) else _by_terms(asked, cells)
    return _nearest(asked, asked.targets, cells, predictions, importance, parts, min(n, len(asked.past)))


def _by_distance(asked: ExplainedModel, cells: FloatArray) -> Parts:
    """Return a `Parts` function for the distance of a model whose past cases do not vote, such as an RBF network."""
    memory = asked.model._stored()
    queries, every = asked.model._cells(asked.source(cells)), np.arange(len(asked.past))
    return lambda query: np.asarray(memory.contributions(queries[query], every))


def _by_terms(asked: ExplainedModel, cells: FloatArray) -> Parts:
    """Return a `Parts` function for a distance that compares the effects of single values on the model's output.

    The effect of a value is the prediction if only this value is known. For classification, it is the vector of class
    log-probabilities. A column contributes the Euclidean distance between the effects of the query's value and of the
    past case's value. For classification, the difference of the effects is first centered over the classes.
    """
    background, columns = asked.background, len(asked.schema)
    values, places, made = [], [], []
    for a in range(columns):
        distinct, at = np.unique(np.concatenate([asked.past[:, a], cells[:, a]]), return_inverse=True)
        values.append(distinct)
        places.append(at.ravel())
        rows = np.repeat(background, distinct.size, axis=0)
        rows[:, a] = np.tile(distinct, len(background))
        made.append(rows)
    answers = asked.log_outputs(np.concatenate(made))
    terms, start = [], 0
    for a in range(columns):
        size = values[a].size * len(background)
        of = answers[start : start + size].reshape(len(background), values[a].size, -1).mean(axis=0)
        terms.append(of)
        start += size
    past = len(asked.past)

    def parts(query: int) -> FloatArray:
        found = np.empty((past, columns))
        for a in range(columns):
            here = places[a]
            found[:, a] = _apart(terms[a], terms[a][here[past + query]])[here[:past]]
        found[:, np.isnan(cells[query])] = 0.0
        return found

    return parts


def _apart(terms: FloatArray, own: FloatArray) -> FloatArray:
    """Return the distance of each row of ``terms`` from ``own``, centered over classes; inf - inf counts as 0."""
    with np.errstate(invalid="ignore"):
        off = np.where(terms == own, 0.0, terms - own)
        if own.size > 1:
            off = np.where(np.isinf(off), off, off - np.where(np.isfinite(off), off, 0.0).mean(axis=1, keepdims=True))
    return np.asarray(np.sqrt((off * off).sum(axis=1)))


def _nearest(
    asked: ExplainedModel,
    targets: AnyArray,
    cells: FloatArray,
    predictions: AnyArray,
    importance: FloatArray,
    parts: Parts,
    n: int,
) -> Precedents:
    found, kept, unlike = [], list[FloatArray](), list[Precedent | None]()
    for query in range(len(cells)):
        of = parts(query)
        distances = of.sum(axis=1)
        order = np.argsort(distances, kind="stable")
        found.append(order[:n])
        kept.append(of[order[:n]])
        if asked.classes is not None:
            other = order[targets[order] != predictions[query]][:1]
            unlike += [
                Precedent(int(asked.ids[i]), asked.rows(asked.past[[i]])[0], targets[i], float(distances[i]), of[i])
                for i in other.tolist()
            ] or [None]
    rows, contributions = np.concatenate(found), np.concatenate(kept)
    held = targets[rows]
    return Precedents(
        names=asked.names,
        queries=asked.rows(cells),
        predictions=predictions,
        indptr=np.arange(len(cells) + 1) * n,
        ids=asked.ids[rows],
        rows=asked.rows(asked.past[rows]),
        targets=held if asked.classes is None or held.dtype != object else _like(held, asked.classes),
        distances=contributions.sum(axis=1),
        votes=np.full(rows.size, np.nan),
        contributions=contributions,
        unlike=tuple(unlike),
        probabilities=None if asked.classes is None else asked.outputs(cells),
        classes=asked.classes,
        backend=asked.backend,
        importance=importance,
    )


def _like(targets: AnyArray, classes: AnyArray) -> AnyArray:
    """Return targets as an array with the dtype of the classes."""
    return np.array(targets.tolist(), dtype=classes.dtype) if classes.dtype != object else objects(targets.tolist())
