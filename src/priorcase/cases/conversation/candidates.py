"""Candidates: how much each case still counts after what was said."""

from __future__ import annotations

import numpy as np

from priorcase._locks import cached_property
from priorcase._typing import BoolArray, FloatArray
from priorcase.cases.conversation.hypotheses import Hypotheses
from priorcase.cases.conversation.mentions import Mentions
from priorcase.cases.conversation.reliability import evidence, reliabilities
from priorcase.cases.conversation.step import Step, in_force
from priorcase.cases.kinds import Taxonomy, days
from priorcase.cases.scoring import Likeness

# Products of the same factors in another order differ by less.
_ROUNDING = 1e-9

NONE = 1.0
"""How much counts that no case speaks for the right answer: as much as one case of which nothing is known."""


class Candidates:
    """How much each case counts: ``degree * product_a e_a^(w_a / max w)``, over what was said.

    ``e_a = 1 + r_a m_a (s_a / mean s_a - 1)`` is the `evidence`: how much more what was said speaks for this case than
    for any case whatever. ``s_a`` is the similarity of the case's value to the value that was told; or 1 and 0 where a
    yes or no was told: whether it holds of the case. ``m_a`` is the largest similarity there is and ``r_a`` the
    reliability of the attribute. A case that does not know the attribute gets 1. So no answer rules a case out for
    good; but only cases *remain* that count more than ``floor`` times as much as the best.

    Parameters
    ----------
    likeness
        The cases and how values are compared.
    hypotheses
        What they speak for.
    degrees
        How well the solution of each worked; 0 for cases that cannot speak.
    floor
        Which part of what the best case counts a case must count to remain.
    """

    def __init__(self, likeness: Likeness, hypotheses: Hypotheses, degrees: FloatArray, floor: float) -> None:
        self.likeness, self.hypotheses, self.degrees, self.floor = likeness, hypotheses, degrees, floor
        self._mentions: dict[str, Mentions] = {}

    def weights(self, steps: tuple[Step, ...]) -> FloatArray:
        """How much each case counts; steps in any order give the same, to the last bit."""
        found = self.degrees.copy()
        order = list(self.likeness.attributes)
        said = [step for step in in_force(steps) if step.kind != "skipped"]
        for step in sorted(said, key=lambda step: (order.index(step.attribute), str(step.value), step.yes)):
            if self.powers[step.attribute] and self.likeness.columns[step.attribute].values:
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
        """The weight of each attribute over the largest: none counts more than once."""
        weights = self.likeness.weights
        heaviest = max(weights.values())
        return {name: weight / heaviest for name, weight in weights.items()}

    @cached_property
    def reliability(self) -> dict[str, float]:
        """How reliable each attribute is that weighs anything."""
        return reliabilities(self.likeness, self.hypotheses.codes, self.degrees > 0)

    def _factor(self, step: Step) -> FloatArray:
        column = self.likeness.columns[step.attribute]
        able = (self.degrees > 0) & (column.codes >= 0)
        if not able.any():
            return np.ones(column.codes.size)
        found: FloatArray = np.append(self._by_value(step), np.nan)[column.codes]
        mean, most = float(found[able].mean()), float(found[able].max())
        by_case: FloatArray = evidence(found, mean, most, self.reliability[step.attribute])
        return by_case ** self.powers[step.attribute]

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
