"""Tuned k-NN on public classification tables, compared with scikit-learn's k-NN and gradient boosting.

Five stratified folds, seed 0; each model is tuned only on the training rows of a fold. The columns for scikit-learn's
k-NN are imputed, scaled and one-hot encoded, as usual. Its k and weights are chosen by grid search with ten folds,
separately for the log loss and the accuracy. Our k-NN is tuned once, by log loss.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import priorcase as pc
from priorcase import datasets
from priorcase.datasets import NamedColumns
from priorcase.schema import Numeric

FOLDER = "PRIORCASE_DATA"
MOST_ROWS = 2_000
FOLDS = 5
GRID = {"n_neighbors": [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70], "weights": ["uniform", "distance"]}
OURS, THEIRS, BOOSTING = "tuned k-NN", "scikit-learn k-NN", "boosting"


@dataclass(frozen=True, eq=False)
class Table:
    """A classification table, as named columns and as a data frame."""

    name: str
    X: NamedColumns
    frame: pd.DataFrame
    y: Any
    rows: int
    """Number of rows before sampling."""

    @property
    def numeric(self) -> list[str]:
        """Names of the numeric columns."""
        return [str(name) for name, kind in self.X.kinds.items() if isinstance(kind, Numeric)]

    @property
    def other(self) -> list[str]:
        """Names of the columns that are not numeric."""
        return [name for name in self.frame if name not in self.numeric]

    @property
    def is_mixed(self) -> bool:
        """Whether the table has both numeric and other columns, or missing values."""
        return bool(self.numeric and self.other) or bool(self.frame.isna().any(axis=None))


def names_in(folder: Path) -> list[str]:
    """Return the names of the classification tables in the folder."""
    described = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["datasets"]
    return [entry["name"] for entry in described if entry["target"]["kind"] == "nominal"]


def load(folder: Path, name: str) -> Table:
    """Load a table of the folder; larger tables are sampled to 2,000 rows."""
    X, y = datasets.load(name, folder=folder, frame=None)
    rows, labels = len(y), np.asarray(y.tolist()).astype(str)
    if rows > MOST_ROWS:
        drawn = np.sort(np.random.default_rng(0).permutation(rows)[:MOST_ROWS])
        X, labels = X.take(drawn), labels[drawn]
    frame = pd.DataFrame({str(label): column for label, column in X.data.items()})
    for label, kind in X.kinds.items():
        if not isinstance(kind, Numeric):
            frame[label] = frame[label].astype(object).where(frame[label].notna(), np.nan)
    return Table(name, X, frame, labels, rows)


def class_probabilities(model: Any, X: Any, classes: Any) -> Any:
    """Return probabilities of all classes, even those absent from the training rows, clipped as in scikit-learn."""
    proba = np.zeros((len(X), len(classes)))
    proba[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(X)
    proba = np.clip(proba, np.finfo(float).eps, 1.0)
    return proba / proba.sum(axis=1, keepdims=True)


def negative_log_loss(model: Any, X: Any, y: Any) -> float:
    """Return the negative log loss for grid searches; classes may be absent from the training rows."""
    classes = np.union1d(model.classes_, y)
    proba = class_probabilities(model, X, classes)
    return float(np.log(proba[np.arange(len(y)), np.searchsorted(classes, y)]).mean())


def encoded(table: Table) -> Any:
    """Return a transformer that imputes and scales numeric columns, and imputes and one-hot encodes other columns."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    values = make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    )
    return make_column_transformer((numbers, table.numeric), (values, table.other))


@dataclass(frozen=True, eq=False)
class Encoded:
    """A fitted encoder and a model fitted to encoded rows."""

    encoder: Any
    model: Any

    @property
    def classes_(self) -> Any:
        """Class labels of the model."""
        return self.model.classes_

    def predict(self, X: Any) -> Any:
        """Return the predicted class of each row."""
        return self.model.predict(self.encoder.transform(X))

    def predict_proba(self, X: Any) -> Any:
        """Return the class probabilities of each row."""
        return self.model.predict_proba(self.encoder.transform(X))


