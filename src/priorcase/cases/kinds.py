"""The kinds of attributes: numeric, circular, ordinal, nominal, text, set, date, taxonomy and graph.

Each kind defines how its values are checked, stored and shown; solutions and outcomes can be any JSON value.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from priorcase._parameters import is_number, is_whole
from priorcase._typing import Value
from priorcase.cases.designs.graph import FunctionGraph
from priorcase.datasets.typed import typed_date
from priorcase.exceptions import CaseBaseError, ParameterError, ReadingError, listed, quoted
from priorcase.schema import Circular, Date, Nominal, Numeric, Ordinal, Set, Taxonomy, Text
from priorcase.schema.kinds import identity, is_missing, kind_advice, plain


@dataclass(frozen=True, slots=True)
class Graph:
    """Kind of attributes whose values are qualitative function graphs.

    An arc of a function graph says that one variable increases (+) or decreases (-) another variable.
    """

    def describe(self) -> str:
        """Describe the kind in words, for messages."""
        return "function graph"


# -- kinds by name

CaseKind: TypeAlias = Numeric | Ordinal | Nominal | Text | Set | Date | Taxonomy | Graph  # Circular is Numeric
"""The kind of an attribute."""

_NAMES: dict[type[Any], str] = {
    Numeric: "numeric",
    Circular: "circular",
    Ordinal: "ordinal",
    Nominal: "nominal",
    Text: "text",
    Set: "set",
    Date: "date",
    Taxonomy: "taxonomy",
    Graph: "graph",
}
_OF_TEXT = ("analyzer", "longest")
_SIMPLE = {name: cls for cls, name in _NAMES.items() if cls not in (Circular, Ordinal, Taxonomy)}


def kind_name(kind: CaseKind) -> str:
    return _NAMES[type(kind)]


def as_kind(given: Any, *, attribute: str) -> CaseKind:
    """Convert the class or name of a kind, or a list of ordinal levels, to a kind; return kind objects unchanged."""
    if type(given) in _NAMES:
        return given  # type: ignore[no-any-return]
    if isinstance(given, str) and given in _SIMPLE:
        return _SIMPLE[given]()  # type: ignore[no-any-return]
    if isinstance(given, type) and given in _SIMPLE.values():
        return given()  # type: ignore[no-any-return]
    if isinstance(given, list | tuple):
        return Ordinal(tuple(given))
    raise CaseBaseError(f"got {quoted(given)} as the kind of {attribute!r}. {kind_advice(given)}")


def describe(kind: CaseKind) -> dict[str, Any]:
    """Return a description of a kind, as a dict that JSON can represent."""
    found: dict[str, Any] = {"kind": kind_name(kind)}
    if isinstance(kind, Ordinal):
        found["order"] = list(kind.order)
    elif isinstance(kind, Circular):
        found["period"] = kind.period
    elif isinstance(kind, Date) and kind.parts != "auto":
        found["parts"] = list(kind.parts)
    elif isinstance(kind, Text):
        found |= {name: getattr(kind, name) for name in _OF_TEXT if getattr(kind, name) != getattr(Text(), name)}
    elif isinstance(kind, Taxonomy):
        found["nodes"] = [[node, kind.parent(node)] for node in kind.nodes]
        if kind.weights:
            found["weights"] = dict(kind.weights)
    elif isinstance(kind, Nominal) and kind.values is not None:
        found["values"] = list(kind.values)
    return found


def from_description(found: dict[str, Any]) -> CaseKind:
    """Convert a description made by `describe` back to a kind."""
    name = found["kind"]
    if name == "ordinal":
        return Ordinal(tuple(found["order"]))
    if name == "nominal" and "values" in found:
        return Nominal(tuple(found["values"]))
    if name == "circular":
        return Circular(found["period"])
    if name == "date" and "parts" in found:
        return Date(tuple(found["parts"]))
    if name == "text":
        return Text(**{key: found[key] for key in _OF_TEXT if key in found})
    if name == "taxonomy":
        return Taxonomy(dict(map(tuple, found["nodes"])), weights=found.get("weights"))
    return _SIMPLE[name]()  # type: ignore[no-any-return]


# -- values: checked, stored and shown

Stored: TypeAlias = str | int | float | bool | tuple[str | int | float | bool, ...] | None
"""A value as stored in the file and in the table; None is missing."""

_LONGEST_NAME = 100_000
_LONGEST_SOLUTION = 10_000_000
_MOST_MEMBERS = 10_000
_DEEPEST = 100
_WHOLE, _LARGEST = 2**53, 2**63
_ELSEWHERE = "Keep long documents elsewhere and store only the part that distinguishes cases."
_MISSING = "Omit an unknown value."


def check(kind: CaseKind, value: Any, *, attribute: str) -> Stored:
    """Return a value in stored form; raise an error if the value is not valid for the kind."""
    # Common values come first, for speed: many cases can be added at a time.
    if value is None:
        return None
    given = type(value)
    if given is str:
        if type(kind) is Nominal and kind.values is None and len(value) <= _LONGEST_NAME and value.isascii():
            return str(value)
    elif given is float or given is int:
        if type(kind) in (Numeric, Circular) and -_WHOLE < value < _WHOLE:
            return int(value) if value % 1 == 0 else value
        if value != value:
            return None
    elif is_missing(value):
        return None
    try:
        return _CHECKS[type(kind)](kind, value)
    except CaseBaseError as error:
        raise CaseBaseError(f"got {quoted(value)} for {attribute!r}; {error.args[0]}") from None


def plainly_fit(kind: CaseKind, values: Sequence[Any]) -> bool:
    """Return True if a quick test shows that `check` would return all values unchanged; otherwise return False."""
    given = set(map(type, values))
    if type(kind) in (Numeric, Circular):
        return given <= {int, float} and all(-_WHOLE < value < _WHOLE for value in values)
    longest = kind.longest if type(kind) is Text else _LONGEST_NAME
    if type(kind) is Set and given == {tuple} and max(map(len, values)) <= _MOST_MEMBERS:
        members = set(chain.from_iterable(values))
        return _plain_texts(members, longest) and all(value == tuple(sorted(set(value))) for value in values)
    return (type(kind) is Text or (type(kind) is Nominal and kind.values is None)) and _plain_texts(values, longest)


def _plain_texts(values: Collection[Any], longest: int) -> bool:
    return (
        {str}.issuperset(map(type, values))
        and "".join(values).isascii()
        and max(map(len, values), default=0) <= longest
    )


def shown(kind: CaseKind, stored: Stored) -> Any:
    """Convert a stored value to the form in which users see it."""
    read = _SHOWN.get(type(kind))
    return stored if read is None or stored is None else read(stored)


_SHOWN: dict[type, Callable[[Any], Any]] = {
    Set: frozenset,
    Date: lambda stored: _from_iso(str(stored)),
    Graph: lambda stored: FunctionGraph.from_json(str(stored)),
}


def infer(values: Iterable[Any]) -> CaseKind:
    """Infer the kind of an attribute from its values: numeric, set, date or graph if all values fit, else nominal."""
    found = {_kind_of(value) for value in values if not is_missing(value)}
    return found.pop()() if len(found) == 1 else Nominal()


def _kind_of(value: Any) -> type[Any]:
    if isinstance(value, (set, frozenset, list, tuple)):
        return Set
    if isinstance(value, (datetime.date, np.datetime64)):
        return Date
    if isinstance(value, FunctionGraph):
        return Graph
    return Numeric if is_number(value) else Nominal


# -- checks by kind: return the stored value, or raise an error that says what was expected


def _numeric(kind: Numeric, value: Any) -> Stored:
    if not is_number(value):
        raise CaseBaseError(f"expected a number. {_MISSING}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise CaseBaseError(f"expected a finite number. {_MISSING}")
    if is_whole(value) and abs(value) < _LARGEST:
        return int(value)  # stored exactly, although similarities round it to a float
    found = plain(number)
    return found if isinstance(found, int) else number


def _one_of(kind: Ordinal | Nominal, value: Any) -> Stored:
    known = kind.order if isinstance(kind, Ordinal) else kind.values
    if known is None:
        return _name(value)
    found = plain(value)
    if not isinstance(found, (str, int, float, bool)) or identity(found) not in _identities(known):
        names = "levels" if isinstance(kind, Ordinal) else "declared values"
        raise CaseBaseError(f"expected one of the {names} {listed(known, limit=12)}. {_MISSING}")
    return found


@lru_cache(maxsize=256)
def _identities(known: tuple[Value, ...]) -> frozenset[Value]:
    return frozenset(map(identity, known))


def _name(value: Any) -> str | int | float | bool:
    found = plain(value)
    if isinstance(found, str):
        return _readable(found, _LONGEST_NAME)
    if isinstance(found, bool) or (isinstance(found, int) and abs(found) < _LARGEST):
        return found
    if isinstance(found, float) and math.isfinite(found):
        return found
    raise CaseBaseError(
        "expected a string, a finite number or a boolean. Declare an attribute with other values as 'text', "
        "'set', 'date' or 'graph'."
    )


def _text(kind: Text, value: Any) -> Stored:
    if not isinstance(value, str):
        raise CaseBaseError(f"expected a string. {_MISSING}")
    return _readable(value, kind.longest)


def _readable(text: str, most: int) -> str:
    if len(text) > most:
        raise CaseBaseError(f"expected at most {most:,} characters, not {len(text):,}. {_ELSEWHERE}")
    text = str.__str__(text)  # converts subclasses such as NumPy strings
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise CaseBaseError(
                "expected valid text, not half of a surrogate pair. Decode the text again with errors='replace'."
            ) from None
    return text


def _set(kind: Set, value: Any) -> Stored:
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    if not isinstance(value, (set, frozenset, list, tuple)):
        raise CaseBaseError(f"expected a set or a list of values. For example {{{quoted(value):.40}}}.")
    if len(value) > _MOST_MEMBERS:
        raise CaseBaseError(f"expected at most {_MOST_MEMBERS:,} members, not {len(value):,}. {_ELSEWHERE}")
    if all(type(member) is str and member.isascii() and len(member) <= _LONGEST_NAME for member in value):
        return tuple(sorted(set(value)))  # strings can be sorted without a key
    if any(map(is_missing, value)):
        raise CaseBaseError(f"expected a set without missing members. {_MISSING}")
    return ordered(map(_name, value))


def ordered(members: Iterable[str | int | float | bool]) -> tuple[str | int | float | bool, ...]:
    """Return the distinct members in the order used for all sets: booleans, then numbers, then strings."""
    distinct = {identity(member): member for member in members}.values()
    return tuple(
        sorted(distinct, key=lambda m: (2, 0, m) if isinstance(m, str) else (0 if isinstance(m, bool) else 1, m, ""))
    )


def _date(kind: Date, value: Any) -> Stored:
    try:
        text = _as_iso(value)
        if text is not None:
            days(text)
            return text
    except ReadingError as error:
        raise CaseBaseError(f"it{str(error.args[0]).removeprefix(quoted(value))}") from None
    except (ValueError, OverflowError):
        pass
    raise CaseBaseError(f"expected a date, a datetime or ISO text such as '2024-05-01'. {_MISSING}")


def _node(kind: Taxonomy, value: Any) -> Stored:
    if value not in kind:
        raise CaseBaseError(f"expected a node of the taxonomy ({listed(kind.nodes, limit=8)}). {_MISSING}")
    return str.__str__(value)


def _graph(kind: Graph, value: Any) -> Stored:
    if isinstance(value, str):
        read = FunctionGraph.from_json if value.lstrip().startswith("{") else FunctionGraph.parse
        try:
            value = read(value)
        except ParameterError as error:
            raise CaseBaseError(f"expected a graph: {error.args[0]}") from None
    if not isinstance(value, FunctionGraph):
        raise CaseBaseError("expected a FunctionGraph. For example FunctionGraph.parse('Q1 +> Q3; Q2 +> Q3').")
    return value.to_json()


_CHECKS: dict[type, Callable[[Any, Any], Stored]] = {
    Numeric: _numeric,
    Circular: _numeric,
    Ordinal: _one_of,
    Nominal: _one_of,
    Text: _text,
    Set: _set,
    Date: _date,
    Taxonomy: _node,
    Graph: _graph,
}


# -- dates


def _as_iso(value: Any) -> str | None:
    """Convert a date or datetime to ISO text; return None for other values."""
    if isinstance(value, np.datetime64):
        whole_days = np.datetime_data(value.dtype)[0] in {"D", "M", "Y", "W"}
        value = value.astype("datetime64[D]" if whole_days else "datetime64[us]").item()
    if isinstance(value, str):
        return _iso_of(value)
    if isinstance(value, datetime.datetime):
        # Subclasses, as in pandas, can have nanoseconds and time zone names, which Python's ISO strings cannot.
        offset = value.utcoffset()
        zone = None if offset is None else datetime.timezone(offset)
        parts = (value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond)
        return datetime.datetime(*parts, tzinfo=zone).isoformat()
    return value.isoformat() if isinstance(value, datetime.date) else None


@lru_cache(maxsize=65_536)
def _iso_of(text: str) -> str | None:
    moment = typed_date(text)
    return None if moment is None else _as_iso(moment)


def _from_iso(text: str) -> datetime.date | datetime.datetime:
    return datetime.date.fromisoformat(text) if len(text) == 10 else datetime.datetime.fromisoformat(text)


@lru_cache(maxsize=65_536)
def days(text: str) -> float:
    """Convert a stored date or datetime to days with fractions; datetimes with an offset are first converted to UTC."""
    value = _from_iso(text)
    if not isinstance(value, datetime.datetime):
        return float(value.toordinal())
    if value.tzinfo is not None:
        value = value.astimezone(datetime.UTC)
    seconds = value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    return value.toordinal() + seconds / 86_400.0


# -- solutions and outcomes: any value that JSON can hold


def check_plain(value: Any, *, what: str) -> str | None:
    """Convert a solution or an outcome to its stored form, which is canonical JSON text; None for a missing value."""
    if type(value) is str and value.isascii():
        text = json.dumps(value)
    elif is_missing(value):
        return None
    else:
        try:
            text = written(_as_plain(value, 0))
            text.encode("utf-8")
        except (TypeError, ValueError, RecursionError):
            raise CaseBaseError(
                f"got {quoted(value)} as {what}; expected a string, number, boolean or None, or a list or mapping of "
                "such values. Convert it, for example with str(...) or dataclasses.asdict(...)."
            ) from None
    if len(text) > _LONGEST_SOLUTION:
        raise CaseBaseError(
            f"got {len(text):,} characters for {what!r}; expected at most {_LONGEST_SOLUTION:,}. {_ELSEWHERE}"
        )
    return text


def _as_plain(value: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        raise ValueError
    if is_missing(value):
        return None
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError
        return {key: _as_plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_plain(item, depth + 1) for item in value]
    found = plain(value)
    if isinstance(found, (str, bool, float)) or (is_number(found) and abs(found) < _LARGEST):
        return found
    raise TypeError


def written(value: Any) -> str:
    """Write a plain value as canonical JSON text, with sorted keys and without spaces."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def plain_shown(text: str | None) -> Any:
    """Convert a stored solution or outcome to the form in which users see it."""
    return None if text is None else json.loads(text)
