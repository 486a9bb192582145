"""``report``: recommend a learner for a table and list notable findings, within a time budget."""

from __future__ import annotations

import datetime
import inspect
import json
import math
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import version
from typing import Any, Literal, TypeVar

import numpy as np
from rich.markup import escape as escape_markup

from priorcase import registry
from priorcase._files import check_path, write_file
from priorcase._grids import Grid, GridResult, GridsResult
from priorcase._parameters import check_seed
from priorcase.datasets.columns import NamedColumns
from priorcase.datasets.reading import read_table
from priorcase.exceptions import (
    ParameterError,
    PriorcaseError,
    advice,
    prefix_errors,
    quoted,
    visible,
    visible_json,
)
from priorcase.learning.estimator import thread_count
from priorcase.learning.resampling import bar
from priorcase.registry import BASELINE, Task
from priorcase.reporting import summary
from priorcase.reporting.comparison import Budget, Compared, Verdict, choose, compare_learners, parse_budget
from priorcase.reporting.findings import (
    Importance,
    Outliers,
    RowKind,
    Suspects,
    find_outliers,
    find_suspects,
    measure_importance,
    row_kind,
)
from priorcase.reporting.formatting import seconds
from priorcase.reporting.learners import Candidate, Sampled, Scaled, candidates, converted, form_of, own_candidates
from priorcase.reporting.predictions import Calibration, Explained, calibrate, explain, out_of_fold
from priorcase.reporting.table import Problem, TableSummary, opened, read_problem, scorable, summarize

R = TypeVar("R")
Part = TypeVar("Part", bound=GridResult)

_STEPS = 40
_SMALL = 2000  # with at most this many rows, starting threads takes more time than the threads save
_IMPORTANCE_FOLDS, _IMPORTANCE_SHARE = 5, 0.12
_LATEST = 0.85  # share of the budget after which no further work is started


class Parts(GridsResult, tuple[Part, ...]):
    """A tuple that prints its elements one below the other."""

    def _grids(self) -> list[Grid]:
        return [part._grid() for part in self] or [Grid("none", [], [])]


@dataclass(frozen=True, repr=False)
class NextSteps(GridResult):
    """How to use the recommended learner on new rows: lines of shell commands and of Python code."""

    commands: tuple[str, ...] = ()
    python: tuple[str, ...] = ()

    def _grid(self) -> Grid:
        return Grid("\n".join([*self.commands, *self.python]) or "None: no learner is recommended.", [], [])


