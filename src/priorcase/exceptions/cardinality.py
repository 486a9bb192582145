"""Tables of counts or of answers that would not fit into memory."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class CardinalityError(PriorcaseError, ValueError):
    """So many values that a table with an entry for each would be too large."""

    @classmethod
    def cells(cls, column: object, values: int, classes: int, limit: int) -> Self:
        """Counts of the values of all columns by class; the column has the most values."""
        problem = (
            f"got column {column!r} with {values:,} values beside {classes:,} classes; "
            f"expected at most {limit:,} counts, values of all columns times classes."
        )
        return cls(compose(problem, hint="leave out a column that names single rows, or join rare values into one."))
