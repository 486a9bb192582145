"""Which format a file has, by its name and by what it holds."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import Literal, TypeAlias, get_args

from priorcase.datasets.contents import Readable
from priorcase.exceptions import ReadingError, listed, quoted

__all__ = ["FORMATS", "Format", "format_of"]

Format: TypeAlias = Literal["csv", "tsv", "arff", "parquet", "c4.5"]
FORMATS: tuple[Format, ...] = get_args(Format)

_ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".arff": "arff",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".names": "c4.5",
    ".data": "c4.5",
    ".test": "c4.5",
}
_PARQUET_MAGIC = b"PAR1"
_LOOKED_AT = 2**20


def format_of(source: Readable, content: bytes, told: object = None) -> Format:
    """The format that was told, else that of the content, else that of the name.

    Parquet and ARFF begin with what no other table begins with. Then the ending of the name counts, ``.gz`` apart;
    then tabs without commas in the first line are TSV, and the rest is CSV.

    Examples
    --------
    >>> import io
    >>> format_of("cars.tsv.gz", b"a\\tb\\n"), format_of(io.BytesIO(), b"% a comment\\n@relation r\\n")
    ('tsv', 'arff')
    """
    if told is not None:
        found = next((format for format in FORMATS if format == told), None)
        if found is None:
            raise ReadingError(
                f"got format={quoted(told)}; expected one of {listed(FORMATS, limit=len(FORMATS))}. Leave it out to "
                "tell it from the file's name and content."
            )
        return found
    if content.startswith(_PARQUET_MAGIC):
        return "parquet"
    first = next((line for line in content[:_LOOKED_AT].splitlines() if _says_something(line)), b"")
    if first.removeprefix(b"\xef\xbb\xbf").lstrip()[:10].lower().startswith((b"@relation", b"@attribute", b"@data")):
        return "arff"
    if isinstance(source, str | os.PathLike):
        name = PurePath(os.fspath(source).lower().removesuffix(".gz"))
        if name.suffix in _ENDINGS:
            return _ENDINGS[name.suffix]
    return "tsv" if b"\t" in first and b"," not in first else "csv"


def _says_something(line: bytes) -> bool:
    bare = line.removeprefix(b"\xef\xbb\xbf").strip()
    return bool(bare) and not bare.startswith(b"%")
