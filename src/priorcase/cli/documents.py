"""Answers as one JSON document, for machines; ``priorcase predict --help`` lists its fields."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from priorcase.cli.answers import Answer, Estimator
from priorcase.cli.options import Request
from priorcase.cli.tables import Problem
from priorcase.neighbors.precedents import Precedents

__all__ = ["document"]

Json: TypeAlias = dict[str, Any]


def document(request: Request, problem: Problem, estimator: Estimator, answers: Iterable[Answer]) -> str:
    """The answers and, where they have them, their precedents."""
    content = {
        "task": problem.task,
        "target": request.target,
        "cases": len(problem.train),
        "neighbors": estimator.n_neighbors_,
        "distance": request.distance,
        "vote": request.vote,
        "ties": estimator.ties,
        "attributes": {name: _kind(kind) for name, kind in problem.kinds.items()},
        "answers": [_answer(answer, problem) for answer in answers],
    }
    return json.dumps(_clean(content), indent=2, ensure_ascii=False, allow_nan=False)


def _kind(kind: Any) -> Any:
    return list(kind.order) if hasattr(kind, "order") else type(kind).__name__.lower()


def _answer(answer: Answer, problem: Problem) -> Json:
    result: Json = {"line": answer.line, "prediction": answer.prediction}
    if answer.probabilities is not None:
        result["probabilities"] = answer.probabilities
    result["actual"] = answer.actual
    if answer.precedents is not None:
        result |= _precedents(answer.precedents, problem)
    return result


def _precedents(one: Precedents, problem: Problem) -> Json:
    numbers = (one.ids.tolist(), one.targets.tolist(), one.distances.tolist(), one.votes.tolist())
    cases = zip(*numbers, one.rows, one.shares, strict=True)
    result: Json = {
        "precedents": [
            _case(id_, target, distance, row, shares, one, problem) | {"vote": vote}
            for id_, target, distance, vote, row, shares in cases
        ]
    }
    for unlike in one.unlike:
        result["unlike"] = unlike and _case(
            unlike.id, unlike.target, unlike.distance, unlike.row, unlike.shares, one, problem
        )
    return result


def _case(
    id_: int, target: Any, distance: float, row: Sequence[Any], shares: Any, one: Precedents, problem: Problem
) -> Json:
    return {
        "id": id_,
        "line": problem.train_lines[id_],
        "target": target,
        "distance": distance,
        "values": dict(zip(one.names, row, strict=True)),
        "shares": dict(zip(one.names, shares.tolist(), strict=True)),
    }


def _clean(value: Any) -> Any:
    """The value with null for what JSON cannot say, and plain Python types."""
    if isinstance(value, dict):
        return {str(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
