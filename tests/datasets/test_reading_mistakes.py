"""What people pass to a reader of tables by mistake, and what they are told."""

from __future__ import annotations

import gzip
import io
import pickle
import tracemalloc
import zipfile
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import priorcase as pc
from priorcase.cli import main
from priorcase.datasets import read_table
from priorcase.exceptions import MissingFileError, ParameterError, ReadingError


@pytest.mark.parametrize("given", [[["a", "b"]], np.zeros((2, 2)), None, 3, b"a,b"])
def test_what_is_no_file_is_refused(given: Any) -> None:
    with pytest.raises(ReadingError) as caught:
        read_table(given)
    assert f"expected a path or an open binary file, got {type(given).__name__}. Frames" in str(caught.value)


@pytest.mark.parametrize("path", ["a\0b", ""])
def test_a_path_that_cannot_be_one_is_refused(path: str) -> None:
    with pytest.raises(ParameterError, match=r"^read_table: path must be the path of a file, .* got '.*'"):
        read_table(path)


def test_a_missing_file_is_named_by_every_reader(tmp_path: Path) -> None:
    calls: list[Any] = [read_table, pc.load, pc.CaseBase.open(tmp_path / "a.cases").import_]
    for call in calls:
        for name in ("none.csv", "none.jsonl", "none.parquet", "none"):
            with pytest.raises(
                MissingFileError, match=rf"^[\w.]+: There is no file '.*{name}'\. Check the path"
            ) as found:
                call(tmp_path / name)
            assert isinstance(found.value, FileNotFoundError)
            assert found.value.filename == str(tmp_path / name)
            assert str(pickle.loads(pickle.dumps(found.value))) == str(found.value)


def test_text_is_refused_as_a_stream(tmp_path: Path) -> None:
    with pytest.raises(ReadingError, match=r"the table was opened in text mode.*io\.BytesIO\(text\.encode\(\)\)"):
        read_table(io.StringIO("a,b\n1,2\n"))  # type: ignore[arg-type]  # the mistake itself
    path = tmp_path / "visits.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with path.open(encoding="utf-8") as file, pytest.raises(ReadingError, match=r"visits\.csv was opened in text mode"):
        read_table(file)  # type: ignore[arg-type]  # the mistake itself


def test_another_delimiter_is_suspected_where_the_header_looks_like_one_column(tmp_path: Path) -> None:
    path = tmp_path / "flats.csv"
    path.write_text("size;rent\n30;400\n40;500\n", encoding="utf-8")
    hint = "If fields are separated by ';', pass it as the delimiter (delimiter=, --read delimiter=)."
    with pytest.raises(ReadingError) as caught:
        read_table(path, schema={"rent": "numeric"}, delimiter=",")
    assert (f"{path} has no column 'rent'; it has 'size;rent'. {hint}") in str(caught.value)
    arguments = ["predict", str(path), "--target", "rent", str(path), "--read", "delimiter=,"]
    assert hint in CliRunner().invoke(main, arguments).output
    assert len(read_table(path).columns) == 2


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_title_above_the_header_is_named(tmp_path: Path, mark: str) -> None:
    path, lines = tmp_path / "flats.csv", ["size;rent;town", "30;400,50;Ulm", "40;500,75;Bonn"]
    rows = [line.replace(",", ".").replace(";", mark) for line in lines]
    path.write_text("\n".join(["", "Flats of 2025", "", *rows, ""]), encoding="utf-8")
    with pytest.raises(ReadingError, match=r"flats\.csv line 2 looks like a title above the header\. Delete this line"):
        read_table(path)
    path.write_text("\n".join(["size", "30", "40,5"]), encoding="utf-8")
    with pytest.raises(ReadingError, match=r"line 3 has 2 fields; its header has 1\."):
        read_table(path, delimiter=",")


@pytest.mark.parametrize("address", ["https://example.org/t.csv", "s3://bucket/t.parquet", "file:///t.csv"])
def test_addresses_are_refused_in_words(address: str, tmp_path: Path) -> None:
    with pytest.raises(ReadingError, match=r"is a URL; tables are read from files\. Download the file"):
        read_table(address)
    with pytest.raises(ReadingError, match="is a URL"):
        pc.report(address, target="a")
    with pytest.raises(ReadingError, match="is a URL"):
        pc.CaseBase.open(tmp_path / "a.cases").import_(address)
    assert "is a URL; tables are read from files" in CliRunner().invoke(main, ["report", address]).output


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadingError, match="is a directory; expected a file"):
        read_table(tmp_path)


