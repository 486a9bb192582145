"""Options of one learner that do not go together."""

from __future__ import annotations

from collections.abc import Collection

from priorcase.cli.learners import ByConcepts, ByLocal, ByNaiveBayes, ByNeighbors, ByRbf, Learner

__all__ = ["clash"]


def clash(asked: Learner, given: Collection[str]) -> str | None:
    """What is wrong about the options of a learner beside each other; None where nothing is.

    Parameters
    ----------
    asked
        The learner with all its options.
    given
        Those that were given.

    Examples
    --------
    >>> clash(ByRbf(centers="all", seed=1), ["centers", "seed"])
    '--seed has no effect with --centers all, which leaves nothing to chance.'
    """
    if isinstance(asked, ByNeighbors) and asked.tune:
        for option in ("neighbors", "distance", "vote", "prior"):
            if option in given:
                return f"--{option} has no effect with --tune, which chooses it."
    if isinstance(asked, ByNeighbors) and asked.seed is not None and not asked.tune:
        return "--seed has no effect with --learner neighbors, unless with --tune."
    if isinstance(asked, ByNaiveBayes):
        return _naive_bayes(asked)
    if isinstance(asked, ByConcepts) and asked.seed is not None and not asked.is_random:
        return f"--seed has no effect with --learner {asked.name}, unless with --shuffle or --ties random."
    if isinstance(asked, ByLocal):
        return _local(asked)
    return _rbf(asked) if isinstance(asked, ByRbf) else None


def _naive_bayes(asked: ByNaiveBayes) -> str | None:
    if asked.predictive == "map" and asked.prior == "laplace":
        return "--prior laplace does not give the Laplace estimate with --predictive map; --prior 2 does."
    if asked.predictive == "sc" and asked.prior is not None:
        return "--prior has no effect with --predictive sc, which knows no prior."
    return None


def _local(asked: ByLocal) -> str | None:
    if asked.bandwidth == "query" and asked.neighbors is not None:
        return "--neighbors has no effect with --bandwidth query, which chooses a number for each new case."
    if asked.bandwidth == "loo" and asked.neighbors == "loo":
        return "--neighbors loo does not go with --bandwidth loo; leave one of them out."
    return None


def _rbf(asked: ByRbf) -> str | None:
    if asked.centers == "all" and asked.centers_by is not None:
        return "--centers-by has no effect with --centers all, which are where the past cases are."
    if asked.centers == "all" and asked.seed is not None:
        return "--seed has no effect with --centers all, which leaves nothing to chance."
    if asked.width == "em" and asked.centers_by != "em":
        return "--width em goes with --centers-by em only, whose bumps are as wide as what they stand for."
    return None
