"""Predictions of any column or of several columns jointly, and contributions of columns to log-odds.

All results are computed from the terms of an additive model: for class k and query q,
``ln P(k, q) = ln a_k + sum_i ln phi_ki(q_i)``. The methods of `AdditiveBayes` call the functions of this module.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy.special import expit

from priorcase._parameters import check_value
from priorcase._typing import AnyArray, Backend, FloatArray, IntArray, Name, Value
from priorcase.bayes.additive import AdditiveModel, Scale
from priorcase.bayes.discretize import intervals
from priorcase.bayes.memory import MISSING
from priorcase.bayes.results import TARGET, Contributions, JointDistribution
from priorcase.exceptions import ParameterError, TargetError, TooLargeError, listed, nearest, quoted
from priorcase.instances import Instances
from priorcase.learning.estimator import read_queries
from priorcase.learning.results import attribute_names, decoded
from priorcase.learning.targets import as_array, objects
from priorcase.schema import Coded, Date, Kind, Nominal, ReadColumn, Schema, Set, Table, Text
from priorcase.schema.columns import ObjectColumn
from priorcase.schema.kinds import canonical, content_of, family, identity, is_hashable, is_missing, plain
from priorcase.schema.schema import Source, open_source

if TYPE_CHECKING:
    from priorcase.bayes.naive_bayes import AdditiveBayes

MAX_PROBABILITIES = 10_000_000
"""Maximum number of probabilities in a joint distribution, which take 80 megabytes."""

# Maximum number of terms in a block of queries; each takes eight bytes.
_TERMS_AT_ONCE = 1 << 21


# -- predictions


def contributions(estimator: AdditiveBayes, X: Any, versus: Value | None) -> Contributions:
    memory, labels = estimator._answering(), estimator._labels()
    schema = memory.instances.schema
    if labels.size < 2:
        raise TargetError(
            f"contributions compare two classes, but {labels.tolist()[0]!r} is the only class. Add rows of other "
            "classes, or declare them: partial_fit(..., classes=...)."
        )
    table, model = estimator._table(X), estimator._model()
    queries, attributes = memory.taken_apart(table), memory.attributes()
    joint = model.scores(attributes.instances, queries, Scale.JOINT, threads=estimator._threads())
    first, second = np.argsort(-joint, axis=1, kind="stable")[:, :2].T
    if versus is not None:
        other = class_positions([versus], labels, parameter="versus")[0]
        second = np.where(first == other, second, other)
    rows, logs = np.arange(len(joint)), estimator._log_probabilities(joint)
    own, other_logs = logs[rows, first], logs[rows, second]
    names, probabilities = attribute_names(schema), np.exp(np.stack([own, other_logs], axis=1))
    shares, backend = _differences(model, attributes.instances, queries, first, second), estimator._backend
    if attributes.parts is not None:
        shares = _summed(shares, attributes.parts.columns)
    both, total = (labels[first], labels[second]), own - other_logs
    return Contributions(names, decoded(table), *both, shares, total, probabilities, backend)


def _summed(shares: FloatArray, columns: IntArray) -> FloatArray:
    """Return the contributions of the prior and of each column; a column's contribution is the sum over its parts."""
    found = np.zeros((len(shares), 2 + int(columns[-1])))
    found[:, 0] = shares[:, 0]
    with np.errstate(invalid="ignore"):  # NaN if one part rules out one class, and another part the other class
        for i, a in enumerate(columns.tolist()):
            found[:, 1 + a] += shares[:, 1 + i]
    return found


