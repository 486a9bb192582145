"""A learner fitted to cases: it answers questions that are cases, and knows which case each of its rows was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sklearn.base import clone

from priorcase import __version__
from priorcase._typing import AnyArray, IdArray
from priorcase.cases.errors import damaged_learner
from priorcase.cases.learners.layout import Layout
from priorcase.cases.learners.recipe import Recipe
from priorcase.cases.learners.rows import CaseRows
from priorcase.cases.learners.training import TrainingTable, training_table
from priorcase.cases.saving.closed import check_learner, class_name
from priorcase.cases.saving.saved import MADE_UP, pack, unpack
from priorcase.cases.table import CaseTable
from priorcase.exceptions import ReadingError, prefix_errors
from priorcase.learning.results import Grid, GridResult

__all__ = ["CaseLearner", "fit_learner", "load_state", "refit_learner"]

_SOURCE = "What the learner has learned"


@dataclass(frozen=True, eq=False, repr=False)
class CaseLearner(GridResult):
    """A learner that was fitted to cases.

    Parameters
    ----------
    learner
        The learner of the library, fitted.
    ids
        The ids of the cases it was fitted to: row 0 of the learner is case ``ids[0]``, and so on.
    layout
        How cases and questions become rows.
    recipe
        How it was fitted.
    digest
        A fingerprint of what it was fitted to.
    left_out, untold, retired
        Attributes that no column could be made of; numbers of cases without a target, and of retired ones.
    """

    learner: Any
    ids: IdArray
    layout: Layout
    recipe: Recipe
    digest: str
    left_out: tuple[str, ...] = ()
    untold: int = 0
    retired: int = 0

    @prefix_errors
    def rows(self, queries: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> CaseRows:
        """Questions as the rows that the learner takes, for any of its methods."""
        asked = [queries] if isinstance(queries, Mapping) else queries
        return self.layout.questions(asked)

    def predict(self, queries: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> AnyArray:
        """What the learner predicts for one question or several, in their order.

        Learners that predict nothing, such as reducers, are asked by ``learner`` and `rows`.
        """
        answers: AnyArray = self.learner.predict(self.rows(queries))
        return answers

    def predict_proba(self, queries: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> AnyArray:
        """The probabilities of the classes for one question or several."""
        answers: AnyArray = self.learner.predict_proba(self.rows(queries))
        return answers

    def cases(self, rows: Sequence[int] | AnyArray) -> AnyArray:
        """The ids of the cases behind row ids of the learner, such as those that ``kneighbors`` returns."""
        return self.ids[np.asarray(rows, dtype=np.int64)]

    def state(self) -> bytes:
        """All that was learned as bytes, in the closed format of saved learners."""
        beside = {"layout": self.layout.describe(), "ids": self.ids, "digest": self.digest}
        beside |= {"left_out": list(self.left_out), "untold": self.untold, "retired": self.retired}
        return pack({"learner": self.learner, **beside}, type(self.learner).__name__)

    def _grid(self) -> Grid:
        recipe = self.recipe
        lines = [["target", recipe.target or "-"], ["attributes", ", ".join(recipe.attributes)]]
        lines += [["left out", ", ".join(self.left_out)]] if self.left_out else []
        lines += [["cases", f"{len(self.ids):,}"]]
        lines += [["without a target", f"{self.untold:,}"]] if self.untold else []
        lines += [["retired", f"{self.retired:,}"]] if self.retired else []
        lines += [["fitted", recipe.fitted_at]]
        return Grid(recipe.shown, lines[0], lines[1:])


def fit_learner(
    learner: Any,
    table: CaseTable,
    *,
    target: str | None = "solution",
    attributes: Iterable[str] | None = None,
    ids: Sequence[int] | IdArray | None = None,
    sequence: int = 0,
) -> CaseLearner:
    """A clone of a learner, fitted to cases; the learner itself stays as it was.

    Parameters
    ----------
    learner
        A learner of the library.
    table, target, attributes, ids
        As for `training_table`.
    sequence
        The number of the last change that the table has seen.

    Examples
    --------
    >>> from priorcase import KNNClassifier
    >>> from priorcase.schema import Nominal, Numeric
    >>> rows = [(3, {"age": 3, "make": "A"}, '"fix"', None), (4, {"age": 9, "make": "B"}, '"swap"', None)]
    >>> fitted = fit_learner(KNNClassifier(1), CaseTable.of({"age": Numeric(), "make": Nominal()}, rows))
    >>> fitted.predict({"age": 8}), fitted.cases(fitted.learner.kneighbors(fitted.rows({"age": 8}))[1])
    (array(['swap'], dtype=object), array([[4]]))
    """
    check_learner(learner)
    made = training_table(table, attributes, target, ids=ids)
    about = {"target": target, "attributes": made.used, "cases": len(made.ids), "sequence": sequence}
    recipe = Recipe.of(learner, **about, fitted_at=_now(), version=__version__)
    return _fitted(clone(learner), made, recipe)


def refit_learner(
    recipe: Recipe, table: CaseTable, *, ids: Sequence[int] | IdArray | None = None, sequence: int = 0
) -> CaseLearner:
    """The learner of a recipe, fitted again: as if cases that are gone had never been.

    Parameters
    ----------
    recipe
        How it was fitted before. Attributes that the table no longer has are passed over.
    table
        The cases.
    ids
        Only these of them, those it was fitted to before for example; None: all.
    sequence
        As for `fit_learner`.
    """
    attributes = [name for name in recipe.attributes if name in table.attributes]
    made = training_table(table, attributes, recipe.target, ids=ids)
    about = {"attributes": made.used, "cases": len(made.ids), "fitted_at": _now(), "version": __version__}
    return _fitted(recipe.unfitted(), made, replace(recipe, **about, sequence=sequence))  # type: ignore[arg-type]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _fitted(learner: Any, made: TrainingTable, recipe: Recipe) -> CaseLearner:
    learner.fit(made.X) if made.y is None else learner.fit(made.X, made.y)
    return CaseLearner(learner, made.ids, made.layout, recipe, made.digest(), made.left_out, made.untold, made.retired)


def load_state(recipe: Recipe, state: bytes) -> CaseLearner:
    """The learner whose state was kept; ``ReadingError`` where it is damaged, of another version or another learner."""
    found = unpack(state, source=_SOURCE)
    try:
        learner, layout = found["learner"], Layout.from_description(found["layout"])
        if class_name(type(learner)) != recipe.learner:
            raise damaged_learner(_SOURCE, f"it is that of a {type(learner).__name__}, not of a {recipe.name}")
        left_out = tuple(found["left_out"])
        ids, digest, untold, retired = (found[name] for name in ("ids", "digest", "untold", "retired"))
        if not isinstance(ids, np.ndarray) or ids.dtype != np.int64 or ids.ndim != 1:
            raise damaged_learner(_SOURCE, "it tells of no cases")
        return CaseLearner(learner, ids, layout, recipe, digest, left_out, untold, retired)
    except ReadingError:
        raise
    except MADE_UP as error:
        raise damaged_learner(_SOURCE, "it lacks parts") from error
