"""How much each column of a table matters, as neighbours weigh it."""

from __future__ import annotations

from typing import Any, Literal

from priorcase.exceptions import ParameterError, prefix_errors
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.parameters import check_choice, choices_text
from priorcase.learning.targets import as_array, has_fractions
from priorcase.neighbors.classifier import KNNClassifier
from priorcase.neighbors.regressor import KNNRegressor
from priorcase.neighbors.weights import Method
from priorcase.relevance.names import METHODS, weighing_of
from priorcase.relevance.table import AttributeWeights
from priorcase.relevance.weighing import Weighing
from priorcase.schema import CategoricalFeatures
from priorcase.similarity import Distance


@prefix_errors
def attribute_weights(
    X: Any,
    y: Any,
    method: Method | Weighing = "relief",
    *,
    target: Literal["auto", "classes", "numbers"] = "auto",
    distance: str | Distance = "heom",
    sample_weight: Any = None,
    categorical_features: CategoricalFeatures = "from_dtype",
    schema: SchemaLike = None,
    n_jobs: int | None = None,
) -> AttributeWeights:
    """The weight of each column of a table, the one that an estimator with ``attribute_weights=method`` would give it.

    Parameters
    ----------
    X
        A pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.
    y
        One target for each row.
    method
        ``"gain_ratio"``, ``"relief"``, ``"mutual_information"``, ``"bayes"``, ``"loo"``, or an object with options,
        such as `LeaveOneOut`.
    target
        What y holds: ``"classes"`` or ``"numbers"``; ``"auto"`` takes numbers of which one has a fraction for numbers,
        and everything else for classes.
    distance
        The distance whose attributes are weighed; ``"gain_ratio"``, ``"mutual_information"`` and ``"bayes"`` do not
        look at it.
    sample_weight
        How many rows each row stands for; None for one.
    categorical_features, schema, n_jobs
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
    if weighing_of(method) is None:
        expected = f"{choices_text(METHODS)}, or an object with options"
        hint = "'relief' is quick and sees attributes that matter together; 'loo' is thorough."
        raise ParameterError.wrong("method", method, expected=expected, hint=hint, names=METHODS)
    hint = "'auto' takes numbers with fractions for numbers, and everything else for classes."
    check_choice("target", target, ("auto", "classes", "numbers"), hint=hint)
    numbers = has_fractions(as_array(y)) if target == "auto" else target == "numbers"
    estimator = (KNNRegressor if numbers else KNNClassifier)(
        1,
        attribute_weights=method,
        distance=distance,
        categorical_features=categorical_features,
        schema=schema,
        n_jobs=n_jobs,
    )
    return estimator.fit(X, y, sample_weight).weights_table_
