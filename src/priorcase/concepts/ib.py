"""IB1 to IB5: instance-based learning algorithms (Aha, Kibler & Albert 1991; Aha 1992).

The algorithms learn one instance at a time, in Aha's framework with three parts: similarity (`Comparison`),
classification (``classification.py``) and update of the concept description (in the compiled core, with `Rules`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import wraps
from numbers import Integral, Real
from typing import Any, ClassVar, Concatenate, Literal, ParamSpec, Self, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, Options, StrOptions

from priorcase._parameters import check_parameters, is_whole
from priorcase._typing import AnyArray, BoolArray, FloatArray, IdArray
from priorcase.batches import labeled_batches, target_array
from priorcase.concepts import classification, memory
from priorcase.concepts.classification import Queries
from priorcase.concepts.description import History, Rules
from priorcase.concepts.memory import ConceptMemory
from priorcase.concepts.novel import ColumnKinds, brings_columns, read_some
from priorcase.concepts.records import CONFIDENCE
from priorcase.concepts.results import LearningHistory, concept_frame
from priorcase.concepts.targets import read_targets, read_truth
from priorcase.exceptions import (
    NotAvailableError,
    ParameterError,
    SchemaMismatchError,
    TargetError,
    TooFewRowsError,
    UninformativeColumnWarning,
    unwarned,
)
from priorcase.instances import Instances
from priorcase.learning import state
from priorcase.learning.drift import warn_drift
from priorcase.learning.estimator import RowsEstimator, SchemaLike, check_declared, record_features
from priorcase.learning.resampling import taken_rows
from priorcase.learning.results import attribute_names, framed, free_label
from priorcase.learning.state import changes
from priorcase.learning.targets import check_length, objects
from priorcase.neighbors.base import check_tabled, with_tabled_values
from priorcase.neighbors.precedents import Precedents
from priorcase.schema import CategoricalFeatures, Schema, Table
from priorcase.schema.schema import backend_of
from priorcase.similarity import Absolute, Distance, ib, resolve
from priorcase.similarity.presets import DistanceLike

P = ParamSpec("P")
R = TypeVar("R")

Ties: TypeAlias = Literal["majority", "first", "random"]
_SHARED: dict[str, list[Any]] = {
    "ties": [StrOptions({"majority", "first", "random"})],
    "shuffle": ["boolean"],
    "random_state": ["random_state"],
    "history": ["boolean", StrOptions({"replay"})],
    "window": [None, Interval(Integral, 1, 2**63 - 1, closed="both")],
}
_POWERS, _MISSING = Options(Real, {1, 2}), StrOptions({"ignore", "scale"})
_RECORDS = {"accept": CONFIDENCE, "drop": CONFIDENCE, "decay": [Interval(Real, 0, 1, closed="right")]}


def reads(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Decorate like `state.reads`, and acquire the learner's lock: compiled descriptions are changed in place."""

    @wraps(method)
    def locked(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._memory.shared.lock if "_memory" in self.__dict__ else nullcontext():
            return method(self, *args, **kwargs)

    return state.reads(locked)


@dataclass(kw_only=True, eq=False, repr=False)
class ConceptLearner(ClassifierMixin, RowsEstimator[ConceptMemory]):
    """Base class of IB1 to IB5: incremental learning, forgetting, prediction, precedents, records and history."""

    ties: Ties = "majority"
    shuffle: bool = False
    random_state: Any = None
    history: History = False
    window: int | None = None
    categorical_features: CategoricalFeatures = "from_dtype"
    schema: SchemaLike = None
    n_jobs: int | None = None

    _keep: ClassVar[str]
    _saves_labels: ClassVar[bool] = False

    # -- learning

    @changes
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the rows in one pass, replacing all rows learned before.

        ``y`` contains one class for each row. With ``per_class``, it can instead have a column of 0 and 1 for each
        class. If ``X`` is a data frame or a source of batches (see `priorcase.batches`), ``y`` may be the name of its
        target column.
        """
        self.__dict__.pop("_memory", None)
        self._learn(X, y, None, None, shuffle=self.shuffle)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn more rows one by one, in order.

        If the call fails or is interrupted, the model is unchanged. ``classes`` declares all classes, including classes
        not seen yet; see `fit` for ``X`` and ``y``.
        """
        return self._partial_fit(X, y, None, classes)

    @changes
    def forget(self, ids: ArrayLike) -> Self:
        """Forget rows as if they had never been seen; ``ids`` are positions in the stream, from 0.

        `IB1` without a ``window`` can forget any row. Otherwise, forgetting requires ``history="replay"``: the
        remaining rows are learned again in the same order and with the same random numbers.
        """
        self._memory = memory.forget(self._stored(), ids, threads=self._threads())
        record_features(self, self._memory.instances.schema)
        return self

    def _learn(self, X: Any, y: Any, sample_weight: Any, classes: Any, shuffle: bool = False) -> None:
        batches = labeled_batches(X, y)
        if batches is None:
            self._learn_rows(X, y, classes, shuffle)
            return
        if shuffle:
            raise ParameterError(
                f"shuffle must be False if y is a column name, because {batches.source} is then read in order"
            )
        if "_memory" in self.__dict__:
            self._memory = self._stored().detached()  # the current memory is unchanged if a later batch fails
        for table, labels in batches:
            with unwarned(UninformativeColumnWarning):  # the first batch may not be representative
                self._learn_rows(table, target_array(labels), classes, shuffle=False)

    def _learn_rows(self, X: Any, y: Any, classes: Any, shuffle: bool) -> None:
        if first := "_memory" not in self.__dict__:
            self._check_parameters()
        table, columns = self._read_rows(X, first)
        targets = read_targets(y, None if first else self._stored().seen, classes, per_class=self._rules.per_class)
        check_length(len(targets[0]), len(table))
        check_tabled(table, self._rules.distance)
        if first:
            self._backend = backend_of(X)
            self._memory = self._new_memory(table.schema, targets[1].targets)
        order = np.random.RandomState(self._rules.seed).permutation(len(table)).astype(np.int64) if shuffle else None
        self._memory = memory.learn(self._stored(), table, targets, order, columns, self._threads())
        if first or self.n_features_in_ != len(self._memory.instances.schema):
            record_features(self, self._memory.instances.schema)

    def _read_rows(self, X: Any, first: bool) -> tuple[Table, ColumnKinds]:
        """Return the rows to learn, and the kinds of their columns (None if the attributes are fixed)."""
        if first:
            return self._training_table(X), None
        try:
            return self._table(X), None
        except SchemaMismatchError as error:
            if brings_columns(self._stored().instances.schema, X):
                raise SchemaMismatchError(f"{error} Use IB5 for columns that appear mid-stream.") from None
            raise

    def _read_targets(self, y: Any, classes: Any, first: bool) -> None:
        raise NotImplementedError  # `_learn` reads them itself

    def _training_table(self, X: Any) -> Table:
        return with_tabled_values(super()._training_table(X), self._rules.distance, self.schema)

    def _new_memory(self, schema: Schema, targets: Schema | None) -> ConceptMemory:
        distance = self._rules.distance
        if targets is not None and len(targets) > 1 and any(d.needs_classes for d in distance.differences(schema)):
            raise TargetError(
                f"y has several columns, but distance={distance!r} is learned from the classes of a single column. "
                "Fit one estimator for each column, or choose a distance that does not use classes, such as 'heom'."
            )
        return ConceptMemory(Instances(schema, targets), self._rules)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_parameters(self)
        # For learners without these parameters, records are informative only.
        given, distance, seed = self.get_params(deep=False), self._similarity(), self.random_state
        if distance.whole:
            raise ParameterError(
                f"distance={given['distance']!r} compares whole rows, but IB1, IB2 and IB3 compare instances column "
                "by column. Pass functions for single columns (Distance(attributes=...)), or use "
                "KNNClassifier."
            )
        self._rules = Rules(
            self._keep,
            self.ties,
            distance,
            growing=distance == ib() or "weight_power" in given,
            per_class=bool(given.get("per_class", True)),
            history=self.history if isinstance(self.history, str) else bool(self.history),
            declared=self.schema if "missing" in given and isinstance(self.schema, Schema) else None,
            z_accept=float(ndtri(float(given.get("accept", 0.9)))),
            z_drop=float(ndtri(float(given.get("drop", 0.875)))),
            weighted="weight_power" in given,
            known_only="missing" in given,
            weight_power=float(given.get("weight_power", 2)),
            window=0 if self.window is None else int(self.window),
            decay=float(given.get("decay", 1.0)),
            seed=int(seed) if is_whole(seed) else int(check_random_state(seed).randint(2**31 - 1)),
        )

    def _similarity(self) -> Distance:
        return resolve(getattr(self, "distance", "ib"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = getattr(self, "per_class", True) is True
        return tags

    # -- predictions

    @reads
    def predict(self, X: Any) -> AnyArray:
        """Predict the class of each row; for multi-label targets, return an indicator matrix (queries, classes)."""
        queries = self._queries(self._table(X))
        seen = queries.memory.seen
        if seen.indicator:
            return classification.claims(queries)[0].astype(seen.labeling.batches[0][1])
        return np.asarray(seen.classes[classification.classify(queries)])

    @reads
    def predict_proba(self, X: Any) -> FloatArray | list[FloatArray]:
        """Predict the probability of each class in ``classes_``.

        The probability of a class with n_c of n votes is ``(n_c + 1/K) / (n + 1)`` for K classes. The predicted class
        has the highest probability, except with ``ties="random"``. Returns a list of arrays for multi-label targets.
        """
        queries = self._queries(self._table(X))
        if queries.memory.seen.indicator:
            _, shares, _ = classification.claims(queries)
            return [np.stack([1.5 - share, share + 0.5], axis=1) / 2.0 for share in shares.T]
        return classification.class_probabilities(queries)

    @reads
    def precedents(self, X: Any) -> Precedents:
        """Return the stored instances that decided each prediction, with each column's contribution to their distances.

        This method is not available for multi-label targets.
        """
        if self._stored().seen.indicator:
            raise TargetError(
                "precedents are not available for multi-label targets. "
                "Fit one model for each class, or use claims and predict_proba."
            )
        table = self._table(X)
        return classification.precedents(self._queries(table), table, self._backend)

    @reads
    def claims(self, X: Any) -> BoolArray:
        """Return whether the description of each class claims each query, as a boolean array (queries, classes)."""
        if not self._stored().rules.per_class:
            raise ParameterError("the classes share one description. Fit with per_class=True, or use predict.")
        return classification.claims(self._queries(self._table(X)))[0]

    @reads
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy; for multi-label targets, the share of rows for which all labels are correct."""
        seen = self._stored().seen
        return float(super().score(X, read_truth(y, seen) if seen.indicator else y, sample_weight))

    def _queries(self, table: Table) -> Queries:
        """Encode a table of queries in the format of the descriptions."""
        memory = self._answering()
        first = memory.descriptions[None]
        memory.instances.keeps_unseen = tuple(first.comparison.live)
        cells = first.comparison.prepared(memory.instances.encode(table), memory.instances, stored=False)
        first.comparison.check_ranges(first.core, cells)
        return Queries(cells, memory, self._threads())

    # -- fitted attributes

    @property
    @reads
    def classes_(self) -> AnyArray:
        """Classes seen or declared, in ascending order; for a target with 0/1 columns, in column order."""
        return self._stored().seen.classes

    @property
    @reads
    def concept_(self) -> Any:
        """Stored instances of each concept description with their records, as a data frame.

        Columns: ``id``, ``concept`` (with ``per_class``), ``class``, the attributes, ``successes``, ``trials``, Wilson
        bounds of the accuracy and of the class frequency (``accuracy_low``, ``accuracy_high``, ``frequency_low``,
        ``frequency_high``), ``class_count``, ``verdict``, ``arrived`` (position in learning order, from 1), ``reason``.
        """
        return concept_frame(self._refreshed(), self._backend)

    @property
    @reads
    def storage_(self) -> float:
        """Share of the instances seen that are stored, and for `IB3` to `IB5` also acceptable."""
        return self._kept().size / self._answering().seen.n_rows

    @property
    def stored_(self) -> int:
        """Number of stored instances."""
        return self.n_samples_fit_

    @property
    @reads
    def dropped_(self) -> int:
        """Number of instances dropped because of a poor record or because they left the window."""
        return sum(one.core.n_dropped for _, one in self._answering().named())

    @property
    @reads
    def n_seen_(self) -> int:
        """Number of instances learned and not forgotten."""
        return self._stored().seen.n_rows

    @property
    @reads
    def history_(self) -> LearningHistory:
        """Log of the effect of each instance; available only with ``history=True`` or ``history="replay"``."""
        if not self._stored().rules.history:
            raise NotAvailableError(
                "history_ needs history=True or history='replay' before the first row. Set history, and fit again."
            )
        return LearningHistory.of(self._refreshed(), self._backend)

    @reads
    def digest(self) -> str:
        """Return a hash of the stored rows, and of all learned values that do not follow from the stored rows."""
        return self._stored().digest()

    @reads
    def __getstate__(self) -> dict[str, Any]:
        if "_memory" in self.__dict__:
            self._stored()
        return super().__getstate__()

    @reads
    def _saved_state(self) -> dict[str, Any] | None:
        if "_memory" in self.__dict__:
            self._stored()
        return super()._saved_state()

    def _fitted_parameters(self) -> dict[str, Any]:
        return self._fitted_with | {"random_state": self._rules.seed}  # the seed drawn from it

    def _stored(self) -> ConceptMemory:
        memory = super()._stored()
        shared = memory.shared
        if shared.lock.held_at_fork or (shared.change is not None and shared.change.after.version != memory.version):
            # Needed after a fork, or an interrupt between changing the descriptions and updating the estimator.
            with shared.lock:
                memory = self._memory = memory.current()
        return memory

    def _answering(self) -> ConceptMemory:
        memory = self._stored()
        if not memory.seen.n_rows:
            raise TooFewRowsError("no rows are stored: all were forgotten. Add rows with partial_fit, or fit again.")
        return memory

    def _refreshed(self) -> ConceptMemory:
        """Return the memory; if rows were forgotten, first compute the records and the history again without them."""
        found = self._memory = memory.refreshed(self._answering(), threads=self._threads())
        return found

    def _kept(self) -> IdArray:
        """Return the ids of the instances that the paper counts as stored."""
        return memory.union(one.kept() for _, one in self._answering().named())


@dataclass(kw_only=True, eq=False, repr=False)
class IB1(ConceptLearner):
    """IB1: incremental nearest-neighbor classifier that stores every instance.

    Similarity is ``Sim(x, y) = -sqrt(sum_i f(x_i, y_i))``, where f is the squared difference of numbers scaled to [0,
    1] by their range so far; for other values, f is 0 if they are equal and 1 if not. A missing value differs maximally
    from any known value, and f = 1 for two missing values. The class of the most similar stored instance is predicted,
    also if nothing is known of x.

    Parameters
    ----------
    ties
        Rule for equally near instances: ``"majority"`` (all vote), ``"first"`` (the one stored first) or ``"random"``.
    shuffle, random_state
        Whether `fit` learns the rows in random order, and the seed of this order and of other random choices.
    history
        True logs the effect of each instance (``history_``); ``"replay"`` also keeps all rows, so that any row can be
        forgotten.
    per_class
        Whether each class has its own concept description. A query may then be claimed by several descriptions or
        by none (see `claims`), and targets may be multi-label.
    window
        Number of latest rows to keep; None for all. Ranges of numbers do not shrink when old rows are dropped.
    distance
        ``"ib"``: Aha's similarity, whose ranges grow with the stream. Other distances (see `KNNClassifier`) are fitted
        to the rows of the first call.
    categorical_features, schema, n_jobs
        See `KNNClassifier`. Pass a ``schema`` if the first rows do not show the kinds of the columns.

    Attributes
    ----------
    concept_, history_
        Stored instances with their records as a data frame, and the `LearningHistory`.
    stored_, dropped_, n_seen_, storage_
        Numbers of instances stored, dropped and learned, and the share that is stored.
    classes_, ids_, n_samples_fit_, schema_, n_features_in_, feature_names_in_
        Classes, positions of the stored rows in the stream, and kinds of the columns.

    References
    ----------
    .. [1] D. W. Aha, D. Kibler & M. K. Albert, "Instance-based learning algorithms", *Machine Learning* 6, 1991,
           section 2.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[31, "red"], [29, "red"], [62, "blue"], [None, "blue"]]
    >>> model = pc.IB1().fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([[60, "blue"], [30, None]])
    array(['yes', 'no'], dtype='<U3')
    >>> model.partial_fit([[58, "red"]], ["maybe"]).predict([[55, "red"]])
    array(['maybe'], dtype='<U5')
    """

    per_class: bool = False
    distance: DistanceLike = "ib"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**_SHARED, "per_class": ["boolean"]}
    _keep = "every"


@dataclass(kw_only=True, eq=False, repr=False)
class IB2(ConceptLearner):
    """IB2: stores an instance only if the previously stored instances misclassify it.

    The stored instances lie mostly near the class boundaries. Noisy instances are usually misclassified and therefore
    stored, so IB2 is often less accurate than `IB1` on noisy data. The result depends on the order of the rows.

    Parameters and attributes: see `IB1`. ``storage_`` is what the paper calls storage (section 3, Table 4).
    ``sample_indices_`` contains the positions of the rows that `fit_resample` keeps.

    References
    ----------
    .. [1] D. W. Aha, D. Kibler & M. K. Albert, "Instance-based learning algorithms", *Machine Learning* 6, 1991,
           section 3.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[1.0], [9.0], [2.0], [8.0], [5.5], [6.0]], ["low", "high", "low", "high", "low", "low"]
    >>> model = pc.IB2().fit(X, y)
    >>> model.ids_, model.storage_
    (array([0, 1, 4]), 0.5)
    >>> pc.IB2().fit_resample(X, y)
    ([[1.0], [9.0], [5.5]], ['low', 'high', 'low'])
    """

    per_class: bool = False
    distance: DistanceLike = "ib"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = IB1._parameter_constraints
    _keep = "misclassified"

    @property
    @reads
    def sample_indices_(self) -> IdArray:
        """Positions of the rows kept: all stored instances, or for `IB3` only acceptable ones if there are any."""
        kept = self._kept()
        return kept if kept.size else self._stored().ids

    @changes
    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return the rows kept and their targets, as in imbalanced-learn."""
        kept = self.fit(X, y).sample_indices_
        return taken_rows(X, kept), taken_rows(y, kept)


@dataclass(kw_only=True, eq=False, repr=False)
class IB3(IB2):
    """IB3: `IB2` that classifies only with instances whose past accuracy is significantly good.

    The class of a new instance is predicted by the most similar *acceptable* instance, or by a random stored instance
    if none is acceptable. The records of all stored instances that are at least as similar as the predicting instance
    are updated, and *poor* instances are dropped. A misclassified new instance is stored with an empty record.

    An instance with s successes in n trials is *acceptable* if ``low(s, n) > high(count, N)`` and *poor* if ``high(s,
    n) < low(count, N)``, where low and high are Wilson bounds (`wilson_interval`) and count is the number of instances
    of the same class among all N instances seen. If no instance is acceptable, `predict` uses all stored instances.

    Parameters
    ----------
    accept, drop
        One-sided confidence levels of acceptance and dropping, from 0.5 to below 1. The values 0.9 and 0.875 (75%
        if two-sided) reproduce the paper's figures.
    decay
        Factor by which each new trial discounts the earlier trials of a record, for concept drift; 1 for no discount.
        A record covers about its latest ``1 / (1 - decay)`` trials.
    ties, shuffle, random_state, history, per_class, window, distance, categorical_features, schema, n_jobs
        See `IB1`, which also documents the fitted attributes. ``storage_`` is the share of the instances seen that are
        stored and acceptable (section 4, Table 6).

    References
    ----------
    .. [1] D. W. Aha, D. Kibler & M. K. Albert, "Instance-based learning algorithms", *Machine Learning* 6, 1991,
           section 4.

    Examples
    --------
    >>> import numpy as np
    >>> import priorcase as pc
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(600, 2))
    >>> y = (X[:, 0] > 0.5) ^ (rng.uniform(size=600) < 0.1)  # one label in ten is wrong
    >>> model = pc.IB3(random_state=0).fit(X, y)
    >>> model.stored_, model.dropped_, round(model.storage_, 3)
    (73, 50, 0.065)
    >>> model.predict([[0.2, 0.5], [0.8, 0.5]])
    array([False,  True])
    """

    accept: float = 0.9
    drop: float = 0.875
    decay: float = 1.0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**IB2._parameter_constraints, **_RECORDS}
    _keep = "significant"


