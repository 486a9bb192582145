"""The learners of a case base, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from priorcase.cases.learners.recipe import Recipe
from priorcase.learning.results import Grid, GridResult, framed, installed_backend

__all__ = ["KeptLearner", "KeptLearners"]


@dataclass(frozen=True)
class KeptLearner:
    """One learner of a case base.

    Parameters
    ----------
    name
        Its name in the case base.
    recipe
        How it was fitted.
    changes
        How many changes the case base has seen since.
    learned
        Whether what it learned is kept; where a case was forgotten it is not, and the learner is fitted anew when asked
        for.
    """

    name: str
    recipe: Recipe
    changes: int
    learned: bool


@dataclass(frozen=True, eq=False, repr=False)
class KeptLearners(GridResult, Sequence[KeptLearner]):
    """The learners of a case base, by name; prints as a table."""

    learners: tuple[KeptLearner, ...]

    def __getitem__(self, at: Any) -> Any:
        return self.learners[at]

    def __len__(self) -> int:
        return len(self.learners)

    def __iter__(self) -> Iterator[KeptLearner]:
        return iter(self.learners)

    def _columns(self) -> Mapping[str, list[Any]]:
        recipes = [each.recipe for each in self.learners]
        return {
            "name": [each.name for each in self.learners],
            "learner": [recipe.name for recipe in recipes],
            "target": [recipe.target for recipe in recipes],
            "cases": [recipe.cases for recipe in recipes],
            "fitted": [recipe.fitted_at for recipe in recipes],
            "changes since": [each.changes for each in self.learners],
            "learned": [each.learned for each in self.learners],
        }

    def frame(self) -> Any:
        """The table as a frame of pandas, Polars or PyArrow, whichever is installed."""
        return framed(self._columns(), installed_backend())

    def _grid(self) -> Grid:
        if not self.learners:
            return Grid("", ["no learners"], [])
        columns = self._columns()
        shown = {name: values for name, values in columns.items() if name != "learned"}
        lines = [list(map(_text, line)) for line in zip(*shown.values(), strict=True)]
        again = sum(not each.learned for each in self.learners)
        note = f"{again} will be fitted anew: a case was forgotten" if again else ""
        return Grid("learners", list(shown), lines, note, right={3, 5})


def _text(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else value or "-"
