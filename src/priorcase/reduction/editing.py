"""Editing: deletion of rows that their nearest neighbors misclassify (ENN, RENN, AllKNN)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from sklearn.utils._param_validation import StrOptions

from priorcase._typing import BoolArray, FloatArray, IdArray
from priorcase.exceptions import TooFewRowsError
from priorcase.reduction.base import ALPHA, ROWS_AT_ONCE, TARGETS, Rows, TargetSort, VoteTies, VotingReducer

KindSel: TypeAlias = Literal["mode", "all"]

_VOTE: dict[str, list[Any]] = {**VotingReducer._parameter_constraints, "kind_sel": [StrOptions({"mode", "all"})]}


@dataclass(eq=False, repr=False, kw_only=True)
class ENN(VotingReducer):
    """Edited nearest neighbors (ENN): deletes rows that their k nearest neighbors misclassify.

    All rows are checked against the whole table and deleted at once, which removes noise and smooths the class
    boundaries. A class may disappear, but at least one row must be left. For numeric targets (Kordos & Blachnik 2012),
    a row is kept if ``|y - mean| <= alpha * deviation``, where mean and deviation are the mean and the standard
    deviation of the targets of its neighbors.

    Parameters
    ----------
    n_neighbors
        Number k of neighbors; 9 is usual for numeric targets.
    target
        Type of ``y``: ``"classes"``, ``"numbers"``, or ``"auto"`` (numbers if a target has a fraction).
    alpha
        Tolerance in standard deviations; for numeric targets only.
    ties
        Winner of a tied vote: the ``"first"`` class in ``classes_``, as in imbalanced-learn, or the class of the
        ``"nearest"`` voter; for classes only.
    kind_sel
        ``"mode"``: a row is kept if its class is the most frequent class of its neighbors (Wilson). ``"all"``: a row is
        kept if all its neighbors have its class (imbalanced-learn's default); for classes only.
    distance
        Name of a distance such as ``"heom"``, ``"hvdm"`` or ``"gower"``, or a `Distance`; fitted to the whole table.
    attribute_weights, categorical_features, schema, n_jobs
        See `KNNClassifier`; weights must be the same for all rows.

    Attributes
    ----------
    sample_indices_
        Positions of the rows kept, ascending.
    classes_
        Classes in ascending order, including classes without remaining rows; not set for numeric targets.

    Notes
    -----
    Neighbors at equal distances are ordered by position. If no distances are equal or 0, ``distance="euclidean"`` gives
    the result of imbalanced-learn's ``EditedNearestNeighbours(sampling_strategy="all")`` with the same ``kind_sel``.

    References
    ----------
    .. [1] D. L. Wilson, *IEEE Trans. Systems, Man, and Cybernetics* 2, 1972.
    .. [2] M. Kordos, M. Blachnik, *ICANN* 2012 (numbers).

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[31, "red"], [29, "red"], [35, None], [62, "blue"], [58, "blue"], [None, "blue"], [30, "red"]]
    >>> y = ["no", "no", "no", "yes", "yes", "yes", "yes"]
    >>> pc.ENN().fit(X, y).sample_indices_
    array([0, 1, 2, 3, 4, 5])
    >>> pc.ENN(2).fit([[1], [2], [3], [4], [5], [6]], [0.1, 0.2, 9.9, 0.4, 0.5, 0.6]).sample_indices_
    array([0, 1, 3, 4, 5])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**_VOTE, **TARGETS}
    _for_classes: ClassVar[dict[str, Any]] = {"ties": "first", "kind_sel": "mode"}

    target: TargetSort = "auto"
    alpha: float = ALPHA
    kind_sel: KindSel = "mode"

    def _keep(self, rows: Rows) -> IdArray:
        return edited(rows, self.n_neighbors, ties=self.ties, kind_sel=self.kind_sel, alpha=self.alpha)


