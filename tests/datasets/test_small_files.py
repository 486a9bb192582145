"""Small files that would take gigabytes are refused; all are read by one process with 1.5 GB of address space."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from priorcase.datasets import read_table
from priorcase.exceptions import ReadingError

ADDRESS_SPACE = 1_500_000_000
LARGEST = 2**20  # bytes of a small file

CHILD = """
import json, resource, sys, time
import numpy, openpyxl, pandas, pyarrow.feather, pyarrow.parquet
from priorcase import CaseBase
from priorcase.datasets import read_table
from priorcase.exceptions import PriorcaseError

resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), int(sys.argv[1])))
for line in sys.stdin:
    name, path, options = json.loads(line)
    path += options.pop("table", "")
    begin = time.process_time()
    try:
        if options.pop("cases", False):
            with CaseBase.temporary() as base:
                base.import_(path, **options)
        else:
            read_table(path, **options)
        told = ["no error", ""]
    except PriorcaseError as error:
        told = [type(error).__name__, str(error)]
    except BaseException as error:
        told = ["WRONG " + type(error).__name__, str(error)]
    print(json.dumps([name, *told, round(time.process_time() - begin, 2)]), flush=True)
"""

Build = Callable[[Path], dict[str, Any] | None]
FILES: dict[str, Build] = {}


def file(name: str) -> Callable[[Build], Build]:
    """Register a function that writes a file of this name and returns the options of `read_table`."""

    def register(build: Build) -> Build:
        FILES[name] = build
        return build

    return register


# -- SQLite


def database(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as base, base:
        for statement in statements:
            base.execute(statement)


def declare(path: Path, sql: str) -> None:
    """Change the declaration of a table: SQLite computes generated columns when a row is inserted."""
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("PRAGMA writable_schema = ON")
        base.execute("UPDATE sqlite_master SET sql = ?", [sql])


@file("generated.db")
def _(path: Path) -> None:
    database(path, "CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2)")
    declare(path, "CREATE TABLE t (a, b AS (hex(zeroblob(400000000))))")


@file("many-generated.db")
def _(path: Path) -> None:
    """No single value is large."""
    columns = ", ".join(f"b{n} AS (hex(zeroblob(10000000)))" for n in range(400))
    database(path, "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    declare(path, f"CREATE TABLE t (a, {columns})")


@file("intermediate.db")
def _(path: Path) -> None:
    """The result is small, but all arguments of max are in memory at once."""
    terms = ", ".join(f"hex(zeroblob({30_000_000 + n}))" for n in range(100))
    database(path, "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    declare(path, f"CREATE TABLE t (a, b AS (length(max({terms}))))")


@file("default.db")
def _(path: Path) -> dict[str, Any]:
    """Each of the rows has the long default of a column that was added later."""
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) SELECT i FROM n"
    text = "x" * 100_000
    database(path, "CREATE TABLE t (a)", f"INSERT INTO t {rows}", f"ALTER TABLE t ADD COLUMN b DEFAULT '{text}'")
    return {"max_bytes": 2**28}


@file("nulls.db")
def _(path: Path) -> None:
    columns = ", ".join(f"c{n}" for n in range(1_999))
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80000) SELECT i FROM n"
    database(path, "CREATE TABLE t (a)", f"INSERT INTO t {rows}")
    declare(path, f"CREATE TABLE t (a, {columns})")


@file("virtual.db")
def _(path: Path) -> dict[str, Any]:
    """Reading the full-text index would read a view without end; its schema claims that it is an ordinary table."""
    database(
        path,
        "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS rowid, 'x' AS a "
        "FROM n",
        "CREATE VIRTUAL TABLE t USING fts5(a, content='v')",
        "DELETE FROM t_config",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET rootpage = 2 WHERE name = 't'",
    )
    return {"table": "::t"}


# -- Parquet and Feather


def one_value(value: Any, rows: int) -> pa.Table:
    return pa.table({"a": pa.DictionaryArray.from_arrays(np.zeros(rows, np.int8), pa.array([value]))})


@file("dictionary.parquet")
def _(path: Path) -> None:
    table = one_value("x" * 2_000, 2_800_000)
    pq.write_table(table, path, store_schema=False, row_group_size=len(table), compression="zstd")


@file("runs.parquet")
def _(path: Path) -> None:
    column = pa.array(np.zeros(1_000_000, np.int8))
    pq.write_table(pa.table({f"c{n}": column for n in range(150)}), path, compression="zstd")


@file("prefixes.parquet")
def _(path: Path) -> dict[str, Any]:
    """Each string is encoded as the length of its common prefix with the string before."""
    table = pa.table({"a": ["x" * 200_000] * 500})
    options: dict[str, Any] = {"use_dictionary": False, "column_encoding": {"a": "DELTA_BYTE_ARRAY"}}
    with pq.ParquetWriter(path, table.schema, compression="zstd", **options) as writer:
        for _ in range(3):
            writer.write_table(table)
    return {"max_bytes": 2**27}


@file("lists.parquet")
def _(path: Path) -> dict[str, Any]:
    values = pa.array(np.zeros(20_000_000, np.int8))
    offsets = pa.array([0, len(values)], pa.int32())
    table = pa.table({"a": pa.ListArray.from_arrays(offsets, values)})
    pq.write_table(table, path, compression="zstd", data_page_size=2**26)
    return {"max_bytes": 2**27}


@file("footer.parquet")
def _(path: Path) -> None:
    """A million short entries in the metadata."""
    path.write_bytes(b"PAR1" + bytes(2**19) + (2**19).to_bytes(4, "little") + b"PAR1")


@file("zstd.feather")
def _(path: Path) -> None:
    table = pa.table({f"c{n}": pa.array(np.zeros(10_000_000)) for n in range(15)})
    feather.write_feather(table, path, compression="zstd", chunksize=len(table))


@file("lz4-dictionary.feather")
def _(path: Path) -> dict[str, Any]:
    """A dictionary can be as large as a column."""
    words = pa.array(["x" * 10_000_000])
    columns = {f"c{n}": pa.DictionaryArray.from_arrays(np.zeros(1, np.int8), words) for n in range(14)}
    feather.write_feather(pa.table(columns), path, compression="lz4")
    return {"max_bytes": 2**27}


@file("nulls.feather")
def _(path: Path) -> None:
    feather.write_feather(pa.table({"a": pa.nulls(2**28)}), path, chunksize=2**28, compression="uncompressed")


@file("views.feather")
def _(path: Path) -> None:
    """All strings are views of the same bytes."""
    one = pa.array(["x" * 200_000]).cast(pa.string_view())
    views = pa.py_buffer(one.buffers()[1].to_pybytes() * 6_000)
    table = pa.table({"a": pa.Array.from_buffers(pa.string_view(), 6_000, [None, views, *one.buffers()[2:]])})
    feather.write_feather(table, path, compression="zstd")


@file("runs.feather")
def _(path: Path) -> None:
    ends = pa.array([2**31 - 1], pa.int32())
    table = pa.table({"a": pa.RunEndEncodedArray.from_arrays(ends, pa.array([1.0]))})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


# -- text


@file("own-keys.jsonl")
def _(path: Path) -> None:
    path.write_text("".join(f'{{"k{n}":1}}\n' for n in range(40_000)))


@file("own-keys.json")
def _(path: Path) -> None:
    path.write_text("[" + ",".join(f'{{"k{n}":1}}' for n in range(40_000)) + "]")


@file("nested.jsonl.gz")
def _(path: Path) -> None:
    path.write_bytes(gzip.compress(b'{"a":[' + b"{}," * 20_000_000 + b"{}]}"))


@file("nested.json.gz")
def _(path: Path) -> None:
    path.write_bytes(gzip.compress(b'[{"a":[' + b"{}," * 20_000_000 + b"{}]}]"))


@file("deep.jsonl")
def _(path: Path) -> None:
    path.write_text('{"a":' + "[" * 900_000)


@file("sparse.arff")
def _(path: Path) -> None:
    header = "".join(f"@attribute a{n} numeric\n" for n in range(30_000))
    path.write_text(f"@relation r\n{header}@data\n" + "{0 1}\n" * 30_000)


@file("indented.arff")
def _(path: Path) -> None:
    header = "".join(f"@attribute a{n} numeric\n" for n in range(30_000))
    path.write_text(f"@relation r\n{header}@data\n" + " {0 1}\n" * 30_000)


@file("values.arff.gz")
def _(path: Path) -> None:
    path.write_bytes(gzip.compress(b"@relation r\n@attribute a {" + b"x," * 20_000_000 + b"y}\n@data\nx\n"))


@file("commas.arff.gz")
def _(path: Path) -> None:
    path.write_bytes(gzip.compress(b"@relation r\n@attribute a numeric\n@data\n" + b"," * 10**7 + b"'" + b",1" * 10**7))


@file("values.names.gz")
def _(path: Path) -> None:
    path.write_bytes(gzip.compress(b"yes, no.\na: " + b"x, " * 20_000_000 + b"y.\n"))
    path.with_name("values.data").write_text("x, yes\n")


@file("commas.csv")
def _(path: Path) -> None:
    path.write_text("," * 1_000_000)


@file("quoted-commas.csv.gz")
def _(path: Path) -> None:
    path.write_bytes(gzip.compress(b'"",' + b"," * 50_000_000))


@file("late-commas.csv.gz")
def _(path: Path) -> None:
    path.write_bytes(gzip.compress(b"a,b\n1,2\n" + b"x,y\n" * 20_000 + b"," * 60_000_000))


@file("empty-fields.csv.gz")
def _(path: Path) -> None:
    path.write_bytes(gzip.compress(b"a,b,c,d,e,f,g,h,i,j\n" + b",,,,,,,,,\n" * 15_000_000, 1))


@file("endless.csv.gz")
def _(path: Path) -> None:
    """The lines are within the limit, but not within the memory."""
    path.write_bytes(gzip.compress(b"1,2\n" * 2**24, 6) * 15)


@file("endless-lines.csv.gz")
def _(path: Path) -> dict[str, Any]:
    path.write_bytes(gzip.compress(b"1,2\n" * 2**20) * 20)
    return {"max_bytes": 2**24}


# -- files of cases


@file("own-keys-of-cases.jsonl")
def _(path: Path) -> dict[str, Any]:
    path.write_text("".join(f'{{"k{n}":1}}\n' for n in range(40_000)))
    return {"cases": True}


@file("own-keys-of-values.jsonl")
def _(path: Path) -> dict[str, Any]:
    path.write_text("".join(f'{{"values":{{"k{n}":1}}}}\n' for n in range(30_000)))
    return {"cases": True}


def head(attributes: int) -> dict[str, Any]:
    return {"priorcase cases": 1, "attributes": [[f"a{n}", {"kind": "text"}] for n in range(attributes)]}


@file("declared-attributes.jsonl")
def _(path: Path) -> dict[str, Any]:
    path.write_text(json.dumps(head(200)) + '\n{"values":{}}' * 30_000)
    return {"cases": True, "max_bytes": 2**25}


@file("cases.parquet")
def _(path: Path) -> dict[str, Any]:
    table = one_value("x" * 20_000, 10_000).rename_columns(["a0"])
    about = {**head(1), "columns": {"=a0": {"column": "a0", "json": False}}}
    metadata = {"priorcase cases": json.dumps(about)}
    pq.write_table(table.cast(pa.schema([("a0", pa.string())])).replace_schema_metadata(metadata), path)
    return {"cases": True, "max_bytes": 2**27}


@file("commas-of-cases.csv")
def _(path: Path) -> dict[str, Any]:
    first = "id,key,solution,outcome,notes,by,why,added_at,revised_at,retired"
    path.write_text(first + "," * 900_000)
    return {"cases": True}


# -- Excel

SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}<sheetData>{}</sheetData></worksheet>'


def workbook(path: Path, sheet: str, **parts: str) -> None:
    """Write a workbook, then replace its sheet and other parts."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active["A1"] = "text"
    book.save(path)
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name).decode() for name in archive.namelist()}
    contents |= {"xl/worksheets/sheet1.xml": sheet}
    contents |= {f"xl/{name}.xml": part for name, part in parts.items()}
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    strings = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}" /></Types>'
    if "sharedStrings" in parts:
        contents["[Content_Types].xml"] = contents["[Content_Types].xml"].replace("</Types>", strings)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


