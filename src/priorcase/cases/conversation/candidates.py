"""Candidates of a conversation: the weight of each case after the answers so far, and the solutions of the cases.

The model assumes that a new case resembles one stored case, whose solution also solves the new case. Each attribute has
a *reliability* r: with probability r, the new case's value resembles the value of that stored case; otherwise, the new
case's value resembles the value of a random case. The reliabilities are learned by comparing each case with its
*mates*, the other cases with the same solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from priorcase._locks import cached_property
from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.cases.kinds import days, plain_shown
from priorcase.cases.measures.texts import folded, words
from priorcase.cases.retain import Solutions
from priorcase.cases.reuse import Candidate
from priorcase.cases.scoring import Likeness
from priorcase.cases.table import CaseColumn
from priorcase.schema import Nominal, Numeric, Taxonomy, Text
from priorcase.schema.kinds import identity
from priorcase.schema.uninformative import is_id

StepKind: TypeAlias = Literal["given", "told", "cut", "mention", "skipped"]
Term: TypeAlias = str | int | float | bool
"""A word of a text, or a member of a set."""

NONE = 1.0
"""The weight of "none of these solutions", equal to the weight of a case in which all values are missing."""

_ROUNDING = 1e-9  # products of the same factors in different orders differ by less than this
_SHORTEST, _MOST_TERMS = 3, 20_000
_ROUNDS, _HIGHEST = 5, 0.95  # rounds of expectation maximization, and the largest reliability
_DOUBT, _DOUBT_CASES = 0.5, 20.0  # prior mean of a reliability, and the number of cases that it counts as
_MOST, _LEAST, _MATES, _VALUES = 300, 30, 100, 5_000_000  # bounds on the cases and mates that are compared


# -- answers


@dataclass(frozen=True)
class Step:
    """One answer in a conversation: the value of an attribute, yes or no to a question, or a skipped attribute."""

    attribute: str
    kind: StepKind
    value: Any = None
    """Value of the attribute, or the number, date, word or member that a yes-or-no question is about."""
    yes: bool = True
    asked: str = ""
    """Text of the question; empty if no question was asked."""

    @property
    def whole(self) -> bool:
        """Whether the answer is a value of the attribute, rather than yes, no or a skip."""
        return self.kind in ("given", "told")


def in_force(steps: tuple[Step, ...]) -> list[Step]:
    """Return the steps that are still valid: a value of an attribute replaces earlier answers about this attribute."""
    last = {step.attribute: place for place, step in enumerate(steps) if step.whole}
    return [step for place, step in enumerate(steps) if place >= last.get(step.attribute, 0)]


def as_number(stored: float | str) -> float:
    """Convert a stored number or date to a number."""
    return days(stored) if isinstance(stored, str) else float(stored)


# -- words of texts and members of sets


@dataclass(frozen=True, eq=False)
class Mentions:
    """The terms of texts or sets, and a matrix of shape (terms, values) with 1 where a value contains a term."""

    terms: tuple[Term, ...]
    by_term: csr_array

    @classmethod
    def of(cls, column: CaseColumn) -> Mentions:
        """Return the terms of a column of texts or sets."""
        texts = isinstance(column.kind, Text)
        values: Sequence[Any] = column.values
        split: list[Sequence[Term]] = [words_of(value) if texts else value for value in values]
        found: dict[object, Term] = {}
        for term in chain.from_iterable(split):
            found.setdefault(identity(term), term)
        places = {key: place for place, key in enumerate(found)}
        at = np.array([places[identity(term)] for term in chain.from_iterable(split)], dtype=np.int64)
        ends = np.cumsum([0, *map(len, split)])
        has = csr_array((np.ones(at.size), at, ends), shape=(len(split), len(found)))
        cases = np.asarray(has.T @ column.counts.astype(float))
        usual = np.flatnonzero(cases >= (2 if texts else 1))
        usual = usual[np.argsort(-cases[usual], kind="stable")][:_MOST_TERMS]
        every = list(found.values())
        kept = sorted(usual.tolist(), key=lambda place: _order(every[place]))
        return cls(tuple(every[place] for place in kept), csr_array(has[:, kept].T))

    @cached_property
    def places(self) -> dict[object, int]:
        """Mapping from ``identity(term)`` to the row of the term in the matrix."""
        return {identity(term): place for place, term in enumerate(self.terms)}

    def having(self, term: Term) -> BoolArray:
        """Return a boolean mask: for each distinct value, whether the value contains a term."""
        having: BoolArray = self.by_term[[self.places[identity(term)]]].toarray().ravel() > 0
        return having


def words_of(text: str) -> list[str]:
    """Return the distinct words of three or more characters in a text, sorted and in lower case."""
    return sorted({word for word in words(folded(text)) if len(word) >= _SHORTEST})


def _order(term: Term) -> tuple[int, float, str]:
    """Return a sort key: booleans come first, then numbers, then strings in alphabetical order."""
    return (2, 0.0, term) if isinstance(term, str) else (0 if isinstance(term, bool) else 1, float(term), "")


# -- weights of cases


class Candidates:
    """The weight of each case after some answers (see `Conversation`), and the solutions that the cases support.

    ``degrees`` contains the degree to which the solution of each case worked, and 0 for cases that are not used. A case
    remains a candidate if its weight is more than ``floor`` times the largest weight.
    """

    def __init__(self, likeness: Likeness, solutions: Solutions, degrees: FloatArray, floor: float) -> None:
        self.likeness, self.solutions, self.degrees, self.floor = likeness, solutions, degrees, floor
        heaviest = max(likeness.weights.values())
        self.powers = {name: weight / heaviest for name, weight in likeness.weights.items()}
        if solutions.numbers is None:
            self.codes, self.count = np.maximum(solutions.codes, 0), max(1, len(solutions.texts))
        else:
            groups = grouped(solutions.numbers, 2.0 * solutions.tolerance)
            self.codes, self.count = np.append(groups, 0)[solutions.codes], int(groups.max(initial=0)) + 1
        self._mentions: dict[str, Mentions] = {}

    def weights(self, steps: tuple[Step, ...]) -> FloatArray:
        """Return the weight of each case after the answers in ``steps``."""
        found = self.degrees.copy()
        order = list(self.likeness.attributes)
        said = [step for step in in_force(steps) if step.kind != "skipped"]
        # Multiply in a fixed order, so that rounding does not depend on the order of the answers.
        for step in sorted(said, key=lambda step: (order.index(step.attribute), str(step.value), step.yes)):
            if self.powers[step.attribute] and self.likeness.columns[step.attribute].values:
                found *= self._factor(step)
        return found

    def remaining(self, weights: FloatArray) -> FloatArray:
        """Return the weights, with 0 for cases that are no longer candidates."""
        most = float(weights.max())
        return np.where(weights > self.floor * most * (1.0 + _ROUNDING), weights, 0.0)

    def ranked(self, weights: FloatArray) -> tuple[Candidate, ...]:
        """Return the solutions with their probabilities, most probable first."""
        support = np.bincount(self.codes, weights=weights, minlength=self.count).astype(float)
        total = float(support.sum()) + NONE
        able = np.flatnonzero(weights > 0)
        order = able[np.lexsort((-weights[able], self.codes[able]))]  # stable: on ties, the oldest case comes first
        ends = np.cumsum(np.bincount(self.codes[order], minlength=self.count))
        found = []
        for code in np.flatnonzero(support > self.floor * support.max()).tolist():
            places = order[ends[code - 1] if code else 0 : ends[code]]
            cases, own = tuple(self.likeness.ids[places].tolist()), float(support[code])
            value = self._value(places, weights)
            found.append((Candidate(value, own / total, own, 0.0, cases), int(places.min())))
        # Among equally probable solutions, the solution of the oldest case comes first.
        found.sort(key=lambda pair: (-round(pair[0].probability, 12), pair[1]))
        return tuple(candidate for candidate, _ in found)

    def mentions(self, name: str) -> Mentions:
        """Return the words of a text attribute or the members of a set attribute, as `Mentions`."""
        if name not in self._mentions:
            self._mentions[name] = Mentions.of(self.likeness.columns[name])
        return self._mentions[name]

    @cached_property
    def ids(self) -> frozenset[str]:
        """Attributes that identify cases, such as serial numbers; their values say nothing about a new case."""
        columns, found = self.likeness.columns, []
        for name, kind in self.likeness.attributes.items():
            if isinstance(kind, Numeric | Nominal):
                codes = columns[name].codes[columns[name].codes >= 0]
                if is_id(kind, columns[name].numbers()[codes] if isinstance(kind, Numeric) and codes.size else codes):
                    found.append(name)
        return frozenset(found)

    @cached_property
    def reliability(self) -> dict[str, float]:
        """The reliability of each attribute with a nonzero weight."""
        return reliabilities(self.likeness, self.codes, self.degrees > 0)

    def _factor(self, step: Step) -> FloatArray:
        column = self.likeness.columns[step.attribute]
        able = (self.degrees > 0) & (column.codes >= 0)
        if not able.any():
            return np.ones(column.codes.size)
        found: FloatArray = np.append(self._by_value(step), np.nan)[column.codes]
        mean, most = float(found[able].mean()), float(found[able].max())
        by_case: FloatArray = evidence(found, mean, most, self.reliability[step.attribute])
        return by_case ** self.powers[step.attribute]

    def _by_value(self, step: Step) -> FloatArray:
        """Return the similarity of each distinct value to an answer."""
        name, column = step.attribute, self.likeness.columns[step.attribute]
        if step.kind == "cut":
            return np.where((column.numbers() <= as_number(step.value)) == step.yes, 1.0, 0.0)
        if step.kind == "mention":
            return np.where(self.mentions(name).having(step.value) == step.yes, 1.0, 0.0)
        found = np.array(self.likeness.by_value(name, step.value), dtype=float)
        if isinstance(column.kind, Taxonomy):
            inside = set(column.kind.under(str(step.value)))
            found[[value in inside for value in column.values]] = 1.0
        return found

    def _value(self, places: IntArray, weights: FloatArray) -> Any:
        """Return the solution that a group of cases shares, or the weighted mean if solutions are numeric."""
        codes = self.solutions.codes[places]
        if self.solutions.numbers is None:
            return plain_shown(self.solutions.texts[int(codes[0])])
        numbers = self.solutions.numbers[codes]
        return float(np.average(numbers, weights=weights[places])) if np.ptp(numbers) else float(numbers[0])


def grouped(numbers: FloatArray, width: float) -> IntArray:
    """Return the group of each number; groups are at most ``width`` wide and formed from the smallest number up."""
    found = np.zeros(numbers.size, dtype=np.int64)
    begin, group = float("-inf"), -1
    for place in np.argsort(numbers, kind="stable").tolist():
        number = float(numbers[place])
        if number - begin > width + 1e-12 * abs(number):
            begin, group = number, group + 1
        found[place] = group
    return found


# -- reliability


def evidence(similarities: FloatArray, mean: FloatArray | float, most: FloatArray | float, r: float) -> FloatArray:
    """Return how strongly an answer speaks for each case, compared with an average case.

    The evidence is ``1 + r * most * (s / mean - 1)``, where s is the similarity of the case's value to the answer,
    ``mean`` and ``most`` are the mean and the largest similarity of all cases, and r is the reliability of the
    attribute. If s is NaN, the evidence is 1. If even the most similar case is not very similar, the evidence is weak:
    a single word that two texts have in common is weak evidence.
    """
    relative = np.divide(similarities, mean, out=np.ones_like(similarities), where=np.asarray(mean) > 0)
    return np.where(np.isnan(relative), 1.0, 1.0 + r * most * (relative - 1.0))


def reliabilities(likeness: Likeness, answers: IntArray, able: BoolArray) -> dict[str, float]:
    """Return the reliability of each attribute with a nonzero weight.

    The reliability is ``r = (q - p) / (1 - p)``, as in Cohen's kappa (Cohen 1960). Here p is the mean similarity of
    cases to all other cases, and q is their mean similarity to their mates, the other cases with the same solution.
    Each mate is weighted by the probability that the case resembles this mate, given the reliabilities of the previous
    round (expectation maximization). With few cases, r is shrunk towards 1/2.

    ``answers`` contains the solution of each case, and ``able`` is a mask of the cases to use.
    """
    names = [name for name, weight in likeness.weights.items() if weight and likeness.columns[name].values]
    mates = _mates(likeness, names, answers, able)
    if not mates:
        return dict.fromkeys(names, _DOUBT)
    compared = {name: _compared(likeness, name, mates, able) for name in names}
    heaviest = max(likeness.weights.values())
    size = max(others.size for _, others in mates)
    shares = np.array([np.pad(np.full(o.size, 1.0 / o.size), (0, size - o.size)) for _, o in mates])
    present = shares > 0
    for _ in range(_ROUNDS):
        logs = np.zeros_like(shares)
        for name, (similarities, mean, most) in compared.items():
            r = _reliability(similarities, mean, shares)
            found = evidence(similarities, mean[:, None], most[:, None], r)
            logs += np.log(found) * (likeness.weights[name] / heaviest)
        logs = np.where(present, logs, -np.inf)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
    return {name: _reliability(similarities, mean, shares) for name, (similarities, mean, _) in compared.items()}


def _reliability(similarities: FloatArray, mean: FloatArray, shares: FloatArray) -> float:
    known = ~np.isnan(similarities)
    weights = np.where(known, shares, 0.0)
    total = float(weights.sum())
    heard = known.any(axis=1)  # a case without comparable cases has no effect
    if not total > 0 or not (base := float(mean[heard].mean())) < 1.0:
        return _DOUBT
    like = float((weights * np.where(known, similarities, 0.0)).sum() / total)
    found = max((like - base) / (1.0 - base), 0.0)
    return min((total * found + _DOUBT_CASES * _DOUBT) / (total + _DOUBT_CASES), _HIGHEST)


def _compared(
    likeness: Likeness, name: str, mates: list[tuple[int, IntArray]], able: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return each case's similarities to its mates in one attribute, and its mean and largest similarity to others."""
    column = likeness.columns[name]
    counts = np.bincount(column.codes[able & (column.codes >= 0)], minlength=len(column.values)).astype(float)
    size = max(others.size for _, others in mates)
    found = np.full((len(mates), size), np.nan)
    mean, most = np.zeros(len(mates)), np.zeros(len(mates))
    for row, (position, others) in enumerate(mates):
        code = int(column.codes[position])
        if code < 0 or counts.sum() < 2:
            continue
        by_value = np.append(likeness.by_value(name, column.values[code]), np.nan)
        rest = counts.copy()
        rest[code] -= 1.0  # exclude the case itself
        mean[row] = float(rest @ by_value[:-1]) / rest.sum()
        most[row] = float(by_value[:-1][rest > 0].max())
        found[row, : others.size] = by_value[column.codes[others]]
    return found, mean, most


def _mates(likeness: Likeness, names: list[str], answers: IntArray, able: BoolArray) -> list[tuple[int, IntArray]]:
    """Return a sample of cases, each with a sample of its mates, which are the other cases with the same solution."""
    places = np.flatnonzero(able)
    order = places[np.argsort(answers[places], kind="stable")]
    groups = np.split(order, np.flatnonzero(np.diff(answers[order])) + 1)
    by_answer = {int(answers[group[0]]): group for group in groups if group.size > 1}
    if not by_answer:
        return []
    values = sum(len(likeness.columns[name].values) for name in names)
    most = int(np.clip(_VALUES // max(1, values), _LEAST, _MOST))
    found = []
    for position in _spread(np.sort(np.concatenate(list(by_answer.values()))), most).tolist():
        group = by_answer[int(answers[position])]
        found.append((position, _spread(group[group != position], _MATES)))
    return found


def _spread(places: IntArray, most: int) -> IntArray:
    """Return at most ``most`` elements of ``places``, evenly spaced."""
    if places.size <= most:
        return places
    return places[np.linspace(0, places.size - 1, most).round().astype(np.int64)]
