"""The rows in one random sequence, and what each attribute subset has lost on the first of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.selection.left_out import LeftOut, Subset


class Trials:
    """Losses along the sequence. No loss is computed twice, and each that is computed is counted.

    Parameters
    ----------
    left_out
        The rows.
    order
        Their sequence.

    Attributes
    ----------
    n_evaluations
        How many losses were computed: one left-out row predicted by one subset is one.
    n_subsets
        How many different subsets were tried on some row.
    """

    def __init__(self, left_out: LeftOut, order: IntArray) -> None:
        self.left_out = left_out
        self.order = order
        self.n_evaluations = 0
        self.n_subsets = 0
        self._known: dict[Subset, FloatArray] = {}

    def __len__(self) -> int:
        return self.order.size

    def losses(self, subsets: Sequence[Subset], n: int) -> FloatArray:
        """Losses of some subsets on the first ``n`` rows of the sequence, shape (subsets, n)."""
        self.n_subsets += sum(subset not in self._known for subset in subsets)
        by_length: dict[int, list[Subset]] = {}
        for subset in subsets:
            by_length.setdefault(self._known.get(subset, _NOTHING).size, []).append(subset)
        for known, group in by_length.items():
            if known < n:
                fresh = self.left_out.losses(self.order[known:n], group)
                self.n_evaluations += fresh.size
                for subset, more in zip(group, fresh, strict=True):
                    self._known[subset] = np.concatenate((self._known.get(subset, _NOTHING), more))
        return np.stack([self._known[subset][:n] for subset in subsets])

    def seen(self, subset: Subset) -> int:
        """On how many rows a subset was tried."""
        return self._known[subset].size

    def forget_all_but(self, subsets: Collection[Subset]) -> None:
        """Keep the losses of some subsets alone: the others are not met again."""
        self._known = {subset: losses for subset, losses in self._known.items() if subset in subsets}


_NOTHING = np.empty(0)
