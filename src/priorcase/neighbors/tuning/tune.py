"""Choosing parameters of k-NN together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from priorcase._parameters import is_whole
from priorcase.exceptions import ParameterError, SampleWeightError, TuningError, prefix_errors
from priorcase.instances.instances import check_weights
from priorcase.learning.frames import backend_of
from priorcase.learning.parameters import check_choice, check_flag, check_seed
from priorcase.learning.progress import bar
from priorcase.learning.resampling import taken_rows
from priorcase.neighbors.predictor import NeighborsPredictor
from priorcase.neighbors.tuning.candidates import groups as groups_of
from priorcase.neighbors.tuning.measuring import choose, learns_from_targets, measure, nested_scores, steps
from priorcase.neighbors.tuning.problem import Problem
from priorcase.neighbors.tuning.result import Tuning

Scoring = Literal["log_loss", "accuracy", "brier", "squared_error", "absolute_error"]
Candidates = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]

_SCORINGS = {True: ("log_loss", "accuracy", "brier"), False: ("squared_error", "absolute_error")}


@prefix_errors
def tune(
    estimator: NeighborsPredictor,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    candidates: Candidates | None = None,
    scoring: Scoring | None = None,
    nested: int | None = 5,
    n_samples: int | None = 20_000,
    progress: bool | None = None,
    random_state: Any = 0,
) -> Tuning:
    """Parameters of k-NN chosen together, by how well each row is predicted from all others.

    Every number of neighbours, vote, bandwidth, prior and temperature that goes with one distance and one choice of
    attribute weights is scored from a single search of each row. Where a distance or attribute weights are made from
    the targets (value differences, learned weights), a row that is there would give its own target away: such
    candidates are scored over 10 folds, each with a fit on the other rows. Otherwise the distance and a prior of
    ``"frequency"`` keep the statistics of all rows, as with ``n_neighbors="loo"``.

    Parameters
    ----------
    estimator
        A `KNNClassifier` or `KNNRegressor`; parameters that are not among the candidates stay as they are.
    X, y, sample_weight
        As in its ``fit``. A row of weight 2 is two rows: leaving one out leaves the other.
    candidates
        Lists of values by parameter, tried each with each, or several such mappings: ``n_neighbors`` (whole numbers),
        ``vote``, ``bandwidth`` (for kernels), ``distance``, ``attribute_weights``, and for classes ``prior`` and
        ``temperature``. Numbers of neighbours for which there are too few rows are left out. None for a choice that
        suits most tables.
    scoring
        The score that decides: ``"log_loss"`` (classes, the default), ``"accuracy"``, ``"brier"``;
        ``"squared_error"`` (numbers, the default), ``"absolute_error"``. By logarithmic loss the choice is
        guarded against luck: one more row is counted that surprises everybody, scores are smoothed over
        ``n_neighbors``, and Brier score and accuracy decide between losses that half a standard error cannot tell
        apart. On few rows the lowest loss alone makes for probabilities that are too bold.
    nested
        In how many folds to repeat the whole choice, so that rows are scored that took no part in it; None for none.
    n_samples
        How many rows to ask about at most, always the same; None for all.
    progress
        Whether to show a bar on a terminal; None where it takes long.
    random_state
        Seed of the folds.

    Returns
    -------
    Tuning
        The fitted estimator as ``best``, and the scores of all candidates; it prints as a table.

    Examples
    --------
    >>> from priorcase.neighbors import KNNClassifier
    >>> X = [[31, "red"], [29, "red"], [30, "blue"], [62, "blue"], [64, "blue"], [61, "red"]] * 3
    >>> y = ["no", "no", "no", "yes", "yes", "yes"] * 3
    >>> tuning = tune(KNNClassifier(), X, y, candidates={"n_neighbors": [1, 3, 9], "prior": [0.1, 1.0]}, nested=3)
    >>> tuning
    6 candidates scored on 18 rows, chosen by log-loss
              n_neighbors  prior  log-loss  Brier score  accuracy
      chosen  1            0.1     0.04652     0.004132         1
      On rows that took no part in the choice: log-loss 0.04652, Brier score 0.004132, accuracy 1.
    >>> tuning.best.predict([[60, "red"]])
    array(['yes'], dtype='<U3')
    """
    if not isinstance(estimator, NeighborsPredictor):
        raise TuningError.estimator(estimator)
    classes = hasattr(type(estimator), "classes_")
    groups = groups_of(estimator, candidates, classes=classes)
    problem = _problem(estimator, X, y, sample_weight, n_samples, random_state, groups[0].distance)
    deciding = _scoring(scoring, classes)
    n_nested = _nested(nested, len(problem.truth))
    shown = (
        len(problem.truth) >= 1000
        if progress is None
        else check_flag("progress", progress, hint="None shows a bar where it takes long.")
    )
    with bar(steps(problem, groups, n_nested), shown=shown, text="tune") as advance:
        measured = measure(problem, groups, lambda: advance("tune"))
        group, at, candidate = choose(measured, deciding)
        nested_on = nested_scores(problem, groups, deciding, n_nested, lambda: advance("nested")) if n_nested else {}
    chosen = group.parameters(at, classes=classes)
    folds = [learns_from_targets(problem, group) for group in measured.groups]
    best = problem.chosen(chosen)
    rows = float(measured.sums.weights.sum())
    best.tuning_ = tuning = Tuning(
        best, chosen, deciding, nested_on, rows, measured.groups, measured.means(), candidate, folds, backend_of(X)
    )
    return tuning


def _problem(
    estimator: Any, X: Any, y: Any, sample_weight: Any, n_samples: int | None, random_state: Any, distance: Any
) -> Problem:
    if n_samples is not None and not (is_whole(n_samples) and int(n_samples) >= 2):
        expected, hint = "None or a whole number >= 2", "None asks about every row."
        raise ParameterError.wrong("n_samples", n_samples, expected=expected, hint=hint)
    seed = check_seed(random_state)
    most = None if n_samples is None else int(n_samples)
    problem = Problem(estimator, X, y, None, most, seed, distance)
    if sample_weight is None:
        return problem
    weights = check_weights(sample_weight, len(problem.truth), parameter="sample_weight")
    if weights is None or not weights.any():
        raise SampleWeightError.wrong("that is zero for every row")
    kept = np.flatnonzero(weights)
    return Problem(estimator, taken_rows(X, kept), taken_rows(y, kept), weights[kept], most, seed, distance)


def _scoring(scoring: object, classes: bool) -> str:
    names = _SCORINGS[classes]
    hint = f"{names[0]!r} is the default where targets are {'classes' if classes else 'numbers'}."
    return names[0] if scoring is None else check_choice("scoring", scoring, names, hint=hint)


def _nested(nested: object, rows: int) -> int:
    if nested is None:
        return 0
    if is_whole(nested) and 2 <= int(nested) <= rows:
        return int(nested)
    expected, hint = f"None or a whole number from 2 to the number of rows, {rows}", "None leaves the estimate out."
    raise ParameterError.wrong("nested", nested, expected=expected, hint=hint)
