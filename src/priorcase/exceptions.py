"""Every error of the library, and how a message is written.

Each class also derives from the builtin that scikit-learn users expect, so ``except ValueError`` keeps working. A
message is written where the error is raised: what was wrong, what was expected, what to do.
"""

import difflib
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import islice
from typing import Any, Self, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C")

# How many items a message lists, and how long a value may be that it quotes; how alike, of 1, a name must be to be
# suggested, and among how many.
_SHOWN = 5
_LENGTH = 200
_NEAR = 0.75
_NAMES = 10_000


class PriorcaseError(Exception):
    """Base of every error that the library raises on purpose.

    Attributes
    ----------
    where
        The public function or method that the user called, such as ``"KNNClassifier.fit"``; None where unknown.
    """

    where: str | None = None

    def __str__(self) -> str:
        message = str(self.args[0]) if self.args else ""
        return message if self.where is None else f"{self.where}: {message}"


# -- tables, targets and parameters


class SchemaError(PriorcaseError, ValueError):
    """A table, or a declaration of one, that has no meaning as numeric, ordinal and nominal columns."""

    @classmethod
    def too_few(cls, what: str, shape: tuple[int, ...]) -> Self:
        """No rows or no columns; scikit-learn's words."""
        problem = f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required."
        return cls(compose(problem, hint="check the filter or selection that made this table."))


class SchemaMismatchError(SchemaError):
    """A later table that does not fit the schema of the first one."""


class UnsupportedDataError(PriorcaseError, TypeError):
    """Data of a type that the library does not read, or an object of a type that it does not save."""


class TargetError(PriorcaseError, ValueError):
    """A target ``y``, or sample weights, that a learner cannot learn from."""

    @classmethod
    def absent(cls) -> Self:
        """No target at all; scikit-learn's words."""
        problem = "requires y to be passed, but the target y is None."
        return cls(compose(problem, hint="pass the classes or numbers to learn, one for each row of X."))

    @classmethod
    def infinite(cls) -> Self:
        """An infinite target; scikit-learn's words."""
        problem = "Input y contains infinity or a value too large for dtype('float64')."
        return cls(compose(problem, hint="put finite numbers there."))

    @classmethod
    def length(cls, what: str, found: int, rows: int) -> Self:
        """As many targets or weights as rows there must be; scikit-learn's words."""
        counts = f"X has {rows} and {what} has {found}"
        problem = f"Found input variables with inconsistent numbers of samples: {counts}."
        return cls(compose(problem, hint=f"pass one entry of {what} for each row of X."))

    @classmethod
    def missing(cls) -> Self:
        """A gap in the target; scikit-learn's words."""
        problem = "Input y contains NaN, None or another missing value; expected a known target for every row."
        return cls(compose(problem, hint="drop the rows whose target is not known."))

    @classmethod
    def not_classes(cls, given: object) -> Self:
        """Something else than a list of classes where classes are declared."""
        problem = f"got classes={quoted(given)}; expected a list of classes, none of them missing."
        return cls(compose(problem, hint="for example classes=['no', 'yes'], every class that y may ever hold."))

    @classmethod
    def not_numbers(cls, found: str) -> Self:
        """Targets of a regressor that are no real numbers."""
        problem = f"got y as {found}; expected real numbers."
        return cls(compose(problem, hint="a classifier learns text, categories and booleans."))

    @classmethod
    def other_labels(cls, found: str, fitted: str) -> Self:
        """Labels of another sort than the ones learned so far."""
        problem = f"got classes that are {found}; the classes learned so far are {fitted}."
        return cls(compose(problem, hint="write the classes the same way in every call."))

    @classmethod
    def outputs(cls, found: int, fitted: int) -> Self:
        """Another number of targets than before."""
        problem = f"got {found} target columns; it has learned {fitted} so far."
        return cls(compose(problem, hint="pass y with the same columns in every call."))

    @classmethod
    def shape(cls, shape: tuple[int, ...], *, several: bool = True) -> Self:
        """A target that is neither one column nor, where there may be several, several; scikit-learn's words."""
        columns = ", or a 2d array with one column for each target" if several else ""
        problem = f"got y of shape {shape}; y should be a 1d array{columns}."
        return cls(compose(problem, hint="pass a list or an array with one value for each row of X."))

    @classmethod
    def stored_undeclared(cls, labels: Iterable[object], declared: Iterable[object]) -> Self:
        """Classes declared without some that stored rows have."""
        stored = listed(labels)
        problem = f"got classes= with {listed(declared)}, but stored rows have {stored}; nothing was changed."
        return cls(compose(problem, hint="list every class in classes=, or forget those rows first."))

    @classmethod
    def undeclared(cls, labels: Iterable[object], declared: Iterable[object]) -> Self:
        """Labels beyond the ones that ``classes`` declares."""
        labels, declared = list(labels), list(declared)
        problem = f"got y with {listed(labels)}; classes= declares {listed(declared)}."
        hint = "list every class in classes=, or leave classes= out."
        return cls(compose(problem, hint=misspelt(labels, declared) or hint))

    @classmethod
    def unknown_labels(cls, found: str) -> Self:
        """Targets that are no class labels; scikit-learn's words."""
        problem = f"Unknown label type: {found}; expected text, whole numbers or booleans as classes."
        return cls(compose(problem, hint="a regressor learns real numbers; bin them, or write other objects as text."))


