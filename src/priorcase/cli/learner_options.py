"""The options that say who answers, and how.

Those of the learners have no default here: what is None was not given, and each learner has defaults of its own.
"""

from __future__ import annotations

from functools import partial

from priorcase.cli.help import Function, option, together
from priorcase.cli.learners import LEARNERS, ByIB1, ByIB3, ByNaiveBayes, ByNeighbors, ByPebls, ByTrees
from priorcase.cli.local_options import level_option, local_options
from priorcase.cli.parsing import count_or, number, number_or_word, whole
from priorcase.cli.words import Choice, listed

__all__ = ["ANSWERS", "LEARNERS_TEXT", "learner_options", "own_options", "task_options"]

ANSWERS = "Answers"
"""The heading of options that say who answers."""

_RULES = ("sqrt", "loo", "all")
LEARNERS_TEXT = """\
neighbors: the past cases most like the new one vote. local: a small model is fitted to the past cases around the new \
one. rbf: a sum of bumps around a few centres. naive-bayes: every value is counted in every class. subsets: its \
average over all sets of attributes. trees: its average over all trees that let attributes depend on each other. \
ib1: the nearest past case answers. ib2: of those that earlier ones get wrong, the nearest. ib3: the nearest of these \
that has a good record. ib4: ib3 that weighs the attributes for each class. pebls: the nearest past case, by what \
values say about the class; cases that mislead are pushed away."""
"""What each learner does, in a sentence."""
_PRIOR = f"""\
What is believed before any case is seen. With neighbors and local: votes for every class, or frequency, which local \
takes by default. With naive-bayes and subsets: a weight for every value and class, or \
{listed(ByNaiveBayes.words["prior"], "or")} (1 by default)."""
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
_MANY = f"""\
How many precedents speak, with neighbors, local and pebls: a number; with neighbors and local also sqrt, loo or all.  \
[default: {ByNeighbors.neighbors}; with pebls {ByPebls.neighbors}; with local loo, or all beside --bandwidth]"""
_NEAR = f"""\
What near means, with neighbors, local, rbf and ib1 to ib3: heom, hvdm, mvdm, gower, ...  [default: \
{ByNeighbors.distance}; with ib1 to ib3 {ByIB1.distance}]"""
_WEIGHTS = f"""\
With neighbors, local and rbf. How it is learned what each attribute counts in the distance: \
{listed(ByNeighbors.words["weights"], "or")} (bayes for classes only).  [default: {ByNeighbors.weights}]"""
_VOTE = f"""\
With neighbors only. How precedents count: uniform, inverse_square or a kernel.  [default: {ByNeighbors.vote}]"""
_TIES = f"""\
What happens when distances or votes are equal. With neighbors and pebls: {listed(ByNeighbors.words["ties"], "or")}. \
With ib1 to ib4: {listed(ByIB1.words["ties"], "or")}.  [default: {ByIB1.ties}; with pebls {ByPebls.ties}]"""
_TUNE = """\
With neighbors only. Choose number, distance, vote and, for classes, prior and sharpness of the probabilities by \
leave-one-out on the past cases."""
_ACCEPT = f"""\
With ib3 and ib4 only. How sure it must be, from 0.5 to below 1, that a case is right more often than its class is \
frequent, before it may answer.  [default: {ByIB3.accept}]"""
_DROP = f"""\
With ib3 and ib4 only. How sure it must be that a case is right less often, before it is dropped.  [default: \
{ByIB3.drop}]"""
_SHUFFLE = """\
With ib1 to ib4 only. Learn the past cases in a random order instead of that of the file, which may be sorted."""
_SEED = """\
With ib3, ib4 and rbf, with ib1 and ib2 for --shuffle or --ties random, and with neighbors for --tune. Where random \
numbers begin; the same command gives the same answers.  [default: 0]"""
_WEIGHTING = f"""\
With pebls only. How cases get records: all are asked about all others (multi_pass), each about those that come after \
it (one_pass), or none has any.  [default: {ByPebls.weighting}]"""
_BINS = """\
With pebls only. Intervals of equal width that numbers are cut into.  [default: the number of classes, at least 5]"""


def learner_options(function: Function) -> Function:
    """Add the options that say who answers, and how."""
    return _common(task_options(own_options(level_option(function))))


def own_options(function: Function) -> Function:
    """Add the options that learners have of their own, but for the seed and what only an answer has."""
    for group in (_bayes, local_options, _neighbors):  # the last is listed first
        function = group(function)
    return function


def _common(function: Function) -> Function:
    add = partial(option, ANSWERS)
    return together(
        function,
        add("--learner", "NAME", LEARNERS_TEXT, type=Choice(list(LEARNERS)), default=ByNeighbors.name),
        add("--seed", "NUMBER", _SEED, callback=whole(0, 2**32 - 1)),
    )


def task_options(function: Function) -> Function:
    """Add what is asked for, and what is believed before any case is seen."""
    add = partial(option, ANSWERS)
    tasks = Choice(["auto", "classify", "regress"])
    asks = "What the target asks for; regress is for neighbors, local and rbf."
    return together(
        function,
        add("--task", None, asks, type=tasks, default="auto"),
        add("--prior", "NUMBER", _PRIOR, callback=number_or_word),
    )


def _neighbors(function: Function) -> Function:
    add = partial(option, "With --learner neighbors, local, rbf, ib1 to ib4 or pebls")
    return together(
        function,
        add("--neighbors", "K", _MANY, callback=count_or(*_RULES)),
        add("--distance", "NAME", _NEAR),
        add("--weights", "NAME", _WEIGHTS),
        add("--vote", "NAME", _VOTE),
        add("--ties", "RULE", _TIES),
        add("--tune", None, _TUNE, is_flag=True, flag_value=True, default=None),
        add("--accept", "LEVEL", _ACCEPT, callback=number),
        add("--drop", "LEVEL", _DROP, callback=number),
        add("--shuffle", None, _SHUFFLE, is_flag=True, flag_value=True, default=None),
        add("--weighting", None, _WEIGHTING, type=Choice(["multi_pass", "one_pass", "none"])),
        add("--bins", "NUMBER", _BINS, callback=whole(1, 1_000_000)),
    )


def _bayes(function: Function) -> Function:
    add = partial(option, "With --learner naive-bayes, subsets or trees")
    rows = f"With trees only. How many cases the prior is worth, or auto.  [default: {ByTrees.ess:g}]"
    return together(
        function,
        add("--predictive", None, _PREDICTIVE, type=Choice(["evidence", "map", "sc"])),
        add("--numeric-as", "NAME", _NUMERIC),
        add("--gaps", None, _GAPS, type=Choice(["ignore", "value"])),
        add("--ess", "NUMBER", rows, callback=number_or_word),
    )
