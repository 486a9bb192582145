"""A saved learner: a head, a checksum, a tree of nodes, and the bytes of arrays.

========  ================================================================================================
8 bytes   ``\\x89PCL\\r\\n\\x1a\\n``, which a transfer as text would damage
2         the number of the format, little-endian as all numbers are
2         the length of the version's name
8, 8      the length of the tree; that of the blobs
32        SHA-256 of all bytes before and after itself
then      the version of priorcase that saved it; the tree as JSON (see ``nodes.py``); the blobs
========  ================================================================================================

Learners are saved with all that they have learned, inner parts included, and those may differ between versions of the
library: a learner saved by another version is refused, and fitted again instead.
"""

from __future__ import annotations

import json
import struct
from hashlib import sha256
from typing import Any

from priorcase import __version__
from priorcase.cases.errors import damaged_learner
from priorcase.cases.saving.closed import check_learner
from priorcase.cases.saving.reading import Reader
from priorcase.cases.saving.writing import Writer
from priorcase.exceptions import ReadingError, quoted

__all__ = ["FORMAT", "MADE_UP", "MAGIC", "dump", "load", "pack", "unpack"]

MAGIC = b"\x89PCL\r\n\x1a\n"
FORMAT = 2

_HEAD = struct.Struct("<8sHHQQ")
_DIGEST = 32
_SOURCE = "The saved learner"
MADE_UP = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
"""What state that was made up can lead to while objects are put together."""


def dump(learner: object) -> bytes:
    """A learner of the library as bytes, with all that it has learned.

    Only data is written: a learner that holds a function of yours, or an object of another library, is refused, and
    the message says where it lies. The same learner gives the same bytes.

    Parameters
    ----------
    learner
        A learner of priorcase, fitted or not.

    Examples
    --------
    >>> from priorcase import KNNClassifier
    >>> learner = KNNClassifier(1).fit([[0.0], [1.0]], ["low", "high"])
    >>> load(dump(learner)).predict([[0.9]])
    array(['high'], dtype='<U4')
    """
    check_learner(learner)
    return pack(learner, type(learner).__name__)


def pack(value: object, name: str) -> bytes:
    """Anything that the format holds as bytes; messages call it by a name."""
    writer = Writer()
    writer.write(value, name)
    tree = json.dumps(writer.nodes, separators=(",", ":"), allow_nan=False).encode()
    version, blobs = __version__.encode(), b"".join(writer.blobs)
    head = _HEAD.pack(MAGIC, FORMAT, len(version), len(tree), len(blobs))
    body = b"".join((version, tree, blobs))
    return b"".join((head, sha256(head + body).digest(), body))


def load(data: bytes | bytearray | memoryview, *, source: str = _SOURCE) -> Any:
    """The learner that some bytes hold, as it was when it was saved: same answers, and it can go on learning.

    Nothing in the bytes is executed. They hold the names of classes, and only those of this library's learners and
    their parts are known; everything else is data. Memory stays within a multiple of their number.

    Parameters
    ----------
    data
        What `dump` gave.
    source
        How messages call it.

    Raises
    ------
    ReadingError
        The bytes are no saved learner, are damaged, or were saved by another version of the library.
    """
    learner = unpack(data, source=source)
    try:
        learner.get_params(deep=False)
    except MADE_UP as error:
        raise damaged_learner(source, "it holds no whole learner") from error
    return learner


def unpack(data: bytes | bytearray | memoryview, *, source: str) -> Any:
    """What `pack` packed."""
    version, tree, blobs = _parts(memoryview(data).cast("B"), source)
    if version != __version__:
        raise ReadingError(
            f"{source} was saved by priorcase {quoted(version)}; this is {__version__!r}, whose learners may differ. "
            "Fit the learner again, or load it by the version that saved it."
        )
    try:
        return Reader(json.loads(tree), blobs, source).read()
    except ReadingError:
        raise
    except MADE_UP as error:
        raise damaged_learner(source, f"its parts do not fit together ({type(error).__name__}: {error})") from error


def _parts(data: memoryview, source: str) -> tuple[str, bytes, memoryview]:
    """The version, the tree and the blobs, once head and checksum are right."""
    if bytes(data[: len(MAGIC)]) != MAGIC:
        raise ReadingError(
            f"{source} is no saved learner: it does not begin as one. Is it the right file? Learners are saved by "
            "save_learner."
        )
    if len(data) < _HEAD.size + _DIGEST:
        raise damaged_learner(source, "it is cut short")
    _, found, *lengths = _HEAD.unpack(data[: _HEAD.size])
    if found != FORMAT:
        remedy = "update priorcase, or fit the learner again" if found > FORMAT else "fit the learner again"
        raise ReadingError(f"{source} is in format {found}, but this priorcase reads format {FORMAT}: {remedy}.")
    head, body = data[: _HEAD.size], data[_HEAD.size + _DIGEST :]
    if sum(lengths) != len(body):
        raise damaged_learner(source, f"it has {len(body)} bytes after its head, which tells of {sum(lengths)}")
    check = sha256(head)
    check.update(body)
    if check.digest() != bytes(data[_HEAD.size : _HEAD.size + _DIGEST]):
        raise damaged_learner(source, "its bytes do not fit their checksum")
    at, end = lengths[0], lengths[0] + lengths[1]
    return bytes(body[:at]).decode("utf-8", "replace"), bytes(body[at:end]), body[end:]
