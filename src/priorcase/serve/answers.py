"""Read rows from JSON with the schema of a model, and create the responses of the service as JSON documents."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

import priorcase as pc
from priorcase.datasets.typed import typed_date
from priorcase.documents import (
    case_document,
    contributions_document,
    counterfactuals_document,
    event_documents,
    plain,
    precedents_document,
    proposal_document,
)
from priorcase.exceptions import (
    NotAvailableError,
    ParameterError,
    SchemaMismatchError,
    TargetError,
    TooFewRowsError,
    TooLargeError,
    UnsupportedDataError,
    advice,
    quoted,
)
from priorcase.learning.estimator import RowsEstimator
from priorcase.learning.results import attribute_names
from priorcase.learning.state import pinned
from priorcase.neighbors.base import NeighborsEstimator
from priorcase.neighbors.precedents import outside_intervals
from priorcase.schema import Date, Nominal, Ordinal, Schema, Set, Taxonomy

_VALUES = 200  # maximum number of listed values of a column
_CONDITIONS = 20
_LEVEL = 0.95  # level of the prediction intervals that determine unlike past cases
_NEIGHBORS = 5  # past cases to return for a model without votes
_SCALARS = (bool, int, float, str)


def encoded(document: Any) -> bytes:
    """Return a document as JSON with all non-ASCII characters escaped; bytes are returned unchanged."""
    if isinstance(document, bytes):
        return document
    return json.dumps(plain(document), allow_nan=False).encode("ascii")


# -- models


def check_served(model: Any) -> None:
    """Raise an error unless the model is a fitted classifier or regressor of this library with a single target."""
    if not isinstance(model, RowsEstimator) or not (is_classifier(model) or is_regressor(model)):
        raise UnsupportedDataError(
            f"{type(model).__name__} cannot be served; expected a classifier or regressor of priorcase, or a case base."
        )
    targets = model._stored().instances.targets
    if targets is None or len(targets) != 1:
        raise UnsupportedDataError("A model with several targets cannot be served. Fit one model per target.")


def check_texts(document: Any, longest: int, name: str = "") -> None:
    """Raise an error if a JSON document has a string of more than ``longest`` characters."""
    if isinstance(document, str) and len(document) > longest:
        where = f" in {quoted(name)}" if name else ""
        raise TooLargeError(f"The request has a string of more than {longest:,} characters{where}.")
    if isinstance(document, list):
        for value in document:
            check_texts(value, longest, name)
    elif isinstance(document, dict):
        for key, value in document.items():
            check_texts(key, longest)
            check_texts(value, longest, key)


def read_rows(schema: Schema, given: Any, *, most: int) -> list[list[Any]]:
    """Convert JSON objects to rows in column order; raise an error for too many rows."""
    rows = given if isinstance(given, list) else [given]
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise ParameterError('The body must be a row such as {"age": 31, "color": null}, or a list of rows.')
    if len(rows) > most:
        raise TooLargeError(f"{len(rows):,} rows are more than the limit of {most:,} per request.")
    places = {str(name): a for a, name in enumerate(attribute_names(schema))}
    return [_read_row(row, i, schema, places) for i, row in enumerate(rows)]


def _read_row(row: Mapping[str, Any], i: int, schema: Schema, places: Mapping[str, int]) -> list[Any]:
    found: list[Any] = [None] * len(schema)  # omitted columns and null are missing values
    for name, value in row.items():
        if (at := places.get(name)) is None:
            remedy = advice(name, places, otherwise="GET /schema lists the columns.")
            raise SchemaMismatchError(f"Row {i} has an unknown column {quoted(name)}. {remedy}")
        found[at] = value
        if value is None or isinstance(value, int | float):
            continue
        takes_lists = isinstance(schema.kinds[at], Set)
        parts = value if isinstance(value, list) and takes_lists else [value]
        if not all(isinstance(part, _SCALARS) for part in parts):
            expected = "a list of strings" if takes_lists else "a number, a string, true, false or null"
            raise SchemaMismatchError(f"Row {i} has {quoted(value)} in column {quoted(name)}; expected {expected}.")
        if parts is value:
            found[at] = frozenset(parts)
        elif isinstance(schema.kinds[at], Date) and isinstance(value, str):
            found[at] = typed_date(value) or value
    return found


def predictions(model: Any, rows: Sequence[Any], level: float) -> list[dict[str, Any]]:
    """Return the prediction of each row, with probabilities or an interval.

    All predictions use the same state of the model, even if another thread changes the model in the meantime.
    """
    model = pinned(model)
    columns: dict[str, Sequence[Any]]
    if is_classifier(model):
        labels = [str(plain(label)) for label in model.classes_.tolist()]
        predicted, proba = (array.tolist() for array in _classified(model, rows))
        shares = [dict(zip(labels, row, strict=True)) for row in proba]
        columns = {"prediction": predicted, "probabilities": shares}
    else:
        columns = {"prediction": model.predict(rows).tolist()}
    if hasattr(model, "predict_interval"):
        columns["interval"] = model.predict_interval(rows, level).tolist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _classified(model: Any, rows: Sequence[Any]) -> tuple[Any, Any]:
    """Return predictions and probabilities; k-NN computes both with one search."""
    if isinstance(model, pc.KNNClassifier):
        return model._classified(rows)
    return model.predict(rows), model.predict_proba(rows)


def explanations(model: Any, rows: Sequence[Any], fixed: Sequence[str], **options: Any) -> list[dict[str, Any]]:
    """Return the prediction, contributions of columns, past cases and counterfactuals of each row."""
    model, found = pinned(model), []
    for one in pc.explain(model, rows, fixed=_keys(model.schema_, fixed), **options):
        document: dict[str, Any] = {"prediction": one.predictions.tolist()[0]}
        if one.probabilities is not None and one.classes is not None:
            labels = [str(plain(label)) for label in one.classes.tolist()]
            document["probabilities"] = dict(zip(labels, one.probabilities[0].tolist(), strict=True))
        document["contributions"] = contributions_document(one)
        if one.precedents is not None:
            document |= precedents_document(one.precedents)
        if one.counterfactuals is not None:
            document["counterfactuals"] = counterfactuals_document(one.counterfactuals)
        found.append(document)
    return found


def neighbors(model: Any, rows: Sequence[Any], k: int | None) -> list[dict[str, Any]]:
    """Return the past cases that vote on each row, or the ``k`` nearest past cases of each row.

    If the model does not predict by votes, ``k`` is 5 by default. In the result, ``unlike`` is the nearest past case
    whose class is not the predicted class or, for regression, whose target lies outside the prediction interval.
    """
    model = pinned(model)
    found: Any
    if not hasattr(model, "precedents"):
        found = pc.explain(model, rows, precedents=k or _NEIGHBORS, counterfactuals=0).precedents
    elif k is not None and _takes_number(model):
        found = _with_unlike(model, rows, model.precedents(rows, min(k, model.n_samples_fit_)))
    else:
        found = _with_unlike(model, rows, model.precedents(rows))
    if found is None:
        raise NotAvailableError("Past cases are not available with keep_rows=False. Fit and save with keep_rows=True.")
    told = [{"prediction": one.predictions.tolist()[0], **precedents_document(one)} for one in found]
    return [one | {"precedents": one["precedents"][:k]} for one in told]


def _with_unlike(model: Any, rows: Sequence[Any], found: Any) -> Any:
    """If the model predicts intervals, add the nearest past case outside the interval to the past cases of each row."""
    voter = model._voter()[1] if hasattr(model, "_voter") else model
    if not hasattr(model, "predict_interval") or not isinstance(voter, NeighborsEstimator):
        return found
    intervals, table = model.predict_interval(rows, _LEVEL), model._table(rows)
    if voter is model:
        return replace(found, unlike=outside_intervals(model, table, intervals))
    # The voter numbers its rows from 0, and does not use all columns.
    cases = outside_intervals(voter, model._queries(table).table, intervals)
    unlike = tuple(one and model._own_case(one) for one in cases)
    return replace(found, unlike=unlike)


def _takes_number(model: Any) -> bool:
    """Return whether ``precedents`` accepts ``n_neighbors``; a stack uses the ``precedents`` of one of its members."""
    voter = model._voter()[1] if hasattr(model, "_voter") else model
    return "n_neighbors" in signature(voter.precedents).parameters


def turning(
    model: Any, rows: Sequence[Any], n: int, fixed: Sequence[str], wanted: str | None, **wish: Any
) -> list[dict[str, Any]]:
    """Return the ``n`` smallest changes that alter each row's prediction; ``wanted`` is the desired class or None."""
    model, target = pinned(model), None
    if wanted is not None:
        labels = {str(plain(label)): label for label in getattr(model, "classes_", np.empty(0)).tolist()}
        target = labels.get(wanted, wanted)
    found = pc.counterfactuals(model, rows, n, fixed=_keys(model.schema_, fixed), target=target, **wish)
    return [
        {
            "prediction": one.predictions.tolist()[0],
            "counterfactuals": counterfactuals_document(one),
            "note": one.notes[0],
        }
        for one in found
    ]


