"""Questions to a fitted mixture beyond the class: any column, several columns jointly, imputed tables, new rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils import check_random_state

from priorcase._typing import AnyArray, BoolArray, FloatArray, IntArray, Name
from priorcase.bayes.columns import (
    asked_position,
    asked_positions,
    joint_distribution,
    known_classes,
    value_array,
    with_missing_columns,
)
from priorcase.bayes.mixture.em import Parameters, distribution
from priorcase.bayes.results import JointDistribution
from priorcase.exceptions import ParameterError
from priorcase.schema.schema import open_source

if TYPE_CHECKING:
    from priorcase.bayes.mixture.model import FittedMixture


# -- columns


def predict_column(
    mixture: FittedMixture, estimator: object, X: Any, column: Name, y: Any, return_proba: bool
) -> AnyArray | tuple[AnyArray, FloatArray]:
    """See `MixtureModel.predict_column`."""
    a = asked_position(column, mixture.schema, parameter="column", classed=mixture.labels is not None)
    if return_proba:
        values_of(mixture, a)
    values, chances = _predicted(mixture, _responsibilities_without(mixture, estimator, X, y, [a]), a)
    return (values, chances) if return_proba and chances is not None else values


def predict_joint(
    mixture: FittedMixture, estimator: object, X: Any, targets: Sequence[Name], y: Any
) -> JointDistribution:
    """See `MixtureModel.predict_joint`."""
    has_class = mixture.labels is not None
    asked = asked_positions(targets, mixture.schema, classed=has_class)
    values = {a: values_of(mixture, a) for a in asked}
    shares = _responsibilities_without(mixture, estimator, X, y, asked)
    places = [mixture.layout.discrete_at(a) for a in sorted(asked)]
    tables = [np.exp(mixture.parameters.tables[j][:, :-2]).T for j in places if j is not None]
    return joint_distribution(mixture.schema, asked, values, shares.T, tables, kept=False, backend=mixture.backend)


def values_of(mixture: FittedMixture, a: int) -> AnyArray:
    """The values of column ``a``, the class coming after all columns; an error where it has none."""
    if a == len(mixture.schema) and mixture.labels is not None:
        return mixture.labels
    j = mixture.layout.discrete_at(a)
    if j is None:
        raise ParameterError(
            f"column {mixture.schema.label(a)!r} is numeric and has no list of values. Use predict_column without "
            "return_proba for its expected number."
        )
    if not mixture.layout.values[j]:
        raise _never_known(mixture, a)
    return value_array(mixture.layout.values[j])


def _responsibilities_without(
    mixture: FittedMixture, estimator: object, X: Any, y: Any, columns: Sequence[int]
) -> FloatArray:
    """Probability of each component, from all columns but some, and from the class where ``y`` knows it."""
    layout, class_position = mixture.layout, len(mixture.schema)
    others = sorted(set(columns) - {class_position})
    table = mixture.table(estimator, with_missing_columns(open_source(X), mixture.schema, others))
    if y is not None and mixture.labels is None:
        raise ParameterError("y was passed, but the model was fitted without y and has no classes. Fit with y.")
    if y is not None and class_position in columns:
        raise ParameterError("y was passed, but the class is what is asked for. Leave y out.")
    matrix = layout.reader.encode(table)
    matrix[:, others] = np.nan
    classes = None if mixture.labels is None else known_classes(y, mixture.labels, len(matrix))
    if classes is not None:
        classes[classes < 0] = layout.sizes[-1]
    return mixture.responsibilities(layout.encode(matrix, classes))


def _predicted(mixture: FittedMixture, shares: FloatArray, a: int) -> tuple[AnyArray, FloatArray | None]:
    """The most probable value of column ``a`` and the probabilities; or its expected number and None."""
    layout, parameters = mixture.layout, mixture.parameters
    j = layout.discrete_at(a)
    if j is not None:
        values, chances = values_of(mixture, a), distribution(parameters, shares, j)
        return values[chances.argmax(axis=1)], chances
    if a in layout.numeric:
        j = layout.numeric.index(a)
        expected = np.zeros(shares.shape[1])
        for share, mean in zip(shares, parameters.means[j].tolist(), strict=True):
            expected += share * mean
        return layout.scales[j].original(expected), None
    only = layout.constant[a]
    if only is None:
        raise _never_known(mixture, a)
    return np.full(shares.shape[1], only), None


def _never_known(mixture: FittedMixture, a: int) -> ParameterError:
    label = mixture.schema.label(a)
    return ParameterError(
        f"column {label!r} was missing in every training row. Leave the column out, or declare its values: "
        f"schema={{{label!r}: Nominal(('yes', 'no'))}}."
    )


# -- imputing


def impute(mixture: FittedMixture, estimator: object, X: Any) -> Any:
    """See `MixtureModel.impute`."""
    names, schema = open_source(X).names, mixture.schema
    matrix = mixture.layout.reader.encode(mixture.table(estimator, X))
    shares = mixture.responsibilities(mixture.layout.encode(matrix))
    fills: dict[int, _Fill] = {}
    for a in range(len(schema)):
        missing: BoolArray = np.isnan(matrix[:, a])
        if missing.any():
            values, chances = _predicted(mixture, shares[:, missing], a)
            position = a if schema.names is None or names is None else names.index(schema.names[a])
            fills[position] = (missing, values.tolist(), chances is None)
    if nw.dependencies.is_into_dataframe(X):
        return _filled_frame(X, fills)
    if isinstance(X, (list, tuple)):
        return _filled_rows(X, fills)
    return _filled_array(X if isinstance(X, np.ndarray) else np.asarray(X), fills)


_Fill = tuple[BoolArray, list[Any], bool]
"""The missing rows of a column, a value for each, and whether they are expected numbers, which may be fractions."""


def _filled_array(X: AnyArray, fills: dict[int, _Fill]) -> AnyArray:
    whole = X.dtype.kind in "iub" and any(numeric for _, _, numeric in fills.values())
    result = X.astype(np.float64) if whole else X.copy()
    for position, (missing, values, _) in fills.items():
        result[missing, position] = _objects(values) if result.dtype.kind == "O" else values
    return result


def _filled_rows(X: list[Any] | tuple[Any, ...], fills: dict[int, _Fill]) -> list[Any] | tuple[Any, ...]:
    """Rows in the types that they came in."""
    rows = [list(row) for row in X]
    for position, (missing, values, _) in fills.items():
        for row, value in zip(np.flatnonzero(missing).tolist(), values, strict=True):
            rows[row][position] = value
    like = [
        np.array(row, dtype=old.dtype) if isinstance(old, np.ndarray) else tuple(row) if isinstance(old, tuple) else row
        for old, row in zip(X, rows, strict=True)
    ]
    return like if isinstance(X, list) else tuple(like)


def _filled_frame(X: Any, fills: dict[int, _Fill]) -> Any:
    frame = nw.from_native(X, eager_only=True)
    if frame.implementation.is_pandas_like():
        result = X.copy()
        for position, fill in fills.items():
            result.isetitem(position, _filled_pandas(X.iloc[:, position], *fill))
        return result
    columns = [_filled_series(frame[frame.columns[position]], *fill) for position, fill in fills.items()]
    return frame.with_columns(columns).to_native()


def _filled_pandas(column: Any, missing: BoolArray, values: list[Any], numeric: bool) -> Any:
    """A pandas column filled; of another type only where its own cannot hold the values."""
    kind = str(column.dtype).lower()
    if numeric and kind.startswith(("int", "uint", "bool")):
        column = column.astype("double[pyarrow]" if kind.endswith("[pyarrow]") else "Float64")
    elif kind.startswith("sparse"):
        column = column.sparse.to_dense()
    elif hasattr(column, "cat") and hasattr(column.dtype, "categories"):
        absent = [value for value in dict.fromkeys(values) if value not in column.dtype.categories]
        column = column.cat.add_categories(absent)
    array = column.array.copy()
    plain = isinstance(column.dtype, np.dtype)
    if plain and column.dtype.kind == "O":
        array[missing] = _objects(values)
    else:
        array[missing] = np.array(values, column.dtype) if plain else values
    # With its type given, or pandas would take objects for text.
    return type(column)(array, index=column.index, dtype=column.dtype)


def _filled_series(series: nw.Series[Any], missing: BoolArray, values: list[Any], numeric: bool) -> nw.Series[Any]:
    """A Polars or PyArrow column filled; of another type only where its own cannot hold the values."""
    kind, dtype = series.to_native(), series.dtype
    if numeric and not dtype.is_float():
        series = series.cast(nw.Float64)
    elif isinstance(dtype, nw.Enum) and not set(values) <= set(dtype.categories):
        series = series.cast(nw.String)
    spread: list[Any] = [None] * len(series)
    for row, value in zip(np.flatnonzero(missing).tolist(), values, strict=True):
        spread[row] = value
    backend = series.implementation.value
    text = backend == "pyarrow" and series.dtype == nw.Categorical
    given = nw.String if text else None if series.dtype == nw.Object else series.dtype
    fill: nw.Series[Any] = nw.new_series(series.name, spread, given, backend=backend)
    kept: nw.Series[Any] = nw.new_series("kept", (~missing).tolist(), nw.Boolean, backend=backend)
    result: nw.Series[Any] = series.zip_with(kept, fill).alias(series.name)
    if text:
        result = nw.from_native(result.to_native().cast(kind.type), series_only=True).alias(series.name)
    return result


def _objects(values: list[Any]) -> AnyArray:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


# -- sampling


def sample(mixture: FittedMixture, n: int, random_state: Any) -> tuple[Any, AnyArray]:
    """See `MixtureModel.sample`."""
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    layout, parameters = mixture.layout, mixture.parameters
    weights = np.exp(parameters.log_weights)
    owners = rng.choice(len(parameters), size=n, p=weights / weights.sum())
    columns = [_drawn_column(mixture, parameters, a, owners, rng) for a in range(len(layout.schema))]
    drawn = owners if mixture.labels is None else mixture.labels[_drawn_codes(parameters.tables[-1], owners, rng)]
    if mixture.backend is not None and layout.schema.names is not None:
        plain: dict[Any, Any] = {
            name: column.tolist() for name, column in zip(layout.schema.names, columns, strict=True)
        }
        return nw.from_dict(plain, backend=mixture.backend).to_native(), drawn
    table = np.empty((n, len(columns)), dtype=object if layout.discrete else np.float64)
    for a, column in enumerate(columns):
        table[:, a] = column.tolist()
    return table, drawn


def _drawn_column(
    mixture: FittedMixture, parameters: Parameters, a: int, owners: IntArray, rng: np.random.Generator
) -> AnyArray:
    """Values of a column; one that was never known stays missing."""
    layout = mixture.layout
    if a in layout.numeric:
        j = layout.numeric.index(a)
        spread = np.sqrt(1.0 / parameters.precisions[j])
        return layout.scales[j].original(rng.normal(parameters.means[j][owners], spread[owners]))
    if a in layout.discrete:
        j = layout.discrete.index(a)
        if not layout.values[j]:
            return np.full(owners.size, None)
        return np.asarray(value_array(layout.values[j])[_drawn_codes(parameters.tables[j], owners, rng)])
    only = layout.constant[a]
    return np.full(owners.size, np.nan if only is None else only)


def _drawn_codes(table: FloatArray, owners: IntArray, rng: np.random.Generator) -> IntArray:
    """A value for each row, by the probabilities of its component."""
    bounds = np.cumsum(np.exp(table[:, :-2]), axis=1)
    draws = rng.random(owners.size) * bounds[owners, -1]
    codes = np.zeros(owners.size, np.int64)
    for k, bound in enumerate(bounds):
        mine = owners == k
        codes[mine] = np.minimum(np.searchsorted(bound, draws[mine], side="right"), bound.size - 1)
    return codes
