"""Concept descriptions: the comparison of instances, and the stored instances with their records.

A learner has one description for all classes, or one for each class. The compiled part of a description is changed in
place, by a single call, because copying it for each row would take too long.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from priorcase._core import Concept, Plan
from priorcase._locks import cached_property
from priorcase._typing import AnyArray, BoolArray, FloatArray, IdArray, Name, Value
from priorcase.concepts.records import verdicts, wilson_bounds
from priorcase.exceptions import NumericRangeError
from priorcase.instances import Instances
from priorcase.instances.instances import unseen_values, with_unseen
from priorcase.saving import checked
from priorcase.schema import Date, Nominal, Numeric, Schema
from priorcase.schema.dates import date_of
from priorcase.schema.kinds import identity
from priorcase.similarity import Distance, FittedDistance
from priorcase.similarity.computed import Computation
from priorcase.similarity.differences import Curve, Differ, Linear, Lookup, Profile
from priorcase.similarity.periodic import DatesSoFar, Periodic
from priorcase.similarity.statistics import Summary

# History of the rows seen: False for none, True for a log of their effects, "replay" for the log and the rows.
History: TypeAlias = bool | Literal["replay"]

KEEP = ("every", "misclassified", "significant")
TIES = ("majority", "first", "random")
REASONS = np.array(["first", "every", "misclassified"], dtype=object)
# Rules that the compiled core accepts by name.
_CORE = ("z_accept", "z_drop", "weighted", "known_only", "weight_power", "window", "decay", "seed")
# Bounds of the numbers in a saved distance; shares of classes may exceed 1 by rounding.
_BOUNDS = dict.fromkeys(("profiles", "unseen", "missing"), (0.0, 1 + 1e-9))
_BOUNDS |= dict.fromkeys(("low", "high", "breaks", "numbers"), (-1e308, 1e308)) | {"scale": (0.0, 1e308)}
# The range of smaller numbers is always finite.
_LARGE = 1e290
_LARGEST_WEIGHT = 1e100


@dataclass(frozen=True)
class Rules:
    """The checked parameters of a learner; they tell the compiled core which of IB1 to IB5 to run."""

    keep: str  # "every" (IB1), "misclassified" (IB2), or "significant": misclassified, dropped if poor (IB3 to IB5)
    ties: str
    distance: Distance
    growing: bool  # whether ranges of numbers grow with the rows; otherwise the distance is fitted to the first rows
    per_class: bool
    history: History
    declared: Schema | None  # initial attributes, if others may appear later (IB5)
    z_accept: float
    z_drop: float
    weighted: bool  # whether attributes are weighted (IB4)
    known_only: bool  # whether weights are updated only by values known on both sides (IB5)
    weight_power: float
    window: int  # 0 for none
    decay: float
    seed: int

    @property
    def keeps_all(self) -> bool:
        return self.keep == "every" and not self.window

    def compare(self, schema: Schema, rows: Instances, earlier: Comparison | None = None) -> Comparison:
        """Return the `Comparison` for the attributes of a schema; distances other than Aha's are fitted to ``rows``.

        ``earlier`` is the comparison before attributes were added to the schema; its codes are kept.
        """
        if self.growing:
            return _growing(self.distance, schema).with_live(earlier)
        fitted = self.distance.fit(rows, 0)
        vocabulary = {
            a: {identity(value): code for code, value in enumerate(rows.values(a)) if value is not None}
            for a, term in enumerate(fitted.terms)
            if term.codes is not None and isinstance(schema.kinds[a], Nominal) and not isinstance(term, Computation)
        }
        return Comparison(rows.schema, fitted, False, vocabulary).with_live(earlier)

    def core(self, comparison: Comparison) -> Concept:
        kinds, live = comparison.schema.kinds, comparison.live
        coded = np.array([not isinstance(kind, Numeric) or a in live for a, kind in enumerate(kinds)], np.uint8)
        options: dict[str, Any] = {name: getattr(self, name) for name in _CORE}
        rule, ties = KEEP.index(self.keep), TIES.index(self.ties)
        return Concept(comparison.plan, coded, comparison.ranged, rule=rule, ties=ties, **options)

    def begin(self, comparison: Comparison) -> Descriptions:
        """Return the descriptions before any row is learned: a single empty one, with the key None."""
        trace = np.empty((0, 5), np.int64) if self.history else None
        held: set[int] | None = set() if self.per_class and not self.keeps_all else None
        return {None: Description(self, comparison, self.core(comparison), trace, held)}


class LiveValues:
    """The values of an attribute whose differences are computed in Python; their codes follow the order of arrival."""

    def __init__(self, term: Computation) -> None:
        self.values: list[Value] = []
        # Values of the queries of one prediction, with the codes -2, -3, ...; the learner's lock protects them.
        self.unseen: Sequence[Value] = ()
        self._codes: dict[Value, int] = {}
        self._term = self._latest = replace(term, values=(), numbers=None)

    def learn(self, value: Value) -> float:
        """Return the code of a value of a stored row; a new value gets the next code."""
        code = self._codes.setdefault(identity(value), len(self.values))
        if code == len(self.values):
            self.values.append(value)
        return float(code)

    def look_up(self, value: Value, unseen: list[Value]) -> float:
        """Return the code of a query value; an unseen value is added to ``unseen``."""
        code = self._codes.get(identity(value))
        if code is not None:
            return float(code)
        unseen.append(value)
        return -1.0 - len(unseen)

    def term(self) -> Computation:
        """Return the difference between values as a `Computation` that contains all values learned so far."""
        if len(self._latest.values) != len(self.values):
            self._latest = replace(self._term, values=tuple(self.values))
        return self._latest

    def row_of(self, cell: float) -> FloatArray:
        """Return the differences ``f`` of a cell from all learned values; all 1 if the cell is an undeclared level."""
        if cell == -1.0:
            return np.ones(len(self.values))
        value = self.values[int(cell)] if cell >= 0 else self.unseen[-2 - int(cell)]
        row: FloatArray = self.term().rows([value])[0]
        return row


@dataclass(frozen=True, eq=False)
class Comparison:
    """Distance used by concept descriptions: Aha's similarity, or a distance fitted to the first rows."""

    schema: Schema
    fitted: FittedDistance
    growing: bool  # whether ranges of numbers grow with the rows; the distance is then not fitted to rows
    # Codes of the nominal values of the first rows; `Instances` may reuse the code of a removed value.
    vocabulary: dict[int, dict[Value, int]] = field(default_factory=dict)
    live: dict[int, LiveValues] = field(default_factory=dict)  # attributes whose differences are computed in Python

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("plan", "ranged")}

    @cached_property
    def plan(self) -> Plan:
        plan = self.fitted.empty_plan()
        for a, term in enumerate(self.fitted.terms):
            if a in self.live:
                plan.asked(a, self.live[a].row_of, f_one=term.f_one, f_both=term.f_both)
            else:
                term.add_to(plan, a)
        return plan

    def with_live(self, earlier: Comparison | None = None) -> Comparison:
        """Return a copy with codes for values that are compared in Python; codes of ``earlier`` are reused."""
        terms, known = enumerate(self.fitted.terms), {} if earlier is None else earlier.live
        live = {a: known.get(a) or LiveValues(term) for a, term in terms if isinstance(term, Computation)}
        return replace(self, live=live) if live else self

    @cached_property
    def ranged(self) -> NDArray[np.uint8]:
        """Mask of the attributes whose differences are scaled by the range of the numbers seen so far."""
        numeric = [isinstance(kind, Numeric) for kind in self.schema.kinds]
        linear = [isinstance(term, Linear) for term in self.fitted.terms]
        return np.array(numeric, np.uint8) & np.array(linear, np.uint8) & np.uint8(self.growing)

    def prepared(self, cells: FloatArray, instances: Instances, *, stored: bool) -> FloatArray:
        """Return cells of stored rows or queries in the format of the core.

        A value that is not in ``vocabulary`` becomes a missing value in a stored row, and an unseen value in a query.
        """
        if self.live:
            cells = self._numbered(cells, instances, stored=stored)
        for a, codes in self.vocabulary.items():
            beyond = np.nan if stored else -1.0
            table = np.array([codes.get(identity(value), beyond) for value in instances.values(a)], np.float64)
            known = cells[:, a] >= 0
            cells[known, a] = table[cells[known, a].astype(np.intp)]
        return np.asanyarray(cells if self.growing else self.fitted.prepare(cells), order="C")

    def _numbered(self, cells: FloatArray, instances: Instances, *, stored: bool) -> FloatArray:
        """Return the cells, with this comparison's codes for values that are compared in Python."""
        given, unseen, found = unseen_values(cells), list[Value](), np.array(cells)
        for a, live in self.live.items():
            kind, values = self.schema.kinds[a], instances.values(a)
            known = ~np.isnan(found[:, a])
            distinct, places = np.unique(found[known, a], return_inverse=True)
            codes = []
            for cell in distinct.tolist():
                if isinstance(kind, Numeric):
                    value = date_of(cell) if isinstance(kind, Date) else cell
                elif cell == -1.0:  # an undeclared level
                    codes.append(cell)
                    continue
                else:
                    value = values[int(cell)] if cell >= 0 else given[-2 - int(cell)]
                codes.append(live.learn(value) if stored else live.look_up(value, unseen))
            found[known, a] = np.array(codes)[places.ravel()]
            if not stored:
                live.unseen = unseen
        return found if stored else with_unseen(found, unseen)

    def with_ranges(self, low: FloatArray, high: FloatArray) -> FittedDistance:
        """Return the distance with new ranges; ``low`` and ``high`` have a bound per attribute (NaN if none)."""
        ends = zip(np.nan_to_num(low).tolist(), np.nan_to_num(high).tolist(), strict=True)
        terms = [
            replace(term, low=start, high=end, scale=end - start) if ranged and isinstance(term, Linear) else term
            for term, ranged, (start, end) in zip(self.fitted.terms, self.ranged, ends, strict=True)
        ]
        for a, live in self.live.items():
            terms[a] = live.term()
        return replace(self.fitted, terms=tuple(terms))

    def check_ranges(self, core: Concept, cells: FloatArray) -> None:
        """Raise an error if the range of the numbers, including numbers already seen, is infinite."""
        if not self.growing or not (np.abs(cells) > _LARGE).any():
            return
        low, high = core.ranges()
        with np.errstate(over="ignore", invalid="ignore"):
            widths = np.fmax(np.fmax.reduce(cells), high) - np.fmin(np.fmin.reduce(cells), low)
        for a in np.flatnonzero(np.isinf(widths) & (self.ranged > 0)).tolist():
            raise NumericRangeError(
                f"column {self.schema.label(a)!r} has numbers so large that their range is infinite. "
                "Divide the column by a large constant, or take its logarithm."
            )

    def saved(self) -> dict[str, Any] | None:
        """Return the fitted distance and the values compared in Python, or None if nothing was learned from rows."""
        live = [(a, list(each.values)) for a, each in self.live.items()]
        if self.growing:
            return {"live": live} if live else None
        vocabulary = []
        for a, codes in self.vocabulary.items():
            values: list[Value] = [None] * (max(codes.values(), default=-1) + 1)
            for key, code in codes.items():
                values[code] = key[1] if isinstance(key, tuple) and key[:1] == (bool,) else key
            vocabulary.append((a, values))
        terms = [None if a in self.live else (t.form, dict(vars(t))) for a, t in enumerate(self.fitted.terms)]
        return {"terms": terms, "vocabulary": vocabulary, "target": self.fitted.target, "live": live}

    @classmethod
    def restored(cls, told: dict[str, Any] | None, rules: Rules, schema: Schema) -> Comparison:
        """Restore a comparison from the result of `saved`; raise ``ValueError`` if it does not match the schema."""
        if rules.growing or told is None:
            if not rules.growing:
                raise ValueError("the distance was not fitted")
            return _growing(rules.distance, schema).with_live()._with_values(told)
        computed = rules.distance.computed(schema)
        terms = tuple(
            rules.distance.fit_empty(schema, a) if a in computed else _FORMS[saved[0]](**saved[1])
            for a, saved in enumerate(told["terms"])
        )
        for term in (term for a, term in enumerate(terms) if a not in computed):
            for name, value in vars(term).items():
                least, most = _BOUNDS.get(name, (0.0, _LARGEST_WEIGHT))
                numbers = np.asarray(0.0 if value is None else value, np.float64)
                if not ((numbers >= least) & (numbers <= most)).all():  # a distance that is NaN would crash the core
                    raise ValueError("an invalid number")
        fitted = FittedDistance(rules.distance, terms, told["target"], Summary(0, {}), None, -1)
        coded = {a: term.codes for a, term in enumerate(terms) if term.codes is not None and a not in computed}
        vocabulary = {}
        for a, values in told["vocabulary"]:
            if not isinstance(schema.kinds[a], Nominal) or len(values) > coded[a]:
                raise ValueError("a vocabulary was saved for a column that is not nominal or has too few codes")
            vocabulary[a] = {identity(value): code for code, value in enumerate(values) if value is not None}
        nominal = {a for a in coded if isinstance(schema.kinds[a], Nominal)}
        if len(terms) != len(schema) or vocabulary.keys() != nominal:
            raise ValueError("the distance belongs to other columns")
        return cls(schema, fitted, False, vocabulary).with_live()._with_values(told)

    def _with_values(self, told: dict[str, Any] | None) -> Comparison:
        """Learn the values saved in ``told``, and return ``self``."""
        for a, values in () if told is None else told["live"]:
            for value in values:
                self.live[a].learn(value)
        return self


