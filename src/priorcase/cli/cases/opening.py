"""Case bases opened for a command."""

from __future__ import annotations

import os
from pathlib import Path

from priorcase.cases import CaseBase
from priorcase.cli.errors import BadInputError
from priorcase.exceptions import advice

__all__ = ["case_id", "reading", "writing"]


def reading(file: str) -> CaseBase:
    """A case base to be read; nothing is written, unless an interrupted change must be undone first."""
    _check_there(file)
    return CaseBase.open(file, readonly=not (_interrupted(file) and os.access(file, os.W_OK)))


def writing(file: str, by: str | None = None) -> CaseBase:
    """A case base to be changed, which exists: a misspelt name makes no new one."""
    _check_there(file)
    return CaseBase.open(file, by=by)


def case_id(base: CaseBase, given: str) -> int:
    """The id of a case by its id or its key.

    Parameters
    ----------
    base
        The case base.
    given
        A whole number is an id, anything else a key.
    """
    if given.isascii() and given.isdecimal():
        return int(given)
    for case in base.find(where={"key": given}):
        if case.id is not None:
            return case.id
    keys = [case.key for case in base if case.key is not None]
    remedy = advice(given, keys, otherwise=f"'priorcase cases list {base.path}' shows ids and keys.")
    raise BadInputError(f"{base.path} has no case with the key {given!r}; nothing was changed. {remedy}")


def _check_there(file: str) -> None:
    if not os.path.lexists(file):
        raise BadInputError(
            f"there is no case base at {file}. Check the path; 'priorcase cases new {file}' creates one."
        )


def _interrupted(file: str) -> bool:
    """Whether a change was begun and not finished: SQLite then needs to write before anyone reads."""
    try:
        return Path(f"{file}-journal").stat().st_size > 0
    except OSError:
        return False
