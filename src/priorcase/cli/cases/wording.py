"""What the library says of a case base, in the words of the commands."""

from __future__ import annotations

from typing import Any

import click

from priorcase.cli.errors import BadInputError, OneLineErrors

__all__ = ["WORDS", "CaseCommands", "in_commands"]

WORDS = (
    ("CaseBase.open(path, {...})", "'priorcase cases new FILE --attribute NAME=KIND'"),
    ("CaseBase.open", "priorcase cases new"),
    ("CaseBase.add_many", "priorcase cases add"),
    ("CaseBase.add", "priorcase cases add"),
    ("CaseBase.import_", "priorcase cases add --from"),
    ("CaseBase.find", "priorcase cases list"),
    ("CaseBase.get", "priorcase cases list"),
    ("CaseBase.retrieve", "priorcase cases ask"),
    ("CaseBase.reuse", "priorcase cases ask"),
    ("CaseBase.converse", "priorcase cases ask"),
    ("CaseBase.revise", "priorcase cases feedback"),
    ("CaseBase.forget", "priorcase cases forget"),
    ("CaseBase.export", "priorcase cases export"),
    ("; CaseBase.declare adds attributes.", "."),
    (", or open it without readonly=True to create one.", "; 'priorcase cases new FILE' creates one."),
    ("change the permissions, or open it with readonly=True.", "change the permissions."),
    ("try again, or open it with a longer timeout.", "try again."),
    ("rows of other files come in with import_.", "'priorcase cases add FILE --from TABLE' adds the rows of a table."),
    ("ids are what add returned; find() shows all cases.", "'priorcase cases list FILE' shows all cases."),
    ("write None where the value is not known.", "write NAME=? where it is not known."),
    ("name another file, or pass overwrite=True.", "name another file, or give --overwrite."),
    (", or pass format=.", "."),
    ("Conversation.tell got ", ""),
    ("Conversation.back found nothing", "there is nothing"),
    ("by add(case, solution=...) or revise.", "by 'priorcase cases add' or 'priorcase cases feedback'."),
    ("retrieve more cases (k=)", "retrieve more cases (-k)"),
    ("name fewer attributes (using=)", "give fewer attributes"),
    ("add solutions with revise(id, solution=...).", "add solutions by 'priorcase cases feedback'."),
    ("or take method='mean'.", "or take --method mean."),
)
"""What the library says, and what that is on the command line; the first that fits goes first."""


def in_commands(message: str) -> str:
    """A message of the library as the commands tell it.

    Examples
    --------
    >>> in_commands("CaseBase.revise got 'x' for 'age'; expected a number.")
    "priorcase cases feedback got 'x' for 'age'; expected a number."
    """
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
