"""Measures of a user's own answer everywhere as the library's do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import priorcase as pc
from priorcase.exceptions import ParameterError


class Straight:
    """`Linear`, written by hand: nothing of the library but the protocol."""

    accepts, needs_solutions = ("numeric",), False

    def prepare(self, column: Any, solutions: Any = None, previous: Any = None) -> Any:
        return PreparedStraight(np.array(column.values, float))


class PreparedStraight:
    def __init__(self, values: Any) -> None:
        self.values = values

    def similarities(self, query: Any) -> Any:
        return np.maximum(1 - np.abs(self.values - query) / np.ptp(self.values), 0.0)


class Solved:
    """A measure that learns from solutions: 1 where the values' cases have the same solutions."""

    accepts, needs_solutions = ("nominal",), True

    def prepare(self, column: Any, solutions: Any = None, previous: Any = None) -> Any:
        had: dict[Any, set[Any]] = {value: set() for value in column.values}
        for code, solution in zip(column.codes.tolist(), solutions.codes.tolist(), strict=True):
            if code >= 0 and solution >= 0:
                had[column.values[code]].add(solution)
        return PreparedSolved(had)


class PreparedSolved:
    def __init__(self, had: dict[Any, set[Any]]) -> None:
        self.had = had

    def similarities(self, query: Any) -> Any:
        own = self.had.get(query, set())
        return [len(own & each) / max(1, len(own | each)) for each in self.had.values()]


@pytest.fixture
def base(tmp_path: Path) -> Any:
    rng = np.random.default_rng(0)
    with pc.CaseBase.open(tmp_path / "shop.priorcase", {"size": "numeric", "kind": "nominal"}) as cases:
        for _ in range(40):
            size, kind = int(rng.integers(0, 12)), str(rng.choice(["a", "b", "c"]))
            values = {"size": size} if rng.random() < 0.1 else {"size": size, "kind": kind}
            cases.add(values, solution="large" if size > 5 else "small")
        yield cases


def test_retrieval_conversation_and_weights_are_the_same(base: Any) -> None:
    own, given = {"size": Straight()}, {"size": "linear"}
    for query in ({"size": 3, "kind": "a"}, {"size": 30}, {"size": 5.5, "kind": "never"}):
        found, expected = (base.retrieve(query, 6, measures=measures) for measures in (own, given))
        assert found.ids == expected.ids
        np.testing.assert_allclose(found.similarities, expected.similarities, rtol=1e-12)
        assert base.reuse(found, "vote").solution == base.reuse(expected, "vote").solution
    weights = [dict(base.learn_weights(measures=measures)) for measures in (own, given)]
    assert weights[0] == weights[1]
    asked = [base.converse({"size": 7}, measures=measures).questions() for measures in (own, given)]
    assert str(asked[0]) == str(asked[1])


def test_it_follows_the_cases_and_may_learn_from_solutions(base: Any) -> None:
    measures = {"size": Straight(), "kind": Solved()}
    before = base.retrieve({"size": 3, "kind": "a"}, measures=measures)
    new = base.add({"size": 3, "kind": "z"}, solution="small")
    after = base.retrieve({"size": 3, "kind": "z"}, 1, measures=measures)
    assert after.ids == (new,)
    base.forget([new], why="a test")
    again = base.retrieve({"size": 3, "kind": "a"}, measures=measures)
    assert again.ids == before.ids
    assert again.similarities.tolist() == before.similarities.tolist()


def test_it_is_not_kept_in_the_file(base: Any) -> None:
    with pytest.raises(ParameterError, match=r"Straight object .*cannot be written to a file"):
        base.prefer(measures={"size": Straight()})
    with pytest.raises(ParameterError, match=r"cannot compare attribute 'kind', which is nominal"):
        base.retrieve({"kind": "a"}, measures={"kind": Straight()})
