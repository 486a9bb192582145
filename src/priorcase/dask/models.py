"""Fit models to Dask DataFrames, and predict the rows of Dask DataFrames; see `fit`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import dask
import dask.array
import dask.dataframe
import distributed
import joblib
import numpy as np
import pyarrow as pa
from dask.delayed import Delayed, delayed
from dask.sizeof import sizeof
from joblib._dask import DaskDistributedBackend
from sklearn.base import clone

from priorcase import evaluation, neighbors
from priorcase._parameters import check_value
from priorcase._typing import AnyArray, FloatArray, IdArray, Name
from priorcase.bayes.classifier import BayesClassifier
from priorcase.bayes.counted import check_unweighted
from priorcase.dask.neighbors import Answer, DistributedKNN, Found, encoded, fit_neighbors
from priorcase.dask.partitions import (
    Agreement,
    InFrame,
    Partition,
    Sketch,
    agree,
    check_aligned,
    joined,
    of_partition,
    sketch,
)
from priorcase.exceptions import NotAvailableError, ParameterError, ReadingError, TargetError, prefix_errors, quoted
from priorcase.learning.estimator import check_some
from priorcase.learning.state import pinned
from priorcase.neighbors import KNNClassifier, KNNClassifierCV, KNNRegressor, KNNRegressorCV, Tuning
from priorcase.neighbors.base import COUNT
from priorcase.schema import Nominal, Schema
from priorcase.schema.columns import ArrayColumn
from priorcase.schema.schema import inferred, open_source
from priorcase.stacking.stacked import Stacked

_MERGED_AT_ONCE = 8
_LEAST_BLOCK = 64
_ENTRIES = 1 << 19  # maximum number of neighbors for a block of queries
_LARGE = 1000  # an argument of at least this many bytes is sent only once


@prefix_errors
def fit(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Fit a model to a Dask DataFrame; the result is identical to a fit on ``X.compute()``.

    Parameters
    ----------
    model
        A `KNNClassifier` or `KNNRegressor`; a Bayes classifier (`NaiveBayes`, `SubsetAveragedBayes`,
        `TreeAveragedBayes`, ...); or a `StackedClassifier`, `StackedRegressor`, `KNNClassifierCV` or `KNNRegressorCV`
        (for these four, all rows are sent to the workers). The model is cloned.
    X
        A Dask DataFrame, whose partitions may be backed by Arrow. Rows are numbered in the order of the partitions.
    y, sample_weight
        Name of a column of ``X``, or a Dask Series with the same partitions as ``X``.

    Returns
    -------
    DistributedKNN
        For k-NN models; rows and indexes stay on the workers.
    model
        A fitted copy, for other models. Bayes classifiers are fitted to each partition and merged. The members of a
        stack, and the candidates of a `KNNClassifierCV` or `KNNRegressorCV`, are fitted in parallel.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd, priorcase as pc
    >>> import priorcase.dask
    >>> table = pd.DataFrame({"age": [31, 29, 62, None], "color": ["red", "red", "blue", "blue"],
    ...     "ill": ["no", "no", "yes", "yes"]})
    >>> model = pc.dask.fit(pc.KNNClassifier(3), dd.from_pandas(table, npartitions=2), "ill")
    >>> pc.dask.predict(model, pd.DataFrame({"age": [60], "color": ["blue"]})).tolist()
    ['yes']
    """
    partitions = _partitions(X, y, sample_weight)
    if isinstance(model, (KNNClassifier, KNNRegressor)):
        classes = isinstance(model, KNNClassifier)
        return fit_neighbors(model, _agreement(model, X, partitions, classes, y, sample_weight), partitions)
    if isinstance(model, BayesClassifier):
        return _fit_counts(model, _agreement(model, X, partitions, True, y, sample_weight), partitions)
    if isinstance(model, (Stacked, KNNClassifierCV, KNNRegressorCV)):
        table, *targets = _in_memory(X, y, sample_weight)
        with _workers():
            return clone(model).fit(table, *targets)
    raise ParameterError(
        "model must be a KNNClassifier, a KNNRegressor, a Bayes classifier such as NaiveBayes, or a stack of "
        f"learners, got {quoted(model)}. Fit other learners to X.compute()."
    )


