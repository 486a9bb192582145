"""Base of the Bayes classifiers: rows that come and go, one target, and every answer from one table of scores."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions

from priorcase._parameters import check_parameters, is_list
from priorcase._typing import AnyArray, FloatArray, Name
from priorcase.bayes.additive import Scale
from priorcase.bayes.discretise import CutPoints
from priorcase.bayes.memory import BayesMemory, Statistics
from priorcase.bayes.numeric import DEFAULT, DENSITIES, Numeric, resolve_numeric
from priorcase.bayes.parts import ARCS
from priorcase.bayes.priors import Auto, PerAttribute, Prior, resolve_prior
from priorcase.bayes.words import Words
from priorcase.exceptions import ParameterError, SchemaMismatchError, TargetError, listed, prefix_errors, quoted
from priorcase.instances import Instances
from priorcase.learning.estimator import RowsEstimator
from priorcase.learning.resampling import needs_refits, refits, stored_table
from priorcase.learning.state import changes, pinned, reads
from priorcase.learning.targets import Labelling, learned_labels
from priorcase.schema import Circular, Date, Schema, Set, Table, Text
from priorcase.schema import Numeric as NumericKind


class BayesClassifier(ClassifierMixin, RowsEstimator[BayesMemory]):
    """Base of the classifiers that answer from counts: queries by `_scores`, stored rows by `_left_out`."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"missing": [StrOptions({"ignore", "value"})]}

    prior: Any
    class_prior: Any
    numeric: Any
    missing: Any
    _missing_apart = False
    """Whether missing, where it is a value, is one of every part of a column."""
    _default_prior: ClassVar[Prior | None] = None
    _labelling: Labelling
    _prior: Prior | Auto
    _class_prior: Any

    # -- what was learned

    @property
    @reads
    def classes_(self) -> AnyArray:
        """The classes in ascending order."""
        return self._labels()

    @property
    @reads
    def class_count_(self) -> FloatArray:
        """How many rows each class has, weights counted as repetitions."""
        return self._statistics().class_counts.copy()

    @property
    @reads
    def cut_points_(self) -> dict[Any, FloatArray]:
        """The cut points of each numeric column that is cut into bins, by its label."""
        discrete, schema = self._statistics().discrete, self._attributes().instances.schema
        pairs = zip(discrete.attributes, discrete.cuts, strict=True)
        return {schema.label(a): cuts.copy() for a, cuts in pairs if cuts is not None}

    @property
    @reads
    def relearns_(self) -> bool:
        """Whether ``relearn=True`` takes a fit for each row: something is chosen by looking at all of them."""
        self._stored()
        return self._chooses()

    # -- learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from the rows, in place of any learned from before.

        ``X`` is a pandas, Polars or PyArrow frame, a NumPy array, or a list of rows; ``y`` has one class for each row:
        text, whole numbers or booleans. ``sample_weight`` is how many rows each row counts as; None for one.
        """
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows. A call that fails leaves everything as it was.

        ``classes`` are classes that stay in ``classes_`` even when no row has them; may be left out. Once given, ``y``
        may hold no others, and neither may the rows learned from before. Other parameters as in `fit`.
        """
        return self._partial_fit(X, y, sample_weight, classes)

    @prefix_errors
    def merge(self, other: Self) -> Self:
        """Learn from the rows of another model too: the same as one fit on both tables, this one's rows first.

        The other one is a fitted model of the same class, with columns of the same names, in any order, and the same
        kinds. Its rows get new ids here. Parameters and declared classes are those of this model.
        """
        if type(other) is not type(self) or other is self:
            raise ParameterError(f"other must be another fitted {type(self).__name__}, got {quoted(other)}")
        return self._merge(*pinned(other)._rows())

    @changes
    def _merge(self, table: Table, labels: AnyArray, weights: FloatArray | None) -> Self:
        table = _ordered(table, self._stored().instances.schema)
        if len(table):
            targets, values = self._read_targets(labels, None, False)
            self._memory.append(table, targets.read(values), weights)
            self._check_rows()
        return self

    # -- answers

    @reads
    def predict(self, X: Any) -> AnyArray:
        """The most probable class of each query; the first in ``classes_`` of equally probable ones."""
        scores = self._ask(X, Scale.JOINT)
        chosen: AnyArray = self._labels()[np.argmax(scores, axis=1)]
        return chosen

    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """The probability of each class in ``classes_`` for each query."""
        return self._ask(X, Scale.PROBABILITY)

    @reads
    def predict_log_proba(self, X: Any) -> FloatArray:
        """The logarithm of `predict_proba`, without its underflow."""
        return self._ask(X, Scale.LOG_PROBABILITY)

    @reads
    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """The log of the joint probability of each query's values with each class in ``classes_``.

        With ``predictive="sc"`` up to a constant that all classes of a query share.
        """
        return self._ask(X, Scale.JOINT)

    @reads
    def loo_predict_proba(self, *, relearn: bool = False) -> FloatArray:
        """For each stored row, in the order of ``ids_``, the class probabilities of a fit without it, in closed form.

        What was chosen by looking at all rows stays chosen: ``classes_``, cut points, the parts of dates and members
        of sets that are attributes, and the weight of ``prior="auto"``. With ``relearn`` all but the classes are chosen
        again, by a fit for each row.
        """
        return self._leave_one_out(relearn, Scale.PROBABILITY)

    @reads
    def loo_predict_log_proba(self, *, relearn: bool = False) -> FloatArray:
        """The natural logarithms of `loo_predict_proba`, without its underflow; ``relearn`` as there."""
        return self._leave_one_out(relearn, Scale.LOG_PROBABILITY)

    # -- for subclasses

    @abstractmethod
    def _left_out(self, scale: Scale) -> FloatArray:
        """Class probabilities, or their logs, of each stored row without itself, what was chosen staying chosen."""

    def _chooses(self) -> bool:
        """Whether anything is chosen by looking at all rows."""
        memory = self._stored()
        if any(isinstance(kind, Set) or kind == Date() for kind in memory.instances.schema.kinds):
            return True
        cuts = (strategy for strategy in memory.numeric if hasattr(strategy, "cuts"))
        return isinstance(self._prior, Auto) or any(not isinstance(strategy, CutPoints) for strategy in cuts)

    @abstractmethod
    def _scores(self, table: Table, scale: Scale, *, threads: int) -> FloatArray:
        """Scores of the classes for each query, (queries, classes)."""

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

    def _labels(self) -> AnyArray:
        memory = self._stored()
        return memory.cached("labels", lambda: self._labelling.labels(memory.instances))[0]

    def _attributes(self) -> BayesMemory:
        """The stored rows as rows of the model's attributes."""
        return self._answering().attributes()

    def _part_prior(self) -> Prior | Auto:
        """The prior by attributes, where it is given by columns."""
        parts = self._attributes().parts
        prior = self._prior
        return prior.by_part(parts) if isinstance(prior, PerAttribute) and parts is not None else prior

    def _statistics(self) -> Statistics:
        return self._attributes().statistics(self._labelling, self._threads())

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_parameters(self)
        if not isinstance(self.numeric, Mapping):
            self._check_numeric(resolve_numeric(self.numeric))
        self._prior = resolve_prior(self._default_prior if self.prior is None else self.prior)
        self._class_prior = self.class_prior

    def _check_numeric(self, strategy: Numeric | None) -> None:
        """Refuse a strategy for numeric columns that the classifier cannot use."""

    def _check_rows(self) -> None:
        declared = self._labelling.declared
        self._memory.check(0 if declared is None else declared[0].size)

    def _check_forgetting(self, ids: ArrayLike) -> None:
        """Refuse to forget the last rows of an undeclared class that has a weight by its place among the classes."""
        parameter = "class_prior" if is_list(self._class_prior) else "prior"
        by_place = parameter == "class_prior" or (isinstance(self._prior, PerAttribute) and self._prior.by_class)
        if not by_place or self._labelling.declared is not None:
            return
        instances = self._stored().instances
        counts = instances.target_counts()
        left = counts - np.bincount(instances.look_up(ids)[1][0], minlength=counts.size)
        if left.any() and (gone := np.flatnonzero((counts > 0) & (left == 0))).size:
            values = instances.target_values()
            raise TargetError(
                f"these are the last rows of {listed([values[code] for code in gone.tolist()])}, but {parameter} has "
                "one weight for each class; nothing was changed. Declare the classes with partial_fit(..., "
                f"classes=...), or let {parameter} be one number"
            )

    def _finish_fit(self) -> None:
        self._statistics()

    def _new_memory(self, schema: Schema, targets: Schema | None) -> BayesMemory:
        if isinstance(self._prior, PerAttribute):
            self._prior = self._prior.by_label(schema)
        return BayesMemory(
            Instances(schema, targets),
            numeric=self._strategies(schema),
            missing_counts=self.missing == "value",
            missing_apart=self._missing_apart,
            threads=self._threads(),
        )

    def _strategies(self, schema: Schema) -> list[Numeric | Words | None]:
        """For each column what to do with its numbers or words; None where it is nominal or ordinal."""
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
                            f"numeric names {schema.label(a)!r}, a date of which {listed(kind.parts)} are used, which "
                            "are no numbers. Leave it out, or add 'elapsed' to its parts"
                        )
                strategies[a] = _on_circle(strategies[a], kind, schema.label(a), named=a in given)
            elif isinstance(kind, Text) and a not in given:
                strategies[a] = Words.of(kind)
            elif a in given:
                raise ParameterError(
                    f"numeric may name numeric columns only, but {schema.label(a)!r} is {type(kind).__name__.lower()}: "
                    "values of such columns are counted as they are"
                )
        return strategies

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        instances, earlier = (None, None) if first else (self._stored().instances, self._labelling)
        labelling, targets, labels = learned_labels(y, classes, earlier, instances)
        if labels.shape[1] != 1:
            raise TargetError(
                f"y must be one class for each row, got {labels.shape[1]} columns. Fit one model for each target"
            )
        self._labelling = labelling
        return targets, labels

    def _rows(self) -> tuple[Table, AnyArray, FloatArray | None]:
        """All stored rows as a table, with their labels and weights."""
        memory = self._stored()
        instances = memory.instances
        labels, codes = self._labelling.labels(instances)
        table = stored_table(instances, np.arange(len(instances)))
        return table, labels[memory.class_positions(codes)], instances.weights

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = False
        return tags


