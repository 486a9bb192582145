"""What every error has in common: the base class, and the form of a message."""

from collections.abc import Iterable

SHOWN = 5
"""How many items a message lists."""


def compose(problem: str, *, hint: str) -> str:
    """Join a problem and its remedy the way every message of the library does.

    Examples
    --------
    >>> print(compose("KNNClassifier.fit got nothing; expected a table.", hint="pass X."))
    KNNClassifier.fit got nothing; expected a table.
    Hint: pass X.
    """
    return f"{problem}\nHint: {hint}"


def listed(items: Iterable[object], *, limit: int = SHOWN) -> str:
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
