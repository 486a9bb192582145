"""A comparison as a table of texts: means, standard errors, ranks, seconds, and what failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from priorcase.evaluation.compare_cells import Cell
from priorcase.learning.results import Grid, short

if TYPE_CHECKING:
    from priorcase.evaluation.comparison import Comparison

_NAME_WIDTH = 60
_REASON_WIDTH = 140


def comparison_grid(found: Comparison) -> Grid:
    """The table that a comparison prints; the best of each score have a star, unless they are infinitely bad."""
    header = ["learner"]
    columns: list[list[str]] = [[short(name, _NAME_WIDTH) for name in found.learners]]
    for score in found.scores:
        best = [name for name in found.leaders(score.name) if np.isfinite(found.mean(name, score.name))]
        texts = [
            mean_text(found.mean(name, score.name), found.standard_error(name, score.name)) for name in found.learners
        ]
        cells = [text + (" *" if name in best else "  ") for name, text in zip(found.learners, texts, strict=True)]
        header.append(score.name + "  ")
        columns.append(cells)
        if len(found.learners) > 1:  # one alone is always the first
            header.append("rank")
            columns.append(["-" if np.isnan(rank) else f"{rank:.3g}" for rank in found.ranks(score.name)])
    header += ["fit s", "predict s"]
    columns += [[_seconds(found, name, which) for name in found.learners] for which in ("fit", "predict")]
    lines = [list(line) for line in zip(*columns, strict=True)]
    return Grid(comparison_title(found), header, lines, note=_note(found), right=range(1, len(header)))


def comparison_title(found: Comparison) -> str:
    """Which rows were asked about, and how often: what stands over tables and pictures."""
    asked = max((cell.test for cell in found.cells), default=0)
    some = f", the last {asked} asked about" if found.by_rows and asked < found.rows else ""
    return f"{found.rows} rows: {protocol_text(found)}{some}"


def protocol_text(found: Comparison) -> str:
    """How rows were dealt out, and how many times."""
    return found.protocol + (f", {found.repeats} times" if found.repeats > 1 else "")


def number_text(value: float) -> str:
    """A score in few digits.

    Examples
    --------
    >>> number_text(0.94666), number_text(-float("inf")), number_text(12345.678), number_text(0.00012345)
    ('0.947', '-inf', '12346', '0.000123')
    >>> number_text(-377104336.2)
    '-3.77e+08'
    """
    if not np.isfinite(value):
        return "-" if np.isnan(value) else f"{value}"
    if value == 0 or 0.01 <= abs(value) < 10:
        return f"{value:.3f}"
    if abs(value) < 0.01 or abs(value) >= 1e8:
        return f"{value:.3g}"
    return f"{value:.2f}" if abs(value) < 1000 else f"{value:.0f}"


def mean_text(mean: float, error: float) -> str:
    """A mean with its standard error, if there is one.

    Examples
    --------
    >>> mean_text(0.94666, 0.0123), mean_text(59.333, 2.3011), mean_text(0.5, float("nan"))
    ('0.947 ± 0.012', '59.33 ± 2.30', '0.500')
    """
    return number_text(mean) + ("" if np.isnan(error) else f" ± {_error_text(error, mean)}")


def _error_text(error: float, mean: float) -> str:
    """A standard error with as many decimals as its mean is printed with."""
    text = number_text(mean)
    return f"{error:.1g}" if "e" in text else f"{error:.{len(text.partition('.')[2])}f}"


def _seconds(found: Comparison, learner: str, which: str) -> str:
    """The mean seconds of one split."""
    seconds = [
        getattr(cell, f"{which}_seconds") for cell in found.cells if cell.learner == learner and not cell.failure
    ]
    return f"{np.mean(seconds):.2g}" if seconds else "-"


def _note(found: Comparison) -> str:
    """Standard errors in words, what failed, and what is not finished."""
    notes = []
    finished = {name: sum(cell.learner == name for cell in found.cells) for name in found.learners}
    if not found.complete:
        counts = ", ".join(f"{short(name, 30)} {count}" for name, count in finished.items())
        notes.append(f"not complete: interrupted; splits finished: {counts}")
    for name, reason in found.failures.items():
        failed = sum(bool(cell.failure) for cell in found.cells if cell.learner == name)
        times = "" if failed == finished[name] else f" on {failed} of {finished[name]} splits"
        notes.append(f"{short(name, 30)} failed{times}: {short(reason, _REASON_WIDTH)}")
    return "\n  ".join(notes + gap_notes(found.cells, found.learners, of="splits"))


def gap_notes(cells: Sequence[Cell], learners: Sequence[str], *, of: str) -> list[str]:
    """Why a score is missing though its learner did not fail: a line for each learner and score, the first reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        for score, reason in cell.reasons.items():
            reasons.setdefault((cell.learner, score), []).append(reason)
    notes = []
    for name, score in sorted(reasons, key=lambda key: (learners.index(key[0]), key[1])):
        told, sound = reasons[name, score], sum(cell.learner == name and not cell.failure for cell in cells)
        times = "" if len(told) == sound else f" on {len(told)} of {sound} {of}"
        notes.append(f"{short(name, 30)} has no {score}{times}: {short(told[0], _REASON_WIDTH)}")
    return notes
