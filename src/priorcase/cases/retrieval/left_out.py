"""How well cases tell each other's solutions, each left out in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from priorcase._typing import BoolArray, FloatArray, IdArray, IntArray
from priorcase.cases.retrieval.comparing import Comparer, checked
from priorcase.cases.retrieval.targets import Target
from priorcase.cases.scoring import Unknown, best_cases_many
from priorcase.learning.resampling import bar

_ROOM = 1 << 25
"""How many similarities of values are held at a time (256 MB): 2000 cases, eight attributes of free values."""

_QUERIES = 512


@dataclass(frozen=True)
class _Attribute:
    """One attribute of the sample: the place of each case among the sample's distinct values, and those values."""

    codes: IntArray
    places: IntArray
    table: FloatArray | None


class LeftOut:
    """Leave-one-out losses of weights: each case of a sample told by the k most similar others.

    Parameters
    ----------
    comparer
        How cases are compared; its weights do not matter here.
    names
        The attributes that they are compared by.
    positions
        The cases of the sample.
    target
        What they tell.
    k, unknown, threads
        As for retrieval.
    """

    def __init__(
        self,
        comparer: Comparer,
        names: list[str],
        positions: IdArray,
        target: Target,
        *,
        k: int,
        unknown: Unknown,
        threads: int,
    ) -> None:
        self.comparer, self.names, self.positions, self.target = comparer, names, positions, target
        self.k, self.unknown, self.threads = min(k, len(positions) - 1), unknown, threads
        room = _ROOM
        self._attributes: dict[str, _Attribute] = {}
        sizes = {}
        for name in self.names:
            held = comparer.table.column(name).codes[positions]
            places = np.unique(held[held >= 0])
            codes = np.where(held < 0, -1, np.searchsorted(places, held)).astype(np.int32)
            sizes[name] = len(places)
            self._attributes[name] = _Attribute(codes, places, None)
        # Tables of few values are kept for all passes, as far as there is room; others are made anew for each block.
        for name in sorted(self.names, key=sizes.__getitem__):
            room -= sizes[name] ** 2
            if room < 0:
                break
            attribute = self._attributes[name]
            table = self._rows(name, np.arange(sizes[name]))
            self._attributes[name] = _Attribute(attribute.codes, attribute.places, table)

    def losses(self, candidates: Sequence[FloatArray], *, shown: bool, text: str) -> FloatArray:
        """The loss of each case under each of some weights, shape (weights, cases).

        Similarities of values are computed once for all weights. `Target.mean` makes one loss of a row. A number after
        the weights of all attributes flattens votes and means: it is the weight of one more attribute in which all
        cases are the same, and where it is infinite, all that are found count the same.
        """
        told = np.empty((len(candidates), len(self.positions)))
        codes = [attribute.codes for attribute in self._attributes.values()]
        blocks = list(self._blocks())
        with bar(len(blocks), shown=shown, text=text) as advance:
            for block in blocks:
                asked = [self._asked(name, block) for name in self.names]
                own = np.arange(block.start, block.stop, dtype=np.int64)
                for c, weights in enumerate(candidates):
                    found, similarities = best_cases_many(
                        codes,
                        [rows for rows, _ in asked],
                        [table for _, table in asked],
                        weights[: len(codes)],
                        own=own,
                        k=self.k,
                        unknown=self.unknown,
                        n_threads=self.threads,
                    )
                    if len(weights) > len(codes):
                        similarities = _flattened(similarities, weights)
                    told[c, block] = self.target.losses(own, found, similarities)
                advance(text)
        return told

    def constant(self) -> BoolArray:
        """Which attributes tell no case of the sample from another: all have one value, and no gaps, or none."""
        return np.array([len(np.unique(each.codes)) == 1 for each in self._attributes.values()], dtype=np.bool_)

    def loss_of_guess(self) -> float:
        """The loss where no case tells anything, and every one is told the same."""
        cases = np.arange(len(self.positions))
        nobody = np.full((len(cases), 1), -1, dtype=np.int64)
        return self.target.mean(self.target.losses(cases, nobody, np.zeros(nobody.shape)))

    def _blocks(self) -> Iterator[slice]:
        n = len(self.positions)
        made = sum(len(each.places) for each in self._attributes.values() if each.table is None)
        step = min(_QUERIES, max(1, _ROOM // max(made, 1)))
        return (slice(start, min(start + step, n)) for start in range(0, n, step))

    def _asked(self, name: str, block: slice) -> tuple[IntArray, FloatArray]:
        """For each case of a block the row of a table that is its own, and the table."""
        attribute = self._attributes[name]
        held = attribute.codes[block]
        if attribute.table is not None:
            return np.ascontiguousarray(held), attribute.table
        values = np.unique(held[held >= 0])
        rows = np.where(held < 0, -1, np.searchsorted(values, held)).astype(np.int32)
        return rows, self._rows(name, values)

    def _rows(self, name: str, values: IntArray) -> FloatArray:
        """Similarities of some of the sample's values with all of them."""
        table, comparer = self.comparer.table, self.comparer
        column, measure = table.column(name), comparer.measures[name]
        prepared = comparer.cache.get(column, measure, table.column("solution"))
        places = self._attributes[name].places
        found = np.empty((len(values), len(places)))
        for row, value in enumerate(places[values].tolist()):
            found[row] = checked(prepared.similarities(column.values[value]), len(column.values), name, measure)[places]
        return found


def _flattened(similarities: FloatArray, weights: FloatArray) -> FloatArray:
    """Similarities in the proportions that they have with the last weight on an attribute that all cases share."""
    if np.isinf(weights[-1]):
        return np.ones_like(similarities)
    more: float = weights[-1] / weights[:-1].sum()
    return similarities + more
