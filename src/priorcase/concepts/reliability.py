"""How reliable exemplars are: the ways PEBLS keeps their records of use (Cost & Salzberg 1993).

``w_X = used_X / correct_X >= 1``: how often X was the nearest exemplar, by how often its class was then right. Every
record begins with 1 of 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np

from priorcase._core import Exemplars
from priorcase._parameters import is_whole
from priorcase._typing import FloatArray, IdArray
from priorcase.exceptions import ParameterError
from priorcase.learning.parameters import check_flag
from priorcase.learning.progress import bar

WeightingName = Literal["one_pass", "multi_pass"]

# Between two blocks of rows Ctrl-C is heard.
_ROWS_AT_ONCE = 2048


class Weighting(Protocol):
    """A way to store rows as exemplars and to keep their records."""

    @property
    def most_used(self) -> int:
        """How often one exemplar can be used for each stored row."""
        ...

    def weigh(self, exemplars: Exemplars, cells: FloatArray, labels: IdArray) -> None:
        """Store all rows and settle their records."""
        ...


@dataclass(frozen=True)
class Unweighted:
    """Every exemplar weighs 1.

    Examples
    --------
    >>> Unweighted().most_used
    1
    """

    most_used = 1

    def weigh(self, exemplars: Exemplars, cells: FloatArray, labels: IdArray) -> None:
        store(exemplars, cells, labels)


@dataclass(frozen=True)
class OnePass:
    """The published form: exemplars come one by one in the order of the rows.

    Of those stored so far the nearest, by ``w_X`` times the distance, answers for the new one: it is used once more,
    and correct once more if the classes agree. Then the new one is stored.

    Parameters
    ----------
    inherit
        Whether it begins with the record of the exemplar that answered for it, after that answer, or with 1 of 1.

    Examples
    --------
    >>> OnePass()
    OnePass(inherit=True)
    """

    inherit: bool = True

    most_used = 1

    def weigh(self, exemplars: Exemplars, cells: FloatArray, labels: IdArray) -> None:
        for part in _blocks(len(cells), 1):
            exemplars.arrive(cells[part], labels[part], self.inherit)


@dataclass(frozen=True)
class MultiPass:
    """All rows are stored first; then each asks its nearest *other* exemplar, in turn and as often as there are passes.

    The records change from one row to the next, and with them who is nearest.

    Parameters
    ----------
    passes
        How often.

    Examples
    --------
    >>> MultiPass(3).most_used
    3
    """

    passes: int = 1

    @property
    def most_used(self) -> int:
        return self.passes

    def weigh(self, exemplars: Exemplars, cells: FloatArray, labels: IdArray) -> None:
        store(exemplars, cells, labels)
        for part in _blocks(len(cells), self.passes):
            exemplars.sweep(cells[part], part.start)


def store(
    exemplars: Exemplars, cells: FloatArray, labels: IdArray, records: tuple[IdArray, IdArray] | None = None
) -> None:
    """Store all rows with records that are known, ``(used, correct)``; None for 1 of 1."""
    ones = np.ones(len(cells), dtype=np.int64)
    exemplars.store(cells, labels, *((ones, ones) if records is None else records))


def resolve_weighting(weighting: object, passes: object, inherit: object) -> Weighting:
    """The way that three parameters of PEBLS stand for; a parameter without an effect is refused.

    Examples
    --------
    >>> resolve_weighting("multi_pass", 2, True)
    MultiPass(passes=2)
    """
    inherits = check_flag("inherit", inherit, hint="False lets every exemplar begin with 1 of 1.")
    if not is_whole(passes) or passes < 1:
        expected, hint = "a whole number >= 1", "how often weighting='multi_pass' goes through the rows."
        raise ParameterError.wrong("passes", passes, expected=expected, hint=hint)
    names = get_args(WeightingName)
    if weighting is not None and not (isinstance(weighting, str) and weighting in names):
        expected = "None, 'one_pass' or 'multi_pass'"
        hint = "'multi_pass' asks all exemplars, 'one_pass' those before; None lets every exemplar weigh 1."
        raise ParameterError.wrong("weighting", weighting, expected=expected, hint=hint, names=names)
    if weighting != "multi_pass" and passes != 1:
        hint = "with 'multi_pass' all rows are stored first and then gone through as often as wished."
        raise ParameterError.wrong("passes", passes, expected="1 unless weighting='multi_pass'", hint=hint)
    if weighting != "one_pass" and not inherits:
        hint = "only exemplars that come one by one can inherit a record."
        raise ParameterError.wrong("inherit", inherit, expected="True unless weighting='one_pass'", hint=hint)
    if weighting == "one_pass":
        return OnePass(inherits)
    return Unweighted() if weighting is None else MultiPass(int(passes))


def _blocks(rows: int, passes: int) -> Iterator[slice]:
    """The rows block by block, as often as there are passes, with a bar where that takes long."""
    starts = [start for _ in range(passes) for start in range(0, rows, _ROWS_AT_ONCE)]
    with bar(len(starts), shown=rows > 4 * _ROWS_AT_ONCE, text="PEBLS: records of exemplars") as advance:
        for start in starts:
            yield slice(start, min(start + _ROWS_AT_ONCE, rows))
            advance("PEBLS: records of exemplars")
