"""Iterative case filtering."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase._core import CaseFilter
from priorcase._typing import IdArray
from priorcase.learning.estimator import SchemaLike
from priorcase.reduction.dropping import by_class
from priorcase.reduction.editing import blocks, disagreement, edited
from priorcase.reduction.reducer import ALPHA, VoteTies, VotingReducer
from priorcase.reduction.rows import Rows
from priorcase.schema import CategoricalFeatures
from priorcase.similarity import Distance


class ICF(VotingReducer):
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

    def _kept(self, rows: Rows) -> IdArray:
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
