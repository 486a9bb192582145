"""Where EM starts: rows far apart, and each other row with the nearest of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from priorcase._typing import FloatArray
from priorcase.bayes.mixture.cells import Cells
from priorcase.bayes.mixture.statistics import Statistics, assigned


def seeded(cells: Cells, sizes: Sequence[int], components: int, rng: np.random.Generator) -> Statistics:
    """Rows shared out among ``components`` of them, drawn one after the other.

    The first is drawn from all rows, each next one with a probability that grows with its difference from the nearest
    of those drawn before (k-means++, Arthur & Vassilvitskii 2007).
    """
    owners = np.zeros(len(cells), np.int64)
    nearest = np.full(len(cells), np.inf)
    chances = cells.weights
    for component in range(components):
        if component and (cells.weights * nearest).any():
            chances = cells.weights * nearest
        bounds = np.cumsum(chances)
        row = min(int(np.searchsorted(bounds, rng.random() * bounds[-1], side="right")), len(cells) - 1)
        far = _differences(cells, sizes, row)
        closer = far < nearest
        owners[closer] = component
        np.minimum(nearest, far, out=nearest)
    return assigned(cells, sizes, components, owners)


def _differences(cells: Cells, sizes: Sequence[int], row: int) -> FloatArray:
    """How much all rows differ from one: the mean over the attributes known in both.

    Half the squared difference in standard units for numbers, which is 1 on average; 1 for different values. Rows
    without a known attribute in common differ by 1.
    """
    total, shared = np.zeros(len(cells)), np.zeros(len(cells))
    for numbers, known in zip(cells.numbers, cells.known, strict=True):
        both = np.ones(len(cells)) if known is None else known * known[row]
        # Gaps and far outliers alike must not reach infinity.
        total += np.minimum(0.5 * np.square(numbers - numbers[row]), 1e200) * both
        shared += both
    for codes, size in zip(cells.codes, sizes, strict=True):
        if codes[row] != size:
            both = (codes != size).astype(np.float64)
            total += (codes != codes[row]) * both
            shared += both
    return np.divide(total, shared, out=np.ones(len(cells)), where=shared > 0)
