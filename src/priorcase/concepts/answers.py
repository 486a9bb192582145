"""Answers of a concept learner: classes, shares, claims, and who speaks for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from priorcase._typing import AnyArray, BoolArray, FloatArray, IdArray
from priorcase.concepts import deciding
from priorcase.concepts.deciding import Question
from priorcase.concepts.descriptions import Descriptions
from priorcase.concepts.learned import LearnedConcepts
from priorcase.concepts.memory import check_ranges
from priorcase.concepts.speakers import precedents
from priorcase.concepts.targets import read_truth
from priorcase.exceptions import ConceptError
from priorcase.learning.state import reads
from priorcase.neighbors.precedents import Precedents
from priorcase.schema import Table


class ConceptAnswers(ClassifierMixin, LearnedConcepts):
    """The questions that concept learners answer; ``deciding.py`` has the classification itself."""

    @reads
    def predict(self, X: Any) -> AnyArray:
        """The class of each query; with multi-label targets an indicator, shape (queries, classes).

        Without any stored instance the class seen most often.
        """
        descriptions, question = self._asked(self._table(X))
        roll = question.roll
        if roll.indicator:
            return deciding.claims(descriptions, question).claimed.astype(roll.batches[0][1])
        predicted: AnyArray = roll.classes[self._places(descriptions, question)]
        return predicted

    @reads
    def predict_proba(self, X: Any) -> FloatArray | list[FloatArray]:
        """The share of each class in ``classes_`` among the nearest instances of each query.

        There are several nearest only where they are equally near; with ``ties="first"`` one of them counts. With
        ``ties="majority"`` the largest share is that of the predicted class, of equal ones by a rounding error. Where
        each class has a description, all goes to the class that `predict` gives, or equal shares to the equally near
        ones. With multi-label targets a list with an array for each class, as in scikit-learn: the shares of
        non-members and of members among the nearest in its description.
        """
        descriptions, question = self._asked(self._table(X))
        if question.roll.indicator:
            shares = deciding.claims(descriptions, question).share.T
            return [np.stack([1.0 - share, share], axis=1) for share in shares]
        return self._shares(descriptions, question)

    @reads
    def precedents(self, X: Any) -> Precedents:
        """The stored instances that speak for each answer, and what each attribute adds to their distances.

        Several speak only where they are equally near. Where each class has a description, they are those of the
        predicted class. Also the nearest unlike case: the nearest that may speak of another class, or outside the
        predicted one. Not for multi-label targets, which have an answer for each class.

        Parameters
        ----------
        X
            Queries.
        """
        if self._roll().indicator:
            raise ConceptError.many_answers()
        table = self._table(X)
        descriptions, question = self._asked(table)
        answers = self._places(descriptions, question), self._shares(descriptions, question)
        return precedents(descriptions, question, table, answers, self._backend)

    @reads
    def claims(self, X: Any) -> BoolArray:
        """Which descriptions claim each query for their class, shape (queries, classes): several may, or none.

        Needs a description for each class.
        """
        if not self._stored().design.per_class:
            raise ConceptError.one_description()
        return deciding.claims(*self._asked(self._table(X))).claimed

    @reads
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of queries whose class is predicted; with multi-label targets those of which all classes are.

        Parameters
        ----------
        X
            Queries.
        y
            What they are, as in `fit`; columns of a frame are matched by name.
        sample_weight
            How much each query counts; None for all alike.
        """
        roll = self._roll()
        if roll.indicator:
            y = read_truth(y, roll)
        return float(super().score(X, y, sample_weight))

    # -- inside

    def _places(self, descriptions: Descriptions, question: Question) -> IdArray:
        """The predicted class of each query, as its place in ``classes_``."""
        if self._memory.design.per_class:
            return deciding.winning(descriptions, question)[0]
        places: IdArray = question.places()[deciding.joint_codes(descriptions.of_class(0), question)]
        return places

    def _shares(self, descriptions: Descriptions, question: Question) -> FloatArray:
        """The share of each class of each query."""
        if self._memory.design.per_class:
            return deciding.winning(descriptions, question)[1]
        return deciding.joint_shares(descriptions.of_class(0), question)

    def _asked(self, table: Table) -> tuple[Descriptions, Question]:
        """The descriptions, and queries as they compare them."""
        memory = self._answering()
        comparison, descriptions = memory.comparison, memory.learned()
        assert comparison is not None  # there has been a row
        cells = comparison.prepared(memory.instances.encode(table), memory.instances)
        check_ranges(comparison, descriptions, cells)
        return descriptions, Question(cells, memory.instances, self._roll(), self._threads())
