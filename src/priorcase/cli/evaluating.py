"""``priorcase evaluate``: learners compared on one table, by rows that they have not seen."""

from __future__ import annotations

from typing import Any

import click

from priorcase.cli.contestants import check_texts
from priorcase.cli.errors import debug_option
from priorcase.cli.evaluate_options import evaluate_options
from priorcase.cli.help import GroupedArgument, GroupedOptions
from priorcase.cli.table_options import TABLE

__all__ = ["evaluate"]

INTERRUPTED = 130
NOTHING = 1
"""The exit code where no learner could be measured."""
_FORMS = ("json", "markdown", "csv")
_EPILOG = """\
\b
Examples:
  priorcase evaluate loans.csv --target repaid
  priorcase evaluate loans.csv --target repaid --splits loo --paired \\
      --learner neighbors:neighbors=3,neighbors:neighbors=15,subsets
  priorcase evaluate cars.arff --target price --repeats 10 --jobs 2 \\
      --learner guess,neighbors,local --score rmse
  priorcase evaluate stream.csv --splits prequential=50 --learner ib1,ib3
  priorcase evaluate loans.csv --target repaid --curve learning \\
      --points 10,30,100,300 --plot curve.png
  priorcase evaluate - --target repaid --csv < loans.csv > scores.csv
\b
How it is measured:
  All learners see the same splits. A mean comes with its standard error
  (over folds that of Nadeau & Bengio 2003, over single cases s / sqrt(n)),
  the mean rank over the splits, and a star for the best. A learner that
  fails is listed with its reason. Options such as --neighbors go to each
  learner that takes them; those behind a learner's name to it alone. Ctrl-C
  prints what is finished.
\b
Exit codes: 0 success, 1 no learner could be measured, 2 wrong usage or bad
input, 130 interrupted, 141 the reader of the output went away.
\b
--json prints one document:
  table, target, task, cases, protocol, repeats, seed
  complete     false after Ctrl-C
  scores       name -> "greater" or "less", whichever is better
  learners     one for each:
    name         as it was asked for
    learner, options
                 who that is, and all options in use
    scores       name -> mean, standard_error, rank (not with --curve)
    fit_seconds, predict_seconds
                 the mean over the splits
    failure      why there is nothing, or null
    reasons      score -> why it is missing
  values       one for each learner, split and score: the columns of --csv
  paired       with --paired: first, second, difference, low, high, p_value,
               corrected (for the number of pairs, Holm 1979)
  Numbers that are not finite are null; --csv says -inf."""


@click.command(cls=GroupedOptions, epilog=_EPILOG, short_help="Compare learners on a table.")
@click.argument(
    "table",
    cls=GroupedArgument,
    group="Tables",
    text="The table; - is standard input; or a data set's name.",
    type=TABLE,
)
@evaluate_options
@debug_option
@click.pass_context
def evaluate(ctx: click.Context, /, table: str, **options: Any) -> None:
    """Compare learners on TABLE: how well each answers cases that it has not seen.

    Means, standard errors and ranks over folds, single cases left out, random parts or a stream; or curves against the
    number of past cases or against noise.
    """
    forms = [name for name in _FORMS if options.pop(name)]
    if len(forms) > 1:
        raise click.UsageError(f"--{forms[0]} does not go with --{forms[1]}.", ctx)
    _check(ctx, options)
    check_texts(options["learner"])
    # Loaded here, not above: --help must not wait for NumPy and scikit-learn.
    from priorcase.cli import findings, screens
    from priorcase.cli.measuring import measured, past_cases

    if options["plot"] is not None:
        findings.check_plots()
    past = past_cases(table, options)
    screens.print_notes(past.notes)
    found = measured(past, options)
    screens.print_notes(found.notes)
    click.echo(findings.text(found, forms[0] if forms else "text", paired=options["paired"]))
    if options["plot"] is not None:
        findings.draw(found, options["plot"])
    if not found.result.complete:
        click.echo("priorcase: interrupted", err=True)
        ctx.exit(INTERRUPTED)
    if found.nothing:
        click.echo("priorcase: error: no learner could be measured; the reasons stand above.", err=True)
        ctx.exit(NOTHING)


def _check(ctx: click.Context, options: dict[str, Any]) -> None:
    """What does not go together."""
    curve, splits = options["curve"], options["splits"]
    if curve is not None:
        for option in ("splits", "paired"):
            if options[option]:
                raise click.UsageError(f"--{option} has no effect with --curve {curve}.", ctx)
        return
    for option in ("points", "test"):
        if options[option] is not None:
            raise click.UsageError(f"--{option} has no effect without --curve.", ctx)
    if options["repeats"] is not None and splits is not None and splits[0] in ("loo", "prequential"):
        problem = f"--repeats has no effect with --splits {splits[0]}, which leaves nothing to chance."
        raise click.UsageError(problem, ctx)
