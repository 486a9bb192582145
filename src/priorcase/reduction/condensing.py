"""Condensing: few rows that answer like the whole table (CNN, RNN, ICF)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from priorcase._core import CaseFilter, Condensed, Reduced
from priorcase._typing import IdArray
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.parameters import check_seed
from priorcase.reduction.base import VOTING, Reducer, Rows, VoteTies, blocks, by_class
from priorcase.reduction.editing import ALPHA, disagreement, edited
from priorcase.schema import CategoricalFeatures
from priorcase.similarity import Distance


class CNN(Reducer):
    """Condensed nearest neighbours: a row is taken in if the nearest one taken in so far gets it wrong.

    At first the first row of each class is taken in. Then the rows come in order, one pass after the other, until a
    pass takes in none. Every row left out is of the class of the nearest row taken in; with distances that are 0 from
    a row to itself, and no two equal rows of different classes, so is every other row. Mostly rows near the borders
    are kept, and noise.

    Parameters
    ----------
    shuffle, random_state
        Let the rows come in a random order rather than as they are; the first of each class in that order are taken
        in at first.
    distance, attribute_weights, categorical_features, schema, n_jobs
        As in `ENN`.

    Attributes
    ----------
    sample_indices_, classes_, n_features_in_, feature_names_in_
        As in `ENN`.
    n_iter_
        How many passes there were; the last one takes in nothing.

    Notes
    -----
    Of rows taken in at equal distances the one that came first decides. This is Hart's rule for any number of classes.
    imbalanced-learn's ``CondensedNearestNeighbour`` is another one: it keeps all rows of the smallest class, begins
    with those and one random row for each other class, and goes through each other class once.

    References
    ----------
    P. E. Hart, *IEEE Trans. Information Theory* 14, 1968.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.0], [3.9], [5.0], [6.0], [7.0], [8.0]]
    >>> cnn = pc.CNN().fit(X, ["a", "a", "a", "a", "b", "b", "b", "b"])
    >>> cnn.sample_indices_, cnn.n_iter_
    (array([0, 3, 4]), 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"shuffle": ["boolean"], "random_state": ["random_state"]}
    n_iter_: int

    def __init__(
        self,
        *,
        shuffle: bool = False,
        random_state: int | np.random.RandomState | None = None,
        distance: str | Distance = "heom",
        attribute_weights: Any = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.shuffle = shuffle
        self.random_state = random_state
        self.distance = distance
        self.attribute_weights = attribute_weights
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    def _keep(self, rows: Rows) -> IdArray:
        order = self._order(rows)
        return np.sort(order[self._condensed(rows, order).astype(bool)])

    def _order(self, rows: Rows) -> IdArray:
        """Positions of the rows in the order in which they come."""
        if not self.shuffle:
            return np.arange(len(rows))
        seed = check_seed(self.random_state)
        order: IdArray = np.random.RandomState(seed).permutation(len(rows))
        return order

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

    Begins with what `CNN` keeps. Its rows, in order, leave if each row of the table that its nearest member gets right
    is got right without them, too.

    Parameters
    ----------
    shuffle, random_state, distance, attribute_weights, categorical_features, schema, n_jobs
        As in `CNN`.

    Attributes
    ----------
    sample_indices_, classes_, n_features_in_, feature_names_in_, n_iter_
        As in `CNN`.

    References
    ----------
    G. W. Gates, *IEEE Trans. Information Theory* 18, 1972.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.0], [3.9], [5.0], [6.0], [7.0], [8.0]]
    >>> pc.RNN().fit(X, ["a", "a", "a", "a", "b", "b", "b", "b"]).sample_indices_
    array([3, 4])
    """

    def _keep(self, rows: Rows) -> IdArray:
        order = self._order(rows)
        core = Reduced(*rows.arguments(order), rows.labels(order), self._condensed(rows, order))
        for start, stop in blocks(len(rows), rows.owner):
            core.fill(start, stop, rows.threads)
        for start, stop in blocks(len(rows), rows.owner):
            core.consider(start, stop)
        return np.sort(order[core.held().astype(bool)])


class ICF(Reducer):
    """Iterative case filtering: rows go that are solved by more cases than they solve.

    After one pass of `ENN`, and as long as that deletes something, all rows with ``|reachable| > |coverage|`` are
    deleted at once: ``reachable(x)``, the rows of its class that are nearer to x than its nearest enemy, the nearest
    row of another class; ``coverage(x)``, the rows from which x is reachable. The insides of the classes go.

    Parameters
    ----------
    n_neighbors, ties
        How many others `ENN` asks, and who wins a tied vote.
    distance, attribute_weights, categorical_features, schema, n_jobs
        As in `ENN`.

    Attributes
    ----------
    sample_indices_, classes_, n_features_in_, feature_names_in_
        As in `ENN`.
    n_iter_
        How many passes there were after the editing; the last one deletes nothing.

    Notes
    -----
    Rows just as far as the nearest enemy are not reachable. Where only one class is left after the editing, all rows
    reach each other and none goes. Reachable rows are counted as they are found and never kept: memory grows with the
    rows, time with the pairs of rows that reach each other.

    References
    ----------
    H. Brighton and C. Mellish, *Data Mining and Knowledge Discovery* 6, 2002.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.0], [3.9], [5.0], [6.0], [7.0], [8.0]]
    >>> pc.ICF().fit(X, ["a", "a", "a", "a", "b", "b", "b", "b"]).sample_indices_
    array([1, 2, 3, 5, 6, 7])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = VOTING
    n_iter_: int

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        ties: VoteTies = "first",
        distance: str | Distance = "heom",
        attribute_weights: Any = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.ties = ties
        self.distance = distance
        self.attribute_weights = attribute_weights
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    def _keep(self, rows: Rows) -> IdArray:
        disagrees = disagreement(rows, ties=self.ties, kind_sel="mode", alpha=ALPHA)
        at = edited(rows, self.n_neighbors, disagrees)
        core, passes, gone = CaseFilter(*rows.arguments(at), rows.labels(at)), 0, 1
        while gone:
            left = by_class(rows.labels(at), np.flatnonzero(core.held()))
            for start, stop in blocks(len(left), rows.owner, size=1_024):
                core.count(left[start:stop], rows.threads)
            gone, passes = core.filter(), passes + 1
        self.n_iter_ = passes
        kept: IdArray = at[core.held().astype(bool)]
        return kept
