"""Diverse cases: greedy, among the most similar ones, the most similar one first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference.case_retrieval import VALUES, chosen, local_similarities, mixed_table, random_query, similarity

from priorcase.cases.retrieval import retrieve
from priorcase.cases.table import CaseTable
from priorcase.schema import Nominal

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
    assert retrieve(table, query, 3, diversity=0.6, where={"make": "C"}).ids == ()
