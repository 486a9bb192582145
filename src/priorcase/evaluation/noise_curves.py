"""How scores fall as values or classes of the training rows become noisy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from priorcase._parameters import check_flag, check_seed, is_number
from priorcase._typing import IntArray
from priorcase.datasets.noise import ClassDraw, add_noise
from priorcase.evaluation.answers import Task, ask, read_learners, read_task, readable
from priorcase.evaluation.checks import check_choice
from priorcase.evaluation.compare_cells import Cell, Trial
from priorcase.evaluation.curves import Curve
from priorcase.evaluation.curves_scores import STORAGE, read_curve_scores
from priorcase.evaluation.partitions import check_repeats, partition, read_test
from priorcase.evaluation.running import run_all, seed_of, seeded
from priorcase.evaluation.scoring import Scores, needs_of, reason_of, score_all
from priorcase.exceptions import ParameterError, prefix_errors, quoted
from priorcase.learning.resampling import taken_rows

__all__ = ["NoiseCurve", "noise_curve"]

NoiseKind: TypeAlias = Literal["attributes", "classes"]
"""What becomes noisy."""

LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
_TRAINING, _TESTS = 0, 1


@dataclass(frozen=True, repr=False, eq=False)
class NoiseCurve(Curve):
    """Scores of several learners against the level of noise; prints as a table for each score."""

    axis = "noise"
    axis_label = "noise: probability of being replaced"


@dataclass(frozen=True)
class Noise:
    """What is done to the rows.

    Parameters
    ----------
    kind, class_draw
        What becomes noisy, and where classes come from.
    tests
        Whether the test rows become noisy too.
    """

    kind: NoiseKind
    class_draw: ClassDraw
    tests: bool

    def of(self, X: Any, y: Any, level: float, *seeds: int) -> tuple[Any, Any]:
        """Some rows made noisy, by random numbers that are the same for every level and every learner."""
        seed = seed_of(*seeds)
        if self.kind == "attributes":
            return add_noise(X, y, attributes=level, random_state=seed)
        return add_noise(X, y, classes=level, class_draw=self.class_draw, random_state=seed)


@prefix_errors
def noise_curve(
    learners: Any,
    X: Any,
    y: Any,
    *,
    kind: NoiseKind = "attributes",
    levels: Iterable[float] = LEVELS,
    class_draw: ClassDraw = "distribution",
    noisy_test: bool = False,
    test: float = 0.3,
    repeats: int = 20,
    scores: Scores = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> NoiseCurve:
    """How well learners do on clean test rows after they have learned from noisy ones.

    The level is the probability that each value of each training row is replaced by one drawn from its column (Aha,
    Kibler & Albert 1991; `add_noise`). In each repetition the rows are parted at random, and all learners see the same
    noisy rows. What is replaced at a lower level is replaced at a higher one too.

    Parameters
    ----------
    learners
        A mapping from name to estimator; several estimators, named by what they print; or one. Any estimator of
        scikit-learn's kind will do. They are copied and never changed.
    X, y
        The rows, in a table of any make, and their classes or numbers.
    kind
        ``"attributes"``: values are replaced, classes stay. ``"classes"``: the other way round.
    levels
        Probabilities from 0 to 1.
    class_draw
        The class that comes in place of another: ``"distribution"``, that of a row drawn at random, perhaps the same
        again; ``"others"``, one of the others, all equally probable.
    noisy_test
        Whether the test rows are made noisy in the same way; only training rows are by default.
    test
        How many rows are test rows: a part of all of them, or a number.
    repeats
        How many times the rows are parted.
    scores
        As in `compare`. None: the usual ones, and ``"storage"`` where a learner has ``storage_``: the share of the rows
        seen that it keeps.
    random_state, n_jobs, progress
        As in `learning_curve`.

    Returns
    -------
    NoiseCurve
        Mean, standard error, smallest and greatest value over the repetitions. A learner that fails is there with its
        reason. Ctrl-C ends the run, and what is finished is returned with ``complete`` False.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = [[n % 30] for n in range(90)], ["high" if n % 30 > 14 else "low" for n in range(90)]
    >>> learners = {"1-NN": KNeighborsClassifier(1), "9-NN": KNeighborsClassifier(9)}
    >>> noise_curve(learners, X, y, kind="classes", levels=[0, 0.3], class_draw="others", scores="accuracy")
    accuracy: mean ± usual standard error over 20 repetitions, noise in classes of 63 training rows, 27 clean test rows
      noise           1-NN           9-NN
          0  1.000 ± 0.000  0.991 ± 0.005
        0.3  0.691 ± 0.028  0.861 ± 0.025
    """
    named = read_learners(learners)
    task = read_task(named, y, X=X)
    chosen = read_curve_scores(scores, task.kind, named.values(), storage=True)
    noise, points = _read_noise(kind, class_draw, noisy_test, task), _read_levels(levels)
    tests = read_test(test, len(task))
    repeats, seed = check_repeats(repeats), check_seed(random_state)
    trials = [Trial(name, learner, X, task, chosen, seed) for name, learner in named.items()]
    pieces = [(trial, noise, points, tests, repeat) for repeat in range(repeats) for trial in trials]
    done = run_all(_descend, pieces, n_jobs=n_jobs, progress=progress, text="noise curve").results
    cells = tuple(cell for piece in done if piece is not None for cell in piece)
    tested = f"{tests} {'noisy' if noisy_test else 'clean'} test row{'s' * (tests > 1)}"
    protocol = f"noise in {kind} of {len(task) - tests} training rows, {tested}"
    complete = all(piece is not None for piece in done)
    return NoiseCurve(tuple(named), chosen, np.array(points), cells, repeats, protocol, complete)


def _descend(trial: Trial, noise: Noise, levels: tuple[float, ...], tests: int, repeat: int) -> tuple[Cell, ...]:
    """One learner in one repetition, at all levels."""
    train, test = partition(len(trial.task), tests, trial.seed, repeat)
    return tuple(_at_level(trial, noise, number, level, train, test, repeat) for number, level in enumerate(levels))


def _at_level(
    trial: Trial, noise: Noise, number: int, level: float, train: IntArray, test: IntArray, repeat: int
) -> Cell:
    place = (trial.name, repeat, number, train.size, test.size)
    truth = trial.task.truth
    X, y = noise.of(taken_rows(trial.X, train), truth[train], level, trial.seed, repeat, _TRAINING)
    asked, right = taken_rows(trial.X, test), truth[test]
    if noise.tests:
        asked, right = noise.of(asked, right, level, trial.seed, repeat, _TESTS)
    try:
        model, X = seeded(trial.learner, seed_of(trial.seed, repeat, number)), readable(X, trial.learner)
        start = perf_counter()
        model.fit(X, y)
        between = perf_counter()
        task = Task(trial.task.kind, right, trial.task.labels)
        answers = ask(model, asked, np.arange(test.size), task, needs_of(trial.scores))
        end = perf_counter()
    except Exception as error:  # whatever a learner fails by is a line of the table, not the end of the run
        nothing = {score.name: float("nan") for score in trial.scores}
        return Cell(*place, nothing, failure=reason_of(error))
    values, reasons = score_all(trial.scores, answers)
    reasons.pop(STORAGE.name, None)  # not to say how much is kept is no failure
    return Cell(*place, values, reasons, between - start, end - between)


def _read_noise(kind: NoiseKind, class_draw: ClassDraw, noisy_test: bool, task: Task) -> Noise:
    check_choice("kind", kind, get_args(NoiseKind), hint="'attributes' replaces values, 'classes' targets.")
    hint = "'others' makes every replaced class a wrong one."
    check_choice("class_draw", class_draw, get_args(ClassDraw), hint=hint)
    check_flag("noisy_test", noisy_test, hint="False tests on clean rows.")
    if class_draw != "distribution" and kind != "classes":
        raise ParameterError(
            f"class_draw must be 'distribution' with kind='attributes', got {quoted(class_draw)}. kind='classes' "
            "replaces classes."
        )
    if class_draw == "others" and task.kind == "numbers":
        raise ParameterError(
            f"class_draw must be 'distribution' where numbers are learned, got {quoted(class_draw)}. Numbers are drawn "
            "from all numbers of y."
        )
    return Noise(kind, class_draw, bool(noisy_test))


def _read_levels(levels: Any) -> tuple[float, ...]:
    """Probabilities, ascending, each once."""
    several = isinstance(levels, Iterable) and not isinstance(levels, (str, bytes))
    entries = np.asarray(levels).tolist() if isinstance(levels, np.ndarray) else list(levels) if several else [levels]
    if not entries or not all(is_number(level) and 0 <= level <= 1 for level in entries):
        raise ParameterError(
            f"levels must be numbers from 0 to 1, got {quoted(levels)}. For example [0, 0.1, 0.2, 0.4]."
        )
    return tuple(sorted({float(level) for level in entries}))
