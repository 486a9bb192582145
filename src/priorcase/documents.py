"""Results as JSON documents, for the command line and the HTTP service."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

RecordOf = Callable[[Any, int], dict[str, Any]]
"""Function that returns a learner's record of a row, given the predicted class and the row id."""


def plain(value: Any) -> Any:
    """Convert a value to JSON types, for example a set to a list and a non-finite number to null."""
    kind = type(value)
    if kind is float:  # the usual types first: a document has hundreds of values
        return value if math.isfinite(value) else None
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return [plain(item) for item in sorted(value, key=lambda item: (str(type(item)), item))]
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "to_json"):
        return value.to_json()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float) else str(value)


# -- explanations of one query


def contributions_document(one: Any) -> dict[str, Any]:
    """Return the contribution of each column to a prediction."""
    versus = {} if one.versus is None else {"versus": one.versus.tolist()[0]}
    return {
        "scale": one.scale,
        **versus,
        "base": one.base.tolist()[0],
        "total": one.total.tolist()[0],
        "values": dict(zip(one.names, one.queries[0], strict=True)),
        "contributions": dict(zip(one.names, one.contributions[0].tolist(), strict=True)),
        "errors": dict(zip(one.names, one.errors[0].tolist(), strict=True)),
    }


def counterfactuals_document(one: Any, lines: Sequence[int] | None = None) -> list[dict[str, Any]]:
    """Return the counterfactuals of a prediction; ``lines`` are the line numbers of the past cases in their file."""
    before, found = one.queries[0], []
    for row, changed, prediction, distance, id_ in zip(
        one.rows, one.changed, one.new_predictions.tolist(), one.distances.tolist(), one.ids.tolist(), strict=True
    ):
        changes = {one.names[a]: [before[a], row[a]] for a in changed.nonzero()[0].tolist()}
        line = {} if lines is None else {"line": lines[id_]}
        found.append({"prediction": prediction, "changes": changes, "distance": distance, "id": id_, **line})
    return found


def precedents_document(
    one: Any, lines: Sequence[int] | None = None, record_of: RecordOf | None = None, prediction: Any = None
) -> dict[str, Any]:
    """Return the past cases behind a prediction, and the nearest case of another class."""

    def case(id_: int, target: Any, distance: float, row: Sequence[Any], parts: Any) -> dict[str, Any]:
        line = {} if lines is None else {"line": lines[id_]}
        told = {"id": id_, **line, "target": target, "distance": distance}
        told["values"] = dict(zip(one.names, row, strict=True))
        told["contributions"] = dict(zip(one.names, parts.tolist(), strict=True))
        return told | (record_of(prediction, id_) if record_of else {})

    lists = (one.ids.tolist(), one.targets.tolist(), one.distances.tolist(), one.rows, one.contributions)
    cases = [case(*of) | {"vote": vote} for *of, vote in zip(*lists, one.votes.tolist(), strict=True)]  # NaN is null
    if hasattr(one, "weights"):  # of local fits
        cases = [of | {"kernel_weight": w} for of, w in zip(cases, one.weights.tolist(), strict=True)]
    document: dict[str, Any] = {"precedents": cases}
    if one.member is not None:
        document |= {"member": one.member, "member_weight": one.member_weight}
    if one.n_voters is not None:
        document["voters"] = int(one.n_voters[0])
    for near in one.unlike:
        document["unlike"] = near and case(near.id, near.target, near.distance, near.row, near.contributions)
    return document


# -- cases of a case base


def case_document(case: Any) -> dict[str, Any]:
    """Return the fields of a case."""
    notes = [{"text": note.text, "at": note.at, "by": note.by} for note in case.notes]
    document = {"id": case.id, "key": case.key, "values": dict(case), "solution": case.solution}
    document |= {"outcome": case.outcome, "notes": notes}
    return document | {name: getattr(case, name) for name in ("added_at", "by", "why", "revised_at", "retired")}


def proposal_document(found: Any, proposal: Any) -> dict[str, Any]:
    """Return a proposed solution and the cases on which it is based."""
    of = ("solution", "probability", "support", "against", "cases")
    fields = ("solution", "method", "how", "confidence", "interval", "notes")
    matches = []
    for match in found:
        shares = {name: share.contribution for name, share in match.contributions.items()}
        matches.append(case_document(match.case) | {"similarity": match.similarity, "contributions": shares})
    candidates = [{name: getattr(one, name) for name in of} for one in proposal.candidates]
    told = {name: getattr(proposal, name) for name in fields}
    return {"query": dict(found.query), **told, "candidates": candidates, "cases": matches}


def event_documents(events: Sequence[Any]) -> list[dict[str, Any]]:
    """Convert events from the history of a case base to dictionaries of JSON types."""
    return [{"at": e.at, "action": e.action, "case": e.id, "by": e.by, "why": e.why} for e in events]
