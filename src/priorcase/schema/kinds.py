"""Kinds of columns: numeric, ordinal and nominal."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias, get_args

from priorcase._typing import Content, Value
from priorcase.exceptions import SchemaError, listed, quoted
from priorcase.schema.values import content_of, identity, is_hashable, is_missing, plain


@dataclass(frozen=True, slots=True)
class Numeric:
    """Real numbers, compared by their difference.

    Examples
    --------
    >>> Numeric()
    Numeric()
    """

    def describe(self) -> str:
        """Describe the kind in words, for messages."""
        return "numeric"


@dataclass(frozen=True, slots=True)
class Ordinal:
    """Levels that have an order.

    Parameters
    ----------
    order
        All levels, from the lowest to the highest.

    Examples
    --------
    >>> Ordinal(("low", "middle", "high"))
    Ordinal(order=('low', 'middle', 'high'))
    """

    order: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", _distinct("Ordinal", "order", self.order))

    @property
    def content(self) -> Content:
        """Content of the levels: text, numbers, booleans or any."""
        return content_of(self.order)

    def describe(self) -> str:
        """Describe the kind in words, for messages."""
        return f"ordinal ({listed(self.order)})"


@dataclass(frozen=True, slots=True, repr=False)
class Nominal:
    """Values that are either equal or not.

    Parameters
    ----------
    values
        All possible values, if they are declared: only these may be stored, and they stay known when no row holds
        them. None: whatever values the stored rows hold.
    content
        ``"any"``, ``"text"``, ``"numbers"``, ``"booleans"`` or ``"nothing"``: what the values are. It makes numbers
        passed for a column of text an error instead of unseen values. It does not take part in comparisons: two
        ``Nominal`` with equal ``values`` are equal. ``"nothing"`` means that the column held only missing values; it
        stores no numbers until it holds another value.

    Examples
    --------
    >>> Nominal()
    Nominal()
    >>> Nominal(("yes", "no"))
    Nominal(values=('yes', 'no'))
    """

    values: tuple[Value, ...] | None = None
    content: Content = field(default="any", compare=False)

    def __post_init__(self) -> None:
        if self.values is not None:
            values = _distinct("Nominal", "values", self.values)
            object.__setattr__(self, "values", values)
            object.__setattr__(self, "content", content_of(values))
        if self.content not in get_args(Content):
            raise SchemaError(
                "content of Nominal must be 'any', 'text', 'numbers', 'booleans' or 'nothing', "
                f"got {quoted(self.content)}. Leave it out to allow any values."
            )

    def __repr__(self) -> str:
        if self.values is not None:
            return f"Nominal(values={self.values!r})"
        return "Nominal()" if self.content == "any" else f"Nominal(content={self.content!r})"

    def describe(self, known: Iterable[Value] = ()) -> str:
        """Describe the kind in words, for messages, with values known from stored rows if none are declared."""
        values = self.values or tuple(known)
        if values:
            return f"nominal ({listed(values)})"
        described = {"any": "nominal", "nothing": "nominal (only missing values)"}
        return described.get(self.content, f"nominal ({self.content})")


Kind: TypeAlias = Numeric | Ordinal | Nominal
"""Kind of one column."""


def _distinct(owner: str, parameter: str, values: Iterable[Value]) -> tuple[Value, ...]:
    """Check declared values: at least one, none missing, none repeated."""
    expected = f"{parameter} of {owner} must be a tuple of distinct values, for example {owner}(('low', 'high'))"
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise SchemaError(f"{expected}, got {quoted(values)}")
    values = tuple(map(plain, values))
    if any(map(is_missing, values)):
        raise SchemaError(f"{parameter} of {owner} contains a missing value. Leave it out: any cell may be missing.")
    if not values or not all(map(is_hashable, values)) or len(set(map(identity, values))) < len(values):
        raise SchemaError(f"{expected}, got {quoted(values)}")
    return values
