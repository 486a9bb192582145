"""Errors and warnings of the library, and helpers for their messages.

Each subclass of `PriorcaseError` also derives from the built-in exception that scikit-learn users expect, such as
``ValueError``. Messages are written where the error is raised. A message should state what was wrong, what was expected
and what to do.
"""

import difflib
import inspect
import re
import sys
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from itertools import islice
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C")

# Maximum number of items listed in a message; maximum number of characters of a quoted value; minimum similarity (0 to
# 1) of a suggested name; maximum number of names to compare.
_SHOWN = 5
_LENGTH = 200
_NEAR = 0.75
_NAMES = 10_000
# Control characters can command a terminal, and bidirectional characters change the displayed order of text.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")


class PriorcaseError(Exception):
    """Base class of all errors raised by priorcase.

    Attributes
    ----------
    where
        The public function or method that was called, such as ``"KNNClassifier.fit"``; None if unknown.
    """

    where: str | None = None

    def __str__(self) -> str:
        message = str(self.args[0]) if self.args else ""
        return message if self.where is None else f"{self.where}: {message}"


# -- tables, targets and parameters


class SchemaError(PriorcaseError, ValueError):
    """A table or a schema declaration is not valid."""


class SchemaMismatchError(SchemaError):
    """A table does not match the schema of the first table."""


class UnsupportedDataError(PriorcaseError, TypeError):
    """Data has a type that cannot be read, or an object has a type that cannot be saved."""


class TargetError(PriorcaseError, ValueError):
    """The target ``y`` or the sample weights cannot be used for learning."""


class ParameterError(PriorcaseError, ValueError):
    """A parameter or argument has an invalid value."""


class TooFewRowsError(PriorcaseError, ValueError):
    """There are too few rows for the operation."""


class NumericRangeError(PriorcaseError, ValueError):
    """Numbers are too large, too small or too far apart for float64."""


class TooLargeError(PriorcaseError, ValueError):
    """The result would need too much memory."""


# -- names, ids and attributes


class UnknownIdError(PriorcaseError, KeyError):
    """An id or key does not belong to a stored row or case."""


class UnknownNameError(PriorcaseError, KeyError):
    """The name of a column, learner, score or similar object is unknown."""


class QueryIndexError(PriorcaseError, IndexError):
    """A query index is out of range."""


class NotAvailableError(PriorcaseError, AttributeError):
    """An attribute or method is not available with the chosen parameters or in the current state."""


class ForgettingError(PriorcaseError, ValueError):
    """Rows cannot be forgotten exactly, because the stored model depends on rows that were not kept."""


class MissingExtraError(PriorcaseError, ImportError):
    """An optional library is not installed."""


# -- files, evaluations and case bases


class ReadingError(PriorcaseError, ValueError):
    """A file is not a valid table, data set or saved model."""


class MissingFileError(PriorcaseError, FileNotFoundError):
    """A file does not exist."""


class WritingError(PriorcaseError, OSError):
    """A file could not be written, for example because the disk is full; an existing file is unchanged."""


class EvaluationError(PriorcaseError, ValueError):
    """Learners, targets, predictions or splits do not fit together, so that they cannot be evaluated."""


class CaseBaseError(PriorcaseError, ValueError):
    """An operation is not possible with this case base or these cases; the case base is unchanged."""


class CaseBaseFileError(CaseBaseError):
    """A case base file is invalid or damaged, or cannot be read or written."""


class CaseBaseBusyError(CaseBaseError):
    """A case base is in use by another thread or process, or an earlier change is unfinished."""


class ServiceError(PriorcaseError, RuntimeError):
    """A service refused a request; ``status`` is the HTTP status of the response."""

    status: int = 0


# -- warnings


class FarQueryWarning(UserWarning):
    """Some queries are far from all stored rows; `queries` lists their positions.

    Either a query has no rows within the bandwidth, or no network center nearby: its prediction comes from the nearest
    rows, or from the intercept of the network. Or a query has a number far outside the range of the stored numbers: it
    is beyond the smallest or largest one by more than ``3 + 30 / n`` times the width of the range, for n numbers (if
    all are equal, their absolute value, at least 1, takes the place of the width). Because the range includes outliers,
    this is rare in heavy-tailed columns, but a number a thousand times too large is usually far.
    """

    queries: tuple[int, ...] = ()


