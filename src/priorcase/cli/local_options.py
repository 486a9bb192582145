"""The options of models around the new case: local regression and classification, and bumps."""

from __future__ import annotations

from functools import partial

from priorcase.cli.help import Function, option, together
from priorcase.cli.learners import ByLocal, ByRbf
from priorcase.cli.parsing import count_or, number, number_or_word, whole
from priorcase.cli.words import Choice, listed

__all__ = ["level_option", "local_options"]

_GROUP = "With --learner local or rbf"

_MODEL = """\
With local and classes only. What is fitted around a new case.  [default: logistic]"""
_DEGREE = """\
With local and numbers only. 0 fits a mean around a new case, 1 a plane, 2 a quadratic.  [default: 1]"""
_KERNEL = f"""\
With local only. How a past case counts less the farther it is: uniform, gaussian, tricube, ...  [default: \
{ByLocal.kernel}]"""
_BANDWIDTH = """\
With local only. The distance beyond which past cases hardly count, or not at all: a number; loo for one chosen by \
leave-one-out; query for one for each new case (numbers only).  [default: that of the first past case beyond \
--neighbors]"""
_INTERVAL = """\
With local and numbers only. How probable it is, from 0.5 to below 1, that a new case lies in its interval.  [default: \
0.95]"""
_CENTERS = f"""\
With rbf only. How many bumps there are: a number, auto (100 to 200), or all for one at each past case.  [default: \
{ByRbf.centers}]"""
_CENTERS_BY = f"""\
With rbf only. Where they are: {listed(ByRbf.words["centers_by"], "or")}.  [default: kmeans]"""
_WIDTH = f"""\
With rbf only. How far they reach: a distance, or {listed(ByRbf.words["width"], "or")}.  [default: {ByRbf.width}]"""
_ALPHA = f"""\
With rbf only. What large weights of bumps cost: a number, or {listed(ByRbf.words["alpha"], "or")} to choose it.  \
[default: {ByRbf.alpha}]"""


def local_options(function: Function) -> Function:
    """Add the options of models around the new case."""
    add = partial(option, _GROUP)
    return together(
        function,
        add("--model", None, _MODEL, type=Choice(["logistic", "naive-bayes", "linear"])),
        add("--degree", "NUMBER", _DEGREE, callback=whole(0, 2)),
        add("--kernel", "NAME", _KERNEL),
        add("--bandwidth", "NUMBER", _BANDWIDTH, callback=number_or_word),
        add("--centers", "NUMBER", _CENTERS, callback=count_or("auto", "all")),
        add("--centers-by", "NAME", _CENTERS_BY),
        add("--width", "NUMBER", _WIDTH, callback=number_or_word),
        add("--alpha", "NUMBER", _ALPHA, callback=number_or_word),
    )


def level_option(function: Function) -> Function:
    """Add how probable the interval of an answer is."""
    return option(_GROUP, "--level", "LEVEL", _INTERVAL, callback=number)(function)
