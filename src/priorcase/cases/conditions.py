"""Conditions on cases, for finding, forgetting and retrieving them.

A condition on an attribute is a plain value, None, a list of values, a function of the value, or a condition of this
module. A plain value matches equal values; a node of a taxonomy also matches all nodes below this node, and a member of
a set matches all sets that contain this member. None matches missing values. A list matches every value in the list;
for sets, a list matches the sets that contain all values in the list. Missing values are matched only by conditions
about missing values, such as None, ``missing()``, ``not_(known())``, or a list that contains None.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from priorcase._locks import cached_property
from priorcase._parameters import as_python, is_number, is_whole
from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.cases import kinds
from priorcase.cases.checks import check_known
from priorcase.cases.kinds import CaseKind, Stored
from priorcase.cases.measures.texts import folded
from priorcase.cases.table import CaseTable, number_of
from priorcase.datasets.typed import plain_number, typed_number
from priorcase.exceptions import CaseBaseError, ReadingError, failure, listed, prefix_errors, quoted
from priorcase.schema import Date, Nominal, Numeric, Ordinal, Taxonomy, Text
from priorcase.schema.kinds import identity, is_missing, plain

_ALWAYS = ("solution", "outcome", "id")  # names allowed in conditions on every table, in addition to attributes
FIELDS: dict[str, CaseKind] = {"id": Numeric(), "key": Text(), "by": Text(), "retired": Nominal((False, True))}
"""Kinds of the case fields that conditions can use; solutions and outcomes have no kind."""

_PLAIN = "any value"  # the name used in messages for the kind of solutions and outcomes, which can be any JSON value
_DAY = len("2024-05-01")
_EXACT = 2**53
_COLLECTIONS = (list, tuple, set, frozenset, range)


@dataclass(frozen=True, repr=False)
class Condition:
    """A condition on one attribute, created with functions such as `at_least` and `one_of`.

    The repr of a condition is the expression that creates the condition; conditions with the same repr are equal.

    >>> at_least(3), one_of("red", None), not_("red") == not_("red")
    (at_least(3), one_of('red', missing()), True)
    >>> all_of(known(), not_(between("2024-05-01", "2024-05-31")))
    all_of(known(), not_(between('2024-05-01', '2024-05-31')))
    """

    name: str
    arguments: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        if self.name in ("value", "function"):
            return repr(self.arguments[0])
        if self.name == "list":
            return repr(list(self.arguments))
        shown = [given.pattern if isinstance(given, re.Pattern) else given for given in self.arguments]
        return f"{self.name}({', '.join(map(repr, shown))})"


# -- creating conditions


@prefix_errors
def between(low: object, high: object) -> Condition:
    """Match numbers, dates or ordinal levels from ``low`` to ``high``, both included.

    A date without a time means the whole day: ``between("2024-05-01", "2024-05-31")`` includes the evening of the 31st.
    """
    return _bounded("between", low, high)


@prefix_errors
def at_least(low: object) -> Condition:
    """Match values >= ``low``."""
    return _bounded("at_least", low)


@prefix_errors
def at_most(high: object) -> Condition:
    """Match values <= ``high``; a date without a time includes the whole day."""
    return _bounded("at_most", high)


@prefix_errors
def above(low: object) -> Condition:
    """Match values > ``low``; a date without a time excludes the whole day."""
    return _bounded("above", low)


@prefix_errors
def below(high: object) -> Condition:
    """Match values < ``high``."""
    return _bounded("below", high)


def exactly(value: object) -> Condition:
    """Match exactly this value: a taxonomy node but no node below it, or a set with these members and no others."""
    return Condition("exactly", (value,))


@prefix_errors
def contains(*items: object) -> Condition:
    """Match strings that contain all given strings, ignoring case, or sets and lists that contain all given members."""
    _check_given(items)
    return Condition("contains", items)


@prefix_errors
def matches(pattern: str | re.Pattern[str]) -> Condition:
    """Match strings that contain a match of a regular expression; unlike `contains`, `matches` is case-sensitive.

    ``matches("(?i)vpn")`` ignores case.
    """
    try:
        return Condition("matches", (re.compile(pattern),))
    except (re.error, TypeError) as error:
        raise CaseBaseError(
            f"got {quoted(pattern)}, which is not a regular expression: {error!s}. contains(text) searches for a "
            "plain string."
        ) from None


def under(node: str) -> Condition:
    """Match a taxonomy node or any node below it; the plain value ``node`` is an equivalent condition."""
    return Condition("under", (node,))


@prefix_errors
def one_of(*values: object) -> Condition:
    """Match values that match at least one of several values or conditions."""
    _check_given(values)
    return Condition("one_of", tuple(_single(value) for value in values))


@prefix_errors
def all_of(*conditions: object) -> Condition:
    """Match values that meet all of several conditions."""
    _check_given(conditions)
    return Condition("all_of", tuple(_single(condition) for condition in conditions))


def not_(condition: object) -> Condition:
    """Negate a value or condition.

    If the value of a case is missing, neither the condition nor its negation holds, except for conditions about missing
    values.
    """
    return Condition("not_", (as_condition(condition),))


def known() -> Condition:
    """Match cases in which the value is not missing."""
    return Condition("known")


def missing() -> Condition:
    """Match cases in which the value is missing."""
    return Condition("missing")


def as_condition(given: object) -> Condition:
    """Convert a condition, None, several values, a function or a single value to a condition."""
    if isinstance(given, _COLLECTIONS):
        return Condition("list", tuple(given))
    if getattr(given, "ndim", 0) == 1 and hasattr(given, "tolist"):  # an array, or a column of a frame
        return Condition("list", tuple(given.tolist()))
    return _single(given)


def equal_to(given: object) -> Condition:
    """Return the condition that is equivalent to a plain value."""
    return Condition("value", (given,))


def _single(given: object) -> Condition:
    """Convert an argument to a condition, as `as_condition` does, but treat a collection as a single value."""
    if isinstance(given, Condition):
        return given
    if is_missing(given):
        return missing()
    return Condition("function", (given,)) if callable(given) else equal_to(given)


def _bounded(name: str, *bounds: object) -> Condition:
    _check_given(() if any(bound is None for bound in bounds) else bounds)
    return Condition(name, bounds)


def _check_given(values: Sequence[object]) -> None:
    if not values:
        raise CaseBaseError(
            "got an empty list of values, or None as a bound; expected at least one value or condition. Omit the "
            "condition to allow any value; the condition None matches missing values."
        )


# -- evaluating conditions


def mask(
    table: CaseTable, conditions: Mapping[str, object], *, others: Mapping[str, Sequence[Stored]] | None = None
) -> BoolArray:
    """Return a mask of the cases, including retired cases, that meet all conditions.

    ``others`` contains the values of ``"key"``, ``"by"`` or ``"retired"`` if a condition refers to these fields.
    """
    if not isinstance(conditions, Mapping):
        raise CaseBaseError(
            f"got where={quoted(conditions)}; expected a mapping from names to values or conditions. For example "
            "{'fuel': 'diesel', 'miles': at_most(50_000)}."
        )
    others = others or {}
    check_known(conditions, [*table.attributes, *_ALWAYS, *others])
    found = np.ones(len(table), dtype=np.bool_)
    for name, given in conditions.items():
        subject, codes = _subject(table, name, others)
        values, missing = _truth(as_condition(given), subject)
        found &= np.append(values, missing is True)[codes]  # missing values have code -1: the last item
    return found


@dataclass(frozen=True)
class _Subject:
    """The distinct stored values of the attribute or field that a condition refers to."""

    name: str
    kind: CaseKind | None  # None for solutions and outcomes, whose values are JSON strings
    values: Sequence[Stored]
    numbers_known: FloatArray | None = None

    @property
    def kind_name(self) -> str:
        return _PLAIN if self.kind is None else kinds.kind_name(self.kind)

    @cached_property
    def shown(self) -> list[Any]:
        """The values in the form in which users see them."""
        if self.kind is None:
            return [kinds.plain_shown(text) for text in self.values]  # type: ignore[arg-type]
        return [kinds.shown(self.kind, stored) for stored in self.values]

    @cached_property
    def numbers(self) -> FloatArray:
        """The values as numbers, days or ranks; NaN for other values."""
        if self.numbers_known is not None:
            return self.numbers_known
        return np.array([as_python(each) if is_number(each) else np.nan for each in self.shown], dtype=np.float64)

    def stored(self, value: object) -> Stored:
        """Convert a value to its stored form, so that it can be compared with stored values."""
        if self.kind is None:
            return kinds.check_plain(value, what=self.name)
        if self.name == "key" and is_whole(value):
            value = str(value)
        return kinds.check(self.kind, value, attribute=self.name)

    def where(self, holds: Callable[[Any], Any], *, stored: bool = False) -> BoolArray:
        """Return a mask of the values for which ``holds(value)`` is true."""
        values = self.values if stored else self.shown
        return np.fromiter(map(holds, values), dtype=np.bool_, count=len(values))


def _subject(table: CaseTable, name: str, others: Mapping[str, Sequence[Stored]]) -> tuple[_Subject, IntArray]:
    """Return the distinct values that a condition refers to, and the position of each case's value (-1 if missing)."""
    if name == "id":
        return _Subject(name, FIELDS[name], table.ids.tolist(), table.ids.astype(np.float64)), np.arange(len(table))
    if name in others:
        known = dict.fromkeys(value for value in others[name] if value is not None)
        places = {value: place for place, value in enumerate(known)}
        codes = np.array([-1 if value is None else places[value] for value in others[name]], dtype=np.int64)
        return _Subject(name, FIELDS[name], tuple(places)), codes
    column = table.column(name)
    numbers = None if number_of(column.kind) is None else column.numbers()
    return _Subject(name, column.kind, column.values, numbers), column.codes


