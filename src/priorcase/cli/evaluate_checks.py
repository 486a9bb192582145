"""What ``priorcase evaluate`` cannot measure on a table, told by the options that ask for it."""

from __future__ import annotations

from typing import Any

from priorcase.cli.errors import BadInputError
from priorcase.cli.tables import Cases
from priorcase.cli.words import listed, wrong_value
from priorcase.evaluation.curves import STORAGE, read_sizes
from priorcase.evaluation.scoring import OURS, Kind, read_scores
from priorcase.evaluation.splits import read_test
from priorcase.exceptions import EvaluationError, ParameterError

__all__ = ["TEST", "check_evaluation"]

TEST = 0.3
"""The share of the cases that a curve asks about."""


def check_evaluation(past: Cases, options: dict[str, Any]) -> None:
    """Refuse splits, points, parts and scores that the cases do not allow."""
    rows = len(past.y)
    if rows < 2:
        raise BadInputError(f"{past.source} has one case; expected two or more. Add cases, or 'predict' one.")
    _check_scores(options["score"], "classes" if past.task == "classify" else "numbers", options["curve"])
    if options["curve"] is None:
        name, number = options["splits"] or ("folds", 10)
        _check_splits(name, number, rows)
    else:
        _check_curve(options["curve"], options["points"], options["test"], rows)


def _check_splits(name: str, number: float | None, rows: int) -> None:
    if number is None:
        return
    given = f"{name}={number:g}"
    if name == "folds" and number > rows:
        raise wrong_value("--splits", number, f"more folds than the {rows} cases; loo leaves out one case at a time")
    if name == "prequential" and number >= rows:
        raise wrong_value("--splits", given, f"too many to begin with: one of the {rows} cases has to be left to ask")
    if name == "holdout" and not 0 < (number if number >= 1 else int(number * rows + 1e-9)) < rows:
        problem = f"not a part of {rows} cases that leaves one to learn from and one to ask about"
        raise wrong_value("--splits", given, problem)


def _check_curve(curve: str, points: list[int | float] | None, test: float | None, rows: int) -> None:
    try:
        tests = read_test(TEST if test is None else test, rows)
    except ParameterError:
        problem = f"not a part of {rows} cases that leaves one to learn from and one to ask about"
        raise wrong_value("--test", TEST if test is None else test, problem) from None
    for point in points or ():
        if curve != "learning" and not 0 <= point <= 1:
            raise wrong_value("--points", point, "no probability, a number from 0 to 1")
        if curve == "learning":
            try:
                read_sizes([point], rows - tests)
            except ParameterError:
                problem = f"neither a number of cases from 1 to {rows - tests}, which are there to learn from, nor"
                raise wrong_value("--points", point, f"{problem} a share of them up to 1.0") from None


def _check_scores(names: list[str], kind: Kind, curve: str | None) -> None:
    fitting = [score.name for score in OURS.values() if score.kind in (None, kind)]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise wrong_value("--score", name, "asked for twice")
        if name == STORAGE.name:
            if curve is None:
                raise wrong_value("--score", name, "measured with --curve only")
            continue
        if name in OURS and name not in fitting:
            other = "classes; --task regress if the target is a quantity"
            if kind == "numbers":
                other = "numbers; --task classify if each number is a class"
            raise wrong_value("--score", name, f"no score of {other}. There are {listed(fitting)}")
        try:
            read_scores([name], kind)
        except EvaluationError:
            problem = f"neither {listed(fitting, 'or')} nor a scorer of scikit-learn"
            raise wrong_value("--score", name, problem, _known(fitting)) from None


def _known(ours: list[str]) -> list[str]:
    from sklearn.metrics import get_scorer_names

    return [*ours, STORAGE.name, *get_scorer_names()]
