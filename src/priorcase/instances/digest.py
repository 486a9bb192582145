"""A fingerprint of the logical content of some instances."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray, Value
from priorcase.schema import Nominal, Ordinal, Schema
from priorcase.schema.kinds import canonical

_FORMAT = b"priorcase instances 1"


def fingerprint(
    schemas: Iterable[Schema | None],
    columns: Iterable[tuple[AnyArray, Sequence[Value] | None]],
    weights: FloatArray | None,
    rows: int,
) -> str:
    """SHA-256 of names, kinds, rows in their order, and weights, as hexadecimal text."""
    parts = sha256(_FORMAT)
    parts.update(b"rows %d" % rows)
    for schema in schemas:
        _update(parts, _described(schema))
    for column, values in columns:
        if values is None:
            parts.update(_numbers(column))
        else:
            _update_codes(parts, column, values)
    parts.update(b"weights" if weights is None else b"weights" + _numbers(weights))
    return parts.hexdigest()


def _update(parts: Any, pieces: Iterable[bytes]) -> None:
    """Add pieces with their lengths, so that no two lists of pieces read alike."""
    pieces = list(pieces)
    parts.update(b"%d;" % len(pieces))
    for piece in pieces:
        parts.update(b"%d:" % len(piece))
        parts.update(piece)


def _described(schema: Schema | None) -> Iterable[bytes]:
    if schema is None:
        return
    yield b"unnamed" if schema.names is None else b"named"
    yield from map(canonical, schema.names or ())
    for kind in schema.kinds:
        yield type(kind).__name__.encode()
        if isinstance(kind, Ordinal):
            yield canonical(kind.order)
        if isinstance(kind, Nominal) and kind.values is not None:
            # Declared values are a set: their order means nothing.
            yield canonical(tuple(sorted(map(canonical, kind.values))))


def _numbers(column: FloatArray) -> bytes:
    """One bit pattern for each number: a single NaN, a single zero."""
    return (np.where(np.isnan(column), np.nan, column) + 0.0).astype("<f8").tobytes()


def _update_codes(parts: Any, codes: IntArray, values: Sequence[Value]) -> None:
    """Values that occur, sorted, and the rows as positions among them: the numbering of codes leaves no trace."""
    occurring = np.unique(codes[codes >= 0]).tolist()
    written = sorted((canonical(values[code]), code) for code in occurring)
    _update(parts, (text for text, _ in written))
    positions = np.full(len(values) + 1, -1, "<i4")
    for position, (_, code) in enumerate(written):
        positions[code] = position
    parts.update(positions[codes].tobytes())
