"""The learner that the options of a command ask for; options that do not go with it are refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import click

from priorcase.cli.clashes import clash
from priorcase.cli.learners import LEARNERS, Learner, options_of
from priorcase.cli.words import listed, wrong_value

__all__ = ["chosen"]


def chosen(name: str, given: Mapping[str, Any], *, explained: bool) -> Learner:
    """The learner of that name with the options given, those that are not None.

    Examples
    --------
    >>> chosen("trees", {"ess": 2.0, "neighbors": None}, explained=False)
    ByTrees(ess=2.0, numeric_as='mdl')
    """
    learner = LEARNERS[name]
    if explained and not learner.shows:
        raise _wrong(f"--learner {name} cannot be explained; explain shows {_explanations()}.")
    own = {option: value for option, value in given.items() if value is not None}
    for option, value in own.items():
        if option not in options_of(learner):
            others = listed([other for other, kind in LEARNERS.items() if option in options_of(kind)])
            raise _wrong(f"{_flag(option)} has no effect with --learner {name}, only with {others}.")
        if isinstance(value, str):
            _check_word(learner, option, value)
        else:
            _check_number(learner, option, value)
    asked = learner(**own)
    if (problem := clash(asked, own)) is not None:
        raise _wrong(problem)
    return asked


def _explanations() -> str:
    """What is shown for which learners."""
    shown: dict[str, list[str]] = {}
    for name, learner in LEARNERS.items():
        if learner.shows:
            shown.setdefault(learner.shows, []).append(name)
    return ", and ".join(f"the {what} of {listed(names)}" for what, names in shown.items())


def _check_word(learner: type[Learner], option: str, value: str) -> None:
    """Refuse a word that does not go with the learner."""
    words = learner.words.get(option)
    if words is None or value in words:
        return
    problem = "not a number"
    if words:
        allowed = f"the word {words[0]}" if len(words) == 1 else f"one of {', '.join(words)}"
        problem = f"neither a number nor {allowed}" if option in learner.numbers else f"not {allowed}"
    raise wrong_value(_flag(option), value, f"{problem}, which --learner {learner.name} takes", words)


def _check_number(learner: type[Learner], option: str, value: float) -> None:
    """Refuse a number that does not go with the learner."""
    least, greatest = learner.numbers.get(option, (-math.inf, math.inf))
    if not least <= value <= greatest:
        most = "below 1" if greatest == math.nextafter(1.0, 0.0) else f"{greatest:g}"
        allowed = "a finite number >= 0" if least == 0 else f"a number from {least:g} to {most}"
        raise wrong_value(_flag(option), value, f"not {allowed}, which --learner {learner.name} takes")


def _wrong(problem: str) -> click.UsageError:
    return click.UsageError(problem, click.get_current_context(silent=True))


def _flag(option: str) -> str:
    return f"--{option.replace('_', '-')}"