@file("far-row.xlsx")
def _(path: Path) -> None:
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="99999999999"><c r="A2"><v>1</v></c></row>'
    workbook(path, SHEET.format('<dimension ref="A1:XFD1048576"/>', rows))


@file("far-columns.xlsx")
def _(path: Path) -> dict[str, Any]:
    rows = "".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(1, 1_001))
    workbook(path, SHEET.format("", rows))
    return {"max_bytes": 2**21}


@file("elements.xlsx")
def _(path: Path) -> dict[str, Any]:
    workbook(path, SHEET.format("", "<a/>" * 200_000))
    return {"max_bytes": 2**21}


@file("strings.xlsx")
def _(path: Path) -> dict[str, Any]:
    strings = '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' + "<si/>" * 200_000 + "</sst>"
    workbook(path, SHEET.format("", ""), sharedStrings=strings)
    return {"max_bytes": 2**21}


@file("styles.xlsx")
def _(path: Path) -> dict[str, Any]:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    styles = f'<styleSheet xmlns="{main}">' + "<x/>" * 200_000 + "</styleSheet>"
    workbook(path, SHEET.format("", ""), styles=styles)
    return {"max_bytes": 2**21}


# -- reading

REFUSED = r"has more than [\d,]+ bytes uncompressed.*Pass a larger max_bytes \(--read max_bytes=\) if you trust"
OTHERWISE = {
    "virtual.db": "is not a complete SQLite database",
    "footer.parquet": "is not valid Parquet",
    "runs.feather": "column 'a' is run_end_encoded",
    "deep.jsonl": "line 1 is not valid JSON",
    "endless.csv.gz": "needs more memory than is available",
    "far-row.xlsx": "has a row beyond 1,048,576",
}


