"""The compiled search is sound and complete: it equals the slow one of the tests, bit for bit, on every path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import search as reference
from reference.differences import costs as numpy_costs
from reference.search import settled

import priorcase as pc
from priorcase import _core
from priorcase.instances import Instances
from priorcase.schema import Kind, Nominal, Numeric, Ordinal, Schema
from priorcase.search import Index
from priorcase.similarity import (
    Absolute,
    Distance,
    Levels,
    ValueTable,
    cosine,
    dvdm,
    euclidean,
    gower,
    heom,
    hvdm,
    ib,
    ivdm,
    manhattan,
    minkowski,
    mvdm,
    overlap,
    vdm,
    wvdm,
)

LETTERS = tuple("abcdef")
COMPILED = ("auto", "tree", "scan", "plain")
DISTANCES: dict[str, Distance] = {
    "heom": heom(),
    "hvdm N1": hvdm("N1"),
    "hvdm N2": hvdm("N2"),
    "hvdm N3": hvdm("N3"),
    "vdm": vdm(),
    "mvdm": mvdm(),
    "mvdm k=2 r=1": mvdm(k=2, r=1),
    "mvdm k=1.5 r=3": mvdm(k=1.5, r=3),
    "mvdm unseen as prior": mvdm(unseen="prior"),
    "dvdm": dvdm(),
    "ivdm": ivdm(),
    "wvdm": wvdm(),
    "gower": gower(),
    "overlap": overlap(),
    "euclidean": euclidean(),
    "manhattan": manhattan(),
    "minkowski 3": minkowski(3),
    "minkowski 2.5": minkowski(2.5),
    "ib": ib(),
    "std": Distance(numeric=Absolute("std")),
    "robust": Distance(numeric=Absolute("robust"), missing="ignore"),
    "capped": Distance(numeric=Absolute("range", cap=True), missing="symbol"),
}


def random_schema(random: np.random.Generator, width: int) -> Schema:
    kinds: list[Kind] = [Numeric(), Numeric(), Nominal(), Nominal(), Ordinal(LETTERS)]
    chosen = [kinds[i] for i in random.integers(0, len(kinds), width)]
    return Schema(tuple(f"x{a}" for a in range(width)), tuple(chosen))


def random_rows(
    random: np.random.Generator, schema: Schema, count: int, *, queries: bool = False
) -> list[list[object]]:
    """Rows with gaps, ties (coarse numbers), many-valued symbols and, in queries, values never stored."""
    columns: list[list[object]] = []
    for a, kind in enumerate(schema.kinds):
        if isinstance(kind, Numeric):
            numbers = random.normal(size=count) if a % 2 else random.integers(-3, 4, count) / 2
            column: list[object] = [float(x) for x in numbers * (3.0 if queries else 1.0)]
        elif isinstance(kind, Nominal):
            many = 150 if a % 3 == 0 else 4
            column = [f"v{x}" for x in random.integers(0, many + (2 if queries else 0), count)]
        else:
            column = [LETTERS[x] for x in random.integers(0, 3 if a % 2 else 6, count)]
        columns.append([None if gap else value for value, gap in zip(column, random.random(count) < 0.1, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]


class Case:
    """A random table with an index over it, and queries."""

    def __init__(self, seed: int, rows: int, width: int, distance: Distance) -> None:
        self.random = random = np.random.default_rng(seed)
        self.schema = random_schema(random, width)
        self.target = Schema(("class",), (Nominal(),))
        self.distance = distance
        self.instances = Instances(self.schema, self.target)
        self.instances.append(*self.rows(rows))
        self.fitted = distance.fit(self.instances, 0)
        self.index = Index(self.instances, self.fitted)
        queries = random_rows(random, self.schema, 7, queries=True)
        self.queries = self.instances.encode(self.schema.read(queries))

    def rows(self, count: int) -> tuple[object, ...]:
        rows = random_rows(self.random, self.schema, count)
        classes = [[f"c{x}"] for x in self.random.integers(0, 3, count)]
        return self.schema.read(rows), self.target.read(classes)

    def change(self) -> None:
        """Append some rows, remove some others."""
        self.index.append(self.instances.append(*self.rows(int(self.random.integers(1, 40)))))
        ids = self.instances.ids
        gone = ids[self.random.random(len(ids)) < 0.3]
        self.instances.remove(gone)
        self.index.remove(gone)
        self.fitted = self.fitted.refreshed(self.instances)


@pytest.fixture
def paths() -> Iterator[list[str]]:
    chosen = _core.cpu_path()
    yield _core.cpu_paths()
    _core.use_cpu_path(chosen)


@pytest.mark.parametrize("name", DISTANCES)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**32), rows=st.sampled_from([1, 5, 60, 400]), width=st.integers(1, 7))
def test_every_distance_equals_exhaustive(name: str, seed: int, rows: int, width: int) -> None:
    case = Case(seed, rows, width, DISTANCES[name])
    for _ in range(2):
        if len(case.instances):
            check_searches(case)
        case.change()


def check_searches(case: Case) -> None:
    random, count = case.random, len(case.queries)
    weights = [None, random.integers(0, 3, case.queries.shape[1]) / 2, random.random(case.queries.shape)]
    chosen = weights[int(random.integers(3))]
    exclude = random.choice(np.append(case.instances.ids, -1), count)
    for ties in (False, True):
        k = int(random.integers(1, 12))
        options = {"weights": chosen, "exclude": exclude, "ties": ties}
        expected = reference.nearest(case.instances, case.fitted, case.queries, k, **options)
        for algorithm in COMPILED:
            assert case.index.kneighbors(case.fitted, case.queries, k, algorithm=algorithm, **options) == expected
    radius = random.choice(expected.distances) if len(expected.ids) else 1.0
    near = reference.near(case.instances, case.fitted, case.queries, radius, weights=chosen)
    for algorithm in COMPILED:
        assert case.index.within(case.fitted, case.queries, radius, weights=chosen, algorithm=algorithm) == near
    costs = case.index.costs(case.fitted, case.queries, weights=chosen)
    for q, query in enumerate(case.queries):
        own = chosen if chosen is None or chosen.ndim == 1 else chosen[q]
        expected_costs = settled(case.fitted, numpy_costs(case.fitted, query, case.instances.cells(), own))
        np.testing.assert_array_equal(costs[q], expected_costs)


@pytest.mark.parametrize("name", ["heom", "mvdm", "gower", "ivdm", "ib"])
def test_same_bits_for_every_path_batch_and_thread_count(name: str, paths: list[str]) -> None:
    case = Case(3, 1500, 6, DISTANCES[name])
    queries = case.instances.cells(slice(0, 70))
    exclude = case.instances.ids[:70].copy()
    expected = reference.nearest(case.instances, case.fitted, queries, 10, exclude=exclude)
    for path in paths:
        _core.use_cpu_path(path)
        for algorithm in COMPILED:
            for threads in (1, 2, 5):
                found = case.index.kneighbors(
                    case.fitted, queries, 10, exclude=exclude, algorithm=algorithm, threads=threads
                )
                assert found == expected
            for size in (1, 3, 64):
                parts = [
                    case.index.kneighbors(
                        case.fitted, queries[i : i + size], 10, exclude=exclude[i : i + size], algorithm=algorithm
                    )
                    for i in range(0, len(queries), size)
                ]
                np.testing.assert_array_equal(np.concatenate([part.ids for part in parts]), expected.ids)
                np.testing.assert_array_equal(np.concatenate([part.costs for part in parts]), expected.costs)


def test_rows_that_leave_themselves_out_may_be_asked_for_in_any_order() -> None:
    case = Case(5, 900, 4, heom())
    cells, ids = case.fitted.prepare(case.instances.cells()), case.instances.ids
    everyone = np.argsort(np.random.default_rng(0).random(ids.size))
    for k, ties in ((1, False), (5, True), (40, False)):
        whole = case.index.kneighbors(case.fitted, cells, k, exclude=ids, ties=ties, algorithm="plain")
        for order in (np.arange(ids.size), everyone, everyone[:50]):
            found = case.index.kneighbors(case.fitted, cells[order], k, exclude=ids[order], ties=ties, threads=2)
            for place, row in enumerate(order):
                np.testing.assert_array_equal(found[place][0], whole[row][0])
                np.testing.assert_array_equal(found[place][1], whole[row][1])


def test_other_distances_may_use_the_same_rows() -> None:
    case = Case(7, 900, 5, heom())
    for distance in (gower(), hvdm(), heom()):
        fitted = distance.fit(case.instances, 0)
        expected = reference.nearest(case.instances, fitted, case.queries, 4)
        assert case.index.kneighbors(fitted, case.queries, 4) == expected


def test_a_symbol_past_the_sixty_second_is_still_exact() -> None:
    schema = Schema(("code",), (Nominal(),))
    instances = Instances(schema)
    instances.append(schema.read([[f"v{i % 50}"] for i in range(300)]))
    fitted = heom().fit(instances, None)
    index = Index(instances, fitted)
    index.append(instances.append(schema.read([[f"w{i}"] for i in range(400)])))
    fitted = fitted.refreshed(instances)
    queries = instances.encode(schema.read([["v3"], ["w0"], ["w399"], ["never"], [None]]))
    expected = reference.nearest(instances, fitted, queries, 3, ties=True)
    for algorithm in COMPILED:
        assert index.kneighbors(fitted, queries, 3, ties=True, algorithm=algorithm) == expected
    assert expected[1][1].tolist()[0] == 0.0


def test_unit_length_rows_are_prepared_once() -> None:
    schema = Schema(None, (Numeric(), Numeric(), Numeric()))
    instances = Instances(schema)
    rows = np.random.default_rng(0).normal(size=(700, 3))
    instances.append(schema.read(rows))
    fitted = cosine().fit(instances, None)
    index = Index(instances, fitted)
    queries = rows[:20] * 5.0
    expected = reference.nearest(instances, fitted, queries, 3)
    assert index.kneighbors(fitted, queries, 3) == expected
    np.testing.assert_array_equal(expected.rectangular(1)[0][:, 0], np.arange(20))


def test_tables_and_levels_of_the_user() -> None:
    schema = Schema(("colour", "size"), (Nominal(), Ordinal(("s", "m", "l"))))
    matrix = ((0.0, 0.2, 1.0), (0.2, 0.0, 0.9), (1.0, 0.9, 0.0))
    distance = Distance(nominal=ValueTable(("red", "pink", "green"), matrix), ordinal=Levels((0.0, 1.0, 5.0)))
    random = np.random.default_rng(1)
    instances = Instances(schema)
    names, sizes = ("red", "pink", "green", None), ("s", "m", "l", None)
    rows = [[names[random.integers(4)], sizes[random.integers(4)]] for _ in range(600)]
    instances.append(schema.read(rows))
    fitted = distance.fit(instances, None)
    index = Index(instances, fitted)
    queries = instances.encode(schema.read([["red", "s"], ["pink", "l"], [None, "m"], ["blue", "xl"]]))
    expected = reference.nearest(instances, fitted, queries, 5, ties=True)
    for algorithm in COMPILED:
        assert index.kneighbors(fitted, queries, 5, ties=True, algorithm=algorithm) == expected


def test_huge_numbers_overflow_to_the_farthest_place() -> None:
    schema = Schema(None, (Numeric(), Numeric()))
    instances = Instances(schema)
    rows = np.array([[0.0, 1.0], [1e300, 2.0], [-1e300, 3.0], [1e-300, 4.0]] * 200)
    instances.append(schema.read(rows))
    distance = replace(euclidean(), missing="maximal")
    fitted = distance.fit(instances, None)
    index = Index(instances, fitted)
    with np.errstate(over="ignore"):
        expected = reference.nearest(instances, fitted, rows[:4], 700)
    for algorithm in COMPILED:
        assert index.kneighbors(fitted, rows[:4], 700, algorithm=algorithm) == expected
    assert np.isinf(expected.distances).any()
    assert not np.isnan(expected.distances).any()


def test_an_emptied_index_finds_nothing_and_fills_again() -> None:
    case = Case(11, 30, 3, heom())
    gone = case.instances.ids.copy()
    case.instances.remove(gone)
    case.index.remove(gone)
    assert len(case.index) == 0
    assert case.index.kneighbors(case.fitted, case.queries, 3).counts.tolist() == [0] * 7
    case.index.append(case.instances.append(*case.rows(20)))
    case.fitted = case.fitted.refreshed(case.instances)
    expected = reference.nearest(case.instances, case.fitted, case.queries, 3)
    assert case.index.kneighbors(case.fitted, case.queries, 3) == expected


def test_a_range_too_wide_for_a_number_is_infinitely_far() -> None:
    schema = Schema(None, (Numeric(),))
    instances = Instances(schema)
    instances.append(schema.read(np.array([[-1e308], [0.0], [-5e307], [np.nan]] * 100)))
    fitted = ib().fit(instances, None)
    index = Index(instances, fitted)
    queries = np.array([[1.7e308], [-1.2e308], [np.nan]])
    expected = reference.nearest(instances, fitted, queries, 400)
    assert not np.isnan(expected.costs).any()
    for algorithm in COMPILED:
        assert index.kneighbors(fitted, queries, 400, algorithm=algorithm) == expected


@cache
def long_table(gaps: float) -> Instances:
    """Enough rows for a survey of panels: 64 panels of 256 rows."""
    random, n = np.random.default_rng(8), 17_000
    schema = Schema(None, (Numeric(),) * 20 + (Nominal(),) * 8)
    numbers, names = np.round(random.normal(size=(n, 20)), 1), random.integers(0, 4, (n, 8)).astype(str)
    rows = pd.concat([pd.DataFrame(numbers), pd.DataFrame(names)], axis=1).set_axis(range(28), axis=1)
    rows = rows.mask(random.random(rows.shape) < gaps)
    target = Schema(("class",), (Nominal(),))
    instances = Instances(schema, target)
    instances.append(schema.read(rows), target.read(random.integers(0, 3, (n, 1)).astype(str).astype(object)))
    return instances


@pytest.mark.parametrize(
    ("name", "gaps"), [("heom", 0.05), ("euclidean", 0.05), ("euclidean", 0.0), ("gower", 0.0), ("mvdm", 0.05)]
)
def test_long_rows_in_a_long_table(name: str, gaps: float, paths: list[str]) -> None:
    """Where the search takes a second look at rows and surveys panels before a scan."""
    instances = long_table(gaps)
    fitted = DISTANCES[name].fit(instances, 0)
    index = Index(instances, fitted)
    queries = instances.cells(slice(0, 6))
    exclude = instances.ids[:6].copy()
    for k, ties in ((1, True), (10, False), (90, True)):
        expected = reference.nearest(instances, fitted, queries, k, exclude=exclude, ties=ties)
        for path in paths:
            _core.use_cpu_path(path)
            for algorithm in COMPILED:
                found = index.kneighbors(fitted, queries, k, exclude=exclude, ties=ties, algorithm=algorithm, threads=2)
                assert found == expected


def test_lists_will_do_for_arrays() -> None:
    case = Case(1, 10, 2, heom())
    found = case.index.kneighbors(case.fitted, case.queries.tolist(), 3, weights=[1, 2], exclude=[0] * 7)
    expected = case.index.kneighbors(
        case.fitted, case.queries, 3, weights=np.array([1.0, 2.0]), exclude=np.zeros(7, np.int64)
    )
    assert found == expected


def test_queries_that_lack_most_values() -> None:
    """Where little is known all rows cost about the same; every algorithm still agrees with plain."""
    random = np.random.default_rng(5)
    numbers, names = random.normal(size=(6000, 5)).round(2), random.integers(0, 7, size=(6000, 5)).astype(str)
    rows = [[*left, *right] for left, right in zip(numbers.tolist(), names.tolist(), strict=True)]
    for i, a in zip(random.integers(0, 6000, 4000), random.integers(0, 10, 4000), strict=True):
        rows[i][a] = None
    queries = [list(row) for row in rows[:120]]
    for i, query in enumerate(queries):
        for a in random.permutation(10)[i % 5 :]:
            query[a] = None
    y = random.integers(0, 3, 6000)
    for distance in ("robust", "heom", "hvdm", "mvdm"):
        model = pc.KNNClassifier(7, distance=distance, algorithm="plain").fit(rows, y)
        expected = model.kneighbors(queries)
        for algorithm in ("auto", "tree", "scan"):
            found = pc.KNNClassifier(7, distance=distance, algorithm=algorithm).fit(rows, y).kneighbors(queries)
            assert [np.array_equal(*pair) for pair in zip(found, expected, strict=True)] == [True, True]
