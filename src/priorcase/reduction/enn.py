"""Wilson's editing, once and repeatedly."""

from __future__ import annotations

from typing import Any

from priorcase._typing import IdArray
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.parameters import check_choice
from priorcase.reduction.editing import disagreement, edited, repeatedly_edited
from priorcase.reduction.reducer import ALPHA, TargetsReducer, VoteTies, VotingReducer
from priorcase.reduction.rows import Rows
from priorcase.reduction.targets import TargetSort
from priorcase.reduction.voting import KindSel
from priorcase.schema import CategoricalFeatures
from priorcase.similarity import Distance


class ENN(TargetsReducer):
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

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_kind_sel(self.kind_sel)

    def _check_rows(self, rows: Rows) -> None:
        super()._check_rows(rows)
        if rows.targets.classes is None:
            self._check_idle("kind_sel", "mode", "numbers")

    def _kept(self, rows: Rows) -> IdArray:
        disagrees = disagreement(rows, ties=self.ties, kind_sel=self.kind_sel, alpha=self.alpha)
        return edited(rows, self.n_neighbors, disagrees)


class RENN(VotingReducer):
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

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_kind_sel(self.kind_sel)

    def _kept(self, rows: Rows) -> IdArray:
        disagrees = disagreement(rows, ties=self.ties, kind_sel=self.kind_sel, alpha=ALPHA)
        kept, self.n_iter_ = repeatedly_edited(rows, self.n_neighbors, disagrees)
        return kept


def check_kind_sel(value: object) -> None:
    """Refuse another rule of agreement."""
    hint = "'mode' asks for the most frequent class among the others, 'all' for every one of them."
    check_choice("kind_sel", value, ("mode", "all"), hint=hint)
