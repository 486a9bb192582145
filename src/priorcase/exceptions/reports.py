"""Tables that no report can be made of."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, quoted


class ReportError(PriorcaseError, ValueError):
    """A table that has too little in it for a report."""

    @classmethod
    def too_few(cls, rows: int, least: int) -> Self:
        """Too few rows to compare learners on."""
        problem = f"got {rows} row{'' if rows == 1 else 's'} with a known target; expected at least {least}."
        return cls(compose(problem, hint="learners are compared on rows they have not seen, which takes some rows."))

    @classmethod
    def one_target(cls, target: str, value: object) -> Self:
        """A target that never changes."""
        problem = f"got a target {target!r} that is {quoted(value)} in every row; expected two values or more."
        return cls(compose(problem, hint="name another column as the target."))

    @classmethod
    def lone_classes(cls, target: str, kept: int) -> Self:
        """Fewer than two classes that have a row to learn from and one to ask about."""
        found = "no class has" if kept == 0 else "only one class has"
        problem = f"got a target {target!r} of which {found} two rows or more; expected two such classes."
        return cls(compose(problem, hint="name another column as the target; one that names each row is none."))

    @classmethod
    def nobody(cls, reasons: str) -> Self:
        """No learner came to an end."""
        problem = f"no learner could be measured: {reasons}"
        return cls(compose(problem, hint="give it more time, or fewer rows."))
