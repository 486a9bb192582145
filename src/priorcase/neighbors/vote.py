"""How much a neighbour's word counts at its distance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, cast

import numpy as np

from priorcase._typing import AnyArray, BoolArray, FloatArray
from priorcase.exceptions import ParameterError
from priorcase.neighbors.voters import SLACK, Voters
from priorcase.similarity.kernels import KERNELS, Kernel, resolve_kernel

# Votes are rescaled outside this range so that sums of them neither overflow nor lose their digits.
_LARGE = 1e100


class Vote(Protocol):
    """A rule that turns distances into votes.

    ``needs_bandwidth`` says whether ``weigh`` reads ``voters.bandwidths``.
    """

    @property
    def needs_bandwidth(self) -> bool: ...

    def weigh(self, voters: Voters) -> FloatArray:
        """The vote of each entry, not yet multiplied by how many times the entry counts."""
        ...


@dataclass(frozen=True)
class UniformVote:
    """Every voter counts the same.

    Examples
    --------
    >>> import numpy as np
    >>> UniformVote().weigh(Voters(np.array([0, 2]), np.array([7, 3]), np.array([0.1, 0.4])))
    array([1., 1.])
    """

    needs_bandwidth: ClassVar[bool] = False

    def weigh(self, voters: Voters) -> FloatArray:
        return np.ones(voters.rows.size)


@dataclass(frozen=True)
class InverseSquare:
    """``1 / d^2``; rows that equal the query decide alone (Mitchell 1997, eqs. 8.3 and 8.4).

    Several exact matches count equally: their majority or their mean. Votes are given relative to the nearest
    voter's, which has vote one: only ratios matter, and ``1 / d^2`` itself would overflow for small distances.

    Examples
    --------
    >>> import numpy as np
    >>> InverseSquare().weigh(Voters(np.array([0, 2, 4]), np.array([7, 3, 7, 3]), np.array([0.5, 1.0, 0.0, 1.0])))
    array([1.  , 0.25, 1.  , 0.  ])
    """

    needs_bandwidth: ClassVar[bool] = False

    def weigh(self, voters: Voters) -> FloatArray:
        nearest = np.minimum.reduceat(voters.distances, voters.indptr[:-1])[voters.queries()]
        with np.errstate(invalid="ignore"):
            ratio = nearest / voters.distances
        # 0/0 and inf/inf: the voter is as near as the nearest.
        ratio[voters.distances == nearest] = 1.0
        return np.asarray(ratio * ratio)


@dataclass(frozen=True)
class KernelVote:
    """``K(d / h)`` with a fixed ``bandwidth`` h; without one, h is the distance of the (k+1)-th nearest row.

    That is the first row that does not vote. Where ``h`` is 0 or every vote would be 0 the voters count equally; where
    K is infinite (``1 / u^p`` at an exact match) those voters decide alone. A row that shares nothing with the query
    (infinite distance) has no say unless that holds for all voters.

    Examples
    --------
    >>> import numpy as np
    >>> voters = Voters(np.array([0, 2]), np.array([7, 3]), np.array([0.0, 1.0]))
    >>> KernelVote(resolve_kernel("triangular"), bandwidth=4.0).weigh(voters)
    array([1.  , 0.75])
    """

    kernel: Kernel
    bandwidth: float | None = None

    @property
    def needs_bandwidth(self) -> bool:
        """Whether each query has a bandwidth of its own."""
        return self.bandwidth is None

    def weigh(self, voters: Voters) -> FloatArray:
        distances = voters.distances
        fixed = None if self.bandwidth is None else np.full(len(voters), self.bandwidth)
        bandwidths = _finite_bandwidths(voters) if fixed is None else fixed
        scaled: slice | BoolArray = slice(None)
        if not (bandwidths > 0).all():
            scaled = (bandwidths > 0)[voters.queries()]
        votes = np.ones(distances.size)
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            votes[scaled] = self.kernel(distances[scaled] / np.repeat(bandwidths, np.diff(voters.indptr))[scaled])
        votes[np.isinf(distances)] = 0.0
        return settled(votes, voters)


@dataclass(frozen=True)
class FunctionVote:
    """Votes from a function of one query's distances.

    The function is called once for each query with the distances of its voters, nearest first (in id order when all
    rows vote), and returns as many finite, non-negative numbers. Where all are 0 the voters count equally.

    Examples
    --------
    >>> import numpy as np
    >>> voters = Voters(np.array([0, 2]), np.array([7, 3]), np.array([0.0, 1.0]))
    >>> FunctionVote(lambda d: 1 / (1 + d)).weigh(voters)
    array([1. , 0.5])
    """

    function: Callable[[FloatArray], FloatArray]
    needs_bandwidth: ClassVar[bool] = False

    def weigh(self, voters: Voters) -> FloatArray:
        votes = np.empty(voters.distances.size)
        for start, stop in zip(voters.indptr[:-1].tolist(), voters.indptr[1:].tolist(), strict=True):
            votes[start:stop] = self._call(voters.distances[start:stop])
        return settled(votes, voters)

    def _call(self, distances: FloatArray) -> FloatArray:
        votes = np.asarray(self.function(distances.copy()))
        if problem := _problem(votes, distances.shape):
            raise ParameterError.vote(self.function, problem)
        return votes.astype(np.float64)


def settled(votes: FloatArray, voters: Voters) -> FloatArray:
    """Votes whose sums are positive and finite for every query.

    Infinite votes decide alone and equally; votes that are all 0 become equal; very large or very small ones are
    rescaled, which changes no ratio.
    """
    largest = np.maximum.reduceat(votes, voters.indptr[:-1])
    odd = (largest > _LARGE) | (largest < 1 / _LARGE)
    for query in np.flatnonzero(odd).tolist():
        part = slice(voters.indptr[query], voters.indptr[query + 1])
        if np.isinf(largest[query]):
            votes[part] = np.isinf(votes[part])
        elif largest[query] == 0:
            votes[part] = 1.0
        else:
            votes[part] /= largest[query]
    return votes


def resolve(vote: object, bandwidth: float | None = None) -> Vote:
    """The rule behind a name, a kernel or a function; a bandwidth goes with kernels only.

    Examples
    --------
    >>> resolve("inverse_square")
    InverseSquare()
    >>> resolve("tricube", 2.0)
    KernelVote(kernel=Tricube(), bandwidth=2.0)
    """
    rule = _rule(vote)
    if bandwidth is None:
        return rule
    if not isinstance(rule, KernelVote):
        expected, hint = f"None, since vote={vote!r} is no kernel", "vote='gaussian' falls with the bandwidth."
        raise ParameterError.wrong("bandwidth", bandwidth, expected=expected, hint=hint)
    return KernelVote(rule.kernel, bandwidth)


def _rule(vote: object) -> Vote:
    if isinstance(vote, str):
        if vote in ("uniform", "inverse_square"):
            return UniformVote() if vote == "uniform" else InverseSquare()
        if vote in KERNELS:
            return KernelVote(resolve_kernel(vote))
    elif isinstance(vote, (UniformVote, InverseSquare, KernelVote, FunctionVote)):
        return vote
    elif callable(vote) and not isinstance(vote, type):
        return KernelVote(cast(Kernel, vote)) if hasattr(vote, "compact") else FunctionVote(vote)
    names = ("uniform", "inverse_square", *(name for name in KERNELS if name != "uniform"))
    expected = f"one of {', '.join(map(repr, names))}, a kernel or a function of distances"
    hint = "'uniform' counts neighbours; 'inverse_square' lets nearer ones count more."
    raise ParameterError.wrong("vote", vote, expected=expected, hint=hint, names=names)


def _finite_bandwidths(voters: Voters) -> FloatArray:
    """The bandwidths, infinite ones replaced by a little more than the largest finite distance of a voter."""
    bandwidths = voters.bandwidths if voters.bandwidths is not None else np.zeros(len(voters))
    if np.isfinite(bandwidths).all():
        return bandwidths
    finite = np.where(np.isinf(voters.distances), 0.0, voters.distances)
    return np.where(np.isinf(bandwidths), np.maximum.reduceat(finite, voters.indptr[:-1]) * (1 + SLACK), bandwidths)


def _problem(votes: AnyArray, shape: tuple[int, ...]) -> str:
    """What is wrong with the votes of a user's function; empty when nothing is."""
    if votes.shape != shape:
        return f"an array of shape {votes.shape} for distances of shape {shape}"
    if votes.dtype.kind not in "buif":
        return f"values of type {votes.dtype}"
    if not np.isfinite(votes).all():
        return "a vote that is not finite"
    if (votes < 0).any():
        return "a negative vote"
    return ""
