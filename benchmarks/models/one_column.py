"""The numeric column that Student's t fits worst: binning this column alone improves the log-score most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import priorcase as pc
from benchmarks.models.contenders import BINS_BY_CLASS, EVIDENCE, Contender
from benchmarks.models.grids import Grid, figure
from benchmarks.models.measuring import Score, cross_validated
from benchmarks.models.problems import Problem
from papers.reproduction import Track, silently


def measure(problem: Problem, *, runs: int, folds: int, track: Track = silently) -> dict[str, Score]:
    """Return, by the name of each numeric column, the score of naive Bayes if only this column is binned."""
    columns = [name for name, kind in problem.X.kinds.items() if isinstance(kind, pc.Numeric)]
    cuts = {name: _cut({**dict.fromkeys(columns, "student"), name: "mdl"}) for name in columns}
    return cross_validated(problem, cuts, runs=runs, folds=folds, track=track)


def grid(scores: Mapping[str, Mapping[str, Score]], cut: Mapping[str, Mapping[str, Score]]) -> Grid:
    """Return a table with one line for each data set that has numeric columns.

    Parameters
    ----------
    scores
        The scores of the models.
    cut
        The result of `measure` for each data set.
    """
    lines: list[Sequence[str]] = []
    for name, found in cut.items():
        if found:
            column = max(found, key=lambda each: found[each].log)
            means = [scores[name][EVIDENCE].log, scores[name][BINS_BY_CLASS].log, found[column].log]
            lines.append([name, *map(figure, means), column])
    columns = ("data set", EVIDENCE, BINS_BY_CLASS, "one column binned", "column")
    title = (
        "Non-normal columns: log-score if only one column is binned by MDL, namely the column for which binning helps "
        "most"
    )
    return Grid(title, columns, lines)


def _cut(numeric: Mapping[str, str]) -> Contender:
    return lambda problem: pc.NaiveBayes(numeric=numeric)
