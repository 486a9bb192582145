"""Which question to ask next: the one with the largest information gain about the solution."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.conversation.branches import branches_of
from priorcase.cases.conversation.candidates import Candidates
from priorcase.cases.conversation.gain import NEGLIGIBLE, best_cut, first_best, group_gain, tallied
from priorcase.cases.conversation.hypotheses import Hypotheses
from priorcase.cases.conversation.question import Choice, Question, QuestionKind
from priorcase.cases.conversation.step import Step, in_force
from priorcase.cases.kinds import CaseKind, Date, Graph, Set, Taxonomy, Text, shown
from priorcase.schema import Numeric, Ordinal


class Asking:
    """Questions about the candidates that remain.

    Parameters
    ----------
    candidates
        The cases.
    hypotheses
        What they speak for.
    weights
        How much each of them counts; 0 for those that do not remain.
    steps
        What was said before.
    """

    def __init__(
        self, candidates: Candidates, hypotheses: Hypotheses, weights: FloatArray, steps: tuple[Step, ...]
    ) -> None:
        self.candidates, self.steps = candidates, in_force(steps)
        self.left = np.flatnonzero(weights > 0)
        self.weights = weights[self.left]
        present, self.codes = np.unique(hypotheses.codes[self.left], return_inverse=True)
        self.n_solutions = present.size

    def best(self, least: float) -> Question | None:
        """The question that gains most, of equals that of the first attribute; None where none gains so much."""
        if (free := self._free_text()) is not None:
            return free
        found: Question | None = None
        for question in self.all():
            if gained(question) > gained(found) + NEGLIGIBLE:
                found = question
        return found if gained(found) >= least else None

    def all(self) -> Iterator[Question]:
        """The best question about each attribute that may still be asked for, in the order of the attributes."""
        closed = {step.attribute for step in self.steps if step.kind == "skipped"}
        told = {step.attribute: step for step in self.steps if step.whole}
        for name, kind in self.candidates.likeness.attributes.items():
            if name in closed or not self.candidates.likeness.weights[name]:
                continue
            if name in told and not isinstance(kind, Taxonomy):
                continue
            if (question := self._about(name, kind, told.get(name))) is not None:
                yield question

    def _about(self, name: str, kind: CaseKind, told: Step | None) -> Question | None:
        column = self.candidates.likeness.columns[name]
        codes = column.codes[self.left]
        if isinstance(kind, (Numeric, Date)):
            return self._cut(name, column, codes)
        if isinstance(kind, (Text, Set)):
            return self._mention(name, column, codes)
        if isinstance(kind, Graph):
            return None
        if isinstance(kind, Taxonomy):
            return self._branch(name, kind, column, codes, told)
        return self._value(name, kind, column, codes)

    def _free_text(self) -> Question | None:
        """Words first, where nothing is known yet."""
        if any(step.kind != "skipped" for step in self.steps):
            return None
        closed = {step.attribute for step in self.steps}
        for name, kind in self.candidates.likeness.attributes.items():
            column = self.candidates.likeness.columns[name]
            useful = isinstance(kind, Text) and self.candidates.likeness.weights[name] and self.n_solutions > 1
            if useful and name not in closed and (column.codes[self.left] >= 0).any():
                return Question(name, "text", None, unknown=int((column.codes[self.left] < 0).sum()))
        return None

    def _value(self, name: str, kind: CaseKind, column: CaseColumn, codes: IntArray) -> Question:
        gain = group_gain(self.weights, codes, self.codes, (len(column.values), self.n_solutions))
        counts = np.bincount(codes[codes >= 0], minlength=len(column.values))
        places = np.flatnonzero(counts)
        order = np.argsort(column.numbers()[places] if isinstance(kind, Ordinal) else -counts[places], kind="stable")
        choices = tuple(Choice(column.values[place], int(counts[place])) for place in places[order].tolist())
        return Question(name, "value", gain, choices, unknown=int((codes < 0).sum()))

    def _branch(
        self, name: str, kind: Taxonomy, column: CaseColumn, codes: IntArray, told: Step | None
    ) -> Question | None:
        present = [str(column.values[code]) for code in np.unique(codes[codes >= 0]).tolist()]
        branches = branches_of(kind, present, above=None if told is None else str(told.value))
        names = sorted(set(branches.values()), key=kind.nodes.index)
        places = {node: place for place, node in enumerate(names)}
        by_value = [places.get(branches.get(str(value), ""), -1) for value in column.values]
        groups = np.array([*by_value, -1], dtype=np.int64)[codes]
        if not names or not (groups >= 0).any():
            return None
        gain = group_gain(self.weights, groups, self.codes, (len(names), self.n_solutions))
        counts = np.bincount(groups[groups >= 0], minlength=len(names))
        choices = tuple(Choice(node, int(count)) for node, count in zip(names, counts, strict=True))
        return Question(name, "value", gain, choices, unknown=int((groups < 0).sum()))

    def _cut(self, name: str, column: CaseColumn, codes: IntArray) -> Question | None:
        numbers = np.append(column.numbers(), np.nan)[codes]
        weights, inside = self.weights, self._inside(name, numbers)
        # Outside what is known already a case says nothing about where to cut.
        cut, gain = best_cut(weights, np.where(inside, numbers, np.nan), self.codes, self.n_solutions)
        if np.isnan(cut):
            return None
        place = int(np.flatnonzero(column.numbers() == cut)[0])
        yes, no = int((numbers[inside] <= cut).sum()), int((numbers[inside] > cut).sum())
        about = shown(column.kind, column.values[place]) if column.kind is not None else None
        choices = (Choice(True, yes), Choice(False, no))
        return Question(name, "cut", gain, choices, about, int((~inside).sum()))

    def _inside(self, name: str, numbers: FloatArray) -> BoolArray:
        """Which of these numbers are known and within what cuts have said so far."""
        found = ~np.isnan(numbers)
        for step in self.steps:
            if step.attribute == name and step.kind == "cut":
                found &= (numbers <= self.candidates.as_number(step.value)) == step.yes
        return found

    def _mention(self, name: str, column: CaseColumn, codes: IntArray) -> Question | None:
        mentions = self.candidates.mentions(name)
        asked = [step.value for step in self.steps if step.attribute == name and step.kind == "mention"]
        table = tallied(self.weights, codes, self.codes, (len(column.values), self.n_solutions))
        gains = mentions.gains(table[:-1], table[-1])
        for term in asked:
            gains[mentions.place(term)] = 0.0
        if not gains.size or not gains.max() > 0:
            return None
        at = first_best(gains)
        having = np.append(mentions.having(mentions.terms[at]), False)[codes]
        known = codes >= 0
        choices = (Choice(True, int(having.sum())), Choice(False, int((known & ~having).sum())))
        kind: QuestionKind = "word" if isinstance(column.kind, Text) else "member"
        return Question(name, kind, float(gains[at]), choices, mentions.terms[at], int((~known).sum()))


def gained(question: Question | None) -> float:
    """The bits that a question tells; none where there is none."""
    return 0.0 if question is None or question.gain is None else question.gain
