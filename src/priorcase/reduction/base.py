"""Base classes of the reducers, which select the rows of a table to keep."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase import saving
from priorcase._core import Plan
from priorcase._parameters import check_parameters, check_value
from priorcase._typing import AnyArray, FloatArray, IdArray
from priorcase.exceptions import ParameterError, TargetError, TooFewRowsError, prefix_errors
from priorcase.instances import Instances
from priorcase.learning.diagram import html_inner, mimebundle
from priorcase.learning.estimator import EstimatorMeta, SchemaLike, record_features, thread_count, training_table
from priorcase.learning.resampling import blocks, taken_rows
from priorcase.learning.state import changes
from priorcase.learning.targets import as_array, check_length, has_fractions, read_labels, read_numbers
from priorcase.neighbors.base import NeighborsMemory, check_tabled, resolve_weights, with_tabled_values
from priorcase.relevance.base import LearnedWeights
from priorcase.schema import CategoricalFeatures, Nominal, Numeric, Schema
from priorcase.similarity import resolve
from priorcase.similarity.presets import DistanceLike

VoteTies: TypeAlias = Literal["first", "nearest"]
TargetSort: TypeAlias = Literal["auto", "classes", "numbers"]

TARGETS: dict[str, list[Any]] = {
    "target": [StrOptions({"auto", "classes", "numbers"})],
    "alpha": [Interval(Real, 0, None, closed="neither")],
}
"""Parameter constraints of the reducers that accept both classes and numbers as targets."""

ALPHA = 5.0
"""Default tolerance for numeric targets in standard deviations (Kordos & Blachnik 2012)."""

ROWS_AT_ONCE = 4_096
"""Number of rows processed at a time, so that their neighbors need little memory."""

_FITTED = ("sample_indices_", "n_iter_", "classes_", "n_features_in_", "feature_names_in_", "_schema")
"""Fitted attributes."""


@runtime_checkable
class Resampler(Protocol):
    """Protocol for custom reducers, as in imbalanced-learn.

    Derive from scikit-learn's ``BaseEstimator`` to let `reduction_curve` vary parameters. Select the rows to keep with
    ``X[at]``, or ``X.iloc[at]`` for a pandas frame, so that their type does not change.

    >>> from priorcase.reduction import ENN
    >>> isinstance(ENN(), Resampler)
    True
    """

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return the rows to keep (at least one) and their targets."""
        ...


@dataclass(eq=False, repr=False, kw_only=True)
class Reducer(BaseEstimator, metaclass=EstimatorMeta):
    """Base class of the reducers, with their common parameters; subclasses choose the rows to keep in `_keep`."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    _for_classes: ClassVar[dict[str, Any]] = {}
    """Parameters that have no effect on numeric targets, with their defaults; empty if only classes are accepted."""

    distance: DistanceLike = "robust"
    attribute_weights: Any = None
    categorical_features: CategoricalFeatures = "from_dtype"
    schema: SchemaLike = None
    n_jobs: int | None = None

    @changes
    def fit(self, X: Any, y: Any) -> Self:
        """Select the rows to keep (``sample_indices_``)."""
        check_parameters(self)
        check_value("schema", self.schema, [None, Schema, Mapping])
        threads = thread_count(self.n_jobs)
        rows = read_rows(self, X, y, sort=getattr(self, "target", "classes"), threads=threads)
        k = getattr(self, "n_neighbors", 0)
        if k >= len(rows):
            raise TooFewRowsError(
                f"Expected n_neighbors < n_samples, but n_neighbors = {k}, n_samples = {len(rows)}. A row is not "
                "its own neighbor. Use a smaller n_neighbors, or pass more rows."
            )
        if self._for_classes:
            idle, sort = (self._for_classes, "numbers") if rows.classes is None else ({"alpha": ALPHA}, "classes")
            for name, default in idle.items():
                if (value := getattr(self, name)) != default:
                    raise ParameterError(f"{name} has no effect if y contains {sort}, got {value!r}; use the default")
        self.sample_indices_ = self._keep(rows)
        self._schema = rows.memory.instances.schema
        record_features(self, self._schema)
        self.__dict__.pop("classes_", None)
        if rows.classes is not None:
            self.classes_ = rows.classes
        return self

    @changes
    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return the rows kept and their targets, in the order and types of ``X`` and ``y``, as in imbalanced-learn."""
        self.fit(X, y)
        return taken_rows(X, self.sample_indices_), taken_rows(y, self.sample_indices_)

    @prefix_errors
    def save(self, path: str | os.PathLike[str]) -> Path:
        """Save the reducer to a file that `priorcase.load` reads; return the path."""
        return saving.save(self, path)

    def _saved_state(self) -> dict[str, Any] | None:
        return {name: self.__dict__[name] for name in _FITTED if name in self.__dict__} or None

    def _restore_state(self, state: dict[str, Any]) -> None:
        kept = saving.checked(state["sample_indices_"], np.int64, (None,), least=0)
        numbers = [state["n_features_in_"], state.get("n_iter_", 0)]
        names, classes = state.get("feature_names_in_"), state.get("classes_")
        if not state.keys() <= {*_FITTED} or (np.diff(kept) <= 0).any() or {*map(type, numbers)} != {int}:
            raise ValueError("the state of the reducer is invalid")
        if names is not None and (names.shape != (numbers[0],) or not all(isinstance(name, str) for name in names)):
            raise ValueError("the names of the columns are invalid")
        if classes is not None and (classes.ndim != 1 or not classes.size):
            raise ValueError("the classes of the reducer are invalid")
        if len(saving.checked_schema(state["_schema"])) != numbers[0]:
            raise ValueError("the schema belongs to other columns")
        self.__dict__.update(state)

    _repr_html_inner, _repr_mimebundle_ = html_inner, mimebundle

    def _diagram_rows(self) -> Instances | None:
        return Instances(self._schema) if "_schema" in self.__dict__ else None

    @abstractmethod
    def _keep(self, rows: Rows) -> IdArray:
        """Return the positions of the rows to keep, in ascending order."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


@dataclass(eq=False, repr=False)
class VotingReducer(Reducer):
    """Base class of the reducers that use votes of nearest neighbors."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "ties": [StrOptions({"first", "nearest"})],
    }

    n_neighbors: int = 3
    ties: VoteTies = field(default="first", kw_only=True)


