"""Aha, Kibler & Albert 1991: the trials, the library's learners beside slow ones, and the printed figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from paper_pages import is_documented
from reference.concepts import Description

from papers import Options
from papers import aha1991 as tables
from papers.aha1991 import CLEVELAND, LED, LINES, POINTS, TUMOR, VARIANTS, Line, judged, measure, trials
from papers.reproduction import Part
from priorcase.datasets import NamedColumns, load
from priorcase.schema import Nominal, Numeric, Ordinal

RULES = {"IB1": "every", "IB2": "misclassified", "IB3": "significance"}


class Slow:
    """A slow description as a learner."""

    def __init__(self, rule: str, ties: str, seed: int) -> None:
        self.rule, self.ties, self.seed = rule, ties, seed
        self.storage_, self.stored_ = math.nan, 0

    def fit(self, X: Any, y: Any) -> Slow:
        kinds = list(X.kinds.values()) if isinstance(X, NamedColumns) else [_array_kind(X)] * X.shape[1]
        self.orders = [kind.order if isinstance(kind, Ordinal) else None for kind in kinds]
        words = ["numeric" if isinstance(kind, Numeric) else "nominal" for kind in kinds]
        self.description = Description(
            [word if order is None else len(order) for word, order in zip(words, self.orders, strict=True)],
            rule=self.rule,
            ties=self.ties,
            seed=self.seed,
        ).learn_all(self._rows(X), np.asarray(y).tolist())
        self.stored_ = len(self.description.stored)
        self.storage_ = len(self.description.candidates()) / len(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.array([self.description.predict(row) for row in self._rows(X)], dtype=object)

    def _rows(self, X: Any) -> list[list[Any]]:
        rows = X.tuples() if isinstance(X, NamedColumns) else X.tolist()
        return [
            [order.index(v) if order and v is not None else v for v, order in zip(row, self.orders, strict=True)]
            for row in rows
        ]


def _array_kind(X: Any) -> Numeric | Nominal:
    return Numeric() if X.dtype == float else Nominal()


def slow(ties: str) -> dict[str, Callable[[int], Slow]]:
    def maker(rule: str) -> Callable[[int], Slow]:
        return lambda seed: Slow(rule, ties, seed)

    return {name: maker(rule) for name, rule in RULES.items()}


def figures(outcomes: dict[str, Any]) -> dict[str, list[list[float]]]:
    return {name: found.tolist() for name, found in outcomes.items()}


# Trials ---------------------------------------------------------------------------------------------------------------


def test_a_partition_deals_out_every_row_once() -> None:
    X, y = load("repairs", frame=None)
    line = replace(LED, name="repairs", train=70)
    for trial in trials(line, (X, y), 3):
        rows = list(zip(trial.X.tuples() + trial.X_test.tuples(), [*trial.y, *trial.y_test], strict=True))
        assert (len(trial.y), len(trial.y_test)) == (70, 26)
        assert sorted(map(str, rows)) == sorted(map(str, zip(X.tuples(), y, strict=True)))
    orders = [trial.X["age_years"].tolist() for trial in trials(line, (X, y), 2)]
    assert str(orders[0]) != str(orders[1])


def test_generated_rows_are_new_in_every_trial() -> None:
    first, second = trials(LED, None, 2)
    assert (first.X.shape, first.X_test.shape) == ((200, 7), (500, 7))
    assert (first.X != second.X).any()
    assert (first.X_test[:200] != first.X).any()
    assert first.random_state != second.random_state


def test_figures_are_the_same_every_time_and_in_any_company() -> None:
    line, third = replace(LED, train=30, test=20), {"IB3": slow("majority")["IB3"]}
    alone = measure((line, None), third, count=2, random_state=1)
    assert figures(alone)["IB3"] == figures(measure((line, None), slow("majority"), count=2, random_state=1))["IB3"]
    assert figures(alone) != figures(measure((line, None), third, count=2, random_state=2))


# Learners -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", ["majority", "first"])
@pytest.mark.parametrize(
    ("line", "rows"),
    [
        (replace(LED, train=80, test=40), None),
        (replace(LINES[3], train=50, test=20), None),
        (replace(LED, name="repairs", train=76), load("repairs", frame=None)),
    ],
    ids=["led", "waveform", "repairs"],
)
def test_the_librarys_learners_are_the_papers(line: Line, rows: Any, ties: Any) -> None:
    ours = replace(line, ties=ties).learners()
    assert figures(measure((line, rows), ours, count=3)) == figures(measure((line, rows), slow(ties), count=3))


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.name)
def test_they_agree_on_the_papers_own_rows(data_dir: Path, line: Line) -> None:
    rows = line.rows(data_dir)
    if rows is None:
        trial = next(trials(line, None, 1))
        assert (len(trial.y), len(trial.y_test)) == (line.train, line.test)
        return
    few, line = (rows[0].take(slice(0, 120)), rows[1][:120]), replace(line, train=90)
    ours, expected = (measure((line, few), makers, count=1) for makers in (line.learners(), slow("majority")))
    assert figures(ours) == figures(expected)


def test_levels_may_be_symbols_and_numbers_left_as_they_are(data_dir: Path) -> None:
    symbols, plain = (replace(CLEVELAND, levels=levels).rows(data_dir) for levels in ("symbols", "ranks"))
    assert symbols[0].kinds["slope"] == Nominal()
    assert isinstance(plain[0].kinds["slope"], Ordinal)
    wide = replace(CLEVELAND, normalized=False).learners()["IB1"](0)
    trial = next(trials(CLEVELAND, symbols, 1))
    assert (wide.fit(trial.X, trial.y).predict(trial.X_test) == trial.y_test).mean() < 0.7


# Printed tables -------------------------------------------------------------------------------------------------------


def test_the_data_sets_are_of_the_printed_sizes(data_dir: Path) -> None:
    for line in LINES:
        if line.name not in tables.GENERATORS:
            X, y = load(line.name, folder=data_dir, frame=None)
            assert len(y) == line.train + line.test
            assert len(X.names) == line.attributes
            # The documentation of Tumor lists 22 classes, one of which has no row.
            assert len(set(y)) == (21 if line.name == "primary-tumor" else line.classes)


def test_the_text_of_the_paper_holds_for_its_table() -> None:
    """Caption of Table 6: IB3 recorded higher accuracies and lower storage than IB2."""
    for line in LINES:
        assert line.accuracy[2] > line.accuracy[1]
        assert line.storage[1] < line.storage[0]
        assert line.accuracy[1] < line.accuracy[0]


def printed(line: Line, off: float = 0.0) -> dict[str, Any]:
    """The printed figures of a line measured twice, IB2's off by some points."""
    found = {}
    for i, name in enumerate(tables.NAMES):
        shift = off if name == "IB2" else 0.0
        accuracy = np.array([-0.5, 0.5]) + line.accuracy[i] + shift
        storage = np.array([100.0 if i == 0 else line.storage[i - 1] + 2 * shift] * 2)
        found[name] = np.array([accuracy, storage, storage + 1])
    tree = np.array([-0.5, 0.5]) + line.tree - 1.0
    found[tables.C4] = np.array([tree, [np.nan] * 2, [np.nan] * 2])
    return found


