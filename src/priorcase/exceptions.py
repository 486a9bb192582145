"""Every error of the library: what was wrong, what was expected, what to do.

Each class also derives from the builtin that scikit-learn users expect, so ``except ValueError`` keeps working. The
text of a message is composed here, by a class method named after the mistake, and nowhere else.
"""

import difflib
from collections.abc import Iterable, Sequence
from typing import Self

_SHOWN = 5


def compose(problem: str, *, hint: str) -> str:
    """Join a problem and its remedy the way every message of the library does.

    Examples
    --------
    >>> print(compose("KNNClassifier.fit got nothing; expected a table.", hint="pass X."))
    KNNClassifier.fit got nothing; expected a table.
    Hint: pass X.
    """
    return f"{problem}\nHint: {hint}"


def listed(items: Iterable[object], *, limit: int = _SHOWN) -> str:
    """The first few items as text, and how many more there are.

    Examples
    --------
    >>> listed(["red", "green"])
    "'red', 'green'"
    >>> listed(range(8), limit=3)
    '0, 1, 2 and 5 more'
    """
    items = list(items)
    text = ", ".join(repr(item) for item in items[:limit])
    return text if len(items) <= limit else f"{text} and {len(items) - limit} more"


class PriorcaseError(Exception):
    """Base of every error that the library raises on purpose."""


class ParameterError(PriorcaseError, ValueError):
    """A parameter has a value that its rule does not allow."""

    @classmethod
    def wrong(cls, caller: str, parameter: str, value: object, *, expected: str, hint: str) -> Self:
        """A parameter that breaks its rule."""
        return cls(compose(f"{caller} got {parameter}={value!r}; expected {expected}.", hint=hint))

    @classmethod
    def unknown_column(cls, caller: str, parameter: str, key: object, names: Sequence[object] | None, n: int) -> Self:
        """A parameter that names a column the table does not have."""
        columns = f"columns {listed(names)}" if names is not None else f"{n} unnamed columns, 0 to {n - 1}"
        problem = f"{caller} got {parameter} with {key!r}, which is no column; the table has {columns}."
        return cls(compose(problem, hint="name columns by their label, or by their position from 0."))

    @classmethod
    def weights(cls, caller: str, problem: str) -> Self:
        """Row weights that are not one finite, non-negative number for each row."""
        expected = "one finite number >= 0 for each row"
        return cls(
            compose(
                f"{caller} got weights {problem}; expected {expected}.", hint="a weight of w counts as w equal rows."
            )
        )

    @classmethod
    def vote(cls, function: object, problem: str) -> Self:
        """A function for votes that returned no votes."""
        expected = "one finite number >= 0 for each distance"
        hint = "for example lambda distances: 1 / (1 + distances)."
        return cls(compose(f"vote={function!r} returned {problem}; expected {expected}.", hint=hint))


class SchemaError(PriorcaseError, ValueError):
    """A table, or a declaration of one, that has no meaning as columns of numbers, levels and values."""

    @classmethod
    def declared(cls, problem: str, *, hint: str) -> Self:
        """A kind or schema written down in a way that contradicts itself."""
        return cls(compose(problem, hint=hint))

    @classmethod
    def duplicate_names(cls, caller: str, names: Iterable[object]) -> Self:
        """Two columns of one name."""
        problem = f"{caller} got more than one column named {listed(names)}; expected distinct column names."
        return cls(compose(problem, hint="rename or drop the repeated columns."))

    @classmethod
    def shape(cls, caller: str, shape: tuple[int, ...], *, series: bool = False) -> Self:
        """An array that is not two-dimensional; scikit-learn's words, which its checks look for."""
        remedy = (
            "Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
            "or array.reshape(1, -1) if it contains a single sample."
        )
        if series:
            return cls(
                compose(f"{caller} expected a 2-dimensional container, got a Series. {remedy}", hint="use to_frame().")
            )
        if len(shape) > 2:
            problem = f"{caller}: Found array with dim {len(shape)}, while dim <= 2 is required."
            return cls(compose(problem, hint="pass one row for each case and one column for each attribute."))
        found = "scalar" if not shape else "1D"
        return cls(compose(f"{caller} expected 2D array, got {found} array instead: shape={shape}.", hint=remedy))

    @classmethod
    def too_few(cls, caller: str, what: str, shape: tuple[int, int]) -> Self:
        """No rows or no columns; scikit-learn's words."""
        problem = f"{caller}: Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required."
        return cls(compose(problem, hint="check the filter or selection that made this table."))

    @classmethod
    def ragged(cls, caller: str) -> Self:
        """A list of rows of different lengths."""
        problem = f"{caller} got rows of different lengths; expected a table with the same columns in every row."
        return cls(compose(problem, hint="write None where a value is missing."))

    @classmethod
    def infinite(cls, caller: str, column: object) -> Self:
        """An infinite number, or one beyond float64; scikit-learn's words."""
        problem = f"{caller}: Input X contains infinity or a value too large for dtype('float64') in column {column!r}."
        return cls(compose(problem, hint="put a finite number there, or NaN or None if the value is missing."))

    @classmethod
    def complex_numbers(cls, caller: str, column: object) -> Self:
        """Complex numbers; scikit-learn's words."""
        problem = f"{caller}: Complex data not supported, found in column {column!r}; expected real numbers."
        return cls(compose(problem, hint="pass the real and the imaginary part as two columns."))

    @classmethod
    def contradicts(cls, caller: str, column: object, found: str, declared: str, wanted: str) -> Self:
        """A column whose content cannot be of the kind declared for it."""
        problem = f"{caller} got column {column!r} as {found}; it was declared as {declared}."
        hint = f"pass it as {wanted}, or declare another kind for it (categorical_features or kinds)."
        return cls(compose(problem, hint=hint))


