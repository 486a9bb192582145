"""``priorcase evaluate``: compare learners on held-out cases of a table."""

from __future__ import annotations

import inspect
import io
import math
import os
import re
import shutil
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from priorcase.cli.learners import NAMES, make, parameters
from priorcase.cli.shell import (
    BadInputError,
    Command,
    Names,
    Output,
    csv_text,
    jobs_option,
    lines_of,
    note,
    option,
    output_options,
    random_state_option,
    usage,
)
from priorcase.cli.tables import (
    note_uninformative,
    parse_reading,
    read_past,
    say_how,
    table_argument,
    table_options,
)
from priorcase.exceptions import FarQueryWarning, LocalConvergenceWarning, UninformativeColumnWarning
from priorcase.registry import BASELINE, LEARNERS, find

if TYPE_CHECKING:
    from priorcase.datasets.past import Past

_PICTURES = ("png", "pdf", "svg")
_USUAL = {
    "classify": (BASELINE, "stacked", "knn", "naive_bayes", "subset_averaged_bayes", "tree_averaged_bayes", "ib3"),
    "regress": (BASELINE, "stacked", "knn", "locally_weighted", "rbf_network"),
}
_SPLITS = re.compile(r"(?:(\d+)x)?(?:(\d+)|(loo|prequential|holdout)(?:=(\d+|0?\.\d+))?)")
_CURVES = Names(("learning", "noise", "class-noise"))
_TEST, _CURVE_REPEATS, _MOST_REPEATS = 0.3, 20, 100_000
_SLOW, _MANY = "stacked", 10_000  # takes minutes per split of more cases, and is then measured only if named
_TESTED = 3  # number of learners whose differences are shown
_EXAMPLES = """\
priorcase evaluate loans.csv --target repaid
priorcase evaluate loans.csv --target repaid --splits loo --score log_score \\
    --learner knn:n_neighbors=3,knn:n_neighbors=15
priorcase evaluate loans.csv --target repaid --splits 5x10 --out scores.csv
priorcase evaluate loans.csv --curve learning=10,30,100 --out curve.png"""


_MEANINGS = {
    "log_score": "mean log-probability of the true class, 0 is best",
    "brier": "squared error of probabilities, 0 is best",
}


class Contestant(NamedTuple):
    """A learner to compare, with its label and its parameters."""

    label: str
    name: str
    parameters: dict[str, Any]


