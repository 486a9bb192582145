"""Sets of classes around the predictions of any classifier that hold the truth as often as they say."""

from __future__ import annotations

from typing import Any, Self, get_args

import numpy as np
from sklearn.base import ClassifierMixin, is_regressor
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from priorcase._parameters import check_choice, check_flag
from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray
from priorcase.evaluation.answers import readable
from priorcase.evaluation.conformal.estimator import ConformalEstimator, check_real
from priorcase.evaluation.conformal.folds import Folds, check_folds
from priorcase.evaluation.conformal.p_values import LeftOutScores
from priorcase.evaluation.conformal.ranks import check_level, upper_rank
from priorcase.evaluation.conformal.sets import PredictionSets
from priorcase.evaluation.conformal.strangeness import Nonconformity
from priorcase.evaluation.running import check_jobs
from priorcase.exceptions import EvaluationError, ParameterError, TargetError, quoted
from priorcase.learning.state import changes, reads
from priorcase.learning.targets import read_labels


class ConformalClassifier(ClassifierMixin, ConformalEstimator):
    """Sets of classes with a guarantee around the predictions of any classifier, from rows that were left out.

    With ``E_i`` how strange row i looks with its own class to a model fitted without the row's fold, and ``E_i(x, c)``
    how strange query x would look to the same model with class c, the p-value of c is
    ``(#{i: E_i >= E_i(x, c)} + 1) / (n + 1)``, and the set of level ``1 - alpha`` holds the classes whose p-value is
    above alpha. These are the cross-conformal sets of Vovk (2015). The CV+ sets of Romano, Sesia & Candès (2020) are
    the same, said otherwise: the classes with ``#{i: E_i < E_i(x, c)} < (1 - alpha)(n + 1)``. A set may be empty: then
    every class would look too strange.

    What is proved, for rows in no particular order and whatever the classifier: with K folds of n rows a set of level
    ``1 - alpha`` holds the class of a new row with probability
    ``1 - 2 alpha - min(2 (1 - 1/K) / (n/K + 1), (1 - K/n) / (K + 1))`` at least (Romano et al. 2020), which is
    ``1 - 2 alpha`` where every row is a fold. In practice it is close to ``1 - alpha``. The probability is that over
    all rows and queries, and with ``class_conditional`` over those of each class (there it is proved of ``"loo"``).

    Parameters
    ----------
    estimator
        Any classifier with scikit-learn's ``fit`` and ``predict_proba``, of this library or not; it is copied, never
        changed.
    nonconformity
        What strange means. ``"one_minus"``: one minus the probability of the class; gives the smallest sets on
        average. ``"aps"``: what the classes hold together that are no less probable (adaptive prediction sets); larger
        sets where the classifier is in doubt, smaller where it is sure.
    folds
        How many folds, drawn at random; ``"loo"``: every row is a fold, the finest and slowest.
    class_conditional
        Compare a class with rows of that class only, so that a set holds each class as often as the level says, however
        rare it is; classes of few rows are in every set. With n the number of its rows, what is proved holds for each
        class where every row is a fold; folds that share its rows out unevenly are close to it.
    randomized
        With ``nonconformity="aps"`` only: take a random part off what equally probable classes hold, as Romano et al.
        do, which makes sets smaller. The part is drawn for each query by ``random_state`` and its place in the call.
    random_state
        Where folds and random parts come from, and every ``random_state`` of the estimator that is None.
    n_jobs
        How many models joblib fits or asks at a time; None is one, unless ``joblib.parallel_config`` says otherwise.
        The answers do not depend on it.

    Attributes
    ----------
    estimator_, classes_
        The estimator fitted to all rows, and the classes.
    scores_
        How strange each row looked to a model that has not seen it: ``E_i - 1``.
    n_features_in_, feature_names_in_
        The columns, where the estimator has them.

    Notes
    -----
    Up to 30 models are kept; see `ConformalRegressor` for what becomes of more. A class that a fold's model has not met
    has probability 0 there, and one that was never met is in no set. Where a classifier says nothing but 0 and 1, as
    nearest single neighbours do, many rows look equally strange, and sets are larger than they need to be. What depends
    on the order of rows, as IB2 to IB5 do, needs rows in an order that is random.

    References
    ----------
    V. Vovk, Cross-conformal predictors, *Annals of Mathematics and Artificial Intelligence* 74, 2015. Y. Romano,
    M. Sesia & E. J. Candès, Classification with valid and adaptive coverage, *NeurIPS* 2020. V. Vovk, A. Gammerman &
    G. Shafer, *Algorithmic Learning in a Random World*, 2005 (class-conditional).

    Examples
    --------
    >>> from priorcase.evaluation import ConformalClassifier
    >>> import priorcase as pc
    >>> X, y = pc.load_repairs()
    >>> model = ConformalClassifier(pc.NaiveBayes(), folds="loo").fit(X, y)
    >>> sets = model.predict_set(X, level=0.9)
    >>> sets[:4]
    prediction sets at level 0.9: 4 queries, 1.50 classes on average
      query  size  classes (p-value)
          0     1  tune-up (0.99)
          1     2  brakes (0.29), wheel (0.1)
          2     2  wheel (0.32), tune-up (0.1)
          3     1  wheel (0.99)
    >>> sets.labels[1], sets.sizes[:4]
    (['brakes', 'wheel'], array([1, 2, 2, 1]))
    """

    classes_: AnyArray
    scores_: FloatArray
    _targets: IntArray
    _nonconformity: Nonconformity
    _own_class: bool
    _seed: int | None

    def __init__(
        self,
        estimator: Any,
        *,
        nonconformity: Nonconformity = "one_minus",
        folds: Folds = 10,
        class_conditional: bool = False,
        randomized: bool = False,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.nonconformity = nonconformity
        self.folds = folds
        self.class_conditional = class_conditional
        self.randomized = randomized
        self.random_state = random_state
        self.n_jobs = n_jobs

    @changes
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the estimator to all rows, and find how strange each row looks to a model that has not seen it.

        Parameters
        ----------
        X
            Whatever the estimator learns from: a frame, an array or a list of rows.
        y
            One class for each row.
        """
        folds = self._check_parameters()
        check_real(X)
        X = readable(X, self.estimator)
        labels = read_labels(y).values
        if labels.shape[1] != 1:
            raise TargetError(
                f"got y with {labels.shape[1]} columns; expected one class for each row. Fit one model for each target."
            )
        classes, targets = np.unique(labels[:, 0], return_inverse=True)
        seed = self._fit_folds(X, labels[:, 0], folds)
        self.classes_, self._targets = classes, targets
        self._nonconformity, self._own_class = self.nonconformity, bool(self.class_conditional)
        self._seed = seed if self.randomized else None
        self.scores_ = self._left_out_scores().scores(X, self._draws(0, targets.size))
        return self

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))
    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """The probabilities of the estimator fitted to all rows, ``estimator_.predict_proba(X)``."""
        check_is_fitted(self)
        found: FloatArray = self.estimator_.predict_proba(readable(X, self.estimator_))
        return found

    @reads
    def p_values(self, X: Any) -> FloatArray:
        """The p-value of each class for each query, shape (queries, classes), in the order of ``classes_``.

        It is the part of all rows compared with, the query counted among them, that look as strange as the query would
        with that class: small for classes that the query can hardly be of.
        """
        return self._asked(X)[1]

    @reads
    def predict_set(self, X: Any, level: float = 0.9) -> PredictionSets:
        """The classes that each query may be of.

        Parameters
        ----------
        X
            Queries.
        level
            ``1 - alpha``, above 0 and below 1.
        """
        asked = check_level(level)
        counts, p_values, compared = self._asked(X)
        # p > alpha in whole numbers: counts + 1 > alpha (n + 1).
        least = np.array([int(n) + 1 - upper_rank(asked, int(n)) for n in compared])
        return PredictionSets(self.classes_, counts >= least, p_values, float(level))

    def _asked(self, X: Any) -> tuple[IdArray, FloatArray, IdArray]:
        """How many rows are no less strange, the p-values, and how many rows each class is compared with."""
        check_is_fitted(self)
        check_jobs(self.n_jobs)
        X = readable(X, self.estimator_)
        rows, m = self._left_out_scores(), len(self.estimator_.predict(X))
        counts, compared = rows.counts(X, m, self.scores_, self._draws(1, m)), rows.compared()
        return counts, (counts + 1) / (compared + 1), compared

    def _left_out_scores(self) -> LeftOutScores:
        return LeftOutScores(
            self._left_out, self._folds, self.classes_, self._targets, self._nonconformity, self._own_class, self.n_jobs
        )

    def _draws(self, stream: int, n: int) -> FloatArray | None:
        """A random part for each row; those of queries are no continuation of those of rows."""
        return None if self._seed is None else np.random.default_rng([self._seed, stream]).random(n)

    def _check_parameters(self) -> Folds:
        """The folds; refuses parameters that break their rules."""
        hint = "'one_minus' gives the smallest sets, 'aps' adaptive ones."
        check_choice("nonconformity", self.nonconformity, get_args(Nonconformity), hint=hint)
        hint = "True promises the level to each class."
        check_flag("class_conditional", self.class_conditional, hint=hint)
        if check_flag("randomized", self.randomized, hint="False is usual.") and self.nonconformity != "aps":
            raise ParameterError(
                f"randomized must be False where nonconformity={self.nonconformity!r}, got {quoted(self.randomized)}. "
                "nonconformity='aps' has sets that may be randomized."
            )
        self._check_estimator("classifier", is_regressor)
        if not hasattr(self.estimator, "predict_proba"):
            raise EvaluationError(
                f"got an estimator without predict_proba, {type(self.estimator).__name__}. Take a classifier with "
                "probabilities, or wrap this one in scikit-learn's CalibratedClassifierCV."
            )
        return check_folds(self.folds, one_by_one=True)
