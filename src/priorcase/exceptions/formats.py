"""Files that break the rules of their format."""

from collections.abc import Sequence
from typing import Self

from priorcase.exceptions.base import compose, listed, quoted
from priorcase.exceptions.reading import ReadingError

_DATES = (
    "say what the date means here: a number such as days since a reference date, or a category such as the month or "
    "the weekday."
)


class FormatError(ReadingError):
    """A file that is not what its format allows, or holds what has no reading as a table."""

    @classmethod
    def arff(cls, source: str, line: int, problem: str, *, hint: str) -> Self:
        """A line that breaks the rules of ARFF."""
        return cls(compose(f"{source} line {line} is not valid ARFF: {problem}.", hint=hint))

    @classmethod
    def arff_header(cls, source: str, problem: str) -> Self:
        """A file whose header does not end, or describes nothing."""
        hint = "an ARFF file has a line '@attribute NAME TYPE' for each column, then '@data', then the rows."
        return cls(compose(f"{source} is not valid ARFF: {problem}.", hint=hint))

    @classmethod
    def names(cls, source: str, line: int, problem: str) -> Self:
        """A description of columns that breaks the rules of C4.5."""
        hint = "first come the classes, then for each column 'NAME: continuous.', 'NAME: ignore.' or its values."
        return cls(compose(f"{source} line {line} is not valid for C4.5: {problem}.", hint=hint))

    @classmethod
    def no_names(cls, source: str, wanted: str) -> Self:
        """Rows of C4.5 without the description of their columns."""
        problem = f"{source} needs {wanted} beside it, which describes its columns."
        return cls(compose(problem, hint="put it there, or read the file as CSV if its first row names the columns."))

    @classmethod
    def no_rows_file(cls, source: str, wanted: str) -> Self:
        """A description of columns without rows."""
        problem = f"{source} describes the columns of {wanted}, which is not beside it."
        return cls(compose(problem, hint="put it there, or name the file that holds the rows."))

    @classmethod
    def no_path(cls, source: str) -> Self:
        """Rows of C4.5 from a stream, whose columns nobody describes."""
        problem = f"{source} cannot be read as C4.5: the columns are described in another file, the .names."
        return cls(compose(problem, hint="name the .data file by its path."))

    @classmethod
    def date(cls, source: str, name: str, kind: str) -> Self:
        """A column of dates, which stand for no number by themselves."""
        problem = f"{source} has column {name!r} as {kind}; expected numbers, text or categories."
        return cls(compose(problem, hint=_DATES))

    @classmethod
    def not_parquet(cls, source: str, reason: str) -> Self:
        """Bytes that no library reads as Parquet."""
        problem = f"{source} is not valid Parquet: {reason}."
        return cls(compose(problem, hint="copy or download it again, or name its format if it is another."))

    @classmethod
    def unknown(cls, value: object, formats: Sequence[str]) -> Self:
        """A format that is none of those read."""
        problem = f"got format={quoted(value)}; expected one of {listed(formats, limit=len(formats))}."
        return cls(compose(problem, hint="leave it out to tell it from the file's name and content."))

    @classmethod
    def needless(cls, option: str, value: object, format: str, formats: Sequence[str]) -> Self:
        """An option that a format has no use for."""
        problem = f"got {option}={quoted(value)} for a table in the format {format}."
        return cls(compose(problem, hint=f"leave it out: it is for {' and '.join(formats)} only."))