class ParameterError(PriorcaseError, ValueError):
    """A parameter or an argument has a value that is not allowed."""

    @classmethod
    def wrong(cls, parameter: str, value: object, *, expected: str, hint: str, names: Iterable[object] = ()) -> Self:
        """A parameter that breaks its rule; ``names`` are those that it may have."""
        problem = f"got {parameter}={quoted(value)}; expected {expected}."
        return cls(compose(problem, hint=advice(value, names, otherwise=hint)))


class TooFewRowsError(PriorcaseError, ValueError):
    """Fewer rows than the question needs."""

    @classmethod
    def nothing_else(cls) -> Self:
        """Leaving out the only row."""
        problem = "leaves each row out in turn, and there is only one; expected two rows or more."
        return cls(compose(problem, hint="add rows with partial_fit."))

    @classmethod
    def nothing_stored(cls) -> Self:
        """Every row was forgotten."""
        problem = "has no rows to answer from: every one was forgotten."
        return cls(compose(problem, hint="add rows with partial_fit, or fit again."))


class NumericRangeError(PriorcaseError, ValueError):
    """Numbers too large, too small or too spread to compute with in float64."""


class TooLargeError(PriorcaseError, ValueError):
    """A question whose answer would take too much memory."""


# -- names, ids and attributes


class UnknownIdError(PriorcaseError, KeyError):
    """An id or a key that names no stored row or case."""


class UnknownNameError(PriorcaseError, KeyError):
    """A name by which a result holds nothing."""


class QueryIndexError(PriorcaseError, IndexError):
    """The number of a query that was not asked."""

    @classmethod
    def outside(cls, owner: str, query: int, n: int, *, nouns: tuple[str, str] = ("query", "queries")) -> Self:
        """A number beyond those of the queries, or of whatever else is counted."""
        one, many = nouns
        held = f"the {many} 0 to {n - 1}" if n > 1 else f"{one} 0 alone" if n else f"no {many}"
        return cls(compose(f"{owner} was asked for {one} {query}; it holds {held}.", hint="len() says how many."))


class NotAvailableError(PriorcaseError, AttributeError):
    """An attribute that this estimator, with these parameters, does not have."""


class ForgettingError(PriorcaseError, ValueError):
    """A learner cannot forget these rows exactly."""


class MissingExtraError(PriorcaseError, ImportError):
    """Something needs a library that is not installed."""

    @classmethod
    def plots(cls) -> Self:
        """A drawing without matplotlib."""
        problem = "draws with matplotlib, which is not installed."
        return cls(compose(problem, hint="pip install 'priorcase[plots]', or take the numbers by frame()."))


# -- files, evaluations and case bases


class ReadingError(PriorcaseError, ValueError):
    """A file that is not the table, the data set or the saved learner that it was taken for."""


class EvaluationError(PriorcaseError, ValueError):
    """Learners, targets, predictions or splits that cannot be evaluated together."""


class CaseBaseError(PriorcaseError, ValueError):
    """A case base cannot do this with these cases; nothing was changed."""


class CaseBaseFileError(CaseBaseError):
    """A file that is no case base, a damaged one, or one that the system would not read or write."""


class CaseBaseBusyError(CaseBaseError):
    """A case base that is in use: by others for longer than the timeout, or by an unfinished change or answer."""


class SampleWeightError(PriorcaseError, ValueError):
    """Sample weights that are not one finite, non-negative number for each row."""

    @classmethod
    def wrong(cls, problem: str, *, parameter: str = "sample_weight") -> Self:
        """Weights that break the rule."""
        expected = "one finite number >= 0 for each row"
        hint = "a row of weight 2 counts as two rows, one of weight 0 as none; some row must count."
        return cls(compose(f"got {parameter} {problem}; expected {expected}.", hint=hint))


# -- warnings


class FarQueryWarning(UserWarning):
    """Some queries had no row within the bandwidth, or no centre of a network near them.

    Their predictions come from the nearest rows, or from the network's intercept.

    Attributes
    ----------
    queries
        The positions of these queries.
    """

    queries: tuple[int, ...] = ()


class UnsettledFitWarning(UserWarning):
    """Some iterative fits did not converge.

    Attributes
    ----------
    queries
        The positions of the queries whose fits they are.
    """

    queries: tuple[int, ...] = ()


# -- where an error was raised


