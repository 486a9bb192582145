"""Select measures by name, convert measures to dicts and back, and apply measures to values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from priorcase.cases import kinds
from priorcase.cases.kinds import CaseKind
from priorcase.cases.measures import names, numbers, sets, structures, texts
from priorcase.cases.measures.base import Blend, LocalSimilarity, Own, is_measure
from priorcase.cases.table import CaseTable
from priorcase.exceptions import ParameterError, advice, joined, listed, prefix_errors, quoted
from priorcase.schema import Circular, Date, Nominal, Numeric, Ordinal, Set, Taxonomy, Text

NAMES: Mapping[str, LocalSimilarity] = {
    "linear": numbers.Linear(),
    "less_is_better": numbers.OneSided("less"),
    "more_is_better": numbers.OneSided("more"),
    "ranks": numbers.Ranks(),
    "equality": names.Equality(),
    "mvdm": names.MVDM(),
    "wu_palmer": structures.WuPalmer(),
    "path": structures.PathLength(),
    "levels": structures.LevelSimilarity(),
    "jaccard": sets.Jaccard(),
    "dice": sets.Dice(),
    "containment": sets.Containment(),
    "overlap": sets.SetOverlap(),
    "season": numbers.Season(),
    "circular": numbers.CircularSimilarity(),
    "tfidf": texts.TfIdf(),
    "edit": texts.EditDistance(),
    "equal_text": texts.EqualText(),
    "graph": structures.GraphSimilarity(),
}
"""Mapping from short names to measures."""

DEFAULT_MEASURES: Mapping[type[Any], LocalSimilarity] = {
    Numeric: NAMES["linear"],
    Circular: NAMES["circular"],
    Ordinal: NAMES["ranks"],
    Nominal: NAMES["equality"],
    Taxonomy: NAMES["wu_palmer"],
    Set: NAMES["jaccard"],
    Date: NAMES["linear"],
    Text: NAMES["tfidf"],
    kinds.Graph: NAMES["graph"],
}
"""Default measure for each kind of attribute."""

_LINES = (numbers.ExponentialSimilarity, numbers.GaussianSimilarity, numbers.Recency, numbers.Threshold)
_CLASSES: Mapping[str, type[Any]] = {
    cls.__name__: cls for cls in (*map(type, NAMES.values()), *_LINES, names.SimilarityTable, Blend)
}
# Files of case bases may contain former names of measures.
_EARLIER = {
    "Exponential": "ExponentialSimilarity",
    "Gaussian": "GaussianSimilarity",
    "Levels": "LevelSimilarity",
    "Overlap": "SetOverlap",
    "Table": "SimilarityTable",
}


def names_for(kind: CaseKind) -> list[str]:
    """Return the short names of the measures that support attributes of a kind."""
    return [name for name, measure in NAMES.items() if kinds.kind_name(kind) in measure.accepts]


def as_measure(given: object, kind: CaseKind, attribute: str) -> LocalSimilarity:
    """Return the measure of an attribute, given as a measure, its short name or a function of two values."""
    measure: LocalSimilarity
    if is_measure(given):
        measure = given
    elif isinstance(given, str) and given in NAMES:
        measure = NAMES[given]
    elif callable(given) and not isinstance(given, type):
        measure = Own(given)
    else:
        fitting = names_for(kind)
        remedy = advice(given, fitting, otherwise="For a measure with parameters, pass e.g. Linear(range=10).")
        if isinstance(given, type):
            remedy = f"Pass an instance of {given.__name__}, not the class."
        raise ParameterError(
            f"got {quoted(given)} as the measure of attribute {attribute!r}; expected a measure, a function of two "
            f"values, or the name of a measure for {kinds.kind_name(kind)} attributes: {listed(fitting, limit=99)}. "
            f"{remedy}"
        )
    if kinds.kind_name(kind) not in measure.accepts:
        raise ParameterError(
            f"{quoted(given)} cannot compare attribute {attribute!r}, which is {kinds.kind_name(kind)}; the measure "
            f"supports {joined(measure.accepts) or 'no'} attributes. Choose {listed(names_for(kind), limit=99)} or a "
            "function of two values."
        )
    return measure


def describe(measure: LocalSimilarity) -> dict[str, Any]:
    """Convert a measure to a dict that JSON can represent; a measure with a function or a model raises an error."""
    name = type(measure).__name__
    if _CLASSES.get(name) is not type(measure):
        raise ParameterError(
            f"{quoted(measure)} contains a function or a model, which cannot be written to a file. Pass it as "
            "measures={attribute: ...} in each call."
        )
    found = {field.name: getattr(measure, field.name) for field in fields(measure)}  # type: ignore[arg-type]
    if isinstance(measure, Blend):
        found["measures"] = [[describe(part), share] for part, share in measure.measures.items()]
    elif isinstance(measure, names.SimilarityTable):
        found["pairs"] = [[first, second, similarity] for (first, second), similarity in measure.pairs.items()]
    elif isinstance(measure, structures.LevelSimilarity) and measure.weights is not None:
        found["weights"] = dict(measure.weights)
    elif isinstance(measure, texts.TfIdf):
        found["ngrams"] = list(measure.ngrams)
        found["stop_words"] = None if measure.stop_words is None else list(measure.stop_words)
    return {"measure": name, **found}


def from_description(found: Mapping[str, Any]) -> LocalSimilarity:
    """Create a measure from a dict returned by `describe`."""
    name = found.get("measure") if isinstance(found, Mapping) else None
    cls = _CLASSES.get(_EARLIER.get(name, name)) if isinstance(name, str) else None
    if cls is None:
        raise ParameterError(
            f"{quoted(found)} does not describe a measure. Expected the result of describe(measure), such as "
            "{'measure': 'Linear', 'range': 10}."
        )
    given = {key: value for key, value in found.items() if key != "measure"}
    try:
        if cls is Blend:
            given["measures"] = {from_description(part): share for part, share in given["measures"]}
        elif cls is names.SimilarityTable:
            given["pairs"] = {(first, second): similarity for first, second, similarity in given["pairs"]}
        measure: LocalSimilarity = cls(**given)
    except (TypeError, KeyError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(
            f"{quoted(found)} does not describe a measure: the parameters do not fit {cls.__name__}. Expected the "
            "result of describe(measure)."
        ) from None
    return measure


@prefix_errors
def similarities(
    query: Any,
    values: Iterable[Any],
    kind: CaseKind | str,
    measure: Any = None,
    *,
    solutions: Sequence[Any] | None = None,
) -> dict[Any, float]:
    """Return a dict that maps each stored value to its similarity to the query's value.

    Ranges and frequencies are computed from ``values``, which contains one value per case. ``kind`` is the kind of the
    attribute, such as ``"numeric"`` or ``Taxonomy(tree)``. ``measure`` is a measure, its short name or a function of
    two values; by default, the measure depends on the kind. Measures that learn from solutions also need ``solutions``.

    >>> similarities(20, [10, 25, 30], "numeric")
    {10: 0.5, 25: 0.75, 30: 0.5}
    >>> similarities("papr jam", ["Paper jam", "no paper"], "text", "edit")
    {'Paper jam': 0.888..., 'no paper': 0.0}
    """
    kind = kinds.as_kind(kind, attribute="value")
    chosen = DEFAULT_MEASURES[type(kind)] if measure is None else as_measure(measure, kind, "value")
    stored = [kinds.check(kind, value, attribute="value") for value in values]
    known = [None] * len(stored) if solutions is None else list(solutions)
    if len(known) != len(stored):
        raise ParameterError(
            f"solutions must have one entry for each of {len(stored)} values, got {quoted(solutions)}. Use None for "
            "cases without a solution."
        )
    solved = [kinds.check_plain(solution, what="solution") for solution in known]
    rows = [(n, {"value": value}, text, None) for n, (value, text) in enumerate(zip(stored, solved, strict=True), 1)]
    table = CaseTable.of({"value": kind}, rows)
    column, asked = table.column("value"), kinds.check(kind, query, attribute="value")
    if asked is None:
        raise ParameterError(
            f"query must not be missing, got {quoted(query)}. Retrieval ignores attributes that are missing in the "
            "query."
        )
    found = chosen.prepare(column, None if solutions is None else table.column("solution")).similarities(asked)
    return dict(zip((kinds.shown(kind, value) for value in column.values), found.tolist(), strict=True))
