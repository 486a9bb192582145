"""Functions to read tables batch by batch, for learning and for predicting.

A source of batches is a folder of Parquet files, a list of such files, a ``pyarrow.dataset.Dataset``, a
``pyarrow.RecordBatchReader``, an iterator of Arrow record batches or tables, a Polars ``LazyFrame``, or anything that
provides an Arrow stream, such as a DuckDB relation. ``fit`` and ``partial_fit`` of the learners accept a source of
batches as ``X``, with the name of the target column as ``y``. The functions of this module apply a fitted model to a
source and yield the results as Arrow record batches. Only a few batches are in memory at a time, so memory use
depends on the batch size and the size of the model.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from glob import glob, has_magic
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from priorcase._typing import AnyArray, IntArray
from priorcase.exceptions import (
    MissingFileError,
    NotAvailableError,
    ReadingError,
    SchemaError,
    SchemaMismatchError,
    UnsupportedDataError,
    advice,
    listed,
    quoted,
)
from priorcase.schema.columns import dictionary_codes

__all__ = ["explain", "kneighbors", "predict", "predict_proba"]

BATCH_ROWS = 1 << 17
"""Maximum number of rows in a batch."""

_BATCH_VALUES = 1 << 27
"""Maximum number of values in a batch of a Parquet file, which has fewer rows if the table is very wide."""

# Number of batches, and of files, read ahead: enough to keep all threads busy.
_BATCHES_AHEAD, _FILES_AHEAD = 3, 1


class Batches:
    """A table that is read in batches of at most `BATCH_ROWS` rows. All batches must have the same schema.

    The function ``read`` returns the batches as Arrow record batches or tables. ``source`` is the name of the table in
    messages, and ``again`` states whether the table can be read a second time. Iterating yields non-empty
    ``pyarrow.RecordBatch`` objects. If a batch is invalid, the error message contains the number of this batch.
    """

    def __init__(self, read: Callable[[], Iterable[Any]], *, source: str, again: bool) -> None:
        self._read, self.source, self.again, self._used = read, source, again, False

    def __iter__(self) -> Iterator[Any]:
        if self._used and not self.again:
            raise NotAvailableError(
                f"{self.source} was read before and can be read only once. Pass a dataset, a path or a list of batches."
            )
        self._used = True
        return self._checked()

    def _checked(self) -> Iterator[Any]:
        import pyarrow as pa

        schema, latest, number = None, None, 0
        ordered, levels = list[str](), dict[str, Any]()  # columns with an ordered dictionary, and their dictionaries
        try:
            for number, given in enumerate(self._read()):
                if not isinstance(given, (pa.RecordBatch, pa.Table)):
                    raise UnsupportedDataError(
                        f"batch {number} of {self.source} is {quoted(given)}; expected Arrow record batches or "
                        "tables. Convert each batch, for example with pyarrow.Table.from_pandas."
                    )
                if schema is None:
                    schema = given.schema
                    if repeated := [name for name in schema.names if schema.names.count(name) > 1]:
                        raise SchemaError(
                            f"there is more than one column named {repeated[0]!r} in {self.source}. Rename or drop the "
                            "repeated columns."
                        )
                if latest is None or not given.schema.equals(latest):
                    _check_schema(given.schema, schema, f"batch {number} of {self.source}")
                    latest = given.schema
                    ordered = [field.name for field in latest if getattr(field.type, "ordered", False)]
                parts = [given] if isinstance(given, pa.RecordBatch) else given.to_batches()
                for part in parts:
                    for name in ordered:
                        dictionary = part.column(name).dictionary
                        if not levels.setdefault(name, dictionary).equals(dictionary):
                            raise SchemaMismatchError(
                                f"batch {number} of {self.source} has the column {name!r} with the ordered categories "
                                f"{listed(dictionary.to_pylist())}, but earlier batches have "
                                f"{listed(levels[name].to_pylist())}. {_ALIKE}"
                            )
                    for start in range(0, part.num_rows, BATCH_ROWS):
                        yield part.slice(start, BATCH_ROWS)
        except (pa.ArrowException, OSError) as error:
            raise ReadingError(
                f"{self.source} could not be read beyond batch {number}: {str(error).strip().splitlines()[0]}. "
                "The model is unchanged. Check for damaged or incomplete files, or files with another schema."
            ) from error
        if schema is None:
            raise SchemaError(
                f"there are no batches in {self.source}, so the columns are unknown. Pass at least one batch."
            )


def open_batches(source: Any) -> Batches | None:
    """Return the batches of a source, or None for any other object, such as a data frame in memory."""
    if isinstance(source, Batches):
        return source
    if isinstance(source, (str, os.PathLike)):
        return open_files([source])
    if isinstance(source, (list, tuple)):
        if source and all(isinstance(one, (str, os.PathLike)) for one in source):
            return open_files(source)
        of_arrow = source and all(type(one).__module__.startswith("pyarrow") for one in source)
        return Batches(lambda: source, source="the list of batches", again=True) if of_arrow else None
    module = type(source).__module__.partition(".")[0]
    if module == "polars" and hasattr(source, "sink_parquet"):
        return Batches(lambda: _lazy(source), source="the lazy frame", again=True)
    if "duckdb" in module:
        return Batches(lambda: _relation(source), source="the DuckDB result", again=hasattr(source, "filter"))
    if hasattr(source, "shape") or isinstance(source, (Mapping, bytes)):
        return None  # in memory
    if module == "pyarrow":
        import pyarrow.dataset as ds

        if isinstance(source, ds.Dataset):
            return _dataset(source, "the dataset")
        reader = source.to_reader() if isinstance(source, ds.Scanner) else source
        return Batches(lambda: _reader(reader), source="the reader", again=False)
    if hasattr(source, "__arrow_c_stream__"):
        import pyarrow as pa

        return Batches(
            lambda: _reader(pa.RecordBatchReader.from_stream(source)), source="the Arrow stream", again=False
        )
    if isinstance(source, Iterable):
        name = "the iterator" if isinstance(source, Iterator) else f"the {type(source).__name__}"
        return Batches(lambda: source, source=name, again=not isinstance(source, Iterator))
    return None


# -- sources of batches


def open_files(paths: Sequence[Any]) -> Batches:
    """Return the batches of Parquet files, which are given by paths, patterns or folders."""
    import pyarrow as pa
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    found, hive = list[str](), False
    for given in map(os.fspath, paths):
        path = Path(given)
        if path.is_dir():
            inside = sorted(one for one in path.rglob("*.parquet") if not _hidden(one.relative_to(path)))
            if not inside:
                raise MissingFileError(f"{quoted(given)} is a folder without .parquet files. Check the path.")
            found += map(str, inside)
            hive = hive or any("=" in part for one in inside for part in one.relative_to(path).parent.parts)
        elif path.exists():
            found.append(str(path))
        elif has_magic(given) and (matches := sorted(glob(given, recursive=True))):
            found += matches
        else:
            raise MissingFileError(f"there is no file or folder {quoted(given)}. Check the path.")
    source = quoted(found[0]) if len(found) == 1 else f"the {len(found)} files {listed(found, limit=2)}"
    schemas = list[Any]()
    for file in found:
        try:
            schemas.append(pq.read_schema(file))
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(file, error) from error
        _check_schema(schemas[-1], schemas[0], f"file {quoted(file)}")
    schema = schemas[0]
    # Strings that Parquet stores as a dictionary are not expanded for every row.
    texts = [field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)]
    if hive or not all(own.equals(schema) for own in schemas):  # a dataset casts to one schema
        options = ds.ParquetFragmentScanOptions(pre_buffer=False, page_checksum_verification=True)
        form = ds.ParquetFileFormat(dictionary_columns=texts, default_fragment_scan_options=options)
        partitioning = "hive" if hive else None
        try:
            folders = ds.dataset(found, format=form, partitioning=partitioning).schema
            whole = pa.unify_schemas(schemas, promote_options="permissive")
            for field in folders:
                whole = whole if field.name in whole.names else whole.append(field)
            return _dataset(ds.dataset(found, schema=whole, format=form, partitioning=partitioning), source)
        except pa.ArrowException as error:
            raise _not_read(source, error) from error

    def read() -> Iterator[Any]:
        # Decodes one batch at a time, all columns in parallel; a dataset decodes whole row groups ahead.
        options: dict[str, Any] = {"read_dictionary": texts, "pre_buffer": False, "page_checksum_verification": True}
        for path in found:
            try:
                with pq.ParquetFile(path, **options) as file:
                    yield from file.iter_batches(_batch_rows(file.metadata))
            except (pa.ArrowException, OSError) as error:
                raise _unreadable(path, error) from error
        yield schema.empty_table()

    return Batches(lambda: _read_ahead(read()), source=source, again=True)


def _batch_rows(metadata: Any) -> int:
    """Return the number of rows of a batch: a small file can contain very wide rows, or long lists."""
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    values = sum(int(group.column(at).num_values) for group in groups for at in range(group.num_columns))
    width = max(1, -(-values // max(int(metadata.num_rows), 1)))
    return max(1, min(BATCH_ROWS, _BATCH_VALUES // width))


def _hidden(path: Path) -> bool:
    """Return whether a file is ignored because its name, or the name of one of its folders, starts with "." or "_"."""
    return any(part.startswith((".", "_")) for part in path.parts)


def _unreadable(path: str, error: Exception) -> ReadingError:
    reason = str(error).strip().splitlines()[0].rstrip(".")
    remedy = "Write the file again, or omit this file."
    if not path.endswith((".parquet", ".pq")):
        remedy = "Read a file of another format with priorcase.datasets.read_table, and pass the data frame."
    return ReadingError(f"{quoted(path)} is not a valid Parquet file: {reason}. {remedy}")


def _not_read(source: str, error: Exception) -> ReadingError:
    reason = str(error).strip().splitlines()[0].rstrip(".")
    return ReadingError(f"{source} could not be read: {reason}. The model is unchanged.")


def _read_ahead(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the given batches while another thread reads the next ones."""
    with ThreadPoolExecutor(1) as reader:
        ahead = deque(reader.submit(next, batches, None) for _ in range(_BATCHES_AHEAD))
        while (batch := ahead.popleft().result()) is not None:
            ahead.append(reader.submit(next, batches, None))
            yield batch


