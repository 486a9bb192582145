"""Local models: queries that no row is near enough to, and fits that did not come to rest."""

from typing import Self

from priorcase.exceptions.base import compose, listed


class FarQueryWarning(UserWarning):
    """Some queries had no row within the bandwidth, or no centre of a network near them.

    Their predictions come from the nearest rows, or from the network's intercept.

    Attributes
    ----------
    queries
        The positions of these queries.
    """

    queries: tuple[int, ...] = ()

    @classmethod
    def network(cls, queries: tuple[int, ...], n: int) -> Self:
        """Queries so far from all centres that a network has nothing but its intercept to say."""
        problem = f"no centre answers {_which(queries)} of {n}; the intercept alone stands there."
        warning = cls(compose(problem, hint="take a larger width, or a local model: the nearest rows answer there."))
        warning.queries = queries
        return warning


class UnsettledFitWarning(UserWarning):
    """Some iterative fits did not converge.

    Attributes
    ----------
    queries
        The positions of the queries whose fits they are.
    """

    queries: tuple[int, ...] = ()


def _which(queries: tuple[int, ...]) -> str:
    return f"{'query' if len(queries) == 1 else 'queries'} {listed(queries)}"
