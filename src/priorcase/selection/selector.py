"""Attributes chosen by leave-one-out, as a scikit-learn selector."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from priorcase._typing import AnyArray, BoolArray
from priorcase._validation import record_features
from priorcase.exceptions import SchemaError, SchemaMismatchError
from priorcase.learning.frames import backend_of
from priorcase.learning.parameters import check_n_jobs, thread_count
from priorcase.learning.state import changes, reads
from priorcase.learning.targets import as_array, has_fractions
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.schema import Schema
from priorcase.selection import parameters
from priorcase.selection.columns import contained, taken_columns, widened
from priorcase.selection.history import SelectionHistory
from priorcase.selection.left_out import left_out
from priorcase.selection.losses import Scoring
from priorcase.selection.parameters import DELTA, MIN_POINTS, Direction, Search
from priorcase.selection.plan import Plan


class AttributeSelector(SelectorMixin, BaseEstimator):
    """The attributes by which the nearest other rows predict each row best: chosen by leave-one-out, raced or in full.

    A subset of the attributes is as good as the mean loss over the rows when each is predicted from all others by the
    attributes of the subset alone. Rows may mix numbers, ordered levels and values, with gaps.

    ``"forward"`` starts from nothing and adds the attribute that lowers the loss most, ``"backward"`` starts from all
    and removes the one that is missed least, and every subset is tried on every row. The others are Moore & Lee's
    (1994) and try subsets on rows in one random sequence until they can tell. ``"race"`` and ``"brace"`` take the same
    steps, and a subset leaves a step's race once the probability that it beats the leader by more than ``gamma`` is
    below ``delta``: by the variances of both subsets' losses in ``"race"``, by that of their differences row by row in
    ``"brace"``, which needs far fewer rows where some are hard for everyone. ``"schemata"`` races every attribute in
    against out while the others are in or out at random, so that attributes that matter only together are found too.
    When a race has not ended before the last row, the mean loss decides as in the full search.

    Parameters
    ----------
    estimator
        Whose answers count: a `KNNClassifier` or a `KNNRegressor`, whose ``n_neighbors`` may not be ``"loo"``. None:
        one of them with its default parameters, the regressor where ``y`` holds numbers with fractions. It is copied.
        Attribute weights that it has, or learns from all rows, are kept; those of attributes left out count as 0.
    search
        ``"forward"``, ``"backward"``, ``"race"``, ``"brace"`` or ``"schemata"``.
    direction
        Whether ``"race"`` and ``"brace"`` add attributes (``"forward"``, the default) or remove them (``"backward"``).
    n_features
        How many attributes to choose; None to stop when the next step does not pay. Not for ``"schemata"``.
    scoring
        ``"accuracy"``, ``"brier"`` (the squared error of the probabilities) or ``"log_loss"`` (with a ``prior`` only,
        since -log 0 has no mean) for classes; ``"squared_error"`` or ``"absolute_error"`` for numbers. None: the first.
    gamma
        Differences of the mean loss up to this count as none. Adding an attribute must lower it by more; removing one
        may raise it by as much over the lowest on the way. On the scale of the loss of one row; for numbers as a share
        of the loss of the best constant answer: 0.01 is a point of accuracy, or of the explained variance.
    delta
        How improbable it must be that a race is won by another subset than full leave-one-out would name, one worse by
        more than ``gamma``. All comparisons and all times they are made share it; losses are taken for normal.
    min_points
        After how many rows subsets may leave.
    random_state
        Seed of the sequence, and of the random subsets of ``"schemata"``.
    n_jobs
        Threads: None for all cores this process may use, -1 for all. The choice is the same for any number.

    Attributes
    ----------
    support_
        Which attributes were chosen; at least one.
    history_
        The steps, their scores and what they took: prints as a table, with ``frame()`` and ``plot()``.
    n_evaluations_, n_exhaustive_
        How many times a left-out row was predicted by a subset, and how many times the same steps would have taken
        with every subset tried on every row (for ``"schemata"``: both sides of every race).
    n_features_in_, feature_names_in_
        The columns it was fitted on.

    Notes
    -----
    The distance keeps its statistics, such as ranges, while rows are left out. The score of what was chosen is not an
    honest estimate: of many subsets that are equally good some look better by chance. Put the selector into a pipeline
    and cross-validate that.

    References
    ----------
    A. W. Moore & M. S. Lee, *Efficient algorithms for minimizing cross validation error*, ICML 1994. O. Maron & A. W.
    Moore, *Hoeffding races*, NIPS 6, 1994.

    Examples
    --------
    >>> import priorcase as pc
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((400, 6))
    >>> y = (X[:, 1] > X[:, 4]).astype(int)
    >>> selector = pc.AttributeSelector(search="brace").fit(X, y)
    >>> selector.get_feature_names_out()
    array(['x1', 'x4'], dtype=object)
    >>> selector.history_
    brace selection by leave-one-out: 1,646 of 6,000 evaluations (27%)
      step  change  attributes  accuracy  rows  compared  evaluations
         1  + x4             1    0.8431   102         6          453
         2  + x1             2         1    45         6          165
         3  stop             2    0.9783   230         5        1,028
    """

    support_: BoolArray
    history_: SelectionHistory
    n_evaluations_: int
    n_exhaustive_: int
    _schema: Schema

    def __init__(
        self,
        estimator: KNNClassifier | KNNRegressor | None = None,
        *,
        search: Search = "forward",
        direction: Direction | None = None,
        n_features: int | None = None,
        scoring: Scoring | None = None,
        gamma: float = 0.01,
        delta: float = DELTA,
        min_points: int = MIN_POINTS,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.search = search
        self.direction = direction
        self.n_features = n_features
        self.scoring = scoring
        self.gamma = gamma
        self.delta = delta
        self.min_points = min_points
        self.random_state = random_state
        self.n_jobs = n_jobs

    @changes
    def fit(self, X: Any, y: Any) -> Self:
        """Choose attributes: ``support_``.

        Parameters
        ----------
        X
            A pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.
        y
            One class or one number for each row; several columns for several targets.
        """
        plan, threads = Plan.of(self), thread_count(check_n_jobs(self.n_jobs))
        estimator = self._estimator(y)
        scoring = parameters.check_scoring(self.scoring, estimator)
        model = clone(estimator).fit(X, y)
        schema = model.schema_
        n_features = parameters.check_n_features(self.n_features, plan.search, len(schema))
        rows = left_out(model, scoring, threads=threads)
        steps = plan.run(rows, len(schema), n_features)
        self._schema = schema
        self.support_ = np.zeros(len(schema), dtype=bool)
        self.support_[list(steps[-1].subset) if steps else slice(None)] = True
        names = tuple(f"x{a}" if schema.names is None else schema.names[a] for a in range(len(schema)))
        self.history_ = SelectionHistory(steps, names, plan.search, scoring, rows.unit, backend_of(X))
        self.n_evaluations_, self.n_exhaustive_ = self.history_.n_evaluations, self.history_.n_exhaustive
        record_features(self, schema)
        return self

    @reads
    def transform(self, X: Any) -> Any:
        """The chosen columns of a table with the columns it was fitted on.

        A frame gives a frame of the same library, its types unchanged, and anything else an array; ``set_output`` asks
        for others.
        """
        check_is_fitted(self)
        if len(self._schema.read(X)) == 0:
            raise SchemaError.too_few("sample", (0, len(self._schema)))
        library = _get_output_config("transform", estimator=self)["dense"]
        return contained(taken_columns(X, self._schema, self.get_support(indices=True)), library)

    @reads
    def inverse_transform(self, X: Any) -> AnyArray:
        """An array with the chosen columns in their places and gaps, NaN or None, in those that were left out."""
        check_is_fitted(self)
        array, chosen = np.asarray(X), self.get_support(indices=True)
        if array.ndim != 2 or array.shape[1] != chosen.size:
            width = array.shape[1] if array.ndim == 2 else 0
            raise SchemaMismatchError.width(width, chosen.size)
        return widened(array, chosen, len(self._schema))

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        return self.support_.copy()

    def _estimator(self, y: Any) -> KNNClassifier | KNNRegressor:
        """Whose answers count."""
        if self.estimator is not None:
            return parameters.check_estimator(self.estimator)
        return KNNRegressor() if has_fractions(as_array(y)) else KNNClassifier()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