def _dataset(dataset: Any, source: str) -> Batches:
    def read() -> Iterator[Any]:
        yield from dataset.to_batches(
            batch_size=BATCH_ROWS, batch_readahead=_BATCHES_AHEAD, fragment_readahead=_FILES_AHEAD
        )
        yield dataset.schema.empty_table()

    return Batches(read, source=source, again=True)


def _reader(reader: Any) -> Iterator[Any]:
    yield from reader
    yield reader.schema.empty_table()


def _relation(relation: Any) -> Iterator[Any]:
    import duckdb

    fetch = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    try:
        yield from _reader(fetch(BATCH_ROWS))
    except duckdb.Error as error:
        raise _not_read("the DuckDB result", error) from error


def _lazy(frame: Any) -> Iterator[Any]:
    """Write a Polars lazy frame to a temporary Parquet file without collecting it in memory, and yield its batches."""
    import polars as pl
    import pyarrow.parquet as pq

    folder = tempfile.mkdtemp(prefix="priorcase-")
    try:
        path = os.path.join(folder, "batches.parquet")
        try:
            frame.sink_parquet(path)
        except pl.exceptions.PolarsError as error:
            raise _not_read("the lazy frame", error) from error
        with pq.ParquetFile(path) as file:
            yield from _read_ahead(file.iter_batches(BATCH_ROWS))
            yield file.schema_arrow.empty_table()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


