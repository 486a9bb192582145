"""``priorcase cases``: add, find, revise and forget cases of a case base on the command line."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from priorcase.cli.shell import (
    BadInputError,
    Command,
    Commands,
    Forms,
    Names,
    Output,
    n_cases,
    note,
    option,
    options,
    output_options,
    say,
    usage,
)
from priorcase.cli.tables import parse_kinds, parse_options, read_option, say_how
from priorcase.documents import case_document, event_documents, proposal_document
from priorcase.exceptions import PriorcaseError, UnknownIdError, advice, listed, visible_json

if TYPE_CHECKING:
    from priorcase.cases import Case, CaseBase

METHODS = ("auto", "copy", "null", "vote", "mean", "local", "compose")
KINDS = ("numeric", "nominal", "text", "set", "date", "graph")
ROLES = ("solution", "outcome", "key", "note")
_SHOWN = 20
_CIRCULAR = re.compile(r".+=circular:\d+(\.\d+)?")
_SHARE = click.FloatRange(0, 1, min_open=True)
_DAMAGED = " is damaged: "
_EXAMPLES = """\
priorcase cases new desk.cases --example help-desk
priorcase cases ask desk.cases area=printer "message=stripes on the page"
priorcase cases add desk.cases area=vpn --solution "renew it" --key V-9
priorcase cases list desk.cases --where "people>=20"
priorcase cases feedback desk.cases V-9 --outcome no --note "came back"
priorcase cases forget desk.cases --where "opened<2025-02-01\""""


@click.group("cases", cls=Commands, examples=_EXAMPLES, invoke_without_command=True)
@click.pass_context
def cases(ctx: click.Context) -> None:
    """Keep solved cases in a file and find solutions for new cases.

    Each command saves its change completely or not at all. Forgetting a case erases its data from the file.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


# -- arguments and options


def _attributes(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the attribute names that begin with ``incomplete``, as suggestions for the Tab key."""
    try:
        with _reading(ctx.params.get("file") or "") as base:
            return [CompletionItem(f"{name}=") for name in base.attributes if name.startswith(incomplete)]
    except Exception:  # completion must never fail
        return []