@dataclass(frozen=True, eq=False)
class Rows:
    """The table that a reducer reduces: its rows, their targets, and the distance fitted to all rows."""

    memory: NeighborsMemory
    numbers: FloatArray | None  # the targets; None for classes
    classes: AnyArray | None
    codes: IdArray  # positions of the targets in ``classes``; empty for numbers
    threads: int
    owner: str  # for the progress bar

    def __len__(self) -> int:
        return len(self.memory)

    def arguments(self, at: IdArray) -> tuple[Plan, NDArray[np.uint8], FloatArray, FloatArray]:
        """Return the arguments that every reducer in the compiled core needs for the rows ``at``.

        These are the plan of the distance, a mask of the coded columns, the values of the rows as numbers, and the
        attribute weights.
        """
        plan, coded, cells = self.memory.training_data().core_arguments(at)
        weights = self.memory.attribute_weights
        return plan, coded, cells, np.ones(cells.shape[1]) if weights is None else np.ascontiguousarray(weights)

    def blocks(self, n: int, size: int | None = None) -> Iterator[slice]:
        """Yield slices that divide ``n`` rows into blocks, and advance the progress bar after each block.

        ``size`` is the number of rows per block; by default, there are at most 100 blocks.
        """
        return blocks(n, text=self.owner, size=size or max(1_000, -(-n // 100)))


def read_rows(reducer: Any, X: Any, y: Any, *, sort: TargetSort, threads: int) -> Rows:
    """Read the rows and targets that a reducer reduces; ``sort`` is the type of the targets."""
    distance = resolve(reducer.distance)
    table = with_tabled_values(training_table(reducer, X), distance, reducer.schema)
    targets, classes, codes = _read_targets(y, sort)
    check_length(len(targets), len(table))
    check_tabled(table, distance)
    target = Schema(None, (Numeric() if classes is None else Nominal(),))
    instances = Instances(table.schema, target)
    given = reducer.attribute_weights
    weights = None if given is None else resolve_weights(given, instances, threads=threads)
    if isinstance(weights, LearnedWeights) and weights.weighting.local:
        raise ParameterError("attribute_weights must be the same for all rows. Choose local=False.")
    memory = NeighborsMemory(instances, distance, attribute_weights=weights, algorithm="auto")
    memory.append(table, target.read(targets), None)
    memory.check()
    numbers = np.ascontiguousarray(targets[:, 0], dtype=np.float64) if classes is None else None
    rows = Rows(memory, numbers, classes, codes, threads, type(reducer).__name__)
    _, coded, cells, factors = rows.arguments(np.arange(len(rows)))
    ends = np.stack([np.fmin.reduce(cells), np.fmax.reduce(cells)])
    ends[:, coded.astype(bool)] = np.nan
    if not np.isnan(ends).all() and not distance.whole:
        # Raises an error for numbers so far apart that their distance overflows.
        memory.fitted.check_finite(memory.fitted.costs(ends[0], ends[1:], factors), ends[:1], ends[1:], factors)
    return rows


def _read_targets(y: Any, sort: TargetSort) -> tuple[AnyArray, AnyArray | None, IdArray]:
    """Return the targets, shape (rows, 1), the classes (None for numbers), and the class code of each target."""
    numbers = sort == "numbers" or (sort == "auto" and has_fractions(as_array(y)))
    targets: AnyArray = read_numbers(y)[0] if numbers else read_labels(y).values
    check_one_target(targets.shape[1])
    if numbers:
        with np.errstate(over="ignore"):
            # Up to one squared difference per row is summed.
            largest = np.square(np.abs(targets).max() * 2.0) * len(targets)
        if not np.isfinite(largest):
            raise TargetError("Input y contains infinity or a value too large to be squared in float64. Rescale y.")
        return targets, None, np.empty(0, np.int64)
    classes, codes = np.unique(targets[:, 0], return_inverse=True)
    if len(classes) < 2:
        raise TargetError(
            f"The target 'y' needs to have more than 1 class. Got 1 class instead: {classes.tolist()[0]!r}"
        )
    return targets, classes, codes.astype(np.int64)


def check_one_target(n: int) -> None:
    if n > 1:
        raise TargetError(f"y has {n} columns; expected one target for each row. Pass one target at a time.")


def by_class(labels: IdArray, at: IdArray) -> IdArray:
    """Return the rows ``at`` ordered by class, which speeds up the search for the nearest row of another class."""
    return at[np.argsort(labels[at], kind="stable")]
