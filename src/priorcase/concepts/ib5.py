"""IB5: take up attributes that appear in mid-stream."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase._typing import IdArray
from priorcase._validation import record_features
from priorcase.concepts.log import ColumnKinds
from priorcase.concepts.novel import read_some, stages
from priorcase.concepts.parameters import History, Ties
from priorcase.concepts.targets import Targets
from priorcase.concepts.weighing import WeighingLearner
from priorcase.instances import Instances
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.parameters import check_choice
from priorcase.learning.training import check_declared
from priorcase.schema import CategoricalFeatures, Schema, Table
from priorcase.similarity import Absolute, Distance


class IB5(WeighingLearner):
    """IB4 to which a missing value says nothing, so that attributes may come up, and be lacking, at any time.

    The three parts of the framework are those of `IB4`, but for this:

    - *similarity*: an attribute that is missing in x or y adds nothing to the distance, instead of the most it could;
    - *update of the description*: its weight is moved only by comparisons in which it is known on both sides.

    So an attribute that `partial_fit` brings for the first time is taken up at its first known value, with the weight
    1/2 and missing in all instances stored before; nothing is learned again. Frames are matched by name: a new column
    is a new attribute of the kind its type stands for (declare the whole `Schema` where types do not say it), and one
    that is lacking is missing in every row. Arrays go by position: new columns come last, and none may be lacking.
    Queries may lack columns, too, but may not bring new ones.

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
    missing
        What an attribute that is missing on either side does to the distance: ``"ignore"``: it adds nothing;
        ``"scale"``: it is left out, and the sum of the others is scaled up, so that rows with many gaps are not near
        to everything. The paper's text leaves it open.
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

    def _resolved(self) -> tuple[Distance, bool]:
        hint = "'ignore' lets a gap add nothing; 'scale' scales the known attributes up."
        rule = check_choice("missing", self.missing, ("ignore", "scale"), hint=hint)
        return Distance(numeric=Absolute("range", widen=True), missing="skip" if rule == "scale" else "ignore"), True

    def _grows(self, distance: Distance) -> bool:
        return True

    def _special(self) -> dict[str, Any]:
        return super()._special() | {"known_only": True}

    def _declared(self) -> Schema | None:
        return self.schema if isinstance(self.schema, Schema) else None

    def _arriving(self, X: Any, first: bool) -> tuple[Table, ColumnKinds | None]:
        if first and not isinstance(self.schema, Schema):
            table = self._training_table(X)
            schema = table.schema
            return table, tuple((schema.label(a), kind) for a, kind in enumerate(schema.kinds))
        if first:
            check_declared(self)
        instances = Instances(self.schema) if first else self._memory.instances
        return read_some(instances, X, taking=True)

    def _take_in(self, table: Table, targets: Targets, order: IdArray | None, columns: ColumnKinds | None) -> None:
        known = len(self._memory.instances.schema)
        if len(table.schema) == known:
            super()._take_in(table, targets, order, columns)
            return
        before = self._memory
        memory = before.widened(before.instances.schema)  # the one before stays as it is if this call fails
        for rows, part in stages(table, known):
            if len(part.schema) > len(memory.instances.schema):
                memory = memory.widened(part.schema)
            self._memory = memory
            super()._take_in(part, targets.part(rows), None, columns)
        record_features(self, memory.instances.schema)

    def _table(self, X: Any) -> Table:
        instances = self._stored().instances
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == len(instances.schema):
            return super()._table(X)
        return read_some(instances, X, taking=False)[0]
