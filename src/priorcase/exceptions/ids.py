"""Ids that name no row."""

from collections.abc import Sequence
from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, listed

_WHERE = "the ids of the stored rows are in `ids_` (`ids` of Instances), and kneighbors gives those of neighbours"


class UnknownIdError(PriorcaseError, KeyError):
    """An id that names no stored row."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""

    @classmethod
    def absent(cls, caller: str, ids: Sequence[int]) -> Self:
        """Ids that were never given out, or whose rows were removed."""
        problem = f"{caller} got ids {listed(ids)}, which name no stored row; nothing was changed."
        return cls(compose(problem, hint=f"{_WHERE}."))

    @classmethod
    def present(cls, caller: str, ids: Sequence[int]) -> Self:
        """Ids of rows to be taken in that are there already."""
        problem = f"{caller} got ids {listed(ids)}, whose rows it holds already; nothing was changed."
        return cls(compose(problem, hint="append only ids that Instances.append has just returned."))

    @classmethod
    def repeated(cls, caller: str, ids: Sequence[int]) -> Self:
        """Ids given twice in one call."""
        problem = f"{caller} got ids {listed(ids)} more than once; expected each id once. Nothing was changed."
        return cls(compose(problem, hint="numpy.unique removes the repetitions."))

    @classmethod
    def not_integers(cls, caller: str, found: str) -> Self:
        """Something that cannot be a list of ids."""
        hint = f"for example [3]; {_WHERE}."
        return cls(compose(f"{caller} got ids as {found}; expected a list of integers.", hint=hint))
