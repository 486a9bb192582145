"""The first rows of an estimator, which settle what the columns mean."""

from __future__ import annotations

from typing import Any

from priorcase._validation import read_queries, read_training
from priorcase.exceptions import ParameterError
from priorcase.instances import Instances
from priorcase.schema import Schema, Table


def training_table(estimator: Any, X: Any) -> Table:
    """Rows read by the estimator's ``schema`` where that declares every column, and by what they look like otherwise.

    Parameters
    ----------
    estimator
        Its parameters ``schema`` and ``categorical_features`` are looked at; it is left as it is.
    X
        The rows.
    method
        Who reads them, for messages.
    """
    categorical, schema = estimator.categorical_features, estimator.schema
    if not isinstance(schema, Schema):
        return read_training(estimator, X, categorical_features=categorical, kinds=schema)[1]
    check_declared(estimator)
    return read_queries(estimator, X, Instances(schema))


def check_declared(estimator: Any) -> None:
    """Refuse ``categorical_features`` beside a schema that declares every column."""
    categorical = estimator.categorical_features
    if not isinstance(categorical, str) or categorical != "from_dtype":
        hint = "leave categorical_features out, or pass a mapping as schema."
        expected = "'from_dtype' when schema= declares every column"
        raise ParameterError.wrong("categorical_features", categorical, expected=expected, hint=hint)