@dataclass(frozen=True, repr=False)
class Made(GridResult):
    """Provenance of a report: version of priorcase, random state, time budget, seconds taken, and date."""

    version: str
    random_state: int
    budget: float
    seconds: float
    date: str

    def _grid(self) -> Grid:
        time = f"{seconds(self.seconds)} (budget {seconds(self.budget)})"
        return Grid(f"priorcase {self.version}, {self.date}, random state {self.random_state}: {time}", [], [])


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A report on a table: the recommended learner and notable findings; prints as a short summary.

    ``problem`` contains the rows with their targets, and ``table`` a summary of the columns. ``compared`` contains the
    comparisons of learners, for a large table first on a sample and then on all rows as time allowed; use the last one.
    ``verdict`` names the recommended learner. ``importance``, ``outliers``, ``suspects``, ``calibration`` and
    ``explained`` are None or empty if they were skipped, for the reasons in ``skipped``. If the baseline is
    recommended, all of them except ``outliers`` are None or empty.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = pc.load_repairs()
    >>> found = pc.report(X, y, target="job", learners={"bayes": pc.NaiveBayes()})
    >>> found.verdict.beats_baseline
    True
    """

    problem: Problem
    table: TableSummary
    compared: tuple[Compared, ...]
    verdict: Verdict
    importance: Importance | None
    outliers: Outliers | None
    suspects: Suspects | None
    calibration: Calibration | None
    explained: tuple[Explained, ...]
    skipped: tuple[str, ...]
    next_steps: NextSteps
    made: Made

    def __str__(self) -> str:
        return summary.summary_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return summary.summary_html(self)

    def html(self) -> str:
        """Return the report as a single HTML page without external files."""
        from priorcase.reporting.page import page

        return page(self)

    def json(self) -> str:
        """Return the report as a JSON document; numbers that are not finite are null.

        ``place`` identifies a row: it is the position of the row from 0, or its line in a file. ``row_kind`` is the
        label returned by `Report.row_kind`.
        """
        found = {
            "name": self.problem.name,
            "target": self.problem.target,
            "task": self.problem.task,
            "place_word": self.problem.place_word,
            "summary": [text.replace("**", "") for text in self._sentences()],
            "table": asdict(self.table),
            "comparisons": [_comparison(one) for one in self.compared],
            "verdict": asdict(self.verdict),
            "calibration": self.calibration and asdict(self.calibration),
            "importance": self.importance and asdict(self.importance),
            "explained": [asdict(one) for one in self.explained],
            "suspects": self.suspects and asdict(self.suspects),
            "outliers": self.outliers and asdict(self.outliers),
            "left_out": self.skipped,
            "next_steps": asdict(self.next_steps),
            "made": asdict(self.made),
        }
        data = self._plain(found)
        return visible_json(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))

    @prefix_errors
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file, as JSON if the file name ends in ``.json``, else as HTML.

        An existing file is replaced.

        Raises
        ------
        WritingError
            The file cannot be written; an existing file is unchanged.
        """
        where = check_path(path)
        write_file(where, (self.json() if where.suffix == ".json" else self.html()).encode())

    def row_kind(self, row: int) -> RowKind:
        """Return the label of a row in the report.

        The label is ``"suspect"`` if the target of the row may be wrong, ``"outlier"`` if its combination of values is
        unusual, ``"suspect and outlier"``, or otherwise ``"typical"``.
        """
        return row_kind(row, self.suspects, self.outliers)

    def _plain(self, node: Any) -> Any:
        """Return data for JSON, with null for infinity and NaN; objects with a ``row`` get its place and label."""
        if isinstance(node, dict):
            found = {str(key): self._plain(child) for key, child in node.items()}
            if not isinstance(row := node.get("row"), int):
                return found
            return found | {"place": int(self.problem.places[row]), "row_kind": self.row_kind(row)}
        if isinstance(node, (list, tuple)):
            return [self._plain(child) for child in node]
        return None if isinstance(node, float) and not math.isfinite(node) else node

    def _sentences(self) -> list[str]:
        parts = (summary.recommendation, summary.nested_and_table, summary.differences, summary.findings)
        return [summary.opening(self), *(sentence for part in parts for sentence in part(self))]


def _comparison(compared: Compared) -> dict[str, Any]:
    learners = [
        asdict(one) | {"scores": {name: {"mean": mean, "error": error} for name, (mean, error) in one.scores.items()}}
        for one in compared.standings
    ]
    return {"protocol": compared.protocol, "rows": int(compared.rows.size), "of": compared.of, "learners": learners}


# -- making a report


