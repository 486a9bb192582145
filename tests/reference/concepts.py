"""Learners that choose what to remember, slow and obvious: one instance at a time, every stored one looked at anew.

IB1 to IB3 are those of Aha, Kibler & Albert 1991, IB4 and IB5 those of Aha 1992. Rows are lists of numbers, texts or
None (missing); kinds are "numeric", "nominal", or the number of levels of an ordinal column, whose values are ranks.
Sums are taken in the order of the columns, so that ties agree with the compiled core to the last bit.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Row = Sequence[Any]
Kind = str | int


class SplitMix64:
    """Steele, Lea & Flood 2014."""

    def __init__(self, seed: int) -> None:
        self.state = seed % 2**64

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return self.next() * n >> 64


def wilson(s: float, n: float, z: float) -> tuple[float, float]:
    """Bounds of the share that s successes in n trials speak for (Wilson 1927); [0, 1] before the first trial."""
    if n == 0:
        return 0.0, 1.0
    p = s / n
    z2 = z * z
    center = p + z2 / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    denominator = 1 + z2 / n
    return (center - half) / denominator, (center + half) / denominator


@dataclass
class Stored:
    """An instance of a concept description with its classification record."""

    name: int
    row: list[Any]
    label: Any
    arrived: int
    reason: str
    successes: float = 0.0
    trials: float = 0.0


@dataclass
class Nearest:
    """What the classification function found: the prediction, the instance it comes from, and how far that one is."""

    label: Any
    ymax: Stored | None
    cost: float
    tied: list[Stored]


class Description:
    """One concept description.

    ``rule`` says what is stored: "every" instance (IB1), the "misclassified" (IB2), or these as long as their record
    is not "significance" poor (IB3). ``gaps`` is "aha" (1991), or, for IB5, "ignore" or "scale".
    """

    def __init__(
        self,
        kinds: Sequence[Kind],
        *,
        rule: str = "every",
        ties: str = "majority",
        z_accept: float = 1.2815515655446004,
        z_drop: float = 1.1503493803760079,
        weighted: bool = False,
        known_only: bool = False,
        weight_power: int = 2,
        gaps: str = "aha",
        window: int | None = None,
        decay: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.kinds = list(kinds)
        self.rule, self.ties = rule, ties
        self.z_accept, self.z_drop = z_accept, z_drop
        self.weighted, self.known_only, self.weight_power, self.gaps = weighted, known_only, weight_power, gaps
        self.window, self.decay, self.seed = window, decay, seed
        self.stored: list[Stored] = []
        self.ranges: list[tuple[float, float] | None] = [None] * len(self.kinds)
        self.counts: dict[Any, float] = {}
        self.seen = 0.0
        self.recent: list[Any] = []
        self.cum, self.norm = [0.0] * len(self.kinds), [0.0] * len(self.kinds)
        self.rng = SplitMix64(seed)
        self.arrivals = 0
        self.dropped = 0
        self.trace: list[dict[str, int]] = []

    # -- similarity function -------------------------------------------------------------------------------------------

    def widened(self, row: Row) -> list[tuple[float, float] | None]:
        """The ranges with a row's numbers inside them (step 1; Weka's IB1 does so for queries too)."""
        found = list(self.ranges)
        for i, (kind, value) in enumerate(zip(self.kinds, row, strict=True)):
            if kind == "numeric" and value is not None:
                low, high = found[i] or (value, value)
                found[i] = min(low, value), max(high, value)
        return found

    def f(self, i: int, x: Any, y: Any, ranges: Sequence[tuple[float, float] | None]) -> float:
        """f(x_i, y_i) of IB1's similarity (1991): what attribute i adds to the squared distance (step 3)."""
        kind, gap = self.kinds[i], x is None or y is None
        if gap and self.gaps != "aha":
            return 0.0  # Aha 1992: an attribute that is not known says nothing
        if kind == "numeric":
            low, high = ranges[i] or (0.0, 0.0)
            span = high - low
            if not gap:
                d = 0.0 if span == 0 else abs(x - y) / span
                return float(d * d)
            if x is None and y is None:
                return 1.0
            v = 0.0 if span == 0 else ((y if x is None else x) - low) / span
            farthest = max(v, 1.0 - v)
            return float(farthest * farthest)
        if gap:
            return 1.0
        if kind == "nominal":
            return float(x != y)
        assert isinstance(kind, int)
        if x < 0 or y < 0:  # a level that was not declared
            return 1.0
        d = 0.0 if kind == 1 else abs(x - y) / (kind - 1)
        return float(d * d)

    def weights(self) -> list[float]:
        """w_i of Aha 1992: what agreement in the attribute says beyond chance."""
        pairs = zip(self.cum, self.norm, strict=True)
        return [0.5 if norm == 0 else max(cum / norm - 0.5, 0.0) for cum, norm in pairs]

    def search_weights(self) -> list[float]:
        """What f is multiplied by: 1, or for IB4 and IB5 a power of the weight; all alike where all weights are 0."""
        if not self.weighted:
            return [1.0] * len(self.kinds)
        found = [w * w if self.weight_power == 2 else w for w in self.weights()]
        return found if any(found) else [1.0] * len(self.kinds)

    def cost(self, x: Row, y: Row, ranges: Sequence[tuple[float, float] | None]) -> float:
        """The squared distance, the terms added in the order of the columns (step 3)."""
        total = known = everything = 0.0
        for i, weight in enumerate(self.search_weights()):
            everything += weight
            if self.gaps == "scale" and (x[i] is None or y[i] is None):
                continue
            total += weight * self.f(i, x[i], y[i], ranges)
            known += weight
        if self.gaps != "scale" or known == everything:
            return total
        return math.inf if known == 0 else total / known * everything

    def rank(self, x: Row, y: Row, ranges: Sequence[tuple[float, float] | None]) -> float:
        """The squared distance after its root: similarities are roots, and sums with the same root tie."""
        distance = math.sqrt(self.cost(x, y, ranges))
        return distance * distance

    # -- classification function ---------------------------------------------------------------------------------------

    def share(self, label: Any, z: float) -> tuple[float, float]:
        """Bounds of the frequency of a class among all instances seen."""
        return wilson(self.counts.get(label, 0.0), self.seen, z)

    def acceptable(self, y: Stored) -> bool:
        """1991, IB3: more accurate than its class is frequent, by intervals that do not overlap."""
        return wilson(y.successes, y.trials, self.z_accept)[0] > self.share(y.label, self.z_accept)[1]

    def poor(self, y: Stored) -> bool:
        """1991, IB3: less accurate than its class is frequent, by intervals that do not overlap."""
        return wilson(y.successes, y.trials, self.z_drop)[1] < self.share(y.label, self.z_drop)[0]

    def verdict(self, y: Stored) -> str:
        return "acceptable" if self.acceptable(y) else "poor" if self.poor(y) else "mediocre"

    def candidates(self) -> list[Stored]:
        """Who may predict."""
        return [y for y in self.stored if self.rule != "significance" or self.acceptable(y)]

    def nearest(self, x: Row, among: Sequence[Stored], rng: SplitMix64) -> Nearest:
        """The nearest of some stored instances, which there are; ties by the rule (step 4)."""
        ranges = self.widened(x)
        costs = [self.rank(x, y.row, ranges) for y in among]
        least = min(costs)
        tied = [y for y, cost in zip(among, costs, strict=True) if cost == least]
        if self.ties == "random":
            ymax = tied[rng.below(len(tied))] if len(tied) > 1 else tied[0]
        elif self.ties == "majority":
            labels = [y.label for y in tied]
            winner = max(labels, key=labels.count)  # of equally frequent ones that of the earliest
            ymax = next(y for y in tied if y.label == winner)
        else:
            ymax = tied[0]
        return Nearest(ymax.label, ymax, least, tied)

    def in_training(self, x: Row) -> Nearest:
        """Step 4 for an instance to learn: without an acceptable one the i-th nearest, i at random (1991, table 5)."""
        among = self.candidates()
        if among:
            return self.nearest(x, among, self.rng)
        i = 1 + self.rng.below(len(self.stored))
        ranges = self.widened(x)
        # sorted() is stable: of equally near ones the one stored first comes first.
        ranked = sorted(((self.rank(x, y.row, ranges), y) for y in self.stored), key=lambda pair: pair[0])
        cost, ymax = ranked[i - 1]
        return Nearest(ymax.label, ymax, cost, [ymax])

    def answer(self, x: Row, rng: SplitMix64 | None = None) -> Nearest:
        """The prediction for a query; nothing is changed by it."""
        if not self.stored:
            return Nearest(self.most_frequent(), None, math.inf, [])
        return self.nearest(x, self.candidates() or self.stored, rng or SplitMix64(self.seed))

    def predict(self, x: Row, rng: SplitMix64 | None = None) -> Any:
        return self.answer(x, rng).label

    def most_frequent(self) -> Any:
        """The most frequent label seen; of equally frequent ones the first in order. None before the first."""
        return max(sorted(self.counts), key=lambda label: self.counts[label], default=None)

    # -- concept description updater -----------------------------------------------------------------------------------

    def learn(self, x: Row, label: Any, name: int | None = None) -> bool | None:
        """One step. Returns whether the prediction was right; None where none was made."""
        x = list(x)
        self.arrivals += 1  # 1
        self.ranges = self.widened(x)
        before = {y.arrived for y in self.candidates()}
        correct, dropped, reason = None, 0, "first"
        if not self.stored:  # 2
            self._count(label)
        else:
            found = self.in_training(x)  # 3, 4
            correct = found.label == label
            reason = "every" if self.rule == "every" else "misclassified"
            self._count(label)  # 5
            dropped = self._record(x, label, found.cost)  # 6, 7
            if self.weighted:
                self._weigh(x, label, found.ymax)  # 8
        if correct is None or not correct or self.rule == "every":  # 9
            self.stored.append(Stored(self.arrivals - 1 if name is None else name, x, label, self.arrivals, reason))
        dropped += self._leave()  # 10
        self._note(correct, before, dropped)
        return correct

    def _count(self, label: Any) -> None:
        """Step 5: of all instances, or of those in the window. They do not decay: only records do."""
        if self.window is not None:
            self.recent = [*self.recent, label][-self.window :]
            self.counts = {c: float(self.recent.count(c)) for c in self.recent}
            self.seen = float(len(self.recent))
            return
        self.seen += 1.0
        self.counts[label] = self.counts.get(label, 0.0) + 1.0

    def _record(self, x: Row, label: Any, limit: float) -> int:
        """Steps 6 and 7: all that are no farther than the one which predicted are on trial. How many were dropped."""
        on_trial = [y for y in self.stored if self.rank(x, y.row, self.ranges) <= limit]
        for y in on_trial:
            y.successes = self.decay * y.successes + float(y.label == label)
            y.trials = self.decay * y.trials + 1.0
        poor = {y.arrived for y in on_trial if self.poor(y)} if self.rule == "significance" else set()
        self.stored = [y for y in self.stored if y.arrived not in poor]
        self.dropped += len(poor)
        return len(poor)

    def _weigh(self, x: Row, label: Any, ymax: Stored | None) -> None:
        """Step 8: Aha 1992, as restated by Wettschereck, Aha & Mohri 1997."""
        assert ymax is not None
        weight = 1.0 - max(self.counts.get(label, 0.0), self.counts.get(ymax.label, 0.0)) / self.seen
        for i, (v, w) in enumerate(zip(x, ymax.row, strict=True)):
            if self.known_only and (v is None or w is None):
                continue
            diff = math.sqrt(self.f(i, v, w, self.ranges))
            self.cum[i] += weight * ((1.0 - diff) if ymax.label == label else diff)
            self.norm[i] += weight

    def _leave(self) -> int:
        """Step 10. How many left the window."""
        if self.window is None:
            return 0
        kept = [y for y in self.stored if y.arrived > self.arrivals - self.window]
        left = len(self.stored) - len(kept)
        self.stored = kept
        self.dropped += left
        return left

    def _note(self, correct: bool | None, before: set[int], dropped: int) -> None:
        now = {y.arrived for y in self.candidates()}
        self.trace.append(
            {
                "correct": -1 if correct is None else int(correct),
                "stored": len(self.stored),
                "acceptable": len(now),
                "accepted": len(now - before),
                "dropped": dropped,
            }
        )

    def learn_all(self, rows: Iterable[Row], labels: Iterable[Any]) -> Description:
        for row, label in zip(rows, labels, strict=True):
            self.learn(row, label)
        return self


