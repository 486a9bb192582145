"""What is to be done about a new case, and what was done."""

from __future__ import annotations

from dataclasses import dataclass

from priorcase._typing import Value
from priorcase.exceptions import listed


@dataclass(frozen=True)
class Duplicate:
    """A stored case that is nearly the same as another one.

    Parameters
    ----------
    id
        Of the stored case.
    similarity
        How near, up to 1.
    agrees
        Whether both have the same solution.
    """

    id: int
    similarity: float
    agrees: bool


@dataclass(frozen=True)
class Trial:
    """A stored case that spoke for a query whose solution is known by now.

    Parameters
    ----------
    id
        Of the stored case.
    right
        Whether its solution was that of the query.
    """

    id: int
    right: bool


@dataclass(frozen=True)
class Decision:
    """Whether to keep a new case, and what else to do: all of it, or nothing, in one transaction.

    Parameters
    ----------
    keep
        Whether to insert the case.
    reason
        Why, as the end of a sentence.
    duplicates
        Stored cases that are nearly the same, the most similar first.
    trials
        Whose records to add to.
    retire
        Ids of cases to retire.
    """

    keep: bool
    reason: str
    duplicates: tuple[Duplicate, ...] = ()
    trials: tuple[Trial, ...] = ()
    retire: tuple[int, ...] = ()

    def done(self, id: int | None) -> Retained:
        """What to tell the user once it was carried out; ``id`` is that of the new case, None where it was not kept."""
        return Retained(self.keep, id, self.reason, self.duplicates, self.trials, self.retire)


@dataclass(frozen=True, repr=False)
class Retained:
    """What became of a new case; prints as a sentence or two.

    Parameters
    ----------
    kept
        Whether it was kept.
    id
        Its id, None where it was not kept.
    reason
        Why, as the end of a sentence.
    duplicates
        Stored cases that are nearly the same, the most similar first.
    trials
        Whose records were added to.
    retired
        Ids of cases that were retired: they are in the file and no longer retrieved.

    Examples
    --------
    >>> Retained(True, 7, "the cases would have answered 'toner'", retired=(3,))
    Kept as case 7: the cases would have answered 'toner'. Retired: case 3.
    """

    kept: bool
    id: int | None
    reason: str
    duplicates: tuple[Duplicate, ...] = ()
    trials: tuple[Trial, ...] = ()
    retired: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return self.kept

    def __str__(self) -> str:
        parts = [f"Kept as case {self.id}: {self.reason}." if self.kept else f"Not kept: {self.reason}."]
        if against := [other.id for other in self.duplicates if not other.agrees]:
            parts.append(f"Nearly the same but solved otherwise: {cases_text(against)}.")
        if self.retired:
            parts.append(f"Retired: {cases_text(self.retired)}.")
        return " ".join(parts)

    def __repr__(self) -> str:
        return str(self)


def cases_text(ids: tuple[int, ...] | list[int]) -> str:
    """Some cases in words.

    Examples
    --------
    >>> cases_text([3]), cases_text([3, 5])
    ('case 3', 'cases 3, 5')
    """
    return f"case{'s' * (len(ids) != 1)} {listed(map(int, ids))}"


def shown_solution(value: Value) -> str:
    """A solution in a sentence, not without end.

    Examples
    --------
    >>> shown_solution("toner"), shown_solution(15.000000000000002)
    ("'toner'", '15')
    """
    text = f"{value:.6g}" if isinstance(value, float) else repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
