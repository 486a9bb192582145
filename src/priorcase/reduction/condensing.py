"""Condensing: small subsets of rows that predict almost as well as the whole table (CNN, RNN, ICF)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from priorcase._core import CaseFilter, Condensed, Reduced
from priorcase._parameters import check_seed
from priorcase._typing import IdArray
from priorcase.reduction.base import Reducer, Rows, VotingReducer, by_class
from priorcase.reduction.editing import edited


@dataclass(eq=False, repr=False, kw_only=True)
class CNN(Reducer):
    """Condensed nearest neighbors (CNN): adds rows until 1-NN classifies all other rows correctly.

    The subset starts with the first row of each class. A pass over all rows adds every row whose nearest member of the
    subset has another class; passes are repeated until a pass adds no row. CNN keeps noisy rows and rows near the
    class boundaries. Among members of the subset at equal distances, the first in processing order decides.

    Parameters
    ----------
    shuffle, random_state
        Whether to process the rows in random order, and the seed of this order.
    distance, attribute_weights, categorical_features, schema, n_jobs
        See `ENN`, which also documents the fitted attributes. ``n_iter_`` is the number of passes, including
        the last pass, which adds no row.

    Notes
    -----
    This is Hart's rule (*IEEE Trans. Information Theory* 14, 1968) for any number of classes. imbalanced-learn's
    ``CondensedNearestNeighbour`` starts with all rows of the smallest class and one random row of each other class, and
    then processes the other classes once each.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.0], [3.9], [5.0], [6.0], [7.0], [8.0]]
    >>> pc.CNN().fit(X, list("aaaabbbb")).sample_indices_
    array([0, 3, 4])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"shuffle": ["boolean"], "random_state": ["random_state"]}

    shuffle: bool = False
    random_state: int | np.random.RandomState | None = None

    def _keep(self, rows: Rows) -> IdArray:
        order = self._order(rows)
        return np.sort(order[self._condensed(rows, order).astype(bool)])

    def _order(self, rows: Rows) -> IdArray:
        """Return the positions of the rows in processing order."""
        order = np.arange(len(rows))
        return np.random.RandomState(check_seed(self.random_state)).permutation(order) if self.shuffle else order

    def _condensed(self, rows: Rows, order: IdArray) -> NDArray[np.uint8]:
        """Return a mask of the rows that CNN keeps; the rows are in processing order."""
        core, passes, added = Condensed(*rows.arguments(order), rows.codes[order]), 0, 1
        while added:
            added, passes = 0, passes + 1
            for part in rows.blocks(len(rows)):
                added += core.take_in(part.start, part.stop, rows.threads)
        self.n_iter_ = passes
        return core.held()


class RNN(CNN):
    """Reduced nearest neighbors (RNN): applies `CNN`, then deletes each row whose deletion causes no misclassification.

    Each row of the subset is considered once (G. W. Gates, *IEEE Trans. Information Theory* 18, 1972). Parameters and
    attributes: see `CNN`.

    Examples
    --------
    >>> import priorcase as pc
    >>> pc.RNN().fit([[1.0], [2.0], [3.0], [3.9], [5.0], [6.0], [7.0], [8.0]], list("aaaabbbb")).sample_indices_
    array([3, 4])
    """

    def _keep(self, rows: Rows) -> IdArray:
        order = self._order(rows)
        core = Reduced(*rows.arguments(order), rows.codes[order], self._condensed(rows, order))
        for part in rows.blocks(len(rows)):
            core.fill(part.start, part.stop, rows.threads)
        for part in rows.blocks(len(rows)):
            core.consider(part.start, part.stop)
        return np.sort(order[core.held().astype(bool)])


class ICF(VotingReducer):
    """Iterative case filtering (ICF): deletes rows whose reachable set is larger than their coverage.

    After one pass of `ENN`, each pass deletes all rows with ``|reachable| > |coverage|``, until a pass deletes no row.
    ``reachable(x)`` are the rows of the class of x that are nearer to x than the nearest row of another class, and
    ``coverage(x)`` are the rows from which x is reachable. ICF removes the interior of the classes.

    Parameters
    ----------
    n_neighbors, ties, distance, attribute_weights, categorical_features, schema, n_jobs
        See `ENN`, which also documents the fitted attributes. ``n_iter_`` is the number of passes after `ENN`,
        including the last pass, which deletes no row.

    Notes
    -----
    Rows at the same distance as the nearest row of another class are not reachable. If only one class is left after
    `ENN`, no further row is deleted.

    References
    ----------
    .. [1] H. Brighton and C. Mellish, *Data Mining and Knowledge Discovery* 6, 2002.

    Examples
    --------
    >>> import priorcase as pc
    >>> pc.ICF().fit([[1.0], [2.0], [3.0], [3.9], [5.0], [6.0], [7.0], [8.0]], list("aaaabbbb")).sample_indices_
    array([1, 2, 3, 5, 6, 7])
    """

    def _keep(self, rows: Rows) -> IdArray:
        at = edited(rows, self.n_neighbors, ties=self.ties)
        core, passes, gone = CaseFilter(*rows.arguments(at), rows.codes[at]), 0, 1
        while gone:
            left = by_class(rows.codes[at], np.flatnonzero(core.held()))
            for part in rows.blocks(len(left)):
                core.count(left[part], rows.threads)
            gone, passes = core.filter(), passes + 1
        self.n_iter_ = passes
        return np.asarray(at[core.held().astype(bool)])