def prefix_errors(function: F) -> F:
    """Let errors of a public function or method begin with its name, such as ``KNNClassifier.fit:``."""
    method = "." in function.__qualname__.rpartition("<locals>.")[2]

    @wraps(function)
    def inner(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except PriorcaseError as error:
            if not method:
                locate(error, function.__name__)
            else:
                owner = args[0] if isinstance(args[0], type) else type(args[0])
                locate(error, function.__name__, owner.__name__)
            raise

    return cast(F, inner)


def prefix_all_errors(cls: type[C]) -> type[C]:
    """Let errors of every public method of a class begin with its name."""
    for name in dir(cls):
        found = inspect.getattr_static(cls, name)
        if name.startswith("_"):
            continue
        if inspect.isfunction(found):
            setattr(cls, name, prefix_errors(found))
        elif isinstance(found, classmethod):
            setattr(cls, name, classmethod(prefix_errors(found.__func__)))
    return cls


@contextmanager
def errors_at(where: str) -> Iterator[None]:
    """Let errors inside begin with a place, such as the line of a file."""
    try:
        yield
    except PriorcaseError as error:
        locate(error, where)
        raise


def locate(error: PriorcaseError, name: str, owner: str | None = None) -> None:
    """Say where an error was raised; of two methods of one object, the outer one."""
    if error.where is None or (owner is not None and error.where.startswith(f"{owner}.")):
        error.where = name if owner is None else f"{owner}.{name}"


# -- words of messages


def quoted(value: object) -> str:
    """A value as messages quote it: in one line, and not without end.

    Examples
    --------
    >>> quoted("red"), quoted(list(range(999)))[-12:]
    ("'red'", ' 50, 51, ...')
    """
    text = _written(value)
    if "\n" in text:
        if isinstance(shape := getattr(value, "shape", None), tuple) and hasattr(value, "dtypes"):  # a frame
            return f"a {type(value).__name__} of shape {shape}"
        text = " ".join(text.split())
    if len(text) <= _LENGTH:
        return text
    end = text.rfind(" ", _LENGTH // 2, _LENGTH)
    return f"{text[: end if end > 0 else _LENGTH]} ..."


def _written(value: object) -> str:
    """A value as Python writes it; of one that cannot be written (too many digits, too deep), its kind."""
    try:
        return repr(value)
    except Exception:
        return f"a value of type {type(value).__name__}"


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
    text = ", ".join(map(quoted, items[:limit]))
    return text if len(items) <= limit else f"{text} and {len(items) - limit} more"


def named(noun: str, items: Iterable[object]) -> str:
    """Some items with what they are, in the singular where there is one.

    Examples
    --------
    >>> named("column", ["age"]), named("column", ["age", "size"])
    ("column 'age'", "columns 'age', 'size'")
    """
    items = list(items)
    return f"{noun}{'s' * (len(items) != 1)} {listed(items)}"


def failure(error: Exception) -> str:
    """What a user's function raised, in one line.

    Examples
    --------
    >>> failure(ZeroDivisionError("division by zero")), failure(ValueError())
    ('ZeroDivisionError: division by zero', 'ValueError')
    """
    return " ".join(f"{type(error).__name__}: {error}".removesuffix(": ").split())[:_LENGTH]


def nearest(name: object, names: Iterable[object]) -> str | None:
    """The name that a misspelt one was meant to be; None where none is near.

    Examples
    --------
    >>> nearest("Brake", ["brakes", "chain"]), nearest("noise", ["brakes", "chain"])
    ('brakes', None)
    """
    if not isinstance(name, str):
        return None
    folded = {other.casefold(): str(other) for other in islice(names, _NAMES) if isinstance(other, str)}
    given = name[:_LENGTH].casefold()
    found = difflib.get_close_matches(given, folded, n=1, cutoff=_NEAR)
    found = found or [other for other in folded if len(given) > 2 and sorted(other) == sorted(given)]  # letters swapped
    return folded[found[0]] if found else None


def advice(name: object, names: Iterable[object], *, otherwise: str) -> str:
    """What to do about a name that is none: take the nearest one, or where none is near something else.

    Examples
    --------
    >>> advice("brake", ["brakes", "chain"], otherwise="See classes_.")
    "Did you mean 'brakes'?"
    """
    meant = nearest(name, names)
    return otherwise if meant is None else f"Did you mean {meant!r}?"


def misspelt(given: Iterable[object], names: Iterable[object]) -> str | None:
    """The first of some names that was meant to be another one, as a question; None where all are far from any.

    Examples
    --------
    >>> misspelt(["size", "brake"], ["brakes", "chain"])
    "Did you mean 'brakes' by 'brake'?"
    """
    names = list(names)
    for name in given:
        if (meant := nearest(name, names)) is not None:
            return f"Did you mean {meant!r} by {str(name)!r}?"
    return None


def compose(problem: str, *, hint: str) -> str:
    """Join a problem and its remedy the way every message of the library does.

    Examples
    --------
    >>> print(compose("KNNClassifier.fit got nothing; expected a table.", hint="pass X."))
    KNNClassifier.fit got nothing; expected a table.
    Hint: pass X.
    """
    return f"{problem}\nHint: {hint}"
