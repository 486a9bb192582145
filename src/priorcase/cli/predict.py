"""``priorcase predict`` and ``priorcase explain``: new cases predicted from past ones, and why."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from priorcase.cli.learners import NAMES, learner_options, make, parameters
from priorcase.cli.shell import BadInputError, Command, option, output_options, usage
from priorcase.cli.tables import Past, Queries, parse_reading, read_queries, table_argument, table_options
from priorcase.cli.terminal import Forms, Output, csv_text, json_text, lines_of, note, safe_console
from priorcase.registry import Learner, find

_BLOCK = 1000
_CLASSES, _SMALL = 4, 0.005
_ATTRIBUTES = _RECORDS = _SLOPES = 10
_LINES = 5
_SIMILAR = 5
_CHOSEN = ("n_neighbors", "bandwidth", "ess", "alpha", "n_centers", "stored", "temperature")
_PREDICT = """\
priorcase predict loans.csv --target repaid new.csv
priorcase predict loans.csv --target repaid income=48 housing=own
priorcase predict loans.csv --target repaid - --csv < new.csv > answers.csv
priorcase predict loans.csv --target repaid new.csv --learner aode --set ess=1
priorcase predict --learner knn --help"""
_EXPLAIN = """\
priorcase explain loans.csv --target repaid new.csv
priorcase explain loans.csv --target repaid income=48 housing=own
priorcase explain loans.csv --target repaid new.csv --learner naive_bayes
priorcase explain cars.csv --target price new.csv --set n_neighbors=9"""


@dataclass(frozen=True)
class Model:
    """A fitted estimator, and what is said about it."""

    learner: Learner
    estimator: Any
    past: Past
    level: float | None
    similar: Any = None

    @property
    def chosen(self) -> dict[str, Any]:
        """What was chosen or learned in `fit`, by name."""
        inner = getattr(self.estimator, "model_", self.estimator)
        found = {name: getattr(inner, f"{name}_", None) for name in _CHOSEN}
        found = {name: value for name, value in found.items() if value is not None and value == value}
        if inner is not self.estimator:
            found = {**inner.tuning_.best_params, **{name: found[name] for name in found if name == "n_neighbors"}}
        return found

    @property
    def weights(self) -> dict[str, Any] | None:
        """The attribute weights that were learned: by attribute, or by class and attribute."""
        inner = getattr(self.estimator, "model_", self.estimator)
        found = getattr(inner, "attribute_weights_", None)
        if found is None or (getattr(inner, "attribute_weights", None) is None and found.ndim == 1):
            return None
        names = list(self.past.kinds)
        if found.ndim == 1:
            return dict(zip(names, found.tolist(), strict=True))
        return {
            str(label): dict(zip(names, row, strict=True))
            for label, row in zip(self.estimator.classes_.tolist(), found.tolist(), strict=True)
        }

    @property
    def relevance(self) -> dict[str, float] | None:
        """The probability that each attribute is relevant, where the learner has one."""
        if not hasattr(self.estimator, "relevance_table"):
            return None
        table = self.estimator.relevance_table()
        return {str(name): table[name] for name in table}


@dataclass(frozen=True)
class Answer:
    """A prediction for one new case, and what explains it."""

    line: int
    prediction: Any
    probabilities: dict[str, float] | None
    actual: str | float | None
    interval: tuple[float, float] | None = None
    slopes: dict[str, float] | None = None
    precedents: Any = None
    contributions: Any = None
    records: Mapping[int, dict[str, Any]] = field(default_factory=dict)


def _query_argument(function: Any) -> Any:
    return click.argument("query", nargs=-1, required=True, metavar="QUERY...")(function)


@click.command(cls=Command, examples=_PREDICT, epilog=NAMES, short_help="Predict new cases from past ones.")
@table_argument()
@_query_argument
@table_options
@learner_options
@option("--level", "LEVEL", "Level of intervals of numbers.  [default: 0.95]", type=float)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV: a line for each new case.")
@output_options("txt", "csv", "json")
def predict(as_csv: bool, output: Output, **given: Any) -> None:
    """Predict new cases from the past cases of TABLE.

    QUERY is a table, - or one case NAME=VALUE ..., in which columns may be left out.
    """
    if output.as_json and as_csv:
        raise usage("--json does not go with --csv.")
    model, queries = _fitted(explained=False, **given)
    answers = list(_answers(model, queries, explained=False))
    forms: Forms = {
        "txt": lambda: _table_text(model, queries, answers),
        "json": lambda: json_text(_document(model, answers)),
        "csv": lambda: _csv_text(model, queries, answers),
    }
    output.deliver(forms, form="csv" if as_csv else "txt")


@click.command(cls=Command, examples=_EXPLAIN, epilog=NAMES, short_help="Predict new cases and show why.")
@table_argument()
@_query_argument
@table_options
@learner_options
@option("--level", "LEVEL", "Level of intervals of numbers.  [default: 0.95]", type=float)
@output_options("txt", "json")
def explain(output: Output, **given: Any) -> None:
    """Predict new cases, and show the cases or the values that decide.

    Learners that can show neither show the most similar past cases.
    """
    model, queries = _fitted(explained=True, **given)
    answers = _answers(model, queries, explained=True)
    if not output.as_json and output.out in (None, "-"):
        _print_explained(safe_console(), model, queries, answers)
        return
    forms: Forms = {
        "txt": lambda: _explained_text(model, queries, answers),
        "json": lambda: json_text(_document(model, list(answers))),
    }
    output.deliver(forms)


def _fitted(
    *,
    table: str,
    query: Sequence[str],
    target: str | None,
    column: Sequence[str],
    read: Sequence[str],
    learner: str,
    set: Sequence[str],
    level: float | None,
    explained: bool,
) -> tuple[Model, Queries]:
    """The learner that the options ask for, fitted to the past cases, and the new cases."""
    who, given, reading = find(learner), parameters(set), parse_reading(column, read)
    if level is not None and not 0 < level < 1:
        raise usage(f"--level {level:g} is not a probability between 0 and 1.")
    past, queries = read_queries(query, table, target, reading)
    estimator = make(who, past, given)
    if level is not None and not hasattr(estimator, "prediction_interval"):
        raise usage(f"--level has no effect with {who.name}, which gives no intervals of {past.target!r}.")
    from priorcase.exceptions import UnsettledFitWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsettledFitWarning)  # of fits that only rank numbers of neighbors
        estimator.fit(_readable(estimator, past.X), past.y)
    interval = (level or 0.95) if hasattr(estimator, "prediction_interval") else None
    similar = None
    if explained and not (hasattr(estimator, "precedents") or hasattr(estimator, "contributions")):
        import priorcase as pc

        near = pc.KNNClassifier if past.task == "classify" else pc.KNNRegressor
        similar = near(min(_SIMILAR, len(past.y)), ties="first").fit(past.X, past.y)
        note(f"{who.title} gives no explanation of its own; the most similar past cases are shown")
    if explained and hasattr(estimator, "contributions") and len(estimator.classes_) == 1:
        raise BadInputError(
            f"{past.source}: {estimator.classes_[0]!r} is the only class in column {past.target!r}; explain compares "
            "two. Add past cases of other classes, or take predict."
        )
    return Model(who, estimator, past, interval, similar), queries


def _readable(estimator: Any, X: Any) -> Any:
    """A table as an estimator can read it: scikit-learn's baselines know no table of ours."""
    return X if type(estimator).__module__.startswith("priorcase.") else X.frame()


