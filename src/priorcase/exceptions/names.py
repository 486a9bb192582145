"""Names that a result does not have."""

from collections.abc import Sequence
from typing import Self

from priorcase.exceptions.base import PriorcaseError, advice, compose, listed, quoted


class UnknownNameError(PriorcaseError, KeyError):
    """A name by which a result holds nothing."""

    @classmethod
    def absent(cls, owner: str, name: object, names: Sequence[object]) -> Self:
        """A key that is none of a result's."""
        problem = f"{owner} has nothing for {quoted(name)}; it has {listed(names)}."
        return cls(compose(problem, hint=advice(name, names, otherwise="list(...) gives all that it has.")))
