"""The case base: cases that lose nothing and are forgotten on demand, and the cycle of reasoning from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

from priorcase._parameters import as_python, is_number
from priorcase.cases.base.checked import check_attributes, check_path, check_words
from priorcase.cases.base.exchanged import Exchanged
from priorcase.cases.base.followed import declaration
from priorcase.cases.kinds import CaseKind
from priorcase.cases.storage import Store
from priorcase.exceptions import CaseBaseError, ParameterError, listed, prefix_all_errors, quoted


@prefix_all_errors
class CaseBase(Exchanged):
    """Cases in one file, kept for ever or forgotten exactly, and the cycle of reasoning from them.

    Open one by `CaseBase.open`. Each change is one transaction, durable when the method returns. Any number of threads
    and processes may read while one writes; a question sees every change that was finished before it.

    Notes
    -----
    **The cycle** (Aamodt & Plaza 1994): `retrieve` the most similar cases, `reuse` their solutions, `revise` what is
    known of a case when feedback comes, `retain` a solved case where it is worth it.

    **The file** is an SQLite database in rollback mode with full synchronisation and secure deletion, and a checksum
    for each row. It holds values only: nothing in it is ever run.

    References
    ----------
    A. Aamodt & E. Plaza, *AI Communications* 7(1), 1994. T. M. Mitchell, *Machine Learning*, 1997, section 8.5.

    Examples
    --------
    >>> import priorcase as pc
    >>> base = pc.CaseBase.temporary({"device": pc.Taxonomy({"printer": ["laser", "inkjet"]}), "message": "text"})
    >>> _ = base.add({"device": "laser", "message": "paper jam in tray 2"}, solution="clean the rollers")
    >>> _ = base.add({"device": "inkjet", "message": "stripes on every page"}, solution="clean the print head")
    >>> found = base.retrieve({"device": "laser", "message": "jam again"}, k=1)
    >>> base.reuse(found).solution
    'clean the rollers'
    >>> base.close()
    """

    def __init__(self, store: Store, *, by: str | None = None, folder: TemporaryDirectory[str] | None = None) -> None:
        if not isinstance(store, Store):
            raise CaseBaseError(
                f"CaseBase got {quoted(store)}; expected to be opened. Use CaseBase.open(path), which creates the file "
                "if there is none."
            )
        self._folder = folder
        super().__init__(store, by=by)

    @classmethod
    def open(
        cls,
        path: str | Path,
        attributes: Mapping[str, Any] | None = None,
        *,
        by: str | None = None,
        readonly: bool = False,
        timeout: float = 5.0,
    ) -> Self:
        """Open a case base, and create it if there is none.

        Parameters
        ----------
        path
            The file.
        attributes
            Name -> kind: ``"numeric"``, ``"nominal"``, ``"text"``, ``"set"``, ``"date"``, ``"graph"``, or a kind like
            ``Ordinal(("low", "high"))``, ``Nominal(values)``, ``Taxonomy(tree)``, ``Text(longest=500)``. None: as the
            file has them; a new file learns them from the first cases added.
        by
            Who makes the changes, unless they say otherwise.
        readonly
            Open it to be read; the file must exist.
        timeout
            How many seconds to wait while another process writes.

        Examples
        --------
        >>> import priorcase as pc, tempfile, os
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = os.path.join(folder.name, "tickets.priorcase")
        >>> with pc.CaseBase.open(path, {"device": "nominal", "age": "numeric"}) as base:
        ...     id = base.add({"device": "printer", "age": 3}, solution="replace the fuser")
        >>> with pc.CaseBase.open(path) as base:
        ...     len(base), base.get(id).solution
        (1, 'replace the fuser')
        >>> folder.cleanup()
        """
        wanted = None if attributes is None else check_attributes(attributes)
        by = check_words(by, what="by")
        if not is_number(timeout) or not timeout >= 0:
            raise ParameterError(
                f"timeout must be a number of seconds, at least 0, got {quoted(timeout)}. 5 is the usual one."
            )
        place, waiting = check_path(path), float(as_python(timeout))
        create = None if readonly else declaration(wanted or {}, {})
        base = cls(Store.open(place, readonly=bool(readonly), timeout=waiting, create=create), by=by)
        try:
            if wanted:
                base._require(wanted)
        except BaseException:
            base.close()
            raise
        return base

    @classmethod
    def temporary(cls, attributes: Mapping[str, Any] | None = None, *, by: str | None = None) -> Self:
        """A case base in a temporary file, which is gone when it is closed: to try things out, and for tests.

        Close it, by `close` or by ``with``: Python complains of files that nobody closed.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary({"age": "numeric"}) as base:
        ...     len(base)
        0
        """
        wanted = check_attributes(attributes or {})
        folder = TemporaryDirectory(prefix="priorcase-")
        try:
            path = Path(folder.name) / "cases.priorcase"
            store = Store.open(path, readonly=False, timeout=5.0, create=declaration(wanted, {}))
            return cls(store, by=check_words(by, what="by"), folder=folder)
        except BaseException:
            folder.cleanup()
            raise

    def close(self) -> None:
        """Close the file; everything is on the disk already."""
        self._store.close()
        if self._folder is not None:
            self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getstate__(self) -> Any:
        raise CaseBaseError(
            f"The open case base {self.path} cannot be copied or pickled; its file can be opened many times. Hand on "
            "the path, and call CaseBase.open(path) there; backup copies a file."
        )

    def __repr__(self) -> str:
        if self._store.closed:
            return f"CaseBase {self.path}: closed"
        with self._reading() as table:
            head = f"CaseBase {self.path}: {len(table):,} case{'s' * (len(table) != 1)}"
            width = max(map(len, table.attributes), default=0)
            lines = [f"  {name:<{width}}  {kind.describe()}" for name, kind in table.attributes.items()]
        return "\n".join([head, *lines])

    def _require(self, wanted: dict[str, CaseKind]) -> None:
        """A file that exists must have the attributes that were asked for; one without any gets them."""
        there = self.attributes
        if not there and not self.readonly:
            self.declare(wanted)
        elif differing := [name for name in {**there, **wanted} if there.get(name) != wanted.get(name)]:
            raise CaseBaseError(
                f"CaseBase.open got other attributes than {self.path} has: {listed(differing)} differ; nothing was "
                "changed. Leave attributes out to open it as it is; CaseBase.declare adds attributes."
            )