# -- answers


def _answers(model: Model, queries: Queries, *, explained: bool) -> Iterator[Answer]:
    """One answer for each new case, block by block; warnings about queries become notes at the end."""
    lookup = _record_lookup(model.estimator) if explained else None
    far, unsettled = list[int](), list[int]()
    for start in range(0, len(queries.lines), _BLOCK):
        lines = queries.lines[start : start + _BLOCK]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = _block(model, queries.X.take(slice(start, start + _BLOCK)), explained=explained)
        _sort_warnings(caught, lines, far, unsettled)
        for i, parts in enumerate(found):
            precedents = parts.get("precedents")
            records = _records_of(lookup, parts["prediction"], precedents) if lookup and precedents is not None else {}
            actual = None if queries.actual is None else queries.actual[start + i]
            yield Answer(line=lines[i], actual=actual, records=records, **parts)
    if far:
        note(
            f"no past case lies within the bandwidth at {_lines_text(far)}: the nearest ones decide; a larger "
            "bandwidth reaches them"
        )
    if unsettled:
        note(f"the local models at {_lines_text(unsettled)} did not converge: their probabilities are approximate")


def _block(model: Model, cases: Any, *, explained: bool) -> list[dict[str, Any]]:
    """What the estimator says about some cases: the fields of `Answer`, case by case."""
    estimator, n = model.estimator, len(cases)
    if n == 0:
        return []
    precedents = None
    if explained and (who := model.similar or (estimator if hasattr(estimator, "precedents") else None)) is not None:
        precedents = who.precedents(cases)
    readable = _readable(estimator, cases)
    columns: dict[str, Sequence[Any]] = {"prediction": estimator.predict(readable).tolist()}
    if model.past.task == "classify":
        proba = estimator.predict_proba(readable).tolist()
        columns["probabilities"] = [_by_probability(estimator.classes_, row) for row in proba]
    else:
        columns["probabilities"] = [None] * n
    if model.level is not None:
        lower, upper = estimator.prediction_interval(cases, model.level)
        columns["interval"] = list(zip(lower.tolist(), upper.tolist(), strict=True))
        if explained and estimator.degree:
            local = estimator.coefficients(cases)
            columns["slopes"] = [dict(zip(local.labels, row, strict=True)) for row in local.slopes.tolist()]
    if precedents is not None:
        columns["precedents"] = list(precedents)
    elif explained:
        columns["contributions"] = list(estimator.contributions(cases))
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _by_probability(classes: Any, row: Sequence[float]) -> dict[str, float]:
    order = sorted(range(len(row)), key=lambda c: -row[c])
    return {str(classes[c]): row[c] for c in order}


