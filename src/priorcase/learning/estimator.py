"""Base class of the estimators that store rows; rows can be added at any time and forgotten exactly."""

from __future__ import annotations

import inspect
import os
import re
from abc import ABCMeta, abstractmethod
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, cast, get_args

import joblib
import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from priorcase import saving
from priorcase._parameters import check_value, is_whole
from priorcase._typing import AnyArray, Backend, FloatArray, IdArray, Name
from priorcase.batches import Labeled, labeled_batches, target_array
from priorcase.exceptions import (
    ParameterError,
    PriorcaseError,
    SchemaError,
    StrayTextWarning,
    TargetError,
    TooFewRowsError,
    UninformativeColumnWarning,
    advice,
    is_unwarned,
    joined,
    listed,
    prefix_errors,
    quoted,
    unwarned,
    warn_caller,
)
from priorcase.instances import Instances, check_weights
from priorcase.learning.diagram import html_inner, mimebundle
from priorcase.learning.drift import warn_drift
from priorcase.learning.state import Memory, changes, lock_of, reads
from priorcase.learning.targets import Labeling, check_length
from priorcase.schema import Coded, Kind, Nominal, Numeric, Schema, Table, Uninformative, uninformative_columns
from priorcase.schema.schema import Source, backend_of, inferred, open_source

if TYPE_CHECKING:
    from priorcase.explaining import Explanations

SchemaLike = Schema | Mapping[Name, Kind] | None
M = TypeVar("M", bound=Memory)
E = TypeVar("E")

_THREADS_PER_CORE = 4
_FEW_ROWS = 20  # no warning for fewer rows
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?")  # 203,593
_MANY_NUMBERS = 10  # a column with at least as many numbers for each other value should be numeric


# Parameters of other libraries, mostly of scikit-learn, and the parameters here that have their meaning.
_OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "weights": ("vote", "kernel"),
    "metric": ("distance",),
    "metric_params": ("distance",),
    "p": ("distance",),
    "k": ("n_neighbors", "n_centers"),
    "n_clusters": ("n_centers",),
    "alpha": ("prior", "ridge"),
    "smoothing": ("prior",),
    "priors": ("class_prior",),
    "fit_prior": ("class_prior",),
    "estimators": ("members",),
    "cv": ("folds",),
    "param_grid": ("candidates",),
    "param_distributions": ("candidates",),
    "n_features_to_select": ("n_features",),
    "features": ("categorical_features",),
    "seed": ("random_state",),
    "threads": ("n_jobs",),
    "n_threads": ("n_jobs",),
}


class EstimatorMeta(ABCMeta):
    """Metaclass of all estimators: suggests names for unknown parameters, and keeps ``help`` and ``dir`` short.

    ``help`` and ``dir`` of an estimator class list only the methods that this library defines.
    """

    def __call__(cls: type[E], *args: Any, **parameters: Any) -> E:
        try:
            return cast(E, ABCMeta.__call__(cls, *args, **parameters))
        except TypeError:
            _check_names(cls, parameters)
            raise

    @property
    def __signature__(cls) -> inspect.Signature:
        """Signature without ``self``; otherwise `inspect.signature` would return the signature of ``__call__``."""
        signature = inspect.signature(cls.__init__)  # type: ignore[misc]  # the constructor of this very class
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    def __dir__(cls) -> list[str]:
        parameters = inspect.signature(cls).parameters

        def is_added(name: str) -> bool:
            owner = next((base for base in cls.__mro__ if name in vars(base)), object)
            if name in parameters or owner.__module__.startswith("sklearn") or hasattr(BaseEstimator, name):
                return False
            return not re.fullmatch(r"_.*|.*_|set_\w+_request", name)

        return [name for name in super().__dir__() if is_added(name)]


def _check_names(cls: type, parameters: Mapping[str, Any]) -> None:
    """Raise an error that suggests a parameter if the constructor of an estimator class lacks one of these names."""
    known = inspect.signature(cls).parameters
    unknown = next((name for name in parameters if name not in known), None)
    if unknown is None or any(each.kind is each.VAR_KEYWORD for each in known.values()):
        return
    remedy = advice(unknown, known, otherwise=f"Its parameters are {', '.join(known)}.")
    meant = next((name for name in _OTHER_NAMES.get(unknown, ()) if name in known), None)
    if meant is not None:
        remedy = f"Did you mean {meant!r}?"
    raise TypeError(f"{cls.__name__}() got an unexpected keyword argument {unknown!r}. {remedy}") from None


