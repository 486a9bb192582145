"""The retrieved cases as a table that a local fit takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, Name
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.kinds import CaseKind, check, days, infer, kind_name
from priorcase.cases.reuse.sources import SourceCase, Sources
from priorcase.cases.reuse.texts import value_text
from priorcase.exceptions import CaseBaseError
from priorcase.schema import Nominal, Numeric, Ordinal
from priorcase.schema.kinds import canonical, identity

_SAME = 1e-9
_FITTED = ("numeric", "ordinal", "nominal", "date")


@dataclass(frozen=True)
class Design:
    """Rows, a query, and what their columns are.

    Parameters
    ----------
    names
        The attributes that have a part in the fit.
    rows, query
        One line for each case, and one for the query: numbers (dates in days, levels as ranks) and names.
    kinds
        By position.
    notes
        Where the query lies outside of what the cases hold, and where they do not tell attributes apart.
    """

    names: tuple[str, ...]
    rows: AnyArray
    query: AnyArray
    kinds: dict[Name, Numeric | Ordinal | Nominal]
    notes: tuple[str, ...]


def design(
    cases: Sequence[SourceCase], query: Mapping[str, Any], sources: Sources, using: Iterable[str] | None
) -> Design:
    """The attributes that the query knows, that differ between the cases and that a fit can take."""
    names: list[str] = []
    columns: list[list[Any]] = []
    asked: list[Any] = []
    kinds: dict[Name, Numeric | Ordinal | Nominal] = {}
    notes: list[str] = []
    for name, kind in _kinds(sources, query, using).items():
        if query.get(name) is None:
            continue
        column = [_cell(kind, case.get(name), name) for case in cases]
        mine = _cell(kind, query[name], name)
        known = [value for value in column if value is not None]
        if len(set(known)) < 2:
            continue
        nominal = isinstance(kind, Nominal)
        if nominal and mine not in known:
            notes.append(f"no case has {name} {value_text(query[name])}, so it has no part in the fit")
            continue
        if not nominal and not min(known) <= mine <= max(known):
            notes.append(f"the query lies outside of the cases in {name}")
        kinds[len(names)] = Nominal() if nominal else Numeric()
        names.append(name)
        columns.append(column)
        asked.append(mine)
    if _change_together(columns, asked):
        notes.append(f"the cases do not tell apart {', '.join(names)}: some of them change together")
    if not names:  # a mean needs rows, whatever is in them
        kinds, columns, asked = {0: Numeric()}, [[0.0] * len(cases)], [0.0]
    return Design(tuple(names), _table(zip(*columns, strict=True)), _table([asked]), kinds, tuple(notes))


def _change_together(columns: Sequence[Sequence[Any]], asked: Sequence[Any]) -> bool:
    """Whether some combination of the columns is the same in all cases, so that no fit can tell their parts."""
    deviations = []
    for column, mine in zip(columns, asked, strict=True):
        if isinstance(mine, str):
            others = sorted({value for value in column if value not in (None, mine)})
            deviations += [[float(value == other) for value in column] for other in others]
        else:
            deviations.append([0.0 if value is None else value - mine for value in column])
    if not deviations or len(deviations) >= len(deviations[0]):
        return False  # too few cases for any fit, which is another matter
    centred = np.array(deviations) - np.mean(deviations, axis=1, keepdims=True)
    centred /= np.maximum(np.abs(centred).max(axis=1, keepdims=True), np.finfo(float).tiny)
    return bool(np.linalg.matrix_rank(centred, tol=_SAME * len(centred[0])) < len(deviations))


def _kinds(sources: Sources, query: Mapping[str, Any], using: Iterable[str] | None) -> dict[str, CaseKind]:
    """The attributes that a fit can take, or those asked for, with their kinds."""
    known = sources.attributes()
    if sources.kinds is not None:
        kinds = dict(sources.kinds)
    else:
        kinds = {name: infer([query.get(name), *(case.get(name) for case in sources.cases)]) for name in known}
    if using is None:
        return {name: kind for name, kind in kinds.items() if kind_name(kind) in _FITTED}
    if absent := [name for name in using if name not in kinds]:
        raise unknown_attributes(absent, known)
    for name in using:
        if kind_name(kinds[name]) not in _FITTED:
            raise CaseBaseError(
                f"got using with {name!r}, which is of kind {kind_name(kinds[name])}; expected numeric, ordinal, "
                "nominal or date ones. Leave it out: it counts in the similarity, which weighs the cases."
            )
    return {name: kinds[name] for name in using}


def _cell(kind: CaseKind, value: Any, name: str) -> Any:
    """A number, or for a nominal value a name that no other value has."""
    stored = check(kind, value, attribute=name)
    if stored is None:
        return None
    if isinstance(kind, Ordinal):
        return float([identity(level) for level in kind.order].index(identity(stored)))
    if kind_name(kind) == "date":
        return days(str(stored))
    return canonical(stored).hex() if isinstance(kind, Nominal) else float(stored)  # type: ignore[arg-type]


def _table(rows: Iterable[Sequence[Any]]) -> AnyArray:
    lines = [list(row) for row in rows]
    table = np.empty((len(lines), len(lines[0])), dtype=object)
    table[:] = lines
    return table
