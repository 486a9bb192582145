"""Aha, Kibler & Albert 1991, Instance-based learning algorithms: Tables 3, 4 and 6.

Accuracy and storage of IB1, which keeps every instance, of IB2, which keeps those it got wrong, and of IB3, which keeps
of these the ones whose record is good; on four real data sets and two generated ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from priorcase._typing import AnyArray
from priorcase.concepts import IB1, IB2, IB3
from priorcase.datasets import NamedColumns, make_led, make_waveform
from priorcase.papers.aha1991_notes import BESIDE, agreement, notes
from priorcase.papers.aha1991_printed import CLEVELAND, HUNGARIAN, LED, TABLE_6, TUMOR, Printed
from priorcase.papers.aha1991_trials import Domain, Generated, Learner, Outcome, Partition, measure, trials
from priorcase.papers.data import read_described
from priorcase.papers.figure_table import Figure, FigureTable
from priorcase.papers.options import Options
from priorcase.papers.reproduction import Part
from priorcase.schema import Nominal, Ordinal
from priorcase.similarity import Absolute, Distance

__all__ = ["VARIANTS", "Setting", "compare", "measured", "table_3", "table_4", "table_6"]

COLUMNS = ("IB1", "IB2", "IB3")
TRIALS, FEW = 50, 2
REMARKS = {"Hungarian": "IB1 and IB2 cannot be had by the paper's similarity"}
GENERATORS: dict[str, Callable[..., tuple[AnyArray, AnyArray]]] = {"led": make_led, "waveform": make_waveform}


@dataclass(frozen=True)
class Setting:
    """A line of a table with what the paper leaves open.

    Parameters
    ----------
    title
        How the table calls it.
    line
        The printed line.
    ties
        Who predicts where several instances are nearest.
    levels
        Whether ordered levels differ by their ranks, or as symbols do.
    normalised
        Whether numbers are divided by their range.
    accept
        The level of the one-sided bounds by which IB3 accepts; 0.95 is two-sided 90 %.
    """

    title: str
    line: Printed
    ties: Literal["majority", "first"] = "majority"
    levels: Literal["ranks", "symbols"] = "ranks"
    normalised: bool = True
    accept: float = 0.9

    def domain(self, folder: Path | None) -> Domain:
        """Where the rows come from."""
        line = self.line
        if line.name in GENERATORS:
            return Generated(line.name, GENERATORS[line.name], line.train, line.test)
        X, y = read_described(folder, line.name)
        return Partition(line.name, X if self.levels == "ranks" else _levels_as_symbols(X), y, line.train)

    def learners(self, names: tuple[str, ...] = COLUMNS) -> dict[str, Callable[[int], Learner]]:
        """The three learners, or some of them, made from a trial's seed."""
        ties = self.ties
        distance: str | Distance = "ib" if self.normalised else Distance(numeric=Absolute("none"))
        makers: dict[str, Callable[[int], Learner]] = {
            "IB1": lambda seed: IB1(ties=ties, distance=distance, n_jobs=1),
            "IB2": lambda seed: IB2(ties=ties, distance=distance, n_jobs=1),
            "IB3": lambda seed: IB3(accept=self.accept, ties=ties, distance=distance, random_state=seed, n_jobs=1),
        }
        return {name: makers[name] for name in names}


LINES = tuple(Setting(line.title, line) for line in TABLE_6)
"""The lines as printed."""

VARIANTS = (
    Setting("Tumor, first of the tied", TUMOR, ties="first"),
    Setting("Tumor, levels as symbols", TUMOR, levels="symbols"),
    Setting("Tumor, both", TUMOR, ties="first", levels="symbols"),
    Setting("Tumor, two-sided 90 %", TUMOR, accept=0.95),
    Setting("LED Display, first of the tied", LED, ties="first"),
    Setting("LED Display, two-sided 90 %", LED, accept=0.95),
    Setting("Cleveland, levels as symbols", CLEVELAND, levels="symbols"),
    Setting("Hungarian, levels as symbols", HUNGARIAN, levels="symbols"),
    Setting("Hungarian, numbers not normalised", HUNGARIAN, normalised=False),
)
"""What the paper leaves open, settled in other ways."""

Measurements = Mapping[Setting, Mapping[str, Outcome]]