@pytest.fixture(scope="module")
def readings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str, float]]:
    """Write the files, and read all of them in one process; return the class, the text and the time of each error."""
    folder = tmp_path_factory.mktemp("small")
    orders = []
    for name, write in FILES.items():
        options = write(folder / name) or {}
        assert (folder / name).stat().st_size < LARGEST, name
        orders.append(json.dumps([name, str(folder / name), options]))
    environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}  # other pools reserve a gigabyte of addresses
    child = [sys.executable, "-c", CHILD, str(ADDRESS_SPACE)]
    done = subprocess.run(
        child, input="\n".join(orders), env=environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return {name: (kind, told, took) for name, kind, told, took in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("name", FILES)
def test_a_small_file_that_would_take_gigabytes_is_one_error(
    name: str, readings: dict[str, tuple[str, str, float]]
) -> None:
    kind, told, _ = readings[name]
    assert kind == "ReadingError", told
    assert re.search(OTHERWISE.get(name, REFUSED), told)
    assert name.removesuffix(".gz") in told or "values" in name
    assert "\n" not in told


def test_tables_of_a_million_cells_are_never_too_large() -> None:
    rows = b"0,1,0,1,0,1,0,1\n" * 100_000
    frame = read_table(io.BytesIO(gzip.compress(b"a,b,c,d,e,f,g,h\n" + rows)), max_bytes=len(rows) + 16)
    assert frame.shape == (100_000, 8)


def test_a_file_that_is_not_compressed_has_as_many_cells_as_bytes() -> None:
    content = b"a,b,c,d\n" + b",,,1\n" * 700_000
    assert read_table(io.BytesIO(content), max_bytes=2**20).shape == (700_000, 4)
    with pytest.raises(ReadingError, match=r"\(700,000 rows x 4 columns, counting 8 bytes for each cell"):
        read_table(io.BytesIO(gzip.compress(content)), max_bytes=2**22)


def test_a_larger_limit_reads_what_the_default_refuses(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"k{n}":1}}\n' for n in range(1_500)))
    with pytest.raises(ReadingError, match=r"rows x .* columns"):
        read_table(path, max_bytes=2**24)
    frame = read_table(path, max_bytes=2**26)
    assert frame.shape == (1_500, 1_500)
    assert frame.sum().sum() == 1_500
