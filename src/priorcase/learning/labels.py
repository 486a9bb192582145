"""Class labels: at the door, in store, and as the classes they make."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.exceptions import DataConversionWarning

from priorcase._typing import AnyArray, IntArray
from priorcase.exceptions import TargetError
from priorcase.instances import Instances
from priorcase.learning.classes import Classes, Numbering
from priorcase.learning.targets import as_array, check_finite, objects
from priorcase.schema import Nominal, Schema
from priorcase.schema.values import families, is_missing

LabelSort: TypeAlias = Literal["text", "numbers", "booleans"]


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Class labels of some rows, shape (rows, outputs), all text, all whole numbers or all booleans."""

    values: AnyArray
    sort: LabelSort
    flat: bool

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type they came in; text of any width is one type."""
        return _unsized(self.values.dtype)


@dataclass(frozen=True, slots=True, eq=False)
class Labelling:
    """What the labels learned so far have in common.

    Parameters
    ----------
    flat
        Whether they came as one flat column.
    sort
        What they are.
    batches
        The id from which on rows came with labels of a type, and that type, ascending by id.
    declared
        Classes of each output that stay without rows; None when none are declared.
    """

    flat: bool
    sort: LabelSort
    batches: tuple[tuple[int, np.dtype[Any]], ...]
    declared: tuple[AnyArray, ...] | None = None

    @classmethod
    def of(cls, labels: Labels, first_id: int = 0) -> Self:
        """Of the first labels."""
        return cls(labels.flat, labels.sort, ((first_id, labels.dtype),))

    def joined(self, labels: Labels, instances: Instances) -> Labelling:
        """With more labels, of the same sort unless no row and no declared class is left to be told apart from."""
        if not len(instances) and self.declared is None:
            return Labelling.of(labels, instances.next_id)
        self._check_sort(labels)
        batches = self._living(instances)
        if not batches or batches[-1][1] != labels.dtype:
            batches = (*batches, (instances.next_id, labels.dtype))
        return self if batches == self.batches else replace(self, batches=batches)

    def declaring(self, classes: Any, n: int, instances: Instances | None) -> Labelling:
        """With the classes of each of ``n`` outputs declared, beside those declared before."""
        given = [classes] if self.flat or not isinstance(classes, Iterable) else list(classes)
        if len(given) != n:
            raise TargetError.outputs(len(given), n)
        declared = []
        for t, column in enumerate(given):
            labels = _declared(column)
            self._check_sort(labels)
            before = self.declared[t : t + 1] if self.declared else ()
            declared.append(np.unique(np.concatenate((*before, labels.values[:, 0]))))
            stored = set() if instances is None else set(_living_values(instances, t))
            if strangers := sorted(stored - set(declared[t].tolist())):
                raise TargetError.stored_undeclared(strangers, declared[t].tolist())
        return replace(self, declared=tuple(declared))

    def check_declared(self, labels: Labels) -> None:
        """Refuse labels beyond the declared classes."""
        for t, declared in enumerate(self.declared or ()):
            if strangers := sorted(set(labels.values[:, t].tolist()) - set(declared.tolist())):
                raise TargetError.undeclared(strangers, declared.tolist())

    def classes(self, instances: Instances, earlier: Sequence[Classes] = ()) -> list[Classes]:
        """The classes of each output among the stored rows, and those declared beside them.

        ``earlier`` is what this gave before rows were appended; it saves work and changes nothing.
        """
        n, found = 0 if instances.targets is None else len(instances.targets), []
        for t in range(n):
            made_from = self, instances.target_epoch(t)
            if earlier and earlier[t].numbering.made_from == made_from:
                numbering = earlier[t].numbering
            else:
                n_codes = len(instances.target_values(t))
                numbering = Numbering(*self.labels(instances, t), n_codes, made_from)
            found.append(Classes(numbering, instances, t))
        return found

    def labels(self, instances: Instances, output: int = 0) -> tuple[AnyArray, IntArray]:
        """The classes of an output in ascending order, and the stored code of each; -1 where no row has it."""
        dtypes = [dtype for _, dtype in self._living(instances) or self.batches[-1:]]
        dtype = np.result_type(*dtypes, *(_unsized(column.dtype) for column in self.declared or ()))
        counts, values = instances.target_counts(output), instances.target_values(output)
        alive = np.flatnonzero(counts[: len(values)])
        present = label_array([values[code] for code in alive.tolist()], dtype)
        declared = () if self.declared is None else (label_array(self.declared[output].tolist(), dtype),)
        labels = np.unique(np.concatenate((present, *declared)))
        labels.flags.writeable = False  # handed out as classes_
        codes = np.full(labels.size, -1, np.int64)
        codes[np.searchsorted(labels, present)] = alive
        return labels, codes

    def _check_sort(self, labels: Labels) -> None:
        if labels.sort != self.sort:
            raise TargetError.other_labels(labels.sort, self.sort)

    def _living(self, instances: Instances) -> tuple[tuple[int, np.dtype[Any]], ...]:
        """The batches of which some row is left."""
        if len(self.batches) == 1:
            return self.batches if len(instances) else ()
        starts = np.searchsorted(instances.ids, [start for start, _ in self.batches])
        living = np.diff(starts, append=len(instances)) > 0
        return tuple(batch for batch, lives in zip(self.batches, living.tolist(), strict=True) if lives)


def learned_labels(
    y: Any, classes: Any, earlier: Labelling | None, instances: Instances | None
) -> tuple[Labelling, Schema, AnyArray]:
    """Labels to be learned: what all labels then have in common, the schema of the targets, and the labels.

    Parameters
    ----------
    y
        Labels of the new rows.
    classes
        Classes that are declared with them; None for none.
    earlier, instances
        What was learned before; None where nothing was.
    """
    labels = read_labels(y)
    n = labels.values.shape[1]
    targets = Schema(None, (Nominal(),) * n) if instances is None else instances.targets
    if targets is None or len(targets) != n:
        raise TargetError.outputs(n, 0 if targets is None else len(targets))
    labelling = Labelling.of(labels) if earlier is None or instances is None else earlier.joined(labels, instances)
    if classes is not None:
        labelling = labelling.declaring(classes, n, instances)
    labelling.check_declared(labels)
    return labelling, targets, labels.values


def _declared(classes: Any) -> Labels:
    """Classes that are declared, read as a target is."""
    values = list(classes) if isinstance(classes, Iterable) and not isinstance(classes, str) else None
    if not values or any(is_missing(value) for value in values):
        raise TargetError.not_classes(classes)
    return read_labels(classes)


def read_labels(y: Any) -> Labels:
    """Class labels from a list, an array, a series or a frame.

    Labels are text, whole numbers (also as floats) or booleans. A list of text becomes an array of text, as in
    scikit-learn; an array of objects stays one. A column vector is taken for one output, with scikit-learn's warning.
    """
    array = as_array(y)
    flat = array.ndim == 1
    if not flat and array.shape[1] == 1:
        text = "A column-vector y was passed when a 1d array was expected. Take its shape to (n_samples,) by ravel()."
        warnings.warn(text, DataConversionWarning, stacklevel=_levels_to_user())
        flat = True
    values = array.reshape(len(array), -1)
    if values.dtype.kind == "O":
        values = _homogeneous(values)
        # An array of text would drop null characters at the end, and so make two classes one.
        if isinstance(y, (list, tuple)) and not any(str(value).endswith("\0") for value in values.flat):
            values = values.astype(str) if values.dtype.kind == "O" else values
    if values.dtype.kind == "f":
        check_finite(values)
        if (values != np.floor(values)).any():
            raise TargetError.unknown_labels("continuous")
    sorts: dict[str, LabelSort] = {
        "U": "text",
        "O": "text",
        "T": "text",
        "b": "booleans",
        "i": "numbers",
        "u": "numbers",
        "f": "numbers",
    }
    if values.dtype.kind not in sorts:
        raise TargetError.unknown_labels(str(values.dtype))
    return Labels(values, sorts[values.dtype.kind], flat)


def label_array(values: list[Any], dtype: np.dtype[Any]) -> AnyArray:
    """Labels as an array of the type they came in; fixed-width text as wide as the longest."""
    return objects(values) if dtype.kind == "O" else np.array(values, dtype=_unsized(dtype))


def _unsized(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype("U") if dtype.kind == "U" else dtype


def _living_values(instances: Instances, output: int) -> list[Any]:
    """The classes that some stored row has."""
    values = instances.target_values(output)
    return [values[code] for code in np.flatnonzero(instances.target_counts(output)).tolist()]


def _levels_to_user() -> int:
    """How many calls the caller of this function is away from the code that called the library."""
    frame, levels = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("priorcase."):
        frame, levels = frame.f_back, levels + 1
    return levels


def _homogeneous(values: AnyArray) -> AnyArray:
    """Objects as text, booleans or numbers, whichever they all are."""
    if any(map(is_missing, values.flat)):
        raise TargetError.missing()
    found = families({type(value) for value in values.flat})
    if found == {"text"}:
        return values
    if found == {"boolean"}:
        return values.astype(bool)
    if found != {"number"}:
        raise TargetError.unknown_labels("a mix of " + " and ".join(sorted(found)) if len(found) > 1 else "unknown")
    whole = all(isinstance(value, (int, np.integer)) for value in values.flat)
    try:
        return values.astype(np.int64 if whole else np.float64)
    except OverflowError:
        raise TargetError.unknown_labels("numbers beyond 64 bits") from None
