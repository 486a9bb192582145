"""Attribute weights: what estimators take as ``attribute_weights``, and the weights of a table's columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import StrOptions

from priorcase._parameters import check_value
from priorcase._typing import FloatArray, Name
from priorcase.bayes.subsets import RelevanceWeights
from priorcase.exceptions import ParameterError, nearest, prefix_errors, quoted
from priorcase.instances import Instances, as_floats
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.targets import as_array, has_fractions
from priorcase.relevance import METHODS, Bayes, LeaveOneOutWeights, resolve_method
from priorcase.relevance import AttributeWeights as WeightsTable
from priorcase.relevance.base import LearnedWeights, WeightingMethod
from priorcase.schema import CategoricalFeatures, Nominal, Schema
from priorcase.similarity import Distance

Method: TypeAlias = Literal["gain_ratio", "relief", "mutual_information", "bayes", "loo"]
AttributeWeights: TypeAlias = ArrayLike | Mapping[Name, float] | Method | WeightingMethod | None
"""What estimators take for ``attribute_weights``."""

Weights: TypeAlias = FloatArray | RelevanceWeights | LearnedWeights | None
"""What a memory is given: numbers, weights that are learned from its rows, or None where all weigh the same."""


def resolve_weights(value: object, instances: Instances, *, threads: int) -> Weights:
    """The weights for a memory of some instances, which may still be empty, from what a user gave."""
    method, targets = resolve_method(value), instances.targets
    if method is None:
        return _numbers(value, instances.schema)
    has_classes = targets is not None and isinstance(targets.kinds[0], Nominal)
    usable = targets is not None and (len(targets) == 1 or not needs_one_target(value))
    if usable and isinstance(method, LeaveOneOutWeights):
        method.check_target(has_classes)
    if not usable or not (method.takes_numbers or has_classes):
        kinds = "classes or numbers" if method.takes_numbers else "classes"
        raise ParameterError(
            f"attribute_weights={quoted(value)} learns from the relation of each attribute to y, which must be one "
            f"column of {kinds}. Pass numbers, a mapping or None instead"
        )
    if isinstance(method, Bayes):
        return RelevanceWeights(instances, threads=threads)
    return LearnedWeights(method, threads)


def needs_one_target(value: object) -> bool:
    """Whether the weights can be learned from one target only."""
    weighting = resolve_method(value)
    return weighting is not None and (isinstance(weighting, Bayes) or weighting.local)


def _numbers(value: object, schema: Schema) -> FloatArray:
    """One weight for each attribute, in schema order."""
    numbers = value
    if isinstance(value, Mapping):  # 1 for the attributes that are not listed
        listed = dict(zip(schema.positions(value, parameter="attribute_weights"), value.values(), strict=True))
        numbers = [listed.get(a, 1.0) for a in range(len(schema))]
    weights = None if isinstance(value, str) else as_floats(numbers)
    if weights is None:
        meant = nearest(value, METHODS)
        raise ParameterError(
            "attribute_weights must be None, one number >= 0 for each attribute, a mapping from attribute to number, "
            f"or a method to learn them: {', '.join(map(repr, METHODS))}, got {quoted(value)}"
            + ("" if meant is None else f". Did you mean {meant!r}?")
        )
    usable = weights.shape == (len(schema),) and bool(np.isfinite(weights).all()) and bool((weights >= 0).all())
    if not usable or not weights.any():
        raise ParameterError(
            f"attribute_weights must be {len(schema)} finite numbers >= 0, at least one of them positive, "
            f"got {quoted(value)}"
        )
    return weights


@prefix_errors
def attribute_weights(
    X: Any,
    y: Any,
    method: Method | WeightingMethod = "relief",
    *,
    target: Literal["auto", "classes", "numbers"] = "auto",
    distance: str | Distance = "heom",
    sample_weight: Any = None,
    categorical_features: CategoricalFeatures = "from_dtype",
    schema: SchemaLike = None,
    n_jobs: int | None = None,
) -> WeightsTable:
    """The weight of each column of a table, as an estimator with ``attribute_weights=method`` learns it.

    Parameters
    ----------
    X, y
        A table, and one target for each row.
    method
        A method for learning ``attribute_weights``, as in `KNNClassifier`.
    target
        What y holds: ``"classes"`` or ``"numbers"``; ``"auto"`` takes numbers of which one has a fraction for numbers,
        and everything else for classes.
    distance
        The distance whose attributes are weighted; used by ``"relief"`` and ``"loo"``.
    sample_weight, categorical_features, schema, n_jobs
        As in `KNNClassifier`.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = pc.datasets.load_repairs()
    >>> pc.attribute_weights(X, y, "gain_ratio")
    attribute weights: gain_ratio
      attribute          weight
      noise              0.4896  ████████████████████
      brakes             0.4009  ████████████████
      load_kg            0.2601  ███████████
      km_since_service   0.2506  ██████████
      chain              0.2464  ██████████
      bike               0.2022  ████████
      electric            0.031  █
      outdoors          0.02522  █
      age_years               0
    """
    from priorcase.neighbors.classifier import KNNClassifier  # which imports this module
    from priorcase.neighbors.regressor import KNNRegressor

    if resolve_method(method) is None:
        check_value("method", method, [StrOptions(set(METHODS)), WeightingMethod])
    check_value("target", target, [StrOptions({"auto", "classes", "numbers"})])
    numbers = has_fractions(as_array(y)) if target == "auto" else target == "numbers"
    options: dict[str, Any] = {"categorical_features": categorical_features, "schema": schema, "n_jobs": n_jobs}
    estimator: KNNClassifier | KNNRegressor
    estimator = (KNNRegressor if numbers else KNNClassifier)(1, attribute_weights=method, distance=distance, **options)
    return estimator.fit(X, y, sample_weight).weights_table_
