"""The options that say who answers, and how.

Those of the learners have no default here: what is None was not given, and each learner has defaults of its own.
"""

from __future__ import annotations

from functools import partial

import click

from priorcase.cli.help import Function, option, together
from priorcase.cli.learners import LEARNERS, ByNaiveBayes, ByNeighbors, ByTrees, listed
from priorcase.cli.words import Choice

__all__ = ["learner_options"]

_RULES = ("sqrt", "loo", "all")
_LEARNERS = """\
neighbors: the past cases most like the new one vote. naive-bayes: every value is counted in every class. subsets: its \
average over all sets of attributes. trees: its average over all trees that let attributes depend on each other."""
_PRIOR = f"""\
What is believed before any case is seen. With neighbors: votes for every class, or frequency. With naive-bayes and \
subsets: a weight for every value and class, or {listed(ByNaiveBayes.words["prior"], "or")} (1 by default)."""
_NUMERIC = f"""\
What numeric columns become. A density: {listed(ByNaiveBayes.words["numeric_as"][:3], "or")} (not with trees; with \
subsets student only). Bins: {listed(ByTrees.words["numeric_as"], "or")}.  [default: {ByNaiveBayes.numeric_as}; with \
trees {ByTrees.numeric_as}]"""
_GAPS = f"""\
A gap leaves the attribute out (ignore), or is one more value. Not with trees, where it is a value.  \
[default: {ByNaiveBayes.gaps}]"""
_PREDICTIVE = f"""\
With naive-bayes only. evidence: the average over all parameters; map: the most probable ones; sc: stochastic \
complexity.  [default: {ByNaiveBayes.predictive}]"""


def learner_options(function: Function) -> Function:
    """Add the options that say who answers, and how."""
    for group in (_bayes, _neighbors, _common):  # the last is listed first
        function = group(function)
    return function


def _common(function: Function) -> Function:
    add = partial(option, "Answers")
    tasks = Choice(["auto", "classify", "regress"])
    return together(
        function,
        add("--learner", None, _LEARNERS, type=Choice(list(LEARNERS)), default=ByNeighbors.name),
        add("--task", None, "What the target asks for; regress is for neighbors.", type=tasks, default="auto"),
        add("--prior", "NUMBER", _PRIOR, callback=_number_or_word),
    )


def _neighbors(function: Function) -> Function:
    add = partial(option, "With --learner neighbors")
    many = f"How many precedents speak: a number, sqrt, loo or all.  [default: {ByNeighbors.neighbors}]"
    near = f"What near means: heom, hvdm, mvdm, gower, ...  [default: {ByNeighbors.distance}]"
    vote = f"How precedents count: uniform, inverse_square or a kernel.  [default: {ByNeighbors.vote}]"
    return together(
        function,
        add("--neighbors", "K", many, callback=_parse_neighbors),
        add("--distance", "NAME", near),
        add("--vote", "NAME", vote),
        add("--ties", "RULE", "What happens when distances or votes are equal.  [default: majority]"),
    )


def _bayes(function: Function) -> Function:
    add = partial(option, "With --learner naive-bayes, subsets or trees")
    rows = f"With trees only. How many cases the prior is worth, or auto.  [default: {ByTrees.ess:g}]"
    return together(
        function,
        add("--predictive", None, _PREDICTIVE, type=Choice(["evidence", "map", "sc"])),
        add("--numeric-as", "NAME", _NUMERIC),
        add("--gaps", None, _GAPS, type=Choice(["ignore", "value"])),
        add("--ess", "NUMBER", rows, callback=_number_or_word),
    )


def _parse_neighbors(_: click.Context, __: click.Parameter, value: str | None) -> int | str | None:
    if value is None or value in _RULES:
        return value
    if not (value.isascii() and value.isdecimal()) or int(value) < 1:
        raise click.BadParameter(f"{value!r} is neither a positive number nor one of {', '.join(_RULES)}.")
    return int(value)


def _number_or_word(_: click.Context, __: click.Parameter, value: str | None) -> float | str | None:
    """A number, or a word that the learner may know."""
    try:
        return None if value is None else float(value)
    except ValueError:
        return value
