"""Rules for the parameters of the selector, one sentence each."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, cast

import numpy as np

from priorcase._parameters import is_number, is_whole
from priorcase.exceptions import ParameterError
from priorcase.learning.parameters import check_choice
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.selection.losses import OF_CLASSES, OF_NUMBERS, Scoring

Search: TypeAlias = Literal["forward", "backward", "race", "brace", "schemata"]
Direction: TypeAlias = Literal["forward", "backward"]

SEARCHES: tuple[Search, ...] = ("forward", "backward", "race", "brace", "schemata")
DELTA, MIN_POINTS = 0.05, 30


def check_search(value: object) -> Search:
    """How attributes are searched."""
    hint = "'forward' and 'backward' leave every row out, 'race' and 'brace' as many as it takes to tell."
    return cast(Search, check_choice("search", value, SEARCHES, hint=hint))


def check_direction(value: object, search: Search) -> Direction:
    """The way a race goes; other searches have theirs in their name."""
    hint = "'forward' adds attributes, 'backward' removes them."
    if search not in ("race", "brace"):
        if value is not None:
            expected = f"None where search is {search!r}"
            raise ParameterError.wrong("direction", value, expected=expected, hint="leave it out.")
        return "backward" if search == "backward" else "forward"
    if value is None:
        return "forward"
    return cast(Direction, check_choice("direction", value, ("forward", "backward"), hint=hint))


def check_n_features(value: object, search: Search, width: int) -> int | None:
    """How many attributes to choose."""
    if value is None:
        return None
    if search == "schemata":
        expected, hint = "None where search is 'schemata'", "it decides of each attribute whether to take it."
        raise ParameterError.wrong("n_features", value, expected=expected, hint=hint)
    if is_whole(value) and 1 <= value <= width:
        return int(value)
    expected = f"None or a whole number from 1 to {width}, the columns"
    hint = "None goes on until the next step does not pay."
    raise ParameterError.wrong("n_features", value, expected=expected, hint=hint)


def check_gamma(value: object) -> float:
    """Which differences count as none."""
    if is_number(value) and 0 <= value < np.inf:
        return float(value)
    hint = "0.01 is a point of accuracy, or of the explained variance."
    raise ParameterError.wrong("gamma", value, expected="a finite number >= 0", hint=hint)


def check_delta(value: object, search: Search) -> float:
    """How improbable it must be that a subset wins which leaves a race."""
    _check_idle("delta", value, DELTA, search)
    if is_number(value) and 0 < value < 0.5:
        return float(value)
    expected, hint = "a number above 0 and below 0.5", "the smaller, the surer and the slower; 0.05 is usual."
    raise ParameterError.wrong("delta", value, expected=expected, hint=hint)


def check_min_points(value: object, search: Search) -> int:
    """After how many rows subsets may leave a race."""
    _check_idle("min_points", value, MIN_POINTS, search)
    if is_whole(value) and value >= 2:
        return int(value)
    expected, hint = "a whole number >= 2", "30 is usual: fewer rows say little about the spread of the losses."
    raise ParameterError.wrong("min_points", value, expected=expected, hint=hint)


def _check_idle(parameter: str, value: object, default: object, search: Search) -> None:
    if search in ("forward", "backward") and value != default:
        expected = f"{default!r} where search is {search!r}"
        hint = f"leave {parameter} out: every row is left out there, and nothing is decided before."
        raise ParameterError.wrong(parameter, value, expected=expected, hint=hint)


def check_estimator(value: object) -> KNNClassifier | KNNRegressor:
    """Whose leave-one-out answers count."""
    if not isinstance(value, (KNNClassifier, KNNRegressor)):
        expected, hint = "None, a KNNClassifier or a KNNRegressor", "None takes one of them by the targets."
        raise ParameterError.wrong("estimator", value, expected=expected, hint=hint)
    if value.n_neighbors == "loo":
        expected = "an estimator with n_neighbors as a number, 'sqrt' or 'all'"
        hint = "choose the attributes first and then k, or the other way round."
        raise ParameterError.wrong("estimator", value, expected=expected, hint=hint)
    return value


def check_scoring(value: object, estimator: Any) -> Scoring:
    """The score by which subsets are compared."""
    classes = isinstance(estimator, KNNClassifier)
    choices = OF_CLASSES if classes else OF_NUMBERS
    if value is None:
        return choices[0]
    hint = f"None takes {choices[0]!r} where y holds {'classes' if classes else 'numbers'}."
    scoring = cast(Scoring, check_choice("scoring", value, choices, hint=hint))
    if scoring == "log_loss" and estimator.prior is None:
        expected = "a score that is finite without prior weights, 'accuracy' or 'brier'"
        hint = "a class without a vote has probability 0: give the estimator a prior, KNNClassifier(prior=1.0)."
        raise ParameterError.wrong("scoring", value, expected=expected, hint=hint)
    return scoring
