"""Critics: what is wrong with a proposed solution, and how to repair it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from priorcase._parameters import is_whole
from priorcase.cases.kinds import written
from priorcase.cases.reuse.calling import OR_NONE, called, changed, check_function, check_words
from priorcase.cases.reuse.situation import Situation
from priorcase.cases.reuse.steps import Step
from priorcase.exceptions import CaseBaseError, ParameterError, quoted


@dataclass(frozen=True)
class Critic:
    """Finds what is wrong with a solution, and may know how to repair it.

    Parameters
    ----------
    finds
        A function of the solution and the query that returns the problem in words, or None where there is none.
    repairs
        A function of the solution and the query that returns a better solution; None leaves the problem to be reported.
    name
        What to call it, for explanations.

    Examples
    --------
    >>> thin = Critic(lambda pipe, query: "too thin" if pipe["width"] < query["flow"] else None, name="width")
    >>> thin.finds({"width": 2}, {"flow": 3})
    'too thin'
    """

    finds: Callable[[Any, Mapping[str, Any]], str | None]
    repairs: Callable[[Any, Mapping[str, Any]], Any] | None = None
    _: KW_ONLY
    name: str = ""

    def __post_init__(self) -> None:
        hint = "For example lambda solution, query: 'too thin' if solution['width'] < 2 else None."
        check_function("finds", self.finds, of="the solution and the query", hint=hint)
        hint = "None reports what was found."
        check_function("repairs", self.repairs, of="the solution and the query", hint=hint, beside=OR_NONE)
        check_words("name", self.name)

    def problem(self, solution: Any, at: Situation, *, owner: str) -> str | None:
        """What it finds; an error that names it where it finds anything but words."""
        found = called(self.finds, copy.deepcopy(solution), at.copied()[0], owner=owner)
        if found is not None and not (isinstance(found, str) and found):
            raise CaseBaseError(
                f"the function of {owner} returned {quoted(found)}; expected None or the problem as a text. Every way "
                "through the function must end in a return."
            )
        return found

    def repaired(self, solution: Any, at: Situation, *, owner: str) -> Any:
        """The solution as it makes it."""
        if self.repairs is None:
            return solution
        found = called(self.repairs, copy.deepcopy(solution), at.copied()[0], owner=owner)
        return changed(found, owner=owner)


def check_critics(critics: object, rounds: object) -> tuple[Critic, ...]:
    """The critics; an error for anything else, and for a number of rounds that is none."""
    found = tuple(critics) if isinstance(critics, Iterable) and not isinstance(critics, (str, Mapping)) else (critics,)
    if not all(isinstance(critic, Critic) for critic in found):
        raise ParameterError(
            f"critics must be a list of Critic, got {quoted(critics)}. For example [Critic(lambda solution, query: "
            "None)]."
        )
    if not is_whole(rounds) or rounds < 1:
        raise ParameterError(
            f"rounds must be a whole number >= 1, got {quoted(rounds)}. 10 is enough where repairs do not undo each "
            "other."
        )
    return found


def criticise(
    solution: Any, critics: Sequence[Critic], at: Situation, *, rounds: int, repair: bool
) -> tuple[Any, list[Step], list[str], list[str]]:
    """The solution after repairs, the steps, the problems that remain, and notes.

    All critics are asked in turn, each about the solution as the ones before left it, round after round until one round
    repairs nothing. Where repairs lead back to a solution that was there at the end of an earlier round, they undo each
    other; then, and after the last round, what critics still find is reported.
    """
    steps: list[Step] = []
    notes: list[str] = []
    names = [critic.name or str(number) for number, critic in enumerate(critics, 1)]
    seen = {written(solution)}
    for turn in range(1, rounds + 1) if repair else ():
        solution, made = _round(solution, critics, names, at)
        steps += made
        if not made:
            break
        if written(solution) in seen:
            notes.append(f"critics undo each other's repairs: stopped after round {turn}")
            break
        seen.add(written(solution))
        if turn == rounds:
            notes.append(f"critics were stopped after round {rounds}")
    found = [
        (name, critic.problem(solution, at, owner=f"critic {name!r}"))
        for name, critic in zip(names, critics, strict=True)
    ]
    problems = [f"{problem} (critic {name!r})" for name, problem in found if problem is not None]
    return solution, steps, problems, notes if problems else []


def _round(solution: Any, critics: Sequence[Critic], names: Sequence[str], at: Situation) -> tuple[Any, list[Step]]:
    """The solution after every critic was asked once, and what they repaired."""
    steps = []
    for name, critic in zip(names, critics, strict=True):
        owner = f"critic {name!r}"
        problem = critic.problem(solution, at, owner=owner)
        if problem is None:
            continue
        better = critic.repaired(solution, at, owner=owner)
        if written(better) != written(solution):
            steps.append(Step("critic", name, problem, copy.deepcopy(solution), copy.deepcopy(better)))
            solution = better
    return solution, steps