def measured(settings: tuple[Setting, ...], options: Options, columns: tuple[str, ...] = COLUMNS) -> Measurements:
    """What the learners do in some settings, each over the same trials."""
    count = options.count(TRIALS, FEW)
    one = partial(_outcomes, columns=columns, count=count, seed=options.seed)
    tasks = [(setting, setting.domain(options.data)) for setting in settings]
    text = f"{', '.join(columns)}: {len(settings)} settings, {count} trials"
    return dict(zip(settings, options.each(one, tasks, text), strict=True))


def table_3(options: Options) -> Part:
    """The data sets as the paper describes them, and as they are."""
    rows = {setting.title: _described(setting, options) for setting in LINES}
    columns = ("training rows", "test rows", "attributes", "classes")
    remarks = {"Tumor": "The documentation of the data lists 22 classes; one of them has no row."}
    table = FigureTable("the data sets", columns, rows, digits=(0, 0), remarks=remarks)
    note = "Counted in the rows of the first trial; test rows are those that are left of the public copy."
    return Part((table,), notes=(note, "LED displays and waveforms are made by their published rules."))


def table_4(options: Options) -> Part:
    """IB1 and IB2."""
    found = measured(LINES, options, COLUMNS[:2])
    tables = _tables(found, "")
    note = f"{BESIDE} {_averages(found)} {agreement(tables)} Table 6 has the reasons for what differs."
    return Part(tables, notes=(note,))


def table_6(options: Options) -> Part:
    """All three, and C4 as printed; then what the paper leaves open, settled in other ways."""
    return compare(measured((*LINES, *VARIANTS), options))


def compare(found: Measurements) -> Part:
    """Measured figures beside the printed ones: first the lines as printed, then the variants."""
    printed = {setting: outcomes for setting, outcomes in found.items() if setting not in VARIANTS}
    variants = {setting: outcomes for setting, outcomes in found.items() if setting in VARIANTS}
    tables = [*_tables(printed, ""), *(_tables(variants, ", settled in other ways") if variants else ())]
    full = {setting.title: outcomes["IB3"].full.mean for setting, outcomes in printed.items()}
    return Part(tuple(tables), notes=notes(tables, averages=_averages(found), full=full))


def _outcomes(task: tuple[Setting, Domain], *, columns: tuple[str, ...], count: int, seed: int) -> dict[str, Outcome]:
    setting, domain = task
    return measure(domain, setting.learners(columns), count=count, seed=seed)


def _described(setting: Setting, options: Options) -> tuple[Figure, ...]:
    line, trial = setting.line, next(trials(setting.domain(options.data), 1, seed=options.seed))
    attributes = len(trial.X.kinds) if isinstance(trial.X, NamedColumns) else trial.X.shape[1]
    ours = (len(trial.y), len(trial.y_test), attributes, len({*trial.y.tolist(), *trial.y_test.tolist()}))
    return tuple(map(Figure, ours, (line.train, line.test, line.attributes, line.classes)))


def _averages(found: Measurements) -> str:
    count = max(outcome.accuracy.runs.size for outcomes in found.values() for outcome in outcomes.values())
    return f"Averages over {count} trials."


def _tables(found: Measurements, suffix: str) -> tuple[FigureTable, FigureTable]:
    """Accuracy and storage."""
    columns = tuple(next(iter(found.values())))
    beside = columns == COLUMNS and not suffix  # C4 stands beside the whole table only
    accuracy = {
        setting.title: tuple(
            Figure(outcomes[column].accuracy.mean, printed, outcomes[column].accuracy.standard_error)
            for column, printed in zip(columns, setting.line.accuracy, strict=False)
        )
        + ((Figure(None, setting.line.tree),) if beside else ())
        for setting, outcomes in found.items()
    }
    storage = {
        setting.title: tuple(
            Figure(outcomes[column].storage.mean, printed)
            for column, printed in zip(columns[1:], setting.line.storage, strict=False)
        )
        for setting, outcomes in found.items()
    }
    shown = (*columns, "C4 (printed only)") if beside else columns
    table = partial(FigureTable, digits=(1, 1), differences=True, remarks={} if suffix else REMARKS)
    return (
        table(f"accuracy in percent{suffix}", shown, accuracy),
        table(f"storage in percent{suffix}", columns[1:], storage),
    )


def _levels_as_symbols(X: NamedColumns) -> NamedColumns:
    kinds = {name: Nominal() if isinstance(kind, Ordinal) else kind for name, kind in X.kinds.items()}
    return NamedColumns.of(X.data, kinds)
