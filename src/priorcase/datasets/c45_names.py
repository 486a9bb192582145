"""Names as C4.5 reads them: up to a comma, a colon, the end of a line, or a period before a space."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Name", "names_of"]


@dataclass(frozen=True)
class Name:
    """A name, what ends it (a comma, a colon, a period or a line), and the line on which it ends."""

    text: str
    ends: str
    line: int


def names_of(text: str) -> list[Name]:
    """The names of a text, in order; spaces within a name count as one.

    Examples
    --------
    >>> [(name.text, name.ends) for name in names_of("no, yes. | play\\nage: 1.5\\\\,  big.")]
    [('no', ','), ('yes', '.'), ('age', ':'), ('1.5, big', '.')]
    """
    names: list[Name] = []
    at, line = 0, 1
    text = text.replace("\r\n", "\n").replace("\r", "\n") + "\n"
    while at < len(text):
        if text[at] == "|":
            at = text.index("\n", at)
        elif text[at].isspace():
            line += text[at] == "\n"
            at += 1
        else:
            word, ends, at = _name(text, at)
            names.append(Name(" ".join(word.split()), ends, line))
    return names


def _name(text: str, at: int) -> tuple[str, str, int]:
    """The name that begins at a place, what ends it, and where to go on."""
    letters: list[str] = []
    while (letter := text[at]) not in ",:\n|":
        if letter == "." and (text[at + 1].isspace() or text[at + 1] == "|"):
            return "".join(letters), ".", at + 1
        if letter == "\\" and text[at + 1] != "\n":
            at += 1
        letters.append(text[at])
        at += 1
    return ("".join(letters), letter, at + 1) if letter in ",:" else ("".join(letters), "\n", at)