@dataclass(kw_only=True, eq=False, repr=False)
class IB4(ConceptLearner):
    """IB4: `IB3` with a concept description and learned attribute weights for each class.

    For class c, ``Sim_c(x, y) = -sqrt(sum_i w_ci^2 f(x_i, y_i))`` with f as in `IB1`. A label is "c" or "not c". After
    y has predicted x, ``Cum_i += (1 - L) (1 - d_i)`` if their labels are equal and ``Cum_i += (1 - L) d_i`` if not,
    ``Norm_i += 1 - L``, and ``w_ci = max(Cum_i / Norm_i - 1/2, 0)``. Here ``d_i = sqrt(f(x_i, y_i))``, and L is the
    higher of the two labels' frequencies. All weights start at 1/2; weights of irrelevant nominal attributes tend to 0.

    The class whose description claims the query is predicted. If several do, the nearest of them wins; if none does,
    the class of the nearest member wins (nearest by squared distance / sum of weights). Targets may be multi-label.

    Parameters
    ----------
    weight_power
        Power of the weights in the squared distance, 2 or 1.
    ties, shuffle, random_state, history, window, accept, drop, decay, categorical_features, schema, n_jobs
        See `IB3`, which also documents the fitted attributes. ``attribute_weights_`` are learned from all rows,
        regardless of ``window``.

    References
    ----------
    D. W. Aha, "Tolerating noisy, irrelevant and novel attributes in instance-based learning algorithms",
    *International Journal of Man-Machine Studies* 36, 1992. The weights follow D. Wettschereck, D. W. Aha & T. Mohri,
    *Artificial Intelligence Review* 11, 1997, section 3.

    Examples
    --------
    >>> import numpy as np
    >>> import priorcase as pc
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(1000, 20)).astype(bool)  # only the first column is relevant
    >>> y = np.where(X[:, 0], "good", "bad")
    >>> model = pc.IB4(random_state=0).fit(X[:800], y[:800])
    >>> model.score(X[800:], y[800:]), pc.IB3(random_state=0).fit(X[:800], y[:800]).score(X[800:], y[800:])
    (1.0, 0.8)
    >>> model.attribute_weights_[:, 0]
    array([0.5, 0.5])
    """

    accept: float = 0.9
    drop: float = 0.875
    decay: float = 1.0
    weight_power: int = 2

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**_SHARED, **_RECORDS, "weight_power": [_POWERS]}
    _keep = "significant"

    @property
    @reads
    def attribute_weights_(self) -> Any:
        """Weight of each attribute in the description of each class, between 0 and 1/2.

        A data frame with ``concept`` and the attributes, or an array (classes, attributes) if columns have no names.
        """
        memory = self._answering()
        weights = np.array([description.core.weights()[0] for description in memory.of_classes()])
        if memory.instances.schema.names is None:
            return weights
        columns: dict[str, Any] = {"concept": objects(memory.seen.classes.tolist())}
        for a, name in enumerate(attribute_names(memory.instances.schema)):
            columns[free_label(str(name), columns)] = weights[:, a]
        return framed(columns, self._backend)


