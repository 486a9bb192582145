"""Targets of learners: numbers or class labels, with one column for each output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Protocol, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from priorcase._locks import cached_property
from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray
from priorcase.exceptions import NumericRangeError, TargetError, listed, misspelt, quoted, warn_caller
from priorcase.instances import Instances
from priorcase.schema import Nominal, Numeric, Schema
from priorcase.schema.kinds import content_of, families, is_missing

LabelSort: TypeAlias = Literal["text", "numbers", "booleans"]

_LARGEST = 1e100  # weighted sums of squares of targets must stay within float64
_KIND_NAMES = {"U": "text", "T": "text", "S": "bytes", "M": "dates", "m": "time spans", "c": "complex numbers"}
_SORTS: dict[str, LabelSort] = {**dict.fromkeys("UOT", "text"), **dict.fromkeys("iuf", "numbers"), "b": "booleans"}
# Messages raised in two places; each starts with the wording of scikit-learn.
_MISSING = "Input y contains NaN, None or another missing value. Drop the rows with a missing target."
_INFINITE = (
    "Input y contains infinity or a value too large for dtype('float64'). Drop or correct the rows with such targets."
)


# -- arrays


def as_array(y: Any) -> AnyArray:
    """Convert targets of any type to a non-empty array of one or two dimensions."""
    if type(y) is not np.ndarray:
        if y is None:
            raise TargetError("requires y to be passed, but the target y is None. Pass one target for each row of X.")
        if sparse.issparse(y):
            raise _unknown_labels("sparse")
        if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
            raise TargetError(_MISSING)
        if nw.dependencies.is_pyarrow_chunked_array(y) and hasattr(y.type, "value_type"):
            y = y.cast(y.type.value_type)  # decoded first, since the index of a null would select the last value
        if nw.dependencies.is_into_dataframe(y):
            with suppress(DuplicateError):  # targets are matched by position: names are irrelevant
                y = nw.from_native(y, eager_only=True).to_numpy()
        elif isinstance(y, (list, tuple)):
            try:
                y = np.array(y, dtype=object)  # so that numbers mixed with strings stay numbers
            except ValueError:
                y = np.empty((len(y), 0))  # rows of different lengths
    array = np.asarray(y)
    if array.ndim not in (1, 2) or 0 in array.shape:
        raise TargetError(
            f"y should be a 1d array, or a 2d array with one column for each target, got shape {array.shape}. "
            "Pass one target for each row of X."
        )
    return array


def objects(values: list[Any]) -> AnyArray:
    """Return values as a one-dimensional array of objects."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def check_finite(values: AnyArray) -> None:
    """Raise an error if a target is NaN or infinite."""
    if np.isnan(values).any():
        raise TargetError(_MISSING)
    if np.isinf(values).any():
        raise TargetError(_INFINITE)


def check_length(y: int, rows: int) -> None:
    """Raise an error unless there is one target for each row."""
    if y != rows:
        raise TargetError(  # wording of scikit-learn
            f"Found input variables with inconsistent numbers of samples: X has {rows} and y has {y}. Pass one target "
            "for each row of X."
        )


def has_fractions(array: AnyArray) -> bool:
    """Return whether the targets are numbers and at least one of them is missing or not an integer."""
    if array.dtype.kind == "O":
        if families({type(value) for value in array.flat}) != {"number"}:
            return False
        try:
            array = array.astype(np.float64)
        except (OverflowError, ValueError):  # beyond float64, or a signaling NaN: reading as numbers raises an error
            return True
    return array.dtype.kind == "f" and bool((array != np.floor(array)).any())


# -- numbers


def read_numbers(y: Any) -> tuple[FloatArray, bool]:
    """Return numeric targets, shape (rows, outputs), and whether ``y`` was one-dimensional."""
    array = as_array(y)
    values = array.reshape(len(array), -1)
    found = {"number"} if values.dtype.kind in "fiub" else {_KIND_NAMES.get(values.dtype.kind, str(values.dtype))}
    if values.dtype.kind == "O":
        if any(map(is_missing, values.flat)):
            raise TargetError(_MISSING)
        found = set(families({type(value) for value in values.flat}))
    if not found <= {"number", "boolean"}:
        raise TargetError(
            f"y must be real numbers, got {' and '.join(sorted(found))}. Use a classifier to predict classes."
        )
    with np.errstate(over="ignore"):
        try:
            numbers = values.astype(np.float64)
        except OverflowError:
            raise TargetError(_INFINITE) from None
    check_finite(numbers)
    return numbers, array.ndim == 1


