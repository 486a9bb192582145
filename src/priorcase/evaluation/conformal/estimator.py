"""What both conformal estimators share: a model of all rows, and one without each fold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from priorcase._parameters import check_seed
from priorcase._typing import AnyArray, IdArray
from priorcase.evaluation.answers import readable
from priorcase.evaluation.conformal.folds import Folds, dealt
from priorcase.evaluation.conformal.left_out import LeftOut, left_out
from priorcase.evaluation.running import check_jobs, seeded
from priorcase.exceptions import ParameterError, SchemaError, quoted
from priorcase.learning.state import reads


class ConformalEstimator(MetaEstimatorMixin, BaseEstimator):
    """Base of the two. Subclasses read targets, and say what the models without each fold are asked."""

    estimator: Any
    random_state: Any
    n_jobs: int | None
    estimator_: Any
    n_features_in_: int
    feature_names_in_: AnyArray
    _folds: tuple[IdArray, ...]
    _left_out: LeftOut

    @reads
    def predict(self, X: Any) -> AnyArray:
        """What the estimator fitted to all rows predicts, ``estimator_.predict(X)``."""
        check_is_fitted(self)
        found: AnyArray = self.estimator_.predict(readable(X, self.estimator_))
        return found

    # -- for subclasses

    def _check_estimator(self, wanted: str, is_other: Callable[[Any], bool]) -> None:
        """Refuse what is no learner, or one of the other sort."""
        given = self.estimator
        if isinstance(given, type) or not hasattr(given, "fit") or not hasattr(given, "predict") or is_other(given):
            raise ParameterError(
                f"estimator must be a {wanted}, got {quoted(given)}. For example "
                f"Conformal{wanted.capitalize()}(KNN{wanted.capitalize()}())."
            )

    def _fit_folds(self, X: Any, y: AnyArray, folds: Folds) -> int:
        """Fit the model of all rows and get ready those without each fold; the seed that everything came from."""
        check_jobs(self.n_jobs)
        seed = check_seed(self.random_state)
        estimator = seeded(self.estimator, seed)  # a fold's model made twice must be one model
        self.estimator_ = clone(estimator).fit(X, y)
        self._record_features()
        self._folds = dealt(y.size, folds, seed)
        self._left_out = left_out(estimator, self.estimator_, X, y, self._folds, self.n_jobs)
        return seed

    def _record_features(self) -> None:
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator)
            tags.input_tags = inner.input_tags
            tags.classifier_tags = inner.classifier_tags and tags.classifier_tags
        tags.target_tags.required = True
        tags.target_tags.multi_output = False
        return tags


def check_real(X: Any) -> None:
    """Refuse complex rows before anything is said of targets, as scikit-learn's estimators do."""
    if isinstance(X, np.ndarray) and X.dtype.kind == "c":
        raise SchemaError(
            "Complex data not supported, found in column 0; expected real numbers. Pass the real and the imaginary "
            "part as two columns."
        )
