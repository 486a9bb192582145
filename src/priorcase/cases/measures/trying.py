"""What a measure says of some values, to see it before it is used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from priorcase.cases.kinds import CaseKind, check, check_plain, shown
from priorcase.cases.kinds.descriptions import as_kind
from priorcase.cases.measures.choosing import as_measure, default_measure
from priorcase.cases.table import CaseTable
from priorcase.exceptions import ParameterError, prefix_errors, quoted


@prefix_errors
def similarities(
    query: Any,
    values: Iterable[Any],
    kind: CaseKind | str,
    measure: Any = None,
    *,
    solutions: Sequence[Any] | None = None,
) -> dict[Any, float]:
    """How alike a query's value is to each of some stored ones, as retrieval would find them.

    Parameters
    ----------
    query
        What is asked for.
    values
        What the stored cases have, one for each case: ranges and frequencies come from them.
    kind
        What the attribute is, as a case base declares it: ``"numeric"``, ``Taxonomy(tree)``.
    measure
        A measure, its short name or a function of two values; None: the usual one of the kind.
    solutions
        The solution of each case, for measures that learn from them.

    Examples
    --------
    >>> similarities(20, [10, 25, 30], "numeric")
    {10: 0.5, 25: 0.75, 30: 0.5}
    >>> similarities("papr jam", ["Paper jam", "no paper"], "text", "edit")
    {'Paper jam': 0.888..., 'no paper': 0.0}
    """
    known = as_kind(kind, attribute="value")
    chosen = default_measure(known) if measure is None else as_measure(measure, known, "value")
    stored = [check(known, value, attribute="value") for value in values]
    told = [None] * len(stored) if solutions is None else list(solutions)
    if len(told) != len(stored):
        raise ParameterError(
            f"solutions must hold one for each of {len(stored)} values, got {quoted(solutions)}. Write None where a "
            "case has no solution."
        )
    texts = [check_plain(solution, what="solution") for solution in told]
    rows = [(n, {"value": value}, text, None) for n, (value, text) in enumerate(zip(stored, texts, strict=True), 1)]
    table = CaseTable.of({"value": known}, rows)
    column, asked = table.column("value"), check(known, query, attribute="value")
    if asked is None:
        raise ParameterError(
            f"query must be a known value, got {quoted(query)}. Retrieval leaves an attribute out that the query does "
            "not know."
        )
    found = chosen.prepare(column, None if solutions is None else table.column("solution")).similarities(asked)
    return dict(zip((shown(known, value) for value in column.values), found.tolist(), strict=True))
