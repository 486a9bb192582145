"""What weights are learned from, and which of them are not learned: given ones, and those that only flatten."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from priorcase.cases.measures import ExponentialSimilarity
from priorcase.cases.retrieval import Weights, learn_weights
from priorcase.cases.retrieval.weights import LeftOut
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, ParameterError
from priorcase.schema import Nominal, Numeric

STEEP = {"size": ExponentialSimilarity(scale=0.005)}


def table(n: int = 60, seed: int = 0, *, stamp: float = 1.0, noise: float = 0.0) -> CaseTable:
    """Numbers follow from the size, more or less; the stamp, the same in this share of the cases, says nothing."""
    rng = np.random.default_rng(seed)
    rows: list[Any] = []
    for id in range(1, n + 1):
        values = {"size": float(rng.random()), "stamp": "x" if rng.random() < stamp else "y"}
        rows.append((id, values, json.dumps(float(10 * values["size"] + noise * rng.normal())), None))
    return CaseTable.of({"size": Numeric(), "stamp": Nominal()}, rows)


def of(told: list[tuple[float, Any, Any]]) -> CaseTable:
    rows = [
        (i, {"age": age}, json.dumps(s), None if o is None else json.dumps(o)) for i, (age, s, o) in enumerate(told)
    ]
    return CaseTable.of({"age": Numeric()}, rows)


def test_a_constant_attribute_gets_weight_0_though_it_makes_means_flatter() -> None:
    # Equal weights were better before, since the constant made steep similarities nearly the same.
    found = learn_weights(table(200, noise=3.0), k=8, measures=STEEP, progress=False)
    assert dict(found) == {"size": 1.0, "stamp": 0.0}
    assert found.loss_after == found.loss_before


@pytest.mark.parametrize("stamp", [0.99, 0.9, 0.5])
def test_a_weight_that_only_flattens_is_left_out(stamp: float) -> None:
    found = learn_weights(table(200, stamp=stamp, noise=3.0), k=8, measures=STEEP, progress=False)
    assert found["stamp"] == 0
    assert found["size"] > 0
    assert found.loss_uniform < found.loss_before < found.loss_after
    note = f"with equal votes of the 8 cases, root mean squared error {found.loss_uniform:.4g}"
    assert repr(found).splitlines()[-1].strip() == note


def test_the_loss_of_cases_that_count_the_same_is_that_of_their_plain_mean() -> None:
    cases = table(200, stamp=0.9, noise=3.0)
    found = learn_weights(cases, k=8, measures=STEEP, progress=False)
    sizes = np.array([cases.values(i)["size"] for i in range(200)])
    numbers = np.array([json.loads(str(cases.solution(i))) for i in range(200)])
    errors = []
    for i in range(200):
        apart = np.abs(sizes - sizes[i])
        apart[i] = np.inf
        errors.append(numbers[np.argsort(apart, kind="stable")[:8]].mean() - numbers[i])
    assert found.loss_uniform == pytest.approx(math.sqrt(np.mean(np.square(errors))), rel=1e-9)


def test_gaps_may_tell_cases_apart_where_one_value_does_not() -> None:
    rows: list[Any] = [
        (i, {"seen": "x"} if i % 2 else {}, json.dumps("odd" if i % 2 else "even"), None) for i in range(40)
    ]
    rows = [(i, values | {"dice": str(i % 3)}, solution, None) for i, values, solution, _ in rows]
    found = learn_weights(CaseTable.of({"seen": Nominal(), "dice": Nominal()}, rows), progress=False)
    assert found["seen"] > 0


def test_where_nothing_tells_cases_apart_weights_stay_equal() -> None:
    rows: list[Any] = [(i, {"a": "x", "b": "y"}, json.dumps(str(i % 2)), None) for i in range(9)]
    found = learn_weights(CaseTable.of({"a": Nominal(), "b": Nominal()}, rows), progress=False)
    assert dict(found) == {"a": 1.0, "b": 1.0}


def test_solutions_that_failed_teach_nothing() -> None:
    worked = [(float(i), "left" if i < 10 else "right", [None, True, 1, 0.75][i % 4]) for i in range(20)]
    failed = [(float(i), "right" if i < 10 else "left", [False, 0, 0.5][i % 3]) for i in range(20)]
    found = learn_weights(of(worked + failed), progress=False)
    assert (found.cases, found.of_cases) == (20, 20)
    assert found.loss_after == learn_weights(of(worked), progress=False).loss_after
    every = learn_weights(of(worked + failed), success=None, progress=False)
    assert every.cases == 40
    assert every.loss_after > found.loss_after
    # Only solutions fail: outcomes and attributes are told by all cases.
    outcomes = of([(age, solution, outcome is not True) for age, solution, outcome in worked + failed])
    assert learn_weights(outcomes, target="outcome", progress=False).cases == 40


def test_outcomes_are_read_as_reuse_reads_them() -> None:
    cases = of([(float(i), "left" if i < 5 else "right", "fine" if i % 2 else "bad") for i in range(10)])
    with pytest.raises(CaseBaseError, match="outcome 'bad' of case 0"):
        learn_weights(cases, progress=False)
    assert learn_weights(cases, success=lambda outcome: outcome == "fine", progress=False).cases == 5
    with pytest.raises(ParameterError, match="success must be"):
        learn_weights(cases, success="yes", progress=False)  # type: ignore[arg-type]
    with pytest.raises(CaseBaseError) as told:
        learn_weights(cases, success=lambda outcome: False, progress=False)
    assert "found 0 cases with a known solution that worked, and 10 that failed" in str(told.value)


def test_given_weights_stay_and_0_leaves_an_attribute_out() -> None:
    cases = table(80, stamp=0.5)
    found = learn_weights(cases, fixed={"stamp": 3}, progress=False)
    assert found["stamp"] == 3.0
    assert found["size"] > 0
    assert repr(found).splitlines()[-1] == "  weights given: stamp"
    alone = CaseTable.of(
        {"size": Numeric()},
        [(int(id), {"size": cases.values(i)["size"]}, cases.solution(i), None) for i, id in enumerate(cases.ids)],
    )
    expected, left_out = learn_weights(alone, progress=False), learn_weights(cases, fixed={"stamp": 0}, progress=False)
    assert dict(left_out) == {"size": expected["size"], "stamp": 0.0}
    assert (left_out.loss_before, left_out.loss_after) == (expected.loss_before, expected.loss_after)
    both = learn_weights(cases, fixed={"stamp": 0.3, "size": 7}, progress=False)
    assert dict(both) == {"size": 7.0, "stamp": 0.3}
    assert both.loss_before == both.loss_after
    assert learn_weights(cases, fixed={}, progress=False) == learn_weights(cases, progress=False)


def test_no_given_weight_is_ever_changed_in_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    losses = LeftOut.losses

    def told(self: LeftOut, candidates: Any, **options: Any) -> Any:
        seen.extend(float(each[1]) for each in candidates)
        return losses(self, candidates, **options)

    monkeypatch.setattr(LeftOut, "losses", told)
    learn_weights(table(40, stamp=0.5), fixed={"stamp": 0}, progress=False)
    assert set(seen) == {0.0}


def test_weights_that_cannot_be_kept() -> None:
    cases = table(10)
    with pytest.raises(ParameterError) as told:
        learn_weights(cases, fixed=["stamp"])  # type: ignore[arg-type]
    assert "fixed must be" in str(told.value)
    with pytest.raises(CaseBaseError, match=r"stamp"):
        learn_weights(cases, fixed={"stmp": 0})
    with pytest.raises(CaseBaseError, match="the weight -1 for 'stamp'"):
        learn_weights(cases, fixed={"stamp": -1})
    with pytest.raises(CaseBaseError) as all_out:
        learn_weights(cases, fixed={"stamp": 0, "size": 0})
    assert "fixed weights of 0 for all attributes" in str(all_out.value)
    with pytest.raises(CaseBaseError) as target:
        learn_weights(cases, target="size", fixed={"size": 1})
    assert "a fixed weight for 'size'" in str(target.value)


def test_it_says_where_solutions_are_too_rare_for_k() -> None:
    cases = of([(float(i), f"s{i // 3}", None) for i in range(30)] + [(40.0, "often", None)] * 5)
    note = "10 of 11 solutions occur fewer than k=5 times: try a smaller k"
    found = learn_weights(cases, progress=False)
    assert found.rare == (10, 11)
    assert note in repr(found)
    assert learn_weights(cases, k=3, progress=False).rare == (0, 11)
    assert "try a smaller k" not in repr(learn_weights(cases, k=3, progress=False))
    assert learn_weights(table(20, stamp=0.5), progress=False).rare == (0, 0)
    make = Weights(("a",), (1.0,), (math.nan,), 0.5, 0.4, 0.9, "log loss", "make", 5, 9, 9, 0, rare=(3, 4))
    assert repr(make).splitlines()[-1] == "  3 of 4 values of 'make' occur fewer than k=5 times: try a smaller k"
