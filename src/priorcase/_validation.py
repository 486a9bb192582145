"""The door of the estimators: scikit-learn's attributes and refusals around the schema's reading of a table."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from priorcase._typing import Name
from priorcase.exceptions import SchemaError
from priorcase.instances import Instances
from priorcase.schema import CategoricalFeatures, Kind, Schema, Table
from priorcase.schema.table import open_source


def read_training(
    estimator: object,
    X: Any,
    *,
    categorical_features: CategoricalFeatures = "from_dtype",
    kinds: Mapping[Name, Kind] | None = None,
) -> tuple[Schema, Table]:
    """The schema of a training table and its rows; the estimator is left as it is.

    ``kinds`` is what estimators take as ``schema``. A table needs at least one row and one column. Call
    ``record_features`` when everything else is checked too.
    """
    source = open_source(X)
    if source.rows == 0:
        raise SchemaError.too_few("sample", (0, len(source.columns)))
    schema = Schema.infer(source, categorical_features, kinds, parameter="schema")
    return schema, schema.read(X if isinstance(X, np.ndarray) else source)


def read_queries(estimator: object, X: Any, instances: Instances) -> Table:
    """Rows read by the schema of stored instances: queries, or more rows to store."""
    table = instances.schema.read(X, known=instances.known)
    if len(table) == 0:
        raise SchemaError.too_few("sample", (0, len(instances.schema)))
    return table


def record_features(estimator: Any, schema: Schema) -> None:
    """Set ``n_features_in_``, and ``feature_names_in_`` where every name is a string, as scikit-learn does."""
    estimator.n_features_in_ = len(schema)
    if schema.names is not None and all(isinstance(name, str) for name in schema.names):
        estimator.feature_names_in_ = np.array(schema.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
