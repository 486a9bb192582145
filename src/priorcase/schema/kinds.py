"""What a column means: a number, a level in an order, or one of some values."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias, get_args

from priorcase._typing import Content, Value
from priorcase.exceptions import SchemaError, listed
from priorcase.schema.values import content_of, identity, is_missing, plain


@dataclass(frozen=True, slots=True)
class Numeric:
    """A real number; two of them differ by how far they lie apart.

    Examples
    --------
    >>> Numeric()
    Numeric()
    """

    def describe(self) -> str:
        """The kind in words, as messages say it."""
        return "numeric"


@dataclass(frozen=True, slots=True)
class Ordinal:
    """One of some levels that have an order.

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
        """What the levels are."""
        return content_of(self.order)

    def describe(self) -> str:
        """The kind in words, as messages say it."""
        return f"ordinal ({listed(self.order)})"


@dataclass(frozen=True, slots=True, repr=False)
class Nominal:
    """One of some values that are either the same or not.

    Parameters
    ----------
    values
        All values there can be, if they are declared: only these may be stored, and they stay known when no row holds
        them. None: whatever the stored rows hold.
    content
        What the values are, so that numbers passed for a column of text are a mistake and not values never seen. It
        guards, it does not define: two ``Nominal`` with equal ``values`` are equal. ``"nothing"`` is that of a column
        that was taken for nominal because it held only gaps: it stores no numbers before it holds something else.

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
            raise SchemaError.declared(
                f"Nominal got content={self.content!r}; expected 'any', 'text', 'numbers', 'booleans' or 'nothing'.",
                hint="leave it out to allow any values.",
            )

    def __repr__(self) -> str:
        if self.values is not None:
            return f"Nominal(values={self.values!r})"
        return "Nominal()" if self.content == "any" else f"Nominal(content={self.content!r})"

    def describe(self, known: Iterable[Value] = ()) -> str:
        """The kind in words, as messages say it, with values known from elsewhere if none are declared."""
        values = self.values or tuple(known)
        if values:
            return f"nominal ({listed(values)})"
        described = {"any": "nominal", "nothing": "nominal (only gaps)"}
        return described.get(self.content, f"nominal ({self.content})")


Kind: TypeAlias = Numeric | Ordinal | Nominal
"""The meaning of one column."""


def _distinct(owner: str, parameter: str, values: Iterable[Value]) -> tuple[Value, ...]:
    """The declared values, checked: at least one, none missing, none twice."""
    hint = f"for example {owner}(('low', 'high'))."
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise SchemaError.declared(f"{owner} got {parameter}={values!r}; expected a tuple of values.", hint=hint)
    values = tuple(plain(value) for value in values)
    if not values:
        raise SchemaError.declared(f"{owner} got no {parameter}; expected at least one value.", hint=hint)
    if any(is_missing(value) for value in values):
        problem = f"{owner} got a missing value among its {parameter}; missing is a state of its own, never a value."
        raise SchemaError.declared(problem, hint=f"leave it out of {parameter}.")
    try:
        repeated = len({identity(value) for value in values}) < len(values)
    except TypeError:
        problem = f"{owner} got {parameter} with unhashable values; expected strings, numbers or booleans."
        raise SchemaError.declared(problem, hint=hint) from None
    if repeated:
        raise SchemaError.declared(
            f"{owner} got {parameter}={values!r} with a value twice; expected distinct values.", hint=hint
        )
    return values
