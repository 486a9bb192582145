"""``priorcase explore``: open a table, a model or a case base in the browser."""

from __future__ import annotations

import csv
import html
import os
import secrets
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from priorcase._files import file_kind
from priorcase.cli.serve import check_server_options, listening, note_open_host, run_app, server_options
from priorcase.cli.shell import Command, note, option, say, usage
from priorcase.cli.tables import (
    TABLE,
    check_target_used,
    column_option,
    is_data_set,
    parse_reading,
    read_option,
    read_table,
)

if TYPE_CHECKING:
    from priorcase.datasets.past import Reading
    from priorcase.explorer import Workspace

_QUICK, _LINE = 64 << 20, 1 << 17  # maximum bytes of a file to read before the page opens, and of its first line

_EXAMPLES = """\
priorcase explore
priorcase explore loans.csv --target repaid
priorcase explore model.priorcase --save model.priorcase
priorcase explore desk.cases --read-only"""


@click.command(cls=Command, examples=_EXAMPLES, short_help="Explore a table, a model or a case base in the browser.")
@click.argument("table", metavar="[TABLE|MODEL|BASE]", required=False)
@option("--target", "COLUMN", "Column to predict, if you do not choose it on the page.")
@column_option
@read_option
@server_options
@option("--no-browser", None, "Print the URL without opening a browser.", is_flag=True)
def explore(table: str | None, host: str, port: int, token: str | None, read_only: bool, **given: Any) -> None:
    """Explore a table in the browser: enter a case, see the prediction and similar past cases, and change values.

    k-NN makes the first predictions, until stacked learners are fitted. The command can also open a saved model or a
    case base. Without an argument, it opens a built-in table. Press Ctrl-C to stop.
    """
    try:
        from priorcase.explorer.page import Starting
        from priorcase.explorer.uploads import UPLOADS
        from priorcase.serve.security import Guard
    except ModuleNotFoundError as error:
        from priorcase.exceptions import MissingExtraError

        raise MissingExtraError(
            f"The explorer needs {error.name}. Install it with pip install 'priorcase[serve]'."
        ) from error
    check_server_options(host, token, read_only, given["save"])
    _check_table(table, given)
    shown = token or secrets.token_urlsafe(24)
    opened: list[Workspace] = []

    def make() -> Any:
        from priorcase.explorer import Workspace, create_explorer

        opened.append(workspace := Workspace(read_only=read_only))
        app = create_explorer(workspace, token=shown, hosts=[host], read_only=read_only, save=given["save"])
        _open(workspace, table, given)
        return app

    with listening(host, port) as (listener, address):
        url = address + (f"?token={shown}" if token is None else "")
        say(f"Exploring {table or 'the built-in table'} at {url}")
        note_open_host(host)
        if not read_only and given["save"] is None and (table is None or file_kind(table) != "cases"):
            note("changes stay in memory; --save FILE saves them")
        limits: dict[str, Any] = {"body": 8 << 20, "seconds": 30.0, "observe": lambda *_: None, "uploads": UPLOADS}
        app = Guard(Starting(make), token=shown, hosts=[host], **limits)
        with nullcontext() if given["no_browser"] else _opened_in_browser(f"{address}?token={shown}"):
            run_app(app, listener)
    for workspace in opened:
        workspace.close()
    say("Stopped.")


@contextmanager
def _opened_in_browser(url: str) -> Iterator[None]:
    """Open a URL with a token in the browser through a file that only this user can read and that leads to the URL.

    Other users can see the command line of the browser, which would otherwise contain the token.
    """
    link = html.escape(url)
    with TemporaryDirectory(prefix="priorcase-", ignore_cleanup_errors=True) as folder:
        page = Path(folder) / "priorcase.html"
        with open(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(
                '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>priorcase</title>'
                f'<meta http-equiv="refresh" content="0; url={link}"></head>'
                f'<body><p><a href="{link}">Continue to priorcase</a></p></body></html>\n'
            )
        Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
        yield


def _check_table(table: str | None, given: dict[str, Any]) -> None:
    """Raise an error if the argument TABLE cannot be opened with the given options."""
    kind = None if table is None or given["target"] is not None else file_kind(table)
    if table is None or kind is not None:
        for name in ("target", "column", "read"):
            if given[name]:
                raise usage(f"--{name} needs a TABLE.")
    if kind == "cases" and given["save"] is not None:
        raise usage("--save is for models; a case base saves every change immediately.")
    if table is not None and kind is None and not Path(table).is_file():
        TABLE.convert(table, None, click.get_current_context(silent=True))  # raises the error
    reading = parse_reading(given["column"], given["read"])
    check_target_used(given["target"], reading)
    if table is not None and given["target"] is not None:
        _check_target(table, given["target"], reading)


def _check_target(table: str, target: str, reading: Reading) -> None:
    """Raise an error if a table does not have the target column; only tables that can be read quickly are checked."""
    if table == "-":
        return
    if is_data_set(table):
        from priorcase.datasets import available

        if available().places[table] == "OpenML":
            return
    else:
        file = Path(table.partition("::")[0])
        if not file.is_file() or file.stat().st_size > _QUICK or target in _fields_of_first_line(file):
            return
    from priorcase.datasets.reading import check_column

    frame = read_table(table, reading)
    check_column(str(frame.attrs["source"]), target, [*frame.columns, *frame.attrs.get("ignored", ())])


def _fields_of_first_line(file: Path) -> set[str]:
    """Return the fields of the first line of a text file, split at each of the common delimiters."""
    with file.open("rb") as opened:
        line = opened.readline(_LINE)
    texts = [line.decode(encoding, errors="replace").strip() for encoding in ("utf-8-sig", "latin-1")]
    try:
        rows = [row for text in texts for mark in ",;\t|" for row in csv.reader([text], delimiter=mark)]
    except csv.Error:  # this is not a line of text
        return set()
    return {field.strip() for row in rows for field in row}


def _open(workspace: Workspace, table: str | None, given: dict[str, Any]) -> None:
    """Open the table in a background job."""
    reading = parse_reading(given["column"], given["read"], table or "-")
    if table is None or (given["target"] is None and file_kind(table) is not None):
        workspace.open(table)
    elif table == "-":
        workspace.open_table(
            table, target=given["target"], reading=reading, read=_input_reader(), name="standard input"
        )
    elif is_data_set(table):
        workspace.open_table(table, target=given["target"], reading=reading, read=lambda how: read_table(table, how))
    else:
        workspace.open_table(table, target=given["target"], reading=reading)


def _input_reader() -> Any:
    """Return a function that reads a table from standard input and can be called again with other options."""
    from priorcase.explorer.workspace import bytes_reader

    content = cache(sys.stdin.buffer.read)
    return lambda how: bytes_reader(content(), Path("-"), "standard input")(how)