def _partitions(X: Any, y: Any, sample_weight: Any) -> list[Delayed]:
    """Return one Dask task for each partition; the task creates a `Partition` of rows, targets and weights."""
    if not isinstance(X, dask.dataframe.DataFrame):
        raise ParameterError(
            f"X must be a Dask DataFrame, got {quoted(X)}. For example dask.dataframe.from_pandas(X, npartitions=8)."
        )
    frames, beside = X.to_delayed(), []
    for name, given in (("y", y), ("sample_weight", sample_weight)):
        if isinstance(given, dask.dataframe.Series):
            check_aligned(given.npartitions, name, len(frames))
            beside.append(given.to_delayed())
        elif given is None and name == "sample_weight":
            beside.append([None] * len(frames))
        elif np.isscalar(given) and given in list(X.columns):
            beside.append([InFrame(given)] * len(frames))
        else:
            raise ParameterError(
                f"{name} must be the name of a column of X, or a Dask Series with the same partitions as X, got "
                f"{quoted(given)}"
            )
    make = delayed(Partition, pure=False)
    return [make(i, *parts) for i, parts in enumerate(zip(frames, *beside, strict=True))]


def _agreement(
    model: Any, X: Any, partitions: Sequence[Delayed], classes: bool, y: Any, sample_weight: Any
) -> Agreement:
    """Determine the kinds of the columns and the codes of the values, which are the same for all partitions."""
    taken = [given for given in (y, sample_weight) if np.isscalar(given)]
    nominal = _nominal_numbers(model, X._meta.drop(columns=taken))
    return agree(model, _sketches(partitions, nominal, classes), classes)


