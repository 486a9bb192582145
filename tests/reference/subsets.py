"""Naive Bayes over all subsets of the attributes, slow and obvious: every subset by itself, row after row.

A subset says which attributes depend on the class. Its probability of some rows is the product of the probabilities
of each next class and value given the rows before (Kontkanen et al. 1998, eq. 9), so no closed form of a marginal
likelihood is used. Discrete values give fractions, numbers float64. What the average over subsets predicts is the
ratio of two sums over all subsets, with and without the new row (their eq. 4).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

Row = tuple[int, tuple[Any, ...], Fraction]
"""A class, the values of the attributes (None where missing), and the weight, which is a whole number here."""

Subset = tuple[bool, ...]


@dataclass(frozen=True)
class Counted:
    """A discrete attribute: the weights of its values in each class.

    Where it does not matter, the joint prior of class and value is the same, and a value has the sum of its weights.
    """

    by_class: Sequence[Mapping[Any, Fraction]]

    def next(self, value: Any, before: Sequence[Any], k: int | None) -> Fraction:
        """The probability of a value after some others, in class k or, if None, where the class does not matter."""
        if k is None:
            weights = {v: sum((own[v] for own in self.by_class), Fraction(0)) for v in self.by_class[0]}
        else:
            weights = dict(self.by_class[k])
        return (before.count(value) + weights[value]) / (len(before) + sum(weights.values()))


@dataclass(frozen=True)
class Normal:
    """A numeric attribute with the Normal-Gamma prior of `Student`; its parameters."""

    mean: float
    scale: float
    strength: float = 1.0
    degrees: float = 1.0

    @classmethod
    def of(cls, values: Sequence[float]) -> Normal:
        """With mean and spread of the values, the default."""
        mean = math.fsum(values) / len(values)
        return cls(mean, math.sqrt(math.fsum((x - mean) ** 2 for x in values) / len(values)))

    def next(self, value: float, before: Sequence[float], k: int | None) -> float:
        """The Student density of a number after some others (Murphy 2007, eqs. 85-89 and 110)."""
        n = len(before)
        mean = math.fsum(before) / n if n else 0.0
        rows, a = self.strength + n, (self.degrees + n) / 2
        location = (self.strength * self.mean + n * mean) / rows
        b = self.degrees / 2 * self.scale**2 + math.fsum((x - mean) ** 2 for x in before) / 2
        b += self.strength * n * (mean - self.mean) ** 2 / (2 * rows)
        square = b * (rows + 1) / (a * rows)
        t = (value - location) ** 2 / (2 * a * square)
        constant = math.lgamma(a + 0.5) - math.lgamma(a) - 0.5 * math.log(2 * a * math.pi * square)
        return math.exp(constant - (a + 0.5) * math.log1p(t))


Attribute = Counted | Normal


def subsets(n: int) -> Iterator[Subset]:
    """All ``2^n`` subsets."""
    yield from product((False, True), repeat=n)


def probability_of_subset(subset: Subset, inclusion: Sequence[Fraction]) -> Fraction:
    """The prior probability of a subset."""
    return math.prod((p if matters else 1 - p for matters, p in zip(subset, inclusion, strict=True)), start=Fraction(1))


def marginal(rows: Sequence[Row], subset: Subset, attributes: Sequence[Attribute], classes: Sequence[Fraction]) -> Any:
    """The probability of the rows under one subset: each by those before it. A row of weight w comes w times."""
    result: Any = Fraction(1)
    known: list[tuple[int, tuple[Any, ...]]] = []
    for k, values, weight in rows:
        for _ in range(int(weight)):
            result *= (sum(j == k for j, _ in known) + classes[k]) / (len(known) + sum(classes))
            for i, attribute in enumerate(attributes):
                if values[i] is None:
                    continue
                same = [v[i] for j, v in known if v[i] is not None and (j == k or not subset[i])]
                result *= attribute.next(values[i], same, k if subset[i] else None)
            known.append((k, values))
    return result


def total(
    rows: Sequence[Row], attributes: Sequence[Attribute], classes: Sequence[Fraction], inclusion: Sequence[Fraction]
) -> Any:
    """``Z(D)``: the probability of the rows, all subsets added up."""
    terms = [
        probability_of_subset(subset, inclusion) * marginal(rows, subset, attributes, classes)
        for subset in subsets(len(attributes))
    ]
    return sum(terms[1:], terms[0])


def joint(
    rows: Sequence[Row],
    query: tuple[int, tuple[Any, ...]],
    attributes: Sequence[Attribute],
    classes: Sequence[Fraction],
    inclusion: Sequence[Fraction],
) -> Any:
    """The probability of one more row: ``Z(D with d) / Z(D)``."""
    with_query = total([*rows, (*query, Fraction(1))], attributes, classes, inclusion)
    return with_query / total(rows, attributes, classes, inclusion)


def relevance(
    rows: Sequence[Row], attributes: Sequence[Attribute], classes: Sequence[Fraction], inclusion: Sequence[Fraction]
) -> list[Any]:
    """The posterior probability of each attribute to be in the subset."""
    terms = {
        subset: probability_of_subset(subset, inclusion) * marginal(rows, subset, attributes, classes)
        for subset in subsets(len(attributes))
    }
    whole = sum(terms.values())
    return [sum(term for subset, term in terms.items() if subset[i]) / whole for i in range(len(attributes))]
