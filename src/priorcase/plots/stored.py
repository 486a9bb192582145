"""The rows that a model has stored, with their targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils.validation import check_is_fitted

from priorcase.concepts.learner import ConceptLearner
from priorcase.exceptions import ParameterError, TargetError
from priorcase.learning.decoding import Row
from priorcase.learning.estimator import RowsEstimator
from priorcase.learning.sharing import reading
from priorcase.schema import Schema
from priorcase.typing import AnyArray, FloatArray, IdArray


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


def stored_rows(model: Any, *, caller: str) -> StoredRows:
    """What a learner of neighbours, of local fits or of a concept has stored."""
    if not isinstance(model, RowsEstimator) or not (hasattr(model, "_targets_at") or isinstance(model, ConceptLearner)):
        hint = "KNNClassifier, KNNRegressor, LocallyWeightedRegressor and IB1 to IB5 store their rows."
        raise ParameterError.wrong(caller, "model", model, expected="a model that answers from stored rows", hint=hint)
    check_is_fitted(model)
    with reading(model):
        instances = model._stored().instances
        if isinstance(model, ConceptLearner):
            ids, targets = _described(model)
        else:
            ids, targets = instances.ids.copy(), np.asarray(model._targets_at(np.arange(len(instances))))
        if targets.ndim > 1:
            raise TargetError.one_target_only(caller, "a picture")
        at = instances.positions(ids)
        return StoredRows(instances.schema, ids, instances.decode(at), instances.cells(at), targets)


def _described(model: ConceptLearner) -> tuple[IdArray, AnyArray]:
    """Ids, ascending, and classes of the rows in a concept description."""
    frame = model.concept_
    if isinstance(frame, dict):
        ids, classes = frame["id"], frame["class"]
    else:
        columns = nw.from_native(frame, eager_only=True)
        ids, classes = columns["id"].to_numpy(), columns["class"].to_numpy()
    ids, first = np.unique(np.asarray(ids, np.int64), return_index=True)
    return ids, np.asarray(classes)[first]
