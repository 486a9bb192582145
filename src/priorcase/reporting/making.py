"""``report``: a table in, a report out, within a time budget."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import version
from typing import Any, Literal

import numpy as np

from priorcase._parameters import check_seed
from priorcase.datasets.columns import NamedColumns
from priorcase.exceptions import EvaluationError, ParameterError, advice, prefix_errors, quoted
from priorcase.learning.estimator import thread_count
from priorcase.learning.resampling import bar
from priorcase.reporting.budget import Budget, parse_budget
from priorcase.reporting.calibrating import calibrate
from priorcase.reporting.choosing import choose
from priorcase.reporting.comparing import Compared, compare_learners
from priorcase.reporting.contenders import BASELINE, Contender, contenders, given_contenders
from priorcase.reporting.explaining import explain
from priorcase.reporting.given import given, make_of
from priorcase.reporting.left_out import left_out
from priorcase.reporting.next_steps import NextSteps, next_steps
from priorcase.reporting.oddities import find_oddities
from priorcase.reporting.problem import Problem, Task, read_problem
from priorcase.reporting.result import Made, Report
from priorcase.reporting.suspects import find_suspects
from priorcase.reporting.understanding import understand
from priorcase.reporting.worth import measure_worth

__all__ = ["report", "report_on"]

_STEPS = 40
_SMALL = 2000
_WORTH_SHARE = 0.12
_LATEST = 0.85  # what is not begun by then is left out


@prefix_errors
def report(
    X: Any,
    y: Any,
    *,
    target: str = "target",
    name: str = "the table",
    task: Task | Literal["auto"] = "auto",
    budget: float | str = 60.0,
    learners: Mapping[str, Any] | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Report:
    """A report on a table: what is in it, which learner to trust on it and how far, and what stands out.

    Learners are compared on rows that they have not seen, as many and as often as the time allows; on a large table on
    a sample first. The one with the best log-score (classes) or the least squared error (numbers) is taken, and its
    estimate comes from rows that took no part in the choice. Nothing in the report is measured on rows that were
    learned from.

    Parameters
    ----------
    X
        A pandas, Polars or PyArrow frame, a NumPy array, a list of rows, or a table that was read by this library.
    y
        The target of each row; rows without one are set aside.
    target, name
        What the target and the table are called.
    task
        ``"classify"`` or ``"regress"``; ``"auto"`` takes numbers for a regression, unless they are whole and of ten or
        fewer values.
    budget
        How long it may take: seconds, or text such as ``"90s"`` or ``"2min"``. What does not fit is left out, and the
        report says so.
    learners
        Learners to compare by name, any of scikit-learn's kind; None for a set that suits most tables.
    random_state
        Where everything random comes from.
    n_jobs
        How many splits to work on at a time, as in `compare`.
    progress
        Whether to show a bar on a terminal; None does.

    Returns
    -------
    Report
        It prints as a short summary; ``save("report.html")`` writes the page.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = pc.datasets.load_repairs()
    >>> found = report(X, y, target="job", name="repairs", budget="20s")
    >>> found.understanding.rows, found.verdict.by
    (96, 'log_score')
    """
    seconds = parse_budget(budget)
    if learners is not None and (not isinstance(learners, Mapping) or not learners):
        raise ParameterError(
            f"learners must be None or a mapping of learners, got {quoted(learners)}. For example {{'nearest': "
            "pc.KNNClassifier()}."
        )
    if task not in ("auto", "classify", "regress"):
        remedy = advice(task, ("auto", "classify", "regress"), otherwise="'auto' decides by the targets.")
        raise ParameterError(f"task must be 'auto', 'classify' or 'regress', got {quoted(task)}. {remedy}")
    clock = Budget(seconds)
    problem = read_problem(X, y, name=name, target=target, task=task)
    if learners is not None:
        learners = {label: given(learner, make_of(X)) for label, learner in learners.items()}
    return report_on(problem, clock, learners=learners, seed=check_seed(random_state), n_jobs=n_jobs, shown=progress)


def report_on(
    problem: Problem,
    clock: Budget,
    *,
    learners: Mapping[str, Any] | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    shown: bool | None = None,
    table: str | None = None,
    reading: str = "",
) -> Report:
    """A report on a table that was read; ``clock`` has been running since the reading began.

    ``table`` is the file that it came from, and ``reading`` the options of the command line by which it was read.
    """
    thread_count(n_jobs)
    with bar(_STEPS, shown=shown is not False, text="reading") as advance:
        understanding = understand(problem)
        kinds = {name: problem.X.kinds[name] for name in understanding.used}
        scored = replace(problem, X=NamedColumns.of(problem.X.data, kinds))
        scored = _scorable(scored)
        threads = 1 if len(scored) <= _SMALL else None  # few rows are sooner done than shared out
        standard = contenders(scored, seed=seed, n_jobs=threads)
        named = given_contenders(scored, learners) if learners else list(standard)
        compared = compare_learners(scored, named, clock, seed=seed, n_jobs=n_jobs, say=advance)
        verdict = choose(compared[-1])
        chosen = next(one for one in named if one.name == verdict.chosen)
        parts = _Parts(scored, compared, chosen, clock, seed, n_jobs, advance)
        steps = next_steps(problem, understanding, chosen, table, reading)
        return parts.report(problem, understanding, verdict, steps)


def _scorable(problem: Problem) -> Problem:
    """The rows whose class has another row to be learned from."""
    if not problem.classes:
        return problem
    _, codes, sizes = np.unique(problem.y, return_inverse=True, return_counts=True)
    if (kept := int((sizes > 1).sum())) < 2:
        raise EvaluationError(
            f"got a target {problem.target!r} of which {'no class has' if kept == 0 else 'only one class has'} two "
            "rows or more; expected two such classes. Name another column as the target; one that names each row is "
            "none."
        )
    return problem.taken(np.flatnonzero(sizes[codes] > 1))


class _Parts:
    """What follows once a learner is chosen, each part as long as there is time."""

    def __init__(
        self,
        problem: Problem,
        compared: list[Compared],
        chosen: Contender,
        clock: Budget,
        seed: int,
        n_jobs: int | None,
        say: Callable[[str], None],
    ) -> None:
        self.problem, self.compared, self.chosen = problem, compared, chosen
        self.clock, self.seed, self.n_jobs, self.say = clock, seed, n_jobs, say
        self.skipped: list[str] = []

    def report(self, whole: Problem, understanding: Any, verdict: Any, steps: NextSteps) -> Report:
        """All parts together."""
        last = self.compared[-1]
        answers = left_out(last, self.problem, self.chosen.name)
        guessed = self.chosen.name == BASELINE
        calibration = None if guessed else calibrate(answers)
        self.say("label errors")
        suspects = None if guessed else find_suspects(self.problem, answers, records=self._records())
        explained = () if guessed else self._timed("explained predictions", self._explained, answers) or ()
        worth = None if guessed else self._timed("worth of columns", self._worth)
        oddities = self._timed("odd rows", self._oddities)
        made = Made(
            version("priorcase"), self.seed, self.clock.total, self.clock.spent, datetime.date.today().isoformat()
        )
        return Report(
            replace(self.problem, without_target=whole.without_target),
            understanding,
            tuple(self.compared),
            verdict,
            worth,
            oddities,
            suspects,
            calibration,
            tuple(explained),
            tuple(self.skipped),
            steps,
            made,
        )

    def _timed(self, what: str, work: Callable[..., Any], *details: Any) -> Any:
        """The result of a piece of work; None, and a line in the report, where the time is up."""
        self.say(what)
        if self.clock.until(_LATEST) <= 0:
            self.skipped.append(f"{what}: the budget was spent")
            return None
        return work(*details)

    def _explained(self, answers: Any) -> Any:
        return explain(self.problem, answers, self.chosen.learner, seed=self.seed)

    def _worth(self) -> Any:
        parts = len({cell.split for cell in self.compared[-1].result.cells})
        allowed = _WORTH_SHARE * self.clock.total
        return measure_worth(self.problem, self.chosen.learner, parts, seed=self.seed, allowed=allowed, say=self.say)

    def _oddities(self) -> Any:
        return find_oddities(self.problem, seed=self.seed, n_jobs=self.n_jobs)

    def _records(self) -> bool:
        """Whether PEBLS was quick enough in the comparison to be asked once more."""
        seconds = {one.name: one.seconds for one in self.compared[-1].standings if not one.reason}
        return self.problem.classes and seconds.get("weighted exemplars", np.inf) < 0.1 * self.clock.total