def test_reports_print_ours_beside_theirs() -> None:
    report = tables.compare({LINES[0]: printed(LINES[0], off=-0.4)})
    assert str(report).splitlines()[:7] == [
        "accuracy in percent",
        "                              IB1                      IB2                      IB3  "
        "C4 (stand-in: pruned tree of scikit-learn)",
        "  Voting  91.8 ± 0.5 (91.8, +0.0)  90.5 ± 0.5 (90.9, -0.4)  91.6 ± 0.5 (91.6, +0.0)  "
        "                   94.5 ± 0.5 (95.5, -1.0)",
        "",
        "storage in percent",
        "                        IB2              IB3",
        "  Voting  10.3 (11.1, -0.8)  7.4 (7.4, +0.0)",
    ]
    assert "the storage of IB3 is: Voting 8.4%." in report.notes[1]
    assert "means over 2 trials." in report.notes[0]
    assert report.tables[0]["Voting", tables.C4].theirs == 95.5
    assert "classification ← correct" in report.notes[-2]


def test_reports_say_which_figures_do_not_agree() -> None:
    lines = {line: printed(line) for line in LINES}
    should = "27 results that can be expected to agree with the published results"
    bars = "are within 2 percentage points (accuracies) or 4 percentage points (storage) of them."
    assert tables.compare(lines).notes[-1] == f"All {should} {bars}"
    variants = {line: printed(line, off=9.0) for line in VARIANTS}
    assert tables.compare({**lines, **variants}).notes[-1] == f"All {should} {bars}"
    lines[LINES[0]] = printed(LINES[0], off=-2.5)
    assert tables.compare(lines).notes[-1] == (
        f"25 of the {should} {bars} The other results: "
        "accuracy of IB2 on Voting: 88.4 ± 0.5 (90.9, -2.5); storage of IB2 on Voting: 6.1 (11.1, -5.0)."
    )


