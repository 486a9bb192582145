"""``priorcase predict`` and ``priorcase explain``."""

from __future__ import annotations

from typing import Any

import click

from priorcase.cli.errors import debug_option
from priorcase.cli.help import GroupedOptions
from priorcase.cli.learner_options import learner_options
from priorcase.cli.request import Request, asked
from priorcase.cli.table_options import table_options

__all__ = ["explain", "predict"]

_JSON = "Print one JSON document; its fields are listed at the end of this help."
_CSV = "Print one line for each new case: line, prediction, P(CLASS) of each class, lower, upper, actual."
_READING = """\
\b
How tables are read:
  CSV and TSV: the first row names the columns. An empty field is a gap, and
  so are ?, NA, NaN and null (or what --missing says). A column is numeric if
  every known field is a finite number, else nominal; --numeric, --nominal
  and --ordinal overrule that. Digits that are names (postcodes, codes) need
  --nominal, ids need --ignore.
  ARFF, Parquet and C4.5 (x.data or x.test beside x.names, where the target
  is called class) say themselves what their columns mean.
  A data set (--train glass) is described where it is kept.
  Gzipped files are unpacked. The task is a regression if the target is
  numeric, unless it is whole numbers of ten or fewer values."""
_PREDICT = """\
\b
Examples:
  priorcase predict --train loans.csv --target repaid --query new.csv
  priorcase predict --train loans.csv --target repaid --query - < new.csv \\
      --csv > answers.csv
  priorcase predict --train cars.csv --target price --query new.csv \\
      --ignore id --ordinal "size=S<M<L" --neighbors loo --vote tricube
  priorcase predict --train loans.csv --target repaid --query new.csv \\
      --learner naive-bayes --prior auto --numeric-as mdl
  priorcase predict --train loans.csv --target repaid --query new.csv \\
      --learner ib3 --shuffle
  priorcase predict --train cars.csv --target price --query new.csv \\
      --learner local --weights relief --level 0.8
  priorcase predict --train loans.csv --target repaid --query new.csv --tune"""
_EXPLAIN = """\
\b
Examples:
  priorcase explain --train loans.csv --target repaid --query new.csv
  head -3 new.csv | priorcase explain --train loans.csv --target repaid \\
      --query - --neighbors 3 --distance hvdm
  priorcase explain --train loans.csv --target repaid --query new.csv \\
      --learner subsets
  priorcase explain --train loans.csv --target repaid --query new.csv \\
      --learner pebls
  priorcase explain --train cars.csv --target price --query new.csv \\
      --learner local --degree 2 --neighbors 50"""
_FIELDS = """\
\b
--json prints one document:
  task         "classify" or "regress"
  target       name of the target column
  cases        number of past cases
  learner      "neighbors", "local", "rbf", "naive-bayes", "subsets",
               "trees", "ib1" to "ib4" or "pebls"
  neighbors    number of precedents asked to speak (neighbors, local,
               pebls); null where each new case has a number of its own
  distance, vote, ties, accept, drop, shuffle, seed, weighting, bins,
  model, degree, level, kernel, bandwidth, centers, centers_by, width,
  alpha, weights
               the options of a learner by distance, those that it takes,
               as chosen where they were to be chosen; seed is null where
               nothing is random, bins for the default, bandwidth where the
               neighbors set it, centers_by where every case is a centre
  kept         number of past cases that were kept (ib1 to ib4)
  acceptable   how many of them have a good record (ib3, ib4)
  attribute_weights
               attribute -> weight (where weights is not "none"); with ib4
               class -> attribute -> weight
  prior        the weight in use, "bdeu", or null (naive-bayes, subsets)
  predictive, numeric_as, gaps, ess
               the options of a learner that counts, those that it takes
  temperature  probabilities are those of the votes to the power of
               1 / temperature, and prior its votes (with --tune only)
  tuning       with --tune only: candidates (how many), scoring (the score
               that chose), score (its own, optimistic), nested_score (on
               past cases that took no part in the choice)
  relevance    attribute -> probability that it matters (subsets only)
  attributes   name -> "numeric", "nominal" or the list of levels
  answers      one for each new case, in the order of the file:
    line           where it stands in the query file
    prediction     a class (text) or a number
    probabilities  class -> probability, likeliest first (classify only)
    interval       where the number lies, with the probability that level
                   says: lower and upper end (local, regress only); nulls
                   where the fit leaves nothing to tell that from
    actual         the target if the query file has it, else null"""
