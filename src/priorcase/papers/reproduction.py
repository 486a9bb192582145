"""A paper measured again: its tables and figures, each an item that can be run alone, and what comes of running them.

A module of a paper has ``PAPER = Paper(key, title, citation, items)``. Each `Item` makes a `Part` of some tables with
our figures beside the printed ones, some pictures, and some notes; the parts together are a `Reproduction`, which
prints, becomes Markdown, and is saved as files.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from priorcase.papers.figure_table import Figure, FigureTable, csv_text
from priorcase.papers.options import Options
from priorcase.papers.picture import Picture

__all__ = ["Figure", "FigureTable", "Item", "Options", "Paper", "Part", "Picture", "Reproduction", "reproduce"]

_LIBRARIES = ("priorcase", "numpy", "scipy", "scikit-learn", "matplotlib")


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """What came of one item.

    Parameters
    ----------
    tables
        Our figures beside the printed ones.
    pictures
        What is drawn.
    notes
        What there is to know: how it was measured, what differs and why, which of the paper's claims it shows.
    title
        Set by the item that made the part: ``Table 1. Accuracy``.
    key
        Set by the item likewise: ``table-1``.
    """

    tables: tuple[FigureTable, ...] = ()
    pictures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()
    title: str = ""
    key: str = ""

    def __str__(self) -> str:
        drawn = [f"{picture.name}: {picture.caption}" for picture in self.pictures]
        return "\n\n".join(filter(None, [self.title, *map(str, self.tables), *drawn, self._notes()]))

    __repr__ = __str__

    def markdown(self, pictures: Mapping[str, str] | None = None) -> str:
        """The part in Markdown; ``pictures`` says in which file each is, by name. Without a file its caption stands."""
        files = pictures or {}
        drawn = [
            f"![{self.title}]({files[picture.name]})\n\n*{picture.caption}*"
            if picture.name in files
            else f"*{picture.caption}*"
            for picture in self.pictures
        ]
        tables = [table.markdown() for table in self.tables]
        return "\n\n".join(filter(None, [f"## {self.title}", *drawn, *tables, self._notes()]))

    def _notes(self) -> str:
        return "\n".join(f"- {note}" for note in self.notes)


@dataclass(frozen=True)
class Item:
    """A table, a figure or an example of a paper, and how to make it again.

    Parameters
    ----------
    kind
        What it is in the paper.
    number
        Its number there, as text: ``1``, ``8.1``.
    title
        What it shows.
    run
        Makes it.
    """

    kind: Literal["table", "figure", "example"]
    number: str
    title: str
    run: Callable[[Options], Part]

    @property
    def key(self) -> str:
        """``table-1``."""
        return f"{self.kind}-{self.number}"

    def part(self, options: Options) -> Part:
        """The item made, with its title."""
        made = self.run(options)
        title = f"{self.kind.capitalize()} {self.number}. {self.title}"
        return Part(made.tables, made.pictures, made.notes, title, self.key)


@dataclass(frozen=True)
class Paper:
    """A paper and what of it can be made again.

    Parameters
    ----------
    key
        Its name on the command line: ``aha1991``.
    title
        Its title, or what is measured of it.
    citation
        Authors, year, title, where.
    items
        Its tables, figures and examples, in their order.
    about
        What the paper measured and how, in a few sentences.
    """

    key: str
    title: str
    citation: str
    items: tuple[Item, ...]
    about: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction:
    """A paper measured again.

    Parameters
    ----------
    paper
        Which.
    parts
        What came of its items, or of some of them.
    command
        What makes it again.
    seed
        Start of the random numbers.
    seconds
        How long it took.
    jobs
        In how many processes at once; -1 for one on each processor.
    versions
        Of the libraries.
    cpus
        Processors of the machine.
    """

    paper: Paper
    parts: tuple[Part, ...]
    command: str
    seed: int
    seconds: float
    jobs: int = 1
    versions: Mapping[str, str] = field(default_factory=lambda: library_versions())
    cpus: int = field(default_factory=lambda: os.cpu_count() or 1)

    def __str__(self) -> str:
        head = f"{self.paper.title}\n{self.paper.citation}"
        return "\n\n".join(filter(None, [head, self.paper.about, *map(str, self.parts), self.made()]))

    __repr__ = __str__

    @property
    def key(self) -> str:
        """The paper's key, and the item's where there is only one of several: the name of its files."""
        only = len(self.parts) < len(self.paper.items)
        return "-".join([self.paper.key, *(part.key for part in self.parts if only)])

    def markdown(self, pictures: Mapping[str, str] | None = None) -> str:
        """The reproduction in Markdown; ``pictures`` says in which file each is, by name."""
        parts = [part.markdown(pictures) for part in self.parts]
        made = f"## How this was made\n\n```\n{self.command}\n```\n\n{self._circumstances()}"
        head = [f"# {self.paper.title}", self.paper.citation, self.paper.about]
        return "\n\n".join(filter(None, [*head, *parts, made])) + "\n"

    def made(self) -> str:
        """What made it: the command, the seed, the versions, the time."""
        return f"{self.command}\n{self._circumstances()}"

    def csv(self) -> str:
        """The figures of all tables as CSV, one line for each, with the item they belong to."""
        joined: dict[str, list[Any]] = {"item": []}
        for part in self.parts:
            for table in part.tables:
                tidy = table.tidy()
                for name, values in {"item": [part.key] * len(tidy["row"]), **tidy}.items():
                    joined.setdefault(name, []).extend(values)
        return csv_text(joined)

    def save(self, folder: Path, formats: Collection[str] = ("markdown", "csv", "png")) -> list[Path]:
        """Files of the reproduction in a folder, and their paths; see `priorcase.papers.saving.files`."""
        from priorcase.papers.saving import save

        return save(self, folder, formats)

    def _circumstances(self) -> str:
        versions = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        jobs = self.cpus if self.jobs == -1 else self.jobs
        processes = f"{jobs} process{'es' if jobs != 1 else ''} on {self.cpus} processor{'s' if self.cpus != 1 else ''}"
        return f"Seed {self.seed}; {self.seconds:.0f} s in {processes}; {versions}."


def reproduce(paper: Paper, options: Options, *, only: Item | None = None, command: str = "") -> Reproduction:
    """A paper measured again, whole or one item of it."""
    start = time.perf_counter()
    parts = tuple(item.part(options) for item in paper.items if only is None or item == only)
    command = command or f"priorcase reproduce {paper.key}"
    return Reproduction(paper, parts, command, options.seed, time.perf_counter() - start, options.jobs or 1)


def library_versions() -> dict[str, str]:
    """Versions of Python and of the libraries that the figures come from, as far as they are installed."""
    found = {"Python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