def _sort_warnings(caught: Sequence[Any], lines: Sequence[int], far: list[int], unsettled: list[int]) -> None:
    from priorcase.exceptions import FarQueryWarning, UnsettledFitWarning

    for warning in caught:
        if isinstance(warning.message, FarQueryWarning):
            far += [lines[i] for i in warning.message.queries if lines[i] not in far]
        elif isinstance(warning.message, UnsettledFitWarning):
            unsettled += [lines[i] for i in warning.message.queries if lines[i] not in unsettled]
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def _lines_text(lines: Sequence[int]) -> str:
    shown, more = ", ".join(map(str, lines[:_LINES])), len(lines) - _LINES
    return f"line{'s' * (len(lines) > 1)} {shown}{f' and {more} more' if more > 0 else ''}"


# -- records of IB3, IB4, IB5 and PEBLS


def _record_lookup(estimator: Any) -> Any:
    """From a predicted class and an id to the record of that case; None for learners without records."""
    import priorcase as pc

    keys: tuple[str, ...] = ("id",)
    if isinstance(estimator, pc.PEBLS) and estimator.weighting is not None:
        names, frame = ("used", "correct", "weight"), estimator.exemplars_
    elif isinstance(estimator, pc.IB3 | pc.IB4 | pc.IB5):
        names, frame = ("successes", "trials", "verdict"), estimator.concept_
        keys = ("id",) if isinstance(estimator, pc.IB3) else ("concept", "id")
    else:
        return None
    found = {tuple(row[key] for key in keys): {name: row[name] for name in names} for row in lines_of(frame)}
    return lambda prediction, id_: found.get((id_,) if len(keys) == 1 else (prediction, id_), {})


def _records_of(lookup: Any, prediction: Any, precedents: Any) -> dict[int, dict[str, Any]]:
    ids = [*precedents.ids.tolist(), *(case.id for case in precedents.unlike if case is not None)]
    return {id_: record for id_ in ids if (record := lookup(prediction, id_))}


def _record_text(record: Mapping[str, Any]) -> str:
    """A record in words.

    >>> _record_text({"successes": 7.0, "trials": 9.0, "verdict": "acceptable"})
    'right 7 of 9, acceptable'
    """
    if "verdict" in record:
        return f"right {record['successes']:g} of {record['trials']:g}, {record['verdict']}"
    return f"weight {record['weight']:.3g}, right {record['correct']} of {record['used']}"


# -- as text


def _heading(model: Model) -> str:
    """Who predicts what, from how many cases, and what was chosen in `fit`."""
    past = model.past
    text = f"{past.target} predicted by {model.estimator!r} from {len(past.y)} past cases"
    given = model.estimator.get_params(deep=False)
    chosen = {name: value for name, value in model.chosen.items() if given.get(name) != value}
    if chosen:
        text += f"\nchosen: {', '.join(f'{name} {_value(value)}' for name, value in chosen.items())}"
    return text


def _table_text(model: Model, queries: Queries, answers: Sequence[Answer]) -> str:
    """One line for each new case."""
    from priorcase.learning.results import Grid, grids_text

    classes, known = model.past.task == "classify", queries.actual is not None
    header = ["line", model.past.target, *(["probability"] if classes else [])]
    header += [f"{100 * model.level:.10g}% interval"] if model.level is not None else []
    header += ["actual"] if known else []
    lines = []
    for one in answers:
        cells = [str(one.line), _value(one.prediction)]
        cells += [_probabilities(one.probabilities)] if one.probabilities is not None else []
        cells += [_interval(one.interval)] if one.interval is not None else []
        lines.append(cells + ([_value(one.actual)] if known else []))
    if queries.typed:
        header, lines = header[1:], [line[1:] for line in lines]
    right = () if classes else range(len(header))
    grid = Grid("", header, lines, "", right=right if right else ({0} if not queries.typed else ()))
    return "\n".join([_heading(model), "", grids_text([grid]), *_summary(model, answers)])


