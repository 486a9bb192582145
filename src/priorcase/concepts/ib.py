"""IB1 to IB5: instance-based learning algorithms (Aha, Kibler & Albert 1991; Aha 1992).

All of them learn one instance at a time, by Aha's framework of similarity, classification and update of the concept
description. `ConceptLearner` has what they share; here is what tells them apart.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtri
from sklearn.utils._param_validation import Interval, Options, StrOptions

from priorcase._typing import IdArray
from priorcase._validation import record_features
from priorcase.concepts.learner import ConceptLearner, Ties, reads
from priorcase.concepts.memory import ColumnKinds, ConceptMemory, History, learn
from priorcase.concepts.records import CONFIDENCE
from priorcase.concepts.replay import read_some, stages
from priorcase.concepts.targets import Targets
from priorcase.instances import Instances
from priorcase.learning.decoding import attribute_names
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.frames import framed, free_label
from priorcase.learning.resampling import taken_rows
from priorcase.learning.state import changes
from priorcase.learning.targets import objects
from priorcase.learning.training import check_declared
from priorcase.schema import CategoricalFeatures, Schema, Table
from priorcase.similarity import Absolute, Distance, ib

_LEVELS: dict[str, list[Any]] = {
    "accept": CONFIDENCE,
    "drop": CONFIDENCE,
    "decay": [Interval(Real, 0, 1, closed="right")],
}


class IB1(ConceptLearner):
    """The nearest neighbour, learned one by one: every instance is stored.

    The three parts of the framework:

    - *similarity* ``Sim(x, y) = -sqrt(sum_i f(x_i, y_i))``: f is the squared difference of numbers scaled by their
      range so far to [0, 1], and for other values 0 where they are equal and 1 where they are not; a missing value
      differs from a known one as much as possible, and two missing values have f = 1;
    - *classification*: the class of the stored instance most similar to x;
    - *update of the description*: x is stored.

    Each stored instance has a record of how well it classified as the nearest one, which decides nothing here.

    Parameters
    ----------
    ties
        Which of several equally near instances classify: ``"majority"``: all of them vote, and of classes with equally
        many votes the one stored first wins; ``"first"``: the one stored first; ``"random"``: a random one (random
        numbers of predictions begin anew in each call, so that equal calls have equal answers). The paper says "some";
        its figures for LED need the majority.
    shuffle
        Whether `fit` learns the rows in a random order; ids stay the rows' positions.
    random_state
        Seed of the random numbers: a whole number, None for another one in each fit, or a ``RandomState``.
    history
        True keeps a trace of what each instance did (``history_``); ``"replay"`` keeps all rows as well, so that any
        of them can be forgotten: the others are then learned again.
    per_class
        Whether each class has a description of its own, in which rows belong to the class or do not. Descriptions may
        then overlap, several or none may claim a query (`claims`), and targets may be multi-label.
    window
        How many of the latest rows count; older ones leave the description and the class counts, but ranges of numbers
        stay as wide as they made them. None for all.
    distance
        ``"ib"``: Aha's similarity, whose ranges of numbers grow as rows come. The name of any other distance, or a
        `Distance`, is fitted to the rows of the first call; values first seen later are then unseen.
    categorical_features
        ``"from_dtype"``, None, or a mask, positions or names of the nominal columns, as in scikit-learn; text,
        objects and booleans are nominal too.
    schema
        Declared kinds of columns: a `Schema`, or a mapping from column to kind for some columns. Streams need it where
        the first rows do not show what a column is.
    n_jobs
        Number of threads: None for all cores this process may use (at most ``OMP_NUM_THREADS``), -1 for all; never more
        than four for each core. Queries share them, and in learning the descriptions of several classes.

    Attributes
    ----------
    classes_
        All classes seen or declared, whether or not a stored row has them.
    concept_
        The stored instances with their records, as a frame.
    storage_
        Share of the instances seen that are stored: 1, but for a window.
    stored_, dropped_, n_seen_
        How many instances are stored, were dropped (by their records or by the window), and were learned.
    history_
        The trace, with ``history``: a `LearningHistory` with ``frame()`` and ``plot()``.
    ids_, n_samples_fit_, schema_, n_features_in_, feature_names_in_
        The stored rows, by their positions in the stream, and what their columns mean.

    Notes
    -----
    Every row is stored, so any of them can be forgotten exactly, and at once: `forget` removes rows from ranges, counts
    and description. Records and history, which depend on the order, are recomputed when they are next asked for.

    References
    ----------
    D. W. Aha, D. Kibler & M. K. Albert, "Instance-based learning algorithms", *Machine Learning* 6, 1991, section 2.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[31, "red"], [29, "red"], [62, "blue"], [None, "blue"]]
    >>> model = pc.IB1().fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([[60, "blue"], [30, None]])
    array(['yes', 'no'], dtype='<U3')
    >>> model.partial_fit([[58, "red"]], ["maybe"]).predict([[55, "red"]])
    array(['maybe'], dtype='<U5')
    >>> model.forget([4]).classes_
    array(['no', 'yes'], dtype='<U3')
    """

    _keep = "every"


class IB2(ConceptLearner):
    """IB1 that stores an instance only if those stored before misclassify it.

    Similarity and classification are those of `IB1`. *Update of the description*: x is stored if it was misclassified;
    the first instance always is.

    What is stored lies mostly near the boundaries between classes, which saves most of the storage. Noisy instances
    are nearly always misclassified, hence stored, and then misclassify others: with noise IB2 is less accurate than
    IB1. One pass; the result depends on the order of the rows.

    Parameters
    ----------
    ties, shuffle, random_state, history, per_class, window, distance, categorical_features, schema, n_jobs
        As in `IB1`.

    Attributes
    ----------
    storage_
        Share of the instances seen that are stored (the storage of the paper's Table 4). Other attributes as in `IB1`.
    sample_indices_
        Positions of the rows that `fit_resample` keeps: those stored.

    References
    ----------
    D. W. Aha, D. Kibler & M. K. Albert, "Instance-based learning algorithms", *Machine Learning* 6, 1991, section 3.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[1.0], [9.0], [2.0], [8.0], [5.5], [6.0]], ["low", "high", "low", "high", "low", "low"]
    >>> model = pc.IB2().fit(X, y)
    >>> model.ids_, model.storage_
    (array([0, 1, 4]), 0.5)
    >>> model.predict([[3.0], [7.0], [8.5]])
    array(['low', 'low', 'high'], dtype='<U4')
    >>> pc.IB2().fit_resample(X, y)
    ([[1.0], [9.0], [5.5]], ['low', 'high', 'low'])
    """

    _keep = "misclassified"

    @property
    def sample_indices_(self) -> IdArray:
        """Positions of the rows stored."""
        return self._sample_indices()

    @changes
    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """The rows kept and their targets, in the order and type they came in, as in imbalanced-learn.

        Parameters
        ----------
        X, y
            As in `fit`. Positions of the rows kept are in ``sample_indices_``.
        """
        return _fit_resample(self, X, y)


class IB3(ConceptLearner):
    """IB2 that waits for evidence: only instances with good records classify, and those with poor ones are dropped.

    For an instance x that arrives:

    - *similarity* is that of `IB1`;
    - *classification*: the class of the most similar *acceptable* instance; while none is acceptable, of the i-th most
      similar one, i at random;
    - *update of the description*: every stored instance at least as similar as the one that classified gets its record
      updated (one more trial, and one more success if it has the class of x) and is dropped if it is now
      significantly poor; x is stored, without a record, if it was misclassified.

    With s successes in n trials, and the class frequency among all instances seen, each as a Wilson interval (see
    `wilson_interval`), an instance is *acceptable* if its accuracy is significantly above the frequency of its class
    (``low(s, n) > high(count, N)``), *poor* if it is significantly below (``high(s, n) < low(count, N)``), and mediocre
    otherwise: kept, but not used. Predictions use acceptable instances only, and all where none is acceptable.

    Parameters
    ----------
    accept, drop
        Confidence levels of acceptance and of dropping, one-sided, from 0.5 to below 1: each bound of an interval holds
        with this probability. The paper says 90 % and 75 %; 0.9, and 0.875 for the bounds of a two-sided 75 %,
        reproduce its figures.
    decay
        Factor by which an instance's earlier trials count less at each new trial: above 0, at most 1 (no decay). Below
        1 a record describes its latest trials, about ``1 / (1 - decay)`` of them: an instance of a concept that has
        drifted is soon no longer used, and dropped. Class counts do not decay. So few trials prove less: instances of a
        class with more than ``1 / (1 + z^2 (1 - decay))`` of all (z the quantile of ``accept``; 0.75 at 0.8, 0.86 at
        0.9, 0.98 at 0.99) are never acceptable.
    ties, shuffle, random_state, history, per_class, window, distance, categorical_features, schema, n_jobs
        As in `IB1`.

    Attributes
    ----------
    storage_
        Share of the instances seen that are stored and acceptable (the storage of the paper's Table 6). Other
        attributes as in `IB1`.
    sample_indices_
        Positions of the rows that `fit_resample` keeps: the acceptable ones; all stored where none is.

    References
    ----------
    D. W. Aha, D. Kibler & M. K. Albert, "Instance-based learning algorithms", *Machine Learning* 6, 1991, section 4.

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

    _keep = "significant"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = ConceptLearner._parameter_constraints | _LEVELS

    def __init__(
        self,
        *,
        ties: Ties = "majority",
        shuffle: bool = False,
        random_state: Any = None,
        history: History = False,
        per_class: bool = False,
        window: int | None = None,
        accept: float = 0.9,
        drop: float = 0.875,
        decay: float = 1.0,
        distance: str | Distance = "ib",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ties = ties
        self.shuffle = shuffle
        self.random_state = random_state
        self.history = history
        self.per_class = per_class
        self.window = window
        self.accept = accept
        self.drop = drop
        self.decay = decay
        self.distance = distance
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    @property
    def sample_indices_(self) -> IdArray:
        """Positions of the acceptable rows; of all stored ones where none is acceptable."""
        return self._sample_indices()

    @changes
    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """The rows kept and their targets, as in `IB2.fit_resample`.

        Parameters
        ----------
        X, y
            As in `fit`.
        """
        return _fit_resample(self, X, y)

    def _rules(self) -> dict[str, Any]:
        return _record_rules(self)


class IB4(ConceptLearner):
    """IB3 with a description for each class that learns the relevance of attributes to it.

    In the description of a class c, where x belongs to c or does not:

    - *similarity* ``Sim_c(x, y) = -sqrt(sum_i w_ci^2 f(x_i, y_i))``, f as in `IB1`;
    - *classification* as in `IB3`: does the most similar acceptable instance belong to c?
    - *update of the description* as in `IB3`; and the weights are moved by the instance y that classified. With d_i the
      difference of x and y in attribute i, and ``L`` the higher of the frequencies of their two classes,
      ``Cum_i += (1 - L) (1 - d_i)`` if x and y are of one class and ``(1 - L) d_i`` if not, ``Norm_i += 1 - L``, and
      ``w_ci = max(Cum_i / Norm_i - 1/2, 0)``.

    An irrelevant nominal value agrees about as often in right as in wrong comparisons, so that its weight goes towards
    0. Irrelevant numbers keep a weight: any two differ by a third of the range on average, and the nearest instances by
    less, so that they seem to agree wherever the answer is right. Among many columns relevant ones have clearly larger
    weights than these; among few, with many instances, hardly. Before the first comparison all weights are 1/2; where
    all have become 0, all attributes count alike.

    **Predictions.** The class whose description claims the query; of several the one whose nearest instance is nearest,
    as squared distance by sum of weights, so that descriptions with other weights compare; if none claims it, the class
    whose nearest member is nearest by that measure. `claims` shows what each description says by itself, and targets
    may be multi-label: a column of 0 and 1 for each class. A class that appears in mid-stream is described as if it had
    been known from the start.

    Parameters
    ----------
    weight_power
        Power of the weights in the squared distance: 2 (the weight multiplies the difference), or 1. The paper's text
        leaves it open.
    accept, drop, decay
        As in `IB3`. With many classes most instances are outside each, and so seldom acceptable with a ``decay``.
    window
        As in `IB1`; attribute weights are learned from all rows.
    ties, shuffle, random_state, history, categorical_features, schema, n_jobs
        As in `IB1`.

    Attributes
    ----------
    attribute_weights_
        The weight of each attribute in the description of each class.
    storage_
        Share of the instances seen that are stored and acceptable in some description. Other attributes as in `IB1`.

    References
    ----------
    D. W. Aha, "Tolerating noisy, irrelevant and novel attributes in instance-based learning algorithms",
    *International Journal of Man-Machine Studies* 36, 1992. The weights as restated by D. Wettschereck, D. W. Aha &
    T. Mohri, *Artificial Intelligence Review* 11, 1997, section 3.

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
    >>> model.claims(X[:2]), model.classes_
    (array([[False,  True],
           [ True, False]]), array(['bad', 'good'], dtype='<U4'))
    """

    _keep = "significant"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        name: constraints
        for name, constraints in ConceptLearner._parameter_constraints.items()
        if name not in ("per_class", "distance")
    } | {**_LEVELS, "weight_power": [Options(Real, {1, 2})]}

    def __init__(
        self,
        *,
        ties: Ties = "majority",
        shuffle: bool = False,
        random_state: Any = None,
        history: History = False,
        window: int | None = None,
        accept: float = 0.9,
        drop: float = 0.875,
        decay: float = 1.0,
        weight_power: int = 2,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ties = ties
        self.shuffle = shuffle
        self.random_state = random_state
        self.history = history
        self.window = window
        self.accept = accept
        self.drop = drop
        self.decay = decay
        self.weight_power = weight_power
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    @property
    @reads
    def attribute_weights_(self) -> Any:
        """The weight of each attribute in the description of each class, between 0 and 1/2.

        After a fit on arrays an array, shape (classes, attributes), otherwise a frame with a line for each class: its
        ``concept``, and the attributes by name.
        """
        return _attribute_weights(self)

    def _similarity(self) -> tuple[Distance, bool, bool]:
        return ib(), True, True

    def _rules(self) -> dict[str, Any]:
        return _record_rules(self) | {"weighted": True, "weight_power": float(self.weight_power)}


class IB5(ConceptLearner):
    """IB4 that ignores missing values, so that attributes may appear, and be lacking, at any time.

    The three parts of the framework are those of `IB4`, but for this:

    - *similarity*: an attribute that is missing in x or y adds nothing to the distance, instead of the most it could;
    - *update of the description*: its weight is moved only by comparisons in which it is known on both sides.

    So an attribute that `partial_fit` brings for the first time is added at its first known value, with the weight 1/2
    and missing in all instances stored before; nothing is learned again. Frames are matched by name: a new column is a
    new attribute of the kind its dtype implies (declare the whole `Schema` where dtypes do not say it), and one that is
    lacking is missing in every row. Arrays go by position: new columns come last, and none may be lacking. Queries may
    lack columns, too, but may not bring new ones.

    Parameters
    ----------
    missing
        How an attribute that is missing on either side affects the distance: ``"ignore"``: it adds nothing;
        ``"scale"``: it is left out, and the sum of the others is scaled up, so that rows with many missing values are
        not near to everything. The paper's text leaves it open.
    weight_power, accept, drop, decay, window
        As in `IB4`.
    ties, shuffle, random_state, history, categorical_features, schema, n_jobs
        As in `IB1`.

    Attributes
    ----------
    attribute_weights_, storage_
        As in `IB4`. Other attributes as in `IB1`.

    References
    ----------
    As of `IB4`.

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

    _keep = "significant"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **IB4._parameter_constraints,
        "missing": [StrOptions({"ignore", "scale"})],
    }

    def __init__(
        self,
        *,
        ties: Ties = "majority",
        shuffle: bool = False,
        random_state: Any = None,
        history: History = False,
        window: int | None = None,
        accept: float = 0.9,
        drop: float = 0.875,
        decay: float = 1.0,
        weight_power: int = 2,
        missing: str = "ignore",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ties = ties
        self.shuffle = shuffle
        self.random_state = random_state
        self.history = history
        self.window = window
        self.accept = accept
        self.drop = drop
        self.decay = decay
        self.weight_power = weight_power
        self.missing = missing
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    @property
    @reads
    def attribute_weights_(self) -> Any:
        """The weight of each attribute in the description of each class; see `IB4`."""
        return _attribute_weights(self)

    def _similarity(self) -> tuple[Distance, bool, bool]:
        scale = self.missing == "scale"
        return Distance(numeric=Absolute("range", widen=True), missing="skip" if scale else "ignore"), True, True

    def _rules(self) -> dict[str, Any]:
        return _record_rules(self) | {
            "weighted": True,
            "weight_power": float(self.weight_power),
            "known_only": True,
        }

    def _declared(self) -> Schema | None:
        return self.schema if isinstance(self.schema, Schema) else None

    def _read_rows(self, X: Any, first: bool) -> tuple[Table, ColumnKinds | None]:
        if first and not isinstance(self.schema, Schema):
            table = self._training_table(X)
            schema = table.schema
            return table, tuple((schema.label(a), kind) for a, kind in enumerate(schema.kinds))
        if first:
            check_declared(self)
        instances = Instances(self.schema) if first else self._stored().instances
        return read_some(instances, X, extend=True)

    def _learned(
        self, table: Table, targets: Targets, order: IdArray | None, columns: ColumnKinds | None
    ) -> ConceptMemory:
        memory = self._stored()
        known = len(memory.instances.schema)
        if len(table.schema) == known:
            return super()._learned(table, targets, order, columns)
        memory = memory.detached()  # learned stage by stage: the one before stays as it is if this call fails
        for rows, part in stages(table, known):
            if len(part.schema) > len(memory.instances.schema):
                memory = memory.widened(part.schema)
            memory = learn(memory, part, targets.part(rows), None, threads=self._threads(), columns=columns)
        record_features(self, memory.instances.schema)
        return memory

    def _table(self, X: Any) -> Table:
        instances = self._stored().instances
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == len(instances.schema):
            return super()._table(X)
        return read_some(instances, X, extend=False)[0]


def _record_rules(learner: Any) -> dict[str, Any]:
    """The rules of the learners whose records decide."""
    return {
        "z_accept": float(ndtri(float(learner.accept))),
        "z_drop": float(ndtri(float(learner.drop))),
        "decay": float(learner.decay),
    }


def _fit_resample(learner: Any, X: Any, y: Any) -> tuple[Any, Any]:
    learner.fit(X, y)
    return taken_rows(X, learner.sample_indices_), taken_rows(y, learner.sample_indices_)


def _attribute_weights(learner: Any) -> Any:
    memory = learner._answering()
    seen, descriptions = memory.classes(), memory.learned()
    weights = np.array([descriptions.of_class(code).core.weights()[0] for code in seen.codes.tolist()])
    if learner._backend is None:
        return weights
    columns: dict[str, Any] = {"concept": objects(seen.classes.tolist())}
    for a, name in enumerate(attribute_names(memory.instances.schema)):
        columns[free_label(str(name), columns)] = weights[:, a]
    return framed(columns, learner._backend)
