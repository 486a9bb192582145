"""k-nearest-neighbour classification of mixed rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.learning.classes import Classes
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.labels import learned_labels
from priorcase.learning.parameters import is_list
from priorcase.learning.state import reads
from priorcase.neighbors import parameters
from priorcase.neighbors.deciding import LeftOut, decide, probabilities
from priorcase.neighbors.explaining import Answer, unlike_cases
from priorcase.neighbors.left_out_classifier import LeftOutClassifier
from priorcase.neighbors.one_query import winner_of_one
from priorcase.neighbors.parameters import NNeighbors
from priorcase.neighbors.polling import Poll
from priorcase.neighbors.precedents import Case
from priorcase.neighbors.priors import refuse_last_of_class
from priorcase.neighbors.tally import Ties
from priorcase.neighbors.weights import AttributeWeights
from priorcase.schema import CategoricalFeatures, Schema
from priorcase.search.scan import Algorithm
from priorcase.similarity import Distance, Kernel


class KNNClassifier(ClassifierMixin, LeftOutClassifier):
    """The class that the nearest stored rows vote for.

    Rows may mix numbers, ordered levels and values, with gaps: no encoder, scaler or imputer is needed in front. Rows
    can be added (`partial_fit`) and forgotten (`forget`) at any time; ranges, tables, the chosen k and every answer
    are then those of a fresh fit on the rows that are left, bit for bit. Parameters take effect at `fit` (or at the
    first `partial_fit`), ``n_jobs`` at once. Several threads may ask while another one adds or forgets rows: each
    answer is that of one state, before or after a change and never in between.

    Parameters
    ----------
    n_neighbors
        How many neighbours vote: a number; ``"sqrt"`` of the number of rows, rounded down; ``"all"`` of them (Shepard's
        method: choose a ``vote`` that falls with the distance); or ``"loo"``: the k from 1 to 50 with the best
        leave-one-out accuracy, the smallest of the best, the curve in ``loo_scores_``. A number larger than the
        number of rows is an error when a question is asked, as in scikit-learn.
    distance
        A name (``"heom"``, ``"hvdm"``, ``"mvdm"``, ``"vdm"``, ``"ivdm"``, ``"gower"``, ``"overlap"``,
        ``"euclidean"``, ``"manhattan"``, ...) or a `Distance`.
    vote
        How much a neighbour at distance d counts: ``"uniform"``; ``"inverse_square"``: ``1 / d^2``, where rows equal
        to the query decide alone; the name of a kernel (``"gaussian"``, ``"tricube"``, ``"epanechnikov"``, ...) or a
        kernel K: ``K(d / h)`` with the ``bandwidth`` h; or a function from the distances of one query's voters to as
        many numbers >= 0.
    bandwidth
        The h of a kernel: a number above 0, in units of the distance, the same for all queries. Where every vote would
        then be 0 the neighbours count equally. None: the distance of the (k+1)-th nearest row.
    attribute_weights
        One number >= 0 for each attribute; a mapping from attribute to number (1 for the others); or a way to learn
        them from the stored rows and their classes (single target only): ``"gain_ratio"``, ``"relief"``,
        ``"mutual_information"``, ``"bayes"``, ``"loo"``, or with options `GainRatio`, `Relief`, `MutualInformation`,
        `Bayes`, `LeaveOneOut`. Learned weights follow the rows as these come and go. Where nothing matters all
        attributes weigh the same. See ``attribute_weights_`` and ``weights_table_``.
    ties
        ``"majority"``: every row as near as the k-th votes, and a tied vote goes to the class with more training
        rows, then to the first in ``classes_``. The others let exactly k rows vote, lower ids first among equally
        near ones, and give a tied vote to the first class in ``classes_`` (``"first"``, scikit-learn's rule), to the
        tied class with the nearest voter (``"nearest"``), or to the class that leads once the farthest voters have
        been dropped one by one (``"reduce"``).
    prior
        Dirichlet weights added to the neighbours' counts, so that few neighbours do not claim certainty: a number for
        every class, an array with one for each in ``classes_`` (single target only), or ``"frequency"`` (the classes'
        training frequencies, one vote in all). Votes are first rescaled to sum to the number of voters. None and
        weights of 0 add nothing: the maximum-likelihood estimate. With an array, the last row of a class that
        `partial_fit` has not declared cannot be forgotten, except with all others.
    temperature
        How flat probabilities are: they are proportional to ``m^(1 / T)`` of the votes m, prior included. 1 for shares
        of the vote, more for flatter and less for sharper ones. Predictions do not change.
    algorithm
        How to search: ``"auto"``, ``"tree"``, ``"scan"``, ``"plain"`` or ``"exhaustive"``. The answers are the same.
    categorical_features
        ``"from_dtype"``, None, or a mask, positions or names of the nominal columns, as in scikit-learn; text,
        objects and booleans are nominal too.
    schema
        Kinds declared by hand: a `Schema`, or a mapping from column to kind for some columns.
    n_jobs
        Threads: None for all cores this process may use (at most ``OMP_NUM_THREADS``), -1 for all; never more than
        four for each core.

    Attributes
    ----------
    classes_
        The classes in ascending order; a list of arrays when there are several targets.
    n_neighbors_, loo_scores_
        The number of neighbours, counted like votes (a row of weight 2 is two), and the leave-one-out accuracy (over
        all targets) for k = 1, 2, ... it was chosen by. Attribute weights are those of all rows there, too.
    attribute_weights_, weights_table_
        The weight of each attribute, in schema order, and the same as a table that prints and draws itself.
    tuning_
        How the parameters were chosen, after `tuned`.
    ids_, n_samples_fit_, schema_, distance_, n_features_in_, feature_names_in_
        The stored rows, what their columns mean, and the distance fitted to them.

    Notes
    -----
    **Weights are repetitions.** A row of weight 2 counts as two rows, in statistics and votes and in
    counting to k: neighbours are taken until their weights reach k, and the last one counts with the part that is
    missing (fully under ``ties="majority"``). A row of weight 0 is as absent.

    References
    ----------
    T. Mitchell, *Machine Learning*, 1997, section 8.2. D. Shepard, *Proc. 23rd ACM National Conference*, 1968
    (``n_neighbors="all"``).

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[31, "red"], [29, "red"], [62, "blue"], [None, "blue"]]
    >>> model = pc.KNNClassifier(n_neighbors=3, prior=1.0).fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([[60, "blue"]]), model.predict_proba([[60, "blue"]])
    (array(['yes'], dtype='<U3'), array([[0.4, 0.6]]))
    >>> model.precedents([[60, "blue"]], n_neighbors=1)
    query 0: yes  (yes 0.67, no 0.33)
              id  vote  distance  target  x0          x1
      query                               60          blue
      1        2  100%   0.06061  yes     62 (0.061)  blue (0)
      unlike   0           1.331  no      31 (0.58)   red (0.75)
    >>> model.forget([2]).ids_
    array([0, 1, 3])
    """

    _allowed_ties = ("majority", "first", "nearest", "reduce")
    _higher_is_better = True

    def __init__(
        self,
        n_neighbors: NNeighbors = 5,
        *,
        distance: str | Distance = "heom",
        vote: str | Kernel | Callable[[FloatArray], FloatArray] = "uniform",
        bandwidth: float | None = None,
        attribute_weights: AttributeWeights = None,
        ties: Ties = "majority",
        prior: float | str | Sequence[float] | FloatArray | None = None,
        temperature: float = 1.0,
        algorithm: Algorithm = "auto",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.distance = distance
        self.vote = vote
        self.bandwidth = bandwidth
        self.attribute_weights = attribute_weights
        self.ties = ties
        self.prior = prior
        self.temperature = temperature
        self.algorithm = algorithm
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = tags.target_tags.multi_output
        return tags

    @property
    @reads
    def classes_(self) -> AnyArray | list[AnyArray]:
        """The classes in ascending order; a list of arrays when there are several targets."""
        outputs = self._outputs()
        return outputs[0].labels if self._labelling.flat else [classes.labels for classes in outputs]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, in place of any stored before.

        Parameters
        ----------
        X
            A pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.
        y
            One class for each row: text, whole numbers or booleans; several columns for several targets.
        sample_weight
            How many rows each row counts as; None for one.
        """
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Store more rows. A call that fails leaves everything as it was.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes
            Classes that stay in ``classes_`` even when no row has them (a list of arrays when there are several
            targets); may be left out. Once given, ``y`` may hold no others, and neither may the rows stored before.
        """
        return self._partial_fit(X, y, sample_weight, classes)

    @reads
    def predict(self, X: Any) -> AnyArray:
        """The class of each query; shape (queries, targets) when there are several targets."""
        cells = self._cells(X)
        outputs, priors = self._outputs(), self._priors()
        if len(cells) == 1 and (winner := self._winner_alone(cells, outputs)) >= 0:
            return outputs[0].labels[winner : winner + 1].copy()
        chosen = np.empty((len(cells), len(outputs)), dtype=np.intp)
        for poll in self._polls(cells):
            chosen[poll.start : poll.stop] = decide(poll, self._rules.ties, outputs, priors)
        return self._named(chosen)

    @reads
    def predict_proba(self, X: Any) -> FloatArray | list[FloatArray]:
        """Probability of each class in ``classes_`` by vote, prior and temperature; a list for several targets."""
        cells = self._cells(X)
        outputs, priors = self._outputs(), self._priors()
        results = [np.empty((len(cells), classes.labels.size)) for classes in outputs]
        for poll in self._polls(cells):
            votes = poll.votes()
            for result, classes, prior in zip(results, outputs, priors, strict=True):
                result[poll.start : poll.stop] = probabilities(poll, votes, classes, prior, self._temperature)
        return results[0] if self._labelling.flat else results

    # -- inside

    def _winner_alone(self, cells: FloatArray, outputs: Sequence[Classes]) -> int:
        """The class of a single query, by its position, where the core can tell; -1 otherwise."""
        memory, k = self._stored(), self._k
        if self._prior is not None or len(outputs) > 1 or not isinstance(k, int) or k > len(memory):
            return -1
        self._check_n_jobs()
        return winner_of_one(memory, cells, k, self._rules, outputs[0])

    def _outputs(self) -> list[Classes]:
        """The classes of each target."""
        memory = self._stored()
        return memory.followed("classes", lambda earlier: self._labelling.classes(memory.instances, earlier or ()))

    def _width(self) -> int:
        return sum(classes.labels.size for classes in self._outputs())

    def _priors(self) -> list[FloatArray | None]:
        """The prior of each target."""
        if self._prior is None:
            return [None] * len(self._outputs())

        def checked() -> list[FloatArray | None]:
            weights = [classes.weights for classes in self._outputs()]
            return parameters.check_prior(self._prior, weights)

        return self._stored().cached("priors", checked)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._prior = self.prior
        self._temperature = parameters.check_temperature(self.temperature)

    def _check_rows(self) -> None:
        super()._check_rows()
        if self._prior is not None:
            self._priors()

    def _check_forgetting(self, ids: ArrayLike) -> None:
        if is_list(self._prior) and self._labelling.declared is None:
            gone = self._stored().instances.positions(ids)
            refuse_last_of_class(self._outputs()[0], gone)

    def _score_left_out(self, poll: Poll, own: IntArray) -> FloatArray:
        """Share of the targets of each left-out row that the others vote for."""
        outputs, left_out = self._outputs(), LeftOut.once(own, self._stored().row_weights)
        chosen = decide(poll, self._rules.ties, outputs, self._priors(), left_out)
        right = [chosen[:, t] == classes.codes[own] for t, classes in enumerate(outputs)]
        return np.asarray(np.mean(right, axis=0))

    def _answer(self, poll: Poll) -> Answer:
        outputs, priors = self._outputs(), self._priors()
        chosen = decide(poll, self._rules.ties, outputs, priors)
        if not self._labelling.flat:
            return Answer(self._named(chosen), None, chosen)
        proba = probabilities(poll, poll.votes(), outputs[0], priors[0], self._temperature)
        return Answer(self._named(chosen), proba, chosen)

    def _unlike(self, cells: FloatArray, answers: Sequence[Answer]) -> tuple[Case | None, ...]:
        codes = np.stack([classes.codes for classes in self._outputs()], axis=1)
        predicted = np.concatenate([answer.codes for answer in answers if answer.codes is not None])
        threads = self._threads()
        return unlike_cases(self._stored(), cells, codes, predicted, self._targets_at, threads=threads)

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        instances = None if first else self._stored().instances
        earlier = None if first else self._labelling
        self._labelling, targets, labels = learned_labels(y, classes, earlier, instances)
        return targets, labels
