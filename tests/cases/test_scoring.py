"""The most similar cases are those of the exact quotients, for one query and for many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.case_scores import best, similarity

from priorcase import _core
from priorcase._typing import FloatArray, IdArray, IntArray
from priorcase.cases.scoring import Unknown, all_similarities, best_cases_many
from priorcase.cases.scoring import best_cases as best_of_columns

BOTH: tuple[Unknown, ...] = ("different", "ignore")


def drawn(seed: int, n: int, *, coarse: bool) -> tuple[list[Any], list[Any], Any, Any]:
    """Codes with gaps, tables and weights, from few numbers where they are coarse, so that many cases tie; a mask."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 9, random.integers(1, 7))
    codes = [random.integers(-1, size, n).astype(np.int32) for size in sizes]
    if coarse:
        tables = [random.choice([0.0, 0.1, 0.25, 1 / 3, 0.7, 1.0], size) for size in sizes]
        weights = random.choice([0.0, 1.0, 3.0, 0.1], len(sizes))
    else:
        tables, weights = [random.random(size) for size in sizes], random.exponential(size=len(sizes))
    return codes, tables, weights, random.random(n) < 0.6


def best_cases(codes: list[Any], tables: list[Any], *args: Any, **settings: Any) -> tuple[Any, Any, Any]:
    """By groups of values, whose number and order change nothing: numbers share groups with those near them."""
    random = np.random.default_rng(0)
    grouped = [
        _core.CodedColumn(each, len(table), random.random(len(table)) if a % 2 else None)
        for a, (each, table) in enumerate(zip(codes, tables, strict=True))
    ]
    return best_of_columns(grouped, tables, *args, **settings)


def as_pairs(found: tuple[Any, ...]) -> list[tuple[int, float]]:
    return list(zip(found[0].tolist(), found[1].tolist(), strict=True))


@pytest.mark.parametrize("unknown", BOTH)
@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_as_in_fractions(seed: int, coarse: bool, unknown: Unknown) -> None:
    codes, tables, weights, mask = drawn(seed, 150, coarse=coarse)
    cases = np.transpose(codes).tolist()
    for allowed in (None, mask):
        for k in (1, 7, 150):
            found = best_cases(codes, tables, weights, mask=allowed, k=k, unknown=unknown)
            assert as_pairs(found) == best(cases, tables, weights, allowed=allowed, k=k, unknown=unknown)
    expected = [float(similarity(case, tables, weights, unknown)) for case in cases]
    assert all_similarities(codes, tables, weights, unknown=unknown).tolist() == expected


@pytest.mark.parametrize("unknown", BOTH)
def test_attributes_in_any_order_give_the_same_bits(unknown: Unknown) -> None:
    codes, tables, weights, mask = drawn(3, 5_000, coarse=True)
    order = np.random.default_rng(0).permutation(len(codes))
    there = best_cases(codes, tables, weights, mask=mask, k=400, unknown=unknown)
    shuffled = [codes[a] for a in order], [tables[a] for a in order], weights[order]
    assert as_pairs(there) == as_pairs(best_cases(*shuffled, mask=mask, k=400, unknown=unknown))


def test_shares_in_another_order_are_equally_similar() -> None:
    assert 0.7 + 0.2 + 0.1 < 0.1 + 0.2 + 0.7, "plain sums differ"
    table = np.array([0.1, 0.2, 0.7])
    codes = [np.array(places, dtype=np.int32) for places in ([2, 0, 1], [1, 1, 0], [0, 2, 2])]
    positions, similarities, _ = best_cases(codes, [table] * 3, np.ones(3), k=3)
    assert positions.tolist() == [0, 1, 2]
    assert len(set(similarities.tolist())) == 1


@pytest.mark.parametrize("unknown", BOTH)
def test_threads_change_nothing(unknown: Unknown) -> None:
    random = np.random.default_rng(5)
    codes = [random.integers(-1, 40, 300_000).astype(np.int32) for _ in range(4)] * 4
    tables, weights = [random.random(40).round(1) for _ in codes], random.choice([1.0, 0.3, 2.0], len(codes))
    one, *others = (best_cases(codes, tables, weights, k=50, unknown=unknown, n_threads=n) for n in (1, 2, 3, 7))
    for other in others:
        assert as_pairs(one) == as_pairs(other)
    everything = all_similarities(codes, tables, weights, unknown=unknown)
    assert all(
        np.array_equal(everything, all_similarities(codes, tables, weights, unknown=unknown, n_threads=n))
        for n in (2, 3)
    )
    order = np.lexsort((np.arange(len(everything)), -everything))[:50]
    assert as_pairs(one) == list(zip(order.tolist(), everything[order].tolist(), strict=True))


