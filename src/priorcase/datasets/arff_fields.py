"""The fields of one line of an ARFF file: words and quoted values between commas or tabs."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["ArffField", "BrokenLineError", "braced", "listed_fields"]

_BLANK = re.compile(r"[ \t\f\v]*")
_QUOTED = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""", re.S)
_WORD = re.compile(r"""[^,\t%'"\s][^,\t%]*""")
_WORD_IN_BRACES = re.compile(r"""[^,\t%'"\s{}][^,\t%{}]*""")
_EMPTY = re.compile(r"\{\s*\}")
_POSITION = re.compile(r"(\d+)[ \t]+")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[0-7]{1,3}|.)", re.S)
_MEANT = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "b": "\b", "v": "\v", "a": "\a"}


class BrokenLineError(Exception):
    """A line that cannot be divided into fields; for the reader, which knows where it stands."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.problem, self.hint = problem, hint


@dataclass(frozen=True)
class ArffField:
    """A value, whether it stood between quotation marks, and in a sparse row its position."""

    text: str
    quoted: bool
    position: int | None = None


def listed_fields(text: str) -> list[ArffField]:
    """The fields of a line, up to its comment.

    Examples
    --------
    >>> [field.text for field in listed_fields("7, 'New York', \\"say \\\\\\"hm\\\\\\"\\" % why not")]
    ['7', 'New York', 'say "hm"']
    """
    return _scan(text, 0, closing="", positions=False)[0]


def braced(text: str, *, positions: bool = False) -> list[ArffField]:
    """The fields between the braces with which a text begins; with ``positions`` each after its position.

    Examples
    --------
    >>> [field.text for field in braced("{red, 'dark blue'} % colours")]
    ['red', 'dark blue']
    """
    empty = _EMPTY.match(text)
    fields, end = ([], empty.end()) if empty else _scan(text, 1, closing="}", positions=positions)
    rest = text[end:].partition("%")[0].strip()
    if rest:
        raise BrokenLineError(f"{rest[:40]!r} follows the closing brace", "A comment begins with %.")
    return fields


def _scan(text: str, at: int, *, closing: str, positions: bool) -> tuple[list[ArffField], int]:
    """The fields from a place on, and where they end."""
    fields: list[ArffField] = []
    while True:
        field, at = _one(text, _end(_BLANK, text, at), _WORD_IN_BRACES if closing else _WORD, positions=positions)
        fields.append(field)
        blank = _end(_BLANK, text, at)
        tab, at = "\t" in text[at:blank], blank
        if at < len(text) and text[at] == ",":
            at += 1
        elif closing and text.startswith(closing, at):
            return fields, at + 1
        elif at == len(text) or text[at] == "%":
            if closing:
                hint = "Lists of values and sparse rows end with } on the line where they begin."
                raise BrokenLineError("a brace is not closed", hint)
            return fields, at
        elif not tab:
            raise _loose(text, at)


def _one(text: str, at: int, word: re.Pattern[str], *, positions: bool) -> tuple[ArffField, int]:
    """The field that begins at a place, and where it ends."""
    position = None
    if positions:
        if (found := _POSITION.match(text, at)) is None:
            hint = "A sparse row is {POSITION VALUE, ...}, positions from 0."
            raise BrokenLineError(f"{text[at : at + 40]!r} is no position with its value", hint)
        position, at = int(found[1]), found.end()
    if quoted := _QUOTED.match(text, at):
        inside = quoted[1] if quoted[1] is not None else quoted[2]
        return ArffField(_unescaped(inside), True, position), quoted.end()
    if bare := word.match(text, at):
        return ArffField(bare[0].strip(), False, position), bare.end()
    return ArffField("", False, position), at


def _loose(text: str, at: int) -> BrokenLineError:
    if text[at] in "'\"" and _QUOTED.match(text, at) is None:
        return BrokenLineError("a quotation mark is not closed", r"Write one inside a value as \' or \".")
    problem = f"{text[at : at + 40]!r} stands where a comma is expected"
    return BrokenLineError(problem, r"A quotation mark inside quotation marks is written \' or \".")


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _unescaped(text: str) -> str:
    return text if "\\" not in text else _ESCAPE.sub(_meant, text)


def _meant(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) == 5:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8))
    return _MEANT.get(code, code)