class RowsEstimator(BaseEstimator, Generic[M], metaclass=EstimatorMeta):
    """Base class of the estimators that store their rows.

    ``n_jobs`` is the number of threads; the results do not depend on it. None means one thread for each core that the
    process may use, but at most ``OMP_NUM_THREADS`` threads (in scikit-learn, None means one job). The value -1 means
    all cores, and -2 all cores but one. `joblib.parallel_config` has no effect, because only threads are used.
    """

    categorical_features: Any
    schema: Any
    n_jobs: int | None
    _saves_labels: ClassVar[bool] = True
    """Whether a classifier saves its labels itself; otherwise, its memory does."""
    _memory: M
    _backend: Backend | None
    _fitted_with: dict[str, Any]
    _labeling: Labeling
    _flat: bool

    @property
    @reads
    def ids_(self) -> IdArray:
        """Ids of the stored rows, ascending; rows are numbered from 0 in order of arrival, ignoring a pandas index."""
        return self._stored().ids

    @property
    @reads
    def n_samples_fit_(self) -> int:
        """Number of stored rows."""
        return len(self._stored())

    @property
    @reads
    def schema_(self) -> Schema:
        """Kind of each column."""
        return self._stored().instances.schema

    @reads
    def digest(self) -> str:
        """Return a fingerprint that depends only on the stored rows, targets and weights and on their order."""
        return self._stored().digest()

    @changes
    def forget(self, ids: ArrayLike) -> Self:
        """Forget rows by id (see `ids_`), as if they had never been stored; unknown or repeated ids raise an error."""
        memory = self._stored()
        self._check_forgetting(ids)
        memory.forget(ids)
        return self

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator; several threads may call this method at the same time."""
        with lock_of(self):
            super().set_params(**params)
        return self

    def explain(self, X: Any, **options: Any) -> Explanations:
        """Explain the predictions for the rows of ``X``; see `priorcase.explain` for the options."""
        from priorcase import explain  # imported here: higher layer

        return explain(self, X, **options)

    @prefix_errors
    def save(self, path: str | os.PathLike[str]) -> Path:
        """Save the model to a file that `priorcase.load` reads; return the path."""
        return saving.save(self, path)

    @reads
    def _saved_state(self) -> dict[str, Any] | None:
        """Return the data to save in addition to the parameters, or None if the estimator is not fitted."""
        if "_memory" not in self.__dict__:
            return None
        memory, now = self._stored(), self.get_params(deep=False)
        before = {name: value for name, value in self._fitted_parameters().items() if value is not now[name]}
        state: dict[str, Any] = {"rows": memory.saved_rows(), "backend": self._backend, "fitted_with": before}
        if "_labeling" in self.__dict__:
            state["labels"] = self._labeling.saved()
        if "_flat" in self.__dict__:
            state["flat"] = self._flat
        return state | memory.saved()

    def _fitted_parameters(self) -> dict[str, Any]:
        """Return the parameter values that `fit` used, even if `set_params` has changed the parameters since."""
        return self._fitted_with

    def _restore_state(self, state: dict[str, Any]) -> None:
        """Restore data from `_saved_state` and check it as in `fit`; raise ``ValueError`` if the data is invalid."""
        now, before, rows = self.get_params(deep=False), state["fitted_with"], state["rows"]
        if not before.keys() <= now.keys() or state["backend"] not in (None, *get_args(Backend)):
            raise ValueError("unknown parameters")
        kind = Nominal if isinstance(self, ClassifierMixin) else Numeric if isinstance(self, RegressorMixin) else None
        kinds = set() if kind is None else {kind}
        if {type(each) for each in (rows.targets.kinds if rows.targets else ())} != kinds:
            raise ValueError("targets of a different kind")
        self.__dict__.update(before)
        self._check_parameters()
        self._backend = state["backend"]
        if isinstance(self, ClassifierMixin) and self._saves_labels:
            self._labeling = Labeling.restored(state["labels"], rows)
        if isinstance(self, RegressorMixin):
            self._flat = bool(state["flat"])
        self._memory = self._new_memory(rows.schema, rows.targets)
        self._memory.restore(rows, state)
        if len(self._memory):
            self._check_rows()
        self._memory.committed = True
        record_features(self, rows.schema)
        self.__dict__.update(now)

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in super().__getstate__().items() if name != "_lock"}
        if "_memory" in state:
            state["_memory"] = state["_memory"].detached()
        return state

    def __sklearn_is_fitted__(self) -> bool:
        return "_memory" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    # -- for subclasses

    @abstractmethod
    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray | Coded] | None:
        """Return the schema and the values of the targets ``y``, or None if there are no targets.

        The values have shape (rows, targets). ``first``: whether no rows have been stored yet. The method also stores
        what later calls need to know about the targets, such as the type of the labels.
        """

    @abstractmethod
    def _new_memory(self, schema: Schema, targets: Schema | None) -> M:
        """Return an empty memory for rows and targets."""

    def _check_parameters(self) -> None:
        """Raise an error for invalid parameters before any data is read."""
        self._fitted_with = {name: getattr(self, name) for name in _parameter_names(type(self))}
        self._threads()
        check_value("schema", self.schema, [None, Schema, Mapping])

    def _check_table(self, table: Table, first: bool) -> None:
        """Raise an error if the rows to be stored are incompatible with the parameters."""

    def _check_rows(self) -> None:
        """Raise an error if the stored rows are incompatible with the parameters; called after rows were stored."""

    def _check_forgetting(self, ids: ArrayLike) -> None:
        """Raise an error if the parameters make it impossible to forget the rows with these ids."""

    def _missing_is_informative(self) -> bool:
        """Return whether explanations show missing values as reasons, instead of omitting them."""
        return False

    def _refit_differs(self) -> bool:
        """Return whether leave-one-out may differ from predictions after a refit without each row."""
        return True

    def _finish_fit(self) -> None:
        """Compute results that would otherwise slow down the first query after `fit`."""

    # -- rows

    def _threads(self) -> int:
        return thread_count(self.n_jobs)

    def _stored(self) -> M:
        if "_memory" not in self.__dict__:
            check_is_fitted(self)
        return self._memory

    def _answering(self) -> M:
        """Return the stored rows; raise an error if there are none."""
        memory = self._stored()
        if not len(memory):
            raise TooFewRowsError("no rows are stored: all were forgotten. Add rows with partial_fit, or fit again.")
        return memory

    def _table(self, X: Any) -> Table:
        table = read_queries(X, self._stored().instances)
        if not isinstance(X, Table):
            warn_drift(table, self._stored())
        return table

    def _cells(self, X: Any) -> FloatArray:
        return self._answering().encode(self._table(X))

    _repr_html_inner, _repr_mimebundle_ = html_inner, mimebundle

    def _diagram_rows(self) -> Instances | None:
        return self._memory.instances if "_memory" in self.__dict__ else None

    def _get_fitted_attr_html(self, doc_link: str = "") -> Any:
        """Return the fitted attributes for scikit-learn's diagram, or none if an attribute cannot be computed."""
        try:
            return super()._get_fitted_attr_html(doc_link)
        except PriorcaseError:
            return {}

    @changes
    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self.__dict__.pop("_memory", None)
        self._learn(X, y, sample_weight, None)
        self._finish_fit()
        return self

    @changes
    def _partial_fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Self:
        self._learn(X, y, sample_weight, classes)
        return self

    def _learn(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> None:
        batches = labeled_batches(X, y)
        if batches is None:
            self._store(X, y, sample_weight, classes)
        else:
            self._learn_batches(batches, sample_weight, classes)
        self._check_rows()

    def _learn_batches(self, batches: Labeled, sample_weight: Any, classes: Any) -> None:
        if sample_weight is not None:
            raise ParameterError(
                f"sample_weight must be None if y is a column of {batches.source}. Omit sample_weight, or load the "
                "table into memory."
            )
        for X, y in batches:
            with unwarned(UninformativeColumnWarning):  # the first batch may not be representative
                self._store(X, self._target_column(y), None, classes)

    def _target_column(self, column: Any) -> Any:
        """Convert the target column of a batch to an array that `_read_targets` accepts."""
        return target_array(column)

    def _store(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> None:
        table, targets, weights = self._arrivals(X, y, sample_weight, classes)
        self._memory.append(table, targets, weights)

    def _arrivals(self, X: Any, y: Any, weights: Any, classes: Any) -> tuple[Table, Table | None, FloatArray | None]:
        """Read and check new rows, targets and weights, and create the memory if there is none."""
        first = "_memory" not in self.__dict__
        if first:
            self._check_parameters()
        table = self._training_table(X) if first else self._table(X)
        targets = self._read_targets(y, classes, first)
        if targets is not None:
            check_length(len(targets[1]), len(table))
        self._check_table(table, first)
        weights = check_weights(weights, len(table), parameter="sample_weight")
        if weights is not None and not weights.any():
            raise TargetError("sample_weight is zero for every row; at least one row must have a positive weight")
        if first:
            self._backend = backend_of(X)
            self._memory = self._new_memory(table.schema, None if targets is None else targets[0])
            record_features(self, table.schema)
        return table, None if targets is None else target_table(*targets), weights

    def _training_table(self, X: Any) -> Table:
        return training_table(self, X)


@cache
def _parameter_names(kind: type[BaseEstimator]) -> tuple[str, ...]:
    """Return the parameter names of an estimator; cached, since scikit-learn reads the signature in every call."""
    return tuple(kind._get_param_names())


def thread_count(n_jobs: object) -> int:
    """Return the number of threads for ``n_jobs`` (see `RowsEstimator`), at most four per core."""
    if n_jobs is None:
        return _threads_by_default()
    if not is_whole(n_jobs) or n_jobs == 0:
        raise ParameterError(
            f"n_jobs must be None or an integer other than 0, got {quoted(n_jobs)}. Pass None or -1 to use all cores."
        )
    return min(int(n_jobs), _THREADS_PER_CORE * _cores()) if n_jobs > 0 else max(1, _cores() + 1 + int(n_jobs))


@cache  # like OpenMP, which reads the variable once
def _threads_by_default() -> int:
    limit = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return min(_cores(), int(limit)) if limit.isdigit() and int(limit) > 0 else _cores()


@cache
def _cores() -> int:
    return int(joblib.cpu_count())


def target_table(schema: Schema, values: AnyArray | Coded) -> Table:
    return Table(schema, len(values), (values,)) if isinstance(values, Coded) else schema.read(values)


def training_table(estimator: Any, X: Any) -> Table:
    """Read training rows with the kinds in ``schema``, and with inferred kinds for columns not in ``schema``."""
    kinds = estimator.schema
    if isinstance(kinds, Schema):
        check_declared(estimator)
        return read_queries(X, Instances(kinds))
    source = open_source(X)
    check_some(source.rows, len(source.columns))
    schema = inferred(source, estimator.categorical_features, kinds, parameter="schema")
    table = schema.read(X if isinstance(X, np.ndarray) else source)
    distance = getattr(estimator, "distance", None)
    precomputed = isinstance(distance, str) and distance == "precomputed"
    if not isinstance(X, Source) and isinstance(estimator.categorical_features, str) and not precomputed:
        # Only inferred kinds may be a mistake. A column with a difference of its own was chosen on purpose.
        declared = {schema.position(key) for key in (*(kinds or ()), *getattr(distance, "attributes", ()))}
        # Columns that read_table left as text are meant to be nominal.
        read = getattr(X, "attrs", {}).get("columns", {})
        told = {a for a, name in enumerate(schema.names or ()) if isinstance(read, dict) and name in read}
        warn_stray_text(table, declared | told)
        warn_uninformative(table, declared)
    return table


def warn_stray_text(table: Table, declared: Collection[int] = ()) -> None:
    """Warn about nominal columns of text whose values are numbers, except perhaps for a few such as ``"?"``."""
    for a, (kind, column) in enumerate(zip(table.schema.kinds, table.columns, strict=True)):
        if a in declared or type(kind) is not Nominal or not isinstance(column, Coded):
            continue
        values = column.values
        if len(values) < _MANY_NUMBERS or not any(map(_is_number, values[:3])):
            continue
        stray = [value for value in values if not _is_number(value)]
        numbers, name = len(values) - len(stray), table.schema.label(a)
        convert = f"pandas.to_numeric(X[{name!r}])"
        if 0 < len(stray) <= len(values) / _MANY_NUMBERS:
            why = f"it contains {listed(stray, limit=3)} besides {numbers:,} different numbers"
            convert = f"pandas.to_numeric(X[{name!r}], errors='coerce')"
        elif not stray and any(isinstance(value, str) and not value.isdigit() for value in values):  # no codes
            why = f"its {numbers:,} different numbers are stored as text"
            if any("," in value for value in values if isinstance(value, str)):
                convert = f"pandas.to_numeric(X[{name!r}].str.replace(',', ''))"
        else:
            continue
        warning = StrayTextWarning(
            f"column {name!r} is nominal, because {why}. Make it numeric, for example by {convert}, or declare its "
            f"kind to silence this warning: schema={{{name!r}: 'nominal'}}."
        )
        warning.column = name
        warn_caller(warning)


def _is_number(value: Any) -> bool:
    if isinstance(value, str) and _THOUSANDS.fullmatch(value):
        return True
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def suspicious_columns(table: Table, declared: Collection[int] = ()) -> dict[Name, Uninformative]:
    """Return the uninformative columns that may be a mistake: those with a name or of text, of undeclared kind."""
    schema = table.schema
    if (
        len(table) < _FEW_ROWS
        # Numeric columns without names are assumed to be measurements.
        or (schema.names is None and table.block is not None)
    ):
        return {}
    found = {}
    for name, why in uninformative_columns(table).items():
        a = schema.position(name)
        named = schema.names is not None or isinstance(schema.kinds[a], Nominal)
        if named and a not in declared and (why.left_out or why.reason == "repeat"):
            found[name] = why
    return found


def warn_uninformative(table: Table, declared: Collection[int] = (), *, drops: bool = False) -> None:
    """Warn about uninformative columns, except columns with a declared kind.

    ``drops``: whether the model does not use columns that identify rows, are constant or have no values.
    """
    if is_unwarned(UninformativeColumnWarning):
        return
    schema, found = table.schema, suspicious_columns(table, declared)
    dropped = {name: why for name, why in found.items() if drops and why.left_out}
    used = {name: why for name, why in found.items() if name not in dropped}
    sentences = []
    if dropped:
        columns, are = ("columns", "are") if len(dropped) > 1 else ("column", "is")
        sentences.append(f"{columns} {_with_reasons(dropped)} {are} not used by the model.")
    if used:
        columns, them, s = ("columns", "them", "") if len(used) > 1 else ("column", "it", "s")
        text = f"{columns} {_with_reasons(used)} probably add{s} no information, but the model uses {them}."
        sentences.append(text)
    if found:
        first = next(iter(found))
        them = "them" if len(found) > 1 else "it"
        kept = "keep it in the model" if dropped else "silence this warning without changing predictions"
        kind = type(schema.kinds[schema.position(first)]).__name__.lower()
        sentences.append(f"Drop {them}, or declare the kind to {kept}: schema={{{first!r}: {kind!r}}}.")
        warning = UninformativeColumnWarning(" ".join(sentences))
        warning.columns = tuple(found)
        warn_caller(warning)


def _with_reasons(columns: Mapping[Name, Uninformative]) -> str:
    return joined([f"{name!r} ({why})" for name, why in columns.items()])


def check_declared(estimator: Any) -> None:
    """Raise an error if ``categorical_features`` is set although the schema declares every column."""
    given = estimator.categorical_features
    if not isinstance(given, str) or given != "from_dtype":
        raise ParameterError(
            "categorical_features must be 'from_dtype' when schema= declares every column, got "
            f"{quoted(given)}. Omit categorical_features, or pass a mapping with only some columns as schema."
        )


def row_of(schema: Schema, values: Mapping[Name, Any]) -> list[Any]:
    """Convert a mapping from column names to values to one row, with missing values in all other columns."""
    row: list[Any] = [None] * len(schema)
    for a, value in zip(schema.positions(values, parameter="row"), values.values(), strict=True):
        row[a] = value
    return row


def read_queries(X: Any, instances: Instances) -> Table:
    """Read queries or additional rows with the schema of the stored rows; a mapping is read as a single row."""
    if isinstance(X, Mapping):
        X = [row_of(instances.schema, X)]
    table = instances.schema.read(X, known=instances.known)
    check_some(len(table), len(instances.schema))
    return table


def check_some(rows: int, columns: int) -> None:
    if rows == 0:  # wording of scikit-learn
        raise SchemaError(f"Found array with 0 sample(s) (shape={(0, columns)}) while a minimum of 1 is required.")


def record_features(estimator: Any, schema: Schema) -> None:
    """Set ``n_features_in_``, and ``feature_names_in_`` if all names are strings, as in scikit-learn."""
    estimator.n_features_in_ = len(schema)
    if schema.names is not None and all(isinstance(name, str) for name in schema.names):
        estimator.feature_names_in_ = np.array(schema.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
