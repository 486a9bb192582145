"""A search for attributes as its parameters say it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from priorcase.learning.parameters import check_seed
from priorcase.learning.progress import bar
from priorcase.selection import parameters
from priorcase.selection.left_out import LeftOut
from priorcase.selection.parameters import Direction, Search
from priorcase.selection.racing import Exhaustive, Race
from priorcase.selection.schemata import Schemata
from priorcase.selection.steps import Greedy, Step
from priorcase.selection.trials import Trials

_MANY_LOSSES = 50_000


@dataclass(frozen=True)
class Plan:
    """How to search; made by `of`, which checks."""

    search: Search
    direction: Direction
    gamma: float
    delta: float
    min_points: int
    seed: int

    @classmethod
    def of(cls, selector: Any) -> Self:
        """The parameters of a selector, refused in words or made ready."""
        search = parameters.check_search(selector.search)
        return cls(
            search,
            parameters.check_direction(selector.direction, search),
            parameters.check_gamma(selector.gamma),
            parameters.check_delta(selector.delta, search),
            parameters.check_min_points(selector.min_points, search),
            check_seed(selector.random_state),
        )

    def run(self, rows: LeftOut, width: int, n_features: int | None) -> tuple[Step, ...]:
        """The steps of the search, with a bar where they take long."""
        most = width if self.search == "schemata" else width * (width + 1) // 2
        with bar(most, shown=len(rows) * width >= _MANY_LOSSES, text=self.search) as advance:

            def told(settled: int) -> None:
                for _ in range(settled):
                    advance(self.search)

            return self._steps(rows, width, n_features, told)

    def _steps(
        self, rows: LeftOut, width: int, n_features: int | None, told: Callable[[int], None]
    ) -> tuple[Step, ...]:
        rng = np.random.default_rng(self.seed)
        if self.search in ("forward", "backward"):
            rule: Exhaustive | Race = Exhaustive()
            order = np.arange(len(rows))
        else:
            rule = Race(self.search == "brace", self.delta, self.gamma, self.min_points)
            order = rng.permutation(len(rows))
        if self.search == "schemata" and isinstance(rule, Race):
            return tuple(Schemata(rule, told).steps(rows, order, width, rng))
        greedy, trials = Greedy(rule, self.gamma, n_features, told), Trials(rows, order)
        return tuple(greedy.forward(trials, width) if self.direction == "forward" else greedy.backward(trials, width))
