"""A case base given away as a file and taken in by another: the same digest, whole or nothing."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import priorcase as pc
from priorcase.exceptions import CaseBaseError

ATTRIBUTES: dict[str, Any] = {
    "device": pc.Taxonomy({"printer": ["laser", "inkjet"]}),
    "age": "numeric",
    "size": pc.Ordinal(("S", "M", "L")),
    "code": "nominal",
    "message": "text",
    "tags": "set",
    "bought": "date",
    "how": "graph",
}


@pytest.fixture
def base() -> Iterator[pc.CaseBase]:
    """A base with all that cases can have."""
    with pc.CaseBase.temporary(ATTRIBUTES, by="desk 1") as base:
        case = {"device": "laser", "age": 3.5, "message": 'päper,\n"jam"', "tags": {"a", 2}, "code": True}
        base.add({**case, "bought": datetime.date(2024, 5, 1)}, solution={"do": ["x", 1]}, key="T-1", note="loud")
        base.add({"code": "7", "message": "", "age": 3}, solution="fix", outcome=True, by="desk 2", why="asked")
        base.add({"code": 7, "size": "M", "how": "Q1 +> Q3; Q2 +> Q3"}, outcome=0.25)
        last = base.add({"device": "printer", "bought": "2024-05-01T10:00:00+02:00"}, solution="7")
        base.revise(2, note="came back", by="desk 3")
        base.revise(2, note="and again")
        base.retire(last, why="too old")
        yield base


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_a_copy_of_everything(base: pc.CaseBase, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"cases.{ending}"
    with pc.CaseBase.temporary(ATTRIBUTES if ending == "csv" else None) as copy:  # CSV has no kinds
        assert base.export(path) == 4
        assert copy.import_(path) == [1, 2, 3, 4]
        assert copy.digest() == base.digest()
        assert copy.attributes == base.attributes
        assert [dict(case) for case in copy] == [dict(case) for case in base]
        assert [(note.text, note.by) for note in copy.get(2).notes] == [
            ("came back", "desk 3"),
            ("and again", "desk 1"),
        ]
        assert [case.retired for case in copy] == [False, False, False, True]
        assert copy.import_(path)[0] == 1  # the same key is the same case
        assert len(copy) == 7
        assert copy.verify()


def test_some_cases(base: pc.CaseBase, tmp_path: Path) -> None:
    assert base.export(tmp_path / "some.jsonl", where={"age": pc.cases.known()}) == 2
    with pytest.raises(CaseBaseError, match=r"CaseBase\.export: .*exists already"):
        base.export(tmp_path / "some.jsonl")
    assert base.export(tmp_path / "some.jsonl", overwrite=True) == 4
    with pytest.raises(CaseBaseError, match="format"):
        base.export(tmp_path / "some.xyz")


def test_a_table_of_others(tmp_path: Path) -> None:
    (tmp_path / "cars.csv").write_text("make,miles,price,no\nford,10,900,a\naudi,?,1200,b\n")
    with pc.CaseBase.temporary() as base:
        assert base.import_(tmp_path / "cars.csv", solution="price", key="no", by="dealer") == [1, 2]
        assert [dict(case) for case in base] == [{"make": "ford", "miles": 10}, {"make": "audi", "miles": None}]
        assert [(case.solution, case.key, case.by) for case in base] == [(900, "a", "dealer"), (1200, "b", "dealer")]


def test_a_wrong_line_adds_nothing(base: pc.CaseBase, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    base.export(path)
    path.write_text(path.read_text(encoding="utf-8").replace('"size":"M"', '"size":"XL"'), encoding="utf-8")
    before = base.digest()
    with pytest.raises(CaseBaseError, match=r"cases\.jsonl line 4: got 'XL' for 'size'"):
        base.import_(path)
    with pytest.raises((CaseBaseError, OSError)):
        base.import_(tmp_path / "absent.csv")
    assert base.digest() == before
    with pc.CaseBase.temporary() as copy:
        with pytest.raises(CaseBaseError):
            copy.import_(path)
        assert len(copy) == 0
        assert copy.attributes == {}


_TWICE = [
    '{"priorcase cases":1,"attributes":[["a",{"kind":"numeric"}]]}',
    '{"key":"k","values":{"a":1},"solution":"A","notes":[{"text":"one"}],"retired":true}',
    '{"key":"m","values":{"a":1},"solution":"A"}',
    '{"key":"k","values":{"a":2},"solution":"B"}',
    '{"key":"m","values":{"a":2},"solution":"B","notes":[{"text":"two"}],"retired":true}',
]


@pytest.mark.parametrize(
    ("name", "lines", "retired"),
    [
        ("twice.jsonl", _TWICE, [True, False]),
        ("twice.csv", ["key,a,solution,note", "k,1,A,one", "m,1,A,", "k,2,B,", "m,2,B,two"], [False, False]),
    ],
)
def test_of_cases_with_the_same_key_the_first_counts(
    tmp_path: Path, name: str, lines: list[str], retired: list[bool]
) -> None:
    (tmp_path / name).write_text("\n".join(lines) + "\n")
    told = []
    for number in range(2):  # in memory, and read from the file
        with pc.CaseBase.open(tmp_path / "twice.cases", {"a": "numeric"}) as base:
            if number == 0:
                assert base.import_(tmp_path / name) == [1, 2, 1, 2]
            told.append([(case["a"], case.solution, [note.text for note in case.notes]) for case in base])
            assert [match.case["a"] for match in base.retrieve({"a": 1})] == [1] * retired.count(False)
            assert [case.retired for case in base] == retired
    assert told == [[(1, "A", ["one"]), (1, "A", [])]] * 2
