"""Files of others, and files that are not what they should be."""

from __future__ import annotations

import csv
import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from priorcase.cases import CaseBase, Graph, Note
from priorcase.cases.exchange import export, read_cases
from priorcase.cases.kinds import CaseKind
from priorcase.cases.storage import CaseRecord
from priorcase.datasets import read_table
from priorcase.exceptions import (
    CaseBaseError,
    ParameterError,
    ReadingError,
    WritingError,
)
from priorcase.schema import Date, Nominal, Numeric, Ordinal, Set, Text

KINDS: dict[str, CaseKind] = {"age": Numeric(), "make": Nominal()}
HEAD = '{"priorcase cases":1,"attributes":[["age",{"kind":"numeric"}],["make",{"kind":"nominal"}]]}\n'
CASES = [CaseRecord((3, "A"), '"fix"', id=1), CaseRecord((None, "B"), id=2)]


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


# -- tables of others


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_what_parts_the_fields_is_seen_in_the_header(tmp_path: Path, delimiter: str) -> None:
    rows = [["age", "make", "solution"], ["3", "A", "fix"], ["", '"B;,\tb"', ""]]
    path = written(tmp_path, "cars.csv", "\ufeff" + "".join(delimiter.join(row) + "\n" for row in rows))
    read = read_cases(path)
    assert read.attributes == KINDS
    assert [case.values for case in read.cases] == [(3, "A"), (None, "B;,\tb")]


def test_a_file_that_a_spreadsheet_has_written_again_with_semicolons(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    export(CASES, path, KINDS)
    path.write_text(path.read_text().replace(",", ";"))
    assert list(read_cases(path, KINDS).cases) == CASES


def test_who_and_why_of_a_plain_table_are_no_attributes(tmp_path: Path) -> None:
    for name, text in [
        ("cars.csv", "age,make,by,why\n3,A,7,test\n"),
        ("cars.jsonl", '{"age":3,"make":"A","by":"7","why":"test"}\n'),
    ]:
        for kinds in (None, KINDS):
            read = read_cases(written(tmp_path, name, text), kinds)
            assert read.attributes == KINDS
            assert list(read.cases) == [CaseRecord((3, "A"), by="7", why="test")]


def test_graphs_are_known_by_their_cells(tmp_path: Path) -> None:
    graph = '{"arcs":[["A","+","B"]],"labels":{}}'
    export([CaseRecord((graph,))], tmp_path / "g.csv", {"function": Graph()})
    read = read_cases(tmp_path / "g.csv")
    assert read.attributes == {"function": Graph()}
    assert [case.values for case in read.cases] == [(graph,)]


def test_texts_that_look_like_json_are_texts_to_whoever_does_not_know(tmp_path: Path) -> None:
    texts = ["it squeaks", "[1]", "7", '{"a":1}', "2024-05-01", "null"]
    export([CaseRecord((text,)) for text in texts], tmp_path / "t.csv", {"words": Text()})
    for kinds in (None, {"words": Text()}):
        assert [case.values for case in read_cases(tmp_path / "t.csv", kinds).cases] == [(text,) for text in texts]


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_text_is_a_formula_to_a_spreadsheet(tmp_path: Path, text: str) -> None:
    kinds: dict[str, CaseKind] = {"make": Nominal(), "words": Text(), "age": Numeric()}
    case = CaseRecord((text, text, -3), f'"{text}"'.replace("\t", "\\t").replace("\r", "\\r"), key=text, why=text)
    export([case], tmp_path / "cases.csv", kinds)
    with (tmp_path / "cases.csv").open(newline="") as file:
        _, cells = csv.reader(file)
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))] == ["-3"]
    assert list(read_cases(tmp_path / "cases.csv", kinds).cases) == [case]


