"""Who may answer, and which options each learner takes.

The fields of a learner are its options: one that it does not have is refused beside it. ``words`` are the names that an
option may have beside this learner, ``numbers`` the numbers, from the least to the greatest, and ``shows`` is what its
answers can be explained by.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar, Literal, TypeAlias

__all__ = [
    "LEARNERS",
    "OPTIONS",
    "ByConcepts",
    "ByIB1",
    "ByIB2",
    "ByIB3",
    "ByIB4",
    "ByLocal",
    "ByNaiveBayes",
    "ByNeighbors",
    "ByPebls",
    "ByRbf",
    "BySubsets",
    "ByTrees",
    "Learner",
    "options_of",
]

Words: TypeAlias = Mapping[str, tuple[str, ...]]
Numbers: TypeAlias = Mapping[str, tuple[float, float]]

_BINS = ("equal_width", "equal_frequency", "kmeans", "mdl", "two_way")
_WEIGHTS = ("jeffreys", "laplace", "bdeu", "auto")
_ABOVE_ZERO = (1e-100, 1e100)
_LEVEL = (0.5, math.nextafter(1.0, 0.0))
_DISTANCES = "heom hvdm vdm mvdm dvdm ivdm wvdm gower overlap euclidean manhattan minkowski ib cosine"
_KERNELS = "gaussian tricube epanechnikov biweight triangular exponential inverse_power"
_TIES = ("majority", "first", "nearest", "reduce")
_LEARNED = ("none", "gain_ratio", "relief", "mutual_information", "bayes", "loo")


@dataclass(frozen=True)
class ByNeighbors:
    """The past cases most like the new one vote; random numbers of ``tune`` begin with ``seed``, 0 if None."""

    name: ClassVar[str] = "neighbors"
    shows: ClassVar[str] = "precedents"
    words: ClassVar[Words] = {
        "prior": ("frequency",),
        "distance": tuple(_DISTANCES.split()),
        "vote": ("uniform", "inverse_square", *_KERNELS.split()),
        "ties": _TIES,
        "weights": _LEARNED,
    }
    numbers: ClassVar[Numbers] = {"prior": (0.0, sys.float_info.max)}

    neighbors: int | Literal["sqrt", "loo", "all"] = 5
    distance: str = "heom"
    vote: str = "uniform"
    ties: str | None = None
    weights: str = "none"
    prior: float | Literal["frequency"] | None = None
    tune: bool = False
    seed: int | None = None


@dataclass(frozen=True)
class ByLocal:
    """A small model is fitted to the past cases around the new one.

    ``degree`` and ``level`` are for numbers, ``model`` and ``prior`` for classes; None stands for the default. So it
    does for ``neighbors``: by leave-one-out, or all where there is a bandwidth.
    """

    name: ClassVar[str] = "local"
    shows: ClassVar[str] = "precedents"
    words: ClassVar[Words] = {
        "prior": ("frequency",),
        "distance": tuple(_DISTANCES.split()),
        "kernel": ("uniform", *_KERNELS.split()),
        "bandwidth": ("loo", "query"),
        "weights": _LEARNED,
    }
    numbers: ClassVar[Numbers] = {"prior": (0.0, sys.float_info.max), "bandwidth": _ABOVE_ZERO, "level": _LEVEL}

    neighbors: int | Literal["sqrt", "loo", "all"] | None = None
    degree: int | None = None
    model: Literal["logistic", "naive-bayes", "linear"] | None = None
    kernel: str = "tricube"
    bandwidth: float | Literal["loo", "query"] | None = None
    distance: str = "heom"
    weights: str = "none"
    prior: float | Literal["frequency"] | None = None
    level: float | None = None


@dataclass(frozen=True)
class ByRbf:
    """A sum of bumps around a few centres; random numbers begin with ``seed``, 0 if None."""

    name: ClassVar[str] = "rbf"
    shows: ClassVar[str] = ""
    words: ClassVar[Words] = {
        "centers_by": ("kmeans", "em", "random", "stratified"),
        "width": ("auto", "common", "neighbors", "em"),
        "alpha": ("gcv", "loo"),
        "distance": tuple(_DISTANCES.split()),
        "weights": _LEARNED,
    }
    numbers: ClassVar[Numbers] = {"width": _ABOVE_ZERO, "alpha": (0.0, sys.float_info.max)}

    centers: int | Literal["auto", "all"] = "auto"
    centers_by: str | None = None
    width: float | str = "auto"
    alpha: float | str = "loo"
    distance: str = "heom"
    weights: str = "none"
    seed: int | None = None


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


@dataclass(frozen=True)
class ByConcepts:
    """What the learners that choose what to remember have in common; random numbers begin with ``seed``, 0 if None."""

    name: ClassVar[str]
    shows: ClassVar[str] = "precedents"
    words: ClassVar[Words] = {"ties": ("majority", "first", "random"), "distance": tuple(_DISTANCES.split())}
    numbers: ClassVar[Numbers] = {"accept": _LEVEL, "drop": _LEVEL}
    judges: ClassVar[bool] = False  # whether records decide who answers, and chance as long as there are none

    ties: Literal["majority", "first", "random"] = "majority"
    shuffle: bool = False
    seed: int | None = None

    @property
    def is_random(self) -> bool:
        """Whether the seed has an effect."""
        return self.judges or self.shuffle or self.ties == "random"


@dataclass(frozen=True)
class ByIB1(ByConcepts):
    """Every past case is remembered, and the nearest one answers."""

    name: ClassVar[str] = "ib1"

    distance: str = "ib"


@dataclass(frozen=True)
class ByIB2(ByIB1):
    """Past cases are remembered that those before them get wrong."""

    name: ClassVar[str] = "ib2"


@dataclass(frozen=True)
class ByIB3(ByIB1):
    """IB2 whose cases need a good record to answer, and are dropped for a poor one."""

    name: ClassVar[str] = "ib3"
    judges: ClassVar[bool] = True

    accept: float = 0.9
    drop: float = 0.875


@dataclass(frozen=True)
class ByIB4(ByConcepts):
    """IB3 that learns for each class how much every attribute counts."""

    name: ClassVar[str] = "ib4"
    judges: ClassVar[bool] = True

    accept: float = 0.9
    drop: float = 0.875


@dataclass(frozen=True)
class ByPebls:
    """The nearest past case answers, by what values say about the class; cases that mislead are pushed away."""

    name: ClassVar[str] = "pebls"
    shows: ClassVar[str] = "precedents"
    words: ClassVar[Words] = {"neighbors": (), "ties": _TIES}
    numbers: ClassVar[Numbers] = {}

    neighbors: int = 1
    weighting: Literal["multi_pass", "one_pass", "none"] = "multi_pass"
    bins: int | None = None
    ties: str = "nearest"


Learner: TypeAlias = ByNeighbors | ByLocal | ByRbf | ByNaiveBayes | BySubsets | ByTrees | ByIB1 | ByIB4 | ByPebls

_ALL: tuple[type[Learner], ...] = (
    ByNeighbors,
    ByLocal,
    ByRbf,
    ByNaiveBayes,
    BySubsets,
    ByTrees,
    ByIB1,
    ByIB2,
    ByIB3,
    ByIB4,
    ByPebls,
)

LEARNERS: dict[str, type[Learner]] = {kind.name: kind for kind in _ALL}
"""The learners by name."""


def options_of(learner: type[Learner]) -> list[str]:
    """The options that a learner takes.

    Examples
    --------
    >>> options_of(ByTrees)
    ['ess', 'numeric_as']
    """
    return [field.name for field in fields(learner)]


OPTIONS = frozenset(option for learner in LEARNERS.values() for option in options_of(learner))
"""The options that belong to some learner."""
