"""How much each retrieved case counts, by its similarity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, get_args

from priorcase._parameters import check_choice

Weights: TypeAlias = Literal["similarity", "uniform", "inverse_square"]
"""How weights come of similarities."""

# Similarities are sums of shares: one that should be 1 may lie this much below it.
_EXACT = 1e-12


def check_weights(value: object) -> None:
    """Refuse what names no weights."""
    hint = "'similarity' weighs a case by its similarity, 'uniform' all alike."
    if isinstance(value, Mapping):
        hint = "These weigh cases; weights of attributes go to retrieve, and what it found to reuse."
    check_choice("weights", value, get_args(Weights), hint=hint)


def weigh(similarities: Sequence[float], how: Weights) -> list[float]:
    """A weight from 0 to 1 for each case.

    ``"similarity"``: ``s``. ``"uniform"``: 1. ``"inverse_square"``: ``((1 - s*) / (1 - s))^2`` with ``s*`` the largest
    similarity, so that the most similar case counts 1; where some case is the query itself (``s = 1``), such cases
    count 1 and no others count, which is the limit.

    Examples
    --------
    >>> weigh([0.75, 0.5], "similarity"), weigh([0.75, 0.5], "inverse_square"), weigh([1.0, 0.5], "inverse_square")
    ([0.75, 0.5], [1.0, 0.25], [1.0, 0.0])
    """
    if how == "uniform":
        return [1.0] * len(similarities)
    if how == "similarity":
        return list(similarities)
    nearest = 1.0 - max(similarities)
    if nearest <= _EXACT:
        return [float(1.0 - s <= _EXACT) for s in similarities]
    return [(nearest / (1.0 - s)) ** 2 for s in similarities]


def effective(weights: Sequence[float]) -> float:
    """The effective number of cases, ``(sum w)^2 / sum w^2``: as many that all weigh the same are worth as much.

    Examples
    --------
    >>> effective([2.0, 2.0, 0.0]), effective([1.0, 1.0, 2.0])
    (2.0, 2.6666666666666665)
    """
    heaviest = max(weights)
    shares = [w / heaviest for w in weights]  # no overflow, whatever the scale
    return math.fsum(shares) ** 2 / math.fsum(share * share for share in shares)
