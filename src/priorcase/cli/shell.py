"""How commands behave: examples first in their help, one line for each error, and exit codes.

0 is success; 1 nothing could be measured, a damaged case base, or a mistake in priorcase itself; 2 wrong usage or bad
input; 130 interrupted; 141 the reader of the output went away.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast

import click

from priorcase.cli.terminal import Output, note, one_line, say
from priorcase.exceptions import PriorcaseError, nearest

Function = TypeVar("Function", bound=Callable[..., Any])

_DEBUG = "priorcase.debug"
_METHOD = re.compile(r"[A-Za-z_]\w*(\.\w+)?")
_MOST_JOBS = 1024
_READER_GONE = 141  # what a shell says of a program that SIGPIPE ended


class BadInputError(click.ClickException):
    """A file or an option that priorcase cannot work with."""

    exit_code = 2


class OwnError(click.ClickException):
    """A mistake of priorcase's own, or of what it runs on."""

    exit_code = 1


def usage(problem: str) -> click.UsageError:
    """The error for options that do not go together, with a pointer to the help."""
    return click.UsageError(problem, click.get_current_context(silent=True))


# -- options


def option(name: str, metavar: str | None, text: str, **settings: Any) -> Callable[[Function], Function]:
    """An option with its help."""
    return click.option(name, metavar=metavar, help=text, **settings)


