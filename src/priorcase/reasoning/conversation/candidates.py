"""Candidates: how much each case still counts after what was said."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from priorcase.reasoning.conversation.mentions import Mentions
from priorcase.reasoning.conversation.step import Step, in_force
from priorcase.reasoning.kinds import Taxonomy, days
from priorcase.reasoning.retain.likeness import Likeness
from priorcase.typing import BoolArray, FloatArray

# Products of the same factors in another order differ by less.
_ROUNDING = 1e-9


class Candidates:
    """How much each case counts: ``degree * product_a max(floor, s_a)^(w_a / mean w)``, over what was said.

    ``s_a`` is the similarity of the case's value to the value that was told, in parts of the largest there is; or 1 and
    0 where a yes or no was told: whether it holds of the case. A case that does not know the attribute gets the mean
    factor of those that know it. So no answer rules a case out for good; but only cases *remain* that are less than one
    full contradiction behind the best: those that count more than ``floor`` times as much as it.

    Parameters
    ----------
    likeness
        The cases and how values are compared.
    degrees
        How well the solution of each worked; 0 for cases that cannot speak.
    floor
        What is left of a case after a full contradiction, above 0.
    """

    def __init__(self, likeness: Likeness, degrees: FloatArray, floor: float) -> None:
        self.likeness, self.degrees, self.floor = likeness, degrees, floor
        self._mentions: dict[str, Mentions] = {}

    def weights(self, steps: tuple[Step, ...]) -> FloatArray:
        """How much each case counts; steps in any order give the same, to the last bit."""
        found = self.degrees.copy()
        order = list(self.likeness.attributes)
        said = [step for step in in_force(steps) if step.kind != "skipped"]
        for step in sorted(said, key=lambda step: (order.index(step.attribute), str(step.value), step.yes)):
            if self.likeness.columns[step.attribute].values:
                found *= self._factor(step)
        return found

    def remaining(self, weights: FloatArray) -> FloatArray:
        """The same, 0 for cases that do not remain."""
        most = float(weights.max())
        return np.where(weights > self.floor * most * (1.0 + _ROUNDING), weights, 0.0)

    def mentions(self, name: str) -> Mentions:
        """The words or members of an attribute."""
        if name not in self._mentions:
            self._mentions[name] = Mentions.of(self.likeness.columns[name])
        return self._mentions[name]

    @cached_property
    def powers(self) -> dict[str, float]:
        """The weight of each attribute over their mean."""
        weights = self.likeness.weights
        mean = sum(weights.values()) / len(weights)
        return {name: weight / mean for name, weight in weights.items()}

    def _factor(self, step: Step) -> FloatArray:
        column = self.likeness.columns[step.attribute]
        able = (self.degrees > 0) & (column.codes >= 0)
        found = self._by_value(step)
        most = float(found[column.codes[able]].max()) if able.any() else 0.0
        parts = np.minimum(found / most, 1.0) if most > 0 else found
        factors = np.maximum(parts, self.floor) ** self.powers[step.attribute]
        by_case: FloatArray = np.append(factors, 1.0)[column.codes]
        by_case[column.codes < 0] = by_case[able].mean() if able.any() else 1.0
        return by_case

    def _by_value(self, step: Step) -> FloatArray:
        """The similarity of each distinct value to what was said."""
        name, column = step.attribute, self.likeness.columns[step.attribute]
        if step.kind == "cut":
            return np.where(self._below(name, step.value) == step.yes, 1.0, 0.0)
        if step.kind == "mention":
            return np.where(self.mentions(name).having(step.value) == step.yes, 1.0, 0.0)
        found = np.array(self.likeness.by_value(name, step.value), dtype=float)
        if isinstance(column.kind, Taxonomy):
            inside = set(column.kind.under(str(step.value)))
            found[[value in inside for value in column.values]] = 1.0
        return found

    def _below(self, name: str, cut: float | str) -> BoolArray:
        numbers = self.likeness.columns[name].numbers()
        found: BoolArray = numbers <= self.as_number(cut)
        return found

    def as_number(self, stored: float | str) -> float:
        """A stored number or date as a number."""
        return days(stored) if isinstance(stored, str) else float(stored)
