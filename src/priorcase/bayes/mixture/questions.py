"""Applications of a fitted mixture: prediction of any column, imputation, sampling and outlier scores."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any, TypeAlias, cast, get_args

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils import check_random_state

from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, IntArray, Name
from priorcase.bayes import columns
from priorcase.bayes.mixture.columns import Cells, Layout, Scale, declaring, query_reader
from priorcase.bayes.mixture.em import Parameters, distribution, log_term, normalize, responsibilities
from priorcase.bayes.mixture.results import OutlierScores
from priorcase.bayes.parts import ARCS, MOST_MEMBERS, Parts, has_parts
from priorcase.bayes.results import JointDistribution
from priorcase.exceptions import ParameterError
from priorcase.learning.estimator import read_queries
from priorcase.learning.results import attribute_names, decoded
from priorcase.learning.targets import objects
from priorcase.saving import checked, checked_schema
from priorcase.schema import Circular, Date, Numeric, Ordinal, Schema, Set, Text
from priorcase.schema.dates import DAY, date_of
from priorcase.schema.kinds import DATE_PARTS
from priorcase.schema.schema import open_source

Fill: TypeAlias = tuple[BoolArray, list[Any], bool]
"""Mask of the rows with missing values in a column, the imputed values, and whether the column is numeric."""


@dataclass(frozen=True, eq=False)
class FittedMixture:
    """Fitted mixture: columns, components by descending weight, and outlier scores of the training rows."""

    layout: Layout
    parameters: Parameters
    schema: Schema
    labels: AnyArray | None
    backend: Backend | None
    training_scores: FloatArray  # outlier scores of the training rows, ascending
    tails: FloatArray  # share of the training rows with at least each of these scores, and 0 at the end
    usual: FloatArray  # the mean surprise of each column

    def saved(self) -> dict[str, Any]:
        """Return the fitted state for a saved model."""
        layout, names = self.layout, ("schema", "labels", "backend", "training_scores", "tails", "usual")
        scales = {a: astuple(scale) for a, scale in zip(layout.numeric, layout.scales, strict=True)}
        own = {each.name: getattr(self.parameters, each.name) for each in fields(self.parameters)}
        taken = None if layout.parts is None else layout.parts.taken
        state = {"scales": scales, "constant": layout.constant, "values": layout.values, "parts": taken, **own}
        return state | {name: getattr(self, name) for name in names}

    @classmethod
    def restored(cls, told: dict[str, Any]) -> FittedMixture:
        """Restore a mixture from the state that `saved` returned; raise ``ValueError`` if the state is inconsistent."""
        schema, labels, values, constant = (told[name] for name in ("schema", "labels", "values", "constant"))
        scales = {a: Scale(*numbers) for a, numbers in told["scales"].items()}
        parameters = Parameters(**{each.name: told[each.name] for each in fields(Parameters)})
        parts = None if told["parts"] is None else _restored_parts(checked_schema(schema), told["parts"])
        own_schema = checked_schema(schema) if parts is None else parts.schema
        if parts is None and has_parts(schema):
            raise ValueError("the parts of the columns are missing")
        kinds = own_schema.kinds
        discrete = tuple(a for a, kind in enumerate(kinds) if not isinstance(kind, Numeric))
        if [*sorted(scales)] != [*scales] or {*scales, *constant, *discrete} != {*range(len(kinds))}:
            raise ValueError("the columns do not match the schema")
        if len(scales) + len(constant) + len(discrete) != len(kinds) or type(values) is not tuple:
            raise ValueError("the columns do not match the schema")
        numbers = [number for scale in scales.values() for number in astuple(scale)]
        numbers += [number for number in constant.values() if number is not None]
        if not all(type(number) is float and math.isfinite(number) for number in numbers):
            raise ValueError("an invalid scale")
        if any(min(scale.unit, scale.spread, scale.grain) <= 0 for scale in scales.values()):
            raise ValueError("an invalid scale")
        if labels is not None and (labels.ndim != 1 or values[-1] != tuple(labels.tolist())):
            raise ValueError("inconsistent classes")
        own = values[: len(discrete)]
        n = checked(parameters.log_weights, np.float64, (None,)).size
        checked(parameters.means, np.float64, (len(scales), n))
        checked(parameters.precisions, np.float64, (len(scales), n), least=1e-300)
        if n < 1 or len(values) != len(discrete) + (labels is not None) or type(parameters.tables) is not tuple:
            raise ValueError("inconsistent components")
        for table, known in zip(parameters.tables, values, strict=True):
            checked(table, np.float64, (n, len(known) + 2))
        for a, known in zip(discrete, own, strict=True):
            kind = kinds[a]
            if type(known) is not tuple or (isinstance(kind, Ordinal) and known != kind.order):
                raise ValueError("the values of a column do not match its kind")
            if isinstance(kind, Text) and (set(map(type, known)) - {str} or len(set(known)) < len(known)):
                raise ValueError("invalid words")
        rest = [told[name] for name in ("training_scores", "tails", "usual")]
        if told["backend"] not in (None, *get_args(Backend)) or any(np.isnan(each).any() for each in rest):
            raise ValueError("invalid outlier scores or data frame library")
        if [each.shape for each in rest] != [(rest[0].size,), (rest[0].size + 1,), (len(schema),)]:
            raise ValueError("the outlier scores have inconsistent shapes")
        reader = query_reader(declaring(own_schema, dict(zip(discrete, own, strict=True))))
        layout = Layout(
            reader, tuple(scales), tuple(scales.values()), dict(constant), discrete, values, labels is not None, parts
        )
        return cls(layout, parameters, schema, labels, told["backend"], *rest)

    @property
    def free(self) -> int:
        """Number of free parameters, not counting the parameters of the class."""
        n, discrete = len(self.parameters), self.layout.discrete
        values = sum(max(table.shape[1] - 3, 0) for table in self.parameters.tables[: len(discrete)])
        return n - 1 + n * int(values + 2 * len(self.parameters.means))

    def encoded(self, X: Any) -> Cells:
        return self.layout.encode(self.layout.matrix(read_queries(X, self.layout.table_reader)))


def _restored_parts(schema: Schema, taken: Any) -> Parts:
    """Return the saved `Parts` of dates and sets; raise ``ValueError`` if they do not match the schema."""
    if type(taken) is not tuple or len(taken) != len(schema):
        raise ValueError("the parts do not match the schema")
    for kind, parts in zip(schema.kinds, taken, strict=True):
        if (parts is None) == isinstance(kind, (Date, Set)) or (parts is not None and type(parts) is not tuple):
            raise ValueError("the parts of a column do not match its kind")
        if isinstance(kind, Date) and not (parts and set(parts) <= set(DATE_PARTS) and len(set(parts)) == len(parts)):
            raise ValueError("invalid parts of dates")
        if parts is not None and (len(parts) > MOST_MEMBERS or len(set(parts)) < len(parts)):
            raise ValueError("invalid members")
    return Parts.taking(schema, taken, arcs=True)


# -- columns


def predict_column(
    mixture: FittedMixture, X: Any, column: Name, y: Any, return_proba: bool
) -> AnyArray | tuple[AnyArray, FloatArray]:
    """See `MixtureModel.predict_column`."""
    a = columns.asked_position(column, mixture.schema, parameter="column", classed=mixture.labels is not None)
    if return_proba:
        values_of(mixture, a)  # raises an error for numbers
    values, chances = _predicted(mixture, _responsibilities_without(mixture, X, y, [a]), a)
    return (values, chances) if return_proba and chances is not None else values


def predict_joint(mixture: FittedMixture, X: Any, targets: Sequence[Name], y: Any) -> JointDistribution:
    """See `MixtureModel.predict_joint`."""
    asked = columns.asked_positions(targets, mixture.schema, classed=mixture.labels is not None)
    values = {a: values_of(mixture, a) for a in asked}
    shares = _responsibilities_without(mixture, X, y, asked)
    places = [mixture.layout.discrete_at(mixture.layout.attributes_of(a)[0]) for a in sorted(asked)]
    tables = [np.exp(mixture.parameters.tables[j][:, :-2]).T for j in places if j is not None]
    backend = mixture.backend
    return columns.joint_distribution(mixture.schema, asked, values, shares.T, tables, kept=False, backend=backend)


def values_of(mixture: FittedMixture, a: int) -> AnyArray:
    """Return the values of column ``a`` (``len(schema)`` is the class); raise an error if no values can be listed."""
    if a == len(mixture.schema) and mixture.labels is not None:
        return mixture.labels
    kind = mixture.schema.kinds[a]
    if isinstance(kind, Text):
        raise ParameterError(
            f"column {mixture.schema.label(a)!r} is a text column, which a mixture cannot predict. Choose another "
            "column; components_ has the words of each component."
        )
    if isinstance(kind, (Date, Set)):
        raise ParameterError(
            f"column {mixture.schema.label(a)!r} is a {kind.describe()} and has no list of values. Use predict_column "
            "without return_proba to predict it."
        )
    j = mixture.layout.discrete_at(mixture.layout.attributes_of(a)[0])
    if j is None:
        raise ParameterError(
            f"column {mixture.schema.label(a)!r} is numeric and has no list of values. Use predict_column without "
            "return_proba for its expected value."
        )
    if not mixture.layout.values[j]:
        raise columns.nothing_known(mixture.schema.label(a))
    values = columns.value_array(mixture.layout.values[j])
    return values.astype(np.float64) if isinstance(kind, Circular) else values


def _responsibilities_without(mixture: FittedMixture, X: Any, y: Any, asked: Sequence[int]) -> FloatArray:
    """Return the component probabilities, given the columns not in ``asked`` and any known classes in ``y``."""
    layout, class_position = mixture.layout, len(mixture.schema)
    others = sorted(set(asked) - {class_position})
    table = read_queries(columns.with_missing_columns(open_source(X), mixture.schema, others), layout.table_reader)
    if y is not None and mixture.labels is None:
        raise ParameterError("y was passed, but the model was fitted without y and has no classes. Fit with y.")
    if y is not None and class_position in asked:
        raise ParameterError("y was passed, but the class is to be predicted. Omit y.")
    matrix = layout.matrix(table)
    matrix[:, [i for a in others for i in layout.attributes_of(a)]] = np.nan
    classes = None if mixture.labels is None else columns.known_classes(y, mixture.labels, len(matrix))
    if classes is not None:
        classes[classes < 0] = layout.sizes[-1]
    return responsibilities(mixture.parameters, layout.encode(matrix, classes))[0]


def _predicted(mixture: FittedMixture, shares: FloatArray, a: int) -> tuple[AnyArray, FloatArray | None]:
    """Return predictions of column ``a``, and the probabilities of its values (None for numbers, dates and sets)."""
    layout, parameters = mixture.layout, mixture.parameters
    if a < len(mixture.schema) and layout.parts is not None and layout.parts.taken[a] is not None:
        return _expected(mixture, shares, a), None
    column, a = a, layout.attributes_of(a)[0]
    if (j := layout.discrete_at(a)) is not None:
        values, chances = values_of(mixture, column), distribution(parameters, shares, j)
        return values[chances.argmax(axis=1)], chances
    return _expected_number(mixture, shares, a), None


def _expected_number(mixture: FittedMixture, shares: FloatArray, a: int) -> FloatArray:
    """Return the expected value of a numeric attribute for each row."""
    layout = mixture.layout
    if a in layout.numeric:
        j = layout.numeric.index(a)
        expected = np.zeros(shares.shape[1])
        for share, mean in zip(shares, mixture.parameters.means[j].tolist(), strict=True):
            expected += share * mean
        return layout.scales[j].original(expected)
    only = layout.constant[a]
    if only is None:
        raise columns.nothing_known(mixture.schema.label(layout.column_of(a)))
    return np.full(shares.shape[1], only)


def _expected(mixture: FittedMixture, shares: FloatArray, a: int) -> AnyArray:
    """Return the expected date of each row, rounded to days unless the hour is a part, or the probable set."""
    layout, parts = mixture.layout, cast(Parts, mixture.layout.parts)
    taken, attributes = parts.taken[a] or (), layout.attributes_of(a)
    if isinstance(mixture.schema.kinds[a], Date):
        if "elapsed" not in taken:
            raise ParameterError(
                f"column {mixture.schema.label(a)!r} cannot be predicted, because 'elapsed' is not among the "
                "parts of its Date. Declare it as Date(('elapsed', ...))."
            )
        unit = 1.0 if "hour" in taken else DAY
        seconds = _expected_number(mixture, shares, attributes[taken.index("elapsed")])
        return objects([date_of(number) for number in (np.round(seconds / unit) * unit).tolist()])
    has = np.zeros((shares.shape[1], len(taken)), np.bool_)
    for j, i in enumerate(attributes[: len(taken)]):
        place = layout.discrete.index(i)
        has[:, j] = distribution(mixture.parameters, shares, place)[:, layout.values[place].index(True)] > 0.5
    return objects([frozenset(member for member, own in zip(taken, row, strict=True) if own) for row in has.tolist()])


# -- imputing


def impute(mixture: FittedMixture, X: Any) -> Any:
    """See `MixtureModel.impute`."""
    names, schema = open_source(X).names, mixture.schema
    layout = mixture.layout
    matrix = layout.matrix(read_queries(X, layout.table_reader))
    shares = responsibilities(mixture.parameters, mixture.layout.encode(matrix))[0]
    fills: dict[int, Fill] = {}
    for a in range(len(schema)):
        missing: BoolArray = np.isnan(matrix[:, layout.attributes_of(a)[0]])
        if missing.any() and not isinstance(schema.kinds[a], Text):
            found = _predicted(mixture, shares[:, missing], a)[0]
            position = a if schema.names is None or names is None else names.index(schema.names[a])
            number = isinstance(schema.kinds[a], Numeric) and not isinstance(schema.kinds[a], Date)
            fills[position] = (missing, found.tolist(), number)
    if nw.dependencies.is_into_dataframe(X):
        frame = nw.from_native(X, eager_only=True)
        if frame.implementation.is_pandas_like():
            result = X.copy()
            for position, fill in fills.items():
                result.isetitem(position, _filled_pandas(X.iloc[:, position], *fill))
            return result
        filled = [_filled_series(frame[frame.columns[position]], *fill) for position, fill in fills.items()]
        return frame.with_columns(filled).to_native()
    if isinstance(X, (list, tuple)):
        return _filled_rows(X, fills)
    array = np.asarray(X)
    whole = array.dtype.kind in "iub" and any(numeric for _, _, numeric in fills.values())
    array = array.astype(np.float64) if whole else array.copy()
    for position, (missing, values, _) in fills.items():
        array[missing, position] = objects(values) if array.dtype.kind == "O" else values
    return array


def _filled_rows(X: list[Any] | tuple[Any, ...], fills: dict[int, Fill]) -> list[Any] | tuple[Any, ...]:
    """Fill the missing values of a list or tuple of rows; each row keeps its type."""
    rows = [list(row) for row in X]
    for position, (missing, values, _) in fills.items():
        for row, value in zip(np.flatnonzero(missing).tolist(), values, strict=True):
            rows[row][position] = value
    like = [
        np.array(row, dtype=old.dtype) if isinstance(old, np.ndarray) else tuple(row) if isinstance(old, tuple) else row
        for old, row in zip(X, rows, strict=True)
    ]
    return like if isinstance(X, list) else tuple(like)


def _filled_pandas(column: Any, missing: BoolArray, values: list[Any], numeric: bool) -> Any:
    """Fill a pandas column; the type changes only if it cannot represent the values."""
    kind = str(column.dtype).lower()
    if numeric and kind.startswith(("int", "uint", "bool")):
        column = column.astype("double[pyarrow]" if kind.endswith("[pyarrow]") else "Float64")
    elif kind.startswith("sparse"):
        column = column.sparse.to_dense()
    elif hasattr(column, "cat") and hasattr(column.dtype, "categories"):
        absent = [value for value in dict.fromkeys(values) if value not in column.dtype.categories]
        column = column.cat.add_categories(absent)
    array = column.array.copy()
    plain = isinstance(column.dtype, np.dtype)
    if plain and column.dtype.kind == "O":
        array[missing] = objects(values)
    else:
        array[missing] = np.array(values, column.dtype) if plain else values
    # With an explicit type; otherwise pandas would convert objects to strings.
    return type(column)(array, index=column.index, dtype=column.dtype)


def _filled_series(series: nw.Series[Any], missing: BoolArray, values: list[Any], numeric: bool) -> nw.Series[Any]:
    """Fill a Polars or PyArrow column; the type changes only if it cannot represent the values."""
    kind, dtype = series.to_native(), series.dtype
    if numeric and not dtype.is_float():
        series = series.cast(nw.Float64)
    elif isinstance(dtype, nw.Enum) and not set(values) <= set(dtype.categories):
        series = series.cast(nw.String)
    found = iter(values)
    spread = [next(found) if absent else None for absent in missing.tolist()]
    backend = series.implementation.value
    text = backend == "pyarrow" and series.dtype == nw.Categorical
    given = nw.String if text else None if series.dtype == nw.Object else series.dtype
    fill: nw.Series[Any] = nw.new_series(series.name, spread, given, backend=backend)
    kept: nw.Series[Any] = nw.new_series("kept", (~missing).tolist(), nw.Boolean, backend=backend)
    result: nw.Series[Any] = series.zip_with(kept, fill)
    if text:
        result = nw.from_native(result.to_native().cast(kind.type), series_only=True)
    return result.alias(series.name)


# -- sampling


def sample(mixture: FittedMixture, n: int, random_state: Any) -> tuple[Any, AnyArray]:
    """See `MixtureModel.sample`."""
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    layout, parameters = mixture.layout, mixture.parameters
    weights = np.exp(parameters.log_weights)
    owners = rng.choice(len(parameters), size=n, p=weights / weights.sum())
    drawn_attributes = [_drawn_column(mixture, i, owners, rng) for i in range(len(layout.reader.schema))]
    found = [_put_together(mixture, a, drawn_attributes, rng) for a in range(len(mixture.schema))]
    drawn = owners if mixture.labels is None else mixture.labels[_drawn_codes(parameters.tables[-1], owners, rng)]
    if mixture.backend is not None and mixture.schema.names is not None:
        named = zip(mixture.schema.names, found, strict=True)
        plain: dict[Any, Any] = {name: column.tolist() for name, column in named}
        return nw.from_dict(plain, backend=mixture.backend).to_native(), drawn
    numbers = all(column.dtype.kind == "f" for column in found)
    table = np.empty((n, len(found)), dtype=np.float64 if numbers else object)
    for a, column in enumerate(found):
        table[:, a] = column if numbers else objects(column.tolist())
    return table, drawn


def _put_together(mixture: FittedMixture, a: int, drawn: Sequence[AnyArray], rng: np.random.Generator) -> AnyArray:
    """Combine the drawn attributes of a column; dates without the part ``elapsed`` become missing values."""
    layout, kind = mixture.layout, mixture.schema.kinds[a]
    found = [drawn[i] for i in layout.attributes_of(a)]
    taken = None if layout.parts is None else layout.parts.taken[a]
    if isinstance(kind, Date):
        if taken is None or "elapsed" not in taken:
            return np.full(len(drawn[0]), None)
        unit = 1.0 if "hour" in taken else DAY
        seconds = np.round(found[taken.index("elapsed")] / unit) * unit
        return objects([None if np.isnan(number) else date_of(number) for number in seconds.tolist()])
    if isinstance(kind, Set):
        rows = zip(*(found[: len(taken or ())] or [np.zeros(len(drawn[0]))]), strict=True)
        return objects([frozenset(m for m, own in zip(taken or (), row, strict=False) if own) for row in rows])
    if isinstance(kind, Circular) and layout.parts is not None:  # uniformly on the arc
        return np.asarray(found[0] + (rng.random(len(found[0])) - 0.5) * (kind.period / ARCS), np.float64)
    return found[0]


def _drawn_column(mixture: FittedMixture, a: int, owners: IntArray, rng: np.random.Generator) -> AnyArray:
    """Draw values of attribute ``a``; texts, and attributes without known values, become missing values."""
    layout, parameters = mixture.layout, mixture.parameters
    if a in layout.numeric:
        j = layout.numeric.index(a)
        spread = np.sqrt(1.0 / parameters.precisions[j])
        return layout.scales[j].original(rng.normal(parameters.means[j][owners], spread[owners]))
    if a in layout.discrete:
        j = layout.discrete.index(a)
        if not layout.values[j] or j in layout.texts:
            return np.full(owners.size, None)
        return np.asarray(columns.value_array(layout.values[j])[_drawn_codes(parameters.tables[j], owners, rng)])
    only = layout.constant[a]
    return np.full(owners.size, np.nan if only is None else only)


def _drawn_codes(table: FloatArray, owners: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw a value for each row, using the probabilities in the row's component."""
    bounds = np.cumsum(np.exp(table[:, :-2]), axis=1)
    draws = rng.random(owners.size) * bounds[owners, -1]
    codes = np.zeros(owners.size, np.int64)
    for k, bound in enumerate(bounds):
        mine = owners == k
        codes[mine] = np.minimum(np.searchsorted(bound, draws[mine], side="right"), bound.size - 1)
    return codes


