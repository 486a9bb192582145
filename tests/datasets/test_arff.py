"""Reading ARFF: what Weka writes is read back, and each thing that is no ARFF has its sentence."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priorcase.datasets import read_table
from priorcase.datasets.arff import java_format
from priorcase.exceptions import ReadingError

SAME = "t.arff line 1 is not valid ARFF: the values of 'a' are not distinct."
HEADER = "@relation r\n@attribute age real\n@attribute size {S, M, L}\n@attribute note string\n@data\n"


def read(text: str, **options: Any) -> Any:
    return read_table(io.BytesIO(text.encode()), name="t.arff", **options)


def rows(table: Any) -> list[tuple[Any, ...]]:
    return list(table.astype(object).where(table.notna(), None).itertuples(index=False, name=None))


def values(table: Any, name: str) -> list[Any]:
    return [row[list(table.columns).index(name)] for row in rows(table)]


def message(text: str) -> str:
    with pytest.raises(ReadingError) as caught:
        read(text)
    return str(caught.value)


def test_what_weka_reads_is_read_alike() -> None:
    """Weka 3.6.14 writes this file back with the values below (filter SparseToNonSparse)."""
    table = read(
        "% comment\n@RELATION 'my rel'\n@attribute 'a name' REAL\n"
        "@attribute \"b%\" {x, 'y z', \"q,r\", 'it\\'s', '?'}\n@attribute c string % text\n@attribute d{u,v}\n"
        "@Attribute e integer\n@data\n1.5,x,'hello world',u,3\n?,'y z',?,v,?   % trailing\n"
        "2 , \"q,r\" , \"tab\\there\" , u , -4\n3\tx\tword\tv\t5\n{1 'it\\'s', 2 'a b', 4 7}\n{0 2, 2 z}\n"
        "4,'?',\"back\\\\slash\",u,1e2\n\n5,?,'\\'',u,0\n"
    )
    assert list(table.columns) == ["a name", "b%", "c", "d", "e"]
    assert table["b%"].cat.categories.tolist() == ["x", "y z", "q,r", "it's", "?"]
    assert table["d"].cat.categories.tolist() == ["u", "v"]
    assert rows(table) == [
        (1.5, "x", "hello world", "u", 3),
        (None, "y z", None, "v", None),
        (2, "q,r", "tab\there", "u", -4),
        (3, "x", "word", "v", 5),
        (0, "it's", "a b", "u", 7),
        (2, "x", "z", "u", 0),
        (4, "?", "back\\slash", "u", 1e2),
        (5, None, "'", "u", 0),
    ]
    assert table.attrs["lines"] == [[0, 9], [7, 17]]


def test_the_header_is_the_kind_even_where_the_fields_look_otherwise() -> None:
    text = "@relation r\n@attribute code {1,2,3}\n@attribute name string\n@data\n1,7\n3,8\n"
    assert rows(read(text)) == [("1", "7"), ("3", "8")]
    assert read(text)["code"].cat.categories.tolist() == ["1", "2", "3"]
    assert read(text, schema={"code": "numeric"})["code"].tolist() == [1, 3]
    assert read(text, schema={"code": "nominal"})["code"].cat.categories.tolist() == ["1", "2", "3"]


def test_a_table_without_rows_keeps_its_columns() -> None:
    table = read(HEADER)
    assert len(table) == 0
    assert list(table.columns) == ["age", "size", "note"]


def test_escapes_stand_for_their_characters() -> None:
    table = read("@relation r\n@attribute c string\n@data\n'a\\nb'\n'\\u0041'\n\"\\101\"\n'\\q'\n''\n")
    assert values(table, "c") == ["a\nb", "A", "A", "q", ""]


def test_more_fields_can_be_called_missing() -> None:
    assert rows(read(HEADER + "-9,S,x\n7,?,none\n", missing=["-9", "none"])) == [(None, "S", "x"), (7, None, None)]


def test_blanks_divide_fields_where_commas_do_not() -> None:
    assert rows(read(HEADER + "1 S word\n2\tM\t'two words'\n")) == [(1, "S", "word"), (2, "M", "two words")]
    assert rows(read(HEADER + "1 S word % comment\n? ? ?\n")) == [(1, "S", "word"), (None, None, None)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("60,,S,,,word\n", [(60, "S", "word")]),  # StatLib has such rows
        (",7,S,word\n7,S,word,,\n,,,\n, % comment\n", [(7, "S", "word"), (7, "S", "word")]),
        ("7\x01S\x0bword\n\x1a", [(7, "S", "word")]),  # every character below the blank is one
        ("{0 7 1 M 2 word}\n{0,7,,1,M, 2,word,}, % comment\n", [(7, "M", "word"), (7, "M", "word")]),
        ("NaN,S,NaN\n'nan',S,nan\n", [(None, "S", "NaN"), (None, "S", "nan")]),
        ("7,S,it's\n7,S,two words\n", [(7, "S", "it's"), (7, "S", "two words")]),  # not so in Weka
    ],
)
def test_rows_are_split_as_weka_splits_them_where_commas_alone_do_not(body: str, expected: list[Any]) -> None:
    assert rows(read(HEADER + body)) == expected


def test_the_first_row_may_stand_beside_data() -> None:
    table = read("@relation r,,\n@attribute a real,,\n@attribute b real,,\n@data 1,2\n3,4\n")
    assert rows(table) == [(1, 2), (3, 4)]
    assert table.attrs["lines"] == [[0, 4]]
    assert len(read("@relation r,,\n@attribute a real,,\n@data,,\n")) == 0


@pytest.mark.parametrize(
    "line",
    ["a real foo", "'a' 'real'", "a, integer", "a\tREAL [0, 1]", "a integer[1,10]", "a real{1,2}", "a numeric% no"],
)
def test_what_follows_the_type_is_ignored(line: str) -> None:
    assert rows(read(f"@relation r\n@attribute {line}\n@data\n1\n")) == [(1,)]


@pytest.mark.parametrize("name", ["None", "?", "a%b", "Alzheimer's", "[a](b)/c", "a\\b", "größe"])
def test_names_that_are_not_quoted_are_kept(name: str) -> None:
    assert list(read(f"@relation r\n@attribute {name} real\n@data\n1\n").columns) == [name]


@pytest.mark.parametrize(
    ("braces", "first", "expected"),
    [
        ("{ x , y\t,z }", "x", ["x", "y", "z"]),
        ("{,x,,y, },", "y", ["x", "y"]),
        ("{x y z}", "y", ["x", "y", "z"]),
        ("{x y, z}", "y", ["x", "y", "z"]),
        ("{x y, z}", "x y", ["x y", "z"]),  # Weka refuses the row
        ("{New York, New Jersey}", "New York", ["New York", "New Jersey"]),
        ("{it's, y}", "it's", ["it's", "y"]),
        ("{-1,1} %{<=50K, >50K}", "1", ["-1", "1"]),
        ("{?,x}", "?", ["?", "x"]),
        ("{}", "?", []),
    ],
)
def test_the_values_of_a_header_are_those_that_the_rows_hold(braces: str, first: str, expected: list[str]) -> None:
    table = read(f"@relation r\n@attribute a {braces}\n@attribute b real\n@data\n{first},1\n")
    assert table["a"].cat.categories.tolist() == expected
    assert rows(table) == [(None if first == "?" else first, 1)]


def test_dates_by_their_formats() -> None:
    head = "@relation r\n@attribute d DATE 'dd.MM.yyyy HH:mm'\n@attribute e date\n@data\n"
    table = read(head + "'3.4.2024 05:06', 2024-05-06T07:08:09\n?,?\n")
    assert [moment.isoformat() for moment in rows(table)[0]] == ["2024-04-03T05:06:00", "2024-05-06T07:08:09"]
    assert "t.arff line 5, column 'e' holds 'soon'; expected a date (%Y-%m-%dT%H:%M:%S)." in message(head + "?,soon\n")
    told = read("@attribute d date 'yyyy' z\n@attribute e date dd.MM.yyyy HH:mm % c\n@data\n2024,'3.4.2024 05:06'\n")
    assert [moment.isoformat() for moment in rows(told)[0]] == ["2024-01-01T00:00:00", "2024-04-03T05:06:00"]
    assert java_format("yyyy-MM-dd'T'HH:mm:ss.SSS") == "%Y-%m-%dT%H:%M:%S.%f"
    assert "'d' has the date format 'QQ', in which 'Q' is not supported." in message("@attribute d date QQ\n@data\n")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("1,S\n", "t.arff line 6 has 2 fields; its header has 3."),
        ("1,XL,a\n", "t.arff line 6, column 'size' holds 'XL'; expected one of 'S', 'M', 'L'."),
        ("1,,a\n", "t.arff line 6 is not valid ARFF: a field is empty."),
        ("1,S,'a\n", "t.arff line 6 is not valid ARFF: a quotation mark is not closed."),
        ("1,S,'a'b\n", "t.arff line 6 is not valid ARFF: expected a comma before 'b'."),
        ("1,S,'a''b'\n", "t.arff line 6 is not valid ARFF: expected a comma before \"'b'\"."),
        ("1,S,a,{5}\n", "t.arff line 6 is not valid ARFF: row weights are not supported."),
        ("{0 1, 2 a\n", "t.arff line 6 is not valid ARFF: a brace is not closed."),
        ("{0 1, 2 a} b\n", "t.arff line 6 is not valid ARFF: 'b' follows the closing brace."),
        ("{0 1}\n", "t.arff line 6 is not valid ARFF: a sparse row omits 'note', which is text."),
        (
            "{2 a, 2 b}\n",
            "t.arff line 6 is not valid ARFF: a sparse row has a duplicate position, or a position beyond 2",
        ),
        (
            "{2 a, 3 b}\n",
            "t.arff line 6 is not valid ARFF: a sparse row has a duplicate position, or a position beyond 2",
        ),
        ("{a}\n", "t.arff line 6 is not valid ARFF: 'a' is not a position (from 0) followed by a value"),
        ("{0 1, 2 a b}\n", "t.arff line 6 is not valid ARFF: 'b' is not a position (from 0) followed by a value"),
        ("{0 1, 2 a}, {5}\n", "t.arff line 6 is not valid ARFF: row weights are not supported."),
        ("1 S a {5}\n", "t.arff line 6 is not valid ARFF: row weights are not supported."),
        ("1,S,a,b\n", "t.arff line 6 has 4 fields; its header has 3."),
        ("Infinity,S,a\n", "t.arff line 6, column 'age' holds 'Infinity'; expected a number such as 3.5."),
    ],
)
def test_each_broken_row_has_its_sentence(body: str, expected: str) -> None:
    assert expected in message(HEADER + body)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@relation r\n", "t.arff is not valid ARFF: there is no line '@data'."),
        ("@relation r\n@data\n1\n", "t.arff is not valid ARFF: there is no line '@attribute'."),
        ("@relation r\nage real\n@data\n", "t.arff line 2 is not valid ARFF: unexpected 'age real' before @data."),
        ("@attribute\n@data\n", "t.arff line 1 is not valid ARFF: an attribute has no name or no type."),
        (
            "@attribute a {x, x}\n@data\n",
            "t.arff line 1 is not valid ARFF: the values of 'a' are not distinct.",
        ),
        ("@attribute a {x y, x y}\n@data\n", SAME),
        ("@attribute a {x, y} z\n@data\n", "t.arff line 1 is not valid ARFF: 'z' follows the closing brace."),
        ("@attribute 'a real\n@data\n", "t.arff line 1 is not valid ARFF: an attribute has no name or no type."),
        ("@attribute '' real\n@data\n", "t.arff line 1 is not valid ARFF: an attribute has no name or no type."),
        ("@attribute a boolean\n@data\n", "t.arff line 1 is not valid ARFF: 'a' has the type 'boolean',"),
        ("@data:\n", "t.arff line 1 is not valid ARFF: unexpected '@data:' before @data."),
        ("@attribute a {x\n@data\n", "t.arff line 1 is not valid ARFF: a brace is not closed."),
        (
            "@attribute a relational\n@data\n",
            "t.arff line 1 is not valid ARFF: 'a' is relational (a table within each row)",
        ),
        (
            "@attribute a real\n@attribute a real\n@data\n",
            "t.arff has two columns named 'a' in its header.",
        ),
    ],
)
def test_each_broken_header_has_its_sentence(text: str, expected: str) -> None:
    assert expected in message(text)


FIELD = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\r\n", exclude_categories=["Cc", "Zl", "Zp"]), max_size=5
)


def quoted(text: str, mark: str) -> str:
    return mark + text.replace("\\", "\\\\").replace(mark, f"\\{mark}") + mark


@given(
    st.lists(st.tuples(FIELD | st.none(), st.floats(allow_nan=False, allow_infinity=False)), max_size=6),
    st.sampled_from("'\""),
    FIELD.filter(lambda name: name not in ("", "n_")),
)
def test_what_is_quoted_is_read_back_whatever_it_is(
    cells: list[tuple[str | None, float]], mark: str, name: str
) -> None:
    head = f"@relation r\n@attribute {quoted(name, mark)} string\n@attribute n_ numeric\n@data\n"
    body = "".join(f"{'?' if text is None else quoted(text, mark)},{number!r}\n" for text, number in cells)
    table = read(head + body)
    assert values(table, name) == [text for text, _ in cells]
    np.testing.assert_array_equal(table["n_"], [number for _, number in cells])


@given(st.text(max_size=40))
def test_any_text_after_the_header_is_a_table_or_a_reading_error(text: str) -> None:
    try:
        table = read(HEADER + text.replace("\0", ""))
    except (ReadingError, UnicodeEncodeError):
        return
    assert list(table.columns) == ["age", "size", "note"]


@pytest.mark.parametrize(
    "file", ["iris", "missing", "nodata", "quoted_nominal", "quoted_nominal_spaces", "test1", "test11"]
)
def test_scipy_and_liac_arff_read_the_same(file: str) -> None:
    scipy_arff = pytest.importorskip("scipy.io.arff")
    liac = pytest.importorskip("sklearn.externals._arff")
    path = Path(scipy_arff.__file__).parent / "tests" / "data" / f"{file}.arff"
    if not path.is_file():
        pytest.skip("scipy is installed without its tests")
    ours = read_table(path)
    with path.open(encoding="utf-8") as stream:
        theirs = liac.load(stream)
    assert [name for name, _ in theirs["attributes"]] == list(ours.columns)
    assert [list(row) for row in rows(ours)] == theirs["data"]
    records, meta = scipy_arff.loadarff(path)
    assert len(records) == len(ours)
    for name in meta.names():
        if meta[name][0] == "numeric":
            np.testing.assert_array_equal(records[name], ours[name])


def test_a_nominal_value_that_is_not_declared_has_no_place_in_an_order():
    text = b"@relation r\n@attribute color {red,green}\n@attribute n numeric\n@data\nred,1\npurple,2\n"
    with pytest.raises(ReadingError, match="add the value to the declared values") as raised:
        read_table(io.BytesIO(text), format="arff")
    assert "order" not in str(raised.value)