@dataclass(eq=False, repr=False, kw_only=True)
class RENN(VotingReducer):
    """Repeated edited nearest neighbors (RENN): repeats `ENN` until no row is deleted (Tomek 1976).

    If fewer than ``n_neighbors`` other rows are left, all of them vote. imbalanced-learn's
    ``RepeatedEditedNearestNeighbours`` also stops when a class disappears, or becomes smaller than the smallest class
    of the whole table.

    Parameters
    ----------
    n_neighbors, ties, kind_sel, distance, attribute_weights, categorical_features, schema, n_jobs
        See `ENN`, which also documents the fitted attributes. ``n_iter_`` is the number of passes, including
        the last pass, which deletes no row.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.1], [4.3], [5.6], [7.0], [8.5], [10.1], [11.8], [13.6]]
    >>> y = ["a", "a", "a", "b", "a", "a", "b", "b", "b", "b"]
    >>> pc.RENN().fit(X, y).sample_indices_
    array([0, 1, 2, 4, 7, 8, 9])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = _VOTE

    kind_sel: KindSel = "mode"

    def _keep(self, rows: Rows) -> IdArray:
        others, self.n_iter_ = NearestOthers(rows, self.n_neighbors), 0
        while True:
            at, lists = others.lists()
            gone = disagree(rows, at, lists, ties=self.ties, kind_sel=self.kind_sel)
            self.n_iter_ += 1
            if not gone.any():
                return at
            some_left(at[~gone], rows, self.n_neighbors)
            others.remove(at[gone])


@dataclass(eq=False, repr=False, kw_only=True)
class AllKNN(VotingReducer):
    """All k-NN: deletes rows that their i nearest neighbors misclassify for at least one i from 1 to k (Tomek 1976).

    By default, all rows are checked against the whole table before any row is deleted. With ``successive=True`` and
    ``distance="euclidean"``, the result is that of imbalanced-learn's ``AllKNN(sampling_strategy="all",
    kind_sel="mode", allow_minority=True)`` if no class disappears and the distances from a row differ and are positive.
    If every row would be deleted, which is likely for a few rows with random classes (such as those of scikit-learn's
    ``check_n_features_in_after_fitting``), ``fit`` raises `TooFewRowsError`.

    Parameters
    ----------
    n_neighbors
        Largest number of neighbors, k.
    successive
        Whether to delete rows after each i, so that later neighbors are searched among the remaining rows.
    ties, kind_sel, distance, attribute_weights, categorical_features, schema, n_jobs
        See `ENN`, which also documents the fitted attributes.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.1], [4.3], [5.6], [7.0], [8.5], [10.1], [11.8], [13.6]]
    >>> pc.AllKNN().fit(X, list("aaabaabbbb")).sample_indices_
    array([0, 1, 2, 7, 8, 9])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**_VOTE, "successive": ["boolean"]}

    successive: bool = False
    kind_sel: KindSel = "mode"

    def _keep(self, rows: Rows) -> IdArray:
        others = NearestOthers(rows, self.n_neighbors)
        at, lists = others.lists()
        flagged = np.zeros(len(at), dtype=bool)
        for i in range(1, self.n_neighbors + 1):
            if self.successive and i > 1:
                others.remove(at[flagged])
                at, lists = others.lists()
                flagged = np.zeros(len(at), dtype=bool)
            flagged |= disagree(rows, at, lists[:, :i], ties=self.ties, kind_sel=self.kind_sel)
            some_left(at[~flagged], rows, self.n_neighbors)
        return at[~flagged]