# -- outlier scores


def training_outlier_scores(
    layout: Layout, parameters: Parameters, cells: Cells
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the fields ``training_scores``, ``tails`` and ``usual`` of `FittedMixture`."""
    n = len(layout.table_reader.schema)
    scores, usual, known = np.empty(len(cells)), np.zeros(n), np.zeros(n)
    for rows in cells.blocks(len(parameters) * len(layout.reader.schema)):
        scores[rows], surprises, _ = _measured(layout, parameters, cells, rows)
        usual += np.einsum("na,n->a", surprises, cells.weights[rows])
    order = np.argsort(scores, kind="stable")
    above = np.append(np.cumsum(cells.weights[order[::-1]])[::-1], 0.0)
    for j, a in enumerate((*layout.numeric, *layout.discrete)):
        known[layout.column_of(a)] = (_known(layout, cells, j, slice(0, len(cells))) * cells.weights).sum()
    return scores[order], above / above[0], np.divide(usual, known, out=np.zeros_like(usual), where=known > 0)


def outlier_scores(mixture: FittedMixture, X: Any) -> OutlierScores:
    """See `MixtureModel.outlier_scores`."""
    layout = mixture.layout
    table = read_queries(X, layout.table_reader)
    cells = layout.encode(layout.matrix(table))
    parts = cells.blocks(len(mixture.parameters) * len(layout.reader.schema))
    blocks = [_measured(layout, mixture.parameters, cells, rows) for rows in parts]
    scores, surprises, shares = (np.concatenate(column) for column in zip(*blocks, strict=True))
    tails = mixture.tails[np.searchsorted(mixture.training_scores, scores, side="left")]
    names, queries, mixing = attribute_names(mixture.schema), decoded(table), scores - shares.sum(axis=1)
    return OutlierScores(names, queries, scores, tails, surprises, mixture.usual, shares, mixing, mixture.backend)


def _measured(layout: Layout, parameters: Parameters, cells: Cells, rows: slice) -> tuple[FloatArray, ...]:
    """Return the scores, surprises and contributions of rows, ignoring their class; see `OutlierScores`."""
    n = rows.stop - rows.start
    attributes, terms, widths = list[int](), list[FloatArray](), list[FloatArray]()
    for column, of in _by_column(layout).items():  # the parts of a column form one term
        attributes.append(column)
        terms.append(functools.reduce(np.add, [log_term(parameters, cells, j, rows) for j in of]))
        standard = [layout.scales[j].log_width * _known(layout, cells, j, rows) for j in of if j < len(layout.scales)]
        widths.append(sum(standard, np.zeros(n)))
    # For each attribute, add up all other terms: subtracting an outlier's term from the total would leave only rounding
    # errors.
    after = [np.zeros((len(parameters), n))]
    for term in terms[:0:-1]:
        after.append(after[-1] + term)
    before = np.repeat(parameters.log_weights[:, None], n, axis=1)
    surprises, shares = (np.zeros((n, len(layout.table_reader.schema))) for _ in range(2))
    for a, term in zip(attributes, terms, strict=True):
        others = before + after.pop()
        surprises[:, a] = -normalize(others - normalize(others.copy()) + term)
        before += term
    scores = -(normalize(before) + cells.offsets[rows])  # `before` now contains the responsibilities
    for a, term, width, of in zip(attributes, terms, widths, _by_column(layout).values(), strict=True):
        for owner, log in zip(before, term, strict=True):
            shares[:, a] -= owner * log
        surprises[:, a] = (surprises[:, a] + width) * _known(layout, cells, of[0], rows)
        shares[:, a] += width
    return scores, surprises, shares


def _by_column(layout: Layout) -> dict[int, list[int]]:
    """Return the positions of each column's attributes, where numeric attributes come before discrete attributes."""
    found: dict[int, list[int]] = {}
    for j, a in enumerate((*layout.numeric, *layout.discrete)):
        found.setdefault(layout.column_of(a), []).append(j)
    return found


def _known(layout: Layout, cells: Cells, j: int, rows: slice) -> FloatArray:
    """Return, for each row, 1 if attribute ``j`` is known and 0 otherwise; numeric attributes come first."""
    discrete = j - len(layout.numeric)
    if discrete in cells.documents:
        return np.where(cells.codes[discrete, rows] == 0, 0.0, 1.0)
    if discrete >= 0:
        return np.where(cells.codes[discrete, rows] == layout.sizes[discrete], 0.0, 1.0)
    known = cells.known[j]
    return np.ones(rows.stop - rows.start) if known is None else known[rows]
