"""The compiled core and plain NumPy give the same cost to the last bit, for every distance and option."""

from __future__ import annotations

import numpy as np
import pytest
from building import LEVELS, MIXED, encode, mixed_cases, queries, store
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import differences as reference
from reference.search import settled

from priorcase.schema import Numeric
from priorcase.search import Index
from priorcase.similarity import (
    Absolute,
    Distance,
    Levels,
    ValueDifference,
    ValueTable,
    cosine,
    euclidean,
    hvdm,
    manhattan,
    minkowski,
    mvdm,
)
from priorcase.similarity.presets import PRESETS

COLOURS = ValueTable(("a", "b", "c"), [[0, 0.2, 1.1], [0.3, 0, 0.7], [1, 1, 0]])

DISTANCES = {
    **{name: preset() for name, preset in PRESETS.items() if name != "cosine"},
    "hvdm N1": hvdm("N1"),
    "hvdm N3": hvdm("N3"),
    "mvdm k=3 r=1.5": mvdm(3, 1.5),
    "mvdm k=1.5 r=1": mvdm(1.5, 1),
    "unseen zero": mvdm(unseen="zero"),
    "unseen prior": mvdm(unseen="prior"),
    "vdm unseen zero": Distance(nominal=ValueDifference(2, "weighted", "zero"), missing="symbol"),
    "minkowski 3": minkowski(3),
    "minkowski 2.5 robust": minkowski(2.5, "robust"),
    "euclidean std": euclidean("std"),
    "manhattan robust": manhattan("robust"),
    "ignore": Distance(missing="ignore"),
    "symbol": Distance(missing="symbol"),
    "aha": Distance(missing="aha", power=3),
    "cap": Distance(numeric=Absolute(cap=True)),
    "ranks": Distance(ordinal=Absolute("std")),
    "positions": Distance(ordinal=Levels((0, 1, 5, 6)), power=1.5),
    "table": Distance(nominal=COLOURS, missing="skip"),
    "table of levels": Distance(ordinal=ValueTable(LEVELS, np.arange(4)[:, None] ^ np.arange(4))),
}


@pytest.mark.parametrize("name", DISTANCES)
@given(cases=mixed_cases(), asked=st.lists(queries, min_size=1, max_size=4), weighted=st.booleans())
@settings(max_examples=12)
def test_mixed_columns(name, cases, asked, weighted):
    rows, classes, weights = cases
    instances = store(MIXED, rows, classes, weights)
    fitted = DISTANCES[name].fit(instances)
    attribute_weights = np.array([1.0, 0.3, 0.0, 2.7]) if weighted else np.ones(4)
    cells = encode(instances, asked)
    pairs = [(fitted, query, instances.cells(), attribute_weights) for query in cells]
    expected = [settled(fitted, reference.costs(*pair)) for pair in pairs]
    for pair in pairs:
        assert np.array_equal(fitted.contributions(*pair[1:]), reference.contributions(*pair), equal_nan=True)
    assert np.array_equal(Index(instances, fitted).costs(fitted, cells, weights=attribute_weights), expected)


def test_unit_length():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((60, 5)) < 0.1, np.nan, rng.normal(size=(60, 5)))
    instances = store([Numeric()] * 5, X.tolist())
    fitted = cosine().fit(instances)
    rows = fitted.prepare(instances.cells())
    expected = [settled(fitted, reference.costs(fitted, query, rows)) for query in fitted.prepare(X[:10])]
    assert np.array_equal(Index(instances, fitted).costs(fitted, X[:10]), expected)


@pytest.mark.parametrize("name", DISTANCES)
def test_zero_rows(name):
    instances = store(MIXED, [], [])
    fitted = DISTANCES[name].fit(instances)
    assert Index(instances, fitted).costs(fitted, encode(instances, [[1, "a", "low", None]])).shape == (1, 0)
