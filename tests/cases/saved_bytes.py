"""Saved learners taken apart and put together again, checksums included, for tests."""

from __future__ import annotations

import json
import struct
from hashlib import sha256
from typing import Any

import priorcase as pc
from priorcase.cases.saving.reading import Reader
from priorcase.cases.saving.saved import FORMAT, MAGIC
from priorcase.cases.saving.writing import Writer

HEAD = struct.Struct("<8sHHQQ")
KNN = "priorcase.neighbors.knn:KNNClassifier"


def sealed(nodes: Any, blobs: bytes = b"", *, version: str | None = None, number: int = FORMAT) -> bytes:
    """Bytes with a right head and checksum, as only somebody who means it would make them."""
    tree = nodes if isinstance(nodes, bytes) else json.dumps(nodes).encode()
    told = (pc.__version__ if version is None else version).encode()
    head, body = HEAD.pack(MAGIC, number, len(told), len(tree), len(blobs)), told + tree + blobs
    return head + sha256(head + body).digest() + body


def opened(data: bytes) -> tuple[list[Any], bytes]:
    """The nodes and blobs of a saved learner."""
    *_, version, tree, _ = HEAD.unpack(data[: HEAD.size])
    at = HEAD.size + 32 + version
    return json.loads(data[at : at + tree]), data[at + tree :]


def round_trip(value: object) -> Any:
    """A value written and read again."""
    writer = Writer()
    writer.write(value, "it")
    nodes = json.loads(json.dumps(writer.nodes, allow_nan=False))
    return Reader(nodes, memoryview(b"".join(writer.blobs)), "it").read()
