"""DROP1 to DROP5: delete a row if the rows that have it as a neighbor are predicted no worse without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from priorcase._core import Drop
from priorcase._typing import IdArray
from priorcase.reduction.base import ALPHA, TARGETS, Rows, TargetSort, VotingReducer, by_class
from priorcase.reduction.editing import edited


class DROP1(VotingReducer):
    """DROP1: deletes a row if at least as many of its associates are classified correctly without the row.

    S is the set of rows not deleted so far. The associates of a row are the rows of S that have this row among their
    ``n_neighbors`` nearest neighbors in S. Rows are processed once, in table order. In DROP1, deleted rows are not
    associates, so whole regions may be lost; in DROP2 to DROP5, deleted rows remain associates.

    Parameters
    ----------
    n_neighbors
        Number k of neighbors that vote; the next nearest row replaces a deleted neighbor.
    ties, distance, attribute_weights, categorical_features, schema, n_jobs
        See `ENN`, which also documents the fitted attributes.

    Notes
    -----
    Rows at equal distances are ordered by position. If S has at most k other rows, all of them vote. If S
    contains a single row, this row is not deleted.

    References
    ----------
    .. [1] D. R. Wilson and T. R. Martinez, *Machine Learning* 38, 2000, section 4.2 and figure 4.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.1], [4.3], [5.6], [7.0], [8.5], [10.1], [11.8], [13.6]]
    >>> pc.DROP1().fit(X, list("aaabaabbbb")).sample_indices_
    array([2, 7, 8, 9])
    """

    def _keep(self, rows: Rows) -> IdArray:
        return Dropping(self, rows, stay_on=False).consider(np.arange(len(rows)))


class DROP2(VotingReducer):
    """DROP2: `DROP1` with associates in the whole table, starting with rows far from other classes.

    Deleted rows remain associates. Rows are processed in decreasing order of the distance to their nearest enemy (the
    nearest row of another class), so that the interior of the classes is removed first (Wilson & Martinez 2000,
    section 4.3). Parameters: see `DROP1`.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.1], [4.3], [5.6], [7.0], [8.5], [10.1], [11.8], [13.6]]
    >>> pc.DROP2().fit(X, list("aaabaabbbb")).sample_indices_
    array([2, 5, 6, 7, 8])
    """

    def _keep(self, rows: Rows) -> IdArray:
        return Dropping(self, rows).consider_by_enemy()


@dataclass(eq=False, repr=False, kw_only=True)
class DROP3(VotingReducer):
    """DROP3: removes noise with `ENN`, then applies `DROP2`; supports regression.

    For numeric targets (after Arnaiz-González et al. 2016), noise is defined as in `ENN`. A row is deleted unless the
    sum of ``|y - mean|`` over its associates would increase. Here, y is the target of an associate, and mean is the
    mean target of its ``n_neighbors`` nearest neighbors in S. The enemies of a row are rows whose targets differ from
    its target by more than ``alpha`` standard deviations of the targets of its ``n_neighbors`` nearest neighbors. Nine
    neighbors are usual.

    Parameters
    ----------
    n_neighbors, target, alpha, ties, distance, attribute_weights, categorical_features, schema, n_jobs
        See `ENN`, which also documents the fitted attributes.

    Notes
    -----
    Wilson & Martinez do not say whether rows removed as noise remain associates. Here, rows removed as
    noise are not associates. If the distance uses no statistics of the table, DROP3 therefore keeps the same rows as
    `ENN` followed by `DROP2`.

    References
    ----------
    D. R. Wilson and T. R. Martinez, *Machine Learning* 38, 2000, section 4.4. Á. Arnaiz-González, J. F. Díez-Pastor,
    J. J. Rodríguez and C. García-Osorio, *Neurocomputing* 201, 2016 (numbers).

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.1], [4.3], [5.6], [7.0], [8.5], [10.1], [11.8], [13.6]]
    >>> pc.DROP3().fit(X, list("aaabaabbbb")).sample_indices_
    array([1, 2, 4, 7, 8, 9])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**VotingReducer._parameter_constraints, **TARGETS}
    _for_classes: ClassVar[dict[str, Any]] = {"ties": "first"}

    target: TargetSort = "auto"
    alpha: float = ALPHA

    def _keep(self, rows: Rows) -> IdArray:
        at = edited(rows, self.n_neighbors, ties=self.ties, alpha=self.alpha)
        return Dropping(self, rows, at, alpha=float(self.alpha)).consider_by_enemy()


