"""Measure every Bayesian classifier on every data set, and print the tables."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks import machine  # noqa: F401 - before NumPy: it sets the number of threads
from benchmarks.models import few_rows, one_column
from benchmarks.models.contenders import CONTENDERS, EVIDENCE, MANY_ROWS, PLUG_IN
from benchmarks.models.grids import Grid, by_model
from benchmarks.models.measuring import cross_validated
from benchmarks.models.problems import BUILT_IN, NAMES, load
from papers.reproduction import aloud


@dataclass(frozen=True)
class Effort:
    """Folds and runs of cross-validation, and draws of a tenth of the rows (``draws_of_many``: large sets)."""

    folds: int = 10
    runs: int = 3
    draws: int = 50
    draws_of_many: int = 20


FULL, QUICK = Effort(), Effort(folds=3, runs=1, draws=4, draws_of_many=2)


def main() -> int:
    """Measure, print the tables and return 0; a missing data set raises an error."""
    options = _options()
    effort = QUICK if options.quick else FULL
    grids = measure(options.only or NAMES, options.data, effort)
    print("\n\n".join([*(grid.plain() for grid in grids), *notes(effort)]))
    if options.markdown:
        notes_list = "\n".join(f"- {note}" for note in notes(effort))
        options.markdown.write_text(
            "\n\n".join([*(grid.markdown() for grid in grids), notes_list]) + "\n", encoding="utf-8"
        )
    return 0


def measure(names: list[str] | tuple[str, ...], folder: Path | None, effort: Effort) -> list[Grid]:
    """Return all tables: scores, non-normal columns, evidence from few rows, and data sets on which evidence loses."""
    scores, tenths, causes, cut = {}, {}, [], {}
    for name in names:
        problem = load(name, folder)
        many = len(problem.y) >= MANY_ROWS
        runs, draws = (1 if many else effort.runs), (effort.draws_of_many if many else effort.draws)
        scores[name] = cross_validated(problem, CONTENDERS, runs=runs, folds=effort.folds, track=aloud)
        cut[name] = one_column.measure(problem, runs=runs, folds=effort.folds, track=aloud)
        tenths[name] = few_rows.measure(problem, draws, aloud)
        if few_rows.Gain.of(tenths[name], EVIDENCE, PLUG_IN).mean <= 0:
            causes.append(few_rows.explain(problem, draws, aloud))
    return [
        by_model("Log-score: mean ln p of the true class", scores, lambda score: score.log),
        by_model("Accuracy in percent", scores, lambda score: 100 * score.zero_one, "{:.1f}".format),
        one_column.grid(scores, cut),
        *few_rows.grids(tenths),
        *causes,
    ]


def notes(effort: Effort) -> list[str]:
    """Return notes on how the tables were measured."""
    return [
        f"The first three tables are from cross-validation with {effort.folds} random folds, the same for all models. "
        f"There are {effort.runs} runs, or one run for data sets of {MANY_ROWS:,} rows or more. Scores are means over "
        "all rows. Everything is learned within the training folds: cut points, weights, numbers of components, "
        "imputed values.",
        f"MixtureModel() has random_state=0, and n_init=1 for data sets of {MANY_ROWS:,} rows or more.",
        "scikit-learn: missing values are imputed by the median or the most frequent value. GaussianNB gets one-hot "
        "columns and the ranks of ordinal levels. CategoricalNB gets ordinal codes, and its numeric columns are put "
        "into five equal-frequency bins (KBinsDiscretizer). Its encoder is given the categories of the whole table, so "
        "no category is unknown.",
        f"In the other tables, models are trained on floor(n / 10) rows and tested on the other rows, {effort.draws} "
        f"times ({effort.draws_of_many} times for data sets of {MANY_ROWS:,} rows or more). All models are given "
        "the full set of classes, including those absent from the training rows. "
        "'p(true class) = 0' is the share of test rows whose true class gets probability 0 from the plug-in model "
        'with the default zero_policy="-inf", followed by the number of draws with such a row. The log-score of these '
        "draws would be -inf; the plug-in columns count 100 nats for each such row instead. The capped columns count "
        "at most 100 nats for every row, so that values far in the tails of the normal density or Student's t do not "
        "dominate. The tables of binned numbers and of shuffled columns are capped too. Gains are shown with their "
        "standard error over the draws. 'Better in' is the number of draws in which evidence (or the model of the "
        "line) has a better log-score than the plug-in model. The accuracies of plug-in and evidence are separated by "
        "a slash.",
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.models", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few folds and draws: a smoke test")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the tables to FILE as Markdown")
    names = ", ".join([*NAMES, BUILT_IN])
    parser.add_argument(
        "--only", action="append", choices=[*NAMES, BUILT_IN], metavar="NAME", help=f"a data set, one of {names}"
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("PRIORCASE_DATA"), help="folder of the data sets")
    options = parser.parse_args()
    if options.data is None and options.only != [BUILT_IN]:
        parser.error(f"set the folder of data sets with --data or PRIORCASE_DATA; --only {BUILT_IN} needs no folder")
    return options


if __name__ == "__main__":
    sys.exit(main())
