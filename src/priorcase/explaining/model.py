"""Explained models: a fitted model with its past cases, and its predictions for modified rows.

In this module, rows are represented as *cells*, a float64 matrix with one column per schema column. A cell is a number,
the rank of a level, or the code of a value in the list of all values that have occurred; a missing value is NaN. In
this representation, values of a query and of past cases can be combined with masks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from priorcase._cancelling import check_cancelled
from priorcase._locks import Lock, cached_property
from priorcase._typing import AnyArray, Backend, FloatArray, IdArray, IntArray, Name, Value
from priorcase.bayes.counted import CountedRows
from priorcase.datasets.columns import NamedColumns
from priorcase.exceptions import (
    DRIFT,
    LocalConvergenceWarning,
    NotAvailableError,
    ParameterError,
    TargetError,
    quoted,
    unwarned,
)
from priorcase.instances import Instances
from priorcase.learning.estimator import RowsEstimator, check_some, row_of
from priorcase.learning.resampling import stored_table
from priorcase.learning.results import Row, attribute_names, framed
from priorcase.learning.state import Memory, pinned
from priorcase.learning.targets import as_array, check_length, objects
from priorcase.neighbors.knn import KNNClassifier, KNNRegressor
from priorcase.relevance.base import fixed_sample
from priorcase.schema import Coded, Date, Nominal, Ordinal, Schema, Table, uninformative_columns
from priorcase.schema import Numeric as NumericKind
from priorcase.schema.columns import ArrayColumn, Column
from priorcase.schema.dates import date_of
from priorcase.schema.kinds import identity
from priorcase.schema.schema import Source, backend_of
from priorcase.similarity import FittedDistance, resolve

_AT_ONCE = 1 << 14  # rows of one call of predict
_KEPT = 1 << 24  # maximum number of cells of past cases to cache for a model
_FEW = 2  # outputs of rows with at most this many known values are cached
_REMEMBERED = 1 << 18  # maximum number of cached numbers, rows and outputs together
_BACKGROUND = 16  # past cases that replace omitted values if the model does not accept missing values


class PastCases:
    """Past cases as cells, with cached results that later explanations of the same model reuse."""

    def __init__(self, table: Table, targets: AnyArray | None) -> None:
        self.schema, self.targets = table.schema, targets
        self.values: list[list[Value]] = [[] for _ in self.schema.kinds]
        self.codes: list[dict[Any, int]] = [{} for _ in self.schema.kinds]
        self.cells = _encoded(table, self.codes, [{} for _ in self.codes], self.values)
        # Columns that identify a row, such as names, carry no information about other rows.
        useless = {name for name, why in uninformative_columns(table).items() if why.reason == "id"}
        kinds = enumerate(self.schema.kinds)
        self.identifiers = [a for a, k in kinds if isinstance(k, Nominal) and self.schema.label(a) in useless]
        self._outputs: dict[bytes, FloatArray] = {}  # by cells, most recently used last
        self._lock = Lock()

    def outputs(self, cells: FloatArray, ask: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Return the result of ``ask`` for each row; results are cached."""
        keys = [row.tobytes() for row in cells]
        with self._lock:
            found = {key: self._outputs.pop(key) for key in keys if key in self._outputs}
            self._outputs |= found
        new = {key: i for i, key in enumerate(keys) if key not in found}
        if new:
            # Copies, since a slice would keep the whole array in memory.
            found |= zip(new, map(np.copy, ask(cells[list(new.values())])), strict=True)
            with self._lock:
                self._outputs |= {key: found[key] for key in new}
                most = _REMEMBERED // (cells.shape[1] + found[keys[0]].size)
                for key in list(islice(self._outputs, max(len(self._outputs) - most, 0))):
                    del self._outputs[key]
        return np.array([found[key] for key in keys])

    @cached_property
    def compared(self) -> tuple[Instances, FittedDistance, FloatArray]:
        """The past cases, a distance with equal column weights, and the cases prepared for this distance."""
        instances = Instances(self.schema)
        instances.append(self.schema.read(_source(self.schema, self.cells, self.values)))
        fitted = resolve("robust").fit(instances)
        return instances, fitted, fitted.prepare(instances.cells())


def _without_cases(instances: Instances) -> PastCases:
    """Return a `PastCases` without rows, but with all values that occurred in the rows that the model counted."""
    kinds = instances.schema.kinds
    nothing, known = np.empty(0, np.int32), [instances.known(a) for a in range(len(kinds))]
    columns = (Coded(nothing, ()) if isinstance(kind, Nominal) else np.empty(0) for kind in kinds)
    cases = PastCases(Table(instances.schema, 0, tuple(columns)), None)
    cases.values = [list(values) for values in known]
    cases.codes = [{identity(value): code for code, value in enumerate(values)} for values in known]
    return cases


