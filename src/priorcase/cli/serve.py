"""``priorcase serve``: a model or a case base over HTTP."""

from __future__ import annotations

import secrets
import signal
import socket
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from priorcase.cli.shell import BadInputError, Command, note, option, say, usage
from priorcase.cli.tables import (
    TABLE,
    column_option,
    note_uninformative,
    parse_reading,
    read_option,
    read_past,
    say_how,
    without_uninformative,
)

_EXAMPLES = """\
priorcase serve model.priorcase
priorcase serve desk.cases --read-only
priorcase serve loans.csv --target repaid --save loans.priorcase
priorcase serve model.priorcase --host 0.0.0.0 --token "$TOKEN\""""
_SQLITE = b"SQLite format 3\0"


@click.command(cls=Command, examples=_EXAMPLES, short_help="Serve a model or a case base over HTTP.")
@click.argument("model", metavar="MODEL")
@option("--target", "COLUMN", "Column to predict, if MODEL is a table.")
@column_option
@read_option
@option("--host", "HOST", "Address to listen at; beyond this machine with --token.", default="127.0.0.1")
@option("--port", "PORT", "Port; 0 takes a free one.  [default: 8765]", type=click.IntRange(0, 65535), default=8765)
@option("--token", "TEXT", "What clients must show, also by $PRIORCASE_TOKEN.", envvar="PRIORCASE_TOKEN")
@option("--read-only", None, "Refuse changes.", is_flag=True)
@option("--save", "FILE", "Save the model there after each change.")
@option("--timeout", "S", "Seconds a question may take.  [default: 30]", type=click.FloatRange(0.1), default=30.0)
def serve(model: str, host: str, port: int, token: str | None, read_only: bool, **given: Any) -> None:
    """Serve MODEL over HTTP: a saved model, a case base, or a table with --target.

    A table is learned by stacked learners. It listens at this machine only, and prints the URL with a random token.
    Ctrl-C stops it.
    """
    from priorcase.cases import CaseBase
    from priorcase.serve import Limits, create_app
    from priorcase.serve.security import is_loopback

    if not is_loopback(host) and token is None:
        raise usage(f"--host {host} is reached from other machines, so --token must say what clients have to show.")
    if given["save"] is not None and read_only:
        raise usage("--save has no effect with --read-only.")
    if given["save"] is not None and not Path(given["save"]).absolute().parent.is_dir():
        raise BadInputError(f"there is no folder {str(Path(given['save']).parent)!r}.")
    served, target = _served(model, read_only, given)
    shown = token or secrets.token_urlsafe(24)
    limits = Limits(seconds=given["timeout"])
    options = {"read_only": read_only, "save": given["save"], "limits": limits, "target": target}
    app = create_app(served, token=shown, hosts=[host], **options)
    with _listening(host, port) as listener:
        name = f"[{host}]" if ":" in host else host
        address = f"http://{name}:{listener.getsockname()[1]}/"
        say(f"Serving {model} at {address}" + (f"?token={shown}" if token is None else ""))
        if not read_only and given["save"] is None and not isinstance(served, CaseBase):
            note("changes stay in memory; --save FILE saves them")
        if not is_loopback(host):
            note(f"{host} is reached from other machines, without encryption: put a proxy with TLS in front")
        _run(app, listener)
    if isinstance(served, CaseBase):
        served.close()
    say("Stopped.")


def _served(model: str, read_only: bool, given: dict[str, Any]) -> tuple[Any, str | None]:
    """A model or a case base, by what the file is; or a model of a table; and the name of the target."""
    import priorcase as pc

    path = Path(model)
    if given["target"] is None and path.is_file():
        for name in ("column", "read"):
            if given[name]:
                raise usage(f"--{name} needs a table, and a table needs --target.")
        if zipfile.is_zipfile(path):
            return pc.load(path), None
        with path.open("rb") as file:
            if file.read(len(_SQLITE)) == _SQLITE:
                if given["save"] is not None:
                    raise usage("--save is for models; a case base has every change on the disk at once.")
                return pc.CaseBase.open(path, readonly=read_only), None
    if given["target"] is None:
        if not path.exists() and path.suffix:
            raise BadInputError(f"there is no file {model}. Check the path.")
        raise usage(
            f"{model} is neither a saved model nor a case base; of a table, name the column to predict: --target."
        )
    from priorcase.cli.learners import make
    from priorcase.registry import find

    table = TABLE.convert(model, None, click.get_current_context(silent=True))
    past = without_uninformative(read_past(table, given["target"], parse_reading(given["column"], given["read"])))
    say_how(past.about)
    note_uninformative(past)
    return make(find("stacked"), past, {}).fit(past.X, past.y), past.target


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that takes connections already, so that whoever reads the URL can ask at once."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise BadInputError(f"cannot listen at {host} port {port}: {error.strerror or error}.") from error
    with listener:
        yield listener


def _run(app: Any, listener: socket.socket) -> None:
    """Answer until SIGINT or SIGTERM; requests that are under way are finished."""
    import warnings

    import uvicorn

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Like uvicorn's, but a signal is the usual end, so it is not raised again afterwards."""
            before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

    settings: dict[str, Any] = {"access_log": False, "log_level": "warning", "server_header": False, "ws": "none"}
    config = uvicorn.Config(app, timeout_graceful_shutdown=10, limit_concurrency=512, **settings)
    warnings.simplefilter("ignore")  # of questions that others ask, told in their answers or not at all
    Server(config).run(sockets=[listener])
