"""Aha, Kibler & Albert 1991, Instance-based learning algorithms: Tables 4 and 6.

Accuracy and storage of IB1, which keeps every instance, of IB2, which keeps those it got wrong, and of IB3, which keeps
of these the ones whose record is good; on four real data sets and two generated ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from priorcase.concepts import IB1, IB2, IB3
from priorcase.datasets import NamedColumns, make_led, make_waveform
from priorcase.papers.data import read_described
from priorcase.papers.ibl_notes import notes
from priorcase.papers.ibl_trials import Domain, Generated, Learner, Outcome, Partition, measure
from priorcase.papers.progress import Track, silently
from priorcase.papers.report import Comparison, Figure, Report
from priorcase.schema import Nominal, Ordinal
from priorcase.similarity import Absolute, Distance
from priorcase.typing import AnyArray

__all__ = ["TABLE_6", "VARIANTS", "Printed", "Setting", "compare", "run"]

COLUMNS = ("IB1", "IB2", "IB3")
GENERATORS: dict[str, Callable[..., tuple[AnyArray, AnyArray]]] = {"led": make_led, "waveform": make_waveform}


@dataclass(frozen=True)
class Printed:
    """A line of Tables 3, 4 and 6.

    Parameters
    ----------
    title
        What the paper calls the data set.
    name
        What the folder calls it, or the generator.
    train, test
        Rows to learn from and to test, in each trial.
    attributes, classes
        Its size as the paper gives it.
    accuracy
        Right answers of IB1, IB2 and IB3 in percent.
    errors
        Their standard errors.
    storage
        Training instances that IB2 and IB3 predict from, in percent; IB1 keeps all.
    """

    title: str
    name: str
    train: int
    test: int
    attributes: int
    classes: int
    accuracy: tuple[float, float, float]
    errors: tuple[float, float, float]
    storage: tuple[float, float]


TABLE_6 = (
    Printed("Voting", "voting", 350, 85, 16, 2, (91.8, 90.9, 91.6), (0.4, 0.5, 0.5), (11.1, 7.4)),
    Printed("Tumor", "primary-tumor", 275, 64, 17, 22, (34.7, 32.9, 38.6), (0.8, 0.8, 0.9), (71.3, 16.4)),
    Printed("LED Display", "led", 200, 500, 7, 10, (70.5, 62.4, 71.7), (0.4, 0.6, 0.4), (41.5, 28.7)),
    Printed("Waveform", "waveform", 300, 500, 21, 3, (75.2, 69.6, 73.8), (0.3, 0.4, 0.4), (32.5, 14.6)),
    Printed("Cleveland", "heart-cleveland", 250, 53, 13, 2, (75.7, 71.4, 78.0), (0.8, 0.8, 0.8), (30.4, 7.7)),
    Printed("Hungarian", "heart-hungarian", 250, 44, 13, 2, (58.7, 55.9, 80.5), (1.5, 2.0, 0.9), (36.0, 7.5)),
)
"""Tables 4 and 6 as printed, with the sizes of Table 3."""


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

    def domain(self, folder: Path) -> Domain:
        """Where the rows come from."""
        line = self.line
        if line.name in GENERATORS:
            return Generated(line.name, GENERATORS[line.name], line.train, line.test)
        X, y = read_described(folder, line.name)
        return Partition(line.name, X if self.levels == "ranks" else _levels_as_symbols(X), y, line.train)

    def learners(self) -> dict[str, Callable[[int], Learner]]:
        """The three learners, made from a trial's seed."""
        ties = self.ties
        distance: str | Distance = "ib" if self.normalised else Distance(numeric=Absolute("none"))
        return {
            "IB1": lambda seed: IB1(ties=ties, distance=distance, n_jobs=1),
            "IB2": lambda seed: IB2(ties=ties, distance=distance, n_jobs=1),
            "IB3": lambda seed: IB3(accept=self.accept, ties=ties, distance=distance, random_state=seed, n_jobs=1),
        }


_, TUMOR, LED, _, CLEVELAND, HUNGARIAN = TABLE_6

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


def run(
    folder: Path,
    *,
    trials: int = 50,
    seed: int = 0,
    names: Collection[str] = (),
    track: Track = silently,
) -> Report:
    """Tables 4 and 6 with the library's figures beside the printed ones.

    Parameters
    ----------
    folder
        Where the data sets are.
    trials
        Trials on each data set.
    seed
        Start of the random numbers.
    names
        The data sets to measure; all if empty.
    track
        Told of the trials, to show how far they are.
    """
    settings = (*(Setting(line.title, line) for line in TABLE_6), *VARIANTS)
    chosen = [setting for setting in settings if not names or setting.line.name in names]
    measured = {
        setting: measure(
            setting.domain(folder), setting.learners(), count=trials, seed=seed, title=setting.title, track=track
        )
        for setting in chosen
    }
    return compare(measured)


def compare(measured: Measurements) -> Report:
    """Measured figures beside the printed ones: first the lines as printed, then the variants."""
    printed = {setting: found for setting, found in measured.items() if setting not in VARIANTS}
    variants = {setting: found for setting, found in measured.items() if setting in VARIANTS}
    tables = [*_tables(printed, ""), *(_tables(variants, ", settled in other ways") if variants else ())]
    count = max(outcome.accuracy.runs.size for found in measured.values() for outcome in found.values())
    full = {setting.title: found["IB3"].full.mean for setting, found in printed.items()}
    return Report(
        "Aha, Kibler & Albert 1991, Instance-based learning algorithms, Tables 4 and 6: "
        "ours ± standard error (printed, difference)",
        tuple(tables),
        notes(tables, trials=count, full=full),
    )


def _tables(measured: Measurements, suffix: str) -> tuple[Comparison, Comparison]:
    """Accuracy and storage."""
    accuracy = {
        setting.title: tuple(
            Figure(found[column].accuracy.mean, printed, found[column].accuracy.standard_error)
            for column, printed in zip(COLUMNS, setting.line.accuracy, strict=True)
        )
        for setting, found in measured.items()
    }
    storage = {
        setting.title: tuple(
            Figure(found[column].storage.mean, printed)
            for column, printed in zip(COLUMNS[1:], setting.line.storage, strict=True)
        )
        for setting, found in measured.items()
    }
    return (
        Comparison(f"accuracy in percent{suffix}", COLUMNS, accuracy, digits=(1, 1), differences=True),
        Comparison(f"storage in percent{suffix}", COLUMNS[1:], storage, digits=(1, 1), differences=True),
    )


def _levels_as_symbols(X: NamedColumns) -> NamedColumns:
    kinds = {name: Nominal() if isinstance(kind, Ordinal) else kind for name, kind in X.kinds.items()}
    return NamedColumns.of(X.data, kinds)
