"""``priorcase cases new``."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from priorcase.cli.cases.arguments import column_options, file_argument, provenance_options
from priorcase.cli.errors import BadInputError, debug_option
from priorcase.cli.help import GroupedOptions, option
from priorcase.cli.words import Choice, wrong_value

__all__ = ["command"]

_TABLE = click.Path(allow_dash=True)
KINDS = ("numeric", "nominal", "text", "set", "date", "graph")
_FORMS = {"--attribute": "NAME=KIND", "--ordinal": "NAME=a<b<c", "--taxonomy": "NAME=TREE.json"}
_EPILOG = """\
\b
Examples:
  priorcase cases new desk.cases --example help-desk
  priorcase cases new bikes.cases --attribute age=numeric \\
      --attribute noise=set --attribute message=text \\
      --ordinal "brakes=firm<soft<weak" --taxonomy device=devices.json
  priorcase cases new cars.cases --like cars.csv --solution-column price
  priorcase cases new notes.cases
\b
Kinds of attributes:
  numeric   numbers                      nominal  names
  text      words, compared by content   set      several names
  date      2024-05-01                   graph    'flow +> heat; heat -> flow'
Without any the first cases that are added declare the attributes.
A taxonomy is a JSON file: {"printer": {"laser": {}, "inkjet": {}}}, or
{"laser": "printer", "inkjet": "printer", "printer": null}."""


@click.command("new", cls=GroupedOptions, short_help="Make a new case base.", epilog=_EPILOG)
@file_argument
@option("Attributes", "--attribute", "NAME=KIND", f"{', '.join(KINDS[:-1])} or {KINDS[-1]}. Repeatable.", multiple=True)
@option("Attributes", "--ordinal", "NAME=a<b<c", "Ordered levels, the least first. Repeatable.", multiple=True)
@option("Attributes", "--taxonomy", "NAME=TREE.json", "Nodes of a tree. Repeatable.", multiple=True)
@option(
    "Tables",
    "--like",
    "TABLE",
    "Attributes as the columns of a table; no row is added; - is standard input.",
    type=_TABLE,
)
@column_options
@option("Attributes", "--example", "NAME", "A built-in case base with its cases.", type=Choice(["help-desk"]))
@provenance_options
@debug_option
def command(file: str, like: str | None, example: str | None, by: str | None, why: str | None, **options: Any) -> None:
    """Make the case base FILE, which must not exist, with attributes that are declared or as a table has them."""
    declared = [options.pop(name) for name in ("attribute", "ordinal", "taxonomy")]
    columns = {name.removesuffix("_column"): column for name, column in options.items()}
    if like is None and any(columns.values()):
        raise click.UsageError("--...-column needs --like TABLE.", click.get_current_context())
    if example is not None and (like is not None or any(declared)):
        problem = "--example brings attributes of its own; it goes with no --attribute, --ordinal, --taxonomy, --like."
        raise click.UsageError(problem, click.get_current_context())
    if os.path.lexists(file):
        raise BadInputError(
            f"{file} exists already; nothing was changed. Name a new file; 'priorcase cases add' adds cases to one "
            "that is there."
        )
    # Loaded here, not above: --help must not wait for NumPy.
    from priorcase.cases import CaseBase
    from priorcase.cases.exchange import read_cases
    from priorcase.cli.cases.standing_in import as_file

    if example is not None:
        _make_help_desk(file, by, why)
    else:
        attributes: dict[str, Any] = {}
        if like is not None:
            with as_file(like) as path:
                attributes |= read_cases(path, **columns).attributes
        CaseBase.open(file, attributes | _declared(*declared), by=by).close()
    with CaseBase.open(file, readonly=True) as base:
        click.echo(str(base))


def _declared(plain: tuple[str, ...], ordinal: tuple[str, ...], taxonomy: tuple[str, ...]) -> dict[str, Any]:
    from priorcase.cases import Taxonomy
    from priorcase.schema import Ordinal

    found: dict[str, Any] = {}
    for flag, texts in (("--attribute", plain), ("--ordinal", ordinal), ("--taxonomy", taxonomy)):
        for text in texts:
            name, value = _pair(flag, text)
            if name in found:
                raise wrong_value(flag, text, f"the second declaration of {name!r}")
            if flag == "--attribute":
                found[name] = _kind(text, value)
            elif flag == "--ordinal":
                found[name] = Ordinal(_levels(text, value))
            else:
                found[name] = Taxonomy(_tree(value))
    return found


def _pair(flag: str, text: str) -> tuple[str, str]:
    name, _, value = (part.strip() for part in text.rpartition("="))
    if not name or not value:
        raise wrong_value(flag, text, f"not of the form {_FORMS[flag]}")
    return name, value


def _kind(text: str, kind: str) -> str:
    if kind not in KINDS:
        raise wrong_value("--attribute", kind, f"no kind; there are {', '.join(KINDS)}", KINDS)
    return kind


def _levels(text: str, order: str) -> tuple[str, ...]:
    levels = tuple(level.strip() for level in order.split("<"))
    if "" in levels or len(levels) < 2 or len(set(levels)) < len(levels):
        raise wrong_value("--ordinal", text, "not of the form 'size=small<medium<large', with two or more levels")
    return levels


def _tree(path: str) -> Any:
    """The tree of a JSON file; what is wrong with it as a tree says the taxonomy."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadInputError(
            f'{path} is no JSON file: {error}. For example {{"printer": {{"laser": {{}}, "inkjet": {{}}}}}}.'
        ) from error


def _make_help_desk(file: str, by: str | None, why: str | None) -> None:
    from priorcase.cases import CaseBase, Taxonomy
    from priorcase.datasets import load_help_desk
    from priorcase.schema import Ordinal

    desk = load_help_desk()
    attributes = {
        "area": Taxonomy(desk.areas),
        "system": "nominal",
        "place": "nominal",
        "people": "numeric",
        "urgency": Ordinal(desk.urgencies),
        "signs": "set",
        "opened": "date",
        "message": "text",
    }
    with CaseBase.open(file, attributes, by=by) as base:
        base.add_many(desk.tickets, solution="solution", outcome="outcome", key="ticket", why=why)