def test_old_workbooks_and_other_archives_are_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "loans.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0" + bytes(range(40)))
    with pytest.raises(ReadingError, match=r"loans\.xlsx is not an \.xlsx workbook.*pandas\.read_excel"):
        read_table(path)
    path.write_bytes(b"PK\x03\x04" + bytes(range(40)))
    with pytest.raises(ReadingError, match=r"loans\.xlsx is not a complete Excel workbook"):
        read_table(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("content.xml", "")
    with pytest.raises(ReadingError, match=r"is an OpenDocument file, which cannot be read\. Save the sheet as"):
        read_table(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("loans.csv", "")
    with pytest.raises(ReadingError, match=r"is an archive, not an Excel workbook"):
        read_table(path)


def test_a_string_is_one_missing_field_and_not_its_characters(tmp_path: Path) -> None:
    def columns(source: Any) -> list[list[Any]]:
        frame = read_table(source, missing="unknown").astype(object)
        return [column.where(column.notna(), None).tolist() for _, column in frame.items()]

    assert columns(io.BytesIO(b"a,b\nunknown,k\nn,u\n?,x\n")) == [[None, "n", "?"], ["k", "u", "x"]]
    arff = b"@relation r\n@attribute a string\n@data\nunknown\nn\n?\n"
    assert columns(io.BytesIO(arff)) == [[None, "n", None]]
    (tmp_path / "t.names").write_text("y, n.\na: discrete 3.\n")
    (tmp_path / "t.data").write_text("unknown, y\nn, n\n")
    assert columns(tmp_path / "t.data") == [[None, "n"], ["y", "n"]]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"missing": 3}, "missing"),
        ({"missing": ["NA", 3]}, "missing"),
        ({"delimiter": "zz"}, "delimiter"),
        ({"delimiter": ""}, "delimiter"),
        ({"delimiter": 3}, "delimiter"),
        ({"delimiter": '"'}, "delimiter"),
        ({"delimiter": "\n"}, "delimiter"),
        ({"decimal": ";"}, "decimal"),
        ({"thousands": "xx"}, "thousands"),
        ({"decimal": ".", "thousands": "."}, "thousands"),
        ({"dates": "european"}, "dates"),
        ({"header": 3}, "header"),
        ({"encoding": 8}, "encoding"),
        ({"max_bytes": "1G"}, "max_bytes"),
        ({"max_bytes": -1}, "max_bytes"),
    ],
)
def test_options_that_cannot_be_are_named(options: dict[str, Any], word: str) -> None:
    with pytest.raises(ParameterError, match=f"{word} must be"):
        read_table(io.BytesIO(b"a,b\n1,2\n"), **options)


@pytest.mark.parametrize("encoding", ["utf-99", "rot13", "zip", "a\0b", "idna"])
def test_an_encoding_of_no_text_is_refused(encoding: str) -> None:
    with pytest.raises(ReadingError, match=r"encoding .* is unknown|is not text in the encoding"):
        read_table(io.BytesIO("größe\n1\n".encode()), encoding=encoding)


def test_a_gzipped_file_is_unpacked_up_to_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "large.csv.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"1\n" * 4_999))
    with pytest.raises(ReadingError, match=r"large\.csv\.gz has more than 9,999 bytes uncompressed.*max_bytes"):
        read_table(path, max_bytes=9_999)
    assert len(read_table(path, max_bytes=10_000)) == 4_999


def test_a_small_file_that_unpacks_to_gigabytes_is_refused(tmp_path: Path) -> None:
    """Zeros, 2 GiB of them in 2 MB; little more than the limit is ever held."""
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(bytes(2**26), mtime=0) * 32)
    tracemalloc.start()
    with pytest.raises(ReadingError, match=r"has more than 16,777,216 bytes uncompressed"):
        read_table(path, max_bytes=2**24)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**26
    assert signature(read_table).parameters["max_bytes"].default == 2**30