class LocalConvergenceWarning(UserWarning):
    """The iterative fits for some queries did not converge; `queries` lists the positions of these queries."""

    queries: tuple[int, ...] = ()


class SimilarValueWarning(UserWarning):
    """A query has a value that differs from a known value only in case or spaces."""


class StrayTextWarning(UserWarning):
    """A column of numbers is read as nominal because some or all values are text; `column` is its name or position."""

    column: Hashable = None


class UninformativeColumnWarning(UserWarning):
    """Some columns are identifiers, constants, or duplicates; `columns` lists their names or positions."""

    columns: tuple[Hashable, ...] = ()


class UnseenValuesWarning(UserWarning):
    """Queries have nominal values or levels that no stored row has; `columns` lists the names of their columns."""

    columns: tuple[Hashable, ...] = ()


DRIFT = (UnseenValuesWarning, FarQueryWarning)  # warnings about queries unlike the stored rows

_UNWARNED: ContextVar[tuple[type[Warning], ...]] = ContextVar("priorcase_unwarned", default=())
_LIBRARIES = ("priorcase.", "sklearn.", "joblib.")
_SHOWN_AT = set[tuple[str, type[Warning], str, int]]()


@contextmanager
def unwarned(*kinds: type[Warning]) -> Iterator[None]:
    """Suppress warnings of the given classes that `warn_caller` would issue in the current thread.

    Examples
    --------
    >>> with unwarned(FarQueryWarning):
    ...     warn_caller(FarQueryWarning("far away"))
    """
    # `warnings.catch_warnings` would also affect other threads.
    before = _UNWARNED.set(_UNWARNED.get() + kinds)
    try:
        yield
    finally:
        _UNWARNED.reset(before)


def is_unwarned(kind: type[Warning]) -> bool:
    """Return whether warnings of the given class are suppressed."""
    return issubclass(kind, _UNWARNED.get())


def warn_caller(warning: Warning) -> None:
    """Issue a warning for the first caller outside priorcase, scikit-learn and joblib, if it is not suppressed."""
    if isinstance(warning, _UNWARNED.get()):
        return
    frame, levels, looped = sys._getframe(1), 2, False
    while frame.f_back is not None and (name := frame.f_globals.get("__name__", "")).startswith(_LIBRARIES):
        looped = looped or name == "priorcase.batches" or not name.startswith("priorcase.")
        frame, levels = frame.f_back, levels + 1
    if looped:
        # scikit-learn and joblib reset the filters for each fit, so Python would repeat the warning for each fit.
        # Batches of a table differ in what is unseen.
        text = str(warning)
        # The values of each fold differ: one warning about them is enough.
        shown_text = type(warning).__name__ if isinstance(warning, DRIFT) else text
        shown = (shown_text, type(warning), frame.f_code.co_filename, frame.f_lineno)
        matching = (
            action
            for action, message, kind, *_ in warnings.filters
            if isinstance(warning, kind) and (message is None or message.match(text))
        )
        if next(matching, "default") in ("default", "module", "once") and shown in _SHOWN_AT:
            return
        _SHOWN_AT.add(shown)
    warnings.warn(warning, stacklevel=levels)


# -- where an error was raised


