"""The compiled counts, scores, moments and trees: what comes in is checked, Ctrl-C leaves tables as they were."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from priorcase import _core as core

MOST, LEAST = 2**31 - 1, -(2**31)
FAMILIES = ("all_trees", "best_tree", "super_parents", "plain_super_parents")

# Valid calls, by name; in each a table that the call changes or fills comes under a name of `WRITTEN`.
WRITTEN = {"totals", "sums", "out", "class_counts", "singles", "pairs"}

# Windows of digits for sums of weights, of numbers and of their squares.
BASES, WIDTHS = (-3, -6, -9), (10, 14, 20)


def digits(number: Fraction, base: int, width: int) -> list[int]:
    """A number as digits of 32 bits, the lowest first; the last one has the sign."""
    whole = number / Fraction(2) ** (32 * base)
    assert whole.denominator == 1
    return [
        *((whole.numerator >> (32 * i)) & 0xFFFFFFFF for i in range(width - 1)),
        whole.numerator >> (32 * (width - 1)),
    ]


LOGS, LOGS_LEFT_OUT = -np.linspace(1, 2, 18).reshape(9, 2), -np.linspace(3, 2, 18).reshape(9, 2)


def scorer() -> core.Scorer:
    made = core.Scorer(np.log([0.5, 0.5]), LOGS)
    made.add_table(0, 0, 4, None)
    made.add_table(1, 4, 5, np.array([0.0, 1.0]))
    made.leave_out(np.log([0.25, 0.75]), LOGS_LEFT_OUT)
    return made


def with_density() -> core.Scorer:
    made = scorer()
    made.add_density(1, np.ones((2, 4)), False)
    return made


def columns(n: int) -> list[Any]:
    return [(np.arange(n) % 2).astype(np.int8), np.linspace(-1, 2, n)]


def pair_tables() -> dict[str, Any]:
    sizes = np.array([2, 3])
    return {"sizes": sizes, "class_counts": np.zeros(2), "singles": np.zeros(10), "pairs": np.zeros(12)}


def pair_weights() -> dict[str, Any]:
    values = {"weights": np.repeat([0.25, 1 / 8], [4, 6]), "unseen": np.full(4, 1 / 8)}
    return {"class_weights": np.full(2, 0.5), "totals": np.full(2, 0.5), **values}


def tree_arguments(family: str = "all_trees", n: int = 3, leave: bool = False) -> dict[str, Any]:
    own = {"own": np.zeros(n, np.int32), "leave": np.ones(n)} if leave else {"own": None, "leave": None}
    codes = np.zeros((n, 2), np.int32)
    counts = pair_tables() | {"log_weights": np.zeros(1), "least": 1.0} | pair_weights()
    return {"family": family, **counts, "codes": codes, **own, "threads": 1}


def calls() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Every function of the core for Bayes learners, with arguments that it takes."""
    n = 100
    some = columns(n)
    rows = {"columns": some, "translate": [None, None], "scale": 2, "threads": 2, "out": np.zeros((n, 2))}
    counted = {"columns": some, "cuts": [None, np.array([0.0, 1.0])], "classes": some[0], "starts": np.array([0, 4, 9])}
    found: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
        "code_counts": (core.code_counts, {"codes": some[0], "n": 2}),
        "factorise": (core.factorise, {"items": np.zeros((5, 3), np.uint8)}),
        "bit_range": (core.bit_range, {"numbers": np.array([0.75, -5.0, 0.0, np.nan])}),
        "whole_ranks": (core.whole_ranks, {"numbers": np.array([3.0, -1.0, np.nan]), "most": 10}),
        "recode": (
            core.recode,
            {"codes": some[0], "table": np.array([1, 0], np.int32), "out": np.zeros(n, np.int8)},
        ),
        "count_values": (
            core.count_values,
            {**counted, "totals": np.zeros((9, 2), np.int64), "sign": 1, "threads": 2},
        ),
        "add_moments": (
            core.add_moments,
            {
                "columns": [some[1]] * 5,
                "codes": some[0].astype(np.int32),
                "weights": np.ones(n),
                "sign": 1,
                "sums": np.zeros((5, 2, sum(WIDTHS)), np.int64),
                "bases": np.array(BASES),
                "widths": np.array(WIDTHS),
                "threads": 2,
            },
        ),
        "normalise_rows": (core.normalise_rows, {"joint": np.zeros((4, 2)), "scale": 1, "threads": 2}),
        "Scorer": (core.Scorer, {"prior": np.zeros(2), "table": np.zeros((9, 2))}),
        "leave_out": (scorer().leave_out, {"prior": np.zeros(2), "table": np.zeros((9, 2))}),
        "add_table": (scorer().add_table, {"column": 0, "start": 4, "n_slots": 5, "cuts": np.array([0.0, 1.0])}),
        "add_density": (scorer().add_density, {"column": 1, "parameters": np.ones((2, 4)), "normal": True}),
        "add_mixed": (
            scorer().add_mixed,
            {"column": 1, "parameters": np.ones((3, 4)), "log_in": -1.0, "log_out": -0.5},
        ),
        "score": (scorer().score, rows),
        "score_with_density": (with_density().score, rows),
        "score_cells": (
            scorer().score_cells,
            {"cells": np.zeros((4, 2)), "scale": 0, "threads": 1, "out": np.zeros((4, 2))},
        ),
        "score_left_out": (
            scorer().score_left_out,
            {**rows, "own": some[0], "translate_own": np.array([0, 2, 3], np.int32)},
        ),
        "log_tree_sum": (core.log_tree_sum, {"log_weights": np.zeros(3), "nodes": 3}),
        "edge_shares": (core.edge_shares, {"log_weights": np.zeros(3), "nodes": 3}),
        "largest_tree": (core.largest_tree, {"log_weights": np.zeros(3), "nodes": 3}),
        "count_pairs": (
            core.count_pairs,
            {
                "columns": np.zeros((2, n), np.int32),
                "classes": np.zeros(n, np.int32),
                "weights": np.ones(n),
                "sign": 1.0,
                **pair_tables(),
                "threads": 2,
            },
        ),
    }
    for family in FAMILIES:
        found[family] = core.tree_joint_logs, tree_arguments(family)
        found[f"{family} left out"] = core.tree_joint_logs, tree_arguments(family, leave=True)
    return found


