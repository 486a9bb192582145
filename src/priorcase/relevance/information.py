"""Attribute weights from counts of values and classes: information gain, gain ratio, and Bayesian relevance."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.discretize import BINS, MDL, EqualFrequency, bin_of
from priorcase.bayes.subsets import RelevanceWeights
from priorcase.relevance.base import TrainingData, WeightingMethod, renumbered
from priorcase.schema import Numeric, Set, Text
from priorcase.schema.kinds import canonical

_ROUNDING = 1e-12
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class _Information(WeightingMethod):
    """Base class of the methods that count values and classes; a numeric target is discretized into ``bins`` bins."""

    bins: int = 5
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"bins": [BINS]}


class GainRatio(_Information):
    """Gain ratio of each attribute, ``I(A; C) / H(A)``; 0 for an attribute with a single value.

    I is the mutual information of attribute and class in the rows where the attribute is not missing, multiplied by the
    share of these rows. H is the entropy of the attribute, where missing is treated as a value (Quinlan 1993, sections
    2.2 and 3.3). Numbers and dates are discretized by minimum description length (Fayyad & Irani 1993), so unrelated
    numbers usually have weight 0. A set or text column is represented by its most informative member or word, and has
    weight 0 if minimum description length rejects a split by this member or word. For nominal columns, the weights are
    the same as in TiMBL. Attributes are scored one by one, so attributes that matter only together get small weights.

    Parameters
    ----------
    bins
        Number of equal-frequency bins for a numeric target.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [["sun", "hot"], ["sun", "mild"], ["rain", "hot"], ["rain", "mild"]]
    >>> pc.KNNClassifier(1, attribute_weights=GainRatio()).fit(X, ["no", "no", "yes", "yes"]).attribute_weights_.weights
    array([1., 0.])
    """

    method: ClassVar[str] = "gain_ratio"

    def learn(self, data: TrainingData) -> FloatArray:
        """Return the gain ratio of each attribute."""
        return np.array([gain / split if split > 0 else 0.0 for gain, split in _information(data, self.bins)])


class MutualInformation(_Information):
    """Mutual information of each attribute and the class in bits, ``I(A; C) = H(C) - H(C | A)``.

    The computation is as in `GainRatio`, but the result is not divided by H(A), so that columns with many values are
    favored. For nominal columns, the result is the same as information gain in TiMBL. Parameters: see `GainRatio`.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [["sun", "hot"], ["sun", "mild"], ["rain", "hot"], ["rain", "mild"]]
    >>> model = pc.KNNClassifier(1, attribute_weights=MutualInformation()).fit(X, ["no", "no", "yes", "no"])
    >>> model.attribute_weights_.weights.round(4)
    array([0.3113, 0.3113])
    """

    method: ClassVar[str] = "mutual_information"

    def learn(self, data: TrainingData) -> FloatArray:
        """Return the mutual information of each attribute and the class."""
        return np.array([gain for gain, _ in _information(data, self.bins)])


@dataclass(frozen=True)
class Bayes(WeightingMethod):
    """Posterior probability that each attribute is relevant, averaged over all subsets of attributes.

    The weights are the ``relevance_`` of `SubsetAveragedBayes` with default parameters. Attributes are scored one by
    one, so attributes that matter only together get small weights. The target must be a class.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 5, ["no", "no", "yes", "yes"] * 5
    >>> pc.KNNClassifier(1, attribute_weights=Bayes()).fit(X, y).attribute_weights_.weights.round(2)
    array([1.  , 0.02])
    """

    method: ClassVar[str] = "bayes"
    takes_numbers: ClassVar[bool] = False

    def learn(self, data: TrainingData) -> FloatArray:
        """Return the posterior probability that each attribute is relevant."""
        return RelevanceWeights(data.instances, threads=data.threads).weights


def _information(data: TrainingData, bins: int) -> Iterator[tuple[float, float]]:
    """Yield the information gain and split information of each attribute (Quinlan 1993, sections 2.2, 3.1 and 3.3)."""
    instances, weights = data.instances, data.row_weights()
    if data.has_classes:
        classes = data.targets()
        n_classes = int(classes.max(initial=-1)) + 1
    else:
        numbers = data.targets()
        cuts = EqualFrequency(bins).cuts(numbers, None, 0, weights)
        classes, n_classes = bin_of(cuts, numbers), len(cuts) + 1
    for a, kind in enumerate(instances.schema.kinds):
        column = np.asarray(instances.column(a))
        if isinstance(kind, (Text, Set)):
            column = _best_member(column, _members(kind, instances.values(a)), classes, n_classes, weights)
        if isinstance(kind, (Numeric, Text, Set)):
            known = ~np.isnan(column)
            column = bin_of(MDL().cuts(column[known], classes[known], n_classes, weights[known]), column)
        else:
            column = renumbered(np.where(np.isnan(column), -1, column).astype(np.int64))
        known = column >= 0
        codes, labels, times = column[known], classes[known], weights[known]
        values = np.bincount(codes, weights=times).astype(np.float64)
        _, pairs = np.unique(codes * n_classes + labels, return_inverse=True)
        of_labels, of_pairs = (np.bincount(each, weights=times).astype(np.float64) for each in (labels, pairs.ravel()))
        gain = entropy(of_labels) + entropy(values) - entropy(of_pairs)
        share = float(values.sum()) / float(weights.sum())
        # Rounding errors can make the gain positive for independent attributes.
        gain = share * gain if gain > _ROUNDING else 0.0
        yield gain, entropy(np.append(values, float(weights[~known].sum())))


def _members(kind: Text | Set, values: Sequence[Any]) -> list[Iterable[Any]]:
    """Return the members of each set, or the words of each text; the value None has no members or words."""
    if isinstance(kind, Set):
        return [() if value is None else value for value in values]
    return [() if value is None else set(_WORD.findall(value.lower())) for value in values]


def _best_member(
    codes: IntArray, members: list[Iterable[Any]], classes: IntArray, n_classes: int, weights: FloatArray
) -> FloatArray:
    """Return 1 for rows with the most informative member or word, 0 for other rows, and NaN for missing values."""
    places: dict[Any, int] = {}
    known, owner, member = codes >= 0, list[int](), list[int]()
    for code in dict.fromkeys(codes[known].tolist()):  # by first occurrence, since codes depend on removed rows
        for one in sorted(members[code], key=canonical):
            owner.append(code)
            member.append(places.setdefault(one, len(places)))
    has = sparse.csr_matrix((np.ones(len(owner)), (owner, member)), shape=(len(members), len(places)))
    rows = has[codes[known]]
    labeled = sparse.csr_matrix(
        (weights[known], (classes[known], np.arange(int(known.sum())))), shape=(n_classes, int(known.sum()))
    )
    with_it = np.asarray((labeled @ rows).todense())  # weight of each class with each member
    without = np.asarray(labeled.sum(axis=1)) - with_it
    found = np.where(known, 0.0, np.nan)
    if places:
        # The best member minimizes the weighted entropy of the classes in rows with it and rows without it.
        rest = sum(_log_sums(part) for part in (with_it, np.maximum(without, 0.0)))
        found[known] = rows[:, int(np.argmin(rest))].toarray()[:, 0]
    return found


def _log_sums(counts: FloatArray) -> FloatArray:
    """Return, for each column of counts, its entropy in nats multiplied by the sum of its counts."""
    totals = counts.sum(axis=0)
    return np.asarray(xlogy(totals, totals) - xlogy(counts, counts).sum(axis=0))


def entropy(weights: FloatArray) -> float:
    """Return the entropy, in bits, of a distribution proportional to the weights; 0 if all weights are 0."""
    total = float(weights.sum())
    return float(-xlogy(weights / total, weights / total).sum() / np.log(2.0)) if total > 0 else 0.0