@prefix_errors
def report(
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    name: str | None = None,
    task: Task | Literal["auto"] = "auto",
    budget: float | str = 60.0,
    learners: Mapping[str, Any] | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
    **reading: Any,
) -> Report:
    """Return a report on a table: a summary, the recommended learner with its estimated performance, and findings.

    Learners are compared by cross-validation, repeated as time allows; for large tables, first on a sample. The learner
    with the best log-score (classification) or the smallest squared error (regression) is recommended if it beats the
    baseline. Its performance is estimated by nested cross-validation, so the estimate is not biased by the selection.
    All learners are scored on held-out rows.

    Parameters
    ----------
    X, y
        The rows, in any form that estimators accept, and their targets; rows without a target are ignored.
        ``X`` can also be a file path, or a frame that includes the target column; then omit ``y``, or pass the name of
        that column as ``y``.
    target, name
        Names of the target and of the table. Without ``y``, ``target`` is the name of a column of ``X``; None means the
        target named in the file, or else the last column.
    task
        ``"classify"`` or ``"regress"``; ``"auto"`` means regression for numeric targets unless they are integers with
        ten or fewer distinct values.
    budget
        Time budget: seconds, or a string such as ``"90s"`` or ``"2min"``. Parts of the report for which no time is left
        are skipped; ``skipped`` lists these parts.
    learners
        Mapping from names to the scikit-learn estimators to compare; None for learners that suit most tables.
    random_state
        Seed of all random numbers.
    n_jobs
        Number of splits to evaluate in parallel, as in `compare`.
    progress
        Whether to show a progress bar; None shows it on a terminal.
    **reading
        ``schema``: mapping from column names to kinds. If ``X`` is a path, also the other parameters of
        `priorcase.datasets.read_table`.

    Returns
    -------
    Report
        Prints as a short summary; ``save("report.html")`` writes the full report.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = pc.load_repairs()
    >>> found = pc.report(X, y, target="job", budget="20s", learners={"bayes": pc.NaiveBayes()})
    >>> found.table.rows, found.verdict.by
    (96, 'log_score')
    """
    seconds = parse_budget(budget)
    if learners is not None and (not isinstance(learners, Mapping) or not learners):
        raise ParameterError(
            f"learners must be None or a non-empty mapping from names to learners, got {quoted(learners)}. Pass, "
            "for example, {'nearest': pc.KNNClassifier()}."
        )
    if learners is not None and BASELINE in map(str, learners):
        raise ParameterError(
            f"learners must not contain the name {BASELINE!r}, because every report adds its own baseline. Choose "
            "another name."
        )
    for label, learner in (learners or {}).items():
        if isinstance(learner, type) or not hasattr(learner, "fit") or not hasattr(learner, "predict"):
            raise ParameterError(
                f"learners[{label!r}] is {quoted(learner)}; expected a learner with fit and predict, such as "
                "pc.KNNClassifier()."
            )
    if task not in ("auto", "classify", "regress"):
        remedy = advice(task, ("auto", "classify", "regress"), otherwise="'auto' decides by the targets.")
        raise ParameterError(f"task must be 'auto', 'classify' or 'regress', got {quoted(task)}. {remedy}")
    options = [*inspect.signature(report).parameters, *inspect.signature(read_table).parameters]
    for key in reading:
        if key not in options:
            remedy = advice(key, options, otherwise="help(pc.report) lists the parameters.")
            raise ParameterError(f"got {key}=, which is not a parameter of report or read_table. {remedy}")
    for what, given in {"target": target, "name": name}.items():
        if given is not None and not isinstance(given, str):
            raise ParameterError(f"{what} must be a string, got {quoted(given)}.")
    clock = Budget(seconds)
    X, y, found = opened(X, y, target=target, name=name, reading=reading)
    problem = read_problem(X, y, task=task, **found)
    form = form_of(X)
    if learners is not None:
        learners = {str(label): converted(learner, form) for label, learner in learners.items()}
    random_state = check_seed(random_state)
    return report_on(
        problem, clock, learners=learners, random_state=random_state, n_jobs=n_jobs, shown=progress, form=form
    )


