"""Measures every Bayes model on every data set, and prints the tables."""

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
    """How much to measure: runs of cross-validation, and draws of a tenth, for few rows and for many."""

    folds: int = 10
    runs: int = 3
    draws: int = 50
    draws_of_many: int = 20


FULL, QUICK = Effort(), Effort(folds=3, runs=1, draws=4, draws_of_many=2)


def main() -> int:
    """Exit status 0; a missing data set is an error."""
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
    """All tables: scores of the models, numbers that are not normal, evidence from few rows, and why it loses there."""
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
        by_model("log-score, mean ln p of the truth", scores, lambda score: score.log),
        by_model("0/1-score, right answers in percent", scores, lambda score: 100 * score.zero_one, "{:.1f}".format),
        one_column.grid(scores, cut),
        *few_rows.grids(tenths),
        *causes,
    ]


def notes(effort: Effort) -> list[str]:
    """What there is to know about the tables."""
    return [
        f"Cross-validation with {effort.folds} random folds, the same for all models: {effort.runs} runs, but one from "
        f"{MANY_ROWS:,} rows on. A score is the mean over all rows. Everything is learned within the fold: cut points, "
        "weights, numbers of components, fillings of gaps.",
        f"MixtureModel() has random_state=0, and n_init=1 from {MANY_ROWS:,} rows on.",
        "scikit-learn: gaps filled by medians and most frequent values. GaussianNB on one-hot values and ranks of "
        "levels; CategoricalNB on ordinal codes, with numbers in five bins of equally many rows (KBinsDiscretizer) and "
        "the values that occur in the whole table declared.",
        f"A tenth: floor(n / 10) rows to learn from, the others to be tested on, {effort.draws} times "
        f"({effort.draws_of_many} from {MANY_ROWS:,} rows on). All models are told of all classes. 'Truth impossible' "
        "is the part of the rows to which the plug-in gives probability 0 when zeros stay zeros, and the number of "
        "draws with such a row, whose mean ln p is -inf; its log-scores here count 100 nats for each such row. Capped: "
        "at most 100 nats for every row, which spares both models what the normal density and Student's t make of "
        "numbers far away; bins and explanations are capped too. Gains have the standard error over the draws; 0/1 is "
        "plug-in / evidence.",
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.models", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few folds and draws: does it run?")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the tables to FILE as Markdown")
    names = ", ".join([*NAMES, BUILT_IN])
    parser.add_argument(
        "--only", action="append", choices=[*NAMES, BUILT_IN], metavar="NAME", help=f"a data set, one of {names}"
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("PRIORCASE_DATA"), help="folder of the data sets")
    options = parser.parse_args()
    if options.data is None and options.only != [BUILT_IN]:
        parser.error(
            f"the data sets are in the folder that --data or PRIORCASE_DATA names; --only {BUILT_IN} needs none"
        )
    return options


if __name__ == "__main__":
    sys.exit(main())
