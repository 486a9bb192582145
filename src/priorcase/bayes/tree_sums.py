"""All trees over some nodes at once: the sum of their weights, the share of each edge, and the best of them.

A tree weighs as much as the product of its edges' weights; there are ``n^(n-2)`` trees over n nodes. Weights come as
logarithms in the lower triangle of a matrix, row by row: edges (1,0), (2,0), (2,1), (3,0) and so on.

The sum is found by taking out one node after the other (star-mesh elimination): with ``s = sum_j w_pj``, taking out p
adds ``w_pi w_pj / s`` to the weight of every other edge (i, j) and divides the sum over all trees by s. Unlike the
determinant of Meilă & Jaakkola (2000) this subtracts nothing, so it stays exact where weights differ by thousands of
nats. It takes ``O(n^3)``, for the sum and for the shares of all edges together.
"""

from __future__ import annotations

import numpy as np

from priorcase._core import edge_shares as core_edge_shares
from priorcase._core import largest_tree
from priorcase._core import log_tree_sum as core_log_tree_sum
from priorcase._typing import FloatArray, IntArray


def n_edges(nodes: int) -> int:
    """How many edges there are between some nodes.

    Examples
    --------
    >>> n_edges(4)
    6
    """
    return nodes * (nodes - 1) // 2


def as_matrix(edges: FloatArray, nodes: int) -> FloatArray:
    """One number for each edge as a symmetric matrix with zeros on its diagonal.

    Examples
    --------
    >>> as_matrix(np.array([0.5, 0.25, 1.0]), 3)
    array([[0.  , 0.5 , 0.25],
           [0.5 , 0.  , 1.  ],
           [0.25, 1.  , 0.  ]])
    """
    matrix = np.zeros((nodes, nodes))
    matrix[np.tril_indices(nodes, -1)] = edges
    return matrix + matrix.T


def log_tree_sum(log_weights: FloatArray, nodes: int) -> float:
    """The log of the sum over all trees of the product of their edges' weights; 0 for a single node.

    Examples
    --------
    Edges of weight 1 count the trees, of which there are ``4^2``:

    >>> round(float(np.exp(log_tree_sum(np.zeros(6), 4))), 12)
    16.0
    """
    return core_log_tree_sum(_flat(log_weights), nodes)


def edge_shares(log_weights: FloatArray, nodes: int) -> FloatArray:
    """For each edge, the share of the sum that belongs to the trees with it; together as many as a tree has edges.

    It is ``w_uv / c_uv``, with ``c_uv`` the weight between u and v once all other nodes are taken out. That weight
    starts at ``w_uv`` and only grows, so a share is never above 1.

    Examples
    --------
    >>> edge_shares(np.log([1.0, 1.0, 2.0]), 3)
    array([0.6, 0.6, 0.8])
    """
    return core_edge_shares(_flat(log_weights), nodes)


def best_tree(log_weights: FloatArray, nodes: int) -> IntArray:
    """The edges of the tree with the largest weight, shape (nodes - 1, 2), each with the smaller node first, ascending.

    Logarithms that agree to ``2^-30`` are tied; ties go to the pair that comes first, (0,1) before (0,2) before (1,2),
    so that rounding does not choose between attributes that tell the same.

    Examples
    --------
    >>> best_tree(np.array([0.5, 0.25, 1.0]), 3)
    array([[0, 1],
           [1, 2]])
    """
    parents = largest_tree(_flat(log_weights), nodes).astype(np.intp)
    edges = np.sort(np.stack([np.arange(1, nodes), parents[1:]], axis=1), axis=1)
    return edges[np.lexsort((edges[:, 1], edges[:, 0]))]


def _flat(log_weights: FloatArray) -> FloatArray:
    return np.ascontiguousarray(log_weights, dtype=np.float64)
