"""Ids that name no row."""

from collections.abc import Sequence
from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, named

_WHERE = "the ids of the stored rows are in `ids_` (`ids` of Instances)"


class UnknownIdError(PriorcaseError, KeyError):
    """An id that names no stored row."""

    @classmethod
    def absent(cls, ids: Sequence[int]) -> Self:
        """Ids that were never given out, or whose rows were removed."""
        which = f"which name{'s' * (len(ids) == 1)} no stored row"
        problem = f"got {named('id', ids)}, {which}; nothing was changed."
        return cls(compose(problem, hint=f"{_WHERE}."))

    @classmethod
    def present(cls, ids: Sequence[int]) -> Self:
        """Ids of rows to be taken in that are there already."""
        rows = f"whose row{'s' * (len(ids) != 1)} it holds already"
        problem = f"got {named('id', ids)}, {rows}; nothing was changed."
        return cls(compose(problem, hint="append only ids that Instances.append has just returned."))

    @classmethod
    def repeated(cls, ids: Sequence[int]) -> Self:
        """Ids given twice in one call."""
        problem = f"got {named('id', ids)} more than once; expected each id once. Nothing was changed."
        return cls(compose(problem, hint="numpy.unique removes the repetitions."))

    @classmethod
    def not_integers(cls, found: str) -> Self:
        """Something that cannot be a list of ids."""
        hint = f"for example [3]; {_WHERE}."
        return cls(compose(f"got ids as {found}; expected a list of integers.", hint=hint))
