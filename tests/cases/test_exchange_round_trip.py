"""Cases written to a file and read back: nothing is lost, in any format."""

from __future__ import annotations

import csv
import json
import tracemalloc
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priorcase.cases import FunctionGraph, Graph, Note
from priorcase.cases.exchange import export, read_cases
from priorcase.cases.kinds import CaseKind, check, check_plain
from priorcase.cases.storage import CaseRecord
from priorcase.schema import Date, Nominal, Numeric, Ordinal, Set, Taxonomy, Text

FORMATS = ("jsonl", "csv", "parquet")
KINDS: dict[str, CaseKind] = {
    "age": Numeric(),
    "size": Ordinal(("S", "M", 7, True)),
    "colour": Nominal(),
    "bought": Date(),
    "device": Taxonomy({"device": ["printer", "router"]}),
    "tags": Set(),
    "words": Text(),
    "how": Graph(),
    "sold": Nominal(("yes", "no")),
}
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(
    ["", '"', '""', '"a', "7", " 7", "true", "null", "NaN", "[1]", '{"a":1}', "a,b", "a\nb", "a\rb", "\r", "é\0", "-"]
)
numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
names = texts | numbers | st.booleans()
plain = st.recursive(
    st.none() | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
VALUES: dict[str, Any] = {
    "age": numbers,
    "size": st.sampled_from(["S", "M", 7, True]),
    "colour": names,
    "bought": st.sampled_from(["2024-05-01", "1066-10-14", "2024-05-01T10:00:00", "2024-05-01T10:00:00.25+02:00"]),
    "device": st.sampled_from(["device", "printer", "router"]),
    "tags": st.lists(names, max_size=3),
    "words": texts,
    "how": st.sampled_from([FunctionGraph.parse("Q1 +> Q3; Q2 -> Q3"), FunctionGraph.parse("a +> b")]),
    "sold": st.sampled_from(["yes", "no"]),
}


@st.composite
def records(draw: Any) -> CaseRecord:
    """A case with some of all that a case can have."""
    values = tuple(check(kind, draw(st.none() | VALUES[name]), attribute=name) for name, kind in KINDS.items())
    said = st.none() | texts.filter(bool)
    return CaseRecord(
        values,
        check_plain(draw(plain), what="solution"),
        check_plain(draw(plain), what="outcome"),
        id=draw(st.none() | st.integers(1, 10**9)),
        key=draw(said),
        notes=tuple(Note(*each) for each in draw(st.lists(st.tuples(texts.filter(bool), said, said), max_size=2))),
        by=draw(said),
        why=draw(said),
        added_at=draw(said),
        revised_at=draw(said),
        retired=draw(st.booleans()),
    )


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=25, deadline=None)
@given(cases=st.lists(records(), max_size=6))
def test_all_that_a_case_has_comes_back(form: str, cases: list[CaseRecord]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"cases.{form}"
        assert export(cases, path, KINDS) == len(cases)
        read = read_cases(path, KINDS)
        assert read.attributes == KINDS
        assert_same(list(read.cases), cases)
        if form != "csv":  # kinds have no place in it
            again = read_cases(path)
            assert again.attributes == KINDS
            assert_same(list(again.cases), cases)


def assert_same(ours: list[CaseRecord], theirs: list[CaseRecord]) -> None:
    assert ours == theirs
    for one, other in zip(ours, theirs, strict=True):
        assert repr(one.values) == repr(other.values)  # 1, 1.0 and True are equal, and not the same


CASES = [
    CaseRecord(
        (3, "S", "red", "2024-05-01", "printer", ("a", "b"), "it squeaks", None, None), '"fix"', "true", 1, "T-1"
    ),
    CaseRecord((None, None, 7, "2024-05-02", None, (), "", None, "no"), '{"do":["x",1]}', None, 2, retired=True),
]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("number", [2**53 - 1, 2**53, -(2**53), 2**53 + 1])
def test_whole_numbers_that_no_double_holds_come_back(form: str, number: int, tmp_path: Path) -> None:
    cases = [CaseRecord((value, *(None,) * (len(KINDS) - 1)), None, None) for value in (None, 0.5, number)]
    path = tmp_path / f"cases.{form}"
    export(cases, path, KINDS)
    assert_same(list(read_cases(path, KINDS).cases), cases)


def test_json_lines_look_like_this(tmp_path: Path) -> None:
    kinds = {name: KINDS[name] for name in ("age", "tags", "words")}
    noted = CaseRecord(
        (3, ("a",), "é"), '"fix"', None, 1, "T-1", (Note("späte", by="me"),), "me", "so", "2024", retired=True
    )
    export([noted, CaseRecord((None, None, ""))], tmp_path / "cases.jsonl", kinds)
    assert (tmp_path / "cases.jsonl").read_text(encoding="utf-8").splitlines() == [
        '{"priorcase cases":1,"attributes":[["age",{"kind":"numeric"}],["tags",{"kind":"set"}],'
        '["words",{"kind":"text"}]]}',
        '{"id":1,"key":"T-1","values":{"age":3,"tags":["a"],"words":"é"},"solution":"fix",'
        '"notes":[{"text":"späte","by":"me"}],"by":"me","why":"so","added_at":"2024","retired":true}',
        '{"values":{"words":""}}',
    ]


def test_a_csv_file_looks_like_this(tmp_path: Path) -> None:
    export(CASES, tmp_path / "cases.csv", KINDS)
    with (tmp_path / "cases.csv").open(newline="", encoding="utf-8") as file:
        header, first, second = csv.reader(file)
    beside = ["id", "key", "solution", "outcome", "notes", "by", "why", "added_at", "revised_at", "retired"]
    assert header == [*beside, *KINDS]
    assert first == [
        *("1", "T-1", "fix", "true", "", "", "", "", "", ""),
        *("3", "S", "red", "2024-05-01", "printer", '["a", "b"]', "it squeaks", "", ""),
    ]
    assert second == [
        *("2", "", '{"do":["x",1]}', "", "", "", "", "", "", "true"),
        *("", "", "7", "2024-05-02", "", "[]", '""', "", "no"),
    ]


NAMES = ("=1+1", "+a", "-b", "@c", '"d"', "\te", "f", "'=g", "'h", "-5")


def test_names_that_look_like_formulas_are_made_safe_and_come_back(tmp_path: Path) -> None:
    kinds = dict.fromkeys(NAMES, Numeric())
    cases = [CaseRecord(tuple(range(len(NAMES))))]
    export(cases, tmp_path / "cases.csv", kinds)
    with (tmp_path / "cases.csv").open(newline="", encoding="utf-8") as file:
        header = next(csv.reader(file))[-len(NAMES) :]
    assert header == ["'=1+1", "'+a", "'-b", "'@c", r'"\"d\""', "'\te", "f", "''=g", "'h", "-5"]
    for attributes in (None, kinds):
        read = read_cases(tmp_path / "cases.csv", attributes)
        assert read.attributes == kinds
        assert list(read.cases) == cases


def test_csv_without_attributes_is_read_as_it_looks(tmp_path: Path) -> None:
    export(CASES, tmp_path / "cases.csv", KINDS)
    read = read_cases(tmp_path / "cases.csv")
    kinds = dict(read.attributes)
    assert kinds.pop("age") == Numeric()
    assert kinds.pop("tags") == Set()
    assert set(kinds.values()) == {Nominal()}
    assert [case.solution for case in read.cases] == ['"fix"', '{"do":["x",1]}']


def test_parquet_has_typed_columns(tmp_path: Path) -> None:
    export(CASES, tmp_path / "cases.parquet", KINDS)
    table = pyarrow.parquet.read_table(tmp_path / "cases.parquet")
    types = {field.name: str(field.type) for field in table.schema}
    assert types["age"] == "double"
    assert types["bought"] == "date32[day]"
    assert types["tags"].startswith("list<")
    assert types["id"] == "int64"
    assert types["retired"] == "bool"
    assert types["outcome"] == "bool"
    assert types["colour"] == types["solution"] == "string"  # of several types: JSON
    assert table.column("tags").to_pylist() == [["a", "b"], []]
    assert table.column("bought").to_pylist() == [date(2024, 5, 1), date(2024, 5, 2)]
    assert table.column("colour").to_pylist() == ['"red"', "7"]
    moments = [CaseRecord(("2024-05-01T10:00:00",)), CaseRecord((None,))]
    export(moments, tmp_path / "moments.parquet", {"at": Date()})
    column = pyarrow.parquet.read_table(tmp_path / "moments.parquet").column("at")
    assert column.to_pylist() == [datetime(2024, 5, 1, 10), None]
    assert list(read_cases(tmp_path / "moments.parquet").cases) == moments


def test_a_base_with_more_attributes_takes_cases_with_fewer(tmp_path: Path) -> None:
    wider = {"new": Numeric(), **KINDS}
    for form in FORMATS:
        path = tmp_path / f"cases.{form}"
        export(CASES, path, KINDS)
        assert [case.values for case in read_cases(path, wider).cases] == [(None, *case.values) for case in CASES]


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_nothing_of_the_whole_file_is_kept_in_memory(tmp_path: Path, form: str) -> None:
    kinds: dict[str, CaseKind] = {"words": Text()}

    def many() -> Iterator[CaseRecord]:
        return (CaseRecord((f"{i} " * 500,), '"x"') for i in range(2_000))

    path = tmp_path / f"cases.{form}"
    tracemalloc.start()
    export(many(), path, kinds)
    n = sum(len(str(case.values[0])) > 500 for case in read_cases(path, kinds).cases)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n == 2_000
    # A block of rows of CSV is at hand at a time.
    assert peak < (path.stat().st_size if form == "csv" else path.stat().st_size / 4)


def test_a_file_can_be_edited_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    lines = ["\ufeff" + json.dumps({"values": {"age": 3.0, "tags": ["b", "a", "a"]}}), "", '{"values": {"age": null}}']
    path.write_text("\n".join(lines), encoding="utf-8")
    read = read_cases(path)
    assert read.attributes == {"age": Numeric(), "tags": Set()}
    assert [case.values for case in read.cases] == [(3, ("a", "b")), (None, None)]
    assert next(read_cases(path, {"tags": Set(), "age": Nominal()}).cases).values == (("a", "b"), 3)
