"""What all conditions have in common, and what they look at."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._locks import cached_property
from priorcase._parameters import as_python, is_number
from priorcase._typing import BoolArray, FloatArray
from priorcase.cases import kinds
from priorcase.cases.kinds import CaseKind, Stored
from priorcase.exceptions import CaseBaseError, quoted

PLAIN = "plain"
"""The kind of solutions, outcomes and the like: any JSON value."""

_WORDS = {"numeric": "numeric", "ordinal": "ordinal", "nominal": "nominal", "text": "a text", "set": "a set"}
_WORDS |= {"date": "a date", "taxonomy": "a taxonomy", "graph": "a graph", PLAIN: "any value"}


@dataclass(frozen=True)
class Truth:
    """Where a condition holds.

    Parameters
    ----------
    values
        For each distinct value.
    missing
        For missing values; None where the condition is not about them, so that neither it nor its opposite holds.
    """

    values: BoolArray
    missing: bool | None = None


@dataclass(frozen=True)
class Subject:
    """What a condition is about: the distinct values of an attribute, or of the solutions and the like.

    Parameters
    ----------
    name
        For messages.
    kind
        The attribute's kind; None for solutions and the like.
    values
        Distinct values: as stored, or as JSON text where there is no kind.
    given_numbers
        Their numbers where the table has them already.
    """

    name: str
    kind: CaseKind | None
    values: Sequence[Stored]
    given_numbers: Callable[[], FloatArray] | None = None

    @property
    def kind_name(self) -> str:
        """The kind in one word."""
        return PLAIN if self.kind is None else kinds.kind_name(self.kind)

    @property
    def kind_words(self) -> str:
        """The kind as messages say it."""
        return _WORDS[self.kind_name]

    @cached_property
    def shown(self) -> list[Any]:
        """The values as users see them."""
        if self.kind is None:
            return [kinds.plain_shown(text) for text in self.values]  # type: ignore[arg-type]
        return [kinds.shown(self.kind, value) for value in self.values]

    @cached_property
    def numbers(self) -> FloatArray:
        """The values as numbers, days or ranks; NaN where one is none."""
        if self.given_numbers is not None:
            return self.given_numbers()
        return np.array([as_python(value) if is_number(value) else np.nan for value in self.shown], dtype=np.float64)

    def stored(self, value: object) -> Stored:
        """A value to compare with, as it would be stored; an error where it does not fit."""
        if self.kind is None:
            return kinds.check_plain(value, what=self.name)
        return kinds.check(self.kind, value, attribute=self.name)

    def where(self, holds: Callable[[Any], Any]) -> BoolArray:
        """Where something holds of the values as users see them."""
        return np.fromiter((bool(holds(value)) for value in self.shown), dtype=np.bool_, count=len(self.values))

    def none(self) -> BoolArray:
        """Nowhere."""
        return np.zeros(len(self.values), dtype=np.bool_)


class Condition(ABC):
    """A condition on one attribute; the functions of this package make them."""

    fits: tuple[str, ...] = ()
    """Kinds that it can be asked of; empty for all."""

    @abstractmethod
    def truth(self, subject: Subject) -> Truth:
        """Where it holds."""

    def holds(self, subject: Subject) -> Truth:
        """Where it holds; an error where it does not fit the kind."""
        if self.fits and subject.kind_name not in self.fits:
            *others, last = (kind for kind in self.fits if kind != PLAIN)
            fits = f"{', '.join(others)} and {last}" if others else last
            raise CaseBaseError(
                f"got {subject.name}={quoted(self)}, but {subject.name!r} is {subject.kind_words}. This condition is "
                f"for {fits} attributes."
            )
        return self.truth(subject)