@click.command(cls=Command, examples=_EXAMPLES, epilog=NAMES, short_help="Compare learners on a table.")
@table_argument()
@table_options
@option("--learner", "NAME,...", "Learners to compare, or 'all' for every learner.", multiple=True)
@option("--set", "NAME=VALUE", "Set a parameter of each learner that has it. Repeatable.", multiple=True)
@option("--splits", "HOW", "Folds (10 or 5x10), loo, holdout=0.7 or prequential=20.")
@option("--score", "NAME,...", "Scores: accuracy, log_score, brier, rmse, mae, r2, ...", multiple=True)
@option("--curve", "KIND", "Curve: learning, noise or class-noise, as in noise=0,0.2.")
@random_state_option
@jobs_option
@output_options("txt", "md", "csv", "json", *_PICTURES, text="Write the results to a file")
@click.pass_context
def evaluate(ctx: click.Context, /, output: Output, **given: Any) -> None:
    """Compare learners on held-out cases of TABLE."""
    texts, scores = _split_commas(given["learner"]), _split_commas(given["score"])
    shared, reading = parameters(given["set"]), parse_reading(given["column"], given["read"], given["table"])
    for text in texts:
        _contestant(text)  # raise errors before the table is read
    curve = None if given["curve"] is None else _parse_curve(given["curve"])
    splits, repeats = _parse_splits(given["splits"], curve=curve is not None)
    if (output.out or "").endswith(_PICTURES):
        _check_pictures()
    from priorcase.datasets.past import without_uninformative

    past = without_uninformative(read_past(given["table"], given["target"], reading))
    if len(past.y) < 2:
        raise BadInputError(f"{past.source} has one case; expected two or more. Add cases, or use 'priorcase predict'.")
    if not texts:
        texts = [name for name in _USUAL[past.task] if name != _SLOW or len(past.y) <= _MANY]
        if _SLOW not in texts:
            note(f"{_SLOW} is slow with more than {_MANY:,} cases and is skipped; to include it: --learner {_SLOW}")
    contestants = _contestants(texts, shared, past.task)
    learners = {one.label: make(find(one.name), past, one.parameters, seed=None) for one in contestants}
    common = {"scores": scores or None, "random_state": given["random_state"], "n_jobs": given["jobs"]}
    with _quiet(in_processes=given["jobs"] not in (None, 1)):
        result = _measured(learners, past, splits, repeats, curve, **common)
    say_how(past.about)
    note_uninformative(past)
    forms: dict[str, Any] = {
        "txt": lambda: _text(result),
        "json": lambda: _document(result, past, contestants, given["random_state"]),
        "csv": lambda: csv_text(_values(result)),
        "md": lambda: "\n\n".join(part.markdown() for part in (result, *_tests(result))) + "\n",
    }
    forms |= {ending: lambda ending=ending: _picture(result, ending) for ending in _PICTURES}
    output.deliver(forms, shown=True)
    if not result.complete:
        click.echo("priorcase: interrupted", err=True)
        ctx.exit(130)
    if all(math.isnan(line["value"]) for line in _values(result)):
        click.echo("priorcase: error: no learner could be evaluated; the reasons are listed above.", err=True)
        ctx.exit(1)


# -- arguments


def _split_commas(texts: Sequence[str]) -> list[str]:
    """Split the values of a repeated option at commas, but not at commas within brackets.

    >>> _split_commas(["knn:attribute_weights=[1, 2],aode", "ib1"])
    ['knn:attribute_weights=[1, 2]', 'aode', 'ib1']
    """
    return [part.strip() for text in texts for part in re.split(r",(?![^\[({]*[\])}])", text)]


def _contestant(text: str) -> Contestant:
    name, *own = re.split(r":(?![^\[({]*[\])}])", text)
    return Contestant(text, name if name == "all" else find(name).name, parameters(own, f"--learner {text}: parameter"))


def _contestants(texts: Sequence[str], shared: dict[str, Any], task: Any) -> list[Contestant]:
    """Return the learners to compare; each shared parameter is set for every learner that has this parameter."""
    able = [one.name for one in LEARNERS.values() if task in one.tasks]
    wanted = [name for text in texts for name in (able if text == "all" else (text,))]
    if repeated := next((name for at, name in enumerate(wanted) if name in wanted[:at]), None):
        raise usage(f"--learner {repeated} is specified twice. Set different parameters, as in knn:n_neighbors=3.")
    found, used = [], set[str]()
    for one in map(_contestant, wanted):
        known = inspect.signature(find(one.name).cls(task)).parameters if one.name in able else ()
        own = {name: value for name, value in shared.items() if name in known}
        used |= set(own)
        found.append(one._replace(parameters=own | one.parameters))
    for name in shared:
        if name not in used:
            raise usage(f"--set {name} has no effect: none of the compared learners has this parameter.")
    return found


