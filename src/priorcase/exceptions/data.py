"""Data of types that have no reading as a table."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class UnsupportedDataError(PriorcaseError, TypeError):
    """Data of a type that the library does not read."""

    @classmethod
    def container(cls, found: object) -> Self:
        """Something that is no table at all."""
        kind = type(found)
        name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        expected = "a pandas, Polars or PyArrow frame, a 2D NumPy array or a list of rows"
        problem = f"got {'None' if found is None else f'a {name}'}; expected {expected}."
        return cls(compose(problem, hint="build a frame from it first, for example with pandas.DataFrame(X)."))

    @classmethod
    def lazy(cls) -> Self:
        """A frame whose rows are not there yet."""
        return cls(
            compose("got a lazy frame; expected one with its rows in memory.", hint="call .collect() on it first.")
        )
