"""How Aha, Kibler & Albert 1991 measured: trials on fresh training and test rows, the same for all learners."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from priorcase._typing import AnyArray, IntArray
from priorcase.datasets import NamedColumns
from priorcase.papers.protocols import Measured


class Learner(Protocol):
    """A concept learner, as far as the trials ask."""

    storage_: float
    stored_: int

    def fit(self, X: Any, y: Any) -> Self:
        """The learner with the rows learned in their order."""
        ...

    def predict(self, X: Any) -> AnyArray:
        """The classes of some rows."""
        ...


@dataclass(frozen=True, eq=False)
class Trial:
    """Training rows in the order they are learned, test rows, and a seed for what the learner leaves to chance."""

    X: Any
    y: AnyArray
    X_test: Any
    y_test: AnyArray
    seed: int


class Domain(Protocol):
    """Where the rows of a trial come from."""

    @property
    def name(self) -> str:
        """Its name, which starts its own stream of random numbers."""
        ...

    def draw(self, stream: np.random.Generator) -> Trial:
        """A trial."""
        ...


@dataclass(frozen=True, eq=False)
class Partition:
    """All rows of a data set, dealt out at random: so many to learn from, the others to test.

    Examples
    --------
    >>> from priorcase.datasets import load_repairs
    >>> trial = Partition("repairs", *load_repairs(), train=90).draw(np.random.default_rng(0))
    >>> len(trial.X), len(trial.X_test)
    (90, 6)
    """

    name: str
    X: NamedColumns
    y: AnyArray
    train: int

    def draw(self, stream: np.random.Generator) -> Trial:
        """A trial."""
        order = stream.permutation(len(self.y))
        learned, tested = order[: self.train], order[self.train :]
        return Trial(self._rows(learned), self.y[learned], self._rows(tested), self.y[tested], _seed(stream))

    def _rows(self, rows: IntArray) -> NamedColumns:
        return NamedColumns.of({name: column[rows] for name, column in self.X.data.items()}, self.X.kinds)


@dataclass(frozen=True)
class Generated:
    """Rows made anew for every trial."""

    name: str
    make: Callable[..., tuple[AnyArray, AnyArray]]
    train: int
    test: int

    def draw(self, stream: np.random.Generator) -> Trial:
        """A trial."""
        X, y = self.make(self.train + self.test, random_state=stream)
        return Trial(X[: self.train], y[: self.train], X[self.train :], y[self.train :], _seed(stream))


@dataclass(frozen=True)
class Outcome:
    """What a learner did over some trials, in percent.

    Parameters
    ----------
    accuracy
        Test rows that were predicted right.
    storage
        Training rows that predict; of IB3 the acceptable ones.
    full
        Training rows that are kept, whether they may predict or not.
    """

    accuracy: Measured
    storage: Measured
    full: Measured


def trials(domain: Domain, count: int, *, seed: int = 0) -> Iterator[Trial]:
    """Trials on one domain; each domain has its own stream of random numbers, whatever else is measured."""
    stream = np.random.default_rng([seed, zlib.crc32(domain.name.encode())])
    for _ in range(count):
        yield domain.draw(stream)


def measure(
    domain: Domain, learners: Mapping[str, Callable[[int], Learner]], *, count: int = 50, seed: int = 0
) -> dict[str, Outcome]:
    """What some learners do over the same trials.

    Parameters
    ----------
    domain
        Where the rows come from.
    learners
        What to compare: learners made from a trial's seed, by name.
    count
        How many trials; the standard errors of the paper fit about 50.
    seed
        Start of the random numbers.
    """
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in learners}
    for trial in trials(domain, count, seed=seed):
        for name, make in learners.items():
            learner = make(trial.seed).fit(trial.X, trial.y)
            right = (learner.predict(trial.X_test) == trial.y_test).mean()
            found[name].append((right, learner.storage_, learner.stored_ / len(trial.y)))
    return {
        name: Outcome(*(Measured(100 * np.array(each)) for each in zip(*figures, strict=True)))
        for name, figures in found.items()
    }


def _seed(stream: np.random.Generator) -> int:
    return int(stream.integers(2**31))
