"""Targets of a concept learner: one class for each row, or a column of 0 and 1 for each class (an indicator)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from priorcase._locks import cached_property
from priorcase._typing import AnyArray, BoolArray, IdArray, Name, Value
from priorcase.exceptions import TargetError, listed, misspelt, quoted
from priorcase.instances import Instances
from priorcase.learning.targets import Labels, LabelSort, as_array, label_array, objects, read_labels
from priorcase.schema import Coded, Nominal, Schema, Table
from priorcase.schema.kinds import content_of, is_missing

_ONE = Schema(None, (Nominal(),))


@dataclass(frozen=True, eq=False)
class SeenClasses:
    """The classes seen or declared so far, stored or not, by codes in the order of their first rows."""

    labels: tuple[Value, ...]  # the class of each code, None once all its rows are forgotten
    rows: IdArray  # how many rows of each were seen and not forgotten
    sort: LabelSort | None  # None where they are the columns of an indicator: rows may belong to several, or to none
    batches: tuple[tuple[int, np.dtype[Any]], ...]  # the first id of labels of each dtype, and that dtype, ascending
    declared: tuple[bool, ...]  # whether each was declared by ``classes=``, and so stays without rows
    dtypes: tuple[np.dtype[Any], ...] = ()  # of the declared classes

    @cached_property
    def indicator(self) -> bool:
        return self.sort is None

    @cached_property
    def codes(self) -> IdArray:
        """Codes of the classes that have rows or were declared, in the order of `classes`."""
        alive = np.flatnonzero((self.rows > 0) | np.array(self.declared, bool))
        if self.indicator or not alive.size:
            return alive
        return alive[np.argsort(self._array(alive), kind="stable")]

    @cached_property
    def classes(self) -> AnyArray:
        """The classes, ascending; the columns of an indicator in their own order."""
        classes = self._array(self.codes)
        classes.flags.writeable = False  # handed out as classes_
        return classes

    @cached_property
    def index(self) -> dict[Value, int]:
        """The code of each class."""
        return {label: code for code, label in enumerate(self.labels) if label is not None}

    @cached_property
    def positions(self) -> IdArray:
        """The position of each code in `classes`."""
        positions = np.zeros(len(self.labels), np.int64)
        positions[self.codes] = np.arange(self.codes.size)
        return positions

    @property
    def declared_labels(self) -> set[Any]:
        """The classes that were declared; where there are some, there can be no others."""
        return {label for label, declared in zip(self.labels, self.declared, strict=True) if declared}

    def with_rows(self, labels: Labels, first_id: int) -> tuple[Self, IdArray]:
        """The classes with those of more rows, the first of which gets ``first_id``; and the codes of those rows."""
        values = labels.values[:, 0].tolist()
        seen = self.with_labels(values)
        codes = np.array([seen.index[label] for label in values], np.int64)
        if not self.batches or self.batches[-1][1] != labels.dtype:
            seen = replace(seen, batches=(*self.batches, (first_id, labels.dtype)))
        return seen.counted(np.bincount(codes, minlength=seen.rows.size)), codes

    def counted(self, rows: IdArray) -> Self:
        """The classes with some more rows of each."""
        if ((self.rows == 0) & (rows > 0)).any():
            return replace(self, rows=self.rows + rows)
        # Classes with rows stay the same ones, and so does all that was computed from them.
        seen = copy(self)
        seen.__dict__["rows"] = self.rows + rows
        return seen

    def of_rows(self, instances: Instances) -> Self:
        """The classes when only these rows are left; one without rows keeps its code, but its name only if declared."""
        rows = np.zeros(len(self.labels), np.int64)
        for t in range(len(self.labels) if self.indicator else 1):
            for value, count in zip(instances.target_values(t), instances.target_counts(t).tolist(), strict=False):
                if count and (value or not self.indicator):
                    rows[t if self.indicator else self.index[value]] += count
        named = zip(self.labels, rows.tolist(), self.declared, strict=True)
        labels = tuple(label if count or declared else None for label, count, declared in named)
        of = np.searchsorted([start for start, _ in self.batches], instances.ids, side="right") - 1
        batches = tuple(self.batches[batch] for batch in np.unique(of).tolist())
        return replace(self, labels=labels, rows=rows, batches=batches or self.batches[-1:])

    def coded(self, instances: Instances, positions: IdArray) -> AnyArray:
        """Targets of stored rows as descriptions learn them: class codes, or memberships."""
        if not self.indicator:
            table = np.array([self.index.get(value, -1) for value in instances.target_values()], np.int64)
            return np.asarray(table[instances.target()[positions]])
        tables = [np.array([bool(value) for value in instances.target_values(t)]) for t in range(len(self.labels))]
        return np.stack([table[instances.target(t)[positions]] for t, table in enumerate(tables)], axis=1)

    def with_labels(self, labels: list[Value]) -> Self:
        """The classes with some more."""
        new = tuple(dict.fromkeys(label for label in labels if label not in self.index))
        if not new:
            return self
        rows = np.concatenate([self.rows, np.zeros(len(new), np.int64)])
        return replace(self, labels=self.labels + new, rows=rows, declared=self.declared + (False,) * len(new))

    def _array(self, codes: IdArray) -> AnyArray:
        """Classes as an array of the dtype they came in."""
        labels = [self.labels[code] for code in codes.tolist()]
        if not self.indicator:
            return label_array(labels, np.result_type(*(dtype for _, dtype in self.batches), *self.dtypes))
        return np.array(labels) if content_of(labels) in ("text", "numbers") else objects(labels)


@dataclass(frozen=True, eq=False)
class Targets:
    """Targets of some rows, class codes or memberships of shape (rows, classes), and all classes seen by then."""

    coded: AnyArray
    seen: SeenClasses

    def table(self) -> Table:
        """The targets as they are stored beside the rows: classes by name, memberships as 0 and 1."""
        if not self.seen.indicator:
            return Table(_ONE, len(self.coded), (Coded(self.coded, self.seen.labels),))
        columns = tuple(Coded(inside.astype(np.int8), (0, 1)) for inside in self.coded.T)
        return Table(Schema(None, (Nominal(),) * len(columns)), len(self.coded), columns)


def read_targets(y: Any, seen: SeenClasses | None, classes: Any, *, per_class: bool, first_id: int) -> Targets:
    """Targets of new rows, the first of which gets ``first_id``; ``seen`` is None before the first rows."""
    labels = _read(y, seen, classes, per_class=per_class)
    if seen is not None and not seen.rows.any() and not any(seen.declared):
        seen = None  # every row was forgotten, and so are their classes
    if not labels.flat:
        n = labels.values.shape[1]
        if not per_class:
            raise TargetError(
                f"y has {n} columns, but classes that share one description exclude each other. "
                "Pass one class for each row, or choose per_class=True for multi-label targets."
            )
        if seen is None:
            names = _column_names(y) or tuple(range(n))
            seen = SeenClasses(names, np.zeros(n, np.int64), None, ((first_id, labels.dtype),), (True,) * n)
        members = _members(y, labels, seen)
        if classes is not None and _as_list(classes) != list(seen.labels):
            raise TargetError(
                f"classes= lists {listed(_as_list(classes))}, but the columns of y are {listed(seen.labels)}. "
                "Leave classes= out: the columns of y are the classes."
            )
        return Targets(members, seen.counted(members.sum(axis=0)))
    if seen is None:
        seen = SeenClasses((), np.zeros(0, np.int64), labels.sort, (), ())
    _check_sort(labels, seen)
    if classes is not None:
        seen = _with_declared(seen, classes)
    if any(seen.declared) and (unknown := sorted(set(labels.values[:, 0].tolist()) - seen.declared_labels)):
        declared = sorted(seen.declared_labels)
        raise TargetError(
            f"y has {listed(unknown)}, but classes= declares {listed(declared)}. "
            f"{misspelt(unknown, declared) or 'List every class in classes=, or leave it out.'}"
        )
    seen, codes = seen.with_rows(labels, first_id)
    return Targets(codes, seen)


def read_truth(y: Any, seen: SeenClasses) -> AnyArray:
    """Columns of 0 and 1 to compare predictions with, in the order of the classes."""
    return _members(y, _read(y, seen, None, per_class=True), seen)


def _read(y: Any, seen: SeenClasses | None, classes: Any, *, per_class: bool) -> Labels:
    """Labels of some rows, flat or in columns, in the form they had before."""
    try:
        labels = None
        if per_class and (seen is None or seen.indicator) and (array := as_array(y)).ndim > 1:
            # A single column may be an indicator, or hold the classes themselves.
            labels = read_labels(y) if array.shape[1] > 1 else replace(read_labels(array[:, 0]), flat=False)
            if seen is None and array.shape[1] == 1:
                named = classes is None or _as_list(classes) == list(_column_names(y) or (0,))
                labels = labels if named and not _not_0_or_1(labels) else None
        labels = labels or read_labels(y)
    except TargetError:
        if not _holds_lists(y):
            raise
        labels = None
    if labels is None or (not labels.flat and labels.sort == "text" and _holds_lists(y)):
        raise TargetError(
            "y has a collection of labels for each row; expected a column of 0 and 1 for each label, as scikit-learn's "
            "MultiLabelBinarizer makes them (IB1, IB2 and IB3 need per_class=True to learn them)"
        )
    if seen is not None and seen.indicator == labels.flat:
        forms = ["one class for each row", "a column of 0 and 1 for each class"]
        now, before = forms if labels.flat else forms[::-1]
        raise TargetError(f"y came as {now}, but before as {before}. Pass y in the same form in every call.")
    return labels


def _members(y: Any, labels: Labels, seen: SeenClasses) -> BoolArray:
    """Whether each row belongs to each class; columns are matched by name where both sides have names."""
    values, names = labels.values, _column_names(y)
    if found := _not_0_or_1(labels):
        raise TargetError(
            f"the columns of y hold {listed(found)}; expected 0 and 1 only, a column for each class. "
            "Pass a flat list for one class per row."
        )
    if len(seen.labels) != values.shape[1]:
        raise TargetError(f"y has {values.shape[1]} columns, but had {len(seen.labels)} before")
    if names is not None and seen.labels != tuple(range(len(names))):
        if unseen := [name for name in names if name not in seen.labels]:
            absent = [label for label in seen.labels if label not in names]
            raise TargetError(
                f"the columns of y do not match the classes learned so far: {listed(unseen)} not learned, "
                f"{listed(absent)} not there. {misspelt(unseen, absent) or 'Pass the same columns in every call.'}"
            )
        values = values[:, [names.index(label) for label in seen.labels]]
    return values.astype(bool)


def _column_names(y: Any) -> tuple[Name, ...] | None:
    """The names of the columns of a frame."""
    if not nw.dependencies.is_into_dataframe(y):
        return None
    try:
        return tuple(nw.from_native(y, eager_only=True).columns)
    except DuplicateError:
        names = y.columns if hasattr(y, "iloc") else y.column_names  # of pandas, of Arrow
        repeated = [name for name, n in Counter(names).items() if n > 1]
        raise TargetError(f"y has several columns named {listed(repeated)}. Rename or drop them.") from None


def _holds_lists(y: Any) -> bool:
    """Whether the entries of a target are collections, such as lists of labels."""
    entries = y if isinstance(y, (list, tuple)) else np.asarray(y, dtype=object).ravel()
    return any(isinstance(entry, (list, tuple, set, frozenset, np.ndarray)) for entry in entries)


def _not_0_or_1(labels: Labels) -> list[Value]:
    return sorted(set(np.unique(labels.values).tolist()) - {0, 1}, key=str)


def _with_declared(seen: SeenClasses, classes: Any) -> SeenClasses:
    """The classes with those of ``classes=`` declared beside those declared before."""
    values = _as_list(classes) if isinstance(classes, Iterable) and not isinstance(classes, str) else []
    if not values or any(isinstance(value, (list, tuple, np.ndarray)) or is_missing(value) for value in values):
        raise TargetError(f"classes must be a list of classes such as ['no', 'yes'], got {quoted(classes)}")
    labels = read_labels(classes if isinstance(classes, np.ndarray) else values)
    _check_sort(labels, seen)
    here, seen = set(labels.values[:, 0].tolist()), seen.with_labels(labels.values[:, 0].tolist())
    declared = (was or label in here for was, label in zip(seen.declared, seen.labels, strict=True))
    seen = replace(seen, declared=tuple(declared), dtypes=(*seen.dtypes, labels.dtype))
    met: set[Any] = {label for label, rows in zip(seen.labels, seen.rows.tolist(), strict=True) if rows}
    if undeclared := sorted(met - seen.declared_labels):
        raise TargetError(
            f"classes= lists {listed(sorted(seen.declared_labels))}, but rows seen before had {listed(undeclared)}. "
            "List every class, those already seen included."
        )
    return seen


def _check_sort(labels: Labels, seen: SeenClasses) -> None:
    if seen.sort is not None and labels.sort != seen.sort:
        raise TargetError(
            f"the classes are {labels.sort} here, but those learned so far are {seen.sort}. "
            "Write the classes the same way in every call."
        )


def _as_list(classes: Any) -> list[Any]:
    return list(classes) if isinstance(classes, Iterable) and not isinstance(classes, str) else [classes]