class NearestOthers:
    """Neighbor lists: the ``k`` nearest other rows of each row, among the rows that have not been removed."""

    def __init__(self, rows: Rows, k: int) -> None:
        self._rows, self._k = rows, k
        self.left: BoolArray = np.ones(len(rows), dtype=bool)
        self._lists = np.zeros((len(rows), k), dtype=np.int64)
        self._search(np.arange(len(rows)))

    def lists(self) -> tuple[IdArray, IdArray]:
        """Return the rows that remain, and the neighbors of each of these rows, nearest first."""
        at = np.flatnonzero(self.left)
        return at, self._lists[at, : self._width]

    def remove(self, gone: IdArray) -> None:
        """Remove rows, and search again for the neighbors of all rows whose lists contain a removed row."""
        self.left[gone] = False
        self._rows.memory.index.remove(gone)
        at, lists = self.lists()
        self._search(at[~self.left[lists].all(axis=1)])

    @property
    def _width(self) -> int:
        return min(self._k, int(self.left.sum()) - 1)

    def _search(self, at: IdArray) -> None:
        memory, width = self._rows.memory, self._width
        if not width:
            return
        for block in self._rows.blocks(at.size, ROWS_AT_ONCE):
            part = at[block]
            found = memory.search(memory.instances.cells(part), width, exclude=part, threads=self._rows.threads)
            self._lists[part, :width] = found.rows.reshape(-1, width)


def edited(
    rows: Rows, k: int, *, ties: VoteTies = "first", kind_sel: KindSel = "mode", alpha: float = ALPHA
) -> IdArray:
    """Return the positions of the rows that `ENN` keeps with ``k`` neighbors; raise an error if there are none."""
    at, lists = NearestOthers(rows, k).lists()
    return some_left(at[~disagree(rows, at, lists, ties=ties, kind_sel=kind_sel, alpha=alpha)], rows, k)


def some_left(kept: IdArray, rows: Rows, k: int) -> IdArray:
    """Return ``kept`` unchanged; raise an error if it is empty."""
    if not kept.size:
        advice = "Try another n_neighbors or distance, and check whether the columns predict y."
        if rows.classes is not None and rows.classes.dtype.kind in "iuf":
            advice = "y was treated as class labels. Pass target='numbers' (ENN and DROP3) if y is numeric."
        raise TooFewRowsError(
            f"all {len(rows)} rows would be deleted, because their nearest neighbors (n_neighbors = {k}) misclassify "
            f"every one of them. {advice}"
        )
    return kept


def disagree(
    rows: Rows, at: IdArray, lists: IdArray, *, ties: VoteTies, kind_sel: KindSel = "mode", alpha: float = ALPHA
) -> BoolArray:
    """Return a mask of rows ``at`` whose targets disagree with those of their neighbors (``lists``), as in `ENN`."""
    found = np.zeros(len(at), dtype=bool)
    if not lists.shape[1]:
        return found
    for start in range(0, len(at), ROWS_AT_ONCE):  # so that only the lists are in memory for all rows
        part = slice(start, start + ROWS_AT_ONCE)
        if rows.numbers is not None:
            found[part] = far_off(rows.numbers[at[part]], rows.numbers[lists[part]], alpha)
        else:
            own, voters = rows.codes[at[part]], rows.codes[lists[part]]
            found[part] = (voters != own[:, None]).any(axis=1) if kind_sel == "all" else winners(voters, ties) != own
    return found


def winners(labels: IdArray, ties: VoteTies) -> IdArray:
    """Return the most frequent label in each row; ties go to the smallest label, or with ``"nearest"`` to the first."""
    votes = np.stack([(labels == labels[:, i : i + 1]).sum(axis=1) for i in range(labels.shape[1])], axis=1)
    tied = votes == votes.max(axis=1, keepdims=True)
    nearest: IdArray = labels[np.arange(len(labels)), tied.argmax(axis=1)]
    return nearest if ties == "nearest" else np.where(tied, labels, labels.max()).min(axis=1)


def far_off(own: FloatArray, numbers: FloatArray, alpha: float) -> BoolArray:
    """Return a mask of targets more than ``alpha`` standard deviations from the mean of their neighbors' targets."""
    n = numbers.shape[1]
    # Cumulative sums add one number after the other, nearest first, but np.sum adds pairwise.
    mean = np.cumsum(numbers, axis=1)[:, -1] / n
    deviation = np.sqrt(np.cumsum(np.square(numbers - mean[:, None]), axis=1)[:, -1] / n)
    return np.asarray(np.abs(own - mean) > alpha * deviation)
