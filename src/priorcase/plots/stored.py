"""The rows that a model has stored, with their targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils.validation import check_is_fitted

from priorcase._typing import AnyArray, FloatArray, IdArray
from priorcase.concepts.ib import ConceptLearner
from priorcase.concepts.memory import ConceptMemory
from priorcase.exceptions import ParameterError, TargetError, quoted
from priorcase.learning.results import Row
from priorcase.learning.state import pinned
from priorcase.local import LocallyWeightedRegressor
from priorcase.neighbors import KNNTransformer
from priorcase.neighbors.base import NeighborsEstimator
from priorcase.schema import Schema
from priorcase.similarity import FittedDistance


@dataclass(frozen=True, eq=False)
class StoredRows:
    """Rows in the order of their ids.

    Parameters
    ----------
    schema
        What their columns mean.
    ids, rows, cells
        Their ids, their values (None where missing), and the same as numbers, ranks and codes.
    targets
        The class or number of each.
    """

    schema: Schema
    ids: IdArray
    rows: list[Row]
    cells: FloatArray
    targets: AnyArray


def stored_rows(model: Any, *, speaking: bool = False) -> StoredRows:
    """What a learner of neighbours, of local fits or of a concept has stored.

    Parameters
    ----------
    model
        The fitted model.
    speaking
        Whether to leave out instances of a concept description that its predictions do not ask.
    """
    if not isinstance(model, NeighborsEstimator | ConceptLearner) or isinstance(model, KNNTransformer):
        raise ParameterError(
            f"model must be one that answers from stored rows, got {quoted(model)}. KNNClassifier, KNNRegressor, "
            "LocallyWeightedRegressor and IB1 to IB5 store their rows."
        )
    check_is_fitted(model)
    model = pinned(model)
    instances = model._stored().instances
    if isinstance(model, ConceptLearner):
        ids, targets = _described(model, speaking)
    elif isinstance(model, LocallyWeightedRegressor):
        numbers = [instances.target(t) for t in range(len(instances.targets))]
        ids, targets = instances.ids.copy(), model._shaped(np.column_stack(numbers))
    else:
        ids, targets = instances.ids.copy(), np.asarray(model._targets_at(np.arange(len(instances))))
    if targets.ndim > 1:
        raise TargetError("got several target columns, and a picture shows one. Fit one estimator for each target.")
    at = instances.positions(ids)
    return StoredRows(instances.schema, ids, instances.decode(at), instances.cells(at), targets)


def fitted_distance(model: Any) -> tuple[FittedDistance, FloatArray | None]:
    """The distance that a model compares rows by, and its attribute weights; None where all are 1."""
    model = pinned(model)
    memory = model._stored()
    if isinstance(memory, ConceptMemory):
        first = memory.descriptions[None]
        return first.comparison.with_ranges(*first.core.ranges()), None
    if memory.local_weights:
        raise ParameterError(
            f"model must be one with the same attribute weights everywhere, got {quoted(model)}. Learn one weight "
            "for all, such as attribute_weights='relief'."
        )
    return memory.fitted, memory.attribute_weights


def seen_ranges(model: Any, cells: FloatArray) -> FloatArray:
    """The rows that a picture of a model must reach: its own, or for a concept the ends of all numbers it has seen."""
    memory = model._stored()
    if not isinstance(memory, ConceptMemory):
        return cells
    ends = np.array(memory.descriptions[None].core.ranges())
    return cells if np.isnan(ends).any() else np.vstack([cells, ends])


def columns_of(frame: Any) -> dict[str, AnyArray]:
    """The columns of a frame of any library, as arrays."""
    if isinstance(frame, dict):
        return frame
    columns = nw.from_native(frame, eager_only=True)
    return {name: columns[name].to_numpy() for name in columns.columns}


def _described(model: ConceptLearner, speaking: bool) -> tuple[IdArray, AnyArray]:
    """Ids, ascending, and classes of the rows in a concept description."""
    columns = columns_of(model.concept_)
    if "concept" in columns:
        raise ParameterError(
            f"model must have one description for all classes, got {quoted(model)}. per_class=False learns one."
        )
    ids, classes = np.asarray(columns["id"], np.int64), np.asarray(columns["class"])
    good = np.asarray(columns["verdict"] == "acceptable")
    if speaking and model._keep == "significant" and good.any():
        ids, classes = ids[good], classes[good]
    order = np.argsort(ids, kind="stable")
    return ids[order], classes[order]
