"""The posterior probability that each attribute matters, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from priorcase._typing import AnyArray, FloatArray, Name
from priorcase.bayes.posterior_table import PosteriorTable
from priorcase.learning.frames import Backend
from priorcase.learning.targets import objects


@dataclass(frozen=True, eq=False, repr=False)
class Relevance(PosteriorTable[Name]):
    """How probable it is that each attribute matters, by its label; prints with the most probable first.

    Parameters
    ----------
    labels
        The attributes, in schema order.
    probabilities, log_odds
        The posterior probability of each, and its log-odds, which still tell apart what rounds to 0 and 1.
    backend
        The library whose frame the estimator was fitted on, or None.

    Examples
    --------
    >>> import numpy as np
    >>> Relevance(("age", "size"), np.array([0.25, 0.9]), np.array([-1.0986, 2.1972]))
    attribute  matters  log-odds
    size        0.9000     +2.20
    age         0.2500     -1.10
    """

    labels: tuple[Name, ...]
    probabilities: FloatArray
    log_odds: FloatArray
    backend: Backend | None = None
    _title: ClassVar[str] = "Probability that each attribute matters"

    def _things(self) -> tuple[Name, ...]:
        return self.labels

    def _columns(self) -> dict[str, AnyArray]:
        return {"attribute": objects(list(self.labels)), "matters": self.probabilities, "log_odds": self.log_odds}
