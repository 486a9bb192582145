"""Prepare new cases of a file for a model, and describe what differs from the past cases.

The command line and the explorer prepare files in the same way and show the same notes: about columns that are absent
or not used, values that no past case has, and numbers outside the range of the past cases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from priorcase.bayes.counted import CountedRows
from priorcase.datasets.past import Past, kinds_of_model
from priorcase.datasets.reading import check_column
from priorcase.exceptions import ReadingError, listed, nearest, similar_value
from priorcase.learning.results import value_text
from priorcase.schema import Circular, Date, Nominal, Numeric

_LISTED = 20  # maximum number of columns to list
_STRANGE = 3  # maximum number of lines with unusual values to describe
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def columns_for(table: Any, names: Sequence[str], *, target: str | None, of: str) -> tuple[Any, list[str]]:
    """Select the columns that a model uses, and return them with notes; absent columns are filled with missing values.

    ``of`` is the name of the past cases in messages. An error is raised if all columns are absent, or if the name of an
    additional column resembles the name of an absent column.
    """
    source = table.attrs["source"]
    found = list(map(str, table.columns))
    absent = [name for name in names if name not in found]
    if len(absent) == len(names):
        check_column(source, absent[0], found)
    others = [name for name in found if name not in names and name != target]
    for name in others:
        if (meant := nearest(name, absent)) is not None:
            raise ReadingError(
                f"{source} has a column {name!r} that {of} does not have. Did you mean {meant!r}? If not, "
                "rename or drop the column."
            )
    notes = []
    if absent:
        plural = "s" * (len(absent) > 1)
        notes.append(f"{source} has no column{plural} {listed(absent, limit=_LISTED)} (treated as missing)")
    if others:
        told = listed(others, limit=_LISTED)
        notes.append(f"these columns of {source} are not used, because {of} does not have them: {told}")
    return table.reindex(columns=list(names)), notes


def repeated_note(past: Past, X: Any, actual: Sequence[Any]) -> str:
    """Return a note on new cases that are identical to a past case; an empty string if there are none."""
    stored = set(zip(_tuples(past.X), past.y.tolist(), strict=True))
    repeated = sum(case in stored for case in zip(_tuples(X), actual, strict=True))
    if not repeated:
        return ""
    return (
        f"{repeated:,} of {len(X):,} new cases are identical to a past case, including the target; "
        "results on these cases are optimistic"
    )


def _tuples(X: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a frame as tuples, with None for missing values."""
    return list(X.astype(object).where(X.notna(), None).itertuples(index=False, name=None))


def known_values(model: Any) -> dict[str, Any]:
    """Return the values of each column that a model stores, as pandas series."""
    import pandas as pd

    instances = model._stored().instances
    found = {}
    for a, (name, kind) in enumerate(kinds_of_model(model).items()):
        names = isinstance(kind, Nominal) or isinstance(instances, CountedRows)
        values = pd.Series(instances.known(a) if names else instances.column(a))
        found[name] = pd.to_datetime(values, unit="s") if isinstance(kind, Date) else values
    return found


def strange_note(kinds: Mapping[str, Any], known: Mapping[str, Any], X: Any, lines: Sequence[int] | None) -> str:
    """Return a note on values that no past case has; an empty string if there are none.

    ``known`` has the past values of each column, and ``lines`` the lines of the new cases in their file, if any.
    """
    strange: dict[int, list[str]] = {}
    for a, (name, kind) in enumerate(kinds.items()):
        for row, words in _strange_values(kind, known[name].dropna(), X.iloc[:, a].dropna()).items():
            strange.setdefault(row, []).append(f"{name} {words}")
    parts = []
    for row in sorted(strange)[:_STRANGE]:
        place = "" if lines is None else f"line {lines[row]}: "
        parts.append(place + ", ".join(strange[row]))
    if more := len(strange) - len(parts):
        parts.append(f"and {more:,} more line{'s' * (more > 1)}")
    return "; ".join(parts)


def _strange_values(kind: Any, past: Any, new: Any) -> dict[int, str]:
    """Describe the unusual values of one column by row."""
    if new.empty or past.empty:
        return {}
    if type(kind) is Nominal:
        outside = ~new.isin(past.unique().tolist())
        why = "was never seen"
    elif isinstance(kind, Numeric) and not isinstance(kind, Circular):
        low, high = past.min(), past.max()
        outside = (new < low) | (new > high)
        why = f"is outside the range {value_text(low, 40)} to {value_text(high, 40)} of the past cases"
    else:
        return {}
    found = {}
    for row, value in new[outside].items():
        meant = _meant(value, past.unique())
        question = "" if meant is None else f" (did you mean {meant!r}?)"
        found[row] = f"{value_text(value, 40)} {why}{question}"
    return found


def _meant(value: object, known: Any) -> object:
    """Return the known value that a new value probably means; values with digits may differ only in case and spaces."""
    meant = similar_value(value, known)
    if meant is not None or not isinstance(value, str) or any(map(str.isdigit, value)):
        return meant
    spelled = {other.casefold().translate(_UMLAUTS): other for other in known if isinstance(other, str)}
    near = nearest(value.casefold().translate(_UMLAUTS), spelled)
    return None if near is None else spelled[near]
