"""Values that stand under one another: taxonomies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from priorcase.cases.kinds.trees import checked_weights, parents_of
from priorcase.exceptions import SchemaError


@dataclass(frozen=True, slots=True, repr=False)
class Taxonomy:
    """A tree of values; two of them are the more alike, the deeper the node lies that they have in common.

    Parameters
    ----------
    tree
        One of three forms: nested mappings, ``{"printer": {"laser": {}, "inkjet": {}}}`` (None or a list of leaves may
        stand in place of a mapping); nodes with children, ``{"name": "device", "children": [{"name": "printer"}]}``;
        or the parent of each node, ``{"laser": "printer", "inkjet": "printer", "printer": None}``. Several roots get a
        nameless one above them.
    weights
        Similarities of nodes, from 0 to 1, for the measure `Levels`; those written in the tree as ``"weight"`` count
        too.

    Notes
    -----
    A case may have any node, not only a leaf. The depth of a node is its number of steps from the root; the nameless
    root above several counts as one.

    Examples
    --------
    >>> device = Taxonomy({"device": {"printer": ["laser", "inkjet"], "router": None}})
    >>> device
    Taxonomy of 5 nodes: device > printer, router
    >>> device.common("laser", "inkjet"), device.common("laser", "router"), device.depth("laser")
    ('printer', 'device', 2)
    >>> list(device.under("printer"))
    ['printer', 'laser', 'inkjet']
    """

    tree: Any
    weights: Mapping[str, float] | None = None
    _parents: dict[str, str | None] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        parents, weights = parents_of(self.tree)
        weights |= checked_weights(self.weights, parents)
        object.__setattr__(self, "_parents", parents)
        object.__setattr__(self, "weights", dict(sorted(weights.items())))
        object.__setattr__(self, "tree", tuple(parents.items()))

    @property
    def nodes(self) -> tuple[str, ...]:
        """All nodes, parents before their children."""
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
        roots = self.roots
        below = [node for node, parent in self._parents.items() if parent in roots]
        top = roots[0] if len(roots) == 1 else "(all)"
        shown = below if len(roots) == 1 else list(roots)
        listed = ", ".join(shown[:6]) + (", ..." if len(shown) > 6 else "")
        return f"Taxonomy of {len(self)} node{'s' * (len(self) != 1)}: {top}{' > ' * bool(listed)}{listed}"

    def describe(self) -> str:
        """The kind in words, as messages say it."""
        return f"taxonomy of {len(self)} nodes"

    def parent(self, node: str) -> str | None:
        """The node above, None for a root."""
        return self._parents[self._known(node)]

    def ancestors(self, node: str) -> tuple[str, ...]:
        """The node itself, its parent, and so on up to its root."""
        return tuple(self._upwards(self._known(node)))

    def depth(self, node: str) -> int:
        """How many steps lie between the root and this node."""
        return len(self.ancestors(node)) - 1 + (len(self.roots) > 1)

    def common(self, a: str, b: str) -> str | None:
        """The deepest node above both, or one of them; None where only the nameless root is."""
        above = set(self.ancestors(a))
        return next((node for node in self.ancestors(b) if node in above), None)

    def under(self, node: str) -> Iterator[str]:
        """The node and everything below it, parents before children."""
        found = {self._known(node)}
        yield node
        for child, parent in self._parents.items():
            if parent in found:
                found.add(child)
                yield child

    def _upwards(self, node: str | None) -> Iterable[str]:
        while node is not None:
            yield node
            node = self._parents[node]

    def _known(self, node: str) -> str:
        if node not in self._parents:
            raise SchemaError(f"The taxonomy has no node {node!r}. Its nodes are in `nodes`.")
        return node
