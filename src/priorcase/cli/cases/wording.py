"""What the library says of a case base, in the words of the commands."""

from __future__ import annotations

import re
from typing import Any

import click

from priorcase.cli.errors import BadInputError, OneLineErrors

__all__ = ["WORDS", "CaseCommands", "in_commands"]

_METHOD = re.compile(r"^(?:CaseBase|Conversation)\.\w+: ")

WORDS = (
    ("CaseBase.open(path, {...})", "'priorcase cases new FILE --attribute NAME=KIND'"),
    ("; CaseBase.declare adds attributes.", "."),
    (", or open it without readonly=True to create one.", "; 'priorcase cases new FILE' creates one."),
    ("Change the permissions, or open it with readonly=True.", "Change the permissions."),
    ("Try again, or open it with a longer timeout.", "Try again."),
    ("rows of other files come in with import_.", "'priorcase cases add FILE --from TABLE' adds the rows of a table."),
    ("Ids are what add returned; find() shows all cases.", "'priorcase cases list FILE' shows all cases."),
    ("Write None where the value is not known.", "Write NAME=? where it is not known."),
    ("Name another file, or pass overwrite=True.", "Name another file, or give --overwrite."),
    (", or pass format=.", "."),
    ("found nothing to take back", "there is nothing to take back"),
    ("by add(case, solution=...) or revise.", "by 'priorcase cases add' or 'priorcase cases feedback'."),
    ("Retrieve more cases (k=)", "Retrieve more cases (-k)"),
    ("name fewer attributes (using=)", "give fewer attributes"),
    ("add solutions with revise(id, solution=...).", "add solutions by 'priorcase cases feedback'."),
    ("or take method='mean'.", "or take --method mean."),
)
"""What the library says, and what that is on the command line; the first that fits goes first."""


def in_commands(message: str) -> str:
    """A message of the library as the commands tell it.

    Examples
    --------
    >>> in_commands("CaseBase.revise: got 'x' for 'age'; expected a number.")
    "got 'x' for 'age'; expected a number."
    """
    message = _METHOD.sub("", message)
    for said, meant in WORDS:
        message = message.replace(said, meant)
    return message


class CaseCommands(OneLineErrors):
    """The commands on case bases: errors name commands and options, not functions and parameters."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except BadInputError as error:
            raise BadInputError(in_commands(error.message)) from error