def test_a_plain_csv_table_with_a_named_solution(tmp_path: Path) -> None:
    path = written(tmp_path, "cars.csv", "age,make,fix,ticket,said\n3,A,fuser,T1,loud\n,B,drum,T2,\n4.5,A,,,\n")
    read = read_cases(path, solution="fix", key="ticket", note="said")
    assert read.attributes == KINDS
    assert list(read.cases) == [
        CaseRecord((3, "A"), '"fuser"', key="T1", notes=(Note("loud"),)),
        CaseRecord((None, "B"), '"drum"', key="T2"),
        CaseRecord((4.5, "A")),
    ]


def test_columns_called_so_are_taken_for_it_and_numbers_stay_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, "cars.csv", "id,age,solution,outcome\n9,3,1.5,yes\n8,4,2,no\n")
    read = read_cases(path)
    assert read.attributes == {"age": Numeric()}
    assert list(read.cases) == [CaseRecord((3,), "1.5", '"yes"'), CaseRecord((4,), "2", '"no"')]
    assert [case.key for case in read_cases(path, {"age": Numeric()}, key="id").cases] == ["9", "8"]


def test_declared_kinds_are_those_of_a_plain_table(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", 'age,size,tags,day,words,code\n3,1,"[""a"",2]",2024-05-01,"7, 8",7\n,,,,,\n')
    kinds: dict[str, CaseKind] = {
        "words": Text(),
        "code": Nominal(),
        "age": Numeric(),
        "size": Ordinal((1, 2)),
        "tags": Set(),
        "day": Date(),
    }
    first, second = read_cases(path, kinds).cases
    assert first.values == ("7, 8", "7", 3, 1, (2, "a"), "2024-05-01")
    assert second.values == (None,) * 6


def test_arff_and_tsv_and_parquet_tables(tmp_path: Path) -> None:
    arff = "@relation t\n@attribute age numeric\n@attribute make {A,B}\n@attribute fix string\n@data\n3,A,x\n?,B,y\n"
    read = read_cases(written(tmp_path, "t.arff", arff), solution="fix")
    assert read.attributes == {"age": Numeric(), "make": Nominal(("A", "B"))}
    assert [case.solution for case in read.cases] == ['"x"', '"y"']
    tsv = read_cases(written(tmp_path, "t.tsv", "age\tfix\n3\tx\n"), solution="fix")
    assert list(tsv.cases) == [CaseRecord((3,), '"x"')]
    frame = pd.DataFrame({"age": [3.0, None], "make": ["A", "B"], "fix": [1, 2]})
    frame.to_parquet(tmp_path / "t.parquet")
    parquet = read_cases(tmp_path / "t.parquet", solution="fix")
    assert parquet.attributes == KINDS
    assert list(parquet.cases) == [CaseRecord((3, "A"), "1"), CaseRecord((None, "B"), "2")]
    named = read_cases(written(tmp_path, "noname", "age,fix\n3,x\n"), solution="fix", format="csv")
    assert list(named.cases) == [CaseRecord((3,), '"x"')]


def test_json_lines_of_others(tmp_path: Path) -> None:
    path = written(tmp_path, "t.ndjson", '{"age": 3, "make": "A", "fix": {"do": 1}}\n{"make": "B", "key": 7}\n')
    read = read_cases(path, solution="fix")
    assert read.attributes == KINDS
    assert list(read.cases) == [CaseRecord((3, "A"), '{"do":1}'), CaseRecord((None, "B"), key="7")]
    given = read_cases(path, KINDS, solution="fix")
    assert [case.values for case in given.cases] == [(3, "A"), (None, "B")]
    with pytest.raises(CaseBaseError, match=r"t\.ndjson line 1: got attribute 'fix', unknown"):
        list(read_cases(path, KINDS).cases)
    with pytest.raises(ReadingError, match=r"has no column 'fixx'.*Did you mean 'fix'"):
        read_cases(path, solution="fixx")


# -- writing


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    def failing() -> Iterator[CaseRecord]:
        yield from CASES
        raise KeyboardInterrupt

    for form in ("jsonl", "csv", "parquet"):
        path = tmp_path / f"cases.{form}"
        with pytest.raises(KeyboardInterrupt):
            export(failing(), path, KINDS)
        assert list(tmp_path.iterdir()) == []
        export(CASES, path, KINDS)
        before = path.read_bytes()
        with pytest.raises(CaseBaseError, match="exists already"):
            export([], path, KINDS)
        with pytest.raises(KeyboardInterrupt):
            export(failing(), path, KINDS, overwrite=True)
        assert path.read_bytes() == before
        assert export(CASES[:1], path, KINDS, overwrite=True) == 1
        assert len(list(read_cases(path).cases)) == 1
        path.unlink()
        assert list(tmp_path.iterdir()) == []


def test_a_file_that_comes_up_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"

    def meanwhile() -> Iterator[CaseRecord]:
        path.write_text("theirs")
        yield CASES[0]

    with pytest.raises(CaseBaseError, match="exists already"):
        export(meanwhile(), path, KINDS)
    assert path.read_text() == "theirs"
    assert [each.name for each in tmp_path.iterdir()] == ["cases.csv"]


def test_folders_where_files_have_no_second_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*names: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", no_links)
    export(CASES, tmp_path / "cases.csv", KINDS)
    assert list(read_cases(tmp_path / "cases.csv", KINDS).cases) == CASES
    assert [each.name for each in tmp_path.iterdir()] == ["cases.csv"]


def test_the_permissions_of_a_replaced_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    export(CASES, path, KINDS)
    path.chmod(0o640)
    export(CASES, path, KINDS, overwrite=True)
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    os.mkfifo(path)
    with pytest.raises(WritingError, match="not a regular file"):
        export(CASES, path, KINDS, overwrite=True)
    assert path.is_fifo()


def test_a_full_disk_is_one_clear_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "cases.csv"
    path.write_text("theirs")
    monkeypatch.setattr("os.fsync", full)
    for form in ("jsonl", "csv", "parquet"):
        with pytest.raises(WritingError, match=r"cases\.csv could not be written: No space left on device\."):
            export(CASES, path, KINDS, format=form, overwrite=True)
    assert path.read_text() == "theirs"
    assert [each.name for each in tmp_path.iterdir()] == ["cases.csv"]


def test_words_about_where_to_write(tmp_path: Path) -> None:
    with pytest.raises(CaseBaseError, match=r"cannot infer the format of .*cases\.txt from its name"):
        export(CASES, tmp_path / "cases.txt", KINDS)
    assert export(CASES, tmp_path / "cases.txt", KINDS, format="csv") == 2
    with pytest.raises(ParameterError, match="format"):
        export(CASES, tmp_path / "cases.txt", KINDS, format="xml")  # type: ignore[arg-type]
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(CaseBaseError, match=r".*d\.csv"):
        export(CASES, tmp_path / "d.csv", KINDS)
    with pytest.raises(CaseBaseError, match=r".*d\.csv"):
        read_cases(tmp_path / "d.csv")
    with pytest.raises(CaseBaseError, match=r"cannot write to .*nowhere, which is not a folder"):
        export(CASES, tmp_path / "nowhere" / "cases.csv", KINDS)


# -- reading


LINES = [
    ("{", "it is not valid JSON"),
    ("[" * 100_000, "it is not valid JSON"),
    ("[1]", "it is not a JSON object"),
    ('{"values":{"age":NaN}}', "it is not valid JSON"),
    ('{"values":{"age":1,"age":2}}', "it is not valid JSON"),
    ('{"id":1}', "it has no values"),
    ('{"values":{},"color":1}', "it has an unknown entry 'color'"),
    ('{"values":{},"id":"1"}', "its 'id' is invalid: '1'"),
    ('{"values":{},"key":["k"]}', r"its 'key' is invalid: \['k'\]"),
    ('{"values":{},"by":""}', "its 'by' is invalid: ''"),
    ('{"values":{},"retired":1}', "its 'retired' is invalid: 1"),
    ('{"values":{},"notes":"n"}', "its 'notes' is invalid: 'n'"),
    ('{"values":{},"notes":[{"at":"x"}]}', "its 'notes' is invalid"),
    ('{"values":{},"notes":[{"text":"x","at":3}]}', "its 'notes' is invalid"),
    ('{"values":{},"notes":[{"text":"x","who":"y"}]}', "its 'notes' is invalid"),
]


@pytest.mark.parametrize(("line", "problem"), LINES, ids=lambda text: text[:30])
def test_a_line_that_is_no_case_is_named_by_its_number(tmp_path: Path, line: str, problem: str) -> None:
    path = written(tmp_path, "cases.jsonl", HEAD + '{"values":{"age":1}}\n\n' + line + "\n")
    read = read_cases(path)
    assert next(read.cases).values == (1, None)
    with pytest.raises(
        CaseBaseError, match=rf"cases\.jsonl line 4 is not a case: {problem}.* Correct or remove that line"
    ):
        next(read.cases)


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"key": "k" * 1_001}, "1,001 characters for 'key'"),
        ({"key": 10**1_001}, "1,002 characters for 'key'"),
        ({"by": "b" * 1_000_001}, "1,000,001 characters for 'by'"),
        ({"notes": [{"text": "n" * 1_000_001}]}, "1,000,001 characters for 'note'"),
        ({"notes": [{"text": "n", "by": "b" * 1_000_001}]}, "1,000,001 characters for 'by'"),
    ],
)
def test_what_is_imported_has_the_limits_of_what_is_added(tmp_path: Path, entry: Any, problem: str) -> None:
    path = written(tmp_path, "cases.jsonl", HEAD + json.dumps({"values": {"age": 1}, **entry}) + "\n")
    with pytest.raises(CaseBaseError, match=rf"cases\.jsonl line 2: got {problem}; expected at most"):
        list(read_cases(path).cases)
    with CaseBase.temporary() as base:
        with pytest.raises(CaseBaseError, match=rf"line 2: got {problem}"):
            base.import_(path)
        assert len(base) == 0


