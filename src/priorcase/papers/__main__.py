"""``python -m priorcase.papers PAPER``: a paper's table with the library's figures beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from priorcase.papers.progress import aloud
from priorcase.papers.report import Report

Command = TypeVar("Command", bound=Callable[..., None])


def _options(command: Command) -> Command:
    """What every paper's command takes."""
    data = click.option(
        "--data",
        envvar="PRIORCASE_DATA",
        required=True,
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Folder of the data sets and their manifest.json; PRIORCASE_DATA if left out.",
    )
    markdown = click.option("--markdown", is_flag=True, help="Print Markdown.")
    return data(markdown(command))


_bins = click.option("--bins", default=5, show_default=True, help="Bins of numeric columns, by 1-D k-means.")
_seed = click.option("--seed", default=0, show_default=True, help="Start of the random numbers.")
_only = click.option(
    "--only", multiple=True, metavar="NAME", help="A data set to measure, such as glass; may be repeated."
)


@click.group(help="Published tables with the library's figures beside them.")
def main() -> None:
    """The papers, each a command."""


@main.command("bibl", short_help="Kontkanen et al. 1998, Table 1", help="Maximum likelihood against BIBL.")
@_options
@_bins
@click.option("--runs", default=100, show_default=True, help="Runs of cross-validation.")
@_seed
@_only
def bibl_command(data: Path, bins: int, markdown: bool, runs: int, seed: int, only: tuple[str, ...]) -> None:
    """Run the first paper."""
    from priorcase.papers import bibl

    _show(bibl.run(data, runs=runs, bins=bins, seed=seed, names=only, track=aloud), markdown)


@main.command(
    "predictive-inference",
    short_help="Kontkanen et al. 1997, Table 1",
    help="MAP, evidence and stochastic complexity, leaving one out.",
)
@_options
@_bins
def predictive_inference_command(data: Path, bins: int, markdown: bool) -> None:
    """Run the second paper."""
    from priorcase.papers import predictive_inference

    _show(predictive_inference.run(data, bins=bins, track=aloud), markdown)


@main.command("ibl", short_help="Aha, Kibler & Albert 1991, Tables 4 and 6", help="IB1, IB2 and IB3.")
@_options
@click.option("--trials", default=50, show_default=True, help="Trials on each data set.")
@_seed
@_only
def ibl_command(data: Path, markdown: bool, trials: int, seed: int, only: tuple[str, ...]) -> None:
    """Run the third paper."""
    from priorcase.papers import ibl

    _show(ibl.run(data, trials=trials, seed=seed, names=only, track=aloud), markdown)


@main.command("pebls", short_help="Cost & Salzberg 1993, promoters and splice junctions", help="PEBLS on DNA.")
@_options
@click.option("--orders", default=10, show_default=True, help="Random orders of the promoters.")
@click.option("--runs", default=10, show_default=True, help="Random samples of the splice junctions.")
@_seed
def pebls_command(data: Path, markdown: bool, orders: int, runs: int, seed: int) -> None:
    """Run the fourth paper."""
    from priorcase.papers import pebls

    _show(pebls.run(data, orders=orders, runs=runs, seed=seed, track=aloud), markdown)


def _show(report: Report, markdown: bool) -> None:
    click.echo(report.markdown() if markdown else str(report))


if __name__ == "__main__":
    main(prog_name="python -m priorcase.papers")
