"""What the text after an option is read as: numbers, whole numbers and words; mistakes are told in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import click

__all__ = ["count_or", "jobs", "number", "number_or_word", "whole"]

Whole: TypeAlias = Callable[[click.Context, click.Parameter, str | None], int | None]

_MOST_JOBS = 1024


def count_or(*words: str) -> Callable[[click.Context, click.Parameter, str | None], int | str | None]:
    """A positive whole number, or one of some words."""

    def parse(_: click.Context, __: click.Parameter, value: str | None) -> int | str | None:
        if value is None or value in words:
            return value
        if not (value.isascii() and value.isdecimal()) or int(value) < 1:
            raise click.BadParameter(f"{value!r} is neither a positive number nor one of {', '.join(words)}.")
        return int(value)

    return parse


def whole(least: int, most: int) -> Whole:
    """A whole number in these bounds."""

    def parse(_: click.Context, __: click.Parameter, value: str | None) -> int | None:
        if value is None:
            return None
        if not (value.isascii() and value.isdecimal()) or not least <= int(value) <= most:
            raise click.BadParameter(f"{value!r} is not a whole number from {least} to {most}.")
        return int(value)

    return parse


def jobs(_: click.Context, __: click.Parameter, value: str | None) -> int | None:
    """A number of jobs: from 1, or -1 for as many as cores."""
    if value is None:
        return None
    if value != "-1" and not (value.isascii() and value.isdecimal() and 1 <= int(value) <= _MOST_JOBS):
        raise click.BadParameter(f"{value!r} is no number of jobs; 2 works on two splits at a time, -1 on each core.")
    return int(value)


def number(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
    """A number."""
    try:
        return None if value is None else float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a number.") from None


def number_or_word(_: click.Context, __: click.Parameter, value: str | None) -> float | str | None:
    """A number, or a word that the learner may know."""
    try:
        return None if value is None else float(value)
    except ValueError:
        return value