def test_values_that_do_not_fit_name_line_and_attribute(tmp_path: Path) -> None:
    path = written(tmp_path, "cases.jsonl", HEAD + '{"values":{"age":"old"}}\n')
    with pytest.raises(CaseBaseError, match=r"cases\.jsonl line 2: got 'old' for 'age'"):
        list(read_cases(path).cases)
    path = written(tmp_path, "cases.jsonl", HEAD + '{"values":{"agee":3}}\n')
    with pytest.raises(CaseBaseError, match=r"cases\.jsonl line 2: got attribute 'agee'"):
        list(read_cases(path).cases)
    export(CASES, tmp_path / "cases.csv", KINDS)
    text = (tmp_path / "cases.csv").read_text().replace(",3,", ",three,")
    with pytest.raises(CaseBaseError, match=r"cases\.csv line 2: got 'three' for 'age'"):
        list(read_cases(written(tmp_path, "cases.csv", text), KINDS).cases)
    plain = written(tmp_path, "t.csv", "age,make\n3,A\nfour,B\n")
    with pytest.raises(ReadingError, match=r"t\.csv line 3, column 'age' holds 'four'; expected a number such as 3"):
        list(read_cases(plain, KINDS).cases)
    for form in ("jsonl", "csv", "parquet"):
        export(CASES, tmp_path / f"own.{form}", KINDS)
        with pytest.raises(CaseBaseError, match=rf"own\.{form} has attribute 'make', unknown"):
            read_cases(tmp_path / f"own.{form}", {"age": Numeric()})
    with pytest.raises(CaseBaseError, match="attribute 'make', unknown"):
        read_cases(written(tmp_path, "u.csv", "age,make\n3,A\n4,B\n"), {"age": Numeric()})


