"""Compiled votes and leave-one-out sums, called directly: what is refused, who runs meanwhile, and Ctrl-C."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from core_calls import others_run, seconds_to_stop, survives

from priorcase._core import Index, LeftOut, Plan, elect, weighted_means

NAN, INF = float("nan"), float("inf")
ROWS, QUERIES = 40, 12


def votes(queries: int = 5, voters: int = 4) -> dict[str, Any]:
    random, n = np.random.default_rng(0), queries * voters
    given = {"indptr": np.arange(queries + 1) * voters, "classes": random.integers(0, 3, n)}
    given |= {"votes": random.random(n), "distances": np.sort(random.random(n))}
    return given | {"n_classes": 3, "class_weights": np.ones(3), "ties": 0}


def numbers(queries: int = 5, voters: int = 4) -> dict[str, Any]:
    random, n = np.random.default_rng(0), queries * voters
    return {"indptr": np.arange(queries + 1) * voters, "numbers": random.normal(size=n), "votes": random.random(n)}


def table(rows: int) -> tuple[Index, Plan, np.ndarray[Any, Any]]:
    cells = np.random.default_rng(1).normal(size=(rows, 3))
    plan, index = Plan(3, 2.0), Index(np.zeros(3, np.uint8))
    for a in range(3):
        plan.linear(a, 1.0)
    index.append(np.arange(rows), cells)
    return index, plan, cells


def asked(index: Index, plan: Plan, cells: Any, queries: int = QUERIES) -> dict[str, Any]:
    rows = len(cells)
    given = {"index": index, "plan": plan, "queries": cells[:queries].copy(), "own": np.arange(queries)}
    given |= {"times": np.ones(queries), "attribute_weights": np.ones(3), "stored": np.arange(rows)}
    given |= {"row_weights": np.tile([0.5, 2.0], rows // 2), "power": 2.0, "root": True, "algorithm": 0, "threads": 2}
    given |= {"whole_ties": False, "ks": np.array([1, 3, 7]), "votes": np.array([0, 1, 5, 7, 9])}
    given |= {"parameters": np.ones(5), "bandwidths": np.array([0.0, 0.0, 0.0, 0.5, 0.0])}
    return given | {"blocks": np.array([0, queries // 2, queries])}


def targets(rows: int = ROWS, queries: int = QUERIES) -> dict[str, Any]:
    random = np.random.default_rng(2)
    stored = random.integers(0, 3, (rows, 1))
    given = {"stored": stored, "asked": stored[:queries].copy(), "n_classes": np.array([3]), "ties": 3}
    given |= {"class_weights": np.ones(3), "priors": np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 0.5]])}
    return given | {"temperatures": np.array([1.0, 0.5]), "left_out": np.ones(queries)}


TABLE = table(ROWS)


def score_classes(**given: Any) -> Any:
    ids = given.pop("ids")
    rows = {name: given.pop(name) for name in asked(*TABLE) if name not in ("stored", "threads")}
    return LeftOut(**rows, stored=ids, threads=1).classes(**given)


def score_numbers(**given: Any) -> Any:
    ids, stored, of_queries = given.pop("ids"), given.pop("stored"), given.pop("asked")
    return LeftOut(**given, stored=ids).numbers(stored, of_queries)


def class_question(rows: int = ROWS, queries: int = QUERIES) -> dict[str, Any]:
    given = asked(*(TABLE if rows == ROWS else table(rows)), queries)
    ids = given.pop("stored")
    del given["threads"]
    return given | targets(rows, queries) | {"ids": ids}


def number_question(rows: int = ROWS, queries: int = QUERIES) -> dict[str, Any]:
    given, random = asked(*(TABLE if rows == ROWS else table(rows)), queries), np.random.default_rng(3)
    ids = given.pop("stored")
    return given | {"ids": ids, "stored": random.normal(size=(rows, 2)), "asked": random.normal(size=(queries, 2))}


CALLS: list[Any] = [
    (elect, votes),
    (weighted_means, numbers),
    (score_classes, class_question),
    (score_numbers, number_question),
]


@pytest.mark.parametrize(("call", "given"), CALLS)
def test_any_arguments_are_answered_or_refused(call: Any, given: Any) -> None:
    call(**given())
    kept = {name: value for name, value in given().items() if name not in ("index", "plan")}
    fixed = {name: value for name, value in given().items() if name in ("index", "plan")}
    answered, refused = survives(lambda **changed: call(**fixed, **changed), kept, 400)
    assert answered > 0
    assert refused > 100


@pytest.mark.parametrize(
    ("call", "given", "change", "words"),
    [
        (elect, votes, {"indptr": np.array([0, 0, 20])}, "every list must have a voter"),
        (elect, votes, {"votes": np.full(20, NAN)}, "a number of 0 or more"),
        (elect, votes, {"n_classes": 2, "class_weights": None}, "no such class"),
        (elect, votes, {"ties": 4}, "no such rule for ties"),
        (weighted_means, numbers, {"indptr": np.array([0, 20, 20])}, "every list must have a voter"),
        (weighted_means, numbers, {"indptr": np.empty(0, np.int64)}, "must start at 0"),
        (weighted_means, numbers, {"votes": np.full(20, NAN)}, "a number of 0 or more"),
        (weighted_means, numbers, {"votes": np.full(20, -1.0)}, "a number of 0 or more"),
        (score_numbers, number_question, {"row_weights": np.full(ROWS, NAN)}, "weights of rows"),
        (score_numbers, number_question, {"times": np.full(QUERIES, NAN)}, "weights of queries"),
        (score_numbers, number_question, {"attribute_weights": np.full(3, NAN)}, "weights of attributes"),
        (score_numbers, number_question, {"parameters": np.full(5, NAN)}, "no such vote"),
        (score_numbers, number_question, {"votes": np.array([0, 1, 2, 3, 10])}, "no such vote"),
        (score_numbers, number_question, {"algorithm": 99}, "no such algorithm"),
        (score_numbers, number_question, {"power": NAN}, "the power"),
        (score_numbers, number_question, {"ids": np.arange(ROWS)[::-1].copy()}, "must ascend"),
        (score_numbers, number_question, {"ids": np.arange(ROWS) - 3}, "count from 0"),
        (score_numbers, number_question, {"blocks": np.array([0])}, "end at the last entry"),
        (score_numbers, number_question, {"ks": np.empty(0, np.int64)}, "at least one k"),
        (score_classes, class_question, {"priors": np.full((1, 3), NAN)}, "priors are finite"),
        (score_classes, class_question, {"left_out": np.full(QUERIES, NAN)}, "left-out weights"),
        (score_classes, class_question, {"temperatures": np.array([NAN])}, "temperatures are positive"),
        (score_classes, class_question, {"class_weights": np.full(3, INF)}, "weights of classes"),
        (score_classes, class_question, {"n_classes": np.array([2**62])}, "one weight per class"),
        (score_classes, class_question, {"n_classes": np.array([2])}, "one weight per class"),
        (score_classes, class_question, {"ties": -1}, "no such rule for ties"),
    ],
)
def test_refuses(call: Any, given: Any, change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(**given() | change)


def test_a_row_without_a_target_is_refused() -> None:
    with pytest.raises(IndexError, match="a row has no target"):
        score_numbers(**number_question() | {"ids": np.arange(ROWS) + 1})


def test_pieces_and_threads_change_no_bit() -> None:
    """More queries than one piece has, in blocks that begin within pieces."""
    index, plan, cells = table(900)
    given, random = asked(index, plan, cells, 900), np.random.default_rng(5)
    blocks, numbers = np.array([0, 10, 10, 600, 900]), random.normal(size=(900, 1))
    found = [LeftOut(**given | {"threads": threads, "blocks": blocks}).numbers(numbers, numbers) for threads in (1, 3)]
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
    whole = LeftOut(**given | {"blocks": np.array([0, 900])}).numbers(numbers, numbers)
    np.testing.assert_allclose(found[0][0].sum(axis=0), whole[0][0])
    assert not found[0][0][1].any()


@pytest.mark.parametrize(
    ("call", "given"),
    [
        (elect, votes(100_000, 10)),
        (weighted_means, numbers(100_000, 10)),
        (score_classes, class_question(2000, 2000)),
        (score_numbers, number_question(2000, 2000)),
    ],
)
def test_other_threads_run_meanwhile(call: Any, given: dict[str, Any]) -> None:
    assert others_run(lambda: call(**given))


PROGRAM = """
import numpy as np
from priorcase._core import LeftOut
from test_core_votes import asked, table, targets

index, plan, cells = table(3000)
given = asked(index, plan, cells, 3000) | {"row_weights": None}
numbers = np.random.default_rng(0).normal(size=(3000, 1))
before = LeftOut(**given).numbers(numbers, numbers)
many = {"ks": np.arange(1, 1200), "votes": np.full(6, 7), "parameters": np.ones(6), "bandwidths": np.zeros(6)}
long = LeftOut(**given | many)
print(interrupted(lambda: long.numbers(numbers, numbers)))
print(interrupted(lambda: long.classes(**targets(3000, 3000))))
after = LeftOut(**given).numbers(numbers, numbers)
assert all(np.array_equal(one, other) for one, other in zip(before, after))
"""


def test_ctrl_c_ends_leave_one_out() -> None:
    found = seconds_to_stop(__file__, PROGRAM)
    assert len(found) == 2
    assert max(found) < 5.0
