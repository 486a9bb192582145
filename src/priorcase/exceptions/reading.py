"""Files that are not the table they were taken for."""

from collections.abc import Sequence
from typing import Self

from priorcase.exceptions.base import PriorcaseError, advice, compose, listed, nearest

# Up to this many names are listed where none is near the one that was meant.
_MANY = 20
# What may stand between fields where a header looks like a single column.
_DELIMITERS = ";\t|"


class ReadingError(PriorcaseError, ValueError):
    """A file that is not a table, or not the table it was taken for."""

    @classmethod
    def empty(cls, source: str) -> Self:
        """A file without a header row."""
        problem = f"{source} is empty; expected a header row and one row for each case."
        return cls(compose(problem, hint="is this the right file?"))

    @classmethod
    def no_rows(cls, source: str) -> Self:
        """A file with a header row alone."""
        return cls(
            compose(f"{source} has a header but no rows; expected at least one case.", hint="is this the right file?")
        )

    @classmethod
    def not_text(cls, source: str, encoding: str, line: int) -> Self:
        """Bytes that stand for no characters."""
        problem = f"{source} line {line} is not text in the encoding {encoding}."
        return cls(
            compose(problem, hint="save the file as UTF-8, or name its encoding, latin-1 or utf-16 for example.")
        )

    @classmethod
    def workbook(cls, source: str) -> Self:
        """A file of a spreadsheet program."""
        problem = f"{source} is an Excel or OpenDocument workbook or an archive, which is no table yet."
        return cls(compose(problem, hint="save its sheet as CSV, or read it by pandas.read_excel and pass the frame."))

    @classmethod
    def not_bytes(cls, source: str) -> Self:
        """A file that was opened as text."""
        problem = f"{source} was opened as text; expected a path or a binary file."
        return cls(compose(problem, hint="pass the path, open(path, 'rb'), or io.BytesIO(text.encode())."))

    @classmethod
    def not_a_file(cls, given: object) -> Self:
        """Something that has no bytes to read."""
        problem = f"A table is read from a path or an open binary file; got {type(given).__name__}."
        hint = "a frame, an array or a list of rows needs no reading: pass it to fit as it is."
        return cls(compose(problem, hint=hint))

    @classmethod
    def unknown_encoding(cls, encoding: str) -> Self:
        """An encoding that Python does not know."""
        return cls(
            compose(f"The encoding {encoding!r} is unknown.", hint="common ones are utf-8, utf-16, latin-1 and cp1252.")
        )

    @classmethod
    def damaged(cls, source: str) -> Self:
        """A gzipped file that cannot be unpacked."""
        return cls(compose(f"{source} looks gzipped but is cut short or damaged.", hint="copy or download it again."))

    @classmethod
    def not_csv(cls, source: str, line: int, reason: str) -> Self:
        """Text that breaks the rules of CSV."""
        problem = f"{source} line {line} is not valid CSV: {reason}."
        return cls(
            compose(problem, hint="look for a quotation mark that is not closed, or write one inside a field twice.")
        )

    @classmethod
    def field_count(cls, source: str, line: int, fields: int, expected: int) -> Self:
        """A row longer or shorter than the header."""
        problem = f"{source} line {line} has {fields} field{'s' * (fields != 1)}; its header has {expected}."
        hint = "put fields that hold the delimiter between quotation marks, or name the right delimiter."
        return cls(compose(problem, hint=hint))

    @classmethod
    def duplicate_name(cls, source: str, name: str) -> Self:
        """Two columns of one name."""
        problem = f"{source} names column {name!r} twice in its header; expected different names."
        return cls(compose(problem, hint="rename one of the columns."))

    @classmethod
    def unnamed(cls, source: str, position: int) -> Self:
        """A column without a name."""
        problem = f"{source} has no name for column {position} in its header; expected a name for every column."
        return cls(compose(problem, hint="name it; a table saved with its row numbers has such a column in front."))

    @classmethod
    def no_column(cls, source: str, name: str, names: Sequence[str]) -> Self:
        """A column asked for that the file does not have."""
        shown = listed(names) if nearest(name, names) else listed(names, limit=_MANY)
        mark = next((mark for mark in _DELIMITERS if len(names) == 1 and mark in names[0]), None)
        if mark is None:
            hint = advice(name, names, otherwise="column names are compared letter by letter.")
        else:
            hint = f"name the delimiter {mark!r} if that is what stands between fields (delimiter=, --delimiter)."
        return cls(compose(f"{source} has no column {name!r}; it has {shown}.", hint=hint))

    @classmethod
    def no_attributes(cls, source: str, target: str) -> Self:
        """A table of past cases of which nothing but the outcome is known."""
        problem = f"{source} has no column to compare cases by, beside the target {target!r} and ignored ones."
        return cls(compose(problem, hint="add columns, ignore fewer, or name the right delimiter."))

    @classmethod
    def declared_twice(cls, source: str, name: str) -> Self:
        """A column with two kinds."""
        problem = f"{source}: column {name!r} is declared more than once."
        return cls(compose(problem, hint="declare it numeric, nominal or ordinal, once."))

    @classmethod
    def not_a_number(cls, source: str, where: str, name: str, field: str) -> Self:
        """A field of a numeric column that is no finite number."""
        problem = f"{source} {where}, column {name!r} holds {field!r}; expected a finite number."
        return cls(
            compose(problem, hint="correct the field, leave it empty if it is unknown, or declare the column nominal.")
        )

    @classmethod
    def not_a_level(cls, source: str, where: str, name: str, field: str, order: Sequence[object]) -> Self:
        """A past case with a level that is not in the order."""
        problem = f"{source} {where}, column {name!r} holds {field!r}; expected one of {listed(order)}."
        hint = "correct the field, or add the level where it belongs in the order."
        return cls(compose(problem, hint=advice(field, order, otherwise=hint)))

    @classmethod
    def no_target(cls, source: str, where: str, name: str) -> Self:
        """A past case that does not say how it ended."""
        problem = f"{source} {where} has no value in the target column {name!r}; expected one in every past case."
        return cls(compose(problem, hint="remove the row, or move it to the table of new cases."))

    @classmethod
    def one_class(cls, source: str, target: str, label: object) -> Self:
        """Past cases of a single class, of which nothing can be explained by another."""
        problem = f"{source}: {label!r} is the only class in column {target!r}; explain holds one against another."
        return cls(compose(problem, hint="add past cases of other classes, or take predict."))

    @classmethod
    def extra_column(cls, source: str, name: str, other: str) -> Self:
        """A column of the new cases that the past cases do not have."""
        problem = f"{source} has a column {name!r} that {other} does not have."
        return cls(compose(problem, hint="leave it out (--ignore), or rename it to the column it stands for."))