@pytest.mark.parametrize("weight", [0.3, 0.5, 1.0, 3.0, 5e-324, 1e308])
@pytest.mark.parametrize("local", [5e-324, 1.5e-323, 1e-310, 0.25])
def test_one_attribute_says_what_it_says(weight: float, local: float) -> None:
    codes, tables = [np.zeros(1, dtype=np.int32)], [np.array([local])]
    assert all_similarities(codes, tables, np.array([weight])).tolist() == [local]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1e6)), min_size=1, max_size=8))
def test_a_mean_lies_between_its_terms(terms: list[tuple[float, float]]) -> None:
    codes = [np.zeros(1, dtype=np.int32)] * len(terms)
    tables = [np.array([local]) for local, _ in terms]
    weights = np.array([weight for _, weight in terms])
    (found,) = all_similarities(codes, tables, weights)
    counted = [local for local, weight in terms if weight > 0] or [0.0]
    assert min(counted) <= found <= max(counted)


@given(st.integers(0, 1000), st.integers(-300, 300))
def test_weights_count_by_their_proportions(seed: int, exponent: int) -> None:
    codes, tables, weights, _ = drawn(seed, 30, coarse=False)
    once = all_similarities(codes, tables, weights)
    assert np.array_equal(once, all_similarities(codes, tables, np.ldexp(weights, exponent)))


def test_few_cases_and_none() -> None:
    codes, tables = [np.array([0, -1], dtype=np.int32)], [np.array([0.5])]
    nothing: tuple[list[Any], list[Any]] = ([], [])
    assert as_pairs(best_cases(codes, tables, np.ones(1), k=5)) == [(0, 0.5), (1, 0.0)]
    assert as_pairs(best_cases(codes, tables, np.ones(1), k=0)) == []
    assert as_pairs(best_cases(codes, tables, np.ones(1), mask=np.array([False, True]), k=5)) == [(1, 0.0)]
    assert as_pairs(best_cases(codes, tables, np.ones(1), mask=np.zeros(2, dtype=bool), k=5)) == []
    assert as_pairs(best_cases(codes, tables, np.zeros(1), k=1)) == [(0, 0.0)]
    assert as_pairs(best_cases(*nothing, np.empty(0), mask=np.array([False, True, True]), k=1)) == [(1, 0.0)]
    assert as_pairs(best_cases(*nothing, np.empty(0), k=1)) == []


def test_a_case_that_shares_no_attribute_has_similarity_0() -> None:
    codes = [np.array([-1, 0], dtype=np.int32)]
    assert all_similarities(codes, [np.array([0.0])], np.ones(1), unknown="ignore").tolist() == [0.0, 0.0]


@pytest.mark.parametrize("unknown", BOTH)
@pytest.mark.parametrize("seed", range(4))
def test_many_values_in_few_groups(seed: int, unknown: Unknown) -> None:
    random, n = np.random.default_rng(seed), 20_000
    sizes = [*[5_000, 63, 62, 300, 2][seed:], 90]
    codes = [random.integers(-1, size, n).astype(np.int32) for size in sizes]
    tables = [random.random(size).round(random.integers(1, 9)) ** 4 for size in sizes]
    weights = random.choice([1.0, 0.3, 2.0, 1e-9], len(sizes))
    everything = all_similarities(codes, tables, weights, unknown=unknown)
    for share in (0.0, 0.001, 0.5, 1.0):
        mask = random.random(n) < share
        order = np.lexsort((np.arange(n), -everything))
        order = order[mask[order]]
        for k in (1, 10, 900, n):
            positions, similarities, _ = best_cases(codes, tables, weights, mask=mask, k=k, unknown=unknown)
            assert positions.tolist() == order[:k].tolist()
            assert similarities.tobytes() == everything[order[:k]].tobytes()