_MORE_FIELDS = """
  with neighbors, local, ib1 to ib4 and pebls also:
    precedents     past cases that vote, nearest first:
      id, line       row from 0, and line in the train file
      target, distance, vote (a share of 1; with local and a number what
                     the target is multiplied by, which may be negative)
      kernel_weight  how much it counts in the fit (local, regress only)
      values         attribute -> value
      contributions  attribute -> what it adds to the distance
      successes, trials, verdict (ib3, ib4)
                     its record: how often it was right, of how often it
                     was tried; "acceptable", "mediocre" or "poor"
      used, correct, weight (pebls)
                     its record, which begins with 1 of 1, and used /
                     correct, by which its distance is multiplied
    unlike         the nearest case of another class, the same without
                   vote; null if there is none (classify only)
    slopes         how the number changes from the new case on (local,
                   regress only, unless the degree is 0): attribute -> per
                   unit or level, "attribute = value" -> with that value in
                   place of its own; null where the fit cannot say
  with naive-bayes and subsets also:
    contributions  what speaks for the prediction:
      versus         the class it is held against, the likeliest other one
      log_odds       ln P(prediction) - ln P(versus), the sum of prior, which
                     is what the classes alone add, and contributions
      values         attribute -> value of the new case
      contributions  attribute -> what it adds to the log-odds; null where
                     a probability of zero rules a class out"""
_GAPS = "\nGaps and infinite numbers are null; NaN never occurs."


@click.command(
    cls=GroupedOptions,
    short_help="Answer new cases from past ones.",
    epilog="\n\n".join([_PREDICT, _READING, _FIELDS + _GAPS]),
)
@table_options
@learner_options
@click.option("--json", "as_json", is_flag=True, help=_JSON)
@click.option("--csv", "as_csv", is_flag=True, help=_CSV)
@debug_option
def predict(as_json: bool, as_csv: bool, **options: Any) -> None:
    """Answer new cases from past ones, with probabilities."""
    if as_json and as_csv:
        raise click.UsageError("--json does not go with --csv.", click.get_current_context())
    _ask(asked(options, explained=False), as_json=as_json, as_csv=as_csv)


@click.command(
    cls=GroupedOptions,
    short_help="Answer and show what speaks for it.",
    epilog="\n\n".join([_EXPLAIN, _READING, _FIELDS + _MORE_FIELDS + _GAPS]),
)
@table_options
@learner_options
@click.option("--json", "as_json", is_flag=True, help=_JSON)
@debug_option
def explain(as_json: bool, **options: Any) -> None:
    """Answer new cases and show what speaks for each answer.

    For each new case, with --learner neighbors, local, ib1 to ib4 or pebls: the past cases that vote, what each
    attribute adds to their distance, the nearest case of another class, and records where cases have some; with local
    and a number also its interval and slopes. With naive-bayes and subsets: what each attribute adds to the log-odds of
    the predicted class against the next.
    """
    _ask(asked(options, explained=True), as_json=as_json)


def _ask(request: Request, *, as_json: bool, as_csv: bool = False) -> None:
    # Loaded here, not above: --help must not wait for NumPy and scikit-learn.
    from priorcase.cli import answer_lines, answers, documents, fitting, notices, screens, tables

    problem = tables.load(request)
    fitted = fitting.fit(problem, request)
    screens.print_notes(problem.notes)
    noted = notices.Notices()
    found = answers.answers(problem, fitted, noted, explained=request.explained)
    if as_json:
        click.echo(documents.document(request, problem, fitted, found))
    elif as_csv:
        for line in answer_lines.answer_lines(problem, fitted, found):
            click.echo(line)
    else:
        show = screens.print_explanations if request.explained else screens.print_answers
        show(screens.QuietConsole(highlight=False), request, problem, fitted, found)
    screens.print_notes(noted.texts())
