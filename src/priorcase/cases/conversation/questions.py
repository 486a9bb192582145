"""Questions of a conversation: the next question is the one that is most informative about the solution.

Questions are compared by gain ratio. Gains and gain ratios follow Quinlan (*Machine Learning* 1, 1986, sections 4 and
7), with the rules for missing values and for cuts of numbers from C4.5 (1993, sections 3.2 and 2.4). A question that
splits the cases into many small groups has a high gain but a low gain ratio; no questions are asked about attributes
that identify cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from statistics import median
from typing import Any, Literal, TypeAlias

import numpy as np

from priorcase._grids import TextResult
from priorcase._typing import FloatArray, IntArray
from priorcase.cases.conversation.candidates import Candidates, Mentions, Step, as_number, in_force
from priorcase.cases.kinds import CaseKind, Graph, shown
from priorcase.cases.table import CaseColumn
from priorcase.exceptions import visible
from priorcase.schema import Date, Numeric, Ordinal, Set, Taxonomy, Text
from priorcase.schema.kinds import identity

QuestionKind: TypeAlias = Literal["value", "cut", "word", "member", "text"]

_NEGLIGIBLE, _DIGITS = 1e-12, 11  # smaller differences between gains or ratios are rounding errors of sums
_CELLS = 2_000_000  # maximum size of a matrix of terms and solutions
_LISTED = 8


@dataclass(frozen=True)
class Choice:
    """One answer to a question (a value, True for yes, False for no), and the number of candidates with this answer."""

    answer: Any
    cases: int


@dataclass(frozen=True, repr=False)
class Question(TextResult):
    """A question about one attribute; prints as its text and the possible answers.

    Parameters
    ----------
    attribute
        The attribute.
    kind
        ``"value"`` asks for the value of the attribute, ``"cut"`` asks whether the value is at most ``about``,
        ``"word"`` and ``"member"`` ask whether the value contains the word or member ``about``, and ``"text"`` asks for
        free text.
    gain
        Information gain about the solution, in bits; None for ``"text"``.
    choices
        Possible answers, each with the number of candidates that have this answer; empty for ``"text"``. Other values
        are accepted as well.
    about
        The number, date, word or member that the question mentions.
    unknown
        Number of candidates in which the value is missing.
    ratio
        Gain ratio: the gain divided by the entropy of the answers; None for ``"text"``.

    Examples
    --------
    >>> Question("miles", "cut", 0.7, (Choice(True, 3), Choice(False, 4)), 50000)
    miles <= 50000? (yes: 3 cases, no: 4 cases)
    """

    attribute: str
    kind: QuestionKind
    gain: float | None
    choices: tuple[Choice, ...] = ()
    about: Any = None
    unknown: int = 0
    ratio: float | None = None

    @property
    def yes_or_no(self) -> bool:
        """Whether the question is answered by True or False."""
        return self.kind in ("cut", "word", "member")

    @property
    def text(self) -> str:
        """The text of the question."""
        if self.kind == "cut":
            return f"{self.attribute} <= {self.about}?"
        if self.kind in ("word", "member"):
            return f"does {self.attribute} {'mention' if self.kind == 'word' else 'include'} {self.about!r}?"
        return f"{self.attribute}?" if self.kind == "value" else f"{self.attribute}, in your own words?"

    def answered(self, answer: Any) -> str:
        """Return an answer as text: yes or no for a yes-or-no question."""
        return ("yes" if answer else "no") if self.yes_or_no and isinstance(answer, bool) else str(answer)

    def __repr__(self) -> str:
        listed = [f"{self.answered(c.answer)}: {c.cases:,} case{'s' * (c.cases != 1)}" for c in self.choices[:_LISTED]]
        if len(self.choices) > _LISTED:
            listed.append(f"{len(self.choices) - _LISTED} more")
        return visible(f"{self.text} ({', '.join(listed)})" if listed else self.text)


class Questions:
    """Questions that distinguish the remaining candidates, which are the cases with a weight above 0."""

    def __init__(self, candidates: Candidates, weights: FloatArray, steps: tuple[Step, ...]) -> None:
        self.candidates, self.steps = candidates, in_force(steps)
        self.left = np.flatnonzero(weights > 0)
        self.weights = weights[self.left]
        present, self.codes = np.unique(candidates.codes[self.left], return_inverse=True)
        self.n_solutions = present.size

    def best(self, least: float) -> Question | None:
        """Return the free-text question if there is one, else the first of `ranked` with gain >= ``least``."""
        if (free := self._free_text()) is not None:
            return free
        least = max(least, _NEGLIGIBLE)
        return next((question for question in self.ranked() if (question.gain or 0.0) >= least), None)

    def ranked(self) -> list[Question]:
        """Return the best question about each attribute, in the order in which the questions would be asked."""
        found = list(self.all())
        gains = [question.gain for question in found if question.gain and question.gain > _NEGLIGIBLE]
        # The gain ratio alone prefers uneven splits, so questions with at least the median gain come first. Quinlan
        # (1986, section 7) uses the mean gain, but an id attribute would raise the mean above all other gains.
        usual = (median(gains) if gains else 0.0) - _NEGLIGIBLE
        return sorted(found, key=lambda one: ((one.gain or 0.0) < usual, -round(one.ratio or 0.0, _DIGITS)))

    def all(self) -> Iterator[Question]:
        """Yield the best question about each attribute, if there is one, in the order of the attributes."""
        closed = {step.attribute for step in self.steps if step.kind == "skipped"}
        told = {step.attribute: step for step in self.steps if step.whole}
        for name, kind in self.candidates.likeness.attributes.items():
            if name in closed or name in self.candidates.ids or not self.candidates.likeness.weights[name]:
                continue
            if name in told and not isinstance(kind, Taxonomy):
                continue
            column = self.candidates.likeness.columns[name]
            question = self._about(name, kind, column, column.codes[self.left], told.get(name))
            if question is not None:
                yield question

    def _about(
        self, name: str, kind: CaseKind, column: CaseColumn, codes: IntArray, told: Step | None
    ) -> Question | None:
        if isinstance(kind, Numeric | Date):
            return self._cut(name, column, codes)
        if isinstance(kind, Text | Set):
            return self._mention(name, column, codes)
        if isinstance(kind, Graph):
            return None
        if isinstance(kind, Taxonomy):
            return self._branch(name, kind, column, codes, told)
        counts = np.bincount(codes[codes >= 0], minlength=len(column.values))
        places = np.flatnonzero(counts)
        order = np.argsort(column.numbers()[places] if isinstance(kind, Ordinal) else -counts[places], kind="stable")
        return self._value(name, column.values, codes, places[order])

    def _value(self, name: str, values: Any, groups: IntArray, order: Iterable[int]) -> Question:
        shape = len(values), self.n_solutions
        gain = group_gain(self.weights, groups, self.codes, shape)
        counts = np.bincount(groups[groups >= 0], minlength=len(values))
        choices = tuple(Choice(values[place], int(counts[place])) for place in order)
        unknown, ratio = int((groups < 0).sum()), gain_ratio(gain, self.weights, groups, len(values))
        return Question(name, "value", gain, choices, unknown=unknown, ratio=ratio)

    def _branch(
        self, name: str, kind: Taxonomy, column: CaseColumn, codes: IntArray, told: Step | None
    ) -> Question | None:
        present = [str(column.values[code]) for code in np.unique(codes[codes >= 0]).tolist()]
        branches = branches_of(kind, present, above=None if told is None else str(told.value))
        if not branches:
            return None
        names = sorted(set(branches.values()), key=kind.nodes.index)
        by_value = [names.index(branches[str(v)]) if str(v) in branches else -1 for v in column.values]
        groups = np.array([*by_value, -1], dtype=np.int64)[codes]
        return self._value(name, names, groups, range(len(names)))

    def _cut(self, name: str, column: CaseColumn, codes: IntArray) -> Question | None:
        numbers = np.append(column.numbers(), np.nan)[codes]
        inside = ~np.isnan(numbers)
        for step in self.steps:  # cases outside earlier cuts do not matter for the cut
            if step.attribute == name and step.kind == "cut":
                inside &= (numbers <= as_number(step.value)) == step.yes
        cut, gain = best_cut(self.weights, np.where(inside, numbers, np.nan), self.codes, self.n_solutions)
        if np.isnan(cut):
            return None
        place = int(np.flatnonzero(column.numbers() == cut)[0])
        about = shown(column.kind, column.values[place]) if column.kind is not None else None
        below = numbers[inside] <= cut
        choices = (Choice(True, int(below.sum())), Choice(False, int((~below).sum())))
        ratio = gain_ratio(gain, self.weights, np.where(inside, numbers <= cut, -1), 2)
        return Question(name, "cut", gain, choices, about, int((~inside).sum()), ratio)

    def _mention(self, name: str, column: CaseColumn, codes: IntArray) -> Question | None:
        mentions = self.candidates.mentions(name)
        table = _tallied(self.weights, codes, self.codes, (len(column.values), self.n_solutions))
        gains = _term_gains(mentions, table[:-1], table[-1])
        for step in self.steps:
            if step.attribute == name and step.kind == "mention":
                gains[mentions.places[identity(step.value)]] = 0.0
        if not gains.size or not gains.max() > 0:
            return None
        at = first_best(gains)
        having = np.append(mentions.having(mentions.terms[at]), False)[codes]
        known = codes >= 0
        choices = (Choice(True, int(having.sum())), Choice(False, int((known & ~having).sum())))
        kind: QuestionKind = "word" if isinstance(column.kind, Text) else "member"
        ratio = gain_ratio(float(gains[at]), self.weights, np.where(known, having, -1), 2)
        return Question(name, kind, float(gains[at]), choices, mentions.terms[at], int((~known).sum()), ratio)

    def _free_text(self) -> Question | None:
        """Return the question about a free-text attribute if nothing is known yet; otherwise return None."""
        if self.n_solutions < 2 or any(step.kind != "skipped" for step in self.steps):
            return None
        closed = {step.attribute for step in self.steps}
        for name, kind in self.candidates.likeness.attributes.items():
            if isinstance(kind, Text) and self.candidates.likeness.weights[name] and name not in closed:
                known = self.candidates.likeness.columns[name].codes[self.left] >= 0
                if known.any():
                    return Question(name, "text", None, unknown=int((~known).sum()))
        return None


def branches_of(taxonomy: Taxonomy, values: Iterable[str], *, above: str | None = None) -> dict[str, str]:
    """Map each value below ``above`` to its branch, which is a child of the values' deepest common ancestor."""
    paths = {value: taxonomy.ancestors(value)[::-1] for value in values}
    if above is not None:
        paths = {value: path for value, path in paths.items() if above in path[:-1]}
    shared = takewhile(lambda nodes: len(set(nodes)) == 1, zip(*paths.values(), strict=False))
    depth = sum(1 for _ in shared)
    return {value: path[depth] for value, path in paths.items() if len(path) > depth}


