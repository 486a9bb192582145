"""Compare learners on the same splits within a time budget, and recommend one."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from priorcase._grids import Grid, GridResult
from priorcase._numbers import equal_decimals, with_errors
from priorcase._typing import FloatArray, IntArray
from priorcase.evaluation.comparison import Comparison, compare
from priorcase.evaluation.running import Cell
from priorcase.evaluation.scoring import Task, read_scores
from priorcase.evaluation.significance import corrected_t
from priorcase.evaluation.splits import Folds, Split
from priorcase.exceptions import EvaluationError, ParameterError, quoted
from priorcase.registry import BASELINE
from priorcase.reporting.formatting import count, seconds
from priorcase.reporting.learners import ALWAYS, Candidate, Sampled
from priorcase.reporting.table import Problem

Say = Callable[[str], None]

_UNITS = {"s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
# Rows above which fewer folds are used; rows above which a sample is compared first; rows of this sample.
_MANY, _LARGE, _SAMPLE = 2000, 8000, 2000
_FOLDS, _FOLDS_OF_MANY, _REPEATS = 10, 5, 2
_SHARE, _SHARE_OF_SAMPLE, _SHARE_OF_REPEATS, _SHARE_OF_GROWTH = 0.6, 0.3, 0.25, 0.75  # shares of the budget
_GROWTH = 0.7  # exponent of the time by the number of rows: below 1, since part of the time is constant
_PILOTS = (24, 60, 120, 240)  # rows of the pilots
_MEASURABLE = 0.01  # seconds: shorter pilots are too short to estimate the growth
_SURPRISE = 1.5  # a pilot that takes this many times the expected time is repeated
_LONG = 1.5  # seconds: a pilot that is expected to take longer is not started, however much time is left
_RISK, _RISK_OF_ALWAYS = 0.4, 0.25  # shares of the remaining time that one split is allowed to take
_SHARE_OF_ONE = 0.4  # minimum share of the remaining time for a learner that is always measured
_MARGIN = 1.25  # safety factor for expected times
_LEAST_SAMPLE, _NEARLY_ALL = 20, 0.8  # minimum rows of a sample, and the share of rows from which all rows are used
_FEWER, _MORE = 0.75, 1.5  # factors for the next size of a sample that is too large, or that can grow
_BUDGETS = (10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 36_000, 86_400)  # to suggest, in seconds
_SHARE_OF_PILOT = 0.05  # share of the remaining time for a pilot, or for a learner that counts as quick
_USEFUL = 0.005  # minimum lead over the baseline, as a share of its score


# -- time


@dataclass(frozen=True)
class Budget:
    """A time budget in seconds; the clock starts when the object is created."""

    total: float
    start: float = field(default_factory=perf_counter)

    @property
    def spent(self) -> float:
        return perf_counter() - self.start

    def until(self, share: float) -> float:
        """Return the seconds left until the fraction ``share`` of the budget is spent."""
        return share * self.total - self.spent


def parse_budget(budget: object) -> float:
    """Convert a budget, such as 60 or ``"2min"``, to seconds."""
    found = math.nan
    if isinstance(budget, (int, float, str)) and not isinstance(budget, bool):
        text = str(budget).strip().lower()
        digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
        with suppress(ValueError, KeyError):
            found = float(digits) * _UNITS[text[len(digits) :].strip() or "s"]
    if not 0 < found < math.inf:
        raise ParameterError(
            f"budget must be a number of seconds > 0, or a string such as '60s' or '2min', got {quoted(budget)}. 60 "
            "seconds are enough for most tables."
        )
    return found


# -- splits and pilots


def task_of(problem: Problem) -> Task:
    """Return the targets in the form that `priorcase.evaluation` uses."""
    if problem.classes:
        return Task("classes", problem.y, np.unique(problem.y))
    return Task("numbers", problem.y, np.empty(0))


def deal(problem: Problem, folds: int, *, random_state: int, repeat: int) -> list[Split]:
    """Return the splits of one repetition of a cross-validation, stratified by class for classification."""
    return list(Folds(folds).deal(task_of(problem), random_state=random_state, repeat=repeat))


def sample_rows(problem: Problem, size: int, *, random_state: int) -> IntArray:
    """Return the positions of about ``size`` random rows, in ascending order, stratified by class if possible."""
    if size >= len(problem):
        return np.arange(len(problem))
    # A test fold contains at most half of the rows, so larger samples are not stratified.
    parts = round(len(problem) / size)
    if not problem.classes or parts < 2:
        return np.sort(np.random.default_rng(random_state).choice(len(problem), size, replace=False))
    return deal(problem, parts, random_state=random_state, repeat=0)[0].test


@dataclass(frozen=True)
class Pace:
    """The time that a learner takes for one split of ``rows`` rows, assumed to grow like ``rows ** growth``."""

    rows: int
    seconds: float
    growth: float

    def at(self, rows: int) -> float:
        """Return the expected time in seconds for one split of a table with another number of rows."""
        return float(self.seconds * (rows / self.rows) ** self.growth)

    def affordable(self, seconds: float) -> int:
        """Return the number of rows for which one split takes about ``seconds``; at least the minimum sample size."""
        return max(int(self.rows * (max(seconds, 0.0) / self.seconds) ** (1.0 / self.growth)), _LEAST_SAMPLE)


def pilot(candidate: Candidate, problem: Problem, *, random_state: int, longest: float = _LONG) -> Pace:
    """Estimate the time that a learner takes for one split of a table, by timing the learner on small samples."""
    measurable: Pace | None = None
    last, growth = Pace(1, 0.0, 1.0), 1.0
    for rows in _PILOTS:
        size = min(rows, len(problem))
        expected = last.at(size)
        if expected > longest:
            break
        small = problem.taken(sample_rows(problem, size, random_state=random_state))
        trials = Trials(small, deal(small, 4, random_state=random_state, repeat=0)[:1], random_state, None)
        taken = trials.timed(candidate)
        # The first fit may have imported modules, so a surprisingly slow sample is timed again.
        if longest > 0 and taken > max(_SURPRISE * expected, _MEASURABLE):
            taken = min(taken, trials.timed(candidate))
        if last.seconds > _MEASURABLE and size > last.rows:
            growth = _growth(last, size, taken)
        # The growth over all pilots varies less: after a sudden increase, the next sample is still worth a try.
        last = Pace(size, taken, 1.0 if measurable is None else _growth(measurable, size, taken))
        if measurable is None and taken > _MEASURABLE:
            measurable = last
        if size == len(problem):
            break
    return replace(last, growth=growth)


def _growth(earlier: Pace, rows: int, seconds: float) -> float:
    """Return the growth exponent g of the time between two samples (``rows ** g``), clipped to the range 1 to 3."""
    if rows <= earlier.rows or seconds <= 0:
        return 1.0
    return float(np.clip(np.log(seconds / earlier.seconds) / np.log(rows / earlier.rows), 1.0, 3.0))


@dataclass
class Trials:
    """Results of the learners measured so far on the splits of one table; for ``n_jobs`` see `compare`."""

    problem: Problem
    splits: list[Split]
    random_state: int
    n_jobs: int | None
    cells: list[Cell] = field(default_factory=list)
    costs: dict[str, float] = field(default_factory=dict)  # seconds, by learner
    reasons: dict[str, str] = field(default_factory=dict)  # why learners have no scores
    samples: dict[str, int] = field(default_factory=dict)  # sample sizes, for learners fitted to a sample
    needed: dict[str, float] = field(default_factory=dict)  # seconds for all rows, for learners that ran out of time

    def first_round(self, candidates: Sequence[Candidate], left: Callable[[], float], say: Say) -> None:
        """Measure the learners on all splits, quick ones first, as the remaining time (``left()`` seconds) allows."""
        paces: dict[str, Pace] = {}
        reserve, columns = left() / 2, len(self.problem.X.kinds)
        for one in sorted(candidates, key=lambda one: one.name in ALWAYS):  # last, since they always have pilots
            say(one.title)
            if one.max_columns is not None and columns > one.max_columns:
                self.reasons[one.name] = f"not measured: too many columns ({columns:,}; limit: {one.max_columns:,})"
            elif one.name == BASELINE:
                paces[one.name] = Pace(1, 0.0, 1.0)
            elif left() < reserve and one.name not in ALWAYS:
                self.reasons[one.name] = "not measured: no time was left"
                self.needed[one.name] = math.nan
            else:
                longest = min(_LONG, max(_SHARE_OF_PILOT * left(), 0.0))
                paces[one.name] = pilot(one, self.problem, random_state=self.random_state, longest=longest)
        rows = len(self.problem)
        entered = [one for one in candidates if one.name in paces]
        expected = {one.name: paces[one.name].at(rows) for one in entered}
        quick = _SHARE_OF_PILOT * left() / len(self.splits)  # quick learners leave enough time for the others
        entered.sort(key=lambda one: (expected[one.name] > max(quick, 0.0), one.name not in ALWAYS, expected[one.name]))
        for place, one in enumerate(entered):
            say(one.title)
            later = [expected[other.name] for other in entered[place + 1 :]]
            reserved = len(self.splits) * sum(each for each in later if each <= _RISK * left())
            self.enter(one, paces[one.name], left, always=one.name in (BASELINE, *ALWAYS), reserved=reserved)

    def enter(
        self,
        candidate: Candidate,
        pace: Pace,
        left: Callable[[], float],
        *,
        always: bool,
        reserved: float | None = None,
    ) -> None:
        """Measure one learner on all splits; with ``always=False``, only if there is enough time.

        If time is short, a learner in `ALWAYS` is fitted to a sample of the training rows. It may use a fixed share of
        the remaining time, or all of it except about ``reserved`` seconds (kept for later learners), whichever is
        longer.
        """
        name, rows, splits = candidate.name, len(self.problem), len(self.splits)
        expected = pace.at(rows)
        if name not in ALWAYS:
            if not always and expected > _RISK * left():
                self._dismiss(name, expected * splits, left())
            else:
                self.measure(candidate, rows, left, least=rows, always=always)
            return

        def allowed() -> float:
            rest = 0.0 if reserved is None else left() - _MARGIN * reserved
            return max(_SHARE_OF_ONE * left(), rest)

        tried = reserved is not None and expected <= _RISK_OF_ALWAYS * left()  # one split shows how long it takes
        if not tried and expected * splits > allowed():
            rows = min(rows, pace.affordable(allowed() / splits))
        limit = left if reserved is None else allowed
        self.measure(candidate, rows, limit, least=min(rows, _LEAST_SAMPLE), always=always)

    def measure(
        self, candidate: Candidate, rows: int, limit: Callable[[], float], *, least: int, always: bool = False
    ) -> bool:
        """Measure one learner on all splits, fitted to ``rows`` training rows; return whether it was measured.

        If all splits would take more than ``limit()`` seconds, the learner is fitted to fewer rows, but at least to
        ``least`` rows. If ``least`` rows also take too long, the learner is measured only with ``always=True``. Earlier
        results are kept if the learner is not measured.
        """
        name, splits = candidate.name, len(self.splits)
        while True:
            whole = rows >= _NEARLY_ALL * len(self.problem)
            one = candidate if whole else replace(candidate, learner=Sampled(candidate.learner, rows))
            start = perf_counter()
            cells = self.run([one], self.splits[:1])
            taken = perf_counter() - start
            if cells[0].failure:
                self.reasons[name] = f"failed: {cells[0].failure}"
                return False
            if taken * (splits - 1) <= limit() or (always and rows <= least):
                break
            fewer = min(int(_FEWER * rows), Pace(rows, taken, 1.0).affordable(limit() / splits))
            if fewer < least and not always:
                self._dismiss(name, taken * splits, limit() + taken)
                return False
            rows = max(fewer, least)
        cells += self.run([one], self.splits[1:])
        self.cells = [cell for cell in self.cells if cell.learner != name] + cells
        self.costs[name] = perf_counter() - start
        self.samples.pop(name, None)
        self.needed.pop(name, None)
        if not whole:
            self.samples[name] = rows
            self.needed[name] = Pace(rows, self.costs[name], 1.0).at(len(self.problem))
        return True

    def grow(self, candidates: Sequence[Candidate], left: Callable[[], float], say: Say) -> None:
        """While time is left, fit learners that were fitted to samples again, to larger samples."""
        for one in candidates:
            while (rows := self.samples.get(one.name)) is not None:
                pace = Pace(rows, self.costs[one.name] / len(self.splits), 1.0)
                # One split shows whether the estimate still holds: the machine may have been busy before.
                more = min(pace.affordable(_RISK_OF_ALWAYS * left()), len(self.problem))
                if more < min(_MORE * rows, len(self.problem)):
                    break
                say(one.title)
                if not self.measure(one, more, left, least=int(_MORE * rows)):
                    break

    def again(self, candidates: Sequence[Candidate], splits: list[Split]) -> None:
        """Measure learners on additional splits; learners without scores are skipped."""
        for one in candidates:
            if one.name in self.costs:
                rows = self.samples.get(one.name)
                learner = one.learner if rows is None else Sampled(one.learner, rows)
                self.cells += self.run([replace(one, learner=learner)], splits)

    def timed(self, candidate: Candidate) -> float:
        """Run one learner on all splits and return the seconds taken."""
        start = perf_counter()
        self.run([candidate], self.splits)
        return perf_counter() - start

    def run(self, candidates: Sequence[Candidate], splits: list[Split]) -> list[Cell]:
        if not splits:
            return []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings of far queries or slow fits do not matter in a comparison
            found = compare(
                {one.name: one.learner for one in candidates},
                self.problem.X,
                self.problem.y,
                splits=[(split.train, split.test) for split in splits],
                random_state=self.random_state,
                n_jobs=self.n_jobs,
                keep_predictions=True,
                progress=False,
            )
        if not found.complete:
            raise KeyboardInterrupt
        origin = [splits[cell.split] for cell in found.cells]
        pairs = zip(found.cells, origin, strict=True)
        return [replace(cell, repeat=split.repeat, split=split.number) for cell, split in pairs]

    def _dismiss(self, name: str, needed: float, left: float) -> None:
        if name in self.costs:  # keep the earlier result on fewer rows
            return
        self.needed[name] = needed
        self.reasons[name] = (
            f"not measured: it would take about {seconds(needed)}, but only {seconds(max(left, 0.0))} were left"
        )


# -- comparisons


@dataclass(frozen=True)
class Standing:
    """Results of one learner: the mean of each score with its standard error, and the time for all splits."""

    name: str
    title: str
    description: str
    scores: dict[str, tuple[float, float]]
    seconds: float
    reason: str = ""  # why the learner has no scores
    fitted_to: int | None = None  # sample size if time was short; None if fitted to all training rows
    needed: float | None = None  # expected seconds for all rows: NaN if unknown, None if time was not short
    class_name: str = ""

    @property
    def label(self) -> str:
        """The title followed by the name of the class, such as ``"Tuned k-NN (KNNClassifierCV)"``."""
        return f"{self.title} ({self.class_name})" if self.class_name else self.title


@dataclass(frozen=True, eq=False, repr=False)
class Compared(GridResult):
    """Results of all learners on the same splits, sorted by score; prints as a table."""

    protocol: str  # description of the splits
    rows: IntArray  # positions of the rows that were used
    of: int  # number of rows of the table
    standings: tuple[Standing, ...]
    result: Comparison  # scores on every split

    def _grid(self) -> Grid:
        scores = [score.name for score in self.result.scores]
        found = [[one.scores[score] for one in self.measured] for score in scores]
        columns = [with_errors([mean for mean, _ in each], [error for _, error in each]) for each in found]
        fits = [f" (fitted to {count(one.fitted_to, 'row')})" if one.fitted_to else "" for one in self.measured]
        learners = [one.title + fit for one, fit in zip(self.measured, fits, strict=True)]
        lines = list(zip(learners, *columns, (seconds(one.seconds) for one in self.measured), strict=True))
        note = "\n".join(f"{one.title} {one.reason}" for one in self.unmeasured)
        return Grid(self.protocol, ["learner", *scores, "time"], lines, note, range(1, len(scores) + 2))

    @property
    def on_sample(self) -> bool:
        """Whether only a sample of the rows was used."""
        return self.rows.size < self.of

    @property
    def measured(self) -> tuple[Standing, ...]:
        """The learners with scores."""
        return tuple(one for one in self.standings if not one.reason)

    @property
    def unmeasured(self) -> tuple[Standing, ...]:
        """The learners without scores."""
        return tuple(one for one in self.standings if one.reason)

    def standing(self, name: str) -> Standing:
        """Return the results of a learner."""
        return next(one for one in self.standings if one.name == name)

    def title(self, name: str) -> str:
        """Return the title of a learner."""
        return self.standing(name).title

    @property
    def sampled(self) -> tuple[Standing, ...]:
        """The learners that were fitted to samples."""
        return tuple(one for one in self.measured if one.fitted_to is not None)

    @property
    def short_of_time(self) -> tuple[Standing, ...]:
        """The learners that were fitted to samples, or not measured, because there was too little time."""
        return tuple(one for one in self.standings if one.needed is not None)

    def sufficient_budget(self, budget: float) -> float:
        """Return a budget in seconds, at least twice ``budget``, that should suffice for all learners and rows."""
        known = [one.needed for one in self.short_of_time if one.needed is not None and math.isfinite(one.needed)]
        wanted = max(2 * budget, budget + _MARGIN * sum(known) / _SHARE)
        return float(next((each for each in _BUDGETS if each >= wanted), wanted))

    @property
    def baseline(self) -> Standing | None:
        """Results of the baseline; None if it failed."""
        return next((one for one in self.measured if one.name == BASELINE), None)


def compare_learners(
    problem: Problem,
    candidates: Sequence[Candidate],
    budget: Budget,
    *,
    random_state: int,
    n_jobs: int | None,
    say: Say,
) -> list[Compared]:
    """Compare the learners; return results on a sample (only for large tables) and on all rows (if time allows)."""
    size = len(problem)
    folds = _FOLDS_OF_MANY if size > _MANY else min(_FOLDS, size // 2)
    whole = Trials(problem, deal(problem, folds, random_state=random_state, repeat=0), random_state, n_jobs)
    if size <= _LARGE:
        whole.first_round(candidates, lambda: budget.until(_SHARE), say)
        whole.grow(candidates, lambda: budget.until(_SHARE_OF_GROWTH), say)
        repeats = 1
        while repeats < _REPEATS and sum(whole.costs.values()) < budget.until(_SHARE_OF_REPEATS):
            say(f"repetition {repeats + 1}")
            whole.again(candidates, deal(problem, folds, random_state=random_state, repeat=repeats))
            repeats += 1
        return [_compared(whole, candidates, np.arange(size), size, repeats)]
    rows = sample_rows(problem, _SAMPLE, random_state=random_state)
    part = problem.taken(rows)
    small = Trials(part, deal(part, _FOLDS_OF_MANY, random_state=random_state, repeat=0), random_state, n_jobs)
    small.first_round(candidates, lambda: budget.until(_SHARE_OF_SAMPLE), say)
    sample = _compared(small, candidates, rows, size, 1)
    order = [one.name for one in sample.measured]
    promising = sorted((one for one in candidates if one.name in order), key=lambda one: order.index(one.name))
    promising.sort(key=lambda one: one.name != BASELINE)
    for one in promising:
        say(one.title)
        known = min(rows.size, small.samples.get(one.name, rows.size))
        pace = Pace(known, small.costs[one.name] / len(small.splits), _GROWTH)
        whole.enter(one, pace, lambda: budget.until(_SHARE), always=one.name == BASELINE)
    whole.grow(promising, lambda: budget.until(_SHARE), say)
    if len(whole.costs) < 2:  # only the baseline was finished
        return [sample]
    return [sample, _compared(whole, promising, np.arange(size), size, 1)]


def _compared(trials: Trials, candidates: Sequence[Candidate], rows: IntArray, of: int, repeats: int) -> Compared:
    names = [one.name for one in candidates if one.name in trials.costs]
    if not names:
        reasons = "; ".join(f"{name} {why}" for name, why in trials.reasons.items())
        raise EvaluationError(f"no learner could be measured: {reasons.rstrip('.')}. Pass a larger budget.")
    classes = trials.problem.classes
    scores = read_scores(None, "classes" if classes else "numbers")
    again = "" if repeats == 1 else f", repeated {repeats} times"
    protocol = f"{len(trials.splits)}-fold cross-validation on {count(rows.size, 'row')}{again}"
    result = Comparison(tuple(names), scores, tuple(trials.cells), protocol, rows.size, repeats)
    standings = [_standing(one, trials, result) for one in candidates]
    by, sign = ("log_score", -1.0) if classes else ("rmse", 1.0)
    standings.sort(key=lambda one: (one.reason != "", math.inf if one.reason else _rank(sign * one.scores[by][0])))
    return Compared(protocol, rows, of, tuple(standings), result)


def _rank(score: float) -> float:
    """Return the score as a sort key, in which NaN comes last."""
    return math.inf if math.isnan(score) else score


def _standing(one: Candidate, trials: Trials, result: Comparison) -> Standing:
    if one.name not in trials.costs:
        reason = trials.reasons.get(one.name, "not measured")
        needed = trials.needed.get(one.name)
        return Standing(one.name, one.title, one.description, {}, math.nan, reason, None, needed, one.class_name)
    cells = [cell for cell in result.cells if cell.learner == one.name]
    spent = sum(cell.fit_seconds + cell.predict_seconds for cell in cells)
    names = [score.name for score in result.scores]
    scores = {score: (result.mean(one.name, score), result.standard_error(one.name, score)) for score in names}
    failure = f"failed: {result.failures[one.name]}" if one.name in result.failures else ""
    fitted_to, needed = trials.samples.get(one.name), trials.needed.get(one.name)
    return Standing(one.name, one.title, one.description, scores, spent, failure, fitted_to, needed, one.class_name)


# -- the choice


@dataclass(frozen=True)
class Difference:
    """Difference in score between a learner and the learner ``other`` on the same splits.

    ``mean`` is the mean difference, which is above 0 if ``other`` is worse. ``low`` and ``high`` are the ends of its
    95% interval from the corrected resampled t-test (Nadeau & Bengio 2003); they are NaN if ``other`` has an infinite
    score.
    """

    other: str
    mean: float
    low: float
    high: float

    @property
    def significant(self) -> bool:
        """Whether ``other`` is significantly worse: its score is infinite, or the interval is above zero."""
        return self.low > 0 or math.isinf(self.mean)

    @property
    def interval(self) -> str:
        """The difference with its interval, such as ``0.06 (95% interval -0.10 to 0.22)``."""
        mean, low, high = equal_decimals([self.mean, self.low, self.high], 3)
        return mean if math.isnan(self.low) else f"{mean} (95% interval {low} to {high})"


@dataclass(frozen=True, repr=False)
class Verdict(GridResult):
    """The recommended learner, and the score by which it was selected; prints as a table of expected scores.

    ``estimate`` maps each score to its nested estimate and the standard error: for each fold, a learner is selected on
    the other folds and scored on this fold. The recommended learner was selected in ``same_choice`` of ``folds`` folds.

    ``runner_up`` and ``baseline`` are the differences to the second-best learner and to the baseline. ``more_accurate``
    is the lead of another learner whose accuracy is significantly higher. ``beats_baseline`` is True if the lead over
    the baseline is significant and at least half a percent of the baseline's score.
    """

    chosen: str  # name of the learner
    by: str  # name of the score
    estimate: dict[str, tuple[float, float]]
    same_choice: int
    folds: int
    runner_up: Difference | None
    baseline: Difference | None
    more_accurate: Difference | None
    beats_baseline: bool

    def _grid(self) -> Grid:
        start = "Recommended" if self.beats_baseline else "Best, but not significantly better than the baseline"
        title = f"{start}: {self.chosen} (selected by {self.by} in {self.same_choice} of {self.folds} folds)"
        if self.chosen == BASELINE:
            title = f"No learner beats the baseline ({self.by})"
        lines = [[name, with_errors([mean], [error])[0]] for name, (mean, error) in self.estimate.items()]
        behind = [each for each in (self.runner_up, self.baseline) if each is not None]
        note = "; ".join(f"{each.other} is worse by {each.interval}" for each in behind)
        if self.more_accurate is not None:
            note += f"; {self.more_accurate.other} is more accurate"
        return Grid(title, ["score", "expected on new rows"], lines, note, [1])


def choose(compared: Compared, guessing: Mapping[str, float] | None = None) -> Verdict:
    """Recommend a learner by RMSE or log-score, or by accuracy if learners beat the baseline only in accuracy."""
    result = compared.result
    if not any(score.name == "log_score" for score in result.scores):
        return _chosen_by(compared, "rmse")
    found = _chosen_by(compared, "log_score")
    # The baseline can be worse than a constant prediction: small classes can be rarer in training than in test rows.
    found = _unless_guessed(found, guessing or {})
    if not found.beats_baseline and BASELINE in result.learners:
        accurate = _unless_guessed(_chosen_by(compared, "accuracy"), guessing or {})
        if accurate.beats_baseline:
            return accurate
    return found


def _unless_guessed(found: Verdict, guessing: Mapping[str, float]) -> Verdict:
    """Return the verdict; ``beats_baseline`` becomes False if a constant prediction scores about as well."""
    guess = guessing.get(found.by, -math.inf)
    as_good = found.estimate[found.by][0] <= guess + _USEFUL * abs(guess)
    return replace(found, beats_baseline=False) if math.isfinite(guess) and as_good else found


def _chosen_by(compared: Compared, by: str) -> Verdict:
    result = compared.result
    names = [one.name for one in compared.measured]
    if by == "accuracy":
        names = [name for name in names if not math.isnan(result.mean(name, "log_score"))]
        names.sort(key=lambda name: -result.mean(name, by))
    chosen = names[0]
    picks = _picks(result, by)
    # Learners fitted to a sample would probably score better with all rows, so they are never called worse.
    sampled = {one.name for one in compared.sampled}
    others = [name for name in names if name not in (chosen, BASELINE) and name not in sampled]
    behind = None
    if BASELINE in names and chosen != BASELINE:
        behind = difference(result, by, chosen, BASELINE)
        if by == "accuracy":  # the best of many learners may be more accurate by chance: test the nested selection
            gaps = _selected(result, by, picks) - result.values(by)[result.learners.index(BASELINE)]
            found = corrected_t(gaps, result.test_to_train)
            behind = Difference(BASELINE, found.difference, found.low, found.high)
    useful = behind is not None and not behind.mean < _USEFUL * abs(result.mean(BASELINE, by))
    more_accurate = None
    if by == "log_score" and chosen not in sampled:
        best = result.best("accuracy")
        ahead = difference(result, "accuracy", best, chosen)
        more_accurate = replace(ahead, other=best) if ahead.low > 0 else None
    return Verdict(
        chosen=chosen,
        by=by,
        estimate={score.name: _nested(result, score.name, picks) for score in result.scores},
        same_choice=sum(result.learners[pick] == chosen for pick in picks),
        folds=len(picks),
        runner_up=difference(result, by, chosen, others[0]) if others else None,
        baseline=behind,
        more_accurate=more_accurate,
        beats_baseline=behind is not None and behind.significant and useful,
    )


def difference(result: Comparison, score: str, one: str, other: str) -> Difference:
    """Return the difference in score between two learners: the mean over splits, and a 95% interval."""
    values, sign = result.values(score), 1.0 if result.score(score).greater_is_better else -1.0
    with np.errstate(invalid="ignore"):
        gaps = sign * (values[result.learners.index(one)] - values[result.learners.index(other)])
        if not np.isfinite(gaps).all():
            return Difference(other, float(gaps.mean()), math.nan, math.nan)
    found = corrected_t(gaps, result.test_to_train)
    return Difference(other, found.difference, found.low, found.high)


def _picks(result: Comparison, by: str) -> list[int]:
    """Return, for each split, the index of the learner that is best on the other splits of the same repetition."""
    values = result.values(by) if result.score(by).greater_is_better else -result.values(by)
    usable = np.where(np.isnan(values), -np.inf, values)
    width = usable.shape[1] // result.repeats
    picks = []
    for split in range(usable.shape[1]):
        start = split // width * width
        others = [s for s in range(start, start + width) if s != split]
        picks.append(int(usable[:, others].mean(axis=1).argmax()))
    return picks


def _selected(result: Comparison, score: str, picks: list[int]) -> FloatArray:
    """Return, for each split, the score of the learner that was selected on the other splits."""
    return np.asarray(result.values(score)[picks, np.arange(len(picks))])


def _nested(result: Comparison, score: str, picks: list[int]) -> tuple[float, float]:
    """Return the mean of `_selected`, and its standard error for overlapping training sets (Nadeau & Bengio 2003)."""
    values = _selected(result, score, picks)
    if values.size < 2 or not np.isfinite(values).all():
        return float(values.mean()), math.nan
    return float(values.mean()), float(np.sqrt((1 / values.size + result.test_to_train) * values.var(ddof=1)))
