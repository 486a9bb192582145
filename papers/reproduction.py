"""Reproduction of a paper: items, tables that compare our figures with the published ones, pictures, and files.

The module of a paper defines ``PAPER = Paper(key, title, citation, items)``. Each `Item` makes a `Part` of tables,
pictures and notes. All parts form a `Reproduction`, which can be printed, converted to Markdown and saved as files.
"""

from __future__ import annotations

import io
import math
import os
import platform
import signal
import sys
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from priorcase._files import whole_file
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.evaluation.running import closed_quietly
from priorcase.exceptions import DRIFT, unwarned
from priorcase.learning.plotting import plot_style
from priorcase.learning.results import Grid, GridResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

Task = TypeVar("Task")
Found = TypeVar("Found")

Form: TypeAlias = int | str
"""Number format: the number of decimals, or a format such as ``".2g"``."""

# Options and progress -------------------------------------------------------------------------------------------------


class Track(Protocol):
    """Iterate over slow steps, with or without showing the progress."""

    def __call__(self, steps: Sequence[Task], text: str, /) -> Iterable[Task]: ...


def silently(steps: Sequence[Task], text: str, /) -> Iterable[Task]:
    """Return the steps without any output."""
    return steps


def on_terminal(steps: Sequence[Task], text: str, /) -> Iterator[Task]:
    """Yield the steps with a progress bar on standard error; without output if standard error is no terminal."""
    yield from aloud(steps, text) if sys.stderr.isatty() else steps


def aloud(steps: Sequence[Task], text: str, /) -> Iterator[Task]:
    """Yield the steps with a progress bar, or after a single line if standard error is not a terminal."""
    if not sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)
        yield from steps
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(steps, text, console=Console(stderr=True), transient=True)


@dataclass(frozen=True)
class Options:
    """Options for reproducing a paper.

    ``data`` is the folder of the data sets; by default, `priorcase.datasets.load` finds them. ``trials`` is the number
    of trials, runs or repetitions; by default, it is the paper's number. ``jobs`` is the number of processes, as in
    joblib; the figures do not depend on it. ``quick`` runs only a few trials as a check, and replaces data sets that
    are not on this machine with other tables.
    """

    data: Path | None = None
    trials: int | None = None
    random_state: int = 0
    jobs: int | None = None
    quick: bool = False
    track: Track = silently

    def count(self, full: int, quick: int) -> int:
        """Return the number of trials: ``trials`` if given, otherwise ``quick`` or ``full``."""
        return self.trials or (quick if self.quick else full)

    def each(self, function: Callable[[Task], Found], tasks: Sequence[Task], text: str) -> list[Found]:
        """Return the results of a picklable function for all tasks, in order. Each task contains its random state."""
        steps = self.track(tasks, text)
        try:
            if self.jobs in (None, 1) or len(tasks) < 2:
                return [_unwarned(function, task) for task in steps]
            from joblib import Parallel, delayed

            parallel = Parallel(n_jobs=self.jobs, return_as="generator", initializer=_IGNORE_INTERRUPTS)
            with closed_quietly(parallel(delayed(_unwarned)(function, task) for task in tasks)) as found:
                return [next(found) for _ in steps]
        finally:
            if isinstance(steps, Generator):  # an interrupted run must not leave a progress bar behind
                steps.close()


def _unwarned(function: Callable[[Task], Found], task: Task) -> Found:
    """Call a function without warnings about unseen values, which are common if few rows are sampled for training."""
    with unwarned(*DRIFT):
        return function(task)


# A terminal sends Ctrl-C to all processes; the first one ends the others.
_IGNORE_INTERRUPTS = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)


