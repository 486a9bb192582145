"""``priorcase reproduce``: papers measured again, with the library's figures beside the printed ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from priorcase.cli.errors import debug_option
from priorcase.cli.help import GroupedOptions, option
from priorcase.cli.words import Choice, listed
from priorcase.papers import KEYS

if TYPE_CHECKING:
    from priorcase.papers.reproduction import Item, Options, Paper, Reproduction

__all__ = ["reproduce"]

_WHAT, _HOW, _OUT = "What", "How", "Output"
_PICTURES = ("png", "pdf")
_FORMATS = ("text", "markdown", "csv", *_PICTURES)
_SAVED = ("markdown", "csv", "png")
_EPILOG = """\
\b
Papers:
  aha1991        IB1, IB2 and IB3 (Aha, Kibler & Albert)
  bibl1998       naive Bayes averaged over all models (Kontkanen et al.)
  kontkanen1997  MAP, evidence and stochastic complexity (Kontkanen et al.)
  cost1993       PEBLS on DNA (Cost & Salzberg)
  lecture        the worked examples of a lecture on neighbours and Bayes
  mitchell       the figures of a textbook chapter (Mitchell 1997, chapter 8)
\b
Examples:
  priorcase reproduce bibl1998 --table 1
  priorcase reproduce aha1991 --figure 1 --out figures --format png
  priorcase reproduce all --quick
  priorcase reproduce all --jobs 2 --out docs/papers
