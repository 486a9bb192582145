"""Evidence vs. the plug-in model with few rows, and the reason why evidence is worse on one data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import priorcase as pc
from benchmarks.models.contenders import EVIDENCE, OURS, PLUG_IN, TREES, Contender
from benchmarks.models.grids import Grid, figure
from benchmarks.models.measuring import FromATenth, from_a_tenth
from benchmarks.models.problems import Problem
from papers.reproduction import Track, silently

BINNED_PLUG_IN = 'NaiveBayes("map", numeric="kmeans", zero_policy="cap100")'
BINNED_EVIDENCE = 'NaiveBayes(numeric="kmeans")'
ZEROS_STAY = 'NaiveBayes("map", numeric="gaussian")'
FAINT = 'NaiveBayes(numeric="student", prior=0.001)'

PAIRS: Mapping[str, Contender] = {
    ZEROS_STAY: OURS[ZEROS_STAY],
    PLUG_IN: OURS[PLUG_IN],
    EVIDENCE: OURS[EVIDENCE],
    BINNED_PLUG_IN: lambda p: pc.NaiveBayes("map", numeric="kmeans", zero_policy="cap100"),
    BINNED_EVIDENCE: OURS[BINNED_EVIDENCE],
}
CAUSES: Mapping[str, Contender] = {
    ZEROS_STAY: OURS[ZEROS_STAY],
    PLUG_IN: OURS[PLUG_IN],
    EVIDENCE: OURS[EVIDENCE],
    FAINT: lambda p: pc.NaiveBayes(numeric="student", prior=0.001),
    TREES: OURS[TREES],
}
COMPARED = ("plug-in", "evidence", "gain", "better in")


@dataclass(frozen=True, eq=False)
class Gain:
    """Gain in log-score of one model over another on the same draws."""

    each: Any

    @classmethod
    def of(cls, scores: Mapping[str, FromATenth], model: str, other: str) -> Gain:
        """Return the gain if each row counts at most 100 nats."""
        return cls(scores[model].capped - scores[other].capped)

    @classmethod
    def uncapped(cls, scores: Mapping[str, FromATenth], model: str, other: str) -> Gain:
        """Return the gain in uncapped log-scores."""
        return cls(scores[model].logs - scores[other].logs)

    @property
    def mean(self) -> float:
        """Mean gain over the draws."""
        return float(self.each.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean gain."""
        return float(self.each.std(ddof=1) / np.sqrt(self.each.size))

    @property
    def won(self) -> str:
        """Text with the number of draws with a positive gain."""
        return f"{int((self.each > 0).sum())} of {self.each.size}"

    def __str__(self) -> str:
        return f"{figure(self.mean)} ± {figure(self.standard_error)}"


def measure(problem: Problem, times: int, track: Track = silently) -> dict[str, FromATenth]:
    """Return the scores of the plug-in and evidence models trained on tenths of a table."""
    return from_a_tenth(problem, PAIRS, times=times, track=track)


def grids(measured: Mapping[str, Mapping[str, FromATenth]]) -> tuple[Grid, Grid]:
    """Return a table for densities and a table for bins, each with one line per data set."""
    densities = Grid(
        f"Trained on a tenth of the rows: {PLUG_IN} vs. {EVIDENCE}, mean ln p",
        (
            "data set",
            "p(true class) = 0",
            *COMPARED,
            *(f"capped {column}" for column in COMPARED),
            "accuracy",
        ),
        [_line(name, scores) for name, scores in measured.items()],
    )
    bins = Grid(
        f"Trained on a tenth of the rows, with binned numeric columns: {BINNED_PLUG_IN} vs. {BINNED_EVIDENCE}",
        ("data set", *COMPARED, "accuracy"),
        [_binned_line(name, scores) for name, scores in measured.items()],
    )
    return densities, bins


def explain(problem: Problem, times: int, track: Track = silently) -> Grid:
    """Compare plug-in and evidence on the original table and after shuffling each column within each class."""
    lines: list[Sequence[str]] = []
    for title, table in {"original": problem, "shuffled within classes": problem.shuffled()}.items():
        scores = from_a_tenth(table, CAUSES, times=times, track=track)
        impossible = _zeros(scores[ZEROS_STAY])
        for name in (PLUG_IN, EVIDENCE, FAINT, TREES):
            found, gain = scores[name], Gain.of(scores, name, PLUG_IN)
            compared = [impossible, "", ""] if name == PLUG_IN else ["", str(gain), gain.won]
            lines.append([title, name, figure(found.capped.mean()), *compared, _percent(found.hits)])
    columns = ("rows", "model", "mean ln p", "p(true class) = 0", "gain over plug-in", "better in", "accuracy")
    return Grid(f"{problem.name}: original and shuffled columns", columns, lines, left=2)


def _line(name: str, scores: Mapping[str, FromATenth]) -> Sequence[str]:
    plug_in, evidence = scores[PLUG_IN], scores[EVIDENCE]
    gain, uncapped = Gain.of(scores, EVIDENCE, PLUG_IN), Gain.uncapped(scores, EVIDENCE, PLUG_IN)
    return [
        name,
        _zeros(scores[ZEROS_STAY]),
        *_compared(plug_in.logs, evidence.logs, uncapped),
        *_compared(plug_in.capped, evidence.capped, gain),
        _both(plug_in, evidence),
    ]


def _binned_line(name: str, scores: Mapping[str, FromATenth]) -> Sequence[str]:
    plug_in, evidence = scores[BINNED_PLUG_IN], scores[BINNED_EVIDENCE]
    gain = Gain.of(scores, BINNED_EVIDENCE, BINNED_PLUG_IN)
    return [name, *_compared(plug_in.capped, evidence.capped, gain), _both(plug_in, evidence)]


def _compared(plug_in: Any, evidence: Any, gain: Gain) -> list[str]:
    return [figure(plug_in.mean()), figure(evidence.mean()), str(gain), gain.won]


def _zeros(found: FromATenth) -> str:
    """Return the share of rows whose true class had probability 0, and the number of draws with such a row."""
    share, draws = 100 * found.impossible.mean(), found.impossible
    return f"{share:.2f}% ({int((draws > 0).sum())} of {draws.size})"


def _both(plug_in: FromATenth, evidence: FromATenth) -> str:
    return f"{_percent(plug_in.hits)} / {_percent(evidence.hits)}"


def _percent(shares: Any) -> str:
    return f"{100 * shares.mean():.1f}%"
