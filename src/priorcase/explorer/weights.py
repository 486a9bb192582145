"""Column weights set by hand: nearest past cases and k-NN predictions with these weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

import priorcase as pc
from priorcase._typing import FloatArray
from priorcase.documents import precedents_document
from priorcase.exceptions import ParameterError, SchemaMismatchError, advice, quoted
from priorcase.explorer.jobs import Job
from priorcase.explorer.workspace import Workspace, over_rows
from priorcase.learning.results import attribute_names
from priorcase.learning.state import pinned
from priorcase.serve.app import Document

STACKING = "Fitting stacked learners"
"""Name of the job that is canceled when the user chooses a learner."""

_NEIGHBORS = 10  # number of neighbors that vote

Weight = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]


class Weighing(Document):
    """A case, and a weight for each column: 1 if omitted, 0 to ignore the column."""

    case: dict[str, Any] = Field({}, examples=[{"age": 31}])
    weights: dict[str, Weight] = Field({}, examples=[{"age": 2.5, "color": 0}])
    k: int = Field(8, ge=1, le=100)


def reweighted(model: Any, weights: FloatArray) -> Any:
    """Return a k-NN model of the same rows with other attribute weights."""
    model = pinned(model)
    state = dict(model.__dict__)
    memory = model._stored().fork()  # shares the index, which does not depend on the weights
    memory._weights = weights
    memory._cache.pop("importance", None)  # depends on the weights
    state["_memory"] = memory
    return pinned(model, state)


def weighted_neighbors(
    workspace: Workspace, rows: list[list[Any]], weights: Mapping[str, float], k: int
) -> dict[str, Any]:
    """Return the nearest past cases with these weights, their ranks with equal weights, and the k-NN prediction."""
    model = workspace.cached("neighbors by weights", lambda: _neighbors_model(workspace.served))
    array = _array(model, weights)
    least = min(model.n_neighbors, model.n_samples_fit_)
    shown = max(1, min(k, model.n_samples_fit_))
    other = reweighted(model, array)
    found = precedents_document(other.precedents(rows, shown))
    equal = model.kneighbors(rows, min(model.n_samples_fit_, 200), return_distance=False)[0].tolist()
    ranks = {id_: rank for rank, id_ in enumerate(equal, start=1)}
    for one in found["precedents"]:
        one["equal_rank"] = ranks.get(one["id"])
    found["precedents"] = found["precedents"][:shown]
    found["prediction"] = other.predict(rows).tolist()[0]
    if hasattr(other, "classes_"):
        labels = list(map(str, other.classes_.tolist()))
        found["probabilities"] = dict(zip(labels, other.predict_proba(rows)[0].tolist(), strict=True))
    return found | {"n_neighbors": least}


def answer_with_weights(workspace: Workspace, weights: Mapping[str, float]) -> Job:
    """Fit k-NN with these weights in the background, then use it for predictions."""
    model = workspace.cached("neighbors by weights", lambda: _neighbors_model(workspace.served))
    _array(model, weights)
    given = {name: weight for name, weight in weights.items() if weight != 1}

    def work(job: Job) -> None:
        version = workspace.rows_version
        fitted = over_rows(type(model)(model.n_neighbors, attribute_weights=given or None), workspace.served)
        workspace.answer_with(fitted, version)

    workspace.jobs.cancel_named(STACKING)  # otherwise the stack would replace this learner
    return workspace.jobs.start("Fitting k-NN with these weights", work)


def _neighbors_model(served: Any) -> Any:
    """Return a k-NN model fitted to the rows of the current model."""
    cls = pc.KNNClassifier if hasattr(served, "classes_") else pc.KNNRegressor
    return over_rows(cls(max(1, min(_NEIGHBORS, served.n_samples_fit_ - 1))), pinned(served))


def _array(model: Any, weights: Mapping[str, float]) -> FloatArray:
    """Return the weights as an array in column order."""
    places = {str(name): a for a, name in enumerate(attribute_names(model.schema_))}
    array = np.ones(len(places))
    for name, weight in weights.items():
        if name not in places:
            remedy = advice(name, places, otherwise="GET /schema lists the columns.")
            raise SchemaMismatchError(f"The model has no column {quoted(name)}. {remedy}")
        array[places[name]] = weight
    if not array.any():
        raise ParameterError("All weights are 0, so all past cases are equally near. Set a weight above 0.")
    return array
