"""`MixtureModel`: classes, components, densities and any column from a finite mixture."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.utils import ClassifierTags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from priorcase import saving
from priorcase._parameters import check_parameters, check_value
from priorcase._typing import AnyArray, FloatArray, IntArray, Name
from priorcase.bayes.columns import asked_position
from priorcase.bayes.mixture import em, questions
from priorcase.bayes.mixture.columns import lay_out
from priorcase.bayes.mixture.questions import FittedMixture
from priorcase.bayes.mixture.results import Components, Oddness, Selection, SelectionName
from priorcase.bayes.results import JointDistribution
from priorcase.exceptions import (
    NotAvailableError,
    ParameterError,
    TargetError,
    TooFewRowsError,
    prefix_errors,
)
from priorcase.instances import Instances, check_weights
from priorcase.learning.estimator import SchemaLike, record_features, thread_count, training_table
from priorcase.learning.state import changes, reads
from priorcase.learning.targets import check_length, read_labels
from priorcase.schema import CategoricalFeatures, Schema
from priorcase.schema.schema import backend_of

if TYPE_CHECKING:
    from priorcase.explaining import Explanations

_POSITIVE = Interval(Integral, 1, None, closed="left")


class MixtureModel(BaseEstimator):
    """Finite mixture model of mixed tables with missing values, fitted by EM.

    ``P(x) = sum_k p_k prod_i p(x_i | k)``: a row comes from a hidden component k, and given that its attributes are
    independent. Nominal and ordinal attributes have a probability for each value, numeric ones a mean and a variance.
    A missing value drops out of the product, which is exact. With ``y`` the class is one more attribute, and the
    mixture classifies; without it, it clusters and estimates densities. Either way any column can be predicted from
    the others. Dates and sets are several attributes, as in `NaiveBayes`, and circular numbers twelve arcs. Of a date
    the expected time elapsed is predicted, of a set the members that it likely has. The words of a text are drawn one
    by one with the probabilities of the component; texts are not predicted, and stay missing in `impute` and `sample`.

    EM maximizes the posterior density over log-odds, means and logs of precisions. The prior is worth ``prior`` rows:
    that is the Dirichlet weight of every component and value, so that a probability is
    ``(n_l + prior) / (n + n_values prior)``; and it expects the variance of a number within a component to be a tenth
    of its variance in the column. No component is narrower than the resolution of a column's numbers.

    Parameters
    ----------
    n_components, max_components
        Number of components; ``"auto"`` tries 1 to ``max_components``, or to the number of rows, and takes the best.
    selection
        ``"cheeseman_stutz"``: an approximation of the log evidence (Cheeseman & Stutz 1996), exact for one component.
        ``"held_out"``: mean log-score of held-out rows in five folds: of the class where there is one, of the row
        otherwise.
    n_init, max_iter, tol
        Starts of EM for each number of components, of which the best is kept. A run ends after ``max_iter`` iterations,
        or when one gains at most ``tol`` nats per row.
    prior
        Prior strength in rows, from 1e-100 to 1e100.
    random_state
        Seed of the starts. With it a fit depends neither on the order of the rows nor on the names of nominal values.
    categorical_features, schema, n_jobs
        As in `KNNClassifier`; threads are used for the starts.
    progress
        Whether to show a progress bar on standard error while EM runs, where that is a terminal.

    Attributes
    ----------
    n_components_, weights_, classes_
        The number of components, the probability of each, descending, and the classes, ascending, after a fit with y.
    components_, selection_
        The distributions of each component, and the numbers of components tried with their scores; print as tables.
    history_, log_posterior_, n_iter_, converged_
        Log of likelihood times prior at the start of the best run and after each iteration, which never decreases; its
        last value, the number of iterations, and whether the run ended by ``tol``.

    Notes
    -----
    A numeric column with fewer than two different numbers is left out. An unseen value gets the probability that a
    domain larger by one would give it. A single class has probability 1; a single row is refused. ``sample_weight``
    counts as repetitions. The rows are not kept.

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
      column       value  surprise  usual  beyond  contribution
      x0           1          1.47  0.412    1.05        0.0374
      x1           b          1.23  0.303   0.927          1.23
      (component)                                         0.753
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [StrOptions({"auto"}), _POSITIVE],
        "max_components": [_POSITIVE],
        "selection": [StrOptions({"cheeseman_stutz", "held_out"})],
        "n_init": [_POSITIVE],
        "max_iter": [_POSITIVE],
        "tol": [Interval(Real, 0, None, closed="left")],
        "prior": [Interval(Real, 1e-100, 1e100, closed="both")],  # beyond, products of weights and counts overflow
        "random_state": ["random_state"],
        "schema": [None, Schema, Mapping],
        "progress": ["boolean"],
    }
    _mixture: FittedMixture

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
        """Fit the mixture, to classes where ``y`` is not None; parameters as in `KNNClassifier.fit`."""
        check_parameters(self)
        instances, codes, labels = _read(self, X, y, sample_weight)
        weights = instances.weights
        rows = float(len(instances)) if weights is None else max(float(weights.sum()), len(instances))
        if rows < 2:
            raise TooFewRowsError(
                "Found array with 1 sample, while a minimum of 2 is required to tell components apart. Pass more rows; "
                "a row of weight 2 counts as two."
            )
        if self.n_components != "auto" and self.n_components > rows:
            raise ParameterError(f"n_components must be at most {int(rows)}, one for each row, got {self.n_components}")
        every = range(1, int(min(self.max_components, rows)) + 1)
        numbers: Sequence[int] = every if self.n_components == "auto" else [int(self.n_components)]
        search = em.Search(
            weight=float(self.prior),
            n_init=int(self.n_init),
            max_iter=int(self.max_iter),
            tol=float(self.tol),
            seed=int(check_random_state(self.random_state).randint(2**31 - 1)),
            threads=thread_count(self.n_jobs),
            progress=bool(self.progress),
        )
        layout, cells, shown = lay_out(instances, codes, labels)
        run, selection = em.select(layout, cells, numbers, self.selection, search)
        parameters, backend = run.parameters.sorted(), backend_of(X)
        found = layout.reordered(shown), parameters.reordered(shown), instances.schema, labels, backend
        mixture = FittedMixture(*found, *questions.training_oddness(layout, parameters, cells.merged()))
        self._settle(mixture, replace(selection, backend=backend), run.history, run.converged)
        if not run.converged:
            text = f"the best run of EM did not converge in {search.max_iter} iterations; raise max_iter or tol."
            warnings.warn(text, ConvergenceWarning, stacklevel=3)
        return self

    def _settle(self, mixture: FittedMixture, selection: Selection, history: FloatArray, converged: bool) -> None:
        """Take over a mixture and how it was found."""
        self._mixture, self.selection_, self.schema_ = mixture, selection, mixture.schema
        self.n_components_, self.weights_ = len(mixture.parameters), np.exp(mixture.parameters.log_weights)
        self.history_, self.log_posterior_ = history, float(history[-1])
        self.n_iter_, self.converged_ = history.size - 1, converged
        record_features(self, mixture.schema)

    @prefix_errors
    def save(self, path: str | os.PathLike[str]) -> Path:
        """Save the model to a file, which `priorcase.load` reads; returns the path."""
        return saving.save(self, path)

    def explain(self, X: Any, *, data: Any = None, **options: Any) -> Explanations:
        """Why the model answers rows as it does: see `priorcase.explain`, which has the options.

        A mixture stores no rows, so ``data`` is needed: the pair ``(X, y)`` that it was fitted to, or other past cases.
        """
        from priorcase import explain  # of a layer above

        return explain(self, X, data=data, **options)

    @reads
    def _saved_state(self) -> dict[str, Any] | None:
        if "_mixture" not in self.__dict__:
            return None
        found = {name: getattr(self.selection_, name) for name in ("name", "n_components", "scores")}
        return {"mixture": self._mixture.saved(), "selection": found, "history": self.history_} | {
            "converged": self.converged_
        }

    def _restore_state(self, state: dict[str, Any]) -> None:
        mixture, found = FittedMixture.restored(state["mixture"]), state["selection"]
        tried = saving.checked(found["n_components"], np.int64, (None,), least=1)
        if found["name"] not in get_args(SelectionName) or found["scores"].shape != tried.shape:
            raise ValueError("a selection that cannot be")
        history = saving.checked(state["history"], np.float64, (None,))
        selection = Selection(found["name"], tried, found["scores"], mixture.backend)
        self._settle(mixture, selection, history, bool(state["converged"]))

    @property
    @reads
    def components_(self) -> Components:
        """The distributions of each component; prints as a table."""
        mixture = self._fitted()
        return Components.of(mixture.layout, mixture.parameters, mixture.backend)

    @property
    @reads
    def classes_(self) -> AnyArray:
        """The classes in ascending order; only after a fit with ``y``."""
        labels = self._fitted().labels
        if labels is None:
            raise NotAvailableError("classes_ is only available after a fit with y")
        return labels

    @reads
    def predict(self, X: Any) -> AnyArray:
        """The most probable class of each row; its most probable component after a fit without ``y``."""
        best: AnyArray = self.predict_proba(X).argmax(axis=1)
        labels = self._fitted().labels
        return best if labels is None else labels[best]

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> AnyArray:
        """Fit, and predict the same rows."""
        return self.fit(X, y, sample_weight).predict(X)

    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class for each row; of each component after a fit without ``y``."""
        mixture, shares = self._fitted(), self.responsibilities(X)
        if mixture.labels is None:
            return shares
        return em.distribution(mixture.parameters, shares.T, len(mixture.layout.values) - 1)

    @reads
    def predict_log_proba(self, X: Any) -> FloatArray:
        """The logarithm of `predict_proba`, without its underflow."""
        mixture = self._fitted()
        logs = em.log_responsibilities(mixture.parameters, mixture.encoded(X))
        if mixture.labels is None:
            return np.ascontiguousarray(logs.T)
        return em.log_distribution(mixture.parameters, logs, len(mixture.layout.values) - 1)

    @reads
    def responsibilities(self, X: Any) -> FloatArray:
        """Probability of each component for each row, shape (rows, components)."""
        mixture = self._fitted()
        return np.ascontiguousarray(em.responsibilities(mixture.parameters, mixture.encoded(X))[0].T)

    @reads
    def score_samples(self, X: Any) -> FloatArray:
        """Log-density of each row, without its class; missing values are left out."""
        mixture = self._fitted()
        return em.responsibilities(mixture.parameters, mixture.encoded(X))[1]

    @reads
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy of the predicted classes; the mean log-density after a fit without ``y``."""
        if self._fitted().labels is None:
            return float(np.average(self.score_samples(X), weights=sample_weight))
        if y is None:
            raise TargetError("y is required: the model was fitted with classes, and the score is their accuracy")
        return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))

    @reads
    def aic(self, X: Any) -> float:
        """Akaike information criterion on some rows, lower is better: ``-2 ln P(X) + 2 parameters``."""
        return -2.0 * float(self.score_samples(X).sum()) + 2.0 * self._fitted().free

    @reads
    def bic(self, X: Any) -> float:
        """Bayesian information criterion on some rows, lower is better: ``-2 ln P(X) + parameters ln rows``.

        Neither likelihood nor parameters of `aic` and `bic` include the class, also after a fit with ``y``.
        """
        densities = self.score_samples(X)
        return -2.0 * float(densities.sum()) + self._fitted().free * math.log(densities.size)

    @reads
    def predict_column(
        self, X: Any, column: Name, *, y: Any = None, return_proba: bool = False
    ) -> AnyArray | tuple[AnyArray, FloatArray]:
        """Predict a column from all others: its most probable value, or its expected number, for each row.

        ``P(v | known) = sum_k P(k | known) p(v | k)`` over the components. Parameters are those of
        `NaiveBayes.predict_column`.

        Examples
        --------
        >>> import priorcase as pc
        >>> X = [["red", 31.0], ["red", 29.0], ["blue", 62.0], ["blue", None]]
        >>> model = pc.MixtureModel(2, random_state=0).fit(X, ["no", "no", "yes", "yes"])
        >>> model.predict_column([[None, 30.0], [None, 60.0]], 0)
        array(['red', 'blue'], dtype='<U4')
        >>> model.predict_column([["red", None], ["blue", None]], "class")
        array(['no', 'yes'], dtype='<U3')
        """
        return questions.predict_column(self._fitted(), X, column, y, return_proba)

    @reads
    def predict_joint(self, X: Any, targets: Sequence[Name], y: Any = None) -> JointDistribution:
        """The joint distribution of several columns for each row, given all other known columns.

        ``P(v_1 .. v_m | known) = sum_k P(k | known) prod_t p(v_t | k)`` over the components. Columns that are neither
        targets nor known are summed out; so is the class. Parameters are those of `NaiveBayes.predict_joint`.

        Examples
        --------
        >>> import priorcase as pc
        >>> X = [["red", 31.0], ["red", 29.0], ["blue", 62.0], ["blue", None]]
        >>> model = pc.MixtureModel(2, random_state=0).fit(X, ["no", "no", "yes", "yes"])
        >>> model.predict_joint([[None, 30.0]], [0, "class"])
        query 0
          x0    class  probability
          red   no          0.5280
          blue  no          0.1986
          red   yes         0.1986
          blue  yes         0.0747
        """
        return questions.predict_joint(self._fitted(), X, targets, y)

    @reads
    def column_values(self, column: Name) -> AnyArray:
        """The values of a column in the order of their probabilities in `predict_column` and `predict_joint`.

        Declared values and levels in declared order, other values ascending. The class has ``classes_``.
        """
        mixture = self._fitted()
        a = asked_position(column, mixture.schema, parameter="column", classed=mixture.labels is not None)
        return questions.values_of(mixture, a)

    @reads
    def impute(self, X: Any) -> Any:
        """A copy of the table with its missing values imputed, in the container it came in.

        A missing value becomes the most probable value, or the expected number, given everything known in its row.
        Integer columns with missing values become float columns.
        """
        return questions.impute(self._fitted(), X)

    @reads
    def oddness(self, X: Any) -> Oddness:
        """How odd each row is: minus its log-density, the share of the training rows at least as odd, and why.

        A missing value makes a row less odd, since it drops out: compare rows with the same columns known.
        """
        return questions.oddness(self._fitted(), X)

    @reads
    def sample(self, n_samples: int = 1) -> tuple[Any, AnyArray]:
        """New rows drawn from the mixture with ``random_state``, and the class or the component of each.

        The rows come in a frame like that of the training rows, or in an array.
        """
        check_value("n_samples", n_samples, [_POSITIVE])
        return questions.sample(self._fitted(), int(n_samples), self.random_state)

    def _fitted(self) -> FittedMixture:
        if "_mixture" not in self.__dict__:
            check_is_fitted(self)
        return self._mixture

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        tags.target_tags.required = False
        if "_mixture" in self.__dict__ and self._mixture.labels is None:
            tags.estimator_type = "density_estimator"
        else:
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags


def _read(
    estimator: MixtureModel, X: Any, y: Any, sample_weight: Any
) -> tuple[Instances, IntArray | None, AnyArray | None]:
    """The training rows, their class codes and the classes; rows of weight 0 are left out, with their classes."""
    table, targets = training_table(estimator, X), None
    if y is not None:
        values = read_labels(y).values
        if values.shape[1] != 1:
            raise TargetError(
                f"y has {values.shape[1]} columns, expected one class for each row. Add the other targets to the "
                "columns of X and predict them with predict_column."
            )
        check_length(len(values), len(table))
        targets = values[:, 0]
    weights = check_weights(sample_weight, len(table), parameter="sample_weight")
    instances = Instances(table.schema)
    ids = instances.append(table, weights=weights)
    if weights is not None and not weights.all():
        if not weights.any():
            raise TargetError("sample_weight is zero for every row, expected at least one positive weight")
        instances.remove(ids[weights == 0])
        targets = None if targets is None else targets[weights > 0]
    labels, codes = (None, None) if targets is None else np.unique(targets, return_inverse=True)
    return instances, codes, labels
