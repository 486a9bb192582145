"""Learners fitted to the cases of a base, and kept with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from priorcase import __version__
from priorcase.cases.base.checked import check_words
from priorcase.cases.base.insight import Insight
from priorcase.cases.learners import (
    CaseLearner,
    KeptLearner,
    KeptLearners,
    Recipe,
    fit_learner,
    load_state,
    refit_learner,
)
from priorcase.cases.storage import StoredLearner
from priorcase.exceptions import CaseBaseError, listed, quoted

_OF_CASES = frozenset({"added", "revised", "forgotten", "retired", "unretired", "declared"})


class Learned(Insight):
    """Fitting learners, keeping them, and asking for them again."""

    def fit(
        self,
        learner: Any,
        *,
        target: str | None = "solution",
        attributes: Iterable[str] | None = None,
        name: str | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> CaseLearner:
        """Fit a learner of the library to the cases, and keep it in the file under a name if it gets one.

        Dates become days, nodes of a taxonomy names, sets a column for each member; texts and graphs are left out.
        Cases without a target and retired ones are not learned from.

        Parameters
        ----------
        learner
            Any learner of the library, such as ``NaiveBayes()``; it stays as it is, a copy is fitted.
        target
            What to predict: ``"solution"``, ``"outcome"`` or an attribute; None for learners without targets.
        attributes
            What to learn from; None: all that can be.
        name
            Under which to keep it. What it learned is kept in a closed format with a checksum, never as code.
        by, why
            Who fits it and why.

        Returns
        -------
        CaseLearner
            ``predict`` takes cases; ``learner`` is the learner itself, ``cases(rows)`` tells which case a row was.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add_many([{"age": 1}, {"age": 2}, {"age": 9}], solution=["oil it", "oil it", "swap it"])
        ...     _ = base.fit(pc.KNNClassifier(n_neighbors=1), name="nearest")
        ...     base.learner("nearest").predict({"age": 8})
        array(['swap it'], dtype=object)
        """
        name = check_words(name, what="name")
        by, why = self._who(by, why)
        with self._reading() as table:
            fitted = fit_learner(learner, table, target=target, attributes=attributes, sequence=self._sequence)
        if name is not None:
            state, recipe = fitted.state(), fitted.recipe.json()
            with self._writing() as transaction:
                transaction.writer.put_learner(name, recipe, state=state, fitted_on=fitted.ids.tolist(), by=by, why=why)
        return fitted

    def learner(self, name: str) -> CaseLearner:
        """A learner that `fit` kept, as it was then.

        Where a case that it knew was forgotten, or another version of the library fitted it, it is fitted anew: to all
        cases there are now, or to the same ones.
        """
        with self._reading() as table:
            kept = self._kept(name)
            recipe = Recipe.from_json(kept.recipe)
            if kept.state is not None and recipe.version == __version__:
                return load_state(recipe, kept.state)
            return refit_learner(recipe, table, ids=kept.fitted_on, sequence=self._sequence)

    def learners(self) -> KeptLearners:
        """The learners that are kept: their names, when they were fitted, and how much has changed since."""
        with self._reading():
            found = []
            steps = [event.sequence for event in self._store.history() if event.action in _OF_CASES]
            for kept in self._store.learners():
                recipe = Recipe.from_json(kept.recipe)
                changes = sum(step > kept.sequence for step in steps)
                found.append(KeptLearner(kept.name, recipe, changes, kept.state is not None))
            return KeptLearners(tuple(found))

    def drop_learner(self, name: str, *, by: str | None = None, why: str | None = None) -> None:
        """Keep a learner no longer."""
        by, why = self._who(by, why)
        with self._writing() as transaction:
            self._kept(name)
            transaction.writer.drop_learner(name, by=by, why=why)

    def _kept(self, name: str) -> StoredLearner:
        found = {kept.name: kept for kept in self._store.learners()}
        if name not in found:
            known = f"it has {listed(found)}" if found else "it has none yet"
            raise CaseBaseError(
                f"got {quoted(name)}, the name of no learner of the case base; {known}. CaseBase.fit(learner, "
                "name=...) fits one and keeps it."
            )
        return found[name]
