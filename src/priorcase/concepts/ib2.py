"""IB2: remember the instances that were misclassified."""

from __future__ import annotations

from typing import Any

from priorcase._typing import IdArray
from priorcase.concepts.exclusive import ExclusiveLearner
from priorcase.concepts.parameters import History, Ties
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.resampling import ResamplingMixin
from priorcase.schema import CategoricalFeatures
from priorcase.similarity import Distance


class IB2(ResamplingMixin, ExclusiveLearner):
    """IB1 that stores an instance only where those stored before misclassify it.

    The three parts of the framework:

    - *similarity* is that of `IB1`;
    - *classification*: the class of the stored instance most similar to x;
    - *update of the description*: x is stored if it was misclassified; the first instance always is.

    What is stored lies mostly near the boundaries between classes, which saves most of the storage. Noisy instances
    are nearly always misclassified, hence stored, and then misclassify others: with noise IB2 falls below IB1. One
    pass; the result depends on the order of the rows.

    Parameters
    ----------
    ties
        Who speaks where several instances are nearest, all exactly equally near: ``"majority"``: all of them vote, and
        of classes with equally many votes the one stored first wins; ``"first"``: the one stored first; ``"random"``:
        one of them by chance (random numbers of predictions begin anew in each call, so that equal calls have equal
        answers). The paper says "some"; its figures for LED need the majority.
    shuffle
        Let `fit` learn the rows in a random order; ids stay the rows' positions.
    random_state
        Where random numbers begin: a whole number, None for another one in each fit, or a ``RandomState``.
    history
        True keeps a trace of what each instance did (``history_``); ``"replay"`` keeps all rows as well, so that any
        of them can be forgotten: the others are then learned again.
    per_class
        A description of its own for each class, in which rows belong to the class or do not. Descriptions may then
        overlap, several or none may claim a query (`claims`), and targets may be multi-label.
    window
        How many of the latest rows count; older ones leave the description and the class counts, but ranges of numbers
        stay as wide as they made them. None for all.
    distance
        ``"ib"``: Aha's similarity, whose ranges of numbers grow as rows come. The name of any other distance, or a
        `Distance`, takes its statistics from the rows of the first call and keeps them; values first seen later are
        unseen then.
    categorical_features
        ``"from_dtype"``, None, or a mask, positions or names of the nominal columns, as in scikit-learn; text,
        objects and booleans are nominal too.
    schema
        Kinds declared by hand: a `Schema`, or a mapping from column to kind for some columns. Streams need it where
        the first rows do not show what a column is.
    n_jobs
        Threads: None for all cores this process may use (at most ``OMP_NUM_THREADS``), -1 for all; never more than
        four for each core. Queries share them, and in learning the descriptions of several classes.

    Attributes
    ----------
    classes_
        All classes met or announced, whether or not a stored row has them.
    concept_
        The stored instances with their records, as a frame.
    storage_
        Share of the instances seen that are stored (the storage of the paper's Table 4).
    stored_, dropped_, n_seen_
        How many instances are stored, were dropped (by their records or by the window), and were learned.
    history_
        The trace, with ``history``: a `LearningHistory` with ``frame()`` and ``plot()``.
    ids_, n_samples_fit_, schema_, n_features_in_, feature_names_in_
        The stored rows, by their positions in the stream, and what their columns mean.
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

    def __init__(
        self,
        *,
        ties: Ties = "majority",
        shuffle: bool = False,
        random_state: Any = None,
        history: History = False,
        per_class: bool = False,
        window: int | None = None,
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
        self.distance = distance
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    @property
    def sample_indices_(self) -> IdArray:
        """Positions of the rows stored."""
        return self._sampled()
