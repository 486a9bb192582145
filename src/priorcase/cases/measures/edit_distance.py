"""Texts that are alike where few letters must be changed to make one of the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

import numpy as np

from priorcase import _core
from priorcase._parameters import settle
from priorcase._typing import AnyArray, FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.checks import flag
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.cases.measures.words import composed, folded
from priorcase.learning.estimator import thread_count


@dataclass(frozen=True)
class EditDistance:
    """``1 - edits / longer``: the fewest letters to insert, delete or replace, of the longer text's length.

    Levenshtein's (1966) distance; 1 for two empty texts. For short texts: names, codes, models. Symmetric.

    Parameters
    ----------
    ignore_case
        Whether capitals do not count.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> similarities("LaserJet 400", ["laser jet 400", "LaserJet 401"], "text", EditDistance())
    {'laser jet 400': 0.923..., 'LaserJet 401': 0.916...}
    """

    ignore_case: bool = True

    accepts: ClassVar[tuple[str, ...]] = ("text", "nominal", "taxonomy")
    needs_solutions: ClassVar[bool] = False

    def __post_init__(self) -> None:
        hint = "False tells 'A' from 'a'."
        settle(self, ignore_case=flag("ignore_case", self.ignore_case, hint=hint))

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        texts = list(map(self._seen, column.values))
        offsets = np.fromiter(accumulate(map(len, texts), initial=0), np.int64, len(texts) + 1)
        return _Prepared(self, _characters(texts), offsets, np.diff(offsets))

    def _seen(self, value: object) -> str:
        return folded(str(value)) if self.ignore_case else composed(str(value))


@dataclass(frozen=True, eq=False)
class _Prepared:
    measure: EditDistance
    characters: AnyArray
    offsets: AnyArray
    lengths: AnyArray

    def similarities(self, query: Stored) -> FloatArray:
        asked = _characters([self.measure._seen(query)])
        edits = _core.edit_distances(asked, self.characters, self.offsets, thread_count(None))
        longer = np.maximum(self.lengths, len(asked))
        return 1.0 - np.divide(edits, longer, out=np.zeros(len(longer)), where=longer > 0)


def _characters(texts: Iterable[str]) -> AnyArray:
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