@pytest.mark.parametrize("path", _core.cpu_paths())
def test_every_cpu_path_finds_the_same_cases(path: str) -> None:
    codes, tables, weights, _ = drawn(11, 3_000, coarse=False)
    usual = _core.cpu_path()
    expected = best_cases(codes, tables, weights, k=30)
    try:
        _core.use_cpu_path(path)
        found = best_cases(codes, tables, weights, k=30)
    finally:
        _core.use_cpu_path(usual)
    assert all(one.tobytes() == other.tobytes() for one, other in zip(found, expected, strict=True))


def test_local_similarities_one_by_one() -> None:
    codes, tables, weights, _ = drawn(8, 40, coarse=False)
    positions, _, found = best_cases(codes, tables, weights, k=7)
    assert found.shape == (7, len(codes))
    for row, position in zip(found, positions, strict=True):
        for similar, held, table in zip(row, codes, tables, strict=True):
            assert np.isnan(similar) if held[position] < 0 else similar == table[held[position]]
    assert np.isnan(found).any()
    assert best_cases(codes, tables, weights, k=0)[2].shape == (0, len(codes))


@pytest.mark.parametrize("numbers", [False, True])
def test_columns_that_grew_are_as_new_ones(numbers: bool) -> None:
    random, earlier = np.random.default_rng(6), None
    codes = np.cumsum(random.random(4_000) < 0.5).astype(np.int32) - 1
    for n in (0, 1, 40, 256, 257, 300, 3_000, 3_001, 4_000):
        size = int(codes[:n].max(initial=-1)) + 1
        values, table = np.sin(np.arange(size)) if numbers else None, np.cos(np.arange(size)) ** 2
        earlier = _core.CodedColumn(codes[:n], size, values, earlier)
        new = _core.CodedColumn(codes[:n].copy(), size, values)
        found = [best_of_columns([each], [table], np.ones(1), k=20) for each in (earlier, new)]
        assert [each.tobytes() for each in found[0]] == [each.tobytes() for each in found[1]]
        assert len(earlier) == n


def refused(**changes: Any) -> Any:
    column = _core.CodedColumn(np.array([0, 1], dtype=np.int32), 2)
    parts: dict[str, Any] = {"n_cases": 2, "columns": [column], "tables": [np.ones(2)]}
    parts |= {"weights": np.ones(1), "mask": None, "k": 1, "ignore": False, "threads": 1}
    return _core.best_cases(**(parts | changes))


MISTAKES: dict[str, dict[str, Any]] = {
    "one similarity for each value": {"tables": [np.ones(1)]},
    "one code for each case": {"n_cases": 3},
    "one table for each attribute": {"tables": []},
    "one weight for each attribute": {"weights": np.ones(2)},
    "weights are finite and not negative": {"weights": np.array([-1.0])},
    "the mask must have one entry for each case": {"mask": np.ones(3, dtype=np.uint8)},
    "columns are not None": {"columns": [None]},
    "similarities are numbers from 0 to 1": {"tables": [np.array([0.5, np.nan])]},
}


@pytest.mark.parametrize("rule", MISTAKES)
def test_the_core_reads_nothing_beyond_its_arrays(rule: str) -> None:
    assert as_pairs(refused()) == [(0, 1.0)]
    with pytest.raises(ValueError, match=rule):
        refused(**MISTAKES[rule])


# -- many queries at a time are found as one by one, each without its own case


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
    positions, similarities, _ = best_cases(codes, tables, weights[known], mask=others, k=k, unknown=unknown)
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


def test_threads_change_nothing_for_many_queries() -> None:
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


MANY_MISTAKES: dict[str, dict[str, Any]] = {
    "a query's code has no table": {"tables": [np.ones((1, 2))]},
    "a code has no place in its table": {"tables": [np.ones((2, 1))]},
    "one table for each attribute": {"tables": []},
    "one code for each query": {"own": np.arange(1)},
    "one code for each case": {"n_cases": 3},
}


@pytest.mark.parametrize("rule", MANY_MISTAKES)
def test_the_core_reads_nothing_beyond_its_arrays_for_many_queries(rule: str) -> None:
    assert asked()[0].tolist() == [[1], [0]]
    with pytest.raises(ValueError, match=rule):
        asked(**MANY_MISTAKES[rule])
