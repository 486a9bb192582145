"""Numeric columns that spread too far or too little for a density."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class SpreadError(PriorcaseError, ValueError):
    """A numeric column whose variance is beyond what float64 can hold with room to spare."""

    @classmethod
    def beyond(cls, column: object, *, large: bool) -> Self:
        """A variance that is too large, or positive but too small."""
        found, power = ("large", "divide") if large else ("small", "multiply")
        problem = f"got column {column!r} with a variance too {found} for a density in float64"
        return cls(
            compose(f"{problem}; expected one from 1e-280 to 1e280, or 0.", hint=f"{power} it by a power of ten.")
        )