def report_on(
    problem: Problem,
    clock: Budget,
    *,
    learners: Mapping[str, Any] | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    shown: bool | None = None,
    table: str | None = None,  # path of the table's file
    reading: str = "",  # command-line options with which the file was read
    load: Sequence[str] = (),  # lines of Python code that create X and y
    form: str = "named",  # form of the caller's X, see `form_of`
) -> Report:
    """Return a report on a table that has been read."""
    thread_count(n_jobs)
    with bar(_STEPS, shown=shown is not False, text="reading") as advance:

        def say(text: str) -> None:
            advance(escape_markup(visible(text)))

        columns = summarize(problem)
        used = {name: problem.X.kinds[name] for name in columns.used}
        scored = scorable(replace(problem, X=NamedColumns.of(problem.X.data, used)))
        threads = 1 if len(scored) <= _SMALL else None
        tried = (
            own_candidates(scored, learners)
            if learners
            else list(candidates(scored, random_state=random_state, n_jobs=threads))
        )
        compared = compare_learners(scored, tried, clock, random_state=random_state, n_jobs=n_jobs, say=say)
        verdict = choose(compared[-1], _guessing(scored))
        chosen = next(one for one in tried if one.name == verdict.chosen)
        skipped: list[str] = []

        def made(what: str, work: Callable[[], R], *, always: bool = False) -> R | None:
            """Return the result of ``work``, or None if it fails or, without ``always``, if no time is left."""
            say(what)
            if not always and clock.until(_LATEST) <= 0:
                skipped.append(f"{what}: no time was left")
                return None
            try:
                return work()
            except PriorcaseError as error:  # for example numbers too large for a distance
                skipped.append(f"{what}: {str(error).rstrip('.')}")
                return None

        calibration = suspects = importance = found = None
        explained: tuple[Explained, ...] = ()
        last = compared[-1]
        if chosen.name != BASELINE:
            found = out_of_fold(last, scored, chosen.name)
            calibration = calibrate(found)
            seconds = {one.name: one.seconds for one in last.measured}
            records = scored.classes and seconds.get("pebls", math.inf) < 0.1 * clock.total
            suspects = made("label errors", partial(find_suspects, scored, found, records=records), always=True)
        outliers = made("unusual rows", lambda: find_outliers(scored, random_state=random_state, n_jobs=n_jobs))
        if found is not None:
            fitted_to = last.standing(chosen.name).fitted_to
            learner = chosen.learner if fitted_to is None else Sampled(chosen.learner, fitted_to)

            def typical(row: int) -> bool:
                return row_kind(row, suspects, outliers) == "typical"

            work = partial(explain, scored, found, learner, typical=typical)
            explained = made("explained predictions", work) or ()
            allowed = _IMPORTANCE_SHARE * clock.total
            importance = made(
                "important columns",
                lambda: measure_importance(
                    scored, learner, _IMPORTANCE_FOLDS, random_state=random_state, allowed=allowed, say=say
                ),
            )
        today = datetime.date.today().isoformat()
        return Report(
            scored,
            columns,
            Parts(compared),
            verdict,
            importance,
            outliers,
            suspects,
            calibration,
            Parts(explained),
            tuple(skipped),
            _next_steps(problem, columns, chosen, table, reading, load, form),
            Made(version("priorcase"), random_state, clock.total, clock.spent, today),
        )


def _guessing(problem: Problem) -> dict[str, float]:
    """Return the log-score of equal probabilities and the accuracy of the most frequent class; empty for regression."""
    if not problem.classes:
        return {}
    sizes = np.unique(problem.y, return_counts=True)[1]
    return {"log_score": -math.log(sizes.size), "accuracy": float(sizes.max() / sizes.sum())}


# -- how to use the learner


def _next_steps(
    problem: Problem,
    columns: TableSummary,
    chosen: Candidate,
    table: str | None,
    reading: str,
    load: Sequence[str],
    form: str,
) -> NextSteps:
    """Return commands and code that fit the chosen learner and predict new rows; empty for the baseline."""
    if chosen.name == BASELINE:
        return NextSteps()
    own = chosen.learner.learner if isinstance(chosen.learner, Scaled) else chosen.learner
    words = shlex.join([table or "past.csv", "--target", problem.target, "new.csv"])
    options = " ".join(filter(None, [words, reading, flags := registry.flags(own)]))
    commands = [f"priorcase {command} {options}" for command in ("predict", "explain")] if flags else []
    loaded = [] if problem.without_target else load
    lines = ["import priorcase as pc", *loaded, *_dropped(problem, columns, form), f"model = {chosen.fit}"]
    return NextSteps(tuple(commands), (*lines, f"print(model.predict{'_proba' if problem.classes else ''}(X[:5]))"))


def _dropped(problem: Problem, columns: TableSummary, form: str) -> list[str]:
    """Return the line of Python code that drops ignored columns; empty if there are none."""
    if not (names := list(columns.ignored)):
        return []
    if form == "named":
        return [f"X = pc.datasets.NamedColumns.of(X.data, {{n: X.kinds[n] for n in X if n not in {names!r}}})"]
    if form == "array":
        kept = [a for a, name in enumerate(problem.X.kinds) if name not in names]
        return [f"X = [[row[a] for a in {kept!r}] for row in X]"]
    argument = {"pandas": f"columns={names!r}", "polars": f"{names!r}", "pyarrow": f"{names!r}"}[form]
    return [f"X = X.drop{'_columns' if form == 'pyarrow' else ''}({argument})"]