def curve(model: Any, row: Sequence[Any], columns: list[str], n_values: int) -> dict[str, Any]:
    """Return the predictions of a row while one or two of its columns vary."""
    model = pinned(model)
    wanted = _keys(model.schema_, columns)
    found = pc.what_if(model, [row], wanted if len(wanted) > 1 else wanted[0], n_values=n_values)
    labels = None if found.classes is None else [str(plain(label)) for label in found.classes.tolist()]
    points = []
    for values, outputs, own in zip(found.values, found.outputs.tolist(), found.own.tolist(), strict=True):
        answer = (
            {"prediction": outputs[0]} if labels is None else {"probabilities": dict(zip(labels, outputs, strict=True))}
        )
        points.append({"values": list(values), **answer, "own": own})
    return {"columns": columns, "points": points}


def _keys(schema: Schema, columns: Sequence[str]) -> list[Any]:
    """Convert column names, which are strings in JSON, to the names of the model's columns, or to positions."""
    keys = {str(name): a if schema.names is None else name for a, name in enumerate(attribute_names(schema))}
    for name in columns:
        if name not in keys:
            remedy = advice(name, keys, otherwise="GET /schema lists the columns.")
            raise SchemaMismatchError(f"The model has no column {quoted(name)}. {remedy}")
    return [keys[name] for name in columns]


