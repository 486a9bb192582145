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
    def records(cls) -> Self:
        """A list of dictionaries."""
        problem = "got a list of dictionaries; expected a frame, a 2D NumPy array or a list of rows."
        return cls(compose(problem, hint="build a frame from it first, for example with pandas.DataFrame(X)."))

    @classmethod
    def lazy(cls) -> Self:
        """A frame whose rows are not there yet."""
        return cls(
            compose("got a lazy frame; expected one with its rows in memory.", hint="call .collect() on it first.")
        )

    @classmethod
    def sparse(cls) -> Self:
        """A sparse matrix; scikit-learn's words."""
        problem = "Sparse data was passed for X, but dense data is required."
        return cls(compose(problem, hint="Use '.toarray()' to convert to a dense numpy array."))

    @classmethod
    def matrix(cls) -> Self:
        """A ``numpy.matrix``; scikit-learn's words."""
        problem = "np.matrix is not supported."
        return cls(compose(problem, hint="Please convert to a numpy array with np.asarray."))

    @classmethod
    def structured(cls) -> Self:
        """A NumPy array of records."""
        problem = "got a structured NumPy array; expected a plain 2D array or a frame."
        return cls(compose(problem, hint="turn it into a frame, for example with pandas.DataFrame(array)."))

    @classmethod
    def dates(cls, column: object, dtype: str) -> Self:
        """Dates, times and durations: which number they stand for is for the user to say."""
        problem = f"got column {column!r} as {dtype}; expected numbers, text, booleans or categories."
        hint = (
            "say what the date means here: a number such as days since a reference date, "
            "or a category such as the month or the weekday."
        )
        return cls(compose(problem, hint=hint))

    @classmethod
    def value(cls, column: object, kind: str) -> Self:
        """A cell that is neither a value nor a gap; scikit-learn's words ("argument must be ... string ... number")."""
        problem = (
            f"got a {kind} in column {column!r}; an argument must be a string, a real number, a boolean "
            "or another hashable value."
        )
        return cls(compose(problem, hint="spread nested values over columns of their own, or turn them into text."))

    @classmethod
    def dtype(cls, column: object, dtype: str) -> Self:
        """A column type with no reading as numbers or values."""
        problem = f"got column {column!r} as {dtype}; expected numbers, text, booleans or categories."
        return cls(compose(problem, hint="spread nested values over columns of their own, or turn them into text."))
