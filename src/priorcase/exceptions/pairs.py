"""Tables of pairs that would not fit into memory."""

from collections.abc import Sequence
from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, listed


class PairTableError(PriorcaseError, ValueError):
    """Counts of all pairs of values would take too much memory."""

    @classmethod
    def too_large(cls, caller: str, cells: int, limit: int, widest: Sequence[object], sizes: Sequence[int]) -> Self:
        """More counts than the limit; the attributes with the most values are named."""
        problem = (
            f"{caller} would count {cells} pairs of values, more than {limit}; "
            f"most values have {listed(widest)} ({', '.join(map(str, sizes))})."
        )
        return cls(compose(problem, hint="leave out columns that name single rows, or join rare values into one."))