# -- information gain


def entropy(weights: FloatArray) -> FloatArray:
    """Return the entropy of the weights along the last axis in bits, ``-sum p log2 p``; 0 if all weights are 0."""
    total = weights.sum(axis=-1, keepdims=True)
    p = np.divide(weights, total, out=np.zeros_like(weights, dtype=float), where=total > 0)
    bits: FloatArray = -(p * np.log2(p, out=np.zeros_like(p), where=p > 0)).sum(axis=-1)
    return bits + 0.0  # no minus zero


def branch_gain(branches: FloatArray, missing: FloatArray) -> FloatArray:
    """Return the information gain of each question, ``K/W (H(known) - sum_b W_b/K H(b))``.

    H is the entropy of the solutions, W the weight of all cases, K the weight of the cases with a value, and ``W_b``
    the weight of the cases with answer b. ``branches`` contains the weights of the cases with a value, shape
    (questions, answers, solutions), and ``missing`` the weights of the cases without a value, shape (questions,
    solutions).
    """
    by_branch = branches.sum(axis=-1)
    known = by_branch.sum(axis=-1)
    total = known + missing.sum(axis=-1)
    share = np.divide(by_branch, known[..., None], out=np.zeros_like(by_branch), where=known[..., None] > 0)
    gained = entropy(branches.sum(axis=-2)) - (share * entropy(branches)).sum(axis=-1)
    part = np.divide(known, total, out=np.zeros_like(known), where=total > 0)
    bits: FloatArray = np.maximum(part * gained, 0.0)
    return bits


