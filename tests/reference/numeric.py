"""Densities of numbers, slow and obvious: one class, plain lists, exact fractions where they are rational."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction


def mean(values: Sequence[float], weights: Sequence[float] | None = None) -> Fraction:
    times = [Fraction(1)] * len(values) if weights is None else [Fraction(w) for w in weights]
    return sum((w * Fraction(x) for w, x in zip(times, values, strict=True)), Fraction(0)) / sum(times)


def deviation(values: Sequence[float], weights: Sequence[float] | None = None) -> Fraction:
    """Sum of squared deviations from the mean."""
    times = [Fraction(1)] * len(values) if weights is None else [Fraction(w) for w in weights]
    center = mean(values, weights)
    return sum((w * (Fraction(x) - center) ** 2 for w, x in zip(times, values, strict=True)), Fraction(0))


def log_normal_gamma_marginal(
    values: Sequence[float], *, strength: float, degrees: float, prior_mean: float, scale: float
) -> float:
    """Log-density of a list of values under the Normal-Gamma prior (Murphy 2007, eq. 95)."""
    if not values:
        return 0.0
    n, a0, b0 = len(values), degrees / 2, degrees / 2 * scale**2
    center, spread = float(mean(values)), float(deviation(values))
    k, a = strength + n, a0 + n / 2
    b = b0 + spread / 2 + strength * n * (center - prior_mean) ** 2 / (2 * k)
    return (
        math.lgamma(a)
        - math.lgamma(a0)
        + a0 * math.log(b0)
        - a * math.log(b)
        + 0.5 * math.log(strength / k)
        - n / 2 * math.log(2 * math.pi)
    )


def log_student(
    x: float, values: Sequence[float], everything: Sequence[float], strength: float, degrees: float
) -> float:
    """Log-density of the next value of a class by its definition: the evidence with it over the evidence without."""
    center, scale = float(mean(everything)), math.sqrt(deviation(everything) / len(everything))
    prior = {"strength": strength, "degrees": degrees, "prior_mean": center, "scale": scale}
    return log_normal_gamma_marginal([*values, x], **prior) - log_normal_gamma_marginal(values, **prior)


def log_normal(x: float, center: float, variance: float) -> float:
    return -0.5 * math.log(2 * math.pi * variance) - (x - center) ** 2 / (2 * variance)


def log_gaussian(x: float, values: Sequence[float], everything: Sequence[float], smoothing: float) -> float:
    """Log-density in a class by its mean and variance (divisor n - 1), and those of the column where it has none."""
    overall = float(deviation(everything) / (len(everything) - 1))
    if not values:
        return log_normal(x, float(mean(everything)), overall)
    own = float(deviation(values) / (len(values) - 1)) + smoothing * overall if len(values) >= 2 else 0.0
    return log_normal(x, float(mean(values)), own if own > 0 else overall)


def quantile(values: Sequence[float], q: float) -> float:
    """The smallest value with at least the share q at or below it."""
    return sorted(values)[math.ceil(q * len(values)) - 1]


def spread(values: Sequence[float]) -> float:
    """min(standard deviation, interquartile range / 1.34), without the latter where it is 0 (Silverman 1986, 3.29)."""
    if len(values) < 2:
        return 0.0
    sd = math.sqrt(deviation(values) / (len(values) - 1))
    quartiles = (quantile(values, 0.75) - quantile(values, 0.25)) / 1.34
    return min(sd, quartiles) if quartiles > 1e-9 * sd else sd


def bandwidth(rule: str | float, values: Sequence[float], everything: Sequence[float]) -> float:
    """Silverman's 0.9 A n^(-1/5) (1986, eq. 3.31), John & Langley's 1 / sqrt(n) (1995, section 3) or a number."""
    if rule == "silverman":
        return 0.9 * (spread(values) or spread(everything)) * len(values) ** -0.2
    return 1 / math.sqrt(len(values)) if rule == "john_langley" else float(rule)


def log_kernel(x: float, values: Sequence[float], everything: Sequence[float], rule: str | float) -> float:
    """Log of the mean normal density around the values of a class; around all values where it has none."""
    values = values or everything
    h = bandwidth(rule, values, everything)
    logs = [log_normal(x, v, h * h) for v in values]
    most = max(logs)
    return most + math.log(math.fsum(math.exp(log - most) for log in logs) / len(logs))