class SchemaMismatchError(SchemaError):
    """A later table that does not fit the schema of the first one."""

    @classmethod
    def kind(cls, caller: str, column: object, found: str, fitted: str, wanted: str) -> Self:
        """A column that changed its kind."""
        problem = f"{caller} got column {column!r} as {found}; it was fitted as {fitted}."
        return cls(compose(problem, hint=f"pass it as {wanted}, or refit with the new kind."))

    @classmethod
    def names(cls, caller: str, unseen: Sequence[object], absent: Sequence[object]) -> Self:
        """Columns too many or too few, by name; scikit-learn's words."""
        lines = [f"{caller}: The feature names should match those that were passed during fit."]
        for title, columns in (
            ("Feature names unseen at fit time:", unseen),
            ("Feature names seen at fit time, yet now missing:", absent),
        ):
            if columns:
                lines += [
                    title,
                    *(f"- {name}" for name in columns[:_SHOWN]),
                    *(["- ..."] if len(columns) > _SHOWN else []),
                ]
        return cls(
            compose("\n".join(lines), hint="columns are matched by name, in any order; rename, add or drop columns.")
        )

    @classmethod
    def width(cls, caller: str, found: int, expected: int) -> Self:
        """Columns too many or too few, by number; scikit-learn's words."""
        owner = caller.partition(".")[0]
        problem = f"X has {found} features, but {owner} is expecting {expected} features as input."
        return cls(
            compose(
                problem, hint=f"{caller} matches columns without names by position: pass the {expected} fitted ones."
            )
        )

    @classmethod
    def undeclared(cls, caller: str, column: object, values: Iterable[object], declared: Sequence[object]) -> Self:
        """A row to be stored with a value that its attribute does not declare."""
        problem = f"{caller} got {listed(values)} in column {column!r}; it declares the values {listed(declared)}."
        return cls(
            compose(
                problem, hint="correct the value, write None if it is missing, or refit with the new value declared."
            )
        )

    @classmethod
    def outside_order(cls, caller: str, column: object, rows: Sequence[int], order: Sequence[object]) -> Self:
        """A row to be stored with a level that its attribute's order does not have."""
        problem = f"{caller} got a level in column {column!r} that is not in its order {listed(order)}, in rows {listed(rows)}."
        hint = "correct the level, write None if it is missing, or refit with the new level in the order."
        return cls(compose(problem, hint=hint))

    @classmethod
    def other_table(cls, caller: str, what: str) -> Self:
        """A table that was read under another schema, or with another number of rows."""
        return cls(
            compose(
                f"{caller} got {what}.", hint="read both tables with the schemas of these instances, row by row alike."
            )
        )


