"""IB3: remember misclassified instances, and drop those whose records are poor."""

from __future__ import annotations

from typing import Any

from priorcase._typing import IdArray
from priorcase.concepts.exclusive import ExclusiveLearner
from priorcase.concepts.parameters import History, Ties, check_decay
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.resampling import ResamplingMixin
from priorcase.schema import CategoricalFeatures
from priorcase.similarity import Distance


class IB3(ResamplingMixin, ExclusiveLearner):
    """IB2 that waits for evidence: only instances with good records speak, and those with poor ones are dropped.

    The three parts of the framework, for an instance x that arrives:

    - *similarity* is that of `IB1`;
    - *classification*: the class of the most similar *acceptable* instance; while none is acceptable, of the i-th most
      similar one, i by chance;
    - *update of the description*: every stored instance at least as similar as the one that spoke gets its record
      updated (one more trial, and one more success if it has the class of x) and is dropped if it is now
      significantly poor; x is stored, without a record, if it was misclassified.

    With s successes in n trials, and the class frequency among all instances seen, each as a Wilson interval (see
    `wilson_interval`), an instance is *acceptable* if its accuracy is surely above the frequency of its class
    (``low(s, n) > high(count, N)``), *poor* if it is surely below (``high(s, n) < low(count, N)``), and mediocre
    otherwise: kept, and not asked. Predictions ask acceptable instances only, and all where none is acceptable.

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
    accept, drop
        Confidence levels of acceptance and of dropping, one-sided, from 0.5 to below 1: each bound of an interval holds
        with this probability. The paper says 90 % and 75 %; 0.9, and 0.875 for the bounds of a two-sided 75 %,
        reproduce its figures.
    decay
        What is left of an instance's earlier trials when it is tried again: above 0, at most 1 (all of them). Below 1 a
        record tells of its latest trials, about ``1 / (1 - decay)`` of them: an instance of a concept that has drifted
        is soon asked no more, and dropped. Class counts do not decay. So few trials prove less: instances of a class
        with more than ``1 / (1 + z^2 (1 - decay))`` of all (z the quantile of ``accept``; 0.75 at 0.8, 0.86 at 0.9,
        0.98 at 0.99) are never acceptable.
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
        Share of the instances seen that are stored and acceptable (the storage of the paper's Table 6).
    stored_, dropped_, n_seen_
        How many instances are stored, were dropped (by their records or by the window), and were learned.
    history_
        The trace, with ``history``: a `LearningHistory` with ``frame()`` and ``plot()``.
    ids_, n_samples_fit_, schema_, n_features_in_, feature_names_in_
        The stored rows, by their positions in the stream, and what their columns mean.
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
        return self._sampled()

    def _levels(self) -> tuple[Any, Any]:
        return self.accept, self.drop

    def _special(self) -> dict[str, Any]:
        return {"decay": check_decay(self.decay)}
