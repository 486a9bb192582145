"""Targets of a concept learner: one class for each row, or a column of 0 and 1 for each class (an indicator)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Self, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from priorcase._locks import cached_property
from priorcase._typing import AnyArray, BoolArray, IdArray, Name, Value
from priorcase.exceptions import TargetError, listed, misspelt, quoted
from priorcase.instances import Instances
from priorcase.learning.targets import Labeling, Labels, as_array, learned_labels, objects, read_labels
from priorcase.saving import checked
from priorcase.schema import Coded, Nominal, Schema, Table
from priorcase.schema.kinds import content_of


@dataclass(frozen=True, eq=False)
class SeenClasses:
    """Classes of all learned rows (stored or not) that were not forgotten, with codes in order of first occurrence."""

    labeling: Labeling  # flat unless the classes are the columns of an indicator
    labels: tuple[Value, ...]  # the class of each code; None if all rows of the class were forgotten
    rows: IdArray  # number of rows of each class
    n_rows: int = 0
    next_id: int = 0

    # The interface of `LabeledRows`, from which `Labeling` reads the classes.
    def __len__(self) -> int:
        return self.n_rows

    @property
    def ids(self) -> IdArray:
        """Id of the first row of each batch of labels with the same type."""
        return np.array([start for start, _ in self.labeling.batches])

    def target_values(self, t: int = 0) -> tuple[Value, ...]:
        return self.labels

    def target_counts(self, t: int = 0) -> IdArray:
        return self.rows

    @cached_property
    def targets(self) -> Schema:
        return Schema(None, (Nominal(),) * (len(self.labels) if self.indicator else 1))

    @property
    def indicator(self) -> bool:
        return not self.labeling.flat

    @cached_property
    def classes(self) -> AnyArray:
        """Classes in ascending order; for an indicator, in the order of its columns."""
        if not self.indicator:
            return self.labeling.labels(self)[0]
        labels = list(self.labels)
        classes = np.array(labels) if content_of(labels) in ("text", "numbers") else objects(labels)
        classes.flags.writeable = False  # returned as classes_
        return classes

    @cached_property
    def codes(self) -> IdArray:
        """Code of each class in `classes`; -1 for a declared class without rows."""
        return np.array([self.index.get(label, -1) for label in self.classes.tolist()], np.int64)

    @cached_property
    def index(self) -> dict[Value, int]:
        return {label: code for code, label in enumerate(self.labels) if label is not None}

    @cached_property
    def positions(self) -> IdArray:
        """For each class code, the position of this class in `classes`."""
        positions, present = np.zeros(len(self.labels), np.int64), np.flatnonzero(self.codes >= 0)
        positions[self.codes[present]] = present
        return positions

    def saved(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)} | {"labeling": self.labeling.saved()}

    @classmethod
    def restored(cls, told: dict[str, Any], instances: Instances) -> SeenClasses:
        """Restore the classes from the result of `saved`; raise ``ValueError`` if they do not match the stored rows."""
        flat, labels, n_rows, next_id = told["labeling"]["flat"], told["labels"], told["n_rows"], told["next_id"]
        rows = checked(told["rows"], np.int64, (len(labels),), least=0)
        numbers = all(type(number) is int and 0 <= number < 2**62 for number in (n_rows, next_id))
        if not numbers or not len(instances) <= n_rows <= next_id or instances.next_id > next_id:
            raise ValueError("fewer rows were seen than are stored")
        if (rows.sum() != n_rows if flat else rows.max(initial=0) > n_rows) or instances.targets is None:
            raise ValueError("the numbers of rows per class are inconsistent")
        if type(labels) is not tuple or (flat and [label is not None for label in labels] != (rows > 0).tolist()):
            raise ValueError("the names of the classes do not match their rows")
        dtypes = [dtype for _, dtype in told["labeling"]["batches"]]
        if not flat and (len(instances.targets) != len(labels) or None in labels or dtypes[0].kind not in "biuf"):
            raise ValueError("the classes do not match the columns of the target")
        labeling = replace(Labeling(**told["labeling"]), flat=bool(flat))
        found = cls(labeling, labels, rows, n_rows, next_id)
        if len(found.index) != sum(label is not None for label in labels):
            raise ValueError("two classes have the same name")
        if flat:
            Labeling.restored(told["labeling"], found)
        return found

    def with_rows(self, labeling: Labeling, values: list[Value]) -> tuple[AnyArray, Self]:
        """Return the class codes of new rows, and a copy of this object that also counts the new rows."""
        seen, new = self, tuple(dict.fromkeys(label for label in values if label not in self.index))
        if new or labeling is not self.labeling:
            rows = np.concatenate([self.rows, np.zeros(len(new), np.int64)])
            seen = replace(self, labeling=labeling, labels=self.labels + new, rows=rows)
        codes = np.array([seen.index[label] for label in values], np.int64)
        return codes, seen.counted(np.bincount(codes, minlength=seen.rows.size), len(values))

    def counted(self, rows: IdArray, n: int) -> Self:
        """Return a copy that also counts ``n`` new rows; ``rows`` is the number of new rows of each class."""
        changed: dict[str, Any] = {"rows": self.rows + rows, "n_rows": self.n_rows + n, "next_id": self.next_id + n}
        if ((self.rows == 0) & (rows > 0)).any():
            return replace(self, **changed)
        # The classes with rows do not change, and neither do results computed from them.
        seen = object.__new__(type(self))
        seen.__dict__.update(self.__dict__ | changed)
        return seen

    def of_rows(self, instances: Instances) -> Self:
        """Return a copy that counts only ``instances``, the rows that were not forgotten."""
        rows = np.zeros(len(self.labels), np.int64)
        for t in range(len(self.labels) if self.indicator else 1):
            for value, count in zip(instances.target_values(t), instances.target_counts(t).tolist(), strict=False):
                if count and (value or not self.indicator):
                    rows[t if self.indicator else self.index[value]] += count
        kept = (rows > 0) | self.indicator
        labels = tuple(label if keep else None for label, keep in zip(self.labels, kept.tolist(), strict=True))
        batches = self.labeling.living(instances) or self.labeling.batches[-1:]
        labeling = replace(self.labeling, batches=batches)
        return replace(self, labeling=labeling, labels=labels, rows=rows, n_rows=len(instances))

    def knows(self, instances: Instances) -> bool:
        """Return whether the classes of all rows were seen."""
        pairs = zip(instances.target_values(), instances.target_counts().tolist(), strict=False)
        return self.indicator or all(value in self.index for value, count in pairs if count)

    def coded(self, instances: Instances, positions: IdArray) -> AnyArray:
        """Return the targets of stored rows as class codes, or as 0/1 memberships of shape (rows, classes)."""
        if not self.indicator:
            table = np.array([self.index.get(value, -1) for value in instances.target_values()], np.int64)
            return np.asarray(table[instances.target()[positions]])
        tables = [np.array([bool(value) for value in instances.target_values(t)]) for t in range(len(self.labels))]
        return np.stack([table[instances.target(t)[positions]] for t, table in enumerate(tables)], axis=1)

    def table(self, coded: AnyArray) -> Table:
        """Return the table in which the targets are stored: one column of classes, or a 0/1 column for each class."""
        if not self.indicator:
            return Table(self.targets, len(coded), (Coded(coded, self.labels),))
        return Table(self.targets, len(coded), tuple(Coded(inside.astype(np.int8), (0, 1)) for inside in coded.T))


# Class codes of rows, or 0/1 memberships of shape (rows, classes); and all classes seen so far.
Targets: TypeAlias = tuple[AnyArray, SeenClasses]


def read_targets(y: Any, seen: SeenClasses | None, classes: Any, *, per_class: bool) -> Targets:
    """Read the targets of new rows; ``seen`` is None before the first rows."""
    given = list(classes) if isinstance(classes, Iterable) and not isinstance(classes, str) else classes
    labels = _read(y, seen, given, per_class=per_class)
    if labels.flat:
        if isinstance(given, list) and any(isinstance(value, (list, tuple, np.ndarray)) for value in given):
            raise TargetError(f"classes must be a list of classes such as ['no', 'yes'], got {quoted(classes)}")
        declared = classes if isinstance(classes, np.ndarray) else given
        labeling, _, values = learned_labels(labels, declared, None if seen is None else seen.labeling, seen)
        seen = SeenClasses(labeling, (), np.zeros(0, np.int64)) if seen is None else seen
        return seen.with_rows(labeling, values[:, 0].tolist())
    n = labels.values.shape[1]
    if not per_class:
        raise TargetError(
            f"y has {n} columns, but the learner expects one class for each row. "
            "Pass one class for each row, or choose per_class=True for multi-label targets."
        )
    if seen is None:
        labeling = Labeling(False, labels.sort, ((0, labels.dtype),))
        seen = SeenClasses(labeling, _column_names(y) or tuple(range(n)), np.zeros(n, np.int64))
    members = _members(y, labels, seen)
    if classes is not None and given != list(seen.labels):
        raise TargetError(
            f"classes= is {quoted(classes)}, but the columns of y are {listed(seen.labels)}. "
            "Omit classes=, because the columns of y define the classes."
        )
    return members, seen.counted(members.sum(axis=0), len(members))


def read_truth(y: Any, seen: SeenClasses) -> AnyArray:
    """Read the true 0/1 columns of an indicator, in class order."""
    return _members(y, _read(y, seen, None, per_class=True), seen)


def _read(y: Any, seen: SeenClasses | None, classes: Any, *, per_class: bool) -> Labels:
    """Read one class for each row, or a 0/1 column for each class; the form must be the same in every call."""
    try:
        labels = None
        if per_class and (seen is None or seen.indicator) and (array := as_array(y)).ndim > 1:
            # A single column may be an indicator, or contain the classes.
            labels = read_labels(y) if array.shape[1] > 1 else replace(read_labels(array[:, 0]), flat=False)
            if seen is None and array.shape[1] == 1:
                named = classes is None or classes == list(_column_names(y) or (0,))
                labels = labels if named and not _not_0_or_1(labels) else None
        labels = labels or read_labels(y)
    except TargetError:
        if not _holds_lists(y):
            raise
        labels = None
    if labels is None or (not labels.flat and labels.sort == "text" and _holds_lists(y)):
        raise TargetError(
            "y has a collection of labels for each row; expected a column of 0 and 1 for each label. Convert y with "
            "scikit-learn's MultiLabelBinarizer (IB1, IB2 and IB3 also need per_class=True)."
        )
    if seen is not None and seen.indicator == labels.flat:
        forms = ["one class for each row", "a column of 0 and 1 for each class"]
        now, before = forms if labels.flat else forms[::-1]
        raise TargetError(f"y has {now}, but had {before} before. Pass y in the same form in every call.")
    return labels


def _members(y: Any, labels: Labels, seen: SeenClasses) -> BoolArray:
    """Return whether each row belongs to each class, shape (rows, classes)."""
    values, names = labels.values, _column_names(y)
    if found := _not_0_or_1(labels):
        raise TargetError(
            f"the columns of y contain {listed(found)}; expected 0 and 1 only, with a column for each class. "
            "If each row has a single class, pass y as a one-dimensional list."
        )
    if len(seen.labels) != values.shape[1]:
        raise TargetError(
            f"y has {values.shape[1]} columns, but had {len(seen.labels)} before. Pass the same columns in each call."
        )
    if names is not None and seen.labels != tuple(range(len(names))):
        if unseen := [name for name in names if name not in seen.labels]:
            absent = [label for label in seen.labels if label not in names]
            raise TargetError(
                f"the columns of y do not match the classes learned so far: {listed(unseen)} new, "
                f"{listed(absent)} absent. {misspelt(unseen, absent) or 'Pass the same columns in every call.'}"
            )
        values = values[:, [names.index(label) for label in seen.labels]]
    return values.astype(bool)


def _column_names(y: Any) -> tuple[Name, ...] | None:
    if not nw.dependencies.is_into_dataframe(y):
        return None
    try:
        return tuple(nw.from_native(y, eager_only=True).columns)
    except DuplicateError:
        names = y.columns if hasattr(y, "iloc") else y.column_names  # pandas or Arrow
        repeated = [name for name, n in Counter(names).items() if n > 1]
        raise TargetError(f"y has several columns named {listed(repeated)}. Rename or drop them.") from None


def _holds_lists(y: Any) -> bool:
    """Return whether the entries of a target are collections, such as lists of labels."""
    entries = y if isinstance(y, (list, tuple)) else np.asarray(y, dtype=object).ravel()
    return any(isinstance(entry, (list, tuple, set, frozenset, np.ndarray)) for entry in entries)


def _not_0_or_1(labels: Labels) -> list[Value]:
    return sorted(set(np.unique(labels.values).tolist()) - {0, 1}, key=str)