def test_reports_say_what_symbols_would_do() -> None:
    lines, symbols = {TUMOR: printed(TUMOR)}, VARIANTS[1]
    assert tables.compare({**lines, symbols: printed(TUMOR)}).notes[4].endswith("that the paper used ranks.")
    assert (
        tables.compare({**lines, symbols: printed(TUMOR, off=3.0)})
        .notes[4]
        .endswith(
            " If levels are treated as symbols, these results are outside the limits given in the last note: "
            "accuracy of IB2 on Tumor, levels as symbols: 35.9 ± 0.5 (32.9, +3.0); "
            "storage of IB2 on Tumor, levels as symbols: 77.3 (71.3, +6.0)."
        )
    )


# Figures --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def report(data_dir: Path) -> Part:
    """All 50 trials of everything, as the command prints it."""
    return tables.table_6(Options(data=data_dir, jobs=2))


def assert_agreement(cells: list[tables.Cell]) -> None:
    """Within 2 points of accuracy and 4 of storage, in every cell but those that the notes give a reason for."""
    for about, row, column, figure in cells:
        assert abs(figure.difference) <= POINTS[about], f"{row} {column} {about}"


def test_a_line_is_reproduced_as_it_is_documented(data_dir: Path) -> None:
    found = tables.compare(tables.measured((CLEVELAND,), Options(data=data_dir))).tables
    assert_agreement(judged(found))
    assert all(is_documented(table, "Cleveland") for table in found)


@pytest.mark.slow
def test_what_can_be_reproduced_is_reproduced(report: Part) -> None:
    figures = judged(report.tables[:2])
    assert len(figures) == 27
    assert_agreement(figures)


@pytest.mark.slow
def test_what_cannot_be_reproduced_is_out_of_reach(report: Part) -> None:
    """The reasons that the notes give."""
    accuracy, storage, other, _ = report.tables
    # The paper's similarity gives Hungarian IB1 and IB2 far more than print; the raw numbers fail IB3.
    for column in ("IB1", "IB2"):
        assert accuracy["Hungarian", column].difference > 10
        raw = other["Hungarian, numbers not normalized", column]
        assert abs(raw.difference) < accuracy["Hungarian", column].difference / 2
    assert other["Hungarian, numbers not normalized", "IB3"].difference < -15
    # LED needs the vote; with two-sided bounds IB3 accepts too little.
    assert other["LED Display, first tied instance", "IB1"].difference < -4
    for row in ("LED Display", "Tumor"):
        assert other[f"{row}, two-sided 90%", "IB3"].difference < -4
    # Tumor's IB1 votes itself above print where levels are symbols; the first of the tied stays.
    assert other["Tumor, levels as symbols", "IB1"].difference > 2
    assert abs(other["Tumor, first tied instance and levels as symbols", "IB1"].difference) < 2
    assert storage["Hungarian", "IB2"].difference < -4


@pytest.mark.slow
def test_the_papers_claims_hold_in_ours(report: Part) -> None:
    accuracy, storage, *_ = report.tables
    for row in accuracy.rows:
        assert accuracy[row, "IB3"].ours > accuracy[row, "IB2"].ours
        assert storage[row, "IB3"].ours < storage[row, "IB2"].ours


@pytest.mark.slow
def test_the_documented_figures_are_those_that_are_measured(report: Part) -> None:
    for table in report.tables:
        for row in table.rows:
            assert is_documented(table, row)


def test_two_learners_alone_do_what_they_do_beside_the_third(data_dir: Path) -> None:
    """Table 4 is measured without IB3, on the same trials."""
    options = Options(data=data_dir, trials=2)
    accuracy, storage = tables.table_4(options).tables
    beside = tables.compare(tables.measured(LINES, options)).tables
    assert accuracy.columns == ("IB1", "IB2")
    for row in accuracy.rows:
        for column in accuracy.columns:
            assert accuracy[row, column] == beside[0][row, column]
        assert storage[row, "IB2"] == beside[1][row, "IB2"]


def test_figures_are_the_same_for_any_number_of_jobs(data_dir: Path) -> None:
    with parallel_config(backend="threading"):
        one, two = (tables.table_4(Options(data=data_dir, trials=2, jobs=jobs)) for jobs in (1, 2))
    assert one.numbers() == two.numbers()
    other = tables.table_4(Options(data=data_dir, trials=2, random_state=1))
    assert other.numbers() != one.numbers()


def test_the_data_sets_are_counted(data_dir: Path) -> None:
    (table,) = tables.table_3(Options(data=data_dir)).tables
    off = {(row, c) for row in table.rows for c in table.columns if table[row, c].difference}
    assert off == {("Tumor", "classes")}
    assert table["Tumor", "classes"].text(0, 0) == "21 (22)"
    assert "22 classes" in table.remarks["Tumor"]