class DROP4(VotingReducer):
    """DROP4: removes a noisy row if the accuracy on its associates does not decrease, then applies `DROP2`.

    A row is noise if its ``n_neighbors`` nearest neighbors in S misclassify it. Noisy rows are processed in table order
    and deleted by the rule of `DROP2`, so usually fewer rows are removed as noise than in `DROP3` (Wilson & Martinez
    2000, section 4.5). Parameters: see `DROP1`.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.1], [4.3], [5.6], [7.0], [8.5], [10.1], [11.8], [13.6]]
    >>> pc.DROP4().fit(X, list("aaabaabbbb")).sample_indices_
    array([1, 2, 4, 6, 7, 8])
    """

    def _keep(self, rows: Rows) -> IdArray:
        at = Dropping(self, rows).consider(np.arange(len(rows)), noise_only=True)
        return Dropping(self, rows, at).consider_by_enemy()


@dataclass(eq=False, repr=False, kw_only=True)
class DROP5(VotingReducer):
    """DROP5: `DROP2` preceded by a pass that starts with rows near other classes.

    The first pass goes inward from the class boundaries and smooths them. Later passes go outward, as in `DROP2`.
    Before each pass, the nearest enemies are searched again in S.

    Parameters
    ----------
    repeat
        Whether to repeat the outward passes until no row is deleted (Wilson & Martinez 2000, section 4.6).
    n_neighbors, ties, distance, attribute_weights, categorical_features, schema, n_jobs
        See `DROP1`.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.1], [4.3], [5.6], [7.0], [8.5], [10.1], [11.8], [13.6]]
    >>> pc.DROP5().fit(X, list("aaabaabbbb")).sample_indices_
    array([0, 1, 2, 7, 8, 9])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**DROP1._parameter_constraints, "repeat": ["boolean"]}

    repeat: bool = True

    def _keep(self, rows: Rows) -> IdArray:
        dropping = Dropping(self, rows)
        before, left = dropping.consider_by_enemy(nearest_first=True), dropping.consider_by_enemy()
        while self.repeat and left.size < before.size:
            before, left = left, dropping.consider_by_enemy()
        return left


class Dropping:
    """Deletes rows from a set S, one by one, if their associates are predicted no worse without them (see `DROP1`).

    ``at`` contains the initial rows of S, by default all rows. With ``stay_on=True``, deleted rows remain associates.
    """

    def __init__(
        self, by: VotingReducer, rows: Rows, at: IdArray | None = None, *, alpha: float = 1.0, stay_on: bool = True
    ) -> None:
        self._rows, self._at = rows, np.arange(len(rows)) if at is None else at
        self._labels = None if rows.classes is None else rows.codes[self._at]
        numbers, nearest = None if rows.numbers is None else rows.numbers[self._at], by.ties == "nearest"
        options: dict[str, Any] = {"k": by.n_neighbors, "alpha": alpha, "stay_on": stay_on}
        self._core = Drop(*rows.arguments(self._at), self._labels, numbers, nearest_breaks_ties=nearest, **options)
        for part in rows.blocks(len(self._at)):
            self._core.fill(part.start, part.stop, rows.threads)

    def consider(self, order: IdArray, *, noise_only: bool = False) -> IdArray:
        """Process rows in the given order, or only the noisy rows among them; return the rows that remain in S."""
        for part in self._rows.blocks(len(order)):
            self._core.consider(order[part], noise_only)
        return self._at[np.flatnonzero(self._core.held())]

    def consider_by_enemy(self, *, nearest_first: bool = False) -> IdArray:
        """Process rows by distance to their nearest enemy, by default the farthest first; return the rows left in S."""
        held, costs = np.flatnonzero(self._core.held()), np.empty(len(self._at))
        asked = held if self._labels is None else by_class(self._labels, held)
        for part in self._rows.blocks(len(asked)):
            costs[asked[part]] = self._core.enemy_costs(asked[part], self._rows.threads)
        # Stable: rows at equal distances from their enemies keep the order of the table.
        return self.consider(held[np.argsort(costs[held] if nearest_first else -costs[held], kind="stable")])
