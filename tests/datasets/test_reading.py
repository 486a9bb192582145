"""Reading CSV files: what is understood, and one clear sentence for each thing that is not."""

from __future__ import annotations

import csv
import gzip
import io
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priorcase.datasets import MISSING, TextTable, read_table, read_text
from priorcase.datasets.columns import parse_number
from priorcase.datasets.reading import format_of
from priorcase.exceptions import PriorcaseError, ReadingError
from priorcase.schema import Nominal, Numeric, Ordinal


def text(content: str | bytes, **options: object) -> TextTable:
    data = content.encode() if isinstance(content, str) else content
    return read_text(io.BytesIO(data), name="t.csv", **options)  # type: ignore[arg-type]


def message(content: str | bytes, **options: object) -> str:
    with pytest.raises(ReadingError) as caught:
        text(content, **options)
    return str(caught.value)


def test_fields_are_text_and_gaps_are_none() -> None:
    table = text("a,b\n1, x \n?,NA\n,NaN\nnull,none\n")
    assert table.names == ("a", "b")
    assert table.column("a") == ("1", None, None, None)
    assert table.column("b") == ("x", None, None, "none")
    assert table.lines == (2, 3, 4, 5)
    assert len(table) == 4
    assert "a" in table
    assert "c" not in table


def test_the_missing_fields_can_be_replaced_but_the_empty_one_stays() -> None:
    assert text('a\n-9\n?\n""\n', missing=["-9"]).column("a") == (None, "?", None)
    assert "?" in MISSING


def test_quoted_fields_may_hold_delimiters_quotes_and_line_breaks() -> None:
    table = text('a,b\n"1;2, ""three""","x\ny"\nlast,z\n')
    assert table.column("a") == ('1;2, "three"', "last")
    assert table.column("b") == ("x\ny", "z")
    assert table.lines == (2, 4)


def test_blank_lines_windows_endings_and_a_byte_order_mark_are_passed_over() -> None:
    table = text(b"\xef\xbb\xbfa,b\r\n1,2\r\n\r\n3,4\r\n\r\n")
    assert table.names == ("a", "b")
    assert table.column("a") == ("1", "3")
    assert table.lines == (2, 4)


def test_other_delimiters_and_encodings() -> None:
    assert text("a;b\n1;2\n", delimiter=";").column("b") == ("2",)
    assert text("größe\n1\n".encode("latin-1"), encoding="latin-1").names == ("größe",)


def test_a_gzipped_file_is_unpacked_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(gzip.compress(b"a\n1\n", mtime=0))
    table = read_text(path)
    assert table.column("a") == ("1",)
    assert table.source == str(path)


def test_a_header_alone_is_a_table_without_rows() -> None:
    table = text("a,b\n")
    assert len(table) == 0
    assert table.columns == ((), ())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "t.csv is empty; expected a header row and one row for each case. Is this the right file?"),
        ("\n\n", "t.csv is empty; expected a header row and one row for each case."),
        ("a,b\n1,2\n3\n", "t.csv line 3 has 1 field; its header has 2."),
        ("a,b\n1,2,3\n", "t.csv line 2 has 3 fields; its header has 2."),
        ("a,b,a\n1,2,3\n", "t.csv names column 'a' twice in its header."),
        ("a,,b\n1,2,3\n", "t.csv has no name for column 2 in its header; expected a name for every column."),
        (
            b"a\n\xff\xfe\n",
            "t.csv line 2 is not text in the encoding utf-8. Save it as UTF-8, or name its encoding, such",
        ),
        (
            "a\n".encode("utf-16"),
            "t.csv line 1 is not text in the encoding utf-8. It begins with the byte-order mark of",
        ),
        (b"a\nx\0y\n", "t.csv line 2 is not text in the encoding utf-8."),
        ('a\n1\n"open\n', "t.csv line 3 is not valid CSV: unexpected end of data."),
        (gzip.compress(b"a\n1\n2\n3\n", mtime=0)[:-9], "t.csv looks gzipped but is cut short or damaged."),
    ],
)
def test_each_unreadable_file_has_its_sentence(content: str | bytes, expected: str) -> None:
    assert message(content).startswith(expected)


