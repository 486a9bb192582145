"""Learn attribute weights by predicting the solution of each case from similar cases."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._numbers import equal_decimals, number
from priorcase._parameters import check_choice, check_flag, check_seed, is_number
from priorcase._typing import Backend, BoolArray, FloatArray, IdArray, IntArray
from priorcase.cases import kinds
from priorcase.cases.reuse import Success, able, worked
from priorcase.cases.scoring import Likeness, MeasureCache, Unknown, best_cases_many, check_count, checked_weights
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, UnknownNameError, advice, listed, prefix_errors, quoted
from priorcase.learning.estimator import thread_count
from priorcase.learning.plotting import captions, color, drawing, tint
from priorcase.learning.resampling import bar
from priorcase.learning.results import Grid, GridResult, framed, short
from priorcase.schema import Numeric

GRID = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Candidate weights of an attribute."""

_SHOWN = 25
_FEWEST = 3
_ROUNDS = 12
_IMPROVEMENT = 1e-3  # a change must reduce the loss by this fraction: less is noise
_PREDICTABLE = ("numeric", "ordinal", "nominal", "taxonomy")
_ROOM = 1 << 25  # similarities in memory (256 MB): 2000 cases and eight attributes with distinct values
_QUERIES = 512


# -- the result


@dataclass(frozen=True, repr=False)
class Weights(GridResult, Mapping[str, float]):
    """A mapping from attributes to weights that were learned from cases; prints as a table, the largest weight first.

    Parameters
    ----------
    names, weights
        The attributes, and the weight of each (a number >= 0).
    without
        For each attribute, the loss if its weight is set to 0; NaN if no other attribute has a weight above 0.
    loss_before, loss_after
        Leave-one-out loss before learning (weight 1 for each attribute that is neither constant nor fixed), and with
        the learned weights. Since the weights are chosen by this loss, `loss_after` is slightly optimistic for new
        cases.
    loss_of_guess
        The loss of the baseline, which predicts the class frequencies or the mean for every case.
    loss
        Name of the loss: ``"negative log-score"`` or ``"root mean squared error"``.
    target
        What was predicted: ``"solution"``, ``"outcome"`` or an attribute.
    k
        Number of similar cases from which each case is predicted.
    cases, of_cases
        Number of cases from which the weights were learned, and number of cases before sampling.
    random_state
        Seed of the sample.
    loss_uniform
        The loss with the learned weights if the k similar cases have equal votes. It is computed only if an attribute
        was dropped because its only effect was to make votes or means more uniform; otherwise it is None. After such a
        drop, `loss_after` can be larger than `loss_before`.
    fixed
        The attributes whose weights were fixed and not learned.
    rare
        Number of distinct values of the target that occur fewer than ``k`` times, and number of all distinct values;
        (0, 0) if the target is numeric.

    Examples
    --------
    >>> losses = 0.5, 0.375, 1.1, "negative log-score"
    >>> weights = Weights(("age", "make"), (0.5, 2.0), (0.4, 0.9), *losses, "solution", 5, 60, 60, 0)
    >>> weights["make"], dict(weights)
    (2.0, {'age': 0.5, 'make': 2.0})
    >>> weights
    weights learned from 60 cases: negative log-score 0.375, with equal weights 0.5
      attribute  weight  negative log-score without
      make          2.0                         0.9
      age           0.5                         0.4
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    without: tuple[float, ...]
    loss_before: float
    loss_after: float
    loss_of_guess: float
    loss: str
    target: str
    k: int
    cases: int
    of_cases: int
    random_state: int
    loss_uniform: float | None = None
    fixed: tuple[str, ...] = ()
    rare: tuple[int, int] = (0, 0)

    def __getitem__(self, name: str) -> float:
        if name not in self.names:
            raise UnknownNameError(
                f"Weights has no attribute {quoted(name)}; its attributes are {listed(self.names)}. "
                f"{advice(name, self.names, otherwise='list(weights) gives all names.')}"
            )
        return self.weights[self.names.index(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a frame with one row per attribute, the largest weight first.

        The columns are ``attribute``, ``weight`` and ``loss_without``. ``backend`` is ``"pandas"`` (the default),
        ``"polars"`` or ``"pyarrow"``.
        """
        parts = {"attribute": self.names, "weight": self.weights, "loss_without": self.without}
        order = self._order()
        return framed({label: [values[a] for a in order] for label, values in parts.items()}, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot one bar per attribute, the largest weight on top; return the axes.

        ``ax`` are Matplotlib axes; None creates a new figure.
        """
        order = self._order()[:_SHOWN]
        with drawing(ax, size=(6.0, 1.2 + 0.26 * max(len(order), 4))) as ax:
            places, found = np.arange(len(order)), [self.weights[a] for a in order]
            ax.barh(places, found, 0.7, facecolor=tint(0, 0.6), edgecolor=color(0), linewidth=0.7)
            ax.set_yticks(places, captions([self.names[a] for a in order]))
            ax.set_ylim(len(order) - 0.5, -0.5)
            ax.set_xlabel("weight")
            ax.tick_params(axis="y", length=0)
            ax.grid(False, axis="y")
            ax.set_title(self._losses_text())
            return ax

    def _order(self) -> list[int]:
        """Return the positions of the attributes, sorted by decreasing weight, then by decreasing `without`."""
        without = [math.inf if math.isnan(loss) else loss for loss in self.without]
        return sorted(range(len(self.names)), key=lambda a: (-self.weights[a], -without[a]))

    def _losses_text(self) -> str:
        return f"{self.loss} {number(self.loss_after, 4)}, with equal weights {number(self.loss_before, 4)}"

    def _grid(self) -> Grid:
        shown = self._order()[:_SHOWN]
        numbers = (equal_decimals([of[a] for a in shown]) for of in (self.weights, self.without))
        lines = list(zip((short(self.names[a], 24) for a in shown), *numbers, strict=True))
        drawn = f" sampled from {self.of_cases:,}" if self.cases < self.of_cases else ""
        title = f"weights learned from {self.cases:,} cases{drawn}: {self._losses_text()}"
        more = len(self) - _SHOWN
        notes = [f"... and {more} attribute{'s' * (more != 1)} with smaller weights"] * (more > 0)
        if self.loss_uniform is not None and self.loss_uniform < self.loss_after:
            notes.append(f"with equal votes of the {self.k} cases, {self.loss} {number(self.loss_uniform, 4)}")
        if self.fixed:
            notes.append(f"fixed weights: {short(', '.join(self.fixed), 60)}")
        few, distinct = self.rare
        if 2 * few > distinct:
            what = f"{self.target}s" if self.target in ("solution", "outcome") else f"values of {self.target!r}"
            notes.append(f"{few} of {distinct} {what} occur fewer than {self.k} times: try a smaller k")
        if self.loss_after >= self.loss_of_guess:
            guess = f"a constant prediction has {self.loss} {number(self.loss_of_guess, 4)}"
            notes.append(f"similar cases predict the {self.target} no better than chance: {guess}")
        return Grid(title, ["attribute", "weight", f"{self.loss} without"], lines, "; ".join(notes), right={1, 2})


# -- what is predicted


@dataclass(frozen=True)
class _Votes:
    """A class target, predicted by votes weighted by similarity; its loss is ``-ln((k v + p) / (k + 1))``.

    k is the number of similar cases, v is the share of their votes for the true class of the case, and p is the
    relative frequency of this class.
    """

    codes: IntArray
    k: int
    name: str = "negative log-score"

    def losses(self, cases: IdArray, found: IdArray, similarities: FloatArray) -> FloatArray:
        """Return the loss of predicting each case from the cases in its row of ``found``; -1 stands for no case."""
        prior = np.bincount(self.codes)[self.codes[cases]] / len(self.codes)
        votes = np.where(found >= 0, similarities, 0.0)
        own = np.where(self.codes[found] == self.codes[cases][:, None], votes, 0.0).sum(axis=1)
        total = votes.sum(axis=1)
        share = np.divide(own, total, out=prior.copy(), where=total > 0)
        # The prior counts as one vote, so that a few unanimous votes do not give a probability of 1.
        losses: FloatArray = -np.log((self.k * share + prior) / (self.k + 1))
        return losses

    def mean(self, losses: FloatArray) -> float:
        return float(losses.mean())

    def rare(self, k: int) -> tuple[int, int]:
        """Return the number of classes with fewer than k cases, and the number of all classes."""
        counts = np.bincount(self.codes)
        return int(np.count_nonzero(counts < k)), len(counts)


@dataclass(frozen=True)
class _Means:
    """A numeric target, predicted by means weighted by similarity, or by the overall mean if no case is similar."""

    numbers: FloatArray
    unit: float  # power of two near the largest number; numbers are divided by it so that squares do not overflow
    name: str = "root mean squared error"

    def losses(self, cases: IdArray, found: IdArray, similarities: FloatArray) -> FloatArray:
        """Return the squared error of predicting each case from the cases in its row of ``found`` (-1: no case)."""
        weights = np.where(found >= 0, similarities, 0.0)
        total = weights.sum(axis=1)
        predicted = np.full(len(cases), self.numbers.mean())
        np.divide((weights * self.numbers[found]).sum(axis=1), total, out=predicted, where=total > 0)
        errors: FloatArray = (predicted - self.numbers[cases]) ** 2
        return errors

    def mean(self, losses: FloatArray) -> float:
        return float(np.sqrt(losses.mean())) * self.unit

    def rare(self, k: int) -> tuple[int, int]:
        return 0, 0


def _target_of(table: CaseTable, target: str, positions: IdArray, k: int) -> _Votes | _Means:
    """Return the values to predict: a numeric target if all values are numbers, otherwise a class target."""
    column = table.column(target)
    places, own = np.unique(column.codes[positions], return_inverse=True)
    if len(places) < 2:
        raise CaseBaseError(
            f"found the same {target} in all cases, so there is nothing to learn. Add cases with another {target}."
        )
    if column.kind is not None:
        if type(column.kind) is not Numeric:
            return _Votes(own, k)
        values = column.numbers()[places].tolist()
    else:
        values = [kinds.plain_shown(str(column.values[place])) for place in places.tolist()]
    numbers = [value for value in values if is_number(value)]
    if not numbers:
        return _Votes(own, k)
    if len(numbers) < len(values):
        other = next(value for value in values if not is_number(value))
        raise CaseBaseError(
            f"found numbers such as {quoted(numbers[0])} and other values such as {quoted(other)} for {target!r}; "
            "expected values of one type. Convert all values to one type, or set the weights yourself."
        )
    found = np.array(values, dtype=np.float64)[own]
    unit = math.ldexp(1.0, math.frexp(float(np.abs(found).max()))[1] - 1)
    return _Means(found / unit, unit)


# -- losses


class LeftOut:
    """Leave-one-out losses of weight vectors: each case of a sample is predicted from its k most similar cases."""

    def __init__(
        self, likeness: Likeness, names: list[str], positions: IdArray, target: _Votes | _Means, *, k: int, threads: int
    ) -> None:
        self.likeness, self.names, self.positions, self.target = likeness, names, positions, target
        self.k, self.threads = min(k, len(positions) - 1), threads
        self._codes: dict[str, IntArray] = {}  # each case's value, as its position among the sample's distinct values
        self._places: dict[str, IntArray] = {}  # the sample's distinct values, as their codes in the table
        self._tables: dict[str, FloatArray] = {}  # similarities between the sample's distinct values
        for name in names:
            codes = likeness.columns[name].codes[positions]
            self._places[name] = places = np.unique(codes[codes >= 0])
            self._codes[name] = _coded(codes, places)
        # Tables are kept while there is room, the smallest first; the others are computed again for each block.
        room = _ROOM
        for name in sorted(names, key=lambda name: len(self._places[name])):
            room -= len(self._places[name]) ** 2
            if room < 0:
                break
            self._tables[name] = self._similarities(name, np.arange(len(self._places[name])))

    def losses(self, candidates: Sequence[FloatArray], *, shown: bool, text: str) -> FloatArray:
        """Return the loss of each case under each weight vector, of shape (weight vectors, cases)."""
        found_losses = np.empty((len(candidates), len(self.positions)))
        codes = list(self._codes.values())
        computed = sum(len(places) for name, places in self._places.items() if name not in self._tables)
        step = min(_QUERIES, max(1, _ROOM // max(computed, 1)))
        starts = range(0, len(self.positions), step)
        with bar(len(starts), shown=shown, text=text) as advance:
            for start in starts:
                block = slice(start, min(start + step, len(self.positions)))
                own = np.arange(block.start, block.stop, dtype=np.int64)
                rows, tables = zip(*(self._queries(name, block) for name in self.names), strict=True)
                for c, weights in enumerate(candidates):
                    found, similarities = best_cases_many(
                        codes,
                        rows,
                        tables,
                        weights[: len(codes)],
                        own=own,
                        k=self.k,
                        unknown=self.likeness.unknown,
                        n_threads=self.threads,
                    )
                    # The additional weight is that of a constant attribute, on which all cases agree.
                    if len(weights) > len(codes):
                        flat = weights[-1] / weights[:-1].sum()
                        similarities = np.ones_like(similarities) if np.isinf(flat) else similarities + flat
                    found_losses[c, block] = self.target.losses(own, found, similarities)
                advance(text)
        return found_losses

    def constant(self) -> BoolArray:
        """Return a mask of the attributes that have the same value, or no value, in all cases of the sample."""
        return np.array([len(np.unique(codes)) == 1 for codes in self._codes.values()], dtype=np.bool_)

    def loss_of_guess(self) -> float:
        """Return the loss of a baseline that predicts the class frequencies, or the mean, for every case."""
        cases = np.arange(len(self.positions))
        nobody = np.full((len(cases), 1), -1, dtype=np.int64)
        return self.target.mean(self.target.losses(cases, nobody, np.zeros(nobody.shape)))

    def _queries(self, name: str, block: slice) -> tuple[IntArray, FloatArray]:
        """Return, for each case in ``block``, the row of its value in a similarity table; also return this table."""
        codes = self._codes[name][block]
        if name in self._tables:
            return np.ascontiguousarray(codes), self._tables[name]
        values = np.unique(codes[codes >= 0])
        return _coded(codes, values), self._similarities(name, values)

    def _similarities(self, name: str, values: IntArray) -> FloatArray:
        """Return the similarity of each of ``values`` (rows) to each value of the sample (columns)."""
        places, stored = self._places[name], self.likeness.columns[name].values
        found = np.empty((len(values), len(places)))
        for row, place in enumerate(places[values].tolist()):
            found[row] = self.likeness.by_value(name, stored[place])[places]
        return found


def _coded(codes: IntArray, values: IntArray) -> IntArray:
    return np.where(codes < 0, -1, np.searchsorted(values, codes)).astype(np.int32)


# -- the search


class _Search:
    """Search `GRID` for weights with a small leave-one-out loss, by coordinate descent."""

    def __init__(self, left_out: LeftOut, *, fixed: FloatArray, shown: bool) -> None:
        self._left_out, self._shown = left_out, shown
        self._passes = 0
        self._known: dict[bytes, FloatArray] = {}
        self.uniform: float | None = None
        self.size = len(left_out.names)
        self.guess = left_out.loss_of_guess()
        # The weights to be learned are NaN in ``fixed``.
        constant, equal = left_out.constant(), np.where(np.isnan(fixed), 1.0, fixed)
        start = np.where(np.isnan(fixed) & constant, 0.0, equal)
        self._start = start if start.any() else equal  # if all attributes are constant, nothing is learned
        self._free = np.flatnonzero(np.isnan(fixed) & ~constant).tolist()
        self.equal = self._losses([self._start])[0]

    def best(self) -> tuple[FloatArray, float, FloatArray]:
        """Return the best weights, their loss, and the loss without each attribute (infinite if all others are 0)."""
        starts = [self._start]
        alone = np.array(self._losses(list(np.eye(self.size)[self._free])))
        useful = alone < self.guess
        if useful.any() and not useful.all():  # start also from the attributes that predict something by themselves
            some = self._start.copy()
            some[self._free] = useful
            starts.append(some)
        weights, loss = min(map(self._descend, starts), key=lambda each: each[1])  # ties: the first start
        return self._prune(weights, loss)

    def _descend(self, weights: FloatArray) -> tuple[FloatArray, float]:
        loss = self._losses([weights])[0]
        for _ in range(_ROUNDS):
            steps = [(a, _changed(weights, a, value)) for a in self._free for value in GRID if value != weights[a]]
            steps = [(a, step) for a, step in steps if step.any()]
            best: dict[int, tuple[float, FloatArray]] = {}
            for (a, step), found in zip(steps, self._losses([step for _, step in steps]), strict=True):
                if found < loss * (1.0 - _IMPROVEMENT) and found < best.get(a, (np.inf, step))[0]:
                    best[a] = found, step
            if not best:
                break
            # Take the best change, the best two, the best three, ...: whichever of these helps most.
            tried, current = [], weights
            for a, (_, step) in sorted(best.items(), key=lambda item: (item[1][0], item[0])):
                current = _changed(current, a, float(step[a]))
                if current.any():
                    tried.append(current)
            losses = self._losses(tried)
            at = int(np.argmin(losses))
            weights, loss = tried[at], losses[at]
        return weights, loss

    def _prune(self, weights: FloatArray, loss: float) -> tuple[FloatArray, float, FloatArray]:
        """Drop attributes that are not needed; return the weights, their loss, and the loss without each attribute."""
        best, flat = weights, 0.0
        while True:
            found = self._least_missed(weights, loss, best, [flat] * self.size)
            if found is None:
                # Attributes that only make votes more uniform are replaced by a constant attribute of the same weight.
                found = self._least_missed(weights, loss, best, (flat + weights).tolist())
                if found is None:
                    break
                flat += float(weights[found[0]])
            a, loss = found
            weights = _changed(weights, a, 0.0)
        without = np.full(self.size, np.inf)
        some = [a for a in range(self.size) if _changed(weights, a, 0.0).any()]
        without[some] = self._losses([_changed(weights, a, 0.0) for a in some])
        self.uniform = self._losses([np.append(weights, math.inf)])[0] if flat else None
        return weights, self._losses([weights])[0], without

    def _least_missed(
        self, weights: FloatArray, loss: float, best: FloatArray, flat: list[float]
    ) -> tuple[int, float] | None:
        """Return the attribute without which the loss is smallest, and that loss; None if all attributes are needed.

        An attribute is needed if the loss without it exceeds both ``loss`` and the loss of equal weights. It is also
        needed if the loss without it exceeds the loss of ``best`` by more than one standard error of the mean
        difference (Breiman, Friedman, Olshen & Stone 1984). ``flat[a]`` is the weight of the constant attribute if
        attribute a is dropped.
        """
        found = []
        some = [a for a in self._free if weights[a] and _changed(weights, a, 0.0).any()]
        tried = [_changed(weights, a, 0.0) for a in some]
        tried = [np.append(each, flat[a]) if flat[a] else each for a, each in zip(some, tried, strict=True)]
        for a, each, without in zip(some, tried, self._losses(tried), strict=True):
            more = self._known[each.tobytes()] - self._known[best.tobytes()]
            if without <= max(loss, self.equal) and more.mean() <= more.std(ddof=1) / np.sqrt(len(more)):
                found.append((without, a))
        return min(found)[::-1] if found else None

    def _losses(self, candidates: list[FloatArray]) -> list[float]:
        """Return the losses of candidate weights; losses that were computed before are reused."""
        new = {each.tobytes(): each for each in candidates if each.tobytes() not in self._known}
        if new:
            self._passes += 1
            text = f"learning weights, pass {self._passes}"
            found = self._left_out.losses(list(new.values()), shown=self._shown, text=text)
            self._known |= dict(zip(new, found, strict=True))
        return [self._left_out.target.mean(self._known[each.tobytes()]) for each in candidates]


def _changed(weights: FloatArray, a: int, value: float) -> FloatArray:
    found = weights.copy()
    found[a] = value
    return found


# -- learning


def learn_weights(
    table: CaseTable,
    *,
    k: int = 5,
    target: str = "solution",
    measures: Mapping[str, object] | None = None,
    fixed: Mapping[str, float] | None = None,
    success: Success = "outcome",
    sample: int = 2000,
    random_state: Any = 0,
    unknown: Unknown = "different",
    n_jobs: int | None = None,
    cache: MeasureCache | None = None,
    progress: bool = True,
) -> Weights:
    """Learn attribute weights by leave-one-out prediction; see `CaseBase.learn_weights`."""
    k = check_count("k", k)
    names = [name for name, kind in table.attributes.items() if kinds.kind_name(kind) in _PREDICTABLE]
    hint = f"Attributes that can be predicted: {listed(names, limit=12)}." if names else "'solution' is usual."
    check_choice("target", target, ("solution", "outcome", *names), hint=hint)
    sample = check_count("sample", sample, least=_FEWEST, hint="A sample of 2000 is usual.")
    seed = check_seed(random_state)
    shown = check_flag("progress", progress, hint="False hides the progress bar.")
    threads = thread_count(n_jobs)
    # Measures such as MVDM have seen the left-out solutions, so attributes with rare values get too much weight.
    likeness = Likeness(table, measures=measures, unknown=unknown, cache=cache)
    names = [name for name in table.attributes if name != target]
    if not names:
        raise CaseBaseError(
            f"found no attribute from which {target!r} can be predicted. Declare more attributes, or predict the "
            "solution."
        )
    given = _fixed_weights(table, names, fixed)
    positions, of_cases = _drawn(table, target, success, sample, seed)
    predicted = _target_of(table, target, positions, min(k, len(positions) - 1))
    left_out = LeftOut(likeness, names, positions, predicted, k=k, threads=threads)
    search = _Search(left_out, fixed=np.array([given.get(name, math.nan) for name in names]), shown=shown)
    weights, loss, without = search.best()
    return Weights(
        names=tuple(names),
        weights=tuple(weights.tolist()),
        without=tuple(math.nan if math.isinf(each) else each for each in without.tolist()),
        loss_before=search.equal,
        loss_after=loss,
        loss_of_guess=search.guess,
        loss=predicted.name,
        target=target,
        k=k,
        cases=len(positions),
        of_cases=of_cases,
        random_state=seed,
        loss_uniform=search.uniform,
        fixed=tuple(given),
        rare=predicted.rare(k),
    )


def _fixed_weights(table: CaseTable, names: list[str], fixed: object) -> dict[str, float]:
    """Return the fixed weights, which are not learned, in the order of the attributes."""
    if fixed is None:
        return {}
    given = checked_weights(table.attributes, fixed, parameter="fixed")
    if other := [name for name in given if name not in names]:
        raise CaseBaseError(f"got a fixed weight for {other[0]!r}, which is the target. Remove the target from fixed.")
    if len(given) == len(names) and not any(given.values()):
        raise CaseBaseError(
            "got fixed weights of 0 for all attributes, so cases cannot be compared. To learn the weight of an "
            "attribute, remove the attribute from fixed."
        )
    return {name: given[name] for name in names if name in given}


def _drawn(table: CaseTable, target: str, success: Success, sample: int, seed: int) -> tuple[IdArray, int]:
    """Return the positions of the cases to learn from, and the number of cases before sampling."""
    known: BoolArray = (table.column(target).codes >= 0) & ~table.retired
    positions = np.flatnonzero(able(table, worked(table, success)) if target == "solution" else known)
    n = len(positions)
    if n < _FEWEST:
        failed = int(np.count_nonzero(known)) - n
        among = f" that worked, and {failed} that failed" if failed else ""
        raise CaseBaseError(
            f"found {n} case{'s' * (n != 1)} with a known {target}{among}; expected at least {_FEWEST}. Weights are "
            "learned by predicting each case from the other cases; add cases first."
        )
    if n <= sample:
        return positions, n
    return np.sort(np.random.default_rng(seed).choice(positions, sample, replace=False)), n