class UnknownIdError(PriorcaseError, KeyError):
    """An id that names no stored row."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""

    @classmethod
    def absent(cls, caller: str, ids: Sequence[int]) -> Self:
        """Ids that were never given out, or whose rows were removed."""
        problem = f"{caller} got ids {listed(ids)}, which name no stored row; nothing was changed."
        return cls(compose(problem, hint="the ids of the stored rows are in `ids` (`ids_` of an estimator)."))

    @classmethod
    def repeated(cls, caller: str, ids: Sequence[int]) -> Self:
        """Ids given twice in one call."""
        problem = f"{caller} got ids {listed(ids)} more than once; expected each id once. Nothing was changed."
        return cls(compose(problem, hint="numpy.unique removes the repetitions."))

    @classmethod
    def not_integers(cls, caller: str, found: str) -> Self:
        """Something that cannot be a list of ids."""
        return cls(
            compose(
                f"{caller} got ids as {found}; expected a list of integers.", hint="pass ids as `append` returned them."
            )
        )


class UnsupportedDataError(PriorcaseError, TypeError):
    """Data of a type that the library does not read."""

    @classmethod
    def container(cls, caller: str, found: object) -> Self:
        """Something that is no table at all."""
        kind = type(found)
        expected = "a pandas, Polars or PyArrow frame or a 2D NumPy array"
        problem = f"{caller} got a {kind.__module__}.{kind.__qualname__}; expected {expected}."
        return cls(compose(problem, hint="build a frame from it first."))

    @classmethod
    def lazy(cls, caller: str) -> Self:
        """A frame whose rows are not there yet."""
        return cls(
            compose(
                f"{caller} got a lazy frame; expected one with its rows in memory.", hint="call .collect() on it first."
            )
        )

    @classmethod
    def sparse(cls, caller: str) -> Self:
        """A sparse matrix; scikit-learn's words."""
        problem = f"{caller}: Sparse data was passed for X, but dense data is required."
        return cls(compose(problem, hint="Use '.toarray()' to convert to a dense numpy array."))

    @classmethod
    def matrix(cls, caller: str) -> Self:
        """A ``numpy.matrix``; scikit-learn's words."""
        problem = f"{caller}: np.matrix is not supported."
        return cls(compose(problem, hint="Please convert to a numpy array with np.asarray."))

    @classmethod
    def structured(cls, caller: str) -> Self:
        """A NumPy array of records."""
        problem = f"{caller} got a structured NumPy array; expected a plain 2D array or a frame."
        return cls(compose(problem, hint="turn it into a frame, for example with pandas.DataFrame(array)."))

    @classmethod
    def dates(cls, caller: str, column: object, dtype: str) -> Self:
        """Dates, times and durations: which number they stand for is for the user to say."""
        problem = f"{caller} got column {column!r} as {dtype}; expected numbers, text, booleans or categories."
        hint = (
            "say what the date means here: a number such as days since a reference date, "
            "or a category such as the month or the weekday."
        )
        return cls(compose(problem, hint=hint))

    @classmethod
    def value(cls, caller: str, column: object, kind: str) -> Self:
        """A cell that is neither a value nor a gap; scikit-learn's words ("argument must be ... string ... number")."""
        problem = (
            f"{caller} got a {kind} in column {column!r}; an argument must be a string, a real number, a boolean "
            "or another hashable value."
        )
        return cls(compose(problem, hint="spread nested values over columns of their own, or turn them into text."))

    @classmethod
    def dtype(cls, caller: str, column: object, dtype: str) -> Self:
        """A column type with no reading as numbers or values."""
        problem = f"{caller} got column {column!r} as {dtype}; expected numbers, text, booleans or categories."
        return cls(compose(problem, hint="spread nested values over columns of their own, or turn them into text."))


