"""What people pass to a reader of tables by mistake, and what they are told."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from priorcase.cli import main
from priorcase.datasets import read_table
from priorcase.exceptions import ReadingError


@pytest.mark.parametrize("given", [[["a", "b"]], np.zeros((2, 2)), None, 3, b"a,b"])
def test_what_is_no_file_is_refused(given: Any) -> None:
    with pytest.raises(ReadingError) as caught:
        read_table(given)
    assert (
        f"A table is read from a path or an open binary file; got {type(given).__name__}. "
        "A frame, an array or a list of rows needs no reading: pass it to fit as it is."
    ) in str(caught.value)


def test_text_is_refused_as_a_stream(tmp_path: Path) -> None:
    with pytest.raises(ReadingError, match="the table was opened as text"):
        read_table(io.StringIO("a,b\n1,2\n"))  # type: ignore[arg-type]  # the mistake itself
    path = tmp_path / "visits.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with path.open(encoding="utf-8") as file, pytest.raises(ReadingError, match=r"visits\.csv was opened as text"):
        read_table(file)  # type: ignore[arg-type]  # the mistake itself


@pytest.mark.parametrize("mark", [";", "|"])
def test_another_delimiter_is_suspected_where_the_header_looks_like_one_column(mark: str, tmp_path: Path) -> None:
    path = tmp_path / "flats.csv"
    path.write_text(f"size{mark}rent\n30{mark}400\n40{mark}500\n", encoding="utf-8")
    hint = f"Name the delimiter {mark!r} if that is what stands between fields (delimiter=, --delimiter)."
    with pytest.raises(ReadingError) as caught:
        read_table(path, target="rent")
    assert (f"{path} has no column 'rent'; it has 'size{mark}rent'. {hint}") in str(caught.value)
    arguments = ["predict", "--train", str(path), "--target", "rent", "--query", str(path)]
    assert hint in CliRunner().invoke(main, arguments).output
    assert len(read_table(path, target="rent", delimiter=mark).names) == 2


def test_no_delimiter_is_suspected_where_there_are_several_columns() -> None:
    with pytest.raises(ReadingError, match="compared letter by letter"):
        read_table(io.BytesIO(b"a;b,c\n1,2\n"), target="rent")


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"\xd0\xcf\x11\xe0"])
def test_workbooks_are_named_as_such(start: bytes, tmp_path: Path) -> None:
    path = tmp_path / "loans.xlsx"
    path.write_bytes(start + bytes(range(40)))
    with pytest.raises(ReadingError, match=r"loans\.xlsx is an Excel or OpenDocument workbook .*"):
        read_table(path)
