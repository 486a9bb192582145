"""Concept descriptions asked for what they cannot do."""

from collections.abc import Iterable, Sequence
from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, listed, misspelt, named
from priorcase.exceptions.ids import UnknownIdError
from priorcase.exceptions.schema import SchemaMismatchError

_REPLAY = 'choose history="replay" before the first row, which keeps all rows seen, so that forgetting replays the rest'


class ForgettingError(PriorcaseError, ValueError):
    """Rows that cannot be forgotten exactly, because what is stored depends on rows that are gone."""

    @classmethod
    def order_dependent(cls) -> Self:
        """A learner that stores some rows by what it had stored before."""
        problem = (
            "cannot forget rows exactly: which rows are kept, and their records, depend on rows that came "
            "before and are gone; nothing was changed."
        )
        return cls(compose(problem, hint=f"{_REPLAY}."))

    @classmethod
    def windowed(cls) -> Self:
        """A window, into which older rows would have to come back."""
        problem = (
            "cannot forget rows exactly under window=: rows that have left the window, and are gone, would "
            "have to come back; nothing was changed."
        )
        return cls(compose(problem, hint=f"{_REPLAY}; or leave window= out."))


class UnseenIdError(UnknownIdError):
    """An id that names none of the rows seen."""

    @classmethod
    def never_seen(cls, ids: Sequence[int], seen: int) -> Self:
        """Ids of rows that never came, or that were forgotten before."""
        which = "which names no row" if len(ids) == 1 else "which name no rows"
        problem = f"got {named('id', ids)}, {which} seen and not forgotten; nothing was changed."
        hint = f"rows are numbered from 0 in the order they were given, {seen} so far; those forgotten are gone."
        return cls(compose(problem, hint=hint))


class NewColumnError(SchemaMismatchError):
    """A column that comes up in mid-stream, where the first rows settled the columns."""

    @classmethod
    def refused(cls, refusal: SchemaMismatchError) -> Self:
        """The refusal of a table with a further column; its words, and who would take it up."""
        return cls(f"{refusal} IB5 takes up columns that come up in mid-stream.")


class ConceptError(PriorcaseError, ValueError):
    """A concept description, or a target for one, that does not go with what is asked."""

    @classmethod
    def one_description(cls) -> Self:
        """Claims of a learner whose classes share a description."""
        problem = "needs a description for each class; all classes of this learner share one."
        return cls(compose(problem, hint="choose per_class=True, or ask predict and predict_proba."))

    @classmethod
    def many_answers(cls) -> Self:
        """Precedents of answers that are several classes at once."""
        problem = "lists what speaks for one class; with multi-label targets each class has an answer."
        return cls(compose(problem, hint="fit a model for the class in question, or ask claims and predict_proba."))

    @classmethod
    def several_labels(cls, n: int) -> Self:
        """An indicator of several labels for a learner whose classes exclude each other."""
        problem = f"got y with {n} columns; classes that share one description exclude each other."
        hint = "per_class=True learns a description for each column of 0 and 1; otherwise pass one class for each row."
        return cls(compose(problem, hint=hint))

    @classmethod
    def not_indicator(cls, found: Iterable[object]) -> Self:
        """Target columns with something else than 0 and 1."""
        problem = f"got y in columns that hold {listed(found)}; expected 0 and 1 only."
        hint = "a column for each class says whether a row belongs to it; pass one class for each row as a flat list."
        return cls(compose(problem, hint=hint))

    @classmethod
    def label_lists(cls) -> Self:
        """A list of labels for each row."""
        problem = "got y with a collection of labels for each row; expected a column of 0 and 1 for each label."
        hint = (
            "scikit-learn's MultiLabelBinarizer makes such columns; IB1, IB2 and IB3 need per_class=True to learn them."
        )
        return cls(compose(problem, hint=hint))

    @classmethod
    def other_columns(cls, unseen: Sequence[object], absent: Sequence[object]) -> Self:
        """An indicator frame whose columns are not those of before."""
        found = [f"has {listed(unseen)}, which it has not learned"] if unseen else []
        found += [f"lacks {listed(absent)}"] if absent else []
        problem = f"got y whose columns do not match the classes learned so far: it {' and '.join(found)}."
        hint = "pass the same columns of y in every call, in any order."
        return cls(compose(problem, hint=misspelt(unseen, absent) or hint))

    @classmethod
    def other_shape(cls, *, indicator: bool) -> Self:
        """One class for each row after an indicator, or the reverse."""
        forms = ["one class for each row", "a column of 0 and 1 for each class"]
        found, fitted = reversed(forms) if indicator else forms
        problem = f"got y as {found}; the targets learned so far came as {fitted}."
        return cls(compose(problem, hint="pass y in the same form in every call."))

    @classmethod
    def indicator_classes(cls, given: Iterable[object], columns: Iterable[object]) -> Self:
        """Classes announced beside an indicator that has other columns."""
        problem = f"got classes= with {listed(given)} and y with the columns {listed(columns)}."
        return cls(compose(problem, hint="the columns of y are the classes: leave classes= out."))

    @classmethod
    def seen_undeclared(cls, labels: Iterable[object], declared: Iterable[object]) -> Self:
        """Classes announced without some that rows had."""
        problem = (
            f"got classes= with {listed(declared)}, but rows seen before had {listed(labels)}; nothing was changed."
        )
        return cls(compose(problem, hint="list every class in classes=, those already seen included."))