def _on_circle(strategy: Any, kind: NumericKind, label: Name, *, named: bool) -> Any:
    """The strategy for a column of numbers: on a circle, twelve arcs unless bins are named for it."""
    if not isinstance(kind, Circular):
        return strategy
    if not named:
        return CutPoints(tuple(kind.period * i / ARCS for i in range(1, ARCS)))
    if isinstance(strategy, DENSITIES):
        raise ParameterError(
            f"numeric[{label!r}] must be a way to cut numbers into bins, such as CutPoints((90, 180, 270)), because "
            f"the column is {kind.describe()}, got {quoted(strategy)}. Leave the column out for twelve arcs"
        )
    return strategy


def _ordered(table: Table, schema: Schema) -> Table:
    """A table with its columns in the order of a schema that has the same ones; an error says which it has not."""
    if table.schema == schema:
        return table
    here, there = ({own.label(a): kind for a, kind in enumerate(own.kinds)} for own in (schema, table.schema))
    differences = [f"{name!r} is only here" for name in here if name not in there]
    differences += [f"{name!r} is only there" for name in there if name not in here]
    both = ((name, kind, there[name]) for name, kind in here.items() if name in there)
    differences += [f"{name!r} is {a.describe()} here and {b.describe()} there" for name, a, b in both if a != b]
    if differences:
        raise SchemaMismatchError(f"the columns of the other model differ: {'; '.join(differences)}")
    columns = dict(zip(there, table.columns, strict=True))
    return Table(schema, len(table), tuple(columns[name] for name in here))
