"""Base class of the Bayes classifiers: fitting, updates, predictions and leave-one-out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, clone
from sklearn.utils._param_validation import StrOptions

from priorcase._parameters import check_parameters, is_list
from priorcase._typing import AnyArray, FloatArray, IdArray, Name
from priorcase.batches import Labeled, coded_column, labeled_batches
from priorcase.bayes.additive import Scale
from priorcase.bayes.counted import CountedMemory, CountedRows
from priorcase.bayes.discretize import CutPoints
from priorcase.bayes.memory import BayesMemory, Statistics
from priorcase.bayes.numeric import DEFAULT, DENSITIES, Numeric, resolve_numeric
from priorcase.bayes.parts import ARCS
from priorcase.bayes.priors import Auto, Dirichlet, PerAttribute, Prior, resolve_prior
from priorcase.bayes.words import Words
from priorcase.exceptions import (
    NotAvailableError,
    ParameterError,
    ReadingError,
    SchemaMismatchError,
    TargetError,
    UninformativeColumnWarning,
    listed,
    prefix_errors,
    quoted,
    unwarned,
)
from priorcase.instances import Instances
from priorcase.instances.instances import count_codes
from priorcase.learning.estimator import RowsEstimator, target_table
from priorcase.learning.resampling import needs_refits, refits, stored_table
from priorcase.learning.state import changes, pinned, reads
from priorcase.learning.targets import Labeling, Labels, check_length, learned_labels, read_labels
from priorcase.schema import Circular, Coded, Date, Schema, Set, Table, Text
from priorcase.schema import Numeric as NumericKind


class BayesClassifier(ClassifierMixin, RowsEstimator[BayesMemory]):
    """Base class of the classifiers that predict from counts; subclasses implement `_scores` and `_left_out`."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "missing": [StrOptions({"ignore", "value"})],
        "keep_rows": ["boolean"],
    }

    prior: Any
    class_prior: Any
    numeric: Any
    missing: Any
    keep_rows: bool
    _missing_apart = False
    """Whether missing values, if counted, are counted in every part of a date or set, not only in the first part."""
    _counts_pairs = False
    """Whether the classifier counts pairs of values."""
    _default_prior: ClassVar[Prior | None] = None
    _labeling: Labeling
    _prior: Prior | Auto
    _class_prior: Any

    # -- fitted attributes

    @property
    @reads
    def classes_(self) -> AnyArray:
        """Classes in ascending order."""
        return self._labels()

    @property
    @reads
    def class_count_(self) -> FloatArray:
        """Number of rows of each class, weighted by the sample weights."""
        return self._statistics().class_counts.copy()

    @property
    @reads
    def cut_points_(self) -> dict[Any, FloatArray]:
        """Cut points of each binned numeric column, by name."""
        discrete, schema = self._statistics().discrete, self._attributes().instances.schema
        pairs = zip(discrete.attributes, discrete.cuts, strict=True)
        return {schema.label(a): cuts.copy() for a, cuts in pairs if cuts is not None}

    @property
    @reads
    def relearns_(self) -> bool:
        """Whether ``relearn=True`` needs one fit per row, because cut points, parts or the prior are learned."""
        self._stored()
        return self._chooses()

    # -- learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to rows or to batches of rows; see `KNNClassifier.fit` and `priorcase.batches`."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows; ``classes`` declares all classes, including those without rows yet."""
        return self._partial_fit(X, y, sample_weight, classes)

    @changes
    def forget_rows(self, X: Any, y: Any) -> Self:
        """Forget rows with these values (``keep_rows=False``); raise an error if learned cut points would remain."""
        memory = self._stored()
        if not isinstance(memory, CountedMemory):
            raise NotAvailableError("the rows are stored with ids; use forget(ids) with ids from ids_")
        instances, targets = memory.instances, memory.instances.targets
        before, classes = instances.target_counts(), instances.target_values()
        assert targets is not None  # a classifier always has targets
        for rows, given in self._batches(X, y, None):
            table, (labels, coded) = self._table(rows), _read_labels(given)
            self._labeling.check_sort(labels)
            check_length(len(labels.values) if coded is None else len(coded), len(table))
            memory.forget_rows(table, target_table(targets, labels.values if coded is None else coded))
        self._check_left(before, memory.instances.target_counts()[: before.size], classes)
        if len(memory):
            self._check_rows()
        return self

    @prefix_errors
    def merge(self, other: Self) -> Self:
        """Add the rows of another fitted model of the same class, with the same columns; added rows get new ids."""
        if type(other) is not type(self) or other is self:
            raise ParameterError(f"other must be another fitted {type(self).__name__}, got {quoted(other)}")
        other = pinned(other)
        if isinstance(memory := other._stored(), CountedMemory):
            return self._merge_counts(memory, other._labeling)
        return self._merge(*other._rows())

    @changes
    def _merge_counts(self, other: CountedMemory, labeling: Labeling, *, first: bool = False) -> Self:
        memory = self._stored()
        if not isinstance(memory, CountedMemory):
            raise NotAvailableError(
                "the other model stores counts only (keep_rows=False), but this model stores rows. Call "
                "other.merge(model), or fit both models with the same keep_rows."
            )
        order = _column_order(other.instances.schema, memory.instances.schema)
        if len(other):
            labels, codes = labeling.labels(other.instances)
            self._read_targets(labels[codes >= 0], None, False)
            memory.absorb(other.tally(order))
            if first:
                memory.gather()
            else:
                self._bound()
            self._check_rows()
        return self

    @changes
    def _merge(self, table: Table, labels: AnyArray, weights: FloatArray | None) -> Self:
        table = _ordered(table, self._stored().instances.schema)
        if len(table):
            targets, values = self._read_targets(labels, None, False)
            self._memory.append(table, targets.read(values), weights)
            self._check_rows()
        return self

    # -- predictions

    @reads
    def predict(self, X: Any) -> AnyArray:
        """Predict the most probable class of each row; ties go to the first class in ``classes_``."""
        scores = self._ask(X, Scale.JOINT)
        chosen: AnyArray = self._labels()[np.argmax(scores, axis=1)]
        return chosen

    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """Predict the probability of each class in ``classes_`` for each row."""
        return self._ask(X, Scale.PROBABILITY)

    @reads
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Predict the log-probability of each class; the result is accurate even if `predict_proba` underflows."""
        return self._ask(X, Scale.LOG_PROBABILITY)

    @reads
    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """Return the joint log-probability of each row and class (with ``predictive="sc"``, up to a constant)."""
        return self._ask(X, Scale.JOINT)

    @reads
    def loo_predict_proba(self, *, relearn: bool = False) -> FloatArray:
        """Predict each row from the others; learned bins, parts and priors use all rows unless ``relearn`` is true."""
        return self._leave_one_out(relearn, Scale.PROBABILITY)

    @reads
    def loo_predict_log_proba(self, *, relearn: bool = False) -> FloatArray:
        """Predict the leave-one-out log-probabilities; see `loo_predict_proba`."""
        return self._leave_one_out(relearn, Scale.LOG_PROBABILITY)

    # -- for subclasses

    @abstractmethod
    def _left_out(self, scale: Scale) -> FloatArray:
        """Return the leave-one-out class probabilities, or their logs, without relearning cut points or the prior."""

    def _chooses(self) -> bool:
        """Return whether cut points, the parts of sets and dates, or the prior are learned from the rows."""
        memory = self._stored()
        if any(isinstance(kind, Set) or kind == Date() for kind in memory.instances.schema.kinds):
            return True
        cuts = (strategy for strategy in memory.numeric if hasattr(strategy, "cuts"))
        return isinstance(self._prior, Auto) or any(not isinstance(strategy, CutPoints) for strategy in cuts)

    def _refit_differs(self) -> bool:
        return self._chooses()

    @abstractmethod
    def _scores(self, table: Table, scale: Scale, *, threads: int) -> FloatArray:
        """Return the scores of the classes for each query, shape (queries, classes)."""

    def _ask(self, X: Any, scale: Scale) -> FloatArray:
        self._answering()
        return self._scores(self._table(X), scale, threads=self._threads())

    def _leave_one_out(self, relearn: object, scale: Scale) -> FloatArray:
        if not needs_refits(self, relearn):
            return self._left_out(scale)
        found = np.empty((len(self._stored()), self._labels().size))
        for row, model, query in refits(self):
            found[row] = model._scores(query, scale, threads=1)[0]
        return found

    # -- counts without rows

    def _learn(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> None:
        if first := "_memory" not in self.__dict__:
            self._check_parameters()
        counted = not self.keep_rows if first else isinstance(self._memory, CountedMemory)
        if not counted:
            super()._learn(X, y, sample_weight, classes)
            return
        batches = self._batches(X, y, sample_weight)
        self._count(batches, classes, first=first)
        memory = cast(CountedMemory, self._memory)
        if first and memory.unsettled:
            rows = len(memory)
            self._memory = memory.settled(self._labeling.labels(memory.instances)[1])
            self._count(batches, None, first=False)
            if len(self._memory) != rows:
                raise ReadingError(
                    f"{batches.source} had {rows:,} rows in the first pass and {len(self._memory):,} in the second; "
                    "the model is unchanged. Do not modify the source during fit."
                )
        self._check_rows()

    def _batches(self, X: Any, y: Any, sample_weight: Any) -> Labeled:
        """Return rows and labels in batches; a table in memory is a single batch."""
        found = labeled_batches(X, y)
        if sample_weight is not None and found is not None:
            raise ParameterError(
                f"sample_weight must be None if y is a column of {found.source}. Omit sample_weight, or load the table "
                "into memory."
            )
        return Rows(X, y, sample_weight) if found is None else found

    def _count(self, batches: Labeled, classes: Any, *, first: bool) -> None:
        sample_weight = getattr(batches, "weights", None)
        for X, y in batches:
            if "_memory" in self.__dict__:
                memory = cast(CountedMemory, self._memory)
                if memory.append_again(X, y):
                    continue
                memory.flush()
            with unwarned(*(() if isinstance(batches, Rows) else (UninformativeColumnWarning,))):
                self._store(X, y, sample_weight, classes)
            memory = cast(CountedMemory, self._memory)
            if type(y).__module__.startswith("pyarrow") and self._labeling.declared is None and classes is None:
                memory.expect_again(X, y)
            if first:
                memory.gather()
            if memory.unsettled and not batches.again:
                named = listed([memory.instances.schema.label(a) for a in memory.unsettled])
                raise NotAvailableError(
                    f"learning the cut points of {named} takes a second pass over the rows, but "
                    f"{batches.source} can be read only once. Pass a dataset, a path or a list of batches, or give cut "
                    "points: numeric={...: CutPoints((18, 65))}."
                )
        memory = cast(CountedMemory, self._memory)
        memory.flush()
        if first:
            memory.gather()
        else:
            self._bound()

    # Fit in parts: `_gathered` counts each part, and `_gathered_with` joins the counts. If `_settled` then returns a
    # model, its `_counted` counts each part again, with cut points learned from all parts, and the results are merged.

    def _gathered(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Return a copy of this estimator after a first pass over the rows; the cut points are not final."""
        found: Self = clone(self)
        found._check_parameters()
        found._count(found._batches(X, y, sample_weight), None, first=True)
        return found

    def _gathered_with(self, other: Self) -> Self:
        """Add the counts of another copy, which made a first pass over other rows."""
        return self._merge_counts(cast(CountedMemory, other._memory), other._labeling, first=True)

    def _settled(self) -> Self | None:
        """Return a copy with final cut points and no rows, for the second pass; None if no second pass is needed."""
        memory = cast(CountedMemory, self._memory)
        if not memory.unsettled:
            return None
        codes = self._labeling.labels(memory.instances)[1]
        return pinned(self, self.__dict__ | {"_memory": memory.settled(codes)})

    def _counted(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Return a copy of this estimator after a second pass over the rows."""
        found = pinned(self, {name: value for name, value in self.__dict__.items() if name != "_lock"})
        found._memory = self._memory.fork()
        found._count(found._batches(X, y, sample_weight), None, first=False)
        return found

    def _bound(self) -> None:
        """Learn final cut points for columns with too many distinct numbers, from a sample of these numbers."""
        memory = cast(CountedMemory, self._memory)
        memory.bound(self._labeling.labels(memory.instances)[1])

    def _target_column(self, column: Any) -> Any:
        return column

    def _labels(self) -> AnyArray:
        memory = self._stored()
        return memory.cached("labels", lambda: self._labeling.labels(memory.instances))[0]

    def _attributes(self) -> BayesMemory:
        """Return the stored rows, in which columns such as dates are split into the attributes of the model."""
        return self._answering().attributes()

    def _part_prior(self) -> Prior | Auto:
        """Return the prior; the weights given for a column apply to all attributes that the column is split into."""
        parts = self._attributes().parts
        prior = self._prior
        return prior.by_part(parts) if isinstance(prior, PerAttribute) and parts is not None else prior

    def _statistics(self) -> Statistics:
        return self._attributes().statistics(self._labeling, self._threads())

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_parameters(self)
        if not isinstance(self.numeric, Mapping):
            self._check_numeric(resolve_numeric(self.numeric))
        self._prior = resolve_prior(self._default_prior if self.prior is None else self.prior)
        self._class_prior = self.class_prior

    def _check_numeric(self, strategy: Numeric | None) -> None:
        """Raise an error if the classifier does not support this strategy for numeric columns."""

    def _check_rows(self) -> None:
        declared = self._labeling.declared
        self._memory.check(0 if declared is None else declared[0].size)

    def _weighted_by_place(self) -> str | None:
        """Return the name of a prior that lists one weight per class although ``classes`` is not given, if any."""
        if self._labeling.declared is not None:
            return None
        given = self._class_prior
        if is_list(given.weight if isinstance(given, Dirichlet) else given):
            return "class_prior"
        return "prior" if isinstance(self._prior, PerAttribute) and self._prior.by_class else None

    def _check_forgetting(self, ids: ArrayLike) -> None:
        if self._weighted_by_place() is not None:
            instances = self._stored().instances
            counts = instances.target_counts()
            left = counts - np.bincount(instances.look_up(ids)[1][0], minlength=counts.size)
            self._check_left(counts, left, instances.target_values())

    def _check_left(self, counts: IdArray, left: IdArray, values: Sequence[Any]) -> None:
        """Raise an error if an undeclared class would lose its last row and a prior lists one weight for each class."""
        parameter = self._weighted_by_place()
        gone = np.flatnonzero((counts > 0) & (left == 0))
        if parameter is not None and left.any() and gone.size:
            raise TargetError(
                f"cannot forget the last rows of {listed([values[code] for code in gone.tolist()])}: {parameter} has "
                "one weight for each class. The model is unchanged. Declare the classes with partial_fit(..., "
                f"classes=...), or pass a single number as {parameter}."
            )

    def _finish_fit(self) -> None:
        self._statistics()

    def _new_memory(self, schema: Schema, targets: Schema | None) -> BayesMemory:
        if isinstance(self._prior, PerAttribute):
            self._prior = self._prior.by_label(schema)
        if not self.keep_rows:
            return CountedMemory(
                CountedRows(schema, targets),
                numeric=self._strategies(schema),
                missing_counts=self.missing == "value",
                paired=self._counts_pairs,
                threads=self._threads(),
            )
        return BayesMemory(
            Instances(schema, targets),
            numeric=self._strategies(schema),
            missing_counts=self.missing == "value",
            missing_apart=self._missing_apart,
            threads=self._threads(),
        )

    def _strategies(self, schema: Schema) -> list[Numeric | Words | None]:
        """Return the strategy for the numbers or words of each column; None for nominal and ordinal columns."""
        given: dict[int, Any] = {}
        others = self.numeric
        if isinstance(self.numeric, Mapping):
            positions = schema.positions(self.numeric, parameter="numeric")
            given, others = dict(zip(positions, self.numeric.values(), strict=True)), DEFAULT
        strategies: list[Numeric | Words | None] = [None] * len(schema)
        default = resolve_numeric(others)
        for a, kind in enumerate(schema.kinds):
            if isinstance(kind, NumericKind):
                strategies[a] = default
                if a in given:
                    strategies[a] = resolve_numeric(given[a], parameter=f"numeric[{schema.label(a)!r}]")
                    self._check_numeric(resolve_numeric(given[a]))
                    if isinstance(kind, Date) and kind.parts != "auto" and "elapsed" not in kind.parts:
                        raise ParameterError(
                            f"numeric contains {schema.label(a)!r}, a date whose parts {listed(kind.parts)} are not "
                            "numeric. Omit the column from numeric, or add 'elapsed' to the parts of the date."
                        )
                strategies[a] = _on_circle(strategies[a], kind, schema.label(a), named=a in given)
            elif isinstance(kind, Text) and a not in given:
                strategies[a] = Words.of(kind)
            elif a in given:
                raise ParameterError(
                    f"numeric must contain numeric columns only, but column {schema.label(a)!r} is of kind "
                    f"{type(kind).__name__.lower()}. Omit the column from numeric: its values are counted without bins "
                    "or densities."
                )
        return strategies

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray | Coded]:
        instances, earlier = (None, None) if first else (self._stored().instances, self._labeling)
        given, coded = _read_labels(y)
        labeling, targets, labels = learned_labels(given, classes, earlier, instances)
        if labels.shape[1] != 1:
            raise TargetError(
                f"y must be one class for each row, got {labels.shape[1]} columns. Fit one model for each target."
            )
        if not self.keep_rows and len(labeling.batches) > 1:  # the types of removed rows are unknown
            dtype = np.result_type(*(dtype for _, dtype in labeling.batches))
            labeling = replace(labeling, batches=((labeling.batches[0][0], dtype),))
        self._labeling = labeling
        return targets, labels if coded is None else coded

    def _rows(self) -> tuple[Table, AnyArray, FloatArray | None]:
        """Return all stored rows as a table, with labels and weights."""
        memory = self._stored()
        instances = memory.instances
        labels, codes = self._labeling.labels(instances)
        table = stored_table(instances, np.arange(len(instances)))
        return table, labels[memory.class_positions(codes)], instances.weights

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = False
        return tags


def _on_circle(strategy: Any, kind: NumericKind, label: Name, *, named: bool) -> Any:
    """Return the strategy for a numeric column; the default for a circular column is twelve bins of equal width."""
    if not isinstance(kind, Circular):
        return strategy
    if not named:
        return CutPoints(tuple(kind.period * i / ARCS for i in range(1, ARCS)))
    if isinstance(strategy, DENSITIES):
        raise ParameterError(
            f"numeric[{label!r}] must be a binning method, because the column is {kind.describe()}, got "
            f"{quoted(strategy)}. Pass for example CutPoints((90, 180, 270)), or omit the column for twelve equal bins."
        )
    return strategy


def _ordered(table: Table, schema: Schema) -> Table:
    """Return a table with its columns in schema order; raise an error if the columns differ."""
    if table.schema == schema:
        return table
    columns = table.columns
    return Table(schema, len(table), tuple(columns[a] for a in _column_order(table.schema, schema)))


def _column_order(there: Schema, here: Schema) -> list[int]:
    """Return the position in ``there`` of each column of ``here``; raise an error if the columns differ."""
    mine, theirs = ({own.label(a): kind for a, kind in enumerate(own.kinds)} for own in (here, there))
    differences = [f"{name!r} is only in this model" for name in mine if name not in theirs]
    differences += [f"{name!r} is only in the other model" for name in theirs if name not in mine]
    both = ((name, kind, theirs[name]) for name, kind in mine.items() if name in theirs)
    differences += [
        f"{name!r} is {a.describe()} in this model and {b.describe()} in the other" for name, a, b in both if a != b
    ]
    if differences:
        raise SchemaMismatchError(f"the models have different columns: {'; '.join(differences)}")
    return [list(theirs).index(name) for name in mine]


class Rows(Labeled):
    """Table in memory and its labels, as a single batch."""

    def __init__(self, X: Any, y: Any, weights: Any) -> None:
        super().__init__(X, "y", "X", again=True)
        self.labels, self.weights = y, weights

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        yield self.given, self.labels


def _read_labels(y: Any) -> tuple[Labels, Coded | None]:
    """Return the labels of the rows and None or, for an Arrow column, the distinct labels and a code for each row."""
    if not type(y).__module__.startswith("pyarrow"):
        return read_labels(y), None
    codes, values = coded_column(y)
    if (codes < 0).any():
        raise TargetError("Input y contains NaN, None or another missing value. Drop the rows with a missing target.")
    used = np.flatnonzero(count_codes(codes, len(values)))
    labels = read_labels(values[used])
    places = np.zeros(len(values), np.int32)
    places[used] = np.arange(used.size)
    return labels, Coded(places[codes] if used.size < len(values) else codes, labels.values[:, 0].tolist())
