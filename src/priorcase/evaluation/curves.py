"""Learning curves and noise curves: scores against the number of training rows or the level of noise."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from sklearn.utils._param_validation import StrOptions

from priorcase._numbers import decimals, fixed, number, with_errors
from priorcase._parameters import check_seed, check_value, is_number, is_whole
from priorcase._typing import AnyArray, Backend, FloatArray, IntArray
from priorcase.datasets.generators import ClassDraw, add_noise
from priorcase.evaluation.running import (
    REASON_WIDTH,
    Cell,
    Jobs,
    Trial,
    cell_columns,
    first_failures,
    fitted,
    missing_notes,
    seed_of,
    seeded,
    teach,
    unseen_note,
)
from priorcase.evaluation.scoring import (
    OURS,
    Score,
    Scores,
    read_learners,
    read_scores,
    read_task,
    reason_of,
    score_named,
)
from priorcase.evaluation.splits import Split, check_repeats, partition, read_test
from priorcase.exceptions import ParameterError, UninformativeColumnWarning, prefix_errors, quoted, unwarned
from priorcase.learning.plotting import MUTED, caption, drawing, legend_beside, style
from priorcase.learning.resampling import taken_rows
from priorcase.learning.results import Grid, GridsResult, framed, short

Band: TypeAlias = Literal["range", "error"]
Growing: TypeAlias = Literal["fit", "partial_fit"]
NoiseKind: TypeAlias = Literal["attributes", "classes"]
Sizes: TypeAlias = "Literal['all'] | Iterable[float] | None"

_LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
_NAME_WIDTH = 30
_MOST_LINES = 20
_MOST_MARKERS = 25


# -- results


@dataclass(frozen=True, repr=False, eq=False)
class Curve(GridsResult):
    """Scores of several learners for several points of a curve; they print as one table for each score."""

    learners: tuple[str, ...]
    scores: tuple[Score, ...]
    points: AnyArray  # numbers of training rows or noise levels, in ascending order
    cells: tuple[Cell, ...]  # one for each finished combination of learner, repetition and point (``cell.split``)
    repeats: int  # planned number of repetitions
    protocol: str  # how rows were split
    complete: bool = True  # False if the run was interrupted by Ctrl-C

    axis: ClassVar[str]
    axis_label: ClassVar[str]

    # -- numbers

    def values(self, score: str | None = None) -> FloatArray:
        """Return the values of a score, shape (learners, points, repetitions); NaN for missing values."""
        name = self.score(score).name
        found = np.full((len(self.learners), self.points.size, self.repeats), np.nan)
        at = {learner: number for number, learner in enumerate(self.learners)}
        for cell in self.cells:
            found[at[cell.learner], cell.split, cell.repeat] = cell.values[name]
        return found

    def mean(self, score: str | None = None) -> FloatArray:
        """Return mean scores over the repetitions, shape (learners, points); NaN if there are no values."""
        return _reduced(np.nanmean, self.values(score))

    def standard_error(self, score: str | None = None) -> FloatArray:
        """Return standard errors, shape (learners, points); NaN for a single repetition or infinite values."""
        # The repetitions share rows of one table, so this is the precision of the mean for this table only.
        values = self.values(score)
        counts = np.maximum((~np.isnan(values)).sum(axis=2), 1)
        return np.asarray(np.sqrt(_reduced(partial(np.nanvar, ddof=1), values) / counts))

    def lowest(self, score: str | None = None) -> FloatArray:
        """Return the smallest score over the repetitions, shape (learners, points)."""
        return _reduced(np.nanmin, self.values(score))

    def highest(self, score: str | None = None) -> FloatArray:
        """Return the greatest score over the repetitions, shape (learners, points)."""
        return _reduced(np.nanmax, self.values(score))

    @property
    def failures(self) -> Mapping[str, str]:
        """First error message of each learner that failed, by name of the learner."""
        return first_failures(self.cells)

    def score(self, name: str | None = None) -> Score:
        """Return the score with the given name; None returns the first score."""
        return score_named(self.scores, name)

    # -- tables and plots

    def frame(self, backend: Backend | None = None, *, each: bool = False) -> Any:
        """Return a data frame with one row per learner, point and score.

        The columns are ``learner``, the point (``rows`` or ``noise``), ``score``, ``mean``, ``standard_error``,
        ``min``, ``max`` and ``repeats``.

        Parameters
        ----------
        backend
            See `CalibrationTable.frame`.
        each
            Whether to return one row per learner, point, repetition and score instead, with the columns of
            `Comparison.frame` and the point in place of ``split``.
        """
        points = self.points.tolist()
        if each:
            place = {self.axis: [points[cell.split] for cell in self.cells]}
            place["repeat"] = [cell.repeat for cell in self.cells]
            return framed(cell_columns(self.cells, self.scores, place), backend)
        names = [score.name for score in self.scores]
        lines = [(learner, point, name) for name in names for learner in self.learners for point in points]
        columns: dict[str, Any] = dict(
            zip(("learner", self.axis, "score"), map(list, zip(*lines, strict=True)), strict=True)
        )
        numbers = {"mean": self.mean, "standard_error": self.standard_error, "min": self.lowest, "max": self.highest}
        for label, of in numbers.items():
            columns[label] = np.concatenate([of(name).ravel() for name in names])
        columns["repeats"] = np.concatenate([(~np.isnan(self.values(name))).sum(axis=2).ravel() for name in names])
        return framed(columns, backend)

    def plot(self, score: str | None = None, ax: Any = None, *, band: Band | None = "range") -> Any:
        """Plot mean scores as lines, with a band for each learner.

        Parameters
        ----------
        score
            Name of the score; None for the first score.
        ax
            Matplotlib axes; None for a new figure.
        band
            ``"range"`` draws bands from the worst repetition to the best, and ``"error"`` two standard errors to each
            side of the mean. None draws no bands.
        """
        check_value("band", band, [None, StrOptions({"range", "error"})])
        name = self.score(score).name
        mean, low, high = self.mean(name), self.lowest(name), self.highest(name)
        if band == "error":
            low, high = (mean + side * 2 * self.standard_error(name) for side in (-1, 1))
        with drawing(ax) as ax:
            draw_curves(ax, self.learners, self.points, mean, None if band is None else (low, high))
            ax.set_xlabel(self.axis_label)
            ax.set_ylabel(name)
            return ax

    def _grids(self) -> list[Grid]:
        """Return a table for each score, with failures listed below the last table."""
        points = self.points.size
        shown = np.unique(np.linspace(0, points - 1, min(points, _MOST_LINES)).round().astype(int)).tolist()
        of = f" of {short(self.learners[0], 2 * _NAME_WIDTH)}" if len(self.learners) == 1 else ""
        how = "one repetition" if self.repeats == 1 else f"mean ± usual standard error over {self.repeats} repetitions"
        grids = []
        for position, score in enumerate(self.scores):
            title = f"{score.name}{of}" + (f": {how}, {self.protocol}" if position == 0 else "")
            note = "\n  ".join(self._notes(len(shown))) if position == len(self.scores) - 1 else ""
            grids.append(self._grid(score.name, shown, title, note))
        return grids

    def _grid(self, score: str, shown: Sequence[int], title: str, note: str) -> Grid:
        """Return a table with a column for each learner; for a single learner, add columns for minimum and maximum."""
        means, errors = self.mean(score), self.standard_error(score)
        extremes = np.stack([self.lowest(score)[0], self.highest(score)[0]])
        one = len(self.learners) == 1
        places = decimals(extremes if one else means)
        columns = [with_errors(mean, error, places) for mean, error in zip(means, errors, strict=True)]
        if one:
            columns += [[fixed(value, places) for value in extreme] for extreme in extremes]
        names = ["mean", "min", "max"] if one else [short(name, _NAME_WIDTH) for name in self.learners]
        lines = [[_point_text(self.points.tolist()[at]), *(column[at] for column in columns)] for at in shown]
        return Grid(title, [self.axis, *names], lines, note, right=range(len(names) + 1))

    def _notes(self, shown: int) -> list[str]:
        notes = []
        if shown < self.points.size:
            notes.append(f"{shown:,} of {self.points.size:,} points are shown; frame() returns all points")
        if not self.complete:
            wanted = len(self.learners) * self.points.size * self.repeats
            notes.append(f"not complete: interrupted after {len(self.cells):,} of {wanted:,} fits")
        notes += unseen_note(self.cells, of="fits")
        for name, reason in self.failures.items():
            cells = [cell for cell in self.cells if cell.learner == name]
            failed = [cell for cell in cells if cell.failure]
            at = ", ".join(_point_text(self.points.tolist()[i]) for i in sorted({cell.split for cell in failed}))
            times = "" if len(failed) == len(cells) else f" {len(failed)} of {len(cells)} times (at {short(at, 40)})"
            notes.append(f"{short(name, _NAME_WIDTH)} failed{times}: {short(reason, REASON_WIDTH)}")
        return notes + missing_notes(self.cells, self.learners, of="fits")


@dataclass(frozen=True, repr=False, eq=False)
class LearningCurve(Curve):
    """Scores of several learners against the number of training rows; they print as one table for each score."""

    axis = "rows"
    axis_label = "training rows"

    def plot(self, score: str | None = None, ax: Any = None, *, band: Band | None = "range") -> Any:
        """Plot mean scores against the number of training rows; for the parameters, see `NoiseCurve.plot`.

        The x axis is logarithmic if the median number of training rows is less than a third of the largest number.
        """
        ax = super().plot(score, ax, band=band)
        if self.points.size > 2 and np.median(self.points) < self.points[-1] / 3:
            _log_ticks(ax, self.points)
        return ax


@dataclass(frozen=True, repr=False, eq=False)
class NoiseCurve(Curve):
    """Scores of several learners against the noise level; they print as one table for each score."""

    axis = "noise"
    axis_label = "noise level (probability of replacement)"


def _reduced(function: Callable[..., Any], values: FloatArray) -> FloatArray:
    """Apply a function such as ``np.nanmean`` over the repetitions, without NumPy's warnings about missing values."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(function(values, axis=2))


