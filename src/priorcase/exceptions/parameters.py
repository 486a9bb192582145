"""Parameters that break their rules."""

from collections.abc import Iterable, Sequence
from typing import Self

from priorcase.exceptions.base import PriorcaseError, advice, compose, listed, quoted


class ParameterError(PriorcaseError, ValueError):
    """A parameter has a value that its rule does not allow."""

    @classmethod
    def wrong(cls, parameter: str, value: object, *, expected: str, hint: str, names: Iterable[object] = ()) -> Self:
        """A parameter that breaks its rule; ``names`` are those that it may have."""
        problem = f"got {parameter}={quoted(value)}; expected {expected}."
        return cls(compose(problem, hint=advice(value, names, otherwise=hint)))

    @classmethod
    def unknown_column(
        cls, parameter: str, key: object, names: Sequence[object] | None, n: int, *, others: Sequence[object] = ()
    ) -> Self:
        """A parameter that names a column the table does not have; ``others`` are no columns and may be meant too."""
        columns = f"columns {listed(names)}" if names is not None else f"{n} unnamed columns, 0 to {n - 1}"
        problem = f"got {parameter} with {quoted(key)}, which is no column; the table has {columns}."
        hint = "name columns by their label, or by their position from 0."
        return cls(compose(problem, hint=advice(key, [*(names or ()), *others], otherwise=hint)))

    @classmethod
    def same_column(cls, parameter: str, first: object, second: object) -> Self:
        """A parameter that names a column twice."""
        problem = f"got {parameter} with {first!r} and {second!r}, which are one column; expected each once."
        return cls(compose(problem, hint="a column's name and its position are the same column."))
