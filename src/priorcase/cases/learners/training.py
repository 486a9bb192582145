"""A table of cases as the table a learner is fitted to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from priorcase._typing import AnyArray, BoolArray, IdArray
from priorcase.cases import kinds
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.learners.layout import UNREADABLE, Layout
from priorcase.cases.learners.rows import CaseRows
from priorcase.cases.learners.targets import read_targets
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, ParameterError, quoted

__all__ = ["TrainingTable", "training_table"]


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """What a learner is fitted to.

    Parameters
    ----------
    X, y
        Attributes and targets of the cases that have a target, in the order of their ids; y is None without a target.
    ids
        The id of the case of each row.
    layout
        How the columns came about; ``layout.questions`` makes rows of questions.
    left_out
        Attributes that were not asked for by name and of which no column can be made: texts and graphs.
    untold, retired
        How many cases were left out because they have no target, or because they are retired.
    """

    X: CaseRows
    y: AnyArray | None
    ids: IdArray
    layout: Layout
    left_out: tuple[str, ...]
    untold: int
    retired: int

    @property
    def used(self) -> tuple[str, ...]:
        """The attributes that are learned from."""
        return tuple(self.layout.attributes)

    def digest(self) -> str:
        """A fingerprint of rows, targets and ids."""
        check = sha256(json.dumps([self.layout.describe(), list(self.X.names or ())], sort_keys=True).encode())
        check.update(self.ids.tobytes())
        for column in self.X.columns:
            coded = column.coded()
            check.update(repr(list(coded.values)).encode("utf-8", "surrogatepass"))
            check.update(np.asarray(coded.codes, np.int32).tobytes())
        if self.y is not None:
            check.update(repr(self.y.tolist()).encode("utf-8", "surrogatepass"))
        return check.hexdigest()


def training_table(
    table: CaseTable,
    attributes: Iterable[str] | None = None,
    target: str | None = "solution",
    *,
    ids: Sequence[int] | IdArray | None = None,
) -> TrainingTable:
    """The table that a learner of the library is fitted to, made of cases.

    Cases without a target and retired ones are left out. What becomes of an attribute is told in `Layout`.

    Parameters
    ----------
    table
        The cases.
    attributes
        Names of attributes to learn from; None: all that columns can be made of, other than the target. A text or a
        graph asked for by name is an error.
    target
        What to predict: ``"solution"``, ``"outcome"``, the name of an attribute, or None for nothing (learners that
        need no targets).
    ids
        Only these cases; ids of cases that are gone are passed over.

    Examples
    --------
    >>> from priorcase.cases.kinds import Text
    >>> from priorcase.schema import Nominal, Numeric
    >>> rows = [(1, {"age": 3, "make": "A", "words": "it squeaks"}, '"fix"', None), (4, {"age": 5}, None, None)]
    >>> made = training_table(CaseTable.of({"age": Numeric(), "make": Nominal(), "words": Text()}, rows))
    >>> made.X, made.y, made.ids, made.left_out, made.untold
    (CaseRows: 1 row of age, make, array(['fix'], dtype=object), array([1]), ('words',), 1)
    """
    targets = None if target is None else read_targets(table, target)
    used, left_out = _chosen(table, attributes, target)
    wanted = ~table.retired
    retired = int(np.count_nonzero(table.retired))
    if ids is not None:
        wanted &= np.isin(table.ids, np.asarray(ids, dtype=np.int64))
    told: BoolArray = wanted if targets is None else wanted & (targets.codes >= 0)
    positions = np.flatnonzero(told)
    if not len(positions):
        cases = int(np.count_nonzero(wanted))
        found = f"none of the {cases:,} cases has one" if cases else "the case base has no cases"
        raise CaseBaseError(
            f"learns the target {str(target)!r}, and {found}. Name another target: 'solution', 'outcome' or an "
            "attribute."
        )
    layout = Layout.of(table, used, positions)
    y = None if targets is None else targets.at(positions)
    untold = int(np.count_nonzero(wanted)) - len(positions)
    return TrainingTable(
        layout.rows(table, positions), y, table.ids[positions].copy(), layout, left_out, untold, retired
    )


def _chosen(
    table: CaseTable, attributes: Iterable[str] | None, target: str | None
) -> tuple[list[str], tuple[str, ...]]:
    """Attributes to learn from, and those left out unasked."""
    readable = [name for name, kind in table.attributes.items() if not isinstance(kind, UNREADABLE)]
    if attributes is None:
        used = [name for name in readable if name != target]
        left_out = tuple(name for name in table.attributes if name not in readable and name != target)
    else:
        used, left_out = _asked(table, attributes, target), ()
        if strange := [name for name in used if name not in readable]:
            told = ", ".join(f"{name!r} ({kinds.kind_name(table.attributes[name])})" for name in strange)
            raise CaseBaseError(
                f"got attributes that learners cannot read: {told}. Leave them out; they count in retrieve, and "
                "words of a text can be a set attribute."
            )
    if not used:
        raise CaseBaseError(
            "found no attribute to learn from: each is the target, or a text or a graph. Declare numeric, ordinal, "
            "nominal, date, set or taxonomy attributes."
        )
    return used, left_out


def _asked(table: CaseTable, attributes: Iterable[str], target: str | None) -> list[str]:
    """Attributes asked for by name, checked."""
    names = [] if isinstance(attributes, str) else list(attributes)
    if not names or len(set(names)) < len(names) or target in names:
        raise ParameterError(
            "attributes must be a list of different names of attributes, the target not among them, got "
            f"{quoted(attributes)}. Leave attributes out to learn from all of them."
        )
    if strange := [name for name in names if name not in table.attributes]:
        raise unknown_attributes(strange, table.attributes)
    return names
