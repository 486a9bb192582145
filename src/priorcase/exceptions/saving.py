"""Learners that cannot be saved, and bytes that are no saved learner."""

from collections.abc import Iterable, Mapping
from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, listed, named, quoted
from priorcase.exceptions.cases import CaseBaseError


class SavingError(PriorcaseError, ValueError):
    """A learner that cannot be saved, or bytes that do not hold one."""

    @classmethod
    def not_a_learner(cls, given: object) -> Self:
        """Something to save that is no learner of the library."""
        problem = f"got a {type(given).__qualname__}; expected a learner of priorcase."
        hint = "learners of other libraries, and subclasses of your own, need a way of their own."
        if hasattr(given, "learner"):
            hint = "pass its .learner; in a case base it is kept by CaseBase.fit(learner, name=...)."
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
    def other_format(cls, source: str, found: int, known: int) -> Self:
        """A format of an earlier or later version."""
        remedy = "update priorcase, or fit the learner again" if found > known else "fit the learner again"
        return cls(f"{source} is in format {found}, but this priorcase reads format {known}: {remedy}.")

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


class CaseLearnerError(CaseBaseError):
    """Cases that a learner cannot be fitted to."""

    @classmethod
    def unusable(cls, attributes: Mapping[str, str]) -> Self:
        """Attributes asked for of which no column can be made."""
        told = ", ".join(f"{name!r} ({kind})" for name, kind in attributes.items())
        problem = f"got attributes that learners cannot read: {told}."
        hint = "leave them out; they count in retrieve, and words of a text can be a set attribute."
        return cls(compose(problem, hint=hint))

    @classmethod
    def no_attributes(cls) -> Self:
        """Nothing to learn from."""
        problem = "found no attribute to learn from: each is the target, or a text or a graph."
        return cls(compose(problem, hint="declare numeric, ordinal, nominal, date, set or taxonomy attributes."))

    @classmethod
    def no_cases(cls, target: str, cases: int) -> Self:
        """No case with a target."""
        told = f"none of the {cases:,} cases has one" if cases else "the case base has no cases"
        problem = f"learns the target {target!r}, and {told}."
        return cls(compose(problem, hint="name another target: 'solution', 'outcome' or an attribute."))

    @classmethod
    def target_kind(cls, target: str, kind: str) -> Self:
        """An attribute that cannot be a target."""
        problem = f"got target={target!r}, a {kind} attribute; expected numbers, dates, levels or names."
        return cls(compose(problem, hint="name another target: 'solution', 'outcome' or such an attribute."))

    @classmethod
    def target_values(cls, target: str, examples: Iterable[object]) -> Self:
        """Targets that are no classes and no numbers, or both."""
        problem = f"got the target {target!r} with values such as {listed(examples, limit=3)}."
        hint = "learners take only text, only numbers or only booleans; keep what is to be learned in an attribute."
        return cls(compose(problem, hint=hint))

    @classmethod
    def same_column(cls, columns: Iterable[str]) -> Self:
        """A member of a set whose column would have the name of another one."""
        problem = f"would make {named('column', columns)} twice, one of them for a member of a set."
        return cls(compose(problem, hint="leave one of the attributes out."))

    @classmethod
    def unknown(cls, name: object, names: Iterable[str]) -> Self:
        """A learner that was never saved under this name."""
        names = list(names)
        known = f"it has {listed(names)}" if names else "it has none yet"
        problem = f"got {quoted(name)}, the name of no learner of the case base; {known}."
        return cls(compose(problem, hint="CaseBase.fit(learner, name=...) fits one and keeps it."))
