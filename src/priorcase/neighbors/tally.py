"""From votes to class masses, probabilities, winners and means."""

from __future__ import annotations

from typing import Literal

import numpy as np

from priorcase._core import weighted_means
from priorcase._typing import FloatArray, IntArray
from priorcase.neighbors.voters import SLACK, Voters, summed

Ties = Literal["majority", "first", "nearest", "reduce"]

# Up to here a table of all classes is faster than a list of those that have voters.
_FEW_CLASSES = 64


def masses(voters: Voters, votes: FloatArray, codes: IntArray, n_classes: int) -> FloatArray:
    """Sum of the votes for each class on each query, shape (queries, classes).

    Votes are added one by one in the voters' order, so a query's masses do not depend on the queries it is asked with.

    Examples
    --------
    >>> voters = Voters(np.array([0, 3]), np.array([4, 1, 2]), np.array([0.1, 0.2, 0.3]))
    >>> masses(voters, np.array([1.0, 0.5, 0.25]), codes=np.array([0, 1, 0, 0, 0]), n_classes=2)
    array([[1.25, 0.5 ]])
    """
    cells = voters.queries() * n_classes + codes[voters.rows]
    return summed(cells, votes, len(voters) * n_classes).reshape(-1, n_classes)


def with_prior(mass: FloatArray, totals: FloatArray, prior: FloatArray) -> FloatArray:
    """Class masses as counts: votes rescaled to sum to what the voters count in all, plus Dirichlet weights."""
    return np.asarray(mass * (totals / mass.sum(axis=1))[:, None] + prior)


def probabilities(mass: FloatArray, temperature: float = 1.0) -> FloatArray:
    """Masses divided by their sum; with prior weights included this is ``(n_c + a_c) / (n + sum a)``.

    A ``temperature`` T other than 1 takes masses to the power ``1 / T`` first: above 1 probabilities come nearer to
    each other, below 1 the largest gains.

    Examples
    --------
    >>> probabilities(np.array([[3.0, 1.0]])), probabilities(np.array([[3.0, 1.0]]), temperature=0.5)
    (array([[0.75, 0.25]]), array([[0.9, 0.1]]))
    """
    if temperature != 1.0:  # relative to the largest mass, whose power neither overflows nor vanishes
        with np.errstate(under="ignore"):
            mass = (mass / mass.max(axis=1, keepdims=True)) ** (1.0 / temperature)
    return np.asarray(mass / mass.sum(axis=1, keepdims=True))


def means(voters: Voters, votes: FloatArray, targets: FloatArray) -> FloatArray:
    """Vote-weighted mean of each target column, shape (queries, targets).

    A mean never leaves the range of the voters' own values: rounding cannot push it out, and equal values give
    exactly that value.

    Examples
    --------
    >>> voters = Voters(np.array([0, 2]), np.array([0, 2]), np.array([0.1, 0.2]))
    >>> means(voters, np.array([3.0, 1.0]), np.array([[10.0], [0.0], [20.0]]))
    array([[12.5]])
    """
    result = np.empty((len(voters), targets.shape[1]))
    for t in range(targets.shape[1]):
        result[:, t] = weighted_means(voters.indptr, targets[voters.rows, t], votes)
    return result


def leading(
    voters: Voters, votes: FloatArray, codes: IntArray, n_classes: int, prior: FloatArray | None
) -> tuple[IntArray, IntArray]:
    """The classes of largest mass on each query, as pairs (query, class) in ascending order; several where they tie.

    Examples
    --------
    >>> voters = Voters(np.array([0, 2, 3]), np.array([0, 1, 1]), np.array([0.1, 0.2, 0.3]))
    >>> leading(voters, np.ones(3), codes=np.array([0, 2]), n_classes=3, prior=None)
    (array([0, 0, 1]), array([0, 2, 2]))
    """
    if n_classes <= _FEW_CLASSES or prior is not None:
        mass = masses(voters, votes, codes, n_classes)
        if prior is not None:
            mass = with_prior(mass, voters.totals(), prior)
        queries, classes = np.nonzero(mass == mass.max(axis=1, keepdims=True))
        return queries, classes
    # Of many classes most have no voter.
    pairs, of = np.unique(voters.queries() * n_classes + codes[voters.rows], return_inverse=True)
    queries, classes = np.divmod(pairs, n_classes)
    mass = summed(of, votes, pairs.size)
    leads = mass == np.maximum.reduceat(mass, _first_of_each(queries))[queries]
    return queries[leads], classes[leads]


