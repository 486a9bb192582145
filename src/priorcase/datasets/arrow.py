"""Read Parquet and Feather files; what their columns would need is computed before they are decoded."""

from __future__ import annotations

import io
import os
import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, Literal

import numpy as np

from priorcase.datasets.budget import Budget, reason
from priorcase.datasets.delimited import RawTable, check_names
from priorcase.exceptions import ReadingError

_INDEX = re.compile(r"__index_level_\d+__")
_ENTRY = 16  # bytes of a short entry in the metadata of a Parquet file
_BATCH_ROWS = 2**16
_CHUNK = 2**31  # a chunk of an Arrow column of strings is smaller than this
_DELTA = ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY")  # encodings that PyArrow does not decode to a dictionary


def read_arrow(content: bytes, format: Literal["parquet", "feather"], budget: Budget) -> RawTable:
    """Read the columns of a Parquet or Feather file with their types; an unnamed pandas index is dropped."""
    import pyarrow as pa

    source = budget.source
    try:
        table = _parquet_table(content, budget) if format == "parquet" else _feather_table(content, budget)
        table.validate(full=True)
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError, OverflowError, TypeError, struct.error) as error:
        word = "Parquet" if format == "parquet" else "Feather"
        raise ReadingError(
            f"{source} is not valid {word}: {reason(error)}. Copy the file again, or pass its format."
        ) from error
    budget.check_size(table.nbytes)
    budget.check_table(table.num_rows, table.num_columns)
    kept = {name: column for name, column in zip(table.column_names, table.columns, strict=True) if _is_kept(name)}
    columns = {name: _simple_column(column, name, budget) for name, column in kept.items()}
    return RawTable(source, columns, table.num_rows, about={"typed": True})


def _is_kept(name: str) -> bool:
    return _INDEX.fullmatch(name) is None


# -- Parquet


def _parquet_table(content: bytes, budget: Budget) -> Any:
    import pyarrow as pa

    source = io.BytesIO(content)
    metadata = _parquet_metadata(source, budget)
    schema = metadata.schema.to_arrow_schema()
    _check_schema(schema, budget.source)
    with open_parquet(source, budget) as (file, rows):
        if rows is None:
            return _with_texts(file.read(), schema, budget)
        batches = []
        for batch in file.iter_batches(rows):
            budget.charge(batch.nbytes)
            batches.append(batch)
    return pa.Table.from_batches(batches, schema)