def _parse_splits(text: str | None, *, curve: bool) -> tuple[tuple[str, float | None], int | None]:
    """Parse ``--splits``: return the protocol, its parameter (10 for 10 folds), and the number of repetitions."""
    if text is None:
        return ("holdout", None) if curve else ("folds", 10), None
    found = _SPLITS.fullmatch(text)
    repeats = None if found is None or found[1] is None else int(found[1])
    if found is None or repeats == 0 or (found[2] and int(found[2]) < 2) or (found[3] == "loo" and found[4]):
        raise usage(
            f"--splits {text!r} is not valid; expected 2 or more folds, 5x10, loo, prequential=20 or holdout=0.7."
        )
    number = found[2] or found[4]
    size = None if number is None else int(number) if number.isdecimal() else float(number)
    if curve and found[3] != "holdout":
        raise usage(f"--splits {text} cannot be combined with --curve. Use holdout=0.7 or 20xholdout=0.7.")
    if repeats is not None and found[3] in ("loo", "prequential"):
        raise usage(f"--splits {text} cannot be repeated, because {found[3]} gives the same splits each time.")
    if repeats is not None and repeats > _MOST_REPEATS:
        raise usage(f"--splits {text}: {repeats} repetitions are too many; expected at most {_MOST_REPEATS}.")
    return (found[3] or "folds", size), repeats


def _parse_curve(text: str) -> tuple[str, list[float] | None]:
    name, given, points = text.partition("=")
    _CURVES.convert(name, None, click.get_current_context(silent=True))
    try:
        numbers = [int(point) if point.strip().isdecimal() else float(point) for point in points.split(",") if given]
    except ValueError:
        raise usage(f"--curve {text!r} has points that are not numbers; write {name}=0.1,0.5, for example.") from None
    return name, numbers or None


# -- measuring


def _measured(
    learners: dict[str, Any],
    past: Past,
    splits: tuple[str, float | None],
    repeats: int | None,
    curve: tuple[str, list[float] | None] | None,
    **common: Any,
) -> Any:
    from priorcase import evaluation as ev

    name, number = splits
    if curve is None:
        protocols = {"folds": ev.Folds, "holdout": ev.Holdout, "loo": ev.LeaveOneOut, "prequential": ev.Prequential}
        protocol: Any = protocols[name]
        made = protocol() if number is None else protocol(number)
        return ev.compare(learners, past.X, past.y, splits=made, repeats=repeats or 1, **common)
    kind, points = curve
    common["test"] = _TEST if number is None else len(past.y) - int(number) if number >= 1 else 1 - number
    common["repeats"] = repeats or _CURVE_REPEATS
    if kind == "learning":
        return ev.learning_curve(learners, past.X, past.y, sizes=points, **common)
    if points is not None:
        common["levels"] = points
    return ev.noise_curve(learners, past.X, past.y, kind="attributes" if kind == "noise" else "classes", **common)


@contextmanager
def _quiet(*, in_processes: bool) -> Iterator[None]:
    """Print each warning of local models only once; worker processes, which would repeat the warnings, print none."""
    kinds = (FarQueryWarning, LocalConvergenceWarning)
    silenced = in_processes and "PYTHONWARNINGS" not in os.environ
    if silenced:
        os.environ["PYTHONWARNINGS"] = "ignore"
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("ignore", UninformativeColumnWarning)  # the command prints its own note
            for kind in kinds:
                warnings.simplefilter("always", kind)
            yield
    finally:
        if silenced:
            del os.environ["PYTHONWARNINGS"]
    told: dict[type[Warning], str] = {
        FarQueryWarning: "some cases had no past case within the bandwidth, so the nearest cases were used instead",
        LocalConvergenceWarning: "some local models did not converge, so their probabilities are approximate",
    }
    for warning in caught:
        if warning.category in told:
            note(told.pop(warning.category))  # once
        elif warning.category not in kinds:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


# -- results


def _values(result: Any) -> list[dict[str, Any]]:
    """Return one row for each combination of learner, split (for a curve: point and repetition) and score."""
    return lines_of(result.frame(each=True) if hasattr(result, "points") else result.frame())


def _tests(result: Any, most: float = _TESTED) -> list[Any]:
    """Return the paired tests in a list, which is empty for fewer than 2 or more than ``most`` learners."""
    # Learning curves have no tests.
    able = hasattr(result, "paired") and not all(name in result.failures for name in result.learners)
    return [result.paired()] if able and 2 <= len(result.learners) <= most else []


