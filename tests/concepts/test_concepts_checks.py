"""scikit-learn's own checks and this library's checks for mixed tables, passed by the concept learners."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from checks import mixed_cases, mixed_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from priorcase.concepts import IB1, IB2, IB3, IB4, IB5

LEARNERS = [
    IB1(),
    IB1(ties="first", distance="heom", window=200),
    IB1(per_class=True, history=True),
    IB2(),
    IB2(per_class=True),
    IB3(random_state=0),
    IB3(random_state=0, decay=0.99, history="replay", distance="hvdm"),
    IB4(random_state=0),
    IB4(random_state=0, weight_power=1, window=50),
    IB5(random_state=0),
    IB5(random_state=0, missing="scale", history="replay"),
]


def applying_checks(learner: Any) -> Iterator[Callable[[Any, str], None]]:
    """The checks that apply to a learner."""
    keeps_all = isinstance(learner, IB1) and learner.window is None
    waived = {
        # What is stored depends on the order of the rows; forgetting then needs a replay, and has tests of its own.
        "check_mixed_row_order": not keeps_all,
        "check_mixed_forget": not keeps_all,
        # Columns that lack are missing in IB5, and not a mistake.
        "check_mixed_columns_by_name": isinstance(learner, IB5),
        # Statistics of other distances are those of the first call, which is another one here.
        "check_mixed_partial_fit": getattr(learner, "distance", "ib") != "ib",
    }
    for check in mixed_checks(learner):
        if not waived.get(check.__name__, False):
            yield check


@parametrize_with_checks(LEARNERS)
def test_sklearn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize(("learner", "check", "kind"), mixed_cases(LEARNERS, applying_checks))
def test_mixed_checks(learner: Any, check: Callable[[Any, str], None], kind: str) -> None:
    check(learner, kind)