_Truth: TypeAlias = tuple[BoolArray, bool | None]


def _truth(condition: Condition, subject: _Subject) -> _Truth:
    """Return a mask of the values that meet a condition, and whether missing values meet it (None if undecided)."""
    name, given = condition.name, condition.arguments
    fitting = _FITTING.get(name)
    if fitting is not None and subject.kind_name not in fitting:
        raise CaseBaseError(
            f"got {subject.name}={quoted(condition)}, but {subject.name!r} is of kind {subject.kind_name!r}. This "
            f"condition is for attributes of kind {listed(kind for kind in fitting if kind != _PLAIN)}."
        )
    if name in ("known", "missing"):
        return np.full(len(subject.values), name == "known"), name == "missing"
    if name == "not_":
        values, absent = _truth(given[0], subject)
        return ~values, None if absent is None else not absent
    if name == "list" and subject.kind_name != "set":
        return _truth(one_of(*given), subject)
    if name in ("one_of", "all_of"):
        parts = [_truth(part, subject) for part in given]
        # Three-valued logic: one deciding part settles the result; otherwise, one undecided part leaves it undecided.
        decides, told = name == "one_of", [part[1] for part in parts]
        join = np.logical_or if decides else np.logical_and
        absent = decides if decides in told else None if None in told else not decides
        return join.reduce([part[0] for part in parts]), absent
    return _TESTS[name](subject, *given), None


