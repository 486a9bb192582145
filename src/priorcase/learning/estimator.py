"""An estimator that stores rows: they can be added at once and forgotten exactly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from priorcase._typing import AnyArray, FloatArray, IdArray, Name
from priorcase._validation import read_queries, record_features
from priorcase.exceptions import SampleWeightError, TargetError, TooFewRowsError
from priorcase.instances.instances import check_weights
from priorcase.learning import parameters
from priorcase.learning.frames import Backend, backend_of
from priorcase.learning.memory import Memory
from priorcase.learning.state import changes, reads
from priorcase.learning.training import training_table
from priorcase.schema import Kind, Schema, Table

SchemaLike = Schema | Mapping[Name, Kind] | None


class RowsEstimator(BaseEstimator, ABC):
    """Base of the estimators that keep their rows.

    Subclasses say what their targets are by `_read_targets`, and what they keep beside the rows by `_new_memory`.
    """

    categorical_features: Any
    schema: Any
    n_jobs: int | None
    _memory: Memory
    _backend: Backend | None

    @property
    @reads
    def ids_(self) -> IdArray:
        """Ids of the stored rows, ascending; row positions after a fresh fit."""
        return self._stored().ids

    @property
    @reads
    def n_samples_fit_(self) -> int:
        """Number of stored rows."""
        return len(self._stored())

    @property
    @reads
    def schema_(self) -> Schema:
        """What the columns mean."""
        return self._stored().instances.schema

    @reads
    def digest(self) -> str:
        """A fingerprint of the stored rows, targets and weights in id order.

        It does not depend on how the rows came: after `forget` it is that of a fit that never saw the forgotten rows.
        """
        return self._stored().instances.digest()

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in super().__getstate__().items() if name != "_lock"}
        if "_memory" in state:
            state["_memory"] = state["_memory"].detached()
        return state

    def __sklearn_is_fitted__(self) -> bool:
        return "_memory" in self.__dict__

    @changes
    def forget(self, ids: ArrayLike) -> Self:
        """Forget rows, exactly as if they had never been seen.

        Parameters
        ----------
        ids
            Ids of stored rows, such as some of `ids_`. An unknown or repeated id is an error and nothing is forgotten.
        """
        memory = self._stored()
        self._check_forgetting(ids)
        memory.forget(ids)
        return self

    # -- for subclasses

    @abstractmethod
    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray] | None:
        """Schema and 2-D values of the targets; None when there are none. Remembers what the targets came as."""

    @abstractmethod
    def _new_memory(self, schema: Schema, targets: Schema | None) -> Memory:
        """An empty memory for rows and targets of some kinds."""

    def _check_parameters(self) -> None:
        """Refuse parameters that break their rules, before anything is read."""
        parameters.check_n_jobs(self.n_jobs)
        parameters.check_schema(self.schema)

    def _first_table(self, table: Table) -> Table:
        """The first rows, whose schema may be made more precise."""
        return table

    def _check_table(self, table: Table, first: bool) -> None:
        """Refuse rows to store that the parameters do not go with."""

    def _check_rows(self) -> None:
        """Refuse rows just stored that the parameters do not go with."""

    def _check_forgetting(self, ids: ArrayLike) -> None:
        """Refuse to forget rows that the parameters cannot go without."""

    def _finish_fit(self) -> None:
        """Do at fit what would otherwise wait for the first query."""

    def _threads(self) -> int:
        """Threads to use; ``n_jobs`` may have been changed since it was fitted."""
        return parameters.thread_count(self._check_n_jobs())

    def _check_n_jobs(self) -> int | None:
        return self.n_jobs if self.n_jobs is None else parameters.check_n_jobs(self.n_jobs)

    def _stored(self) -> Memory:
        if "_memory" not in self.__dict__:
            check_is_fitted(self)
        return self._memory

    def _table(self, X: Any) -> Table:
        return read_queries(self, X, self._stored().instances)

    def _answering(self) -> Memory:
        """The stored rows, of which there must be some."""
        memory = self._stored()
        if not len(memory):
            raise TooFewRowsError.nothing_stored()
        return memory

    def _cells(self, X: Any) -> FloatArray:
        """Queries as cells."""
        return self._answering().instances.encode(self._table(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    @changes
    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self.__dict__.pop("_memory", None)
        self._learn(X, y, sample_weight, None, "fit")
        self._finish_fit()
        return self

    @changes
    def _partial_fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Self:
        self._learn(X, y, sample_weight, classes, "partial_fit")
        return self

    def _learn(self, X: Any, y: Any, sample_weight: Any, classes: Any, method: str) -> None:
        table, targets, weights = self._arrivals(X, y, sample_weight, classes)
        self._memory.append(table, targets, weights)
        self._check_rows()

    def _arrivals(
        self, X: Any, y: Any, sample_weight: Any, classes: Any
    ) -> tuple[Table, Table | None, FloatArray | None]:
        """Rows, targets and weights, read and checked, and a memory to store them in."""
        first = "_memory" not in self.__dict__
        if first:
            self._check_parameters()
        table = self._training_table(X) if first else self._table(X)
        if first:
            self._backend = backend_of(X)
        targets = self._read_targets(y, classes, first)
        if targets is not None and len(targets[1]) != len(table):
            raise TargetError.length("y", len(targets[1]), len(table))
        self._check_table(table, first)
        weights = check_weights(sample_weight, len(table), parameter="sample_weight")
        if weights is not None and not weights.any():
            raise SampleWeightError.wrong("that is zero for every row")
        if first:
            self._memory = self._new_memory(table.schema, None if targets is None else targets[0])
            record_features(self, table.schema)
        read = None if targets is None else targets[0].read(targets[1])
        return table, read, weights

    def _training_table(self, X: Any) -> Table:
        """The first rows, which settle what the columns mean unless ``schema`` does."""
        table = training_table(self, X)
        return table if isinstance(self.schema, Schema) else self._first_table(table)
