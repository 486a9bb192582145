"""Decremental reduction (DROP1 to DROP5): rows leave while those that rely on them lose nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from priorcase._core import Drop
from priorcase._typing import IdArray
from priorcase.reduction.base import ALPHA, TARGETS, Rows, TargetSort, VotingReducer, by_class
from priorcase.reduction.editing import edited


class DROP1(VotingReducer):
    """Decremental reduction 1: a row leaves S if at least as many of its associates in S are right without it.

    S is the whole table at first. The associates of a row are the rows that have it among their ``n_neighbors``
    nearest others in S, and a row is right if those vote for its class. Rows are considered once, in the order of the
    table. DROP1 ignores the rows that have left, and may lose whole regions; the others count them.

    Parameters
    ----------
    n_neighbors
        How many others vote, k; the row next to them takes the place of one that leaves.
    ties, distance, attribute_weights, categorical_features, schema, n_jobs
        As in `ENN`, like the attributes.

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
    >>> pc.DROP1().fit(X, list("aaabaabbbb")).sample_indices_
    array([2, 7, 8, 9])
    """

    def _keep(self, rows: Rows) -> IdArray:
        return Dropping(self, rows, stay_on=False).consider(np.arange(len(rows)))


class DROP2(VotingReducer):
    """Decremental reduction 2: a row leaves S if at least as many of its associates in the table are right without it.

    As `DROP1`, with its parameters, but associates are looked for in the whole table T, rows that have left S included,
    and rows are considered by the distance of their nearest enemy, the nearest row of another class: furthest first,
    rows at equal distances in the order of the table. So the insides of the classes go first and the borders stay
    (Wilson & Martinez 2000, section 4.3).

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
    """Decremental reduction 3: `ENN`, then `DROP2` of the rows that are left.

    Noise goes first, so that it does not pass for a border between classes, and takes no further part: neither as
    neighbours, nor as enemies, nor as associates.

    With numbers as targets (after Arnaiz-González et al. 2016, who add up errors) both steps change: noise are the
    rows further than ``alpha`` standard deviations off, as in `ENN`; a row leaves S if the sum over its associates of
    ``|y - mean|``, mean of the targets of their ``n_neighbors`` nearest others in S, is no larger without it; and
    enemies of a row are those whose target differs from its own by more than ``alpha`` standard deviations of the
    targets of its ``n_neighbors`` nearest others. Nine neighbours are usual there.

    Parameters
    ----------
    n_neighbors, target, alpha, ties, distance, attribute_weights, categorical_features, schema, n_jobs
        As in `ENN`, like the attributes.

    Notes
    -----
    Wilson & Martinez do not say whether noise is still counted among the associates. Here it is not: the rows kept are
    those of `DROP2` on the rows that `ENN` keeps, for any distance without statistics of the table.

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
    """Decremental reduction 4: noise leaves first where no row loses by it, then `DROP2` of the rows that are left.

    A row is noise if its ``n_neighbors`` nearest others in S get it wrong. Rows that are noise are considered in the
    order of the table, under the rule of `DROP2`; those that leave take no further part. So fewer rows are taken for
    noise than by `DROP3`, where `ENN` decides (Wilson & Martinez 2000, section 4.5). Parameters are those of `DROP1`.

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
    """Decremental reduction 5: as `DROP2`, but first those rows are considered that are nearest to their enemies.

    One pass under the rule of `DROP2` goes from the borders inwards and smooths them; then passes go from the inside
    outwards, as in `DROP2`, until nothing more leaves. Nearest enemies are looked for in S before each pass.

    Parameters
    ----------
    repeat
        Go from the inside outwards until nothing more leaves (Wilson & Martinez 2000, section 4.6), rather than once.
    n_neighbors, ties, distance, attribute_weights, categorical_features, schema, n_jobs
        As in `DROP1`.

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
    """Rows that leave one after the other where those that rely on them lose nothing.

    ``at`` are the rows to begin with, by default all: T and, at first, S. ``alpha`` is how many standard deviations
    apart enemies are where targets are numbers. With ``stay_on`` rows that have left S still count among those that may
    lose something.
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
        """Let rows leave in an order, with ``noise_only`` none that its own neighbours get right; the rows left."""
        for part in self._rows.blocks(len(order)):
            self._core.consider(order[part], noise_only)
        return self._at[np.flatnonzero(self._core.held())]

    def consider_by_enemy(self, *, nearest_first: bool = False) -> IdArray:
        """Let rows leave by the distance of their nearest enemy, by default furthest first; the rows left."""
        held, costs = np.flatnonzero(self._core.held()), np.empty(len(self._at))
        asked = held if self._labels is None else by_class(self._labels, held)
        for part in self._rows.blocks(len(asked)):
            costs[asked[part]] = self._core.enemy_costs(asked[part], self._rows.threads)
        # Stable: rows at equal distances from their enemies keep the order of the table.
        return self.consider(held[np.argsort(costs[held] if nearest_first else -costs[held], kind="stable")])
