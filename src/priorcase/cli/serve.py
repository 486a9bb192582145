"""``priorcase serve``: serve a model or a case base over HTTP."""

from __future__ import annotations

import errno
import secrets
import signal
import socket
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from priorcase._files import file_kind
from priorcase.cli.shell import BadInputError, Command, note, option, options, say, usage
from priorcase.cli.tables import (
    TABLE,
    column_option,
    note_uninformative,
    parse_reading,
    read_option,
    read_past,
    say_how,
)

_EXAMPLES = """\
priorcase serve model.priorcase
priorcase serve desk.cases --read-only
priorcase serve loans.csv --target repaid --save loans.priorcase
priorcase serve model.priorcase --host 0.0.0.0 --token "$TOKEN"
priorcase serve desk.cases --mcp"""


server_options = options(
    option("--host", "HOST", "Address to listen on; --token is required except for localhost.", default="127.0.0.1"),
    option(
        "--port", "PORT", "Port; 0 for any free port.  [default: 8765]", type=click.IntRange(0, 65535), default=8765
    ),
    option("--token", "TEXT", "Access token for clients; or set $PRIORCASE_TOKEN.", envvar="PRIORCASE_TOKEN"),
    option("--read-only", None, "Do not allow changes.", is_flag=True),
    option("--save", "FILE", "Save the model to this file after each change."),
)
"""Options of the commands that start a server."""


@click.command(cls=Command, examples=_EXAMPLES, short_help="Serve a model or a case base over HTTP.")
@click.argument("model", metavar="MODEL")
@option("--target", "COLUMN", "Column to predict, if MODEL is a table.")
@column_option
@read_option
@server_options
@option(
    "--timeout", "S", "Time limit per request, in seconds.  [default: 30]", type=click.FloatRange(0.1), default=30.0
)
@option("--mcp", None, "Run as a Model Context Protocol server on stdin and stdout.", is_flag=True)
def serve(model: str, host: str, port: int, token: str | None, read_only: bool, **given: Any) -> None:
    """Serve MODEL over HTTP; MODEL is a saved model, a case base, or a table with --target.

    For a table, stacked learners are fitted. By default, the server listens only on localhost and prints its URL with a
    random token. Press Ctrl-C to stop.
    """
    from priorcase.cases import CaseBase
    from priorcase.serve import Limits, create_app

    if given["mcp"]:
        _serve_assistants(model, read_only, given)
        return

    check_server_options(host, token, read_only, given["save"])
    served, target = _served(model, read_only, given)
    shown = token or secrets.token_urlsafe(24)
    limits = Limits(seconds=given["timeout"])
    options = {"read_only": read_only, "save": given["save"], "limits": limits, "target": target}
    app = create_app(served, token=shown, hosts=[host], **options)
    with listening(host, port) as (listener, address):
        say(f"Serving {model} at {address}" + (f"?token={shown}" if token is None else ""))
        if not read_only and given["save"] is None and not isinstance(served, CaseBase):
            note("changes stay in memory; --save FILE saves them")
        note_open_host(host)
        run_app(app, listener)
    if isinstance(served, CaseBase):
        served.close()
    say("Stopped.")


def _serve_assistants(model: str, read_only: bool, given: dict[str, Any]) -> None:
    """Serve the Model Context Protocol until standard input is closed; print nothing else to standard output."""
    from priorcase.cases import CaseBase
    from priorcase.serve import Limits, create_mcp_server

    context = click.get_current_context()
    for name in ("host", "port", "token", "save"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise usage(f"--{name} has no effect with --mcp.")
    with redirect_stdout(sys.stderr):
        served, target = _served(model, read_only, given)
    limits = Limits(seconds=given["timeout"])
    warnings.simplefilter("ignore")  # about queries of clients
    create_mcp_server(served, target=target, read_only=read_only, limits=limits).run()
    if isinstance(served, CaseBase):
        served.close()


def check_server_options(host: str, token: str | None, read_only: bool, save: str | None) -> None:
    """Raise an error if the options cannot be combined; called before any file is read."""
    from priorcase.serve.security import is_loopback

    if not is_loopback(host) and token is None:
        raise usage(f"--host {host} can be reached from other machines, so --token is required.")
    if save is not None and read_only:
        raise usage("--save has no effect with --read-only.")
    if save is not None and not Path(save).absolute().parent.is_dir():
        raise BadInputError(f"there is no folder {str(Path(save).parent)!r}.")


def note_open_host(host: str) -> None:
    """Print a note if other machines can reach the service."""
    from priorcase.serve.security import is_loopback

    if not is_loopback(host):
        note(f"other machines can reach {host}, and connections are not encrypted; use a proxy with TLS")


def _served(model: str, read_only: bool, given: dict[str, Any]) -> tuple[Any, str | None]:
    """Return what to serve (a saved model, a case base, or a model fitted to a table) and the name of the target."""
    import priorcase as pc

    path = Path(model)
    if given["target"] is None and path.is_file():
        for name in ("column", "read"):
            if given[name]:
                raise usage(f"--{name} needs a table, and a table needs --target.")
        kind = file_kind(path)
        if kind == "model":
            return pc.load(path, verify=True), None
        if kind == "cases":
            if given["save"] is not None:
                raise usage("--save is for models; a case base saves every change immediately.")
            return pc.CaseBase.open(path, readonly=read_only), None
    if given["target"] is None:
        if not path.exists() and path.suffix:
            raise BadInputError(f"there is no file {model}. Check the path.")
        raise usage(
            f"{model} is neither a saved model nor a case base. For a table, pass the column to predict with --target."
        )
    from priorcase.cli.learners import make
    from priorcase.datasets.past import without_uninformative
    from priorcase.registry import find

    table = TABLE.convert(model, None, click.get_current_context(silent=True))
    reading = parse_reading(given["column"], given["read"], table)
    past = without_uninformative(read_past(table, given["target"], reading))
    say_how(past.about)
    note_uninformative(past)
    return make(find("stacked"), past, {}).fit(past.X, past.y), past.target


@contextmanager
def listening(host: str, port: int) -> Iterator[tuple[socket.socket, str]]:
    """Yield a socket that already accepts connections, and the URL of the socket."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise BadInputError(
                f"cannot listen at {host} port {port}: the port is already in use. Choose another port with "
                "--port, or a free one with --port 0."
            ) from error
        raise BadInputError(f"cannot listen at {host} port {port}: {error.strerror or error}.") from error
    name = f"[{host}]" if ":" in host else host
    with listener:
        yield listener, f"http://{name}:{listener.getsockname()[1]}/"


def run_app(app: Any, listener: socket.socket) -> None:
    """Serve requests until SIGINT or SIGTERM, and then finish the requests in progress."""
    import gc

    import uvicorn

    from priorcase.serve.connections import server_config

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Handle signals as uvicorn does, but do not raise them again; signals are the normal way to stop."""
            before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

    warnings.simplefilter("ignore")  # about queries of clients, who could fill a log
    gc.collect()
    gc.freeze()  # imported objects stay; scanning them again would delay responses by some milliseconds
    Server(server_config(app)).run(sockets=[listener])
