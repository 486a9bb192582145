"""Answers as short texts, the same on every surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from priorcase.learning.texts import value_text

if TYPE_CHECKING:
    from priorcase.neighbors.precedents import Precedents

_CLASSES = 4


def item(values: Any, i: int) -> Any:
    """The prediction or target of one row; a tuple when there are several targets."""
    return values[i] if values.ndim == 1 else tuple(values[i].tolist())


def answer_text(one: Precedents, width: int) -> tuple[str, str]:
    """The prediction of a single query, and the probabilities of the likeliest classes (empty without any)."""
    answer = value_text(item(one.predictions, 0), width)
    if one.probabilities is None or one.classes is None:
        return answer, ""
    shares = one.probabilities[0]
    likely = [c for c in np.argsort(-shares, kind="stable")[:_CLASSES].tolist() if shares[c] > 0]
    more = ", ..." if np.count_nonzero(shares) > len(likely) else ""
    listed = ", ".join(f"{value_text(one.classes[c], width)} {shares[c]:.2f}" for c in likely)
    return answer, f"  ({listed}{more})"
