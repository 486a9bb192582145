"""Condensing: few rows that answer like the whole table (CNN, RNN, ICF)."""

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
    """Condensed nearest neighbours: a row is added to the subset if its nearest member of it is of another class.

    The subset begins with the first row of each class. Passes over all rows follow until one adds nothing: then every
    row left out has the class of its nearest member. So has every member, with distances that are 0 from a row to
    itself, and no two equal rows of different classes. Rows near the borders between classes are kept, and noise. Of
    members at equal distances the one that was added first decides.

    Parameters
    ----------
    shuffle, random_state
        Whether to go through the rows in a random order rather than in that of the table, and its seed.
    distance, attribute_weights, categorical_features, schema, n_jobs
        As in `ENN`, like the attributes; and ``n_iter_`` is the number of passes, the last of which adds nothing.

    Notes
    -----
    This is Hart's rule (*IEEE Trans. Information Theory* 14, 1968) for any number of classes. imbalanced-learn's
    ``CondensedNearestNeighbour`` differs: it starts with all rows of the smallest class and one random row of each
    other class, and goes through each other class once.

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
        """Positions of the rows in the order in which they come."""
        order = np.arange(len(rows))
        return np.random.RandomState(check_seed(self.random_state)).permutation(order) if self.shuffle else order

    def _condensed(self, rows: Rows, order: IdArray) -> NDArray[np.uint8]:
        """Which rows are taken in, by their place in the order; one mark for each."""
        core, passes, added = Condensed(*rows.arguments(order), rows.codes[order]), 0, 1
        while added:
            added, passes = 0, passes + 1
            for part in rows.blocks(len(rows)):
                added += core.take_in(part.start, part.stop, rows.threads)
        self.n_iter_ = passes
        return core.held()


class RNN(CNN):
    """Reduced nearest neighbours: members leave the condensed subset where that makes no row of the table wrong.

    It starts with what `CNN` keeps, whose parameters and attributes it has, and goes through the members in order
    (G. W. Gates, *IEEE Trans. Information Theory* 18, 1972).

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
    """Iterative case filtering: rows that are solved by more cases than they solve are deleted.

    After one pass of `ENN`, all rows with ``|reachable| > |coverage|`` are deleted at once, again and again until none
    is. ``reachable(x)`` are the rows of its class that are nearer to x than its nearest enemy, the nearest row of
    another class; ``coverage(x)`` the rows from which x is reachable. The insides of the classes go.

    Parameters
    ----------
    n_neighbors, ties, distance, attribute_weights, categorical_features, schema, n_jobs
        As in `ENN`, like the attributes; and ``n_iter_`` is the number of passes after the editing, the last of which
        deletes nothing.

    Notes
    -----
    Rows as far as the nearest enemy are not reachable. Where only one class is left after the editing, no row is
    deleted. Time grows with the pairs of rows that reach each other, memory with the rows.

    References
    ----------
    H. Brighton and C. Mellish, *Data Mining and Knowledge Discovery* 6, 2002.

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
