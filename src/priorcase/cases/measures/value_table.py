"""Similarities of values that somebody wrote down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from priorcase._parameters import as_python, settle
from priorcase._typing import FloatArray, Value
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.checks import flag, is_similarity, similarity
from priorcase.cases.measures.frozen import FrozenMapping
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.exceptions import ParameterError, quoted
from priorcase.schema.kinds import identity, is_hashable, plain

Pairs = Mapping[tuple[Value, Value], float]


@dataclass(frozen=True)
class Table:
    """The similarity written down for a pair of values; 1 for equal ones, ``otherwise`` for pairs not named.

    Parameters
    ----------
    pairs
        From two different values, the query's first and the case's second, to their similarity from 0 to 1.
    symmetric
        Whether a pair counts in both directions.
    otherwise
        The similarity of two different values that no pair names.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> similarities("orange", ["red", "orange", "blue"], "nominal", Table({("red", "orange"): 0.8}))
    {'red': 0.8, 'orange': 1.0, 'blue': 0.0}
    """

    pairs: Pairs
    symmetric: bool = True
    otherwise: float = 0.0

    accepts: ClassVar[tuple[str, ...]] = ("nominal", "ordinal", "taxonomy")
    needs_solutions: ClassVar[bool] = False

    def __post_init__(self) -> None:
        symmetric = flag("symmetric", self.symmetric, hint="False lets (a, b) differ from (b, a).")
        hint = "0 says that other values have nothing in common."
        otherwise = similarity("otherwise", self.otherwise, hint=hint)
        settle(self, pairs=_checked(self.pairs), symmetric=symmetric, otherwise=otherwise)
        self._directed()

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        rows: dict[Value, dict[int, float]] = {}
        for asked, held, similar in self._directed():
            row = rows.setdefault(identity(asked), {})
            if (place := column.place(held)) >= 0:  # type: ignore[arg-type]
                row[place] = similar
        return _Prepared(column, rows, self.otherwise)

    def _directed(self) -> list[tuple[Value, Value, float]]:
        """Each pair in every direction in which it counts; an error where both directions differ but may not."""
        pairs = [(first, second, similar) for (first, second), similar in self.pairs.items()]
        if not self.symmetric:
            return pairs
        seen: dict[tuple[Value, Value], float] = {}
        for first, second, similar in pairs:
            a, b = identity(first), identity(second)
            if (before := seen.setdefault((b, a), seen.setdefault((a, b), similar))) != similar:
                raise ParameterError(
                    f"Table got {first!r} and {second!r} with two similarities, {before!r} and {similar!r}, and "
                    "symmetric=True. Take symmetric=False, or give the pair once."
                )
        return pairs + [(second, first, similar) for first, second, similar in pairs]


def _checked(pairs: object) -> FrozenMapping[tuple[Value, Value], float]:
    if not isinstance(pairs, Mapping):
        raise ParameterError(
            f"Table got {quoted(pairs)}, which is no mapping from pairs to similarities. For example Table({{('red', "
            "'orange'): 0.8}): two different values, and their similarity from 0 to 1."
        )
    found: dict[tuple[Value, Value], float] = {}
    for pair, similar in pairs.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(map(_is_name, pair)):
            raise ParameterError(
                f"Table got {quoted(pair)}, which is no pair of values. For example Table({{('red', 'orange'): 0.8}})."
            )
        if not is_similarity(similar):
            raise ParameterError(f"Table got {quoted(similar)} for {pair!r}, which is no similarity from 0 to 1.")
        if identity(pair[0]) == identity(pair[1]) and similar != 1:
            raise ParameterError(f"Table got {similar!r} for {pair!r}, one value that is always like itself.")
        found[plain(pair[0]), plain(pair[1])] = as_python(similar)
    return FrozenMapping(found)


def _is_name(value: object) -> bool:
    return is_hashable(value) and isinstance(plain(value), (str, int, float, bool))


@dataclass(frozen=True, eq=False)
class _Prepared:
    column: CaseColumn
    rows: Mapping[Value, Mapping[int, float]]
    otherwise: float

    def similarities(self, query: Stored) -> FloatArray:
        found = np.full(len(self.column.values), float(self.otherwise))
        for place, similar in self.rows.get(identity(query), {}).items():
            found[place] = similar
        if (place := self.column.place(query)) >= 0:
            found[place] = 1.0
        return found
