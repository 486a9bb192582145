"""Learners that watch what they are given, or fail, for the tests of curves."""

from __future__ import annotations

import os
import signal
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Spy(ClassifierMixin, BaseEstimator):
    """Always predicts the first class, and writes down all rows that it learns or is asked about."""

    learned: ClassVar[list[Any]] = []
    asked: ClassVar[list[Any]] = []

    def __init__(self, name: str = "spy") -> None:
        self.name = name

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        self.learned.append((self.name, np.asarray(X).tolist(), np.asarray(y).tolist()))
        return self

    def predict(self, X: Any) -> Any:
        self.asked.append((self.name, np.asarray(X).tolist()))
        return np.repeat(self.classes_[:1], len(X))


class Interrupted(ClassifierMixin, BaseEstimator):
    """Ctrl-C comes at its nth fit."""

    fits: ClassVar[int] = 0

    def __init__(self, at: int = 1) -> None:
        self.at = at

    def fit(self, X: Any, y: Any) -> Self:
        type(self).fits += 1
        if self.fits >= self.at:
            raise KeyboardInterrupt
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))


class Killed(ClassifierMixin, BaseEstimator):
    """Ends its process when it learns from a first row of at most some number."""

    def __init__(self, upto: float = np.inf) -> None:
        self.upto = upto

    def fit(self, X: Any, y: Any) -> Self:
        if np.asarray(X)[0, 0] <= self.upto:
            os.kill(os.getpid(), signal.SIGKILL)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))


class Chance(ClassifierMixin, BaseEstimator):
    """Predicts by lot."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.random.default_rng(self.random_state).choice(self.classes_, len(X))


class Stubborn(ClassifierMixin, BaseEstimator):
    """Fails, or is interrupted, when it has learned so many rows as it was told."""

    def __init__(self, error: type[BaseException] = ValueError, rows: int = 0) -> None:
        self.error = error
        self.rows = rows

    def fit(self, X: Any, y: Any) -> Stubborn:
        if not self.rows or len(X) == self.rows:
            raise self.error("no such luck\nand more")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])
