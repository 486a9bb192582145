"""Function graphs as text and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from priorcase.exceptions import ParameterError, quoted

_ARROW = re.compile(r"\s*([+-])>\s*")


def read_text(text: object) -> tuple[list[tuple[str, str, str]], dict[str, str]]:
    """Arcs and labels from ``A +> B; A -> x +> C; flow: A, B``."""
    if not isinstance(text, str):
        raise ParameterError(f"got {quoted(text)}; expected a text. FunctionGraph(arcs) takes a list of arcs.")
    arcs: list[tuple[str, str, str]] = []
    labels: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in re.split(r"[;\n]", text))):
        if ":" in part:
            _read_labels(part, labels)
            continue
        pieces = _ARROW.split(part)
        if len(pieces) < 3 or not all(pieces) or any(">" in piece for piece in pieces):
            raise ParameterError(
                f"cannot read {quoted(part)}; expected arcs 'A +> B' and 'A -> B' or labels 'flow: A, B'. Separate "
                "them by ';' or by new lines."
            )
        arcs.extend((pieces[i], pieces[i + 1], pieces[i + 2]) for i in range(0, len(pieces) - 2, 2))
    return arcs, labels


def _read_labels(part: str, labels: dict[str, str]) -> None:
    label, _, names = part.partition(":")
    for name in (name.strip() for name in names.split(",")):
        if not name or not label.strip() or ">" in part:
            raise ParameterError(
                f"cannot read {quoted(part)}; expected arcs 'A +> B' and 'A -> B' or labels 'flow: A, B'. Separate "
                "them by ';' or by new lines."
            )
        if labels.setdefault(name, label.strip()) != label.strip():
            raise ParameterError(
                f"got the labels {quoted(labels[name])} and {quoted(label.strip())} for {quoted(name)}; expected one. "
                "A variable is one quantity; use two variables."
            )


def read_json(text: object) -> tuple[Any, Any]:
    """Arcs and labels from JSON, still to be checked as those a user gives."""
    if not isinstance(text, str):
        raise ParameterError(f"got {quoted(text)}; expected a text. FunctionGraph(arcs) takes a list of arcs.")
    try:
        content = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        reason = "it nests too deeply" if isinstance(error, RecursionError) else f"it is no JSON ({error})"
        raise ParameterError(
            f"got a text that is no function graph: {reason}. to_json() writes "
            '{"arcs":[["Q1","+","Q3"]],"labels":{"Q1":"flow"}}.'
        ) from None
    if not isinstance(content, dict) or set(content) != {"arcs", "labels"}:
        raise ParameterError(
            "got a text that is no function graph: expected an object with 'arcs' and 'labels'. to_json() writes "
            '{"arcs":[["Q1","+","Q3"]],"labels":{"Q1":"flow"}}.'
        )
    if not isinstance(content["arcs"], list):
        raise ParameterError(
            "got a text that is no function graph: expected 'arcs' to be a list. to_json() writes "
            '{"arcs":[["Q1","+","Q3"]],"labels":{"Q1":"flow"}}.'
        )
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