def fold_rows(
    rows: int, n_folds: int, share: float, stream: np.random.Generator
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the training and test rows of each fold; the training rows are a ``share`` of the rows of the other folds.

    Examples
    --------
    >>> for train, test in fold_rows(5, 2, 1.0, np.random.default_rng(0)):
    ...     print(train, test)
    [0 1] [2 4 3]
    [2 3 4] [0 1]
    """
    order = stream.permutation(rows)
    for test in np.array_split(order, n_folds):
        train = np.setdiff1d(order, test)
        if share < 1:
            train = np.sort(stream.choice(train, int(share * train.size + 1e-9), replace=False))
        yield train, test


# Tables ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figure:
    """Our figure and the printed figure; both are words if the paper gives a word such as a class.

    ``ours`` is None if the algorithm is not in the library; ``theirs`` is None if the paper does not print it.
    ``standard_error`` belongs to our figure, and ``digits`` overrides the number formats of the table.
    """

    ours: float | str | None
    theirs: float | str | None = None
    standard_error: float = math.nan
    digits: tuple[Form, Form] | None = None

    @classmethod
    def of(cls, runs: FloatArray, theirs: float | None = None, factor: float = 1) -> Figure:
        """Return the mean of several runs times a factor, with its standard error (NaN for a single run)."""
        error = float(runs.std(ddof=1) / np.sqrt(runs.size)) if runs.size > 1 else math.nan
        return cls(factor * float(runs.mean()), theirs, abs(factor) * error)

    def text(self, ours: Form, theirs: Form, *, difference: bool = False) -> str:
        """Return both figures as text, with the difference (ours minus printed) if requested.

        Examples
        --------
        >>> Figure(38.24, 39.3, 0.361).text(1, 1), Figure(0.851, 0.85).text(3, 2)
        ('38.2 ± 0.4 (39.3)', '0.851 (0.85)')
        >>> Figure(38.24, 39.3, 0.361).text(1, 1, difference=True)
        '38.2 ± 0.4 (39.3, -1.1)'
        >>> Figure(38.24).text(1, 1), Figure(None, 95.5).text(1, 1), Figure(1.15e-9, 1.2e-9).text(".2g", ".2g")
        ('38.2', '(95.5)', '1.1e-09 (1.2e-09)')
        """
        ours, theirs = self.digits or (ours, theirs)
        mine = "" if self.ours is None else _written(self.ours, ours)
        if not math.isnan(self.standard_error):
            mine += f" ± {_written(self.standard_error, ours)}"
        if self.theirs is None:
            return mine
        off = ""
        if difference and not math.isnan(self.difference) and isinstance(ours, int):
            off = f", {round(self.difference, ours) + 0.0:+.{ours}f}"  # 0.0 for -0.0
        return f"{mine} ({_written(self.theirs, theirs)}{off})".lstrip()

    @property
    def difference(self) -> float:
        """Our figure minus the printed figure; NaN if one of the two is not a number."""
        if isinstance(self.ours, float | int) and isinstance(self.theirs, float | int):
            return self.ours - self.theirs
        return math.nan

    @property
    def value(self) -> float:
        """Our figure as a number; NaN if it is not a number."""
        return float(self.ours) if isinstance(self.ours, float | int) else math.nan


def _written(value: float | str, form: Form) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.{form}f}" if isinstance(form, int) else format(value, form)


@dataclass(frozen=True, eq=False, repr=False)
class FigureTable(GridResult):
    """A table of figures, one line per data set or example, printed as ``ours ± standard error (printed)``.

    ``digits`` are the decimals of our figures and of the printed figures, or formats such as ``".2g"``. If
    ``differences`` is true, the table also shows their differences. ``remarks`` are comments on some lines.

    Examples
    --------
    >>> rows = {"Iris": (Figure(93.0, 93.4, 0.1),), "Glass": (Figure(66.1),)}
    >>> FigureTable("right in percent", ("BIBL",), rows, digits=(1, 1), remarks={"Glass": "Not printed."})
    right in percent
                        BIBL  remark
      Iris   93.0 ± 0.1 (93.4)
      Glass              66.1  Not printed.
    """

    title: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[Figure, ...]]
    digits: tuple[Form, Form]
    differences: bool = False
    remarks: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, place: tuple[str, str]) -> Figure:
        row, column = place
        return self.rows[row][self.columns.index(column)]

    def column(self, name: str) -> list[Figure]:
        """Return the figures of a column."""
        return [self[row, name] for row in self.rows]

    def frame(self) -> pd.DataFrame:
        """Return a data frame with one row per figure: place, both values, standard error, difference and remark."""
        lines = [
            (self.title, row, name, each.ours, each.standard_error, each.theirs, each.difference, self.remarks.get(row))
            for row, figures in self.rows.items()
            for name, each in zip(self.columns, figures, strict=True)
        ]
        names = ["table", "row", "column", "ours", "standard_error", "printed", "difference", "remark"]
        return pd.DataFrame(lines, columns=names, dtype=object)

    def _grid(self) -> Grid:
        remarked = any(row in self.remarks for row in self.rows)
        lines = [
            [row, *(figure.text(*self.digits, difference=self.differences) for figure in figures)]
            + [self.remarks.get(row, "")] * remarked
            for row, figures in self.rows.items()
        ]
        header = ["", *self.columns, *["remark"] * remarked]
        return Grid(self.title, header, lines, right=range(1, 1 + len(self.columns)))


def csv_text(frame: pd.DataFrame) -> str:
    """Return a data frame as CSV, with empty fields for None and NaN, and with all digits of numbers."""
    text: str = frame.to_csv(index=False, lineterminator="\n")
    return text


# Pictures -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture and its plotted numbers.

    ``name`` is the name of its files without a suffix, such as ``figure-1``. ``columns`` are the plotted numbers.
    ``draw`` draws on an empty matplotlib figure and must not use pyplot, which keeps figures alive. ``size`` is in
    inches.
    """

    name: str
    caption: str
    columns: Mapping[str, Sequence[Any] | AnyArray]
    draw: Callable[[Canvas], None]
    size: tuple[float, float] = (7.0, 4.0)

    def frame(self) -> pd.DataFrame:
        """Return the plotted numbers."""
        return pd.DataFrame(self.columns, dtype=object)

    def figure(self) -> Canvas:
        """Return the picture as a matplotlib figure in the style of the library."""
        with plot_style():
            from matplotlib.figure import Figure as Canvas

            figure = Canvas(figsize=self.size, layout="constrained")
            self.draw(figure)
        return figure

    def image(self, form: str) -> bytes:
        """Return the content of a PNG or PDF file of the picture; repeated calls return the same bytes."""
        file = io.BytesIO()
        dated: dict[str, Any] = {"CreationDate": None} if form == "pdf" else {"Software": None}
        self.figure().savefig(file, format=form, dpi=150, metadata=dated)
        return file.getvalue()


# Papers ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """Result of one item: tables, pictures, notes, and the title and key of the item."""

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
        """Return the part in Markdown; ``pictures`` maps names to files (without a file, only the caption is shown)."""
        files = pictures or {}
        drawn = [
            (f"![{self.title}]({files[picture.name]})\n\n" if picture.name in files else "") + f"*{picture.caption}*"
            for picture in self.pictures
        ]
        tables = [table.markdown() for table in self.tables]
        return "\n\n".join(filter(None, [f"## {self.title}", *drawn, *tables, self._notes()]))

    def numbers(self) -> dict[str, str]:
        """Return the content of the CSV files by name: one file for each picture, and one for all tables."""
        found = {f"{picture.name}.csv": csv_text(picture.frame()) for picture in self.pictures}
        if self.tables:
            name = f"{self.key}-table.csv" if f"{self.key}.csv" in found else f"{self.key}.csv"
            found[name] = csv_text(pd.concat([table.frame() for table in self.tables]))
        return found

    def _notes(self) -> str:
        return "\n".join(f"- {note}" for note in self.notes)


@dataclass(frozen=True)
class Item:
    """A table, figure or example of a paper, with its number, such as ``"8.1"``, its title and its function.

    ``needs`` maps titles of the paper to the names of the data sets that the item uses.
    """

    kind: Literal["table", "figure", "example"]
    number: str
    title: str
    run: Callable[[Options], Part]
    needs: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def key(self) -> str:
        """Key of the item, such as ``table-1``."""
        return f"{self.kind}-{self.number}"

    @property
    def flag(self) -> str:
        """Option that selects the item on the command line, such as ``--table 1``."""
        return f"--{self.kind} {self.number}"

    def part(self, options: Options) -> Part:
        """Run the item; a quick run replaces missing data sets with other tables."""
        from papers import stand_ins

        title = f"{self.kind.capitalize()} {self.number}. {self.title}"
        if not (options.quick and stand_ins.not_at_hand(self.needs, options.data)):
            return replace(self.run(options), title=title, key=self.key)
        with stand_ins.folder_of(self.needs) as folder:
            part = stand_ins.declared(self.run(replace(options, data=folder)), self.needs)
        return replace(part, title=f"{title} (not the paper's data)", key=self.key)


@dataclass(frozen=True)
class Paper:
    """A paper: key on the command line, title, citation, items, description (``about``), and findings of a full run."""

    key: str
    title: str
    citation: str
    items: tuple[Item, ...]
    about: str = ""
    findings: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction:
    """Reproduction of a paper or a part of it, with the command and the details of the run.

    ``findings`` is the text of `Paper.findings` if everything was measured with the default random state and trials.
    """

    paper: Paper
    parts: tuple[Part, ...]
    command: str
    circumstances: str
    seconds: float
    findings: str = ""

    def __str__(self) -> str:
        head = f"{self.paper.title}\n{self.paper.citation}"
        made = f"{self.command}\n{self.circumstances}"
        return "\n\n".join(filter(None, [head, self.paper.about, self.findings, *map(str, self.parts), made]))

    __repr__ = __str__

    @property
    def key(self) -> str:
        """Stem of the file names: the key of the paper, plus the key of the item if only one item was run."""
        only = len(self.parts) < len(self.paper.items)
        return "-".join([self.paper.key, *(part.key for part in self.parts if only)])

    def markdown(self, pictures: Mapping[str, str] | None = None) -> str:
        """Return the reproduction in Markdown; ``pictures`` maps names of pictures to files."""
        parts = [part.markdown(pictures) for part in self.parts]
        again = f"This command repeats all measurements on this page:\n\n```\n{self.command}\n```"
        head = [f"# {self.paper.title}", self.paper.citation, self.paper.about, again, self.findings]
        return "\n\n".join(filter(None, [*head, *parts, f"## Run details\n\n{self.circumstances}"])) + "\n"

    def csv(self) -> str:
        """Return the figures of all tables as CSV, one line per figure, with the item."""
        frames = []
        for part in self.parts:
            for table in part.tables:
                frames.append(table.frame())
                frames[-1].insert(0, "item", part.key)
        return csv_text(pd.concat(frames)) if frames else ""

    def files(self, formats: Collection[str] = ("markdown", "csv", "png")) -> dict[str, bytes]:
        """Return the content of each file, by its path inside a folder.

        The files are ``PAPER.md`` and, in a folder with the name of the paper, ``table-N.csv``, ``figure-N.csv`` with
        the plotted numbers, ``figure-N-table.csv`` with the tables of a figure, and ``figure-N.png`` or
        ``figure-N.pdf``. If only one item was run, the Markdown file is ``PAPER-table-N.md``, so that it does not
        replace the file of the whole paper. Formats are text, markdown, csv, png and pdf.
        """
        found: dict[str, bytes] = {}
        shown: dict[str, str] = {}
        for part in self.parts:
            if "csv" in formats:
                found |= {f"{self.paper.key}/{name}": text.encode() for name, text in part.numbers().items()}
            for picture in part.pictures:
                for form in ("png", "pdf"):
                    if form in formats:
                        name = f"{self.paper.key}/{picture.name}.{form}"
                        found[name] = picture.image(form)
                        shown.setdefault(picture.name, name)
        if "markdown" in formats:
            found[f"{self.key}.md"] = self.markdown(shown).encode()
        if "text" in formats:
            found[f"{self.key}.txt"] = f"{self}\n".encode()
        return found

    def save(self, folder: Path, formats: Collection[str] = ("markdown", "csv", "png")) -> list[Path]:
        """Write `files` to a folder atomically, after all contents are complete, and return the paths."""
        made = {folder / name: content for name, content in self.files(formats).items()}
        for path, content in made.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(path, overwrite=True) as file:
                file.write(content)
        return list(made)


def reproduce(paper: Paper, options: Options, *, only: Item | None = None) -> Reproduction:
    """Reproduce a paper or one item of it."""
    start = time.perf_counter()
    parts = tuple(item.part(options) for item in paper.items if only is None or item == only)
    seconds = time.perf_counter() - start
    words = ["python -m papers", paper.key]
    words += [only.flag] if only else []
    words += [f"--trials {options.trials}"] if options.trials is not None else []
    words += [f"--random-state {options.random_state}"] if options.random_state else []
    words += ["--quick"] if options.quick else []
    cpus = os.cpu_count() or 1
    jobs = cpus if options.jobs == -1 else options.jobs or 1
    processes = f"{jobs} process{'es' if jobs != 1 else ''} on {cpus} processor{'s' if cpus != 1 else ''}"
    circumstances = f"Random state {options.random_state}; {seconds:.0f} s in {processes}; {_versions()}."
    full = only is None and not (options.quick or options.random_state) and options.trials is None
    return Reproduction(paper, parts, " ".join(words), circumstances, seconds, paper.findings if full else "")


def _versions() -> str:
    """Return the versions of Python and of the installed libraries."""
    found = [f"Python {platform.python_version()}"]
    for name in ("priorcase", "numpy", "scipy", "scikit-learn", "matplotlib"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)
