"""Taxonomies: values that are nodes of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from priorcase._parameters import is_number
from priorcase._typing import Content, Value
from priorcase.exceptions import SchemaError, listed, quoted
from priorcase.schema.kinds import Nominal

_MOST_LEVELS = 500
_EXAMPLE = "For example Taxonomy({'printer': {'laser': {}, 'inkjet': {}}})."


@dataclass(frozen=True, slots=True, repr=False)
class Taxonomy(Nominal):
    """Column with values from a tree; values with a deeper common ancestor are more similar.

    A value may be any node, not only a leaf. The depth of a node is its number of steps from the root. If there are
    several roots, an unnamed common root is added.

    Parameters
    ----------
    tree
        One of three forms: nested mappings, ``{"printer": {"laser": {}, "inkjet": {}}}`` (None or a list of leaves may
        replace a mapping); nodes with children, ``{"name": "device", "children": [{"name": "printer"}]}``; or the
        parent of each node, ``{"laser": "printer", "inkjet": "printer", "printer": None}``.
    weights
        Mapping from nodes to similarities from 0 to 1, used by `LevelSimilarity`, in addition to ``"weight"`` entries
        in the tree.

    >>> device = Taxonomy({"device": {"printer": ["laser", "inkjet"], "router": None}})
    >>> device
    Taxonomy of 5 nodes: device > printer, router
    >>> device.common("laser", "inkjet"), device.common("laser", "router"), device.depth("laser")
    ('printer', 'device', 2)
    >>> list(device.under("printer"))
    ['printer', 'laser', 'inkjet']
    """

    values: tuple[Value, ...] | None = field(default=None, init=False, compare=False)
    content: Content = field(default="text", init=False, compare=False)
    tree: Any
    weights: Mapping[str, float] | None = None
    _parents: dict[str, str | None] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        parents, weights = _read_tree(self.tree)
        for node, weight in [*weights.items(), *(self.weights or {}).items()]:
            if node not in parents:
                raise SchemaError(f"weights of Taxonomy contains {node!r}, which is not a node of the tree")
            if not is_number(weight) or not 0 <= weight <= 1:
                raise SchemaError(f"the weight of {node!r} in a Taxonomy must be from 0 to 1, got {quoted(weight)}")
            weights[node] = float(weight)
        object.__setattr__(self, "_parents", parents)
        object.__setattr__(self, "weights", dict(sorted(weights.items())))
        object.__setattr__(self, "tree", tuple(parents.items()))
        object.__setattr__(self, "values", tuple(parents))

    @property
    def parameters(self) -> Value:
        """Parameters of the kind."""
        return self.tree, tuple((self.weights or {}).items())

    @property
    def nodes(self) -> tuple[str, ...]:
        """All nodes, depth first."""
        return tuple(self._parents)

    @property
    def roots(self) -> tuple[str, ...]:
        """Nodes without a parent."""
        return tuple(node for node, parent in self._parents.items() if parent is None)

    @property
    def leaves(self) -> tuple[str, ...]:
        """Nodes without children."""
        inner = set(self._parents.values())
        return tuple(node for node in self._parents if node not in inner)

    def __hash__(self) -> int:
        return hash(self.tree)

    def __contains__(self, node: object) -> bool:
        return isinstance(node, str) and node in self._parents

    def __len__(self) -> int:
        return len(self._parents)

    def __repr__(self) -> str:
        top, shown = "(all)", list(self.roots)
        if len(shown) == 1:
            top, shown = shown[0], [node for node, parent in self._parents.items() if parent in self.roots]
        below = ", ".join(shown[:6]) + (", ..." if len(shown) > 6 else "")
        return f"Taxonomy of {len(self)} node{'s' * (len(self) != 1)}: {top}{' > ' * bool(below)}{below}"

    def describe(self, known: Iterable[Value] = ()) -> str:
        """Describe the kind in words, for messages."""
        return f"taxonomy of {len(self)} nodes"

    def parent(self, node: str) -> str | None:
        """Return the parent of a node, or None for a root."""
        if node not in self._parents:
            raise SchemaError(f"the taxonomy has no node {node!r}. See `nodes` for all nodes.")
        return self._parents[node]

    def ancestors(self, node: str) -> tuple[str, ...]:
        """Return the node, its parent, and so on up to its root."""
        found = [node]
        while (above := self.parent(found[-1])) is not None:
            found.append(above)
        return tuple(found)

    def depth(self, node: str) -> int:
        """Return the number of steps from the root to a node."""
        return len(self.ancestors(node)) - 1 + (len(self.roots) > 1)

    def common(self, a: str, b: str) -> str | None:
        """Return the deepest common ancestor, possibly one of the two nodes, or None for the unnamed root."""
        above = set(self.ancestors(a))
        return next((node for node in self.ancestors(b) if node in above), None)

    def under(self, node: str) -> Iterator[str]:
        """Return the node and its descendants, parents before children."""
        self.parent(node)
        found: set[str | None] = {node}
        for child, parent in self._parents.items():
            if child == node or parent in found:
                found.add(child)
                yield child


def _read_tree(tree: Any) -> tuple[dict[str, str | None], dict[str, Any]]:
    """Return a mapping from nodes to parents, in depth-first order, and the weights that the tree contains."""
    weights: dict[str, Any] = {}
    if isinstance(tree, tuple) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in tree):
        return _depth_first(dict(tree)), weights  # parents of another taxonomy
    if not isinstance(tree, Mapping) or not tree:
        raise SchemaError(
            f"parameter 'tree' of Taxonomy must be a mapping with at least one node, got {quoted(tree)}. {_EXAMPLE}"
        )
    if isinstance(tree.get("name"), str) and ("children" in tree or set(tree) <= {"name", "weight"}):
        pairs = _named(tree, None, weights, 0)
    elif any(isinstance(below, str) for below in tree.values()):  # parents are strings; nested mappings contain none
        return _depth_first(tree), weights
    else:
        pairs = _nested(tree, None, 0)
    parents: dict[str, str | None] = {}
    for node, parent in pairs:
        _check_name(node)
        if node in parents:
            raise SchemaError(
                f"each node of a Taxonomy must occur once, got {node!r} twice, under {listed([parents[node], parent])}"
            )
        parents[node] = parent
    return parents, weights


def _nested(tree: Mapping[Any, Any], parent: str | None, depth: int) -> Iterator[tuple[Any, str | None]]:
    if depth > _MOST_LEVELS:
        raise SchemaError(f"a Taxonomy must not be deeper than {_MOST_LEVELS} levels")
    for node, below in tree.items():
        yield node, parent
        if isinstance(below, Mapping):
            yield from _nested(below, node, depth + 1)
        elif isinstance(below, (list, tuple, set, frozenset)):
            yield from ((leaf, node) for leaf in (sorted(below) if isinstance(below, (set, frozenset)) else below))
        elif below is not None:
            raise SchemaError(
                f"the children of {node!r} in a Taxonomy must be a mapping, a list of leaves or None, got "
                f"{quoted(below)}. {_EXAMPLE}"
            )


def _named(tree: Any, parent: str | None, weights: dict[str, Any], depth: int) -> Iterator[tuple[Any, str | None]]:
    if depth > _MOST_LEVELS:
        raise SchemaError(f"a Taxonomy must not be deeper than {_MOST_LEVELS} levels")
    if not isinstance(tree, Mapping) or "name" not in tree:
        raise SchemaError(f"the children of a Taxonomy must be mappings with a name, got {quoted(tree)}. {_EXAMPLE}")
    node = tree["name"]
    yield node, parent
    if tree.get("weight") is not None:
        weights[node] = tree["weight"]
    for child in tree.get("children") or ():
        yield from _named(child, node, weights, depth + 1)


def _depth_first(given: Mapping[Any, Any]) -> dict[str, str | None]:
    children: dict[str | None, list[str]] = {}
    for node, parent in given.items():
        _check_name(node)
        if parent is not None and parent not in given:
            raise SchemaError(
                f"every parent in a Taxonomy must be a node, got {node!r} under {parent!r}. Add {parent!r}: None."
            )
        children.setdefault(parent, []).append(node)
    parents: dict[str, str | None] = {}
    waiting = children.get(None, [])[::-1]
    while waiting:
        node = waiting.pop()
        parents[node] = given[node]
        waiting.extend(reversed(children.get(node, [])))
    if circle := [node for node in given if node not in parents]:
        raise SchemaError(
            f"a Taxonomy must not have cycles, got the cycle {listed(circle)}. Change the parent of one of these nodes."
        )
    return parents


def _check_name(node: Any) -> None:
    if not isinstance(node, str) or not node:
        raise SchemaError(f"the nodes of a Taxonomy must be non-empty strings, got {quoted(node)}. {_EXAMPLE}")
