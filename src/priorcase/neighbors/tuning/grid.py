"""What is scored from one search: numbers of neighbours, votes, priors and temperatures, each with each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase.neighbors.vote import InverseSquare, KernelVote, UniformVote, Vote
from priorcase.similarity import kernels

_KERNELS: dict[type, int] = {
    kernels.Triangular: 2,
    kernels.Epanechnikov: 3,
    kernels.Biweight: 4,
    kernels.Tricube: 5,
    kernels.Uniform: 6,
    kernels.Gaussian: 7,
    kernels.Exponential: 8,
    kernels.InversePower: 9,
}


@dataclass(frozen=True)
class VoteChoice:
    """A vote and its bandwidth as a user names them, and the rule they stand for."""

    vote: Any
    bandwidth: float | None
    rule: Vote

    @property
    def core(self) -> tuple[int, float, float] | None:
        """The core's number of the vote, its parameter and its bandwidth (0: the neighbours'); None if unknown to it.

        Examples
        --------
        >>> VoteChoice("tricube", None, KernelVote(kernels.Tricube())).core
        (5, 1.0, 0.0)
        """
        if isinstance(self.rule, (UniformVote, InverseSquare)):
            return int(isinstance(self.rule, InverseSquare)), 1.0, 0.0
        if not isinstance(self.rule, KernelVote) or type(self.rule.kernel) not in _KERNELS:
            return None
        kernel = self.rule.kernel
        parameter = getattr(kernel, "width", getattr(kernel, "p", 1.0))
        return _KERNELS[type(kernel)], float(parameter), self.rule.bandwidth or 0.0


@dataclass(frozen=True)
class Grid:
    """Candidates that share a distance and attribute weights.

    Parameters
    ----------
    n_neighbors
        Numbers of neighbours, ascending.
    votes, priors, temperatures
        The choices; one prior and one temperature where targets are numbers.
    """

    n_neighbors: tuple[int, ...]
    votes: tuple[VoteChoice, ...]
    priors: tuple[Any, ...] = (None,)
    temperatures: tuple[float, ...] = (1.0,)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """How many votes, numbers of neighbours, priors and temperatures there are."""
        return len(self.votes), len(self.n_neighbors), len(self.priors), len(self.temperatures)

    def __len__(self) -> int:
        return int(np.prod(self.shape))

    def parameters(self, candidate: int, *, classes: bool) -> dict[str, Any]:
        """The parameters of one candidate; those of classes only where there are classes."""
        v, k, p, m = (int(i) for i in np.unravel_index(candidate, self.shape))
        choice = self.votes[v]
        chosen = {"n_neighbors": self.n_neighbors[k], "vote": choice.vote, "bandwidth": choice.bandwidth}
        return chosen | {"prior": self.priors[p], "temperature": self.temperatures[m]} if classes else chosen

    def only(self, candidate: int) -> Grid:
        """The grid of one candidate alone."""
        v, k, p, m = (int(i) for i in np.unravel_index(candidate, self.shape))
        return Grid((self.n_neighbors[k],), (self.votes[v],), (self.priors[p],), (self.temperatures[m],))

    def up_to(self, most: int) -> Grid:
        """The candidates of at most so many neighbours."""
        return Grid(tuple(k for k in self.n_neighbors if k <= most), self.votes, self.priors, self.temperatures)