def append(model: Any, rows: Sequence[Any], targets: Sequence[Any]) -> dict[str, Any]:
    """Add rows to a model; call this function only on the thread that makes changes."""
    if wrong := [target for target in targets if not isinstance(target, _SCALARS)]:
        raise TargetError(f"A target must be a string, a number, true or false, got {quoted(wrong[0])}.")
    first = model._stored().instances.next_id
    model.partial_fit(rows, targets)
    ids = model.ids_
    return {"ids": ids[np.searchsorted(ids, first) :], "rows": len(ids)}


def forget(model: Any, ids: list[int]) -> dict[str, Any]:
    """Remove rows from a model, as if the model had never been fitted to these rows."""
    model.forget(ids)
    return {"forgotten": len(ids), "rows": model.n_samples_fit_}


def model_schema(model: Any, target: str | None) -> dict[str, Any]:
    """Return the columns, kinds and classes of a model."""
    model = pinned(model)
    instances = model._stored().instances
    columns = []
    for a, (name, kind) in enumerate(zip(attribute_names(instances.schema), instances.schema.kinds, strict=True)):
        values = kind.order if isinstance(kind, Ordinal) else instances.known(a) if type(kind) is Nominal else None
        told = {} if values is None else {"values": list(values[:_VALUES])}
        columns.append({"name": str(name), "kind": type(kind).__name__.lower(), **told})
    document = {"serves": "model", "model": repr(model), "target": target, "rows": len(instances), "columns": columns}
    if is_classifier(model):
        return document | {"task": "classify", "classes": [str(plain(label)) for label in model.classes_.tolist()]}
    return document | {"task": "regress"}


# -- case bases


def is_case_base(served: Any) -> bool:
    """Return whether ``served`` is a case base, without importing the module of case bases."""
    module = sys.modules.get("priorcase.cases.case_base")
    return module is not None and isinstance(served, module.CaseBase)


def base_schema(base: pc.CaseBase) -> dict[str, Any]:
    """Return the attributes of a case base as JSON."""
    columns = []
    for name, kind in base.attributes.items():
        values = kind.order if isinstance(kind, Ordinal) else kind.nodes if isinstance(kind, Taxonomy) else None
        told = {} if values is None else {"values": list(values)[:_VALUES]}
        columns.append({"name": name, "kind": type(kind).__name__.lower(), **told})
    return {"serves": "cases", "cases": len(base), "columns": columns}


def proposal(
    base: pc.CaseBase,
    query: Mapping[str, Any],
    k: int = 5,
    where: Sequence[str] = (),
    weights: Mapping[str, float] | None = None,
    method: str = "auto",
) -> dict[str, Any]:
    """Return a solution for a new case, and the past cases that the solution is based on."""
    found = base.retrieve(query, k, weights=weights, where=conditions(base, where) or None)
    if not len(found):
        raise TooFewRowsError("No case meets the conditions. Ask without conditions, or add cases.")
    return proposal_document(found, base.reuse(found, method))


def case(base: pc.CaseBase, id: int) -> dict[str, Any]:
    """Return a case with its history."""
    return case_document(base.get(id)) | {"history": event_documents(base.history(id))}


def revised(base: pc.CaseBase, id: int, changes: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Record the outcome of a case or correct the case, and return the case."""
    base.revise(id, changes, **fields)
    return case_document(base.get(id))


def conditions(base: pc.CaseBase, texts: Sequence[str]) -> dict[str, Any]:
    """Parse conditions such as ``people>=5`` and return one condition for each attribute; all conditions must hold."""
    from priorcase.cases.conditions import parse_all

    if len(texts) > _CONDITIONS:
        raise TooLargeError(f"{len(texts)} conditions are more than the limit of {_CONDITIONS}.")
    return parse_all(texts, base.attributes)