# Past cases of explained models, stored outside the models so that they are neither pickled nor saved with them.
_PAST: WeakKeyDictionary[Memory, tuple[int, PastCases]] = WeakKeyDictionary()


class ExplainedModel:
    """A fitted model with a single target, and its past cases: the rows that it stores, or ``data``, a pair (X, y)."""

    def __init__(self, model: Any, data: Any = None, *, needs_rows: bool = True) -> None:
        # Pinned: later changes to the model do not affect the explanation.
        self.model = pinned(model) if isinstance(model, RowsEstimator) else model
        self.stored: Any = self.model if isinstance(model, RowsEstimator) else None
        if data is None:
            self._take_stored(needs_rows)
        else:
            self._take_data(data)
        self.names: tuple[Name, ...] = attribute_names(self.schema)
        self.classes = self._classes()
        self._missing: bool | None = None

    # -- the past cases

    def _take_stored(self, needs_rows: bool) -> None:
        if self.stored is None:
            check_is_fitted(self.model)
            raise ParameterError(
                f"{type(self.model).__name__} does not store past cases. Pass its training data: data=(X, y)"
            )
        memory = self.stored._answering()
        instances = memory.instances
        self.schema: Schema = instances.schema
        self.backend: Backend | None = self.stored._backend
        self._read: Callable[[Any], Table] = self.stored._table
        self._passed: Callable[[Source], Any] = lambda source: source
        if isinstance(instances, CountedRows):
            if needs_rows:
                raise NotAvailableError(
                    "past cases are not available with keep_rows=False. Pass the training data or a sample of it: "
                    "data=(X, y)."
                )
            self.ids: IdArray = np.empty(0, np.int64)
            self._open(_without_cases(instances))
            return
        self.ids = memory.ids

        version, cases = _PAST.get(memory, (None, None))
        if cases is None or version != instances.version:
            table = stored_table(instances, instances.positions(self.ids))
            cases = PastCases(table, _stored_targets(instances))
            if cases.cells.size <= _KEPT:
                _PAST[memory] = instances.version, cases
        self._open(cases)

    def _take_data(self, data: Any) -> None:
        if not isinstance(data, (tuple, list)) or len(data) != 2:
            raise ParameterError(f"data must be a pair of X and y, as they were passed to fit, got {quoted(data)}")
        check_is_fitted(self.model)
        X, y = data
        ours = getattr(self.model, "schema_", None)
        self.schema = ours if isinstance(ours, Schema) else Schema.infer(X)
        self.backend = backend_of(X)
        self._read = self.schema.read
        table = self.schema.read(X)
        check_some(len(table), len(self.schema))
        targets = as_array(y)
        check_length(len(targets), len(table))
        self.ids = np.arange(len(table))
        self._passed = (lambda source: source) if self.stored is not None else self._like(X)
        self._open(PastCases(table, targets))

    def _like(self, X: Any) -> Callable[[Source], Any]:
        """Return a function that converts rows to the input type of another library's model: an array or a frame."""
        if isinstance(X, NamedColumns):
            names = list(X.kinds)
            return lambda source: NamedColumns.of(dict(zip(names, map(_listed, source.columns), strict=True)), X.kinds)
        if self.backend is None:
            if isinstance(X, np.ndarray) and X.dtype.kind in "fiub":
                return lambda source: np.column_stack([column.array for column in source.columns])  # type: ignore[union-attr]
            return lambda source: np.column_stack([objects(_listed(column)) for column in source.columns])
        dtypes = {} if self.backend != "pandas" else X.dtypes.to_dict()
        kept = {name: dtype for name, dtype in dtypes.items() if dtype.kind not in "biu" or dtype.name[:1].isupper()}

        def frame(source: Source) -> Any:
            made = framed(
                {str(name): _listed(c) for name, c in zip(self.names, source.columns, strict=True)}, self.backend
            )
            return made.set_axis(list(self.names), axis=1).astype(kept) if dtypes else made

        return frame

    def _open(self, cases: PastCases) -> None:
        self.cases, self.past, self.targets = cases, cases.cells, cases.targets
        self.identifiers = cases.identifiers
        # Values that no past case has are numbered after those of the past cases, for this explanation only.
        self._codes: list[dict[Any, int]] = [{} for _ in self.schema.kinds]
        self._values = list(cases.values)

    # -- rows

    def cells(self, X: Any) -> FloatArray:
        """Convert the user's rows to cells; ``X`` is a table, or one row as a mapping, pandas Series or list."""
        if nw.dependencies.is_pandas_series(X):
            X = X.to_dict()
        if isinstance(X, Mapping):
            X = [row_of(self.schema, X)]
        elif isinstance(X, (list, tuple)) and X and not isinstance(X[0], (list, tuple, np.ndarray, Mapping)):
            X = [list(X)]
        table = self._read(X)
        check_some(len(table), len(self.schema))
        return self._encoded(table)

    def _encoded(self, table: Table) -> FloatArray:
        known = [len(values) for values in self._values]
        new: list[list[Value]] = [[] for _ in known]
        cells = _encoded(table, self._codes, self.cases.codes, new, known)
        self._values = [[*old, *more] if more else old for old, more in zip(self._values, new, strict=True)]
        return cells

    def source(self, cells: FloatArray) -> Source:
        """Convert cells to rows that every learner of the library accepts."""
        return _source(self.schema, cells, self._values)

    def passed(self, cells: FloatArray) -> Any:
        """Convert cells to the input type of the model."""
        return self._passed(self.source(cells))

    def value(self, a: int, cell: float) -> Any:
        """Return the value that a cell of column ``a`` represents; None if missing."""
        kind = self.schema.kinds[a]
        if cell != cell:
            return None
        if isinstance(kind, Ordinal):
            return kind.order[int(cell)] if cell >= 0 else "(no such level)"
        if isinstance(kind, Nominal):
            return self._values[a][int(cell)]
        return date_of(cell) if isinstance(kind, Date) else float(cell)

    def rows(self, cells: FloatArray) -> list[Row]:
        """Return rows as Python values; None if missing."""
        return [tuple(self.value(a, cell) for a, cell in enumerate(row)) for row in cells.tolist()]

    def position(self, column: Name, *, parameter: str = "column") -> int:
        """Return the position of a column; columns without names can be called ``x0``, ``x1``, ..."""
        if self.schema.names is None and isinstance(column, str) and column in self.names:
            return self.names.index(column)
        return self.schema.position(column, parameter=parameter)

    # -- outputs

    def _classes(self) -> AnyArray | None:
        model = self.model
        if not hasattr(model, "predict"):
            raise ParameterError(f"{type(model).__name__} has no predictions to explain")
        if is_regressor(model):
            return None
        if not is_classifier(model) and not hasattr(model, "classes_"):
            raise ParameterError(f"{type(model).__name__} is neither a classifier nor a regressor")
        if isinstance(model.classes_, list):
            raise TargetError(
                "explanations need a single target, but the model has several. Fit one model for each target"
            )
        return np.asarray(model.classes_)

    def predictions(self, cells: FloatArray) -> AnyArray:
        """Return the predicted class or number of each row."""
        found = self._asked(self.model.predict, cells)
        if found.ndim > 1:
            raise TargetError(
                "explanations need a single target, but the model has several. Fit one model for each target"
            )
        return found

    def outputs(self, cells: FloatArray) -> FloatArray:
        """Return the explained outputs, shape (rows, outputs): probabilities of classes, or the predicted number."""
        if not isinstance(self.model, KNNClassifier | KNNRegressor):
            return self._outputs(cells)
        # Rows with few known values occur in many queries and can tie with thousands of past cases, so their outputs
        # are cached. This is exact: the output of k-NN for a row does not depend on the other rows of the batch.
        known = ~np.isnan(cells)
        few = known.sum(axis=1) <= _FEW
        # Codes of values that no past case has are valid only in this explanation.
        few &= ~known[:, [a for a, codes in enumerate(self._codes) if codes]].any(axis=1)
        if not few.any():
            return self._outputs(cells)
        some = self.cases.outputs(cells[few], self._outputs)
        found = np.empty((len(cells), some.shape[1]))
        found[few] = some
        if not few.all():
            found[~few] = self._outputs(cells[~few])
        return found

    def _outputs(self, cells: FloatArray) -> FloatArray:
        if self.classes is None:
            return np.asarray(self.predictions(cells), np.float64)[:, None]
        if hasattr(self.model, "predict_proba"):
            return np.asarray(self._asked(self.model.predict_proba, cells), np.float64)
        return np.asarray(self.predictions(cells)[:, None] == self.classes, np.float64)

    def predicted(self, cells: FloatArray) -> tuple[AnyArray, FloatArray | None]:
        """Return predictions and probabilities (None for regression); k-NN computes both in one search."""
        if isinstance(self.model, KNNClassifier):
            with unwarned(*DRIFT, LocalConvergenceWarning):
                predictions, probabilities = self.model._classified(self.passed(cells))
            return predictions, np.asarray(probabilities, np.float64)
        return self.predictions(cells), None if self.classes is None else self.outputs(cells)

    def log_outputs(self, cells: FloatArray) -> FloatArray:
        """Return log-probabilities of the classes for classification, or predicted numbers for regression."""
        if self.classes is None:
            return self.outputs(cells)
        if hasattr(self.model, "predict_log_proba"):
            return np.asarray(self._asked(self.model.predict_log_proba, cells), np.float64)
        with np.errstate(divide="ignore"):
            return np.log(self.outputs(cells))

    def _asked(self, method: Callable[[Any], Any], cells: FloatArray) -> AnyArray:
        """Call a prediction method in batches, without warnings, because the user did not pass these rows."""
        parts = []
        with unwarned(*DRIFT, LocalConvergenceWarning):
            for start in range(0, len(cells), _AT_ONCE):
                check_cancelled()
                parts.append(np.asarray(method(self.passed(cells[start : start + _AT_ONCE]))))
        return np.concatenate(parts)

    def chosen(self, predictions: AnyArray) -> IntArray:
        """Return the index of the explained output of each row: the predicted class, or 0 for regression."""
        if self.classes is None:
            return np.zeros(len(predictions), np.int64)
        return np.asarray(np.argmax(self.classes[None, :] == predictions[:, None], axis=1))

    @property
    def takes_missing(self) -> bool:
        """Whether the model can predict a row in which all values are missing."""
        if self._missing is None:
            try:
                self.outputs(np.full((1, len(self.schema)), np.nan))
            except (ValueError, TypeError):
                self._missing = False
            else:
                self._missing = True
        return self._missing

    @property
    def background(self) -> FloatArray:
        """Rows whose values replace omitted values."""
        # Models of other libraries may accept missing values, but encoders and imputers replace them. If missing values
        # are informative, a missing value is a reason, and therefore different from an omitted value.
        if self.stored is not None and self.takes_missing and not self.stored._missing_is_informative():
            return np.full((1, len(self.schema)), np.nan)
        return self.past[fixed_sample(len(self.past), _BACKGROUND)]


