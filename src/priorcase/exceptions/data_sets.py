"""Data sets asked for by name, that are nowhere or not what their description says."""

from collections.abc import Iterable, Sequence
from typing import Self

from priorcase.exceptions.base import compose, nearest, quoted
from priorcase.exceptions.reading import ReadingError


class DataSetError(ReadingError):
    """A data set that cannot be had by its name, or that is not what its description says."""

    @classmethod
    def not_found(cls, name: object, tried: Sequence[str], names: Iterable[str]) -> Self:
        """A data set that is in no place where one may be; ``tried`` says where, and why not there."""
        problem = f"No data set {quoted(name)}: {'; '.join(tried)}."
        meant = nearest(name, [other for other in names if other != name])
        hint = "set PRIORCASE_DATA to a folder of CSV files with a manifest.json that describes them."
        return cls(compose(problem, hint=hint if meant is None else f"did you mean {meant!r}? Or {hint}"))

    @classmethod
    def no_name(cls, name: object) -> Self:
        """Something that can be no name."""
        expected = "the name of a data set: letters, digits, dots, dashes, underscores and parentheses"
        return cls(compose(f"got {quoted(name)}; expected {expected}.", hint="available() lists names."))

    @classmethod
    def no_taxonomy(cls, name: str, attribute: object, attributes: Iterable[str]) -> Self:
        """An attribute whose values are no nodes of a tree."""
        problem = f"load_taxonomy got the attribute {quoted(attribute)} of {name!r}, which has no taxonomy."
        have = ", ".join(map(repr, attributes))
        hint = f"those that have one: {have}." if have else "none of its attributes has one."
        return cls(compose(problem, hint=hint))

    @classmethod
    def no_folder(cls, folder: str, said: str) -> Self:
        """A folder of data sets that is none."""
        problem = f"{said} names {folder!r}, which is not a folder with a manifest.json."
        return cls(compose(problem, hint="name the folder that holds the CSV files and their manifest.json."))

    @classmethod
    def manifest(cls, path: str, problem: str) -> Self:
        """A description that cannot be understood."""
        expected = "expected JSON with 'datasets', a list of entries with name, file, rows, target and attributes"
        return cls(compose(f"{path} {problem}; {expected}.", hint="copy it again, or remove it."))

    @classmethod
    def disagrees(cls, source: str, found: object, what: str, described: object) -> Self:
        """A file that is not the one described."""
        problem = f"{source} has {found} {what}; its manifest.json says {described}."
        return cls(compose(problem, hint="the file is damaged or another one: copy or download it again."))

    @classmethod
    def not_kept(cls, folder: str, reason: str) -> Self:
        """A cache that cannot be written."""
        problem = f"The data set was downloaded but cannot be kept in {folder!r}: {reason}."
        return cls(compose(problem, hint="set PRIORCASE_CACHE to a folder that can be written."))