def test_heads_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CaseBaseError, match=r"contains cases in format 2; this version reads format 1"):
        read_cases(written(tmp_path, "a.jsonl", HEAD.replace("1", "2", 1)))
    for attributes in ("3", '[["age"]]', '[["age",{"kind":"colour"}]]', '[["age",3]]', '[["a",{"kind":"ordinal"}]]'):
        head = f'{{"priorcase cases":1,"attributes":{attributes}}}'
        with pytest.raises(CaseBaseError, match="it declares an attribute of an unknown kind"):
            read_cases(written(tmp_path, "a.jsonl", head))
    twice = '{"priorcase cases":1,"attributes":[["a",{"kind":"set"}],["a",{"kind":"set"}]]}'
    with pytest.raises(CaseBaseError, match="it declares an attribute twice, or without a name"):
        read_cases(written(tmp_path, "a.jsonl", twice))
    for name, kind in (("a.jsonl", CaseBaseError), ("a.csv", ReadingError)):
        with pytest.raises(kind, match=rf"{name} is empty; expected"):
            read_cases(written(tmp_path, name, ""))
    with pytest.raises(FileNotFoundError):
        read_cases(tmp_path / "none.jsonl")


def test_columns_of_exported_files_need_no_names(tmp_path: Path) -> None:
    for form in ("jsonl", "csv", "parquet"):
        export(CASES, tmp_path / f"cases.{form}", KINDS)
        with pytest.raises(CaseBaseError, match=r"the meaning of its columns is known; omit parameter 'solution'"):
            read_cases(tmp_path / f"cases.{form}", solution="make")


