"""Run the peers of the stacked learners on one table in their own environment and print their predictions as JSON.

The arguments are a JSON file with the table and the number of threads per peer. CatBoost and LightGBM are skipped if
they are not installed.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

MOST_CATEGORIES = 255
"""Columns with this many categories or more are numeric codes for HistGradientBoosting."""


class Peers:
    """Factories of the peers for a table; all peers get the same data frame, with NaN for missing values."""

    def __init__(self, frame: pd.DataFrame, numeric: list[str], *, classes: bool, threads: int) -> None:
        self.frame, self.numeric, self.classes, self.threads = frame, numeric, classes, threads
        self.other = [name for name in frame if name not in numeric]

    def made(self) -> dict[str, Callable[[], Any]]:
        """Return the factories of the installed peers, by name."""
        linear = "logistic regression" if self.classes else "ridge regression"
        found = {"HistGradientBoosting": self.boosting, "random forest": self.forest, linear: self.linear}
        found |= {"LightGBM": self.lightgbm} if find_spec("lightgbm") else {}
        return found | ({"CatBoost": self.catboost} if find_spec("catboost") else {})

    def encoded(self, *numbers: Any) -> Any:
        """Return a transformer for imputing and one-hot encoding; missing nominal values become a category."""
        values = make_pipeline(
            SimpleImputer(strategy="constant", fill_value="?"),
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        )
        return make_column_transformer((make_pipeline(SimpleImputer(), *numbers), self.numeric), (values, self.other))

    def boosting(self) -> Any:
        """Return HistGradientBoosting with native categories."""
        codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=np.nan)
        columns = make_column_transformer((codes, self.other), ("passthrough", self.numeric))
        few = [i for i, name in enumerate(self.other) if self.frame[name].nunique() < MOST_CATEGORIES]
        learner = HistGradientBoostingClassifier if self.classes else HistGradientBoostingRegressor
        return make_pipeline(columns, learner(categorical_features=few or None, random_state=0))

    def forest(self) -> Any:
        """Return a random forest with 500 trees."""
        learner = RandomForestClassifier if self.classes else RandomForestRegressor
        return make_pipeline(self.encoded(), learner(500, n_jobs=self.threads, random_state=0))

    def linear(self) -> Any:
        """Return logistic regression, or ridge regression with its penalty chosen by leave-one-out."""
        learner = LogisticRegression(max_iter=3_000) if self.classes else RidgeCV(np.logspace(-3, 3, 13))
        return make_pipeline(self.encoded(StandardScaler()), learner)

    def lightgbm(self) -> Any:
        """Return LightGBM with its defaults and native categories."""
        import lightgbm

        learner = lightgbm.LGBMClassifier if self.classes else lightgbm.LGBMRegressor
        categories = {name: sorted(set(self.frame[name].dropna())) for name in self.other}

        def prepared(X: pd.DataFrame) -> pd.DataFrame:
            return X.assign(**{name: pd.Categorical(X[name], known) for name, known in categories.items()})

        return Prepared(learner(n_jobs=self.threads, verbose=-1, random_state=0), prepared)

    def catboost(self) -> Any:
        """Return CatBoost with its defaults and native categories."""
        import catboost

        learner = catboost.CatBoostClassifier if self.classes else catboost.CatBoostRegressor
        options = {"thread_count": self.threads, "random_seed": 0, "verbose": 0, "allow_writing_files": False}
        return Prepared(
            learner(cat_features=self.other, **options), lambda X: X.assign(**X[self.other].fillna("?").astype(str))
        )


class Prepared:
    """A learner whose rows are first transformed by a function."""

    def __init__(self, model: Any, prepared: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
        self.model, self.prepared = model, prepared

    def fit(self, X: pd.DataFrame, y: Any) -> Any:
        """Transform the rows and fit the learner."""
        self.model.fit(self.prepared(X), y)
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        """Return the prediction for each row."""
        return self.model.predict(self.prepared(X))

    def predict_proba(self, X: pd.DataFrame) -> Any:
        """Return the class probabilities of each row."""
        return self.model.predict_proba(self.prepared(X))

    @property
    def classes_(self) -> Any:
        """Class labels of the learner."""
        return self.model.classes_


def answers(make: Callable[[], Any], X: pd.DataFrame, y: Any, fold: Any, classes: Any) -> tuple[Any, float]:
    """Return out-of-fold predictions of a peer for all rows, and the seconds of all fits and predictions."""
    found, start = np.zeros((len(y), 1 if classes is None else len(classes))), time.perf_counter()
    for own in (fold == number for number in range(fold.max() + 1)):
        model = make().fit(X[~own], y[~own])
        if classes is None:
            found[own, 0] = model.predict(X[own])
        else:
            found[np.ix_(own, np.searchsorted(classes, model.classes_))] = model.predict_proba(X[own])
    return found, time.perf_counter() - start


def main() -> None:
    """Run all peers and print their predictions."""
    warnings.simplefilter("ignore")  # about folds with few rows of a class
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    numeric, fold = task["numeric"], np.array(task["fold"])
    frame = pd.DataFrame(
        {
            name: pd.Series(column, dtype=float if name in numeric else object)
            for name, column in task["columns"].items()
        }
    )
    frame = frame.where(frame.notna(), np.nan)
    y = np.array(task["y"])
    classes = np.unique(y) if task["classes"] else None
    peers = Peers(frame, numeric, classes=task["classes"], threads=int(sys.argv[2])).made()
    found = {name: answers(make, frame, y, fold, classes) for name, make in peers.items()}
    print(json.dumps({name: {"answers": given.tolist(), "seconds": spent} for name, (given, spent) in found.items()}))


if __name__ == "__main__":
    main()
