"""A report as one JSON document."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from priorcase.reporting import sentences

if TYPE_CHECKING:
    from priorcase.reporting.comparing import Compared
    from priorcase.reporting.result import Report

__all__ = ["as_data", "document"]


def document(report: Report) -> str:
    """The report as JSON; numbers that are not finite are null."""
    return json.dumps(_plain(as_data(report)), indent=2, ensure_ascii=False, allow_nan=False)


def as_data(report: Report) -> dict[str, Any]:
    """The report as dictionaries, lists, texts and numbers.

    Rows are named by ``place``, which is what the report calls them: positions from 0, or lines of a file.
    """
    problem = report.problem
    found: dict[str, Any] = {
        "name": problem.name,
        "target": problem.target,
        "task": problem.task,
        "place_word": problem.place_word,
        "summary": [text.replace("**", "") for text in _sentences(report)],
        "table": asdict(report.understanding),
        "comparisons": [_compared(one) for one in report.compared],
        "verdict": asdict(report.verdict),
        "calibration": _part(report.calibration),
        "worth": _part(report.worth),
        "explained": [asdict(one) for one in report.explained],
        "suspects": _part(report.suspects),
        "oddities": _part(report.oddities),
        "left_out": list(report.skipped),
        "next_steps": asdict(report.next_steps),
        "made": asdict(report.made),
    }
    _place(found, problem.places.tolist())
    return found


def _sentences(report: Report) -> list[str]:
    found = [sentences.opening(report), *sentences.trust(report), *sentences.lead_words(report)]
    for words in (sentences.calibration_words, sentences.worth_words, sentences.rows_words):
        found += words(report)
    return found


def _compared(compared: Compared) -> dict[str, Any]:
    standings = [
        asdict(one) | {"scores": {name: {"mean": mean, "error": error} for name, (mean, error) in one.scores.items()}}
        for one in compared.standings
    ]
    return {"protocol": compared.protocol, "rows": int(compared.rows.size), "of": compared.of, "learners": standings}


def _part(part: Any) -> Any:
    return None if part is None else asdict(part)


def _place(node: Any, places: list[int]) -> None:
    """Add to everything that names a row by its position what the report calls it."""
    if isinstance(node, dict):
        if isinstance(row := node.get("row"), int):
            node["place"] = places[row]
        for child in node.values():
            _place(child, places)
    elif isinstance(node, (list, tuple)):
        for child in node:
            _place(child, places)


def _plain(node: Any) -> Any:
    if isinstance(node, dict):
        return {str(key): _plain(child) for key, child in node.items()}
    if isinstance(node, (list, tuple)):
        return [_plain(child) for child in node]
    if isinstance(node, float) and not math.isfinite(node):
        return None
    return node