def _point_text(point: float) -> str:
    return f"{point:,}" if isinstance(point, int) else number(point)


def draw_curves(
    ax: Any, names: Sequence[str], x: AnyArray, mean: FloatArray, band: tuple[FloatArray, FloatArray] | None
) -> None:
    """Plot each row of ``mean`` as a line with an optional band; triangles mark means of minus infinity."""
    known = np.concatenate([part[np.isfinite(part)] for part in (mean, *(band or ()))])
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    margin = 0.06 * (high - low) or 0.05
    low, high = low - margin, high + margin
    for i, name in enumerate(names):
        look = style(i)
        if band is not None:
            bottom, top = (np.clip(part[i], low, high) for part in band)
            ax.fill_between(x, bottom, top, color=look.color, alpha=0.10, linewidth=0)
            if x.size == 1:
                ax.vlines(x, bottom, top, color=look.color, linewidth=1.0)
            for edge in (bottom, top):
                ax.plot(x, edge, color=look.color, linestyle=look.line, linewidth=0.7, alpha=0.45)
        marker = look.marker if x.size <= _MOST_MARKERS else None
        line = np.where(np.isfinite(mean[i]), mean[i], np.nan)
        ax.plot(x, line, color=look.color, linestyle=look.line, marker=marker, label=name)
        if (infinite := x[np.isneginf(mean[i])]).size:
            at = infinite[np.unique(np.linspace(0, infinite.size - 1, _MOST_MARKERS).round().astype(int))]
            heights = np.full(at.size, 0.035 * (i + 0.7))
            looks: dict[str, Any] = {"color": look.color, "markersize": 4, "zorder": 5}
            ax.plot(at, heights, "v", transform=ax.get_xaxis_transform(), **looks)
    ax.set_ylim(low, high)
    infinite_mean = bool(np.isneginf(mean).any())
    if infinite_mean:
        ax.plot([], [], "v", color=MUTED, markersize=4, label="minus infinity")
    if len(names) > 1 or infinite_mean:
        legend_beside(ax)
    if len(names) == 1:
        ax.set_title(caption(names[0], 70))