_ALIKE = "All batches need the same columns and types. The model is unchanged."


def _check_schema(found: Any, expected: Any, where: str) -> None:
    """Raise an error if column names or types differ; a dictionary type is compared by the type of its values."""
    if found.equals(expected):
        return
    names, before = found.names, expected.names
    for name in before:
        if names.count(name) != 1:
            many = "several columns" if name in names else "no column"
            raise SchemaMismatchError(f"{where} has {many} {name!r}, but earlier batches have exactly one. {_ALIKE}")
        types = [schema.field(name).type for schema in (found, expected)]
        own, earlier = map(_plain_type, types)
        if getattr(types[0], "ordered", False) != getattr(types[1], "ordered", False):
            own, earlier = types
        elif _alike(own, earlier):
            continue
        raise SchemaMismatchError(
            f"{where} has column {name!r} of type {own}, but its type in earlier batches is {earlier}. {_ALIKE}"
        )
    if extra := [name for name in names if name not in before]:
        raise SchemaMismatchError(f"{where} has a column {extra[0]!r}, which earlier batches do not have. {_ALIKE}")


def _plain_type(dtype: Any) -> Any:
    import pyarrow as pa

    return dtype.value_type if pa.types.is_dictionary(dtype) else dtype


def _alike(one: Any, other: Any) -> bool:
    """Return whether two column types are equal, both numeric, or both strings, or whether one of them is null."""
    import pyarrow.types as t

    if one.equals(other) or t.is_null(one) or t.is_null(other):
        return True
    text = [any(is_text(of) for is_text in (t.is_string, t.is_large_string, t.is_string_view)) for of in (one, other)]
    number = [t.is_integer(of) or t.is_floating(of) for of in (one, other)]
    return all(text) or all(number)


