"""IB1: remember every instance."""

from __future__ import annotations

from typing import Any

from priorcase.concepts.exclusive import ExclusiveLearner
from priorcase.concepts.parameters import History, Ties
from priorcase.learning.estimator import SchemaLike
from priorcase.schema import CategoricalFeatures
from priorcase.similarity import Distance


class IB1(ExclusiveLearner):
    """The class of the most similar of all instances seen: the nearest neighbour, learned one by one.

    The three parts of the framework:

    - *similarity* ``Sim(x, y) = -sqrt(sum_i f(x_i, y_i))``: f is the squared difference of numbers scaled by their
      range so far to [0, 1], and for other values 0 where they are equal and 1 where they are not; a missing value is
      as different from a present one as it can be, and two missing values have f = 1;
    - *classification*: the class of the stored instance most similar to x;
    - *update of the description*: x is stored.

    Scaling, gaps and learning one by one are what it has beyond the plain nearest neighbour. Each stored instance has
    a record of how it did as the nearest one, which decides nothing here.

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
        Share of the instances seen that are stored: 1, but for a window.
    stored_, dropped_, n_seen_
        How many instances are stored, were dropped (by their records or by the window), and were learned.
    history_
        The trace, with ``history``: a `LearningHistory` with ``frame()`` and ``plot()``.
    ids_, n_samples_fit_, schema_, n_features_in_, feature_names_in_
        The stored rows, by their positions in the stream, and what their columns mean.

    Notes
    -----
    Every row is stored, so any of them can be forgotten exactly, and at once: `forget` takes rows out of ranges, counts
    and description. Records and history, which depend on the order, are made again when they are next looked at.

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