@contextmanager
def open_parquet(source: IO[bytes], budget: Budget) -> Iterator[tuple[Any, int | None]]:
    """Open a Parquet file that is within the limits; strings are read as dictionaries, which are never large.

    The second value is None, unless the file contains an encoding that cannot be read as dictionaries. It is then the
    number of rows that can be read at once.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    metadata = _parquet_metadata(source, budget)
    schema = metadata.schema.to_arrow_schema()
    categories = {field.name for field in schema if pa.types.is_dictionary(field.type)}  # already dictionaries
    texts: dict[str, None] = {}
    largest = 0
    for group in range(metadata.num_row_groups):
        about = metadata.row_group(group)
        for at in range(about.num_columns):
            column = about.column(at)
            if column.physical_type == "BYTE_ARRAY" and column.path_in_schema not in categories:
                texts[column.path_in_schema] = None
            if any(encoding in _DELTA for encoding in column.encodings):
                largest = max(largest, column.total_uncompressed_size)
    with pq.ParquetFile(source, metadata=metadata, read_dictionary=[] if largest else list(texts)) as file:
        yield file, max(1, min(_BATCH_ROWS, budget.max_bytes // largest)) if largest else None


def _parquet_metadata(source: IO[bytes], budget: Budget) -> Any:
    """Return the metadata of a Parquet file, with the sizes checked that it states."""
    import pyarrow.parquet as pq

    end = source.seek(0, os.SEEK_END)
    source.seek(max(end - 8, 0))
    length = int.from_bytes(source.read(4), "little")
    if length <= end:
        budget.check_parts(length // _ENTRY, "entries in the metadata")
    source.seek(0)
    metadata = pq.read_metadata(source)
    budget.check_table(metadata.num_rows, metadata.num_columns)
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    budget.check_size(sum(group.total_byte_size for group in groups))
    values = [group.column(at).num_values for group in groups for at in range(group.num_columns)]
    budget.check_table(sum(values), 1)  # lists have more values than rows
    return metadata


def check_texts(batch: Any, budget: Budget) -> None:
    """Check the size that the strings of a batch would have without their dictionaries."""
    from pyarrow import types

    size = 0
    for column in batch.columns:
        while types.is_list(column.type) or types.is_large_list(column.type):
            column = column.flatten()
        if types.is_dictionary(column.type) and _is_text(column.type.value_type):
            size += _text_size(column)
    budget.check_size(size)


def _with_texts(table: Any, schema: Any, budget: Budget) -> Any:
    """Replace the dictionaries of columns that are strings in the file by strings, whose size is checked first."""
    import pyarrow as pa

    for at, field in enumerate(schema):
        if not _is_text(field.type):
            continue
        chunks = []
        for chunk in table.column(at).chunks:
            size = _text_size(chunk)
            budget.charge(size)
            step = len(chunk) if size < _CHUNK else 1 + len(chunk) * _CHUNK // (4 * size)
            chunks += [chunk.slice(start, step).cast(pa.string()) for start in range(0, len(chunk), max(step, 1))]
        table = table.set_column(at, field.name, pa.chunked_array(chunks, pa.string()))
    return table


def _text_size(codes: Any) -> int:
    """Return the size of an array of strings that is encoded by a dictionary."""
    import pyarrow.compute as pc

    lengths = pc.fill_null(pc.binary_length(codes.dictionary), 0).to_numpy(zero_copy_only=False)
    indices = codes.indices.drop_null() if codes.null_count else codes.indices
    return int(lengths[indices.to_numpy(zero_copy_only=False)].sum(dtype=np.int64))


# -- Feather


def _feather_table(content: bytes, budget: Budget) -> Any:
    import pyarrow as pa
    import pyarrow.feather

    if content.startswith(b"ARROW1"):
        with pa.ipc.open_file(io.BytesIO(content)) as file:
            schema = file.schema
        _check_schema(schema, budget.source)
        rows = 0
        for length, size in _record_batches(content):
            rows += length
            budget.charge(size)
        budget.check_table(rows, len(schema))
    table = pyarrow.feather.read_table(io.BytesIO(content))
    _check_schema(table.schema, budget.source)
    return table


def _record_batches(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield the number of rows and the decompressed size of each record batch and dictionary of an Arrow file.

    These are in the headers of the blocks, which are FlatBuffers; see File.fbs and Message.fbs of the Arrow format.
    """
    import pyarrow as pa

    end = len(content) - 10  # the length of the footer, then the mark ARROW1
    length = struct.unpack_from("<i", content, end)[0]
    footer = content[end - length : end]
    dictionaries = _vector(footer, _root(footer), 2, 24)
    batches = _vector(footer, _root(footer), 3, 24)
    whole = pa.py_buffer(content)
    for is_batch, block in [*((False, block) for block in dictionaries), *((True, block) for block in batches)]:
        offset = struct.unpack_from("<q", block)[0]
        message = pa.ipc.read_message(pa.BufferReader(whole.slice(offset)))
        header = message.metadata.to_pybytes()
        record = _table(header, _root(header), 2)
        if record is not None and not is_batch:
            record = _table(header, record, 1)
        if record is not None:
            rows, size = _record_size(header, record, message.body)
            yield rows * is_batch, size


def _record_size(header: bytes, record: int, body: Any) -> tuple[int, int]:
    """Return the number of rows and the decompressed size of a record batch."""
    at = _place(header, record, 0)
    rows = 0 if at is None else struct.unpack_from("<q", header, at)[0]
    compressed = _place(header, record, 3) is not None
    size = 0
    for buffer in _vector(header, record, 2, 16):
        offset, length = struct.unpack("<qq", buffer)
        if compressed and length >= 8:
            length = max(length, struct.unpack_from("<q", body, offset)[0])
        size += length
    return rows, size


def _root(buffer: bytes) -> int:
    return int(struct.unpack_from("<I", buffer)[0])