def test_an_unknown_encoding_is_named() -> None:
    assert "pass encoding='utf-16'" in message("a\n".encode("utf-16"))
    assert "pass encoding=" not in message(b"\xff\xfea", encoding="utf-16")
    assert message("a\n", encoding="utf-99").startswith("The encoding 'utf-99' is unknown.")


def test_a_missing_file_is_the_usual_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_text(tmp_path / "none.csv")


def test_reading_errors_are_value_errors_of_this_library() -> None:
    assert issubclass(ReadingError, PriorcaseError)
    assert issubclass(ReadingError, ValueError)


def test_kinds_follow_the_fields_unless_declared() -> None:
    table = text("n,code,size,mixed,gap\n1,1,S,1,\n-2e3,2,L,x,?\n,1,,3,\n")
    assert table.kinds() == {"n": Numeric(), "code": Numeric(), "size": Nominal(), "mixed": Nominal(), "gap": Numeric()}
    declared = table.kinds(nominal=["code"], ordinal={"size": ["S", "M", "L"]})
    assert declared["code"] == Nominal()
    assert declared["size"] == Ordinal(("S", "M", "L"))


@pytest.mark.parametrize("odd", ["inf", "-Infinity", "1e999", "1_000", "0x10", "1,5", "12 kg"])
def test_a_column_with_something_else_than_finite_numbers_is_nominal(odd: str) -> None:
    assert text(f'a\n1\n"{odd}"\n').kinds() == {"a": Nominal()}


def test_declarations_must_name_a_column_once() -> None:
    table = text("age,size\n1,S\n")
    with pytest.raises(ReadingError, match=r"t\.csv has no column 'agee'"):
        table.kinds(numeric=["agee"])
    with pytest.raises(ReadingError, match="column 'age' is declared more than once"):
        table.kinds(numeric=["age"], nominal=["age"])


def test_typed_columns_are_floats_with_nan_and_objects_with_none() -> None:
    table = text("n,c\n1,x\n,\n2.5,y\n")
    typed = table.typed(table.kinds())
    np.testing.assert_array_equal(typed["n"], [1.0, np.nan, 2.5])
    assert typed["c"].dtype == object
    assert typed["c"].tolist() == ["x", None, "y"]


def test_another_file_is_read_by_the_same_decision() -> None:
    kinds = text("n,c\n1,x\n").kinds()
    query = text("extra,c,n\n0,7,3\n0,,\n")
    typed = query.typed(kinds)
    assert list(typed.data) == ["n", "c"]
    assert typed["c"].tolist() == ["7", None]
    with pytest.raises(ReadingError, match=r"t\.csv line 3, column 'n' holds 'many'"):
        text("n,c\n1,x\nmany,y\n").typed(kinds)


def test_without_passes_over_names_it_does_not_have() -> None:
    table = text("a,b,c\n1,2,3\n").without(["b", "z"])
    assert table.names == ("a", "c")
    assert table.column("c") == ("3",)


def test_columns_that_are_almost_numeric_are_pointed_out() -> None:
    table = text("a,b\n1,x\n2,y\n~3,1\n4,z\n")
    assert list(table.doubtful(table.kinds())) == [("a", "~3", 4)]


@settings(derandomize=True, max_examples=30, deadline=None)
@given(st.lists(st.lists(st.text(max_size=6), min_size=2, max_size=2), max_size=8))
def test_what_python_writes_is_read_back(rows: list[list[str]]) -> None:
    clean = [[field.replace("\0", "").replace("\r", "\n") for field in row] for row in rows]
    buffer = io.StringIO(newline="")
    csv.writer(buffer, quoting=csv.QUOTE_ALL).writerows([["a", "b"], *clean])
    try:
        data = buffer.getvalue().encode()
    except UnicodeEncodeError:
        return
    table = text(data)
    gaps = {"", *MISSING}
    expected = [[None if field.strip() in gaps else field.strip() for field in row] for row in clean]
    assert [list(row) for row in zip(*table.columns, strict=True)] == expected


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.binary(max_size=60))
def test_arbitrary_bytes_are_a_table_or_a_reading_error(data: bytes) -> None:
    try:
        table = text(data)
    except ReadingError:
        return
    assert all(len(column) == len(table) for column in table.columns)
    assert all(len(column) == len(table) for column in table.typed(table.kinds()).data.values())