def group_gain(weights: FloatArray, groups: IntArray, solutions: IntArray, shape: tuple[int, int]) -> float:
    """Return the information gain of asking which group the case belongs to; ``shape`` is (n_groups, n_solutions)."""
    table = _tallied(weights, groups, solutions, shape)
    return float(branch_gain(table[:-1], table[-1]))


def gain_ratio(gain: float, weights: FloatArray, groups: IntArray, n: int) -> float:
    """Return the gain divided by the entropy of the groups; missing values (group -1) form a group of their own."""
    shares = np.bincount(groups.astype(np.int64) + 1, weights=weights, minlength=n + 1).astype(np.float64)
    split = float(entropy(shares))
    return gain / split if split > 0 else 0.0


def best_cut(weights: FloatArray, numbers: FloatArray, solutions: IntArray, n: int) -> tuple[float, float]:
    """Return the cut with the largest gain, and that gain; NaN and 0 if no cut has a positive gain."""
    known = ~np.isnan(numbers) & (weights > 0)
    levels, places = np.unique(numbers[known], return_inverse=True)
    if levels.size < 2:
        return float("nan"), 0.0
    table = _tallied(weights[known], places, solutions[known], (levels.size, n))[:-1]
    below = table.cumsum(axis=0)[:-1]
    # Sum from the other end: a difference of sums could leave rounding errors for solutions that do not occur above.
    above = table[::-1].cumsum(axis=0)[::-1][1:]
    missing = np.bincount(solutions[~known], weights=weights[~known], minlength=n)
    gains = branch_gain(np.stack([below, above], axis=1), np.broadcast_to(missing, below.shape))
    at = first_best(gains)
    # As in C4.5, a cut is always a number that occurs in some case.
    return (float(levels[at]), float(gains[at])) if gains[at] > 0 else (float("nan"), 0.0)


