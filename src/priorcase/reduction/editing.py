"""Editing: rows that their nearest others disagree with are deleted (ENN, RENN, AllKNN)."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._typing import BoolArray, FloatArray, IdArray
from priorcase.exceptions import ParameterError, TooFewRowsError
from priorcase.learning.estimator import SchemaLike
from priorcase.reduction.base import VOTING, Reducer, Rows, TargetSort, VoteTies, blocks
from priorcase.schema import CategoricalFeatures
from priorcase.similarity import Distance

KindSel: TypeAlias = Literal["mode", "all"]

ALPHA = 5.0
"""How many standard deviations a number may be off by default (Kordos & Blachnik 2012)."""

TARGETS: dict[str, list[Any]] = {
    "target": [StrOptions({"auto", "classes", "numbers"})],
    "alpha": [Interval(Real, 0, None, closed="neither")],
}
"""Constraints of the reducers that take classes and numbers as targets."""

_KIND_SEL: dict[str, list[Any]] = {"kind_sel": [StrOptions({"mode", "all"})]}
_ROWS_AT_ONCE = 4_096


class ENN(Reducer):
    """Edited nearest neighbours: every row goes that its k nearest others disagree with.

    A row is kept iff the most frequent class among its ``n_neighbors`` nearest others is its own. All rows are judged
    by the whole table and then deleted at once. What is left are the insides of the classes: noise and ragged borders
    go. A class may vanish whose rows all lie among others; a table of which nothing would be left is refused.

    With numbers as targets (Kordos & Blachnik 2012) a row is kept iff ``|y - mean| <= alpha * deviation``, mean and
    standard deviation (of a population) of the targets of its ``n_neighbors`` nearest others. Three others tell little
    about a deviation; 9 are usual there.

    Parameters
    ----------
    n_neighbors
        How many others are asked, k.
    target
        What ``y`` holds: ``"classes"``, ``"numbers"``, or ``"auto"``: numbers where one of them has a fraction, and
        classes otherwise.
    alpha
        How many standard deviations a number may be off; for numbers only.
    ties
        Who wins a tied vote: the class that is ``"first"`` in ``classes_``, as in imbalanced-learn, or that of the
        ``"nearest"`` voter among the tied ones, which depends on no order of the classes; for classes only.
    kind_sel
        ``"mode"``: the most frequent class must be the row's own (Wilson). ``"all"``: every one of the others must be
        of its class, imbalanced-learn's default, which deletes more; for classes only.
    distance
        A name such as ``"heom"``, ``"hvdm"``, ``"mvdm"``, ``"gower"`` or ``"euclidean"``, or a `Distance`. Ranges,
        class frequencies and other statistics are those of the whole table, whoever is deleted.
    attribute_weights
        One number >= 0 for each attribute; a mapping from attribute to number (1 for the others); or ``"bayes"``: the
        probability that the attribute depends on the class.
    categorical_features
        ``"from_dtype"``, None, or a mask, positions or names of the nominal columns, as in scikit-learn; text,
        objects and booleans are nominal too.
    schema
        Kinds declared by hand: a `Schema`, or a mapping from column to kind for some columns.
    n_jobs
        Threads: None for all cores this process may use (at most ``OMP_NUM_THREADS``), -1 for all. The rows kept do
        not depend on it.

    Attributes
    ----------
    sample_indices_
        Positions of the rows kept, ascending.
    classes_
        The classes in ascending order, those of which no row is left included; absent where ``y`` holds numbers.
    n_features_in_, feature_names_in_
        The columns.

    Notes
    -----
    Of others at equal distances those that come first in the table are asked. Rows of all classes are edited. With
    ``distance="euclidean"`` the rows kept are those of imbalanced-learn's
    ``EditedNearestNeighbours(sampling_strategy="all", kind_sel="mode")``, as long as no two rows are equal: of equal
    rows it takes the first found for the row itself.

    References
    ----------
    D. L. Wilson, *IEEE Trans. Systems, Man, and Cybernetics* 2, 1972. M. Kordos and M. Blachnik, *Artificial Neural
    Networks and Machine Learning, ICANN* 2012 (numbers).

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[31, "red"], [29, "red"], [35, None], [62, "blue"], [58, "blue"], [None, "blue"], [30, "red"]]
    >>> y = ["no", "no", "no", "yes", "yes", "yes", "yes"]
    >>> pc.ENN().fit(X, y).sample_indices_
    array([0, 1, 2, 3, 4, 5])
    >>> pc.ENN().fit_resample(X, y)[1]
    ['no', 'no', 'no', 'yes', 'yes', 'yes']
    >>> pc.ENN(2).fit([[1], [2], [3], [4], [5], [6]], [0.1, 0.2, 9.9, 0.4, 0.5, 0.6]).sample_indices_
    array([0, 1, 3, 4, 5])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**VOTING, **TARGETS, **_KIND_SEL}

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        target: TargetSort = "auto",
        alpha: float = ALPHA,
        ties: VoteTies = "first",
        kind_sel: KindSel = "mode",
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
        self.kind_sel = kind_sel
        self.distance = distance
        self.attribute_weights = attribute_weights
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    def _check_rows(self, rows: Rows) -> None:
        check_idle(self, rows, {"ties": "first", "kind_sel": "mode"})

    def _keep(self, rows: Rows) -> IdArray:
        disagrees = disagreement(rows, ties=self.ties, kind_sel=self.kind_sel, alpha=self.alpha)
        return edited(rows, self.n_neighbors, disagrees)