# -- learning


def labeled_batches(X: Any, y: Any) -> Labeled | None:
    """Return `Labeled` batches of ``X`` if ``y`` is a column name and ``X`` has named columns, otherwise None."""
    if not isinstance(y, str):
        return None
    source = open_batches(X)
    if source is None and nw.dependencies.is_into_dataframe(X):
        return Labeled(X, y, "X", again=True)
    return None if source is None else Labeled(source, y, source.source, again=source.again)


class Labeled:
    """Iterable of pairs ``(X, y)``, one for each batch, where ``y`` is the target column; a data frame is one batch."""

    def __init__(self, given: Any, target: str, source: str, *, again: bool) -> None:
        self.given, self.target, self.source, self.again = given, target, source, again

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        some = False
        for X, y in self._parts():
            if len(y):
                some = True
                yield X, y
        if not some:
            raise SchemaError(f"there are no rows in {self.source}. Pass at least one row.")

    def _parts(self) -> Iterator[tuple[Any, Any]]:
        if not isinstance(self.given, Batches):
            frame = nw.from_native(self.given, eager_only=True)
            self._check_target(frame.columns)
            yield frame.drop(self.target).to_native(), frame[self.target].to_native()
            return
        import pyarrow as pa

        for batch in self.given:
            table = pa.Table.from_batches([batch])
            self._check_target(table.column_names)
            at = table.column_names.index(self.target)
            yield table.remove_column(at), table.column(at)

    def _check_target(self, names: list[str]) -> None:
        if self.target not in names:
            otherwise = f"The columns are {listed(names)}"
            raise SchemaError(
                f"there is no target column {self.target!r} in {self.source}. "
                + advice(self.target, names, otherwise=otherwise)
            )


def target_array(column: Any) -> Any:
    """Convert an Arrow target column to a NumPy array; return any other object unchanged."""
    if not type(column).__module__.startswith("pyarrow"):
        return column
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        _check_codes(column)
        column = column.cast(column.type.value_type)
    return column.to_numpy()


def _check_codes(column: Any) -> None:
    for chunk in getattr(column, "chunks", [column]):
        dictionary_codes(chunk)


