"""Ways to learn attribute weights from rows: what they have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from priorcase._typing import FloatArray, IdArray
from priorcase.relevance.evidence import Evidence

# Weights below this share of the largest would leave distances that are nothing but rounding.
LEAST_WEIGHT = 1e-12


@runtime_checkable
class Weighing(Protocol):
    """A way to learn how much each attribute matters; a value that holds nothing but its options."""

    method: ClassVar[str]
    """The name under which estimators know it, with its default options."""
    takes_numbers: ClassVar[bool]
    """Whether the target may be a number; a class otherwise."""

    def learn(self, evidence: Evidence) -> FloatArray:
        """One number for each attribute: the more, the more it matters; at most 0 where it does not."""
        ...


@runtime_checkable
class LocalWeighing(Weighing, Protocol):
    """A way to learn that can give every query weights of its own."""

    local: bool
    """Whether it does."""

    def around(
        self, evidence: Evidence, weights: FloatArray, cells: FloatArray, own: IdArray | None, *, threads: int
    ) -> FloatArray:
        """Weights of each query, shape (queries, attributes); positive where the global ones are, and 0 elsewhere.

        Parameters
        ----------
        evidence
            The rows.
        weights
            The weights for all queries, as `usable` gives them.
        cells
            The queries.
        own
            The id of the row that each query is a copy of, one repetition of which takes no part; None for none.
        threads
            How many threads share the queries.
        """
        ...


@dataclass(frozen=True, slots=True)
class Learned:
    """Weights to be learned from the rows that are stored when they are asked for.

    Parameters
    ----------
    weighing
        How to learn them.
    threads
        How many threads share the work.
    """

    weighing: Weighing
    threads: int = 1

    def of(self, evidence: Evidence) -> FloatArray:
        """One weight for each attribute, by the rows stored now; read-only."""
        weights = together([self.weighing.learn(of) for of in evidence.of_each_target()] if len(evidence) else [])
        weights = usable(weights) if weights.size else np.ones(evidence.width)
        weights.flags.writeable = False  # kept, and looked at by all
        return weights

    @property
    def local(self) -> LocalWeighing | None:
        """The way to learn weights for each query by itself; None where all queries share theirs."""
        weighing = self.weighing
        return weighing if isinstance(weighing, LocalWeighing) and weighing.local else None


def together(scores: list[FloatArray]) -> FloatArray:
    """The scores of one target as they are; of several the mean, each in parts of its largest.

    Examples
    --------
    >>> together([np.array([0.5, 0.25]), np.array([-1.0, 8.0])])
    array([0.5 , 0.75])
    """
    if len(scores) <= 1:
        return scores[0] if scores else np.empty(0)
    kept = [np.maximum(each, 0.0) for each in scores]
    return np.asarray(np.mean([each / (float(each.max(initial=0.0)) or 1.0) for each in kept], axis=0))


def usable(scores: FloatArray) -> FloatArray:
    """Weights from scores: 0 where a score is negative or next to nothing; all 1 where no weight is left.

    Examples
    --------
    >>> usable(np.array([0.5, -0.1, 1e-20]))
    array([0.5, 0. , 0. ])
    >>> usable(np.array([-0.2, 0.0]))
    array([1., 1.])
    """
    largest = float(scores.max(initial=0.0))
    kept = np.where(scores > LEAST_WEIGHT * largest, scores, 0.0)
    return kept if kept.any() else np.ones(kept.size)