def learned_numbers(estimator: Any, y: Any, first: bool, *, squared: bool = False) -> tuple[Schema, FloatArray]:
    """Read numeric targets and return their schema and values; with ``squared``, reject absolute values above 1e100."""
    numbers, flat = read_numbers(y)
    if squared and np.abs(numbers).max() > _LARGEST:
        raise NumericRangeError(
            f"y must not exceed {_LARGEST} in absolute value, because sums of squares may overflow. Divide y by a "
            "power of ten."
        )
    estimator._flat = flat if first else estimator._flat
    return _target_schema(Numeric, numbers.shape[1], None if first else estimator._stored().instances), numbers


def _target_schema(kind: type[Numeric | Nominal], n: int, instances: LabeledRows | None) -> Schema:
    """Return the schema of ``n`` outputs; raise an error if the number of outputs has changed."""
    targets = Schema(None, (kind(),) * n) if instances is None else instances.targets
    before = 0 if targets is None else len(targets)
    if targets is None or before != n:
        raise TargetError(
            f"y has {n} target columns, but had {before} in earlier calls. Pass the same number in every call."
        )
    return targets


# -- labels


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Class labels of rows, shape (rows, outputs): all strings, all integers or all booleans."""

    values: AnyArray
    sort: LabelSort
    flat: bool

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy type of the labels as passed; fixed-width strings of different widths count as one type."""
        return _unsized(self.values.dtype)


def read_labels(y: Any) -> Labels:
    """Read class labels from a list, array, series or frame: strings, booleans, or integers (also as floats)."""
    array = as_array(y)
    flat = array.ndim == 1
    if not flat and array.shape[1] == 1:
        text = "A column-vector y was passed when a 1d array was expected. Use y.ravel() to change its shape."
        warn_caller(DataConversionWarning(text))
        flat = True
    values = array.reshape(len(array), -1)
    if values.dtype.kind == "O":
        values = _of_one_type(values)
        # As in scikit-learn, strings in a list become a string array. Labels with trailing null characters remain
        # objects, because a string array would drop these characters and thereby merge two classes.
        if isinstance(y, (list, tuple)) and not any(str(value).endswith("\0") for value in values.flat):
            values = values.astype(str) if values.dtype.kind == "O" else values
    if values.dtype.kind == "f":
        check_finite(values)
        if (values != np.floor(values)).any():
            raise _unknown_labels("continuous")
    if values.dtype.kind not in _SORTS:
        raise _unknown_labels(str(values.dtype))
    return Labels(values, _SORTS[values.dtype.kind], flat)


def _of_one_type(values: AnyArray) -> AnyArray:
    """Convert objects that are all booleans or all numbers to an array of this type; leave strings unchanged."""
    if any(map(is_missing, values.flat)):
        raise TargetError(_MISSING)
    found = families({type(value) for value in values.flat})
    if found == {"text"}:
        return values
    if found == {"boolean"}:
        return values.astype(bool)
    if found != {"number"}:
        raise _unknown_labels("a mix of " + " and ".join(sorted(found)) if len(found) > 1 else "unknown")
    whole = all(isinstance(value, (int, np.integer)) for value in values.flat)
    try:
        return values.astype(np.int64 if whole else np.float64)
    except OverflowError:
        raise _unknown_labels("numbers beyond 64 bits") from None


def _unknown_labels(found: str) -> TargetError:
    return TargetError(  # wording of scikit-learn
        f"Unknown label type: {found}. Classes must be strings, integers or booleans; use a regressor for real "
        "numbers, and convert other objects to strings."
    )


def label_array(values: list[Any], dtype: np.dtype[Any]) -> AnyArray:
    """Return labels as an array of their original type; fixed-width strings are as wide as the longest label."""
    return objects(values) if dtype.kind == "O" else np.array(values, dtype=_unsized(dtype))


