"""Mistakes of the caller, told in one line."""

from __future__ import annotations

import logging
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from priorcase.cli.help import Function
from priorcase.cli.words import MisspeltError, listed
from priorcase.exceptions import PriorcaseError, nearest

__all__ = ["BadInputError", "OneLineErrors", "OwnError", "debug_option", "one_line"]

_DEBUG = "priorcase.debug"
_READERS = ("read_table", "load")  # whoever names a file on the command line knows that it is read
_READER_GONE = 141  # what a shell says of a program that SIGPIPE ended


class BadInputError(click.ClickException):
    """A file or an option that priorcase cannot work with."""

    exit_code = 2


class OwnError(click.ClickException):
    """A mistake of priorcase's own, or of what it runs on."""

    exit_code = 1


class OneLineErrors(click.Group):
    """A command group whose errors are one line on standard error, without a traceback.

    Exit codes: 0 for success, 2 for wrong usage or bad input, 130 for Ctrl-C, 141 without a word where whoever read the
    output went away, as ``head`` does. An error that is not the caller's ends with 1. With ``--debug`` the traceback is
    shown as well.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order in which they were added."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            names = self.list_commands(ctx)
            problem = f"there is no command {args[0]!r}; there are {listed(names)}."
            meant = nearest(args[0], names)
            raise click.UsageError(problem, ctx) if meant is None else MisspeltError(problem, meant, ctx=ctx)
        return super().resolve_command(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        try:
            return super().make_context(info_name, args, parent, **extra)
        except BrokenPipeError:  # --help prints here
            _leave_quietly()
        except OSError as error:  # to a full disk, too
            raise BadInputError(_message(error)) from error

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _warnings_as_notes():
                result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            _leave_quietly()
        except (PriorcaseError, OSError) as error:
            if ctx.meta.get(_DEBUG):
                traceback.print_exception(error)
            raise BadInputError(_message(error)) from error
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:  # the last place that could tell it in one line
            if ctx.meta.get(_DEBUG):
                traceback.print_exception(error)
            raise OwnError(_own(error)) from error

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        prog_name = prog_name or "priorcase"
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        _open_streams()
        try:
            code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except click.ClickException as error:
            _drop_unwritable_output()
            click.echo(f"priorcase: error: {one_line(_with_advice(error))}", err=True)
            sys.exit(error.exit_code)
        except click.Abort:
            click.echo("priorcase: interrupted", err=True)
            sys.exit(130)
        sys.exit(code if isinstance(code, int) else 0)


def debug_option(function: Function) -> Function:
    """Add ``--debug``."""
    text = "Show the traceback of an error."
    add = click.option("--debug", is_flag=True, expose_value=False, is_eager=True, callback=_debug, help=text)
    return add(function)


def _debug(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_DEBUG] = True


def _open_streams() -> None:
    """Let streams that the caller has closed lead nowhere, so that nothing has to ask whether they are there."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    """Show what scikit-learn and others warn of in one line, once, without the place in their code."""
    told = set[str]()

    def tell(message: Warning | str, *_: Any, **__: Any) -> None:
        text = one_line(str(message))
        if text not in told:
            told.add(text)
            click.echo(f"priorcase: note: {text}", err=True)

    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # which fonts it finds is no news
    with warnings.catch_warnings():
        warnings.showwarning = tell
        yield


def _leave_quietly() -> NoReturn:
    """Exit like a program whose output pipe was closed."""
    _discard_output()
    sys.exit(_READER_GONE)


def _drop_unwritable_output() -> None:
    """Discard output that cannot be written, or Python would fail on it a second time at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()


def _discard_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def one_line(message: str) -> str:
    """The message with its lines joined by spaces.

    Examples
    --------
    >>> one_line("It went wrong.\\nTry again.")
    'It went wrong. Try again.'
    """
    return " ".join(message.split())


def _own(error: Exception) -> str:
    """What is said of an error that nobody foresaw."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this. Take fewer rows, or fewer jobs at a time."
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{told}. This is a mistake in priorcase; --debug shows where it happened, which helps to report it."


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, PriorcaseError) and error.where in _READERS:
        return str(error.args[0])
    return str(error)


def _with_advice(error: click.ClickException) -> str:
    if isinstance(error, MisspeltError):
        message = error.format_message() if error.param or error.param_hint else error.message
        return f"{message} Did you mean {error.meant!r}?"
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        flags = [flag for parameter in error.ctx.command.params for flag in parameter.opts if flag.startswith("-")]
        if (meant := nearest(error.option_name, flags)) is not None:
            return f"{error.ctx.command_path} has no option {error.option_name}. Did you mean {meant!r}?"
        message = f"{error.ctx.command_path} has no option {error.option_name}."
        return f"{message} '{error.ctx.command_path} --help' shows the options."
    message = error.format_message()
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"{message} '{error.ctx.command_path} --help' shows the options."
    return message
