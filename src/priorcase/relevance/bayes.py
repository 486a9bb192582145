"""Weights from counts: how probable it is that an attribute depends on the class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from priorcase._typing import FloatArray
from priorcase.bayes.subset_evidence import RelevanceWeights
from priorcase.relevance.evidence import Evidence


@dataclass(frozen=True)
class Bayes:
    """The probability that an attribute depends on the class, averaged over all sets of attributes.

    It is the ``relevance_`` of a `SubsetAveragedBayes` with its default parameters; one attribute is looked at after
    the other, so that two which tell the class only together both weigh little. For classes only.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 5, ["no", "no", "yes", "yes"] * 5
    >>> pc.KNNClassifier(1, attribute_weights=Bayes()).fit(X, y).attribute_weights_.round(2)
    array([1.  , 0.34])
    """

    method: ClassVar[str] = "bayes"
    takes_numbers: ClassVar[bool] = False

    def learn(self, evidence: Evidence) -> FloatArray:
        """The probability of each attribute.

        Estimators keep counts that follow their rows instead, which gives the same.
        """
        return RelevanceWeights(evidence.instances, owner=evidence.owner, threads=evidence.threads).weights
