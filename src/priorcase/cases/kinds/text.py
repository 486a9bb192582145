"""Words of people: texts."""

from __future__ import annotations

from dataclasses import dataclass

from priorcase._parameters import is_whole
from priorcase.exceptions import SchemaError

MOST_CHARACTERS = 1_000_000
"""So long may a text be unless its kind says otherwise."""


@dataclass(frozen=True, slots=True)
class Text:
    """Free text; two texts are alike by their words or by their letters.

    Parameters
    ----------
    longest
        How many characters a text may have; longer ones are refused.

    Examples
    --------
    >>> Text()
    Text(longest=1000000)
    """

    longest: int = MOST_CHARACTERS

    def __post_init__(self) -> None:
        if not is_whole(self.longest) or self.longest < 1:
            raise SchemaError(
                f"Text got longest={self.longest!r}; expected a whole number of characters, at least 1. Leave it out "
                "for a million."
            )

    def describe(self) -> str:
        """The kind in words, as messages say it."""
        return "text"
