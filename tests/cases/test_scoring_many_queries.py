"""Many queries at a time are found as one by one, each without its own case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from priorcase import _core
from priorcase._typing import FloatArray, IdArray, IntArray
from priorcase.cases.scoring import Unknown, best_cases, best_cases_many

BOTH: tuple[Unknown, ...] = ("different", "ignore")


@dataclass(frozen=True)
class Column:
    codes: IntArray
    values: tuple[int, ...]


@dataclass(frozen=True)
class Near:
    """Fewer steps between two numbers, more alike."""

    n: int

    def similarities(self, query: int) -> FloatArray:
        return 1.0 - np.abs(np.arange(self.n) - query) / self.n


def base(seed: int, n: int) -> tuple[list[Column], list[Near], FloatArray]:
    random = np.random.default_rng(seed)
    sizes = [3, 12, 60]
    columns = [Column(random.integers(-1, size, n).astype(np.int32), tuple(range(size))) for size in sizes]
    return columns, [Near(size) for size in sizes], np.array([1.0, 0.5, 2.0])


def one_by_one(
    columns: list[Column], near: list[Near], weights: FloatArray, case: int, mask: Any, k: int, unknown: Unknown
) -> tuple[list[int], list[float]]:
    known = [a for a, column in enumerate(columns) if column.codes[case] >= 0]
    tables = [near[a].similarities(int(columns[a].codes[case])) for a in known]
    others = mask.copy()
    others[case] = False
    codes = [columns[a].codes for a in known]
    positions, similarities = best_cases(codes, tables, weights[known], mask=others, k=k, unknown=unknown)
    return positions.tolist(), similarities.tolist()


def tables_of(near: list[Near]) -> list[FloatArray]:
    return [np.stack([each.similarities(value) for value in range(each.n)]) for each in near]


@pytest.mark.parametrize("unknown", BOTH)
@pytest.mark.parametrize("seed", range(4))
def test_as_one_by_one(seed: int, unknown: Unknown) -> None:
    columns, near, weights = base(seed, 90)
    mask = np.random.default_rng(seed).random(90) < 0.8
    cases: IdArray = np.random.default_rng(seed + 1).permutation(90)[:40]
    codes = [column.codes for column in columns]
    positions, similarities = best_cases_many(
        codes, [each[cases] for each in codes], tables_of(near), weights, own=cases, mask=mask, k=4, unknown=unknown
    )
    for row, case in enumerate(cases.tolist()):
        expected = one_by_one(columns, near, weights, case, mask, 4, unknown)
        assert (positions[row].tolist(), similarities[row].tolist()) == expected


def test_threads_change_nothing() -> None:
    columns, near, weights = base(4, 12_000)
    cases, codes = np.arange(0, 12_000, 80), [column.codes for column in columns]
    asked = codes, [each[cases] for each in codes], tables_of(near), weights
    one = best_cases_many(*asked, own=cases, k=5)
    two = best_cases_many(*asked, own=cases, k=5, n_threads=3)
    assert np.array_equal(one[0], two[0])
    assert np.array_equal(one[1], two[1])


def test_fewer_others_than_asked_for() -> None:
    codes = np.array([0, 0, -1], dtype=np.int32)
    mask = np.array([True, False, True])
    found, similarities = best_cases_many(
        [codes], [codes], [np.ones((1, 1))], np.ones(1), own=np.arange(3), mask=mask, k=9
    )
    # The third case knows nothing, so that nothing is like it.
    assert found.tolist() == [[2, -1, -1], [0, 2, -1], [0, -1, -1]]
    assert similarities.tolist() == [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]


def test_queries_that_are_no_cases_leave_none_out() -> None:
    codes, asked = np.array([0, 1], dtype=np.int32), np.array([0, 0], dtype=np.int32)
    found, similarities = best_cases_many(
        [codes], [asked], [np.array([[0.2, 0.9]])], np.ones(1), own=np.array([-1, 1]), k=2
    )
    assert found.tolist() == [[1, 0], [0, -1]]
    assert similarities.tolist() == [[0.9, 0.2], [0.2, 0.0]]


def test_nobody_asks() -> None:
    codes, nobody = np.array([0], dtype=np.int32), np.empty(0, dtype=np.int64)
    found, _ = best_cases_many([codes], [nobody.astype(np.int32)], [np.ones((1, 1))], np.ones(1), own=nobody, k=1)
    assert found.shape == (0, 1)


def asked(**changes: Any) -> Any:
    codes = np.array([0, 1], dtype=np.int32)
    parts: dict[str, Any] = {"n_cases": 2, "codes": [codes], "query_codes": [codes], "tables": [np.eye(2)]}
    parts |= {"weights": np.ones(1), "own": np.arange(2), "mask": None, "k": 1, "ignore": False, "threads": 1}
    return _core.best_cases_many(**(parts | changes))


MISTAKES: dict[str, dict[str, Any]] = {
    "a query's code has no table": {"tables": [np.ones((1, 2))]},
    "a code has no place in its table": {"tables": [np.ones((2, 1))]},
    "one table for each attribute": {"tables": []},
    "one code for each query": {"own": np.arange(1)},
    "one code for each case": {"n_cases": 3},
}


@pytest.mark.parametrize("rule", MISTAKES)
def test_the_core_reads_nothing_beyond_its_arrays(rule: str) -> None:
    assert asked()[0].tolist() == [[1], [0]]
    with pytest.raises(ValueError, match=rule):
        asked(**MISTAKES[rule])
