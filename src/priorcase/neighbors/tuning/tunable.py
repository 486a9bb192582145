"""Estimators that come with their parameters chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from priorcase.neighbors.tuning.result import Tuning
    from priorcase.neighbors.tuning.tune import Candidates, Scoring


class Tunable:
    """An estimator of which `tune` knows how to choose the parameters."""

    tuning_: Tuning

    @classmethod
    def tuned(
        cls,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        candidates: Candidates | None = None,
        scoring: Scoring | None = None,
        nested: int | None = 5,
        n_samples: int | None = 20_000,
        progress: bool | None = None,
        random_state: Any = 0,
        **parameters: Any,
    ) -> Self:
        """An estimator fitted to all rows, with parameters chosen together by leave-one-out; see `priorcase.tune`.

        What was tried is in ``tuning_``: it prints as a table, and ``tuning_.nested_score`` is the score to report.

        Parameters
        ----------
        X, y, sample_weight, candidates, scoring, nested, n_samples, progress, random_state
            As in `priorcase.tune`.
        **parameters
            Parameters of the estimator that stay as they are, such as ``schema`` or ``n_jobs``.
        """
        from priorcase.neighbors.tuning.tune import tune

        estimator: Any = cls(**parameters)
        tuning = tune(
            estimator,
            X,
            y,
            sample_weight=sample_weight,
            candidates=candidates,
            scoring=scoring,
            nested=nested,
            n_samples=n_samples,
            progress=progress,
            random_state=random_state,
        )
        best: Self = tuning.best
        return best