class RENN(Reducer):
    """Repeated edited nearest neighbours: `ENN` over and over, until it deletes nothing more.

    Where fewer than ``n_neighbors`` others are left, all of them are asked.

    Parameters
    ----------
    n_neighbors, ties, kind_sel, distance, attribute_weights, categorical_features, schema, n_jobs
        As in `ENN`.

    Attributes
    ----------
    sample_indices_, classes_, n_features_in_, feature_names_in_
        As in `ENN`.
    n_iter_
        How often the table was edited; the last time deletes nothing.

    Notes
    -----
    imbalanced-learn's ``RepeatedEditedNearestNeighbours`` stops earlier where a class falls below the size that the
    smallest one had at first, or vanishes.

    References
    ----------
    I. Tomek, *IEEE Trans. Systems, Man, and Cybernetics* 6, 1976.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1.0], [2.0], [3.1], [4.3], [5.6], [7.0], [8.5], [10.1], [11.8], [13.6]]
    >>> y = ["a", "a", "a", "b", "a", "a", "b", "b", "b", "b"]
    >>> renn = pc.RENN().fit(X, y)
    >>> renn.sample_indices_, renn.n_iter_
    (array([0, 1, 2, 4, 7, 8, 9]), 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**VOTING, **_KIND_SEL}
    n_iter_: int

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        ties: VoteTies = "first",
        kind_sel: KindSel = "mode",
        distance: str | Distance = "heom",
        attribute_weights: Any = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.ties = ties
        self.kind_sel = kind_sel
        self.distance = distance
        self.attribute_weights = attribute_weights
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    def _keep(self, rows: Rows) -> IdArray:
        disagrees = disagreement(rows, ties=self.ties, kind_sel=self.kind_sel, alpha=ALPHA)
        kept, self.n_iter_ = repeatedly_edited(rows, self.n_neighbors, disagrees)
        return kept


class AllKNN(Reducer):
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**VOTING, **_KIND_SEL, "successive": ["boolean"]}

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

    def _keep(self, rows: Rows) -> IdArray:
        disagrees = disagreement(rows, ties=self.ties, kind_sel=self.kind_sel, alpha=ALPHA)
        return edited_by_all(rows, self.n_neighbors, disagrees, successive=bool(self.successive))


def check_idle(reducer: Any, rows: Rows, for_classes: dict[str, Any]) -> None:
    """Refuse parameters that have no effect on targets of this sort."""
    idle, sort = ({"alpha": ALPHA}, "classes") if rows.classes is not None else (for_classes, "numbers")
    for name, default in idle.items():
        if (value := getattr(reducer, name)) != default:
            raise ParameterError(f"{name} has no effect where y holds {sort}, got {value!r}; leave it out")


class LeaveOneOut:
    """The ``k`` nearest others of every row among the rows that are left; all of them where fewer are left."""

    def __init__(self, rows: Rows, k: int) -> None:
        self._rows = rows
        self._k = k
        self.left: BoolArray = np.ones(len(rows), dtype=bool)
        self._lists = np.zeros((len(rows), k), dtype=np.int64)
        self._search(np.arange(len(rows)))

    def lists(self) -> tuple[IdArray, IdArray]:
        """The rows left, and the others nearest to each, nearest first."""
        at = np.flatnonzero(self.left)
        return at, self._lists[at, : self._width]

    def remove(self, gone: IdArray) -> None:
        """Take rows out; lists that named one of them are searched again."""
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
        for start, stop in blocks(at.size, self._rows.owner):
            part = at[start:stop]
            found = memory.search(memory.instances.cells(part), width, exclude=part, threads=self._rows.threads)
            self._lists[part, :width] = found.rectangular(width)[0]


Disagreement = Callable[[IdArray, IdArray], BoolArray]
"""Whether the nearest others of some rows, one line for each, disagree with them."""


def disagreement(rows: Rows, *, ties: VoteTies, kind_sel: KindSel, alpha: float) -> Disagreement:
    """The rule of the table's targets: votes of classes, or standard deviations of numbers."""
    codes = rows.codes
    if codes is not None:
        return lambda at, lists: outvoted(codes[at], codes[lists], ties, kind_sel)
    numbers = rows.numbers
    return lambda at, lists: far_off(numbers[at], numbers[lists], alpha)