def _is_value(subject: _Subject, value: Any) -> BoolArray:
    if subject.kind_name == "taxonomy":
        return _is_under(subject, value)
    if subject.kind_name == "set":
        several = isinstance(value, (set, frozenset, list, tuple))
        return _contains(subject, *(value if several else (value,)))
    if subject.kind_name == "date":  # a date without a time means the whole day
        start, end = _ends(subject, value)
        return (subject.numbers >= start) & (subject.numbers <= end)
    return _equals(subject, value)


def _equals(subject: _Subject, value: object) -> BoolArray:
    if subject.kind is None and is_number(value):  # 5 and 5.0 are different JSON strings
        return subject.where(lambda found: is_number(found) and found == value)
    key = _key(subject.stored(value))
    return subject.where(lambda found: _key(found) == key, stored=True)


def _key(value: Stored) -> Any:
    """Return a key for comparing stored values; unlike in Python, ``True`` does not equal 1."""
    return tuple(map(identity, value)) if isinstance(value, tuple) else identity(value)


def _is_under(subject: _Subject, node: object) -> BoolArray:
    name = str(subject.stored(node))
    found = set(subject.kind.under(name)) if isinstance(subject.kind, Taxonomy) else set()
    return subject.where(found.__contains__, stored=True)


def _contains(subject: _Subject, *items: Any) -> BoolArray:
    _check_given(items)
    if subject.kind_name == "set":
        members: Any = subject.stored(list(items))
        wanted = {*map(identity, members)}  # a Python set cannot contain both 1 and True
        return subject.where(lambda found: wanted <= {*map(identity, found)}, stored=True)
    if subject.kind is not None and not all(isinstance(item, str) for item in items):
        raise CaseBaseError(
            f"got {quoted(Condition('contains', items))} for {subject.name!r}; expected a string to search for. The "
            "condition None matches missing values."
        )
    texts = [folded(item) if isinstance(item, str) else None for item in items]
    plain_items = [plain(item) for item in items]

    def holds(value: Any) -> bool:
        if isinstance(value, str):
            whole = folded(value)
            return all(text is not None and text in whole for text in texts)
        if isinstance(value, Iterable):  # a list, or the keys of a mapping
            return all(any(type(each) is type(item) and each == item for each in value) for item in plain_items)
        return False

    return subject.where(holds)


