"""Local models: queries that no row is near enough to, and fits that did not come to rest."""


class FarQueryWarning(UserWarning):
    """Some queries had no row within the bandwidth, or no centre of a network near them.

    Their predictions come from the nearest rows, or from the network's intercept.

    Attributes
    ----------
    queries
        The positions of these queries.
    """

    queries: tuple[int, ...] = ()


class UnsettledFitWarning(UserWarning):
    """Some iterative fits did not converge.

    Attributes
    ----------
    queries
        The positions of the queries whose fits they are.
    """

    queries: tuple[int, ...] = ()
