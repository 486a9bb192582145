"""Cases that ask for the cases most similar to themselves: for leaving one out, competence and near duplicates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from priorcase.reasoning.scoring.best_cases import Unknown
from priorcase.reasoning.scoring.many_queries import best_cases_many
from priorcase.typing import BoolArray, FloatArray, IdArray, IntArray

ROOM = 1 << 22
"""How many similarities of values are held at a time, for all attributes together (32 MB)."""


class Column(Protocol):
    """The values of one attribute: each distinct one once, and for each case its place among them."""

    @property
    def codes(self) -> IntArray: ...
    @property
    def values(self) -> tuple[Any, ...]: ...


class Similarity(Protocol):
    """How similar each distinct value of a column is to a value."""

    def similarities(self, query: Any) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class BestOthers:
    """For some cases, by their positions, the positions of the others most similar to each, and how similar they are.

    A row for each case; where there are fewer others the rest of the row is -1, with similarity 0.
    """

    cases: IdArray
    positions: IdArray
    similarities: FloatArray


def best_others(
    columns: Sequence[Column],
    prepared: Sequence[Similarity],
    weights: FloatArray,
    *,
    cases: IdArray,
    mask: BoolArray | None = None,
    k: int,
    unknown: Unknown = "different",
    n_threads: int = 1,
) -> Iterator[BestOthers]:
    """The ``k`` others most similar to each of some cases, in parts, as `best_cases` finds them without the case.

    Each part is as large as fits a fixed amount of memory; nothing is ever as large as cases by cases.

    Parameters
    ----------
    columns, prepared, weights
        Attributes, their local similarities and weights.
    cases
        Positions of the cases that ask.
    mask
        Which cases may be found; None: all.
    k, unknown, n_threads
        As of `best_cases`.

    Examples
    --------
    >>> import numpy as np
    >>> from priorcase.reasoning.measures.linear import Linear
    >>> from priorcase.reasoning.table import CaseTable
    >>> from priorcase.schema import Numeric
    >>> table = CaseTable.of({"age": Numeric()}, [(id, {"age": age}, None, None) for id, age in enumerate([1, 5, 2])])
    >>> age = table.column("age")
    >>> (found,) = best_others([age], [Linear().prepare(age)], np.ones(1), cases=np.arange(3), k=1)
    >>> found.positions.ravel().tolist(), found.similarities.ravel()
    ([2, 2, 0], array([0.75, 0.25, 0.75]))
    """
    attributes = [_Asking(column, similarity) for column, similarity in zip(columns, prepared, strict=True)]
    step = max(1, ROOM // max(1, sum(len(column.values) for column in columns)))
    for start in range(0, len(cases), step):
        part = np.ascontiguousarray(cases[start : start + step])
        asked = [attribute.of(part) for attribute in attributes]
        positions, similarities = best_cases_many(
            [column.codes for column in columns],
            [codes for codes, _ in asked],
            [table for _, table in asked],
            weights,
            own=part,
            mask=mask,
            k=k,
            unknown=unknown,
            n_threads=n_threads,
        )
        yield BestOthers(part, positions, similarities)


class _Asking:
    """One attribute of cases that ask: rows of its table for their values, kept where all of them fit together."""

    def __init__(self, column: Column, similarity: Similarity) -> None:
        self.column, self.similarity = column, similarity
        n = len(column.values)
        self._kept: dict[int, FloatArray] | None = {} if n * n <= ROOM // 16 else None

    def of(self, cases: IdArray) -> tuple[IntArray, FloatArray]:
        """For each case the row of its value, and the rows."""
        held = self.column.codes[cases]
        values = np.unique(held[held >= 0])
        codes = np.where(held < 0, np.int32(-1), np.searchsorted(values, held).astype(np.int32))
        rows = [self._row(int(value)) for value in values]
        return codes, np.stack(rows) if rows else np.empty((0, len(self.column.values)))

    def _row(self, value: int) -> FloatArray:
        if self._kept is None:
            return self.similarity.similarities(self.column.values[value])
        if value not in self._kept:
            self._kept[value] = self.similarity.similarities(self.column.values[value])
        return self._kept[value]
