"""Cases exported and imported through the case base."""

import datetime

import pytest

import priorcase as pc
from priorcase.exceptions import CaseBaseError

ATTRIBUTES = {
    "device": pc.Taxonomy({"printer": ["laser", "inkjet"]}),
    "age": "numeric",
    "urgency": pc.Ordinal(("low", "high")),
    "signs": "set",
    "opened": "date",
    "message": "text",
    "function": "graph",
}


@pytest.fixture
def base():
    with pc.CaseBase.temporary(ATTRIBUTES) as base:
        case = {"device": "laser", "age": 3, "urgency": "low", "signs": {"jam"}, "opened": datetime.date(2024, 5, 1)}
        base.add({**case, "message": 'päper, "jam"\nagain', "function": "C +> Q"}, solution={"a": [1]}, outcome=True)
        base.add({"age": 2.5, "message": ""}, solution="x", key="T-2", note="first", by="desk", why="new")
        base.revise(2, note="second", by="other")
        base.add({"device": "printer"}, outcome=0.5)
        base.retire(3, why="too old")
        yield base


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "csv"])
def test_a_copy_of_everything(base, tmp_path, ending):
    path = tmp_path / f"cases.{ending}"
    assert base.export(path) == 3
    with pc.CaseBase.temporary(base.attributes) as copy:
        assert copy.import_(path) == [1, 2, 3]
        assert copy.digest() == base.digest()
        assert [note.text for note in copy.get(2).notes] == ["first", "second"]
        assert copy.get(3).retired
        assert copy.import_(path)[1] == 2  # the key was there already
        assert len(copy) == 5
        assert copy.verify()


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_the_kinds_travel_along(base, tmp_path, ending):
    base.export(tmp_path / f"cases.{ending}")
    with pc.CaseBase.temporary() as copy:
        copy.import_(tmp_path / f"cases.{ending}")
        assert copy.digest() == base.digest()


def test_some_cases(base, tmp_path):
    assert base.export(tmp_path / "some.jsonl", age=pc.cases.known()) == 2
    with pytest.raises(CaseBaseError, match="would replace"):
        base.export(tmp_path / "some.jsonl")
    assert base.export(tmp_path / "some.jsonl", overwrite=True) == 3
    with pytest.raises(CaseBaseError, match="format"):
        base.export(tmp_path / "some.xyz")


def test_a_table_of_others(tmp_path):
    (tmp_path / "cars.csv").write_text("make,miles,price,no\nford,10,900,a\naudi,?,1200,b\n")
    with pc.CaseBase.temporary() as base:
        assert base.import_(tmp_path / "cars.csv", solution="price", key="no", by="dealer") == [1, 2]
        assert [dict(case) for case in base] == [{"make": "ford", "miles": 10}, {"make": "audi", "miles": None}]
        assert [(case.solution, case.key, case.by) for case in base] == [(900, "a", "dealer"), (1200, "b", "dealer")]


def test_a_wrong_line_adds_nothing(base, tmp_path):
    path = tmp_path / "cases.jsonl"
    base.export(path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, '{"values": {"age": "old"}}']) + "\n")
    before = base.digest()
    with pytest.raises(CaseBaseError):
        base.import_(path)
    assert base.digest() == before
    with pytest.raises((CaseBaseError, OSError)):
        base.import_(tmp_path / "absent.csv")
