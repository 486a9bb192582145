"""DROP1, DROP2, DROP4 and DROP5: rows leave while those that rely on them lose nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase._typing import IdArray
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.parameters import check_flag
from priorcase.reduction.dropping import Dropping
from priorcase.reduction.reducer import VoteTies, VotingReducer
from priorcase.reduction.rows import Rows
from priorcase.schema import CategoricalFeatures
from priorcase.similarity import Distance


class _Drop(VotingReducer):
    """What the procedures for classes share."""

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

    def _dropping(self, rows: Rows, at: IdArray | None = None, *, stay_on: bool = True) -> Dropping:
        at = np.arange(len(rows)) if at is None else at
        return Dropping(rows, at, self.n_neighbors, ties=self.ties, stay_on=stay_on)


class DROP1(_Drop):
    """Decremental reduction 1: a row leaves S if at least as many of its associates in S are right without it.

    S is the whole table at first. The associates of a row are the rows that have it among their ``n_neighbors``
    nearest others in S, and a row is right if those vote for its class. Rows are considered in the order of the table,
    once. DROP1 forgets what the rows that have left needed, and may so lose whole regions; the others remember it.

    Parameters
    ----------
    n_neighbors
        How many others vote, k; the row next to them takes the place of one that leaves.
    ties
        Who wins a tied vote: the class that is ``"first"`` in ``classes_``, or that of the ``"nearest"`` voter.
    distance, attribute_weights, categorical_features, schema, n_jobs
        As in `ENN`.

    Attributes
    ----------
    sample_indices_, classes_, n_features_in_, feature_names_in_
        As in `ENN`.

    Notes
    -----
    Of others at equal distances those that come first in the table are nearer. Where S has no more than k others, all
    of them vote; a row without others is wrong. The last row of S stays.

    References
    ----------
    D. R. Wilson and T. R. Martinez, *Machine Learning* 38, 2000, section 4.2 and figure 4.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.1], [4.3], [5.6], [7.0], [8.5], [10.1], [11.8], [13.6]]
    >>> y = ["a", "a", "a", "b", "a", "a", "b", "b", "b", "b"]
    >>> pc.DROP1().fit(X, y).sample_indices_
    array([2, 7, 8, 9])
    """

    def _kept(self, rows: Rows) -> IdArray:
        dropping = self._dropping(rows, stay_on=False)
        dropping.consider_all()
        return dropping.left()


class DROP2(_Drop):
    """Decremental reduction 2: a row leaves S if at least as many of its associates in the table are right without it.

    As `DROP1`, but associates are looked for in the whole table T, rows that have left S included, and rows are
    considered by the distance of their nearest enemy, the nearest row of another class: furthest first, rows at equal
    distances in the order of the table. So the insides of the classes go first and the borders stay.

    Parameters
    ----------
    n_neighbors, ties, distance, attribute_weights, categorical_features, schema, n_jobs
        As in `DROP1`.

    Attributes
    ----------
    sample_indices_, classes_, n_features_in_, feature_names_in_
        As in `ENN`.

    References
    ----------
    D. R. Wilson and T. R. Martinez, *Machine Learning* 38, 2000, section 4.3.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.1], [4.3], [5.6], [7.0], [8.5], [10.1], [11.8], [13.6]]
    >>> y = ["a", "a", "a", "b", "a", "a", "b", "b", "b", "b"]
    >>> pc.DROP2().fit(X, y).sample_indices_
    array([2, 5, 6, 7, 8])
    """

    def _kept(self, rows: Rows) -> IdArray:
        dropping = self._dropping(rows)
        dropping.consider_by_enemy(furthest_first=True)
        return dropping.left()


class DROP4(_Drop):
    """Decremental reduction 4: noise leaves first where nobody loses by it, then `DROP2` of the rows that are left.

    A row is noise if its ``n_neighbors`` nearest others in S get it wrong. Rows that are noise are considered in the
    order of the table, under the rule of `DROP2`; those that leave take no further part. So fewer rows are taken for
    noise than by `DROP3`, where `ENN` decides.

    Parameters
    ----------
    n_neighbors, ties, distance, attribute_weights, categorical_features, schema, n_jobs
        As in `DROP1`.

    Attributes
    ----------
    sample_indices_, classes_, n_features_in_, feature_names_in_
        As in `ENN`.

    References
    ----------
    D. R. Wilson and T. R. Martinez, *Machine Learning* 38, 2000, section 4.5.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.1], [4.3], [5.6], [7.0], [8.5], [10.1], [11.8], [13.6]]
    >>> y = ["a", "a", "a", "b", "a", "a", "b", "b", "b", "b"]
    >>> pc.DROP4().fit(X, y).sample_indices_
    array([1, 2, 4, 6, 7, 8])
    """

    def _kept(self, rows: Rows) -> IdArray:
        noisy = self._dropping(rows)
        noisy.consider_all(noise_only=True)
        dropping = self._dropping(rows, noisy.left())
        dropping.consider_by_enemy(furthest_first=True)
        return dropping.left()


class DROP5(_Drop):
    """Decremental reduction 5: as `DROP2`, but first those rows are considered that are nearest to their enemies.

    One pass under the rule of `DROP2` goes from the borders inwards and smooths them; then passes go from the inside
    outwards, as in `DROP2`, until nothing more leaves. Nearest enemies are looked for in S before each pass.

    Parameters
    ----------
    n_neighbors, ties, distance, attribute_weights, categorical_features, schema, n_jobs
        As in `DROP1`.
    repeat
        Go from the inside outwards until nothing more leaves (Wilson & Martinez, section 4.6), rather than once.

    Attributes
    ----------
    sample_indices_, classes_, n_features_in_, feature_names_in_
        As in `ENN`.

    References
    ----------
    D. R. Wilson and T. R. Martinez, *Machine Learning* 38, 2000, section 4.6.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.1], [4.3], [5.6], [7.0], [8.5], [10.1], [11.8], [13.6]]
    >>> y = ["a", "a", "a", "b", "a", "a", "b", "b", "b", "b"]
    >>> pc.DROP5().fit(X, y).sample_indices_
    array([0, 1, 2, 7, 8, 9])
    """

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        repeat: bool = True,
        ties: VoteTies = "first",
        distance: str | Distance = "heom",
        attribute_weights: Any = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_neighbors,
            ties=ties,
            distance=distance,
            attribute_weights=attribute_weights,
            categorical_features=categorical_features,
            schema=schema,
            n_jobs=n_jobs,
        )
        self.repeat = repeat

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag("repeat", self.repeat, hint="False makes one pass from the inside outwards.")

    def _kept(self, rows: Rows) -> IdArray:
        dropping = self._dropping(rows)
        dropping.consider_by_enemy(furthest_first=False)
        while dropping.consider_by_enemy(furthest_first=True) and self.repeat:
            continue
        return dropping.left()
