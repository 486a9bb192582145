"""Where the nodes of a tree are drawn."""

from __future__ import annotations

import numpy as np

from priorcase._typing import FloatArray, IntArray


def spanning_tree(weights: FloatArray) -> IntArray:
    """The edges of the tree with the largest product of weights, (nodes - 1, 2); ties in the order of the nodes.

    Prim's rule: the heaviest edge to a node that is not joined yet, again and again.

    Examples
    --------
    >>> spanning_tree(np.array([[0.0, 0.9, 0.2], [0.9, 0.0, 0.7], [0.2, 0.7, 0.0]]))
    array([[0, 1],
           [1, 2]])
    """
    n = len(weights)
    edges, joined = [], np.zeros(n, bool)
    joined[0] = True
    for _ in range(n - 1):
        open_edges = np.where(joined[:, None] & ~joined[None, :], weights, -1.0)
        a, b = np.unravel_index(int(open_edges.argmax()), open_edges.shape)
        joined[b] = True
        edges.append(sorted((int(a), int(b))))
    return np.array(sorted(edges), np.int64).reshape(-1, 2)


def ring(n: int) -> FloatArray:
    """Nodes on a circle, the first on top, the others clockwise.

    Examples
    --------
    >>> ring(4).round(6) + 0.0
    array([[ 0.,  1.],
           [ 1.,  0.],
           [ 0., -1.],
           [-1.,  0.]])
    """
    turns = 2.0 * np.pi * np.arange(n) / max(n, 1)
    return np.column_stack([np.sin(turns), np.cos(turns)])


def spread_tree(edges: IntArray, n: int) -> FloatArray:
    """Nodes in layers below a middle node, each above the middle of its children, leaves side by side.

    The root is the node from which the farthest other one is nearest; the first of several.

    Examples
    --------
    >>> spread_tree(np.array([[0, 1], [0, 2]]), 3)
    array([[ 0.5,  0. ],
           [ 0. , -1. ],
           [ 1. , -1. ]])
    """
    near: list[list[int]] = [[] for _ in range(n)]
    for a, b in edges.tolist():
        near[a].append(b)
        near[b].append(a)
    depths = [_depths(near, root) for root in range(n)]
    root = int(np.argmin([depth.max() for depth in depths])) if n else 0
    places = np.zeros((n, 2))
    if n:
        places[:, 1] = -depths[root]
        _spread(near, root, places)
    return places


def sideways(places: FloatArray) -> FloatArray:
    """A tree laid on its side: the root on the left, the leaves below each other.

    Examples
    --------
    >>> sideways(np.array([[0.5, 0.0], [0.0, -1.0], [1.0, -1.0]]))
    array([[ 0. , -0.5],
           [ 1. ,  0. ],
           [ 1. , -1. ]])
    """
    return np.column_stack([-places[:, 1], -places[:, 0]]) + 0.0


def _depths(near: list[list[int]], root: int) -> IntArray:
    """How many edges each node is from the root."""
    depths = np.full(len(near), -1)
    depths[root], waiting = 0, [root]
    for node in waiting:
        for other in near[node]:
            if depths[other] < 0:
                depths[other] = depths[node] + 1
                waiting.append(other)
    return depths


def _spread(near: list[list[int]], root: int, places: FloatArray) -> None:
    """Fill in how far right each node is: leaves one after the other, others above the middle of their children."""
    order: list[int] = []
    parents, stack, leaves = {root: -1}, [root], 0
    while stack:
        node = stack.pop()
        order.append(node)
        children = [other for other in near[node] if other != parents[node]]
        parents.update((child, node) for child in children)
        if not children:
            places[node, 0] = leaves
            leaves += 1
        stack += reversed(children)
    for node in reversed(order):
        children = [other for other in near[node] if other != parents[node]]
        if children:
            places[node, 0] = (places[children[0], 0] + places[children[-1], 0]) / 2
