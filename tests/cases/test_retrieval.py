"""The cases retrieved are those that obvious loops find, with the same similarities to the last bit."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference.case_retrieval import (
    ATTRIBUTES,
    VALUES,
    chosen,
    local_similarities,
    mixed_table,
    random_query,
    ranked,
    similarity,
)

from priorcase.cases import MVDM, Contribution, Equality
from priorcase.cases.conditions import mask
from priorcase.cases.retrieval import MeasureCache, retrieve
from priorcase.cases.table import CaseTable
from priorcase.schema import Nominal, Numeric


@pytest.mark.parametrize("seed", range(25))
def test_it_finds_what_loops_find(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = mixed_table(int(rng.integers(1, 60)), seed, gaps=0.3 * (seed % 3), retired=0.2 * (seed % 2))
    query = random_query(rng)
    weights = {name: float(rng.choice([0.0, 0.3, 1.0, 2.5])) for name in ATTRIBUTES if rng.random() < 0.6}
    if not any(weights.get(name, 1.0) for name, value in query.items() if value is not None):
        weights = {}
    measures: dict[str, Any] = {"make": MVDM()} if seed % 4 == 0 else {}
    where: dict[str, Any] = {"age": [1, 3, None]} if seed % 5 == 0 else {}
    unknown: Any = "ignore" if seed % 2 else "different"
    k = int(rng.integers(1, 12))
    found = retrieve(table, query, k, weights=weights, measures=measures, where=mask(table, where), unknown=unknown)
    local = local_similarities(table, measures)
    allowed = mask(table, where).tolist()
    expected = ranked(table, local, weights, query, ignore=unknown == "ignore", allowed=allowed)
    assert found.ids == tuple(int(table.ids[position]) for position, _ in expected[:k])
    assert found.similarities.tolist() == [float(exact) for _, exact in expected[:k]]
    assert found.among == len(expected)
    for match in found:
        assert list(match.contributions) == [name for name in ATTRIBUTES if query.get(name) is not None]
        for name, part in match.contributions.items():
            value = table.values(table.position(match.id))[name]
            nothing = None if unknown == "ignore" else 0.0
            assert part.similarity == (nothing if value is None else local[name](query[name], value))
            assert part.weight == weights.get(name, 1.0)


@pytest.mark.parametrize("unknown", ["different", "ignore"])
def test_contributions_add_up_to_the_similarity(unknown: Any) -> None:
    table, rng = mixed_table(80, 5, gaps=0.4), np.random.default_rng(5)
    some = 0
    for _ in range(20):
        query = random_query(rng)
        weights = {name: float(rng.random()) for name in ATTRIBUTES}
        for match in retrieve(table, query, 7, weights=weights, unknown=unknown):
            counted = [part for part in match.contributions.values() if part.similarity is not None]
            divisor = sum(Fraction(part.weight) for part in counted)
            exact = sum(Fraction(part.weight) * Fraction(part.similarity or 0.0) for part in counted)
            assert match.similarity == (float(exact / divisor) if divisor else 0.0)
            parts = math.fsum(part.contribution for part in match.contributions.values())
            assert parts == pytest.approx(match.similarity, abs=1e-12)
            some += 0 < match.similarity < 1
    assert some > 50


def test_the_number_of_threads_changes_nothing() -> None:
    table = mixed_table(400, 1)
    query = {name: values[2] for name, values in VALUES.items()}
    one, two = (retrieve(table, query, 50, n_jobs=n) for n in (1, 2))
    assert one.ids == two.ids
    assert one.similarities.tobytes() == two.similarities.tobytes()


def test_retired_cases_are_never_retrieved_and_come_back() -> None:
    table = mixed_table(30, 2)
    best = retrieve(table, {"age": 3}, 1).ids[0]
    table.retire([best])
    assert best not in retrieve(table, {"age": 3}, 30).ids
    table.retire([best], retired=False)
    assert retrieve(table, {"age": 3}, 1).ids[0] == best


def test_a_mask_is_taken_as_well() -> None:
    table = mixed_table(30, 2)
    where = np.zeros(30, dtype=np.bool_)
    where[[4, 9]] = True
    assert set(retrieve(table, {"age": 3}, 5, where=where).ids) == set(table.ids[[4, 9]].tolist())
    assert len(retrieve(table, {"age": 3}, 5, where=~np.ones(30, dtype=np.bool_))) == 0
    assert len(retrieve(mixed_table(0, 0), {"age": 3})) == 0


def test_a_worked_example() -> None:
    rows: Any = [
        (1, {"age": 2, "make": "A"}, '"clean"', '"fine"'),
        (2, {"age": 6, "make": "B"}, '"swap"', None),
        (3, {"age": 10}, None, None),
    ]
    table = CaseTable.of({"age": Numeric(), "make": Nominal()}, rows)
    found = retrieve(table, {"age": 4, "make": "B"}, 3, weights={"make": 3})
    assert found.ids == (2, 1, 3)
    assert found.similarities.tolist() == [(0.75 + 3) / 4, 0.75 / 4, 0.25 / 4]
    assert found[0].contributions == {"age": Contribution(0.75, 1.0, 0.1875), "make": Contribution(1.0, 3.0, 0.75)}
    assert found.solutions == ("swap", "clean", None)
    assert found.outcomes == (None, "fine", None)
    assert found[1].case == found.cases[1] == {"age": 2, "make": "A"}
    ignoring = retrieve(table, {"age": 4, "make": "B"}, 3, weights={"make": 3}, unknown="ignore")
    assert ignoring.ids == (2, 3, 1)
    assert ignoring[1].contributions["make"] == Contribution(None, 3.0, 0.0)
    assert ignoring.similarities.tolist() == [(0.75 + 3) / 4, 0.25, 0.75 / 4]


def test_neither_the_query_nor_the_table_is_changed() -> None:
    table, query = mixed_table(30, 2), {"age": 3, "make": None}
    before = {name: table.column(name) for name in ATTRIBUTES}
    retrieve(table, query, 3, diversity=0.5)
    assert query == {"age": 3, "make": None}
    assert all(table.column(name) is column for name, column in before.items())


def test_measures_are_prepared_again_only_for_what_changed() -> None:
    prepared: list[str] = []

    class Counting(Equality):
        needs_solutions = False

        def prepare(self, column: Any, solutions: Any = None, previous: Any = None) -> Any:
            prepared.append(column.name)
            return super().prepare(column, solutions, previous)

    class Telling(Counting):
        needs_solutions = True

    table, cache = mixed_table(20, 2), MeasureCache()
    measures = {"make": Counting(), "device": Telling()}
    query = {"make": "acme", "device": "laser"}

    def made() -> list[str]:
        prepared.clear()
        retrieve(table, query, 3, measures=measures, cache=cache)
        return sorted(prepared)

    assert made() == ["device", "make"]
    assert made() == []
    id = int(table.ids[0])
    row, solution = table.values(0), table.column("solution").at([0])[0]
    table.replace([(id, row | {"age": 99}, solution, None)])
    assert made() == []
    table.replace([(id, row, '"another"', None)])
    assert made() == ["device"]
    table.replace([(id, row | {"make": "new"}, '"another"', None)])
    assert made() == ["make"]
    table.append([(9999, row, None, None)])
    assert made() == ["device", "make"]
    assert len(cache) == 2
    cache.clear()
    assert made() == ["device", "make"]


def test_many_threads_may_share_a_cache() -> None:
    from concurrent.futures import ThreadPoolExecutor

    table, cache = mixed_table(200, 3), MeasureCache()
    queries = [random_query(np.random.default_rng(seed)) for seed in range(40)]
    expected = [retrieve(table, query, 5).ids for query in queries]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda query: retrieve(table, query, 5, cache=cache).ids, queries)) == expected


@pytest.mark.parametrize("diversity", [0.0, 0.5])
@pytest.mark.parametrize("k", [2**62, 10**30])
def test_any_number_of_cases_may_be_asked_for(k: int, diversity: float) -> None:
    table = mixed_table(20, 0)
    assert len(retrieve(table, {"age": 3}, k, diversity=diversity)) == 20


def test_functions_made_anew_for_each_query_do_not_pile_up() -> None:
    table, cache = mixed_table(20, 0), MeasureCache()
    for _ in range(30):
        retrieve(table, {"age": 3, "make": "A"}, measures={"age": lambda a, b: float(a == b)}, cache=cache)
    assert len(cache) == 4 + 1


def test_remembered_similarities_are_those_of_each_query() -> None:
    table, cache = mixed_table(60, 4), MeasureCache()
    for value in [3, 2.5, *np.linspace(0, 9, 600).tolist(), 3, 2.5, True]:
        query = {"age": value} if value is not True else {"make": True, "age": 1}
        found, expected = retrieve(table, query, cache=cache), retrieve(table, query)
        assert found.ids == expected.ids
        assert found.similarities.tobytes() == expected.similarities.tobytes()


# -- diversity

QUERY: dict[str, Any] = {name: values[2] for name, values in VALUES.items()}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("diversity", [0.3, 1.0])
def test_it_chooses_as_loops_do(seed: int, diversity: float) -> None:
    table, unknown = mixed_table(70, seed, gaps=0.2), ("ignore" if seed % 2 else "different")
    query = random_query(np.random.default_rng(seed))
    weights = {"age": 2.0, "make": 0.0, "device": 0.5}
    if not any(weights.get(name, 1.0) for name, value in query.items() if value is not None):
        weights = {}
    plain = retrieve(table, query, 50, weights=weights, unknown=unknown)  # type: ignore[arg-type]
    local = local_similarities(table, {})
    rows = [table.values(position) for position in range(len(table))]

    def between(a: int, b: int) -> float:
        return float(similarity(local, weights, rows[a], rows[b], ignore=unknown == "ignore"))

    candidates = [(table.position(id), float(s)) for id, s in zip(plain.ids, plain.similarities, strict=True)]
    expected = [int(table.ids[position]) for position in chosen(candidates, between, 4, diversity)]
    found = retrieve(table, query, 4, weights=weights, unknown=unknown, diversity=diversity)  # type: ignore[arg-type]
    assert list(found.ids) == expected
    told = dict(candidates)
    assert found.similarities.tolist() == [told[table.position(id)] for id in found.ids]


def test_none_is_the_plain_answer() -> None:
    table = mixed_table(150, 8)
    plain, diverse = retrieve(table, QUERY, 8), retrieve(table, QUERY, 8, diversity=0)
    assert plain.ids == diverse.ids
    assert plain.similarities.tobytes() == diverse.similarities.tobytes()


@pytest.mark.parametrize("diversity", [0.01, 0.5, 1])
def test_it_chooses_among_the_most_similar_and_begins_with_the_best(diversity: float) -> None:
    table = mixed_table(300, 8)
    candidates = retrieve(table, QUERY, 50).ids
    found = retrieve(table, QUERY, 6, diversity=diversity)
    assert found.ids[0] == candidates[0]
    assert set(found.ids) <= set(candidates)
    assert len(set(found.ids)) == 6


def test_copies_of_a_case_are_not_all_shown() -> None:
    rows: Any = [(i, {"make": "A", "colour": "red"}, None, None) for i in range(1, 6)]
    rows += [(6, {"make": "A", "colour": "blue"}, None, None), (7, {"make": "B", "colour": "red"}, None, None)]
    table = CaseTable.of({"make": Nominal(), "colour": Nominal()}, rows)
    query = {"make": "A", "colour": "red"}
    assert retrieve(table, query, 3).ids == (1, 2, 3)
    assert retrieve(table, query, 3, diversity=0.6).ids == (1, 6, 7)
    assert retrieve(table, query, 99, diversity=0.6).ids[:3] == (1, 6, 7)
    assert len(retrieve(table, query, 99, diversity=0.6)) == 7
    assert retrieve(table, query, 3, diversity=0.6, where=mask(table, {"make": "C"})).ids == ()