\b
Data sets are looked for in --data, else in the folder that PRIORCASE_DATA
names, else in the cache of those downloaded before, else at OpenML. Figures
are the same for a seed, whatever the number of jobs.
\b
--out FOLDER gets PAPER.md, and in PAPER/ table-N.csv, figure-N.csv with the
numbers of each picture, and figure-N.png or figure-N.pdf. Where only one
table or figure is made, the Markdown is PAPER-table-N.md."""


class _PaperArgument(click.Argument):
    """The paper, listed with what may be asked of it."""

    group = _WHAT

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        return "PAPER", "One of the papers below, or all; with --list all if left out."


def _not_zero(ctx: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("0 is no number of processes.", ctx=ctx, param=parameter)
    return value


def _described(_: click.Context, __: click.Parameter, value: Path | None) -> Path | None:
    """Refuse a folder without data sets before the work begins."""
    if value is not None and not (value / "manifest.json").is_file():
        raise click.BadParameter(f"{str(value)!r} is not a folder with a manifest.json, which describes its CSV files.")
    return value


def _unless_dash(_: click.Context, __: click.Parameter, value: Path | None) -> Path | None:
    return None if value == Path("-") else value


@click.command(cls=GroupedOptions, epilog=_EPILOG, short_help="Measure published tables and figures again.")
@click.argument("paper", cls=_PaperArgument, type=Choice([*KEYS, "all"]), metavar="PAPER", required=False)
@option(_WHAT, "--table", "N", "Only this table of the paper.")
@option(_WHAT, "--figure", "N", "Only this figure.")
@option(_WHAT, "--example", "N", "Only this example.")
@option(_WHAT, "--list", None, "Say what there is of the paper, and end.", is_flag=True)
@option(_HOW, "--trials", "N", "Trials, runs or repetitions; the paper's number if left out.", type=click.IntRange(1))
@option(_HOW, "--jobs", "N", "Processes at once; -1 for all processors.", type=int, callback=_not_zero)
@option(_HOW, "--seed", "N", "Start of the random numbers.", type=click.IntRange(0), default=0)
@option(
    _HOW,
    "--data",
    "FOLDER",
    "Folder of the data sets.",
    type=click.Path(file_okay=False, path_type=Path),
    callback=_described,
)
@option(_HOW, "--quick", None, "Few trials, to see that everything runs.", is_flag=True)
@option(
    _OUT,
    "--out",
    "FOLDER",
    "Write files there; - prints, as without it.",
    type=click.Path(file_okay=False, path_type=Path),
    callback=_unless_dash,
)
@option(
    _OUT,
    "--format",
    "FORMAT",
    f"{listed(_FORMATS, 'or')}; may be repeated. Printed: text if left out. With --out: {listed(_SAVED)}.",
    type=Choice(_FORMATS),
    multiple=True,
)
@debug_option
def reproduce(paper: str | None, **asked: Any) -> None:
    """Measure a paper's tables and figures again, and show them beside the printed ones.

    Each is measured by the paper's own protocol, with the difference and a remark where the two cannot agree.
    """
    paper = _paper(paper, listed_only=asked["list"])
    chosen = {kind: asked.pop(kind) for kind in ("table", "figure", "example") if asked[kind] is not None}
    _check(paper, chosen, asked)
    # Loaded here, not above: --help must not wait for NumPy.
    from priorcase.papers import paper as paper_of
    from priorcase.papers.options import Options
    from priorcase.papers.progress import on_terminal
    from priorcase.papers.reproduction import reproduce as measured

    papers = [paper_of(key) for key in (KEYS if paper == "all" else (paper,))]
    only = _item(papers[0], chosen) if chosen else None
    if asked["list"]:
        click.echo("\n".join(_listing(each) for each in papers))
        return
    options = Options(asked["data"], asked["trials"], asked["seed"], asked["jobs"], asked["quick"], on_terminal)
    for each in papers:
        found = measured(each, options, only=only, command=_command(each, only, options))
        _show(found, asked["out"], asked["format"])


def _paper(paper: str | None, *, listed_only: bool) -> str:
    """The paper that was asked for; all, where they are only to be listed."""
    if paper is None and not listed_only:
        raise click.UsageError(f"say which paper to reproduce: {listed([*KEYS, 'all'], 'or')}.")
    return paper or "all"


def _check(paper: str, chosen: dict[str, str], asked: dict[str, Any]) -> None:
    """What does not go together."""
    if chosen and paper == "all":
        raise click.UsageError(f"--{next(iter(chosen))} needs one paper: {listed(KEYS, 'or')}.")
    if len(chosen) > 1:
        raise click.UsageError(f"{listed([f'--{kind}' for kind in chosen])} do not go together.")
    pictures = [form for form in asked["format"] if form in _PICTURES]
    if pictures and asked["out"] is None:
        raise click.UsageError(f"--format {pictures[0]} needs --out, a folder to write pictures to.")


def _item(paper: Paper, chosen: dict[str, str]) -> Item:
    """The table, figure or example that was asked for."""
    ((kind, number),) = chosen.items()
    for item in paper.items:
        if (item.kind, item.number) == (kind, number):
            return item
    there = [f"--{item.kind} {item.number}" for item in paper.items]
    raise click.UsageError(f"{paper.key} has no {kind} {number!r} here; it has {listed(there)}.")


def _listing(paper: Paper) -> str:
    flags = [f"--{item.kind} {item.number}" for item in paper.items]
    width = max(map(len, flags))
    lines = [f"  {flag:<{width}}  {item.title}" for flag, item in zip(flags, paper.items, strict=True)]
    return "\n".join([f"{paper.key}: {paper.title}", *lines])


def _command(paper: Paper, only: Item | None, options: Options) -> str:
    """What makes the same figures again, without what does not change them."""
    words = ["priorcase reproduce", paper.key]
    words += [f"--{only.kind} {only.number}"] if only else []
    words += [f"--trials {options.trials}"] if options.trials is not None else []
    words += [f"--seed {options.seed}"] if options.seed else []
    words += ["--quick"] if options.quick else []
    return " ".join(words)


def _show(found: Reproduction, out: Path | None, formats: tuple[str, ...]) -> None:
    """Print it, or write its files."""
    if out is not None:
        paths = found.save(out, formats or _SAVED)
        click.echo(f"{found.key}: {len(paths)} files in {out}, {found.seconds:.0f} s")
        return
    for form in formats or ("text",):
        click.echo({"text": f"{found}\n", "markdown": found.markdown(), "csv": found.csv()}[form], nl=form == "text")
