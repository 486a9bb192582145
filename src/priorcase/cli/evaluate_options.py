"""The options of ``priorcase evaluate``: what is compared, on which rows, by which scores."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TypeAlias

import click

from priorcase.cli.help import Function, option, together
from priorcase.cli.learner_options import ANSWERS, LEARNERS_TEXT, own_options, task_options
from priorcase.cli.parsing import jobs, whole
from priorcase.cli.table_options import reading_options
from priorcase.cli.words import Choice, listed

__all__ = ["CURVES", "PICTURES", "Asked", "evaluate_options"]

Asked: TypeAlias = tuple[str, int | float | None]
"""A protocol by name, ``"folds"``, ``"loo"``, ``"prequential"`` or ``"holdout"``, and its number."""

CURVES = ("learning", "noise", "class-noise")
"""What a curve may run along."""
PICTURES = ("png", "pdf", "svg")
"""The formats of pictures, by the end of their names."""
_EVALUATION = "Evaluation"
_OUTPUT = "Output"
_LEARNER = f"""\
Who is compared: one, several with commas, or all; repeatable. Options of one learner follow its name: \
neighbors:neighbors=3:vote=tricube. guess: looks at no attribute. {LEARNERS_TEXT}  [default: guess, neighbors, \
naive-bayes, subsets, trees and ib3 for classes; guess, neighbors, local and rbf for numbers]"""
_SPLITS = """\
A number of folds; loo: each case is answered from all others; prequential: each from those before \
it, once a tenth of them has been seen, at most 30 (or prequential=20: once 20 have); holdout=0.7 or holdout=100: a \
random part to learn from, by share or number.  [default: 10]"""
_REPEATS = "How many times cases are dealt out anew, with folds and holdout.  [default: 1; with --curve 20]"
_SCORE = """\
accuracy, log_score, brier, balanced_accuracy; rmse, mae, mse, r2; storage with --curve; or a scorer of scikit-learn. \
Repeatable, or with commas.  [default: accuracy, log_score and brier; rmse, mae and r2 for numbers]"""
_CURVE = """\
learning: scores against the number of past cases. noise, class-noise: against the probability that a value, or a \
class, of a past case is replaced."""
_JOBS = "Splits to work on at a time; -1 for as many as cores. What learners warn of is then not told."
_POINTS = """\
With --curve only, with commas. Of learning: numbers of past cases, and with a point shares of them; of noise: \
probabilities.  [default: about ten numbers; 0 to 0.5]"""
_TEST = "With --curve only. How many cases are asked about, a share or a number.  [default: 0.3]"
_PAIRED = "Also print the difference of each pair of learners in the first score, with p-values."
_PLOT = f"Draw the first score into a file; its name ends in {listed([f'.{end}' for end in PICTURES], 'or')}."


def evaluate_options(function: Function) -> Function:
    """Add all options."""
    return together(function, _tables, _evaluation, _learners, _output)


def _tables(function: Function) -> Function:
    target = "The column to answer.  [default: what the file names, else the last]"
    return together(function, option("Tables", "--target", "COLUMN", target), reading_options)


def _evaluation(function: Function) -> Function:
    add = partial(option, _EVALUATION)
    seed = "Where everything random begins; the same command prints the same scores, for any number of jobs."
    return together(
        function,
        add("--splits", "HOW", _SPLITS, callback=_splits),
        add("--repeats", "N", _REPEATS, callback=whole(1, 1_000_000)),
        add("--score", "NAME", _SCORE, multiple=True, callback=_names),
        add("--curve", "NAME", _CURVE, type=Choice(CURVES)),
        add("--points", "LIST", _POINTS, callback=_points),
        add("--test", "SHARE", _TEST, callback=_share_or_number),
        add("--seed", "N", seed, default="0", callback=whole(0, 2**32 - 1)),
        add("--jobs", "N", _JOBS, callback=jobs),
    )


def _learners(function: Function) -> Function:
    learner = option(ANSWERS, "--learner", "NAME", _LEARNER, multiple=True)
    return together(function, learner, task_options, own_options)


def _output(function: Function) -> Function:
    add = partial(option, _OUTPUT)
    return together(
        function,
        add("--paired", None, _PAIRED, is_flag=True),
        add("--plot", "FILE", _PLOT, type=click.Path(dir_okay=False, path_type=Path), callback=_picture),
        add("--json", None, "Print one JSON document; its fields are listed below.", is_flag=True),
        add("--markdown", None, "Print tables in Markdown.", is_flag=True),
        add("--csv", None, "Print one line for each learner, split and score.", is_flag=True),
    )


def _splits(_: click.Context, __: click.Parameter, value: str | None) -> Asked | None:
    if value is None:
        return None
    name, given, number = value.partition("=")
    if not given and value.isdecimal() and int(value) > 1:
        return "folds", int(value)
    if value in ("loo", "prequential", "holdout"):
        return value, None
    if given and name == "prequential" and number.isdecimal() and int(number):
        return name, int(number)
    if given and name == "holdout" and (size := _size(number)) is not None:
        return name, size
    raise click.BadParameter(f"{value!r} is not a number of folds from 2, loo, prequential or holdout=0.7.")


def _size(text: str) -> int | float | None:
    """A number of cases, or a share of them; None for what is neither."""
    if text.isascii() and text.isdecimal():
        return int(text) or None
    try:
        share = float(text)
    except ValueError:
        return None
    return share if 0 < share < 1 else None


def _share_or_number(_: click.Context, __: click.Parameter, value: str | None) -> int | float | None:
    if value is None or (size := _size(value)) is not None:
        return None if value is None else size
    raise click.BadParameter(f"{value!r} is neither a share between 0 and 1 nor a number of cases.")


def _points(_: click.Context, __: click.Parameter, value: str | None) -> list[int | float] | None:
    if value is None:
        return None
    found: list[int | float] = []
    for text in value.split(","):
        try:
            found.append(int(text) if text.strip().isdecimal() else float(text))
        except ValueError:
            raise click.BadParameter(f"{text!r} is not a number; write 5,10,20 or 0.1,0.5, for example.") from None
    return found


def _names(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> list[str]:
    return [name.strip() for value in values for name in value.split(",")]


def _picture(_: click.Context, __: click.Parameter, value: Path | None) -> Path | None:
    """Refuse a picture that cannot be written before the work is done, not after."""
    if value is None:
        return None
    if value.suffix[1:].lower() not in PICTURES:
        ends = listed([f".{end}" for end in PICTURES], "or")
        raise click.BadParameter(f"{str(value)!r} does not end in {ends}.")
    if not value.absolute().parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(value.parent)!r}.")
    return value
