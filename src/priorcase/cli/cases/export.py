"""``priorcase cases export``."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from priorcase.cli.cases.arguments import file_argument, where_option
from priorcase.cli.errors import debug_option
from priorcase.cli.help import GroupedArgument, GroupedOptions, option

__all__ = ["command"]

_EPILOG = """\
\b
Examples:
  priorcase cases export desk.cases desk.jsonl
  priorcase cases export desk.cases printers.csv --where area=printer
  priorcase cases export desk.cases - | grep toner
\b
The end of the name says how: .jsonl has everything, kinds included; .parquet
the same in typed columns (needs PyArrow); .csv all but the kinds, for
spreadsheets. 'priorcase cases add FILE --from OUT' reads all of them."""


@click.command("export", cls=GroupedOptions, short_help="Write cases to a file for others.", epilog=_EPILOG)
@file_argument
@click.argument(
    "out",
    cls=GroupedArgument,
    group="Output",
    text="Where to; - prints JSON lines.  [default: -]",
    metavar="[OUT]",
    default="-",
    type=click.Path(allow_dash=True),
)
@where_option
@option("Output", "--overwrite", None, "Replace OUT if it is there.", is_flag=True)
@debug_option
def command(file: str, out: str, where: tuple[str, ...], overwrite: bool) -> None:
    """Write the cases of FILE to OUT, whole or not at all."""
    # Loaded here, not above: --help must not wait for NumPy.
    from priorcase.cli.cases.opening import reading
    from priorcase.cli.cases.values import conditions

    with reading(file) as base:
        given = conditions(base, where)
        if out == "-":
            _print(base, given)
            return
        count = base.export(out, overwrite=overwrite, where=given)
    click.echo(f"{count} case{'s' * (count != 1)} written to {out}")


def _print(base: Any, given: dict[str, Any]) -> None:
    with TemporaryDirectory(prefix="priorcase-") as folder:
        path = Path(folder) / "cases.jsonl"
        base.export(path, where=given)
        with path.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