class PerClass:
    """A description for each class, in which an instance is in the class (1) or not (0)."""

    def __init__(self, kinds: Sequence[Kind], classes: Iterable[Any] = (), **options: Any) -> None:
        self.none_yet = Description(kinds, **options)  # a class not seen yet: every instance is outside it
        self.of: dict[Any, Description] = {label: copy.deepcopy(self.none_yet) for label in classes}

    def learn(self, x: Row, *labels: Any) -> None:
        """One step with the classes the instance belongs to: one, several or none."""
        for label in labels:
            if label not in self.of:
                self.of[label] = copy.deepcopy(self.none_yet)
        self.none_yet.learn(x, 0)
        for label, description in self.of.items():
            description.learn(x, int(label in labels))

    def classes(self) -> list[Any]:
        return sorted(self.of)

    def claims(self, x: Row) -> list[bool]:
        return [self.of[label].predict(x) == 1 for label in self.classes()]

    def predict(self, x: Row) -> Any:
        """Of the classes whose descriptions claim x, the nearest; unclaimed: that of the nearest member."""
        classes = self.classes()
        claiming = [label for label, claim in zip(classes, self.claims(x), strict=True) if claim]
        if claiming:
            return min(claiming, key=lambda label: self._scaled(label, self.of[label].answer(x).cost))
        members = [(cost, label) for label in classes if (cost := self._member_cost(label, x)) is not None]
        if members:
            return min(members, key=lambda pair: pair[0])[1]
        return max(classes, key=lambda label: self.of[label].counts.get(1, 0.0))

    def _scaled(self, label: Any, cost: float) -> float:
        """Descriptions weigh attributes by their own scale: a cost by the sum of the weights."""
        total = 0.0
        for weight in self.of[label].search_weights():
            total += weight
        return cost / total

    def _member_cost(self, label: Any, x: Row) -> float | None:
        description = self.of[label]
        members = [y for y in description.stored if y.label == 1]
        among = [y for y in description.candidates() if y.label == 1] or members
        if not among:
            return None
        ranges = description.widened(x)
        return self._scaled(label, min(description.rank(x, y.row, ranges) for y in among))