def _unsized(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype("U") if dtype.kind == "U" else dtype


# -- classes


class LabeledRows(Protocol):
    """Interface of the rows that a `Labeling` reads, such as `Instances` or the rows seen by a concept learner."""

    @property
    def ids(self) -> IdArray: ...
    @property
    def next_id(self) -> int: ...
    @property
    def targets(self) -> Schema | None: ...
    def __len__(self) -> int: ...
    def target_values(self, t: int = 0) -> Sequence[Any]: ...
    def target_counts(self, t: int = 0) -> IdArray: ...


@dataclass(frozen=True, slots=True, eq=False)
class Labeling:
    """Types and declared classes of the labels learned so far.

    ``batches`` contains, for each run of rows with the same label type, the id of its first row and the type.
    """

    flat: bool
    sort: LabelSort
    batches: tuple[tuple[int, np.dtype[Any]], ...]
    declared: tuple[AnyArray, ...] | None = None  # classes of each output, kept even if no stored row has them

    def saved(self) -> dict[str, Any]:
        """Return the fields to be saved with a model."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def restored(cls, told: dict[str, Any], instances: LabeledRows) -> Labeling:
        """Create a labeling from the result of `saved`; raise ``ValueError`` if the labels do not match the rows."""
        found = cls(**told)
        outputs = range(len(instances.targets) if instances.targets else 0)
        starts, dtypes = zip(*found.batches, strict=True)
        declared = () if found.declared is None else found.declared
        kinds = {_SORTS[each.dtype.kind] for each in declared} | {_SORTS[dtype.kind] for dtype in dtypes}
        if kinds != {found.sort} or list(starts) != sorted({int(start) for start in starts}) or starts[0] < 0:
            raise ValueError("labels of another type")
        if found.declared is not None and [each.ndim for each in declared] != [1] * len(outputs):
            raise ValueError("declared classes without a target")
        for t in outputs:
            values = [*_stored_classes(instances, t)[0], *(declared[t].tolist() if declared else ())]
            labels = found.labels(instances, t)[0] if values else np.empty(0)
            if values and (content_of(values) != found.sort or set(labels.tolist()) != set(values)):
                raise ValueError("labels of another type")
        return found

    def joined(self, labels: Labels, instances: LabeledRows) -> Labeling:
        """Return the labeling after new labels are added."""
        if not len(instances) and self.declared is None:
            return Labeling(labels.flat, labels.sort, ((instances.next_id, labels.dtype),))
        self.check_sort(labels)
        batches = self.living(instances)
        if not batches or batches[-1][1] != labels.dtype:
            batches = (*batches, (instances.next_id, labels.dtype))
        return self if batches == self.batches else replace(self, batches=batches)

    def declaring(self, classes: Any, n: int, instances: LabeledRows | None) -> Labeling:
        """Return the labeling with newly declared classes added for each of ``n`` outputs."""
        given = [classes] if self.flat or not isinstance(classes, Iterable) else list(classes)
        if len(given) != n:
            raise TargetError(
                f"classes must have a list for each of the {n} target columns, got {len(given)} entries. For example, "
                "pass [['no', 'yes'], ['low', 'high']] for two target columns."
            )
        declared = []
        for t, column in enumerate(given):
            values = list(column) if isinstance(column, Iterable) and not isinstance(column, str) else None
            if not values or any(map(is_missing, values)):
                raise TargetError(f"classes must be a list of classes such as ['no', 'yes'], got {quoted(column)}")
            labels = read_labels(column)
            self.check_sort(labels)
            before = self.declared[t : t + 1] if self.declared else ()
            declared.append(np.unique(np.concatenate((*before, labels.values[:, 0]))))
            stored = set() if instances is None else set(_stored_classes(instances, t)[0])
            if unlisted := sorted(stored - set(declared[t].tolist())):
                raise TargetError(
                    f"classes= contains {listed(declared[t].tolist())}, but earlier rows have {listed(unlisted)}. "
                    "List every class, or first forget the rows with unlisted classes."
                )
        return replace(self, declared=tuple(declared))

    def labels(self, instances: LabeledRows, output: int = 0) -> tuple[AnyArray, IntArray]:
        """Return the classes of an output in ascending order and their stored codes (-1 for a class without rows)."""
        dtypes = [dtype for _, dtype in self.living(instances) or self.batches[-1:]]
        dtype = np.result_type(*dtypes, *(_unsized(column.dtype) for column in self.declared or ()))
        values, stored = _stored_classes(instances, output)
        present = label_array(values, dtype)
        declared = () if self.declared is None else (label_array(self.declared[output].tolist(), dtype),)
        labels = np.unique(np.concatenate((present, *declared)))
        labels.flags.writeable = False  # returned as classes_
        codes = np.full(labels.size, -1, np.int64)
        codes[np.searchsorted(labels, present)] = stored
        return labels, codes

    def classes(self, instances: Instances, earlier: Sequence[Classes] = ()) -> list[Classes]:
        """Return the classes of each output; passing the result of an earlier call as ``earlier`` saves time."""
        outputs = range(0 if instances.targets is None else len(instances.targets))
        return [Classes(self, instances, t, earlier[t] if earlier else None) for t in outputs]

    def check_sort(self, labels: Labels) -> None:
        if labels.sort != self.sort:
            raise TargetError(
                f"the new classes are {labels.sort}, but the classes learned before are {self.sort}. Use the same type "
                "of class in every call."
            )

    def living(self, instances: LabeledRows) -> tuple[tuple[int, np.dtype[Any]], ...]:
        """Return the entries of ``batches`` for which rows are still stored."""
        if len(self.batches) == 1:
            return self.batches if len(instances) else ()
        starts = np.searchsorted(instances.ids, [start for start, _ in self.batches])
        living = np.diff(starts, append=len(instances)) > 0
        return tuple(batch for batch, lives in zip(self.batches, living.tolist(), strict=True) if lives)


def _stored_classes(instances: LabeledRows, output: int) -> tuple[list[Any], IntArray]:
    """Return the classes of the stored rows and the codes of these classes."""
    values = instances.target_values(output)
    codes = np.flatnonzero(instances.target_counts(output)[: len(values)])
    return [values[code] for code in codes.tolist()], codes


class Classes:
    """Classes of one output in ascending order, and the class of each stored row; valid until the rows change.

    ``of_code`` maps each stored class code to a position in ``labels``. ``stored`` contains the class code of each row.
    """

    def __init__(self, labeling: Labeling, instances: Instances, output: int, earlier: Classes | None) -> None:
        self._instances, self._output = instances, output
        self._made_from = labeling, instances.target_epoch(output)
        self.stored = instances.target(output)
        if earlier is None or earlier._made_from != self._made_from:
            self.labels, self._codes = labeling.labels(instances, output)
            self.of_code = np.zeros(len(instances.target_values(output)) + 1, np.int64)
            present = np.flatnonzero(self._codes >= 0)
            self.of_code[self._codes[present]] = present
        else:
            self.labels, self._codes, self.of_code = earlier.labels, earlier._codes, earlier.of_code

    @cached_property
    def weights(self) -> FloatArray:
        """Total weight of each class."""
        row_weights = self._instances.weights
        if row_weights is not None:
            return np.bincount(self.codes, weights=row_weights, minlength=self.labels.size).astype(np.float64)
        counts = np.append(self._instances.target_counts(self._output), 0)  # -1: no row has the class
        return counts[self._codes].astype(np.float64)

    @cached_property
    def codes(self) -> IntArray:
        """Position in ``labels`` of the class of each stored row, in the smallest sufficient integer type."""
        return self.of_code.astype(np.min_scalar_type(-self.labels.size - 1))[self.stored]

    def at(self, rows: IntArray | slice) -> IdArray:
        """Return the positions in ``labels`` of the classes of the given stored rows."""
        return self.of_code[self.stored[rows]]


def learned_labels(
    y: Any, classes: Any, earlier: Labeling | None, instances: LabeledRows | None
) -> tuple[Labeling, Schema, AnyArray]:
    """Read class labels; return the updated labeling, the schema of the targets, and the labels as an array."""
    labels = y if isinstance(y, Labels) else read_labels(y)
    n = labels.values.shape[1]
    targets = _target_schema(Nominal, n, instances)
    if earlier is None or instances is None:
        labeling = Labeling(labels.flat, labels.sort, ((0, labels.dtype),))
    else:
        labeling = earlier.joined(labels, instances)
    if classes is not None:
        labeling = labeling.declaring(classes, n, instances)
    for t, declared in enumerate(labeling.declared or ()):
        if unlisted := sorted(set(labels.values[:, t].tolist()) - set(declared.tolist())):
            advice = misspelt(unlisted, declared.tolist()) or "List every class in classes=, or omit classes."
            raise TargetError(f"y has {listed(unlisted)}, but classes= lists {listed(declared.tolist())}. {advice}")
    return labeling, targets, labels.values
