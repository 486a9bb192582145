"""Predictive distributions of discrete values, slow and obvious: exact fractions, plain loops.

Equations of Kontkanen, Myllymäki, Silander, Tirri & Grünwald 1997 ("Comparing predictive inference methods for discrete
domains") and Kontkanen, Myllymäki, Silander & Tirri 1998 ("Bayes optimal instance-based learning").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

Row = tuple[Hashable | None, ...]


def evidence(counts: Sequence[Fraction], weights: Sequence[Fraction]) -> list[Fraction]:
    """1998, eq. 9."""
    total = sum(counts) + sum(weights)
    return [Fraction(n + a) / total for n, a in zip(counts, weights, strict=True)]


def maximum_a_posteriori(counts: Sequence[Fraction], weights: Sequence[Fraction]) -> list[Fraction]:
    """1998, eq. 7; negative numerators become 0, and where all are 0 every value is as likely."""
    top = [max(n + a - 1, Fraction(0)) for n, a in zip(counts, weights, strict=True)]
    total = sum(top)
    return [Fraction(t) / total if total else Fraction(1, len(top)) for t in top]


def maximum_likelihood(counts: Sequence[Fraction]) -> list[Fraction]:
    """Relative frequencies, or equal shares of nothing."""
    total = sum(counts)
    return [Fraction(n) / total if total else Fraction(1, len(counts)) for n in counts]


def largest_likelihood(sequence: Sequence[Hashable]) -> Fraction:
    """The probability of a sequence of values under the parameters that make it most probable."""
    likelihood = Fraction(1)
    counts = Counter(sequence)
    for value in sequence:
        likelihood *= Fraction(counts[value], len(sequence))
    return likelihood


def stochastic_complexity(counts: Sequence[int]) -> list[Fraction]:
    """1997, eq. 8: the largest likelihood of the data with each next value, made to sum to 1."""
    seen = [value for value, n in enumerate(counts) for _ in range(n)]
    likelihoods = [largest_likelihood([*seen, value]) for value in range(len(counts))]
    return [likelihood / sum(likelihoods) for likelihood in likelihoods]


def marginal(sequence: Sequence[int], weights: Sequence[Fraction]) -> Fraction:
    """1998, eq. 1 by the chain rule: each next value has the probability that the evidence gives it."""
    counts = [Fraction(0)] * len(weights)
    probability = Fraction(1)
    for value in sequence:
        probability *= evidence(counts, weights)[value]
        counts[value] += 1
    return probability


def class_likelihood(rows: Sequence[Row], classes: Sequence[Hashable]) -> Fraction:
    """The largest likelihood of naive Bayes (1997, section 3); gaps (None) drop out of their attribute."""
    likelihood = largest_likelihood(classes)
    for k in set(classes):
        own = [row for row, c in zip(rows, classes, strict=True) if c == k]
        for column in zip(*own, strict=True):
            likelihood *= largest_likelihood([value for value in column if value is not None])
    return likelihood


def sc_classes(rows: Sequence[Row], classes: Sequence[Hashable], query: Row, k: Sequence[Hashable]) -> list[Fraction]:
    """1997, eq. 8: each class of ``k`` by the largest likelihood of all rows and the query in that class."""
    likelihoods = [class_likelihood([*rows, query], [*classes, c]) for c in k]
    return [likelihood / sum(likelihoods) for likelihood in likelihoods]


def growth(n: Fraction) -> Decimal:
    """``(n + 1) ln(n + 1) - n ln n`` with 120 digits, enough for n from 1e-60 to 1e15."""
    with localcontext() as context:
        context.prec = 120
        exact = Decimal(n.numerator) / Decimal(n.denominator)
        more = exact + 1
        return more * more.ln() - (exact * exact.ln() if exact else Decimal(0))


def log(probability: Fraction) -> float:
    """The natural log of a fraction, however small."""
    with localcontext() as context:
        context.prec = 40
        return float(Decimal(probability.numerator).ln() - Decimal(probability.denominator).ln())
