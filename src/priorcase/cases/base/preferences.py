"""How cases are compared unless a question says otherwise: weights and measures that the file keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from priorcase.cases.base.followed import declaration
from priorcase.cases.base.reading import Reading
from priorcase.cases.measures import describe, from_description
from priorcase.cases.retain import Records, records_of
from priorcase.cases.retain.policies import Record
from priorcase.cases.retrieval import Weights, learn_weights
from priorcase.cases.reuse import Success
from priorcase.cases.scoring import Unknown, measures_of, weights_of


class Preferences(Reading):
    """Weights, measures and records of use."""

    def prefer(
        self,
        *,
        weights: Mapping[str, float] | None = None,
        measures: Mapping[str, Any] | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> None:
        """Keep weights and measures in the file: every retrieval to come uses them unless it says otherwise.

        Parameters
        ----------
        weights
            By attribute, those of `learn_weights` too; None keeps those there are, ``{}`` goes back to equal ones.
        measures
            By attribute; None keeps those there are, ``{}`` goes back to the usual ones. Functions and embeddings
            cannot be written down and are given to `retrieve` each time.
        by, why
            Who prefers them and why.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary({"device": "nominal", "message": "text"}) as base:
        ...     base.prefer(weights={"message": 3}, measures={"message": "edit"})
        ...     base.preferences()["weights"]
        {'message': 3.0}
        """
        by, why = self._who(by, why)
        with self._writing() as transaction:
            attributes = self._table.attributes
            settings = dict(self._settings)
            if weights is not None:
                found = weights_of(attributes, weights)
                settings["weights"] = {name: found[name] for name in attributes if name in weights}
            if measures is not None:
                chosen = measures_of(attributes, measures)
                settings["measures"] = {name: describe(chosen[name]) for name in attributes if name in measures}
            transaction.writer.declare(declaration(attributes, settings), by=by, why=why)

    def preferences(self) -> dict[str, dict[str, Any]]:
        """The weights and measures that `prefer` keeps, by attribute."""
        with self._reading():
            return {"weights": dict(self._kept_weights()), "measures": dict(self._kept_measures())}

    def learn_weights(
        self,
        *,
        k: int = 5,
        target: str = "solution",
        measures: Mapping[str, Any] | None = None,
        fixed: Mapping[str, float] | None = None,
        success: Success = "outcome",
        sample: int = 2000,
        seed: int = 0,
        unknown: Unknown = "different",
        n_jobs: int | None = None,
    ) -> Weights:
        """Weights of the attributes with which the k most similar others tell each case's solution best.

        Every case is asked about in turn as if it were not there (leave-one-out); weights are searched one after the
        other on a small grid. ``base.prefer(weights=base.learn_weights())`` keeps them for every retrieval to come.

        Parameters
        ----------
        k
            How many cases answer.
        target
            ``"solution"``, ``"outcome"`` or an attribute.
        measures
            As for `retrieve`.
        fixed
            Weights that stay as given; 0 leaves an attribute out of every comparison.
        success
            How outcomes tell whether a solution worked, as for `retain`: what failed is not learned from.
        sample, seed
            Of more cases than ``sample`` a part is drawn.
        unknown, n_jobs
            As for `retrieve`.

        Examples
        --------
        >>> import priorcase as pc
        >>> rows = [{"colour": c, "room": r, "fix": c.upper()} for c in ("red", "blue") for r in range(4)]
        >>> with pc.CaseBase.temporary({"colour": "nominal", "room": "numeric"}) as base:
        ...     _ = base.add_many(rows, solution="fix")
        ...     weights = base.learn_weights(k=1)
        >>> weights["colour"] > weights["room"]
        True
        """
        with self._reading() as table:
            _, chosen = self._preferred(None, measures)
            return learn_weights(
                table,
                k=k,
                target=target,
                measures=chosen,
                fixed=fixed,
                success=success,
                sample=sample,
                seed=seed,
                unknown=unknown,
                n_jobs=n_jobs,
                cache=self._cache,
            )

    def records(self, *, tolerance: float | None = None, success: Success = "outcome") -> Records:
        """How often each case spoke for a solved one, and how often it was right (`retain` with ``"records"``).

        Parameters
        ----------
        tolerance
            How far a right number may be off: needed where solutions are numbers.
        success
            How outcomes tell whether a solution worked, as for `retain`.
        """
        with self._reading() as table:
            return records_of(table, self._uses(), tolerance=tolerance, success=success)

    def _uses(self) -> dict[int, Record]:
        records: dict[int, Record] = {}
        for use in self._store.uses():
            if use.helped is not None:
                records[use.id] = records.get(use.id, Record()).after(use.helped)
        return records

    def _preferred(self, weights: Mapping[str, float] | None, given: Any) -> tuple[Mapping[str, float] | None, Any]:
        """What a question says, and what the file keeps where it says nothing."""
        if weights is None:
            weights = self._kept_weights() or None
        if given is not None and not isinstance(given, Mapping):
            return weights, given  # to be refused by those who know what is expected
        return weights, {**self._kept_measures(), **(given or {})} or None

    def _kept_weights(self) -> dict[str, float]:
        return dict(self._settings.get("weights", {}))

    def _kept_measures(self) -> dict[str, Any]:
        return {name: from_description(found) for name, found in self._settings.get("measures", {}).items()}
