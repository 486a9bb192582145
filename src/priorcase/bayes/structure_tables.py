"""Which attributes depend on which: the posterior probabilities of edges and of super-parents, as tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from priorcase._typing import AnyArray, FloatArray, Name
from priorcase.bayes.posterior_table import PosteriorTable
from priorcase.learning.frames import Backend
from priorcase.learning.targets import objects

NAIVE = "(naive Bayes)"


@dataclass(frozen=True, eq=False, repr=False)
class EdgeTable(PosteriorTable[tuple[Name, Name]]):
    """How probable it is that two attributes are joined by an edge, by their labels in either order.

    Prints with the most probable first.

    Parameters
    ----------
    pairs
        The pairs of attributes, each in the order of the columns.
    probabilities
        The posterior probability of each pair's edge, over all trees.
    gains
        By how much the edge alone raises the log marginal likelihood of the rows above that of naive Bayes.
    backend
        The library whose frame the estimator was fitted on, or None.

    Examples
    --------
    >>> import numpy as np
    >>> table = EdgeTable((("age", "size"), ("age", "colour")), np.array([0.25, 0.9]), np.array([-1.5, 4.0]))
    >>> table
    attribute  other   probability   gain
    age        colour       0.9000  +4.00
    age        size         0.2500  -1.50
    >>> table["size", "age"]
    0.25
    """

    pairs: tuple[tuple[Name, Name], ...]
    probabilities: FloatArray
    gains: FloatArray
    backend: Backend | None = None
    _title: ClassVar[str] = "Probability that two attributes are joined"

    def __getitem__(self, pair: tuple[Name, Name]) -> float:
        turned = pair[::-1] if isinstance(pair, tuple) and pair[::-1] in self.pairs else pair
        return super().__getitem__(turned)

    def _things(self) -> tuple[tuple[Name, Name], ...]:
        return self.pairs

    def _columns(self) -> dict[str, AnyArray]:
        first, second = (objects([pair[end] for pair in self.pairs]) for end in (0, 1))
        return {"attribute": first, "other": second, "probability": self.probabilities, "gain": self.gains}


@dataclass(frozen=True, eq=False, repr=False)
class SuperParentTable(PosteriorTable[Name | None]):
    """How probable it is that all attributes depend on one, by its label; None stands for naive Bayes.

    Prints with the most probable first.

    Parameters
    ----------
    labels
        The attributes, in schema order.
    probabilities
        The posterior probability of each as the super-parent and, last, of naive Bayes.
    gains
        By how much each raises the log marginal likelihood of the rows above that of naive Bayes; 0 for itself.
    backend
        The library whose frame the estimator was fitted on, or None.

    Examples
    --------
    >>> import numpy as np
    >>> table = SuperParentTable(("age", "size"), np.array([0.25, 0.7, 0.05]), np.array([1.61, 2.64, 0.0]))
    >>> table
    super-parent   probability   gain
    size                0.7000  +2.64
    age                 0.2500  +1.61
    (naive Bayes)       0.0500  +0.00
    >>> table[None]
    0.05
    """

    labels: tuple[Name, ...]
    probabilities: FloatArray
    gains: FloatArray
    backend: Backend | None = None
    _title: ClassVar[str] = "Probability of each super-parent"

    def _things(self) -> tuple[Name | None, ...]:
        return (*self.labels, None)

    def _columns(self) -> dict[str, AnyArray]:
        names = objects([*self.labels, NAIVE])
        return {"super_parent": names, "probability": self.probabilities, "gain": self.gains}