def edited(rows: Rows, k: int, disagrees: Disagreement) -> IdArray:
    """The rows that their k nearest others do not disagree with."""
    at, lists = LeaveOneOut(rows, k).lists()
    return some_left(at[~_in_blocks(disagrees, at, lists)], rows, k)


def repeatedly_edited(rows: Rows, k: int, disagrees: Disagreement) -> tuple[IdArray, int]:
    """The rows left when editing deletes nothing more, and how often it was applied."""
    others, passes = LeaveOneOut(rows, k), 0
    while True:
        at, lists = others.lists()
        gone, passes = _in_blocks(disagrees, at, lists), passes + 1
        if not gone.any():
            return at, passes
        some_left(at[~gone], rows, k)
        others.remove(at[gone])


def edited_by_all(rows: Rows, k: int, disagrees: Disagreement, *, successive: bool) -> IdArray:
    """The rows that their i nearest others do not disagree with for any i from 1 to k.

    With ``successive`` the rows that i others disagree with are gone before i + 1 others are asked.
    """
    others = LeaveOneOut(rows, k)
    at, lists = others.lists()
    flagged = np.zeros(len(at), dtype=bool)
    for i in range(1, k + 1):
        if successive and i > 1:
            others.remove(at[flagged])
            at, lists = others.lists()
            flagged = np.zeros(len(at), dtype=bool)
        flagged |= _in_blocks(disagrees, at, lists[:, :i])
        some_left(at[~flagged], rows, k)
    return at[~flagged]


def some_left(kept: IdArray, rows: Rows, k: int) -> IdArray:
    """The rows kept, of which there must be some."""
    if not kept.size:
        counts = rows.classes is not None and rows.classes.dtype.kind in "iuf"
        advice = (
            "here y names classes; if it counts or measures, ENN and DROP3 take it by target='numbers'"
            if counts
            else "the columns hardly tell the target; another n_neighbors or distance may keep some rows"
        )
        raise TooFewRowsError(
            f"all {len(rows)} rows would be deleted, because their nearest others (n_neighbors = {k}) disagree with "
            f"every one of them; {advice}"
        )
    return kept


def _in_blocks(disagrees: Disagreement, at: IdArray, lists: IdArray) -> BoolArray:
    """Block by block, so that no more than the lists themselves is ever held for all rows."""
    found = np.zeros(len(at), dtype=bool)
    for start in range(0, len(at), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        found[part] = disagrees(at[part], lists[part])
    return found


def winners(labels: IdArray, ties: VoteTies) -> IdArray:
    """The most frequent label in each line of voters, nearest first.

    Examples
    --------
    >>> voters = np.array([[2, 0, 2], [2, 1, 0]])
    >>> winners(voters, "first"), winners(voters, "nearest")
    (array([2, 0]), array([2, 2]))
    """
    votes = np.stack([(labels == labels[:, i : i + 1]).sum(axis=1) for i in range(labels.shape[1])], axis=1)
    tied = votes == votes.max(axis=1, keepdims=True)
    found: IdArray
    if ties == "nearest":
        found = labels[np.arange(len(labels)), tied.argmax(axis=1)]
    else:
        found = np.where(tied, labels, labels.max()).min(axis=1)
    return found


def outvoted(own: IdArray, labels: IdArray, ties: VoteTies, kind_sel: KindSel) -> BoolArray:
    """Whether the voters of each row speak against its own label; where there are none, nobody does."""
    if not labels.shape[1]:
        return np.zeros(len(own), dtype=bool)
    against: BoolArray = labels != own[:, None] if kind_sel == "all" else (winners(labels, ties) != own)[:, None]
    return np.asarray(against.any(axis=1))


def far_off(own: FloatArray, numbers: FloatArray, alpha: float) -> BoolArray:
    """Whether each number is further than ``alpha`` standard deviations of its neighbours' from their mean.

    Numbers are added nearest first, one after the other.

    Examples
    --------
    >>> far_off(np.array([3.0, 9.0]), np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]), 5.0)
    array([False,  True])
    """
    n = numbers.shape[1]
    if not n:
        return np.zeros(len(own), dtype=bool)
    mean = _sum(numbers) / n
    deviation = np.sqrt(_sum(np.square(numbers - mean[:, None])) / n)
    found: BoolArray = np.abs(own - mean) > alpha * deviation
    return found


def _sum(columns: FloatArray) -> FloatArray:
    total = np.zeros(len(columns))
    for column in columns.T:
        total += column
    return total
