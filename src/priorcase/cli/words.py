"""Words of options, and which one was meant where there is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from priorcase.exceptions import nearest

__all__ = ["Choice", "MisspeltError", "listed", "wrong_value"]


class MisspeltError(click.BadParameter):
    """A word that an option does not know, near to one that it knows."""

    def __init__(self, message: str, meant: str, **where: Any) -> None:
        super().__init__(message, **where)
        self.meant = meant


class Choice(click.Choice[str]):
    """One of some words; a misspelt one is answered with the one that was meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            if (meant := nearest(value, self.choices)) is None:
                raise
            raise MisspeltError(error.message, meant, ctx=ctx, param=param) from None


def wrong_value(flag: str, value: object, problem: str, words: Iterable[str] = ()) -> click.BadParameter:
    """The error for a value that an option does not take; ``words`` are those that it takes.

    Examples
    --------
    >>> wrong_value("--prior", "much", "no number").format_message()
    "Invalid value for '--prior': 'much' is no number."
    """
    text = repr(value) if isinstance(value, str) else f"{value:g}"
    where: dict[str, Any] = {"ctx": click.get_current_context(silent=True), "param_hint": f"'{flag}'"}
    message = f"{text} is {problem}."
    meant = nearest(value, words)
    return click.BadParameter(message, **where) if meant is None else MisspeltError(message, meant, **where)


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names as a sentence lists them.

    Examples
    --------
    >>> listed(["a", "b", "c"], "or")
    'a, b or c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"
