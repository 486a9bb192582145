"""Naive Bayes, slow and obvious: the formulas once for each query, class and attribute, in exact fractions.

Equations of Kontkanen, Myllymäki, Silander, Tirri & Grünwald 1997 ("Comparing predictive inference methods for discrete
domains") and Kontkanen, Myllymäki, Silander & Tirri 1998 ("Bayes optimal instance-based learning"). A cell is a value,
None for a gap. An attribute has the values that some row holds or that are declared, and the one that is asked for.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from reference import numeric, predictive

Row = Sequence[Hashable | None]
GAP = "a gap"


def uniform(column: int, values: Sequence[Hashable], n_classes: int, k: int) -> list[Fraction]:
    """Weight 1 for every value."""
    return [Fraction(1)] * len(values)


@dataclass(frozen=True)
class Model:
    """Rows with their classes, and how to predict from them.

    ``weight`` gives the weights of a column's values in a class, ``class_weights`` one weight for each label;
    ``declared`` the declared values of a column; ``densities`` what to do with columns of numbers, by position.
    """

    rows: Sequence[Row]
    classes: Sequence[Hashable]
    labels: Sequence[Hashable]
    times: Sequence[Fraction] | None = None
    predictive: str = "evidence"
    weight: Callable[[int, Sequence[Hashable], int, int], list[Fraction]] = uniform
    class_weights: Sequence[Fraction] | None = None
    gaps_count: bool = False
    floor: Fraction = Fraction(0)
    declared: dict[int, Sequence[Hashable]] = field(default_factory=dict)
    densities: dict[int, str | float] = field(default_factory=dict)

    def without(self, i: int) -> Model:
        """The same without a row; its class stays."""
        keep = [j for j in range(len(self.rows)) if j != i]
        times = None if self.times is None else [self.times[j] for j in keep]
        return replace(self, rows=[self.rows[j] for j in keep], classes=[self.classes[j] for j in keep], times=times)

    @cached_property
    def counts(self) -> dict[Hashable, Fraction]:
        """Rows of each class, and of each class that hold each value of each column."""
        found: dict[Hashable, Fraction] = defaultdict(Fraction)
        for row, k, t in zip(self.rows, self.classes, self.times or [Fraction(1)] * len(self.rows), strict=True):
            found[k] += t
            for column in range(len(row)):
                found[k, column, self.cell(row, column)] += t
        return found

    def count(self, k: Hashable, column: int | None = None, value: Hashable = None) -> Fraction:
        """Rows of a class (that hold a value)."""
        return self.counts.get(k if column is None else (k, column, value), Fraction(0))

    def cell(self, row: Row, column: int) -> Hashable:
        return GAP if row[column] is None and self.gaps_count else row[column]

    def values(self, column: int, asked: Hashable = None) -> list[Hashable]:
        """The values of a column, with the one that is asked for."""
        held = [self.cell(row, column) for row in self.rows]
        return [v for v in dict.fromkeys([*self.declared.get(column, ()), *held, asked]) if v is not None]

    def share(self, counts: Sequence[Fraction], weights: Sequence[Fraction], at: int) -> Fraction:
        """1998, eqs. 7 and 9."""
        formula = predictive.evidence if self.predictive == "evidence" else predictive.maximum_a_posteriori
        return max(formula(counts, weights)[at], self.floor)

    def value_share(self, k: int, column: int, value: Hashable) -> Fraction:
        """The share of a value in the class with this position."""
        values = self.values(column, value)
        counts = [self.count(self.labels[k], column, v) for v in values]
        return self.share(counts, self.weight(column, values, len(self.labels), k), values.index(value))

    def joint(self, query: Row) -> list[Fraction]:
        """``a_k prod_i phi_ki`` for each class, columns with a density left out."""
        class_weights = self.class_weights or [Fraction(1)] * len(self.labels)
        sizes = [self.count(k) for k in self.labels]
        found = []
        for k in range(len(self.labels)):
            joint = self.share(sizes, class_weights, k)
            for column in range(len(query)):
                value = self.cell(query, column)
                if column not in self.densities and value is not None:
                    joint *= self.value_share(k, column, value)
            found.append(joint)
        return found

    def log_likelihood(self, query: Row, k: Hashable) -> float:
        """The largest log-likelihood of all rows and a query in class k (1997, eq. 8)."""
        times = [*(self.times or [Fraction(1)] * len(self.rows)), Fraction(1)]
        more = replace(self, rows=[*self.rows, query], classes=[*self.classes, k], times=times)
        parts = []
        everything = sum(times)
        for label in self.labels:
            parts.append(term(more.count(label), everything))
            for column in (c for c in range(len(query)) if c not in self.densities):
                counts = [more.count(label, column, value) for value in more.values(column)]
                parts += [term(count, sum(counts)) for count in counts]
        return math.fsum(parts)

    def joint_logs(self, query: Row) -> list[float]:
        """The log of the joint probability of each class with a query; "sc": up to a constant."""
        if self.predictive == "sc":
            logs = [self.log_likelihood(query, k) for k in self.labels]
        else:
            logs = [predictive.log(joint) if joint else -math.inf for joint in self.joint(query)]
        for column in self.densities:
            logs = [log + self.density(column, query[column], k) for log, k in zip(logs, self.labels, strict=True)]
        return logs

    def density(self, column: int, x: Hashable, k: Hashable) -> float:
        """The log-density of a number in a class; each row must count once."""
        known = [
            (float(row[column]), c) for row, c in zip(self.rows, self.classes, strict=True) if row[column] is not None
        ]  # type: ignore[arg-type]  # columns with a density hold numbers
        everything, own = [v for v, _ in known], [v for v, c in known if c == k]
        if x is None or len(set(everything)) < 2:
            return 0.0
        strategy, number = self.densities[column], float(x)  # type: ignore[arg-type]  # a number
        if strategy == "student":
            return numeric.log_student(number, own, everything, 1.0, 1.0)
        if strategy == "gaussian":
            return numeric.log_gaussian(number, own, everything, 1e-9)
        return numeric.log_kernel(number, own, everything, strategy)

    def log_probabilities(self, query: Row, cap: float | None = None) -> list[float]:
        """Classes by their joint logs; where every class is impossible each gets 1 / K."""
        logs = self.joint_logs(query)
        top = max(logs)
        if top == -math.inf:
            return [-math.log(len(logs))] * len(logs)
        masses = [math.exp(log - top) for log in logs]
        found = [log - top - math.log(math.fsum(masses)) for log in logs]
        if cap is None or -math.inf not in found:
            return found
        rest = math.log1p(-found.count(-math.inf) * math.exp(-cap))
        return [-cap if log == -math.inf else log + rest for log in found]

    def log_evidence(self) -> float:
        """The rows by the chain rule: each is predicted from those before it, with all values declared."""
        declared = {c: self.values(c) for c in range(len(self.rows[0])) if c not in self.densities}
        logs = []
        for i, (row, k) in enumerate(zip(self.rows, self.classes, strict=True)):
            before = replace(
                self,
                rows=self.rows[:i],
                classes=self.classes[:i],
                declared=declared,
                densities={},
                times=None,
                predictive="evidence",
            )
            cells = [None if c in self.densities else value for c, value in enumerate(row)]
            joint = before.joint(cells)
            logs.append(predictive.log(joint[list(self.labels).index(k)]))
        return math.fsum(logs)


def term(count: Fraction, total: Fraction) -> float:
    """``n ln(n / N)``, 0 for none."""
    return float(count) * math.log(count / total) if count else 0.0
