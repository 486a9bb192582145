"""Intervals and sets that cover, slow and obvious: a model for each fold, every number looked at one by one.

A learner is a function of training rows and their targets that returns what it says of a query: for numbers a pair of a
prediction and its spread, for classes a mapping from class to probability (a class that is not there has none).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Number = Any
Row = Any
NumberLearner = Callable[[Sequence[Row], Sequence[Number]], Callable[[Row], tuple[Number, Number]]]
ClassLearner = Callable[[Sequence[Row], Sequence[Any]], Callable[[Row], Mapping[Any, Number]]]


def upper_quantile(values: Sequence[Number], alpha: Fraction) -> Number:
    """The ``ceil((1 - alpha)(n + 1))``-th smallest value; infinite beyond the last (Barber et al. 2021)."""
    rank = math.ceil((1 - alpha) * (len(values) + 1))
    return math.inf if rank > len(values) else sorted(values)[rank - 1]


def lower_quantile(values: Sequence[Number], alpha: Fraction) -> Number:
    """The ``floor(alpha (n + 1))``-th smallest value; minus infinity before the first (Barber et al. 2021)."""
    rank = math.floor(alpha * (len(values) + 1))
    return -math.inf if rank == 0 else sorted(values)[rank - 1]


def models_without(learn: Any, rows: Sequence[Row], y: Sequence[Any], folds: Sequence[Sequence[int]]) -> list[Any]:
    """One model for each row: that of all rows but the row's own fold."""
    found: list[Any] = [None] * len(rows)
    for fold in folds:
        kept = [i for i in range(len(rows)) if i not in fold]
        model = learn([rows[i] for i in kept], [y[i] for i in kept])
        for i in fold:
            found[i] = model
    return found


def residual(target: Number, said: tuple[Number, Number], scaled: bool) -> Number:
    """``|y - mu|``, or that over the spread; without a spread a residual other than 0 is infinitely large."""
    off = abs(target - said[0])
    if not scaled:
        return off
    if said[1] == math.inf:
        return 0
    if said[1] == 0:
        return 0 if off == 0 else math.inf
    return off / said[1]


def reach(score: Number, said: tuple[Number, Number], scaled: bool) -> Number:
    """How far from the prediction a target may lie whose score is no larger."""
    if not scaled:
        return score
    return math.inf if math.inf in (score, said[1]) else score * said[1]


def plus_interval(
    learn: NumberLearner,
    rows: Sequence[Row],
    y: Sequence[Number],
    folds: Sequence[Sequence[int]],
    query: Row,
    alpha: Fraction,
    *,
    scaled: bool = False,
) -> tuple[Number, Number]:
    """CV+ (Barber et al. 2021); jackknife+ where every fold is one row."""
    models = models_without(learn, rows, y, folds)
    lows, highs = [], []
    for i, model in enumerate(models):
        score = residual(y[i], model(rows[i]), scaled)
        said = model(query)
        lows.append(said[0] - reach(score, said, scaled))
        highs.append(said[0] + reach(score, said, scaled))
    return lower_quantile(lows, alpha), upper_quantile(highs, alpha)


def minmax_interval(
    learn: NumberLearner, rows: Sequence[Row], y: Sequence[Number], query: Row, alpha: Fraction, *, scaled: bool = False
) -> tuple[Number, Number]:
    """Jackknife-minmax (Barber et al. 2021)."""
    models = models_without(learn, rows, y, [[i] for i in range(len(rows))])
    score = upper_quantile([residual(y[i], model(rows[i]), scaled) for i, model in enumerate(models)], alpha)
    said = [model(query) for model in models]
    return min(m[0] - reach(score, m, scaled) for m in said), max(m[0] + reach(score, m, scaled) for m in said)


def one_minus(shares: Mapping[Any, Number], label: Any) -> Number:
    """One minus the probability of a class."""
    return 1 - shares.get(label, 0)


def adaptive(shares: Mapping[Any, Number], label: Any, draw: Number = 0) -> Number:
    """The generalized inverse quantile score (Romano, Sesia & Candès 2020), equal probabilities taken together.

    What the classes hold that are no less probable, less a random part of what those hold that are as probable.
    """
    own = shares.get(label, 0)
    larger = sum(share for share in shares.values() if share > own)
    alike = sum(share for share in shares.values() if share == own)
    return larger + (1 - draw) * alike


def p_value(
    learn: ClassLearner,
    rows: Sequence[Row],
    y: Sequence[Any],
    folds: Sequence[Sequence[int]],
    query: Row,
    label: Any,
    score: Callable[[Mapping[Any, Number], Any], Number] = one_minus,
    *,
    own_class: bool = False,
) -> Fraction:
    """How much of all there is looks as strange as the query would with a label (Vovk 2015, section 3).

    With ``own_class`` only rows of that class are compared (Vovk, Gammerman & Shafer 2005, section 4.5).
    """
    models = models_without(learn, rows, y, folds)
    compared = [i for i in range(len(rows)) if not own_class or y[i] == label]
    stranger = sum(score(models[i](rows[i]), y[i]) >= score(models[i](query), label) for i in compared)
    return Fraction(stranger + 1, len(compared) + 1)


def cross_conformal_set(p_values: Mapping[Any, Fraction], alpha: Fraction) -> set[Any]:
    """The labels whose p-value is above alpha (Vovk 2015, section 3)."""
    return {label for label, p in p_values.items() if p > alpha}


def cv_plus_set(
    learn: ClassLearner,
    rows: Sequence[Row],
    y: Sequence[Any],
    folds: Sequence[Sequence[int]],
    query: Row,
    labels: Sequence[Any],
    alpha: Fraction,
    score: Callable[[Mapping[Any, Number], Any], Number],
) -> set[Any]:
    """Labels for which fewer than ``(1 - alpha)(n + 1)`` scores are below theirs (Romano et al. 2020, Algorithm 2)."""
    models = models_without(learn, rows, y, folds)
    found = set()
    for label in labels:
        below = sum(score(models[i](rows[i]), y[i]) < score(models[i](query), label) for i in range(len(rows)))
        if below < (1 - alpha) * (len(rows) + 1):
            found.add(label)
    return found


def coverage_bound(alpha: Fraction, n: int, folds: int) -> Fraction:
    """What is proved of CV+ (Barber et al. 2021, Theorem 4); of jackknife+ where there are n folds."""
    first = 2 * (1 - Fraction(1, folds)) / (Fraction(n, folds) + 1)
    second = (1 - Fraction(folds, n)) / (folds + 1)
    return max(Fraction(0), 1 - 2 * alpha - min(first, second))
