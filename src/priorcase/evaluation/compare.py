"""Several learners on one table: the same splits, the same scores, one result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from priorcase._parameters import check_flag, check_seed
from priorcase.evaluation.answers import read_learners, read_task, readable
from priorcase.evaluation.compare_cells import Cell, Part, Trial
from priorcase.evaluation.compare_rows import Running, in_order, left_out
from priorcase.evaluation.comparison import Comparison
from priorcase.evaluation.protocols import Splits, read_splits
from priorcase.evaluation.scoring import Scores, read_scores
from priorcase.evaluation.splits import LeaveOneOut, Prequential
from priorcase.exceptions import prefix_errors


@prefix_errors
def compare(
    learners: Any,
    X: Any,
    y: Any,
    *,
    splits: Splits = 10,
    groups: Any = None,
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
    groups
        The group of each row, for a splitter of scikit-learn that keeps groups together, such as ``GroupKFold``.
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
        One value for each learner, repetition, split and score. A learner that fails, or ends
        the worker process it runs in, is there with its reason. Ctrl-C ends the run, and what is finished is returned
        with ``complete`` False.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = [[0], [1], [2], [3], [4], [5]] * 5, ["no", "no", "no", "yes", "yes", "yes"] * 5
    >>> found = compare({"tree": DecisionTreeClassifier(), "guess": DummyClassifier()}, X, y, splits=5)
    >>> found.best("accuracy"), found.mean("tree", "accuracy")
    ('tree', 1.0)
    """
    named = read_learners(learners)
    task = read_task(named, y, X=X)
    chosen = read_scores(scores, task.kind)
    protocol = read_splits(splits, task, repeats, groups=groups)
    seed = check_seed(random_state)
    check_flag("keep_answers", keep_answers, hint="True keeps what was said about each row.")
    trials = {name: Trial(name, learner, readable(X, learner), task, chosen, seed) for name, learner in named.items()}
    running = Running(n_jobs, progress, f"{len(named)} learner{'s' * (len(named) > 1)}")
    by_rows = isinstance(protocol, (LeaveOneOut, Prequential))
    if isinstance(protocol, LeaveOneOut):
        cells = _whole(trials, left_out(trials, running), len(task) - 1)
    elif isinstance(protocol, Prequential):
        start = protocol.first(len(task))
        cells = _whole(trials, in_order(trials, start, running), (start + len(task)) // 2)
    else:
        dealt = [split for repeat in range(repeats) for split in protocol.deal(task, seed=seed, repeat=repeat)]
        pieces = [(trial, "on_split", split, keep_answers) for split in dealt for trial in trials.values()]
        cells = running.run(pieces).done
    planned = len(named) if by_rows else len(pieces)
    complete = len(cells) == planned
    return Comparison(tuple(named), chosen, tuple(cells), str(protocol), len(task), int(repeats), by_rows, complete)


def _whole(trials: Mapping[str, Trial], parts: Mapping[str, list[Part]], train: int) -> list[Cell]:
    """One cell for each learner of which every row was answered; ``train`` is how many rows it knew, on average."""
    return [trial.scored(parts[name], train) for name, trial in trials.items() if name in parts]
