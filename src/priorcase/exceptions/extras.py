"""Libraries that only some users need, and that are not installed."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose


class MissingExtraError(PriorcaseError, ImportError):
    """Something was asked for that needs a library of an extra."""

    @classmethod
    def plots(cls) -> Self:
        """A drawing without matplotlib."""
        problem = "draws with matplotlib, which is not installed."
        return cls(compose(problem, hint="pip install 'priorcase[plots]', or take the numbers by frame()."))

    @classmethod
    def parquet(cls, source: str) -> Self:
        """A Parquet file without a library that reads it."""
        problem = f"{source} is Parquet, which is read by PyArrow or Polars, and neither is installed."
        return cls(compose(problem, hint="pip install pyarrow, or save the table as CSV."))

    @classmethod
    def pyarrow(cls) -> Self:
        """A Parquet file to be written without PyArrow."""
        problem = "writes Parquet with PyArrow, which is not installed; nothing was written."
        return cls(compose(problem, hint="pip install pyarrow, or export the cases as JSON lines or CSV."))
