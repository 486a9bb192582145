"""The forms in which people write down a taxonomy, and what is wrong with some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from priorcase._parameters import is_number
from priorcase.exceptions import SchemaError, listed

Parents = dict[str, str | None]
"""The parent of each node, parents before children; None for a root."""

_DEEPEST = 500
_HINT = 'For example Taxonomy({"printer": {"laser": {}, "inkjet": {}}}).'


def parents_of(tree: Any) -> tuple[Parents, dict[str, float]]:
    """The parent of each node of a tree in any of its forms, and the weights written beside nodes.

    Examples
    --------
    >>> parents_of({"printer": ["laser"]})[0] == parents_of({"laser": "printer", "printer": None})[0]
    True
    """
    weights: dict[str, float] = {}
    if isinstance(tree, tuple) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in tree):
        return _ordered(dict(tree)), weights
    if not isinstance(tree, Mapping) or not tree:
        raise _wrong(f"Taxonomy got {tree!r}; expected a mapping with at least one node.")
    if isinstance(tree.get("name"), str) and ("children" in tree or set(tree) <= {"name", "weight"}):
        return _collected(_named(tree, None, weights, 0)), weights
    # Parents are texts; in nested mappings nothing is.
    if any(isinstance(below, str) for below in tree.values()):
        return _ordered(tree), weights
    return _collected(_nested(tree, None, 0)), weights


def _nested(tree: Mapping[Any, Any], parent: str | None, depth: int) -> Iterator[tuple[Any, str | None]]:
    _bounded(depth, tree)
    for node, below in tree.items():
        yield node, parent
        if isinstance(below, Mapping):
            yield from _nested(below, node, depth + 1)
        elif isinstance(below, (list, tuple, set, frozenset)):
            yield from ((leaf, node) for leaf in (sorted(below) if isinstance(below, (set, frozenset)) else below))
        elif below is not None:
            raise _wrong(f"Taxonomy got {below!r} below {node!r}; expected a mapping, a list of leaves or None.")


def _named(tree: Any, parent: str | None, weights: dict[str, float], depth: int) -> Iterator[tuple[Any, str | None]]:
    _bounded(depth, tree)
    if not isinstance(tree, Mapping) or "name" not in tree:
        raise _wrong(f"Taxonomy got the child {tree!r}; expected a mapping with a name.")
    node = tree["name"]
    yield node, parent
    if (weight := tree.get("weight")) is not None:
        weights[node] = _similarity(node, weight)
    for child in tree.get("children") or ():
        yield from _named(child, node, weights, depth + 1)


def _collected(pairs: Iterator[tuple[Any, str | None]]) -> Parents:
    parents: Parents = {}
    for node, parent in pairs:
        _check_name(node)
        if node in parents:
            above = [parents[node], parent]
            raise _wrong(f"Taxonomy got {node!r} twice, under {listed(above)}; expected each node once.")
        parents[node] = parent
    return parents


def _ordered(given: Mapping[Any, Any]) -> Parents:
    """Parents before children; an error where a parent is no node or a node stands under itself."""
    for node, parent in given.items():
        _check_name(node)
        if parent is not None and parent not in given:
            raise _wrong(
                f"Taxonomy got {node!r} under {parent!r}, which is no node; expected every parent to be listed.",
                hint=f"add {parent!r}: None, or name another parent.",
            )
    children: dict[str | None, list[str]] = {}
    for node, parent in given.items():
        children.setdefault(parent, []).append(node)
    parents: Parents = {}
    waiting = list(reversed(children.get(None, [])))
    while waiting:
        node = waiting.pop()
        parents[node] = given[node]
        waiting.extend(reversed(children.get(node, [])))
    if len(parents) < len(given):
        circle = [node for node in given if node not in parents]
        problem = f"Taxonomy got nodes that stand under themselves: {listed(circle)}; expected a tree."
        raise _wrong(problem, hint="Give one of them another parent, or None to make it a root.")
    return parents


def checked_weights(given: Mapping[str, Any] | None, parents: Parents) -> dict[str, float]:
    """Similarities of nodes; an error where one is none, or its node is none."""
    if strange := [node for node in given or () if node not in parents]:
        raise _wrong(f"Taxonomy got weights for {listed(strange)}, which it has not; expected nodes of the tree.")
    return {node: _similarity(node, weight) for node, weight in (given or {}).items()}


def _similarity(node: str, weight: Any) -> float:
    if not is_number(weight) or not 0 <= weight <= 1:
        raise _wrong(f"Taxonomy got the weight {weight!r} at {node!r}; expected a similarity from 0 to 1.")
    return float(weight)


def _check_name(node: Any) -> None:
    if not isinstance(node, str) or not node:
        raise _wrong(f"Taxonomy got a node named {node!r}; expected a text that is not empty.")


def _bounded(depth: int, tree: Any) -> None:
    if depth > _DEEPEST:
        raise _wrong(f"Taxonomy got a tree deeper than {_DEEPEST} levels; expected a tree that ends.")


def _wrong(problem: str, *, hint: str = _HINT) -> SchemaError:
    return SchemaError(f"{problem} {hint}")
