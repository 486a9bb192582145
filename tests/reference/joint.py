"""Joint distributions of several columns by enumeration: every class, every value of every column.

Equations of Kontkanen, Myllymäki, Silander, Tirri & Grünwald 1997 ("Comparing predictive inference methods for discrete
domains") and Kontkanen, Myllymäki, Silander & Tirri 1998 ("Bayes optimal instance-based learning"). A cell is a value,
None for a gap.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from reference import predictive

Row = tuple[Hashable | None, ...]
GAP = "a gap"
CLASS = -1


@dataclass(frozen=True)
class Model:
    """Rows with their classes, and how to predict from them.

    ``weight`` is that of every value and class, ``declared`` has the declared values of some columns; with
    ``gaps_count`` a gap is one more value.
    """

    rows: Sequence[Row]
    classes: Sequence[Hashable]
    predictive: str = "evidence"
    weight: Fraction = Fraction(1)
    gaps_count: bool = False
    declared: Mapping[int, Sequence[Hashable]] = field(default_factory=dict)

    @property
    def labels(self) -> list[Hashable]:
        return sorted(set(self.classes))  # type: ignore[type-var]  # classes of one type

    def cells(self, row: Row) -> list[Hashable | None]:
        return [GAP if cell is None and self.gaps_count else cell for cell in row]

    def domain(self, a: int, asked: Hashable | None = None) -> list[Hashable]:
        """The values of a column that some row holds or that are declared, and one that a query holds."""
        held = [self.cells(row)[a] for row in self.rows]
        return [v for v in dict.fromkeys([*self.declared.get(a, ()), *held, asked]) if v is not None]

    def share(self, counts: Sequence[int], at: int) -> Fraction:
        """1998, eq. 9 or 7."""
        formula = predictive.evidence if self.predictive == "evidence" else predictive.maximum_a_posteriori
        return formula([Fraction(n) for n in counts], [self.weight] * len(counts))[at]

    def class_share(self, k: Hashable) -> Fraction:
        return self.share([list(self.classes).count(c) for c in self.labels], self.labels.index(k))

    def value_share(self, k: Hashable, a: int, value: Hashable, domain: Sequence[Hashable]) -> Fraction:
        own = [self.cells(row)[a] for row, c in zip(self.rows, self.classes, strict=True) if c == k]
        return self.share([own.count(v) for v in domain], domain.index(value))

    def joint(self, query: Row, targets: Sequence[int], y: Hashable | None = None) -> dict[tuple[Hashable, ...], float]:
        """The probability of each combination of the targets' values; `CLASS` is the class."""
        masses = (self.likelihoods if self.predictive == "sc" else self.masses)(query, targets, y)
        total = sum(masses.values())
        return {combination: float(mass / total) for combination, mass in masses.items()}

    def masses(self, query: Row, targets: Sequence[int], y: Hashable | None) -> dict[tuple[Hashable, ...], Fraction]:
        """Sums over all classes and all values of all columns, of the cells of the full joint table that fit."""
        cells = self.cells(query)
        known = {a: value for a, value in enumerate(cells) if a not in targets and value is not None}
        domains = [self.domain(a, known.get(a)) for a in range(len(query))]
        table: dict[tuple[Hashable, ...], Fraction] = defaultdict(Fraction)
        for k in self.labels if y is None else [y]:
            for row in product(*domains):
                if all(row[a] == value for a, value in known.items()):
                    mass = self.class_share(k)
                    for a, value in enumerate(row):
                        mass *= self.value_share(k, a, value, domains[a])
                    table[self.combination(row, k, targets)] += mass
        if sum(table.values()):
            return table
        return self.hopeless(query, targets, y)

    def hopeless(self, query: Row, targets: Sequence[int], y: Hashable | None) -> dict[tuple[Hashable, ...], Fraction]:
        """Where no class is possible: each has probability 1 / K, or the known one has 1."""
        columns = [a for a in targets if a != CLASS]
        table: dict[tuple[Hashable, ...], Fraction] = defaultdict(Fraction)
        for k in self.labels if y is None else [y]:
            for values in product(*(self.domain(a) for a in columns)):
                mass = Fraction(1)
                for a, value in zip(columns, values, strict=True):
                    mass *= self.value_share(k, a, value, self.domain(a))
                row = dict(zip(columns, values, strict=True))
                table[self.combination([row.get(a) for a in range(len(query))], k, targets)] += mass
        return table

    def likelihoods(
        self, query: Row, targets: Sequence[int], y: Hashable | None
    ) -> dict[tuple[Hashable, ...], Fraction]:
        """1997, eq. 8, with a combination of values in place of the class: by the largest likelihood of all rows."""
        columns = [a for a in targets if a != CLASS]
        rows = [tuple(self.cells(row)) for row in self.rows]
        table: dict[tuple[Hashable, ...], Fraction] = defaultdict(Fraction)
        for k in self.labels if y is None else [y]:
            for values in product(*(self.domain(a) for a in columns)):
                row = self.cells(query)
                for a, value in zip(columns, values, strict=True):
                    row[a] = value
                likelihood = predictive.class_likelihood([*rows, tuple(row)], [*self.classes, k])
                table[self.combination(row, k, targets)] += likelihood
        return table

    def combination(self, row: Sequence[Hashable], k: Hashable, targets: Sequence[int]) -> tuple[Hashable, ...]:
        values = [k if a == CLASS else row[a] for a in targets]
        return tuple(None if value == GAP else value for value in values)