def _stored_targets(instances: Instances) -> AnyArray | None:
    if instances.targets is None:
        return None
    held = np.asarray(instances.target())
    if isinstance(instances.targets.kinds[0], Nominal):
        return np.asarray(objects(list(instances.target_values()))[held.astype(np.int64)])
    return held


def _encoded(
    table: Table,
    codes: Sequence[dict[Any, int]],
    known: Sequence[Mapping[Any, int]],
    new: Sequence[list[Value]],
    first: Sequence[int] | None = None,
) -> FloatArray:
    """Convert a table to cells; values without a code get new codes, and ``codes`` and ``new`` are extended."""
    cells = np.empty((len(table), len(table.schema)))
    for a, column in enumerate(table.columns):
        if not isinstance(column, Coded):
            cells[:, a] = column
            continue
        numbers = np.full(len(column.values) + 1, np.nan)  # the last entry is for missing values
        for code in np.unique(column.codes[column.codes >= 0]).tolist():
            value = column.values[code]
            key = identity(value)
            if (number := known[a].get(key, codes[a].get(key))) is None:
                number = codes[a][key] = len(new[a]) + (first[a] if first else 0)
                new[a].append(value)
            numbers[code] = number
        cells[:, a] = numbers[column.codes.astype(np.int64)]
    return cells


