"""Mutual information of an attribute and the class."""

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
class MutualInformation:
    """How many bits each attribute says about the class: ``I(A; C) = H(C) - H(C | A)``.

    It is counted in the rows where the attribute is known, and taken times their share; numbers are cut into intervals
    by minimum description length (Fayyad & Irani 1993), so that a number which says nothing weighs 0. On nominal
    columns this is the information gain of TiMBL. Columns of very many values look better than they are, for which
    `GainRatio` makes up. Attributes are looked at one by one: two that tell the class only together weigh little.

    Parameters
    ----------
    bins
        Intervals of equally many rows into which a target that is a number is cut.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [["sun", "hot"], ["sun", "mild"], ["rain", "hot"], ["rain", "mild"]]
    >>> model = pc.KNNClassifier(1, attribute_weights=MutualInformation()).fit(X, ["no", "no", "yes", "no"])
    >>> model.attribute_weights_.round(4)
    array([0.3113, 0.3113])
    """

    bins: int = 5

    method: ClassVar[str] = "mutual_information"
    takes_numbers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_value("bins", self.bins, [BINS])
        settle(self, bins=int(self.bins))

    def learn(self, evidence: Evidence) -> FloatArray:
        """The mutual information of each attribute and the class."""
        symbols = Symbols.of(evidence, self.bins)
        return np.array([Information.of(symbols, a).gain for a in range(evidence.width)])