def _log_ticks(ax: Any, x: AnyArray) -> None:
    """Make the x axis logarithmic; with at most 12 points, put a tick at each point whose label does not overlap."""
    from matplotlib.ticker import NullFormatter, NullLocator

    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    if x.size > 12:
        return
    scale = 72.0 * ax.bbox.width / ax.figure.dpi / max(float(np.log(x[-1] / x[0])), 1e-9)
    kept: list[float] = []
    for value in reversed(x.tolist()):  # the last one first
        if not kept or scale * float(np.log(kept[-1] / value)) >= 5.3 * (len(f"{value:g}") + 2):
            kept.append(value)
    ax.set_xticks(kept[::-1])
    ax.xaxis.set_minor_locator(NullLocator())


# -- learning curves


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
    """Score learners on the same test rows for increasing numbers of training rows.

    In each repetition the rows are split at random into test rows and a training pool. The pool is in random order, and
    each training set consists of the first rows of the pool. Larger training sets therefore contain the smaller sets,
    and all learners see the same sets (Kontkanen et al. 1997, section 4.1).

    Parameters
    ----------
    learners, X, y
        See `compare`.
    sizes
        Numbers of training rows (int) or shares of the pool (float), for example ``[5, 10, 0.5, 1.0]``. None uses about
        ten sizes in geometric progression up to the whole pool; ``"all"`` uses every size from 1.
    test
        Share of the rows for testing (float), or number of test rows (int).
    repeats
        The number of random partitions.
    scores
        See `compare`.
    grow
        ``"fit"`` fits a new learner to each training set. ``"partial_fit"`` keeps the learner and teaches it only
        the new rows; all classes are passed with the first rows if ``partial_fit`` accepts ``classes``.
    random_state, n_jobs, progress
        See `compare`; repetitions run in parallel.

    Returns
    -------
    LearningCurve
        Mean, standard error, minimum and maximum over the repetitions. A learner that fails is listed below the table
        with the reason. After Ctrl-C, the finished repetitions are returned with ``complete`` False.

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
    chosen = read_scores(scores, task.kind)
    check_value("grow", grow, [StrOptions({"fit", "partial_fit"})])
    tests = read_test(test, task)
    points = read_sizes(sizes, len(task) - tests)
    check_repeats(repeats)
    seed = check_seed(random_state)
    trials = [Trial(name, learner, X, task, chosen, seed) for name, learner in named.items()]
    pieces = [(trial, points, tests, repeat, grow) for repeat in range(repeats) for trial in trials]
    done = Jobs(n_jobs, progress, "learning curve").run(_at_sizes, pieces)
    cells = tuple(cell for piece in done if piece is not None for cell in piece)
    protocol, complete = f"{tests} test row{'s' * (tests > 1)}", None not in done
    return LearningCurve(tuple(named), chosen, np.array(points), cells, int(repeats), protocol, complete)


def ladder(rows: int) -> tuple[int, ...]:
    """Return about ten sizes in geometric progression; the largest size is ``rows``."""
    first = min(5, max(1, rows // 10))
    return tuple(np.unique(np.geomspace(first, rows, 10).round().astype(int)).tolist())


def read_sizes(sizes: Any, rows: int) -> tuple[int, ...]:
    """Return the requested numbers of training rows, ascending and without duplicates; ``rows`` is the pool size."""
    if sizes is None:
        return ladder(rows)
    if isinstance(sizes, str) and sizes == "all":
        return tuple(range(1, rows + 1))
    entries = _entries(sizes)
    right = [
        (is_whole(entry) and 1 <= entry <= rows) or (is_number(entry) and not is_whole(entry) and 0 < entry <= 1)
        for entry in entries
    ]
    if not all(right) or not entries:
        wrong = entries[right.index(False)] if entries else sizes
        raise ParameterError(
            f"sizes must be None, 'all', numbers of rows from 1 to {rows} (the training pool), or shares "
            f"up to 1.0, got {quoted(wrong)}. Pass sizes=[0.1, 0.3, 1.0], for example."
        )
    # 0.7 * 10 is a little less than 7
    return tuple(sorted({int(size) if is_whole(size) else max(1, int(size * rows + 1e-9)) for size in entries}))


def _entries(values: Any) -> list[Any]:
    """Return the entries of an array or iterable; a single value becomes a one-element list."""
    if isinstance(values, np.ndarray):
        return list(np.atleast_1d(values).tolist())
    return list(values) if isinstance(values, Iterable) and not isinstance(values, (str, bytes)) else [values]


def _at_sizes(trial: Trial, points: tuple[int, ...], tests: int, repeat: int, grow: Growing) -> tuple[Cell, ...]:
    """Evaluate one learner in one repetition, for each number of training rows in ``points``."""
    pool, test = partition(len(trial.task), tests, trial.random_state, repeat)
    with unwarned(UninformativeColumnWarning):  # a column may be constant in a few rows, not in X
        if grow == "partial_fit":
            return tuple(_grown(trial, points, pool, test, repeat))
        return tuple(trial.on_split(Split(repeat, number, pool[:size], test)) for number, size in enumerate(points))


def _grown(trial: Trial, points: tuple[int, ...], pool: IntArray, test: IntArray, repeat: int) -> Iterator[Cell]:
    """Evaluate one learner at all sizes, trained with ``partial_fit``; after a failure, larger sizes are not tried."""
    model, known, failure = seeded(trial.learner, seed_of(trial.random_state, repeat)), 0, ""
    for position, size in enumerate(points):
        place = (repeat, position, size, test.size)
        start = perf_counter()
        try:
            if not failure:
                teach(model, trial.X, trial.task, pool[known:size], first=known == 0)
                known = size
        except Exception as error:  # as in Trial.on_split
            failure = reason_of(error)
        if failure:
            yield trial.failed(place, failure)
            continue
        try:
            cell = trial.tested(place, model, perf_counter() - start, trial.X, test, trial.task)
            yield replace(cell, unseen=trial.task.unseen(pool[:size], test))
        except Exception as error:  # it may succeed with more rows
            yield trial.failed(place, error)


# -- noise curves


@prefix_errors
def noise_curve(
    learners: Any,
    X: Any,
    y: Any,
    *,
    kind: NoiseKind = "attributes",
    levels: Iterable[float] = _LEVELS,
    class_draw: ClassDraw = "distribution",
    noisy_test: bool = False,
    test: float = 0.3,
    repeats: int = 20,
    scores: Scores = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> NoiseCurve:
    """Score learners after training on rows with increasing levels of noise.

    The noise level is the probability that a value of a training row is replaced by a value drawn from the same column
    (Aha, Kibler & Albert 1991; see `add_noise`). Test rows are clean by default. All learners see the same noisy rows.
    Values replaced at one level are also replaced at all higher levels.

    Parameters
    ----------
    learners, X, y
        See `compare`.
    kind
        ``"attributes"`` replaces attribute values, and ``"classes"`` replaces targets.
    levels
        Noise levels, which are probabilities from 0 to 1.
    class_draw
        How a new class is drawn: ``"distribution"`` takes the class of a random row, which can be the old class;
        ``"others"`` takes one of the other classes with equal probability.
    noisy_test
        Whether to add noise to the test rows too.
    scores
        See `compare`. None uses the default scores, plus ``"storage"`` if a learner has ``storage_``.
    test, repeats, random_state, n_jobs, progress
        See `learning_curve`.

    Returns
    -------
    NoiseCurve
        Mean, standard error, minimum and maximum over the repetitions; see `learning_curve`.

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
    chosen = read_scores(scores, task.kind)
    if scores is None and any(hasattr(type(learner), "storage_") for learner in named.values()):
        chosen = (*chosen, OURS["storage"])
    check_value("kind", kind, [StrOptions({"attributes", "classes"})])
    check_value("class_draw", class_draw, [StrOptions({"distribution", "others"})])
    check_value("noisy_test", noisy_test, ["boolean"])
    if class_draw != "distribution" and kind != "classes":
        raise ParameterError(
            "class_draw must be 'distribution' with kind='attributes', got 'others'. Pass kind='classes'."
        )
    if class_draw == "others" and task.kind == "numbers":
        raise ParameterError("class_draw must be 'distribution' for regression, got 'others'. Omit class_draw.")
    points = _read_levels(levels)
    tests = read_test(test, task)
    check_repeats(repeats)
    seed = check_seed(random_state)
    add = partial(add_noise, class_draw=class_draw)
    trials = [Trial(name, learner, X, task, chosen, seed) for name, learner in named.items()]
    settings = (add, kind, points, tests, bool(noisy_test))
    pieces = [(trial, repeat, *settings) for repeat in range(repeats) for trial in trials]
    done = Jobs(n_jobs, progress, "noise curve").run(_at_levels, pieces)
    cells = tuple(cell for piece in done if piece is not None for cell in piece)
    tested = f"{tests} {'noisy' if noisy_test else 'clean'} test row{'s' * (tests > 1)}"
    protocol = f"noise in {kind} of {len(task) - tests:,} training rows, {tested}"
    return NoiseCurve(tuple(named), chosen, np.array(points), cells, int(repeats), protocol, None not in done)


