"""Texts as their words or as runs of characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_WORD = re.compile(r"\w+")


def composed(text: str) -> str:
    """A text in which a letter and its accent are one character, however they were typed.

    Examples
    --------
    >>> len("cafe\u0301"), len(composed("cafe\u0301"))
    (5, 4)
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def folded(text: str, *, accents: bool = False) -> str:
    """A text without the difference of capitals, and on request without that of accents.

    Examples
    --------
    >>> folded("CAFÉ Straße"), folded("CAFÉ", accents=True)
    ('café strasse', 'cafe')
    """
    text = composed(text.casefold())
    if not accents or text.isascii():
        return text
    return "".join(mark for mark in unicodedata.normalize("NFKD", text) if not unicodedata.combining(mark))


def words(text: str) -> list[str]:
    """The runs of letters with their marks, digits and underscores.

    Examples
    --------
    >>> words("paper-jam in tray 2!")
    ['paper', 'jam', 'in', 'tray', '2']
    """
    if text.isascii():
        return _WORD.findall(text)
    # To Python's expressions, vowel signs such as those of Hindi are no parts of words.
    marks = "".join(mark for mark in sorted(set(text)) if unicodedata.category(mark).startswith("M"))
    return re.findall(f"[\\w{marks}]+", text) if marks else _WORD.findall(text)


def word_runs(found: Sequence[str], shortest: int, longest: int) -> list[str]:
    """Runs of so many words, joined by spaces.

    Examples
    --------
    >>> word_runs(["paper", "jam", "again"], 1, 2)
    ['paper', 'jam', 'again', 'paper jam', 'jam again']
    """
    sizes = range(shortest, min(longest, len(found)) + 1)
    return [" ".join(found[begin : begin + size]) for size in sizes for begin in range(len(found) - size + 1)]


def character_runs(text: str, shortest: int, longest: int) -> list[str]:
    """Runs of so many characters, any space between words counted as one.

    Examples
    --------
    >>> character_runs("a  jam", 3, 3)
    ['a j', ' ja', 'jam']
    """
    text = " ".join(text.split())
    sizes = range(shortest, min(longest, len(text)) + 1)
    return [text[begin : begin + size] for size in sizes for begin in range(len(text) - size + 1)]
