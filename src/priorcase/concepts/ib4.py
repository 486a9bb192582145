"""IB4: weigh attributes, for each concept on its own."""

from __future__ import annotations

from typing import Any

from priorcase.concepts.parameters import History, Ties
from priorcase.concepts.weighing import WeighingLearner
from priorcase.learning.estimator import SchemaLike
from priorcase.schema import CategoricalFeatures
from priorcase.similarity import Distance, ib


class IB4(WeighingLearner):
    """IB3 with a description for each class that learns which attributes matter to it.

    The three parts of the framework, in the description of a class c, where x belongs to c or does not:

    - *similarity* ``Sim_c(x, y) = -sqrt(sum_i w_ci^2 f(x_i, y_i))``, f as in `IB1`;
    - *classification* as in `IB3`: does the most similar acceptable instance belong to c?
    - *update of the description* as in `IB3`; and the weights are moved by the instance y that spoke. With d_i the
      difference of x and y in attribute i, and ``L`` the higher of the frequencies of their two classes,
      ``Cum_i += (1 - L) (1 - d_i)`` if x and y are of one class and ``(1 - L) d_i`` if not, ``Norm_i += 1 - L``, and
      ``w_ci = max(Cum_i / Norm_i - 1/2, 0)``.

    A value that says nothing about c agrees about as often in the right as in the wrong comparisons, and so its weight
    goes towards 0. Numbers that say nothing keep a weight: any two differ by a third of the range on average, and the
    nearest instances by less, so that they seem to agree wherever the answer is right. Among many columns those that
    matter weigh clearly more than these; among few, with many instances, hardly more. Before the first comparison all
    weights are 1/2; where all have become 0, all attributes count alike.

    **Predictions.** The class whose description claims the query; of several the one whose speaker is nearest, as
    squared distance by sum of weights, so that descriptions with other weights compare; if none claims it, the class
    whose nearest member is nearest by that measure. `claims` shows what each description says by itself, and targets
    may be multi-label: a column of 0 and 1 for each class. A class that comes up in mid-stream is described as if it
    had been known from the start.

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
    window
        How many of the latest rows count; older ones leave the description and the class counts, but ranges of numbers
        stay as wide as they made them, and attribute weights are learned from all. None for all.
    accept, drop
        Confidence levels of acceptance and of dropping, one-sided, from 0.5 to below 1: each bound of an interval holds
        with this probability. The paper says 90 % and 75 %; 0.9, and 0.875 for the bounds of a two-sided 75 %,
        reproduce its figures.
    decay
        What is left of an instance's earlier trials when it is tried again: above 0, at most 1 (all of them). Below 1 a
        record tells of its latest trials, about ``1 / (1 - decay)`` of them: an instance of a concept that has drifted
        is soon asked no more, and dropped. Class counts do not decay. So few trials prove less: instances of a class
        with more than ``1 / (1 + z^2 (1 - decay))`` of all (z the quantile of ``accept``; 0.75 at 0.8, 0.86 at 0.9,
        0.98 at 0.99) are never acceptable. Mind that of many classes most instances are outside each.
    weight_power
        Differences are weighed by the weights to this power in the squared distance: 2 (the weight multiplies the
        difference), or 1. The paper's text leaves it open.
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
    attribute_weights_
        The weight of each attribute in the description of each class.
    concept_
        The stored instances with their records, as a frame.
    storage_
        Share of the instances seen that are stored and acceptable in some description.
    stored_, dropped_, n_seen_
        How many instances are stored, were dropped (by their records or by the window), and were learned.
    history_
        The trace, with ``history``: a `LearningHistory` with ``frame()`` and ``plot()``.
    ids_, n_samples_fit_, schema_, n_features_in_, feature_names_in_
        The stored rows, by their positions in the stream, and what their columns mean.

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
    >>> X = rng.integers(0, 2, size=(1000, 20)).astype(bool)  # only the first column matters
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

    def _resolved(self) -> tuple[Distance, bool]:
        return ib(), True