def probabilities(joint: np.ndarray) -> np.ndarray:
    return np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True)


def student(x: np.ndarray) -> np.ndarray:
    """The log-density whose four parameters are 1."""
    return 1.0 - np.log1p((x - 1.0) ** 2)


def expected(name: str) -> list[Any]:
    """What the call of that name answers, or has written into its tables; by definition, in NumPy."""
    codes, numbers = columns(100)
    bins = np.searchsorted([0.0, 1.0], numbers, side="right")
    slots = np.column_stack([2 + codes, 6 + bins])
    joint, own = np.log(0.5) + LOGS[slots].sum(axis=1), np.arange(100) % 2
    left_out = np.where(np.eye(2, dtype=bool)[own], np.log([0.25, 0.75]) + LOGS_LEFT_OUT[slots].sum(axis=1), joint)
    totals, sums = np.zeros((9, 2), np.int64), list[list[int]]()
    np.add.at(totals, (slots, own[:, None]), 1)
    for group in (numbers[::2], numbers[1::2]):
        exact = list(map(Fraction, group.tolist()))
        each = zip((Fraction(50), sum(exact), sum(x * x for x in exact)), BASES, WIDTHS, strict=True)
        sums.append([digit for number in each for digit in digits(*number)])
    singles, pairs = np.zeros((5, 2)), np.zeros(12)
    singles[[0, 2], 0] = pairs[0] = 100
    return {
        "code_counts": [[50, 50]],
        "factorise": [[0] * 5, [0]],
        "recode": [1 - codes],
        "count_values": [totals],
        "add_moments": [np.array([sums] * 5)],
        "bit_range": [-53, 3],
        "whole_ranks": [-1.0, 5, [4, 0, -1]],
        "normalise_rows": [np.full((4, 2), np.log(0.5))],
        "score": [probabilities(joint)],
        "score_with_density": [probabilities(joint + student(numbers)[:, None])],
        "score_cells": [np.tile(np.log(0.5) + LOGS[2] + LOGS[7], (4, 1))],
        "score_left_out": [probabilities(left_out)],
        "log_tree_sum": [np.log(3.0)],  # three trees join three nodes, and two of them have each edge
        "edge_shares": [np.full(3, 2 / 3)],
        "largest_tree": [[-1, 0, 0]],
        "count_pairs": [[100, 0], singles.ravel(), pairs],
    }.get(name, [np.full((3, 2), -np.log(2 * 2 * 4))])  # without counts every combination is as probable