def options(*decorators: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Several options, which the help lists in this order."""

    def add(function: Function) -> Function:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return add


def output_options(*endings: str, text: str = "Write the result to a file") -> Callable[[Function], Function]:
    """``--json`` and ``--out``, handed on as ``output``; ``endings`` are those that the name of the file may have."""

    def check(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
        """Refuse a file that cannot be written before the work is done, not after."""
        if value is None or value == "-":
            return value
        path = Path(value)
        if path.is_dir():
            raise click.BadParameter(f"{value!r} is a directory.")
        if not path.absolute().parent.is_dir():
            raise click.BadParameter(f"there is no folder {str(path.parent)!r}.")
        if path.suffix and endings and path.suffix[1:].lower() not in endings:
            raise click.BadParameter(f"{value!r} does not end in {' or '.join(f'.{one}' for one in endings)}.")
        if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
            raise click.BadParameter(f"{value!r} cannot be written.")
        return value

    def add(function: Function) -> Function:
        @wraps(function)
        def inner(*args: Any, as_json: bool, out: str | None, **given: Any) -> Any:
            return function(*args, output=Output(as_json, out), **given)

        listed = f" ({' '.join(f'.{ending}' for ending in endings)})" if endings else ""
        both = options(
            click.option("--json", "as_json", is_flag=True, help="Print one JSON document."),
            click.option("--out", metavar="FILE", callback=check, help=f"{text}{listed}."),
        )
        return both(cast(Function, inner))

    return add


def _check_jobs(_: click.Context, __: click.Parameter, value: int | None) -> int | None:
    if value is not None and not (value == -1 or 1 <= value <= _MOST_JOBS):
        raise click.BadParameter(f"{value} is not a number of jobs; 2 works on two splits at a time, -1 on each core.")
    return value


def _check_seed(_: click.Context, __: click.Parameter, value: int) -> int:
    if not 0 <= value < 2**32:
        raise click.BadParameter(f"{value} is not a whole number from 0 to {2**32 - 1}.")
    return value


jobs_option = option("--jobs", "N", "Splits to work on at a time; -1 for one per core.", type=int, callback=_check_jobs)
random_state_option = option(
    "--random-state", "N", "Seed of everything random.  [default: 0]", type=int, default=0, callback=_check_seed
)


class Names(click.Choice[str]):
    """One of some words; a misspelt one is answered with the one that was meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word."""
        if value in self.choices:
            return str(value)
        meant = nearest(value, self.choices)
        remedy = f"Did you mean {meant!r}?" if meant else f"There are {', '.join(self.choices)}."
        return str(self.fail(f"{value!r} is not one of them. {remedy}", param, ctx))


# -- commands


class WithExamples(click.Command):
    """A command or a group whose help begins with examples."""

    def __init__(self, *args: Any, examples: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.examples = examples

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What the command does, then the examples."""
        super().format_help_text(ctx, formatter)
        with formatter.section("Examples"):
            for line in self.examples.splitlines():
                formatter.write(f"  {line}\n")


class Command(WithExamples):
    """A command; ``--learner NAME --help`` lists the parameters of a learner."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        words = [word for arg in args for word in (arg.split("=", 1) if arg.startswith("--learner=") else [arg])]
        if "--help" in words and "--learner" in words[:-1]:
            name = words[words.index("--learner") + 1]
            if not name.startswith("-"):
                from priorcase.cli.learners import learner_help

                click.echo(learner_help(name.partition(":")[0]))
                ctx.exit()
        return super().parse_args(ctx, args)


class Commands(WithExamples, click.Group):
    """A group of commands whose errors are one line on standard error, without a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order in which they were added."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of a name; a misspelt one is answered with the nearest."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            names = self.list_commands(ctx)
            meant = nearest(args[0], names)
            remedy = f"Did you mean {meant!r}?" if meant else f"'{ctx.command_path} --help' lists the commands."
            raise BadInputError(f"there is no command {args[0]!r}; there are {', '.join(names)}. {remedy}")
        return super().resolve_command(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command; ``--help`` prints here."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except BrokenPipeError:
            _leave_quietly()
        except OSError as error:
            raise BadInputError(_message(error)) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and tell errors in a line."""
        try:
            with _warnings_as_notes():
                result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            _leave_quietly()
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:  # the last place that could tell it in one line
            if ctx.meta.get(_DEBUG):
                say("".join(traceback.format_exception(error)), err=True, nl=False)
            # scikit-learn's error is known by its name: importing it takes long
            if isinstance(error, PriorcaseError | OSError) or type(error).__name__ == "InvalidParameterError":
                raise BadInputError(_message(error)) from error
            raise OwnError(_own(error)) from error

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the program."""
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
    """``--debug``, of the whole program."""

    def set_debug(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            ctx.meta[_DEBUG] = True

    text = "Show the traceback of an error."
    return click.option("--debug", is_flag=True, expose_value=False, is_eager=True, callback=set_debug, help=text)(
        function
    )


# -- streams and messages


def _open_streams() -> None:
    """Let streams that the caller has closed lead nowhere, so that nothing has to ask whether they are there."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    """Show warnings in one line, once, without the place in the code."""
    told = set[str]()

    def tell(message: Warning | str, *_: Any, **__: Any) -> None:
        if (text := one_line(str(message))) not in told:
            told.add(text)
            note(text)

    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # which fonts it finds is no news
    with warnings.catch_warnings():
        warnings.showwarning = tell
        yield


def _leave_quietly() -> NoReturn:
    """Exit like a program whose output pipe was closed."""
    _discard_output()
    sys.exit(_READER_GONE)


def _drop_unwritable_output() -> None:
    """Discard output that cannot be written, or Python would fail on it a second time at exit, with status 120."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()


def _discard_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _own(error: Exception) -> str:
    """What is said of an error that nobody foresaw."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this. Take fewer rows, or fewer jobs at a time."
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{told}. This is a mistake in priorcase; 'priorcase --debug ...' shows where, which helps to report it."


def _message(error: Exception) -> str:
    """What an error says, without the method that raised it: whoever types a command called none."""
    if isinstance(error, OSError) and error.strerror and not isinstance(error, PriorcaseError):
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, PriorcaseError) and error.where is not None and _METHOD.fullmatch(error.where):
        return str(error.args[0])
    return str(error)


def _with_advice(error: click.ClickException) -> str:
    ctx = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption) and ctx is not None:
        flags = [flag for parameter in ctx.command.params for flag in parameter.opts if flag.startswith("-")]
        meant = nearest(error.option_name, flags)
        remedy = f"Did you mean {meant!r}?" if meant else f"'{ctx.command_path} --help' shows the options."
        return f"{ctx.command_path} has no option {error.option_name}. {remedy}"
    message = error.format_message()
    if isinstance(error, click.UsageError) and ctx is not None and not message.endswith("?"):
        return f"{message} '{ctx.command_path} --help' shows the options."
    return message
