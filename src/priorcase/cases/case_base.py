"""The case base: cases stored in a file, with methods to retrieve, reuse, revise and retain them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self, TypeAlias

from priorcase import __version__
from priorcase._files import check_path
from priorcase._parameters import as_python, is_number, is_whole
from priorcase._typing import Backend, BoolArray
from priorcase.cases import competence, conditions, exchange, kinds, learners, retain, retrieval, reuse
from priorcase.cases.case import Case
from priorcase.cases.checks import (
    check_attributes,
    check_case,
    check_id,
    check_ids,
    check_key,
    check_names,
    check_query,
    check_text,
    field_of,
    inferred_attributes,
    new_case,
    rows_of,
)
from priorcase.cases.competence import Competence, Duplicates
from priorcase.cases.conversation import Conversation
from priorcase.cases.designs import RULES, Designs, Elaboration, FunctionGraph, Piece, design
from priorcase.cases.exchange import Format
from priorcase.cases.kinds import CaseKind
from priorcase.cases.learners import CaseLearner, KeptLearner, KeptLearners, Recipe
from priorcase.cases.live import LiveTable, declaration
from priorcase.cases.measures import describe, from_description
from priorcase.cases.retain import Policy, Record, Records, Retained
from priorcase.cases.retrieval import Retrieval, Weights
from priorcase.cases.reuse import Critic, Proposal, Rule, Success
from priorcase.cases.scoring import Likeness, Unknown, measures_of, weights_of
from priorcase.cases.storage import (
    Event,
    NewCase,
    Store,
    StoredCase,
    StoredLearner,
    Writer,
    collector_paused,
    damage_errors,
)
from priorcase.cases.table import CaseTable
from priorcase.exceptions import (
    CaseBaseError,
    ParameterError,
    UnknownIdError,
    listed,
    named,
    prefix_all_errors,
    quoted,
    visible,
)
from priorcase.learning.results import Grid, GridResult, TextResult, framed, grids_html

Ids: TypeAlias = int | Case | Iterable[int | Case] | None
ByName: TypeAlias = Mapping[str, Any] | None

UNCHANGED: Any = type("Unchanged", (), {"__repr__": lambda self: "<unchanged>"})()
"""Default of parameters of `CaseBase.revise`, which leaves a field unchanged; None removes the value of the field."""

_BLOCK = 1_000  # number of cases read at a time
_PREVIOUS = 100_000  # maximum number of characters of a replaced solution to keep in a note
_DIGEST_FORMAT = b"priorcase cases 1"
_CHANGES_OF_CASES = frozenset({"added", "revised", "forgotten", "retired", "unretired", "declared"})


@prefix_all_errors
class CaseBase:
    """A case base stored in one file, for case-based reasoning.

    Open a case base with `CaseBase.open`. Each change is one transaction and is on disk when the method returns. Any
    number of threads and processes can read at the same time, but only one can write at a time. Every query sees all
    changes that were completed before the query.

    Notes
    -----
    **The cycle** (Aamodt & Plaza 1994): `retrieve` the most similar cases, `reuse` their solutions, `revise` a case
    when there is feedback, and `retain` a solved case if it is worth keeping.

    **The file** is an SQLite database with a checksum for each row. The file contains only data, never code.

    **The history** records the time, author and reason of each change. Every method that changes the case base accepts
    ``by=`` (the author) and ``why=`` (the reason).

    **Conditions** are passed as ``where=`` to `find`, `ids`, `forget`, `retire`, `recall`, `retrieve`, `converse` and
    `export`; ``where`` is a mapping from names to conditions. Each name is an attribute, or one of the fields
    ``solution``, ``outcome``, ``key``, ``by``, ``retired`` and ``id``. Each condition is one of the following:

    - a value: the case must have this value (in a taxonomy, this node or any node below it; in a set, this member);
    - None: the value must be missing;
    - a list of values: the case must have any of these values (in a set, all of these members);
    - a function that takes the value and returns True or False;
    - a condition created with `priorcase.cases`, such as ``at_most(50_000)``, ``contains("jam")`` or ``not_("red")``.

    References
    ----------
    .. [1] A. Aamodt & E. Plaza, *AI Communications* 7(1), 1994.
    .. [2] T. M. Mitchell, *Machine Learning*, 1997, section 8.5.

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
                f"CaseBase cannot be created from {quoted(store)}. Use CaseBase.open(path), which creates the file if "
                "it does not exist."
            )
        self._by, self._folder = by, folder
        self._live = LiveTable(store)

    # Opening and closing -------------------------------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        path: str | Path,
        attributes: ByName = None,
        *,
        by: str | None = None,
        readonly: bool = False,
        timeout: float = 5.0,
    ) -> Self:
        """Open a case base; create the file if it does not exist.

        Parameters
        ----------
        path
            Path of the file.
        attributes
            Mapping from attribute names to kinds: ``"numeric"``, ``"nominal"``, ``"text"``, ``"set"``, ``"date"``,
            ``"graph"``, or an object such as ``Ordinal(("low", "high"))`` or ``Taxonomy(tree)``. If None, an existing
            file keeps its attributes, and the attributes of a new file are inferred from its first cases.
        by
            Default author of changes, recorded in the history.
        readonly
            Whether to open the file for reading only; the file must then exist.
        timeout
            Number of seconds to wait before an error is raised if another process is writing to the file.
        """
        wanted = None if attributes is None else check_attributes(attributes)
        by = check_text(by, what="by")
        if not is_number(timeout) or not timeout >= 0:
            raise ParameterError(
                f"timeout must be a number of seconds, at least 0, got {quoted(timeout)}. The default is 5."
            )
        create = None if readonly else declaration(wanted or {}, {})
        store = Store.open(check_path(path), readonly=bool(readonly), timeout=float(as_python(timeout)), create=create)
        base = cls(store, by=by)
        try:
            if wanted:
                base._require(wanted)
        except BaseException:
            base.close()
            raise
        return base

    @classmethod
    def temporary(cls, attributes: ByName = None, *, by: str | None = None) -> Self:
        """Create a case base in a temporary file, for experiments and tests; closing the case base deletes the file."""
        wanted, by = check_attributes(attributes or {}), check_text(by, what="by")
        folder = TemporaryDirectory(prefix="priorcase-")
        try:
            path = Path(folder.name) / "cases.priorcase"
            return cls(Store.open(path, create=declaration(wanted, {})), by=by, folder=folder)
        except BaseException:
            folder.cleanup()
            raise

    def close(self) -> None:
        """Close the file; nothing needs to be saved, since every change is already on disk."""
        self._live.store.close()
        if self._folder is not None:
            self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __getstate__(self) -> Any:
        raise CaseBaseError(
            f"The open case base {self.path} cannot be copied or pickled, but its file can be opened many times. Pass "
            "the path to CaseBase.open to open it again, or call backup to copy the file."
        )

    def __repr__(self) -> str:
        head, shown = self._described()
        width = max((len(name) for name, _ in shown), default=0)
        return "\n".join([head, *(f"  {name:<{width}}  {kind}" for name, kind in shown)])

    def _repr_html_(self) -> str:
        head, shown = self._described()
        return grids_html([Grid(head, ["attribute", "kind"] if shown else [], shown)])

    def _described(self) -> tuple[str, list[tuple[str, str]]]:
        """Return a headline with the number of cases, and a pair (name, kind) for each attribute."""
        if self._live.store.closed:
            return f"CaseBase {visible(self.path)}: closed", []
        with self._live.reading() as table:
            head = f"CaseBase {visible(self.path)}: {len(table):,} case{'s' * (len(table) != 1)}"
            return head, [(visible(name), visible(kind.describe())) for name, kind in table.attributes.items()]

    @property
    def path(self) -> str:
        """The path of the file."""
        return str(self._live.store.path)

    @property
    def readonly(self) -> bool:
        """Whether the case base was opened for reading only."""
        return self._live.store.readonly

    @property
    def attributes(self) -> dict[str, CaseKind]:
        """Mapping from attribute names to kinds, in the order of declaration."""
        with self._live.reading() as table:
            return dict(table.attributes)

    def declare(
        self, attributes: ByName = None, /, *, by: str | None = None, why: str | None = None, **more: Any
    ) -> None:
        """Declare new attributes, or change the kinds of existing attributes.

        Pass a mapping such as ``{"message": "text"}`` or keywords such as ``message="text"``. The kind of an existing
        attribute can be changed only if all stored values fit the new kind.
        """
        wanted = check_attributes({} if attributes is None else attributes)
        if twice := [name for name in more if name in wanted]:
            raise CaseBaseError(
                f"got {named('attribute', twice)} twice, in the mapping and by keyword. Declare each attribute once."
            )
        wanted |= check_attributes(more)
        by, why = self._provenance(by, why)
        with self._live.writing() as writer:
            table = self._live.table
            for name, kind in wanted.items():
                if name in table.attributes:
                    _check_fits(table, name, kind)
            measures_of(table.attributes | wanted, self._settings()["measures"])  # stored ones must fit the new kinds
            writer.declare(declaration(table.attributes | wanted, self._live.settings), by=by, why=why)

    # Adding, revising and forgetting -------------------------------------------------------------------------------

    def add(
        self,
        case: Mapping[str, Any],
        *,
        solution: Any = None,
        outcome: Any = None,
        key: str | None = None,
        note: str | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> int:
        """Add a case and return its id.

        If the case base has no attributes yet, the attributes are inferred from the first case. Ids are never reused.

        Parameters
        ----------
        case
            Mapping from attributes to values. Omitted attributes and None are missing values.
        solution, outcome
            What was done, and how well the solution worked; each can be any value that JSON can represent.
        key
            Your own identifier, such as a ticket number. If a case with this key exists, nothing is added and the id of
            that case is returned.
        note
            A note on the case.
        by, why
            Author and reason of the change, for the history.
        """
        return self._add([case], [[solution], [outcome], [key], [note]], by, why)[0]

    def add_many(
        self,
        cases: Any,
        *,
        solution: str | Sequence[Any] | None = None,
        outcome: str | Sequence[Any] | None = None,
        key: str | Sequence[Any] | None = None,
        note: str | Sequence[Any] | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> list[int]:
        """Add many cases in one transaction and return their ids in order.

        If any case is invalid, no case is added. ``cases`` is a list of mappings, or a pandas, Polars or PyArrow frame
        with one row per case. Each of ``solution``, ``outcome``, ``key`` and ``note`` is a list with one value per
        case, or the name of a column of ``cases``; this column is then not an attribute.
        """
        rows = rows_of(cases)
        given = {"solution": solution, "outcome": outcome, "key": key, "note": note}
        fields = [field_of(rows, value, field=field) for field, value in given.items()]
        if taken := {column for _, column in fields if column is not None}:
            rows = [{name: value for name, value in row.items() if name not in taken} for row in rows]
        return self._add(rows, [values for values, _ in fields], by, why)

    def revise(
        self,
        id: int | Case,
        changes: ByName = None,
        *,
        solution: Any = UNCHANGED,
        outcome: Any = UNCHANGED,
        note: str | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> None:
        """Change a case, for example to record its outcome.

        ``id`` is the id of the case, or the case itself. ``changes`` maps attributes to new values; the value None
        removes the stored value, and other attributes do not change. ``solution=None`` or ``outcome=None`` removes the
        stored value. ``note`` is added to the existing notes.

        A new solution has no outcome until you record one: the outcome of the previous solution does not apply to it.
        The previous solution and its outcome are kept in a note.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     id = base.add({"age": 3}, solution="oil the chain", outcome=False)
        ...     base.revise(id, solution="replace the chain")
        ...     base.get(id)
        case 1
          age       3
          solution  replace the chain
          added     2...
          revised   2...
          note      The previous solution was "oil the chain", with the outcome no.
        """
        note = check_text(note, what="note")
        by, why = self._provenance(by, why)
        changes = {} if changes is None else changes
        with self._live.writing() as writer:
            attributes = self._live.table.attributes
            (id,) = check_ids(check_id(id), self._live.table)
            (old,) = self._live.fetch([id])
            new = check_case(changes, attributes)
            old_values = zip(attributes, old.values, strict=True)
            values = [new.get(name) if name in changes else value for name, value in old_values]
            solution = old.solution if solution is UNCHANGED else kinds.check_plain(solution, what="solution")
            is_solved_anew = solution != old.solution
            if outcome is not UNCHANGED:
                outcome = kinds.check_plain(outcome, what="outcome")
            elif not is_solved_anew:
                outcome = old.outcome
            else:
                outcome = None
            if is_solved_anew and old.outcome is not None:
                note = "\n".join(filter(None, [note, _previous_solution(old)]))
            writer.replace(id, NewCase(values, solution, outcome, old.key, note), by=by, why=why)

    def forget(self, ids: Ids = None, *, where: ByName = None, by: str | None = None, why: str | None = None) -> int:
        """Forget cases and erase their data from the file; return the number of forgotten cases.

        Pass either ``ids`` (one or several ids or cases) or ``where`` (at least one condition, see `CaseBase`). The
        values, solutions, outcomes, keys, notes, authors, reasons and usage records of the forgotten cases are erased,
        and so is the state of learners fitted to these cases (`learner` refits such learners). No bytes of the erased
        data are left in the file. For each change to these cases, the history keeps only the time, the action and the
        id of the case; for the call of `forget` itself, it also keeps ``by`` and ``why``. Declarations are not erased:
        the attributes, the categories listed in a `Nominal`, and the values named in a measure that was stored by
        `prefer`.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add_many([{"age": 3}, {"age": 5}, {"age": 9}])
        ...     base.forget(where={"age": pc.cases.at_least(5)}), len(base)
        (2, 1)
        """
        by, why = self._provenance(by, why)
        with self._live.writing() as writer:
            if chosen := self._chosen(ids, where):
                writer.delete(chosen, by=by, why=why)
        return len(chosen)

    def retire(self, ids: Ids = None, *, where: ByName = None, by: str | None = None, why: str | None = None) -> None:
        """Exclude cases from retrieval without deleting them; `recall` undoes this.

        Parameters as in `forget`.
        """
        by, why = self._provenance(by, why)
        with self._live.writing() as writer:
            writer.retire(self._chosen(ids, where), by=by, why=why)

    def recall(self, ids: Ids = None, *, where: ByName = None, by: str | None = None, why: str | None = None) -> None:
        """Make retired cases available for retrieval again and reset their usage records.

        Parameters as in `forget`.
        """
        by, why = self._provenance(by, why)
        with self._live.writing() as writer:
            writer.unretire(self._chosen(ids, where), by=by, why=why)

    # Finding cases -------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        with self._live.reading() as table:
            return len(table)

    def __contains__(self, id: object) -> bool:
        with self._live.reading() as table:
            found = id.id if isinstance(id, Case) else id
            return is_whole(found) and found in table

    def __iter__(self) -> Iterator[Case]:
        return self.find()

    def get(self, id: int | Case | None = None, *, key: str | None = None) -> Case:
        """Return the case with this id or key."""
        if (id is None) == (key is None):
            raise UnknownIdError("got neither or both of id and key; pass exactly one: get(7) or get(key=...).")
        with self._live.reading() as table:
            if key is not None:
                id = self._live.store.with_key(str(check_key(key)))
                if id is None:
                    raise UnknownIdError(f"found no case with the key {quoted(key)}. find() lists all cases.")
            (id,) = check_ids(check_id(id), table)
            found = self._live.cases([id])
        if not found:
            raise UnknownIdError(f"found no case {id}: another process has just forgotten it. find() lists all cases.")
        return found[0]

    def find(self, where: ByName = None) -> Iterator[Case]:
        """Iterate, in order of id, over the cases that meet all conditions, or over all cases if ``where`` is None.

        See `CaseBase` for conditions.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add_many([{"age": 3, "make": "A"}, {"age": 5, "make": "B"}, {"age": None, "make": "B"}])
        ...     [case.id for case in base.find(where={"make": "B", "age": pc.cases.at_least(3)})]
        [2]
        """
        return self._found(self.ids(where))

    def ids(self, where: ByName = None) -> list[int]:
        """Return the ids of the cases that `find` yields, without reading the cases."""
        with self._live.reading() as table:
            found: list[int] = table.ids[self._meeting(where)].tolist()
            return found

    def history(self, id: int | Case | None = None) -> History:
        """Return the changes to one case or to the whole case base, with time, author and reason.

        If a case was forgotten, the history still contains the time and action of each change to this case, but no
        author or reason, except those of the call of `forget`.
        """
        return History(self._live.store.history(None if id is None else check_id(id)))

    # The file ------------------------------------------------------------------------------------------------------

    def digest(self) -> str:
        """Return a SHA-256 fingerprint of the attributes and all cases, as a hexadecimal string.

        The fingerprint depends on values, solutions, outcomes, keys, notes and the authors of notes, and on who added
        each case, why it was added and whether it is retired. It does not depend on ids or times. After cases are
        forgotten, the digest is the same as if these cases had never been added, provided that the attributes are the
        same.
        """
        with self._live.moment() as table:
            digest = sha256(_DIGEST_FORMAT)
            _update(digest, [[name, kinds.describe(kind)] for name, kind in table.attributes.items()])
            for case in _in_blocks(table.ids.tolist(), self._live.fetch):
                notes = [[note.by, note.text] for note in case.notes]
                content = [case.values, case.solution, case.outcome, case.key, notes, case.by, case.why, case.retired]
                _update(digest, content)
        return digest.hexdigest()

    def verify(self) -> Verification:
        """Check the pages, checksums, row counts and keys of the whole file.

        `open` checks only the attributes and the cases.
        """
        with self._live.moment() as table:
            return Verification(len(table), tuple(map(str, self._live.store.verify())))

    def backup(self, path: str | Path) -> None:
        """Copy the case base to a new file, as a consistent snapshot.

        Cases that are forgotten later remain in the copy.
        """
        self._live.store.backup(check_path(path))

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        where: ByName = None,
        format: Format | None = None,
        overwrite: bool = False,
    ) -> int:
        """Write cases to a JSON Lines, CSV or Parquet file and return the number of cases.

        The exported file is written completely or not at all. ``where`` selects cases (see `CaseBase`). The suffix
        ``.jsonl``, ``.parquet`` or ``.csv`` determines the format; for other suffixes, pass ``format``. JSON Lines and
        Parquet files contain all data of the cases and the kinds of the attributes; CSV files lack the kinds. If other
        processes change cases during the export, the file may contain some of these changes; `backup` makes a
        consistent snapshot.

        Examples
        --------
        >>> import priorcase as pc, tempfile
        >>> with pc.CaseBase.temporary() as base, tempfile.TemporaryDirectory() as folder:
        ...     _ = base.add({"device": "printer", "age": 3}, solution="clean it")
        ...     base.export(f"{folder}/cases.jsonl")
        ...     with pc.CaseBase.temporary() as copy:
        ...         copy.import_(f"{folder}/cases.jsonl"), copy.digest() == base.digest()
        1
        ([1], True)
        """
        path = check_path(path)
        if path.exists() and path.samefile(self.path):
            raise CaseBaseError(
                f"cannot export to {self.path}, the file of the case base itself; nothing was written. Choose another "
                "file."
            )
        with self._live.reading() as table:
            ids = table.ids[self._meeting(where)].tolist()
            attributes = dict(table.attributes)
        cases = _in_blocks(ids, self._live.store.fetch)
        return exchange.export(cases, path, attributes, format=format, overwrite=overwrite)

    def import_(
        self,
        path: str | os.PathLike[str],
        *,
        solution: str | None = None,
        outcome: str | None = None,
        key: str | None = None,
        note: str | None = None,
        format: str | None = None,
        by: str | None = None,
        why: str | None = None,
        **reading: Any,
    ) -> list[int]:
        """Add the cases from a file in one transaction and return their ids.

        If any case is invalid, no case is added. The file is either a file written by `export` or any table that
        `priorcase.datasets.read_table` can read. Other keyword arguments, such as ``delimiter=";"``, are passed to
        `read_table`. ``solution``, ``outcome``, ``key`` and ``note`` are the names of the columns that contain these
        fields; by default, each column has the name of its field. Imported cases get new ids and the time of the
        import, but keep their authors, reasons and notes. If a case has the same key as a stored case or as an earlier
        case in the file, the case is not added, and the id of the other case is returned.
        """
        by, why = self._provenance(by, why)
        check_path(path)
        columns = {"solution": solution, "outcome": outcome, "key": key, "note": note}
        with self._live.writing() as writer:
            declared = self._live.table.attributes or None
            read = exchange.read_cases(path, declared, format=format, reading=reading, **columns)
            if declared is None:
                check_names(read.attributes)
                writer.declare(declaration(read.attributes, self._live.settings), by=by, why=why)
            return self._insert_records(writer, read, by, why)

    # The cycle -----------------------------------------------------------------------------------------------------

    def retrieve(
        self,
        query: Mapping[str, Any],
        k: int = 5,
        *,
        weights: Mapping[str, float] | None = None,
        measures: ByName = None,
        where: ByName = None,
        diversity: float = 0.0,
        unknown: Unknown = "different",
        n_jobs: int | None = None,
    ) -> Retrieval:
        """Return the cases most similar to a query, with the contribution of each attribute to their similarity.

        The similarity of a case is ``sum_a w_a s_a / sum_a w_a`` over the attributes a in the query, with weights
        ``w_a`` and local similarities ``s_a`` from 0 to 1. The most similar cases come first; among equally similar
        cases, the oldest comes first.

        Parameters
        ----------
        query
            Mapping from attributes to values, for some or all attributes.
        k
            Number of cases to return.
        weights
            Mapping from attributes to weights >= 0; other attributes have weight 1. If None, the weights stored by
            `prefer` are used; if no weights are stored, all attributes have weight 1.
        measures
            Mapping from attributes to similarity measures: a measure of `priorcase.cases`, its name (``"tfidf"``,
            ``"edit"``, ...) or a function of two values. Other attributes use the measure stored by `prefer`, or the
            default of their kind.
        where
            Conditions that cases must meet, see `CaseBase`.
        diversity
            How much the retrieved cases should differ from each other, from 0 (ignore diversity) to 1.
        unknown
            What to do if a value in the query is missing in a case: ``"different"`` sets the similarity of the
            attribute to 0, ``"ignore"`` leaves the attribute out for that case.
        n_jobs
            Number of threads; None for all cores.
        """
        with self._live.reading() as table:
            weights, measures = self._preferred(weights, measures)
            return retrieval.retrieve(
                table,
                check_query(query, table),
                k,
                weights=weights,
                measures=measures,
                where=None if where is None else self._meeting(where),
                diversity=diversity,
                unknown=unknown,
                n_jobs=n_jobs,
                cache=self._live.cache,
                look_up=self._live.look_up,
            )

    def reuse(
        self,
        found: Retrieval | Mapping[str, Any],
        method: Any = "auto",
        *,
        k: int | None = None,
        rules: Iterable[Rule] | Rule = (),
        critics: Iterable[Critic] | Critic = (),
        rounds: int = 10,
        **options: Any,
    ) -> Proposal:
        """Propose a solution for a query from the solutions of similar cases.

        Parameters
        ----------
        found
            The result of `retrieve`, or a query; for a query, similar cases are retrieved first.
        method
            ``"copy"``, ``"null"``, ``"vote"``, ``"mean"``, ``"local"``, ``"compose"`` or ``"auto"``; see
            `priorcase.cases.reuse`.
        k
            Number of most similar cases to use. None uses all retrieved cases, or 5 if a query is passed.
        rules
            Adaptation rules, ``Rule(when, then)``: each rule is applied once, in order, if its condition holds.
        critics
            Checks with repairs, ``Critic(finds, repairs)``: critics run repeatedly until the solution no longer
            changes.
        rounds
            Maximum number of rounds; in each round, every critic runs once.
        **options
            Parameters of the method, such as ``prior=1`` for a vote.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add_many([{"age": 1, "price": 900}, {"age": 3, "price": 500}], solution="price")
        ...     base.reuse({"age": 2}, "mean").solution
        700.0
        """
        if k is not None and (not is_whole(k) or k < 1):
            raise ParameterError(f"k must be an integer >= 1, got {quoted(k)}. None uses all retrieved cases.")
        reuse.check_method(method, options)
        if not isinstance(found, Retrieval):
            found = self.retrieve(found, 5 if k is None else k)
        elif k is not None:
            found = found[: int(k)]
        attributes = self.attributes
        return reuse.reuse(
            found, found.query, method, rules=rules, critics=critics, rounds=rounds, kinds=attributes, **options
        )

    def retain(
        self,
        case: Mapping[str, Any],
        *,
        solution: Any,
        outcome: Any = None,
        key: str | None = None,
        note: str | None = None,
        by: str | None = None,
        why: str | None = None,
        policy: Policy = "if_wrong",
        k: int = 1,
        tolerance: float | None = None,
        threshold: float = 0.95,
        success: Success = "outcome",
    ) -> Retained:
        """Add a solved case if the policy finds it worth keeping.

        The result says whether and why the case was kept, and which cases were retired.

        Parameters
        ----------
        case, solution, outcome, key, note, by, why
            As in `add`; a solution is required.
        policy
            When to keep the case. ``"if_wrong"`` (IB2) compares the solution of the case with the solution that the
            case base proposes: a case whose solution worked is kept if the two solutions differ, and a case whose
            solution failed is kept if they agree. ``"if_new"`` keeps a case unless there is a near-duplicate with the
            same solution and the same success (both worked or both failed). ``"records"`` keeps every case and retires
            stored cases that proposed a wrong solution significantly too often (IB3). ``"always"`` keeps every case.
        k
            Number of most similar cases from which the case base proposes a solution.
        tolerance
            Largest difference at which two numeric solutions agree; required if solutions are numbers, except with the
            policies ``"if_new"`` and ``"always"``.
        threshold
            Minimum similarity of near-duplicates.
        success
            How to interpret outcomes: ``"outcome"`` for booleans and numbers from 0 to 1, where more than 1/2 is
            success; a function of the outcome; None to ignore outcomes.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add({"sign": "paper jam"}, solution="clean the rollers")
        ...     base.retain({"sign": "paper jam"}, solution="clean the rollers")
        Not kept: the case base already proposes 'clean the rollers'.
        """
        by, why = self._provenance(by, why)
        with self._live.writing() as writer:
            attributes = self._declared(writer, [case])
            new = new_case(case, attributes, solution, outcome, key, note)
            table = self._live.table if self._live.table.attributes else CaseTable(attributes)
            decision = retain.decide(
                table,
                check_case(case, attributes),
                new.solution,
                new.outcome,
                policy=policy,
                likeness=self._likeness(table),
                k=k,
                tolerance=tolerance,
                threshold=threshold,
                records=self._records() if policy == "records" else None,
                success=success,
            )
            id = self._live.insert(writer, [new], attributes, by=by, why=why)[0] if decision.kept else None
            # The author and reason belong to the new case and are erased with it, so other cases do not record them.
            for right in (True, False):
                if answered := [trial.id for trial in decision.trials if trial.right is right]:
                    writer.record_use(answered, helped=right)
            if decision.retired:
                writer.retire(decision.retired, why="the usage record of the case is poor")
        return replace(decision, id=id)

    def converse(
        self,
        query: ByName = None,
        *,
        weights: Mapping[str, float] | None = None,
        measures: ByName = None,
        where: ByName = None,
        floor: float = 0.1,
        confidence: float = 0.8,
        least_gain: float = 0.01,
        tolerance: float | None = None,
        success: Success = "outcome",
    ) -> Conversation:
        """Start a conversation that asks informative questions until one solution is probable enough.

        ``query`` contains the values known at the start. For ``weights``, ``measures`` and ``where`` see `retrieve`;
        for the other parameters see `priorcase.cases.Conversation`.
        """
        with self._live.reading() as table:
            weights, measures = self._preferred(weights, measures)
            if where is not None:
                table = table.only(self._meeting(where))
            return Conversation(
                table,
                query,
                weights=weights,
                measures=measures,
                floor=floor,
                confidence=confidence,
                least_gain=least_gain,
                tolerance=tolerance,
                success=success,
                cache=self._live.cache,
            )

    def design(
        self,
        function: FunctionGraph | str,
        *,
        attribute: str | None = None,
        elaborate: int = 2,
        rules: Sequence[Elaboration] = RULES,
        free: int = 0,
        share: bool = False,
        compatible: Callable[[Piece, Piece], bool] | None = None,
        limit: int = 5,
        steps: int = 200_000,
        seconds: float = 60.0,
    ) -> Designs:
        """Compose designs for a desired function from the functions of stored cases (CADET).

        ``function`` is a graph, or a string that describes a graph, such as ``"C +> Q"``. ``attribute`` is the
        attribute that contains the function of each case; ``attribute`` can be omitted if only one attribute has graphs
        as values. For the other parameters see `priorcase.cases.design`.
        """
        graphs = [name for name, kind in self.attributes.items() if isinstance(kind, kinds.Graph)]
        if attribute is None and len(graphs) == 1:
            attribute = graphs[0]
        if attribute not in graphs:
            given = f"got attribute={attribute!r}" if attribute is not None else "got no attribute"
            remedy = f"Choose one of {listed(graphs)}." if graphs else "Declare an attribute as 'graph'."
            raise CaseBaseError(f"{given}; expected an attribute of kind 'graph'. {remedy}")
        return design(
            function,
            list(self.find(where={"retired": False})),
            attribute=attribute,
            elaborate=elaborate,
            rules=rules,
            free=free,
            share=share,
            compatible=compatible,
            limit=limit,
            steps=steps,
            seconds=seconds,
        )

    # Weights and measures ------------------------------------------------------------------------------------------

    def prefer(
        self,
        *,
        weights: Mapping[str, float] | None = None,
        measures: ByName = None,
        by: str | None = None,
        why: str | None = None,
    ) -> None:
        """Store weights and measures in the file as defaults for later retrievals.

        ``weights`` and ``measures`` are mappings from attributes; None leaves the stored defaults unchanged, and ``{}``
        removes the defaults. Functions and embeddings cannot be stored; pass these measures to `retrieve`.
        """
        by, why = self._provenance(by, why)
        with self._live.writing() as writer:
            attributes, settings = self._live.table.attributes, dict(self._live.settings)
            if weights is not None:
                found = weights_of(attributes, weights)
                settings["weights"] = {name: found[name] for name in attributes if name in weights}
            if measures is not None:
                chosen = measures_of(attributes, measures)
                settings["measures"] = {name: describe(chosen[name]) for name in attributes if name in measures}
            writer.declare(declaration(attributes, settings), by=by, why=why)

    def preferences(self) -> dict[str, dict[str, Any]]:
        """Return the weights and measures stored by `prefer`, as mappings from attributes."""
        with self._live.reading():
            return self._settings()

    def learn_weights(
        self,
        *,
        k: int = 5,
        target: str = "solution",
        measures: ByName = None,
        fixed: Mapping[str, float] | None = None,
        success: Success = "outcome",
        sample: int = 2000,
        random_state: Any = 0,
        unknown: Unknown = "different",
        n_jobs: int | None = None,
    ) -> Weights:
        """Learn attribute weights for which leave-one-out predictions from the ``k`` nearest cases have a small error.

        Each case is predicted from its ``k`` most similar other cases; the weights are searched on a small grid.
        ``base.prefer(weights=base.learn_weights())`` stores the weights as the default.

        Parameters
        ----------
        k
            Number of most similar cases from which each case is predicted.
        target
            What to predict: ``"solution"``, ``"outcome"`` or an attribute.
        fixed
            Mapping from attributes to fixed weights, which are not learned; 0 excludes an attribute.
        success
            How to interpret outcomes, as in `retain`; if ``target`` is ``"solution"``, cases whose solution failed are
            not used.
        sample
            Maximum number of cases to learn from; if there are more, a random sample of this size is used.
        random_state
            Seed of the sample.
        measures, unknown, n_jobs
            As in `retrieve`.
        """
        with self._live.reading() as table:
            _, measures = self._preferred(None, measures)
            return retrieval.learn_weights(
                table,
                k=k,
                target=target,
                measures=measures,
                fixed=fixed,
                success=success,
                sample=sample,
                random_state=random_state,
                unknown=unknown,
                n_jobs=n_jobs,
                cache=self._live.cache,
            )

    # Records and competence ----------------------------------------------------------------------------------------

    def records(self, *, tolerance: float | None = None, success: Success = "outcome") -> Records:
        """Return how often each case proposed a solution and how often that solution was right.

        Records are collected by `retain` with ``policy="records"``. Parameters as in `retain`.
        """
        with self._live.reading() as table:
            return retain.records_of(table, self._records(), tolerance=tolerance, success=success)

    def competence(self, *, k: int = 5, tolerance: float | None = None, success: Success = "outcome") -> Competence:
        """Return, for each case, the cases that it solves (coverage) and the cases that solve it (reachability).

        A case is solved by itself and by each of its ``k`` most similar cases that has the same solution and is more
        similar than every case with another solution. For ``tolerance`` and ``success`` see `retain`.
        """
        with self._live.reading() as table:
            likeness = self._likeness(table)
            return competence.competence(table, likeness=likeness, k=k, tolerance=tolerance, success=success)

    def near_duplicates(self, threshold: float = 0.95, *, tolerance: float | None = None) -> Duplicates:
        """Return the pairs of cases with similarity >= ``threshold``, and whether their solutions agree.

        Numeric solutions agree if they differ by at most ``tolerance``; if ``tolerance`` is None, they must be equal.
        At most 100,000 pairs are listed.
        """
        with self._live.reading() as table:
            likeness = self._likeness(table)
            return competence.near_duplicates(table, likeness=likeness, threshold=threshold, tolerance=tolerance)

    # Learners ------------------------------------------------------------------------------------------------------

    def fit(
        self,
        learner: Any,
        *,
        target: str | None = "solution",
        attributes: Iterable[str] | None = None,
        name: str | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> CaseLearner:
        """Fit a clone of an estimator to the cases; if ``name`` is passed, store the fitted estimator in the file.

        Retired cases and cases without a target are not used. Estimators are stored in the format of saved models:
        data with a checksum, never code.

        Parameters
        ----------
        learner
            An estimator of this library.
        target
            ``"solution"``, ``"outcome"`` or an attribute; None for unsupervised estimators.
        attributes
            Attributes to learn from; None for all except the target and graphs (estimators do not accept graphs).
        name
            Name under which the fitted estimator is stored, and with which `learner` returns the estimator.
        by, why
            Author and reason, for the history.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add_many([{"age": 1}, {"age": 2}, {"age": 9}], solution=["oil it", "oil it", "swap it"])
        ...     _ = base.fit(pc.KNNClassifier(n_neighbors=1), name="nearest")
        ...     base.learner("nearest").predict({"age": 8})
        array(['swap it'], dtype=object)
        """
        name = check_text(name, what="name")
        by, why = self._provenance(by, why)
        with self._live.reading() as table:
            sequence = self._live.sequence
            fitted = learners.fit_learner(learner, table, target=target, attributes=attributes, sequence=sequence)
        if name is not None:
            state, recipe = fitted.state(), fitted.recipe.json()
            with self._live.writing() as writer:
                writer.put_learner(name, recipe, state=state, fitted_on=fitted.ids.tolist(), by=by, why=why)
        return fitted

    def learner(self, name: str) -> CaseLearner:
        """Return a fitted learner that `fit` stored under a name.

        If a training case of the learner was forgotten, or the learner was fitted by another version of the library,
        the learner is refitted to the remaining training cases.
        """
        with self._live.reading() as table:
            kept = self._kept(name)
            recipe = Recipe.from_json(kept.recipe)
            if kept.state is not None and recipe.version == __version__:
                return learners.load_state(recipe, kept.state)
            return learners.refit_learner(recipe, table, ids=kept.fitted_on, sequence=self._live.sequence)

    def learners(self) -> KeptLearners:
        """Return the stored learners, each with the time of its fit and the number of changes to cases since then."""
        with self._live.reading():
            found = []
            steps = [event.sequence for event in self._live.store.history() if event.action in _CHANGES_OF_CASES]
            for kept in self._live.store.learners():
                changes = sum(step > kept.sequence for step in steps)
                found.append(KeptLearner(kept.name, Recipe.from_json(kept.recipe), changes, kept.state is not None))
            return KeptLearners(tuple(found))

    def drop_learner(self, name: str, *, by: str | None = None, why: str | None = None) -> None:
        """Remove a stored learner."""
        by, why = self._provenance(by, why)
        with self._live.writing() as writer:
            self._kept(name)
            writer.drop_learner(name, by=by, why=why)

    # Helpers -------------------------------------------------------------------------------------------------------

    def _require(self, wanted: dict[str, CaseKind]) -> None:
        """Check that the file has the requested attributes; declare the attributes if the file has none."""
        there = self.attributes
        if not there and not self.readonly:
            self.declare(wanted)
        elif differing := [name for name in {**there, **wanted} if there.get(name) != wanted.get(name)]:
            raise CaseBaseError(
                f"attributes do not match the attributes of the file {self.path}; mismatched: {listed(differing)}. "
                "Nothing was changed. Omit attributes= to use the attributes of the file; CaseBase.declare adds "
                "attributes."
            )

    def _provenance(self, by: Any, why: Any) -> tuple[str | None, str | None]:
        return check_text(by, what="by") or self._by, check_text(why, what="why")

    def _declared(self, writer: Writer, cases: Sequence[Any]) -> Mapping[str, CaseKind]:
        """Return the attributes; if none are declared, infer them from the first cases."""
        if self._live.table.attributes:
            return self._live.table.attributes
        attributes = inferred_attributes(cases)
        writer.declare(declaration(attributes, self._live.settings))
        return attributes

    def _add(
        self, cases: Sequence[Mapping[str, Any]], fields: Sequence[list[Any]], by: str | None, why: str | None
    ) -> list[int]:
        by, why = self._provenance(by, why)
        with collector_paused(), self._live.writing() as writer:
            attributes = self._declared(writer, cases)
            new = [new_case(case, attributes, *values) for case, *values in zip(cases, *fields, strict=True)]
            return self._live.insert(writer, new, attributes, by=by, why=why)

    def _insert_records(self, writer: Writer, read: exchange.ReadCases, by: str | None, why: str | None) -> list[int]:
        """Add cases that were read from a file; notes and the retired status of cases are kept."""
        ids: list[int] = []
        for (author, reason), group in groupby(read.cases, lambda case: (case.by or by, case.why or why)):
            records, seen = list(group), len(writer.changes)
            new = [NewCase(case.values, case.solution, case.outcome, case.key) for case in records]
            found = self._live.insert(writer, new, read.attributes, by=author, why=reason)
            added = {change.id for change in writer.changes[seen:]}
            first = dict(zip(reversed(found), reversed(records), strict=True))  # the first record with each key
            fresh = {id: first[id] for id in sorted(first.keys() & added)}
            for id, case in fresh.items():
                for note in case.notes:
                    same = NewCase(case.values, case.solution, case.outcome, case.key, note.text)
                    writer.replace(id, same, by=note.by, why=None)
            if retired := [id for id, case in fresh.items() if case.retired]:
                writer.retire(retired)
            ids += found
        return ids

    def _chosen(self, ids: Any, where: Mapping[str, Any] | None) -> list[int]:
        """Return the ids of the cases selected by ids or by conditions."""
        empty = where is None or (isinstance(where, Mapping) and not where)
        if (ids is None) == empty:
            raise CaseBaseError(
                "got neither or both of ids and where; pass exactly one, for example forget(7), forget([7, 8]) or "
                "forget(where={'device': 'printer'}). Nothing was changed."
            )
        table = self._live.table
        return table.ids[self._meeting(where)].tolist() if ids is None else check_ids(ids, table)

    def _meeting(self, where: Mapping[str, Any] | None) -> BoolArray:
        """Return a boolean mask: for each case, whether the case meets all conditions."""
        table, store = self._live.table, self._live.store
        where = {} if where is None else where
        asked = where if isinstance(where, Mapping) else {}
        key = asked.get("key")
        if isinstance(key, str) or is_whole(key):
            rest = {name: condition for name, condition in asked.items() if name != "key"}
            found: BoolArray = table.ids == store.with_key(str(key))
            return found & self._meeting(rest)
        ids = table.ids.tolist() if "key" in asked or "by" in asked else []
        others: dict[str, list[Any]] = {
            "key": list(map(store.keys().get, ids)) if "key" in asked else [],
            "by": list(map(store.authors().get, ids)) if "by" in asked else [],
            "retired": table.retired.tolist() if "retired" in asked else [],
        }
        return conditions.mask(table, where, others=others)

    def _found(self, ids: list[int]) -> Iterator[Case]:
        def read(block: list[int]) -> list[Case]:
            with self._live.reading() as table:
                return self._live.cases([id for id in block if id in table])

        return _in_blocks(ids, read)

    def _preferred(self, weights: Any, measures: Any) -> tuple[Any, Any]:
        """Return the weights and measures for a query: passed values have priority over the stored defaults."""
        if not any(self._live.settings.values()) and (measures is None or type(measures) is dict):
            return weights, measures or None  # nothing is stored
        kept = self._settings()
        weights = kept["weights"] or None if weights is None else weights
        if measures is not None and not isinstance(measures, Mapping):
            return weights, measures  # refused later, with a message about what is expected
        return weights, {**kept["measures"], **(measures or {})} or None

    def _settings(self) -> dict[str, dict[str, Any]]:
        with damage_errors(self.path):
            weights, measures = ({**self._live.settings.get(name, {})} for name in ("weights", "measures"))
            return {"weights": weights, "measures": {name: from_description(each) for name, each in measures.items()}}

    def _likeness(self, table: CaseTable) -> Likeness:
        weights, measures = self._preferred(None, None)
        return Likeness(table, weights=weights, measures=measures, cache=self._live.cache)

    def _records(self) -> dict[int, Record]:
        records: dict[int, Record] = {}
        for use in self._live.store.uses():
            if use.helped is not None:
                records[use.id] = records.get(use.id, Record()).after(use.helped)
        return records

    def _kept(self, name: str) -> StoredLearner:
        store = self._live.store
        if isinstance(name, str) and (found := store.learners(name)):
            return found[0]
        names = [kept.name for kept in store.learners()]
        raise CaseBaseError(
            f"found no learner named {quoted(name)} in the case base; stored learners: {listed(names) or 'none yet'}. "
            "CaseBase.fit(learner, name=...) fits and stores a learner."
        )


class History(GridResult, Sequence[Event]):
    """The changes to a case base in chronological order; prints as a table."""

    _columns = ("at", "action", "case", "by", "why")
    _shown = 20

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = tuple(events)

    def __len__(self) -> int:
        return len(self._events)

    def __getitem__(self, at: Any) -> Any:
        return self._events[at]

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a pandas, Polars or PyArrow frame with one row per change."""
        fields = {name: "id" if name == "case" else name for name in self._columns}
        return framed({name: [getattr(event, field) for event in self] for name, field in fields.items()}, backend)

    def _grid(self) -> Grid:
        last = self._events[-self._shown :]
        lines = [[e.at, e.action, "-" if e.id is None else str(e.id), e.by or "-", e.why or "-"] for e in last]
        hidden = len(self) - len(last)
        note = f"and {hidden} earlier" if hidden else ""
        return Grid(f"{len(self):,} event{'s' * (len(self) != 1)}", self._columns, lines, note, right={2})


@dataclass(frozen=True, repr=False)
class Verification(TextResult):
    """Result of `CaseBase.verify`: the number of cases and a list of problems; ``bool()`` is True if the list is empty.

    Examples
    --------
    >>> Verification(2, ()), bool(Verification(2, ("page 3 is torn",)))
    (clean: 2 cases, False)
    """

    cases: int
    findings: tuple[str, ...]

    @property
    def clean(self) -> bool:
        """Whether no problem was found."""
        return not self.findings

    def __bool__(self) -> bool:
        return self.clean

    def __repr__(self) -> str:
        if self.clean:
            return f"clean: {self.cases:,} case{'s' * (self.cases != 1)}"
        return "\n".join(["damaged:", *(f"  {finding}" for finding in self.findings)])


def table_of(base: CaseBase) -> AbstractContextManager[CaseTable]:
    """Return a context manager that yields the current cases and keeps other threads from changing them."""
    return base._live.reading()


def _check_fits(table: CaseTable, name: str, kind: CaseKind) -> None:
    """Raise an error if a stored value of an attribute would be invalid or different under a new kind."""
    before = table.attributes[name]
    for value in table.column(name).values:
        try:
            same = kinds.check(kind, kinds.shown(before, value), attribute=name) == value
        except ValueError:
            same = False
        if not same:
            raise CaseBaseError(
                f"cannot change the kind of {name!r} to {kind.describe()}: a stored case has {quoted(value)}; nothing "
                "was changed. First revise the cases whose values do not fit, or declare another attribute."
            )


def _in_blocks(ids: list[int], read: Any) -> Iterator[Any]:
    """Yield cases one at a time, reading them in blocks."""
    for start in range(0, len(ids), _BLOCK):
        yield from read(ids[start : start + _BLOCK])


def _update(digest: Any, content: Any) -> None:
    text = kinds.written(content).encode("utf-8")
    digest.update(b"%d:" % len(text))
    digest.update(text)


def _previous_solution(case: StoredCase) -> str:
    """Return a note about the solution of a case, which will be replaced, and its outcome."""
    outcome = {"true": "yes", "false": "no"}.get(str(case.outcome), case.outcome)
    solution = "missing" if case.solution is None else case.solution[:_PREVIOUS]
    return f"The previous solution was {solution}, with the outcome {outcome}."