def _differences(
    model: AdditiveModel, instances: Instances, table: Table, first: IntArray, second: IntArray
) -> FloatArray:
    """Return, for each row, the prior and attribute terms in class ``first`` minus the terms in class ``second``."""
    cells, every = instances.encode(table), np.arange(len(table))
    found = np.empty((len(cells), 1 + cells.shape[1]))
    step = max(1, _TERMS_AT_ONCE // max(1, cells.shape[1] * model.prior.size))
    with np.errstate(invalid="ignore"):  # NaN if both are impossible
        found[:, 0] = model.prior[first] - model.prior[second]
        for start in range(0, len(cells), step):
            at = slice(start, start + step)
            terms = model.terms(cells[at])
            rows = np.arange(len(terms))
            found[at, 1:] = terms[rows, :, first[at]] - terms[rows, :, second[at]]
        for a, texts in model.texts.items():
            logs = texts.logs(cast(Coded, table.columns[a]))
            found[:, 1 + a] = logs[every, first] - logs[every, second]
    return found


def predict_column(
    estimator: AdditiveBayes, X: Any, column: Name, y: Any, return_proba: bool
) -> AnyArray | tuple[AnyArray, FloatArray]:
    schema = estimator._answering().instances.schema
    a = asked_position(column, schema, parameter="column")
    check_value("return_proba", return_proba, ["boolean"])
    likely: AnyArray
    if a == len(schema):
        _check_class_unknown(y)
        likely = estimator._labels()[np.argmax(estimator._ask(X, Scale.JOINT), axis=1)]
        return (likely, estimator._ask(X, Scale.PROBABILITY)) if return_proba else likely
    i = _attribute(estimator, a)
    if not return_proba and i not in estimator._statistics().discrete.attributes:
        means, probabilities = _means(estimator, i), _class_probabilities(estimator, X, y, (a,))
        # Differences from the first mean, so that equal means give exactly that mean. The sum is computed class by
        # class, so that it is identical for any batch.
        expected = np.zeros(len(probabilities))
        for k, away in enumerate((means - means[0]).tolist()):
            expected += probabilities[:, k] * away
        return float(means[0]) + expected
    values, cells = _values_of(estimator, a)
    classes = _class_probabilities(estimator, X, y, (a,))
    probabilities = joint_table(classes, [np.exp(estimator._model().table[cells])], kept=False)
    likely = values[probabilities.argmax(axis=1)]
    return (likely, probabilities) if return_proba else likely


def column_values(estimator: AdditiveBayes, column: Name) -> AnyArray:
    schema = estimator._answering().instances.schema
    a = asked_position(column, schema, parameter="column")
    return estimator._labels() if a == len(schema) else _values_of(estimator, a)[0]


def predict_joint(estimator: AdditiveBayes, X: Any, targets: Sequence[Name], y: Any) -> JointDistribution:
    schema = estimator._answering().instances.schema
    asked = asked_positions(targets, schema)
    with_class = len(schema) in asked
    if with_class:
        _check_class_unknown(y)
    columns = {a: _values_of(estimator, a) for a in sorted(set(asked) - {len(schema)})}
    values = {a: names for a, (names, _) in columns.items()} | {len(schema): estimator._labels()}
    classes = _class_probabilities(estimator, X, y, list(columns))
    shares = [np.exp(estimator._model().table[cells]) for _, cells in columns.values()]
    return joint_distribution(schema, asked, values, classes, shares, kept=with_class, backend=estimator._backend)


def _check_class_unknown(y: Any) -> None:
    if y is not None:
        raise ParameterError("y was passed, but the class is to be predicted. Omit y, or predict other columns.")


def _class_probabilities(estimator: AdditiveBayes, X: Any, y: Any, without: Sequence[int]) -> FloatArray:
    """Return class probabilities computed without the columns ``without``; a class given in ``y`` has probability 1."""
    memory = estimator._answering()
    source = with_missing_columns(open_source(X), memory.instances.schema, without)
    read = read_queries(source, memory.instances)
    known = known_classes(y, estimator._labels(), len(read))
    columns = (_all_missing(column) if a in without else column for a, column in enumerate(read.columns))
    table, instances = memory.taken_apart(Table(read.schema, len(read), tuple(columns))), memory.attributes().instances
    model = estimator._model()
    discrete, asked = model.discrete, {_attribute(estimator, a) for a in without}
    absent = [int(discrete.starts[d]) + MISSING for d, a in enumerate(discrete.attributes) if a in asked]
    if absent and discrete.missing.any():  # the predicted column adds nothing, even if missing is counted
        terms = model.table.copy()
        terms[absent] = 0.0
        model = replace(model, table=terms)
    joint = model.scores(instances, table, Scale.JOINT, threads=estimator._threads())
    probabilities = np.exp(estimator._log_probabilities(joint))
    if known is not None:
        given = np.flatnonzero(known >= 0)
        probabilities[given] = 0.0
        probabilities[given, known[given]] = 1.0
    return probabilities


def _all_missing(column: ReadColumn) -> ReadColumn:
    return Coded(np.full(len(column), -1, np.int8), ()) if isinstance(column, Coded) else np.full(len(column), np.nan)


def _attribute(estimator: AdditiveBayes, a: int) -> int:
    """Return the position of the attribute of a column; raise an error for dates, sets and texts."""
    schema, parts = estimator._stored().instances.schema, estimator._attributes().parts
    if isinstance(schema.kinds[a], (Date, Set, Text)):
        raise ParameterError(
            f"column {schema.label(a)!r} is a {schema.kinds[a].describe()}, which cannot be predicted. Choose a "
            "numeric, circular, ordinal or nominal column."
        )
    return a if parts is None else int(parts.attributes_of(a)[0])


def _means(estimator: AdditiveBayes, a: int) -> FloatArray:
    model, statistics = estimator._model(), estimator._statistics()
    if a in model.kernels:
        moments = model.kernels[a].moments
        found = np.where(moments.n > 0, moments.mean, moments.mean_all)
    else:
        moments, density = statistics.moments[a], model.densities[a]
        found = density.parameters[:, 1]
        if density.pooled is not None:
            share = float(expit(density.log_odds))
            found = share * found + (1 - share) * density.pooled[1]
    if not moments.n_all > 0:
        raise nothing_known(estimator._attributes().instances.schema.label(a))
    return found if moments.is_informative() else np.full(statistics.n_classes, float(moments.mean_all))


# -- several columns at once


def joint_distribution(
    schema: Schema,
    asked: Sequence[int],
    values: Mapping[int, AnyArray],
    kinds: FloatArray,
    shares: Sequence[FloatArray],
    *,
    kept: bool,
    backend: Backend | None,
) -> JointDistribution:
    """Return the joint distribution of the columns at positions ``asked``; position ``len(schema)`` is the class.

    ``values`` contains the values of each column by position, and ``shares`` the ``columns`` of `joint_table` in
    ascending order of position. For ``kinds`` and ``kept`` see `joint_table`.
    """
    targets = tuple(TARGET if a == len(schema) else schema.label(a) for a in asked)
    sizes, rows = [len(values[a]) for a in asked], len(kinds)
    if rows * math.prod(sizes) > MAX_PROBABILITIES:
        product = " x ".join(f"{size:,}" for size in sizes)
        raise TooLargeError(
            f"targets {listed(targets)} have {product} combinations of values for each of {rows:,} rows; expected at "
            f"most {MAX_PROBABILITIES:,} probabilities (combinations times rows). Pass fewer targets or fewer rows."
        )
    # The product is computed in ascending order of position, so that the order of ``asked`` does not affect rounding.
    axes = [1 + sorted(asked).index(a) for a in asked]
    table = np.ascontiguousarray(joint_table(kinds, shares, kept=kept).transpose(0, *axes))
    names = (*attribute_names(schema), TARGET)
    shown = tuple(str(names[a]) for a in asked)
    return JointDistribution(targets, tuple(values[a] for a in asked), table, shown, backend)


def joint_table(kinds: FloatArray, columns: Sequence[FloatArray], *, kept: bool) -> FloatArray:
    """Return normalized probabilities of all combinations of values v, ``sum_k P(k) prod_t phi_t(v_t | k)``.

    ``kinds`` contains P(k) for each query, and ``columns`` an array phi_t of shape (values, classes) for each column t.
    If ``kept`` is true, the classes k are the last axis of the result instead of being summed over.
    """
    n, n_kinds = kinds.shape
    sizes = [len(column) for column in columns]
    if not columns:
        return kinds
    found = np.zeros((n, math.prod(sizes), n_kinds if kept else 1))
    for k in range(n_kinds):  # class by class: identical results for any batch
        product = np.ones(1)
        for column in columns:
            product = np.multiply.outer(product, column[:, k]).ravel()
        part = kinds[:, k, np.newaxis] * product
        if kept:
            found[:, :, k] = part
        else:
            found[:, :, 0] += part
    flat = found.reshape(n, -1)
    flat /= flat.sum(axis=1, keepdims=True)
    return flat.reshape(n, *sizes, *([n_kinds] if kept else []))


# -- columns, their values, and what is known


def _values_of(estimator: AdditiveBayes, a: int) -> tuple[AnyArray, IntArray]:
    """Return the values of a discrete column in display order (None, for missing, last), and the cell of each value."""
    instances, discrete = estimator._attributes().instances, estimator._statistics().discrete
    a = _attribute(estimator, a)
    label = instances.schema.label(a)
    if a not in discrete.attributes:
        raise ParameterError(
            f"column {label!r} has a density instead of a list of values. Fit with bins: "
            f"numeric={{{label!r}: 'kmeans'}}."
        )
    d = discrete.attributes.index(a)
    cuts, codes = discrete.cuts[d], discrete.codes(d)
    held = np.flatnonzero(discrete.inside[codes])
    names: Sequence[Value] = instances.values(a) if cuts is None else intervals(cuts)
    held = held[shown_order([names[code] for code in held.tolist()], instances.schema.kinds[a])]
    values, cells = [names[code] for code in held.tolist()], codes.start + held
    missing = int(discrete.starts[d]) + MISSING
    if discrete.inside[missing]:
        values, cells = [*values, None], np.append(cells, missing)
    if not cells.size:
        raise nothing_known(label)
    return value_array(values), cells


def nothing_known(label: Name) -> ParameterError:
    """Return the error for a column whose value is missing in every training row."""
    return ParameterError(
        f"column {label!r} was missing in every training row. Choose other columns, or declare the values of this "
        f"column: schema={{{label!r}: Nominal(('yes', 'no'))}}"
    )


def shown_order(values: Sequence[Value], kind: Kind) -> list[int]:
    """Return the positions of a column's values in display order: the declared order, otherwise ascending order."""
    declared = not isinstance(kind, Nominal) or kind.values is not None
    return sorted(range(len(values)), key=lambda i: i if declared else _sort_key(values[i]))


def _sort_key(value: Value) -> tuple[int, Any]:
    """Return a sort key: booleans come first, then numbers, then strings, then values of other types."""
    rank = {"boolean": 0, "number": 1, "text": 2}.get(family(type(value)), 3)
    if rank == 1:
        number: Any = value
        return rank, Fraction(number)  # decimals and fractions do not compare with each other
    return rank, canonical(value) if rank == 3 else value


def value_array(values: Sequence[Value]) -> AnyArray:
    """Return an array of strings, of integers or of booleans if all values have this type, otherwise of objects."""
    # NumPy strings drop null characters at the end.
    if content_of(values) != "any" and not any(str(value).endswith("\0") for value in values):
        array = np.array(values)
        if len({type(value) for value in values}) == 1 and array.dtype.kind in "Ubi":
            return array
    return objects(list(values))


def asked_positions(targets: object, schema: Schema, *, classed: bool = True) -> tuple[int, ...]:
    """Return the positions of the columns in a list of targets; position ``len(schema)`` is the class."""
    keys = targets.tolist() if hasattr(targets, "tolist") else targets  # an array, or the columns of a frame
    if not (isinstance(keys, (list, tuple)) and keys):
        example = f"[{targets!r}]" if isinstance(targets, str) else "['color', 'class']"
        raise ParameterError(
            f"targets must be a list of at least one column, got {quoted(targets)}. Pass for example targets={example}."
        )
    seen: dict[int, Name] = {}
    for key in keys:
        a = asked_position(key, schema, parameter="targets", classed=classed)
        if a in seen:
            raise ParameterError(
                f"targets contains {seen[a]!r} and {key!r}, which are the same column; expected each column once"
            )
        seen[a] = key
    return tuple(seen)


def asked_position(key: Name, schema: Schema, *, parameter: str, classed: bool = True) -> int:
    """Return a column's position (``len(schema)`` for the class); ``classed`` states whether the model has classes."""
    if key is not TARGET and not (isinstance(key, str) and key == TARGET.value):
        if classed and isinstance(key, str) and nearest(key, [*(schema.names or ()), TARGET.value]) == TARGET.value:
            raise ParameterError(f"{parameter} contains {key!r}, which is not a column. Did you mean 'class'?")
        return schema.position(key, parameter=parameter)
    column = None if key is TARGET or key not in (schema.names or ()) else schema.position(key)
    if classed and column is not None:
        raise ParameterError(
            f"'class' is ambiguous, because a column has this name. Use priorcase.bayes.TARGET for the class, or "
            f"{column}, the position of the column."
        )
    if not classed and column is None:
        raise ParameterError(f"{parameter} contains the class, but the model was fitted without y, so it has no class")
    return len(schema) if column is None else column


def with_missing_columns(source: Source, schema: Schema, columns: Sequence[int]) -> Source:
    """Return the table with all the given columns; columns that the table does not have are added as missing values."""
    missing = ObjectColumn([None] * source.rows)
    if schema.names is not None and source.names is not None:
        lacking = [name for a in columns if (name := schema.names[a]) not in source.names]
        return replace(source, names=(*source.names, *lacking), columns=(*source.columns, *[missing] * len(lacking)))
    if not columns or len(source.columns) != len(schema) - len(columns):
        return source
    others = iter(source.columns)
    return Source(None, tuple(missing if a in columns else next(others) for a in range(len(schema))), source.rows)


def known_classes(y: Any, labels: AnyArray, rows: int) -> IntArray | None:
    """Return the position of each row's class, or -1 if the class is missing; return None if ``y`` is None."""
    if y is None:
        return None
    values = as_array(y.tolist() if isinstance(y, np.ma.MaskedArray) else y)
    if values.ndim != 1:
        raise TargetError(f"y must have one dimension, got shape {values.shape}")
    if len(values) != rows:
        raise TargetError(f"y must have one class for each row: X has {rows} rows and y has {len(values)}")
    given = values.tolist()
    known = [i for i, value in enumerate(given) if not is_missing(value)]
    found = np.full(rows, -1)
    found[known] = class_positions([given[i] for i in known], labels, parameter="y")
    return found


def class_positions(given: Sequence[Any], labels: AnyArray, *, parameter: str) -> list[int]:
    of = {identity(plain(label)): k for k, label in enumerate(labels.tolist())}
    found = [of.get(identity(plain(label)), -1) if is_hashable(label) else -1 for label in given]
    if -1 in found:
        label, classes = given[found.index(-1)], labels.tolist()
        remedy = "Use None for an unknown class." if parameter == "y" else "See classes_."
        meant = nearest(label, classes)
        advice = remedy if meant is None else f"Did you mean {meant!r}?"
        error = TargetError if parameter == "y" else ParameterError
        raise error(f"{quoted(label)} in {parameter} is not one of the classes {listed(classes)}. {advice}")
    return found