@settings(derandomize=True, max_examples=30, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_float_is_read_back_exactly(number: float) -> None:
    parsed = parse_number(repr(number))
    assert parsed is not None
    assert math.copysign(1.0, parsed) == math.copysign(1.0, number)
    assert parsed == number


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("t.csv", b"a\tb,c\n", "csv"),
        ("t.tsv", b"a,b\n", "tsv"),
        ("t.TAB.GZ", b"a,b\n", "tsv"),
        ("t.data", b"1,2\n", "c4.5"),
        ("t.txt", b"a,b\n", "csv"),
        ("t.txt", b"a\tb\n", "tsv"),
        ("t.txt", b"a\tb,c\n", "csv"),
        ("t.csv", b"\xef\xbb\xbf % about\n\n @Relation r\n", "arff"),
        ("t.txt", b"PAR1...", "parquet"),
        ("t.txt", b"", "csv"),
    ],
)
def test_the_format_is_told_from_content_and_name(name: str, content: bytes, expected: str) -> None:
    assert format_of(name, content) == expected
    assert format_of(io.BytesIO(), content, "tsv") == "tsv"


def test_a_format_that_is_none_is_refused_with_the_choices() -> None:
    with pytest.raises(ReadingError) as caught:
        read_table(io.BytesIO(b"a\n"), format="xls")  # type: ignore[arg-type]
    assert "format='xls'" in str(caught.value)
    assert "None infers it" in str(caught.value)


def test_a_delimiter_is_for_csv_and_tsv_only() -> None:
    assert read_table(io.BytesIO(b"a;b\n1;2\n"), delimiter=";").names == ("a", "b")
    with pytest.raises(ReadingError) as caught:
        read_table(io.BytesIO(b"@relation r\n@attribute a real\n@data\n1\n"), delimiter=";")
    assert "delimiter=';' for a table in the format arff; it is for csv and tsv. Leave it out" in str(caught.value)


def test_tab_separated_fields_may_be_empty_and_quoted() -> None:
    table = read_table(io.BytesIO(b'a\tb\n\tx y\n1\t"p\tq"\n'))
    assert table.column("a") == (None, "1")
    assert table.column("b") == ("x y", "p\tq")


def test_the_target_can_be_named_when_reading_or_when_splitting() -> None:
    content = b"a,b,c\n1,x,5\n2,y,6\n"
    assert read_table(io.BytesIO(content), target="b").split()[1].tolist() == ["x", "y"]
    assert read_table(io.BytesIO(content)).split()[1].tolist() == [5.0, 6.0]
    X, y = read_table(io.BytesIO(content), target="b").split("a", ignore=["c"], ordinal={"b": ["y", "x"]})
    assert X.kinds == {"b": Ordinal(("y", "x"))}
    assert y.tolist() == [1.0, 2.0]
    with pytest.raises(ReadingError, match=r"the table has no column 'd'; it has 'a', 'b', 'c'\."):
        read_table(io.BytesIO(content), target="d")


def test_a_split_needs_targets_attributes_and_levels() -> None:
    with pytest.raises(ReadingError, match=r"t\.csv line 3 has no value in the target column 'b'"):
        text("a,b\n1,x\n2,\n").split()
    with pytest.raises(ReadingError, match=r"t\.csv has no column to compare cases by"):
        text("a,b\n1,x\n").split("b", ignore=["a"])
    with pytest.raises(ReadingError, match=r"t\.csv line 2, column 'a' holds '1'"):
        text("a,b\n1,x\n").split("b", ordinal={"a": ["2", "3"]})


def test_a_table_prints_what_it_understood() -> None:
    table = read_table(io.BytesIO(b"age,size\n7,S\n,\n,L\n"), name="shoes.csv", target="size")
    assert repr(table).splitlines() == [
        "shoes.csv: 3 rows",
        "   age   numeric  2 missing",
        "   size  nominal  1 missing, target",
    ]


def test_equal_fields_are_one_object() -> None:
    first, second = text("a,b\nlong word, long word \n").columns
    assert first[0] is second[0]
