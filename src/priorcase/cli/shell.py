"""Common behavior of commands: options, help with examples first, output, errors and exit codes.

The exit code is 0 for success; 1 if no learner could be evaluated, a case base is damaged, or priorcase has a bug; 2
for wrong usage or bad input; 130 if interrupted; and 141 if the output pipe was closed.

Cells, class names, strings and keys can contain any character, so control and bidirectional characters are escaped in
all printed text. CSV, HTML and JSON lines are not escaped if they go to a pipe or a file.
"""

from __future__ import annotations

import io
import json
import logging
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, reduce, wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import click

from priorcase.documents import plain
from priorcase.exceptions import PriorcaseError, advice, visible, visible_json

Function = TypeVar("Function", bound=Callable[..., Any])
Forms = Mapping[str, Callable[[], Any]]
"""Functions that return the output of a command, by file suffix (``txt``, ``csv``, ``png``, ...).

The function for ``json`` can return a document instead of text.
"""

DEBUG = "priorcase.debug"
_METHOD = re.compile(r"[A-Za-z_]\w*(\.\w+)?")
_MOST_JOBS = 1024
_READER_GONE = 141  # exit code that shells report for a program ended by SIGPIPE


class BadInputError(click.ClickException):
    """Error for a file or an option that priorcase cannot use."""

    exit_code = 2


def usage(problem: str) -> click.UsageError:
    """Return an error about invalid options; its message refers to the help of the command."""
    return click.UsageError(problem, click.get_current_context(silent=True))


# -- what is printed and written


escape = partial(visible, keep="\t\n")


def one_line(text: str) -> str:
    """Join the lines of a text with spaces, and escape control characters."""
    return escape(" ".join(text.split()))


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print text, with control characters escaped."""
    click.echo(escape(text), err=err, nl=nl)


def note(text: str) -> None:
    """Print a note to standard error."""
    click.echo(f"priorcase: note: {one_line(text)}", err=True)


def n_cases(n: int) -> str:
    """Format a number of cases: ``1 case``, ``2 cases``."""
    return f"{n:,} case{'s' * (n != 1)}"


def safe_console() -> Any:
    """Return a Rich console that escapes its output, and raises BrokenPipeError if the pipe is closed."""
    from rich.console import Console  # loaded here: --help must not wait for it
    from rich.segment import Segment

    class SafeConsole(Console):
        def render(self, renderable: Any, options: Any = None) -> Any:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(escape(segment.text), segment.style)

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return SafeConsole(highlight=False)


def json_text(document: Any) -> str:
    """Return a JSON document in which control and bidirectional characters are escaped.

    >>> print(json_text({"a": float("nan"), "b": "\u202e"}))
    {
      "a": null,
      "b": "\\u202e"
    }
    """
    return visible_json(json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False))


def lines_of(frame: Any) -> list[dict[str, Any]]:
    """Convert a frame of any library, or a dictionary of columns, to a list with a dictionary for each row."""
    import narwhals.stable.v2 as nw

    columns = frame if isinstance(frame, dict) else nw.from_native(frame, eager_only=True).to_dict(as_series=False)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def csv_text(lines: Sequence[Mapping[str, Any]], header: Sequence[str] | None = None, *, delimiter: str = ",") -> str:
    """Format rows as CSV; missing values become empty fields."""
    from priorcase.datasets.csv_files import CSVWriter

    names = header or (list(lines[0]) if lines else ())
    text = io.StringIO()
    writer = CSVWriter(text, delimiter=delimiter)
    writer.write(names)
    for line in lines:
        cells = [line[name] for name in names]
        writer.write(None if cell != cell else cell for cell in cells)
    return text.getvalue()


class Output(NamedTuple):
    """The output selected by ``--json`` and ``--out``."""

    as_json: bool
    out: str | None

    def show(self, text: str, document: Any) -> None:
        """Print or write a result, which is a text or, with ``--json``, a JSON document."""
        self.deliver({"txt": lambda: text, "json": lambda: document})

    def deliver(self, forms: Forms, *, form: str = "txt", shown: bool = False) -> None:
        """Print a result as ``form``, or write it in the format of the suffix; with ``shown``, also print the text."""
        form, file = "json" if self.as_json else form, self.out if self.out != "-" else None
        if file is not None and (ending := Path(file).suffix[1:].lower()) in forms:
            form = ending
        content = forms[form]()
        if not isinstance(content, str | bytes):
            content = json_text(content)
        if file is None:
            raw = form not in ("txt", "json") and not sys.stdout.isatty()
            text = str(content).removesuffix("\n")
            click.echo(text if raw else escape(text), color=True)
            return
        from priorcase._files import write_file

        write_file(Path(file), content.encode("utf-8") if isinstance(content, str) else content)
        if shown and not self.as_json:
            say(str(forms["txt"]()))
        say(f"Written: {file}")


# -- options


def option(name: str, metavar: str | None, text: str, **settings: Any) -> Callable[[Function], Function]:
    """Return a click option; ``text`` is its help text."""
    return click.option(name, metavar=metavar, help=text, **settings)


def options(*decorators: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Combine several options; the help lists the options in the given order."""
    return lambda function: reduce(lambda made, add: add(made), reversed(decorators), function)


def _same_file(path: str | None, out: str | None) -> bool:
    if path is None or out is None or out == "-":
        return False
    there = os.path.isfile(path) and os.path.isfile(out)
    return os.path.samefile(path, out) if there else os.path.realpath(path) == os.path.realpath(out)