class DistanceError(PriorcaseError, ValueError):
    """A distance that is not defined, or not for these columns."""

    @classmethod
    def unknown(cls, name: object, names: Iterable[str]) -> Self:
        """A name that stands for no distance."""
        problem = f"distance={name!r} is not known; expected a Distance or one of {listed(sorted(names), limit=99)}."
        return cls(
            compose(problem, hint="see priorcase.similarity for distances with options, such as minkowski(p=3).")
        )

    @classmethod
    def parameter(cls, owner: str, parameter: str, value: object, *, expected: str, hint: str) -> Self:
        """A parameter that breaks its rule."""
        return cls(compose(f"{owner} got {parameter}={value!r}; expected {expected}.", hint=hint))

    @classmethod
    def wrong_kind(cls, difference: object, column: str, kind: str, accepts: Iterable[str]) -> Self:
        """A difference for a column of a kind that it cannot compare."""
        problem = f"{difference!r} was asked to compare {column}, which is {kind}; it compares {' and '.join(accepts)} columns."
        return cls(
            compose(
                problem, hint="give the column another difference (attributes=...), or declare another kind for it."
            )
        )

    @classmethod
    def no_classes(cls, difference: object, column: str, target: str) -> Self:
        """A difference that counts classes where there are none."""
        problem = f"{difference!r} compares the values of {column} by their class counts, but {target}; expected a nominal target."
        hint = "take a distance that needs no classes, such as 'heom', 'gower', 'euclidean' or 'manhattan'; value differences are for classifiers."
        return cls(compose(problem, hint=hint))

    @classmethod
    def too_large(cls, column: str, statistic: str) -> Self:
        """Numbers whose range or deviation is beyond float64."""
        problem = f"{column} has numbers so large that their {statistic} is infinite; expected one within float64."
        return cls(compose(problem, hint="divide the column by a large constant, or take its logarithm."))

    @classmethod
    def table(cls, problem: str) -> Self:
        """A table of value differences that is no table."""
        hint = "for example Table(('red', 'green'), [[0, 1], [1, 0]]): one row and one column for each value, entries >= 0, 0 on the diagonal."
        return cls(compose(f"Table got {problem}.", hint=hint))

    @classmethod
    def table_lacks(cls, column: str, values: Iterable[object]) -> Self:
        """A stored value that a table of differences does not hold."""
        problem = f"Table was asked to compare {column} and lacks its values {listed(values)}; expected a row for every value."
        return cls(compose(problem, hint="add the values to the table."))

    @classmethod
    def unknown_column(cls, key: object, names: Sequence[object] | None, n: int) -> Self:
        """An override for a column that the table does not have."""
        columns = f"columns {listed(names)}" if names is not None else f"{n} unnamed columns, 0 to {n - 1}"
        problem = f"Distance got attributes with {key!r}, which is no column; the table has {columns}."
        return cls(compose(problem, hint="name columns by their label, or by their position from 0."))

    @classmethod
    def not_a_vector(cls, column: str, kind: str) -> Self:
        """A column without a direction, under a distance between directions."""
        problem = f"unit_length=True was asked to scale {column}, which is {kind}; only numbers have a direction."
        return cls(
            compose(
                problem, hint="leave the column out, or take a distance for mixed columns such as 'heom' or 'gower'."
            )
        )


class TargetError(PriorcaseError, ValueError):
    """A target ``y``, or weights beside it, that a learner cannot learn from."""

    @classmethod
    def absent(cls, caller: str) -> Self:
        """No target at all; scikit-learn's words."""
        problem = f"{caller} requires y to be passed, but the target y is None."
        return cls(compose(problem, hint="pass the classes or numbers to learn, one for each row of X."))

    @classmethod
    def shape(cls, caller: str, shape: tuple[int, ...]) -> Self:
        """A target that is neither one column nor several; scikit-learn's words."""
        problem = (
            f"{caller} got y of shape {shape}; y should be a 1d array, or a 2d array with one column for each target."
        )
        return cls(compose(problem, hint="pass one value for each row of X."))

    @classmethod
    def length(cls, caller: str, what: str, found: int, rows: int) -> Self:
        """As many targets or weights as rows there must be; scikit-learn's words."""
        problem = f"{caller}: Found input variables with inconsistent numbers of samples: X has {rows} and {what} has {found}."
        return cls(compose(problem, hint=f"pass one entry of {what} for each row of X."))

    @classmethod
    def missing(cls, caller: str) -> Self:
        """A gap in the target; scikit-learn's words."""
        problem = (
            f"{caller}: Input y contains NaN, None or another missing value; expected a known target for every row."
        )
        return cls(compose(problem, hint="drop the rows whose target is not known."))

    @classmethod
    def infinite(cls, caller: str) -> Self:
        """An infinite target; scikit-learn's words."""
        problem = f"{caller}: Input y contains infinity or a value too large for dtype('float64')."
        return cls(compose(problem, hint="put finite numbers there."))

    @classmethod
    def unknown_labels(cls, caller: str, found: str) -> Self:
        """Targets that are no class labels; scikit-learn's words."""
        problem = f"{caller}: Unknown label type: {found}; expected text, whole numbers or booleans as classes."
        return cls(compose(problem, hint="a regressor learns real numbers; bin them, or write other objects as text."))

    @classmethod
    def other_labels(cls, caller: str, found: str, fitted: str) -> Self:
        """Labels of another sort than the ones learned so far."""
        problem = f"{caller} got classes that are {found}; the classes learned so far are {fitted}."
        return cls(compose(problem, hint="write the classes the same way in every call."))

    @classmethod
    def not_numbers(cls, caller: str, found: str) -> Self:
        """Targets of a regressor that are no real numbers."""
        problem = f"{caller} got y as {found}; expected real numbers."
        return cls(compose(problem, hint="a classifier learns text, categories and booleans."))

    @classmethod
    def outputs(cls, caller: str, found: int, fitted: int) -> Self:
        """Another number of targets than before."""
        problem = f"{caller} got {found} target columns; it has learned {fitted} so far."
        return cls(compose(problem, hint="pass y with the same columns in every call."))

    @classmethod
    def undeclared(cls, caller: str, labels: Iterable[object], declared: Iterable[object]) -> Self:
        """Labels beyond the ones that ``classes`` declares."""
        problem = f"{caller} got y with {listed(labels)}; classes= declares {listed(declared)}."
        return cls(compose(problem, hint="list every class in classes=, or leave classes= out."))

    @classmethod
    def one_target_only(cls, caller: str, distance: str) -> Self:
        """A distance made from class frequencies, with several targets."""
        problem = f"{caller} got several target columns; distance={distance} is learned from the classes of one."
        return cls(
            compose(
                problem, hint="fit one estimator for each target, or take a distance without classes such as 'heom'."
            )
        )


