"""Mutated files of every format: a table, or one error of ours; never another traceback, a hang or much memory."""

from __future__ import annotations

import bz2
import datetime
import gzip
import io
import lzma
import random
import resource
import sqlite3
import time
from pathlib import Path

import pandas as pd
import pytest

from priorcase.datasets import read_table
from priorcase.exceptions import PriorcaseError

AWKWARD = Path(__file__).parent / "awkward"
PIECES = (
    b"",
    b"\0",
    b"\n",
    b'"',
    b",",
    b";",
    b"'",
    b"{",
    b"}",
    b"?",
    b"%",
    b"@data\n",
    b"-",
    b"1e999",
    b"\xff",
    b"[",
    b"\\",
)
SLOW = 20.0  # seconds that no file of a few kilobytes may take


def seeds() -> dict[str, bytes]:
    """A small file of each format, by its name."""
    frame = pd.DataFrame(
        {
            "n": [1.5, None, 3.0, -2.5],
            "i": [1, 2, 3, 4],
            "s": ["x", "y z", None, "größer"],
            "d": [datetime.datetime(2024, 1, day) for day in (1, 2, 3, 4)],
            "c": pd.Categorical(["a", "b", "a", None], categories=["a", "b"], ordered=True),
        }
    )
    found = {path.name: path.read_bytes() for path in sorted(AWKWARD.iterdir()) if path.suffix != ".md"}
    for form in ("parquet", "feather"):
        stream = io.BytesIO()
        (frame.to_parquet if form == "parquet" else frame.to_feather)(stream)
        found[f"t.{form}"] = stream.getvalue()
    found["t.jsonl"] = frame.to_json(orient="records", lines=True, date_format="iso").encode()
    found["t.names"] = b"yes, no.\na: continuous.\nb: x, y.\nc: [ordered] lo, hi.\nd: date.\n"
    base = sqlite3.connect(":memory:")
    frame.astype(object).where(frame.notna(), None).astype(str).to_sql("t", base, index=False)
    found["t.db"] = base.serialize()
    base.close()
    csv = frame.to_csv(index=False).encode()
    found |= {"t.csv.gz": gzip.compress(csv, mtime=0), "t.csv.bz2": bz2.compress(csv), "t.csv.xz": lzma.compress(csv)}
    try:
        import openpyxl  # noqa: F401

        stream = io.BytesIO()
        frame.to_excel(stream, index=False)
        found["t.xlsx"] = stream.getvalue()
    except ImportError:
        pass
    try:
        import zstandard

        found["t.csv.zst"] = zstandard.compress(csv)
    except ImportError:
        pass
    return found


def mutated(content: bytes, choice: random.Random) -> bytes:
    """The bytes with some of them changed, cut, repeated or replaced by pieces that formats care about."""
    found = bytearray(content)
    for _ in range(choice.choice((1, 1, 2, 4, 16))):
        at = choice.randrange(len(found) + 1)
        how = choice.randrange(6)
        if how == 0 and found:
            found[at % len(found)] = choice.randrange(256)
        elif how == 1:
            del found[at : at + choice.choice((1, 2, 8, 64))]
        elif how == 2:
            found[at:at] = choice.choice(PIECES)
        elif how == 3:
            found[at:at] = found[at : at + choice.choice((1, 8, 64))]
        elif how == 4 and found:
            found[at % len(found)] ^= 1 << choice.randrange(8)
        elif how == 5:
            found[at : at + 4] = choice.choice((b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\0", b"\1\0\0\0"))
    return bytes(found)


def check(name: str, content: bytes, folder: Path) -> None:
    path = folder / name
    path.write_bytes(content)
    if path.suffix == ".names":
        path.with_suffix(".data").write_bytes(b"1.5, x, lo, 2024/01/02, yes\n?, y, hi, ?, no\n")
    begun, told = time.process_time(), ""
    try:
        frame = read_table(path, max_bytes=2**26)
    except PriorcaseError as error:
        told = str(error)
    else:
        assert isinstance(frame, pd.DataFrame)
        assert len(set(frame.columns)) == len(frame.columns)
        assert list(frame.attrs["columns"]) == list(frame.columns)
    assert "\n" not in told
    assert len(told) < 2_000
    assert time.process_time() - begun < SLOW


def fuzz(rounds: int, folder: Path) -> None:
    files = seeds()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for seed in range(rounds):
        choice = random.Random(seed)
        name = choice.choice(sorted(files))
        try:
            check(name, mutated(files[name], choice), folder)
        except Exception as error:
            raise AssertionError(f"mutant {seed} of {name}: {type(error).__name__}: {error}") from error
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**20  # kilobytes: 1 GiB


def test_mutated_files_are_tables_or_errors_of_ours(tmp_path: Path) -> None:
    for name, content in seeds().items():
        if name != "ragged.csv":
            check(name, content, tmp_path)
    fuzz(400, tmp_path)


@pytest.mark.slow
def test_very_many_mutated_files_are_tables_or_errors_of_ours(tmp_path: Path) -> None:
    fuzz(20_000, tmp_path)
