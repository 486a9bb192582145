"""Concept descriptions: how instances are compared, and stored instances with their records.

Similarity is `Comparison`. A learner has one description for all classes, or one for each class. The compiled
description is changed in place, by one call; everything else here is replaced and never changed, so that a learner can
keep what it had.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from priorcase._core import Concept, Plan
from priorcase._typing import AnyArray, FloatArray, IdArray, Value
from priorcase.concepts.records import verdicts, wilson_bounds
from priorcase.exceptions import NumericRangeError
from priorcase.instances import Instances
from priorcase.schema import Nominal, Numeric, Schema
from priorcase.schema.values import identity
from priorcase.similarity import Distance, FittedDistance
from priorcase.similarity.terms import Linear

KEEP = ("every", "misclassified", "significant")
TIES = ("majority", "first", "random")
REASONS = np.array(["first", "every", "misclassified"], dtype=object)

# The range of smaller numbers is always finite.
_LARGE = 1e290

Rows: TypeAlias = tuple[IdArray, FloatArray, AnyArray]
"""Ids, cells and targets of some rows: class codes, or for each row and class whether it belongs there."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """A distance as concept descriptions use it.

    Aha's similarity needs only the ranges of numbers, which descriptions widen as rows come (`incremental`). Any other
    distance is fitted to the rows of the first call. Its ``vocabulary`` then maps the nominal values of these rows to
    the codes they had, since `Instances` may give the code of a removed value to another one.
    """

    schema: Schema
    fitted: FittedDistance
    incremental: bool
    vocabulary: dict[int, dict[Value, int]] = field(default_factory=dict)

    @classmethod
    def growing(cls, distance: Distance, schema: Schema) -> Self:
        """A comparison whose ranges grow with the rows."""
        return cls(schema, distance.fit(Instances(schema), None), True)

    @classmethod
    def settled(cls, distance: Distance, rows: Instances) -> Self:
        """A comparison fitted to some rows."""
        fitted = distance.fit(rows, 0)
        vocabulary = {
            a: {identity(value): code for code, value in enumerate(rows.values(a)) if value is not None}
            for a, term in enumerate(fitted.terms)
            if term.codes is not None and isinstance(rows.schema.kinds[a], Nominal)
        }
        return cls(rows.schema, fitted, False, vocabulary)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "plan"}

    @cached_property
    def plan(self) -> Plan:
        """The distance for the compiled core."""
        return self.fitted.plan()

    @property
    def coded(self) -> NDArray[np.uint8]:
        """Which attributes are ranks or codes."""
        return np.array([not isinstance(kind, Numeric) for kind in self.schema.kinds], np.uint8)

    @property
    def ranged(self) -> NDArray[np.uint8]:
        """Which attributes are scaled by the range of the numbers seen."""
        return np.array([self.incremental and isinstance(kind, Numeric) for kind in self.schema.kinds], np.uint8)

    def prepared(self, cells: FloatArray, instances: Instances) -> FloatArray:
        """Cells of some rows of the instances, or of queries, as the core compares them."""
        for a, rows in self.vocabulary.items():
            # A value outside the vocabulary gets a code beyond it: unseen in a query, missing in a stored row.
            beyond = self.fitted.terms[a].codes or 0
            table = np.array([rows.get(identity(value), beyond) for value in instances.values(a)], np.float64)
            known = cells[:, a] >= 0
            cells[known, a] = table[cells[known, a].astype(np.intp)]
        return np.ascontiguousarray(self.fitted.prepare(cells))

    def with_ranges(self, low: FloatArray, high: FloatArray) -> FittedDistance:
        """The distance in plain NumPy, with the ranges of a description; NaN where no number is known."""
        terms = [
            replace(term, low=start, high=end, scale=end - start) if ranged and isinstance(term, Linear) else term
            for term, ranged, start, end in zip(
                self.fitted.terms, self.ranged, np.nan_to_num(low).tolist(), np.nan_to_num(high).tolist(), strict=True
            )
        ]
        return replace(self.fitted, terms=tuple(terms))

    def compared(self, cells: FloatArray, *, stored: bool) -> FloatArray:
        """Prepared cells as the core reads them: values outside the vocabulary are missing, or unseen in a query."""
        cells = cells.copy()
        for a in self.vocabulary:
            cells[cells[:, a] >= (self.fitted.terms[a].codes or 0), a] = np.nan if stored else -1.0
        return cells

    def check_ranges(self, core: Concept, cells: FloatArray) -> None:
        """Refuse numbers so large that their range, with those that a description has seen, is infinite."""
        if not self.incremental or not (np.abs(cells) > _LARGE).any():
            return
        low, high = core.ranges()
        with np.errstate(over="ignore", invalid="ignore"):
            widths = np.fmax(np.fmax.reduce(cells), high) - np.fmin(np.fmin.reduce(cells), low)
        for a in np.flatnonzero(np.isinf(widths) & (self.ranged > 0)).tolist():
            raise NumericRangeError(
                f"column {self.schema.label(a)!r} has numbers so large that their range is infinite. "
                "Divide the column by a large constant, or take its logarithm."
            )


@dataclass(frozen=True)
class Rules:
    """The differences between IB1 to IB5.

    ``keep``: which instances are stored, every one (IB1), the misclassified (IB2), or these until their record is
    significantly poor (IB3 and later). ``weighted``, ``known_only``: whether attributes are weighted (IB4), and only by
    values known on both sides (IB5). ``window``: 0 for none.
    """

    keep: str
    ties: str
    z_accept: float
    z_drop: float
    weighted: bool = False
    known_only: bool = False
    weight_power: float = 2.0
    window: int = 0
    decay: float = 1.0
    seed: int = 0

    @property
    def selective(self) -> bool:
        """Whether only acceptable instances classify."""
        return self.keep == "significant"

    @property
    def keeps_all(self) -> bool:
        """Whether every row stays stored."""
        return self.keep == "every" and not self.window

    def begin(self, comparison: Comparison) -> Concept:
        """A compiled description that has seen nothing."""
        return Concept(
            comparison.plan,
            comparison.coded,
            comparison.ranged,
            rule=KEEP.index(self.keep),
            ties=TIES.index(self.ties),
            z_accept=self.z_accept,
            z_drop=self.z_drop,
            weighted=self.weighted,
            known_only=self.known_only,
            weight_power=self.weight_power,
            window=self.window,
            decay=self.decay,
            seed=self.seed,
        )


class Growing:
    """An array that grows at its end; earlier versions share its memory and stay as they are."""

    __slots__ = ("_data", "_n", "_used")

    def __init__(self, data: AnyArray) -> None:
        self._data, self._n = data, len(data)
        self._used = [len(data)]  # how much of the data some version has taken

    def __getstate__(self) -> AnyArray:
        return self.view().copy()

    def __setstate__(self, data: AnyArray) -> None:
        Growing.__init__(self, data)

    def view(self) -> AnyArray:
        """The items."""
        return self._data[: self._n]

    def extended(self, items: AnyArray) -> Growing:
        """This array with more items."""
        end = self._n + len(items)
        if self._used[0] != self._n or end > len(self._data):
            larger = Growing(np.empty((max(end, self._n + self._n // 2, 16), *self._data.shape[1:]), self._data.dtype))
            larger._data[: self._n] = self.view()
        else:
            larger = Growing.__new__(Growing)
            larger._data, larger._used = self._data, self._used
        larger._used[0] = larger._n = end
        larger._data[self._n : end] = items
        return larger


@dataclass(frozen=True, eq=False)
class Description:
    """A compiled description, and what each instance did to it where a history is kept.

    ``trace`` has a line for each instance seen: correct (-1 where nothing was stored to predict from), stored and
    acceptable instances after it, how many became acceptable by it, and how many were dropped. ``held`` are the stored
    ids, where several descriptions share the rows and rows may leave.
    """

    rules: Rules
    comparison: Comparison
    core: Concept
    trace: Growing | None = None
    held: set[int] | None = None

    @classmethod
    def begin(cls, rules: Rules, comparison: Comparison, *, traced: bool, shared: bool) -> Description:
        """A description that has seen nothing."""
        trace = Growing(np.empty((0, 5), np.int64)) if traced else None
        return cls(rules, comparison, rules.begin(comparison), trace, set() if shared and not rules.keeps_all else None)

    def __len__(self) -> int:
        return len(self.core)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"core": self.core.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        core = state["rules"].begin(state["comparison"])
        core.restore(state["core"])
        self.__dict__.update(state | {"core": core})

    def copy(self, comparison: Comparison | None = None) -> Description:
        """An independent copy; under a wider comparison new attributes are missing in every stored instance."""
        comparison = comparison or self.comparison
        core = self.rules.begin(comparison)
        core.restore(self.core.state())
        held = None if self.held is None else set(self.held)
        return replace(self, comparison=comparison, core=core, held=held)

    def records(self) -> dict[str, AnyArray]:
        """The stored instances in the order they were stored, with their records, as columns.

        The lower bound of accuracy and the upper bound of frequency are those of acceptance, the others of dropping.
        """
        ids, labels, successes, trials, arrived, reasons, _ = self.core.records()
        counts, seen = self.core.counts()
        of_class, total = counts[labels], np.full(labels.size, seen)
        z, z_drop = self.rules.z_accept, self.rules.z_drop
        accuracy = wilson_bounds(successes, trials, z)[0], wilson_bounds(successes, trials, z_drop)[1]
        frequency = wilson_bounds(of_class, total, z_drop)[0], wilson_bounds(of_class, total, z)[1]
        tried = np.float64 if self.rules.decay < 1.0 else np.int64
        return {
            "id": ids,
            "successes": successes.astype(tried),
            "trials": trials.astype(tried),
            "accuracy_low": accuracy[0],
            "accuracy_high": accuracy[1],
            "frequency_low": frequency[0],
            "frequency_high": frequency[1],
            "class_count": of_class.astype(np.int64),
            "verdict": verdicts(accuracy, frequency),
            "arrived": arrived,
            "reason": REASONS[reasons],
        }

    def kept(self) -> IdArray:
        """Ids of the instances that classify: the acceptable ones where records decide."""
        ids, *_, acceptable = self.core.records()
        return ids[acceptable > 0] if self.rules.selective else ids

    def search_weights(self) -> FloatArray:
        """What the differences of each attribute are multiplied by."""
        return self.core.weights()[3]

    def counts_of(self, labels: IdArray) -> FloatArray:
        """How many of the instances that count had each of some labels."""
        counts, _ = self.core.counts()
        found = np.zeros(labels.size)
        known = labels < counts.size
        found[known] = counts[labels[known]]
        return found

    def most_frequent(self, labels: IdArray) -> int:
        """The most frequent of some labels; the first of equals."""
        return int(labels[int(np.argmax(self.counts_of(labels)))])


@dataclass(frozen=True, eq=False)
class Descriptions:
    """One description for all classes (IB1 to IB3 as published), or one for each class, by its code.

    With one for each class, a row belongs to the class (1) or does not (0). ``outside`` has then seen every row as
    outside: a class that appears in mid-stream begins as its copy, as if it had been known from the first row on.
    """

    joint: Description | None = None
    outside: Description | None = None
    of_classes: dict[int, Description] = field(default_factory=dict)

    @classmethod
    def begin(cls, rules: Rules, comparison: Comparison, *, per_class: bool, traced: bool) -> Descriptions:
        """Descriptions that have seen nothing."""
        first = Description.begin(rules, comparison, traced=traced, shared=per_class)
        return cls(outside=first) if per_class else cls(joint=first)

    def all(self) -> list[Description]:
        """Every description, `outside` first."""
        own = [one for one in (self.joint, self.outside) if one is not None]
        return [*own, *self.of_classes.values()]

    @property
    def first(self) -> Description:
        """A description that has seen every row."""
        first = self.outside if self.joint is None else self.joint
        assert first is not None
        return first

    def of_class(self, code: int) -> Description:
        """The description in which a class is to be found; `outside` for a class that was declared and never seen."""
        return self.of_classes.get(code, self.first)

    def ordered(self, codes: IdArray) -> list[tuple[int | None, Description]]:
        """The descriptions of the classes that were seen, in the order of some codes; None where all share one."""
        if self.joint is not None:
            return [(None, self.joint)]
        return [(code, self.of_classes[code]) for code in codes.tolist() if code in self.of_classes]

    def named(self) -> list[Description]:
        """The descriptions without `outside`."""
        return list(self.of_classes.values()) if self.joint is None else [self.joint]

    def copy(self, comparison: Comparison | None = None) -> Descriptions:
        """An independent copy, perhaps with more attributes."""
        return Descriptions(
            None if self.joint is None else self.joint.copy(comparison),
            None if self.outside is None else self.outside.copy(comparison),
            {code: one.copy(comparison) for code, one in self.of_classes.items()},
        )

    def with_classes(self, targets: AnyArray) -> Descriptions:
        """With a description of its own for each class that appears in some targets."""
        if self.joint is not None:
            return self
        new = [code for code in _occurring(targets) if code not in self.of_classes]
        return replace(self, of_classes=self.of_classes | {code: self.first.copy() for code in new}) if new else self

    def without_classes(self, alive: Sequence[int]) -> Descriptions:
        """Without the descriptions of classes that have no rows left."""
        return replace(self, of_classes={code: one for code, one in self.of_classes.items() if code in alive})

    def tasks(self, rows: Rows) -> Iterator[tuple[Any, ...]]:
        """The arguments of the compiled call for each description."""
        ids, cells, targets = rows
        traced = self.first.trace is not None
        if self.joint is not None:
            yield self.joint.core, ids, cells, targets, traced
            return
        yield self.first.core, ids, cells, np.zeros(len(ids), np.int64), traced
        for code, one in self.of_classes.items():
            inside = targets[:, code] if targets.ndim == 2 else targets == code
            yield one.core, ids, cells, np.ascontiguousarray(inside, np.int64), traced

    def learned(self, ids: IdArray, results: Sequence[tuple[Any, ...]]) -> tuple[Descriptions, IdArray]:
        """The descriptions after the compiled calls, and the ids of rows that none of them stores any more.

        Doing it twice does no harm, so that it can be repeated where it was interrupted.
        """
        if self.joint is not None:
            return Descriptions(_traced(self.joint, results[0])), results[0][0]
        ones = [_traced(one, result) for one, result in zip(self.all(), results, strict=True)]
        after = Descriptions(None, ones[0], dict(zip(self.of_classes, ones[1:], strict=True)))
        if ones[0].held is None:
            return after, results[0][0]  # every row stays
        new, left = ids.tolist(), set()
        for one, (gone, *_) in zip(ones, results, strict=True):
            assert one.held is not None
            one.held.update(new)
            one.held.difference_update(released := gone.tolist())
            left.update(released)
        for one in ones:
            left -= one.held or set()
        return after, np.array(sorted(left), np.int64)


def run_learn(tasks: Sequence[tuple[Any, ...]], results: list[Any]) -> None:
    """Let compiled descriptions learn; their results go to a list.

    All in one call of C: Ctrl-C comes before it, when nothing has happened, or after it, when all results are there.
    """
    results.extend(map(Concept.learn, *zip(*tasks, strict=True)))


def run_forget(cores: Sequence[Concept], ids: IdArray, results: list[Any]) -> None:
    """Let compiled descriptions forget rows that all of them store; in one call of C as `run_learn`."""
    results.extend(map(Concept.forget, cores, repeat(ids)))


def _traced(one: Description, result: tuple[Any, ...]) -> Description:
    return one if one.trace is None else replace(one, trace=one.trace.extended(np.stack(result[1:], axis=1)))


def _occurring(targets: AnyArray) -> list[int]:
    """Codes of the classes that some row has, in the order of their first rows."""
    if targets.ndim == 2:
        return [int(code) for code in np.flatnonzero(targets.any(axis=0))]
    if len(targets) == 1:  # one row at a time must be quick
        return [int(targets[0])]
    codes, first = np.unique(targets, return_index=True)
    return [int(code) for code in codes[np.argsort(first)]]
