"""The posterior probability that each attribute matters, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from priorcase.evaluation.printing import aligned, as_html
from priorcase.typing import FloatArray, Name

_HEADER = ("attribute", "matters", "log-odds")


@dataclass(frozen=True, eq=False, repr=False)
class Relevance(Mapping[Name, float]):
    """How probable it is that each attribute matters, by its label; prints with the most probable first.

    Parameters
    ----------
    labels
        The attributes, in schema order.
    probabilities, log_odds
        The posterior probability of each, and its log-odds, which still tell apart what rounds to 0 and 1.

    Examples
    --------
    >>> Relevance(("age", "size"), np.array([0.25, 0.9]), np.array([-1.0986, 2.1972]))
    attribute  matters  log-odds
    size        0.9000     +2.20
    age         0.2500     -1.10
    """

    labels: tuple[Name, ...]
    probabilities: FloatArray
    log_odds: FloatArray

    def __getitem__(self, label: Name) -> float:
        try:
            return float(self.probabilities[self.labels.index(label)])
        except ValueError:
            raise KeyError(label) from None

    def __iter__(self) -> Iterator[Name]:
        return iter(self.labels)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return aligned(_HEADER, self._lines(), indent="")

    def _repr_html_(self) -> str:
        return as_html("Probability that each attribute matters", _HEADER, self._lines())

    def _lines(self) -> list[tuple[str, str, str]]:
        order = np.argsort(-self.log_odds, kind="stable").tolist()
        return [(str(self.labels[a]), f"{self.probabilities[a]:.4f}", f"{self.log_odds[a]:+.2f}") for a in order]
