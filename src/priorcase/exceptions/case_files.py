"""Files that are no case base, or that cannot be read or written just now."""

from __future__ import annotations

from typing import Self

from priorcase.exceptions.base import compose, listed, quoted
from priorcase.exceptions.cases import CaseBaseError

_KEPT = "The file was not changed."


class CaseBaseFileError(CaseBaseError):
    """A file that is no case base, a damaged one, or one that the system would not read or write."""

    @classmethod
    def absent(cls, path: str) -> Self:
        """A file that is not there."""
        return cls(
            compose(
                f"There is no case base at {path}.",
                hint="check the path, or open it without readonly=True to create one.",
            )
        )

    @classmethod
    def directory(cls, path: str) -> Self:
        """A folder where a file was expected."""
        return cls(
            compose(
                f"{path} is a directory; a case base is one file.",
                hint="name a file in it, for example cases.priorcase.",
            )
        )

    @classmethod
    def no_folder(cls, path: str, folder: str) -> Self:
        """A file in a folder that does not exist."""
        problem = f"The case base {path} cannot be created: there is no folder {folder}."
        return cls(compose(problem, hint="create the folder first, or check the path."))

    @classmethod
    def exists(cls, path: str) -> Self:
        """A copy that would overwrite a file."""
        return cls(compose(f"{path} exists already. {_KEPT}", hint="name a new file, or move that one away first."))

    @classmethod
    def foreign(cls, path: str, found: str) -> Self:
        """A file that something else wrote."""
        problem = f"{path} is no case base: it is {found}. {_KEPT}"
        return cls(compose(problem, hint="check the path; rows of other files come in with import_."))

    @classmethod
    def damaged(cls, path: str, found: str) -> Self:
        """A case base whose content is not what was written."""
        problem = f"The case base {path} is damaged: {found}. {_KEPT}"
        return cls(compose(problem, hint="restore it from a backup; keep the damaged file until that is done."))

    @classmethod
    def newer(cls, path: str, found: int, known: int) -> Self:
        """A case base of a version to come."""
        problem = (
            f"The case base {path} was written by a newer priorcase: its format is version {found}, "
            f"and this one knows versions up to {known}. {_KEPT}"
        )
        return cls(compose(problem, hint="upgrade priorcase to open it."))

    @classmethod
    def other_journal(cls, path: str) -> Self:
        """An unfinished change beside a case base that it was not made for."""
        problem = f"The journal {path}-journal belongs to another file than {path}. {_KEPT}"
        hint = (
            "move a case base together with its journal; where the base was restored from a backup, remove the journal."
        )
        return cls(compose(problem, hint=hint))

    @classmethod
    def unfinished(cls, path: str) -> Self:
        """An interrupted change that cannot be undone, since the file may not be written."""
        problem = f"A change of {path} was interrupted, and undoing it needs write access to the file and its folder."
        return cls(compose(problem, hint="open it once where it may be written; that restores the last whole state."))

    @classmethod
    def moved(cls, path: str) -> Self:
        """A file that is no longer the one that was opened."""
        problem = f"The file {path} was moved, removed or replaced while it was open; nothing was changed."
        return cls(compose(problem, hint="open it again with CaseBase.open(path)."))

    @classmethod
    def locked(cls, path: str) -> Self:
        """A file or a folder that may not be written."""
        problem = f"The case base {path} cannot be changed: the file or its folder is read-only. Nothing was changed."
        return cls(compose(problem, hint="change the permissions, or open it with readonly=True."))

    @classmethod
    def no_access(cls, path: str, reason: str) -> Self:
        """A file that the system does not open."""
        return cls(
            compose(f"The case base {path} could not be opened: {reason}.", hint="check the path and its permissions.")
        )

    @classmethod
    def full(cls, path: str) -> Self:
        """A disk without room."""
        problem = f"The disk is full: the change of {path} was not made, and what was there before is whole."
        return cls(compose(problem, hint="make room, then repeat the change."))

    @classmethod
    def failed(cls, path: str, reason: str) -> Self:
        """A read or a write that the system refused."""
        problem = (
            f"Reading or writing {path} failed ({reason}); no change was made, and what was there before is whole."
        )
        return cls(compose(problem, hint="check the disk, then try again."))

    @classmethod
    def unconfirmed(cls, path: str, reason: str, *, there: bool | None) -> Self:
        """A change that is in the file, or may be, although the system failed at its very end."""
        found = "it is in the file, but may not outlive a power failure"
        if there is None:
            found = "it cannot be seen now whether it was made, wholly or not at all"
        problem = f"The system did not confirm the change of {path} ({reason}): {found}."
        return cls(compose(problem, hint="check the disk, then look whether the change is there before repeating it."))

    @classmethod
    def unwiped(cls, path: str, reason: str) -> Self:
        """Cases that are forgotten, but whose bytes could not be overwritten yet."""
        problem = f"The cases are forgotten, but their bytes could not be wiped from {path} yet: {reason}."
        return cls(compose(problem, hint="the next change or opening wipes them; compact() does it at once."))

    @classmethod
    def unstorable(cls, path: str, found: str) -> Self:
        """A text that a file cannot hold."""
        problem = f"A text {found} cannot be stored in {path}; nothing was changed."
        return cls(compose(problem, hint="shorten it, or replace what is no character."))

    @classmethod
    def changed_meanwhile(cls, path: str, ids: list[int]) -> Self:
        """State computed from cases that have been forgotten since."""
        problem = f"{path} no longer has the cases {listed(ids)} that this learner was fitted on; nothing was changed."
        return cls(compose(problem, hint="fit it again on the cases that are there."))


class CaseBaseBusyError(CaseBaseError):
    """A case base that others kept locked for longer than the timeout."""

    @classmethod
    def waited(cls, path: str, seconds: float) -> Self:
        """Others wrote or read all the time."""
        problem = f"The case base {path} was in use by others for more than {seconds:g} seconds; nothing was changed."
        return cls(compose(problem, hint="try again, or open it with a longer timeout."))

    @classmethod
    def nested(cls, path: str) -> Self:
        """A change within a change."""
        problem = f"A change of {path} was begun within another one; nothing of the inner one was done."
        return cls(compose(problem, hint="finish the first change before the next one begins."))

    @classmethod
    def forked(cls, path: str) -> Self:
        """A process that was forked in the middle of a change."""
        problem = f"This process was forked while {path} was being changed, and cannot use that file."
        return cls(compose(problem, hint="fork before a change begins or after it has ended."))


class CaseKeyError(CaseBaseError):
    """A key that another case has."""

    @classmethod
    def taken(cls, key: str, holder: int) -> Self:
        """A case that was to get a key which is taken."""
        problem = f"The key {quoted(key)} belongs to case {holder}; nothing was changed."
        return cls(compose(problem, hint="a key names one case: choose another one, or revise that case."))
