"""Tables that do not mean what they should, or not what they meant before."""

from collections.abc import Iterable, Sequence
from typing import Self

from priorcase.exceptions.base import SHOWN, PriorcaseError, compose, listed, misspelt

_GAP = "with a gap (None or NaN) in every row where nothing is known of it"


class SchemaError(PriorcaseError, ValueError):
    """A table, or a declaration of one, that has no meaning as columns of numbers, levels and values."""

    @classmethod
    def declared(cls, problem: str, *, hint: str) -> Self:
        """A kind or schema written down in a way that contradicts itself."""
        return cls(compose(problem, hint=hint))

    @classmethod
    def duplicate_names(cls, names: Iterable[object]) -> Self:
        """Two columns of one name."""
        problem = f"got more than one column named {listed(names)}; expected distinct column names."
        return cls(compose(problem, hint="rename or drop the repeated columns."))

    @classmethod
    def too_few(cls, what: str, shape: tuple[int, ...]) -> Self:
        """No rows or no columns; scikit-learn's words."""
        problem = f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required."
        return cls(compose(problem, hint="check the filter or selection that made this table."))

    @classmethod
    def complex_numbers(cls, column: object) -> Self:
        """Complex numbers; scikit-learn's words."""
        problem = f"Complex data not supported, found in column {column!r}; expected real numbers."
        return cls(compose(problem, hint="pass the real and the imaginary part as two columns."))


class SchemaMismatchError(SchemaError):
    """A later table that does not fit the schema of the first one."""

    @classmethod
    def names(cls, unseen: Sequence[object], absent: Sequence[object]) -> Self:
        """Columns too many or too few, by name; scikit-learn's words."""
        lines = ["The feature names should match those that were passed during fit."]
        for title, columns in (
            ("Feature names unseen at fit time:", unseen),
            ("Feature names seen at fit time, yet now missing:", absent),
        ):
            if columns:
                lines += [
                    title,
                    *(f"- {name}" for name in columns[:SHOWN]),
                    *(["- ..."] if len(columns) > SHOWN else []),
                ]
        return cls(compose("\n".join(lines), hint=_remedy(unseen, absent)))

    @classmethod
    def width(cls, found: int, expected: int) -> Self:
        """Columns too many or too few, by number; scikit-learn's words."""
        problem = f"X has {found} features, but it is expecting {expected} features as input."
        hint = f"columns without names are matched by position: pass the {expected} fitted ones"
        return cls(compose(problem, hint=f"{hint}, {_GAP}." if found < expected else f"{hint}."))

    @classmethod
    def other_columns(cls, differences: Sequence[str]) -> Self:
        """A model to be merged whose columns are not the same; ``differences`` says which are not, and how."""
        more = len(differences) - SHOWN
        shown = [*differences[:SHOWN], *([f"{more} more differ"] if more > 0 else [])]
        problem = f"got a model with other columns; expected the same names and kinds: {'; '.join(shown)}."
        return cls(compose(problem, hint="fit both with the same columns, and the same schema=."))


def _remedy(unseen: Sequence[object], absent: Sequence[object]) -> str:
    """What to do about columns that do not match by name."""
    if (meant := misspelt(unseen, absent)) is not None:
        return f"{meant} Columns are matched by name, in any order."
    if not absent:
        return "columns are matched by name, in any order; drop those that were not fitted."
    rename = "; rename or drop those that were not fitted" if unseen else ""
    return f"columns are matched by name, in any order{rename}; pass every fitted one, {_GAP}."