class SampleWeightError(PriorcaseError, ValueError):
    """Sample weights that are not one finite, non-negative number for each row."""

    @classmethod
    def wrong(cls, caller: str, problem: str) -> Self:
        """Weights that break the rule."""
        expected = "one finite number >= 0 for each row, not all 0"
        hint = "a row of weight 2 counts as two rows, one of weight 0 as none."
        return cls(compose(f"{caller} got sample_weight {problem}; expected {expected}.", hint=hint))


class TooFewRowsError(PriorcaseError, ValueError):
    """Fewer stored rows than the question needs."""

    @classmethod
    def nothing_stored(cls, caller: str) -> Self:
        """Every row was forgotten."""
        problem = f"{caller} has no rows to answer from: every one was forgotten."
        return cls(compose(problem, hint="add rows with partial_fit, or fit again."))

    @classmethod
    def neighbors(cls, caller: str, k: int, stored: float, *, own: bool = False) -> Self:
        """More neighbours asked for than there are; scikit-learn's words."""
        sign, count = ("<", "rows beside itself") if own else ("<=", "rows")
        problem = (
            f"{caller}: Expected n_neighbors {sign} n_samples_fit, but n_neighbors = {k}, n_samples_fit = {stored:g}."
        )
        return cls(
            compose(problem, hint=f"ask for fewer neighbours, or store more {count}; n_neighbors='sqrt' adapts itself.")
        )


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
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "column names are compared letter by letter."
        return cls(compose(f"{source} has no column {name!r}; it has {listed(names)}.", hint=hint))

    @classmethod
    def declared_twice(cls, source: str, name: str) -> Self:
        """A column with two kinds."""
        problem = f"{source}: column {name!r} is declared more than once."
        return cls(compose(problem, hint="declare it numeric, nominal or ordinal, once."))

    @classmethod
    def not_a_number(cls, source: str, line: int, name: str, field: str) -> Self:
        """A field of a numeric column that is no finite number."""
        problem = f"{source} line {line}, column {name!r} holds {field!r}; expected a finite number."
        return cls(
            compose(problem, hint="correct the field, leave it empty if it is unknown, or declare the column nominal.")
        )

    @classmethod
    def not_a_level(cls, source: str, line: int, name: str, field: str, order: Sequence[object]) -> Self:
        """A past case with a level that is not in the order."""
        problem = f"{source} line {line}, column {name!r} holds {field!r}; expected one of {listed(order)}."
        return cls(compose(problem, hint="correct the field, or add the level where it belongs in the order."))

    @classmethod
    def no_target(cls, source: str, line: int, name: str) -> Self:
        """A past case that does not say how it ended."""
        problem = f"{source} line {line} has no value in the target column {name!r}; expected one in every past case."
        return cls(compose(problem, hint="remove the row, or move it to the table of new cases."))

    @classmethod
    def extra_column(cls, source: str, name: str, other: str) -> Self:
        """A column of the new cases that the past cases do not have."""
        problem = f"{source} has a column {name!r} that {other} does not have."
        return cls(compose(problem, hint="leave it out (--ignore), or rename it to the column it stands for."))
