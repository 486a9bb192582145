"""Tables from which attributes cannot be chosen."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class SelectionError(PriorcaseError, ValueError):
    """A table whose rows cannot be left out in turn."""

    @classmethod
    def one_row(cls) -> Self:
        """Leaving out the only row; scikit-learn's words."""
        problem = "leaves each row out in turn, but n_samples = 1; expected two rows or more."
        return cls(compose(problem, hint="pass more rows."))
