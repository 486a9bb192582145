"""Function graphs as text and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from priorcase.exceptions import FunctionGraphError

_ARROW = re.compile(r"\s*([+-])>\s*")


def read_text(text: object) -> tuple[list[tuple[str, str, str]], dict[str, str]]:
    """Arcs and labels from ``A +> B; A -> x +> C; flow: A, B``."""
    if not isinstance(text, str):
        raise FunctionGraphError.not_text(text)
    arcs: list[tuple[str, str, str]] = []
    labels: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in re.split(r"[;\n]", text))):
        if ":" in part:
            _read_labels(part, labels)
            continue
        pieces = _ARROW.split(part)
        if len(pieces) < 3 or not all(pieces) or any(">" in piece for piece in pieces):
            raise FunctionGraphError.unreadable(part)
        arcs.extend((pieces[i], pieces[i + 1], pieces[i + 2]) for i in range(0, len(pieces) - 2, 2))
    return arcs, labels


def _read_labels(part: str, labels: dict[str, str]) -> None:
    label, _, names = part.partition(":")
    for name in (name.strip() for name in names.split(",")):
        if not name or not label.strip() or ">" in part:
            raise FunctionGraphError.unreadable(part)
        if labels.setdefault(name, label.strip()) != label.strip():
            raise FunctionGraphError.two_labels(name, labels[name], label.strip())


def read_json(text: object) -> tuple[Any, Any]:
    """Arcs and labels from JSON, still to be checked as those a user gives."""
    if not isinstance(text, str):
        raise FunctionGraphError.not_text(text)
    try:
        content = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        reason = "it nests too deeply" if isinstance(error, RecursionError) else f"it is no JSON ({error})"
        raise FunctionGraphError.not_json(reason) from None
    if not isinstance(content, dict) or set(content) != {"arcs", "labels"}:
        raise FunctionGraphError.not_json("expected an object with 'arcs' and 'labels'")
    if not isinstance(content["arcs"], list):
        raise FunctionGraphError.not_json("expected 'arcs' to be a list")
    return content["arcs"], {} if content["labels"] is None else content["labels"]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def graph_text(arcs: Iterable[object], quantities: Iterable[tuple[str, str]]) -> list[str]:
    """The lines of a graph: its arcs, then each label with its variables."""
    named: dict[str, list[str]] = {}
    for name, label in quantities:
        named.setdefault(label, []).append(name)
    return [*map(str, arcs), *(f"{label}: {', '.join(named[label])}" for label in sorted(named))]