def _asked(subject: _Subject, function: Callable[[Any], Any]) -> BoolArray:
    def answer(value: Any) -> bool:
        try:
            return bool(function(value))
        except Exception as error:  # a user's function can raise anything; it is chained as the cause
            raise CaseBaseError(
                f"the function for {subject.name!r} raised {failure(error)} for {quoted(value)}. The function is "
                "called with all values that are not missing, and these can be of any type; see the traceback above."
            ) from error

    return subject.where(answer)


def _between(subject: _Subject, low: object, high: object) -> BoolArray:
    (first, _), (_, last) = _ends(subject, low), _ends(subject, high)
    if first > last:
        raise CaseBaseError(
            f"got {subject.name}=between({quoted(low)}, {quoted(high)}), an empty range. Pass the lower end "
            "first; both ends are included."
        )
    return _compared(subject, operator.ge, first) & _compared(subject, operator.le, last)


def _compared(subject: _Subject, compare: Callable[[Any, Any], Any], end: float) -> BoolArray:
    """Return a mask of the values for which ``compare(value, end)`` is true."""
    numbers, point = subject.numbers, float(as_python(end))
    found: BoolArray = compare(numbers, point)
    if abs(point) >= _EXACT:  # integers of this size are not exact as floats
        exact = subject.values if subject.kind is not None else subject.shown
        for place in np.flatnonzero(numbers == point).tolist():
            found[place] = compare(exact[place], end)
    return found


def _ends(subject: _Subject, value: Any) -> tuple[float, float]:
    """Return the lowest and the highest number that a value stands for; they differ only for a date without a time."""
    if subject.kind is None:
        if not is_number(value) or value != value:
            raise CaseBaseError(
                f"cannot compare {subject.name!r} with {quoted(value)}: only numbers can be ordered. Pass a "
                "plain value to find equal values."
            )
        return plain(value), plain(value)  # type: ignore[return-value]
    stored: Any = subject.stored(value)
    if stored is None:
        raise CaseBaseError(
            f"got {quoted(value)} for {subject.name!r}; expected a value to compare with. The condition None matches "
            "missing values."
        )
    start = number_of(subject.kind)(stored) if isinstance(subject.kind, (Ordinal, Date)) else stored
    if isinstance(subject.kind, Date) and len(stored) == _DAY:
        return start, float(np.nextafter(start + 1.0, start))
    return start, start