def _summary(model: Model, answers: Sequence[Answer]) -> list[str]:
    """How the predictions compare with the targets that the query has."""
    known = [one for one in answers if one.actual is not None]
    if not known:
        return []
    if model.past.task == "classify":
        right = sum(one.actual == one.prediction for one in known)
        return ["", f"{right} of {len(known)} right ({right / len(known):.1%})"]
    errors = [abs(one.prediction - float(one.actual or 0)) for one in known]
    text = f"mean absolute error {math.fsum(errors) / len(known):.4g} over {len(known)} cases"
    ends = [(one.interval, float(one.actual or 0)) for one in known if one.interval is not None]
    finite = [(lower, actual, upper) for (lower, upper), actual in ends if math.isfinite(upper - lower)]
    if finite:
        inside = sum(lower <= actual <= upper for lower, actual, upper in finite)
        text += f", {inside} of {len(finite)} within their intervals"
    return ["", text]


def _value(value: Any) -> str:
    from priorcase.learning.results import value_text

    return value_text(value, 40)


def _interval(interval: tuple[float, float]) -> str:
    lower, upper = interval
    return f"{_value(lower)} to {_value(upper)}" if math.isfinite(upper - lower) else "unknown"


def _probabilities(found: Mapping[str, float]) -> str:
    """The most probable classes; others that would be 0.00 are only counted, and nothing uncertain is 1.00."""
    possible = [(label, share) for label, share in found.items() if share > 0]
    large = max(1, sum(share >= _SMALL for _, share in possible))
    shown = [f"{_value(label)} {_probability(share)}" for label, share in possible[: min(large, _CLASSES)]]
    rest = len(possible) - len(shown)
    return ", ".join([*shown, f"{rest} more"] if rest else shown)


def _probability(share: float) -> str:
    return ">0.99" if 1 - _SMALL <= share < 1 else f"{share:.2f}"


def _by_attribute(what: str, numbers: Mapping[str, float], form: Any) -> str:
    """Numbers of the attributes, the largest few."""
    order = sorted(numbers, key=lambda name: -numbers[name])
    shown = [f"{name} {form(numbers[name])}" for name in order[:_ATTRIBUTES]]
    more = f", {len(order) - _ATTRIBUTES} more" if len(order) > _ATTRIBUTES else ""
    return f"{what}: {', '.join(shown)}{more}"


def _print_explained(console: Any, model: Model, queries: Queries, answers: Iterator[Answer]) -> None:
    """For each new case the prediction and what explains it."""
    from rich.text import Text

    from priorcase.neighbors.precedents import TerminalView

    for number, one in enumerate(answers):
        if not number:
            console.print(Text(_heading(model), style="dim"))
            if model.relevance:
                console.print(Text(_by_attribute("probability of relevance", model.relevance, _probability), "dim"))
            elif model.weights and all(isinstance(weight, float) for weight in model.weights.values()):
                console.print(Text(_by_attribute("attribute weights", model.weights, "{:.3g}".format), style="dim"))
        console.print()
        place = "" if queries.typed else f"line {one.line}  "
        heading = Text(place + ("" if one.actual is None else f"actual: {_value(one.actual)}  "), style="dim")
        if one.precedents is not None and model.similar is None:
            console.print(TerminalView(one.precedents, model.past.target, [heading]))
        else:
            likely = "" if one.probabilities is None else f"  ({_probabilities(one.probabilities)})"
            said = Text.assemble(f"{model.past.target}: ", (_value(one.prediction), "bold green"), likely)
            console.print(Text.assemble(heading, said))
            if one.precedents is not None:
                console.print(TerminalView(one.precedents, model.past.target, [Text("most similar past cases  ")]))
            else:
                console.print(Text(str(one.contributions).partition("\n")[2]))
        for line in _beside(model, one):
            console.print(Text(line, style="dim"))


