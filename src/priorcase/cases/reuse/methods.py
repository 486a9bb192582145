"""The ways to make a solution from retrieved cases, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

from priorcase._parameters import choices_text
from priorcase.cases.reuse.averaging import Mean
from priorcase.cases.reuse.composing import Compose
from priorcase.cases.reuse.copying import Copy, Null
from priorcase.cases.reuse.local_regression import Local
from priorcase.cases.reuse.proposal import Proposal
from priorcase.cases.reuse.sources import Sources
from priorcase.cases.reuse.voting import Vote
from priorcase.exceptions import CaseBaseError, ParameterError, advice, listed, misspelt, named, quoted

MethodName: TypeAlias = Literal["auto", "copy", "null", "vote", "mean", "local", "compose"]


@runtime_checkable
class Method(Protocol):
    """A way to make a solution from retrieved cases; those of the library are frozen dataclasses of its parameters."""

    name: ClassVar[str]
    adapts: ClassVar[bool]

    def check(self) -> None:
        """Refuse parameters that break their rules."""

    def propose(self, sources: Sources, query: Mapping[str, Any]) -> Proposal:
        """What the retrieved cases propose."""


METHODS: dict[str, type[Any]] = {method.name: method for method in (Copy, Null, Vote, Mean, Local, Compose)}


def check_method(method: object, options: Mapping[str, object]) -> Method | None:
    """The method by its name and options, or itself; None for ``"auto"``."""
    if isinstance(method, Method) and not isinstance(method, type):
        if options:
            raise CaseBaseError(
                f"got {named('option', sorted(options))} with method={method.name!r} given as an object, which has no "
                "such option. Give options to the object itself."
            )
        method.check()
        return method
    names = ("auto", *METHODS)
    if not isinstance(method, str) or method not in names:
        remedy = advice(
            method, names, otherwise="'auto' takes vote for texts that repeat, mean for numbers, copy else."
        )
        raise ParameterError(
            f"method must be {choices_text(names)}, or one of their classes with parameters, got {quoted(method)}. "
            f"{remedy}"
        )
    known = ["success"] if method == "auto" else [field.name for field in fields(METHODS[method])]
    if unknown := [name for name in options if name not in known]:
        remedy = misspelt(unknown, known) or f"It has {listed(known, limit=12)}."
        raise CaseBaseError(
            f"got {named('option', unknown)} with method={method!r}, which has no such option. {remedy}"
        )
    if method == "auto":
        Copy(**options).check()  # type: ignore[arg-type]
        return None
    made: Method = METHODS[method](**options)
    made.check()
    return made


def chosen(sources: Sources, options: Mapping[str, Any]) -> tuple[Method, str]:
    """What ``"auto"`` takes, and why: a vote for texts and booleans that repeat, a mean for numbers, a copy else."""
    kind = sources.of_one_kind()
    if kind == "number":
        return Mean(**options), "auto took the mean, since solutions are numbers"
    distinct = len({case.solution_text for case in sources.cases})
    if kind in ("text", "boolean") and distinct < len(sources.cases):
        return Vote(**options), f"auto took a vote, since {len(sources.cases)} cases have {distinct} distinct solutions"
    several = "no solution occurs twice" if kind in ("text", "boolean") else f"solutions are {kind}s"
    reason = "there is one case" if len(sources.cases) == 1 else several
    return Copy(**options), f"auto took a copy, since {reason}"
