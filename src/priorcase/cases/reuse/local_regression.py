"""A plane fitted to the retrieved cases' numbers, read at the query."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from priorcase._parameters import as_python, is_number, is_whole
from priorcase.cases.reuse.averaging import Mean, check_numbers, in_units, left_out, weighed
from priorcase.cases.reuse.common_ground import strangers
from priorcase.cases.reuse.design import Design, design
from priorcase.cases.reuse.differences import differences
from priorcase.cases.reuse.proposal import Proposal, ranked
from priorcase.cases.reuse.sources import Sources
from priorcase.cases.reuse.spread import Spread
from priorcase.cases.reuse.success import Success
from priorcase.cases.reuse.weights import Weights, effective
from priorcase.exceptions import CaseBaseError, ParameterError, named, quoted
from priorcase.local import LocallyWeightedRegressor


@dataclass(frozen=True)
class Local:
    """Local regression: ``b0`` of the ``b`` that minimises ``sum w (y - b0 - b'(x - q))^2`` over the retrieved cases.

    The fit of `LocallyWeightedRegressor` (Atkeson, Moore & Schaal 1997; Mitchell 1997, section 8.3), in which a case
    weighs what its similarity says in place of a kernel. Numbers, dates and ranks of levels enter by their deviation
    from the query, nominal values by an indicator for each value other than the query's. Attributes that the query does
    not know, and those that are the same in all cases, have no part in the fit. Weights are scaled to add up to the
    effective number of cases, so that only their proportions matter; with ``degree=0`` all is as in `Mean`. It takes
    more cases than the fit has terms, and an error says so where there are too few.

    Parameters
    ----------
    using
        The attributes to fit; None for all numeric, ordinal, nominal and date ones.
    degree
        0 fits a mean, 1 a plane, 2 a quadratic.
    ridge
        ``lambda``: adds ``lambda^2 |b|^2`` to what is minimised, slopes in units of each attribute's deviation.
    weights, success, level
        As for `Mean`.

    Examples
    --------
    >>> import priorcase as pc
    >>> with pc.CaseBase.temporary() as base:
    ...     _ = base.add_many([{"age": age} for age in range(6)], solution=[1000 - 100 * age for age in range(6)])
    ...     round(base.reuse({"age": 2.5}, pc.cases.Local(), k=6).solution)
    750
    """

    name: ClassVar[str] = "local"
    adapts: ClassVar[bool] = True

    using: Sequence[str] | None = None
    degree: Literal[0, 1, 2] = 1
    ridge: float = 0.0
    weights: Weights = "similarity"
    success: Success = "outcome"
    level: float = 0.95

    def check(self) -> None:
        """Refuse parameters that break their rules."""
        Mean(self.weights, self.success, self.level).check()
        if not is_whole(self.degree) or self.degree not in (0, 1, 2):
            raise ParameterError(f"degree must be 0, 1 or 2, got {quoted(self.degree)}. 1 fits a plane.")
        if not is_number(self.ridge) or not 0 <= as_python(self.ridge) < math.inf:
            raise ParameterError(
                f"ridge must be a finite number >= 0, got {quoted(self.ridge)}. 0 fits the cases as they are."
            )
        named = isinstance(self.using, Collection) and not isinstance(self.using, (str, Mapping))
        if self.using is not None and not (named and all(isinstance(name, str) for name in self.using)):
            raise ParameterError(
                f"using must be None or names of attributes, got {quoted(self.using)}. For example using=['size', "
                "'age']."
            )
        if self.degree == 0 and (self.using is not None or self.ridge):
            parameter, value = ("using", self.using) if self.using is not None else ("ridge", self.ridge)
            raise ParameterError(
                f"{parameter} must be left out where degree=0, got {quoted(value)}. A mean has no slopes; degree=1 has."
            )

    def propose(self, sources: Sources, query: Mapping[str, Any]) -> Proposal:
        """What the retrieved cases propose."""
        check_numbers(sources, self.name)
        if (nothing := strangers(sources, self.name)) is not None:
            return nothing
        cases, shares = weighed(sources, self.weights, self.success, self.name)
        table = design(cases, query, sources, self.using if self.degree else ())
        if not table.names and self.degree:
            problem = f", and no attribute of the query differs between the {len(cases)} cases"
            if len(cases) == 1:
                problem = " and one case, which no line can be laid through"
            raise CaseBaseError(
                f"got method='local'{problem}. Take method='mean'; a fit needs numeric, ordinal, nominal or date "
                "attributes that the query knows."
            )
        numbers, unit = in_units(cases)
        value, spread = self._fitted(table, np.array(numbers), shares)
        if not math.isfinite(spread.deviation):
            wanted = f"fit {named('attribute', table.names)}" if table.names else "estimate a spread"
            raise CaseBaseError(
                f"got method='local' with {len(cases)} case{'s' * (len(cases) != 1)} (worth {spread.effective:.3g}), "
                f"too few to {wanted}. Retrieve more cases (k=), name fewer attributes (using=), or take method='mean'."
            )
        kind = {0: "mean", 1: "plane", 2: "quadratic"}[self.degree]
        by = f" by {', '.join(table.names)}" if table.names else ""
        return Proposal(
            value * unit,
            self.name,
            f"A {kind} fitted to {len(cases)} cases{by}",
            base=cases[0].id,
            sources=ranked(cases, shares),
            spread=spread.times(unit),
            differences=differences(query, cases[0]),
            notes=(*left_out(sources, cases), *table.notes),
        )

    def _fitted(self, table: Design, numbers: np.ndarray[Any, Any], shares: Sequence[float]) -> tuple[float, Spread]:
        n = effective(shares)
        model = LocallyWeightedRegressor(
            "all", kernel="uniform", degree=self.degree, ridge=float(self.ridge), schema=table.kinds, n_jobs=1
        )
        model.fit(table.rows, numbers, sample_weight=np.array(shares) * n)
        value, deviation = model.predict(table.query, return_std=True)
        low, high = (float(end[0]) for end in model.prediction_interval(table.query, self.level))
        inner = float(np.diff(model.confidence_interval(table.query, self.level), axis=0)[0, 0])
        if not math.isfinite(deviation[0]):
            return float(value[0]), Spread(math.inf, math.inf, (low, high), float(self.level), n)
        # Both intervals have the same quantile: their widths are as the standard error to the deviation of a new case.
        error = float(deviation[0]) * inner / (high - low) if high > low else 0.0
        sigma = math.sqrt(max(0.0, float(deviation[0]) ** 2 - error**2))
        return float(value[0]), Spread(sigma, error, (low, high), float(self.level), n)