TERMS = {"Scorer", "leave_out", "add_table", "add_density", "add_mixed"}


@pytest.mark.parametrize("name", [name for name in calls() if name not in TERMS])
def test_valid_calls(name: str) -> None:
    call, arguments = calls()[name]
    answer = call(**arguments)
    written = [value for key, value in arguments.items() if key in WRITTEN]
    found = written if answer is None else list(answer) if isinstance(answer, tuple) else [answer]
    for one, other in zip(found, expected(name), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


def test_terms_of_a_scorer() -> None:
    """Calls that only change what a scorer answers: the joint logs of a row after each of them."""
    row, found, of_numbers = np.array([[0.0, 0.5]]), np.empty((1, 2)), np.log(0.5) + LOGS[2] + LOGS[7]
    density = student(row[0, 1])
    mixed = np.log(np.exp(density - 1.0) + np.exp(density - 0.5))
    after = {"add_table": LOGS[7], "add_density": 1.0 - 0.5**2, "add_mixed": mixed}
    for name, term in after.items():
        made = scorer()
        getattr(made, name)(**calls()[name][1])
        made.score_cells(row, 0, 1, found)
        np.testing.assert_allclose(found[0], of_numbers + term, rtol=1e-12)
    made = core.Scorer(**calls()["Scorer"][1])
    made.score_cells(row, 0, 1, found)
    assert found.tolist() == [[0.0, 0.0]]
    made = scorer()
    made.leave_out(**calls()["leave_out"][1])
    codes, translate_own = [np.zeros(1, np.int8), row[:, 1].copy()], np.array([0, 2, 3], np.int32)
    made.score_left_out(codes, [None, None], np.zeros(1, np.int8), translate_own, 0, 1, found)
    np.testing.assert_allclose(found[0], [0.0, of_numbers[1]], rtol=1e-12)


# -- values that have no place


@pytest.mark.parametrize("n", [1, 100])
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_codes_at_the_ends_of_their_type_are_unseen_or_missing(n: int, dtype: Any) -> None:
    ends = np.iinfo(dtype)
    for code, slot in ((ends.max, 1), (ends.max - 1, 1), (ends.min, 0), (-1, 0)):
        totals = np.zeros((4, 2), np.int64)
        column = np.full(n, code, dtype)
        core.count_values([column], [None], np.zeros(n, np.int8), np.array([0, 4]), totals, 1, 2)
        assert totals.tolist() == [[n if s == slot else 0, 0] for s in range(4)]
        core.count_values([column], [None], column, np.array([0, 4]), totals, 1, 2)  # of no class
        assert totals.sum() == n
        made = core.Scorer(np.zeros(1), np.arange(4.0)[:, None])
        made.add_table(0, 0, 4, None)
        scores = np.zeros((n, 1))
        made.score([column], [None], 0, 1, scores)
        assert (scores == slot).all()
        made.score([column], [np.array([3, 2], np.int32)], 0, 1, scores)
        assert (scores == (3 if code == -1 else 0)).all()
        assert core.code_counts(column, 3).tolist() == [0, 0, 0]
        recoded = np.zeros(n, np.int8)
        core.recode(column, np.array([5], np.int32), recoded)
        assert (recoded == -1).all()


def test_counts_of_more_cells_than_int32_has_numbers() -> None:
    try:
        totals = np.empty((2**20, 2**11), np.int64)  # never touched
    except MemoryError:
        pytest.skip("no room for 16 GiB of address space")
    with pytest.raises(ValueError, match="too many cells"):
        core.count_values([np.zeros(1, np.int8)], [None], np.zeros(1, np.int8), np.array([0, 2**20]), totals, 1, 2)


def changed(name: str, **changes: Any) -> Callable[[], Any]:
    def made() -> Any:
        call, arguments = calls()[name]
        return call(**(arguments | changes))

    return made


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (changed("count_values", columns=[[0]] * 2), "a column is an array"),
        (changed("count_values", columns=[np.zeros(100, np.uint8)] * 2), "columns are int8, int16"),
        (changed("count_values", columns=[np.zeros(100, bool)] * 2), "columns are int8, int16"),
        (changed("count_values", columns=columns(99)), "differ in length"),
        (changed("count_values", starts=np.array([0, 4])), "one start"),
        (changed("count_values", starts=np.array([0, 1, 9])), "out of order"),
        (changed("count_values", starts=np.array([-1, 4, 9])), "out of order"),
        (changed("count_values", starts=np.array([0, 4, 10])), "out of order"),
        (changed("count_values", starts=np.array([2**63 - 1, -(2**63), 2**63 - 1])), "out of order"),
        (changed("count_values", totals=np.zeros((2**40, 0), np.int64), starts=np.array([0, 2**40, 2**40])), "order"),
        (changed("count_values", cuts=[np.zeros(1), None]), "only columns of numbers can have cuts"),
        (changed("count_values", cuts=[None, np.array([1.0, 0.0])]), "ascending"),
        (changed("count_values", cuts=[None, np.array([0.0, np.nan, -1.0])]), "ascending"),
        (changed("count_values", sign=2), "sign is 1 or -1"),
        (changed("code_counts", n=2**62), "at most 2"),
        (changed("code_counts", codes=np.zeros(3)), "codes are int8"),
        (changed("recode", table=np.array([200, 0], np.int32)), "cannot represent"),
        (changed("recode", out=np.zeros(100)), "codes are int8"),
        (changed("recode", out=np.zeros(99, np.int8)), "differ in length"),
        (changed("factorise", items=np.zeros((4, 6), np.uint8)[:, ::2]), "contiguous"),
        (changed("add_moments", codes=np.full(100, 2, np.int32)), "too large"),
        (changed("add_moments", codes=np.full(100, MOST, np.int32)), "too large"),
        (changed("add_moments", weights=np.full(100, np.nan)), "a weight is a number"),
        (changed("add_moments", weights=np.full(100, -1.0)), "a weight is a number"),
        (changed("add_moments", weights=np.full(100, np.inf)), "a weight is a number"),
        (changed("add_moments", sums=np.zeros((5, 2, 3), np.int64)), "digits of three sums"),
        (changed("add_moments", sums=np.zeros((5, 0, sum(WIDTHS)), np.int64)), "too large"),
        (changed("add_moments", sign=2), "sign is 1 or -1"),
        (changed("add_moments", bases=np.zeros(2, np.int64)), "three entries"),
        (changed("add_moments", widths=np.array([10, 14, 1000])), "out of range"),
        (changed("add_moments", bases=np.array([-3, -3, -9])), "a number is beyond"),
        (changed("add_moments", bases=np.array([-3, -6, -3])), "a number is beyond"),
        (changed("add_moments", bases=np.array([-1, -6, -9])), "a weight is beyond"),
        (changed("add_moments", weights=np.full(100, 1e300)), "a weight is beyond"),
        (changed("add_moments", columns=[np.full(100, 1e300)] * 5), "a number is beyond"),
        (changed("add_moments", columns=[np.full(100, np.inf)] * 5), "a number is beyond"),
        (changed("whole_ranks", most=2**30), "must not exceed"),
        (changed("normalise_rows", joint=np.zeros((3, 0))), "at least one class"),
        (changed("normalise_rows", scale=3), "scale is 0, 1 or 2"),
        (changed("Scorer", prior=np.zeros(0), table=np.zeros((3, 0))), "one column for each class"),
        (changed("Scorer", prior=np.array([np.nan, 0.0])), "NaN or infinite"),
        (changed("Scorer", table=np.full((9, 2), np.inf)), "NaN or infinite"),
        (changed("leave_out", table=np.full((9, 2), np.nan)), "NaN or infinite"),
        (changed("leave_out", table=np.zeros((8, 2))), "differ in shape"),
        (changed("add_table", start=2**64 - 1, n_slots=2), "beyond the table"),
        (changed("add_table", start=5), "beyond the table"),
        (changed("add_table", n_slots=1), "beyond the table"),
        (changed("add_table", cuts=np.array([np.nan])), "ascending"),
        (changed("add_density", parameters=np.ones((3, 4))), "one density for each class"),
        (changed("add_density", parameters=np.full((2, 4), np.nan)), "NaN"),
        (changed("add_mixed", parameters=np.ones((0, 4))), "one density for each class"),
        (changed("add_mixed", log_in=np.nan), "0 or less"),
        (changed("score", columns=columns(99)), "differ in length"),
        (changed("score", columns=columns(100)[:1], translate=[None]), "no column"),
        (changed("score", columns=columns(100)[::-1]), "needs numbers"),
        (changed("score", translate=[np.array([-1], np.int32), None]), "slots must not be negative"),
        (changed("score", translate=[None, np.array([1], np.int32)]), "can have a translation"),
        (changed("score", out=np.zeros((100, 3))), "wrong shape"),
        (changed("score", scale=-1), "scale is 0, 1 or 2"),
        (changed("score_cells", cells=np.zeros((4, 0))), "no column"),
        (changed("score_left_out", translate_own=np.array([-5, 2, 3], np.int32)), "not be negative"),
        (changed("log_tree_sum", nodes=2**64 - 1, log_weights=np.zeros(1)), "one weight for each pair"),
        (changed("edge_shares", nodes=0, log_weights=np.zeros(0)), "one weight for each pair"),
        (changed("largest_tree", log_weights=np.array([0.0, np.nan, 0.0])), "must be finite"),
        (changed("log_tree_sum", log_weights=np.array([0.0, 1e300, 0.0])), "must be finite"),
        (changed("count_pairs", sizes=np.array([2**63 - 1, 3])), "no values, or too many"),
        (changed("count_pairs", sizes=np.array([2**62, 2**62]), singles=np.zeros(0), pairs=np.zeros(0)), "no values"),
        (changed("count_pairs", sizes=np.array([0, 5])), "no values"),
        (changed("count_pairs", sizes=np.array([3, 2]), pairs=np.zeros(13)), "do not have the sizes"),
        (changed("count_pairs", columns=np.full((2, 100), MOST, np.int32)), "no such value"),
        (changed("count_pairs", classes=np.full(100, LEAST, np.int32)), "no such class"),
        (changed("count_pairs", class_counts=np.zeros(0)), "there is no class"),
        (changed("count_pairs", weights=np.full(100, np.nan)), "a weight is a number"),
        (changed("count_pairs", sign=np.nan), "sign is 1 or -1"),
        (changed("all_trees", family="oaks"), "no such family"),
        (changed("all_trees", totals=np.zeros(2)), "a prior weight is a number above 0"),
        (changed("all_trees", class_weights=np.full(2, np.nan)), "a prior weight is a number above 0"),
        (changed("all_trees", weights=np.full(10, np.inf)), "a prior weight is a number above 0"),
        (changed("all_trees", unseen=-np.ones(4)), "a prior weight is a number above 0"),
        (changed("all_trees", weights=np.ones(9)), "a prior weight for each class and value"),
        (changed("all_trees", unseen=np.ones(3)), "a prior weight for each class and value"),
        (changed("all_trees", codes=np.full((3, 2), 3, np.int32)), "no such value"),
        (changed("all_trees", codes=np.full((3, 2), LEAST, np.int32)), "no such value"),
        (changed("all_trees", own=np.zeros(3, np.int32)), "one class and one weight"),
        (changed("all_trees left out", own=np.full(3, 2, np.int32)), "no such class"),
        (changed("all_trees left out", leave=np.full(3, np.nan)), "a weight is a number"),
        (changed("plain_super_parents", least=np.nan), "least must not be NaN"),
        (
            changed(
                "plain_super_parents",
                sizes=np.zeros(0, np.int64),
                codes=np.zeros((3, 0), np.int32),
            ),
            "attributes differ in number",
        ),
    ],
)
def test_refuses(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("name", [name for name, (_, arguments) in calls().items() if WRITTEN & {*arguments}])
def test_tables_to_be_written_are_not_converted(name: str) -> None:
    call, arguments = calls()[name]
    if call is core.tree_joint_logs:  # it only reads them
        return
    for key in sorted(WRITTEN & {*arguments}):
        array = arguments[key]
        read_only = array.copy()
        read_only.flags.writeable = False
        other = np.float32 if array.dtype.kind == "f" else np.int16
        strange = [read_only, np.asfortranarray(array)] if array.ndim > 1 else [read_only]
        if key != "out" or array.dtype.kind == "f":  # codes may be of any type
            strange.append(array.astype(other))
        for wrong in strange:
            with pytest.raises(TypeError):
                call(**(arguments | {key: wrong}))


def test_no_classes_count_nothing() -> None:
    totals = np.zeros((9, 0), np.int64)
    changed("count_values", totals=totals)()
    assert totals.size == 0


# -- any arguments


def strange_arrays(random: np.random.Generator, array: Any) -> Any:
    """The array in another shape, type or order, or with entries at the ends of its type."""
    choice = random.integers(0, 12)
    if choice < 4:
        entries = array.copy()
        kind = array.dtype.kind
        ends = [np.nan, np.inf, -np.inf, 1e308, -1.0] if kind == "f" else [-1, 2, 7]
        if kind == "i":
            limits = np.iinfo(array.dtype)
            ends = [limits.max, limits.min, limits.max - 1, -1, -2, 3]
        if entries.size:
            if kind == "u":
                ends = [0, 255]
            entries.flat[random.integers(0, entries.size, random.integers(1, 4))] = ends[random.integers(len(ends))]
        return entries
    if choice == 4:
        return array[: len(array) // 2]
    if choice == 5:
        return np.concatenate([array, array])
    if choice == 6:
        return array[..., np.newaxis] if random.integers(2) else array.ravel()
    if choice == 7:
        dtypes = [np.float32, np.int64, np.int8, np.float64, np.bool_, np.complex128]
        with np.errstate(invalid="ignore"):  # missing as a whole number
            return array.astype(dtypes[random.integers(6)])
    if choice == 8:
        return np.ascontiguousarray(array[::-1])[::-1]
    if choice == 9:
        return array.T if array.ndim > 1 else array[::2]
    if choice == 10:
        return array[:0]
    return array.astype(array.dtype.newbyteorder())


def strange(random: np.random.Generator, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return strange_arrays(random, value)
    if isinstance(value, list):
        at = int(random.integers(0, len(value)))
        others: list[Any] = [value[:-1], [*value, value[0]], [*value[:at], None, *value[at + 1 :]], []]
        if isinstance(value[at], np.ndarray):
            others += [[*value[:at], strange_arrays(random, value[at]), *value[at + 1 :]]] * 4
        return others[random.integers(len(others))]
    if value is None:
        return [np.zeros(3), np.zeros(0, np.int32), 1, "no"][random.integers(4)]
    if isinstance(value, str):
        return [*FAMILIES, "none", ""][random.integers(6)]
    if isinstance(value, float):
        return [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308, 5e-324][random.integers(7)]
    return [-1, 0, 1, 2, 3, 7, MOST + 1, 2**32, 2**63 - 1, 2**64 - 1, 2**64, "no", None][random.integers(13)]


@pytest.mark.parametrize("name", calls())
def test_strange_arguments_are_answered_or_refused(name: str) -> None:
    """Whatever comes in, the process lives on, and a call that raises has changed nothing."""
    random = np.random.default_rng([*map(ord, name)])
    refused = 0
    end = time.monotonic() + 5  # calls that take very long would be a mistake as well
    for _ in range(120):
        call, arguments = calls()[name]
        for key in random.choice([*arguments], random.integers(1, min(3, len(arguments)) + 1), replace=False):
            arguments[key] = strange(random, arguments[key])
        if name == "code_counts" and isinstance(arguments["n"], int) and 10**6 < arguments["n"] <= 2**31:
            continue  # so many counts are a lot of memory, but no mistake
        before = {key: value.copy() for key, value in arguments.items() if isinstance(value, np.ndarray)}
        try:
            call(**arguments)
        except (ValueError, TypeError, IndexError):
            refused += 1
            for key, value in before.items():
                assert value.tobytes() == arguments[key].tobytes()
        assert time.monotonic() < end
    assert refused > 10


# -- many threads, and Ctrl-C


def test_a_scorer_that_grows_while_others_ask_it() -> None:
    made, cells = scorer(), np.zeros((2000, 2))
    failures: list[object] = []

    def ask() -> None:
        out = np.zeros((2000, 2))
        for _ in range(200):
            made.score_cells(cells, 0, 1, out)
            if (out != out[0]).any():
                failures.append(out)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        made.add_table(0, 0, 4, None)
    for thread in threads:
        thread.join()
    assert not failures


def test_other_threads_run_meanwhile() -> None:
    """`recode` and `code_counts` release the GIL."""
    rows = 30_000_000
    codes, table, out = np.broadcast_to(np.int8(1), (rows,)), np.zeros(2, np.int32), np.zeros(rows, np.int8)
    for call in (lambda: core.recode(codes, table, out), lambda: core.code_counts(codes, 2)):
        for _ in range(20):  # a busy machine may well give the other thread no time at all
            started, done = threading.Event(), threading.Event()

            def work(call: Any = call, started: Any = started, done: Any = done) -> None:
                started.set()
                call()
                done.set()

            thread, turns = threading.Thread(target=work), 0
            thread.start()
            started.wait()
            while not done.is_set():
                turns += 1
            thread.join()
            if turns > 2000:
                break
        assert turns > 2000


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from priorcase import _core as core

signal.signal(signal.SIGINT, signal.default_int_handler)
threads = THREADS
random = np.random.default_rng(0)
code, number = (np.broadcast_to(np.zeros((), dtype), (2**32 - 1,)) for dtype in (np.int8, np.float64))
totals = np.full((36, 2), 5)
few = 2_000_000
numbers, classes, state = random.normal(size=few), np.zeros(few, np.int32), np.zeros((1000, 2, 50), np.int64)
windows = np.array([0, -4, -8]), np.array([10, 14, 26])
width = 500
values, sizes = random.integers(0, 2, (width, 40_000)).astype(np.int32), np.full(width, 2)
tables = [random.random(n) for n in (2, 4 * width, 4 * width * (width - 1))]
scorer = core.Scorer(np.zeros(2), np.zeros((4, 2)))
for _ in range(4000):
    scorer.add_table(0, 0, 4, None)
scores = np.zeros((few, 2))
logs = random.normal(size=width * (width - 1) // 2)
prior = np.full(2, 0.5), np.full(2, 0.5), np.full(4 * width, 0.25), np.full(2 * width, 0.25)
wide = random.normal(size=2000 * 1999 // 2)
items = np.broadcast_to(np.zeros((1, 2**26), np.uint8), (500, 2**26))
one = np.zeros(40_000, np.int32)

CALLS = {
    "count_values": lambda: core.count_values([code] * 9, [None] * 9, code, np.arange(10) * 4, totals, 1, threads),
    "code_counts": lambda: core.code_counts(np.broadcast_to(np.int8(0), (2**34,)), 2),
    "factorise": lambda: core.factorise(items),
    "add_moments": lambda: core.add_moments([numbers] * 1000, classes, None, 1, state, *windows, threads),
    "count_pairs": lambda: core.count_pairs(values, one, None, 1.0, sizes, *tables, threads),
    "score": lambda: scorer.score([code[:few]], [None], 2, threads, scores),
    "edge_shares": lambda: core.edge_shares(wide, 2000),
    "log_tree_sum": lambda: core.log_tree_sum(wide, 2000),
} | {
    family: lambda family=family: core.tree_joint_logs(
        family, *tables, sizes, *prior, logs, 1.0, np.ascontiguousarray(values.T), None, None, threads
    )
    for family in ("all_trees", "best_tree", "super_parents", "plain_super_parents")
}
changed = [totals, state, *tables]
for name, call in CALLS.items():
    before = [array.copy() for array in changed]
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    try:
        call()
    except KeyboardInterrupt:
        print(name, time.monotonic() - start, all((a == b).all() for a, b in zip(before, changed)), flush=True)
"""


@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_ctrl_c_ends_a_long_call_and_leaves_tables_as_they_were(threads: int) -> None:
    program = INTERRUPTED.replace("THREADS", str(threads))
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr
    lines = [line.split() for line in ran.stdout.splitlines()]
    named = ["count_values", "code_counts", "factorise", "add_moments", "count_pairs", "score", "edge_shares"]
    assert [name for name, *_ in lines] == [*named, "log_tree_sum", *FAMILIES]
    for _, seconds, same in lines:
        assert float(seconds) < 5.0
        assert same == "True"
