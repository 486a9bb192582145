"""Several learners on one table: the same splits, the same scores, one result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from priorcase.evaluation.answers import Task, read_learners, read_task
from priorcase.evaluation.compare_cells import Cell, Part, Trial
from priorcase.evaluation.comparison import Comparison
from priorcase.evaluation.leave_one_out import has_closed_form
from priorcase.evaluation.protocols import ByProtocol, Splits, read_splits
from priorcase.evaluation.running import run_all
from priorcase.evaluation.scoring import Scores, read_scores
from priorcase.evaluation.splits import LeaveOneOut, Prequential
from priorcase.learning.parameters import check_flag, check_seed

_CALLER = "compare"
_ROWS_AT_ONCE = 16


def compare(
    learners: Any,
    X: Any,
    y: Any,
    *,
    splits: Splits = 10,
    scores: Scores = None,
    repeats: int = 1,
    random_state: Any = 0,
    n_jobs: int | None = None,
    keep_answers: bool = False,
    progress: bool | None = None,
) -> Comparison:
    """How well several learners do on one table: the same splits and scores for all, in one result that prints.

    Parameters
    ----------
    learners
        A mapping from name to estimator; several estimators, named by what they print; or one. Any estimator of
        scikit-learn's kind will do. They are copied and never changed. A ``random_state`` that is None in them is
        derived from the one here and the split.
    X
        The rows: a frame, an array, a list of rows, or a table that was read by this library.
    y
        The target of each row: classes for classifiers, numbers for regressors.
    splits
        A number of folds (classes spread evenly, rare ones as evenly as can be); ``"loo"``; ``"prequential"``; a
        protocol: `Folds`, `Holdout`, `LeaveOneOut`, `Prequential`; a splitter of scikit-learn; or pairs of row
        positions (train, test).
    scores
        None for the usual ones: accuracy, log_score (``mean ln p`` of what came true, -inf where it was impossible) and
        brier (0 to 2, less is better) of classes; rmse, mae and r2 of numbers. Names: those, ``"balanced_accuracy"``,
        ``"mse"``, or any scorer of scikit-learn. A mapping from name to a `Score`, a scorer, or a function of what
        came true and what was predicted, greater when better. A class that is not among the training rows has
        probability 0.
    repeats
        How many times the rows are dealt out anew; only with folds and random partitions.
    random_state
        Where everything random comes from. The result is the same for any ``n_jobs``.
    n_jobs
        How many splits at a time, by joblib: None for one, or what ``joblib.parallel_config`` says; -1 for as many as
        cores.
    keep_answers
        Whether to keep what was said about each row, for `Comparison.answers`; leave-one-out and prequential
        comparisons always do.
    progress
        False for no bar where standard error is a terminal.

    Returns
    -------
    Comparison
        One value for each learner, repetition, split and score. A learner that fails is there with its reason. Ctrl-C
        ends the run, and what is finished is returned with ``complete`` False.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = [[0], [1], [2], [3], [4], [5]] * 5, ["no", "no", "no", "yes", "yes", "yes"] * 5
    >>> found = compare({"tree": DecisionTreeClassifier(), "guess": DummyClassifier()}, X, y, splits=5)
    >>> found.best("accuracy"), found.mean("tree", "accuracy")
    ('tree', 1.0)
    """
    named = read_learners(learners, caller=_CALLER)
    task = read_task(named, y, caller=_CALLER, X=X)
    chosen = read_scores(scores, task.kind, caller=_CALLER)
    protocol = read_splits(splits, task, repeats, caller=_CALLER)
    seed = check_seed(random_state, caller=_CALLER)
    check_flag("keep_answers", keep_answers, caller=_CALLER, hint="True keeps what was said about each row.")
    trials = {name: Trial(name, learner, X, task, chosen, seed) for name, learner in named.items()}
    pieces = _pieces(trials, protocol, task, repeats, seed, keep_answers)
    text = f"{len(named)} learner{'s' * (len(named) > 1)}"
    finished = run_all(_do, pieces, n_jobs=n_jobs, progress=progress, text=text, caller=_CALLER)
    if isinstance(protocol, (LeaveOneOut, Prequential)):
        owners = [piece[0].name for piece in pieces]
        cells = _whole(trials, owners, finished.results, protocol, len(task))
    else:
        cells = [result for result in finished.results if isinstance(result, Cell)]
    by_rows = isinstance(protocol, (LeaveOneOut, Prequential))
    return Comparison(
        tuple(named), chosen, tuple(cells), str(protocol), len(task), int(repeats), by_rows, finished.complete
    )


def _pieces(
    trials: Mapping[str, Trial], protocol: ByProtocol, task: Task, repeats: int, seed: int, keep: bool
) -> list[tuple[Any, ...]]:
    """What there is to do, small enough to be done side by side: split by split, all learners on each."""
    if isinstance(protocol, Prequential):
        return [(trial, "in_order", protocol.start) for trial in trials.values()]
    if isinstance(protocol, LeaveOneOut):
        blocks = [(row, min(row + _ROWS_AT_ONCE, len(task))) for row in range(0, len(task), _ROWS_AT_ONCE)]
        pieces: list[tuple[Any, ...]] = []
        for trial in trials.values():
            at_once = has_closed_form(trial.learner)
            pieces += (
                [(trial, "without_each")] if at_once else [(trial, "without", np.arange(*rows)) for rows in blocks]
            )
        return pieces
    dealt = [split for repeat in range(repeats) for split in protocol.deal(task, seed=seed, repeat=repeat)]
    return [(trial, "on_split", split, keep) for split in dealt for trial in trials.values()]


def _do(trial: Trial, method: str, *details: Any) -> Cell | Part:
    """One piece of work, in whatever process it runs."""
    result: Cell | Part = getattr(trial, method)(*details)
    return result


def _whole(trials: Mapping[str, Trial], owners: list[str], results: Any, protocol: ByProtocol, rows: int) -> list[Cell]:
    """One cell for each learner of which every row was answered."""
    train = rows - 1 if isinstance(protocol, LeaveOneOut) else rows // 2
    cells = []
    for name, trial in trials.items():
        parts = [part for owner, part in zip(owners, results, strict=True) if owner == name]
        if all(part is not None for part in parts):
            cells.append(trial.scored(parts, train))
    return cells
