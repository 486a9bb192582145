"""Every error of the library, and how a message is written.

Each class also derives from the builtin that scikit-learn users expect, so ``except ValueError`` keeps working. A
message is written where the error is raised: what was wrong, what was expected, what to do.
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

# How many items a message lists, and how long a value may be that it quotes; how alike, of 1, a name must be to be
# suggested, and among how many.
_SHOWN = 5
_LENGTH = 200
_NEAR = 0.75
_NAMES = 10_000
# Control characters can command a terminal, and bidirectional ones show text in another order than it is.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")


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


class SchemaMismatchError(SchemaError):
    """A later table that does not fit the schema of the first one."""


class UnsupportedDataError(PriorcaseError, TypeError):
    """Data of a type that the library does not read, or an object of a type that it does not save."""


class TargetError(PriorcaseError, ValueError):
    """A target ``y``, or sample weights, that a learner cannot learn from."""


class ParameterError(PriorcaseError, ValueError):
    """A parameter or an argument has a value that is not allowed."""


class TooFewRowsError(PriorcaseError, ValueError):
    """Fewer rows than the question needs."""


class NumericRangeError(PriorcaseError, ValueError):
    """Numbers too large, too small or too spread to compute with in float64."""


class TooLargeError(PriorcaseError, ValueError):
    """A question whose answer would take too much memory."""


# -- names, ids and attributes


class UnknownIdError(PriorcaseError, KeyError):
    """An id or a key that names no stored row or case."""


class UnknownNameError(PriorcaseError, KeyError):
    """A name that a result does not have."""


class QueryIndexError(PriorcaseError, IndexError):
    """A query index out of range."""


class NotAvailableError(PriorcaseError, AttributeError):
    """An attribute that this estimator, with these parameters, does not have."""


class ForgettingError(PriorcaseError, ValueError):
    """Rows that cannot be forgotten exactly, because what is stored depends on rows that are gone."""


class MissingExtraError(PriorcaseError, ImportError):
    """Something needs a library that is not installed."""


# -- files, evaluations and case bases


class ReadingError(PriorcaseError, ValueError):
    """A file that is not the table, the data set or the saved learner that it was taken for."""


class MissingFileError(PriorcaseError, FileNotFoundError):
    """A file to read that does not exist."""


class WritingError(PriorcaseError, OSError):
    """A file that could not be written, for example because the disk is full; what was there before is unchanged."""


class EvaluationError(PriorcaseError, ValueError):
    """Learners, targets, predictions or splits that cannot be evaluated together."""


class CaseBaseError(PriorcaseError, ValueError):
    """A case base cannot do this with these cases; nothing was changed."""


class CaseBaseFileError(CaseBaseError):
    """A file that is no case base, a damaged one, or one that the system would not read or write."""


class CaseBaseBusyError(CaseBaseError):
    """A case base that is in use: by others for longer than the timeout, or by an unfinished change or answer."""


class ServiceError(PriorcaseError, RuntimeError):
    """A service that refused a request, with the ``status`` of its answer."""

    status: int = 0


# -- warnings


class FarQueryWarning(UserWarning):
    """Some queries (`queries`, by position) had no row within the bandwidth, or no centre of a network near them.

    Their predictions come from the nearest rows, or from the network's intercept.
    """

    queries: tuple[int, ...] = ()


class RespeltValueWarning(UserWarning):
    """A query has a value that no case has, but for capitals and blanks."""


class UninformativeColumnWarning(UserWarning):
    """Some columns (`columns`, by name or position) are ids, constants, or repeats of another column."""

    columns: tuple[Hashable, ...] = ()


class UnsettledFitWarning(UserWarning):
    """Some iterative fits (of the queries at the positions `queries`) did not converge."""

    queries: tuple[int, ...] = ()


_UNWARNED: ContextVar[tuple[type[Warning], ...]] = ContextVar("priorcase_unwarned", default=())


@contextmanager
def unwarned(*kinds: type[Warning]) -> Iterator[None]:
    """Within this, the library issues no warnings of these kinds on this thread.

    Unlike `warnings.catch_warnings`, which changes the filters of the whole process, it leaves other threads alone.

    Examples
    --------
    >>> with unwarned(FarQueryWarning):
    ...     warn_caller(FarQueryWarning("far away"))
    """
    before = _UNWARNED.set(_UNWARNED.get() + kinds)
    try:
        yield
    finally:
        _UNWARNED.reset(before)


def is_unwarned(kind: type[Warning]) -> bool:
    """Whether warnings of a kind are not issued here, so that nobody need look for a reason."""
    return issubclass(kind, _UNWARNED.get())


def warn_caller(warning: Warning) -> None:
    """Issue a warning at the first caller outside the library, unless it is within `unwarned`."""
    if isinstance(warning, _UNWARNED.get()):
        return
    frame, levels = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("priorcase."):
        frame, levels = frame.f_back, levels + 1
    warnings.warn(warning, stacklevel=levels)


# -- where an error was raised


def prefix_errors(function: F) -> F:
    """Let errors of a public function or method begin with its name, such as ``KNNClassifier.fit:``."""
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


def visible(text: str, *, keep: str = "") -> str:
    """Text with control and bidirectional characters, but those to ``keep``, written as escapes.

    Examples
    --------
    >>> print(visible("a\\x1b[2Jb\\u202ec"))
    a\\x1b[2Jb\\u202ec
    """
    return _HIDDEN.sub(lambda found: found[0] if found[0] in keep else ascii(found[0])[1:-1], text)


def visible_json(text: str) -> str:
    """JSON with such characters, which can only be inside strings, as JSON escapes; its own line ends are kept."""
    return _HIDDEN.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


def quoted(value: object) -> str:
    """A value as messages quote it: in one line, and not without end.

    Examples
    --------
    >>> quoted("red"), quoted(list(range(999)))[-12:]
    ("'red'", ' 50, 51, ...')
    """
    try:
        text = repr(value)
    except Exception:  # too many digits, too deep, or a mistake in a class of the user's
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


def joined(names: Iterable[str], most: int = 6) -> str:
    """Names as a sentence lists them.

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
    """Some items with what they are, in the singular where there is one: ``columns 'age', 'size'``."""
    items = list(items)
    return f"{noun}{'s' * (len(items) != 1)} {listed(items)}"


def failure(error: Exception) -> str:
    """What a user's function raised, in one line."""
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


def respelt(value: object, values: Iterable[object]) -> str | None:
    """The value that a text not among some values is but for capitals and blanks; None where there is none.

    Examples
    --------
    >>> respelt(" Ford  Focus", ["fiat", "ford focus"]), respelt("Ford", ["fiat"])
    ('ford focus', None)
    """
    if not isinstance(value, str):
        return None
    wanted = _folded(value)
    return next((other for other in values if isinstance(other, str) and _folded(other) == wanted), None)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def advice(name: object, names: Iterable[object], *, otherwise: str) -> str:
    """What to do about a name that is none: take the nearest one, or where none is near something else."""
    meant = nearest(name, names)
    return otherwise if meant is None else f"Did you mean {meant!r}?"


def misspelt(given: Iterable[object], names: Iterable[object]) -> str | None:
    """The first of some names that was meant to be another one, as a question; None where all are far from any."""
    names = list(names)
    for name in given:
        if (meant := nearest(name, names)) is not None:
            return f"Did you mean {meant!r} by {str(name)!r}?"
    return None