def _parse_roles(_: click.Context, __: click.Parameter, given: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in given:
        name, equals, role = text.rpartition("=")
        if not name or not equals or role not in ROLES or role in found:
            kind = f" To set a kind: 'priorcase cases new FILE --attribute {text}'." * (role in KINDS or "<" in role)
            raise click.BadParameter(
                f"{text!r} is not of the form NAME=ROLE. Use each role ({', '.join(ROLES)}) at most once.{kind}"
            )
        found[role] = name
    return found


_file = click.argument("file", metavar="FILE")
_pairs = click.argument("pairs", nargs=-1, metavar="[NAME=VALUE]...", shell_complete=_attributes)
_where = option("--where", "CONDITION", "Condition on the cases, such as 'people>=5'. Repeatable.", multiple=True)
_roles = option(
    "--column", "NAME=ROLE", "Role of a column: solution, outcome, key or note.", multiple=True, callback=_parse_roles
)
_provenance = options(
    option("--by", "WHO", "Author of the change, for the history."),
    option("--why", "TEXT", "Reason for the change, for the history."),
)


def _command(name: str, examples: str, short_help: str) -> Callable[[Callable[..., Any]], click.Command]:
    add = cases.command(name, cls=Command, examples=examples, short_help=short_help)
    return lambda function: add(_file(function))


# -- files and ids


def _opened(file: str, **options: Any) -> CaseBase:
    """Open an existing case base; raise an error if the file does not exist."""
    from priorcase.cases import CaseBase

    if not os.path.lexists(file):
        raise BadInputError(
            f"there is no case base at {file}. Check the path, or create it with 'priorcase cases new {file}'."
        )
    return CaseBase.open(file, **options)


def _reading(file: str) -> CaseBase:
    """Open a case base read-only, or for writing if an interrupted change must be undone first."""
    journal = Path(f"{file}-journal")
    interrupted = journal.exists() and journal.stat().st_size > 0
    return _opened(file, readonly=not (interrupted and os.access(file, os.W_OK)))


def _case_id(base: CaseBase, given: str) -> int:
    """Return the id of a case, given its id (digits) or its key."""
    if given.isascii() and given.isdecimal():
        return int(given)
    for case in base.find(where={"key": given}):
        if case.id is not None:
            return case.id
    keys = [case.key for case in base if case.key is not None]
    remedy = advice(given, keys, otherwise=f"'priorcase cases list {base.path}' shows ids and keys.")
    raise BadInputError(f"{base.path} has no case with the key {given!r}. {remedy} Nothing was changed.")


@contextmanager
def _as_file(table: str) -> Iterator[str]:
    """Yield the path of a table; standard input (``-``) is copied to a temporary file."""
    if table != "-":
        yield table
        return
    from priorcase.datasets.files import contents, format_of

    content = contents(sys.stdin.buffer, "standard input")[1]
    if not content.strip():
        raise BadInputError("standard input is empty; expected cases.")
    found = format_of(sys.stdin.buffer, content)
    ending = {"excel": ".xlsx", "sqlite": ".db", "c4.5": ".data"}.get(found, f".{found}")
    with TemporaryDirectory(prefix="priorcase-") as folder:
        path = Path(folder) / f"standard-input{ending}"
        path.write_bytes(content)
        try:
            yield str(path)
        except PriorcaseError as error:
            told = str(error.args[0]) if error.where and "/" not in error.where else str(error)
            raise BadInputError(told.replace(str(path), "standard input")) from error


# -- new, add


_NEW = """\
priorcase cases new desk.cases --example help-desk
priorcase cases new bikes.cases --attribute age=numeric \\
    --attribute "brakes=firm<soft<weak" --attribute device=devices.json
priorcase cases new cars.cases --like cars.csv --column price=solution
priorcase cases new notes.cases"""


@_command("new", _NEW, "Create a case base.")
@option(
    "--attribute",
    "NAME=KIND",
    "Kind, ordered levels (a<b<c) or taxonomy file (TREE.json) of an attribute.",
    multiple=True,
)
@option("--like", "TABLE", "Declare the columns of this table as attributes; --attribute corrects kinds.")
@_roles
@read_option
@option("--example", "NAME", "Copy a built-in case base with all its cases: help-desk.", type=Names(["help-desk"]))
@_provenance
@output_options()
def new(file: str, attribute: Sequence[str], like: str | None, column: dict[str, Any], **given: Any) -> None:
    """Create the case base FILE, which must not exist yet.

    The kinds are numeric, circular:PERIOD (such as circular:360), nominal, text, set, date and graph. A taxonomy is a
    JSON file such as {"printer": {"laser": {}, "inkjet": {}}}. If no attribute is declared, the attributes are
    inferred from the first cases.
    """
    if like is None and (column or given["read"]):
        raise usage(f"--{'column' if column else 'read'} needs --like TABLE.")
    reading = parse_options(given["read"])
    if given["example"] is not None and (like is not None or attribute):
        raise usage("--example comes with its own attributes; it cannot be combined with --attribute or --like.")
    if os.path.lexists(file):
        raise BadInputError(f"{file} exists already. Name a new file; 'priorcase cases add' adds cases to {file}.")
    from priorcase.cases import CaseBase
    from priorcase.cases.exchange import read_cases
    from priorcase.cases.kinds import kind_name
    from priorcase.datasets import load_help_desk
    from priorcase.schema import Ordinal, Taxonomy

    if given["example"] is not None:
        desk = load_help_desk()
        kinds: dict[str, Any] = {"area": Taxonomy(desk.areas), "system": "nominal", "place": "nominal"}
        kinds |= {"people": "numeric", "urgency": Ordinal(desk.urgencies), "signs": "set", "opened": "date"}
        with CaseBase.open(file, kinds | {"message": "text"}, by=given["by"]) as base:
            base.add_many(desk.tickets, solution="solution", outcome="outcome", key="ticket", why=given["why"])
    else:
        declared: dict[str, Any] = {}
        if like is not None:
            with _as_file(like) as path:
                read = read_cases(path, **column, reading=reading)
                say_how(read.about)
                declared |= read.attributes
        CaseBase.open(file, declared | _declared(attribute), by=given["by"]).close()
    with CaseBase.open(file, readonly=True) as base:
        told = {name: kind_name(kind) for name, kind in base.attributes.items()}
        given["output"].show(str(base), {"file": file, "cases": len(base), "attributes": told})


def _declared(texts: Sequence[str]) -> dict[str, Any]:
    from priorcase.schema import Circular, Ordinal, Taxonomy

    circles = [text for text in texts if _CIRCULAR.fullmatch(text)]
    found: dict[str, Any] = {}
    for name, _, period in (text.rpartition("=circular:") for text in circles):
        found[name.strip()] = Circular(float(period))
    for name, kind in parse_kinds("--attribute", [t for t in texts if t not in circles], KINDS, files=True).items():
        found[name] = Ordinal(kind) if isinstance(kind, tuple) else kind
        if isinstance(kind, str) and kind.endswith(".json"):
            try:
                found[name] = Taxonomy(json.loads(Path(kind).read_text(encoding="utf-8")))
            except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
                raise BadInputError(f'{kind} is not a JSON file: {error}. Example: {{"printer": {{}}}}.') from error
    return found


_ADD = """\
priorcase cases add desk.cases area=vpn "signs=slow,timeout" \\
    opened=2025-06-01 --solution "renew the certificate" --key V-9
priorcase cases add cars.cases "paint color=black" miles=? --solution 8500
priorcase cases add cars.cases --from cars.csv --column price=solution
priorcase cases export old.cases | priorcase cases add new.cases --from -"""


@_command("add", _ADD, "Add a case, or all rows of a table.")
@_pairs
@option("--solution", "TEXT", "Solution of the case: a string, a number, or JSON.")
@option("--outcome", "VALUE", "Outcome of the case: yes, no, or a number from 0 to 1.")
@option("--key", "KEY", "Unique name of the case, such as a ticket number.")
@option("--note", "TEXT", "A free note.")
@option("--from", "TABLE", "Add all rows of a table; - is standard input.")
@_roles
@read_option
@_provenance
@output_options()
def add(file: str, pairs: Sequence[str], column: dict[str, Any], output: Output, **given: Any) -> None:
    """Add one case (NAME=VALUE) or all rows of a table (--from) to FILE, and print the ids.

    Separate the elements of a set by commas, write dates as 2025-06-01, and write NAME=? for a missing value. If any
    row of the table is invalid, no row is added. A case whose key is already in FILE is not added again.
    """
    table = given["from"]
    if table is None and (column or given["read"]):
        raise usage(f"--{'column' if column else 'read'} needs --from TABLE.")
    reading = parse_options(given["read"])
    if table is None and not pairs:
        raise usage("nothing to add. Pass NAME=VALUE or --from TABLE.")
    if table is not None and (pairs or any(given[name] is not None for name in ROLES)):
        raise usage(
            "--from cannot be combined with NAME=VALUE, --solution, --outcome, --key or --note. Use --column to name "
            "the columns with the solution, outcome, key and note."
        )
    from priorcase.cases.exchange import read_cases
    from priorcase.cli.case_values import outcome_value, solution_value, values

    with _opened(file, by=given["by"]) as base:
        before = len(base)
        if table is not None:
            _check_roles(base, column, table)
            with _as_file(table) as path:
                about = dict(read_cases(path, base.attributes or None, **column, reading=reading).about)
                if table == "-" and about:
                    about["understood"] = about["understood"].replace(path, "standard input")
                ids = base.import_(path, **column, by=given["by"], why=given["why"], **reading)
            say_how(about)
        else:
            told = {name: given[name] for name in ("key", "note", "why")}
            told["solution"] = solution_value(base, given["solution"])
            ids = [base.add(values(base, pairs), outcome=outcome_value(given["outcome"]), **told)]
        added = len(base) - before
    known = len(ids) - added
    if table is None and known:
        note(f"case {ids[0]} already has this key; nothing was added")
    more = f"; cases not added because their keys exist already: {known}" if known else ""
    text = str(ids[0]) if table is None else f"{n_cases(added)} added to {file}{more}"
    output.show(text, {"ids": ids, "added": added, "known": known})


def _check_roles(base: CaseBase, roles: dict[str, Any], table: str) -> None:
    """Raise an error if a column with a role, such as solution, is also an attribute of the case base."""
    for role, name in roles.items():
        if name in base.attributes:
            like = "TABLE" if table == "-" else table
            command = shlex.join(
                ["priorcase", "cases", "new", "NEW.cases", "--like", like, "--column", f"{name}={role}"]
            )
            raise BadInputError(
                f"{name!r} is an attribute of {base.path}, so it cannot be the {role}; create a case base without "
                f"this attribute: {command}"
            )


# -- list, history


_LIST = """\
priorcase cases list desk.cases
priorcase cases list desk.cases --where area=printer --where "people>=5"
priorcase cases list desk.cases --where "message~toner" --columns id,message
priorcase cases list desk.cases --where outcome=no --csv > failed.csv
priorcase cases list desk.cases --id P-01"""


@_command("list", _LIST, "List cases, or show one in full.")
@_where
@option("--id", "ID", "Show one case in full, by its id or key.")
@option("--limit", "N", "Maximum number of cases.  [default: 20 as text, all as CSV or JSON]", type=click.IntRange(0))
@option("--columns", "A,B", "Columns to show.", multiple=True)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@output_options("txt", "csv", "json")
def list_cases(file: str, where: Sequence[str], id: str | None, as_csv: bool, output: Output, **given: Any) -> None:
    """List the cases of FILE.

    A condition is a name, an operator (=, !=, <, <=, >, >=, or ~ for contains) and a value; a|b means a or b, and ?
    means missing. The name is an attribute, or solution, outcome, id, key, by or retired.
    """
    limit = given["limit"]
    columns = [name.strip() for text in given["columns"] for name in text.split(",") if name.strip()]
    if output.as_json and (as_csv or columns):
        raise usage(f"--json cannot be combined with --{'csv' if as_csv else 'columns'}.")
    if id is not None and (where or as_csv or columns or limit is not None):
        raise usage("--id can only be combined with --json and --out.")
    from priorcase.cases.conditions import parse_all
    from priorcase.cli import case_values as cv

    with _reading(file) as base:
        if id is not None:
            case = base.get(_case_id(base, id))
            events = list(base.history(case.id))
            text = f"{cv.case_text(case)}\n\n{cv.event_table(events, len(events))}"
            output.show(text, case_document(case) | {"history": event_documents(events)})
            return
        cv.check_columns(columns, base.attributes, base.path)
        found = base.find(where=parse_all(where, base.attributes))
        names = columns or ["id", "key", *base.attributes, "solution", "outcome"]
        forms: Forms = {
            "txt": lambda: _listed(found, len(base), limit, columns, every=not where),
            "csv": lambda: cv.cases_csv(islice(found, limit), names),
            "json": lambda: {"cases": [case_document(case) for case in islice(found, limit)]},
        }
        output.deliver(forms, form="csv" if as_csv else "txt")


def _listed(found: Iterator[Case], among: int, limit: int | None, columns: Sequence[str], *, every: bool) -> str:
    from priorcase.cli.case_values import case_table

    shown = list(islice(found, _SHOWN if limit is None else limit))
    count = among if every else len(shown) + sum(1 for _ in found)
    title = f"{count:,} of {n_cases(among)}" if count < among else n_cases(among)
    more = f"cases not shown: {count - len(shown)}; --limit shows more" if count > len(shown) else ""
    return case_table(shown, title, columns, more) if shown else title


_HISTORY = "priorcase cases history desk.cases\npriorcase cases history desk.cases V-9 --json"


@_command("history", _HISTORY, "Show the history of changes.")
@click.argument("id", required=False)
@option("--limit", "N", "Number of most recent events.  [default: 20 as text, all as JSON]", type=click.IntRange(1))
@output_options()
def history(file: str, id: str | None, limit: int | None, output: Output) -> None:
    """Show the changes to FILE, or to case ID, in the order in which they were made."""
    from priorcase.cli.case_values import event_table

    with _reading(file) as base:
        events = list(base.history(None if id is None else _case_id(base, id)))
    output.show(event_table(events, limit or _SHOWN), {"events": event_documents(events[-(limit or 0) :])})


# -- ask


_ASK = """\
priorcase cases ask desk.cases
priorcase cases ask desk.cases area=printer "message=stripes on the page"
priorcase cases ask desk.cases area=vpn --no-questions --explain
priorcase cases ask cars.cases make=Audi year=2019 --method local --json"""


@_command("ask", _ASK, "Find a solution by asking questions.")
@_pairs
@_where
@option("--weights", "NAME=W", "Weight of an attribute. Repeatable.", multiple=True)
@option("-k", "N", "Number of similar cases.", type=click.IntRange(1), default=5, show_default=True)
@option("--method", "NAME", "Method of reuse: auto, copy, null, vote, mean, local, compose.", type=Names(METHODS))
@option("--diversity", "D", "How different the retrieved cases should be, from 0 to 1.", type=float)
@option("--no-questions", None, "Propose a solution without asking questions.", is_flag=True)
@option(
    "--confidence",
    "P",
    "Stop asking when a solution reaches this probability.",
    type=_SHARE,
    default=0.8,
    show_default=True,
)
@option("--tolerance", "T", "Acceptable error of a numeric solution.", type=float)
@option("--explain", None, "Show how the solution was derived.", is_flag=True)
@output_options()
def ask(file: str, pairs: Sequence[str], output: Output, **given: Any) -> None:
    """Propose a solution for a new case from similar cases of FILE.

    On a terminal, the command first asks questions, most informative first, and then proposes a solution. With
    --json, --out, --method, --diversity or --no-questions, or without a terminal, it asks no questions.
    """
    at_once = given["no_questions"] or output != (False, None) or given["method"] or given["diversity"] is not None
    converses = not at_once and sys.stdin.isatty() and sys.stdout.isatty()
    from priorcase.cases.conditions import parse_all
    from priorcase.cli import case_values as cv

    with _reading(file) as base:
        query = cv.values(base, pairs)
        if not converses and all(value is None for value in query.values()):
            names = ", ".join(base.attributes) or "none yet"
            raise usage(f"the new case has no values. Pass NAME=VALUE. The attributes of {base.path} are: {names}.")
        where, weights = parse_all(given["where"], base.attributes), cv.weights(base, given["weights"])
        if converses:
            from priorcase.cli.conversation import converse

            settings = {name: given[name] for name in ("k", "confidence", "tolerance", "explain")}
            converse(base, query, weights=weights, where=where, **settings)
            return
        diversity = given["diversity"] or 0.0
        found = base.retrieve(query, given["k"], weights=weights, where=where or None, diversity=diversity)
        if not len(found):
            raise BadInputError(f"{base.path} has no case that meets the conditions. Omit --where, or add cases.")
        success = cv.Success()
        proposal = base.reuse(found, given["method"] or "auto", success=success)
        text = f"{proposal}\n\n{found}"
        if given["explain"]:
            text = "\n\n".join([proposal.explain(), *(str(found.explain(i)) for i in range(len(found)))])
        output.show(text, proposal_document(found, proposal))
        success.note_others()
        if not diversity and (last := found.similarities[-1]) > 0:
            every = base.retrieve(query, len(base), weights=weights, where=where or None)
            total = int((every.similarities >= last).sum())
            if more := total - len(found):
                told, them = ("case is", "it") if more == 1 else ("cases are", "them")
                note(f"{more:,} more {told} as similar as the last case shown; -k {total} includes {them}")


# -- feedback, forget


_FEEDBACK = """\
priorcase cases feedback desk.cases 17 --outcome no --note "came back"
priorcase cases feedback desk.cases V-9 --solution "replace the router" \\
    --by desk-2 --why "the first fix did not last"
priorcase cases feedback desk.cases V-9 urgency=high system=?"""


@_command("feedback", _FEEDBACK, "Record an outcome, or correct a case.")
@click.argument("id")
@_pairs
@option("--outcome", "VALUE", "Outcome of the case: yes, no, or a number from 0 to 1.")
@option("--solution", "TEXT", "A new solution.")
@option("--note", "TEXT", "A note to append.")
@_provenance
@output_options()
def feedback(file: str, id: str, pairs: Sequence[str], output: Output, **given: Any) -> None:
    """Record the outcome of case ID (an id or a key), or correct the case.

    If the outcome is no or a number up to 0.5, the case votes against its solution from then on. A new solution has no
    outcome unless --outcome is also given. Pass ? to remove a value, a solution or an outcome.
    """
    if not pairs and all(given[name] is None for name in ("outcome", "solution", "note")):
        raise usage("nothing to record. Pass --outcome, --solution, --note or NAME=VALUE.")
    from priorcase.cli import case_values as cv

    with _opened(file) as base:
        number, changes = _case_id(base, id), {name: given[name] for name in ("note", "by", "why")}
        if given["solution"] is not None:
            changes["solution"] = cv.solution_value(base, given["solution"])
        if given["outcome"] is not None:
            changes["outcome"] = cv.outcome_value(given["outcome"])
        base.revise(number, cv.values(base, pairs), **changes)
        case = base.get(number)
    output.show(cv.case_text(case), case_document(case))


_FORGET = """\
priorcase cases forget desk.cases 17 18
priorcase cases forget desk.cases --where "opened<2025-02-01"
priorcase cases forget desk.cases V-9 --yes --by desk-2 --why "asked to\""""


@_command("forget", _FORGET, "Delete cases and erase their data from the file.")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@_where
@option("--yes", None, "Do not ask for confirmation; required without a terminal.", is_flag=True)
@_provenance
@output_options()
def forget(file: str, ids: Sequence[str], where: Sequence[str], yes: bool, output: Output, **given: Any) -> None:
    """Forget the cases of FILE with these ids or keys, or all cases that meet the conditions.

    The history keeps only the ids of the forgotten cases, the times and actions, and the texts of --by and --why.
    Copies made by backup and export are not changed.
    """
    if bool(ids) == bool(where):
        raise usage("pass either ids or --where. Nothing was forgotten.")
    if not yes and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise usage("without a terminal, --yes is required. Nothing was forgotten.")
    from priorcase.cases.conditions import parse_all

    count = 0
    with _opened(file) as base:
        if where:
            found = list(base.find(where=parse_all(where, base.attributes)))
        else:
            wanted = list(dict.fromkeys(_case_id(base, one) for one in ids))
            if absent := [one for one in wanted if one not in base]:
                raise UnknownIdError(f"{file} has no case {listed(absent)}. Nothing was forgotten.")
            found = [base.get(one) for one in wanted]
        if found and (yes or _agreed(found)):
            count = base.forget([case.id for case in found if case.id is not None], **given)
    text = "nothing was forgotten" if found else "no case meets the conditions; nothing was forgotten"
    if count:
        text = f"{n_cases(count)} forgotten; {'its' if count == 1 else 'their'} data were erased from {file}"
    output.show(text, {"forgotten": count})


def _agreed(found: list[Case]) -> bool:
    """Show the cases and ask for confirmation; return True only if the answer is y or yes."""
    from priorcase.cli.case_values import case_table

    more = f"cases not shown: {len(found) - _SHOWN}" if len(found) > _SHOWN else ""
    say(case_table(found[:_SHOWN], f"{n_cases(len(found))} to forget", note=more))
    say("Forget for good? [y/N] ", nl=False)
    return sys.stdin.readline().strip().casefold() in ("y", "yes")


# -- export, backup, verify


_EXPORT = """\
priorcase cases export desk.cases --out desk.jsonl
priorcase cases export desk.cases --out printers.csv --where area=printer
priorcase cases export desk.cases | grep toner"""


@_command("export", _EXPORT, "Export cases to a file.")
@_where
@option("--overwrite", None, "Replace an existing file.", is_flag=True)
@output_options("jsonl", "csv", "parquet", text="File to write")
def export(file: str, where: Sequence[str], overwrite: bool, output: Output) -> None:
    """Write the cases of FILE to another file, or print them as JSON lines. A file is written completely or not at all.

    .jsonl and .parquet files keep the kinds of the attributes; .csv files do not. 'priorcase cases add FILE --from
    TABLE' reads all three formats.
    """
    from priorcase.cases.conditions import parse_all

    with _reading(file) as base, TemporaryDirectory(prefix="priorcase-") as folder:
        only, path = parse_all(where, base.attributes), Path(folder) / "cases.jsonl"
        if output.out in (None, "-"):
            base.export(path, where=only)
            if sys.stdout.isatty():
                say(visible_json(path.read_text(encoding="utf-8")), nl=False)
            else:
                with path.open("rb") as source:
                    shutil.copyfileobj(source, sys.stdout.buffer)
            return
        count = base.export(str(output.out), overwrite=overwrite, where=only)
    Output(output.as_json, None).show(f"{n_cases(count)} written to {output.out}", {"cases": count, "out": output.out})


_BACKUP = "priorcase cases backup desk.cases --out desk-monday.cases"


@_command("backup", _BACKUP, "Back up a case base, even while it is in use.")
@output_options(text="New file for the copy")
def backup(file: str, output: Output) -> None:
    """Copy a snapshot of FILE to a new file; other processes can continue to write to FILE.

    Cases that are later forgotten in FILE remain in the copy.
    """
    if output.out in (None, "-"):
        raise usage("--out COPY is required.")
    with _reading(file) as base:
        base.backup(str(output.out))
        count = len(base)
    Output(output.as_json, None).show(f"{n_cases(count)} copied to {output.out}", {"cases": count, "out": output.out})


_VERIFY = "priorcase cases verify desk.cases\npriorcase cases verify desk.cases --json"


@_command("verify", _VERIFY, "Check a case base for damage.")
@output_options()
@click.pass_context
def verify(ctx: click.Context, /, file: str, output: Output) -> None:
    """Check the pages, checksums, counts and keys of FILE without changing it.

    The exit code is 0 if FILE is intact, 1 if FILE is damaged, and 2 if FILE is not a case base.
    """
    from priorcase.cases.storage import Store
    from priorcase.exceptions import CaseBaseFileError

    count, findings = 0, tuple[str, ...]()
    try:
        with _reading(file) as base:
            found = base.verify()
            count, findings = found.cases, found.findings
    except CaseBaseFileError as error:
        findings = (str(error.args[0]),)
        if _DAMAGED not in findings[0]:
            raise
        try:
            with Store.open(file, readonly=True) as store:
                findings = tuple(store.verify()) or findings
        except CaseBaseFileError:
            pass  # report the findings up to here
    lines = ["damaged:", *(f"  {finding}" for finding in findings)] if findings else [f"clean: {n_cases(count)}"]
    output.show("\n".join(lines), {"clean": not findings, "cases": count, "findings": findings})
    ctx.exit(1 if findings else 0)
