"""Weights are learned that tell left-out cases better, the same ones every time."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from reference.case_retrieval import left_out_loss, local_similarities, mixed_table, ranked

from priorcase.cases import ExponentialSimilarity, Weights
from priorcase.cases.retrieval import learn_weights, retrieve
from priorcase.cases.retrieval.weights import GRID, LeftOut
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, ParameterError, UnknownNameError
from priorcase.schema import Nominal, Numeric, Taxonomy

mpl.use("Agg")


def noisy_table(n: int = 150, seed: int = 0, *, numbers: bool = False) -> CaseTable:
    """Solutions follow from size and make; noise and dice have nothing to do with them."""
    rng = np.random.default_rng(seed)
    rows: list[Any] = []
    for id in range(1, n + 1):
        size, make = float(rng.random()), str(rng.choice(["A", "B"]))
        values = {"noise": float(rng.random()), "size": size, "make": make, "dice": str(rng.integers(6))}
        told: Any = 100 * size if numbers else "big" if (size > 0.5) == (make == "A") else "small"
        rows.append((id, values, json.dumps(told), None))
    attributes = {"noise": Numeric(), "size": Numeric(), "make": Nominal(), "dice": Nominal()}
    return CaseTable.of(attributes, rows)


@pytest.mark.parametrize("unknown", ["different", "ignore"])
@pytest.mark.parametrize("numbers", [False, True])
def test_losses_are_those_of_telling_cases_one_by_one(unknown: Any, numbers: bool) -> None:
    table = mixed_table(40, 7, gaps=0.25, retired=0.1)
    column = table.column("solution")
    told: list[Any] = [None if code < 0 else str(column.values[code]) for code in column.codes.tolist()]
    told = [None if text is None else float(len(text)) if numbers else text for text in told]
    written = [None if each is None else json.dumps(each) for each in told]
    table.replace([(int(table.ids[i]), table.values(i), text, None) for i, text in enumerate(written)])
    solved = [i for i, t in enumerate(told) if t is not None and not table.retired[i]]
    local = local_similarities(table, {})

    def order(case: int) -> list[tuple[int, float]]:
        query = table.values(solved[case])
        allowed = [i in solved for i in range(len(table))]
        found = ranked(table, local, {}, query, ignore=unknown == "ignore", allowed=allowed)
        return [(solved.index(i), float(exact)) for i, exact in found]

    expected = left_out_loss(order, [told[i] for i in solved], 3, numbers=numbers)
    found = learn_weights(table, k=3, unknown=unknown, progress=False)
    assert found.loss_before == pytest.approx(expected, rel=1e-12)
    assert found.cases == found.of_cases == len(solved)
    assert found.loss == ("root mean squared error" if numbers else "negative log-score")
    assert found.loss_after <= found.loss_before


@pytest.mark.parametrize("numbers", [False, True])
def test_irrelevant_attributes_are_left_out_and_relevant_ones_stay(numbers: bool) -> None:
    found = learn_weights(noisy_table(150, 1, numbers=numbers), progress=False)
    assert found["noise"] == found["dice"] == 0
    assert found["size"] > 0
    assert (found["make"] > 0) == (not numbers)
    assert found.loss_after < 0.7 * found.loss_before
    assert set(found.values()) <= set(GRID)
    assert found.frame()["loss_without"][0] > found.loss_after or numbers


def test_the_same_seed_gives_the_same_weights_whatever_the_threads() -> None:
    table = noisy_table()
    one = learn_weights(table, sample=60, random_state=3, n_jobs=1, progress=False)
    assert learn_weights(table, sample=60, random_state=3, n_jobs=2, progress=False) == one
    assert (one.cases, one.of_cases, one.random_state) == (60, 150, 3)
    assert repr(one).startswith("weights learned from 60 cases sampled from 150: negative log-score ")
    other = learn_weights(table, sample=60, random_state=4, progress=False)
    assert other.loss_before != one.loss_before


def test_little_room_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    table = noisy_table(80)
    expected = learn_weights(table, progress=False)
    monkeypatch.setattr("priorcase.cases.retrieval.weights._ROOM", 500)
    assert learn_weights(table, progress=False) == expected


def test_ctrl_c_is_heard_between_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    losses = LeftOut.losses

    def interrupted(self: LeftOut, *args: Any, **options: Any) -> Any:
        asked.append(1)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return losses(self, *args, **options)

    monkeypatch.setattr(LeftOut, "losses", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learn_weights(noisy_table(30), progress=False)


def test_no_weights_are_evaluated_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    losses = LeftOut.losses

    def counted(self: LeftOut, candidates: Any, **options: Any) -> Any:
        seen.extend(each.tobytes() for each in candidates)
        return losses(self, candidates, **options)

    monkeypatch.setattr(LeftOut, "losses", counted)
    learn_weights(noisy_table(40), progress=False)
    assert len(seen) == len(set(seen)) > 10


@pytest.mark.parametrize("times", [2.0**-1000, 2.0**900, 2.0**1016])
def test_numbers_of_any_size_are_told(times: float) -> None:
    table, other = noisy_table(40, numbers=True), noisy_table(40, numbers=True)
    solutions = [json.dumps(times * json.loads(str(table.column("solution").at([i])[0]))) for i in range(40)]
    other.replace([(int(id), table.values(i), solutions[i], None) for i, id in enumerate(table.ids)])
    usual, found = learn_weights(table, progress=False), learn_weights(other, progress=False)
    assert dict(found) == dict(usual)
    assert found.loss_after == usual.loss_after * times


def test_it_says_where_there_is_nothing_to_learn() -> None:
    rng = np.random.default_rng(0)
    rows: list[Any] = [(i, {"age": float(rng.random())}, json.dumps(str(rng.integers(9))), None) for i in range(90)]
    found = learn_weights(CaseTable.of({"age": Numeric()}, rows), progress=False)
    assert found.loss_after > found.loss_of_guess
    assert repr(found).splitlines()[-1] == (
        "  similar cases predict the solution no better than chance: "
        f"a constant prediction has negative log-score {found.loss_of_guess:.4g}"
    )
    shares = [sum(row[2] == other[2] for other in rows) / 90 for row in rows]
    assert found.loss_of_guess == pytest.approx(-sum(map(math.log, shares)) / 90)
    numbers = learn_weights(noisy_table(40, numbers=True), progress=False)
    told = [case.solution for case in retrieve(noisy_table(40, numbers=True), {"dice": "1"}, 40).cases]
    assert numbers.loss_of_guess == pytest.approx(float(np.std(told)))
    assert "chance" not in repr(numbers)


def test_learned_weights_are_weights_for_retrieval() -> None:
    table = noisy_table()
    weights = learn_weights(table, progress=False)
    query = {"noise": 0.5, "size": 0.9, "make": "A", "dice": "3"}
    found = retrieve(table, query, 5, weights=weights)
    assert found.ids == retrieve(table, query, 5, weights=dict(weights)).ids
    assert set(found.solutions) == {"big"}
    with pytest.raises(UnknownNameError, match="Did you mean 'size'"):
        weights["siez"]


def test_an_attribute_alone_is_not_told_without() -> None:
    single = Weights(("age",), (1.0,), (math.nan,), 0.5, 0.5, 0.9, "negative log-score", "solution", 5, 9, 9, 0)
    assert repr(single).splitlines()[-1].split() == ["age", "1", "-"]


def test_it_draws_the_weights() -> None:
    weights = learn_weights(noisy_table(40), progress=False)
    ax = weights.plot()
    assert [bar.get_width() for bar in ax.patches] == sorted(weights.values(), reverse=True)
    pyplot.close("all")


def test_booleans_lists_and_outcomes_are_classes() -> None:
    rows: list[Any] = [(i, {"age": i}, json.dumps(["a", i % 2]), json.dumps(i > 4)) for i in range(10)]
    table = CaseTable.of({"age": Numeric()}, rows)
    assert learn_weights(table, progress=False).loss == "negative log-score"
    outcome = learn_weights(table, target="outcome", k=1, progress=False)
    assert (outcome.loss, outcome.target, dict(outcome)) == ("negative log-score", "outcome", {"age": 1.0})


def test_an_attribute_is_told_by_the_others() -> None:
    table = noisy_table(80)
    rows: list[Any] = [
        (
            int(table.ids[i]),
            {n: v for n, v in table.values(i).items() if n != "size"},
            json.dumps(table.values(i)["size"]),
            None,
        )
        for i in range(80)
    ]
    apart = CaseTable.of({name: kind for name, kind in table.attributes.items() if name != "size"}, rows)
    found, expected = learn_weights(table, target="size", progress=False), learn_weights(apart, progress=False)
    assert dict(found) == dict(expected)
    assert found.target == "size"
    assert (found.loss, found.loss_before, found.without) == (expected.loss, expected.loss_before, expected.without)
    assert learn_weights(table, target="make", progress=False).loss == "negative log-score"


def test_the_prices_of_used_cars_are_told_better(data_dir: Path) -> None:
    with open(data_dir / "used-cars.csv", newline="") as file:
        cars = list(csv.DictReader(file))
    makers = Taxonomy(json.loads((data_dir / "used-cars-taxonomy.json").read_text()))
    numeric = {"year", "miles"}
    kinds: dict[str, Any] = {name: Numeric() if name in numeric else Nominal() for name in cars[0] if name != "price"}
    kinds["manufacturer"] = makers
    rows: list[Any] = [
        (i, {n: float(car[n]) if n in numeric else car[n] for n in kinds}, car["price"], None)
        for i, car in enumerate(cars)
    ]
    table = CaseTable.of(kinds, rows)
    weights = learn_weights(table, sample=400, progress=False)
    assert weights.loss == "root mean squared error"
    assert (weights.cases, weights.of_cases) == (400, 999)
    assert weights.loss_after < 0.95 * weights.loss_before
    assert weights["year"] > 0
    assert weights["paint_color"] == weights["transmission"] == 0  # all cars are black: the colour got a weight of 4


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
    numbers = np.array([json.loads(str(cases.column("solution").at([i])[0])) for i in range(200)])
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
    assert repr(found).splitlines()[-1] == "  fixed weights: stamp"
    alone = CaseTable.of(
        {"size": Numeric()},
        [
            (int(id), {"size": cases.values(i)["size"]}, cases.column("solution").at([i])[0], None)
            for i, id in enumerate(cases.ids)
        ],
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


def test_it_says_where_solutions_are_too_rare_for_k() -> None:
    cases = of([(float(i), f"s{i // 3}", None) for i in range(30)] + [(40.0, "often", None)] * 5)
    note = "10 of 11 solutions occur fewer than 5 times: try a smaller k"
    found = learn_weights(cases, progress=False)
    assert found.rare == (10, 11)
    assert note in repr(found)
    assert learn_weights(cases, k=3, progress=False).rare == (0, 11)
    assert "try a smaller k" not in repr(learn_weights(cases, k=3, progress=False))
    assert learn_weights(table(20, stamp=0.5), progress=False).rare == (0, 0)
    make = Weights(("a",), (1.0,), (math.nan,), 0.5, 0.4, 0.9, "negative log-score", "make", 5, 9, 9, 0, rare=(3, 4))
    assert repr(make).splitlines()[-1] == "  3 of 4 values of 'make' occur fewer than 5 times: try a smaller k"
