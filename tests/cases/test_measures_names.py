"""Measures of names: equality, tables that somebody wrote, and value differences learned from solutions."""

from __future__ import annotations

import tracemalloc

import hypothesis.strategies as st
import numpy as np
import pytest
from cases.measure_columns import measured, table_of
from hypothesis import given
from reference import local_similarity as reference

from priorcase.cases import MVDM, Equality, SimilarityTable
from priorcase.neighbors import KNNClassifier
from priorcase.schema import Nominal, Numeric, Ordinal, Set

NAME = st.sampled_from(["red", "orange", "blue", "green"])
NAMES = st.lists(NAME, min_size=1, max_size=8)


@given(NAMES, NAME)
def test_equality(values, query):
    assert measured(Equality(), Nominal(), values, query) == {value: float(value == query) for value in values}


def test_equality_tells_booleans_from_numbers_and_takes_any_kind():
    assert measured(Equality(), Nominal(), [1, "1"], True) == {1: 0, "1": 0}
    assert measured(Equality(), Nominal(), [True, "1"], True) == {True: 1, "1": 0}
    assert measured(Equality(), Numeric(), [1, 2.5], 1.0) == {1: 1, 2.5: 0}
    assert measured(Equality(), Set(), [("a", "b"), ("a",)], ("a", "b")) == {("a", "b"): 1, ("a",): 0}


SIMILAR = st.sampled_from([0.0, 0.25, 0.5, 1.0])
PAIR = st.tuples(NAME, NAME).filter(lambda pair: pair[0] != pair[1])


@given(st.dictionaries(PAIR, SIMILAR), NAMES, NAME, SIMILAR)
def test_tables_in_one_direction(pairs, values, query, otherwise):
    expected = {value: reference.table(query, value, pairs, False, otherwise) for value in values}
    assert measured(SimilarityTable(pairs, symmetric=False, otherwise=otherwise), Nominal(), values, query) == expected


@given(st.dictionaries(PAIR.filter(lambda pair: pair[0] < pair[1]), SIMILAR), NAMES, NAME, SIMILAR)
def test_tables_in_both_directions(pairs, values, query, otherwise):
    table = SimilarityTable(pairs, otherwise=otherwise)
    expected = {value: reference.table(query, value, pairs, True, otherwise) for value in values}
    assert measured(table, Nominal(), values, query) == expected
    assert all(measured(table, Nominal(), [query], value)[query] == expected[value] for value in values)


def test_tables_of_levels_numbers_and_booleans():
    size = Ordinal(("S", "M", "L"))
    assert measured(SimilarityTable({("S", "M"): 0.9}), size, ["S", "L"], "M") == {"S": 0.9, "L": 0.0}
    assert measured(SimilarityTable({(1, 2): 0.5}), Nominal(), [2, 3], 1.0) == {2: 0.5, 3: 0.0}
    assert measured(SimilarityTable({(True, 2): 0.25}), Nominal(), [2, 3], True) == {2: 0.25, 3: 0.0}
    assert measured(SimilarityTable({(True, 2): 0.25}), Nominal(), [2, 3], 1) == {2: 0.0, 3: 0.0}
    assert SimilarityTable({(np.int64(1), np.str_("a")): np.float64(0.5)}) == SimilarityTable({(1, "a"): 0.5})


def test_tables_print_compare_and_hash():
    first, second = SimilarityTable({("a", "b"): 0.5, ("b", "c"): 1}), SimilarityTable({("b", "c"): 1, ("a", "b"): 0.5})
    assert first == second
    assert hash(first) == hash(second)
    assert (
        repr(SimilarityTable({("a", "b"): 0.5}))
        == "SimilarityTable(pairs={('a', 'b'): 0.5}, symmetric=True, otherwise=0.0)"
    )
    pairs = {("a", "b"): 0.5}
    table = SimilarityTable(pairs)
    pairs["a", "c"] = 1.0
    assert table == SimilarityTable({("a", "b"): 0.5})


def test_a_table_may_name_a_pair_twice_where_both_agree():
    assert measured(SimilarityTable({("a", "b"): 0.5, ("b", "a"): 0.5}), Nominal(), ["a"], "b") == {"a": 0.5}
    assert measured(SimilarityTable({("a", "b"): 0.5, ("b", "a"): 0.6}, symmetric=False), Nominal(), ["a"], "b") == {
        "a": 0.6
    }


SOLVED = st.lists(st.tuples(NAME, st.sampled_from(["fix", "swap", "wait", None])), min_size=1, max_size=12)


@given(SOLVED, NAME, st.sampled_from([1, 2, 3]), st.sampled_from(["different", "prior"]))
def test_mvdm_is_cost_and_salzbergs(cases, query, power, unseen):
    values, solutions = zip(*cases, strict=True)
    expected = {value: float(reference.mvdm(query, value, cases, power, unseen)) for value in values}
    found = measured(MVDM(power, unseen), Nominal(), values, query, solutions)
    assert found == pytest.approx(expected, abs=1e-14)
    if query in found:
        assert found[query] == 1.0
    if power == 1:
        assert found == pytest.approx(expected, rel=2e-16)


@given(SOLVED, NAME, NAME)
def test_mvdm_is_symmetric_to_the_bit(cases, a, b):
    cases = [*cases, (a, "fix"), (b, "wait")]
    values, solutions = zip(*cases, strict=True)
    forth = measured(MVDM(), Nominal(), values, a, solutions)[b]
    assert forth == measured(MVDM(), Nominal(), values, b, solutions)[a]


def test_a_prior_takes_no_room_for_each_value():
    n = 2000
    table = table_of(Nominal(), [f"v{i}" for i in range(2 * n)], [f"s{i}" if i < n else None for i in range(2 * n)])
    tracemalloc.start()
    try:
        found = MVDM(unseen="prior").prepare(table.column("a"), table.column("solution")).similarities("v0")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()
    assert found[[0, 1, n]].tolist() == [1.0, 0.0, 1 / n]


def test_mvdm_agrees_with_the_distance_of_that_name():
    rng = np.random.default_rng(4)
    values = [f"v{n}" for n in rng.integers(0, 6, 60)]
    solutions = [f"s{n}" for n in rng.integers(0, 3, 60)]
    found = measured(MVDM(), Nominal(), values, "v0", solutions)
    frame = np.array(values, dtype=object)[:, None]
    distances, ids = KNNClassifier(n_neighbors=60, distance="mvdm").fit(frame, solutions).kneighbors([["v0"]])
    for distance, row in zip(distances[0], ids[0], strict=True):
        assert found[values[row]] == pytest.approx(1 - np.sqrt(distance) / 2, abs=1e-12)  # r = 2, and no root


def test_mvdm_of_values_without_solutions():
    assert measured(MVDM(), Nominal(), ["a", "b"], "a") == {"a": 1, "b": 0}
    assert measured(MVDM(), Nominal(), ["a", "b"], "c") == {"a": 0, "b": 0}
    assert measured(MVDM(2), Nominal(), ["a", "b"], "c", ["x", "y"]) == {"a": 0, "b": 0}
    assert measured(MVDM(), Nominal(), [None, None], "c", ["x", "y"]) == {}
