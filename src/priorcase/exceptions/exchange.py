"""Cases written to files for others, and read from files of others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from priorcase.exceptions.base import compose, listed, named
from priorcase.exceptions.cases import CaseBaseError


class ExchangeError(CaseBaseError):
    """A file that cases cannot be written to, or read from."""

    @classmethod
    def exists(cls, path: str) -> Self:
        """A file that is there already."""
        problem = f"would replace {path}, which exists; nothing was written."
        return cls(compose(problem, hint="name another file, or pass overwrite=True."))

    @classmethod
    def directory(cls, path: str) -> Self:
        """A folder where a file was expected."""
        problem = f"got {path}, which is a directory; expected a file."
        return cls(compose(problem, hint="name a file in it, for example cases.jsonl."))

    @classmethod
    def no_folder(cls, folder: str) -> Self:
        """A file in a folder that is not there."""
        problem = f"cannot write to {folder}, which is no folder."
        return cls(compose(problem, hint="create the folder first, or check the path."))

    @classmethod
    def unknown_format(cls, path: str, formats: Iterable[str]) -> Self:
        """A file whose name tells no format."""
        problem = f"cannot tell the format of {path} by its name; expected one of {listed(formats)}."
        return cls(compose(problem, hint="end the name in .jsonl, .csv or .parquet, or pass format=."))

    @classmethod
    def line(cls, source: str, line: int, problem: str) -> Self:
        """A line that is no case."""
        hint = "correct that line, or leave it out; nothing was imported."
        return cls(compose(f"{source} line {line} is not a case: {problem}.", hint=hint))

    @classmethod
    def header(cls, source: str, problem: str) -> Self:
        """A file whose head tells of no attributes that can be read."""
        problem = f"{source} tells of cases in a way that cannot be read: {problem}."
        return cls(compose(problem, hint="was it edited? Export the cases again; nothing was imported."))

    @classmethod
    def newer(cls, source: str, found: object, known: int) -> Self:
        """A file of a later format."""
        problem = f"{source} holds cases in format {found!r}; this priorcase reads format {known}."
        return cls(compose(problem, hint="update priorcase, or export the cases as CSV."))

    @classmethod
    def empty(cls, source: str) -> Self:
        """A file without a line."""
        return cls(compose(f"{source} is empty; expected cases.", hint="is this the right file?"))

    @classmethod
    def needless(cls, source: str, parameters: Iterable[str]) -> Self:
        """Columns named for a file that says itself what its columns are."""
        what = f"{source} was exported from a case base and says itself what its columns are"
        problem = f"{what}; got {named('parameter', parameters)}."
        return cls(compose(problem, hint="leave them out."))