def _source(schema: Schema, cells: FloatArray, values: Sequence[Sequence[Value]]) -> Source:
    columns: list[Column] = []
    for a, kind in enumerate(schema.kinds):
        column = np.ascontiguousarray(cells[:, a])
        if isinstance(kind, NumericKind):
            columns.append(ArrayColumn(column, None, None if type(kind) is NumericKind else kind))
            continue
        codes, of = np.where(np.isnan(column), -1.0, column).astype(np.int64), values[a]
        if isinstance(kind, Ordinal):
            # A rank below 0 is a level that is not in the order.
            of = [*kind.order, _beyond(kind)] if (column < 0).any() else kind.order
            codes = np.where(column < 0, len(kind.order), codes)
        columns.append(Coded(codes, tuple(of), ordered=isinstance(kind, Ordinal)))
    return Source(schema.names, tuple(columns), len(cells))


def _listed(column: Column) -> list[Any]:
    if isinstance(column, ArrayColumn):
        shown = date_of if isinstance(column.implied, Date) else float
        return [None if number != number else shown(number) for number in column.array.tolist()]
    return column.coded().tolist()


def _beyond(kind: Ordinal) -> Value:
    """Return a value that is not a level of the column."""
    return "(no such level)" if kind.content == "text" else max(kind.order) + 1  # type: ignore[type-var, operator]