def _place(buffer: bytes, table: int, slot: int) -> int | None:
    """Return the position of a field of a FlatBuffers table; None if the field is absent."""
    fields = table - struct.unpack_from("<i", buffer, table)[0]
    size = struct.unpack_from("<H", buffer, fields)[0]
    at = 4 + 2 * slot
    offset = struct.unpack_from("<H", buffer, fields + at)[0] if at < size else 0
    return table + offset if offset else None


def _table(buffer: bytes, table: int, slot: int) -> int | None:
    """Return the position of a table inside another FlatBuffers table."""
    at = _place(buffer, table, slot)
    return None if at is None else at + int(struct.unpack_from("<I", buffer, at)[0])


def _vector(buffer: bytes, table: int, slot: int, width: int) -> list[bytes]:
    """Return the items, of ``width`` bytes each, of a vector in a FlatBuffers table."""
    start = _table(buffer, table, slot)
    if start is None:
        return []
    n = min(struct.unpack_from("<I", buffer, start)[0], len(buffer) // width)
    return [buffer[start + 4 + width * at :][:width] for at in range(n)]


# -- columns


def _check_schema(schema: Any, source: str) -> None:
    check_names(schema.names, source)
    for field in schema:
        if _is_kept(field.name):
            _check_type(field.type, field.name, source)


def _check_type(kind: Any, name: str, source: str) -> None:
    """Raise an error if a column cannot be converted to a simple type, before it is decoded."""
    from pyarrow import types

    plain = kind.value_type if types.is_dictionary(kind) else kind
    if types.is_null(plain) or types.is_integer(plain) or types.is_floating(plain) or types.is_boolean(plain):
        return
    if types.is_date(plain) or types.is_time(plain) or types.is_timestamp(plain) or types.is_duration(plain):
        return
    if types.is_decimal(plain) or _is_text(plain):
        return
    raise ReadingError(
        f"{source}: column {name!r} is {kind}; expected numbers, text, dates or categories. Spread nested values over "
        "several columns, or drop the column."
    )


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view"


def _simple_column(column: Any, name: str, budget: Budget) -> Any:
    """Convert a column to a simple type: numbers, booleans, text, categories or timestamps."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import types

    kind = column.type
    try:
        if types.is_null(kind):
            return column.cast(pa.float64())
        if types.is_decimal(kind) or types.is_float16(kind):
            return column.cast(pa.float64())
        if types.is_date(kind):
            return column.cast(pa.timestamp("ms")).cast(pa.timestamp("us"))
        if types.is_timestamp(kind):
            return column.cast(pa.timestamp("us", tz=kind.tz), safe=False)
        if types.is_duration(kind):
            return pc.divide(column.cast(pa.duration("us"), safe=False).cast(pa.int64()).cast(pa.float64()), 1e6)
        if types.is_time(kind):
            return column.cast(pa.string())
        if types.is_dictionary(kind) and str(kind.value_type) == "string_view":
            budget.charge(sum(_view_size(chunk.dictionary) for chunk in column.chunks))
        if types.is_dictionary(kind) and _is_text(kind.value_type):
            words = pa.dictionary(pa.int32(), pa.string(), kind.ordered)
            return (column if kind == words else column.cast(words)).unify_dictionaries()
        if types.is_dictionary(kind):
            return _simple_column(column.cast(kind.value_type), name, budget)
        if str(kind) == "string_view":
            budget.charge(sum(map(_view_size, column.chunks)))
        if _is_text(kind):
            return column.cast(pa.string())
    except pa.ArrowException as error:
        raise ReadingError(
            f"{budget.source}: column {name!r} cannot be read: {reason(error)}. Convert or drop the column."
        ) from error
    return column


def _view_size(texts: Any) -> int:
    """Return the size of an array of string views, many of which can refer to the same bytes."""
    if len(texts) == 0:
        return 0
    views = np.frombuffer(texts.buffers()[1], np.int32)[::4]  # a view begins with the length of its string
    lengths = views[texts.offset : texts.offset + len(texts)]
    return int(lengths[texts.is_valid().to_numpy(zero_copy_only=False)].sum(dtype=np.int64))
