"""Which parameters are tried: what a user lists, or what is tried by default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from priorcase._parameters import is_whole
from priorcase.exceptions import TuningError
from priorcase.neighbors import parameters, vote
from priorcase.neighbors.tuning.grid import Grid, VoteChoice
from priorcase.neighbors.vote import KernelVote
from priorcase.similarity import Absolute, Distance, Gaussian, hvdm
from priorcase.similarity import resolve as resolve_distance

SHARED = ("n_neighbors", "vote", "bandwidth", "distance", "attribute_weights")
OF_CLASSES = ("prior", "temperature")

_LADDER = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100)
_VOTES = ("uniform", "inverse_square", "epanechnikov", "tricube", *map(Gaussian, (0.35, 0.5, 0.7, 1.0)))
_STANDARDISED = Distance(numeric=Absolute("std", factor=4.0), ordinal=Absolute("std", factor=4.0))
_HVDM_ADDED = replace(hvdm(), power=1.0, root=False)

_FOR_CLASSES = {"prior": (0.1, 0.3, 1.0, 3.0), "temperature": (0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.5)}
_DISTANCES = {True: ("heom", "hvdm", "gower", _HVDM_ADDED), False: ("heom", _STANDARDISED, "gower")}


def default(classes: bool, weights: Any = None) -> list[dict[str, Sequence[Any]]]:
    """What is tried where nothing is listed; without attribute weights of the estimator's own, Relief's too."""
    shared: dict[str, Sequence[Any]] = {"n_neighbors": _LADDER, "vote": _VOTES, **(_FOR_CLASSES if classes else {})}
    plain = {**shared, "distance": _DISTANCES[classes]}
    return (
        [plain] if weights is not None else [plain, {**shared, "distance": ("heom",), "attribute_weights": ("relief",)}]
    )


@dataclass(frozen=True, eq=False)
class Group:
    """Candidates that share their searches: one distance and one choice of attribute weights."""

    distance: Any
    attribute_weights: Any
    grid: Grid

    def parameters(self, candidate: int, *, classes: bool) -> dict[str, Any]:
        """The parameters of one candidate."""
        shared = {"distance": self.distance, "attribute_weights": self.attribute_weights}
        return shared | self.grid.parameters(candidate, classes=classes)


def locate(groups: Sequence[Group], candidate: int) -> tuple[Group, int]:
    """The group of a candidate, numbered through all groups, and which of the group's candidates it is."""
    for group in groups:
        if candidate < len(group.grid):
            return group, candidate
        candidate -= len(group.grid)
    raise IndexError(candidate)


def groups(estimator: Any, candidates: object, *, classes: bool) -> list[Group]:
    """The candidates, by what they share; parameters that are not listed stay as the estimator has them."""
    listed = default(classes, estimator.attribute_weights) if candidates is None else candidates
    lists = [listed] if isinstance(listed, Mapping) else listed
    if isinstance(lists, str) or not isinstance(lists, Sequence) or not lists:
        raise TuningError.candidates(candidates)
    found = []
    for choices in lists:
        values = _values(estimator, choices, classes)
        grid = _grid(values, classes)
        for distance, weights in product(values["distance"], values["attribute_weights"]):
            resolve_distance(distance)
            found.append(Group(distance, weights, grid))
    return found


def _values(estimator: Any, choices: object, classes: bool) -> dict[str, Sequence[Any]]:
    """The list of each parameter."""
    names = SHARED + OF_CLASSES if classes else SHARED
    if not isinstance(choices, Mapping) or not choices:
        raise TuningError.candidates(choices)
    for name, values in choices.items():
        if name not in names:
            raise TuningError.parameter(name, names)
        if isinstance(values, (str, Mapping)) or not isinstance(values, (Sequence, np.ndarray)) or not len(values):
            raise TuningError.values(name, values)
    return {name: list(choices.get(name, [getattr(estimator, name)])) for name in names}


def _grid(values: Mapping[str, Sequence[Any]], classes: bool) -> Grid:
    ks = sorted({_whole(k) for k in values["n_neighbors"]})
    votes = []
    for name, bandwidth in product(values["vote"], values["bandwidth"]):
        reach = parameters.check_bandwidth(bandwidth)
        rule = vote.resolve(name)
        if reach is None or isinstance(rule, KernelVote):  # other votes have no bandwidth
            votes.append(VoteChoice(name, reach, vote.resolve(name, reach)))
    if not votes:
        raise TuningError.no_vote()
    if not classes:
        return Grid(tuple(ks), tuple(votes))
    temperatures = [parameters.check_temperature(value) for value in values["temperature"]]
    return Grid(tuple(ks), tuple(votes), tuple(values["prior"]), tuple(temperatures))


def _whole(value: object) -> int:
    if is_whole(value) and int(value) >= 1:
        return int(value)
    raise TuningError.neighbors(value)