def _text(result: Any) -> str:
    from priorcase.learning.results import grids_text

    width, table = shutil.get_terminal_size().columns, str(result)
    if not hasattr(result, "points") and max(map(len, table.splitlines())) > width:
        table = grids_text(list(_folded(result._grid(), width)))
    if not hasattr(result, "points"):
        table = f"{table}\n\n{_legend(result)}"
    # The table already has the note of the tests.
    return "\n\n".join([table, *(str(replace(tested, note="")) for tested in _tests(result))])


def _legend(result: Any) -> str:
    """Explain the symbols and scores in the table of a comparison."""
    told = ["± standard error", "* best mean", *(["rank: mean rank, 1 is best"] if len(result.learners) > 1 else [])]
    meanings = [f"{score.name}: {_MEANINGS[score.name]}" for score in result.scores if score.name in _MEANINGS]
    return "\n".join(["; ".join(told), *meanings])


def _folded(grid: Any, width: int) -> Iterator[Any]:
    """Split a table into parts that fit the terminal; each part repeats the first column."""
    from priorcase.learning.results import Grid, text_width

    widths = [text_width(column) for column in zip(grid.header, *grid.lines, strict=True)]
    parts: list[list[int]] = []
    for first in range(1, len(widths), 2):
        pair = range(first, min(first + 2, len(widths)))
        if not parts or sum(widths[at] + 2 for at in (0, *parts[-1], *pair)) > width:
            parts.append([])
        parts[-1].extend(pair)
    for number, part in enumerate(parts):
        title = grid.title if number == 0 else f"{grid.title} (continued)"
        header, *lines = ([line[at] for at in (0, *part)] for line in (grid.header, *grid.lines))
        yield Grid(title, header, lines, grid.note if number == len(parts) - 1 else "", range(1, len(part) + 1))


def _document(result: Any, past: Past, contestants: Sequence[Contestant], random_state: int) -> dict[str, Any]:
    """Return the JSON document that ``--json`` prints; docs/guide/commands.md lists the fields."""
    values, learners = _values(result), []
    for at, one in enumerate(contestants):
        own, failure = [line for line in values if line["learner"] == one.label], result.failures.get(one.label)
        told: dict[str, Any] = {"name": one.label, "learner": one.name, "parameters": one.parameters}
        if not hasattr(result, "points"):
            told["scores"] = {
                score.name: {
                    "mean": result.mean(one.label, score.name),
                    "standard_error": result.standard_error(one.label, score.name),
                    "rank": float(result.ranks(score.name)[at]),
                }
                for score in result.scores
            }
        for which in ("fit_seconds", "predict_seconds"):
            told[which] = math.fsum(line[which] for line in own) / len(own) if own and failure is None else None
        told["reasons"] = {line["score"]: line["reason"] for line in own if line["reason"] and failure is None}
        learners.append({**told, "failure": failure})
    document: dict[str, Any] = {"table": past.source, "target": past.target, "task": past.task, "cases": len(past.y)}
    document |= {name: getattr(result, name) for name in ("protocol", "repeats", "complete")}
    document["random_state"] = random_state
    document["scores"] = {score.name: "greater" if score.greater_is_better else "less" for score in result.scores}
    document |= {"learners": learners, "values": values}
    for tested in _tests(result, math.inf):
        document["paired"] = lines_of(tested.frame())
    return document


def _check_pictures() -> None:
    """Raise an error if Matplotlib cannot be used; called before the learners are compared."""
    from priorcase.learning.plotting import plot_style

    with plot_style():
        import matplotlib

        matplotlib.use("Agg")


def _picture(result: Any, ending: str) -> bytes:
    from matplotlib import pyplot

    figure, content = result.plot().figure, io.BytesIO()
    figure.savefig(content, format=ending)
    pyplot.close(figure)
    return content.getvalue()