def _beside(model: Model, one: Answer) -> Iterator[str]:
    """What stands below an explanation: records, the interval, slopes."""
    if one.records:
        shown = [f"#{id_} {_record_text(record)}" for id_, record in one.records.items()][:_RECORDS]
        more = f"; {len(one.records) - _RECORDS} more" if len(one.records) > _RECORDS else ""
        yield f"records: {'; '.join(shown)}{more}"
    if one.interval is not None:
        yield f"{100 * (model.level or 0):.10g}% interval: {_interval(one.interval)}"
    slopes = {name: slope for name, slope in (one.slopes or {}).items() if slope and not math.isnan(slope)}
    if slopes:
        shown = [f"{name} {slope:+.3g}" for name, slope in slopes.items()][:_SLOPES]
        yield f"slopes: {', '.join(shown)}{f', {len(slopes) - _SLOPES} more' if len(slopes) > _SLOPES else ''}"


def _explained_text(model: Model, queries: Queries, answers: Iterator[Answer]) -> str:
    """The screen of `explain` as text, for a file."""
    console = safe_console()
    with console.capture() as captured:
        _print_explained(console, model, queries, answers)
    return str(captured.get())


# -- for programs


def _csv_text(model: Model, queries: Queries, answers: Sequence[Answer]) -> str:
    labels = [str(label) for label in model.estimator.classes_] if model.past.task == "classify" else []
    header = ["line", "prediction", *(f"P({label})" for label in labels)]
    header += ["lower", "upper"] if model.level is not None else []
    header += ["actual"] if queries.actual is not None else []
    lines = []
    for one in answers:
        cells = [one.line, one.prediction, *((one.probabilities or {})[label] for label in labels)]
        cells += [end if math.isfinite(end) else None for end in one.interval or ()]
        lines.append(dict(zip(header, cells + ([one.actual] if queries.actual is not None else []), strict=True)))
    return csv_text(lines, header)


def _document(model: Model, answers: Sequence[Answer]) -> dict[str, Any]:
    """Everything, for --json; docs/commands.md lists the fields."""
    past = model.past
    kinds = {name: getattr(kind, "order", None) or type(kind).__name__.lower() for name, kind in past.kinds.items()}
    document: dict[str, Any] = {
        "task": past.task,
        "target": past.target,
        "cases": len(past.y),
        "learner": model.learner.name,
        "parameters": {
            name: value for name, value in model.estimator.get_params(deep=False).items() if name != "n_jobs"
        },
        "chosen": model.chosen,
        "attributes": kinds,
    }
    if model.weights is not None:
        document["attribute_weights"] = model.weights
    if model.relevance is not None:
        document["relevance"] = model.relevance
    if model.level is not None:
        document["level"] = model.level
    return document | {"answers": [_answer_document(model, one) for one in answers]}


def _answer_document(model: Model, one: Answer) -> dict[str, Any]:
    found: dict[str, Any] = {"line": one.line, "prediction": one.prediction}
    for name in ("probabilities", "interval"):
        if getattr(one, name) is not None:
            found[name] = getattr(one, name)
    found["actual"] = one.actual
    if one.slopes is not None:
        found["slopes"] = one.slopes
    if one.contributions is not None:
        part = one.contributions
        prior, *shares = part.contributions[0].tolist()
        found["contributions"] = {
            "versus": part.versus.tolist()[0],
            "log_odds": part.total.tolist()[0],
            "prior": prior,
            "values": dict(zip(part.names, part.queries[0], strict=True)),
            "contributions": dict(zip(part.names, shares, strict=True)),
        }
    if one.precedents is not None:
        found |= _precedents_document(model, one)
    return found


def _precedents_document(model: Model, one: Answer) -> dict[str, Any]:
    found = one.precedents

    def case(id_: int, target: Any, distance: float, row: Sequence[Any], parts: Any) -> dict[str, Any]:
        return {
            "id": id_,
            "line": model.past.lines[id_],
            "target": target,
            "distance": distance,
            "values": dict(zip(found.names, row, strict=True)),
            "contributions": dict(zip(found.names, parts.tolist(), strict=True)),
        } | one.records.get(id_, {})

    fields = zip(
        found.ids.tolist(),
        found.targets.tolist(),
        found.distances.tolist(),
        found.rows,
        found.contributions,
        strict=True,
    )
    cases = [case(*of) | {"vote": vote} for of, vote in zip(fields, found.votes.tolist(), strict=True)]
    if hasattr(found, "weights"):  # of local fits
        cases = [of | {"kernel_weight": weight} for of, weight in zip(cases, found.weights.tolist(), strict=True)]
    document: dict[str, Any] = {"similar" if model.similar is not None else "precedents": cases}
    for unlike in found.unlike:
        document["unlike"] = unlike and case(
            unlike.id, unlike.target, unlike.distance, unlike.row, unlike.contributions
        )
    return document
