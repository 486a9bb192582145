"""Tables of pairs that would not fit into memory."""

from collections.abc import Sequence
from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class PairTableError(PriorcaseError, ValueError):
    """Counts of all pairs of values would take too much memory."""

    @classmethod
    def too_large(cls, cells: int, limit: int, widest: Sequence[object], sizes: Sequence[int]) -> Self:
        """More counts than the limit; the attributes with the most values are named."""
        most = ", ".join(f"{name!r} ({size:,})" for name, size in zip(widest, sizes, strict=True))
        problem = (
            f"would count {cells:,} pairs of values; expected at most {limit:,}. "
            f"The columns with the most values are {most}."
        )
        return cls(compose(problem, hint="leave out columns that name single rows, or join rare values into one."))
