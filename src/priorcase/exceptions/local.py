"""Local models: queries that no row is near enough to, and fits that did not come to rest."""

from typing import Self

from priorcase.exceptions.base import compose, listed


class FarQueryWarning(UserWarning):
    """Some queries had no row within the bandwidth, or no centre of a network near them.

    The rows nearest to each of them answered, or the network's intercept.

    Attributes
    ----------
    queries
        The positions of these queries.
    """

    queries: tuple[int, ...] = ()

    @classmethod
    def of(cls, queries: tuple[int, ...], n: int) -> Self:
        """Queries so far from everything that no stored row has weight."""
        problem = (
            f"no stored row has weight at {_which(queries)} of {n}; the mean of the nearest rows answers "
            "there, with an infinite standard deviation."
        )
        warning = cls(compose(problem, hint="take a larger bandwidth, or n_neighbors, which reaches every query."))
        warning.queries = queries
        return warning

    @classmethod
    def classes(cls, queries: tuple[int, ...], n: int) -> Self:
        """The same where classes are predicted."""
        which = f"{_which(queries)} of {n}"
        problem = f"no stored row has weight at {which}; the classes of the nearest rows answer there."
        warning = cls(compose(problem, hint="take a larger bandwidth, or n_neighbors, which reaches every query."))
        warning.queries = queries
        return warning

    @classmethod
    def network(cls, queries: tuple[int, ...], n: int) -> Self:
        """Queries so far from all centres that a network has nothing but its intercept to say."""
        problem = f"no centre answers {_which(queries)} of {n}; the intercept alone stands there."
        warning = cls(compose(problem, hint="take a larger width, or a local model: the nearest rows answer there."))
        warning.queries = queries
        return warning


class UnsettledFitWarning(UserWarning):
    """Some fits that go step by step were stopped before they came to rest.

    Attributes
    ----------
    queries
        The positions of the queries whose fits they are.
    """

    queries: tuple[int, ...] = ()

    @classmethod
    def of(cls, queries: tuple[int, ...], steps: int) -> Self:
        """Fits that still moved by more than ``tol`` at the last step."""
        problem = f"the fits at {_which(queries)} did not come to rest within max_steps={steps}."
        warning = cls(compose(problem, hint="raise max_steps or tol, or take solver='direct', which needs no steps."))
        warning.queries = queries
        return warning

    @classmethod
    def logistic(cls, queries: tuple[int, ...], steps: int) -> Self:
        """Logistic fits that had not reached their minimum at the last of Newton's steps."""
        problem = f"the logistic fits at {_which(queries)} did not settle within max_iter={steps} steps."
        warning = cls(compose(problem, hint="raise max_iter of LocalLogistic, or its ridge."))
        warning.queries = queries
        return warning


def _which(queries: tuple[int, ...]) -> str:
    return f"{'query' if len(queries) == 1 else 'queries'} {listed(queries)}"
