"""What a local similarity is: how alike two values of one attribute are, from 0 to 1."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from priorcase._typing import FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored


class Prepared(Protocol):
    """A local similarity with what it needs to know of the stored values; it never changes."""

    def similarities(self, query: Stored) -> FloatArray:
        """How alike the query's value is to each of ``column.values``, in their order.

        The query's value may be one that no case holds. The array is new: the caller may write to it.
        """
        ...


@runtime_checkable
class LocalSimilarity(Protocol):
    """How alike two values of one attribute are: 1 for equal ones, 0 for those that have nothing in common."""

    @property
    def accepts(self) -> tuple[str, ...]:
        """The kinds of attributes that it compares, each in one word."""
        ...

    @property
    def needs_solutions(self) -> bool:
        """Whether it learns from the solutions of the stored cases."""
        ...

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        """The similarity with its statistics of the stored values.

        ``previous`` is what it prepared for an earlier state of the same column: it saves work and changes nothing.
        """
        ...