def test_csv_that_is_none(tmp_path: Path) -> None:
    export(CASES, tmp_path / "cases.csv", KINDS)
    text = (tmp_path / "cases.csv").read_text()
    with pytest.raises(ReadingError, match=r"line 4 has 2 fields; its header has 12"):
        list(read_cases(written(tmp_path, "cases.csv", text + "a,b\n"), KINDS).cases)
    with pytest.raises(ReadingError, match=r"line 4 is not valid CSV"):
        list(read_cases(written(tmp_path, "cases.csv", text + '"a'), KINDS).cases)
    (tmp_path / "cases.csv").write_bytes(text.encode() + b"\xff\xfe\n")
    with pytest.raises(ReadingError, match=r"is not text in the encoding utf-8"):
        list(read_cases(tmp_path / "cases.csv", KINDS).cases)
    with pytest.raises(ParameterError, match=r"format.*'jsonl', 'csv', 'parquet', 'tsv'"):
        read_cases(tmp_path / "cases.csv", format="xml")


def test_parquet_with_names_that_are_no_text(tmp_path: Path) -> None:
    export(CASES, tmp_path / "a.parquet", KINDS)
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(content.replace(b"make", b"mak\xc9"))
    for read in (read_cases, read_table):
        with pytest.raises(ReadingError, match="is not valid Parquet"):
            read(tmp_path / "a.parquet")


def test_parquet_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ReadingError, match=r"a\.parquet is not"):
        read_cases(written(tmp_path, "a.parquet", "PAR1 and no more"))
    for head, words in [("{", "its metadata do not"), ('{"columns":{}}', ""), ('{"columns":3}', "its metadata do not")]:
        table = pyarrow.table({"age": [1]}).replace_schema_metadata({"priorcase cases": head})
        pyarrow.parquet.write_table(table, tmp_path / "b.parquet")
        if words:
            with pytest.raises(CaseBaseError, match=words):
                read_cases(tmp_path / "b.parquet")
        else:
            assert [case.values for case in read_cases(tmp_path / "b.parquet").cases] == [()]
    told = '"columns":{"=age":{"column":"aged","json":false}}'
    head = f'{{"priorcase cases":1,"attributes":[["age",{{"kind":"numeric"}}]],{told}}}'
    table = pyarrow.table({"age": [1]}).replace_schema_metadata({"priorcase cases": head})
    pyarrow.parquet.write_table(table, tmp_path / "c.parquet")
    with pytest.raises(CaseBaseError, match="its columns are not the columns that its metadata describe"):
        list(read_cases(tmp_path / "c.parquet").cases)
