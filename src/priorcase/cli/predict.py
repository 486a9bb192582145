"""``priorcase predict`` and ``priorcase explain``: predict new cases from past cases, and explain predictions."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from priorcase._files import file_kind
from priorcase._numbers import number
from priorcase.cli.learners import NAMES, learner_options, make, parameters
from priorcase.cli.shell import (
    BadInputError,
    Command,
    Forms,
    Output,
    csv_text,
    lines_of,
    note,
    option,
    options,
    output_options,
    safe_console,
    say,
    usage,
)
from priorcase.cli.tables import (
    Queries,
    note_strange,
    note_uninformative,
    parse_reading,
    read_past,
    read_queries,
    read_queries_of_model,
    say_how,
    table_argument,
    table_options,
)
from priorcase.documents import contributions_document, counterfactuals_document, precedents_document
from priorcase.exceptions import (
    FarQueryWarning,
    LocalConvergenceWarning,
    ReadingError,
    UninformativeColumnWarning,
    advice,
    listed,
    named,
)
from priorcase.registry import Learner, Task, find, find_by_class

if TYPE_CHECKING:
    from priorcase.datasets.past import Past

_BLOCK = {False: 1000, True: 20}  # cases that are predicted, or explained, at once
_CLASSES, _SMALL = 4, 0.005
_DECIMALS = 4  # of probabilities in CSV
_MOST = 10  # attributes, records and slopes in a line
_CHOSEN = ("n_neighbors", "bandwidth", "alpha", "n_centers", "stored", "temperature")
_RECORDS = ("successes", "trials", "verdict", "used", "correct", "weight")
_PREDICT = """\
priorcase predict loans.csv --target repaid new.csv
priorcase predict loans.csv --target repaid income=1800 housing=own
priorcase predict loans.csv --target repaid - --csv < new.csv > out.csv
priorcase predict model.priorcase big/*.parquet --out predictions.parquet
priorcase predict --learner stacked --help"""
_EXPLAIN = """\
priorcase explain loans.csv --target repaid new.csv
priorcase explain loans.csv --target repaid income=1800 housing=own
priorcase explain loans.csv --target repaid new.csv --learner naive_bayes
priorcase explain loans.csv --target repaid new.csv --fixed housing"""
_asked = options(
    table_argument(),
    click.argument("query", nargs=-1, required=True, metavar="QUERY..."),
    table_options,
    learner_options,
    option("--level", "LEVEL", "Level of prediction intervals.  [default: 0.95]", type=float),
)


class Model(NamedTuple):
    """A fitted estimator, its past cases, their number (``cases``), and ``options`` to pass to `priorcase.explain`."""

    name: str
    estimator: Any
    past: Past
    cases: int
    level: float | None
    options: Mapping[str, Any]


@click.command(cls=Command, examples=_PREDICT, epilog=NAMES, short_help="Predict new cases from past ones.")
@_asked
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, one line per new case.")
@output_options("txt", "csv", "json", "parquet")
def predict(as_csv: bool, output: Output, **given: Any) -> None:
    """Predict new cases from the past cases of TABLE.

    TABLE can also be a saved model. QUERY is a table, - for standard input, or NAME=VALUE pairs. Parquet files in QUERY
    can be larger than memory if there are several files or the output is CSV or Parquet.
    """
    if output.as_json and as_csv:
        raise usage("--json cannot be combined with --csv.")
    if _predicts_parts(given["query"], as_csv, output):
        _predict_parts(output, given)
        return
    model, queries = _fitted({}, **given)
    predictions = [document for document, _ in _documents(model, queries, explained=False)]
    say_how(model.past.about, queries.about)
    note_uninformative(model.past)
    forms: Forms = {
        "txt": lambda: _table_text(model, queries, predictions),
        "json": lambda: _document(model) | {"predictions": predictions},
        "csv": lambda: _csv_text(model, queries, predictions, to_file=output.out not in (None, "-")),
    }
    output.deliver(forms, form="csv" if as_csv else "txt")
    note_strange(model.past.kinds, _known(model), queries)


@click.command(cls=Command, examples=_EXPLAIN, epilog=NAMES, short_help="Predict new cases and show why.")
@_asked
@option("--counterfactuals", "N", "Number of counterfactuals to find.  [default: 1]", type=int, default=1)
@option("--fixed", "NAME", "Column that counterfactuals must not change. Repeatable.", multiple=True)
@option("--want", "CLASS", "Desired class; '>100' or '<50' for a numeric target.")
@output_options("txt", "json")
def explain(counterfactuals: int, fixed: Sequence[str], want: str | None, output: Output, **given: Any) -> None:
    """Predict new cases and explain why: past cases, contributions of columns, and counterfactuals.

    TABLE can also be a saved model.
    """
    asked = {"counterfactuals": counterfactuals, "fixed": list(fixed), "want": want}
    model, queries = _fitted(asked, **given)
    say_how(model.past.about, queries.about)
    note_uninformative(model.past)
    predictions, console = _documents(model, queries, explained=True), safe_console()
    if not output.as_json and output.out in (None, "-"):
        _print_explained(console, model, queries, predictions)  # case by case
        note_strange(model.past.kinds, _known(model), queries)
        return

    def text() -> str:
        with console.capture() as captured:
            _print_explained(console, model, queries, predictions)
        return str(captured.get())

    documents = (document for document, _ in predictions)
    output.deliver({"txt": text, "json": lambda: _document(model) | {"predictions": list(documents)}})
    note_strange(model.past.kinds, _known(model), queries)


def _fitted(asked: dict[str, Any], **given: Any) -> tuple[Model, Queries]:
    """Return the fitted model and the new cases; ``asked`` contains the options of the command ``explain``."""
    learner, saved = _learner(given), file_kind(given["table"]) == "model"
    reading = parse_reading(given["column"], given["read"], "-" if saved else given["table"])
    if saved:
        model = _loaded(given)
        queries = read_queries_of_model(given["query"], model.past, model.estimator, reading)
    else:
        past, queries = read_queries(given["query"], given["table"], given["target"], reading)
        model = _fitted_to(past, *learner)
    if asked:
        asked |= _wish(asked.pop("want"), model) | {"fixed": _fixed(asked["fixed"], model.past)}
        if not hasattr(model.estimator, "explain"):  # it stores no past cases
            asked["data"] = (model.past.X, model.past.y)
    return model._replace(options=asked), queries


def _loaded(given: Mapping[str, Any]) -> Model:
    """Load a saved model; ``past`` of the result has the kinds of the columns but no rows."""
    from sklearn.base import is_classifier, is_regressor

    import priorcase as pc
    from priorcase.datasets.past import Past, kinds_of_model

    context = click.get_current_context()
    for name in ("target", "column", "learner", "set"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise usage(f"--{name} has no effect on a saved model.")
    source, estimator = str(given["table"]), pc.load(given["table"])
    who, level = type(estimator).__name__, given["level"]
    classifies, targets = is_classifier(estimator), estimator._stored().instances.targets
    if not (classifies or is_regressor(estimator)) or targets is None or len(targets) != 1:
        raise BadInputError(f"{source} contains a {who}; expected a classifier or regressor with one target.")
    intervals = hasattr(estimator, "predict_interval")
    if level is not None and not intervals:
        raise usage(f"--level has no effect with {who}, which has no prediction intervals.")
    task: Task = "classify" if classifies else "regress"
    past = Past(source, task, "target", kinds_of_model(estimator), None, None, (), {})
    known = find_by_class(estimator)
    name = who if known is None else known.name
    return Model(name, estimator, past, estimator.n_samples_fit_, (level or 0.95) if intervals else None, {})


def _known(model: Model) -> dict[str, Any]:
    """Return the past values of each column; for a saved model, the values that the model stores."""
    from priorcase.explaining.new_cases import known_values

    if model.past.X is None:
        return known_values(model.estimator)
    return {name: model.past.X[name] for name in model.past.kinds}


def _learner(given: Mapping[str, Any]) -> tuple[Learner, dict[str, Any], float | None]:
    """Return the learner, its parameters, and the level of prediction intervals from the options."""
    name, _, own = given["learner"].partition(":")
    who, settings, level = find(name if own else given["learner"]), parameters(given["set"]), given["level"]
    if own:
        raise usage(f"--learner accepts only a name here; write --learner {name} --set {own.replace(':', ' --set ')}.")
    if level is not None and not 0 < level < 1:
        raise usage(f"--level {level:g} is not a probability between 0 and 1.")
    return who, settings, level


def _fitted_to(past: Past, who: Learner, settings: dict[str, Any], level: float | None) -> Model:
    """Fit a learner to the past cases."""
    estimator = make(who, past, settings)
    intervals = hasattr(estimator, "predict_interval")
    if level is not None and not intervals:
        raise usage(f"--level has no effect with {who.name}, which has no prediction intervals for {past.target!r}.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LocalConvergenceWarning)  # of fits that only compare numbers of neighbors
        warnings.simplefilter("ignore", UninformativeColumnWarning)  # the command prints its own note
        estimator.fit(past.X, past.y)
    return Model(who.name, estimator, past, len(past.y), (level or 0.95) if intervals else None, {})


def _wish(want: str | None, model: Model) -> dict[str, Any]:
    """Convert the value of ``--want`` to arguments of `priorcase.explain`."""
    past = model.past
    if want is None:
        return {}
    if past.task == "classify":
        labels = {str(label): label for label in model.estimator.classes_.tolist()}
        if want not in labels:
            remedy = advice(want, labels, otherwise=f"The classes are {listed(labels)}.")
            raise usage(f"--want {want!r} is not a class of {past.target!r}. {remedy}")
        return {"target": labels[want]}
    try:
        return {{">": "above", "<": "below"}[want[:1]]: float(want[1:])}
    except (KeyError, ValueError):
        raise usage(f"--want {want!r} must be of the form '>100' or '<50', since {past.target!r} is numeric.") from None


def _fixed(names: Sequence[str], past: Past) -> list[str]:
    """Return the columns listed in ``--fixed``, except columns that the learner ignores."""
    for name in names:
        if name not in (*past.kinds, *past.left_out):
            remedy = advice(name, past.kinds, otherwise=f"The columns are {listed(past.kinds, limit=20)}.")
            raise usage(f"--fixed {name!r} is not a column from which {past.target!r} is predicted. {remedy}")
    return [name for name in names if name in past.kinds]


# -- predictions for Parquet files, in parts


def _predicts_parts(words: Sequence[str], as_csv: bool, output: Output) -> bool:
    """Return whether QUERY is predicted in parts, which is possible only for Parquet files."""
    parquet = [word for word in words if word.endswith(".parquet") or ("=" not in word and Path(word).is_dir())]
    ending = "" if output.out in (None, "-") else Path(str(output.out)).suffix[1:].lower()
    several = len(words) > 1 or any(not Path(word).is_file() for word in parquet)  # a folder or a pattern
    if len(parquet) == len(words):
        if (as_csv and ending in ("", "csv")) or (ending in ("csv", "parquet") and not output.as_json):
            return True
        if several and not output.as_json and ending == "":
            return True
        if several:
            raise usage("predictions for several Parquet files need --out with a .csv or .parquet file.")
    if ending == "parquet":
        raise usage(f"--out {output.out} needs new cases in Parquet files. Pass a .csv or .json file to --out instead.")
    return False


def _predict_parts(output: Output, given: Mapping[str, Any]) -> None:
    """Predict Parquet files part by part, and write the predictions."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    from priorcase._files import whole_file
    from priorcase.batches import model_columns, open_files
    from priorcase.datasets.csv_files import inert_column

    estimator, target, level = _answering(given)
    source, to_parquet = open_files(given["query"]), str(output.out).endswith(".parquet")

    def predictions() -> Iterator[Any]:
        line = 1
        for batch in source:
            X = model_columns(estimator, pa.Table.from_batches([batch]))
            lines = pa.array(range(line, line + batch.num_rows))
            columns: dict[str, Any] = {"line": lines, "prediction": estimator.predict(X)}
            if hasattr(estimator, "predict_proba"):
                labels = map(str, estimator.classes_.tolist())
                proba = estimator.predict_proba(X)
                proba = proba if to_parquet else proba.round(_DECIMALS)
                columns |= {f"P({label})": of for label, of in zip(labels, proba.T, strict=True)}
            if level is not None:
                columns |= dict(zip(("lower", "upper"), estimator.predict_interval(X, level).T, strict=True))
            if target in batch.schema.names:
                actual = batch.column(batch.schema.get_field_index(target))
                columns["actual"] = actual.dictionary_decode() if pa.types.is_dictionary(actual.type) else actual
            line += batch.num_rows
            arrays = {name: pa.array(of) for name, of in columns.items()}
            if not to_parquet:
                arrays = {name: inert_column(array) for name, array in arrays.items()}
            yield pa.RecordBatch.from_pydict(arrays)

    def write(file: Any) -> None:
        writer: Any = None
        for batch in predictions():
            if writer is None and to_parquet:
                writer = pq.ParquetWriter(file, batch.schema)
            elif writer is None:
                quoting = pyarrow.csv.WriteOptions(quoting_style="needed")
                writer = pyarrow.csv.CSVWriter(file, batch.schema, write_options=quoting)
            writer.write_batch(batch)
        if writer is None:
            raise ReadingError(f"{source.source} has no rows.")
        writer.close()

    if output.out in (None, "-"):
        write(sys.stdout.buffer)
        return
    with whole_file(Path(str(output.out)), overwrite=True) as file:
        write(file)
    say(f"Written: {output.out}")


def _answering(given: Mapping[str, Any]) -> tuple[Any, str | None, float | None]:
    """Return the estimator (loaded or fitted), the name of the target, and the level of prediction intervals."""
    learner = _learner(given)
    if file_kind(given["table"]) != "model":
        from priorcase.datasets.past import without_uninformative

        reading = parse_reading(given["column"], given["read"], given["table"])
        model = _fitted_to(without_uninformative(read_past(given["table"], given["target"], reading)), *learner)
        say_how(model.past.about)
        note_uninformative(model.past)
        return model.estimator, model.past.target, model.level
    if given["read"]:
        raise usage("--read has no effect on Parquet files.")
    model = _loaded(given)
    return model.estimator, None, model.level


# -- predictions


def _documents(model: Model, queries: Queries, *, explained: bool) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yield the JSON document and the explanation of each new case, computed in blocks of cases."""
    record_of = _records(model.estimator) if explained else None
    lines_of_past = model.past.lines or None  # None for saved models and data sets, which have no lines
    noted: dict[type[Warning], list[int]] = {FarQueryWarning: [], LocalConvergenceWarning: []}
    for start in range(0, len(queries.lines), _BLOCK[explained]):
        block = slice(start, start + _BLOCK[explained])
        lines = queries.lines[block]
        actual = [None] * len(lines) if queries.actual is None else queries.actual[block]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = _predicted(model, queries.X.iloc[block], lines, actual, explained=explained)
            why: Sequence[Any] = [None] * len(lines)
            if explained:
                import priorcase as pc

                why = list(pc.explain(model.estimator, queries.X.iloc[block], **model.options))
        for warning in caught:
            message: Any = warning.message
            kind = next((kind for kind in noted if isinstance(message, kind)), None)
            if kind is None:
                warnings.warn_explicit(message, warning.category, warning.filename, warning.lineno)
            else:
                noted[kind] += [lines[i] for i in message.queries if lines[i] not in noted[kind]]
        for document, one in zip(found, why, strict=True):
            if one is not None:
                document |= precedents_document(one.precedents, lines_of_past, record_of, document["prediction"])
                document["contributions"] = contributions_document(one)
                if one.counterfactuals is not None:
                    document["counterfactuals"] = counterfactuals_document(one.counterfactuals, lines_of_past)
            yield document, one
    if far := noted[FarQueryWarning]:
        note(
            f"no past case lies within the bandwidth at {named('line', far)}, so the nearest cases were used; increase "
            "the bandwidth to include more"
        )
    if unsettled := noted[LocalConvergenceWarning]:
        note(f"the local models at {named('line', unsettled)} did not converge, so their probabilities are approximate")


def _predicted(
    model: Model, cases: Any, lines: Sequence[int], actual: Sequence[Any], *, explained: bool
) -> list[dict[str, Any]]:
    """Return the predictions for cases as JSON documents."""
    estimator = model.estimator
    columns: dict[str, Sequence[Any]] = {"line": lines, "prediction": estimator.predict(cases).tolist()}
    if model.past.task == "classify":
        proba = estimator.predict_proba(cases)
        order = (-proba).argsort(axis=1, kind="stable").tolist()
        labels = [str(label) for label in estimator.classes_]
        columns["probabilities"] = [
            {labels[c]: float(row[c]) for c in best} for best, row in zip(order, proba, strict=True)
        ]
    if model.level is not None:
        columns["interval"] = list(map(tuple, estimator.predict_interval(cases, model.level).tolist()))
    columns["actual"] = actual
    if explained and hasattr(estimator, "coefficients") and estimator.degree:
        local = estimator.coefficients(cases)
        columns["slopes"] = [dict(zip(local.labels, row, strict=True)) for row in local.slopes.tolist()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _records(estimator: Any) -> Callable[[Any, int], dict[str, Any]] | None:
    """Return a function from a predicted class and a case id to the case's record; None if there are no records."""
    import priorcase as pc

    keys: tuple[str, ...] = ("id",)
    if isinstance(estimator, pc.PEBLS) and estimator.weighting is not None:
        frame = estimator.exemplars_
    elif isinstance(estimator, pc.IB3 | pc.IB4 | pc.IB5):
        frame, keys = estimator.concept_, ("id",) if isinstance(estimator, pc.IB3) else ("concept", "id")
    else:
        return None
    rows = lines_of(frame)
    found = {tuple(row[key] for key in keys): {name: row[name] for name in _RECORDS if name in row} for row in rows}
    return lambda prediction, id_: found.get((id_,) if len(keys) == 1 else (prediction, id_), {})


# -- about the model


def _document(model: Model) -> dict[str, Any]:
    """Return the fields of ``--json`` except the predictions; docs/guide/commands.md lists the fields."""
    past, given = model.past, model.estimator.get_params(deep=False)
    document = {"task": past.task, "target": past.target, "cases": model.cases, "learner": model.name}
    document["parameters"] = {name: value for name, value in given.items() if name != "n_jobs"}
    document["chosen"] = _chosen(model)
    document["attributes"] = {
        name: getattr(kind, "order", None) or type(kind).__name__.lower() for name, kind in past.kinds.items()
    }
    if hasattr(model.estimator, "stack_"):
        document["weights"] = model.estimator.weights_
    found = {"attribute_weights": _weights(model), "relevance": _relevance(model), "level": model.level}
    return document | {name: value for name, value in found.items() if value is not None}


def _chosen(model: Model) -> dict[str, Any]:
    """Return the settings that were chosen or learned in `fit`, by name."""
    inner = getattr(model.estimator, "model_", model.estimator)
    if inner is not model.estimator:
        return dict(inner.tuning_.best_params)
    found = {name: getattr(inner, f"{name}_", None) for name in _CHOSEN}
    if hasattr(inner, "prior_") and inner.prior == "auto":
        found["prior"] = str(inner.prior_)
    return {name: value for name, value in found.items() if value is not None and value == value}


def _weights(model: Model) -> dict[str, Any] | None:
    """Return the attribute weights by attribute, or by class and attribute; None if the learner uses no weights."""
    inner = getattr(model.estimator, "model_", model.estimator)
    found = getattr(inner, "attribute_weights_", None)
    if found is None or getattr(inner, "attribute_weights", "learned") is None:
        return None
    if isinstance(found, Mapping):
        return dict(found)
    return {str(row.pop("concept")): row for row in lines_of(found)}  # IB4 and IB5 have weights for each class


def _relevance(model: Model) -> dict[str, float] | None:
    """Return the probability that each attribute is relevant, or None if the learner does not compute it."""
    if not hasattr(model.estimator, "relevance_"):
        return None
    table = model.estimator.relevance_
    return {str(name): table[name] for name in table}


# -- as text


def _heading(model: Model) -> str:
    """Return the heading, which shows the target, learner, number of past cases, and settings chosen in `fit`."""
    given = model.estimator.get_params(deep=False)
    chosen = [f"{name} {_value(value)}" for name, value in _chosen(model).items() if given.get(name) != value]
    text = (
        f"{model.past.target} predicted by {model.estimator!r} from {model.cases:,} past case{'s' * (model.cases != 1)}"
    )
    if hasattr(model.estimator, "stack_"):
        text += "\n" + _largest("weights", model.estimator.weights_, "{:.2f}".format)
    return f"{text}\nchosen: {', '.join(chosen)}" if chosen else text


def _table_text(model: Model, queries: Queries, predictions: Sequence[dict[str, Any]]) -> str:
    """Format a line for each new case, and compare the predictions with the actual targets, if known."""
    from priorcase.learning.results import Grid, grids_text

    shown: dict[str, Callable[[Any], str]] = {"probabilities": _probabilities, "interval": _interval}
    names = {"prediction": model.past.target, "probabilities": "probability"}
    names["interval"] = f"{100 * (model.level or 0):.10g}% interval"
    columns = ["line", "prediction", *(["probabilities"] if model.past.task == "classify" else [])]
    columns += ["interval"] if model.level is not None else []
    columns += ["actual"] if queries.actual is not None else []
    columns = columns[queries.typed :]
    lines = [[shown.get(column, _value)(one[column]) for column in columns] for one in predictions]
    right = range(len(columns)) if model.past.task == "regress" else range(columns[0] == "line")
    grid = Grid("", [names.get(column, column) for column in columns], lines, right=right)
    return "\n".join([_heading(model), "", grids_text([grid]), *_summary(model, predictions)])


def _summary(model: Model, predictions: Sequence[dict[str, Any]]) -> list[str]:
    known = [one for one in predictions if one["actual"] is not None]
    if not known:
        return []
    if model.past.task == "classify":
        right = sum(one["actual"] == one["prediction"] for one in known)
        return ["", f"{right:,} of {len(known):,} right ({right / len(known):.1%})"]
    error = math.fsum(abs(one["prediction"] - one["actual"]) for one in known) / len(known)
    text = f"mean absolute error {number(error, 4)} over {len(known):,} cases"
    ends = [(*one["interval"], one["actual"]) for one in known if "interval" in one]
    finite = [lower <= actual <= upper for lower, upper, actual in ends if math.isfinite(upper - lower)]
    return ["", f"{text}, {sum(finite):,} of {len(finite):,} within their intervals" if finite else text]


def _value(value: Any) -> str:
    from priorcase.learning.results import value_text

    return value_text(value, 40)


def _interval(interval: tuple[float, float]) -> str:
    lower, upper = interval
    return f"{_value(lower)} to {_value(upper)}" if math.isfinite(upper - lower) else "unknown"


def _probabilities(found: Mapping[str, float]) -> str:
    """Format the most probable classes and the number of other possible classes."""
    possible = {label: share for label, share in found.items() if share > 0}
    large = max(1, sum(share >= _SMALL for share in possible.values()))
    shown = [f"{_value(label)} {_probability(share)}" for label, share in possible.items()][: min(large, _CLASSES)]
    return ", ".join([*shown, f"{len(possible) - len(shown)} more"] if len(possible) > len(shown) else shown)


def _probability(share: float) -> str:
    return ">0.99" if 1 - _SMALL <= share < 1 else f"{share:.2f}"


def _few(what: str, texts: Sequence[str], between: str = ", ") -> str:
    more = [f"{len(texts) - _MOST} more"] if len(texts) > _MOST else []
    return f"{what}: {between.join([*texts[:_MOST], *more])}"


def _largest(what: str, numbers: Mapping[str, float], form: Callable[[float], str]) -> str:
    return _few(what, [f"{name} {form(number)}" for name, number in sorted(numbers.items(), key=lambda one: -one[1])])


def _print_explained(console: Any, model: Model, queries: Queries, predictions: Iterator[tuple[Any, Any]]) -> None:
    from rich.text import Text

    from priorcase.learning.results import grids_text
    from priorcase.neighbors.precedents import TerminalView

    target = model.past.target
    for place, (one, why) in enumerate(predictions):
        if not place:
            console.print(Text(_heading(model), style="dim"))
            if (relevance := _relevance(model)) is not None:
                console.print(Text(_largest("probability of relevance", relevance, _probability), style="dim"))
            elif (weights := _weights(model)) and all(isinstance(weight, float) for weight in weights.values()):
                console.print(Text(_largest("attribute weights", weights, partial(number, digits=3)), style="dim"))
        console.print()
        line = "" if queries.typed else f"line {one['line']}  "
        heading = Text(line + ("" if one["actual"] is None else f"actual: {_value(one['actual'])}  "), style="dim")
        console.print(TerminalView(why.precedents, target, [heading]))
        console.print()
        console.print(Text(grids_text([replace(why._grid(0), title="")])))
        if why.counterfactuals is not None:
            console.print()
            grid = replace(why.counterfactuals._grid(0), title="")
            console.print(Text("what would change the prediction", style="dim"))
            console.print(Text(grids_text([grid])))
        for line in _beside(model, one):
            console.print(Text(line, style="dim"))


def _beside(model: Model, one: dict[str, Any]) -> Iterator[str]:
    """Yield the lines printed below an explanation: line numbers of past cases, records, interval and slopes."""
    cases = [*one.get("precedents", ()), *([one["unlike"]] if one.get("unlike") else [])]
    shown = [*cases, *one.get("counterfactuals", ())]
    lines = {case["id"]: case["line"] for case in shown if case.get("line") is not None}
    if lines:
        yield _few("past cases", [f"#{id_} is line {line}" for id_, line in lines.items()])
    records = {case["id"]: _record_text(case) for case in cases if "trials" in case or "used" in case}
    if records:
        yield _few("records", [f"#{id_} {text}" for id_, text in records.items()], "; ")
    if "interval" in one:
        yield f"{100 * (model.level or 0):.10g}% interval: {_interval(one['interval'])}"
    slopes = {name: slope for name, slope in one.get("slopes", {}).items() if slope and not math.isnan(slope)}
    if slopes:
        yield _few("slopes", [f"{name} {'+' * (slope > 0)}{number(slope, 3)}" for name, slope in slopes.items()])


def _record_text(case: Mapping[str, Any]) -> str:
    if "verdict" in case:
        return f"right {case['successes']:g} of {case['trials']:g}, {case['verdict']}"
    return f"weight {number(case['weight'], 3)}, right {case['correct']} of {case['used']}"


def _csv_text(model: Model, queries: Queries, predictions: Sequence[dict[str, Any]], *, to_file: bool) -> str:
    """Return CSV with the columns of the new cases and the predictions, formatted like the query file."""
    about = queries.about
    delimiter = about.get("delimiter", ",")
    delimiter = "," if delimiter == " " else delimiter
    commas = any(column.get("decimal") == "," for column in about.get("columns", {}).values())

    def cell(value: Any) -> Any:
        return str(value).replace(".", ",") if commas and isinstance(value, float) and value == value else value

    labels = [str(label) for label in model.estimator.classes_] if model.past.task == "classify" else []
    header = ["prediction", *(f"P({label})" for label in labels)]
    header += ["lower", "upper"] if model.level is not None else []
    header += ["actual"] if queries.actual is not None else []
    fields: dict[str, list[Any]] = {} if queries.fields is None else queries.fields().to_dict("list")
    if queries.actual is not None:
        fields.pop(model.past.target, None)
    given = {f"{name} (value)" if name in ("line", *header) else name: texts for name, texts in fields.items()}
    lines = []
    for row, one in enumerate(predictions):
        cells = [one["prediction"], *(round(one["probabilities"][label], _DECIMALS) for label in labels)]
        cells += [end if math.isfinite(end) else None for end in one.get("interval", ())]
        own = {name: texts[row] for name, texts in given.items()}
        found = dict(zip(header, map(cell, [*cells, one["actual"]][: len(header)]), strict=True))
        lines.append({"line": one["line"]} | own | found)
    text = csv_text(lines, ["line", *given, *header], delimiter=delimiter)
    # Some spreadsheet programs need a byte-order mark to read non-ASCII letters.
    marked = to_file and (
        delimiter != "," or "byte_order_mark" in about or about.get("encoding", "").startswith("utf-16")
    )
    return f"\ufeff{text}" if marked else text
