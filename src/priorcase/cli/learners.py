"""Who may answer, and which options each learner takes.

The fields of a learner are its options: one that it does not have is refused beside it. ``words`` are the names that an
option may have beside this learner, ``numbers`` the numbers, from the least to the greatest, and ``shows`` is what its
answers can be explained by.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, TypeAlias

import click

from priorcase.cli.words import wrong_value

__all__ = ["LEARNERS", "OPTIONS", "ByNaiveBayes", "ByNeighbors", "BySubsets", "ByTrees", "Learner", "chosen", "listed"]

Words: TypeAlias = Mapping[str, tuple[str, ...]]
Numbers: TypeAlias = Mapping[str, tuple[float, float]]

_BINS = ("equal_width", "equal_frequency", "kmeans", "mdl", "two_way")
_WEIGHTS = ("jeffreys", "laplace", "bdeu", "auto")
_ABOVE_ZERO = (1e-100, 1e100)
_DISTANCES = "heom hvdm vdm mvdm dvdm ivdm wvdm gower overlap euclidean manhattan minkowski ib cosine"
_VOTES = "uniform inverse_square gaussian tricube epanechnikov biweight triangular exponential inverse_power"


@dataclass(frozen=True)
class ByNeighbors:
    """The past cases most like the new one vote."""

    name: ClassVar[str] = "neighbors"
    shows: ClassVar[str] = "precedents"
    words: ClassVar[Words] = {
        "prior": ("frequency",),
        "distance": tuple(_DISTANCES.split()),
        "vote": tuple(_VOTES.split()),
        "ties": ("majority", "first", "nearest", "reduce"),
    }
    numbers: ClassVar[Numbers] = {"prior": (0.0, sys.float_info.max)}

    neighbors: int | Literal["sqrt", "loo", "all"] = 5
    distance: str = "heom"
    vote: str = "uniform"
    ties: str | None = None
    prior: float | Literal["frequency"] | None = None


@dataclass(frozen=True)
class ByNaiveBayes:
    """Every value is counted in every class."""

    name: ClassVar[str] = "naive-bayes"
    shows: ClassVar[str] = "log-odds"
    words: ClassVar[Words] = {"prior": _WEIGHTS, "numeric_as": ("student", "gaussian", "kernel", *_BINS)}
    numbers: ClassVar[Numbers] = {"prior": _ABOVE_ZERO}

    predictive: Literal["evidence", "map", "sc"] = "evidence"
    prior: float | str | None = None
    numeric_as: str = "student"
    gaps: Literal["ignore", "value"] = "ignore"


@dataclass(frozen=True)
class BySubsets:
    """Naive Bayes, averaged over all sets of attributes."""

    name: ClassVar[str] = "subsets"
    shows: ClassVar[str] = "log-odds"
    words: ClassVar[Words] = {"prior": _WEIGHTS, "numeric_as": ("student", *_BINS)}
    numbers: ClassVar[Numbers] = {"prior": _ABOVE_ZERO}

    prior: float | str | None = None
    numeric_as: str = "student"
    gaps: Literal["ignore", "value"] = "ignore"


@dataclass(frozen=True)
class ByTrees:
    """Naive Bayes whose attributes may depend on each other, averaged over all trees between them."""

    name: ClassVar[str] = "trees"
    shows: ClassVar[str] = ""
    words: ClassVar[Words] = {"ess": ("auto",), "numeric_as": _BINS}
    numbers: ClassVar[Numbers] = {"ess": _ABOVE_ZERO}

    ess: float | Literal["auto"] = 20.0
    numeric_as: str = "mdl"


Learner: TypeAlias = ByNeighbors | ByNaiveBayes | BySubsets | ByTrees

LEARNERS: dict[str, type[Learner]] = {kind.name: kind for kind in (ByNeighbors, ByNaiveBayes, BySubsets, ByTrees)}
"""The learners by name."""


def _options(learner: type[Learner]) -> list[str]:
    return [field.name for field in fields(learner)]


OPTIONS = frozenset(option for learner in LEARNERS.values() for option in _options(learner))
"""The options that belong to some learner."""


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
        if option not in _options(learner):
            others = listed([other for other, kind in LEARNERS.items() if option in _options(kind)])
            raise _wrong(f"{_flag(option)} has no effect with --learner {name}, only with {others}.")
        if isinstance(value, str):
            _check_word(learner, option, value)
        else:
            _check_number(learner, option, value)
    if own.get("predictive") == "map" and own.get("prior") == "laplace":
        raise _wrong("--prior laplace does not give the Laplace estimate with --predictive map; --prior 2 does.")
    if own.get("predictive") == "sc" and "prior" in own:
        raise _wrong("--prior has no effect with --predictive sc, which knows no prior.")
    return learner(**own)


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
    allowed = f"the word {words[0]}" if len(words) == 1 else f"one of {', '.join(words)}"
    problem = f"neither a number nor {allowed}" if option in learner.numbers else f"not {allowed}"
    raise wrong_value(_flag(option), value, f"{problem}, which --learner {learner.name} takes", words)


def _check_number(learner: type[Learner], option: str, value: float) -> None:
    """Refuse a number that does not go with the learner."""
    least, greatest = learner.numbers.get(option, (-math.inf, math.inf))
    if not least <= value <= greatest:
        allowed = "a finite number >= 0" if least == 0 else f"a number from {least:g} to {greatest:g}"
        raise wrong_value(_flag(option), value, f"not {allowed}, which --learner {learner.name} takes")


def _wrong(problem: str) -> click.UsageError:
    return click.UsageError(problem, click.get_current_context(silent=True))


def _flag(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names as a sentence lists them.

    Examples
    --------
    >>> listed(["a", "b", "c"], "or")
    'a, b or c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"
