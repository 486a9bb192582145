"""Brier's score of an event taken apart: how honest, how telling, how uncertain from the start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray
from priorcase.learning.results import Grid, GridResult

__all__ = ["BrierParts"]

_WORDS = {
    "reliability": "+  how far observed shares are from the probabilities; 0 is honest",
    "resolution": "-  how far the bins' observed shares are from each other; greater tells more",
    "uncertainty": "+  what always predicting the overall share would score",
    "within": "+  what the bins hide; 0 where all probabilities of a bin are equal",
    "brier": "=  mean squared error of the probability",
}


@dataclass(frozen=True, repr=False)
class BrierParts(GridResult):
    """The parts of the mean squared error of one event's probability; prints as a table.

    With ``n_b`` of ``N`` rows in bin ``b``, mean probability ``p_b`` there, observed share ``o_b`` and overall share
    ``o``: ``reliability = sum n_b (p_b - o_b)^2 / N``, ``resolution = sum n_b (o_b - o)^2 / N``,
    ``uncertainty = o (1 - o)`` and ``brier = reliability - resolution + uncertainty + within`` (Murphy 1973, eq. 2,
    where each probability is a bin of its own and ``within`` is 0; the remainder of wider bins: Stephenson, Coelho &
    Jolliffe 2008).

    Parameters
    ----------
    brier
        The mean over the rows of ``(p - [came true])^2``, from 0 to 1.
    reliability, resolution, uncertainty, within
        Its parts.
    """

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float

    @classmethod
    def of(cls, brier: float, rows: FloatArray, probability: FloatArray, observed: FloatArray) -> BrierParts:
        """The parts from filled bins: their weights, mean probabilities and observed shares."""
        shares = rows / rows.sum()
        overall = float(np.dot(shares, observed))
        reliability = float(np.dot(shares, (probability - observed) ** 2))
        resolution = float(np.dot(shares, (observed - overall) ** 2))
        uncertainty = overall * (1.0 - overall)
        return cls(brier, reliability, resolution, uncertainty, brier - (reliability - resolution + uncertainty))

    def _grid(self) -> Grid:
        lines = [[name, f"{getattr(self, name) + 0.0:.4f}", words] for name, words in _WORDS.items()]
        return Grid("", ("part", "value", "meaning"), lines, right={1})
