"""The library's naive Bayes as the papers' rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from priorcase._typing import FloatArray, IntArray, Name
from priorcase.bayes.naive_bayes import NaiveBayes
from priorcase.papers.data import DiscreteTable
from priorcase.schema import Kind, Nominal


@dataclass(frozen=True)
class NaiveBayesRule:
    """Naive Bayes with uniform priors over declared classes and values.

    Parameters
    ----------
    predictive
        Which predictive distribution.
    zero_policy
        What a zero becomes; for ``"map"`` alone.
    """

    predictive: Literal["map", "evidence", "sc"]
    zero_policy: str | None = None

    def split(self, table: DiscreteTable, train: IntArray, test: IntArray) -> FloatArray:
        """Log-probabilities of all classes for the ``test`` rows, learned from the ``train`` rows."""
        return self._fitted(table, train).predict_log_proba(table.codes[test])

    def leave_one_out(self, table: DiscreteTable) -> FloatArray:
        """Log-probabilities of all classes for each row, learned from the others."""
        logs: FloatArray = np.log(self._fitted(table, np.arange(len(table))).loo_predict_proba())
        return logs

    def _fitted(self, table: DiscreteTable, rows: IntArray) -> NaiveBayes:
        options: dict[str, Any] = {} if self.zero_policy is None else {"zero_policy": self.zero_policy}
        if self.predictive != "sc":
            options["prior"] = 1.0
        schema: dict[Name, Kind] = {column: Nominal(tuple(range(size))) for column, size in enumerate(table.sizes)}
        model = NaiveBayes(predictive=self.predictive, schema=schema, n_jobs=1, **options)
        return model.partial_fit(table.codes[rows], table.truth[rows], classes=np.arange(len(table.classes)))
