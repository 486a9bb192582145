"""PEBLS, slow and obvious (Cost & Salzberg 1993): plain lists, every distance from the definition.

``number`` is the arithmetic: ``Fraction`` for the exact value of every formula, ``float`` for the bits of a program
that counts first and then adds classes in the order of their first row and attributes in the order of the columns. None
is missing, and missing is one more symbol.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Row = Sequence[Any]
Number = Any


@dataclass(frozen=True)
class Settings:
    """k, r, how exemplars are weighted, and what a value without rows is like."""

    k: int = 1
    r: int = 2
    weighting: str | None = "multi_pass"
    passes: int = 1
    inherit: bool = True
    unseen: str = "maximal"
    weights: Sequence[Any] | None = None
    number: Callable[[Any], Number] = Fraction


def symbols(rows: Sequence[Row], numeric: Sequence[int], bins: int) -> Callable[[Row], list[Any]]:
    """How a row becomes symbols: a number is the interval it lies in, of ``bins`` as wide as each other.

    A number outside the range that the rows span belongs to the first or the last interval.
    """
    edges: dict[int, list[Fraction]] = {}
    for a in numeric:
        known = [Fraction(row[a]) for row in rows if row[a] is not None] or [Fraction(0)]
        width = (max(known) - min(known)) / bins
        edges[a] = [min(known) + i * width for i in range(bins)] if width else [min(known)]

    def read(row: Row) -> list[Any]:
        return [
            max(sum(edge <= Fraction(value) for edge in edges[a]) - 1, 0) if a in edges and value is not None else value
            for a, value in enumerate(row)
        ]

    return read


@dataclass
class Exemplar:
    """A stored row with its record."""

    row: Row
    label: Any
    used: int = 1
    correct: int = 1


@dataclass
class Pebls:
    """Rows of symbols and their classes, in the order in which they came."""

    rows: Sequence[Row]
    labels: Sequence[Any]
    settings: Settings
    exemplars: list[Exemplar] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.settings.weighting == "one_pass":
            self.one_pass()
        else:
            self.exemplars = [Exemplar(row, label) for row, label in zip(self.rows, self.labels, strict=True)]
        if self.settings.weighting == "multi_pass":
            self.multi_pass()

    # -- distances

    def classes(self) -> list[Any]:
        return list(dict.fromkeys(self.labels))

    def shares(self, labels: Sequence[Any]) -> list[Number]:
        number = self.settings.number
        return [number(list(labels).count(c)) / number(len(labels)) for c in self.classes()]

    def profile(self, a: int, value: Any) -> list[Number] | None:
        """C_i / C: how the rows with a value fall into the classes; None where nothing can be said of the value."""
        labels = [label for row, label in zip(self.rows, self.labels, strict=True) if row[a] == value]
        if labels:
            return self.shares(labels)
        if self.settings.unseen == "maximal":
            return None
        nothing = [self.settings.number(0) for _ in self.classes()]
        return self.shares(self.labels) if self.settings.unseen == "prior" else nothing

    def value_difference(self, a: int, one: Any, other: Any) -> Number:
        """delta(V1, V2) = sum_i |C1i / C1 - C2i / C2| ** k; 2 is as far as two values can be."""
        p, q = self.profile(a, one), self.profile(a, other)
        if p is None or q is None:
            return self.settings.number(2)
        total = self.settings.number(0)
        for x, y in zip(p, q, strict=True):  # from Python 3.12 on, the sum of floats is compensated
            total = total + power(abs(x - y), self.settings.k)
        return total

    def difference(self, query: Row, row: Row) -> Number:
        """Delta without the weights of the rows: sum_a delta ** r, perhaps with weights of the attributes."""
        total = self.settings.number(0)
        for a, (q, x) in enumerate(zip(query, row, strict=True)):
            weight = self.settings.number(1 if self.settings.weights is None else self.settings.weights[a])
            total = total + weight * power(self.value_difference(a, q, x), self.settings.r)
        return total

    def distance(self, query: Row, exemplar: Exemplar) -> Number:
        """Delta(X, Y) = w_X w_Y sum_a delta ** r with w_X = used / correct, and w_Y = 1 for what is asked."""
        weight = self.settings.number(exemplar.used) / self.settings.number(exemplar.correct)
        return weight * self.difference(query, exemplar.row)

    def nearest(self, query: Row, among: Sequence[Exemplar], n: int = 1) -> list[Exemplar]:
        """The n nearest, the first stored of equally near ones."""
        return sorted(among, key=lambda exemplar: self.distance(query, exemplar))[
            :n
        ]  # sorting keeps equal ones in order

    # -- weights

    def one_pass(self) -> None:
        """Exemplars come one by one; the nearest stored one answers, and its record takes note."""
        for row, label in zip(self.rows, self.labels, strict=True):
            new = Exemplar(row, label)
            if self.exemplars:
                (nearest,) = self.nearest(row, self.exemplars)
                nearest.used += 1
                nearest.correct += nearest.label == label
                if self.settings.inherit:
                    new.used, new.correct = nearest.used, nearest.correct
            self.exemplars.append(new)

    def multi_pass(self) -> None:
        """All are stored; in each pass each asks its nearest other exemplar."""
        for _ in range(self.settings.passes if len(self.exemplars) > 1 else 0):
            for own in self.exemplars:
                (nearest,) = self.nearest(own.row, [other for other in self.exemplars if other is not own])
                nearest.used += 1
                nearest.correct += nearest.label == own.label

    # -- answers

    def votes(self, query: Row, n: int = 1) -> dict[Any, int]:
        """How many of the n nearest are of each class, the class of the nearest one first."""
        labels = [exemplar.label for exemplar in self.nearest(query, self.exemplars, n)]
        return {label: labels.count(label) for label in dict.fromkeys(labels)}

    def predict(self, query: Row, n: int = 1) -> Any:
        """The class with the most votes; of several the one whose voter is nearest."""
        votes = self.votes(query, n)
        return max(votes, key=lambda label: votes[label])  # the first of equals, and the nearest ones come first


def power(base: Number, exponent: int) -> Number:
    """A power by repeated multiplication from the left."""
    result = base
    for _ in range(exponent - 1):
        result = result * base
    return result
