"""Estimators fitted to cases and stored in the case base."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from priorcase import __version__, saving
from priorcase._typing import AnyArray, IdArray
from priorcase.cases.table import CaseTable
from priorcase.cases.training import CaseRows, Layout, training_table
from priorcase.exceptions import NotAvailableError, ParameterError, prefix_errors, quoted
from priorcase.learning.results import Grid, GridResult, framed

_RECIPE = "The recipe of a learner"
_STATE = "The state of the learner"


@dataclass(frozen=True)
class Recipe:
    """The class and parameters of a learner, and a description of its training cases, but no values of these cases.

    When a training case is forgotten, the fitted state is deleted, but the recipe remains, so that the learner can be
    refitted.
    """

    learner: str
    """Public name of the class."""
    parameters: str
    """The unfitted learner in the format of saved models, encoded as Base64."""
    shown: str
    """Printed form of the learner."""
    target: str | None
    attributes: tuple[str, ...]
    cases: int
    fitted_at: str
    sequence: int
    """Number of the last change of the case base before the learner was fitted."""
    version: str

    @classmethod
    def of(cls, learner: Any, **about: Any) -> Recipe:
        """Return the recipe of a learner; raise ``UnsupportedDataError`` if a parameter cannot be saved."""
        saving.check_model(learner)
        parameters = b64encode(saving.dump(clone(learner, safe=False))).decode()
        return cls(type(learner).__name__, parameters, " ".join(repr(learner).split()), **about)

    def unfitted(self) -> Any:
        try:
            data = b64decode(self.parameters, validate=True)
        except saving.MADE_UP as error:
            raise saving.damaged(_RECIPE, "the stored parameters cannot be read") from error
        learner = saving.load_bytes(data, source=_RECIPE)
        if type(learner).__name__ != self.learner:
            raise saving.damaged(_RECIPE, f"the stored parameters belong to a {type(learner).__name__}")
        return clone(learner)

    def json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Recipe:
        try:
            found = json.loads(text)
            recipe = cls(**found | {"attributes": tuple(found["attributes"])})
        except saving.MADE_UP as error:
            raise saving.damaged(_RECIPE, "it cannot be read") from error
        texts = recipe.learner, recipe.parameters, recipe.shown, recipe.fitted_at, recipe.version, *recipe.attributes
        if not all(type(text) is str for text in (*texts, "" if recipe.target is None else recipe.target)):
            raise saving.damaged(_RECIPE, "a field is not text")
        if type(recipe.cases) is not int or type(recipe.sequence) is not int:
            raise saving.damaged(_RECIPE, "a field is not a number")
        return recipe


@dataclass(frozen=True, eq=False, repr=False)
class CaseLearner(GridResult):
    """An estimator fitted to cases, as returned by `CaseBase.fit`.

    ``learner`` is the fitted estimator; its training row i is the case ``ids[i]``. ``layout`` defines how cases and
    queries are converted to rows, ``recipe`` describes how the estimator was fitted, and ``digest`` is a fingerprint of
    the training data. ``left_out`` lists the attributes that could not be used; ``without_target`` and ``retired`` are
    the numbers of cases that were excluded because their target is missing or because they are retired.
    """

    learner: Any
    ids: IdArray
    layout: Layout
    recipe: Recipe
    digest: str
    left_out: tuple[str, ...] = ()
    without_target: int = 0
    retired: int = 0

    @prefix_errors
    def rows(self, queries: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> CaseRows:
        """Convert queries to rows that can be passed to any method of the learner."""
        return self.layout.queries([queries] if isinstance(queries, Mapping) else queries)

    @prefix_errors
    def predict(self, queries: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> AnyArray:
        """Return the predictions for one or several queries."""
        return self._answers("predict", queries)

    @prefix_errors
    def predict_proba(self, queries: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> AnyArray:
        """Return the class probabilities for one or several queries."""
        return self._answers("predict_proba", queries)

    def _answers(self, method: str, queries: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> AnyArray:
        if not hasattr(self.learner, method):
            what = "probabilities" if method == "predict_proba" else "predictions"
            raise NotAvailableError(
                f"{type(self.learner).__name__} has no {method}, since it returns no {what}. Pass rows(queries) to the "
                f"methods that it has, or fit a learner that returns {what}."
            )
        answers: AnyArray = getattr(self.learner, method)(self.rows(queries))
        return answers

    @prefix_errors
    def cases(self, rows: Sequence[int] | AnyArray) -> AnyArray:
        """Convert row ids of the learner, such as those returned by ``kneighbors``, to ids of cases."""
        with suppress(ValueError):  # of lists of different lengths
            found = np.asarray(rows)
            if not found.size or (found.dtype.kind in "iu" and 0 <= found.min() <= found.max() < len(self.ids)):
                return self.ids[found.astype(np.int64)]
        raise ParameterError(
            f"got rows={quoted(rows)}; expected row ids of the learner: integers from 0 to {len(self.ids) - 1:,}."
        )

    def state(self) -> bytes:
        """Return the fitted state as bytes, in the format of saved models."""
        beside = {"layout": self.layout.describe(), "ids": self.ids, "digest": self.digest}
        beside |= {"left_out": list(self.left_out), "without_target": self.without_target, "retired": self.retired}
        return saving.pack({"learner": self.learner, **beside}, type(self.learner).__name__)

    def _grid(self) -> Grid:
        lines = {
            "target": self.recipe.target or "-",
            "attributes": ", ".join(self.recipe.attributes),
            "dropped": ", ".join(self.left_out),
            "cases": f"{len(self.ids):,}",
            "without a target": f"{self.without_target:,}" if self.without_target else "",
            "retired": f"{self.retired:,}" if self.retired else "",
            "fitted": self.recipe.fitted_at,
        }
        first, *rest = [[name, text] for name, text in lines.items() if text]
        return Grid(self.recipe.shown, first, rest)


def fit_learner(
    learner: Any,
    table: CaseTable,
    *,
    target: str | None = "solution",
    attributes: Iterable[str] | None = None,
    ids: Sequence[int] | IdArray | None = None,
    sequence: int = 0,
) -> CaseLearner:
    """Fit a clone of a learner to cases; `training_table` converts the cases to rows."""
    saving.check_model(learner)
    recipe = partial(Recipe.of, learner, target=target, sequence=sequence)
    return _fitted(clone(learner), recipe, table, target, attributes, ids)


def refit_learner(
    recipe: Recipe, table: CaseTable, *, ids: Sequence[int] | IdArray | None = None, sequence: int = 0
) -> CaseLearner:
    """Refit the learner that a recipe describes, without the training cases that were deleted or retired since."""
    attributes = [name for name in recipe.attributes if name in table.attributes]
    return _fitted(
        recipe.unfitted(), partial(replace, recipe, sequence=sequence), table, recipe.target, attributes, ids
    )


def _fitted(
    learner: Any,
    recipe: Callable[..., Recipe],
    table: CaseTable,
    target: str | None,
    attributes: Iterable[str] | None,
    ids: Sequence[int] | IdArray | None,
) -> CaseLearner:
    if target is None and get_tags(learner).target_tags.required:
        raise ParameterError(
            f"target must be 'solution', 'outcome' or an attribute, got None: {type(learner).__name__} learns from "
            "targets."
        )
    made = training_table(table, attributes, target, ids=ids)
    fitted_at, used = datetime.now(UTC).isoformat(timespec="seconds"), tuple(made.layout.attributes)
    about = recipe(attributes=used, cases=len(made.ids), fitted_at=fitted_at, version=__version__)
    learner.fit(made.X) if made.y is None else learner.fit(made.X, made.y)
    left_out = made.left_out, made.without_target, made.retired
    return CaseLearner(learner, made.ids, made.layout, about, made.digest(), *left_out)


def load_state(recipe: Recipe, state: bytes) -> CaseLearner:
    """Load a learner from its stored state; raise `ReadingError` if the state is damaged or does not fit the recipe."""
    found = saving.unpack(state, source=_STATE)
    try:
        learner, layout, ids = found["learner"], Layout.from_description(found["layout"]), found["ids"]
        digest, left_out, counts = (
            found["digest"],
            tuple(found["left_out"]),
            (found["without_target"], found["retired"]),
        )
    except saving.MADE_UP as error:
        raise saving.damaged(_STATE, "parts are missing") from error
    if type(learner).__name__ != recipe.learner:
        raise saving.damaged(_STATE, f"the state belongs to a {type(learner).__name__}, not to a {recipe.learner}")
    if not isinstance(ids, np.ndarray) or ids.dtype != np.int64 or ids.ndim != 1:
        raise saving.damaged(_STATE, "the case ids are missing or invalid")
    if {*map(type, (digest, *left_out))} != {str} or {*map(type, counts)} != {int}:
        raise saving.damaged(_STATE, "a stored field has the wrong type")
    return CaseLearner(learner, ids, layout, recipe, digest, left_out, *counts)


@dataclass(frozen=True)
class KeptLearner:
    """A stored learner: its name, how it was fitted, and the number of changes to cases since the fit."""

    name: str
    recipe: Recipe
    changes: int
    learned: bool
    """False if a training case of the learner was forgotten; `CaseBase.learner` then refits the learner."""


@dataclass(frozen=True, eq=False, repr=False)
class KeptLearners(GridResult, Sequence[KeptLearner]):
    """The learners stored in a case base, sorted by name; prints as a table."""

    learners: tuple[KeptLearner, ...]

    def __getitem__(self, at: Any) -> Any:
        return self.learners[at]

    def __len__(self) -> int:
        return len(self.learners)

    def _columns(self) -> dict[str, list[Any]]:
        recipes = [each.recipe for each in self.learners]
        return {
            "name": [each.name for each in self.learners],
            "learner": [recipe.learner for recipe in recipes],
            "target": [recipe.target for recipe in recipes],
            "cases": [recipe.cases for recipe in recipes],
            "fitted": [recipe.fitted_at for recipe in recipes],
            "changes since": [each.changes for each in self.learners],
            "learned": [each.learned for each in self.learners],
        }

    def frame(self) -> Any:
        """Return the table as a pandas frame."""
        return framed(self._columns(), None)

    def _grid(self) -> Grid:
        if not self.learners:
            return Grid("", ["no learners"], [])
        *columns, learned = self._columns().items()
        lines = [
            [f"{value:,}" if isinstance(value, int) else value or "-" for value in line]
            for line in zip(*(values for _, values in columns), strict=True)
        ]
        again = learned[1].count(False)
        note = f"{again} will be refitted on next use: a training case was forgotten" if again else ""
        return Grid("learners", [name for name, _ in columns], lines, note, right={3, 5})
