"""A checksum for each row, and one for each table that no order of its rows changes."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

_SIZE = 8
_ALL = 1 << 64


def checksum(*parts: object) -> int:
    """The checksum of a row: 64 bits of BLAKE2b over its fields, as a signed number.

    A field is written with its length, and bytes unlike text, so no two rows read the same.

    Examples
    --------
    >>> checksum(1, "a", None) == checksum(1, "a", None), checksum("ab", "c") == checksum("a", "bc")
    (True, False)
    >>> checksum("a") == checksum(b"a")
    False
    """
    digest = blake2b(digest_size=_SIZE)
    for part in parts:
        kind = b"-" if part is None else b"#" if isinstance(part, bytes) else b"+"
        data = part if isinstance(part, bytes) else b"" if part is None else str(part).encode()
        digest.update(b"%s%d:" % (kind, len(data)))
        digest.update(data)
    return int.from_bytes(digest.digest(), "big", signed=True)


def case_checksum(
    id: int, added: int, revised: int | None, data: str, solution: str | None, outcome: str | None, key: str | None
) -> int:
    """The checksum of a case, in one pass: the first six fields hold no zero character, and the key comes last."""
    text = f"{id}\0{added}\0{revised}\0{data}\0{solution}\0{outcome}\0" + ("-" if key is None else f"+{key}")
    return int.from_bytes(blake2b(text.encode(), digest_size=_SIZE).digest(), "big", signed=True)


def event_checksum(sequence: int, at: str, action: str, id: int | None, by: str | None, why: str | None) -> int:
    """The checksum of a step of the history, in one pass; whoever's name is written with its length."""
    who = "-" if by is None else f"+{len(by)}:{by}"
    text = f"{sequence}\0{at}\0{action}\0{id}\0{who}" + ("-" if why is None else f"+{why}")
    return int.from_bytes(blake2b(text.encode(), digest_size=_SIZE).digest(), "big", signed=True)


def total(sums: Iterable[int], *, start: int = 0) -> int:
    """The checksum of a table: the sum of its rows' checksums, modulo 2^64.

    Examples
    --------
    >>> total([1, -2, 3]) == total([3, 1, -2])
    True
    """
    return (start + sum(sums)) % _ALL
