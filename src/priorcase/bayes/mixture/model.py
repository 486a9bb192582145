"""`MixtureModel`: classification, clustering, density estimation and imputation with a finite mixture."""

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
from priorcase.bayes.mixture.results import Components, OutlierScores, Selection, SelectionName
from priorcase.bayes.results import JointDistribution
from priorcase.exceptions import (
    NotAvailableError,
    ParameterError,
    TargetError,
    TooFewRowsError,
    prefix_errors,
)
from priorcase.instances import Instances, check_weights
from priorcase.learning.diagram import html_inner, mimebundle
from priorcase.learning.estimator import EstimatorMeta, SchemaLike, record_features, thread_count, training_table
from priorcase.learning.state import changes, reads
from priorcase.learning.targets import check_length, read_labels
from priorcase.schema import CategoricalFeatures, Schema
from priorcase.schema.schema import backend_of

if TYPE_CHECKING:
    from priorcase.explaining import Explanations

_POSITIVE = Interval(Integral, 1, None, closed="left")


class MixtureModel(BaseEstimator, metaclass=EstimatorMeta):
    """Finite mixture model for tables with mixed columns and missing values, fitted by EM.

    ``P(x) = sum_k p_k prod_i p(x_i | k)``: attributes are independent within each component k. Nominal and ordinal
    attributes have a probability for each value, numeric attributes a mean and a variance; missing values are
    marginalized exactly. With ``y``, the model is a classifier; without ``y``, it clusters rows and estimates
    densities. In both cases, any column can be predicted from the other columns. Dates, sets and circular columns are
    split into attributes as in `NaiveBayes`. EM maximizes the posterior density.

    Parameters
    ----------
    n_components, max_components
        Number of components; ``"auto"`` tries 1 to ``max_components`` and selects the best.
    selection
        Criterion for ``"auto"``: ``"cheeseman_stutz"`` (approximate log evidence; Cheeseman & Stutz 1996) or
        ``"held_out"`` (mean log-score in 5-fold cross-validation).
    n_init, max_iter, tol
        Number of random starts of EM, maximum number of iterations, and minimum gain per iteration in nats per row.
    prior
        Prior strength in rows: the Dirichlet weight of every component and value. The prior variance of a number within
        a component is a tenth of its variance in the column.
    random_state
        Seed of the starts. Results do not depend on the order of the rows.
    categorical_features, schema, n_jobs
        See `KNNClassifier`.
    progress
        Whether to show a progress bar.

    Attributes
    ----------
    n_components_, weights_, components_, classes_
        Number of components, their probabilities (descending) and distributions, and the classes after a fit with y.
    selection_, history_, log_posterior_, n_iter_, converged_
        Scores of the numbers of components tried, and the log posterior, iterations and convergence of the best run.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0, "a"], [1.2, "a"], [0.9, None], [5.1, "b"], [4.8, "b"], [None, "b"], [5.0, "b"]]
    >>> model = pc.MixtureModel(2, random_state=0).fit(X)
    >>> model.components_
    component  0               1
    weight     0.529           0.471
    x0         4.903 ± 0.4023  1.097 ± 0.4023
    x1         b 0.83, a 0.17  a 0.71, b 0.29
    >>> model.impute([[5.0, None], [None, "a"]])
    [[5.0, 'b'], [1.918..., 'a']]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [StrOptions({"auto"}), _POSITIVE],
        "max_components": [_POSITIVE],
        "selection": [StrOptions({"cheeseman_stutz", "held_out"})],
        "n_init": [_POSITIVE],
        "max_iter": [_POSITIVE],
        "tol": [Interval(Real, 0, None, closed="left")],
        "prior": [Interval(Real, 1e-100, 1e100, closed="both")],  # otherwise products of weights and counts overflow
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
        """Fit the mixture; if ``y`` is given, the class is an additional column. See `KNNClassifier.fit`."""
        check_parameters(self)
        instances, codes, labels = _read(self, X, y, sample_weight)
        weights = instances.weights
        rows = float(len(instances)) if weights is None else max(float(weights.sum()), len(instances))
        if rows < 2:
            raise TooFewRowsError(
                "Found array with 1 sample, while a minimum of 2 is required to fit components. Pass more rows; "
                "a row with weight 2 counts as two rows."
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
        mixture = FittedMixture(*found, *questions.training_outlier_scores(layout, parameters, cells.merged()))
        self._settle(mixture, replace(selection, backend=backend), run.history, run.converged)
        if not run.converged:
            text = f"the best run of EM did not converge in {search.max_iter} iterations; increase max_iter or tol."
            warnings.warn(text, ConvergenceWarning, stacklevel=3)
        return self

    def _settle(self, mixture: FittedMixture, selection: Selection, history: FloatArray, converged: bool) -> None:
        """Store a fitted mixture, and the results of the search for the number of components."""
        self._mixture, self.selection_, self.schema_ = mixture, selection, mixture.schema
        self.n_components_, self.weights_ = len(mixture.parameters), np.exp(mixture.parameters.log_weights)
        self.history_, self.log_posterior_ = history, float(history[-1])
        self.n_iter_, self.converged_ = history.size - 1, converged
        record_features(self, mixture.schema)

    @prefix_errors
    def save(self, path: str | os.PathLike[str]) -> Path:
        """Save the model to a file that `priorcase.load` reads; return the path."""
        return saving.save(self, path)

    def explain(self, X: Any, *, data: Any = None, **options: Any) -> Explanations:
        """Explain the predictions of rows; see `priorcase.explain`. A mixture stores no rows, so ``data`` is required:
        the training data ``(X, y)`` or other past cases.
        """
        from priorcase import explain  # imported here: higher layer

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
            raise ValueError("an invalid selection")
        history = saving.checked(state["history"], np.float64, (None,))
        selection = Selection(found["name"], tried, found["scores"], mixture.backend)
        self._settle(mixture, selection, history, bool(state["converged"]))

    @property
    @reads
    def components_(self) -> Components:
        """Distribution of each column in each component; prints as a table."""
        mixture = self._fitted()
        return Components.of(mixture.layout, mixture.parameters, mixture.backend)

    @property
    @reads
    def classes_(self) -> AnyArray:
        """Classes in ascending order; only after a fit with ``y``."""
        labels = self._fitted().labels
        if labels is None:
            raise NotAvailableError("classes_ is only available after a fit with y")
        return labels

    @reads
    def predict(self, X: Any) -> AnyArray:
        """Predict the class of each row, or its component after a fit without ``y``."""
        best: AnyArray = self.predict_proba(X).argmax(axis=1)
        labels = self._fitted().labels
        return best if labels is None else labels[best]

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> AnyArray:
        """Fit the model, and predict the class of each training row, or its component after a fit without ``y``."""
        return self.fit(X, y, sample_weight).predict(X)

    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """Predict the probability of each class, or of each component after a fit without ``y``."""
        mixture, shares = self._fitted(), self.responsibilities(X)
        if mixture.labels is None:
            return shares
        return em.distribution(mixture.parameters, shares.T, len(mixture.layout.values) - 1)

    @reads
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Predict the logs of `predict_proba`; the result is accurate even if `predict_proba` underflows."""
        mixture = self._fitted()
        logs = em.log_responsibilities(mixture.parameters, mixture.encoded(X))
        if mixture.labels is None:
            return np.ascontiguousarray(logs.T)
        return em.log_distribution(mixture.parameters, logs, len(mixture.layout.values) - 1)

    @reads
    def responsibilities(self, X: Any) -> FloatArray:
        """Return the probability of each component for each row, shape (rows, components)."""
        mixture = self._fitted()
        return np.ascontiguousarray(em.responsibilities(mixture.parameters, mixture.encoded(X))[0].T)

    @reads
    def score_samples(self, X: Any) -> FloatArray:
        """Return the log-density of each row, without its class."""
        mixture = self._fitted()
        return em.responsibilities(mixture.parameters, mixture.encoded(X))[1]

    @reads
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy, or the mean log-density after a fit without ``y``."""
        if self._fitted().labels is None:
            return float(np.average(self.score_samples(X), weights=sample_weight))
        if y is None:
            raise TargetError("y is required: the model was fitted with classes, and the score is the accuracy")
        return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))

    @reads
    def aic(self, X: Any) -> float:
        """Return the Akaike information criterion, ``-2 ln P(X) + 2 parameters``; lower is better."""
        return -2.0 * float(self.score_samples(X).sum()) + 2.0 * self._fitted().free

    @reads
    def bic(self, X: Any) -> float:
        """Return the Bayesian information criterion, ``-2 ln P(X) + parameters ln rows``; lower is better."""
        densities = self.score_samples(X)
        return -2.0 * float(densities.sum()) + self._fitted().free * math.log(densities.size)

    @reads
    def predict_column(
        self, X: Any, column: Name, *, y: Any = None, return_proba: bool = False
    ) -> AnyArray | tuple[AnyArray, FloatArray]:
        """Predict a column, or ``"class"``, from all other columns: the most probable value, the mean of numbers or
        dates, or the members that a set probably contains. ``y``: known classes. ``return_proba``: also return the
        probabilities of the `column_values`.
        """
        return questions.predict_column(self._fitted(), X, column, y, return_proba)

    @reads
    def predict_joint(self, X: Any, targets: Sequence[Name], y: Any = None) -> JointDistribution:
        """Return the joint distribution of nominal or ordinal columns, or ``"class"``, given all other known values."""
        return questions.predict_joint(self._fitted(), X, targets, y)

    @reads
    def column_values(self, column: Name) -> AnyArray:
        """Return the values of a column in the order used by `predict_column` and `predict_joint`."""
        mixture = self._fitted()
        a = asked_position(column, mixture.schema, parameter="column", classed=mixture.labels is not None)
        return questions.values_of(mixture, a)

    @reads
    def impute(self, X: Any) -> Any:
        """Return a copy of the table in which missing values (except texts) are predicted from the rest of the row, as
        in `predict_column`. Integer columns with missing values become float columns.
        """
        return questions.impute(self._fitted(), X)

    @reads
    def outlier_scores(self, X: Any) -> OutlierScores:
        """Return an outlier score for each row (its negative log-density), with the columns that explain the score.
        Compare only rows with the same known columns, because a missing value adds nothing to the score.
        """
        return questions.outlier_scores(self._fitted(), X)

    @reads
    def sample(self, n_samples: int = 1) -> tuple[Any, AnyArray]:
        """Draw new rows; return a table like the training data, and the class or component of each row."""
        check_value("n_samples", n_samples, [_POSITIVE])
        return questions.sample(self._fitted(), int(n_samples), self.random_state)

    def _fitted(self) -> FittedMixture:
        if "_mixture" not in self.__dict__:
            check_is_fitted(self)
        return self._mixture

    _repr_html_inner, _repr_mimebundle_ = html_inner, mimebundle

    def _diagram_rows(self) -> Instances | None:
        return self._mixture.layout.table_reader if "_mixture" in self.__dict__ else None

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
    """Return the training rows, class codes and classes; rows with zero weight are dropped."""
    table, targets = training_table(estimator, X), None
    if y is not None:
        values = read_labels(y).values
        if values.shape[1] != 1:
            raise TargetError(
                f"y has {values.shape[1]} columns; expected one class for each row. Add the other targets to the "
                "columns of X and predict them with predict_column."
            )
        check_length(len(values), len(table))
        targets = values[:, 0]
    weights = check_weights(sample_weight, len(table), parameter="sample_weight")
    instances = Instances(table.schema)
    ids = instances.append(table, weights=weights)
    if weights is not None and not weights.all():
        if not weights.any():
            raise TargetError("sample_weight is zero for every row; at least one row must have a positive weight")
        instances.remove(ids[weights == 0])
        targets = None if targets is None else targets[weights > 0]
    labels, codes = (None, None) if targets is None else np.unique(targets, return_inverse=True)
    return instances, codes, labels
