"""``priorcase cases ask``."""

from __future__ import annotations

import sys
from typing import Any

import click

from priorcase.cli.cases.arguments import file_argument, json_option, pairs_argument, where_option
from priorcase.cli.errors import debug_option
from priorcase.cli.help import Function, GroupedOptions, option, together
from priorcase.cli.parsing import number, whole
from priorcase.cli.words import Choice

__all__ = ["command"]

METHODS = ("auto", "copy", "null", "vote", "mean", "local", "compose")
_EPILOG = """\
\b
Examples:
  priorcase cases ask desk.cases
  priorcase cases ask desk.cases area=printer
  priorcase cases ask desk.cases "message=VPN asks for six digits" place=home \\
      --no-questions --explain
  priorcase cases ask cars.cases make=Audi year=2019 --method local --json
\b
The conversation, on a terminal: the question that tells most about the
solution comes first, and so on until one solution is clear. Answer by number
or in words; Enter skips a question, ? says why it is asked, back takes the
last answer back, NAME=VALUE tells something else, quit ends the questions.
So does Ctrl-D: what is known then is the answer. Ctrl-C leaves without one.
With --json, --method or --diversity nothing is asked.
\b
--json prints one document:
  query        what was given, attribute -> value
  solution, method, how, confidence, interval (of a number), notes
  candidates   solutions: solution, probability, support, against, cases
  cases        the similar ones: id, key, values, solution, outcome, ...,
               similarity, and shares: attribute -> its part of it"""


def _ask_options(function: Function) -> Function:
    sure = "A solution is clear when it is this probable."
    off = "How far a number may be off, in questions.  [default: a twentieth of the range of the solutions]"
    return together(
        function,
        option("Answering", "--weights", "NAME=W", "How much an attribute counts. Repeatable.", multiple=True),
        option("Answering", "-k", "N", "How many similar cases.", default="5", callback=whole(1, 10**6)),
        option("Answering", "--method", "NAME", f"{', '.join(METHODS[:-1])} or {METHODS[-1]}.", type=Choice(METHODS)),
        option(
            "Answering",
            "--diversity",
            "D",
            "From 0 to 1: how much the cases shall differ from each other.",
            callback=number,
        ),
        option("Questions", "--no-questions", None, "Answer at once from what is given.", is_flag=True),
        option("Questions", "--confidence", "P", sure, default="0.8", callback=number),
        option("Questions", "--tolerance", "T", off, callback=number),
        option("Output", "--explain", None, "Say what each attribute adds, and what was asked.", is_flag=True),
    )


@click.command("ask", cls=GroupedOptions, short_help="Ask for a solution, question by question.", epilog=_EPILOG)
@file_argument
@pairs_argument("What is known of the new case.")
@where_option
@_ask_options
@json_option
@debug_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    file: str,
    pairs: tuple[str, ...],
    no_questions: bool,
    explain: bool,
    as_json: bool,
    **more: Any,
) -> None:
    """Propose a solution for a new case from similar cases of FILE.

    On a terminal it asks for what tells most; elsewhere it answers from the values that are given.
    """
    at_once = no_questions or as_json or more["method"] is not None or more["diversity"] is not None
    converses = not at_once and sys.stdin.isatty() and sys.stdout.isatty()
    # Loaded here, not above: --help must not wait for NumPy.
    from priorcase.cli.cases import answering
    from priorcase.cli.cases.opening import reading
    from priorcase.cli.cases.values import conditions, values, weights

    with reading(file) as base:
        query = values(base, pairs)
        if not converses and all(value is None for value in query.values()):
            names = ", ".join(base.attributes) or "no attributes yet"
            problem = f"nothing is known of the new case; give NAME=VALUE. {base.path} has {names}."
            raise click.UsageError(problem, ctx)
        chosen: dict[str, Any] = {"weights": weights(base, more["weights"]), "where": conditions(base, more["where"])}
        if converses:
            settings: dict[str, Any] = {name: more[name] for name in ("k", "confidence", "tolerance")}
            answering.converse(base, query, **chosen, **settings, explain=explain)
        else:
            method, diversity = more["method"] or "auto", more["diversity"] or 0.0
            answering.answer(base, query, more["k"], method, diversity, **chosen, explain=explain, as_json=as_json)
