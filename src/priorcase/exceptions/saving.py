"""Learners that cannot be saved, and bytes that are no saved learner."""

from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, quoted


class SavingError(PriorcaseError, ValueError):
    """A learner that cannot be saved, or bytes that do not hold one."""

    @classmethod
    def not_a_learner(cls, caller: str, given: object) -> Self:
        """Something to save that is no learner of the library."""
        problem = f"{caller} got a {type(given).__qualname__}; expected a learner of priorcase."
        hint = "learners of other libraries, and subclasses of your own, need a way of their own."
        return cls(compose(problem, hint=hint))

    @classmethod
    def function(cls, path: str, name: str) -> Self:
        """A function that a learner was given."""
        problem = f"{path} is a function of yours ({name}); a saved learner holds data only, never code."
        hint = "choose one of the library's own by name, or save the parameters and fit again."
        return cls(compose(problem, hint=hint))

    @classmethod
    def foreign_object(cls, path: str, kind: str) -> Self:
        """An object in a learner of a class that is not written."""
        problem = f"{path} is a {kind}, which the format of saved learners does not hold."
        hint = "it holds parts of priorcase, NumPy arrays, numbers, text, dates and containers of these."
        return cls(compose(problem, hint=hint))

    @classmethod
    def too_deep(cls, path: str, deepest: int) -> Self:
        """Containers within containers without end."""
        problem = f"{path} lies more than {deepest} levels deep, which the format of saved learners does not hold."
        return cls(compose(problem, hint="does a parameter hold lists within lists?"))

    @classmethod
    def foreign(cls, source: str) -> Self:
        """Bytes of something else."""
        problem = f"{source} is no saved learner: it does not begin as one."
        return cls(compose(problem, hint="is it the right file? Learners are saved by save_learner."))

    @classmethod
    def newer(cls, source: str, found: int, known: int) -> Self:
        """A format of a later version."""
        problem = f"{source} is in format {found}; this priorcase reads format {known}."
        return cls(compose(problem, hint="update priorcase, or fit the learner again."))

    @classmethod
    def other_version(cls, source: str, found: str, ours: str) -> Self:
        """A learner saved by another version, whose parts may have had other meanings."""
        problem = f"{source} was saved by priorcase {quoted(found)}; this is {ours!r}, whose learners may differ."
        return cls(compose(problem, hint="fit the learner again, or load it by the version that saved it."))

    @classmethod
    def damaged(cls, source: str, reason: str) -> Self:
        """A saved learner that is not whole, or was made up."""
        problem = f"{source} is damaged: {reason}."
        return cls(compose(problem, hint="nothing was loaded; take a copy of it, or fit the learner again."))

    @classmethod
    def unknown_class(cls, source: str, name: str) -> Self:
        """A class that no learner is made of."""
        problem = f"{source} names the class {quoted(name)}, which is no part of a learner of priorcase."
        return cls(compose(problem, hint="nothing was loaded; do not trust where this file came from."))
