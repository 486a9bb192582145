"""Tomek's editing by neighbourhoods of every size."""

from __future__ import annotations

from typing import Any

from priorcase._typing import IdArray
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.parameters import check_flag
from priorcase.reduction.editing import disagreement, edited_by_all
from priorcase.reduction.enn import check_kind_sel
from priorcase.reduction.reducer import ALPHA, VoteTies, VotingReducer
from priorcase.reduction.rows import Rows
from priorcase.reduction.voting import KindSel
from priorcase.schema import CategoricalFeatures
from priorcase.similarity import Distance


class AllKNN(VotingReducer):
    """All k-NN: every row goes that its i nearest others disagree with, for some i from 1 to k.

    All rows are judged by the whole table and deleted at the end.

    Parameters
    ----------
    n_neighbors
        The largest neighbourhood, k.
    successive
        Delete after each i, so that i + 1 others are looked for among the rows that are left, as imbalanced-learn
        does.
    ties, kind_sel, distance, attribute_weights, categorical_features, schema, n_jobs
        As in `ENN`.

    Attributes
    ----------
    sample_indices_, classes_, n_features_in_, feature_names_in_
        As in `ENN`.

    Notes
    -----
    imbalanced-learn's ``AllKNN`` keeps the rows that ``successive=True`` keeps here if it is given
    ``sampling_strategy="all", kind_sel="mode", allow_minority=True``, no two rows are equal and no class vanishes.

    References
    ----------
    I. Tomek, *IEEE Trans. Systems, Man, and Cybernetics* 6, 1976.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.1], [4.3], [5.6], [7.0], [8.5], [10.1], [11.8], [13.6]]
    >>> y = ["a", "a", "a", "b", "a", "a", "b", "b", "b", "b"]
    >>> pc.AllKNN().fit(X, y).sample_indices_
    array([0, 1, 2, 7, 8, 9])
    """

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        successive: bool = False,
        ties: VoteTies = "first",
        kind_sel: KindSel = "mode",
        distance: str | Distance = "heom",
        attribute_weights: Any = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.successive = successive
        self.ties = ties
        self.kind_sel = kind_sel
        self.distance = distance
        self.attribute_weights = attribute_weights
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_kind_sel(self.kind_sel)
        check_flag("successive", self.successive, hint="True deletes after each size of neighbourhood.")

    def _kept(self, rows: Rows) -> IdArray:
        disagrees = disagreement(rows, ties=self.ties, kind_sel=self.kind_sel, alpha=ALPHA)
        return edited_by_all(rows, self.n_neighbors, disagrees, successive=bool(self.successive))
