"""Errors that several parts of the case bases raise."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from priorcase.exceptions import CaseBaseError, CaseBaseFileError, ReadingError, UnknownIdError, advice, listed, named


def unknown_attributes(names: Sequence[object], attributes: Iterable[str], source: str | None = None) -> CaseBaseError:
    """Names of no attribute; ``source`` is the file that has them."""
    attributes = list(attributes)
    known = f"It has {listed(attributes, limit=12) or 'none yet'}; CaseBase.declare adds attributes."
    return CaseBaseError(
        f"{'' if source is None else source + ' '}got {named('attribute', names)}, unknown to the case base. "
        f"{advice(names[0], attributes, otherwise=known)}"
    )


def check_known(names: Iterable[object], attributes: Collection[str]) -> None:
    """Refuse names that are not among the attributes."""
    if unknown := [name for name in names if name not in attributes]:
        raise unknown_attributes(unknown, attributes)


def unknown_ids(ids: Sequence[object]) -> UnknownIdError:
    """Ids that were never given out, or whose cases were forgotten."""
    which = "which names no case" if len(ids) == 1 else "which name no cases"
    return UnknownIdError(f"got {named('id', ids)}, {which}. Ids are what add returned; find() shows all cases.")


def damaged_base(path: str, found: str) -> CaseBaseFileError:
    """A case base whose content is not what was written."""
    return CaseBaseFileError(
        f"The case base {path} is damaged: {found}. The file was not changed. Restore it from a backup; keep the "
        "damaged file until that is done."
    )


def damaged_learner(source: str, reason: str) -> ReadingError:
    """A saved learner that is not whole, or was made up."""
    return ReadingError(
        f"{source} is damaged: {reason}. Nothing was loaded; take a copy of it, or fit the learner again."
    )
