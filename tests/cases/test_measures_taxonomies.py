"""Measures of nodes of a taxonomy."""

from __future__ import annotations

import json

import hypothesis.strategies as st
import pytest
from cases.measure_columns import measured
from hypothesis import given
from reference import local_similarity as reference

from priorcase.cases import LevelSimilarity, PathLength, WuPalmer
from priorcase.schema import Taxonomy

DEVICES = Taxonomy({"device": {"printer": {"laser": ["mono", "colour"], "inkjet": None}, "router": None}})


@st.composite
def taxonomies(draw):
    """A tree or some trees of up to ten nodes: the parent of each."""
    parents = {}
    for number in range(draw(st.integers(1, 10))):
        above = draw(st.integers(-1 if draw(st.booleans()) else 0, number - 1)) if number else -1
        parents[f"n{number}"] = None if above < 0 else f"n{above}"
    return parents


@st.composite
def asked(draw):
    """Parents, some stored nodes, the query's node, and what an inner node means."""
    parents = draw(taxonomies())
    node = st.sampled_from(list(parents))
    return parents, draw(st.lists(node, min_size=1)), draw(node), draw(st.sampled_from(["exact", "any"]))


@given(asked())
def test_wu_palmer_and_path_length(given_tree):
    parents, values, query, inner = given_tree
    for measure, slow in ((WuPalmer(inner), reference.wu_palmer), (PathLength(inner), reference.path_length)):
        expected = {value: float(slow(query, value, parents, inner)) for value in values}
        assert measured(measure, Taxonomy(parents), values, query) == pytest.approx(expected, rel=3e-16, abs=1e-16)


@given(asked(), st.data())
def test_levels(given_tree, data):
    parents, values, query, inner = given_tree
    weights = st.dictionaries(st.sampled_from(list(parents)), st.sampled_from([0.0, 0.25, 0.75]))
    own, given_weights = data.draw(weights), data.draw(weights)
    otherwise = data.draw(st.sampled_from(["depth", 0.0, 0.5, 1.0]))
    kind, measure = Taxonomy(parents, weights=own), LevelSimilarity(given_weights, otherwise, inner)
    both = {**own, **given_weights}
    expected = {v: float(reference.levels(query, v, parents, both, otherwise, inner)) for v in values}
    assert measured(measure, kind, values, query) == pytest.approx(expected, rel=3e-16)


@given(asked())
def test_exact_measures_are_symmetric_and_one_for_equal_nodes(given_tree):
    parents, values, query, _ = given_tree
    kind = Taxonomy(parents)
    for measure in (WuPalmer(), PathLength(), LevelSimilarity()):
        found = measured(measure, kind, [*values, query], query)
        assert found[query] == 1.0
        assert all(measured(measure, kind, [query], value)[query] == found[value] for value in values)


@given(asked())
def test_any_only_raises_what_stands_below(given_tree):
    parents, values, query, _ = given_tree
    kind = Taxonomy(parents)
    for measure in (WuPalmer, PathLength, lambda inner: LevelSimilarity(inner=inner)):
        exact, free = (measured(measure(inner), kind, values, query) for inner in ("exact", "any"))
        for value in values:
            expected = 1.0 if reference.below(query, value, parents) else exact[value]
            assert free[value] == expected


def test_devices():
    values = ["mono", "colour", "inkjet", "router", "laser", "device"]
    assert measured(WuPalmer(), DEVICES, values, "mono") == {
        "mono": 1.0,
        "colour": pytest.approx(2 * 2 / 6),
        "inkjet": pytest.approx(2 * 1 / 5),
        "router": 0.0,
        "laser": pytest.approx(2 * 2 / 5),
        "device": 0.0,
    }
    found = measured(WuPalmer("any"), DEVICES, values, "printer")
    assert found == {"mono": 1, "colour": 1, "inkjet": 1, "router": 0, "laser": 1, "device": 0}
    found = measured(PathLength(), DEVICES, values, "mono")
    assert found == pytest.approx(
        {"mono": 1, "colour": 1 - 2 / 6, "inkjet": 0.5, "router": 1 - 4 / 6, "laser": 1 - 1 / 6, "device": 0.5}
    )
    found = measured(LevelSimilarity({"printer": 0.6, "laser": 0.9}), DEVICES, values, "mono")
    assert found == {"mono": 1, "colour": 0.9, "inkjet": 0.6, "router": 0, "laser": 0.9, "device": 0}


def test_roots_have_nothing_in_common():
    kind = Taxonomy({"printer": ["laser"], "router": ["mesh"]})
    for measure in (WuPalmer(), LevelSimilarity(), LevelSimilarity(otherwise=1.0)):
        assert measured(measure, kind, ["router", "mesh"], "laser") == {"router": 0, "mesh": 0}
    assert measured(PathLength(), kind, ["mesh", "router"], "laser") == {"mesh": 0, "router": 0.25}
    assert measured(WuPalmer(), kind, ["printer"], "printer") == {"printer": 1}


def test_the_used_cars_taxonomy_as_cbrkit_reads_it(data_dir):
    kind = Taxonomy(json.loads((data_dir / "used-cars-taxonomy.json").read_text()))
    values = ["audi", "porsche", "bmw", "mini"]
    found = measured(WuPalmer(), kind, values, "audi")
    assert found == {"audi": 1.0, "porsche": 0.5, "bmw": 0.0, "mini": 0.0}
    found = measured(LevelSimilarity(otherwise=1.0), kind, [*values, "Volkswagen AG"], "audi")
    assert found == {"audi": 1, "porsche": 1, "bmw": 0, "mini": 0, "Volkswagen AG": 1}
    found = measured(PathLength(), kind, ["Volkswagen AG", "bmw"], "audi")
    assert found == pytest.approx({"Volkswagen AG": 1 - 1 / 6, "bmw": 1 - 4 / 6})


def test_measures_with_weights_hash_and_do_not_follow_their_mapping():
    weights = {"a": 0.5}
    measure = LevelSimilarity(weights)
    weights["a"] = 1.0
    assert measure == LevelSimilarity({"a": 0.5})
    assert hash(measure) == hash(LevelSimilarity({"a": 0.5}))
