"""One concept description: instances with their records, kept by the compiled core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._core import Concept
from priorcase._typing import AnyArray, FloatArray, IdArray
from priorcase.concepts.comparison import Comparison
from priorcase.concepts.records import verdicts, wilson_bounds
from priorcase.concepts.trace import Trace

KEEP = ("every", "misclassified", "significant")
TIES = ("majority", "first", "random")
REASONS = np.array(["first", "every", "misclassified"], dtype=object)


@dataclass(frozen=True)
class Rules:
    """What tells IB1 to IB5 apart.

    Parameters
    ----------
    keep
        Which instances are stored: ``"every"`` one (IB1), the ``"misclassified"`` (IB2), or these until their record
        is ``"significant"`` against them (IB3 and later).
    ties
        Who speaks where several instances are nearest.
    z_accept, z_drop
        Normal quantiles of the levels at which records are significant.
    weighted, known_only, weight_power
        Whether attributes are weighed (IB4), only by values known on both sides (IB5), and to which power.
    window, decay
        How many of the latest instances count, 0 for all; what is left of a record's earlier trials at the next
        one.
    seed
        Where random numbers begin.
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
        """Whether only acceptable instances may speak."""
        return self.keep == "significant"

    def begin(self, comparison: Comparison) -> Concept:
        """A description that has seen nothing."""
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


@dataclass(frozen=True, eq=False)
class Records:
    """The stored instances of a description in the order they were stored, with their records.

    ``accuracy`` and ``frequency`` (of the class) are lower and upper bounds. Levels are one-sided: a lower bound of
    accuracy and an upper one of frequency are those of acceptance, the others those of dropping, so that a verdict can
    be read off them.
    """

    names: IdArray
    labels: IdArray
    successes: FloatArray
    trials: FloatArray
    arrived: IdArray
    reasons: AnyArray
    accuracy: tuple[FloatArray, FloatArray]
    frequency: tuple[FloatArray, FloatArray]
    class_counts: FloatArray
    verdicts: AnyArray


class Description:
    """A description and the trace of how it came about; it pickles and copies itself.

    Parameters
    ----------
    rules, comparison
        What is stored, and how instances are compared.
    traced
        Whether to keep a trace.
    """

    def __init__(self, rules: Rules, comparison: Comparison, *, traced: bool) -> None:
        self.rules = rules
        self.comparison = comparison
        self.core = rules.begin(comparison)
        self.trace = Trace() if traced else None

    def __len__(self) -> int:
        return len(self.core)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"core": self.core.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.core = self.rules.begin(self.comparison)
        self.core.restore(state["core"])

    def copy(self, comparison: Comparison | None = None) -> Description:
        """The same for itself; under a wider comparison new attributes are missing in every stored instance."""
        other = Description(self.rules, comparison or self.comparison, traced=False)
        other.core.restore(self.core.state())
        other.trace = None if self.trace is None else self.trace.copy()
        return other

    def learn(self, names: IdArray, cells: FloatArray, labels: IdArray) -> IdArray:
        """Learn instances one by one in their order; names of those that are not stored, or no more."""
        gone, *lines = self.core.learn(names, cells, labels, self.trace is not None)
        if self.trace is not None:
            self.trace.extend(tuple(lines))
        return gone

    def records(self) -> Records:
        """The stored instances with their records and the verdicts on them."""
        names, labels, successes, trials, arrived, reasons, _ = self.core.records()
        counts, seen = self.core.counts()
        of_class, total = counts[labels], np.full(labels.size, seen)
        rules = self.rules
        sure = wilson_bounds(successes, trials, rules.z_accept), wilson_bounds(of_class, total, rules.z_accept)
        doubt = wilson_bounds(successes, trials, rules.z_drop), wilson_bounds(of_class, total, rules.z_drop)
        accuracy, frequency = (sure[0][0], doubt[0][1]), (doubt[1][0], sure[1][1])
        return Records(
            names,
            labels,
            successes,
            trials,
            arrived,
            REASONS[reasons],
            accuracy,
            frequency,
            of_class,
            verdicts(accuracy, frequency),
        )

    def kept(self) -> IdArray:
        """Names of the instances that may speak in the end: the acceptable ones where only these may."""
        names, *_, acceptable = self.core.records()
        return names[acceptable > 0] if self.rules.selective else names

    def search_weights(self) -> FloatArray:
        """What the differences of each attribute are multiplied by."""
        return self.core.weights()[3]

    def counts_of(self, labels: IdArray) -> FloatArray:
        """How many instances that count had each of some labels."""
        counts, _ = self.core.counts()
        found = np.zeros(labels.size)
        known = labels < counts.size
        found[known] = counts[labels[known]]
        return found

    def frequent(self, labels: IdArray) -> int:
        """Which of some labels was the most frequent; the first of equals."""
        return int(labels[int(np.argmax(self.counts_of(labels)))])
