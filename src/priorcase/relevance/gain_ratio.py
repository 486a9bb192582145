"""Gain ratio: the information that an attribute gives about the class, by what it takes to say its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from priorcase._parameters import check_value
from priorcase._typing import FloatArray
from priorcase.bayes.discretise import BINS
from priorcase.relevance.evidence import Evidence
from priorcase.relevance.symbols import Information, Symbols
from priorcase.similarity.checks import settle


@dataclass(frozen=True)
class GainRatio:
    """The gain ratio of each attribute: ``I(A; C) / H(A)``, 0 where the attribute has one value only.

    I is the mutual information of attribute and class in the rows where the attribute is known, times the share of
    these rows; H is the entropy of the attribute, where "missing" is one more value (Quinlan 1993, sections 2.2 and
    3.3). Numbers are cut into intervals by minimum description length (Fayyad & Irani 1993), so that a number which
    says nothing about the class weighs 0. On nominal columns these are the weights of TiMBL. Attributes are looked at
    one by one: two that tell the class only together weigh little.

    Parameters
    ----------
    bins
        Intervals of equally many rows into which a target that is a number is cut.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [["sun", "hot"], ["sun", "mild"], ["rain", "hot"], ["rain", "mild"]]
    >>> pc.KNNClassifier(1, attribute_weights=GainRatio()).fit(X, ["no", "no", "yes", "yes"]).attribute_weights_
    array([1., 0.])
    """

    bins: int = 5

    method: ClassVar[str] = "gain_ratio"
    takes_numbers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_value("bins", self.bins, [BINS])
        settle(self, bins=int(self.bins))

    def learn(self, evidence: Evidence) -> FloatArray:
        """The gain ratio of each attribute."""
        symbols = Symbols.of(evidence, self.bins)
        found = [Information.of(symbols, a) for a in range(evidence.width)]
        return np.array([each.gain / each.split if each.split > 0 else 0.0 for each in found])
