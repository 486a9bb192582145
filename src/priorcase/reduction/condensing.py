"""Condensing: few rows that answer like the whole table (CNN, RNN, ICF)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from priorcase._core import CaseFilter, Condensed, Reduced
from priorcase._parameters import check_seed
from priorcase._typing import IdArray
from priorcase.reduction.base import Reducer, Rows, VotingReducer, blocks, by_class
from priorcase.reduction.editing import edited


@dataclass(eq=False, repr=False, kw_only=True)
class CNN(Reducer):
    """Condensed nearest neighbours: a row is taken in if the nearest one taken in so far gets it wrong.

    At first the first row of each class is taken in. Then the rows come in order, one pass after the other, until a
    pass takes in none. Every row left out is of the class of the nearest row taken in; with distances that are 0 from
    a row to itself, and no two equal rows of different classes, so is every other row. Mostly rows near the borders
    are kept, and noise. Of rows taken in at equal distances the one that came first decides.

    Parameters
    ----------
    shuffle, random_state
        Let the rows come in a random order rather than as they are; the first of each class in that order are taken
        in at first.
    distance, attribute_weights, categorical_features, schema, n_jobs
        As in `ENN`, like the attributes; and ``n_iter_`` is how many passes there were, the last of which takes in
        nothing.

    Notes
    -----
    This is Hart's rule (*IEEE Trans. Information Theory* 14, 1968) for any number of classes. imbalanced-learn's
    ``CondensedNearestNeighbour`` is another one: it keeps all rows of the smallest class, begins with those and one
    random row for each other class, and goes through each other class once.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.0], [3.9], [5.0], [6.0], [7.0], [8.0]]
    >>> y = ["a", "a", "a", "a", "b", "b", "b", "b"]
    >>> for reducer in (pc.CNN(), pc.RNN(), pc.ICF()):
    ...     print(reducer, reducer.fit(X, y).sample_indices_)
    CNN() [0 3 4]
    RNN() [3 4]
    ICF() [1 2 3 5 6 7]
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
        core, passes, added = Condensed(*rows.arguments(order), rows.labels(order)), 0, 1
        while added:
            added, passes = 0, passes + 1
            for start, stop in blocks(len(rows), rows.owner):
                added += core.take_in(start, stop, rows.threads)
        self.n_iter_ = passes
        return core.held()


class RNN(CNN):
    """Reduced nearest neighbours: rows leave the condensed set where no row of the table becomes wrong by that.

    Begins with what `CNN` keeps, whose parameters and attributes it has. Its rows, in order, leave if each row of the
    table that its nearest member gets right is got right without them, too (G. W. Gates, *IEEE Trans. Information
    Theory* 18, 1972).
    """

    def _keep(self, rows: Rows) -> IdArray:
        order = self._order(rows)
        core = Reduced(*rows.arguments(order), rows.labels(order), self._condensed(rows, order))
        for start, stop in blocks(len(rows), rows.owner):
            core.fill(start, stop, rows.threads)
        for start, stop in blocks(len(rows), rows.owner):
            core.consider(start, stop)
        return np.sort(order[core.held().astype(bool)])


class ICF(VotingReducer):
    """Iterative case filtering: rows go that are solved by more cases than they solve.

    After one pass of `ENN`, and as long as that deletes something, all rows with ``|reachable| > |coverage|`` are
    deleted at once: ``reachable(x)``, the rows of its class that are nearer to x than its nearest enemy, the nearest
    row of another class; ``coverage(x)``, the rows from which x is reachable. The insides of the classes go.

    Parameters
    ----------
    n_neighbors, ties, distance, attribute_weights, categorical_features, schema, n_jobs
        As in `ENN`, like the attributes; and ``n_iter_`` is how many passes there were after the editing, the last of
        which deletes nothing.

    Notes
    -----
    Rows just as far as the nearest enemy are not reachable. Where only one class is left after the editing, all rows
    reach each other and none goes. Reachable rows are counted as they are found and never kept: memory grows with the
    rows, time with the pairs of rows that reach each other. For an example see `CNN`.

    References
    ----------
    H. Brighton and C. Mellish, *Data Mining and Knowledge Discovery* 6, 2002.
    """

    def _keep(self, rows: Rows) -> IdArray:
        at = edited(rows, self.n_neighbors, ties=self.ties)
        core, passes, gone = CaseFilter(*rows.arguments(at), rows.labels(at)), 0, 1
        while gone:
            left = by_class(rows.labels(at), np.flatnonzero(core.held()))
            for start, stop in blocks(len(left), rows.owner, size=1_024):
                core.count(left[start:stop], rows.threads)
            gone, passes = core.filter(), passes + 1
        self.n_iter_ = passes
        return np.asarray(at[core.held().astype(bool)])
