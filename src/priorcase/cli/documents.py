"""Answers as one JSON document, for machines; ``priorcase predict --help`` lists its fields."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from priorcase.bayes.results import Contributions
from priorcase.cli.answers import Answer
from priorcase.cli.fitted import Fitted
from priorcase.cli.request import Request
from priorcase.cli.tables import Problem
from priorcase.local import LocalPrecedents
from priorcase.neighbors.precedents import Precedents

__all__ = ["clean", "document"]

Json: TypeAlias = dict[str, Any]


def document(request: Request, problem: Problem, fitted: Fitted, answers: Iterable[Answer]) -> str:
    """The answers and, where that is asked for, what speaks for each."""
    content = {
        "task": problem.task,
        "target": request.target,
        "cases": len(problem.train),
        "learner": request.learner.name,
        **fitted.settings,
        "attributes": {name: _kind(kind) for name, kind in problem.kinds.items()},
        "answers": [_answer(answer, problem) for answer in answers],
    }
    return json.dumps(clean(content), indent=2, ensure_ascii=False, allow_nan=False)


def _kind(kind: Any) -> Any:
    return list(kind.order) if hasattr(kind, "order") else type(kind).__name__.lower()


def _answer(answer: Answer, problem: Problem) -> Json:
    result: Json = {"line": answer.line, "prediction": answer.prediction}
    if answer.probabilities is not None:
        result["probabilities"] = answer.probabilities
    if answer.interval is not None:
        result["interval"] = answer.interval
    result["actual"] = answer.actual
    if answer.slopes is not None:
        result["slopes"] = answer.slopes
    if isinstance(answer.explanation, Precedents):
        result |= _precedents(answer, answer.explanation, problem)
    elif answer.explanation is not None:
        result["contributions"] = _contributions(answer.explanation)
    return result


def _contributions(one: Contributions) -> Json:
    prior, *shares = one.contributions[0].tolist()
    return {
        "versus": one.versus.tolist()[0],
        "log_odds": one.total.tolist()[0],
        "prior": prior,
        "values": dict(zip(one.names, one.queries[0], strict=True)),
        "contributions": dict(zip(one.names, shares, strict=True)),
    }


def _precedents(answer: Answer, one: Precedents, problem: Problem) -> Json:
    numbers = (one.ids.tolist(), one.targets.tolist(), one.distances.tolist(), one.votes.tolist())
    cases = zip(*numbers, one.rows, one.contributions, _kernel_weights(one), strict=True)
    result: Json = {
        "precedents": [
            _case(id_, target, distance, row, shares, one, problem)
            | {"vote": vote, **weight}
            | answer.records.get(id_, {})
            for id_, target, distance, vote, row, shares, weight in cases
        ]
    }
    for unlike in one.unlike:
        result["unlike"] = unlike and _case(
            unlike.id, unlike.target, unlike.distance, unlike.row, unlike.contributions, one, problem
        ) | answer.records.get(unlike.id, {})
    return result


def _kernel_weights(one: Precedents) -> list[Json]:
    """How much each case counts in the local fit, where there is one to a number."""
    if not isinstance(one, LocalPrecedents):
        return [{}] * len(one.rows)
    return [{"kernel_weight": weight} for weight in one.weights.tolist()]


def _case(
    id_: int, target: Any, distance: float, row: Sequence[Any], shares: Any, one: Precedents, problem: Problem
) -> Json:
    return {
        "id": id_,
        "line": problem.train_lines[id_],
        "target": target,
        "distance": distance,
        "values": dict(zip(one.names, row, strict=True)),
        "contributions": dict(zip(one.names, shares.tolist(), strict=True)),
    }


def clean(value: Any) -> Any:
    """The value with null for what JSON cannot say, and plain Python types."""
    if isinstance(value, dict):
        return {str(key): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
