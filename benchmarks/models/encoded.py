"""Scikit-learn's naive Bayes as users run it on mixed tables: missing values imputed, then encoded."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder

from benchmarks.models.problems import Problem
from priorcase.schema import Numeric, Ordinal

BINS = 5


class Encoded:
    """A scikit-learn pipeline that takes the same tables as the library's models."""

    def __init__(self, pipeline: Any) -> None:
        self.pipeline = pipeline

    @property
    def classes_(self) -> Any:
        """The classes of the training rows, sorted."""
        return self.pipeline.classes_

    def fit(self, X: Any, y: Any) -> Encoded:
        """Learn from the rows."""
        self.pipeline.fit(plain(X), y)
        return self

    def predict_log_proba(self, X: Any) -> Any:
        """Return the log-probability of each class."""
        return self.pipeline.predict_log_proba(plain(X))


def gaussian_pipeline(problem: Problem) -> Any:
    """Return GaussianNB on imputed columns, with ordinal levels as ranks and nominal values one-hot encoded."""
    kinds = list(problem.X.kinds.values())
    nominal = [i for i, kind in enumerate(kinds) if not isinstance(kind, (Numeric, Ordinal))]
    others = [i for i in range(len(kinds)) if i not in nominal]
    one_hot = make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    )
    encoder = ColumnTransformer([("numbers", SimpleImputer(strategy="median"), others), ("values", one_hot, nominal)])
    return Encoded(make_pipeline(encoder, GaussianNB()))


def categorical_pipeline(problem: Problem) -> Any:
    """Return CategoricalNB on imputed columns, with numbers in five equal-frequency bins and all values declared."""
    kinds = list(problem.X.kinds.values())
    numbers = [i for i, kind in enumerate(kinds) if isinstance(kind, Numeric)]
    others = [i for i in range(len(kinds)) if i not in numbers]
    cells = plain(problem.X)
    values = [sorted({cell for cell in cells[:, i] if not _missing(cell)}) for i in others]
    bins = make_pipeline(SimpleImputer(strategy="median"), KBinsDiscretizer(BINS, encode="ordinal"))
    codes = make_pipeline(SimpleImputer(strategy="most_frequent"), OrdinalEncoder(categories=values))
    encoder = ColumnTransformer([("numbers", bins, numbers), ("values", codes, others)])
    sizes = [BINS] * len(numbers) + [len(found) for found in values]
    return Encoded(make_pipeline(encoder, CategoricalNB(min_categories=sizes)))


def plain(X: Any) -> Any:
    """Return the cells as objects, with ranks for ordinal levels and NaN for missing values."""
    cells = np.empty((len(X), len(X.data)), dtype=object)
    for i, (name, kind) in enumerate(X.kinds.items()):
        column = X[name].tolist()
        if isinstance(kind, Ordinal):
            ranks = {level: float(rank) for rank, level in enumerate(kind.order)}
            column = [np.nan if cell is None else ranks[cell] for cell in column]
        cells[:, i] = [np.nan if cell is None else cell for cell in column]
    return cells


def _missing(cell: Any) -> bool:
    return isinstance(cell, float) and np.isnan(cell)
