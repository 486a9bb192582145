"""A comparison over several tables as a table of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from priorcase.evaluation.compare_table import number_text, protocol_text
from priorcase.evaluation.ranks import leading
from priorcase.evaluation.scoring import Score
from priorcase.learning.results import Grid, short

if TYPE_CHECKING:
    from priorcase.evaluation.tables import TablesComparison


def tables_grid(found: TablesComparison, score: Score) -> Grid:
    """One line for each table, the best learner marked with a star, and a line of mean ranks."""
    means, lines = found.means(score.name), []
    for place, table in enumerate(found.tables):
        column = means[:, place]
        best = [
            i for i in leading(means[:, [place]], greater_is_better=score.greater_is_better) if np.isfinite(column[i])
        ]
        texts = [number_text(value) + (" *" if i in best else "  ") for i, value in enumerate(column.tolist())]
        lines.append([short(table, 40), *texts])
    if len(found.learners) > 1:  # one alone is always the first
        ranks = [("-" if np.isnan(rank) else f"{rank:.2f}") + "  " for rank in found.ranks(score.name).tolist()]
        lines.append(["mean rank", *ranks])
    header = ["table", *(short(name, 24) + "  " for name in found.learners)]
    title = f"{score.name}: {protocol_text(next(iter(found.tables.values())))}"
    return Grid(title, header, lines, note=_note(found), right=range(1, len(header)))


def _note(found: TablesComparison) -> str:
    notes = [] if found.complete else ["not complete: interrupted"]
    for table, comparison in found.tables.items():
        notes += [
            f"{short(table, 30)}: {short(name, 30)} failed: {short(reason, 90)}"
            for name, reason in comparison.failures.items()
        ]
    return "\n  ".join(notes)