def neighbors(table: Table, X: Any, y: Any) -> list[Encoded]:
    """Return scikit-learn's k-NN with the best parameters by log loss and by accuracy."""
    encoder = encoded(table).fit(X)
    rows, scoring = encoder.transform(X), {"loss": negative_log_loss, "accuracy": "accuracy"}
    found = GridSearchCV(KNeighborsClassifier(), GRID, scoring=scoring, refit=False, cv=10).fit(rows, y).cv_results_
    best = [found["params"][int(np.nanargmax(found[f"mean_test_{name}"]))] for name in scoring]
    return [Encoded(encoder, KNeighborsClassifier(**chosen).fit(rows, y)) for chosen in best]


def boosting(table: Table) -> Any:
    """Return gradient boosting that treats non-numeric columns as categories."""
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=np.nan)
    columns = make_column_transformer((codes, table.other), ("passthrough", table.numeric))
    return make_pipeline(
        columns, HistGradientBoostingClassifier(categorical_features=range(len(table.other)), random_state=0)
    )


def measured(table: Table) -> dict[str, tuple[float, float]]:
    """Return the log loss and accuracy of each model over all folds."""
    classes = np.unique(table.y)
    truth = np.searchsorted(classes, table.y)
    losses = {name: np.empty(len(table.y)) for name in (OURS, THEIRS, BOOSTING)}
    rights = {name: np.empty(len(table.y)) for name in losses}

    def note(name: str, test: Any, by_loss: Any, by_accuracy: Any, X: Any) -> None:
        losses[name][test] = -np.log(class_probabilities(by_loss, X, classes)[np.arange(len(test)), truth[test]])
        rights[name][test] = by_accuracy.predict(X) == table.y[test]

    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(table.y, table.y):
        ours = pc.KNNClassifierCV("full", n_samples=20_000).fit(table.X.take(train), table.y[train])
        note(OURS, test, ours, ours, table.X.take(test))
        X, y, asked = table.frame.iloc[train], table.y[train], table.frame.iloc[test]
        note(THEIRS, test, *neighbors(table, X, y), asked)
        boosted = boosting(table).fit(X, y)
        note(BOOSTING, test, boosted, boosted, asked)
    return {name: (float(losses[name].mean()), float(rights[name].mean())) for name in losses}


def ranks(
    found: Sequence[dict[str, tuple[float, float]]], score: Callable[[tuple[float, float]], float]
) -> list[float]:
    """Return the mean rank of each model by a score, where lower is better."""
    scores = [[round(score(line[name]), 6) for name in (OURS, THEIRS, BOOSTING)] for line in found]
    return [float(rank) for rank in np.mean([rankdata(line) for line in scores], axis=0)]


def main() -> None:
    """Print one line for each table, and mean ranks over tables with mixed columns or missing values."""
    if not os.environ.get(FOLDER):
        print(f"skipped: {FOLDER} names no folder of data sets")
        return
    folder = Path(os.environ[FOLDER])
    names = names_in(folder)
    chosen = [name for name in names if not sys.argv[1:] or name in sys.argv[1:]] or names
    warnings.simplefilter("ignore")  # about folds with few rows of a class
    print(f"| table | rows | {' | '.join(f'{name}: log loss, accuracy' for name in (OURS, THEIRS, BOOSTING))} |")
    print("| --- | ---: |" + " ---: |" * 3)
    mixed = []
    for name in chosen:
        table = load(folder, name)
        found = measured(table)
        drawn = f"{len(table.y):,}" if len(table.y) == table.rows else f"{len(table.y):,} of {table.rows:,}"
        cells = " | ".join(f"{loss:.3f}, {100 * right:.1f}%" for loss, right in found.values())
        print(f"| {name}{' (mixed or missing values)' if table.is_mixed else ''} | {drawn} | {cells} |", flush=True)
        mixed += [found] if table.is_mixed else []
    if not mixed:
        return
    losses, rights = ranks(mixed, lambda scores: scores[0]), ranks(mixed, lambda scores: -scores[1])
    cells = " | ".join(f"{loss:.2f}, {right:.2f}" for loss, right in zip(losses, rights, strict=True))
    print(f"| mean rank over {len(mixed)} tables with mixed columns or missing values | | {cells} |")
    met = losses[0] < losses[1] and rights[0] < rights[1]
    print(f"\n{OURS} ahead of {THEIRS} in mean rank by both scores: {'yes' if met else 'NO'}")


if __name__ == "__main__":
    main()