def prefix_errors(function: F) -> F:
    """Decorate a public function or method so that its errors start with its name, such as ``KNNClassifier.fit:``."""
    method = "." in function.__qualname__.rpartition("<locals>.")[2]

    @wraps(function)
    def inner(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except PriorcaseError as error:
            cls = None if not method else args[0] if isinstance(args[0], type) else type(args[0])
            locate(error, function.__name__, None if cls is None else cls.__name__)
            raise

    return cast(F, inner)


def prefix_all_errors(cls: type[C]) -> type[C]:
    """Decorate a class so that the errors of each public method start with the name of the method."""
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
    """Prefix the messages of errors raised in the context with a location, such as a line of a file."""
    try:
        yield
    except PriorcaseError as error:
        locate(error, where)
        raise


def locate(error: PriorcaseError, name: str, owner: str | None = None) -> None:
    """Set the location of an error to a function, or to a method of the class ``owner``."""
    # A method that called another method of its class replaces the location that the other method has set.
    if error.where is None or (owner is not None and error.where.startswith(f"{owner}.")):
        error.where = name if owner is None else f"{owner}.{name}"


# -- text of messages


def visible(text: str, *, keep: str = "") -> str:
    """Return text with control and bidirectional characters escaped, except the characters in ``keep``.

    Examples
    --------
    >>> print(visible("a\\x1b[2Jb\\u202ec"))
    a\\x1b[2Jb\\u202ec
    """
    return _HIDDEN.sub(lambda found: found[0] if found[0] in keep else ascii(found[0])[1:-1], text)


def visible_json(text: str) -> str:
    """Return JSON with control and bidirectional characters escaped, except its line breaks."""
    return _HIDDEN.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


def quoted(value: object) -> str:
    """Return a value as text for messages: on one line and shortened.

    Examples
    --------
    >>> quoted("red"), quoted(list(range(999)))[-12:]
    ("'red'", ' 50, 51, ...')
    """
    try:
        text = repr(value)
    except Exception:  # too many digits, nested too deeply, or an error in a user-defined class
        return f"a value of type {type(value).__name__}"
    if "\n" in text:
        if isinstance(shape := getattr(value, "shape", None), tuple) and hasattr(value, "dtypes"):  # a frame
            return f"a {type(value).__name__} of shape {shape}"
        text = " ".join(text.split())
    if len(text) <= _LENGTH:
        return text
    end = text.rfind(" ", _LENGTH // 2, _LENGTH)
    return f"{text[: end if end > 0 else _LENGTH]} ..."


def listed(items: Iterable[object], *, limit: int = _SHOWN) -> str:
    """Return a text with the first few items and, if there are more items, the number of remaining items.

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


def joined(names: Iterable[str], most: int = 6) -> str:
    """Return names joined by commas and "and".

    Examples
    --------
    >>> joined(["chain", "brakes", "noise"]), joined("abcdefgh", 3)
    ('chain, brakes and noise', 'a, b, c and 5 more')
    """
    names = list(names)
    if len(names) > most:
        names[most:] = [f"{len(names) - most} more"]
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def named(noun: str, items: Iterable[object]) -> str:
    """Return a noun, singular for one item, followed by the items, such as ``columns 'age', 'size'``."""
    items = list(items)
    return f"{noun}{'s' * (len(items) != 1)} {listed(items)}"


def failure(error: Exception) -> str:
    """Return an error from a user-defined function as one line of text."""
    return " ".join(f"{type(error).__name__}: {error}".removesuffix(": ").split())[:_LENGTH]


def nearest(name: object, names: Iterable[object]) -> str | None:
    """Return the name most similar to a misspelled name, or None if no name is similar enough.

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


def similar_value(value: object, values: Iterable[object]) -> str | None:
    """Return the value that equals a string except for case and spaces, or None if there is no such value.

    Examples
    --------
    >>> similar_value(" Ford  Focus", ["fiat", "ford focus"]), similar_value("Ford", ["fiat"])
    ('ford focus', None)
    """
    if not isinstance(value, str):
        return None
    wanted = _folded(value)
    return next((other for other in values if isinstance(other, str) and _folded(other) == wanted), None)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def advice(name: object, names: Iterable[object], *, otherwise: str) -> str:
    """Return advice for an unknown name: the most similar name, or ``otherwise`` if no name is similar."""
    meant = nearest(name, names)
    return otherwise if meant is None else f"Did you mean {meant!r}?"


def misspelt(given: Iterable[object], names: Iterable[object]) -> str | None:
    """Return a "Did you mean" question about the first misspelled name, or None if no known name is similar."""
    names = list(names)
    for name in given:
        if (meant := nearest(name, names)) is not None:
            return f"Did you mean {meant!r} by {str(name)!r}?"
    return None