def output_options(*endings: str, text: str = "Write the result to a file") -> Callable[[Function], Function]:
    """Add ``--json`` and ``--out``, which the command gets as ``output``; ``endings`` are the allowed file suffixes."""

    def check(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
        """Raise an error if the output file cannot be written; called before the command starts its work."""
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
            inputs = [given.get(name) for name in ("table", "file", "like", "from")]
            if any(_same_file(path, out) for path in (*inputs, *given.get("query", ()))):
                raise usage(f"--out {out} would overwrite a file that this command reads. Choose another output file.")
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
        raise click.BadParameter(
            f"{value} is not a valid number of jobs. Use 2 for two parallel jobs, or -1 for all cores."
        )
    return value


def _check_seed(_: click.Context, __: click.Parameter, value: int) -> int:
    if not 0 <= value < 2**32:
        raise click.BadParameter(f"{value} is not an integer from 0 to {2**32 - 1}.")
    return value


jobs_option = option("--jobs", "N", "Number of parallel jobs; -1 for all cores.", type=int, callback=_check_jobs)
random_state_option = option(
    "--random-state", "N", "Random seed.  [default: 0]", type=int, default=0, callback=_check_seed
)


class Names(click.Choice[str]):
    """A choice between words; the error message for a misspelled word suggests the correct word."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in self.choices:
            return str(value)
        remedy = advice(value, self.choices, otherwise=f"The choices are {', '.join(self.choices)}.")
        return str(self.fail(f"{value!r} is not a valid choice. {remedy}", param, ctx))


# -- commands


class WithExamples(click.Command):
    """A command or a group whose help begins with examples."""

    def __init__(self, *args: Any, examples: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.examples = examples

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        with formatter.section("Examples"):
            for line in self.examples.splitlines():
                formatter.write(f"  {line}\n")


class Command(WithExamples):
    """A command for which ``--learner NAME --help`` prints help on the parameters of this learner."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = [word for arg in args for word in (arg.split("=", 1) if arg.startswith("--learner=") else [arg])]
        if any(name in words for name in ctx.help_option_names) and "--learner" in words[:-1]:
            name = words[words.index("--learner") + 1]
            if not name.startswith("-"):
                from priorcase.cli.learners import learner_help

                click.echo(learner_help(name.partition(":")[0]))
                ctx.exit()
        return super().parse_args(ctx, args)


class Commands(WithExamples, click.Group):
    """A group of commands that print errors as one line on standard error, without a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order in which they were added

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            names = self.list_commands(ctx)
            remedy = advice(args[0], names, otherwise=f"'{ctx.command_path} --help' lists the commands.")
            raise BadInputError(f"there is no command {args[0]!r}; the commands are {', '.join(names)}. {remedy}")
        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _errors_in_a_line():  # --help prints here
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _errors_in_a_line(ctx), _warnings_as_notes():
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result

    def main(self, *args: Any, **extra: Any) -> Any:
        for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
            if getattr(sys, name) is None:  # the caller has closed this stream: discard it
                setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
        try:
            code = super().main(*args, **{"prog_name": "priorcase", **extra, "standalone_mode": False})
        except click.ClickException as error:
            try:
                sys.stdout.flush()
            except OSError:  # otherwise Python would fail again at exit, with status 120
                _discard_output()
            click.echo(f"priorcase: error: {one_line(_with_advice(error))}", err=True)
            sys.exit(error.exit_code)
        except click.Abort:
            click.echo("priorcase: interrupted", err=True)
            sys.exit(130)
        sys.exit(code if isinstance(code, int) else 0)


# -- errors and warnings


@contextmanager
def _errors_in_a_line(ctx: click.Context | None = None) -> Iterator[None]:
    """Turn every exception into a one-line error message and an exit code."""
    try:
        yield
    except BrokenPipeError:
        _discard_output()
        sys.exit(_READER_GONE)
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception as error:  # the last chance to print it as one line
        if ctx is not None and ctx.meta.get(DEBUG):
            say("".join(traceback.format_exception(error)), err=True, nl=False)
        # scikit-learn's error is recognized by its name, because importing scikit-learn is slow
        if isinstance(error, PriorcaseError | OSError) or type(error).__name__ == "InvalidParameterError":
            raise BadInputError(_message(error)) from error
        if isinstance(error, MemoryError):
            told = "there is not enough memory for this command. Use fewer rows or fewer jobs."
        else:
            told = f"{type(error).__name__}: {error}".removesuffix(": ")
            told += ". This is a bug in priorcase; 'priorcase --debug ...' shows the traceback for a bug report."
        raise click.ClickException(told) from error


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    """Print each warning once, as one line, without the location in the code."""
    told = set[str]()

    def tell(message: Warning | str, *_: Any, **__: Any) -> None:
        if (text := one_line(str(message))) not in told:
            told.add(text)
            note(text)

    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # hides messages about fonts
    with warnings.catch_warnings():
        warnings.showwarning = tell
        yield


def _discard_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _message(error: Exception) -> str:
    """Return the message of an error without the name of the method that raised it."""
    if isinstance(error, OSError) and error.strerror and not isinstance(error, PriorcaseError):
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, PriorcaseError) and error.where is not None and _METHOD.fullmatch(error.where):
        return str(error.args[0])
    return str(error)


def _with_advice(error: click.ClickException) -> str:
    message = error.format_message()
    if not isinstance(error, click.UsageError) or error.ctx is None:
        return message
    path, see_help = error.ctx.command_path, f"'{error.ctx.command_path} --help' shows the options."
    if isinstance(error, click.NoSuchOption):
        flags = [flag for parameter in error.ctx.command.params for flag in parameter.opts if flag.startswith("-")]
        return f"{path} has no option {error.option_name}. {advice(error.option_name, flags, otherwise=see_help)}"
    return message if message.endswith("?") else f"{message} {see_help}"