_FITTING: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("between", "at_least", "at_most", "above", "below"), ("numeric", "circular", "ordinal", "date", _PLAIN)
    ),
    "contains": ("text", "nominal", "set", _PLAIN),
    "matches": ("text", "nominal", "taxonomy", _PLAIN),
    "under": ("taxonomy",),
}
_TESTS: dict[str, Callable[..., BoolArray]] = {
    "value": _is_value,
    "exactly": _equals,
    "list": _contains,
    "contains": _contains,
    "matches": lambda subject, pattern: subject.where(lambda found: isinstance(found, str) and pattern.search(found)),
    "under": _is_under,
    "function": _asked,
    "between": _between,
    "at_least": lambda subject, low: _compared(subject, operator.ge, _ends(subject, low)[0]),
    "at_most": lambda subject, high: _compared(subject, operator.le, _ends(subject, high)[1]),
    "above": lambda subject, low: _compared(subject, operator.gt, _ends(subject, low)[1]),
    "below": lambda subject, high: _compared(subject, operator.lt, _ends(subject, high)[0]),
}


# -- parsing conditions that users type

_OPERATOR = re.compile(r"<=|>=|!=|==|=|<|>|~")
_ORDERED: dict[str, Callable[[object], Condition]] = {"<=": at_most, ">=": at_least, "<": below, ">": above}
_BOOLEANS = {"true": True, "false": False}
_ANSWERS = _BOOLEANS | {"yes": True, "no": False}


def parse_all(texts: Iterable[str], attributes: Mapping[str, CaseKind]) -> dict[str, Condition]:
    """Parse conditions and return one condition for each name; all conditions on a name must hold.

    >>> from priorcase.schema import Numeric
    >>> parse_all(["miles > 50", "miles<=90", "outcome=no"], {"miles": Numeric()})
    {'miles': all_of(above(50), at_most(90)), 'outcome': one_of('no', False)}
    """
    found: dict[str, list[Condition]] = {}
    for text in texts:
        name, condition = parse(text, attributes)
        found.setdefault(name, []).append(condition)
    return {name: one[0] if len(one) == 1 else all_of(*one) for name, one in found.items()}


def parse(text: str, attributes: Mapping[str, CaseKind]) -> tuple[str, Condition]:
    """Parse a condition such as ``miles<=50000`` into a name and a condition.

    Operators are ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=`` and ``~`` (contains). ``fuel=gas|diesel`` matches either
    value, ``fuel=?`` matches missing values, and ``fuel!=?`` matches known values. Conditions can also refer to the
    solution, the outcome, and the fields in `FIELDS`. The outcomes and ``retired`` can be typed as yes and no.

    >>> from priorcase.schema import Numeric, Nominal
    >>> attributes = {"miles": Numeric(), "fuel": Nominal()}
    >>> parse("miles <= 50000", attributes), parse("fuel=gas|diesel", attributes), parse("fuel!=?", attributes)
    (('miles', at_most(50000)), ('fuel', one_of('gas', 'diesel')), ('fuel', known()))
    """
    name, operator, given = _split(text, [*attributes, *_ALWAYS, *FIELDS])
    kind = attributes.get(name, FIELDS.get(name))
    equality = operator in ("=", "==", "!=")
    parts = [part.strip() for part in given.split("|")] if equality else [given]
    if not all(parts):
        raise CaseBaseError(
            f"The condition {quoted(text)} has no value after {name!r}; expected NAME=VALUE. {name}=? "
            "matches missing values."
        )
    if not equality and given == "?":
        raise CaseBaseError(
            f"The condition {quoted(text)} has '?' after {operator}; expected one value. Only = and != accept "
            "several values (A|B) or ? for missing values."
        )
    if operator == "~":
        return name, contains(given)
    if not equality:
        return name, _ORDERED[operator](_bound(name, kind, given))
    if parts == ["?"]:
        return name, known() if operator == "!=" else missing()
    found = [reading for part in parts for reading in _readings(name, kind, part)]
    condition = found[0] if len(found) == 1 else one_of(*found)
    return name, not_(condition) if operator == "!=" else condition


