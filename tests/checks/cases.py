"""Which learners pass which checks in which make of table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import cycle
from typing import Any

import pytest

from checks.containers import CONTAINERS
from checks.mixed import mixed_checks


def mixed_cases(learners: Sequence[Any], checks: Callable[[Any], Iterable[Any]] = mixed_checks) -> list[Any]:
    """Learner, check and make of table: for the first setting of each class all makes, for the others one in turn.

    How a table is read does not depend on the settings of who learns from it.
    """
    met: set[type] = set()
    turn = cycle(CONTAINERS)
    cases = []
    for i, learner in enumerate(learners):
        for check in checks(learner):
            makes = [next(turn)] if type(learner) in met else list(CONTAINERS)
            name = f"{type(learner).__name__}-{i}-{check.__name__}"
            cases += [pytest.param(learner, check, make, id=f"{name}-{make}") for make in makes]
        met.add(type(learner))
    return cases
