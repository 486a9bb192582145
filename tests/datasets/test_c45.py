"""Reading C4.5: the names as Quinlan's program reads them, and rows by them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priorcase.datasets import read_table
from priorcase.datasets.budget import Budget
from priorcase.datasets.c45 import c45_names, read_c45, read_c45_names
from priorcase.datasets.values import Meaning
from priorcase.exceptions import ReadingError

# Quinlan's golf, as it comes with the program.
NAMES = """\
Play, Don't Play.

outlook: sunny, overcast, rain.
temperature: continuous.
humidity: continuous.
windy: true, false.
"""
DATA = "sunny, 85, 85, false, Don't Play\novercast, 83, 78, false, Play\nrain, ?, 96, false, Play.\n"


def folder(tmp_path: Path, **files: str) -> Path:
    for ending, text in files.items():
        (tmp_path / f"golf.{ending}").write_text(text, encoding="utf-8")
    return tmp_path


def message(tmp_path: Path, names: str, data: str = "") -> str:
    with pytest.raises(ReadingError) as caught:
        read_table(folder(tmp_path, names=names, data=data) / "golf.data")
    return str(caught.value).replace(f"{tmp_path}/golf", "g").removeprefix("read_table: ")


def test_golf_is_read_by_its_names(tmp_path: Path) -> None:
    table = read_table(folder(tmp_path, names=NAMES, data=DATA) / "golf.data")
    assert table["outlook"].cat.categories.tolist() == ["sunny", "overcast", "rain"]
    assert table["class"].cat.categories.tolist() == ["Play", "Don't Play"]
    assert table.attrs["target"] == "class"
    assert table["class"].tolist() == ["Don't Play", "Play", "Play"]
    assert table["temperature"].tolist()[:2] == [85.0, 83.0]
    assert table.loc[2].isna().tolist() == [False, True, False, False, False]


def test_the_names_stand_for_the_data_and_the_test_file_has_rows_too(tmp_path: Path) -> None:
    place = folder(tmp_path, names=NAMES, data=DATA, test="rain, 70, 96, false, ?\n")
    assert read_table(place / "golf.names").equals(read_table(place / "golf.data"))
    test = read_table(place / "golf.test")
    assert test["class"].isna().all()
    assert test.dtypes.drop("temperature").equals(read_table(place / "golf.data").dtypes.drop("temperature"))


def test_packed_files_are_unpacked(tmp_path: Path) -> None:
    for ending, text in {"names": NAMES, "data": DATA}.items():
        (tmp_path / f"golf.{ending}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    assert len(read_table(tmp_path / "golf.data.gz")) == 3
    assert len(read_table(tmp_path / "golf.names.gz")) == 3


def test_names_end_where_quinlans_program_ends_them() -> None:
    text = "| about\na b  c,d.e , f\\,g\\.|x\nh: 1.5, 2. | two\ni: ignore"
    found = [(name.text, name.ends, name.line) for name in c45_names(text)]
    assert found == [
        ("a b c", ",", 2),
        ("d.e", ",", 2),
        ("f,g.", "\n", 2),
        ("h", ":", 3),
        ("1.5", ",", 3),
        ("2", ".", 3),
        ("i", ":", 4),
        ("ignore", "\n", 4),
    ]


def test_values_go_on_after_a_comma_and_special_words_mean_kinds() -> None:
    text = "a,\nb.\nid: label.\nx: ignore.\nn: continuous.\nd: discrete 5.\nv: p,\n   q.\no: [ordered] low, high.\n"
    number = Meaning("numeric", decimal=".", thousands="")
    assert read_c45_names(text, "g.names")[0] == {
        "id": Meaning("ignore"),
        "x": Meaning("ignore"),
        "n": number,
        "d": Meaning("nominal"),
        "v": Meaning("nominal", values=("p", "q")),
        "o": Meaning("ordinal", values=("low", "high")),
        "class": Meaning("nominal", values=("a", "b")),
    }


def test_columns_to_ignore_are_left_out_and_dates_are_dates(tmp_path: Path) -> None:
    names = "a, b.\nid: ignore.\nn: continuous.\nd: date.\n"
    table = read_table(folder(tmp_path, names=names, data="7,1.5,2024/01/02,a\n8,2.5,?,b\n") / "golf.data")
    assert list(table.columns) == ["n", "d", "class"]
    assert table["n"].tolist() == [1.5, 2.5]
    assert table["d"][0].isoformat() == "2024-01-02T00:00:00"


def test_a_first_line_that_names_a_column_makes_it_the_target(tmp_path: Path) -> None:
    names = "price.\nprice: continuous.\nsize: S, L.\n"
    table = read_table(folder(tmp_path, names=names, data="1,S\n2,L\n") / "golf.data")
    assert table.attrs["target"] == "price"
    assert table["price"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("names", "data", "expected"),
    [
        ("", "", "g.names line 1 is not valid for C4.5: there are no classes."),
        ("a: continuous.\n", "", "g.names line 1 is not valid for C4.5: the first line does not list the classes."),
        (
            "a, b.\nn continuous.\n",
            "",
            "g.names line 2 is not valid for C4.5: 'n continuous' is not followed by a colon.",
        ),
        (
            "a, b.\nn: one.\n",
            "",
            "g.names line 2 is not valid for C4.5: 'n' has only one value, 'one', which is not a type.",
        ),
        ("a, b.\nn:", "", "g.names line 2 is not valid for C4.5: 'n' has no values."),
        ("a, b.\nn: x, x.\n", "", "g.names line 2 is not valid for C4.5: the values x, x are not distinct."),
        (
            "a, b.\nn: x, y: z.\n",
            "",
            "g.names line 2 is not valid for C4.5: 'y' is followed by a colon in a list of values.",
        ),
        (
            "a, b.\nclass: x, y.\n",
            "",
            "g.names line 1 is not valid for C4.5: a column is called 'class', but this is the name of the target.",
        ),
        ("n.\nn: ignore.\n", "", "g.names line 1 is not valid for C4.5: the target 'n' is declared as ignored."),
        ("a, b.\nn: continuous.\n", "1\n", "g.data line 1 has 1 field; its header has 2."),
        ("a, b.\nn: continuous.\n", "1,a\n\n,b\n", "g.data line 3 is not valid for C4.5: a field is empty."),
        ("a, b.\nn: continuous.\n", "1,c\n", "g.data line 1, column 'class' holds 'c'; expected one of 'a', 'b'."),
    ],
)
def test_each_mistake_has_its_sentence(tmp_path: Path, names: str, data: str, expected: str) -> None:
    assert message(tmp_path, names, data).startswith(f"{expected} ")


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(
        ReadingError,
        match=r"golf\.data needs golf\.names in the same folder, to describe the columns\. Add the \.names file",
    ):
        read_table(folder(tmp_path, data=DATA) / "golf.data")
    (tmp_path / "golf.data").unlink()
    with pytest.raises(
        ReadingError, match=r"golf\.names describes the columns of golf\.data, which is not in the same folder\."
    ):
        read_table(folder(tmp_path, names=NAMES) / "golf.names")
    with (
        (tmp_path / "golf.names").open("rb") as stream,
        pytest.raises(ReadingError, match=r"cannot be read as C4\.5 from an open file"),
    ):
        read_table(stream, format="c4.5")


WORD = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp", "Zs"]), min_size=1, max_size=6)


@given(st.lists(WORD, min_size=2, max_size=5, unique=True), st.data())
def test_what_is_escaped_is_read_back_whatever_it_is(values: list[str], data: st.DataObject) -> None:
    def escaped(text: str) -> str:
        return "".join(f"\\{letter}" if letter in "\\,:|.?" else letter for letter in text)

    column = data.draw(st.lists(st.sampled_from(values), max_size=6))
    names = f"a, b.\nv: {', '.join(map(escaped, values))}.\n"
    rows = "".join(f"{escaped(value)}, a\n" for value in column)
    table = read_c45(names, "g.names", rows, Budget("g.data"))
    assert table.declared["v"] == Meaning("nominal", values=tuple(values))
    assert table.columns["v"].to_pylist() == [None if value == "?" else value for value in column]