def _read_levels(levels: Any) -> tuple[float, ...]:
    entries = _entries(levels)
    if not entries or not all(is_number(level) and 0 <= level <= 1 for level in entries):
        raise ParameterError(
            f"levels must be numbers from 0 to 1, got {quoted(levels)}. Pass levels=[0, 0.1, 0.2], for example."
        )
    return tuple(sorted({float(level) for level in entries}))


def _at_levels(
    trial: Trial, repeat: int, add: Any, kind: NoiseKind, levels: Sequence[float], tests: int, noisy_test: bool
) -> tuple[Cell, ...]:
    """Evaluate one learner in one repetition at all noise levels; all learners get the same noisy rows."""
    train, test = partition(len(trial.task), tests, trial.random_state, repeat)
    truth, cells = trial.task.truth, []
    states = [seed_of(trial.random_state, repeat, part) for part in (0, 1)]
    for position, level in enumerate(levels):
        place = (repeat, position, train.size, test.size)
        X, y = add(taken_rows(trial.X, train), truth[train], random_state=states[0], **{kind: level})
        queries, targets = taken_rows(trial.X, test), truth[test]
        if noisy_test:
            queries, targets = add(queries, targets, random_state=states[1], **{kind: level})
        task = replace(trial.task, truth=targets)
        try:
            model, seconds = fitted(trial.learner, X, y, None, seed_of(trial.random_state, repeat, position))
            cell = trial.tested(place, model, seconds, queries, np.arange(test.size), task)
            # A learner need not report how much it keeps.
            reasons = {score: reason for score, reason in cell.reasons.items() if score != "storage"}
            cells.append(replace(cell, reasons=reasons, unseen=trial.task.unseen(train, test)))
        except Exception as error:  # as in Trial.on_split
            cells.append(trial.failed(place, error))
    return tuple(cells)
