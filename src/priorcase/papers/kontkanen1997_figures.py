"""Kontkanen et al. 1997, Figures 1 to 3: average, best and worst scores against the number of training rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray
from priorcase.learning.plotting import style
from priorcase.papers.figure_table import Figure, FigureTable
from priorcase.papers.kontkanen1997_counts import FLOOR, RULES
from priorcase.papers.kontkanen1997_curves import Curves, Score, measured
from priorcase.papers.options import Options
from priorcase.papers.picture import Picture
from priorcase.papers.reproduction import Part

__all__ = ["figure_1", "figure_2", "figure_3"]

_AXES = {"log": "log-score, mean ln p", "zero_one": "0/1-score"}
_SPAN = ("worst", "average", "best")
_TICKS = (0.0, -0.5, -1.0, -2.0, -5.0, -10.0, -20.0, -40.0)


def figure_1(options: Options) -> Part:
    """Glass, both scores, averages."""
    curves = measured("glass", options)

    def draw(figure: Any) -> None:
        log, zero_one = figure.subplots(1, 2)
        _averages(log, curves, "log")
        _averages(zero_one, curves, "zero_one")

    caption = (
        "Glass: average log-score (left, linear above -1 and logarithmic below) and 0/1-score (right) of the three "
        "predictive distributions after each training row."
    )
    picture = Picture("figure-1", caption, _columns([curves], RULES), draw, (9.0, 3.8))
    tables = (_table(curves, "log", "Glass"), _table(curves, "zero_one", "Glass"))
    few = curves.ladder()[min(4, len(curves.ladder()) - 1)]
    shows = (
        f"The text says that the evidence (EV) is near its best from very few rows while MAP and SC are weak, and that "
        f"by the 0/1-score MAP is more like EV. After {few} rows: log-score EV {_mean(curves, few, 'EV'):.2f}, SC "
        f"{_mean(curves, few, 'SC'):.2f}, MAP {_mean(curves, few, 'MAP'):.2f}; 0/1-score "
        f"{_mean(curves, few, 'EV', 'zero_one'):.2f}, {_mean(curves, few, 'SC', 'zero_one'):.2f} and "
        f"{_mean(curves, few, 'MAP', 'zero_one'):.2f}."
    )
    return Part(tables, (picture,), (*_protocol(curves), shows))


def figure_2(options: Options) -> Part:
    """Australian and Hepatitis, log-score, averages."""
    found = {"Australian": measured("australian-credit", options), "Hepatitis": measured("hepatitis", options)}

    def draw(figure: Any) -> None:
        for ax, (title, curves) in zip(figure.subplots(1, 2), found.items(), strict=True):
            _averages(ax, curves, "log")
            ax.set_title(title)

    caption = "Australian (left) and Hepatitis (right): average log-score after each training row."
    picture = Picture("figure-2", caption, _columns(list(found.values()), RULES), draw, (9.0, 3.8))
    tables = tuple(_table(curves, "log", title) for title, curves in found.items())
    shows = "The text says that the others of its data sets behave as Glass does, though at times less extremely."
    return Part(tables, (picture,), (*_protocol(found["Australian"]), shows))


def figure_3(options: Options) -> Part:
    """Glass, log-score of EV and SC: average, best and worst."""
    curves, rules = measured("glass", options), ("EV", "SC")

    def draw(figure: Any) -> None:
        for ax, rule in zip(figure.subplots(1, 2, sharey=True), rules, strict=True):
            _span(ax, curves, rule)
        figure.axes[0].set_ylabel(_AXES["log"])

    caption = (
        "Glass: log-score of EV (left) and SC (right) after each training row, on average and in the best and the "
        "worst repetition of each size; the thin line is a uniform guess."
    )
    picture = Picture("figure-3", caption, _columns([curves], rules), draw, (9.0, 3.8))
    columns = tuple(f"{rule} {which}" for rule in rules for which in _SPAN)
    rows = {
        str(size): tuple(Figure(_extreme(curves.of(rule)[:, size - 1], which)) for rule in rules for which in _SPAN)
        for size in curves.ladder()
    }
    table = FigureTable("Glass: log-score by training rows", columns, rows, digits=(2, 2))
    worst = {rule: curves.of(rule).min(axis=0) for rule in rules}
    guess = -math.log(curves.classes)
    shows = (
        "The text sees the worst case of EV suddenly go up after about 20 rows, and that of SC only after about 80. "
        f"Ours rises most from {_steepest(worst['EV'])} rows with EV, and from {_steepest(worst['SC'])} with SC; it "
        f"stays above a uniform guess ({guess:.2f}) from {_stays_above(worst['EV'], guess)} rows on with EV, and from "
        f"{_stays_above(worst['SC'], guess)} with SC. The worst case of each size is one repetition, so that another "
        "seed moves it."
    )
    return Part((table,), (picture,), (_protocol(curves)[0], shows))


def _protocol(curves: Curves) -> tuple[str, ...]:
    return (
        f"{len(curves.scores)} repetitions: 70 % of the rows are the training reservoir, drawn anew, and come one by "
        "one in random order; all others are predicted after each. The paper prints curves and no figures, so that "
        "nothing stands beside ours.",
        f"MAP without a floor would give some test rows a log-score of minus infinity. Its parameters are at least "
        f"{FLOOR:g} here, as in Table 1; what the paper did is not known, and lower floors move the curve of MAP "
        "further down. How many test rows it would have ruled out without is in the tables, where MAP is.",
    )


def _extreme(scores: FloatArray, which: str) -> float:
    return float({"worst": scores.min(), "average": scores.mean(), "best": scores.max()}[which])


def _mean(curves: Curves, size: int, rule: str, score: Score = "log") -> float:
    return curves.at(size, rule, score).mean


def _table(curves: Curves, score: Score, title: str) -> FigureTable:
    """Scores at some sizes; with log-scores the share of test rows that are ruled out."""
    rows = {}
    for size in curves.ladder():
        at = [curves.at(size, rule, score) for rule in RULES]
        figures = [Figure(each.mean, standard_error=each.standard_error) for each in at]
        rows[str(size)] = tuple(figures)
        if score == "log":
            rows[str(size)] += (Figure(100 * float(curves.ruled_out[:, size - 1].mean()), digits=(1, 1)),)
    more = ("ruled out without a floor, percent",) if score == "log" else ()
    return FigureTable(f"{title}: {_AXES[score]}, by training rows", (*RULES, *more), rows, digits=(2, 2))


def _columns(all_curves: list[Curves], rules: tuple[str, ...]) -> dict[str, AnyArray]:
    """Mean, least and most of each score of each rule after each training row."""
    joined = {}
    joined["data_set"] = np.concatenate([np.full(len(curves.sizes), curves.name) for curves in all_curves])
    joined["training_rows"] = np.concatenate([curves.sizes for curves in all_curves])
    scores: tuple[Score, ...] = ("log", "zero_one")
    for rule in rules:
        for score in scores:
            for which in ("mean", "min", "max"):
                parts = [getattr(curves.of(rule, score), which)(axis=0) for curves in all_curves]
                joined[f"{rule}_{score}_{which}"] = np.concatenate(parts)
    joined["ruled_out"] = np.concatenate([curves.ruled_out.mean(axis=0) for curves in all_curves])
    return joined


def _averages(ax: Any, curves: Curves, score: Score) -> None:
    for i, rule in enumerate(RULES):
        look = style(i)
        mean = curves.of(rule, score).mean(axis=0)
        ax.plot(curves.sizes, mean, color=look.colour, linestyle=look.line, label=rule)
    ax.set(xlabel="training rows", ylabel=_AXES[score], xlim=(0, curves.sizes[-1]))
    if score == "log":
        _log_scale(ax)
    else:
        ax.set_ylim(0, 1)
    ax.legend(loc="lower right")


def _span(ax: Any, curves: Curves, rule: str) -> None:
    look, scores = style(RULES.index(rule)), curves.of(rule)
    ax.fill_between(curves.sizes, scores.min(axis=0), scores.max(axis=0), color=look.tint, linewidth=0)
    for which, line in (("best", ":"), ("average", "-"), ("worst", "--")):
        values = [_extreme(column, which) for column in scores.T]
        ax.plot(curves.sizes, values, color=look.colour, linestyle=line, label=which)
    ax.axhline(-math.log(curves.classes), color="#767676", linewidth=0.8)
    ax.set(xlabel="training rows", title=rule, xlim=(0, curves.sizes[-1]))
    ax.legend(loc="lower right")


def _log_scale(ax: Any) -> None:
    """Linear from -1 to 0 and logarithmic below, so that MAP's first scores leave room for the others."""
    ax.set_yscale("symlog", linthresh=1.0, linscale=0.6)
    lowest = ax.get_ylim()[0]
    ticks = [tick for tick in _TICKS if tick >= lowest]
    ax.set_yticks(ticks, [f"{tick:g}".replace("-", "\N{MINUS SIGN}") for tick in ticks])
    ax.yaxis.set_minor_locator(_no_ticks())
    ax.set_ylim(lowest, 0)


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


def _steepest(curve: FloatArray) -> str:
    """The five rows with which a curve rises most."""
    first = int(np.argmax(curve[5:] - curve[:-5])) + 1
    return f"{first} to {first + 5}"


def _stays_above(curve: FloatArray, level: float) -> str:
    """The number of rows from which on a curve stays at or above a level."""
    below = np.flatnonzero(curve < level)
    first = 1 if below.size == 0 else int(below[-1]) + 2
    return str(first) if first <= curve.size else f"more than {curve.size}"