def first_best(gains: FloatArray) -> int:
    """Return the first position at which the gain equals the largest gain up to rounding errors."""
    return int(np.argmax(gains >= gains.max() - _NEGLIGIBLE))


def _tallied(weights: FloatArray, groups: IntArray, solutions: IntArray, shape: tuple[int, int]) -> FloatArray:
    """Return the sum of the weights for each group (row) and solution (column); the last row is for missing values."""
    n_groups, n_solutions = shape
    at = np.where(groups < 0, n_groups, groups).astype(np.int64) * n_solutions + solutions
    counted: FloatArray = np.bincount(at, weights=weights, minlength=(n_groups + 1) * n_solutions).astype(float)
    return counted.reshape(n_groups + 1, n_solutions)


def _term_gains(mentions: Mentions, by_value: FloatArray, missing: FloatArray) -> FloatArray:
    """Return the information gain of asking about each word or member; computed in blocks to limit memory."""
    total = by_value.sum(axis=0)
    step = max(1, _CELLS // max(1, total.size))
    found = np.zeros(len(mentions.terms))
    for start in range(0, len(mentions.terms), step):
        yes = np.asarray(mentions.by_term[start : start + step] @ by_value)
        no = np.maximum(total - yes, 0.0)
        found[start : start + step] = branch_gain(np.stack([yes, no], axis=1), np.broadcast_to(missing, yes.shape))
    return found
