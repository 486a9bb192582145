"""Centres from a mixture that EM fits to the inputs alone (Mitchell 1997, section 8.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.mixture.columns import Layout, lay_out
from priorcase.bayes.mixture.em import Parameters, responsibilities
from priorcase.bayes.mixture.selection import Search, select
from priorcase.instances import Instances
from priorcase.learning.sorted_rows import SortedRows
from priorcase.local.rbf.measuring import Centers
from priorcase.schema import Ordinal
from priorcase.schema.values import identity

_STARTS, _MAX_ITER, _TOL, _PRIOR = 1, 100, 1e-5, 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """A mixture of the stored rows.

    Parameters
    ----------
    layout, parameters
        Its columns, and its components, the heaviest first.
    rows
        The rows it was fitted to.
    """

    layout: Layout
    parameters: Parameters
    rows: SortedRows

    def cells(self) -> FloatArray:
        """The middle of each component: means, and the most probable values and levels."""
        layout = self.layout
        cells = np.full((len(self.parameters), len(layout.schema)), np.nan)
        for a, number in layout.constant.items():
            cells[:, a] = np.nan if number is None else number
        for j, (a, scale) in enumerate(zip(layout.numeric, layout.scales, strict=True)):
            cells[:, a] = scale.original(self.parameters.means[j])
        for j, a in enumerate(layout.discrete):
            if layout.values[j]:
                best = self.parameters.tables[j][:, :-2].argmax(axis=1)
                cells[:, a] = self._codes(j, a)[best]
        return cells

    def widths(self, centers: Centers, *, threads: int = 1) -> FloatArray:
        """How far the rows of each component are from its centre: the root mean square over attributes and rows.

        ``sigma_u^2 = sum_i r_iu d^2(x_i, c_u) / (A sum_i r_iu)`` with the responsibilities r and A attributes: for
        numbers in the distance's own units it is the mean variance of the component. 0 where all are at the centre.

        Parameters
        ----------
        centers
            The centres of the components.
        threads
            How many threads measure distances.
        """
        total, reached = np.zeros(len(centers)), np.zeros(len(centers))
        encoded = self.layout.encode(self._translated(), None, self.rows.weights)
        for part in encoded.blocks(len(centers)):
            shares = responsibilities(self.parameters, encoded.take(part))[0].T * encoded.weights[part, None]
            squares = centers.squares(self.rows.cells[part], threads=threads)
            known = np.isfinite(squares)
            total += (shares * np.where(known, squares, 0.0)).sum(axis=0)
            reached += (shares * known).sum(axis=0)
        attributes = len(self.layout.schema)
        return np.sqrt(np.divide(total, attributes * reached, out=np.zeros(len(centers)), where=reached > 0))

    def _codes(self, j: int, a: int) -> IntArray:
        """The stored code of each value of a discrete column, in the order of the layout."""
        if isinstance(self.layout.schema.kinds[a], Ordinal):
            return np.arange(len(self.layout.values[j]))
        codes = {identity(value): code for code, value in enumerate(self.rows.instances.values(a)) if value is not None}
        return np.array([codes[identity(value)] for value in self.layout.values[j]], np.int64)

    def _translated(self) -> FloatArray:
        """The rows with values as the layout numbers them."""
        cells = self.rows.cells.copy()
        for j, a in enumerate(self.layout.discrete):
            codes = self._codes(j, a)
            positions = np.full(max(int(codes.max(initial=-1)), 0) + 1, np.nan)
            positions[codes] = np.arange(codes.size)
            known = ~np.isnan(cells[:, a])
            cells[known, a] = positions[cells[known, a].astype(np.int64)]
        return cells


def fit_mixture(rows: SortedRows, count: int, *, seed: int, threads: int) -> Mixture:
    """A mixture of ``count`` components.

    The rows are first read anew, since their code numbers may tell of rows that are gone.

    Parameters
    ----------
    rows
        The rows.
    count
        How many components.
    seed
        Where EM starts from.
    threads
        How many threads run EM.
    """
    schema = rows.instances.schema
    instances = Instances(schema)
    values = [list(row) for row in rows.instances.decode(rows.positions)]
    instances.append(schema.read(values), weights=rows.weights)
    layout, cells, _ = lay_out(instances)
    search = Search(_PRIOR, _STARTS, _MAX_ITER, _TOL, seed, threads, progress=False)
    run, _ = select(layout, cells, [count], "cheeseman_stutz", search)
    return Mixture(layout, run.parameters.sorted(), rows)
