"""Encoding of a mixed table as a numeric matrix, for learners that only accept numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from priorcase._parameters import check_value
from priorcase._typing import AnyArray, BoolArray, FloatArray, IntArray
from priorcase.bayes.parts import Parts
from priorcase.exceptions import prefix_errors
from priorcase.instances import Instances
from priorcase.learning.diagram import html_inner, mimebundle
from priorcase.learning.estimator import EstimatorMeta, SchemaLike, read_queries, record_features, training_table
from priorcase.schema import CategoricalFeatures, Circular, Coded, Nominal, Schema, Text
from priorcase.stacking.words import WordWeights

_MOST_WORDS = 200


@dataclass(frozen=True, eq=False)
class _Numbers:
    """Encoder that standardizes numbers or ranks of levels and replaces missing values with the mean."""

    label: str
    mean: float
    spread: float
    gaps: bool  # whether some values were missing, which adds an indicator

    @classmethod
    def of(cls, label: str, column: FloatArray) -> _Numbers:
        known = column[~np.isnan(column)]
        mean, spread = (float(known.mean()), float(known.std())) if known.size else (0.0, 0.0)
        return cls(label, mean, spread if np.isfinite(spread) and spread > 0 else 1.0, known.size < column.size)

    @property
    def names(self) -> list[str]:
        return [self.label, f"{self.label} (missing)"] if self.gaps else [self.label]

    def encode(self, column: Any) -> list[FloatArray]:
        missing = np.isnan(column)
        scaled = np.where(missing, 0.0, (column - self.mean) / self.spread)
        return [scaled, missing.astype(np.float64)] if self.gaps else [scaled]


@dataclass(frozen=True, eq=False)
class _Values:
    """Encoder with one indicator for each of the most frequent values; all indicators are 0 for other values."""

    label: str
    codes: IntArray
    values: tuple[Any, ...]
    most: ClassVar[int] = 32

    @classmethod
    def of(cls, label: str, codes: IntArray, values: tuple[Any, ...]) -> Self:
        """Select the most frequent values, sorted by first occurrence, so that renaming values has no effect."""
        found, first, counts = np.unique(codes[codes >= 0], return_index=True, return_counts=True)
        kept = np.lexsort((first, -counts))[: cls.most]
        kept = found[kept[np.argsort(first[kept])]]
        return cls(label, kept, tuple(values[code] for code in kept.tolist()))

    @property
    def names(self) -> list[str]:
        return [f"{self.label}={value}" for value in self.values]

    def encode(self, column: Any) -> list[FloatArray]:
        return [(column == code).astype(np.float64) for code in self.codes.tolist()]


@dataclass(frozen=True, eq=False)
class _Codes(_Values):
    """Encoder with integer codes for the most frequent values and NaN for other values and missing values."""

    most: ClassVar[int] = 250

    @property
    def names(self) -> list[str]:
        return [self.label]

    def encode(self, column: Any) -> list[FloatArray]:
        found = np.full(len(column), np.nan)
        for number, code in enumerate(self.codes.tolist()):
            found[column == code] = number
        return [found]


@dataclass(frozen=True, eq=False)
class _Circle:
    """Encoder of a circular number as its cosine and sine, which are both 0 if the number is missing."""

    label: str
    period: float

    @property
    def names(self) -> list[str]:
        return [f"{self.label} (cos)", f"{self.label} (sin)"]

    def encode(self, column: Any) -> list[FloatArray]:
        angle = column * (2.0 * np.pi / self.period)
        return [np.nan_to_num(np.cos(angle)), np.nan_to_num(np.sin(angle))]


@dataclass(frozen=True, eq=False)
class _Words:
    """Encoder of a text as the TF-IDF weights of the most frequent words."""

    label: str
    weights: WordWeights

    @property
    def names(self) -> list[str]:
        return [f"{self.label}: {word}" for word in self.weights.words]

    def encode(self, column: Any) -> list[FloatArray]:
        return list(self.weights.transform(column).toarray().T)


class TableEncoder(TransformerMixin, BaseEstimator, metaclass=EstimatorMeta):
    """Encode a mixed table with missing values as a numeric matrix.

    Use this encoder for learners that accept only numbers, as many in scikit-learn do. The learners of priorcase do not
    need an encoder.

    Parameters
    ----------
    nominal
        ``"indicators"`` one-hot encodes nominal columns. ``"codes"`` encodes each nominal column as a column of
        integer codes, for learners with categorical support; ``categorical_mask_`` marks these columns.
    categorical_features, schema
        See `KNNClassifier`.

    Notes
    -----
    Numbers and ordinal levels are standardized. Missing numbers are replaced with the mean and, if a column had missing
    values in `fit`, marked by an indicator. The 32 most frequent values of a nominal column get an indicator; with
    ``"codes"``, the 250 most frequent values get a code and other values become NaN. Dates become the elapsed time and,
    if informative, month, weekday and hour. Circular numbers become their cosine and sine, sets become one indicator
    per member, and texts become the TF-IDF weights of the 200 most frequent words.

    Examples
    --------
    >>> encoder = TableEncoder().fit([[1.0, "red"], [3.0, "blue"], [None, "red"]])
    >>> encoder.transform([[2.0, "blue"], [None, "green"]])
    array([[0., 0., 0., 1.],
           [0., 1., 0., 0.]])
    >>> encoder.get_feature_names_out().tolist()
    ['x0', 'x0 (missing)', 'x1=red', 'x1=blue']
    """

    n_features_in_: int

    def __init__(
        self,
        *,
        nominal: Literal["indicators", "codes"] = "indicators",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
    ) -> None:
        self.nominal, self.categorical_features, self.schema = nominal, categorical_features, schema

    @prefix_errors
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the means, standard deviations, frequent values and words of the columns; ``y`` is ignored."""
        check_value("nominal", self.nominal, [StrOptions({"indicators", "codes"})])
        check_value("schema", self.schema, [None, Schema, dict])
        table = training_table(self, X)
        instances = Instances(table.schema)
        instances.append(table)
        record_features(self, table.schema)
        self._parts = Parts.of(instances)
        self._attributes = self._parts.instances(instances)
        self._columns = [self._fitted(a) for a in range(len(self._attributes.schema))]
        return self

    def _fitted(self, a: int) -> _Numbers | _Values | _Circle | _Words:
        """Fit the encoder of one attribute."""
        rows, source = self._attributes, self._parts.source.kinds[int(self._parts.columns[a])]
        name, column, values = rows.schema.label(a), rows.column(a), rows.values(a)
        label = f"x{name}" if self._parts.source.names is None and isinstance(name, int) else str(name)
        if isinstance(source, Text):
            return _Words(label, WordWeights.of(Coded(column, values), _MOST_WORDS))
        if isinstance(source, Circular):
            return _Circle(label, source.period)
        if isinstance(rows.schema.kinds[a], Nominal):
            return (_Codes if self.nominal == "codes" else _Values).of(label, column, values)
        return _Numbers.of(label, column)

    @property
    def categorical_mask_(self) -> BoolArray:
        """Boolean mask of the matrix columns that contain codes."""
        check_is_fitted(self)
        return np.array([isinstance(fitted, _Codes) for fitted in self._columns for _ in fitted.names], dtype=bool)

    @prefix_errors
    def transform(self, X: Any) -> FloatArray:
        """Return the encoded rows as a matrix."""
        check_is_fitted(self)
        table = self._parts.table(read_queries(X, Instances(self._parts.source)))
        cells, found = self._attributes.encode(table), list[FloatArray]()
        for a, fitted in enumerate(self._columns):
            found += fitted.encode(table.columns[a] if isinstance(fitted, _Words) else cells[:, a])
        return np.column_stack(found) if found else np.zeros((len(table), 0))

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Return the column names of the encoded matrix; ``input_features`` is ignored."""
        check_is_fitted(self)
        return np.array([name for fitted in self._columns for name in fitted.names], dtype=object)

    _repr_html_inner, _repr_mimebundle_ = html_inner, mimebundle

    def _diagram_rows(self) -> Instances | None:
        return Instances(self._parts.source) if "_parts" in self.__dict__ else None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags
