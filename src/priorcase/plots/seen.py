"""The rows that a concept learner has seen, and what became of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from priorcase._typing import AnyArray, FloatArray, IdArray, Value
from priorcase.concepts.ib import ConceptLearner
from priorcase.exceptions import ParameterError, TargetError, advice, quoted
from priorcase.learning.targets import as_array
from priorcase.plots.stored import columns_of


@dataclass(frozen=True, eq=False)
class SeenRows:
    """Rows with their ids, classes and states, and the columns of their records; NaN where there is none."""

    X: Any
    ids: IdArray
    labels: AnyArray
    states: AnyArray
    records: dict[str, FloatArray]


def seen_rows(model: ConceptLearner, X: Any, y: Any, concept: Value) -> SeenRows:
    """The stored rows, or all that were learned where these are given.

    Parameters
    ----------
    model
        The learner.
    X, y
        All rows that it has learned, in the order of their ids; None for the stored ones alone.
    concept
        Whose description, where each class has its own.
    """
    check_is_fitted(model)
    columns = _description(model, concept)
    ids = np.asarray(columns["id"], np.int64)
    states = np.asarray(columns["verdict"], object)
    if model._keep != "significant":
        states = np.full(ids.size, "stored", object)
    if X is None and y is None:
        instances = model._stored().instances
        rows = [list(row) for row in instances.decode(instances.positions(ids))]
        return SeenRows(rows, ids, np.asarray(columns["class"]), states, columns)
    labels = _checked(model, X, y)
    everything = np.full(labels.size, "passed", object)
    everything[_dropped(model, concept, columns)] = "dropped"
    everything[ids] = states
    records = {name: _spread(column, ids, labels.size) for name, column in columns.items() if _is_number(column)}
    return SeenRows(X, np.arange(labels.size), labels, everything, records)


def _description(model: ConceptLearner, concept: Value) -> dict[str, AnyArray]:
    """The columns of the stored instances of one description."""
    columns = columns_of(model.concept_)
    if "concept" not in columns:
        if concept is not None:
            raise ParameterError(
                f"concept must be None where all classes share a description, got {quoted(concept)}. per_class=True "
                "learns one for each."
            )
        return columns
    known = list(dict.fromkeys(columns["concept"].tolist()))
    if concept not in known:
        remedy = advice(concept, known, otherwise="Each class has a description of its own.")
        raise ParameterError(f"concept must be one of {', '.join(map(repr, known))}, got {quoted(concept)}. {remedy}")
    here = np.array([each == concept for each in columns["concept"].tolist()], bool)
    return {name: column[here] for name, column in columns.items()}


def _checked(model: ConceptLearner, X: Any, y: Any) -> AnyArray:
    """The classes of all rows that were learned."""
    if X is None or y is None:
        raise ParameterError(
            "X and y must be passed together, got one of them. Pass rows and their classes, or neither."
        )
    labels = as_array(y).ravel()
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if labels.size != rows:
        raise TargetError(
            f"Found input variables with inconsistent numbers of samples: X has {rows} and y has {labels.size}. Pass "
            "one entry of y for each row of X."
        )
    if rows != model.n_seen_:
        raise ParameterError(
            f"X must hold the {model.n_seen_} rows that were learned, not {rows}, got {quoted(X)}. Leave out X and y "
            "to see the stored ones alone."
        )
    return labels


def _dropped(model: ConceptLearner, concept: Value, columns: dict[str, AnyArray]) -> IdArray:
    """Ids of the instances that were stored and are no longer; none where the model kept no trace to tell by.

    One more is stored after an instance than the step's loss explains just where the instance itself was stored.
    """
    none = np.empty(0, np.int64)
    if not model.history:
        return none
    history = model.history_
    k = 0 if not history.concepts else list(history.concepts).index(concept)
    stored, dropped = (part.reshape(max(len(history.concepts), 1), -1)[k] for part in (history.stored, history.dropped))
    came = np.flatnonzero(np.diff(stored, prepend=0) + dropped > 0)
    seed = model._rules.seed
    order = np.random.RandomState(seed).permutation(stored.size) if model.shuffle else np.arange(stored.size)
    ids = np.asarray(columns["id"], np.int64)
    arrived = np.asarray(columns["arrived"], np.int64) - 1
    if arrived.max(initial=-1) >= order.size or (order[arrived] != ids).any():
        return none  # the rows came in several calls, in orders of their own
    return np.setdiff1d(order[came], ids)


def _spread(column: AnyArray, ids: IdArray, rows: int) -> FloatArray:
    """Numbers of some rows among all; NaN for the others."""
    whole = np.full(rows, np.nan)
    whole[ids] = column.astype(np.float64)
    return whole


def _is_number(column: AnyArray) -> bool:
    return column.dtype.kind in "fiu"
