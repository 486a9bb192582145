"""How scores grow with the number of training rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from priorcase._parameters import check_seed
from priorcase._typing import IntArray
from priorcase.evaluation.answers import ask, read_learners, read_task
from priorcase.evaluation.checks import check_choice
from priorcase.evaluation.compare_cells import Cell, Trial
from priorcase.evaluation.curves import Band, Curve
from priorcase.evaluation.curves_plot import log_ticks
from priorcase.evaluation.curves_scores import read_curve_scores
from priorcase.evaluation.learning_sizes import Sizes, read_sizes
from priorcase.evaluation.partitions import check_repeats, partition, read_test
from priorcase.evaluation.running import run_all, seed_of, seeded, teach
from priorcase.evaluation.scoring import Scores, needs_of, reason_of, score_all
from priorcase.evaluation.splits import Split
from priorcase.exceptions import prefix_errors

__all__ = ["LearningCurve", "learning_curve"]

Growing: TypeAlias = Literal["fit", "partial_fit"]
"""How a learner comes to know more rows: all over again, or the new ones only."""


@dataclass(frozen=True, repr=False, eq=False)
class LearningCurve(Curve):
    """Scores of several learners against the number of training rows; prints as a table for each score."""

    axis = "rows"
    axis_label = "training rows"

    def plot(self, score: str | None = None, ax: Any = None, *, band: Band | None = "range") -> Any:
        """Mean scores against the number of training rows, with a band for each learner.

        The axis is logarithmic where half of the points lie in its first third.

        Parameters
        ----------
        score
            Its name; None for the first.
        ax
            Axes of matplotlib; None for a figure of its own.
        band
            ``"range"``: from the worst repetition to the best. ``"error"``: two standard errors to each side. None:
            lines alone.
        """
        ax = super().plot(score, ax, band=band)
        if self.points.size > 2 and np.median(self.points) < self.points[-1] / 3:
            log_ticks(ax, self.points)
        return ax


@prefix_errors
def learning_curve(
    learners: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sizes = None,
    test: float = 0.3,
    repeats: int = 20,
    scores: Scores = None,
    grow: Growing = "fit",
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> LearningCurve:
    """How well learners do on the same test rows as they come to know more and more training rows.

    In each repetition the rows are parted at random into test rows and a reservoir. Training sets are the first rows of
    the reservoir in a random order, so that a greater set holds each smaller one, and all learners see the same sets
    (Kontkanen et al. 1997, section 4.1).

    Parameters
    ----------
    learners
        A mapping from name to estimator; several estimators, named by what they print; or one. Any estimator of
        scikit-learn's kind will do. They are copied and never changed.
    X, y
        The rows, in a table of any make, and their classes or numbers.
    sizes
        Numbers of training rows, or with a decimal point parts of the reservoir: ``[5, 10, 0.5, 1.0]``. None: about ten
        sizes up to the whole reservoir, each greater than the one before by the same factor. ``"all"``: each from 1.
    test
        How many rows are test rows: a part of all of them, or a number.
    repeats
        How many times the rows are parted.
    scores
        As in `compare`; ``"storage"`` as well, the share of the rows seen that a learner keeps (its ``storage_``).
    grow
        ``"fit"``: each training set is learned from nothing; a class that is not in it has probability 0.
        ``"partial_fit"``: only the rows that are new are learned, and classifiers are told of all classes at the
        beginning, if their ``partial_fit`` takes ``classes``, so that none has probability 0 for being unknown.
    random_state
        Where everything random comes from. The result is the same for any ``n_jobs``.
    n_jobs
        How many repetitions at a time, by joblib: None for one, or what ``joblib.parallel_config`` says; -1 for as many
        as cores.
    progress
        False for no bar where standard error is a terminal.

    Returns
    -------
    LearningCurve
        Mean, standard error, smallest and greatest value over the repetitions. A learner that fails at some sizes is
        there with its reason. Ctrl-C ends the run, and what is finished is returned with ``complete`` False.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = [[n % 30] for n in range(90)], ["high" if n % 30 > 14 else "low" for n in range(90)]
    >>> learning_curve(KNeighborsClassifier(1), X, y, sizes=[2, 8, 32], scores="accuracy")
    accuracy of KNeighborsClassifier(n_neighbors=1): mean ± usual standard error over 20 repetitions, 27 test rows
      rows           mean    min    max
         2  0.731 ± 0.052  0.370  1.000
         8  0.928 ± 0.014  0.778  1.000
        32  0.980 ± 0.007  0.926  1.000
    """
    named = read_learners(learners)
    task = read_task(named, y, X=X)
    chosen = read_curve_scores(scores, task.kind, named.values(), storage=False)
    check_choice("grow", grow, get_args(Growing), hint="'fit' learns each training set from nothing.")
    tests = read_test(test, len(task))
    points = read_sizes(sizes, len(task) - tests)
    repeats, seed = check_repeats(repeats), check_seed(random_state)
    trials = [Trial(name, learner, X, task, chosen, seed) for name, learner in named.items()]
    pieces = [(trial, points, tests, repeat, grow) for repeat in range(repeats) for trial in trials]
    done = run_all(_climb, pieces, n_jobs=n_jobs, progress=progress, text="learning curve").results
    cells = tuple(cell for piece in done if piece is not None for cell in piece)
    protocol = f"{tests} test row{'s' * (tests > 1)}"
    complete = all(piece is not None for piece in done)
    return LearningCurve(tuple(named), chosen, np.array(points), cells, repeats, protocol, complete)


def _climb(trial: Trial, points: tuple[int, ...], tests: int, repeat: int, grow: Growing) -> tuple[Cell, ...]:
    """One learner in one repetition, at all sizes."""
    reservoir, test = partition(len(trial.task), tests, trial.seed, repeat)
    if grow == "partial_fit":
        return tuple(_grown(trial, points, reservoir, test, repeat))
    splits = (Split(repeat, number, reservoir[:size], test) for number, size in enumerate(points))
    return tuple(trial.on_split(split, keep=False) for split in splits)


def _grown(trial: Trial, points: tuple[int, ...], reservoir: IntArray, test: IntArray, repeat: int) -> Iterator[Cell]:
    """The same by ``partial_fit``; where the learner has failed once, it is not asked again."""
    model, known, failure = seeded(trial.learner, seed_of(trial.seed, repeat)), 0, ""
    for number, size in enumerate(points):
        place = (trial.name, repeat, number, size, test.size)
        nothing = {score.name: float("nan") for score in trial.scores}
        try:
            if not failure:
                start = perf_counter()
                teach(model, trial.X, trial.task, reservoir[known:size], first=known == 0)
                known, between = size, perf_counter()
        except Exception as error:  # whatever a learner fails by is a line of the table, not the end of the run
            failure = reason_of(error)
        if failure:
            yield Cell(*place, nothing, failure=failure)
            continue
        try:
            answers = ask(model, trial.X, test, trial.task, needs_of(trial.scores))
        except Exception as error:  # as above; it may know enough rows later
            yield Cell(*place, nothing, failure=reason_of(error))
            continue
        yield Cell(*place, *score_all(trial.scores, answers), between - start, perf_counter() - between)