def winners(
    leaders: tuple[IntArray, IntArray], ties: Ties, weights: FloatArray, voters: Voters, codes: IntArray
) -> tuple[IntArray, IntArray]:
    """The winner among the `leading` classes of each query, and the queries whose tie the rule leaves open.

    ``"first"`` takes the first class; ``"majority"`` the one with the largest training weight (``weights``, one for
    each pair), then the first; ``"nearest"`` the class of the nearest voter among the tied. ``"reduce"`` needs the
    votes of fewer neighbours, so its tied queries are handed back.
    """
    queries, classes = leaders
    if queries.size == len(voters):  # no ties
        return classes, queries[:0]
    starts = _first_of_each(queries)
    chosen, nothing = classes[starts], starts[:0]
    if ties == "first":
        return chosen, nothing
    if ties == "majority":
        most = np.flatnonzero(weights == np.maximum.reduceat(weights, starts)[queries])
        return classes[most[_first_of_each(queries[most])]], nothing
    ends = np.append(starts[1:], queries.size)
    open_ = np.flatnonzero(ends - starts > 1)
    if ties == "reduce":
        return chosen, open_
    for query in open_.tolist():
        chosen[query] = _nearest(voters, query, codes, classes[starts[query] : ends[query]])
    return chosen, nothing


def _first_of_each(groups: IntArray) -> IntArray:
    """Where each run of equal numbers begins."""
    return np.flatnonzero(np.diff(groups, prepend=-1))


def _nearest(voters: Voters, query: int, codes: IntArray, tied: IntArray) -> int:
    """Class of the nearest voter among those of tied classes (the first listed of equally near ones)."""
    part = slice(voters.indptr[query], voters.indptr[query + 1])
    classes = codes[voters.rows[part]]
    candidates = np.flatnonzero(np.isin(classes, tied))
    if not candidates.size:  # only prior weight stands behind the tied classes
        return int(tied[0])
    return int(classes[candidates[voters.distances[part][candidates].argmin()]])


def reduced(
    votes: FloatArray, weights: FloatArray | None, classes: IntArray, n_classes: int, prior: FloatArray | None
) -> int:
    """Winner for one query after dropping its farthest neighbour until one class leads: k - 1, k - 2, ... neighbours.

    Parameters
    ----------
    votes
        Votes of the voters, nearest first, repetitions not included.
    weights
        Their repetitions (None: one each); ``k - 1`` neighbours are counted through them.
    classes
        Their classes.

    Returns
    -------
    The first leader met; when none ever leads alone, the nearest voter's class.
    """
    repetitions = np.ones(votes.size) if weights is None else weights
    reach = np.cumsum(repetitions)
    each = np.zeros((votes.size + 1, n_classes))
    each[np.arange(1, votes.size + 1), classes] = votes * repetitions
    full = np.cumsum(each, axis=0)
    k = round(float(reach[-1]))
    for fewer in range(k - 1, 0, -1):
        last = min(int(np.searchsorted(reach, fewer * (1 - SLACK))), votes.size - 1)
        mass = full[last].copy()
        mass[classes[last]] += votes[last] * min(repetitions[last], fewer - (reach[last] - repetitions[last]))
        if prior is not None and mass.sum() > 0:
            mass = mass * (fewer / mass.sum()) + prior
        leaders = np.flatnonzero(mass == mass.max())
        if leaders.size == 1:
            return int(leaders[0])
    return int(classes[0])
