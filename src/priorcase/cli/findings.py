"""What was measured, as text, Markdown, CSV, JSON or a picture."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from priorcase.cli.documents import clean
from priorcase.cli.measuring import Measured
from priorcase.cli.records import column_of
from priorcase.evaluation import Comparison
from priorcase.evaluation.curves import Curve
from priorcase.learning.results import Grid, grids_text, text_width

__all__ = ["check_plots", "draw", "text"]


def text(found: Measured, form: str, *, paired: bool) -> str:
    """What was measured in one of the forms ``text``, ``markdown``, ``csv`` and ``json``."""
    if form == "json":
        return _json(found, paired=paired)
    if form == "csv":
        return _csv(found.result).removesuffix("\n")
    parts: list[Any] = [found.result]
    if paired and isinstance(found.result, Comparison):
        parts.append(found.result.paired())
    if form == "markdown":
        return "\n\n".join(part.markdown() for part in parts)
    width = shutil.get_terminal_size((0, 0)).columns
    if width and isinstance(found.result, Comparison):
        parts[0] = grids_text(folded(found.result._grid(), width))
    return "\n\n".join(map(str, parts))


def folded(grid: Grid, width: int) -> list[Grid]:
    """A table in as few parts below each other as fit a terminal, the first column in each.

    Columns stay in pairs: a score and the rank by it.

    Examples
    --------
    >>> for part in folded(Grid("t", list("abcde"), [list("vwxyz")]), 9):
    ...     print(" ".join(part.header))
    a b c
    a d e
    """
    widths = [text_width(column) for column in zip(grid.header, *grid.lines, strict=True)]
    parts: list[list[int]] = []
    for first in range(1, len(widths), 2):
        pair = range(first, min(first + 2, len(widths)))
        together = sum(widths[at] + 2 for at in (0, *(parts[-1] if parts else ()), *pair))
        if not parts or together > width:
            parts.append([])
        parts[-1].extend(pair)
    return [
        Grid(
            grid.title if number == 0 else f"{grid.title} (continued)",
            [grid.header[at] for at in (0, *columns)],
            [[line[at] for at in (0, *columns)] for line in grid.lines],
            grid.note if number == len(parts) - 1 else "",
            range(1, len(columns) + 1),
        )
        for number, columns in enumerate(parts)
    ]


def check_plots() -> None:
    """Refuse to work for a picture that nothing can draw."""
    from priorcase.learning.plotting import plot_style

    with plot_style():
        import matplotlib

        matplotlib.use("Agg")


def draw(found: Measured, path: Path) -> None:
    """Draw the first score into a file."""
    from matplotlib import pyplot

    figure = found.result.plot().figure
    figure.savefig(path)
    pyplot.close(figure)


def _columns(result: Comparison | Curve) -> dict[str, list[Any]]:
    """One line for each learner, split and score; of curves for each learner, point, repetition and score."""
    frame = result.frame(each=True) if isinstance(result, Curve) else result.frame()
    names = frame if isinstance(frame, dict) else frame.columns
    return {name: column_of(frame, name) for name in names}


def _csv(result: Comparison | Curve) -> str:
    columns = _columns(result)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for line in zip(*columns.values(), strict=True):
        writer.writerow(["" if isinstance(cell, float) and math.isnan(cell) else cell for cell in line])
    return out.getvalue()


def _json(found: Measured, *, paired: bool) -> str:
    result, columns = found.result, _columns(found.result)
    content: dict[str, Any] = {
        "table": found.past.source,
        "target": found.past.target,
        "task": found.past.task,
        "cases": len(found.past.y),
        "protocol": result.protocol,
        "repeats": result.repeats,
        "seed": found.seed,
        "complete": result.complete,
        "scores": {score.name: "greater" if score.greater_is_better else "less" for score in result.scores},
        "learners": [_learner(found, name) for name in result.learners],
        "values": [dict(zip(columns, line, strict=True)) for line in zip(*columns.values(), strict=True)],
    }
    if paired and isinstance(result, Comparison):
        frame = result.paired().frame()
        pairs = {name: column_of(frame, name) for name in (frame if isinstance(frame, dict) else frame.columns)}
        content["paired"] = [dict(zip(pairs, line, strict=True)) for line in zip(*pairs.values(), strict=True)]
    return json.dumps(clean(content), indent=2, ensure_ascii=False, allow_nan=False)


def _learner(found: Measured, name: str) -> dict[str, Any]:
    """One learner with its options, and what came of it."""
    result = found.result
    one = next(one for one in found.contestants if one.name == name)
    cells = [cell for cell in result.cells if cell.learner == name]
    told: dict[str, Any] = {
        "name": name,
        "learner": "guess" if one.learner is None else one.learner.name,
        "options": one.options,
    }
    if isinstance(result, Comparison):
        at = result.learners.index(name)
        told["scores"] = {
            score.name: {
                "mean": result.mean(name, score.name),
                "standard_error": result.standard_error(name, score.name),
                "rank": float(result.ranks(score.name)[at]),
            }
            for score in result.scores
        }
    for which in ("fit_seconds", "predict_seconds"):
        seconds = [getattr(cell, which) for cell in cells if not cell.failure]
        told[which] = float(np.mean(seconds)) if seconds else None
    reasons = {score: reason for cell in cells for score, reason in cell.reasons.items()}
    return {**told, "failure": result.failures.get(name), "reasons": reasons}
