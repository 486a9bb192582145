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
    def shape(cls, shape: tuple[int, ...], *, series: bool = False) -> Self:
        """An array that is not two-dimensional; scikit-learn's words, which its checks look for."""
        remedy = (
            "Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
            "or array.reshape(1, -1) if it contains a single sample."
        )
        if series:
            return cls(compose(f"expected a 2-dimensional container, got a Series. {remedy}", hint="use to_frame()."))
        if len(shape) > 2:
            problem = f"Found array with dim {len(shape)}, while dim <= 2 is required."
            return cls(compose(problem, hint="pass one row for each case and one column for each attribute."))
        problem = f"expected 2D array, got {'1D' if shape else 'scalar'} array instead: shape={shape}."
        return cls(compose(problem, hint=remedy if shape else "pass a frame, a 2D NumPy array or a list of rows."))

    @classmethod
    def too_few(cls, what: str, shape: tuple[int, ...]) -> Self:
        """No rows or no columns; scikit-learn's words."""
        problem = f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required."
        return cls(compose(problem, hint="check the filter or selection that made this table."))

    @classmethod
    def ragged(cls) -> Self:
        """A list of rows of different lengths."""
        problem = "got rows of different lengths; expected a table with the same columns in every row."
        return cls(compose(problem, hint="write None where a value is missing."))

    @classmethod
    def infinite(cls, column: object) -> Self:
        """An infinite number, or one beyond float64; scikit-learn's words."""
        problem = f"Input X contains infinity or a value too large for dtype('float64') in column {column!r}."
        return cls(compose(problem, hint="put a finite number there, or NaN or None if the value is missing."))

    @classmethod
    def complex_numbers(cls, column: object) -> Self:
        """Complex numbers; scikit-learn's words."""
        problem = f"Complex data not supported, found in column {column!r}; expected real numbers."
        return cls(compose(problem, hint="pass the real and the imaginary part as two columns."))

    @classmethod
    def contradicts(cls, column: object, found: str, declared: str, wanted: str, *, parameter: str = "kinds") -> Self:
        """A column whose content cannot be of the kind declared for it."""
        problem = f"got column {column!r} as {found}; it was declared as {declared}."
        hint = f"pass it as {wanted}, or declare another kind for it (categorical_features or {parameter})."
        return cls(compose(problem, hint=hint))


class SchemaMismatchError(SchemaError):
    """A later table that does not fit the schema of the first one."""

    @classmethod
    def kind(cls, column: object, found: str, fitted: str, wanted: str) -> Self:
        """A column that changed its kind."""
        problem = f"got column {column!r} as {found}; it was fitted as {fitted}."
        return cls(compose(problem, hint=f"pass it as {wanted}, or refit with the new kind."))

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
    def undeclared(cls, column: object, values: Iterable[object], declared: Sequence[object]) -> Self:
        """A row to be stored with a value that its attribute does not declare."""
        values = list(values)
        problem = f"got {listed(values)} in column {column!r}; it declares the values {listed(declared)}."
        hint = "correct the value, write None if it is missing, or refit with the new value declared."
        return cls(compose(problem, hint=misspelt(values, declared) or hint))

    @classmethod
    def undecided(cls, column: object, values: Iterable[object]) -> Self:
        """Numbers to be stored in a column that was taken for nominal because it held only gaps."""
        doubt = "it has held only gaps so far, which do not say whether its numbers are amounts or codes"
        problem = f"got {listed(values)} in column {column!r}; {doubt}."
        hint = f"declare the column from the start: schema={{{column!r}: Numeric()}}, or Nominal() if they are codes."
        return cls(compose(problem, hint=hint))

    @classmethod
    def outside_order(cls, column: object, rows: Sequence[int], order: Sequence[object]) -> Self:
        """A row to be stored with a level that its attribute's order does not have."""
        where = f"that is not in its order {listed(order)}, in row{'s' if len(rows) > 1 else ''} {listed(rows)}"
        problem = f"got a level in column {column!r} {where}."
        hint = "correct the level, write None if it is missing, or refit with the new level in the order."
        return cls(compose(problem, hint=hint))

    @classmethod
    def other_table(cls, what: str) -> Self:
        """A table that was read under another schema, or with another number of rows."""
        hint = "read rows by instances.schema and targets by instances.targets, one target for each row."
        return cls(compose(f"got {what}.", hint=hint))

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
