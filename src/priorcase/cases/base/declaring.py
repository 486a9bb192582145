"""The attributes of a case base: declared by its users, or by the first cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from priorcase.cases import kinds
from priorcase.cases.base import checked
from priorcase.cases.base.followed import Followed, Transaction, declaration
from priorcase.cases.kinds import CaseKind
from priorcase.exceptions import CaseBaseError, quoted


class Declaring(Followed):
    """Declaring attributes."""

    def declare(
        self,
        attributes: Mapping[str, Any] | None = None,
        /,
        *,
        by: str | None = None,
        why: str | None = None,
        **more: Any,
    ) -> None:
        """Declare further attributes, or other kinds for some that every stored value fits.

        Parameters
        ----------
        attributes, **more
            Name -> kind.
        by, why
            Who declares them and why.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary({"device": "nominal"}) as base:
        ...     base.declare(message="text")
        ...     list(base.attributes)
        ['device', 'message']
        """
        given = checked.check_attributes({} if attributes is None else attributes)
        wanted = given | checked.check_attributes(more)
        by, why = self._who(by, why)
        with self._writing() as transaction:
            for name, kind in wanted.items():
                if name in self._table.attributes:
                    self._check_fits(name, kind)
            self._declare(transaction, self._table.attributes | wanted, by=by, why=why)

    def _check_fits(self, name: str, kind: CaseKind) -> None:
        before = self._table.attributes[name]
        for value in self._table.column(name).values:
            try:
                same = kinds.check(kind, kinds.shown(before, value), attribute=name) == value
            except ValueError:
                same = False
            if not same:
                raise CaseBaseError(
                    f"CaseBase.declare cannot make {name!r} {kind.describe()}: a stored case has {quoted(value)}; "
                    "nothing changed. Revise those cases first, or declare another attribute."
                )

    def _learned(self, transaction: Transaction, cases: Sequence[Mapping[str, Any]]) -> Mapping[str, CaseKind]:
        """The attributes that the first cases declare by their values."""
        for case in cases:
            if not isinstance(case, Mapping):
                raise CaseBaseError(
                    f"got {quoted(case)} as a case; expected a mapping from attributes to values. For example "
                    "{'device': 'printer', 'age': 3}."
                )
        names = list(dict.fromkeys(name for case in cases for name in case))
        if not names:
            raise CaseBaseError(
                "got a case without attributes, and the case base declares none. add a case with attributes, or "
                "declare them by CaseBase.open(path, {...})."
            )
        checked.check_names(names)
        attributes = {name: kinds.infer(case.get(name) for case in cases) for name in names}
        self._declare(transaction, attributes, by=None, why=None)
        return attributes

    def _declare(
        self, transaction: Transaction, attributes: Mapping[str, CaseKind], *, by: str | None, why: str | None
    ) -> None:
        transaction.writer.declare(declaration(attributes, self._settings), by=by, why=why)

    def _who(self, by: Any, why: Any) -> tuple[str | None, str | None]:
        by = checked.check_words(by, what="by")
        return by or self._by, checked.check_words(why, what="why")
