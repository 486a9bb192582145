"""Answers as CSV, one line for each new case, for spreadsheets and scripts."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator
from typing import Any

from priorcase.cli.answers import Answer
from priorcase.cli.fitted import Fitted
from priorcase.cli.tables import Problem

__all__ = ["answer_lines"]


def answer_lines(problem: Problem, fitted: Fitted, answers: Iterable[Answer]) -> Iterator[str]:
    """A header, then a line for each answer, without the ends of lines.

    ``line`` and ``prediction``; for classes ``P(CLASS)``, in the order of the classes; ``lower`` and ``upper`` where
    numbers have an interval; ``actual`` where the query table has the target. What is not known is empty.
    """
    estimator: Any = fitted.estimator
    classes = [str(label) for label in estimator.classes_.tolist()] if problem.task == "classify" else []
    level = "level" in fitted.settings
    actual = problem.actual is not None
    header = ["line", "prediction", *(f"P({label})" for label in classes)]
    yield _line([*header, *(["lower", "upper"] if level else []), *(["actual"] if actual else [])])
    for answer in answers:
        cells: list[Any] = [answer.line, answer.prediction]
        cells += [(answer.probabilities or {}).get(label, 0.0) for label in classes]
        cells += answer.interval or () if level else ()
        yield _line([*cells, *([answer.actual] if actual else [])])


def _line(cells: list[Any]) -> str:
    out = io.StringIO()
    known = ["" if isinstance(cell, float) and not math.isfinite(cell) else cell for cell in cells]
    csv.writer(out, lineterminator="").writerow(known)
    return out.getvalue()
