"""Command line of ``python -m papers``: reproduce the tables and figures of a paper, and print or save them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from papers import KEYS, paper
from papers.reproduction import Options, on_terminal, reproduce
from priorcase.exceptions import PriorcaseError

KINDS = ("table", "figure", "example")
FORMATS = ("text", "markdown", "csv", "png", "pdf")
EPILOG = """\
papers:
  aha1991        IB1, IB2 and IB3 (Aha, Kibler & Albert)
  bibl1998       naive Bayes averaged over all models (Kontkanen et al.)
  kontkanen1997  MAP, evidence and stochastic complexity (Kontkanen et al.)
  cost1993       PEBLS on DNA (Cost & Salzberg)
  lecture        the worked examples of a lecture on neighbors and Bayes
  mitchell       the figures of a textbook chapter (Mitchell 1997, chapter 8)

examples:
  python -m papers bibl1998 --table 1
  python -m papers aha1991 --figure 1 --out figures --format png
  python -m papers all --quick
  python -m papers all --jobs 2 --out docs/papers

--out FOLDER writes PAPER.md, and a folder PAPER with the pictures and with CSV
files of the numbers in each table and picture. The numbers do not depend on
--jobs.

exit codes: 0 success, 2 wrong usage or bad input, 130 interrupted"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    try:
        _run(_parser(), arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("papers: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to flush at exit
        return 141
    except (PriorcaseError, OSError) as error:
        print(f"papers: error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(
        "python -m papers",
        description="Reproduce the tables and figures of a paper and compare them with the published results.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    found.add_argument(
        "paper", nargs="?", choices=[*KEYS, "all"], metavar="PAPER", help="one of the papers below, or all"
    )
    item = found.add_mutually_exclusive_group()
    for kind in KINDS:
        item.add_argument(f"--{kind}", metavar="N", help=f"only this {kind} of the paper")
    text = "list the tables, figures and examples of the paper, and exit"
    found.add_argument("--list", action="store_true", help=text)
    text = "number of trials, runs or repetitions (default: as in the paper)"
    found.add_argument("--trials", metavar="N", type=_number("1 or more", lambda n: n >= 1), help=text)
    jobs = _number("1 or more, or -1 for all processors", lambda n: n != 0)
    found.add_argument("--jobs", metavar="N", type=jobs, help="number of processes; -1 for all processors")
    natural = _number("0 or more", lambda n: n >= 0)
    found.add_argument("--random-state", metavar="N", type=natural, default=0, help="random seed (default: 0)")
    found.add_argument("--data", metavar="FOLDER", type=Path, help="folder of the data sets (default: PRIORCASE_DATA)")
    text = "run a few trials as a check; missing data sets are replaced with other tables"
    found.add_argument("--quick", action="store_true", help=text)
    text = "write files to this folder; - (default) prints to standard output"
    found.add_argument("--out", metavar="FOLDER", type=Path, help=text)
    text = "one of text, markdown, csv, png, pdf; may be repeated (default: text; with --out: markdown, csv and png)"
    found.add_argument("--format", metavar="FORMAT", action="append", choices=FORMATS, default=[], help=text)
    return found


def _number(expected: str, is_right: Callable[[int], bool]) -> Callable[[str], int]:
    """Return a parser of integers that pass a check; ``expected`` describes valid integers."""

    def number(text: str) -> int:
        if not is_right(value := int(text)):
            raise argparse.ArgumentTypeError(f"must be {expected}, got {value}")
        return value

    return number


def _run(command: argparse.ArgumentParser, arguments: Sequence[str] | None) -> None:
    asked = command.parse_args(arguments)
    out = None if asked.out == Path("-") else asked.out
    chosen = [(kind, value) for kind in KINDS if (value := getattr(asked, kind)) is not None]
    if asked.paper is None and not asked.list:
        command.error(f"a paper is required: one of {', '.join(KEYS)} or all")
    if chosen and asked.paper in (None, "all"):
        command.error(f"--{chosen[0][0]} needs one paper: {', '.join(KEYS)}")
    if out is None and (pictures := [form for form in asked.format if form in ("png", "pdf")]):
        command.error(f"--format {pictures[0]} needs --out, a folder to write pictures to")
    if asked.data is not None and not (asked.data / "manifest.json").is_file():
        command.error(f"--data: {str(asked.data)!r} is not a folder with a manifest.json, which describes its tables")
    papers = [paper(key) for key in (KEYS if asked.paper in (None, "all") else (asked.paper,))]
    items = [item for item in papers[0].items if (item.kind, item.number) in chosen]
    if chosen and not items:
        there = ", ".join(item.flag for item in papers[0].items)
        command.error(f"{papers[0].key} has no {chosen[0][0]} {chosen[0][1]!r} here; it has {there}")
    if asked.list:
        for each in papers:
            print(f"{each.key}: {each.title}")
            width = max(len(item.flag) for item in each.items)
            print("\n".join(f"  {item.flag:<{width}}  {item.title}" for item in each.items))
        return
    options = Options(asked.data, asked.trials, asked.random_state, asked.jobs, asked.quick, on_terminal)
    for each in papers:
        found = reproduce(each, options, only=items[0] if items else None)
        if out is not None:
            paths = found.save(out, asked.format or ("markdown", "csv", "png"))
            print(f"{found.key}: {len(paths)} files in {out}, {found.seconds:.0f} s")
            continue
        for form in asked.format or ("text",):
            print(found.csv() if form == "csv" else found.markdown() if form == "markdown" else f"{found}\n\n", end="")


if __name__ == "__main__":
    sys.exit(main())