_FORMS: dict[str, Any] = {each.form: each for each in (Linear, Differ, Curve, Profile, Lookup, Periodic)}


@lru_cache(maxsize=128)
def _growing(distance: Distance, schema: Schema) -> Comparison:
    """Return a comparison that is not fitted to rows; the ranges of its numbers grow when rows are learned."""
    elapsed = dict[Name, Any]()
    for a, kind in enumerate(schema.kinds):
        parts = kind.parts if isinstance(kind, Date) and kind.parts != "auto" else ("elapsed",)
        if isinstance(kind, Date) and "elapsed" in parts:  # the range of elapsed time grows
            elapsed[schema.label(a)] = DatesSoFar(parts) if len(parts) > 1 else distance.numeric
    if elapsed:
        distance = replace(distance, attributes={**distance.attributes, **elapsed})
    return Comparison(schema, distance.fit(Instances(schema), None), True)


@dataclass(frozen=True, eq=False)
class Description:
    """A compiled concept description and, if a history is kept, the effect of each instance on the description."""

    rules: Rules
    comparison: Comparison
    core: Concept
    # For each instance seen: whether it was predicted correctly (-1 without a prediction), and numbers of instances:
    # stored and acceptable after it, accepted because of it, and dropped because of it.
    trace: IdArray | None
    held: set[int] | None  # ids of the stored rows, if several descriptions share rows and rows may be dropped

    def __len__(self) -> int:
        return len(self.core)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"core": self.core.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        core = state["rules"].core(state["comparison"])
        core.restore(state["core"])
        self.__dict__.update(state | {"core": core})

    def saved(self) -> dict[str, Any]:
        """Return the learned state, to be saved with the model; the values of instances are saved with the rows."""
        return {"trace": self.trace} | _unpacked(self.core.state())

    @classmethod
    def restored(
        cls, told: dict[str, Any], rules: Rules, comparison: Comparison, instances: Instances, labels: Any, n_seen: int
    ) -> Description:
        """Restore and check a description from the result of `saved`; ``labels`` maps positions of rows to labels."""
        width, trace, core = len(comparison.schema), told["trace"], rules.core(comparison)
        records = checked(told["records"], np.int64, (None, 5), least=0)
        ids, n = records[:, 0], len(records)
        tallies = checked(told["tallies"], np.float64, (n, 2), least=0.0)
        positions = instances.positions(ids)
        if np.unique(ids).size < n or (records[:, 3] >= len(REASONS)).any() or (tallies[:, 0] > tallies[:, 1]).any():
            raise ValueError("the records are invalid")
        if (records[:, 1] != labels(positions)).any():
            raise ValueError("the records belong to other classes")
        cells = comparison.prepared(instances.cells(positions), instances, stored=True)
        _check_seen_ranges(told["low"], told["high"], cells, comparison.ranged > 0)
        for name, least in (("sums", -np.inf), ("norms", 0.0)):
            checked(told[name], np.float64, (width,), least=least)
        weights = np.divide(told["sums"], told["norms"], out=np.zeros(width), where=told["norms"] > 0.0)
        if not (weights <= _LARGEST_WEIGHT).all():
            raise ValueError("an attribute weight is too large")
        checked(told["counts"], np.float64, (None,), least=0.0)
        recent = checked(told["recent"], np.int64, (None,), least=0)
        if told["arrivals"] != n_seen or not 0 <= told["n_dropped"] < 2**62 or recent.size > rules.window:
            raise ValueError("the description belongs to other rows")
        if (trace is None) == bool(rules.history):
            raise ValueError("the history is missing, or is present although not requested")
        if trace is not None:
            checked(trace, np.int64, (None, 5), least=-1)
        core.restore(_packed(told | {"cells": cells}))
        held = set(ids.tolist()) if rules.per_class and not rules.keeps_all else None
        return cls(rules, comparison, core, trace, held)

    def copy(self, comparison: Comparison | None = None) -> Description:
        """Return an independent copy.

        If ``comparison`` has additional attributes, their values are missing in all stored instances.
        """
        comparison = comparison or self.comparison
        core = self.rules.core(comparison)
        core.restore(self.core.state())
        return replace(self, comparison=comparison, core=core, held=None if self.held is None else set(self.held))

    def records(self) -> dict[str, AnyArray]:
        """Return the stored instances with their records as columns, in the order they were stored.

        The lower bound of the accuracy and the upper bound of the class frequency use the confidence level ``accept``;
        the other two bounds use the confidence level ``drop``.
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
        """Return the ids of the instances that classify: all stored instances or, for IB3 to IB5, acceptable ones."""
        ids, *_, acceptable = self.core.records()
        return ids[acceptable > 0] if self.rules.keep == "significant" else ids

    def search_weights(self) -> FloatArray:
        """Return the factor by which the differences of each attribute are multiplied."""
        return self.core.weights()[3]

    def counts_of(self, labels: IdArray) -> FloatArray:
        """Return the number of instances in the window with each label in ``labels``; 0 for label -1."""
        counts, _ = self.core.counts()
        return np.append(counts, 0.0)[np.minimum(labels, counts.size)]

    def most_frequent(self, labels: IdArray) -> int:
        """Return the position in ``labels`` of the most frequent label; ties go to the first label."""
        return int(np.argmax(self.counts_of(labels)))


# State of a compiled description: arrays, each preceded by its length, and single numbers.
_STATE = {"cells": "f8", "records": "i8", "tallies": "f8", "low": "f8", "high": "f8", "sums": "f8", "norms": "f8"}
_STATE |= {"counts": "f8", "seen": "", "recent": "i8", "random": "", "arrivals": "", "n_dropped": ""}
_NUMBERS = {"seen": "d", "random": "Q", "arrivals": "q", "n_dropped": "q"}
_COLUMNS = {"records": 5, "tallies": 2}


def _unpacked(state: bytes) -> dict[str, Any]:
    """Split the state of a compiled description into named parts; leave out the values of its instances."""
    found: dict[str, Any] = {}
    at = 0
    for name, dtype in _STATE.items():
        (number,) = struct.unpack_from(_NUMBERS.get(name, "Q"), state, at)
        at += 8
        found[name] = number
        if dtype:
            found[name] = np.frombuffer(state, dtype, number, at).copy()
            at += 8 * number
    del found["cells"]
    return found | {name: found[name].reshape(-1, columns) for name, columns in _COLUMNS.items()}


def _packed(parts: dict[str, Any]) -> bytes:
    """Join parts into the state of a compiled description."""
    pieces = []
    for name, dtype in _STATE.items():
        part = parts[name]
        pieces.append(struct.pack(_NUMBERS.get(name, "Q"), part.size if dtype else part))
        pieces.append(np.ascontiguousarray(part, dtype).tobytes() if dtype else b"")
    return b"".join(pieces)


def _check_seen_ranges(low: Any, high: Any, cells: FloatArray, ranged: BoolArray) -> None:
    """Raise ``ValueError`` if a number in a stored instance is outside the saved range of its column."""
    width = cells.shape[1]
    for ends in (low, high):
        checked(ends, np.float64, (width,), missing=True)
    with np.errstate(all="ignore"):
        known = ranged & ~np.isnan(cells).all(axis=0) if len(cells) else np.zeros(width, bool)
        inside = (np.fmin.reduce(cells, initial=np.inf) >= low) & (np.fmax.reduce(cells, initial=-np.inf) <= high)
        if (known & ~inside).any() or np.isinf(high - low).any():
            raise ValueError("a stored number is outside the range of its column")


# Descriptions by class code, with the key None first. Without ``per_class``, only the description with key None exists,
# for all classes (IB1 to IB3 as published). With ``per_class``, a row has label 1 in the description of its class and
# label 0 in all others. The description with key None has seen all rows with label 0: a class that appears mid-stream
# starts with a copy of it, as if the class had been known from the first row.
Descriptions: TypeAlias = dict[int | None, Description]