def _sketches(partitions: Sequence[Delayed], nominal: frozenset[Name], classes: bool) -> list[Sketch]:
    """Return a `Sketch` (summary) of each partition, computed on the workers."""
    tell = delayed(sketch, pure=False)
    try:
        return list(dask.compute(*(tell(each, nominal, classes) for each in partitions)))
    except (pa.ArrowException, OSError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise ReadingError(
            f"the partitions of X could not be read: {reason}. Check for damaged or missing files."
        ) from error


def _nominal_numbers(model: Any, meta: Any) -> frozenset[Name]:
    """Return the names of the numeric columns that the parameters of the model declare as nominal."""
    source = open_source(meta)
    schema = model.schema
    if not isinstance(schema, Schema):
        schema = inferred(source, model.categorical_features, schema, parameter="schema")
    numbers = [source.label(a) for a, column in enumerate(source.columns) if isinstance(column, ArrayColumn)]
    kinds = {schema.label(a): kind for a, kind in enumerate(schema.kinds)}
    return frozenset(name for name in numbers if isinstance(kinds.get(name), Nominal))


# -- classifiers by counts


def _fit_counts(model: Any, agreement: Agreement, partitions: Sequence[Delayed]) -> Any:
    """Fit a Bayes classifier to each partition, and merge the fitted models in the order of the partitions."""
    reader = clone(model).set_params(schema=agreement.empty.schema, categorical_features="from_dtype")
    if model.keep_rows:
        found = _reduced(_learned, reader, partitions, "merge")
    else:
        found = _reduced(_gathered, reader, partitions, "_gathered_with")
        if (settled := found._settled()) is not None:  # the first pass learned cut points; now count the rows
            found = _reduced(_counted, settled, partitions, "merge")
    return found.set_params(schema=model.schema, categorical_features=model.categorical_features)


def _reduced(make: Any, model: Any, partitions: Sequence[Delayed], join: str) -> Any:
    """Call ``make`` on each partition, and join the resulting models with their method named ``join``."""
    learn, merge, shared = delayed(make, pure=False), delayed(_joined, pure=False), delayed(model, traverse=False)
    models = [learn(shared, each) for each in partitions]
    while len(models) > 1:
        groups = [models[i : i + _MERGED_AT_ONCE] for i in range(0, len(models), _MERGED_AT_ONCE)]
        models = [merge(group, join) for group in groups]
    (found,) = dask.compute(models[0])
    if found is None:
        raise TargetError("sample_weight is zero for every row; at least one row must have a positive weight")
    return found


def _learned(model: Any, partition: Partition) -> Any:
    """Fit a model to one partition; return None if the partition has no rows with a positive weight."""

    def learn(X: Any, y: Any, weights: Any) -> Any:
        if weights is not None and not weights.any():
            return None
        return clone(model).partial_fit(X, y, sample_weight=weights)

    return _of_rows(partition, learn)


def _gathered(model: Any, partition: Partition) -> Any:
    """Return a model after the first pass over one partition, or None if the partition has no rows."""
    return _of_rows(partition, model._gathered, weighted=False)


def _counted(model: Any, partition: Partition) -> Any:
    """Return a model after the second pass over one partition, or None if the partition has no rows."""
    return _of_rows(partition, model._counted, weighted=False)


def _of_rows(partition: Partition, learn: Any, *, weighted: bool = True) -> Any:
    with of_partition(partition.number):
        X, y, weights = partition.parts()
        if not weighted:
            check_unweighted(weights)
        return learn(X, y, weights) if len(X) else None


def _joined(models: Sequence[Any], join: str) -> Any:
    """Join models in order, without changing them, because Dask may run this task again."""
    models = [each for each in models if each is not None]
    if len(models) < 2:
        return models[0] if models else None
    first = models[0]
    found = pinned(first, {name: value for name, value in first.__dict__.items() if name != "_lock"})
    for each in models[1:]:
        getattr(found, join)(each)
    return found


# -- predictions


@prefix_errors
def predict(model: Any, X: Any) -> Any:
    """Predict the rows of a table with a model from `fit`, or with any fitted model.

    Returns a lazy Dask array if ``X`` is a Dask DataFrame, and a NumPy array if it is a table in memory.
    """
    return _answers(model, X, "predict")


@prefix_errors
def predict_proba(model: Any, X: Any) -> Any:
    """Predict the probability of each class; see `predict`."""
    if isinstance(model, DistributedKNN):
        _ = model.classes_
    return _answers(model, X, "predict_proba")


def _answers(model: Any, X: Any, what: Answer) -> Any:
    lazy = isinstance(X, dask.dataframe.DataFrame)
    if not isinstance(model, DistributedKNN):
        if not lazy:
            return getattr(model, what)(X)
        shared, ask = delayed(model, traverse=False), delayed(_asked, pure=False)
        tasks = [ask(shared, frame, what, i) for i, frame in enumerate(X.to_delayed())]
        return _as_array(tasks, model if what == "predict_proba" else None, _dtype(model, what))
    k = model.n_neighbors_
    if isinstance(model.model.n_neighbors, int):
        model.check_k(k)
    if lazy:
        tasks = [model.answers(what, model.queries(frame), k, k, turn=i) for i, frame in enumerate(X.to_delayed())]
        return _as_array(tasks, model if what == "predict_proba" else None, _dtype(model, what))
    found = [model.answers(what, part, k, k, first=i, turn=turn) for turn, i, part in _blocks(model, X, k)]
    return np.concatenate(dask.compute(*found))


def _asked(model: Any, frame: Any, what: str, number: int) -> AnyArray:
    with of_partition(number):
        if not len(frame):
            width = () if what == "predict" else (len(model.classes_),)
            return np.empty((0, *width), _dtype(model, what))
        return getattr(model, what)(frame)  # type: ignore[no-any-return]


def _dtype(model: Any, what: str) -> Any:
    classes = getattr(model, "classes_", None) if what == "predict" else None
    return np.dtype(np.float64) if classes is None else classes.dtype


def _as_array(tasks: Sequence[Delayed], classes: Any, dtype: Any) -> Any:
    """Return a Dask array of predictions with one chunk per task; for probabilities, ``classes`` is the model."""
    shape = (np.nan,) if classes is None else (np.nan, len(classes.classes_))
    return dask.array.concatenate([dask.array.from_delayed(task, shape, dtype) for task in tasks])


def _blocks(model: DistributedKNN, X: Any, k: int) -> list[tuple[int, int, Delayed]]:
    """Split queries into blocks to limit memory; return the number, first position and queries of each block."""
    queries = encoded(model._empty, X)
    n = len(queries.cells)
    check_some(n, len(model.schema_))
    # More than one block, so that the blocks can search the partitions in different orders.
    size = max(1, min(_ENTRIES // max(k, 1), max(-(-n // 2), _LEAST_BLOCK)))
    blocks = [replace(queries, cells=queries.cells[i : i + size]) for i in range(0, n, size)]
    return [(turn, turn * size, delayed(block, traverse=False)) for turn, block in enumerate(blocks)]


@prefix_errors
def kneighbors(
    model: DistributedKNN, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
) -> Any:
    """Find the nearest rows of each query; return distances and ids, each of shape (queries, n_neighbors).

    Ids are positions in the concatenated partitions. Without ``X``, the stored rows are the queries, and a row is not
    its own neighbor. See `predict` for the type of the result.
    """
    if not isinstance(model, DistributedKNN):
        raise ParameterError(f"model must be a k-NN model from priorcase.dask.fit, got {quoted(model)}")
    k = model.n_neighbors_ if n_neighbors is None else n_neighbors
    check_value("n_neighbors", k, [COUNT])
    if n_neighbors is None and not isinstance(model.model.n_neighbors, int):
        k = min(k, model.n_samples_fit_)
    model.check_k(int(k), own=X is None, weights=False)
    shape = delayed(_rectangular, pure=False)
    if X is not None and not isinstance(X, dask.dataframe.DataFrame):
        blocks, near = _blocks(model, X, k), partial(model.near, k=k, ties=False, weighted=False)
        tasks = [shape(near(part, turn=turn), k, i) for turn, i, part in blocks]
        distances, ids = (np.concatenate(parts) for parts in zip(*dask.compute(*tasks), strict=True))
        return (distances, ids) if return_distance else ids
    if X is None:
        asked = [delayed(_stored_queries, pure=False)(part) for part in model.parts]
    else:
        asked = [model.queries(frame) for frame in X.to_delayed()]
    tasks = [shape(model.near(part, k, ties=False, weighted=False, turn=i), k) for i, part in enumerate(asked)]
    pairs = [
        [dask.array.from_delayed(task[i], (np.nan, k), dtype) for task in tasks] for i, dtype in enumerate((float, int))
    ]
    distances, ids = (dask.array.concatenate(parts) for parts in pairs)
    return (distances, ids) if return_distance else ids


def _stored_queries(part: Any) -> Any:
    return part.as_queries()


def _rectangular(found: Found, k: int, first: int = 0) -> tuple[FloatArray, IdArray]:
    found.refuse_overflow(np.repeat(np.arange(len(found.indptr) - 1), np.diff(found.indptr)), first=first)
    return found.distances.reshape(-1, k), found.ids.reshape(-1, k)


@prefix_errors
def loo_predict_proba(model: Any) -> Any:
    """Predict the class probabilities of each stored row from all other rows.

    Returns a Dask array for a k-NN model, and a NumPy array for other models.
    """
    if not isinstance(model, DistributedKNN):
        if not hasattr(model, "loo_predict_proba"):
            raise NotAvailableError(
                f"{type(model).__name__} has no loo_predict_proba. Only classifiers have this method."
            )
        return model.loo_predict_proba()
    _ = model.classes_
    return _as_array(model.left_out("predict_proba"), model, np.dtype(np.float64))


# -- comparisons


@prefix_errors
def compare(learners: Any, X: Any, y: Any, **options: Any) -> evaluation.Comparison:
    """Compare learners on a Dask DataFrame, with the splits distributed over the workers.

    The options and the result are the same as for `priorcase.evaluation.compare` on ``X.compute()``. All rows are sent
    to every worker. ``y`` is a column name or a Dask Series.
    """
    table, targets, _ = _in_memory(X, y)
    with _workers():
        return evaluation.compare(learners, table, targets, **{"n_jobs": -1, **options})


@prefix_errors
def tune(estimator: Any, X: Any, y: Any, *, sample_weight: Any = None, **options: Any) -> Tuning:
    """Select the parameters of a k-NN model, with candidates and folds distributed over the workers.

    The options and the result are the same as for `priorcase.tune` on ``X.compute()``. For a `KNNClassifierCV` or
    `KNNRegressorCV`, ``tuning_`` is returned. ``y`` and ``sample_weight`` are column names or Dask Series.
    """
    table, targets, weights = _in_memory(X, y, sample_weight)
    options["sample_weight"] = weights
    with _workers():
        if isinstance(estimator, (KNNClassifierCV, KNNRegressorCV)):
            tuned: Tuning = clone(estimator).fit(table, targets, **options).tuning_
            return tuned
        return neighbors.tune(estimator, table, targets, **options)


def _workers() -> Any:
    """Return a context in which joblib uses the workers of the current Dask client, or threads without a client."""
    try:
        distributed.get_client()
    except ValueError:
        return joblib.parallel_config(backend="threading")
    return joblib.parallel_config(backend=_Workers())


class _Workers(DaskDistributedBackend):
    """joblib's backend for Dask, which sends large arguments as tasks instead of scattering them."""

    # A scattered argument is lost if its worker dies, and calls then fail or wait forever. Dask runs a lost task again.
    async def _to_func_args(self, func: Any) -> tuple[Any, list[Any]]:
        tasks = [
            (call, [self._task(arg) for arg in args], {name: self._task(arg) for name, arg in options.items()})
            for call, args, options in func.items
        ]
        return _called, tasks

    def _task(self, arg: Any) -> Any:
        if sizeof(arg) < _LARGE:
            return arg
        if id(arg) not in self.data_futures:
            self._scatter.append(arg)  # keeps the object, so that its id stays unique
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):
                self.data_futures[id(arg)] = self.client.submit(_same, arg, pure=False)
        return self.data_futures[id(arg)]


def _same(arg: Any) -> Any:
    return arg


def _called(tasks: list[Any]) -> list[Any]:
    with joblib.parallel_config(backend="threading", n_jobs=1):  # only the calls themselves are distributed
        return [call(*args, **options) for call, args, options in tasks]


def _in_memory(X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, Any, Any]:
    """Load all rows, targets and weights into memory, after checking that all partitions have the same columns."""
    joined(_sketches(_partitions(X, y, sample_weight), frozenset(), False))
    table, *beside = dask.compute(X, y, sample_weight)
    names = [given for given in beside if np.isscalar(given)]
    targets, weights = (table[given] if np.isscalar(given) else given for given in beside)
    return table.drop(columns=names), targets, weights