@dataclass(kw_only=True, eq=False, repr=False)
class IB5(IB4):
    """IB5: `IB4` that ignores missing values, so that attributes may appear or be absent at any time.

    An attribute adds nothing to a distance, and its weight is not updated, if its value is missing in either row.

    New columns in `partial_fit` are added with weight 1/2 and are missing in all earlier rows. Columns of a data frame
    are matched by name and may be absent; columns of an array are matched by position, and new columns come last.

    Parameters
    ----------
    missing
        ``"ignore"``: missing attributes add nothing to the distance. ``"scale"``: the sum over known attributes is also
        scaled up, so that rows with many missing values are not near to all other rows.
    ties, shuffle, random_state, history, window, accept, drop, decay, weight_power
        See `IB4`, which also documents categorical_features, schema, n_jobs, the fitted attributes and the reference.

    Examples
    --------
    >>> import pandas as pd
    >>> import priorcase as pc
    >>> first = pd.DataFrame({"size": [1.0, 9.0, 2.0, 8.0]})
    >>> model = pc.IB5(random_state=0).partial_fit(first, ["small", "big", "small", "big"])
    >>> later = pd.DataFrame({"size": [1.5, 2.5, 8.5], "colour": ["red", "red", "blue"]})
    >>> model.partial_fit(later, ["small", "small", "big"]).feature_names_in_
    array(['size', 'colour'], dtype=object)
    >>> model.predict(pd.DataFrame({"colour": ["blue"], "size": [7.0]})), model.predict(first[:1])
    (array(['big'], dtype='<U5'), array(['small'], dtype='<U5'))
    """

    missing: str = "ignore"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**IB4._parameter_constraints, "missing": [_MISSING]}

    def _similarity(self) -> Distance:
        missing: Any = "skip" if self.missing == "scale" else "ignore"
        return Distance(numeric=Absolute("range", widen=True), missing=missing)

    def _read_rows(self, X: Any, first: bool) -> tuple[Table, ColumnKinds]:
        if first and not isinstance(self.schema, Schema):
            table = self._training_table(X)
            return table, tuple((table.schema.label(a), kind) for a, kind in enumerate(table.schema.kinds))
        if first:
            check_declared(self)
        return read_some(Instances(cast(Schema, self.schema)) if first else self._stored().instances, X, extend=True)

    def _table(self, X: Any) -> Table:
        instances = self._stored().instances
        if isinstance(X, Mapping) or (
            isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == len(instances.schema)
        ):
            return super()._table(X)
        table = read_some(instances, X, extend=False)[0]
        if not isinstance(X, Table):
            warn_drift(table, self._stored())
        return table
