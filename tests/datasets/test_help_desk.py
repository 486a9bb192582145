"""The built-in help desk, and taxonomies that belong to data sets."""

import json

import pytest

import priorcase as pc
from priorcase.exceptions import ReadingError


def test_tickets_are_whole_and_their_own():
    desk = pc.datasets.load_help_desk()
    assert len(desk.tickets) == 69 >= 60
    leaves = {leaf for below in desk.areas["it"].values() for leaf in below}
    assert {ticket["area"] for ticket in desk.tickets} == leaves
    assert {ticket["urgency"] for ticket in desk.tickets} == set(desk.urgencies)
    assert len({ticket["ticket"] for ticket in desk.tickets}) == 69
    assert len({ticket["message"] for ticket in desk.tickets}) == 69
    assert sum(ticket["outcome"] is False for ticket in desk.tickets) == 3
    assert sum(ticket["system"] is None for ticket in desk.tickets) == 3
    counts = [sum(t["solution"] == ticket["solution"] for t in desk.tickets) for ticket in desk.tickets]
    assert sum(count > 1 for count in counts) > 60  # nearly every solution was needed more than once


def test_tickets_may_be_changed_without_harm():
    pc.datasets.load_help_desk().tickets[0]["area"] = None
    assert pc.datasets.load_help_desk().tickets[0]["area"] == "laser printer"


def test_the_taxonomy_of_used_cars(data_dir):
    tree = pc.datasets.load_taxonomy("used-cars", "manufacturer")
    assert tree == json.loads((data_dir / "used-cars-taxonomy.json").read_text())
    assert pc.datasets.describe("used-cars").taxonomies == {"manufacturer": "used-cars-taxonomy.json"}
    with pytest.raises(ReadingError, match="'fuel' of 'used-cars' has no taxonomy"):
        pc.datasets.load_taxonomy("used-cars", "fuel")
    with pytest.raises(ReadingError, match="The data set has no attribute with a taxonomy"):
        pc.datasets.load_taxonomy("glass", "RI")


def test_a_taxonomy_that_is_not_there(tmp_path):
    entry = {
        "name": "t",
        "file": "t.csv",
        "rows": 1,
        "attributes": [{"name": "a", "kind": "nominal"}],
        "target": {"name": "y", "kind": "nominal"},
        "taxonomies": {"a": "t.json"},
    }
    (tmp_path / "manifest.json").write_text(json.dumps({"datasets": [entry]}))
    with pytest.raises(ReadingError, match=r"names 't\.json', which is not a JSON file"):
        pc.datasets.load_taxonomy("t", "a", folder=tmp_path)
    (tmp_path.parent / "outside.json").write_text("{}")
    entry["taxonomies"] = {"a": "../outside.json"}
    (tmp_path / "manifest.json").write_text(json.dumps({"datasets": [entry]}))
    with pytest.raises(ReadingError, match=r"names the file '\.\./outside\.json', which is outside the folder"):
        pc.datasets.load_taxonomy("t", "a", folder=tmp_path)
