"""The models that each lack one fold: kept where they are few, and made whenever they are asked where they are many."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

import joblib
import numpy as np
from sklearn.base import clone

from priorcase._typing import AnyArray, IdArray
from priorcase.exceptions import EvaluationError, ForgettingError
from priorcase.learning.estimator import RowsEstimator
from priorcase.learning.resampling import bar, taken_rows

KEPT = 30
"""The most models that are kept; more of them would take more memory than the time is worth."""

_PARTS = 64

Answer = TypeVar("Answer")


class LeftOut(Protocol):
    """Where the models come from."""

    def without(self, fold: int) -> Any:
        """A model of all rows but those of a fold."""


@dataclass(frozen=True, eq=False)
class Refitting:
    """A fit on the other rows.

    Parameters
    ----------
    estimator
        What to fit a copy of.
    X, y
        All rows and their targets.
    folds
        Positions of the rows of each fold.
    """

    estimator: Any
    X: Any
    y: AnyArray
    folds: tuple[IdArray, ...]

    def without(self, fold: int) -> Any:
        """A model of all rows but those of a fold."""
        others = np.delete(np.arange(self.y.size), self.folds[fold])
        try:
            return clone(self.estimator).fit(taken_rows(self.X, others), self.y[others])
        except ValueError as error:  # all rows were well
            raise EvaluationError(
                f"{type(self.estimator).__name__} failed to learn from {self.y.size - self.folds[fold].size} of "
                f"{self.y.size} rows, without those of one fold: {str(error).rstrip('.')}. A rare class "
                "may be in that fold alone: take more folds, leave the class out, or another learner."
            ) from error


@dataclass(frozen=True, eq=False)
class Forgetting:
    """A copy of the model of all rows that forgets one of them, which is the same and faster.

    Parameters
    ----------
    pickled
        The model of all rows, of a learner that forgets exactly; reading a pickle takes a tenth of a deep copy's time.
    """

    pickled: bytes

    def without(self, fold: int) -> Any:
        """A model of all rows but one."""
        return pickle.loads(self.pickled).forget([fold])


@dataclass(frozen=True, eq=False)
class Kept:
    """Models that were made before."""

    models: tuple[Any, ...]

    def without(self, fold: int) -> Any:
        """A model of all rows but those of a fold."""
        return self.models[fold]


def left_out(
    estimator: Any, model: Any, X: Any, y: AnyArray, folds: tuple[IdArray, ...], n_jobs: int | None
) -> LeftOut:
    """Where the models without each fold come from.

    Parameters
    ----------
    estimator
        The learner.
    model
        The learner fitted to all rows.
    X, y
        All rows and their targets; X is copied where it is needed later.
    folds
        Positions of the rows of each fold.
    n_jobs
        How many models are fitted at a time.
    """
    refitting = Refitting(estimator, X, y, folds)
    if len(folds) <= KEPT:
        parts = over_folds(partial(_models, refitting), len(folds), n_jobs, "folds", shown=True)
        return Kept(tuple(made for _, part in parts for made in part))
    forgetting = forgets(model, y.size) if len(folds) == y.size else None
    return forgetting or Refitting(estimator, deepcopy(X), y, folds)


def forgets(model: Any, n: int) -> Forgetting | None:
    """Copies of a model of ``n`` rows that forget one each; None unless it still holds them all and forgets exactly."""
    if not isinstance(model, RowsEstimator) or not np.array_equal(model.ids_, np.arange(n)):
        return None
    try:
        forgetting = Forgetting(pickle.dumps(model))
        forgetting.without(0)
    except (ForgettingError, pickle.PicklingError, AttributeError):  # a vote by a lambda has no pickle
        return None
    return forgetting


def _models(source: LeftOut, folds: range) -> list[Any]:
    return [source.without(fold) for fold in folds]


def over_folds(
    task: Callable[[range], Answer], n: int, n_jobs: int | None, text: str, *, shown: bool = False
) -> Iterator[tuple[range, Answer]]:
    """What a task says of each of a few parts of ``n`` folds, in order; with a bar if ``shown``, or folds are many.

    Examples
    --------
    >>> [(list(part), answer) for part, answer in over_folds(sum, 3, None, "folds")]
    [([0], 0), ([1], 1), ([2], 2)]
    """
    size = -(-n // _PARTS)
    parts = [range(start, min(start + size, n)) for start in range(0, n, size)]
    answers = joblib.Parallel(n_jobs=n_jobs, return_as="generator")(joblib.delayed(task)(part) for part in parts)
    with bar(len(parts), shown=shown or n > KEPT, text=text) as advance:
        for part, answer in zip(parts, answers, strict=True):
            yield part, answer
            advance(text)