def coded_column(column: Any) -> tuple[IntArray, AnyArray]:
    """Return an Arrow column as codes (-1 for null) and an array of its distinct values."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        _check_codes(column)
    whole = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    chunk = whole.unify_dictionaries().combine_chunks() if isinstance(whole, pa.ChunkedArray) else whole
    values = chunk.dictionary.to_numpy(zero_copy_only=False)
    if len(set(values.tolist())) < len(values):  # a dictionary may contain duplicates
        return coded_column(column.cast(column.type.value_type))
    return dictionary_codes(chunk), values


# -- predictions


def predict(model: Any, source: Any) -> Iterator[Any]:
    """Predict the rows of a source, batch by batch.

    Yields a ``pyarrow.RecordBatch`` for each batch, with a column ``prediction``. For several targets, the columns are
    ``prediction 0``, ``prediction 1`` and so on. The source must have the columns that the model was fitted with, in
    any order; other columns are ignored. Only a few batches are in memory at a time.

    Examples
    --------
    >>> import priorcase as pc
    >>> import pyarrow as pa
    >>> from priorcase import batches
    >>> table = pa.table({"colour": ["red", "red", "blue", "blue"], "light": ["stop", "stop", "go", "go"]})
    >>> model = pc.NaiveBayes(keep_rows=False).fit(iter(table.to_batches(max_chunksize=2)), "light")
    >>> [batch.to_pydict() for batch in batches.predict(model, table.to_batches(max_chunksize=3))]
    [{'prediction': ['stop', 'stop', 'go']}, {'prediction': ['go']}]
    """
    return _answered(model, source, "predict", lambda X, _: _columns("prediction", model.predict(X)))


def predict_proba(model: Any, source: Any) -> Iterator[Any]:
    """Predict class probabilities, batch by batch; each record batch has one column for each class."""

    def answer(X: Any, _: int) -> dict[str, Any]:
        found = model.predict_proba(X)
        if isinstance(found, list):
            raise NotAvailableError("models with several targets are not supported. Use predict_proba of the model.")
        return dict(zip(map(str, model.classes_.tolist()), found.T, strict=True))

    return _answered(model, source, "predict_proba", answer)


def kneighbors(model: Any, source: Any, n_neighbors: int | None = None) -> Iterator[Any]:
    """Find the nearest stored rows for each row of a source, batch by batch.

    Yields record batches with one row for each pair of a query and a neighbor. The columns are ``query`` (position of
    the query in the source), ``rank`` (1 for the nearest neighbor), ``id`` (of the stored row) and ``distance``.
    """

    def answer(X: Any, start: int) -> dict[str, Any]:
        distances, ids = model.kneighbors(X, n_neighbors)
        n, k = ids.shape
        query, rank = np.repeat(np.arange(start, start + n), k), np.tile(np.arange(1, k + 1), n)
        return {"query": query, "rank": rank, "id": ids.ravel(), "distance": distances.ravel()}

    return _answered(model, source, "kneighbors", answer)


def explain(model: Any, source: Any, **options: Any) -> Iterator[Any]:
    """Explain the prediction for each row of a source, batch by batch; see `priorcase.explain` for ``options``.

    Yields record batches with one row for each pair of a query and a column. The columns are ``query`` (position of the
    query in the source), ``prediction``, ``column``, ``value`` (as a string), ``contribution`` and ``error``. In the
    first row for each query, ``column`` is missing, and ``contribution`` is the base: the value that the explained
    quantity has if no value of the query is known.
    """
    import pyarrow as pa

    def answer(X: Any, start: int) -> dict[str, Any]:
        found = model.explain(X, **options)
        frame = found.frame("pyarrow")
        columns = {name: frame.column(name) for name in frame.column_names if name != "value"}
        values = [value for row in found.queries for value in (None, *row)]
        columns["query"] = columns["query"].to_numpy() + start
        columns["value"] = pa.array([None if value is None else str(value) for value in values], pa.string())
        return {name: columns[name] for name in frame.column_names}

    return _answered(model, source, "explain", answer)


def _answered(model: Any, source: Any, asked: str, answer: Callable[[Any, int], Mapping[str, Any]]) -> Iterator[Any]:
    """Yield a record batch of results for each batch of a source."""
    if not hasattr(model, asked):
        raise NotAvailableError(f"{type(model).__name__} has no method {asked}")
    opened = open_batches(
        [nw.from_native(source, eager_only=True).to_arrow()] if nw.dependencies.is_into_dataframe(source) else source
    )
    if opened is None:
        raise UnsupportedDataError(
            f"source must be a data frame or a source of batches, such as a folder of Parquet files or an iterator of "
            f"Arrow record batches, got {quoted(source)}"
        )
    return _answers(model, opened, answer)


def _answers(model: Any, source: Batches, answer: Callable[[Any, int], Mapping[str, Any]]) -> Iterator[Any]:
    import pyarrow as pa

    start = 0
    for batch in source:
        columns = answer(model_columns(model, pa.Table.from_batches([batch])), start)
        arrays = [
            each.combine_chunks() if isinstance(each, pa.ChunkedArray) else pa.array(each) for each in columns.values()
        ]
        yield pa.RecordBatch.from_arrays(arrays, names=list(columns))
        start += batch.num_rows


def model_columns(model: Any, table: Any) -> Any:
    """Return the columns that a model was fitted with, or the whole table if one of these columns is absent."""
    names = getattr(model, "feature_names_in_", None)
    if names is None or not set(names.tolist()) <= set(table.column_names):
        return table
    return table.select(names.tolist())


def _columns(name: str, found: Any) -> dict[str, Any]:
    array = np.asarray(found)
    return {name: array} if array.ndim == 1 else {f"{name} {t}": column for t, column in enumerate(array.T)}
