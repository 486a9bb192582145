"""The mixture as an estimator: of classes, of components, of densities."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.utils import ClassifierTags

from priorcase._typing import AnyArray, FloatArray
from priorcase._validation import record_features
from priorcase.bayes.mixture import checks, reading
from priorcase.bayes.mixture.components import Components
from priorcase.bayes.mixture.fitted import Fitted
from priorcase.bayes.mixture.layout import lay_out
from priorcase.bayes.mixture.questions import MixtureQuestions
from priorcase.bayes.mixture.selection import SelectionName, select
from priorcase.exceptions import TargetError
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.frames import backend_of
from priorcase.learning.parameters import check_schema
from priorcase.learning.state import changes, reads
from priorcase.schema import CategoricalFeatures, Schema


class MixtureModel(MixtureQuestions):
    """Rows as a mixture of a few kinds of rows, which are found by EM.

    ``P(x) = sum_k p_k prod_i p(x_i | k)``: a row comes from a hidden component k, and given that its attributes are
    independent. Nominal and ordinal ones have a probability for each value, numeric ones a mean and a variance. A
    missing value drops out of the product, which is exact. With ``y`` the class is one more such attribute, and the
    mixture classifies; without it, it clusters and measures densities. Either way any column can be asked for from any
    others.

    EM looks for the parameters of the largest posterior density. The prior is worth ``prior`` rows: that is the
    Dirichlet weight of every component and value, and that many rows say that the variance of a number within a
    component is a tenth of its variance in the whole column. Density is taken over log-odds, means and logs of
    precisions, so that a probability is ``(n_l + prior) / (n + n_values prior)``, and none is ever 0. Nor is a
    variance: no component is narrower than the numbers of a column are recorded, since repeated numbers would be taken
    for components of their own.

    Parameters
    ----------
    n_components
        How many components; ``"auto"`` tries 1 to ``max_components`` and takes the one with the best score.
    max_components
        The most that ``"auto"`` tries; never more than there are rows.
    selection
        ``"cheeseman_stutz"``: an approximation of the log evidence (Cheeseman & Stutz 1996), exact for one component.
        ``"held_out"``: mean log-score of rows left out, in five parts: that of the class where there is one, that of
        the row otherwise.
    n_init
        Starts of EM for each number of components; the one that ends best is taken.
    max_iter
        The most iterations of a run; if the best run needs more, a ``ConvergenceWarning`` says so.
    tol
        A run ends when an iteration gains at most this much for each row, in nats.
    prior
        The weight of the prior, above 0.
    random_state
        Makes fits repeatable. The order of the rows and the names of nominal values then do not matter.
    categorical_features
        ``"from_dtype"``, or which columns are nominal: a mask, positions or names.
    schema
        Kinds declared by hand: a mapping from column to kind, or a `Schema` for all columns.
    n_jobs
        Threads for the starts; None and -1 for all cores. The result does not depend on it.
    progress
        Whether to draw a bar on standard error while EM runs, where that is a terminal.

    Attributes
    ----------
    n_components_
        The number of components.
    weights_
        Probability of each component, descending.
    components_
        What each component is like; prints as a table.
    selection_
        The numbers of components that were tried and their scores; prints as a table.
    classes_
        The classes in ascending order; only after a fit with ``y``.
    history_
        Log of likelihood times prior at the start of the best run and after each iteration; it never falls.
    log_posterior_, n_iter_, converged_
        Its last value, the number of iterations, and whether the run ended by ``tol``.

    Notes
    -----
    A numeric column with fewer than two different numbers says nothing and is left out. A value never seen gets the
    probability that a domain larger by one would give it. A single class is answered with certainty; a single row is
    refused. ``sample_weight`` counts as repetitions. The rows are not kept.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0, "a"], [1.2, "a"], [0.9, None], [5.1, "b"], [4.8, "b"], [None, "b"], [5.0, "b"]]
    >>> model = pc.MixtureModel(2, random_state=0).fit(X)
    >>> model.predict(X)
    array([1, 1, 1, 0, 0, 0, 0])
    >>> model.components_
    component  0               1
    weight     0.529           0.471
    x0         4.903 ± 0.4023  1.097 ± 0.4023
    x1         b 0.83, a 0.17  a 0.71, b 0.29
    >>> model.impute([[5.0, None], [None, "a"]])
    [[5.0, 'b'], [1.918..., 'a']]
    >>> model.oddness([[1.0, "b"]])
    query 0: 2.02 nats; 0.00% of the training rows are at least as odd
      column       value  surprise  usual  beyond   share
      x0           1          1.47  0.412    1.05  0.0374
      x1           b          1.23  0.303   0.927    1.23
      (component)                                   0.753
    """

    def __init__(
        self,
        n_components: int | Literal["auto"] = "auto",
        *,
        max_components: int = 10,
        selection: SelectionName = "cheeseman_stutz",
        n_init: int = 5,
        max_iter: int = 200,
        tol: float = 1e-6,
        prior: float = 1.0,
        random_state: Any = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
        progress: bool = True,
    ) -> None:
        self.n_components = n_components
        self.max_components = max_components
        self.selection = selection
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.prior = prior
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs
        self.progress = progress

    @changes
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the mixture.

        Parameters
        ----------
        X
            A pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.
        y
            One class for each row, text, whole numbers or booleans; None to do without a class.
        sample_weight
            How many rows each row counts as; None for one.
        """
        check_schema(self.schema)
        name = checks.check_selection(self.selection)
        search = checks.check_search(self)
        checks.check_numbers(self.n_components, self.max_components, math.inf)
        training = reading.read(self, X, y, sample_weight)
        numbers = checks.check_numbers(self.n_components, self.max_components, training.rows)
        rows, backend = lay_out(training.instances, training.codes, training.labels), backend_of(X)
        run, selection = select(rows.layout, rows.cells, numbers, name, search)
        self.selection_ = replace(selection, backend=backend)
        self._mixture = Fitted.of(training, rows, run.parameters, backend)
        self.history_, self.log_posterior_ = run.history, run.log_posterior
        self.n_iter_, self.converged_ = run.history.size - 1, run.converged
        record_features(self, training.instances.schema)
        if not run.converged:
            text = f"the best run of EM did not converge in {search.max_iter} iterations; raise max_iter or tol."
            warnings.warn(text, ConvergenceWarning, stacklevel=3)
        return self

    @property
    @reads
    def n_components_(self) -> int:
        """The number of components."""
        return len(self._answering().parameters)

    @property
    @reads
    def weights_(self) -> FloatArray:
        """Probability of each component, descending."""
        return np.exp(self._answering().parameters.log_weights)

    @property
    @reads
    def components_(self) -> Components:
        """What each component is like; prints as a table."""
        mixture = self._answering()
        return Components.of(mixture.layout, mixture.parameters, mixture.backend)

    @property
    @reads
    def schema_(self) -> Schema:
        """What the columns mean."""
        return self._answering().schema

    @property
    @reads
    def classes_(self) -> AnyArray:
        """The classes in ascending order; only after a fit with ``y``."""
        labels = self._answering().labels
        if labels is None:
            raise AttributeError("classes_ is there after a fit with y only.")
        return labels

    @reads
    def predict(self, X: Any) -> AnyArray:
        """The most probable class of each row; its most probable component after a fit without ``y``."""
        mixture = self._answering()
        cells = mixture.cells(mixture.table(self, X))
        if mixture.labels is None:
            owners: AnyArray = mixture.shares(cells).argmax(axis=0)
            return owners
        chosen: AnyArray = mixture.labels[mixture.class_chances(cells).argmax(axis=1)]
        return chosen

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> AnyArray:
        """What `predict` says of the rows that were fitted."""
        return self.fit(X, y, sample_weight).predict(X)

    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class for each row; of each component after a fit without ``y``."""
        mixture = self._answering()
        cells = mixture.cells(mixture.table(self, X))
        return np.ascontiguousarray(mixture.shares(cells).T) if mixture.labels is None else mixture.class_chances(cells)

    @reads
    def predict_log_proba(self, X: Any) -> FloatArray:
        """The logarithm of `predict_proba`, without its underflow."""
        mixture = self._answering()
        cells = mixture.cells(mixture.table(self, X))
        if mixture.labels is None:
            return np.ascontiguousarray(mixture.log_shares(cells).T)
        return mixture.log_class_chances(cells)

    @reads
    def responsibilities(self, X: Any) -> FloatArray:
        """Probability of each component for each row, shape (rows, components)."""
        mixture = self._answering()
        return np.ascontiguousarray(mixture.shares(mixture.cells(mixture.table(self, X))).T)

    @reads
    def score_samples(self, X: Any) -> FloatArray:
        """Log-density of each row, without its class; what is missing is left out."""
        mixture = self._answering()
        return mixture.log_densities(mixture.cells(mixture.table(self, X)))

    @reads
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Share of the rows whose class is predicted; the mean log-density after a fit without ``y``."""
        if self._answering().labels is None:
            return float(np.average(self.score_samples(X), weights=sample_weight))
        if y is None:
            raise TargetError.absent()
        return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))

    @reads
    def aic(self, X: Any) -> float:
        """Akaike's criterion on some rows, the lower the better: ``-2 ln P(X) + 2 parameters``, without the class."""
        return -2.0 * float(self.score_samples(X).sum()) + 2.0 * self._answering().free

    @reads
    def bic(self, X: Any) -> float:
        """The Bayesian criterion on some rows, the lower the better: ``-2 ln P(X) + parameters ln rows``.

        After a fit with ``y`` too it is about the density of X alone, as `score_samples` is: the class is left out of
        the likelihood, and its probabilities are not among the parameters. The same holds of `aic`.
        """
        densities = self.score_samples(X)
        return -2.0 * float(densities.sum()) + self._answering().free * math.log(densities.size)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = False
        if "_mixture" in self.__dict__ and self._mixture.labels is None:
            tags.estimator_type = "density_estimator"
        else:
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags
