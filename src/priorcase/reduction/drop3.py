"""DROP3: editing, then decremental reduction; for classes and for numbers."""

from __future__ import annotations

from typing import Any

from priorcase._typing import IdArray
from priorcase.learning.estimator import SchemaLike
from priorcase.reduction.dropping import Dropping
from priorcase.reduction.editing import disagreement, edited
from priorcase.reduction.reducer import ALPHA, TargetsReducer, VoteTies
from priorcase.reduction.rows import Rows
from priorcase.reduction.targets import TargetSort
from priorcase.schema import CategoricalFeatures
from priorcase.similarity import Distance


class DROP3(TargetsReducer):
    """Decremental reduction 3: `ENN`, then `DROP2` of the rows that are left.

    Noise goes first, so that it does not pass for a border between classes. Rows deleted as noise take no further
    part: neither as neighbours, nor as enemies, nor as associates.

    With numbers as targets (after Arnaiz-González et al. 2016, who add up errors) both steps change: noise are the
    rows further than ``alpha`` standard deviations off, as in `ENN`; a row leaves S if the sum over its associates of
    ``|y - mean|``, mean of the targets of their ``n_neighbors`` nearest others in S, is no larger without it; and
    enemies of a row are those whose target differs from its own by more than ``alpha`` standard deviations of the
    targets of its ``n_neighbors`` nearest others. Nine neighbours are usual there.

    Parameters
    ----------
    n_neighbors
        How many others vote, or are averaged, k.
    target, alpha
        As in `ENN`.
    ties, distance, attribute_weights, categorical_features, schema, n_jobs
        As in `DROP1`.

    Attributes
    ----------
    sample_indices_, classes_, n_features_in_, feature_names_in_
        As in `ENN`.

    Notes
    -----
    Wilson & Martinez remove noise from S before S is sorted, but look for associates in the original table; whether
    noise goes on counting among them they do not say. Here it does not: the rows kept are those of `DROP2` on the rows
    that `ENN` keeps, for any distance without statistics of the table.

    References
    ----------
    D. R. Wilson and T. R. Martinez, *Machine Learning* 38, 2000, section 4.4. Á. Arnaiz-González, J. F. Díez-Pastor,
    J. J. Rodríguez and C. García-Osorio, *Neurocomputing* 201, 2016 (numbers).

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.1], [4.3], [5.6], [7.0], [8.5], [10.1], [11.8], [13.6]]
    >>> y = ["a", "a", "a", "b", "a", "a", "b", "b", "b", "b"]
    >>> pc.DROP3().fit(X, y).sample_indices_
    array([1, 2, 4, 7, 8, 9])
    """

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        target: TargetSort = "auto",
        alpha: float = ALPHA,
        ties: VoteTies = "first",
        distance: str | Distance = "heom",
        attribute_weights: Any = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.target = target
        self.alpha = alpha
        self.ties = ties
        self.distance = distance
        self.attribute_weights = attribute_weights
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    def _kept(self, rows: Rows) -> IdArray:
        disagrees = disagreement(rows, ties=self.ties, kind_sel="mode", alpha=self.alpha)
        at = edited(rows, self.n_neighbors, disagrees)
        dropping = Dropping(rows, at, self.n_neighbors, ties=self.ties, alpha=float(self.alpha))
        dropping.consider_by_enemy(furthest_first=True)
        return dropping.left()