def _split(text: str, names: list[str]) -> tuple[str, str, str]:
    """Split a condition into name, operator and value; names can contain spaces and operators."""
    stripped = text.strip()
    for name in sorted(names, key=len, reverse=True):
        rest = stripped.removeprefix(name).lstrip()
        if stripped.startswith(name) and (operator := _OPERATOR.match(rest)) is not None:
            return name, operator.group(), rest[operator.end() :].strip()
    operator = _OPERATOR.search(stripped)
    if operator is not None and operator.start():
        check_known([stripped[: operator.start()].strip()], names)
    lacking = "operator" if operator is None else "name"
    raise CaseBaseError(
        f"The condition {quoted(text)} has no {lacking}; expected NAME=VALUE. Operators are = != < <= > >= and ~ "
        "(contains); NAME=A|B matches A or B, and NAME=? matches missing values."
    )


def _readings(name: str, kind: CaseKind | None, part: str) -> list[Condition]:
    """Return a condition for each meaning of a string: the string itself, and a number or boolean if it spells one."""
    if part == "?":
        return [missing()]
    of_kind = None if kind is None else kinds.kind_name(kind)
    if of_kind in ("numeric", "circular"):
        return [equal_to(_bound(name, kind, part))]
    readings: list[object] = [typed(name, kind, part)]
    if of_kind in (None, "nominal", "ordinal", "set"):
        word = part.casefold()
        truths = _BOOLEANS
        if name in ("outcome", "retired"):
            truths = _ANSWERS
            readings += [word] if word in truths and word != part else []
        with suppress(ReadingError):
            number = plain_number(part) if kind is not None else typed_number(part)
            readings += [] if number is None else [number]
        readings += [truths[word]] if word in truths else []
    fitting, refused = [], []
    for reading in readings:
        try:
            if kind is not None:
                kinds.check(kind, [reading] if of_kind == "set" else reading, attribute=name)
            fitting.append(equal_to(reading))
        except CaseBaseError as error:
            refused.append(error)
    if not fitting:
        raise refused[0]
    return fitting


def _bound(name: str, kind: CaseKind | None, given: str) -> object:
    """Return the bound of a comparison, parsed according to the kind of the attribute."""
    if kind is None:
        number = typed(name, Numeric(), given)
        if not is_number(number):
            raise CaseBaseError(
                f"cannot compare {name!r} with {quoted(given)}: only numbers can be ordered. {name}=VALUE "
                "finds equal values."
            )
        return number
    if kinds.kind_name(kind) in ("numeric", "circular"):
        return kinds.check(kind, typed(name, kind, given), attribute=name)
    if kinds.kind_name(kind) == "ordinal" and (number := plain_number(given)) is not None:
        with suppress(CaseBaseError):
            return kinds.check(kind, number, attribute=name)
    return typed(name, kind, given)


def typed(name: str, kind: CaseKind | None, text: str) -> object:
    """Parse a number or date in any usual notation; return other text unchanged; raise an error for ambiguous text.

    >>> typed("price", Numeric(), "1.516,34"), typed("sold", Date(), "16.03.2025"), typed("price", Numeric(), "many")
    (1516.34, '2025-03-16', 'many')
    """
    if isinstance(kind, Date):
        return kinds.check(kind, text, attribute=name)
    if not isinstance(kind, Numeric):
        return text
    try:
        number = typed_number(text)
    except ReadingError as error:
        raise CaseBaseError(f"got {error.args[0]} as {name!r}.") from None
    return text if number is None else number
